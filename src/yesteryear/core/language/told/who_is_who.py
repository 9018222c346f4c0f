"""Whether somebody's words show by themselves who they are and who is close to them, and which of their words do.

English, from ``language/en/standing.toml``. What a reader took words for is wrong too often to stand in every context,
so that the words have to say so too.
"""

from __future__ import annotations

from functools import lru_cache

from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.told.called import find_links, parse_called, ties
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("standing")
_PET = "pet"
_LEFT_OUT = "…"


def shows_attribute(words: str, attribute: str) -> bool:
    """Tell whether words that were read as of an attribute say something of it: "I live in Leith" of a home."""
    tells = _EN.group("tells").get(attribute)
    return tells is not None and tells.search(fold(words)) is not None


@lru_cache(maxsize=10_000)
def telling_part(words: str, attribute: str, subject: str) -> str:
    """Return the last sentence that says something of an attribute or names somebody close; else the last of all.

    With those before it without which it is not understood. What was said before stands ahead of what is told where
    that hangs on it; most of it only stood there.
    """
    sentences = split_sentences(words)
    shown = (at for at, each in enumerate(sentences) if shows_attribute(each, attribute) or close_one(each, subject)[0])
    last = max(shown, default=len(sentences) - 1)
    start = last
    while start > 0 and _EN["points_back"].match(fold(sentences[start])):
        start -= 1
    return " ".join(sentences[max(start, 0) : last + 1]).removeprefix(_LEFT_OUT).lstrip()


@lru_cache(maxsize=10_000)
def close_one(statement: str, subject: str) -> tuple[str, str]:
    """Return as what, an attribute, and by what name a statement names somebody close; empty where it names nobody.

    "My sister Ellie is a vet" names a sibling; "my boss Ines" is not close, and an ex is none any more.
    """
    for called, is_written in find_links(statement, subject):
        attribute = ties()[called.tie].attribute
        if attribute and is_written and not called.is_past:
            return attribute, called.name
    return "", ""


def pets_named(statement: str, subject: str) -> frozenset[str]:
    """Return the names, folded, that a statement gives to pets: "my dog Bess", "a cat called Miso"."""
    links = {called.name for called, _ in find_links(statement, subject) if ties()[called.tie].attribute == _PET}
    return frozenset(links | {fold(found["name"]) for found in _EN["pet_named"].finditer(statement)})


def is_of_pet(words: str, holder: str, pets: frozenset[str]) -> bool:
    """Tell whether words are about a pet: by whose they are, or by how they begin; ``pets`` are known by name."""
    called = parse_called(holder)
    tie = ties().get(called.tie)
    if (tie is not None and tie.attribute == _PET) or (called.name and called.name in pets):
        return True
    first = fold(words).split()[:1]
    is_named = bool(first) and first[0].strip(".,!?").removesuffix("'s") in pets
    return is_named or any(_EN[sign].search(fold(words)) for sign in ("opens_with_pet", "at_the_vet"))
