"""How somebody of one's own is called: by a tie ("my partner"), by a name ("Priya"), or by both, which makes them one.

And whether words show by themselves who is close. English, from ``language/en/people.toml`` and ``standing.toml``. In
doubt a word is no name and a list of people no link: a join that is wrong gives one person's life to another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from yesteryear.core.language.datewords import MONTHS, WEEKDAYS
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, fold, stem
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("people")
_TITLES = vocabulary("names").words("titles")
_STANDING = vocabulary("standing")
_PET = "pet"
_LEFT_OUT = "…"
NO_NAMES = STOP_WORDS | MONTHS.keys() | WEEKDAYS.keys() | vocabulary("forms").words("no_names")
_OWN = frozenset({"my", "our", "the"})
_MOST_WORDS = 3  # of what somebody is called, beside a tie; more of them are no name
_LISTED = re.compile(r",? (?:and|&|n) |, ")
_LINKS = ("together", "aside", "before", "is_one")


@dataclass(frozen=True, slots=True)
class Tie:
    """What somebody is to a person: partner, sister, dog."""

    name: str
    role: str  # ties of one role do not tell two of one name apart
    alone: str
    """Whom it means without a name: whoever it is ``now``, the ``only`` one who is known, or nobody where empty."""
    attribute: str = ""
    """The attribute of those who are close, whom a context names whatever is asked; empty for others."""


def others_ties(text: str) -> frozenset[str]:
    """Return by which ties words tell of people that others have: "Kim's mum moved to Spain", "his mum died"."""
    return frozenset(fold(found["tie"]) for found in vocabulary("forms")["of_anothers"].finditer(text))


class Called(NamedTuple):
    """What somebody is called, all of it folded; at least a tie or a name is there."""

    tie: str = ""  # a name of ``ties``
    name: str = ""
    surname: str = ""
    is_past: bool = False  # "my ex-wife", "my former boss"
    is_new: bool = False  # "my new boss"

    def __str__(self) -> str:
        return " ".join(filter(None, (self.tie.replace("_", "-"), self.name, self.surname)))

    def shown(self, subject: str) -> str:
        """Return this as it stands in a sentence of whose they are: "Joel's partner", "Anna Weber"."""
        name = f"{self.name} {self.surname}".strip().title()
        return f"{subject}'s {Called(self.tie)} {name}".strip() if self.tie else name


@cache
def ties() -> Mapping[str, Tie]:
    """Return all ties by name."""
    return {name: Tie(name, **row) for name, row in _EN.table("ties").items()}


@cache
def _tie_of() -> Mapping[str, str]:
    return {word: name for name in ties() for word in _EN.words(name)}


@lru_cache(maxsize=10_000)
def parse_called(text: str) -> Called:
    """Return what a holder's name or tie says: "partner", "my boss Anna", "Anna Weber", "Mr Okoro"."""
    said = [word for word in fold(text).removesuffix("'s").split() if word.rstrip(".") not in _TITLES]
    while len(said) > 1 and said[0] in _OWN:
        del said[0]
    known = _tie_of()
    at = next((place for place, word in enumerate(said[:_MOST_WORDS]) if word in known), None)
    name, surname, more = (*(said if at is None else said[at + 1 :]), "", "", "")[:3]
    if more or not said:
        return Called(name=" ".join(said) or fold(text))
    if at is None:
        return Called("", name, surname)
    past, new = (not _EN.words(which).isdisjoint(said[:at]) for which in ("past", "new"))
    return Called(known[said[at]], name, surname, is_past=past, is_new=new)


@lru_cache(maxsize=10_000)
def find_links(statement: str, subject: str) -> tuple[tuple[Called, bool], ...]:
    """Return whom a statement calls the subject's by tie and by name, each with whether the name is written as one."""
    text = _as_own(statement, subject)
    return tuple(
        (_read(found), found["name"][:1].isupper())
        for kind in _LINKS
        for found in _EN[kind].finditer(text)
        if fold(found["name"]) not in NO_NAMES | _tie_of().keys()
    )


