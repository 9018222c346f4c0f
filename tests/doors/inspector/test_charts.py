"""Where the lines of a chart lie."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.api.inspector.charts import HEIGHT, WIDTH, bar, belief_curve, fading_curve, timeline
from yesteryear.lifecycle.why import EpisodeWhy, FactWhy

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
shares = st.floats(0, 1)
ages = st.floats(0, 4000).map(lambda days: timedelta(days=days))


def _episode(importance: float, age: timedelta, half_life: float, *, held_by: str = "") -> EpisodeWhy:
    since = NOON - age
    ends = None if held_by else since + timedelta(days=2 * half_life)
    return EpisodeWhy(
        *("e1", "talk", "A topic", "active", "vivid"),
        importance,
        (),
        importance / 2,
        half_life,
        since,
        (),
        held_by,
        ends,
        ends,
        (),
    )


def _places(path: str) -> list[tuple[float, float]]:
    pairs = [point.split() for point in path.removeprefix("M").split("L") if point]
    return [(float(x), float(y)) for x, y in pairs]


@given(importance=shares, age=ages, half_life=st.floats(1, 2000))
def test_what_fades_falls_and_stays_on_the_canvas(importance: float, age: timedelta, half_life: float) -> None:
    """From left to right, never upwards, and the line goes on at now where it stopped."""
    chart = fading_curve(_episode(importance, age, half_life), now=NOON)
    past, ahead = _places(chart.past), _places(chart.ahead)
    line = past + ahead
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in line)
    assert all(left[0] <= right[0] and left[1] <= right[1] for left, right in itertools.pairwise(line))
    assert not past or past[-1] == ahead[0]


def test_what_is_held_is_a_level_line() -> None:
    """Pinned is pinned."""
    line = _places(fading_curve(_episode(0.5, timedelta(days=300), 30, held_by="pin"), now=NOON).ahead)
    assert len({y for _, y in line}) == 1


@given(values=st.lists(shares, max_size=6), now_left=shares, ahead=shares)
def test_a_belief_is_drawn_whatever_was_said(values: list[float], now_left: float, ahead: float) -> None:
    """Also one that nothing supports, and one of no confidence at all."""
    told = tuple((NOON - timedelta(days=30 * number), value) for number, value in enumerate(values, 1))
    why = FactWhy(
        *("f1", "Ana runs.", "preference", "Ana", "", "", "plain", "", "tentative", now_left, now_left),
        NOON + timedelta(days=90),
        ((365, min(ahead, now_left)),),
        told,
        *((), (), (), (), "", None, None, None, None, None, False, 1),
    )
    chart = belief_curve(why, now=NOON, floor=0.3)
    line = _places(chart.past) + _places(chart.ahead)
    assert line
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in line)
    assert len([dot for dot in chart.dots if dot.label == "said"]) == len(values)


@given(
    parts=st.lists(st.tuples(st.text(min_size=1, max_size=4), st.integers(0, 900)), max_size=8),
    rest=st.integers(0, 500),
)
def test_a_bar_is_as_long_as_what_is_spent(parts: list[tuple[str, int]], rest: int) -> None:
    """Its pieces lie side by side and fill no more than their share."""
    whole = sum(tokens for _, tokens in parts) + rest
    made = bar(parts, whole=whole)
    assert sum(part.tokens for part in made) == whole - rest
    assert all(abs(left.x + left.width - right.x) < 0.2 for left, right in itertools.pairwise(made))
    assert not made or made[-1].x + made[-1].width <= WIDTH + 0.2


@given(st.lists(st.tuples(ages, shares, shares), max_size=12))
def test_every_episode_has_its_place_on_the_timeline(rows: list[tuple[timedelta, float, float]]) -> None:
    """However many, however close together."""
    chart = timeline([(str(number), NOON - age, *rest) for number, (age, *rest) in enumerate(rows)])
    assert len(chart.spots) == len(rows)
    assert all(0 <= spot.x <= WIDTH and 0 <= spot.y <= HEIGHT and spot.radius > 0 for spot in chart.spots)
