"""Tastes in a life: what is liked ends where its person goes off it, and nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import yesteryear

_MONDAY = datetime(2026, 3, 2, 18, tzinfo=UTC)


def believed_after(*messages: str) -> list[str]:
    """Return what is believed of Ana, who says each message three days after the one before."""
    clock = yesteryear.ReplayClock(_MONDAY)
    with yesteryear.open(":memory:", worker="none", clock=clock) as engine:
        memory = engine.memory(user="ana")
        for number, said in enumerate(messages):
            clock.set(_MONDAY + timedelta(days=3 * number))
            memory.observe(said, author="Ana", conversation=str(number))
            memory.flush()
            clock.advance(timedelta(days=1))
            memory.flush()
        return [fact.statement for fact in memory.facts(limit=50)]


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (("I really like Nina Simone", "I've gone off Nina Simone"), {"Ana has gone off Nina Simone"}),
        (("I hate olives", "I've come round to olives"), {"Ana has come round to olives"}),
        (
            ("My favourite cake is lemon drizzle", "My favourite cake is carrot cake"),
            {"Ana's favourite cake is carrot cake"},
        ),
        (("I love jazz", "I love folk"), {"Ana loves jazz", "Ana loves folk"}),
        (("I like tea", "I can't stand coffee"), {"Ana likes tea", "Ana cannot stand coffee"}),
        (("I love running", "I love swimming", "I'm over running"), {"Ana loves swimming", "Ana is over running"}),
    ],
)
def test_a_taste_ends_where_it_is_told_otherwise(messages: tuple[str, ...], told: set[str]) -> None:
    """Of the same thing, in whatever words; what else is liked stays."""
    assert set(believed_after(*messages)) == told


def test_a_taste_that_comes_back_is_told_again() -> None:
    """Liked, disliked, and liked once more."""
    told = believed_after("I love sushi", "I've gone off sushi", "I'm back to loving sushi")
    assert told == ["Ana is back to loving sushi"]


def test_aims_in_numbers_stand_beside_each_other() -> None:
    """One for coffee and one for lunch; the newer of two for coffee."""
    told = believed_after(
        "I want to spend under $40 a week on coffee",
        "I want to spend under $90 a week on lunch",
        "I want to spend under $30 a week on coffee",
    )
    assert sorted(word for each in told for word in each.split() if word.startswith("$")) == ["$30", "$90"]


@pytest.mark.parametrize(
    "said",
    [
        "I used to love peanuts but now I'm allergic to them",
        "I'm diabetic but I love cake",
        "I hate penicillin, it makes me swell up",
        "I love swimming but I have epilepsy",
    ],
)
def test_a_taste_takes_nothing_along_that_concerns_safety(said: str) -> None:
    """What is told beside it stands too."""
    told = " ".join(believed_after(said))
    assert any(word in told for word in ("allergic", "diabetic", "swell", "epilepsy"))


def test_what_may_harm_somebody_outlives_what_is_over_beside_it() -> None:
    """Told in one breath; and an appointment is off by no dislike of whom it is with."""
    told = " ".join(
        believed_after("I'm on antibiotics. They make me sick. I can't have penicillin.", "I finished the antibiotics")
    )
    assert "have penicillin" in told
    told = " ".join(believed_after("I have a dentist appointment on the 20th of March", "I don't like my dentist"))
    assert "dentist appointment" in told
