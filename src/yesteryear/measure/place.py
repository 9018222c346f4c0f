"""A number in its sentence: what stands around it, and whether it is of the speaker's life: theirs, and so. English.

It may also be a goal, a habit, or a difference from before. How far from it a word stands is told in characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from yesteryear.core.language.tokens import STOP_WORDS, fold
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.measurement import Nature
from yesteryear.measure.quantities import Quantity
from yesteryear.measure.table import LEVELS, measures

_EN = vocabulary("measures")
_TARGET_CHARS = 70  # characters before a number in which a goal is told
_RATE_CHARS = 40  # characters behind a number in which it is told how often
_DAILY = frozenset({"night", "morning", "evening", "shift", "day"})
JOINT = _EN["joint"]  # between two clauses of a sentence
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
        return _EN["scope"].split(self.before)[-1]

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
        return _EN["ends"].match(self.behind) is not None

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


def nature_of(place: Place, measure: str) -> Nature | None:
    """Return what a number is of; None where it is somebody else's, asked, imagined, only planned, or was not so."""
    ends_asking = place.sentence.rstrip().endswith("?") and not JOINT.search(place.behind)
    if ends_asking or _EN["asks"].match(place.sentence) or is_of_others(place) or _is_of_a_thing(place):
        return None
    if any(_EN[name].search(place.before) for name in ("imagined", "told_already")):
        return None
    was_so = _EN["was_so"].search(place.before) and _EN["became"].match(place.behind)
    if was_so or _EN["given_up"].search(place.clause_before):
        return None
    if _EN["target"].search(f"{place.before[-_TARGET_CHARS:]}\0{place.clause_behind}"):
        return Nature.TARGET
    is_planned = _EN["planned"].search(place.scope_before) or _EN["planned"].search(place.clause_behind)
    is_denied = measure != "streak" and _EN["denied"].search(place.clause_before)
    if _EN["supposed"].search(place.scope_before) or is_planned or is_denied:
        return None
    if way_of(place, measure):
        return Nature.CHANGE
    is_usual = _EN["rate"].match(place.behind.lstrip(" ,-")) or _EN["usual"].search(place.scope_before)
    return Nature.USUAL if is_usual else Nature.MEASURED


def is_of_others(place: Place) -> bool:
    """Tell whether somebody else does or is what a number tells: whoever is named last before it, or who is quoted."""
    plain = _EN["by_the_way"].sub(lambda found: " " * len(found[0]), place.before)
    own = max((match.end() for match in _EN["own"].finditer(plain)), default=-1)
    others = max((match.end() for match in (*_EN["others"].finditer(plain), *_named(plain))), default=-1)
    return others > own or _is_quoted(place.before)


def _is_of_a_thing(place: Place) -> bool:
    """Tell whether a number is what something weighs, how long it is, or of a game, but for the time spent on that."""
    if place.unit in ("hour", "minute"):
        return _EN["thing_lasts"].search(place.clause_before) is not None
    is_its_size = any(_EN[name].search(place.clause_before) for name in ("thing_weighs", "thing_is"))
    return is_its_size or _EN["of_a_game"].search(place.sentence) is not None


def _is_quoted(before: str) -> bool:
    """Tell whether a quotation is open at the end of a text; a mark behind a figure is of inches."""
    return len(_EN["quotation"].findall(before)) % 2 == 1 or before.rfind("“") > before.rfind("”")


def _named(text: str) -> Iterator[re.Match[str]]:
    """Yield where somebody is called by name, who does or is something; "Sugar was 131" names nobody."""
    for found in _EN["others_named"].finditer(text):
        name = fold(found["name"] or found["owner"])
        is_known = any(measure.pattern.search(name) for measure in measures().values())
        if not is_known and name not in STOP_WORDS and name not in _EN.words("no_names"):
            yield found


def way_of(place: Place, measure: str) -> int:
    """Return -1 where a number is how much less something is than before, 1 for how much more, 0 for neither."""
    if measure in LEVELS or _EN["than"].search(place.behind):
        if _EN["less"].match(place.behind):
            return -1
        if _EN["more"].match(place.behind):
            return 1
    if measure not in LEVELS:
        return 0
    return -1 if _EN["fell"].search(place.before) else 1 if _EN["rose"].search(place.before) else 0


def is_no_payment(place: Place, measure: str) -> bool:
    """Tell whether a sum of money is lent, owed or given back, or is what something costs that nobody bought."""
    clause = f"{place.clause_before}\0{place.clause_behind}"
    if _EN["lent"].search(clause) or _EN["list_price"].search(clause):
        return True
    if measure != "spent":
        return False
    if _EN["given_back"].search(clause):
        return True
    if _EN["passed_on"].match(place.behind) and not _EN["bought_it"].search(place.clause_before):
        return True
    is_each_month = any(_EN[name].match(place.behind.lstrip()) for name in ("rate", "due_now"))
    is_due = is_each_month and _EN["dues"].search(clause)
    return bool(_EN["priced"].search(clause)) and not (is_due or _EN["bought_it"].search(place.sentence))


def per_of(place: Place) -> str:
    """Return the stretch that a habit or a goal is for: day, week, month or hour; empty where none is told."""
    found = _EN["rate"].search(place.behind[:_RATE_CHARS]) or _EN["rate"].search(place.sentence)
    if found is None:
        return ""
    per = (found["per"] or "").lower()
    if per:
        return "day" if per in _DAILY else per
    return "day" if found["daily"] else "week" if found["weekly"] else "month"
