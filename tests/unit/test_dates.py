"""Dates and periods in questions, and words that only look like them."""

from __future__ import annotations

import calendar
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.dates import find_periods
from yesteryear.core.language.datewords import names_weekday
from yesteryear.core.time import FIRST, FOREVER
from yesteryear.core.wallclock import Grain
from yesteryear.errors import InputError

WEDNESDAY = datetime(2023, 6, 14, 15, 30, tzinfo=UTC)

WORDS = st.sampled_from(
    """
    7 May may 2023 31 30 February first week of the last next this in on since before after between and to - , from
    Friday weekend summer Christmas New Year's Eve ago two a few days years early mid late end Q2 0 9999 10000 29 13
    7/5/2023 2023-05-07 7/5 '22 yesterday night morning half second until past winter quarter month hours
    """.split()
)
TALK = st.one_of(st.text(), st.lists(WORDS, max_size=12).map(" ".join))
INSTANTS = st.datetimes(timezones=st.just(UTC))
ZONES = st.sampled_from([None, "Europe/Lisbon", "Asia/Tokyo", "America/Los_Angeles", "Pacific/Apia", "UTC"])


def spans(text: str, *, now: datetime = WEDNESDAY, names: frozenset[str] = frozenset()) -> list[str]:
    """Return what a text names as ``first day..last day``, in UTC."""
    found = find_periods(text, now=now, zone=None, names=names)
    return [f"{period.start.date()}..{(period.end - timedelta(microseconds=1)).date()}" for period in found]


@each(
    "text",
    "What happened on 7 May 2023?|May 7th, 2023|the 7th of May 2023|on 2023-05-07|7.5.2023|Sunday, 7 May 2023|on 7 May"
    "|May the 7th|2023-05-07T09:30:00|on Sunday, the 7th of May|the day before 8 May|the day after 6 May 2023"
    "|the Sunday before 9 May|the first Sunday in May|7 May '23".split("|"),
)
def test_a_day_is_found_however_it_is_written(text: str) -> None:
    """They all mean the same day."""
    assert spans(text) == ["2023-05-07..2023-05-07"]


@each(
    ("text", "expected"),
    [
        ("today", "2023-06-14..2023-06-14"),
        ("What did I tell you yesterday?", "2023-06-13..2023-06-13"),
        ("the day before yesterday", "2023-06-12..2023-06-12"),
        ("two days ago", "2023-06-12..2023-06-12"),
        ("a few days ago", "2023-06-10..2023-06-12"),
        ("a month ago", "2023-04-29..2023-05-29"),
        ("this week", "2023-06-12..2023-06-18"),
        ("dentist tues 9am", "2023-06-13..2023-06-13"),
        ("vet thurs", "2023-06-08..2023-06-08"),
        ("last week", "2023-06-05..2023-06-11"),
        ("the week before last", "2023-05-29..2023-06-04"),
        ("last month", "2023-05-01..2023-05-31"),
        ("last year's trip", "2022-01-01..2022-12-31"),
        ("last weekend", "2023-06-10..2023-06-11"),
        ("over the weekend", "2023-06-10..2023-06-11"),
        ("last Friday", "2023-06-09..2023-06-09"),
        ("last Wednesday", "2023-06-07..2023-06-07"),
        ("on Wednesday", "2023-06-14..2023-06-14"),
        ("next Friday", "2023-06-16..2023-06-16"),
        ("over the last three weeks", "2023-05-24..2023-06-14"),
        ("in the last year", "2022-06-14..2023-06-14"),
        ("in the past few days", "2023-06-11..2023-06-14"),
        ("on the 7th", "2023-06-07..2023-06-07"),
        ("on the 20th.", "2023-05-20..2023-05-20"),
    ],
)
def test_relative_phrases_count_from_now(text: str, expected: str) -> None:
    """Now is Wednesday, 14 June 2023."""
    assert spans(text) == [expected]


