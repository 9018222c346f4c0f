"""What somebody has to do and what is set for them: when that is asked for, and what stands on the list."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from tests.belief_rows import a_fact
from yesteryear.core.attributes import FactKind
from yesteryear.core.fact import DISPUTED_BY, Fact, FactStatus, Modality
from yesteryear.core.language.dates import find_periods
from yesteryear.core.time import FOREVER
from yesteryear.core.vectors import Purpose
from yesteryear.providers.minilm.weights import find_model
from yesteryear.providers.registry import build_embedder
from yesteryear.recall.agenda import (
    BOTH,
    NEITHER,
    TASKS,
    AgendaPolicy,
    AskedAgenda,
    asked_agenda,
    list_agenda,
    what_is_asked,
)
from yesteryear.recall.agenda import DATES as DATES_ASKED

NOW = datetime(2026, 5, 6, 12, tzinfo=UTC)  # a Wednesday
DAY = timedelta(days=1)
ALL = AskedAgenda(tasks=True, dates=True, periods=())
TO_DO, DATES = ALL._replace(dates=False), ALL._replace(tasks=False)


MODEL = find_model()
POLICY = AgendaPolicy()


@pytest.mark.skipif(MODEL is None, reason="the embedder is not installed: run `yesteryear model install`")
def test_lists_are_asked_for_by_what_is_meant() -> None:
    """Plain asks are told from plain others; how well in all stands in the model card."""
    asks = {
        "What's left on my to-do list?": TO_DO,
        "do I have anything in my calendar for next week?": DATES,
        "What was on my to-do list last week?": None,
        "My sister is called Maya.": None,
        "What should I cook tonight?": None,
    }
    embedder = build_embedder("auto")
    found = embedder.embed(list(asks), purpose=Purpose.QUERY)
    for vector, (text, asked) in zip(found, asks.items(), strict=True):
        told = asked_agenda(text, vector, POLICY, model=embedder.profile.model, now=NOW, zone=None)
        assert (told and told._replace(periods=())) == asked, text


def test_without_a_vector_no_list_is_asked_for() -> None:
    """Nor with one of another model, whose numbers mean something else."""
    vector = np.ones(4, dtype=np.float32)
    assert asked_agenda("my list?", None, POLICY, model="minilm", now=NOW, zone=None) is None
    assert asked_agenda("my list?", vector, POLICY, model="of-somebody", now=NOW, zone=None) is None
    assert asked_agenda("my list?", vector, POLICY, model=None, now=NOW, zone=None) is None


@pytest.mark.parametrize(
    ("chances", "asked"),
    [
        ((0.7, 0.3, 0.0, 0.0), (False, False)),
        ((0.5, 0.5, 0.0, 0.0), (True, False)),
        ((0.5, 0.0, 0.5, 0.0), (False, True)),
        ((0.5, 0.0, 0.0, 0.5), (True, True)),
        ((0.1, 0.5, 0.4, 0.0), (True, True)),
        ((0.1, 0.8, 0.1, 0.0), (True, False)),
    ],
)
def test_what_is_asked_follows_from_the_chances(
    chances: tuple[float, float, float, float], asked: tuple[bool, bool]
) -> None:
    """Both where both are likely enough."""
    assert what_is_asked(dict(zip((NEITHER, TASKS, DATES_ASKED, BOTH), chances, strict=True)), POLICY) == asked


def task(name: str, *, told: float = -3, by: float | None = None, **more: object) -> Fact:
    """Return something to do, told some days from now, until a day where there is one."""
    until = NOW + by * DAY if by is not None else None
    said = {
        "kind": FactKind.GOAL,
        "first_observed": NOW + told * DAY,
        "valid_to": until,
        "status": FactStatus.TENTATIVE,
    }
    fields = {"statement": f"Ana needs to call the {name}.", **said, **more}
    return a_fact(name, **fields)  # type: ignore[arg-type]


def appointment(name: str, on: float, **more: object) -> Fact:
    """Return something that is set for a day."""
    when = {"valid_from": NOW + on * DAY, "valid_to": NOW + (on + 1) * DAY, "modality": Modality.PLANNED}
    said = {"kind": FactKind.EVENT, "first_observed": NOW - 9 * DAY, "status": FactStatus.TENTATIVE}
    fields = {"statement": f"Ana has a {name} appointment.", **said, **when, **more}
    return a_fact(name, **fields)  # type: ignore[arg-type]


def listed(asked: AskedAgenda, *facts: Fact, policy: AgendaPolicy = AgendaPolicy()) -> list[str]:  # noqa: B008 - frozen
    """Return the ids of what stands on the list, overdue ones with a mark."""
    return [f"{each.fact.id}{'!' * each.is_overdue}" for each in list_agenda(facts, asked, policy, now=NOW)]


def test_the_soonest_come_first_and_the_overdue_last() -> None:
    """Between them what has no day, the latest told first."""
    facts = task("bank"), task("plumber", told=-1), task("school", by=2), task("vet", by=-2), task("tax", by=-9)
    assert listed(TO_DO, *facts) == ["school", "plumber", "bank", "vet!", "tax!"]
    assert listed(TO_DO, *facts, policy=AgendaPolicy(most=2)) == ["school", "plumber"]
    assert listed(TO_DO, *facts, policy=AgendaPolicy(overdue_days=3)) == ["school", "plumber", "bank", "vet!"]


def test_dates_are_those_to_come() -> None:
    """What is past by more than a day is no date, and no task either."""
    facts = appointment("dentist", 1), appointment("optician", 9), appointment("barber", -5), task("bank")
    assert listed(DATES, *facts) == ["dentist", "optician"]
    assert listed(ALL, *facts) == ["dentist", "optician", "bank"]


def test_what_was_planned_and_has_no_end_is_overdue_too() -> None:
    """It is no date to come, and after a month it is none of what is told."""
    plan = {"modality": Modality.PLANNED, "valid_to": None}
    past, long_ago = (task(name, valid_from=NOW - days * DAY, **plan) for name, days in (("bank", 9), ("vet", 200)))
    assert listed(TO_DO, past, long_ago, task("school", by=40)) == ["school", "bank!"]
    assert listed(DATES, past, long_ago, appointment("optician", 40)) == ["optician"]


def test_for_some_days_only_what_is_due_by_then() -> None:
    """Tasks without a day may be done on any."""
    tomorrow = ALL._replace(periods=find_periods("tomorrow", now=NOW, zone=None))
    assert listed(tomorrow, appointment("dentist", 1), appointment("optician", 9), task("bank")) == ["dentist", "bank"]


@pytest.mark.parametrize(
    "changes",
    [
        {"holder": "Bo", "statement": "Bo needs to call the bank."},
        {"holder": "sister", "statement": "Ana's sister needs to call the bank."},
        {"is_negative": True},
        {"properties": {DISPUTED_BY: "other"}},
        {"resolved_at": NOW - DAY},
        {"status": FactStatus.SUPERSEDED},
        {"status": FactStatus.FORGOTTEN},
        {"statement": "Ana has to run."},
        {"statement": "Ana likes to call the bank.", "kind": FactKind.PREFERENCE},
    ],
)
def test_what_is_done_or_somebody_elses_stands_on_no_list(changes: dict[str, object]) -> None:
    """Nor what is no task."""
    assert listed(TO_DO, task("bank", **changes)) == []


def test_what_is_about_another_may_be_ones_own_to_do() -> None:
    """It is theirs only where they have it to do, or it is set for them."""
    present = task("gift", by=3, holder="Ella", statement="Ana has to buy a present for Ella by 9 May 2026.")
    meeting = appointment("meet", 4, holder="Carla", statement="Ana has a meeting with Carla on 10 May 2026.")
    recital = appointment("recital", 5, holder="Ella", statement="Ella's recital is on 11 May 2026.")
    exam = appointment("exam", 5, holder="Mia", statement="Ana's sister Mia has an exam on 11 May 2026.")
    assert listed(ALL, present, meeting, recital, exam) == ["gift", "meet"]


def test_ends_of_time_are_no_trouble() -> None:
    """A date in the year 9999 is listed like any other."""
    facts = task("bank", by=0.5), a_fact("far", "Ana needs to call the moon.", kind=FactKind.GOAL, valid_to=FOREVER)
    assert listed(TO_DO, *facts) == ["bank", "far"]
