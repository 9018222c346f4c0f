"""A number in its sentence: what stands before and behind it, and how far from it a word stands. Pure text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from yesteryear.measure.quantities import Quantity

JOINT = re.compile(r"[,;:()–—]\s|\s-+\s|\s(?:and|but|so|then|while|because|plus|when|also)\s", re.IGNORECASE)
"""Between two clauses of a sentence."""
_ANEW = r"(?:i|i['’]\w+|im|ive|my|mine|we|he|she|they|the|today|yesterday|tonight|then|now)\b"
_DID = (
    r"(?:(?:only|just|actually)\s)?(?:managed|did|got|ran|walked|swam|rode|slept|read|wrote|spent|paid|bought|drank"
    r"|smoked|ate|worked|studied|stopped|ended)\b"
)
_SCOPE = re.compile(rf"(?:{JOINT.pattern})(?:but\s)?(?={_ANEW}|{_DID})", re.IGNORECASE)
"""Between two clauses of which the second says anew who it is about, or when, or what was done after all."""
_ENDS = re.compile(
    r"\s*(?:[.,;:!?)(–—-]|$|(?:ish|today|yesterday|tonight|this|last|but|and|so|which|because|again|these|that['’]?s|though|tho|now|total"
    r"|before|after|a (?:day|night)|each|daily|in|since|for|on|at|when|with|or|both|already|gone|so far|most)\b)",
    re.IGNORECASE,
)
"""Behind a number that counts no thing named behind it."""
MOST_AROUND = 240  # characters on each side of a number that are looked at, so that time is linear in the text
_MOST_DISTANCES = 1_000  # below which a number of thousands ("11.2k") may be of kilometres
_SCALES = {"/5": "ten", "/10": "ten", "/20": "twenty"}


@dataclass(frozen=True)
class Place:
    """A quantity in its sentence."""

    quantity: Quantity
    sentence: str  # the sentence, or what of it stands near
    start: int  # where the quantity begins in it
    end: int
    others: tuple[int, ...]  # where the other quantities of it begin

    @property
    def said(self) -> str:
        """The words of the quantity."""
        return self.sentence[self.start : self.end]

    @cached_property
    def before(self) -> str:
        """All that is said before it."""
        return self.sentence[: self.start]

    @cached_property
    def behind(self) -> str:
        """All that is said behind it."""
        return self.sentence[self.end :]

    @cached_property
    def clause_before(self) -> str:
        """What its clause says before it."""
        return JOINT.split(self.before)[-1]

    @cached_property
    def clause_behind(self) -> str:
        """What its clause says behind it."""
        return JOINT.split(self.behind)[0]

    @cached_property
    def scope_before(self) -> str:
        """What is said before it of the same person and time."""
        return _SCOPE.split(self.before)[-1]

    @cached_property
    def unit(self) -> str:
        """Of which sort its unit is, as the table of measures says it."""
        if self.quantity.is_money:
            return "money"
        if self.quantity.unit.startswith("/"):
            return _SCALES.get(self.quantity.unit, "hundred")
        return self.quantity.unit or "bare"

    @property
    def is_bare(self) -> bool:
        """Whether it is a number without a unit; a mere "one" seldom counts anything."""
        return self.unit == "bare" and self.said.lower() != "one"

    @property
    def ends_its_phrase(self) -> bool:
        """Whether it counts no thing that is named right behind it."""
        return _ENDS.match(self.behind) is not None

    @property
    def is_of_kilometres(self) -> bool:
        """Whether it is a number of thousands that may be kilometres: "11.2k"."""
        return not self.quantity.unit and self.said[-1:] in "kK" and self.quantity.value / 1000 < _MOST_DISTANCES

    def distance(self, span: tuple[int, int], *, joint: int, behind: int, number: int) -> int:
        """Return the characters between the number and words at ``span`` of the sentence; 0 where they overlap.

        More is added for each boundary of clauses (``joint``) and each other ``number`` between, and where the words
        stand ``behind`` the number.
        """
        start, end = span
        if start < self.end and self.start < end:
            return 0
        is_behind = start >= self.end
        first, last = (self.end, start) if is_behind else (end, self.start)
        is_labelled = not is_behind and self.before.rstrip().endswith(":")
        joints = sum(1 for _ in JOINT.finditer(self.sentence, first, last)) - is_labelled
        numbers = sum(first <= other < last for other in self.others)
        return last - first + joint * joints + number * numbers + behind * is_behind


def places(sentence: str, quantities: Sequence[Quantity], begin: int) -> Iterator[Place]:
    """Yield the quantities of a sentence that begins at ``begin`` of a text, each in its place."""
    for quantity in quantities:
        first = max(0, quantity.start - begin - MOST_AROUND)
        near = sentence[first : quantity.end - begin + MOST_AROUND]
        offset = begin + first
        others = tuple(each.start - offset for each in quantities if each.start != quantity.start)
        yield Place(quantity, near, quantity.start - offset, min(quantity.end - offset, len(near)), others)
