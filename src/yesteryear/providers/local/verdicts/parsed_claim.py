"""What one statement says, read once: words, names, values, polarity, tense and cues.

Pure and per text, so that a statement met in many pairs is read once. ``compare`` puts two of them side by side.
English; of other languages it gives words, names and numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from yesteryear.core.language.datewords import MONTHS, PLAIN_MONTHS, WEEKDAYS
from yesteryear.core.language.tokens import STOP_WORDS, fold, stem, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.verdicts.amounts import NUMBER_WORDS, Values, find_values

_EN = vocabulary("statements")

_READ_CHARS = 600
"""Characters read of a statement, which is a sentence: bounds the time one takes to a few milliseconds."""
_KEPT = 20_000
"""Frames kept, of some kilobytes each: the facts of forty full owners."""
_NEGATION_REACH = 3
"""Words that a negator reaches over."""
_RELATIVE_REACH = 4
"""Words after the owner's name in which a relative makes another subject."""
_CLAUSE_ENDS = frozenset({"but", "and", "because"})

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
CUES = tuple(
    """
    vague change still correction plan used_to past perfect present timeless single multi also universal exception
    detail
""".split()
)
"""Names of what ``ParsedClaim.cues`` counts."""


def _sides() -> dict[str, tuple[tuple[int, int], ...]]:
    found: dict[str, tuple[tuple[int, int], ...]] = {}
    for contrast, line in enumerate(_EN.lines("contrasts")):
        for side, members in enumerate(line.split("|")):
            for word in members.split():
                found[word] = (*found.get(word, ()), (contrast, side))
    return found


def _scales() -> dict[tuple[str, ...], frozenset[tuple[int, int]]]:
    """Return, for each entry, the ends it stands for: number of the scale, and 1 or -1."""
    found: dict[tuple[str, ...], set[tuple[int, int]]] = {}
    for number, scale in enumerate("\n".join(_EN.lines("scales")).replace("\n  |", " |").split("\n")):
        for end, entries in zip((1, -1), scale.split("|"), strict=True):
            for entry in entries.split(","):
                found.setdefault(tuple(map(stem, words(entry))), set()).add((number, end))
    return {entry: frozenset(ends) for entry, ends in found.items()}


_SAME_WORD = {
    stem(word): stem(line.split()[0]) for line in _EN.lines("same_word") for word in words(line.replace("_", " "))
}
"""Words that mean nearly the same, and irregular forms, by stem; what is compared is the first of its line."""
_CONTRASTS = _sides()
"""Words that tell two cases of one thing apart, with the number of their contrast and of their side in it."""
SCALE_ENDS = _scales()
"""Entries of scales with two ends as tuples of stems, and what they stand for."""
_LONGEST = max(map(len, SCALE_ENDS))
"""Words in the longest of them."""
_KIN = frozenset(map(stem, words(" ".join(_EN.listed("kin")))))
"""Whom or what a possessive may lead to, by stem: another subject than the owner."""
_NEGATORS, _ORDINARY = _EN.words("negators"), _EN.words("ordinary")


class ScaleEnd(NamedTuple):
    """A word or phrase that stands for an end of a scale."""

    scale: int
    end: int
    """1 or -1; the other one where it is negated."""
    said: tuple[str, ...]


class ContrastCase(NamedTuple):
    """A word that tells one case of a thing from others: left of left and right."""

    contrast: int
    side: int


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """A statement as it is compared."""

    text: str
    nameless: str
    """The statement with a pronoun for its owner: a name moves a vector more than it means."""
    words: tuple[str, ...]
    """Casefolded, in order."""
    stems: tuple[str, ...]
    """Of ``words``, of those with one meaning the same."""
    content: tuple[str, ...]
    """Stems that say something, in order: no stop words, no names, no numbers."""
    owner: str
    """Whom the statement names first: "user", a name, or empty."""
    relative: str
    """Who of the owner's it is about, as a stem; empty where it is the owner."""
    names: frozenset[str]
    """Capitalised words, casefolded, the owner's among them."""
    values: Values
    negations: int
    denies: bool
    """Whether a negator stands before all that it says: the whole is denied."""
    negated: frozenset[str]
    scale_ends: frozenset[ScaleEnd]
    sides: frozenset[ContrastCase]
    cues: Mapping[str, int]

    @property
    def detail(self) -> int:
        """How much it tells: words, names and numbers, without words that tell nothing for sure."""
        return len(self.content) + len(self.names) + len(self.values.quantities) - self.cues["vague"]


