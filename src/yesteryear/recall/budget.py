"""What fits: lanes are served first, then whatever is worth most; no line is cut, no budget exceeded.

Every step only adds. What a larger budget leaves out, it leaves out for something that was served before it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeAlias, TypeVar

NO_ROOM = "no room"
REPEATS = "already said"
ENOUGH = "enough of its kind"
"""Why an offer was refused."""

T = TypeVar("T")
Wrap: TypeAlias = tuple[str, str]
"""What stands before and after something, as whole lines."""


@dataclass(frozen=True, slots=True)
class LanePolicy:
    """How much of a context one kind of memory gets."""

    min_share: float = 0.0
    """Part of the budget in [0, 1] that is kept for this lane as long as it has something to say."""
    max_share: float = 1.0
    """Largest part of the budget it may take, in [0, 1]."""
    max_items: int = 1_000_000
    """Most items."""
    weight: float = 0.0
    """Added to the worth of its items when they compete for what is left; in standard deviations of a score."""


@dataclass(frozen=True, slots=True)
class PackingPolicy:
    """When to stop looking for something that fits."""

    misses: int = 8
    """After so many offers in a row that do not fit, the rest of the round is left out; at least 1."""


class Rendering(NamedTuple):
    """One way to show an item, as lines with their line breaks."""

    named: str
    """With the speaker's name."""
    bare: str = ""
    """For use right below a line of the same speaker; empty where the name must stay."""
    says: frozenset[int] = frozenset()
    """Fingerprints of its sentences."""


class Offer(NamedTuple, Generic[T]):
    """Something that may be shown."""

    item: T
    lane: str
    worth: float
    """What it is served by: higher first; ties by the order in which offers are made."""
    place: tuple[object, ...]
    """Where it stands among the others of its group; unlike any other's there."""
    renderings: tuple[Rendering, ...]
    """Fullest first; at least one. An offer whose fullest says nothing new is not taken."""
    group: Hashable = None
    """Items of one group stand together, under one header."""
    header: Wrap = ("", "")
    """The header, and what closes the group; paid once."""
    speaker: str = ""
    source: Hashable = None
    """What it is taken from."""
    retells: frozenset[Hashable] = frozenset()
    """What it says nothing new of: it is not taken once something taken from one of these is shown."""
    merit: float | None = None
    """What it is served by once the minimum of its lane is full; its worth where not given."""


class Choice(NamedTuple, Generic[T]):
    """An offer that was taken, and how it is shown."""

    offer: Offer[T]
    level: int
    """Which of its renderings."""
    tokens: int
    """What the whole has grown by: line, header and heading."""

    @property
    def rendering(self) -> Rendering:
        """How it is shown."""
        return self.offer.renderings[self.level]


class Rejection(NamedTuple, Generic[T]):
    """An offer that was not taken, and why."""

    offer: Offer[T]
    reason: str
    tokens: int | None = None
    """What it would have cost at least; None where nobody asked."""


@dataclass(slots=True)
class Packed(Generic[T]):
    """What was taken and what was not."""

    tokens: int
    """Cost of everything, frame and headings included; 0 where nothing was taken."""
    choices: list[Choice[T]] = field(default_factory=list)
    """In the order in which they were served."""
    refusals: list[Rejection[T]] = field(default_factory=list)


def pack(
    offers: Sequence[Offer[T]],
    lanes: Mapping[str, tuple[LanePolicy, Wrap]],
    *,
    budget: int,
    frame: Wrap,
    count: Callable[[str], int],
    policy: PackingPolicy,
) -> Packed[T]:
    """Choose what is shown.

    First every lane in turn takes its best offers within its minimum; then the best of all lanes by merit + weight,
    each lane up to its maximum. An offer that does not fit in full is tried in its shorter renderings, then skipped;
    one that was taken in a shorter rendering is shown fuller in its turn, if there is room.

    Args:
        offers: In the order that decides ties.
        lanes: Policy and heading of each lane, in the order in which they are served.
        budget: Tokens there are; the whole never costs more.
        frame: What stands around everything.
        count: Tokens of a text of whole lines; the cost of several is the sum.
        policy: When to stop.
    """
    sheet = _Sheet[T](count, lanes, left=budget - _wrap_cost(frame, count), budget=budget)
    ranked = sorted(offers, key=lambda offer: -offer.worth)
    for lane, (wanted, _) in lanes.items():
        if wanted.min_share:
            own = [offer for offer in ranked if offer.lane == lane]
            _serve_minimum(sheet, own, int(wanted.min_share * budget))
    ranked.sort(
        key=lambda offer: -((offer.worth if offer.merit is None else offer.merit) + lanes[offer.lane][0].weight)
    )
    refusals = _serve(sheet, ranked, policy)
    taken = sum(choice.tokens for choice in sheet.choices)
    return Packed(taken + _wrap_cost(frame, count) if sheet.choices else 0, sheet.choices, refusals)


def _serve_minimum(sheet: _Sheet[T], ranked: Sequence[Offer[T]], reserve: int) -> None:
    """Take what a lane's minimum holds: as many as fit in their shortest rendering, then the best of them fuller."""
    for offer in ranked:
        sheet.refuse(offer, room=reserve, levels=[-1])
    for offer in ranked:
        if offer in sheet:
            sheet.show_fuller(offer, room=reserve)


