"""Things that get done: open, done, dropped or lapsed, by what is said, by hand and by time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

import yesteryear
from tests.analysts import ScriptedAnalyst, a_draft
from tests.concepts import ConceptEmbedder
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.core.attributes import FactKind
from yesteryear.core.fact import Modality
from yesteryear.core.ruling import Act, Judgement, PairVerdict
from yesteryear.errors import InputError

DAY = timedelta(days=1)
DENTIST, BENCH = "The dentist is on Friday.", "I want to build a bench."
JOB = "I start at the mill on Friday."
BUILT, GIVEN_UP = "The bench stands in the garden.", "No bench after all, the wood is too dear."
STATES = {
    DENTIST: a_draft(
        "Ana sees the dentist on Friday.",
        kind=FactKind.EVENT,
        modality=Modality.PLANNED,
        valid_from=NOON + 2 * DAY,
        valid_to=NOON + 3 * DAY,
    ),
    JOB: a_draft(
        "Ana starts at the mill on Friday.",
        kind=FactKind.EVENT,
        modality=Modality.PLANNED,
        valid_from=NOON + 2 * DAY,
    ),
    BENCH: a_draft("Ana wants to build a bench.", kind=FactKind.GOAL),
    BUILT: a_draft("Ana's bench stands in the garden.", kind=FactKind.EVENT, modality=Modality.PAST),
    GIVEN_UP: a_draft("Ana builds no bench.", kind=FactKind.DECISION, modality=Modality.PAST),
}


@contextmanager
def at_home(place: Path | str) -> Iterator[Workshop]:
    """Open a store whose analyst knows what ends the bench."""
    bench, built, dropped = (STATES[text].statement for text in (BENCH, BUILT, GIVEN_UP))
    judged = {
        (bench, said): Judgement(verdict, Act.SUPERSEDE, scores={verdict: 0.9})
        for said, verdict in ((built, PairVerdict.COMPLETES), (dropped, PairVerdict.ENDS))
    }
    analyst = ScriptedAnalyst({text: [draft] for text, draft in STATES.items()}, judged)
    with open_workshop(place, analyst=analyst, embedder=ConceptEmbedder({"bench": ["bench"]})) as shop:
        yield shop


def say(shop: Workshop, text: str, *, day: int = 0, author: str = "Ana") -> yesteryear.Memory:
    """Say a text at noon of a day, and work through it."""
    memory = shop.memory()
    memory.observe(text, conversation=f"day {day}", author=author, at=NOON + day * DAY)
    memory.flush()
    return memory


def loops(memory: yesteryear.Memory, **asked: object) -> list[str]:
    """Return what is open, in order."""
    return [view.statement for view in memory.open_loops(**asked)]


def test_what_is_due_first_comes_first(place: Path | str) -> None:
    """What has no time comes last, and is left out where an end is asked for."""
    with at_home(place) as shop:
        say(shop, BENCH)
        memory = say(shop, DENTIST)
        dentist, bench = STATES[DENTIST].statement, STATES[BENCH].statement
        assert loops(memory, at=NOON) == [dentist, bench]
        assert loops(memory, at=NOON, until=NOON + 2 * DAY) == [dentist]
        assert loops(memory, at=NOON, until=NOON + DAY) == []
        assert loops(memory, at=NOON, limit=1) == [dentist]
        assert [view.due_by for view in memory.open_loops(at=NOON)] == [NOON + 2 * DAY, None]


def test_what_is_past_its_time_lapses(place: Path | str) -> None:
    """By itself, and without a trace: nobody said what became of it."""
    with at_home(place) as shop:
        memory = say(shop, DENTIST)
        assert [view.loop for view in memory.facts(at=NOON)] == ["open"]
        assert [view.loop for view in memory.facts(at=NOON + 4 * DAY, status="all")] == ["lapsed"]
        assert loops(memory, at=NOON + 4 * DAY) == memory.facts(at=NOON + 4 * DAY) == []


def test_what_has_begun_is_open_no_more(place: Path | str) -> None:
    """A month later, as "in June" is over by then; it goes on to be told."""
    with at_home(place) as shop:
        memory = say(shop, JOB)
        assert loops(memory, at=NOON + 32 * DAY) == [STATES[JOB].statement]
        assert loops(memory, at=NOON + 34 * DAY) == []
        assert [(view.loop, view.status) for view in memory.facts(at=NOON + 34 * DAY)] == [("lapsed", "tentative")]


@pytest.mark.parametrize(("said", "state"), [(BUILT, "done"), (GIVEN_UP, "dropped")])
def test_what_is_said_settles_it(place: Path | str, said: str, state: str) -> None:
    """Though it tells of the past; the goal is not superseded, and comes back when it is told anew."""
    with at_home(place) as shop:
        say(shop, BENCH)
        memory = say(shop, said, day=5)
        (goal,) = [view for view in memory.facts(status="all") if view.statement == STATES[BENCH].statement]
        assert (goal.loop, goal.status, goal.resolved_at) == (state, "tentative", NOON + 5 * DAY)
        assert STATES[BENCH].statement not in loops(memory)
        assert goal.id not in {view.id for view in memory.facts()}
        say(shop, BENCH, day=9)
        assert STATES[BENCH].statement in loops(memory)


def test_what_others_say_settles_nothing(place: Path | str) -> None:
    """It is but hearsay of her goal."""
    with at_home(place) as shop:
        say(shop, BENCH)
        memory = say(shop, BUILT, day=5, author="Ben")
        assert STATES[BENCH].statement in loops(memory)


def test_it_is_dropped_and_restored_by_hand(place: Path | str) -> None:
    """And stays so whatever is derived anew."""
    with at_home(place) as shop:
        memory = say(shop, BENCH)
        (goal,) = memory.open_loops()
        assert memory.resolve(goal.id, outcome="dropped").loop == "dropped"
        memory.consolidate(at=NOON + 2 * DAY)
        assert [view.loop for view in memory.facts(status="all")] == ["dropped"]
        assert memory.restore(goal.id).loop == "open"
        assert memory.resolve(goal.id).loop == "done"
        for wrong in ("open", "lapsed", "finished"):
            with pytest.raises(InputError, match="outcome"):
                memory.resolve(goal.id, outcome=wrong)