@lru_cache(maxsize=_KEPT)
def parse_claim(text: str) -> ParsedClaim:
    """Return what a statement says; the same text gives the same frame, read once."""
    shown = text[:_READ_CHARS]
    folded = _EN["openers"].sub("", fold(shown))
    listed = tuple(words(folded))
    stemmed = tuple(_SAME_WORD.get(root, root) for root in map(stem, listed))
    names = frozenset(filter(None, (_name(shown, word) for word in _WORD.finditer(shown))))
    owner, relative = _owner(listed, stemmed, names)
    content = _content(listed, stemmed, names | {owner})
    reach = _negated(listed)
    return ParsedClaim(
        text=text,
        nameless=_without_owner(shown, owner),
        words=listed,
        stems=stemmed,
        content=content,
        owner=owner,
        relative=relative,
        names=names,
        values=find_values(folded, listed),
        denies=any(word in _NEGATORS for word in listed[: stemmed.index(content[0]) if content else len(listed)]),
        negations=sum(word in _NEGATORS for word in listed),
        negated=frozenset(
            each
            for word, each, is_reached in zip(listed, stemmed, reach, strict=True)
            if is_reached and word not in STOP_WORDS
        ),
        scale_ends=frozenset(_poles(listed, reach)),
        sides=frozenset(ContrastCase(*place) for word in listed for place in _CONTRASTS.get(word, ())),
        cues=MappingProxyType({name: len(_EN[name].findall(folded)) for name in CUES}),
    )


def _content(listed: Sequence[str], stemmed: Sequence[str], names: frozenset[str]) -> tuple[str, ...]:
    skipped = STOP_WORDS | names | NUMBER_WORDS
    return tuple(
        each
        for word, each in zip(listed, stemmed, strict=True)
        if word not in skipped and bare(word) not in names and not word[0].isdecimal()
    )


def bare(word: str) -> str:
    """Return a word without its possessive ending."""
    return word.removesuffix("'s")


def _name(text: str, match: re.Match[str]) -> str:
    """Return a capitalised word, at the beginning of a sentence only where it can hardly be another word; else ""."""
    word = match[0]
    plain = bare(fold(word))
    if not word[0].isupper() or plain in STOP_WORDS or plain in PLAIN_MONTHS or plain.removesuffix("s") in WEEKDAYS:
        return ""
    before = text[: match.start()].rstrip()
    if before and before[-1] not in ".!?:":
        return "" if plain in MONTHS else plain
    is_word = plain in _ORDINARY or plain.endswith(("ing", "ly"))
    return "" if is_word and plain == fold(word) else plain


def _owner(listed: Sequence[str], stemmed: Sequence[str], names: frozenset[str]) -> tuple[str, str]:
    """Return whom a statement is about, and a relative that a possessive leads to."""
    for place, word in enumerate(listed):
        owner = bare(word)
        if owner == "user" or owner in names:
            following = stemmed[place + 1 : place + 1 + _RELATIVE_REACH] if word != owner else ()
            return owner, next((each for each in following if each in _KIN), "")
    return "", ""


def _without_owner(text: str, owner: str) -> str:
    if not owner:
        return text
    name = re.escape(owner)
    return re.sub(rf"(?i)\b{name}\b", "she", re.sub(rf"(?i)\b{name}['\u2019]s\b", "her", text))


def _negated(listed: Sequence[str]) -> list[bool]:
    """Return for each word whether a negator reaches it; two undo each other."""
    reach = [False] * len(listed)
    for place, word in enumerate(listed):
        if word in _NEGATORS:
            for after in range(place + 1, min(len(listed), place + 1 + _NEGATION_REACH)):
                if listed[after] in _CLAUSE_ENDS:
                    break
                reach[after] = not reach[after]
    return reach


def _poles(listed: Sequence[str], reach: Sequence[bool]) -> Iterator[ScaleEnd]:
    """Yield what stands for an end of a scale; at each place the longest phrase counts."""
    keys = tuple(map(stem, listed))
    place = 0
    while place < len(keys):
        lengths = range(min(_LONGEST, len(keys) - place), 0, -1)
        said = next((key for length in lengths if (key := keys[place : place + length]) in SCALE_ENDS), None)
        if said:
            yield from (ScaleEnd(scale, -end if reach[place] else end, said) for scale, end in SCALE_ENDS[said])
        place += len(said) if said else 1
