"""What somebody has to do and what is set for them: when that is asked for, and what stands on the list."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.belief_rows import a_fact
from tests.each import each
from yesteryear.core.attributes import FactKind
from yesteryear.core.fact import Fact, FactStatus, Modality
from yesteryear.core.time import FOREVER
from yesteryear.recall.agenda import AgendaPolicy, AskedAgenda, asked_agenda, list_agenda

NOW = datetime(2026, 5, 6, 12, tzinfo=UTC)  # a Wednesday
DAY = timedelta(days=1)
ALL = AskedAgenda(tasks=True, dates=True, periods=())
TASKS, DATES = ALL._replace(dates=False), ALL._replace(tasks=False)


@each(
    ("text", "tasks", "dates"),
    [
        ("What tasks remain on my todo list this month?", True, False),
        ("whats still on my list?", True, False),
        ("what do I still have to do today?", True, False),
        ("show me my tasks", True, False),
        ("am i forgetting anything?", True, False),
        ("What upcoming events do I have in my calendar?", False, True),
        ("do I have anything on tomorrow?", False, True),
        ("am I free on friday evening?", False, True),
        ("Plan my day", True, True),
    ],
)
def test_lists_are_asked_for(text: str, tasks: bool, dates: bool) -> None:
    """In many words."""
    asked = asked_agenda(text, now=NOW, zone=None)
    assert asked is not None
    assert (asked.tasks, asked.dates) == (tasks, dates)


@pytest.mark.parametrize(
    "text",
    [
        *("", "?", "What did I do yesterday?", "What do I do for work?", "what's your plan?", "I have to call Tom."),
        *(
            "I updated my calendar; the exam is next Tuesday.",
            "what should I cook tonight?",
            "Tell me about the meeting",
        ),
        *("Did I finish my tasks?", "what is on the list of ingredients?", "what's on my mind? " * 50),
    ],
)
def test_other_questions_ask_for_no_list(text: str) -> None:
    """Nor does what only tells something."""
    assert asked_agenda(text, now=NOW, zone=None) is None


def test_days_are_days_to_come() -> None:
    """On a Wednesday, Saturday is the next one."""
    asked = asked_agenda("what am I doing on saturday?", now=NOW, zone=None)
    assert asked is not None
    [saturday] = asked.periods
    assert saturday.start.date() == NOW.date() + 3 * DAY


def task(name: str, *, told: float = -3, by: float | None = None, **more: object) -> Fact:
    """Return something to do, told some days from now, until a day where there is one."""
    until = NOW + by * DAY if by is not None else None
    said = {
        "kind": FactKind.GOAL,
        "first_observed": NOW + told * DAY,
        "valid_to": until,
        "status": FactStatus.TENTATIVE,
    }
    told = {"statement": f"Ana needs to call the {name}.", **said, **more}
    return a_fact(name, **told)  # type: ignore[arg-type]


def appointment(name: str, on: float, **more: object) -> Fact:
    """Return something that is set for a day."""
    when = {"valid_from": NOW + on * DAY, "valid_to": NOW + (on + 1) * DAY, "modality": Modality.PLANNED}
    said = {"kind": FactKind.EVENT, "first_observed": NOW - 9 * DAY, "status": FactStatus.TENTATIVE}
    return a_fact(name, f"Ana has a {name} appointment.", **{**said, **when, **more})  # type: ignore[arg-type]


def listed(asked: AskedAgenda, *facts: Fact, policy: AgendaPolicy = AgendaPolicy()) -> list[str]:  # noqa: B008 - frozen
    """Return the ids of what stands on the list, overdue ones with a mark."""
    return [f"{each.fact.id}{'!' * each.is_overdue}" for each in list_agenda(facts, asked, policy, now=NOW)]


def test_the_soonest_come_first_and_the_overdue_last() -> None:
    """Between them what has no day, the latest told first."""
    facts = task("bank"), task("plumber", told=-1), task("school", by=2), task("vet", by=-2), task("tax", by=-9)
    assert listed(TASKS, *facts) == ["school", "plumber", "bank", "vet!", "tax!"]
    assert listed(TASKS, *facts, policy=AgendaPolicy(most=2)) == ["school", "plumber"]
    assert listed(TASKS, *facts, policy=AgendaPolicy(overdue_days=3)) == ["school", "plumber", "bank", "vet!"]


def test_dates_are_those_to_come() -> None:
    """What is past by more than a day is no date, and no task either."""
    facts = appointment("dentist", 1), appointment("optician", 9), appointment("barber", -5), task("bank")
    assert listed(DATES, *facts) == ["dentist", "optician"]
    assert listed(ALL, *facts) == ["dentist", "optician", "bank"]


def test_for_some_days_only_what_is_due_by_then() -> None:
    """Tasks without a day may be done on any."""
    asked = asked_agenda("plan my day for tomorrow", now=NOW, zone=None)
    assert asked is not None
    assert listed(asked, appointment("dentist", 1), appointment("optician", 9), task("bank")) == ["dentist", "bank"]


@pytest.mark.parametrize(
    "changes",
    [
        {"holder": "Bo"},
        {"resolved_at": NOW - DAY},
        {"status": FactStatus.SUPERSEDED},
        {"status": FactStatus.FORGOTTEN},
        {"statement": "Ana has to run."},
        {"statement": "Ana likes to call the bank.", "kind": FactKind.PREFERENCE},
    ],
)
def test_what_is_done_or_somebody_elses_stands_on_no_list(changes: dict[str, object]) -> None:
    """Nor what is no task."""
    assert listed(TASKS, task("bank", **changes)) == []


def test_ends_of_time_are_no_trouble() -> None:
    """A date in the year 9999 is listed like any other."""
    facts = task("bank", by=0.5), a_fact("far", "Ana needs to call the moon.", kind=FactKind.GOAL, valid_to=FOREVER)
    assert listed(TASKS, *facts)[0] == "bank"
