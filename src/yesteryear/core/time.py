"""Instants, zones and how a date is said. Nothing here asks the system for the time.

Instants are timezone-aware and in UTC everywhere inside; they are stored as whole microseconds since 1970. An IANA zone
travels beside them, to say which day it was for the person.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from yesteryear.errors import InputError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FOREVER = datetime.max.replace(tzinfo=UTC)  # later than everything
FIRST = datetime.min.replace(tzinfo=UTC)  # earlier than everything
_MICROSECOND = timedelta(microseconds=1)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""Not strftime's, which speaks the language of the machine."""


def later(instant: datetime, by: timedelta) -> datetime:
    """Return ``instant + by``, and FOREVER where that lies beyond the year 9999."""
    return FOREVER if by > FOREVER - instant else instant + by


def earlier(instant: datetime, by: timedelta) -> datetime:
    """Return ``instant - by``, and the first instant of all where that lies before it."""
    return FIRST if by > instant - FIRST else instant - by


def to_microseconds(instant: datetime) -> int:
    """Return whole microseconds since 1970 of an aware instant; exact, negative before 1970."""
    return (instant - EPOCH) // _MICROSECOND


def from_microseconds(value: int) -> datetime:
    """Return the UTC instant that lies ``value`` microseconds after 1970."""
    return EPOCH + timedelta(microseconds=value)


@lru_cache(maxsize=256)
def parse_zone(name: str) -> ZoneInfo:
    """Return the IANA time zone called ``name``; raises InputError: there is no such zone."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as exc:
        raise InputError(f"no time zone {name!r}; use an IANA name such as 'Europe/Lisbon'") from exc


def parse_instant(value: object, *, zone: str | None = None) -> datetime:
    """Return an aware datetime, a naive one of ``zone``, or either as ISO 8601 text, as an instant in UTC.

    Raises InputError: no datetime, or naive without a zone, or outside the years 1 to 9999.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as exc:
            raise InputError(f"{value!r} is no ISO 8601 date and time such as 2026-03-02T07:41:10+00:00") from exc
    if not isinstance(value, datetime):
        raise InputError(f"a time must be a datetime or ISO 8601 text, not {type(value).__name__}")
    if value.utcoffset() is None:
        if zone is None:
            raise InputError(
                f"{value.isoformat()} has no time zone: pass an aware datetime "
                "(datetime.now(timezone.utc)), or zone='Europe/Lisbon' with it"
            )
        value = value.replace(tzinfo=parse_zone(zone))
    try:
        return value.astimezone(UTC)
    except (OverflowError, ValueError) as exc:
        raise InputError(f"{value.isoformat()} lies outside the years 1 to 9999 in UTC") from exc


def local(instant: datetime, zone: str | None) -> datetime:
    """Return ``instant`` as the person's wall clock showed it; UTC where no zone is known."""
    try:
        return instant.astimezone(parse_zone(zone) if zone else UTC)
    except OverflowError:
        return instant


def say_day(instant: datetime, *, now: datetime, zone: str | None) -> str:
    """Say on which day something was, absolutely and as seen from now: ``7 May 2023 (2 days ago)``.

    Days are calendar days in the person's zone. Future days and anything beyond two years get no relative part.
    """
    days = (local(now, zone).date() - local(instant, zone).date()).days
    text, ago = say_date(instant, zone=zone), _say_ago(days)
    return f"{text} ({ago})" if ago else text


def say_date(instant: datetime, *, zone: str | None) -> str:
    """Say on which day in the person's zone something was: ``7 May 2023``."""
    return f"{local(instant, zone).day} {say_month(instant, zone=zone)}"


def say_month(instant: datetime, *, zone: str | None) -> str:
    """Say in which month in the person's zone something was: ``May 2023``."""
    day = local(instant, zone)
    return f"{_MONTHS[day.month - 1]} {day.year}"


def _say_ago(days: int) -> str:
    if days < 0:
        return ""
    if days < 2:
        return "today" if days == 0 else "yesterday"
    for limit, size, unit in ((14, 1, "days"), (61, 7, "weeks"), (731, 30.44, "months")):
        if days < limit:
            return f"{days / size:.0f} {unit} ago"
    return ""
