"""Living through a conversation again, night after night, and noting how belief changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from yesteryear.cli.importers.records import Draft, Flaw, Record
from yesteryear.cli.intake import Intake
from yesteryear.cli.nights import run_night
from yesteryear.cli.working import flush
from yesteryear.consolidate.night import NightPolicy, next_night
from yesteryear.core.time import later, parse_instant
from yesteryear.errors import InputError

if TYPE_CHECKING:
    from yesteryear.cli.output import Output
    from yesteryear.consolidate.look import ConflictView, FactsDiff, FactView
    from yesteryear.core.cycle import CycleReport
    from yesteryear.providers.clock import ReplayClock
    from yesteryear.sync.memory import Memory

_AT_ITS_HOUR = NightPolicy(idle_hours=48.0)
"""Nights begin at their hour, however long it was silent before: what is replayed is the same each time."""
_HALF_A_DAY = timedelta(hours=12)
"""What is taken off whole days, so that the night looked for is the next, also where the clocks are changed."""
_MOST_FACTS = 1000


@dataclass(frozen=True, slots=True)
class ReplayedLine:
    """A message with its date."""

    draft: Draft
    at: datetime
    zone: str | None


@dataclass(frozen=True, slots=True)
class Stretch:
    """What is said until a night, and when that night is."""

    said: list[ReplayedLine]
    night_at: datetime


@dataclass(frozen=True, slots=True)
class Night:
    """How belief changed from one night to the next."""

    at: datetime
    messages: int
    """How many were said since the night before."""
    report: CycleReport
    diff: FactsDiff
    """From the night before to the end of this one; what was told in between is part of it."""
    merged: tuple[FactView, ...]
    """What was merged into another fact since the night before."""
    asked: tuple[ConflictView, ...]
    """Questions that were opened since, and are open still."""

    @property
    def stable(self) -> tuple[FactView, ...]:
        """What became stable, some of it told since the night before."""
        steadied = [after for before, after in self.diff.changed if before.status != after.status]
        return tuple(fact for fact in (*steadied, *self.diff.gained) if fact.status == "stable")

    @property
    def ended(self) -> tuple[FactView, ...]:
        """What is not believed any more, but for what was merged."""
        return tuple(fact for fact in self.diff.lost if fact.status != "merged")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "at": self.at.isoformat(),
            "messages": self.messages,
            "new": [fact.to_dict() for fact in self.diff.gained],
            "stable": [fact.to_dict() for fact in self.stable],
            "superseded": [fact.to_dict() for fact in self.ended if fact.status == "superseded"],
            "deprecated": [fact.to_dict() for fact in self.ended if fact.status != "superseded"],
            "merged": [fact.to_dict() for fact in self.merged],
            "asked": [conflict.to_dict() for conflict in self.asked],
            "report": self.report.to_dict(),
        }


def read_dated(
    records: Iterable[Record], *, user: str | None, zone: str | None
) -> tuple[str | None, list[ReplayedLine], list[Flaw]]:
    """Return whose messages are replayed, the messages in order of their dates, and what cannot be used.

    Args:
        records: What an importer found.
        user: Who is meant, where the file holds several people.
        zone: IANA zone of messages that name none.

    Raises:
        InputError: the file holds several people and none of them is meant; or nothing with a date.
    """
    said: list[ReplayedLine] = []
    flaws: list[Flaw] = []
    for record in records:
        if isinstance(record, Flaw):
            flaws.append(record)
        elif isinstance(record, Draft):
            try:
                said.append(_dated(record, zone))
            except InputError as exc:
                flaws.append(Flaw(record.where, str(exc)))
    people = list(dict.fromkeys(one.draft.user for one in said if one.draft.user is not None))
    if len(people) > 1:
        if user not in people:
            raise InputError(f"the file holds several people; pass --user with one of them: {', '.join(people)}")
        said = [one for one in said if one.draft.user == user]
    if not said:
        raise InputError("the file holds no message with a date ('at'), so there is nothing to replay")
    return user or (people[0] if people else None), sorted(said, key=lambda one: one.at), flaws


def split_by_nights(said: Iterable[ReplayedLine], *, every_days: int = 1) -> Iterator[Stretch]:
    """Yield what is said until each night: nights in which there is nothing new are left out.

    Args:
        said: In order of the dates.
        every_days: Days between two nights, at least 1.
    """
    wait = timedelta(days=every_days) - _HALF_A_DAY
    stretch: list[ReplayedLine] = []
    earliest = due = None
    for one in said:
        if due is not None and due <= one.at:
            yield Stretch(stretch, due)
            stretch, earliest = [], later(due, wait)
        stretch.append(one)
        earliest = earliest or later(one.at, wait - _HALF_A_DAY)
        due = next_night(max(one.at, earliest), one.zone, _AT_ITS_HOUR)
    if due is not None:
        yield Stretch(stretch, due)


@dataclass(slots=True)
class Replay:
    """One run through a conversation."""

    memory: Memory
    clock: ReplayClock
    output: Output
    intake: Intake = field(init=False)
    _last: datetime = field(init=False)
    _merged: set[str] = field(default_factory=set, init=False)
    _asked: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self.intake = Intake(lambda _: self.memory)
        self._last = self.clock.now()

    def live(self, stretch: Stretch) -> Night:
        """Take down what is said until a night, work it in, run the night, and return what changed."""
        self.clock.set(stretch.said[-1].at)
        self.intake.take(one.draft for one in stretch.said)
        self.clock.set(stretch.night_at)
        flush(self.memory, self.output)
        report = run_night(self.memory, self.output, at=stretch.night_at)
        merged = [fact for fact in self._all("merged") if fact.id not in self._merged]
        asked = [conflict for conflict in self.memory.conflicts() if conflict.id not in self._asked]
        night = Night(
            at=stretch.night_at,
            messages=len(stretch.said),
            report=report,
            diff=self.memory.diff(self._last, stretch.night_at),
            merged=tuple(merged),
            asked=tuple(asked),
        )
        self._last = stretch.night_at
        self._merged.update(fact.id for fact in merged)
        self._asked.update(conflict.id for conflict in asked)
        return night

    def statements(self) -> Mapping[str, str]:
        """Return what all facts say, by their ids."""
        return {fact.id: fact.statement for fact in self._all("all")}

    def _all(self, status: str) -> list[FactView]:
        return self.memory.facts(status=status, limit=_MOST_FACTS)


def _dated(draft: Draft, zone: str | None) -> ReplayedLine:
    here = draft.message.get("zone") or zone
    if draft.message.get("at") is None:
        raise InputError("it has no date ('at')")
    message = draft.message if here is None else {**draft.message, "zone": here}
    dated = Draft(message, draft.where, draft.position, draft.user)
    return ReplayedLine(dated, parse_instant(draft.message["at"], zone=here), here)