@each(
    ("text", "expected"),
    [
        ("in May", "2023-05-01..2023-05-31"),
        ("in July", "2022-07-01..2022-07-31"),
        ("last May", "2023-05-01..2023-05-31"),
        ("last June", "2022-06-01..2022-06-30"),
        ("early May", "2023-05-01..2023-05-10"),
        ("mid-May", "2023-05-11..2023-05-20"),
        ("at the end of May", "2023-05-21..2023-05-31"),
        ("in the first week of August", "2022-08-01..2022-08-07"),
        ("the last week of May", "2023-05-25..2023-05-31"),
        ("in 2022", "2022-01-01..2022-12-31"),
        ("the second half of 2022", "2022-07-01..2022-12-31"),
        ("Q2 2023", "2023-04-01..2023-06-30"),
        ("the second quarter of 2023", "2023-04-01..2023-06-30"),
        ("summer 2022", "2022-06-01..2022-08-31"),
        ("last summer", "2022-06-01..2022-08-31"),
        ("in the fall", "2022-09-01..2022-11-30"),
        ("last winter", "2022-12-01..2023-02-28"),
        ("Christmas 2022", "2022-12-24..2022-12-26"),
        ("on New Year\u2019s Eve", "2022-12-31..2022-12-31"),
        ("the week of 9 June", "2023-06-05..2023-06-11"),
        ("the week before 9 June 2023", "2023-06-02..2023-06-08"),
        ("two days after Christmas Day", "2022-12-27..2022-12-27"),
        ("the weekend of 10 June", "2023-06-10..2023-06-11"),
        ("29 February", "2020-02-29..2020-02-29"),
    ],
)
def test_longer_periods(text: str, expected: str) -> None:
    """Months, seasons and feasts without a year are the latest that began by now."""
    assert spans(text) == [expected]


@each(
    ("text", "expected"),
    [
        ("between March and June", "2023-03-01..2023-06-30"),
        ("from 3 to 9 July", "2022-07-03..2022-07-09"),
        ("July 3-9, 2021", "2021-07-03..2021-07-09"),
        ("3–9 July 2021", "2021-07-03..2021-07-09"),
        ("from November to March 2023", "2022-11-01..2023-03-31"),
        ("from March 2022 to June", "2022-03-01..2022-06-30"),
        ("from Monday to Friday", "2023-06-12..2023-06-16"),
        ("10 March 2023 - 12 March 2023", "2023-03-10..2023-03-12"),
    ],
)
def test_ranges_include_both_ends(text: str, expected: str) -> None:
    """A year said at one end serves the other."""
    assert spans(text) == [expected]


def test_open_ends_reach_to_the_ends_of_time() -> None:
    """Since and before have one end only."""
    (since,) = find_periods("since April", now=WEDNESDAY, zone=None)
    assert (since.start, since.end) == (datetime(2023, 4, 1, tzinfo=UTC), FOREVER)
    (after,) = find_periods("after 7 May 2023", now=WEDNESDAY, zone=None)
    assert (after.start, after.end) == (datetime(2023, 5, 8, tzinfo=UTC), FOREVER)
    (before,) = find_periods("before June 2023", now=WEDNESDAY, zone=None)
    assert (before.start, before.end) == (FIRST, datetime(2023, 6, 1, tzinfo=UTC))
    (until,) = find_periods("until the end of May", now=WEDNESDAY, zone=None)
    assert (until.start, until.end) == (FIRST, datetime(2023, 6, 1, tzinfo=UTC))


@each(
    ("text", "expected"),
    [
        ("7/5/2023", ["2023-05-07..2023-05-07", "2023-07-05..2023-07-05"]),
        ("on 7/5", ["2023-05-07..2023-05-07", "2022-07-05..2022-07-05"]),
        ("13/5/2023", ["2023-05-13..2023-05-13"]),
        ("5/13/23", ["2023-05-13..2023-05-13"]),
        ("5/5/2023", ["2023-05-05..2023-05-05"]),
        ("winter 2022", ["2021-12-01..2022-02-28", "2022-12-01..2023-02-28"]),
    ],
)
def test_what_can_be_read_twice_is_read_twice(text: str, expected: list[str]) -> None:
    """Unless one reading does not exist."""
    assert spans(text) == expected


@each(
    "text",
    "30 February|31 April 2023|29 Feb 2023|2023-13-01|13/13/2023|0/5/2023|7 May 0000|in May 99999|32 May"
    "|from 30 February to 2 March 2023|on the 7th floor|room 2023-05-07-12|1.2.3.4|2.5 years ago|half a year ago".split(
        "|"
    ),
)
def test_what_is_no_date_gives_nothing(text: str) -> None:
    """Impossible dates, and numbers that are something else."""
    assert spans(text) == []


@each(
    "text",
    "What did May say?|May I ask you something?|you may 2 times|This may be wrong|April told me|Is June well?"
    "|a march through town|Summer is my sister|the fall of Rome|on spring-cleaning|did she fall?"
    "|every Monday|on Mondays|Will you come?|a week|three years old|the second time|the last thing".split("|"),
)
def test_words_that_are_also_something_else(text: str) -> None:
    """A name, a verb or a habit is no date."""
    assert spans(text) == []


def test_a_person_called_may() -> None:
    """The month needs a number, or a word that fits only a time."""
    may = frozenset({"may"})
    assert spans("What did May do in May?", names=may) == ["2023-05-01..2023-05-31"]
    assert spans("What did May do on May 7?", names=may) == ["2023-05-07..2023-05-07"]
    assert spans("What did I do before May came?", names=may) == []
    assert spans("What did I do before May?") == ["0001-01-01..2023-04-30"]
    assert spans("Did October call?", names=frozenset({"october"})) == []


