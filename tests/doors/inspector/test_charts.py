"""Where the lines of a chart lie."""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.api.inspector.charts import (
    HEIGHT,
    LEFT,
    MOST_MARKS,
    WIDTH,
    bar,
    belief_curve,
    fading_curve,
    series_chart,
    timeline,
)
from yesteryear.api.inspector.graph_layout import BOX_WIDTH, Box, GraphLink, lay_out
from yesteryear.lifecycle.why import EpisodeWhy, FactWhy
from yesteryear.results import Bucket, Trend

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


names = st.sampled_from("abcdefghij")
links = st.lists(st.builds(GraphLink, names, names, st.booleans()), max_size=30)


def _numbers(path: str) -> list[float]:
    return [float(each) for each in re.findall(r"-?\d+\.\d+", path)]


@given(links=links, texts=st.dictionaries(names, st.text(max_size=200)))
def test_a_graph_lies_on_its_canvas_whatever_leads_where(links: list[GraphLink], texts: dict[str, str]) -> None:
    """Circles, arrows to oneself, twice the same, none at all: no two boxes lie on each other, and it is so again."""
    words = dict.fromkeys((name for link in links for name in link[:2]), "") | texts
    made = lay_out(words, links)
    assert made == lay_out(words, links)
    assert [box.key for box in made.boxes] == list(dict.fromkeys(box.key for box in made.boxes))
    assert {box.key for box in made.boxes} == set(words)
    assert len(made.arrows) == len(links)
    for box in made.boxes:
        assert 0 <= box.x <= made.width - BOX_WIDTH
        assert 0 <= box.y <= made.height - box.height
        assert 1 <= len(box.lines) <= 3
    for one, other in itertools.combinations(made.boxes, 2):
        assert one.x + BOX_WIDTH <= other.x or other.x + BOX_WIDTH <= one.x or _apart(one, other)
    for link, arrow in zip(links, made.arrows, strict=True):
        assert bool(arrow.head) is not link.is_mutual
        assert 0 <= arrow.x <= made.width
        assert all(0 <= number <= max(made.width, made.height) for number in _numbers(arrow.path))


def _apart(one: Box, other: Box) -> bool:
    return one.y + one.height <= other.y or other.y + other.height <= one.y


def test_arrows_lead_to_the_right_where_nothing_runs_in_a_circle() -> None:
    """A chain is read like a line; only what closes a circle leads back."""
    chain = [GraphLink(one, other) for one, other in itertools.pairwise("abcd")]
    places = {box.key: box.x for box in lay_out(dict.fromkeys("dcba", ""), chain).boxes}
    assert sorted(places, key=places.__getitem__) == list("abcd")
    circle = [*chain, GraphLink("d", "a")]
    places = {box.key: box.x for box in lay_out(dict.fromkeys("abcd", ""), circle).boxes}
    assert sum(places[link.source] > places[link.target] for link in circle) == 1


def test_an_arrow_that_passes_a_layer_goes_around_its_boxes() -> None:
    """Else it could not be told from two arrows that end and begin there."""
    made = lay_out(dict.fromkeys("abc", ""), [GraphLink("a", "b"), GraphLink("b", "c"), GraphLink("a", "c")])
    (box,) = (box for box in made.boxes if box.key == "b")
    passes = zip(*[iter(_numbers(made.arrows[2].path))] * 2, strict=True)
    heights = [y for x, y in passes if x in (box.x, box.x + BOX_WIDTH)]
    assert len(heights) == 2
    assert all(y < box.y or y > box.y + box.height for y in heights)


def test_a_large_graph_is_laid_out_at_once() -> None:
    """As many links as are ever drawn, each from everything to something."""
    many = [GraphLink(str(number % 7), str(number * 5 % 61)) for number in range(60)]
    words = {name: "many words " * 50 for link in many for name in link[:2]}
    began = time.perf_counter()
    lay_out(words, many)
    assert time.perf_counter() - began < 1


def _points(values: Iterable[tuple[int, float]], *, days: int = 1) -> list[Bucket]:
    first = date(2026, 3, 2)
    spans = [(first + timedelta(days=at), first + timedelta(days=at + days - 1), value) for at, value in values]
    return [Bucket(begin, end, value, 1, ("m",), ("so",)) for begin, end, value in spans]


@given(
    values=st.dictionaries(st.integers(0, 700_000), st.floats(), max_size=12),
    slope=st.floats(allow_nan=False, allow_infinity=False),
    has_zero=st.booleans(),
)
def test_any_values_lie_on_the_canvas(values: dict[int, float], slope: float, has_zero: bool) -> None:
    """One, many, equal, below zero, beyond all measure; what is no number is left out."""
    trend = Trend(slope, slope - 1, slope + 1, len(values))
    chart = series_chart(_points(sorted(values.items())), trend=trend, goals=[3.0], has_zero=has_zero)
    told = [value for value in values.values() if math.isfinite(value)]
    if chart is None:
        assert told == []
        return
    assert len(chart.marks) == len(told)
    assert all(LEFT <= mark.x <= WIDTH and 0 <= mark.y <= HEIGHT for mark in chart.marks)
    assert all(0 <= y <= HEIGHT for y in (*chart.goals, *(y for y, _ in chart.scale)))
    assert len(chart.scale) <= 12
    assert "nan" not in chart.trend + chart.band
    assert "inf" not in chart.trend + chart.band


def test_a_day_of_which_nothing_was_told_is_no_line() -> None:
    """Neighbouring days and weeks are joined, others are not; a line for each two that are."""
    assert series_chart(_points([(0, 5), (1, 6), (3, 7)])).line.count("M") == 1
    assert series_chart(_points([(0, 5), (7, 6), (21, 7)], days=7)).line.count("M") == 1
    assert series_chart(_points([(0, 5)])).line == ""


def test_a_trend_goes_through_the_middle_of_all_days() -> None:
    """Within its band; where none could be told there is neither."""
    points = _points([(day, 2 * day) for day in range(8)])
    chart = series_chart(points, trend=Trend(14.0, 7.0, 21.0, 8))
    assert chart is not None
    (_, begin), (_, middle), (_, end) = _places(chart.trend)
    assert begin == chart.marks[0].y
    assert end == chart.marks[-1].y
    assert abs(middle - (begin + end) / 2) <= 0.1
    assert chart.band.count("L") == 5
    without = series_chart(points, trend=Trend(None, None, None, 8, "constant"))
    assert without is not None
    assert without.trend == without.band == ""


def test_only_the_latest_values_are_drawn() -> None:
    """A mark tells which of all it is."""
    chart = series_chart(_points([(day, day % 9) for day in range(MOST_MARKS + 5)]))
    assert chart is not None
    assert [mark.number for mark in chart.marks] == list(range(5, MOST_MARKS + 5))
