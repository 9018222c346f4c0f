"""Dates as people tell them, resolved by tense and said in full."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.wallclock import Grain
from yesteryear.providers.local.facts.spoken_dates import find_dates, say_dates

WEDNESDAY = datetime(2025, 5, 14, 12, tzinfo=UTC)


def said(text: str, *, at: datetime = WEDNESDAY, zone: str | None = None) -> str:
    """Return a text told on 14 May 2025 with its dates made absolute."""
    return say_dates(text, at=at, zone=zone)


@each(
    ("text", "absolute"),
    [
        ("I ran on saturday", "I ran on Saturday 10 May 2025"),
        ("I start on Monday", "I start on Monday 19 May 2025"),
        ("Friday is my last day", "Friday 16 May 2025 is my last day"),
        ("the bank unfroze it on Wednesday", "the bank unfroze it on Wednesday 14 May 2025"),
        ("i'll ask her monday", "i'll ask her on Monday 19 May 2025"),
        ("my wedding is in June", "my wedding is in June 2025"),
        ("results come out in may", "results come out in May 2025"),
        ("I moved to Lyon in September", "I moved to Lyon in September 2024"),
        ("by 3 March I want to finish", "by 3 March 2026 I want to finish"),
        ("on 7 May I turned 40", "on 7 May 2025 I turned 40"),
        ("In April", "In April 2025"),
        ("we fly at Christmas", "we fly at Christmas"),
        ("I want to open before Christmas of next year", "I want to open before Christmas 2026"),
        ("I finished in early June", "I finished in early June 2024"),
        ("planned for July", "planned for July 2025"),
    ],
)
def test_the_tense_tells_which_one_is_meant(text: str, absolute: str) -> None:
    """Past forms nearby mean the last one; else it is to come, and a month that is just over was."""
    assert said(text) == absolute


@each(
    ("text", "absolute"),
    [
        ("I quit yesterday", "I quit on 13 May 2025"),
        ("defended my thesis today!", "defended my thesis on 14 May 2025!"),
        ("last week I got it", "in the week of 5 May 2025 I got it"),
        ("last month", "in April 2025"),
        ("this year I turn 40", "in 2025 I turn 40"),
        ("last summer I went", "in summer 2024 I went"),
        ("last winter I went", "in winter 2024/25 I went"),
        ("this morning he called", "on the morning of 14 May 2025 he called"),
        ("tonight I sing", "on the evening of 14 May 2025 I sing"),
        ("two weeks ago we moved", "around 30 April 2025 we moved"),
        ("ten years ago I left", "around 2015 I left"),
        ("I fly in two weeks", "I fly around 28 May 2025"),
        ("in 3 days it ends", "on 17 May 2025 it ends"),
        ("over the weekend I painted", "on the weekend of 10 May 2025 I painted"),
        ("tomorrow's exam", "the 15 May 2025 exam"),
        ("since last year", "since 2024"),
        ("until the end of May", "until the end of May 2025"),
        ("from the 1st of July I rest", "from the 1st of July 2025 I rest"),
        ("I swim in the summer of 2026", "I swim in the summer of 2026"),
        ("on 2025-05-07 and on 7/5", "on 2025-05-07 and on 7/5"),
    ],
)
def test_dates_are_said_as_exactly_as_they_were_told(text: str, absolute: str) -> None:
    """A day stays a day and a month a month; what says its year stays as it is."""
    assert said(text) == absolute


@each(
    "text",
    "every Monday I swim|our Thursday writing group|I always swim on Saturday|in winter I sleep badly|on a Friday"
    "|I swim on Monday and Friday|Wednesday evenings are mine|the last Friday of the month|on paper I'd apply tomorrow"
    "|May I ask?|she may come|after the fall at our wedding|I lost 5 kg in two weeks|in 90 days|for three weeks"
    "|usually I call them at Christmas".split("|"),
)
def test_what_comes_again_is_no_date(text: str) -> None:
    """Habits, cases that are put, and lengths of time stay as they are."""
    assert said(text) == text


def test_the_day_is_the_one_it_was_for_the_person() -> None:
    """Late in the evening in London it is tomorrow in Tokyo."""
    late = datetime(2025, 5, 14, 20, tzinfo=UTC)
    assert said("I quit today", at=late, zone="Asia/Tokyo") == "I quit on 15 May 2025"
    assert said("I quit today", at=late, zone="Europe/London") == "I quit on 14 May 2025"


def test_a_bound_is_kept_with_its_date() -> None:
    """What opens a stretch and what closes one; a deadline does neither."""
    since, until = find_dates("I am here since April until Friday", at=WEDNESDAY, zone=None)
    assert (since.begins_at, since.ends_at) == (datetime(2025, 4, 1, tzinfo=UTC), None)
    assert (until.begins_at, until.ends_at) == (None, datetime(2025, 5, 17, tzinfo=UTC))
    assert since.period.grain is Grain.MONTH
    (after,) = find_dates("after March 2026 I rest", at=WEDNESDAY, zone=None)
    assert after.begins_at == datetime(2026, 4, 1, tzinfo=UTC)
    (deadline,) = find_dates("I want it done before June 2025", at=WEDNESDAY, zone=None)
    assert (deadline.begins_at, deadline.ends_at) == (None, None)


def test_a_person_is_no_month() -> None:
    """April is somebody's name here."""
    assert find_dates("April moved", at=WEDNESDAY, zone=None, names=frozenset({"april"})) == []


@given(
    text=st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            "on in the last next this every May March monday Friday week month year 3 7th 2024 two ago since until by "
            "from to and tomorrow yesterday tonight morning summer Christmas of before I ran will 's , .".split()
        ),
        max_size=12,
    ).map(" ".join),
    at=st.datetimes(timezones=st.just(UTC)),
    zone=st.sampled_from([None, "Pacific/Auckland", "America/Los_Angeles"]),
)
def test_any_text_at_any_time_can_be_told(text: str, at: datetime, zone: str | None) -> None:
    """Dates lie in the text, one after the other."""
    dates = find_dates(text, at=at, zone=zone)
    assert all(0 <= date.start < date.end <= len(text) for date in dates)
    assert all(date.period.start < date.period.end for date in dates)
    say_dates(text, at=at, zone=zone)


@each(
    ("text", "said"),
    [
        ("I signed up for the half on sunday 10 may", "Sunday 10 May 2026"),
        ("walls painted by friday 1 may", "Friday 1 May 2026"),
        ("I ran it on saturday 10 may", "Saturday 10 May 2025"),
    ],
)
def test_a_weekday_tells_which_year_is_meant(text: str, said: str) -> None:
    """Whatever the tense of the verb before it."""
    assert said in say_dates(text, at=datetime(2026, 3, 12, 9, tzinfo=UTC), zone=None)