def _serve(sheet: _Sheet[T], ranked: Sequence[Offer[T]], policy: PackingPolicy) -> list[Rejection[T]]:
    """Offer one after the other, each in the fullest rendering that fits; return what was refused."""
    refusals: list[Rejection[T]] = []
    misses = 0
    waiting = iter(ranked)
    for offer in waiting:
        room = sheet.largest(offer.lane)
        if offer in sheet:
            sheet.show_fuller(offer, room=room)
            misses = 0
        elif (refusal := sheet.refuse(offer, room=room, levels=range(len(offer.renderings)))) is None:
            misses = 0
        else:
            refusals.append(refusal)
            misses += refusal.tokens is not None and refusal.tokens > sheet.left  # not where its lane is full
            if misses >= policy.misses:
                break
    return refusals + [Rejection(offer, NO_ROOM) for offer in waiting if offer not in sheet]


class _Sheet(Generic[T]):
    """What has been taken so far."""

    def __init__(
        self, count: Callable[[str], int], lanes: Mapping[str, tuple[LanePolicy, Wrap]], *, left: int, budget: int
    ) -> None:
        self.choices: list[Choice[T]] = []
        self._count = count
        self._lanes = lanes
        self._left = left
        self._budget = budget
        self._spent = dict.fromkeys(lanes, 0)
        self._items = dict.fromkeys(lanes, 0)
        self._groups: dict[Hashable, list[tuple[tuple[object, ...], str, Rendering]]] = {}
        self._said: set[int] = set()
        self._sources: set[Hashable] = set()
        self._numbers: dict[int, int] = {}

    def __contains__(self, offer: Offer[T]) -> bool:
        return id(offer) in self._numbers

    @property
    def left(self) -> int:
        """Tokens that nothing has taken yet."""
        return self._left

    def largest(self, lane: str) -> int:
        """Return how much a lane may ever take."""
        return int(self._lanes[lane][0].max_share * self._budget)

    def refuse(self, offer: Offer[T], *, room: int, levels: Iterable[int]) -> Rejection[T] | None:
        """Take an offer in the first rendering that fits and return None, or say why not.

        Args:
            offer: What wants to be shown.
            room: Most tokens for its whole lane.
            levels: Which renderings to try.
        """
        if not self._has_news(offer.renderings[0]) or not self._sources.isdisjoint(offer.retells):
            return Rejection(offer, REPEATS)
        if self._items[offer.lane] >= self._lanes[offer.lane][0].max_items:
            return Rejection(offer, ENOUGH)
        left = min(room - self._spent[offer.lane], self._left)
        cheapest: int | None = None
        for level in levels:
            tokens = self._cost(offer, level)
            if tokens <= left:
                self._take(offer, level % len(offer.renderings), tokens)
                return None
            cheapest = tokens if cheapest is None else min(cheapest, tokens)
        return Rejection(offer, NO_ROOM, cheapest)

    def show_fuller(self, offer: Offer[T], *, room: int) -> None:
        """Show an offer that was taken in the fullest rendering that fits its lane; its neighbours stay as they are."""
        number = self._numbers[id(offer)]
        choice = self.choices[number]
        lines = self._groups[offer.lane, offer.group]
        if len(lines) > 1 and offer.speaker:
            return  # names would come or go in the lines around it
        at = bisect_left(lines, (offer.place,))
        left = min(room - self._spent[offer.lane], self._left)
        for level, fuller in enumerate(offer.renderings[: choice.level]):
            more = self._count(fuller.named) - self._count(choice.rendering.named)
            if more <= left and (self._has_news(fuller) or fuller.says == choice.rendering.says):
                lines[at] = offer.place, offer.speaker, fuller
                self._left -= more
                self._spent[offer.lane] += more
                self._said |= fuller.says
                self.choices[number] = choice._replace(level=level, tokens=choice.tokens + more)
                return

    def _cost(self, offer: Offer[T], level: int) -> int:
        """Return what the whole grows by when an offer joins it."""
        cost = 0 if self._items[offer.lane] else _wrap_cost(self._lanes[offer.lane][1], self._count)
        rendering = offer.renderings[level]
        lines = self._groups.get((offer.lane, offer.group))
        if lines is None:
            return cost + _wrap_cost(offer.header, self._count) + self._count(rendering.named)
        at = bisect_left(lines, (offer.place,))
        above = lines[at - 1][1] if at else None
        cost += self._count(shown_line(rendering, offer.speaker, above))
        if at < len(lines):  # the line below may gain or lose its speaker's name
            _, speaker, below = lines[at]
            cost += self._count(shown_line(below, speaker, offer.speaker))
            cost -= self._count(shown_line(below, speaker, above))
        return cost

    def _has_news(self, rendering: Rendering) -> bool:
        return not rendering.says or not rendering.says <= self._said

    def _take(self, offer: Offer[T], level: int, tokens: int) -> None:
        self._numbers[id(offer)] = len(self.choices)
        self.choices.append(Choice(offer, level, tokens))
        self._left -= tokens
        self._spent[offer.lane] += tokens
        self._items[offer.lane] += 1
        self._said |= offer.renderings[level].says
        self._sources.add(offer.source)
        lines = self._groups.setdefault((offer.lane, offer.group), [])
        insort(lines, (offer.place, offer.speaker, offer.renderings[level]), key=lambda line: line[0])


def _wrap_cost(around: Wrap, count: Callable[[str], int]) -> int:
    before, after = around
    return (count(before) if before else 0) + (count(after) if after else 0)


def shown_line(rendering: Rendering, speaker: str, above: str | None) -> str:
    """Return the line as it stands below a line of the speaker ``above``."""
    return rendering.bare if rendering.bare and speaker == above else rendering.named