@each("text", ["am 7. Mai 2023", "le mois dernier", "昨日", "в мае", "el 7 de mayo"])
def test_other_languages_give_nothing(text: str) -> None:
    """The rules are English."""
    assert spans(text) == []


def test_days_begin_where_the_person_lives() -> None:
    """It is already Thursday in Tokyo."""
    late = datetime(2023, 6, 14, 16, 0, tzinfo=UTC)
    (today,) = find_periods("today", now=late, zone="Asia/Tokyo")
    assert today.start == datetime(2023, 6, 15, tzinfo=ZoneInfo("Asia/Tokyo"))
    assert today.end - today.start == timedelta(days=1)


def test_a_day_on_which_clocks_change_has_23_hours() -> None:
    """Days are calendar days."""
    (day,) = find_periods("26 March 2023", now=WEDNESDAY, zone="Europe/Lisbon")
    assert day.end - day.start == timedelta(hours=23)


def test_parts_of_days() -> None:
    """A night ends on the next day."""
    found = find_periods("this morning, last night and on Friday evening", now=WEDNESDAY, zone=None)
    assert {period.grain for period in found} == {Grain.HOURS}
    assert [(period.start.day, period.start.hour, period.end.day, period.end.hour) for period in found] == [
        (14, 5, 14, 12),
        (13, 18, 14, 6),
        (9, 18, 10, 0),
    ]


def test_periods_keep_their_order_and_words() -> None:
    """What is said twice appears once."""
    found = find_periods("Last week or in May 2022? I mean LAST WEEK.", now=WEDNESDAY, zone=None)
    assert [(period.said, period.grain) for period in found] == [
        ("Last week", Grain.WEEK),
        ("May 2022", Grain.MONTH),
    ]


def test_an_unknown_zone_is_told() -> None:
    """It is the caller's mistake."""
    with pytest.raises(InputError, match="no time zone"):
        find_periods("today", now=WEDNESDAY, zone="Mars/Base")


@given(TALK, INSTANTS, ZONES, st.frozensets(st.sampled_from(["may", "summer", "friday"])))
def test_periods_are_sound_for_any_text(text: str, now: datetime, zone: str | None, names: frozenset[str]) -> None:
    """They have a length, lie in UTC, quote the text, and no two are the same."""
    found = find_periods(text, now=now, zone=zone, names=names)
    assert found == find_periods(text, now=now, zone=zone, names=names)
    assert all(period.start < period.end and period.said in text for period in found)
    assert all(period.start.tzinfo is UTC and period.end.tzinfo is UTC for period in found)
    assert len({(period.start, period.end) for period in found}) == len(found)


@given(st.dates(), INSTANTS, INSTANTS, ZONES)
def test_a_whole_date_does_not_depend_on_now(day: date, now: datetime, other: datetime, zone: str | None) -> None:
    """Whoever asks, whenever they ask."""
    text = f"{day.day} {calendar.month_name[day.month]} {day.year:04} and since {day.isoformat()}"
    assert find_periods(text, now=now, zone=zone) == find_periods(text, now=other, zone=zone)


@given(st.dates(min_value=date(2, 1, 1), max_value=date(9998, 12, 31)), INSTANTS)
def test_all_ways_to_write_a_date_agree(day: date, now: datetime) -> None:
    """Day first, month first and ISO."""
    month, start = calendar.month_name[day.month], datetime(day.year, day.month, day.day, tzinfo=UTC)
    for text in (
        day.isoformat(),
        f"on {day.day} {month} {day.year:04}",
        f"{month} {day.day}, {day.year:04}",
        f"the {day.day}th of {month} {day.year:04}",
    ):
        (period,) = find_periods(text, now=now, zone=None)
        assert (period.start, period.end, period.grain) == (start, start + timedelta(days=1), Grain.DAY)


@given(st.dates(), INSTANTS)
def test_a_date_without_a_year_is_the_latest_by_now(day: date, now: datetime) -> None:
    """Nobody asks a memory about the future."""
    for period in find_periods(f"on {day.day} {calendar.month_name[day.month]}", now=now, zone=None):
        assert period.start <= now
        assert (period.start.day, period.start.month) == (day.day, day.month)


@each(
    ("said", "is_weekday"),
    [("saturday", True), ("This weekend", True), ("sunday 10 May", False), ("last week", False), ("7 May", False)],
)
def test_a_weekday_alone_is_told_from_a_date(said: str, is_weekday: bool) -> None:
    """It may be the last one or the next."""
    assert names_weekday(said) is is_weekday
