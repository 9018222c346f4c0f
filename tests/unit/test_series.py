"""Numbers of messages become series: in one unit, corrected, each told once, with differences resolved."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from tests.each import each
from tests.workshop import NOON
from yesteryear.core.measurement import Manner, Measurement, Nature
from yesteryear.core.message import Message
from yesteryear.measure.series import (
    NO_CURRENCY,
    NO_EARLIER,
    NO_UNIT,
    REPEATED,
    REPLACED,
    Series,
    build_series,
    what_key,
)
from yesteryear.measure.table import converted, known_measures, series_unit, units_of
from yesteryear.testing.builders import a_message

TODAY = NOON.date()
YESTERDAY = TODAY - timedelta(days=1)


def a_number(measure: str, value: float, unit: str = "", day: date = TODAY, **changes: Any) -> Measurement:
    """Return a number that a message tells of a day."""
    return replace(Measurement(measure, value, unit, 0, 0, day, day), **changes)


def says(seq: int, *numbers: Measurement, text: str = "", hours: float = 0, **changes: Any) -> Message:
    """Return a message that tells numbers, so many hours after noon."""
    return a_message(text, seq=seq, numbers=numbers, minutes=60 * hours + seq, **changes)


def values(found: list[Series]) -> dict[tuple[str, str, str], list[float]]:
    """Return the values of each series by its key."""
    return {tuple(series.key): [round(point.value, 3) for point in series.points] for series in found}  # type: ignore[misc]


@each(
    ("measure", "value", "unit", "kept"),
    [
        ("weight", 10, "stone", (63.503, "kg")),
        ("weight", 150, "lb", (68.039, "kg")),
        ("run", 3, "mile", (4.828, "km")),
        ("run", 0.5, "hour", (30, "min")),
        ("swim", 1.2, "km", (1200, "m")),
        ("swim", 100, "yard", (91.44, "m")),
        ("sleep", 450, "minute", (7.5, "h")),
        ("meditation", 0.5, "hour", (30, "min")),
        ("temperature", 101.3, "degF", (38.5, "degC")),
        ("temperature", 38.5, "degree", (38.5, "degC")),
        ("temperature", 101.3, "", (38.5, "degC")),
        ("glucose", 5.5, "mmol/L", (99.1, "mg/dL")),
        ("glucose", 5.5, "mg/dL", (99.1, "mg/dL")),
        ("glucose", 99, "mg/dL", (99, "mg/dL")),
        ("water", 3, "glass", (0.75, "l")),
        ("water", 2, "cup", (0.48, "l")),
        ("water", 1, "bottle", (0.5, "l")),
        ("water", 750, "ml", (0.75, "l")),
        ("coffee", 2, "cup", (2, "coffee")),
        ("mark", 14, "/20", (70, "percent")),
        ("mood", 4, "/5", (8, "/10")),
        ("steps", 9000, "step", (9000, "step")),
    ],
)
def test_a_value_is_kept_in_the_unit_of_its_series(
    measure: str, value: float, unit: str, kept: tuple[float, str]
) -> None:
    """Whatever it was told in."""
    (series,) = build_series([says(1, a_number(measure, value, unit))])
    assert (round(series.points[0].value, 3), series.key.unit) == kept


def test_every_unit_of_a_measure_has_a_series() -> None:
    """But those that tell nothing by themselves."""
    assert units_of("run") == ("km", "min")
    assert set(known_measures()) > {"sleep", "count", "spent"}
    for unit in ("h", "min", "l", "km", "m", "kg", "degC"):
        assert series_unit({"h": "sleep", "l": "water", "degC": "temperature", "kg": "weight"}.get(unit, "swim"), unit)


def test_a_difference_has_no_zero() -> None:
    """Of a unit whose zero lies elsewhere."""
    assert converted(1.8, "temperature", "degF", "degC", is_difference=True) == pytest.approx(1)
    assert converted(1, "water", "kg", "l") is None


def test_what_cannot_be_converted_stays_out_with_its_reason() -> None:
    """It is listed where the others of its measure are."""
    (series,) = build_series([says(1, a_number("water", 3, "kg")), says(2, a_number("water", 1, "liter"))])
    assert [point.value for point in series.points] == [1]
    assert [(row.value, row.unit, row.reason) for row in series.left_out] == [(3, "kg", "kg cannot be told in l")]


def test_how_far_and_how_long_are_two_series() -> None:
    """Of one run."""
    found = build_series([says(1, a_number("run", 5, "km"), a_number("run", 31, "minute"))])
    assert values(found) == {("run", "km", ""): [5], ("run", "min", ""): [31]}


def test_money_is_kept_by_currency_and_by_what_it_was_for() -> None:
    """Never added up; without a currency it joins the only one that somebody uses."""
    coffee = [says(1, a_number("spent", 3, "EUR", what="the Coffees")), says(2, a_number("spent", 4, what="coffee"))]
    assert values(build_series(coffee)) == {("spent", "EUR", "coffe"): [3, 4]}
    found = build_series([*coffee, says(3, a_number("earned", 9, "GBP", what="tips"))])
    assert values(found) == {("spent", "EUR", "coffe"): [3], ("earned", "GBP", "tip"): [9], ("spent", "", "coffe"): []}
    assert [row.reason for series in found for row in series.left_out] == [NO_CURRENCY]
    assert values(build_series([says(1, a_number("spent", 3))])) == {("spent", "", ""): [3]}


def test_a_weight_without_a_unit_is_in_the_only_one_that_somebody_uses() -> None:
    """In none where none was ever said, and in no series where it may be either."""
    bare, in_lb = says(1, a_number("weight", 150)), says(2, a_number("weight", 160, "lb"))
    assert values(build_series([bare])) == {("weight", "", ""): [150]}
    assert values(build_series([bare, in_lb])) == {("weight", "kg", ""): [68.039, 72.575]}
    (series,) = build_series([bare, in_lb, says(3, a_number("weight", 70, "kg"))])
    assert [row.reason for row in series.left_out] == [NO_UNIT]


@each(
    ("one", "other"),
    [("the coffees", "Coffee"), ("push-ups", "push-up"), ("push-ups", "pushups"), ("a new book", "new books")],
)
def test_what_is_counted_is_compared_without_articles_and_endings(one: str, other: str) -> None:
    """People never say it twice the same way."""
    assert what_key(one) == what_key(other) != ""


def test_a_range_counts_as_its_middle() -> None:
    """Both of its ends are shown."""
    ((point,),) = (series.points for series in build_series([says(1, a_number("run", 5, "mile", high=6.0))]))
    assert (point.value, point.low, point.high) == pytest.approx((8.851, 8.047, 9.656), abs=1e-3)


def test_the_two_pressures_of_blood_are_two_series() -> None:
    """They are no range."""
    found = build_series([says(1, a_number("blood_pressure", 128, "mmHg", high=82.0))])
    assert {(series.what, series.points[0].value, series.points[0].low) for series in found} == {
        ("systolic", 128, None),
        ("diastolic", 82, None),
    }


CORRECTING, REPEATING = {"manner": Manner.CORRECTS}, {"manner": Manner.REPEATS}


def test_a_correction_takes_the_place_of_what_was_told() -> None:
    """Of the latest value of its days; its words are not needed."""
    first, second = says(1, a_number("run", 5, "km")), says(2, a_number("run", 21, "km"))
    assert values(build_series([first, second, says(3, a_number("run", 12, "km", **CORRECTING))])) == {
        ("run", "km", ""): [5, 12]
    }


def test_a_correction_has_the_unit_and_the_thing_of_what_it_corrects() -> None:
    """Where it tells none of its own."""
    found = build_series(
        [says(1, a_number("spent", 21, "EUR", what="coffee")), says(2, a_number("spent", 12, **CORRECTING))]
    )
    assert values(found) == {("spent", "EUR", "coffe"): [12]}


@each(
    "other",
    [
        {"day": YESTERDAY},
        {"measure": "walk"},
        {"author": "Marc"},
        {"hours": 25.0},
        {"manner": Manner.FIRST},
    ],
)
def test_a_correction_is_one_of_the_same_day_by_the_same_author_soon_after(other: dict[str, Any]) -> None:
    """Whatever else is told counts beside it."""
    given = {**CORRECTING, "hours": 1.0, "author": "Ana", "day": TODAY, "measure": "run"} | other
    number = a_number(given.pop("measure"), 12, "km", given.pop("day"), manner=given.pop("manner"))
    found = build_series([says(1, a_number("run", 21, "km")), says(2, number, **given)])
    assert sum(len(series.points) for series in found) == 2


def test_a_correction_of_a_correction_counts() -> None:
    """The last word holds."""
    told = [a_number("run", 21, "km"), *(a_number("run", value, "km", **CORRECTING) for value in (11, 12))]
    assert values(build_series([says(seq, number) for seq, number in enumerate(told, 1)])) == {("run", "km", ""): [12]}


@each(
    ("measure", "manner", "counts"),
    [
        ("spent", Manner.FIRST, 2),
        ("spent", Manner.REPEATS, 1),
        ("sleep", Manner.FIRST, 1),
        ("steps", Manner.FIRST, 1),
        ("weight", Manner.FIRST, 1),
        ("mood", Manner.FIRST, 1),
        ("run", Manner.FIRST, 2),
        ("run", Manner.REPEATS, 1),
    ],
)
def test_what_is_told_again_counts_once(measure: str, manner: Manner, counts: int) -> None:
    """Where it says so, or where a day has one such value; two equal sums of money are two."""
    unit = {"spent": "EUR", "sleep": "hour", "steps": "step", "weight": "kg", "mood": "/10", "run": "km"}[measure]
    number = a_number(measure, 5, unit)
    (series,) = build_series([says(1, number), says(2, replace(number, manner=manner))])
    assert len(series.points) == counts
    assert [row.reason for row in series.left_out] == [REPEATED] * (2 - counts)


def test_a_night_has_one_sleep() -> None:
    """Told anew, the later holds; naps are added, and what one message tells of a night."""
    night, nap = a_number("sleep", 7, "hour"), a_number("sleep", 1, "hour", what="nap")
    (series,) = build_series([says(1, night), says(2, nap), says(3, replace(night, value=6.5)), says(4, nap)])
    assert series.days == {TODAY: 8.5}
    assert [(row.value, row.reason) for row in series.left_out] == [(7, REPLACED)]
    (series,) = build_series([says(1, replace(night, value=4), replace(night, value=2))])
    assert series.days == {TODAY: 6}


def test_a_difference_is_added_to_the_latest_earlier_value() -> None:
    """To that of a correction, too; one before all values stays out."""
    lost = a_number("weight", -2, "kg", nature=Nature.CHANGE)
    before = replace(lost, first_day=YESTERDAY - timedelta(days=9), last_day=YESTERDAY - timedelta(days=9))
    said = [
        says(1, before),
        says(2, a_number("weight", 80, "kg", YESTERDAY)),
        says(3, lost, hours=1),
        says(4, a_number("weight", 82, "kg", YESTERDAY, **CORRECTING), hours=2),
        says(5, replace(lost, value=-4.40925, unit="lb"), hours=3),
    ]
    (series,) = build_series(said)
    assert [round(point.value, 2) for point in series.points] == [82, 80, 78]
    assert [(row.value, row.reason) for row in series.left_out] == [(-2, NO_EARLIER), (80, REPLACED)]


def test_a_difference_is_one_from_the_days_that_it_names() -> None:
    """And what comes of it is so on the day it was said."""
    last_week = [TODAY - timedelta(days=8), TODAY - timedelta(days=2)]
    lost = a_number("weight", -2, "kg", last_week[0], last_day=last_week[1], nature=Nature.CHANGE)
    today, before = a_number("weight", 81, "kg"), a_number("weight", 84, "kg", last_week[0])
    (series,) = build_series([says(1, before), says(2, today), says(3, lost)])
    assert [(point.first_day, point.value) for point in series.points] == [(last_week[0], 84), (TODAY, 81), (TODAY, 82)]
    (series,) = build_series([says(1, today), says(2, lost)])
    assert [point.value for point in series.points] == [81]
    assert [row.reason for row in series.left_out] == [NO_EARLIER]


def test_goals_and_habits_are_no_values() -> None:
    """The latest of each is told apart."""
    said = [
        says(1, a_number("sleep", 8, "hour", nature=Nature.TARGET, per="day")),
        says(2, a_number("sleep", 450, "minute", nature=Nature.TARGET, per="day")),
        says(3, a_number("sleep", 6, "hour", nature=Nature.USUAL, per="day", high=7.0)),
    ]
    (series,) = build_series(said)
    assert series.points == ()
    assert series.target
    assert (series.target.value, series.target.unit, series.target.per) == (7.5, "h", "day")
    assert series.usual
    assert (series.usual.value, series.usual.high) == (6, 7)


@each(("measure", "day"), [("run", 9), ("weight", 6), ("steps", 6), ("mood", 4.5)])
def test_the_values_of_a_day_come_together(measure: str, day: float) -> None:
    """By their sum, the last, the most or the mean."""
    unit = {"run": "km", "weight": "kg", "steps": "step", "mood": "/10"}[measure]
    (series,) = build_series([says(1, a_number(measure, 3, unit)), says(2, a_number(measure, 6, unit))])
    assert series.days == {TODAY: day}


def test_words_are_shown_where_they_are_kept() -> None:
    """A number stays without them."""
    text = "I ran 5 km today"
    (series,) = build_series([says(1, a_number("run", 5, "km", start=6, end=10), text=text)])
    assert [(point.said, point.message) for point in series.points] == [("5 km", "c1-1")]
    (series,) = build_series([says(1, a_number("run", 5, "km", start=6, end=10))])
    assert [point.said for point in series.points] == [""]
