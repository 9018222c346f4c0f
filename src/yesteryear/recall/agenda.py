"""What is to be done and what is set for a day, where a message asks for it: "what's left on my to-do list?". Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from yesteryear.core.fact import Fact, LoopState, words_of
from yesteryear.core.language.dates import Period, find_told
from yesteryear.core.language.told.tasks import TaskState, ToldTask, find_told_tasks
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.time import earlier

_EN = vocabulary("agenda")
_MOST_CHARS = 300  # longest message that may be such a question, in characters
_NAMED_BY = 2  # stems that name a task: "I have to run" stands on no list
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class AgendaPolicy:
    """What of all that is open stands on a list."""

    most: int = 12  # entries, at least 1
    overdue_days: float = 14.0  # days, at least 0, for which a task whose day has passed is still told, as overdue


class AskedAgenda(NamedTuple):
    """What is asked for."""

    tasks: bool  # what is to be done
    dates: bool  # what is set for a day
    periods: tuple[Period, ...]  # for when; empty for whenever


class AgendaEntry(NamedTuple):
    """Something on the list."""

    fact: Fact
    due: datetime | None
    is_overdue: bool


def asked_agenda(text: str, *, now: datetime, zone: str | None) -> AskedAgenda | None:
    """Return what of somebody's tasks and days a message asks for; None where it asks for neither."""
    said = text.strip()
    if len(said) > _MOST_CHARS or not _EN["asks"].search(said) or _EN["not_mine"].search(said):
        return None
    is_both = _EN["both"].search(said) is not None
    tasks, dates = (is_both or _EN[name].search(said) is not None for name in ("tasks", "dates"))
    if not (tasks or dates):
        return None
    told = (each.ahead for each in find_told(said, now=now, zone=zone))
    return AskedAgenda(tasks, dates, tuple(period for period in told if period is not None and period.end > now))


def list_agenda(facts: Iterable[Fact], asked: AskedAgenda, policy: AgendaPolicy, *, now: datetime) -> list[AgendaEntry]:
    """Return what is open of somebody's own, the soonest first, then what has no day, the latest told first.

    For some days only what is due by then, but tasks without a day always; last come tasks whose day has passed of
    which nobody said what became, the latest first.
    """
    found: list[tuple[tuple[object, ...], AgendaEntry]] = []
    for fact in facts:
        state, due = fact.loop_at(now), fact.due_by
        if fact.holder or state not in (LoopState.OPEN, LoopState.LAPSED):
            continue
        task = _task_in(fact) if asked.tasks else None
        is_overdue = state is LoopState.LAPSED
        if is_overdue:
            is_wanted = task is not None and due is not None and due >= earlier(now, policy.overdue_days * _DAY)
        else:
            is_wanted = task is not None or (asked.dates and due is not None and due >= earlier(now, _DAY))
        is_then = not asked.periods or due is None or any(due < each.end for each in asked.periods)
        if is_wanted and is_then:
            is_aside = due is None and task is not None and task.in_talk  # "I need to update the list", said in a talk
            last = fact.last_confirmed or fact.first_observed
            wait = timedelta(0) if due is None else abs(due - now)
            place = is_overdue, due is None, wait, is_aside, now - last, fact.statement
            found.append((place, AgendaEntry(fact, due, is_overdue)))
    return [entry for _, entry in sorted(found, key=lambda each: each[0])][: policy.most]


def _task_in(fact: Fact) -> ToldTask | None:
    """Return what a fact tells to be done, by a name of more than a word; None where it tells no such thing."""
    told = find_told_tasks(words_of(fact.statement, fact.form), by_name=True)
    return next((each for each in told if each.state is TaskState.OPEN and len(each.named) >= _NAMED_BY), None)
