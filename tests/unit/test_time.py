"""Instants, zones, and how a day is said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.time import (
    EPOCH,
    FOREVER,
    from_microseconds,
    later,
    local,
    parse_instant,
    parse_zone,
    say_day,
    to_microseconds,
)
from yesteryear.errors import InputError

INSTANTS = st.datetimes(timezones=st.just(UTC))
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@given(INSTANTS)
def test_microseconds_keep_an_instant_exactly(instant: datetime) -> None:
    """From the year 1 to the year 9999, before 1970 too."""
    assert from_microseconds(to_microseconds(instant)) == instant


@given(INSTANTS, INSTANTS)
def test_microseconds_keep_the_order(one: datetime, other: datetime) -> None:
    """Stores compare numbers where we compare instants."""
    assert (to_microseconds(one) < to_microseconds(other)) == (one < other)


def test_microseconds_of_a_whole_second() -> None:
    """The unit is what it says."""
    assert to_microseconds(EPOCH + timedelta(seconds=1)) == 1_000_000
    assert to_microseconds(EPOCH - timedelta(microseconds=1)) == -1


@given(INSTANTS, st.timedeltas(min_value=timedelta(0)))
def test_later_never_leaves_the_calendar(instant: datetime, by: timedelta) -> None:
    """Something said in the year 9999 must not break what is reckoned from it."""
    found = later(instant, by)
    assert instant <= found <= FOREVER
    assert found == FOREVER or found - instant == by


@each(
    ("value", "zone", "expected"),
    [
        (datetime(2026, 7, 1, 9, tzinfo=timezone(timedelta(hours=2))), None, datetime(2026, 7, 1, 7, tzinfo=UTC)),
        (datetime(2026, 7, 1, 9), "Europe/Lisbon", datetime(2026, 7, 1, 8, tzinfo=UTC)),  # noqa: DTZ001
        (datetime(2026, 1, 1, 9), "Europe/Lisbon", datetime(2026, 1, 1, 9, tzinfo=UTC)),  # noqa: DTZ001
        (datetime(2026, 7, 1, 9, tzinfo=UTC), "Asia/Tokyo", datetime(2026, 7, 1, 9, tzinfo=UTC)),
        ("2026-07-01T09:00:00+02:00", None, datetime(2026, 7, 1, 7, tzinfo=UTC)),
        ("2026-07-01T09:00:00Z", None, datetime(2026, 7, 1, 9, tzinfo=UTC)),
        ("2026-07-01 09:00", "Asia/Tokyo", datetime(2026, 7, 1, 0, tzinfo=UTC)),
        ("2026-07-01", "UTC", datetime(2026, 7, 1, tzinfo=UTC)),
    ],
)
def test_datetimes_and_iso_text_become_utc(value: object, zone: str | None, expected: datetime) -> None:
    """A zone is read for naive values only; an aware one knows better."""
    found = parse_instant(value, zone=zone)
    assert found == expected
    assert found.tzinfo is UTC


@each("value", [datetime(2026, 7, 1, 9), "2026-07-01T09:00:00", "2026-07-01"])  # noqa: DTZ001
def test_a_naive_time_without_a_zone_is_refused_with_advice(value: object) -> None:
    """Guessing the zone would be wrong for half of the world."""
    with pytest.raises(InputError, match=r"has no time zone.*zone='Europe/Lisbon'"):
        parse_instant(value)


@each("value", ["yesterday", "", "2026-13-01T00:00:00Z", "\ud800", 1_780_000_000, None, NOON.date(), []])
def test_what_is_no_time_is_refused(value: object) -> None:
    """Numbers and dates too: their meaning would be a guess."""
    with pytest.raises(InputError, match="ISO 8601"):
        parse_instant(value)


@each("value", ["0001-01-01T00:00:00+02:00", "9999-12-31T23:59:59-02:00"])
def test_times_outside_the_calendar_are_refused(value: str) -> None:
    """In UTC they would lie before the year 1 or after 9999."""
    with pytest.raises(InputError, match="years 1 to 9999"):
        parse_instant(value)


@each("name", ["Mars/Olympus", "", "Europe", "../../etc/passwd", "/etc/localtime", "Europe/Lisbon\0", "é"])
def test_an_unknown_zone_is_refused(name: str) -> None:
    """Whatever the system's zone files make of such a name."""
    with pytest.raises(InputError, match="no time zone"):
        parse_zone(name)


@given(INSTANTS, st.sampled_from(["Asia/Tokyo", "America/Los_Angeles", "Pacific/Kiritimati", None]))
def test_local_time_is_the_same_instant(instant: datetime, zone: str | None) -> None:
    """Also at both ends of the calendar, where the wall clock would leave it."""
    assert local(instant, zone) == instant


@each(
    ("days", "said"),
    [
        (0, "2 March 2026 (today)"),
        (1, "1 March 2026 (yesterday)"),
        (2, "28 February 2026 (2 days ago)"),
        (13, "17 February 2026 (13 days ago)"),
        (14, "16 February 2026 (2 weeks ago)"),
        (60, "1 January 2026 (9 weeks ago)"),
        (61, "31 December 2025 (2 months ago)"),
        (730, "2 March 2024 (24 months ago)"),
        (731, "1 March 2024"),
        (-1, "3 March 2026"),
    ],
)
def test_a_day_is_said_absolutely_and_as_seen_from_now(days: int, said: str) -> None:
    """Nothing relative for the future or beyond two years."""
    assert say_day(NOON - timedelta(days=days), now=NOON, zone=None) == said


def test_days_are_those_of_the_person() -> None:
    """Half past eleven in the evening in Tokyo is still the same day there, whatever day it is in Greenwich."""
    said_at = datetime(2026, 3, 1, 16, 0, tzinfo=UTC)  # 2 March, 1 o'clock in Tokyo
    assert say_day(said_at, now=NOON, zone="Asia/Tokyo") == "2 March 2026 (today)"
    assert say_day(said_at, now=NOON, zone="Europe/Lisbon") == "1 March 2026 (yesterday)"


@given(INSTANTS, INSTANTS, st.sampled_from(["Asia/Tokyo", "America/Los_Angeles", None]))
def test_every_day_can_be_said(instant: datetime, now: datetime, zone: str | None) -> None:
    """A context must not fail because somebody spoke in the year 1."""
    assert str(local(instant, zone).year) in say_day(instant, now=now, zone=zone)
