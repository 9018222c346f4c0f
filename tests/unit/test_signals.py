"""What speaks for each unit, one signal at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from tests.belief_rows import a_fact
from tests.each import each
from tests.rows import an_episode, at
from tests.talks import a_conversation
from tests.unit.indexed import direction, leaning, view
from yesteryear.core.language.dates import Period, find_periods
from yesteryear.core.message import Role
from yesteryear.core.time import FIRST, FOREVER
from yesteryear.core.wallclock import Grain
from yesteryear.recall.lexical import BM25Policy
from yesteryear.recall.signals import (
    AskedQuestion,
    FusionPolicy,
    SignalPolicy,
    Signals,
    classic_signals,
    find_signals,
    relevance_of,
    standardise,
)
from yesteryear.recall.view import View
from yesteryear.testing.builders import NOON, a_message

DAY = timedelta(days=1)
WEIGHTS = FusionPolicy()


def asked(text: str = "", *, now: datetime = NOON, **more: Any) -> AskedQuestion:
    """Return a question as it was read."""
    return AskedQuestion(text, more.pop("vector", None), now, **more)


def signals(seen: View, question: AskedQuestion, policy: SignalPolicy | None = None) -> Signals:
    """Return the signals of the standard formula."""
    return find_signals(seen, question, policy or SignalPolicy())


def spoken(seen: View, question: AskedQuestion, name: str) -> list[float]:
    """Return one signal; zeros where it says nothing."""
    found = signals(seen, question).by_name.get(name, np.zeros(len(seen)))
    return [round(float(value), 9) for value in found]


# --- words and meaning


def test_words_count_in_deviations() -> None:
    """Stems of the question, each deviation of the BM25 score for its weight."""
    seen = view(*a_conversation("I was running", "Where to?", "To the bridge"))
    expected = WEIGHTS.words * standardise(seen.score_words(["run", "bridg"], BM25Policy()))
    assert signals(seen, asked("Runs and bridges?")).by_name["words"].tolist() == expected.tolist()


def test_meaning_counts_in_deviations() -> None:
    """Of the cosines that are known; who has no vector yet is average."""
    seen = view(*a_conversation("a", "b", "c"), vectors=[leaning("c1-1", 0.9), leaning("c1-3", 0.1)])
    found = spoken(seen, asked(vector=direction(1, 0)), "vector")
    assert found == pytest.approx([WEIGHTS.vector, 0, -WEIGHTS.vector])
    assert not any(spoken(seen, asked(), "vector"))


def test_a_unit_is_lent_the_meaning_of_the_one_before() -> None:
    """The first of a session is lent nothing; nothing crosses a pause, and nothing is lent backwards."""
    seen = view(
        *a_conversation("Do you run?", "Yes."),
        a_message("Bread.", seq=3, minutes=60),
        vectors=[leaning("c1-1", 0.9), leaning("c1-2", 0.1), leaning("c1-3", 0.1)],
    )
    standard = standardise(np.array([0.9, 0.1, 0.1]))
    found = spoken(seen, asked(vector=direction(1, 0)), "vector_before")
    assert found == pytest.approx([0, WEIGHTS.vector_before * standard[0], 0], abs=1e-6)


def test_the_longer_a_unit_the_less_it_is_lent() -> None:
    """Whoever says much speaks for themselves; up to twenty content words count as little."""

    def lent(content_words: int) -> float:
        talk = a_conversation("Do you run?", "bridge " * content_words)
        return spoken(view(*talk, vectors=[leaning("c1-1", 0.9), leaning("c1-2", 0.1)]), question, "vector_before")[1]

    question = asked(vector=direction(1, 0))
    assert lent(1) == lent(20) == pytest.approx(WEIGHTS.vector_before)
    assert lent(40) == pytest.approx(lent(20) / 2)


# --- who


def test_whoever_asks_what_ben_said_finds_ben() -> None:
    """All that he said, whatever the words; several may be named, and unknown ones add nothing."""
    seen = view(*a_conversation(("Ben", "tea"), ("Ana", "tea"), ("Cleo", "tea")))
    assert spoken(seen, asked(authors=frozenset({"Ben"})), "author") == [WEIGHTS.author, 0, 0]
    named = asked(authors=frozenset({"Ben", "Cleo", "Zoe"}))
    assert spoken(seen, named, "author") == [WEIGHTS.author, 0, WEIGHTS.author]
    assert not any(spoken(seen, asked(), "author"))


def test_whose_words_are_wanted_counts_where_a_person_talks_with_an_assistant() -> None:
    """The person's, the assistant's or anybody's; among people alone the signal is not there."""
    talk = view(*a_conversation("Which flour?", "Rye."), an_episode())
    assert spoken(talk, asked(speaker=Role.USER), "speaker") == [WEIGHTS.user, 0, 0]
    assert spoken(talk, asked(speaker=Role.ASSISTANT), "speaker") == [0, WEIGHTS.user, 0]
    assert "speaker" not in signals(talk, asked()).by_name
    people = view(*a_conversation(("Ana", "Which flour?"), ("Ben", "Rye.")))
    assert "speaker" not in signals(people, asked(speaker=Role.USER)).by_name


