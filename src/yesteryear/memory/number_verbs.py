"""The verbs of numbers: what a person measures of their life, as series, and what of it goes together."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Annotated

from yesteryear.core.access.arguments import Instant, Name, OneOf, PageLimit, check_limit, optional_name, parse_choice
from yesteryear.core.message import last_zone
from yesteryear.core.time import local, parse_instant
from yesteryear.errors import InputError
from yesteryear.measure.metrics import CorrelationView, GroupedBy, SeriesView, between, chosen, correlated, view_of
from yesteryear.measure.series import Series, build_series
from yesteryear.measure.statistics import scipy_stats
from yesteryear.measure.table import known_measures
from yesteryear.memory.calls import ScopedVerbs
from yesteryear.ports import Transaction
from yesteryear.recall.numbers import read_numbers

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class NumberVerbs(ScopedVerbs):
    """What is told in numbers in one scope."""

    async def metrics(
        self,
        *,
        measure: Name | None = None,
        what: Name | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        by: Annotated[str, OneOf(GroupedBy)] = "day",
        at: Instant | None = None,
        limit: PageLimit = 100,
    ) -> list[SeriesView]:
        """Return what the person told of their life in numbers, a series for each measure, those told most often first.

        Numbers are read from the person's own words alone, as soon as they are said. A correction takes the place of
        what it corrects, what is only told again counts once, and what cannot be counted is listed with the reason.
        Money is a series for each thing and currency. Whoever measures themself does not do it every day: a day of
        which nothing was told is no zero.

        Args:
            measure: Only of this, such as "sleep", "run", "weight", "spent"; "count" for what is only counted.
            what: Only what was bought or counted, such as "coffee", whatever its article and ending.
            since: Only the days from this one on: a date where the person is, such as "2026-03-02", or an instant.
            until: Only the days before this one; likewise.
            by: "day", "week" (from Monday on) or "month": what the values of a series are put together by.
            at: The present, after which nothing was said, likewise; the clock's where not given.
            limit: Most series, 1 to 1000.

        Raises:
            InputError: an argument cannot be used, or there is no such measure.
        """
        kind, thing = _optional_measure(measure), optional_name("what", what)
        grouped, most = parse_choice("by", GroupedBy, by), check_limit(limit)
        read = _series_in(self._now(), at, since, until)
        found = chosen(await self._read(read), measure=kind, what=thing)[:most]
        return await self._calls.run(lambda: [view_of(series, grouped) for series in found])

    async def correlations(
        self, *, since: Instant | None = None, until: Instant | None = None, at: Instant | None = None
    ) -> list[CorrelationView]:
        """Return which series go together, the surest first: those of whose days it is unlikely to be chance.

        Every pair is compared that has values on 14 days in common or more; of all that are returned, a twentieth is
        expected to be chance. That two go together does not tell that one is the cause of the other.

        Args:
            since: Only the days from this one on: a date where the person is, such as "2026-03-02", or an instant.
            until: Only the days before this one; likewise.
            at: The present, after which nothing was said, likewise; the clock's where not given.

        Raises:
            MissingExtra: SciPy is not installed.
        """
        read = _series_in(self._now(), at, since, until)
        scipy_stats()  # before the rows are read
        found = await self._read(read)
        return await self._calls.run(correlated, found)


def _series_in(
    now: datetime, at: Instant | None, since: Instant | None, until: Instant | None
) -> Callable[[Transaction], list[Series]]:
    """Return a question for the series of some days, as they were known at an instant."""

    def read(tx: Transaction) -> list[Series]:
        zone = last_zone(tx.conversations.list())
        present, start, stop = (_moment(given, zone) for given in (at, since, until))
        first = None if start is None else local(start, zone).date()
        end = None if stop is None else _end_day(local(stop, zone))
        parts = (between(series, first, end) for series in build_series(read_numbers(tx, until=present or now)))
        return [series for series in parts if series is not None]

    return read


def _moment(given: Instant | None, zone: str | None) -> datetime | None:
    """Return an instant; a date begins where the person is."""
    said = given.isoformat() if isinstance(given, date) and not isinstance(given, datetime) else given
    is_day = isinstance(said, str) and _DATE.fullmatch(said) is not None
    return None if said is None else parse_instant(said, zone=(zone or "UTC") if is_day else None)


def _end_day(stop: datetime) -> date | None:
    """Return the first day that lies wholly behind an instant; None where the calendar has none."""
    if stop.time() == time.min:
        return stop.date()
    return None if stop.date() == date.max else stop.date() + timedelta(days=1)


def _optional_measure(name: str | None) -> str | None:
    measure = name and name.strip().casefold().replace(" ", "_")
    if measure is not None and measure not in known_measures():
        raise InputError(f"no measure {name!r}; there are: {', '.join(known_measures())}")
    return measure