def pets_by_name(text: str) -> list[str]:
    """Return each of the pets that somebody tells they have by a list of their names: "an old cat called Salt"."""
    found = _EN["pets_by_name"].match(text)
    if found is None:
        return []
    kind = found["how"] + re.sub(r"s$", "", re.sub(r"ies$", "y", found["kind"]))
    article = "an" if kind.startswith(tuple("aeiou")) else "a"
    return [f"{article} {kind} called {name}" for name in _LISTED.split(found["names"])]


def is_one_of_several(stems: Iterable[str], text: str) -> bool:
    """Tell whether one of several who are named in a row has a name of one of these stems, and not all have."""
    named = ({stem(fold(name)) for name in _LISTED.split(found[0])} for found in _EN["names_listed"].finditer(text))
    return any(names.intersection(stems) and not names.issubset(stems) for names in named)


@lru_cache(maxsize=10_000)
def find_ends(statement: str, subject: str) -> tuple[tuple[str, bool], ...]:
    """Return the ties of whom a statement may tell that whoever it was is it no more.

    Each with whether there is somebody new ("my new boss"), so that it concerns what is told beside it too.
    """
    folded, alone = fold(statement), map(_read, _EN["alone"].finditer(_as_own(statement, subject)))
    new = {called.tie for called in alone if called.is_new}
    over = {tie for tie, told in _EN.group("ends").items() if told.search(folded)}
    return (*((tie, True) for tie in sorted(new)), *((tie, False) for tie in sorted(over)))


def is_own_name(statement: str, subject: str) -> bool:
    """Tell whether a statement on a name may tell the subject's own, and not what somebody or something else is called.

    "Joel's name is Joel Hale", "I go by Max"; not "Joel's son is called Max", "the boat is named Daisy".
    """
    folded = fold(_as_own(statement, subject))
    return not (_EN["names_another"].search(folded) or find_links(statement, subject))


def surname_in(statement: str, name: str) -> str:
    """Return the surname that stands behind somebody's name in a statement; empty where none does."""
    behind = re.findall(rf"(?i:\b{re.escape(name)}) ([A-Z][^\W\d_]+(?:-[^\W\d_]+)*)", statement)
    return next((surname for surname in map(fold, behind) if surname not in NO_NAMES), "")


def _as_own(statement: str, subject: str) -> str:
    """Return a statement with what is the subject's as they say it themselves: "Joel and their dog", "Joel's dog"."""
    if statement.startswith(f"{subject} ") and '"' not in statement:
        statement = re.sub(r"\btheir\b", "my", statement)
    return re.sub(rf"\b{re.escape(subject)}['\u2019]s\b", "my", statement) if subject else statement


def _read(found: re.Match[str]) -> Called:
    told = found.groupdict()
    how = fold(found["how"]).split()
    surname = fold((told.get("surname") or "").strip())
    return Called(
        _tie_of()[fold(found["tie"])],
        fold(told.get("name") or ""),
        "" if surname in NO_NAMES else surname,
        is_past=bool(found["ex"]) or not _EN.words("past").isdisjoint(how),
        is_new=not _EN.words("new").isdisjoint(how),
    )


def shows_attribute(words: str, attribute: str) -> bool:
    """Tell whether words that were read as of an attribute say something of it: "I live in Leith" of a home."""
    tells = _STANDING.group("tells").get(attribute)
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
    while start > 0 and _STANDING["points_back"].match(fold(sentences[start])):
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
    return frozenset(links | {fold(found["name"]) for found in _STANDING["pet_named"].finditer(statement)})


def is_of_pet(words: str, holder: str, pets: frozenset[str]) -> bool:
    """Tell whether words are about a pet: by whose they are, or by how they begin; ``pets`` are known by name."""
    called = parse_called(holder)
    tie = ties().get(called.tie)
    if (tie is not None and tie.attribute == _PET) or (called.name and called.name in pets):
        return True
    first = fold(words).split()[:1]
    is_named = bool(first) and first[0].strip(".,!?").removesuffix("'s") in pets
    return is_named or any(_STANDING[sign].search(fold(words)) for sign in ("opens_with_pet", "at_the_vet"))
