"""What is told of days: against SciPy, and on generated series whose answers are known."""

from __future__ import annotations

import math
import sys
from datetime import date, timedelta

import numpy as np
import pytest
from scipy import stats

from tests.each import each
from yesteryear.errors import MissingExtra
from yesteryear.measure.metrics import GroupedBy, view_of
from yesteryear.measure.series import Series, SeriesKey, SeriesPoint
from yesteryear.measure.statistics import CONSTANT, NOT_ENOUGH, POLICY, Trend, change_point, correlations, trend

FIRST = date(2026, 1, 1)
SERIES = 1_000


def days_of(number: int, *, step: int = 1) -> list[date]:
    """Return so many days, a step apart."""
    return [FIRST + timedelta(days=step * place) for place in range(number)]


def test_a_trend_is_the_one_that_scipy_finds() -> None:
    """Slope and interval, a week, over days with gaps and in any order."""
    chance = np.random.default_rng(1)
    at = np.sort(chance.choice(120, size=40, replace=False))
    values = 0.3 * at + chance.normal(size=40)
    days = [FIRST + timedelta(days=int(day)) for day in at]
    found, known = trend(days, values.tolist()), stats.linregress(at, values)
    half = 7 * known.stderr * stats.t.ppf(0.975, 38)
    assert found.per_week == pytest.approx(7 * known.slope)
    assert (found.low, found.high) == pytest.approx((7 * known.slope - half, 7 * known.slope + half))
    assert found.days == 40
    assert trend(days[::-1], values.tolist()[::-1]) == found


def test_the_true_trend_lies_in_its_interval_as_often_as_is_said() -> None:
    """In .95 of two thousand series."""
    chance = np.random.default_rng(2)
    hits = 0
    for _ in range(2 * SERIES):
        number, slope = int(chance.integers(14, 60)), chance.normal()
        values = slope * np.arange(number) / 7 + chance.normal(scale=2.0, size=number)
        found = trend(days_of(number), values.tolist())
        hits += found.low is not None and found.high is not None and found.low <= slope <= found.high
    assert 0.93 <= hits / (2 * SERIES) <= 0.97


@each(
    ("number", "step", "reason"),
    [(0, 1, NOT_ENOUGH), (1, 1, NOT_ENOUGH), (7, 5, NOT_ENOUGH), (13, 1, NOT_ENOUGH), (8, 2, ""), (14, 1, "")],
)
def test_little_tells_no_trend(number: int, step: int, reason: str) -> None:
    """Eight days in fourteen are the least."""
    values = [float(place % 3) for place in range(number)]
    found = trend(days_of(number, step=step), values)
    assert (found.reason, found.per_week is None, found.days) == (reason, bool(reason), number)


def test_what_is_constant_has_no_trend_and_no_change() -> None:
    """And goes together with nothing."""
    days = days_of(30)
    assert trend(days, [7.0] * 30) == Trend(None, None, None, 30, CONSTANT)
    assert change_point(days, [7.0] * 30) is None
    rising = dict(zip(days, map(float, range(30)), strict=True))
    assert correlations([dict.fromkeys(days, 7.0), rising]) == []


def test_what_is_no_number_is_left_out() -> None:
    """It is as if nothing had been told on that day."""
    days, values = days_of(30), [float(place % 5) for place in range(30)]
    assert trend([*days, *days_of(33)[30:]], [*values, math.nan, math.inf, -math.inf]) == trend(days, values)
    assert change_point([*days, *days_of(31)[30:]], [*values, math.nan]) == change_point(days, values)
    one, other = (dict(zip(days, found, strict=True)) for found in (values, values[::-1]))
    assert correlations([one | {days[0]: math.nan}, other]) == correlations(
        [{day: value for day, value in one.items() if day != days[0]}, other]
    )


def test_absurd_values_end_nothing() -> None:
    """The largest numbers that a computer knows, and the least."""
    days = days_of(30)
    for size in (1e308, 1e-308, 1e12):
        values = [size * (place % 4 - 1.5) for place in range(30)]
        assert math.isfinite(trend(days, values).per_week or 0.0)
        assert change_point(days, values) is None
        assert correlations([dict(zip(days, values, strict=True)), dict(zip(days, range(30), strict=True))]) == []