# --- when


def period(start: datetime, end: datetime) -> Period:
    """Return a period that somebody named."""
    return Period(start, end, Grain.SPAN, "then")


@each(
    ("said_at", "worth"),
    [
        (NOON - timedelta(microseconds=1), 0),
        (NOON, WEIGHTS.in_period),
        (NOON + DAY - timedelta(microseconds=1), WEIGHTS.in_period),
        (NOON + DAY, WEIGHTS.after_period),
        (NOON + 11 * DAY - timedelta(microseconds=1), WEIGHTS.after_period),
        (NOON + 11 * DAY, 0),
    ],
)
def test_what_was_said_in_a_period_counts_and_soon_after_it_half(said_at: datetime, worth: float) -> None:
    """Beginnings belong to a period, ends do not; people tell of things when they are over."""
    seen = view(a_message(at=said_at))
    assert spoken(seen, asked(periods=(period(NOON, NOON + DAY),)), "period") == [worth]


def test_of_several_periods_the_best_counts_once() -> None:
    """In two at a time is no better than in one."""
    seen = view(a_message(at=NOON), a_message(seq=2, at=NOON + 2 * DAY))
    day, two_days = period(NOON, NOON + DAY), period(NOON, NOON + 2 * DAY)
    assert spoken(seen, asked(periods=(day, two_days, day)), "period") == [WEIGHTS.in_period, WEIGHTS.after_period]


@each(
    ("open_period", "worth"),
    [
        (period(NOON, FOREVER), [0, WEIGHTS.open_period, WEIGHTS.open_period]),
        (period(FIRST, NOON), [WEIGHTS.open_period, WEIGHTS.after_period, 0]),
    ],
)
def test_half_of_all_time_says_less(open_period: Period, worth: list[float]) -> None:
    """Since a day, or before one."""
    seen = view(*(a_message(seq=seq, at=NOON + days * DAY) for seq, days in enumerate((-1, 0, 400), start=1)))
    assert spoken(seen, asked(periods=(open_period,)), "period") == worth


def test_days_are_those_of_the_persons_zone() -> None:
    """Yesterday evening in Lisbon is yesterday, and so is what was said at one in the night UTC in New York."""
    late = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
    seen = view(a_message(at=late))
    for zone, is_yesterday in (("America/New_York", True), ("UTC", False)):
        periods = find_periods("What did I do yesterday?", now=NOON, zone=zone)
        assert (spoken(seen, asked(periods=periods), "period") == [WEIGHTS.in_period]) is is_yesterday


