"""A number that somebody asks for, and the line that tells it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from tests.each import each
from yesteryear.core.message import Message
from yesteryear.measure.answer import answer, asked_number
from yesteryear.measure.told import numbers_of
from yesteryear.testing.builders import a_message

WEDNESDAY = datetime(2026, 3, 4, 20, tzinfo=UTC)


def said(text: str, day: int) -> Message:
    """Return what was said on a day of March, with its numbers."""
    at = datetime(2026, 3, day, 12, tzinfo=UTC)
    message = a_message(text, seq=day, at=at)
    return replace(message, numbers=numbers_of(message))


TALK = [
    said("spent 12.40 euros on lunch", 2),
    said("grabbed a coffee for €3.20", 2),
    said("slept 6 hours", 3),
    said("slept 7 hours", 4),
    said("spent 9 euros on lunch", 4),
    said("paid $20 for a book", 4),
    said("I want to keep my lunch spending under 40 euros a week", 4),
]


def lines(question: str) -> list[str]:
    """Return what is told on a Wednesday."""
    asked = asked_number(question, now=WEDNESDAY, zone=None)
    return [] if asked is None else [line.text for line in answer(asked, TALK)]


@each(
    ("question", "measure", "first", "last"),
    [
        ("how much did I spend on food this week?", "spent", date(2026, 3, 2), date(2026, 3, 8)),
        ("How many steps did I walk yesterday?", "steps", date(2026, 3, 3), date(2026, 3, 3)),
        ("what's my average sleep?", "sleep", None, None),
        ("Which week did I spend the most on coffee?", "spent", None, None),
        ("how many coffees did I have today", "coffee", date(2026, 3, 4), date(2026, 3, 4)),
    ],
)
def test_a_number_is_asked_for(question: str, measure: str, first: date | None, last: date | None) -> None:
    """Of a measure, and of days where some are named."""
    asked = asked_number(question, now=WEDNESDAY, zone=None)
    assert asked is not None
    assert (asked.measure, asked.first_day, asked.last_day) == (measure, first, last)


@each(
    "text", ["how much is the fish?", "how many people came to my party?", "I slept well", "", "how long is the film?"]
)
def test_other_questions_ask_for_none(text: str) -> None:
    """Neither of things, nor of what nobody measures of themself."""
    assert asked_number(text, now=WEDNESDAY, zone=None) is None


def test_a_total_is_told_with_its_goal() -> None:
    """Of what money was for, by that word or by what it stands for; each currency by itself."""
    (lunch,) = lines("how much did I spend on lunch this week?")
    assert lunch.startswith("Spent (lunch), 2026-03-02 to 2026-03-08: 21.4 EUR in all, 2 times;")
    assert lunch.endswith("Goal: 40 EUR a week (said 2026-03-04).")
    (food,) = lines("how much did I spend on food this week?")
    assert "24.6 EUR in all, 3 times" in food
    assert [line.split(": ")[1][:6] for line in lines("how much did I spend in total?")] == ["24.6 E", "20 USD"]


def test_what_is_not_told_of_is_said_to_be_left_out() -> None:
    """Beyond the most lines; a currency is never dropped without a word."""
    asked = asked_number("how much did I spend in total?", now=WEDNESDAY, zone=None)
    assert asked is not None
    abroad = [said(f"spent {much} on lunch", 4) for much in ("£30", "2000 yen", "50 rupees", "9 francs")]
    told = answer(asked, [*TALK, *abroad])
    assert len(told) == 4
    assert told[-1].text.endswith(" Told in 2 more units.")


def test_an_average_is_told() -> None:
    """Beside the total, where there is one: the sleep of several nights has none."""
    (lunch,) = lines("what did I spend on lunch on average?")
    assert "21.4 EUR in all, 2 times; 10.7 EUR on average of 2 days" in lunch
    (sleep,) = lines("how long did I sleep on average?")
    assert "in all" not in sleep
    assert "6.5 h on average of 2 days" in sleep


def test_days_of_which_nothing_was_told_are_no_zero() -> None:
    """It is said, and what was told last."""
    asked = asked_number("how long did I sleep today?", now=WEDNESDAY + timedelta(days=3), zone=None)
    assert asked is not None
    (line,) = answer(asked, TALK)
    assert line.text == "Sleep: nothing told of these days, last 7 h on 2026-03-04."


def test_of_what_is_not_known_nothing_is_told() -> None:
    """There is no series of it."""
    assert lines("how far did I run this week?") == []
