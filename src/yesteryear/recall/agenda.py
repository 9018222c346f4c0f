"""What is to be done and what is set for a day, where a message asks for it: "what's left on my to-do list?". Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import NamedTuple

from yesteryear.core.fact import DISPUTED_BY, OVERDUE_DAYS, Fact, LoopState, words_of
from yesteryear.core.heads import find_head
from yesteryear.core.language.dates import Period, find_told
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.told.named_task import TaskState
from yesteryear.core.language.told.tasks import find_told_tasks
from yesteryear.core.time import earlier
from yesteryear.core.vectors import Matrix

HEAD = "agenda"
"""Name of the head that tells from a message's vector what it asks for; its classes are these."""
NEITHER, TASKS, DATES, BOTH = "neither", "tasks", "dates", "both"
MOST_CHARS = 300  # longest message that may be such a question, in characters
_TASKS = frozenset({"task", "deadline"})  # attributes of what is to be done
_NAMED_BY = 2  # stems that name a task: "I have to run" stands on no list
_STANDING = frozenset({TaskState.OPEN, TaskState.APPOINTED, TaskState.MOVED})
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class AgendaPolicy:
    """When a list is asked for, and what of all that is open stands on it."""

    asked: float = 0.4
    """Probability, in [0, 1], that a message asks for either, from which it does. Source: of 200 messages by a writer
    of whom nothing was taught, half of them hard ones that do not, .72 of those that do are found and .86 of what is
    found does; of 771 messages of ordinary talk .05 are taken for one."""
    part: float = 0.35  # part of that, in [0, 1], from which tasks are asked for, and likewise dates; set by hand
    most: int = 12  # entries, at least 1
    overdue_days: float = OVERDUE_DAYS  # days, at least 0, for which what is past its day is listed


class AskedAgenda(NamedTuple):
    """What is asked for."""

    tasks: bool  # what is to be done
    dates: bool  # what is set for a day
    periods: tuple[Period, ...] = ()  # for when; empty for whenever


class AgendaEntry(NamedTuple):
    """Something on the list."""

    fact: Fact
    due: datetime | None
    is_overdue: bool


def asked_agenda(
    text: str, vector: Matrix | None, policy: AgendaPolicy, *, model: str | None, now: datetime, zone: str | None
) -> AskedAgenda | None:
    """Return what of somebody's tasks and days a message asks for; None where it asks for neither.

    ``vector`` is the message's, of ``model``; without one that the head reads nothing is asked for.
    """
    head = find_head(HEAD, model=model) if model else None
    if head is None or vector is None or len(text) > MOST_CHARS:
        return None
    tasks, dates = what_is_asked(head.probabilities({}, vector), policy)
    if not (tasks or dates):
        return None
    told = [period for each in find_told(text, now=now, zone=zone) if (period := each.ahead or each.behind)]
    periods = tuple(period for period in told if period.end > now)
    return AskedAgenda(tasks, dates, periods) if periods or not told else None  # what is past is no agenda


def what_is_asked(chances: Mapping[str, float], policy: AgendaPolicy) -> tuple[bool, bool]:
    """Return whether tasks, and whether dates are asked for, by the probabilities of the head's classes."""
    asked = 1 - chances[NEITHER]
    tasks, dates = (chances[each] + chances[BOTH] >= policy.part * asked for each in (TASKS, DATES))
    return asked >= policy.asked and tasks, asked >= policy.asked and dates


def list_agenda(facts: Iterable[Fact], asked: AskedAgenda, policy: AgendaPolicy, *, now: datetime) -> list[AgendaEntry]:
    """Return what those who speak have to do, the soonest first, then what has no day, the latest told first.

    For some days only what is due by then, but tasks without a day always; last come tasks whose day has passed of
    which nobody said what became, the latest first.
    """
    found: list[tuple[tuple[object, ...], AgendaEntry]] = []
    for fact in facts:
        state, due = fact.loop_at(now), fact.due_by
        is_doubtful = fact.is_negative or DISPUTED_BY in fact.properties  # of an open question no side is told alone
        if is_doubtful or state not in (LoopState.OPEN, LoopState.LAPSED) or _is_anothers(fact):
            continue
        is_past = due is not None and due < earlier(now, _DAY)
        is_overdue = state is LoopState.LAPSED or is_past
        if is_overdue and (due is None or due < earlier(now, policy.overdue_days * _DAY)):
            continue
        standing = _as_task(fact) if asked.tasks else None
        is_wanted = standing is not None or (asked.dates and due is not None and not is_overdue)
        is_then = not asked.periods or due is None or any(_is_in(each, due, standing) for each in asked.periods)
        if is_wanted and is_then:
            wait = timedelta(0) if due is None else abs(due - now)
            last = fact.last_confirmed or fact.first_observed
            place = is_overdue, due is None, wait, standing or _Task.PLAIN, now - last, fact.statement
            found.append((place, AgendaEntry(fact, due, is_overdue)))
    return [entry for _, entry in sorted(found, key=lambda each: each[0])][: policy.most]


class _Task(IntEnum):
    """How well a fact tells what is to be done."""

    PLAIN = 1  # by its name
    ASIDE = 2  # it may be done in the talk itself ("I need to update the list"), or what it is stands elsewhere


def _is_in(period: Period, due: datetime, task: _Task | None) -> bool:
    """Tell whether something falls into a period; a task may be done before its day."""
    return due < period.end and (task is not None or period.start <= due)


def _is_anothers(fact: Fact) -> bool:
    """Tell whether what is about another is theirs to do, or set for them.

    "Ana has to buy a present for Ella" is about Ella, and Ana has it to do.
    """
    words = words_of(fact.statement, fact.form)
    is_of_subject = words.startswith(f"{fact.subject} ")
    told = find_told_tasks(words, by_name=is_of_subject) if fact.holder else ()
    own = (each for each in told if is_of_subject or each.state is TaskState.OPEN or not each.owners)
    return bool(fact.holder) and all(each.state not in _STANDING for each in own)


def _as_task(fact: Fact) -> _Task | None:
    """Return how well a fact tells what is to be done; None where it tells no such thing, or of this moment."""
    words = words_of(fact.statement, fact.form)
    told = [each for each in find_told_tasks(words, by_name=True) if each.state is TaskState.OPEN]
    if any(len(each.named) >= _NAMED_BY and not each.in_talk for each in told):
        return _Task.PLAIN
    if fact.attribute not in _TASKS and not any(len(each.named) >= _NAMED_BY for each in told):
        return None
    return _Task.ASIDE if fact.due_by and "right now" not in fold(words) else None