def test_lately_said_counts_a_little_more() -> None:
    """Half after 30 days; the future counts as now."""
    seen = view(*(a_message(seq=seq, at=NOON - days * DAY) for seq, days in enumerate((-5, 0, 30, 60), start=1)))
    expected = [WEIGHTS.recency * share for share in (1, 1, 0.5, 0.25)]
    assert spoken(seen, asked(), "recency") == pytest.approx(expected)


def test_what_matters_counts_a_little_more_as_far_as_it_is_left() -> None:
    """The importance of the episode, for its messages too; none before there is one."""
    rows = [a_message(), a_message(seq=2), a_message(seq=3)]
    seen = view(*rows, an_episode(importance=1.0))
    assert spoken(seen, asked(), "strength") == pytest.approx([WEIGHTS.strength, WEIGHTS.strength, 0, WEIGHTS.strength])
    later = asked(now=NOON + 180 * DAY)
    assert spoken(seen, later, "strength") == pytest.approx([half := WEIGHTS.strength / 2, half, 0, half])


def test_recency_and_strength_never_outweigh_a_word() -> None:
    """An old memory that answers stands before a new one that does not (document B's formula fails here)."""
    old = a_message("The whale swam by the old pier", at=NOON - 900 * DAY, conversation="old")
    new = [a_message(f"Bread number {seq}", seq=seq, conversation=f"new {seq}") for seq in range(1, 20)]
    held = an_episode(importance=1.0, message_ids=tuple(message.id for message in new))
    seen = view(old, *new, held)
    assert int(np.argmax(signals(seen, asked("Where was the whale?")).total())) == 0


# --- session and form


def test_a_session_lends_its_best_to_all_of_it() -> None:
    """Where there are six sessions and more; below that it says nothing."""

    def talks(sessions: int) -> View:
        rows = [
            a_message(text, seq=seq, conversation=f"c{number}", minutes=seq)
            for number in range(sessions)
            for seq, text in enumerate(["whale" if number == 0 else "tea", "x", "y", "z", "v", "w"], start=1)
        ]
        return view(*rows)

    assert "session" not in signals(talks(5), asked("whale")).by_name
    found = spoken(talks(6), asked("whale"), "session")
    assert len(set(found[:6])) == len(set(found[6:])) == 1
    assert found[0] > 0 > found[-1]


# --- all together


def test_the_score_is_the_sum_of_the_signals() -> None:
    """Each already weighted."""
    seen = view(*a_conversation("Do you run?", "Yes."), vectors=[leaning("c1-1", 0.9), leaning("c1-2", 0.1)])
    found = signals(seen, asked("run", vector=direction(1, 0), speaker=Role.USER))
    assert found.total() == pytest.approx(sum(found.by_name.values()))
    assert found.total().shape == (2,)


@each(
    ("question", "expected"),
    [
        (asked("whale"), [0, 1, 4]),
        (asked("unheard"), [4]),
        (asked("whale", vector=direction(1, 0)), [0, 1, 2, 4]),
        (asked("unheard", authors=frozenset({"Ben"})), [3, 4]),
        (asked("unheard", periods=(period(at(300), at(301)),)), [3, 4]),
    ],
)
def test_found_is_what_has_to_do_with_the_question(question: AskedQuestion, expected: list[int]) -> None:
    """A word in its window, a vector to compare with, a name or a day that fits."""
    seen = view(
        a_message("the whale"),
        a_message("next to it", seq=2),
        a_message("elsewhere", conversation="c2"),
        a_message("much later", conversation="c3", author="Ben", minutes=300),
        a_message("unheard whale", conversation="c4", author="Ben", minutes=300),
        vectors=[leaning("c2-1", 0.5)],
    )
    assert signals(seen, question).found.tolist() == expected


def test_nothing_seen_gives_no_signal() -> None:
    """Whatever is asked."""
    question = asked(
        "whale", vector=direction(1, 0), authors=frozenset({"Ben"}), periods=(period(NOON, FOREVER),), speaker=Role.USER
    )
    for find in (find_signals, classic_signals):
        found = find(view(), question, SignalPolicy())
        assert found.total().shape == found.found.shape == (0,)