def test_a_step_is_found_at_its_day() -> None:
    """With the means on both sides, and the same p each time."""
    chance = np.random.default_rng(3)
    days = days_of(40)
    values = (chance.normal(scale=0.3, size=40) + np.where(np.arange(40) < 25, 5.0, 7.0)).tolist()
    found = change_point(days, values)
    assert found.day == days[25]
    assert (found.before, found.after) == pytest.approx((np.mean(values[:25]), np.mean(values[25:])))
    assert found.p == 1 / (1 + POLICY.permutations)
    assert change_point(days[::-1], values[::-1]) == found


def test_noise_seldom_tells_a_change() -> None:
    """In about one of a hundred series."""
    chance = np.random.default_rng(4)
    days = days_of(20)
    told = sum(bool(change_point(days, chance.normal(size=20).tolist())) for _ in range(SERIES // 4))
    assert told <= 0.025 * SERIES / 4


def test_what_goes_together_is_what_scipy_says() -> None:
    """Over the days in common alone."""
    chance = np.random.default_rng(5)
    days = days_of(60)
    base = chance.normal(size=60)
    one = dict(zip(days[:50], base[:50].tolist(), strict=True))
    other = dict(zip(days[10:], (base + chance.normal(size=60))[10:].tolist(), strict=True))
    (found,) = correlations([one, other])
    known = stats.spearmanr([one[day] for day in days[10:50]], [other[day] for day in days[10:50]])
    assert (found.first, found.second, found.days) == (0, 1, 40)
    assert (found.rho, found.p) == pytest.approx((known.statistic, known.pvalue))


def test_fewer_than_fourteen_days_in_common_tell_nothing() -> None:
    """However well they fit."""
    for number, told in ((13, 0), (14, 1)):
        rising = dict(zip(days_of(number), map(float, range(number)), strict=True))
        assert len(correlations([rising, rising])) == told


def test_random_pairs_are_seldom_told() -> None:
    """Of five hundred that are independent at most a twentieth; asked all at once, next to none."""
    chance = np.random.default_rng(6)
    days = days_of(20)
    made = [dict(zip(days, chance.normal(size=20).tolist(), strict=True)) for _ in range(SERIES)]
    alone = sum(len(correlations(made[place : place + 2])) for place in range(0, SERIES, 2))
    assert alone <= 0.065 * SERIES / 2  # each alone is tested at a twentieth, which chance passes by a little
    assert len(correlations(made[:46])) <= 0.05 * 1_035


def test_of_many_pairs_those_survive_that_are_no_chance() -> None:
    """As the procedure of Benjamini and Hochberg has it, by SciPy."""
    chance = np.random.default_rng(7)
    days = days_of(40)
    base = chance.normal(size=40)
    rows = [base, base + chance.normal(size=40) / 2, -base + chance.normal(size=40) / 2, *chance.normal(size=(9, 40))]
    found = correlations([dict(zip(days, row.tolist(), strict=True)) for row in rows])
    p = [stats.spearmanr(rows[one], rows[two]).pvalue for one in range(12) for two in range(one + 1, 12)]
    assert len(found) == int((stats.false_discovery_control(p) <= POLICY.most_false).sum()) >= 3
    assert [row.p for row in found] == sorted(p)[: len(found)]


def test_without_scipy_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the name of the extra; a series tells all else, and why it has no trend."""
    monkeypatch.setitem(sys.modules, "scipy", None)
    values = [1.0, 3.0, 2.0, 4.0] * 5
    for ask in (lambda: trend(days_of(20), values), lambda: correlations([])):
        with pytest.raises(MissingExtra, match=r"yesteryear\[numbers\]"):
            ask()
    points = (SeriesPoint(day, day, value, "", "m") for day, value in zip(days_of(20), values, strict=True))
    shown = view_of(Series(SeriesKey("sleep", "h"), "", tuple(points)), GroupedBy.DAY)
    assert shown.mean == 2.5
    assert "yesteryear[numbers]" in shown.trend.reason
