"""What the values of days tell: a trend, one change, what goes together. Pure; needs the extra ``numbers``.

Nothing is told of few days, and of many questions asked at once only what is unlikely to be chance among all of them.
All of it takes days for independent of each other, which a life is not quite: what is told is a hint, never a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import numpy as np

from yesteryear.core.results import Plain
from yesteryear.errors import MissingExtra

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

NOT_ENOUGH: Final = "not enough data"
CONSTANT: Final = "constant"
DAYS_A_WEEK: Final = 7
_CHUNK = 64  # permutations that are held at once, so that memory does not grow with their number
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class StatisticsPolicy:
    """From how much on something is told of series, and how sure it has to be.

    Source: conventional levels; the two least numbers of days keep a week's rhythm from being taken for a trend.
    """

    level: float = 0.95  # of the interval of a trend, in [0, 1]: the share of such intervals in which the true one lies
    least_days: int = 8  # days with a value from which a trend or a change is told; at least 3
    least_span_days: int = 14  # days from the first to the last, both counted, from which on they are; at least 3
    least_side_days: int = 3  # days with a value on each side of a change; at least 2
    permutations: int = 999  # how many orders of the same values a change is compared with; at least 1
    seed: int = 20_260_302
    """Of these orders, so that the same values always give the same answer; any number of at least 0."""
    most_chance: float = 0.01  # largest share of orders, in [0, 1], in which a change as large is found
    least_common_days: int = 14
    """Days on which both of two series have a value, from which they are compared; at least 4."""
    most_false: float = 0.05  # expected share, in [0, 1], of those pairs that are told to go together and do not


POLICY: Final = StatisticsPolicy()


@dataclass(frozen=True, slots=True)
class Trend(Plain):
    """By how much the values of days rise, or fall, a week."""

    per_week: float | None
    """The slope, in the unit of the series a week; None where ``reason`` says why there is none."""
    low: float | None
    """The lower end of its interval of 95 %."""
    high: float | None
    """The higher end."""
    days: int
    """How many days have a value."""
    reason: str = ""
    """"not enough data", "constant", or what is to be installed; empty where there is a trend."""


@dataclass(frozen=True, slots=True)
class ChangePoint(Plain):
    """The day from which the values of a series are others than before."""

    day: date
    """The first day of what came after."""
    before: float
    """Mean of the days before it."""
    after: float
    """Mean of that day and those after it."""
    p: float
    """The share of orders of the same values, in (0, 1], in which a change as large is found."""


@dataclass(frozen=True, slots=True)
class Together:
    """How far two series go together, by their places in a list."""

    first: int
    second: int
    rho: float  # Spearman's rank correlation, in [-1, 1]
    days: int  # days on which both have a value
    p: float  # how likely one as large is by chance for this pair alone, in [0, 1]


def scipy_stats() -> Any:  # noqa: ANN401 - it has no types
    """Return the part of SciPy that is needed here; raises MissingExtra where it is not installed."""
    try:
        from scipy import stats  # noqa: PLC0415 - an extra, which takes half a second to import
    except ImportError as exc:
        raise MissingExtra("statistics of numbers need: pip install 'yesteryear[numbers]'") from exc
    return stats


def trend(days: Sequence[date], values: Sequence[float]) -> Trend:
    """Return the slope of values over days by least squares, with its interval by Student's t.

    Each day stands once, in any order, with its value; what is not finite is left out.

    Raises:
        MissingExtra: there is one, and SciPy is not installed.
    """
    at, told, scale = _finite(days, values)
    if not _is_enough(at):
        return Trend(None, None, None, len(at), NOT_ENOUGH)
    if np.ptp(told) == 0:
        return Trend(None, None, None, len(at), CONSTANT)
    weeks = (at - at.mean()) / DAYS_A_WEEK
    spread = float(weeks @ weeks)
    slope = float(weeks @ (told - told.mean())) / spread
    rest = told - told.mean() - slope * weeks
    free = len(at) - 2
    error = float(np.sqrt(rest @ rest / free / spread))
    half = float(scipy_stats().t.ppf((1 + POLICY.level) / 2, free)) * error
    return Trend(slope * scale, (slope - half) * scale, (slope + half) * scale, len(at))


def change_point(days: Sequence[date], values: Sequence[float]) -> ChangePoint | None:
    """Return the day from which values are others than before, or None: the split whose two means differ most.

    How much they differ is measured by their pooled deviation, and compared with the largest difference in each of many
    orders of the same values. A steady rise is a change too; the trend tells the two apart. Each day stands once, in
    any order, with its value; what is not finite is left out.
    """
    at, told, scale = _finite(days, values)
    if not _is_enough(at) or len(at) < 2 * POLICY.least_side_days or np.ptp(told) == 0:
        return None
    found = _splits(told[np.newaxis])[0]
    best = int(np.argmax(found))
    chance = np.random.default_rng(POLICY.seed)
    as_large = 0
    for begin in range(0, POLICY.permutations, _CHUNK):
        rows = min(_CHUNK, POLICY.permutations - begin)
        shuffled = chance.permuted(np.broadcast_to(told, (rows, len(told))), axis=1)
        largest = _splits(shuffled).max(axis=1)
        as_large += int(np.count_nonzero(largest >= found[best] * (1 - 1e-9)))
    p = (1 + as_large) / (1 + POLICY.permutations)
    if p > POLICY.most_chance:
        return None
    cut = best + POLICY.least_side_days
    means = (float(told[:cut].mean()) * scale, float(told[cut:].mean()) * scale)
    return ChangePoint(date.fromordinal(int(at[cut])), *means, p)


def correlations(
    series: Sequence[Mapping[date, float]], pairs: Iterable[tuple[int, int]] | None = None
) -> list[Together]:
    """Return which series go together, the surest first: Spearman's rank correlation over the days they have in common.

    The pairs are tested that have enough days in common on which neither is constant; of these only those are returned
    that survive the procedure of Benjamini and Hochberg over all of them.

    Args:
        series: The values of days; what is not finite is left out.
        pairs: Which are compared, by their places; all where not given.

    Raises:
        MissingExtra: SciPy is not installed.

    Source: Y. Benjamini and Y. Hochberg, Controlling the false discovery rate, 1995.
    """
    scipy_stats()  # before anything is compared
    compared = combinations(range(len(series)), 2) if pairs is None else pairs
    tested = [found for pair in compared if (found := _compare(series, pair)) is not None]
    ranked = sorted(tested, key=lambda found: (found.p, found.first, found.second))
    passed = [rank for rank, found in enumerate(ranked, 1) if found.p <= POLICY.most_false * rank / len(ranked)]
    return ranked[: max(passed, default=0)]


def _compare(series: Sequence[Mapping[date, float]], pair: tuple[int, int]) -> Together | None:
    one, other = (series[place] for place in pair)
    common = sorted(day for day in one.keys() & other.keys() if np.isfinite(one[day]) and np.isfinite(other[day]))
    if len(common) < POLICY.least_common_days:
        return None
    left, right = (np.array([values[day] for day in common]) for values in (one, other))
    if np.all(left == left[0]) or np.all(right == right[0]):
        return None
    found = scipy_stats().spearmanr(left, right)
    return Together(*pair, float(found.statistic), len(common), float(found.pvalue))


def _finite(days: Sequence[date], values: Sequence[float]) -> tuple[Floats, Floats, float]:
    """Return days, in order, and values over their largest size, which could be too large to square; and that size."""
    rows = sorted((day.toordinal(), value) for day, value in zip(days, values, strict=True) if np.isfinite(value))
    at = np.array([day for day, _ in rows], dtype=np.float64)
    told = np.array([value for _, value in rows], dtype=np.float64)
    scale = float(np.abs(told).max(initial=0.0)) or 1.0
    return at, told / scale, scale


def _is_enough(at: Floats) -> bool:
    return len(at) >= POLICY.least_days and at[-1] - at[0] + 1 >= POLICY.least_span_days


def _splits(rows: Floats) -> Floats:
    """Return the squared difference of the means on both sides of each split over the variance within both.

    Of values in order, shape (m, n); its own shape is (m, n - 2 least_side_days + 1).
    """
    number, side = rows.shape[1], POLICY.least_side_days
    left = np.arange(side, number - side + 1)
    away = rows - rows.mean(axis=1, keepdims=True)
    sums = np.cumsum(away, axis=1)[:, left - 1]
    between = sums**2 * number / (left * (number - left))
    within = np.maximum((away**2).sum(axis=1, keepdims=True) - between, 1e-12 * number)
    ratio: Floats = between / within
    return ratio