# --- how likely each is what is needed


def test_the_relevance_of_all_talk_makes_one() -> None:
    """Each point of score raises it by the same factor; the more there is that fits as well, the less of it each."""
    seen = view(*a_conversation("Do you run?", "Yes.", "I swim.", "Never."))
    found = Signals({"words": np.array([2.0, 1.0, 0.0, 0.0])}, np.arange(4))
    relevance = relevance_of(seen, found, 0.5)
    assert relevance.sum() == pytest.approx(1)
    assert relevance[0] / relevance[1] == pytest.approx(relevance[1] / relevance[2]) == pytest.approx(np.exp(0.5))
    assert relevance_of(seen, found, 0.0) == pytest.approx(np.full(4, 0.25))


def test_a_fact_is_as_relevant_as_it_fits() -> None:
    """That it is told in words that can be found is no reason against it, and it takes nothing from what was said."""
    told = view(*a_conversation("I run.", "Yes."), a_fact())
    is_fact = told.is_fact.astype(float)
    found = Signals({"words": np.ones(3), "retold": -3.0 * is_fact}, np.arange(3))
    assert relevance_of(told, found, 0.87) == pytest.approx([0.5, 0.5, 0.5])


def test_nothing_is_relevant_where_nothing_is() -> None:
    """Nor does it fail."""
    assert relevance_of(view(), Signals({"words": np.zeros(0)}, np.arange(0)), 0.87).shape == (0,)


# --- document B's formula


def test_classic_is_the_formula_of_the_document() -> None:
    """0.5 * similarity + 0.3 * importance + 0.2 * recency, of the units with a vector."""
    seen = view(
        a_message("a", at=NOON - 30 * DAY),
        a_message("b", seq=3),
        an_episode(importance=0.625, message_ids=("c1-1",), ended_at=NOON - 60 * DAY),
        vectors=[leaning("c1-1", 0.8), leaning("e1", 0.6)],
    )
    found = classic_signals(seen, asked("b", vector=direction(1, 0), authors=frozenset({"Ana"})), SignalPolicy())
    assert set(found.by_name) == {"similarity", "importance", "recency"}
    assert found.found.tolist() == [0, 2]
    assert found.total()[[0, 2]] == pytest.approx(
        [0.5 * 0.8 + 0.3 * 0.625 + 0.2 * 0.5, 0.5 * 0.6 + 0.3 * 0.625 + 0.2 * 0.25], abs=1e-6
    )


def test_classic_looks_at_the_nearest_only() -> None:
    """Twenty of them; whoever is far stays out, however new and important it is. Words alone find nothing."""
    rows = [a_message("tea", seq=seq) for seq in range(1, 31)]
    cosines = [seq / 40 for seq in range(1, 31)]
    seen = view(*rows, vectors=[leaning(row.id, cosine) for row, cosine in zip(rows, cosines, strict=True)])
    question = asked("tea", vector=direction(1, 0))
    assert classic_signals(seen, question, SignalPolicy()).found.tolist() == [*range(10, 30)]
    three = replace(SignalPolicy(), classic_candidates=3)
    assert classic_signals(seen, asked(vector=direction(1, 0)), three).found.tolist() == [27, 28, 29]
    assert classic_signals(seen, asked("tea"), SignalPolicy()).found.tolist() == []


def test_classic_looks_at_all_that_are_as_near_as_the_last() -> None:
    """Which of two equals was recorded first decides nothing."""
    rows = [a_message("tea", seq=seq) for seq in range(1, 31)]
    seen = view(*rows, vectors=[leaning(row.id, 0.9 if row.seq == 30 else 0.5) for row in rows])
    assert len(classic_signals(seen, asked(vector=direction(1, 0)), SignalPolicy()).found) == 30
