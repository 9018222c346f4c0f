"""What a person tells of their life in numbers, over days: series, corrected, put together, bounded by the scope."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import yesteryear
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.errors import InputError
from yesteryear.results import SeriesView, Uncounted

DAY = timedelta(days=1)
MONDAY = NOON.date()
ZONE = "Europe/Lisbon"


def tell(shop: Workshop, *texts: str, days: float = 1, user: str = "ana", project: str | None = None) -> None:
    """Say texts so many days apart, each in a conversation of its day, and have them thought over."""
    memory = shop.memory(user, project=project)
    for text in texts:
        number = len(memory.messages())
        memory.observe(text, conversation=f"talk-{number}", id=f"m-{number}", zone=ZONE, author="Ana")
        shop.clock.advance(days * DAY)
    memory.flush()


def one(memory: yesteryear.Memory, measure: str, by: str = "day") -> SeriesView:
    """Return the only series of a measure."""
    (found,) = memory.metrics(measure=measure, by=by)
    return found


def test_numbers_of_days_become_a_series(place: Path | str) -> None:
    """In one unit, with the words and the messages that told them."""
    with open_workshop(place) as shop:
        tell(shop, "I ran 5 km today.", "I ran 3 miles today.", "I ran 7 km today.")
        found = one(shop.memory(), "run")
        assert (found.unit, found.fold, found.what) == ("km", "sum", "")
        assert [(point.first_day, round(point.value, 2)) for point in found.points] == [
            (MONDAY, 5.0),
            (MONDAY + DAY, 4.83),
            (MONDAY + 2 * DAY, 7.0),
        ]
        assert [point.quotes for point in found.points] == [("5 km",), ("3 miles",), ("7 km",)]
        assert [point.messages for point in found.points] == [("m-0",), ("m-1",), ("m-2",)]
        assert found.total == pytest.approx(16.828, abs=1e-3)
        assert found.mean == pytest.approx(5.609, abs=1e-3)
        assert (found.last, found.last_day) == (7.0, MONDAY + 2 * DAY)
        assert (found.trend.per_week, found.trend.reason, found.change) == (None, "not enough data", None)


def test_a_week_begins_on_monday_and_a_month_on_its_first(place: Path | str) -> None:
    """Totals of what adds up, means of what does not."""
    with open_workshop(place) as shop:
        tell(shop, *(f"I ran {km} km today. Weighed {70 + km} kg this morning." for km in (5, 3, 7)), days=4)
        runs, weights = one(shop.memory(), "run", "week"), one(shop.memory(), "weight", "week")
        weeks = [(point.first_day, point.last_day, point.value, point.n) for point in runs.points]
        assert weeks == [(MONDAY, MONDAY + 6 * DAY, 8.0, 2), (MONDAY + 7 * DAY, MONDAY + 13 * DAY, 7.0, 1)]
        assert ([point.value for point in weights.points], weights.total) == ([74.0, 77.0], None)
        (month,) = one(shop.memory(), "run", "month").points
        assert (month.first_day, month.last_day, month.value) == (date(2026, 3, 1), date(2026, 3, 31), 15.0)


def test_a_correction_counts_in_the_place_of_what_was_wrong(place: Path | str) -> None:
    """And what is told again counts once."""
    with open_workshop(place) as shop:
        tell(shop, "I ran 21 km today.", "No wait, I ran 12 km today.", days=1 / 24)
        assert [point.quotes for point in one(shop.memory(), "run").points] == [("12 km",)]
        tell(shop, "I slept 7 hours last night.", "I slept 7 hours last night, lovely.", days=1 / 24)
        assert [point.value for point in one(shop.memory(), "sleep").points] == [7.0]


def test_a_correction_needs_no_more_than_its_number(place: Path | str) -> None:
    """What it is of stands in the message before; an apology for something else corrects nothing."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        for text, total in (
            ("I ran 21 km today.", 21.0),
            ("No wait, 12 km.", 12.0),
            ("Sorry for the late reply, I ran 5 km before work.", 17.0),
        ):
            memory.observe(text, conversation="a", author="Ana")
            memory.flush()
            assert one(memory, "run").total == total


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_correction_holds_also_where_words_are_not_kept(place: Path | str, is_kept: bool) -> None:
    """It is known when a number is read; so is what money was for, and that a night was told before."""
    with open_workshop(place, keep_verbatim=is_kept) as shop:
        memory = shop.memory()
        for text in (
            "I spent 18 euros on takeaway.",
            "assistant|Noted: 18 euros on takeaway.",
            "Sorry, it was 28 euros.",
            "I slept 7 hours last night.",
            "Last night I slept 6.5 hours, the watch says.",
            "Took a nap of half an hour at noon.",
        ):
            role, _, said = text.rpartition("|")
            memory.observe(said, role=role or "user", conversation="a", author=role or "Ana")
            memory.flush()
        assert [(view.what, view.total) for view in memory.metrics(measure="spent")] == [("takeaway", 28.0)]
        (sleep,) = memory.metrics(measure="sleep", by="week")
        assert (sleep.mean, sleep.total, sleep.points[0].value) == (7.0, None, 7.0)


def test_a_correction_holds_across_stretches_of_talk(place: Path | str) -> None:
    """Also where both are thought over together, and once more."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        for hours, text in (
            (0, "I ran 5 km today."),
            (9, "Scratch that, it was 6 km."),
            (10, "Forgot to say, it rained."),
        ):
            memory.observe(text, conversation="a", author="Ana", at=NOON + timedelta(hours=hours))
        shop.clock.advance(DAY)
        memory.flush()
        assert one(memory, "run").total == 6
        memory.reread()
        shop.work()
        assert one(memory, "run").total == 6


def test_a_stretch_adds_what_it_has_beyond_its_days(place: Path | str) -> None:
    """In a context as in the series."""
    with open_workshop(place) as shop:
        tell(shop, "I ran 5 km today.", "I've run 12 km this week.")
        assert one(shop.memory(), "run").total == 12.0
        assert ": 12 km in all, 2 times;" in shop.memory().context("how far did I run so far?").text


def test_a_difference_that_is_told_again_counts_once(place: Path | str) -> None:
    """Where the message says so."""
    with open_workshop(place) as shop:
        tell(shop, "Weighed in at 68 kg.", "I lost half a kilo.", "Like I said, I lost half a kilo.", days=1 / 24)
        assert one(shop.memory(), "weight").last == 67.5


def test_a_goal_stands_beside_the_values(place: Path | str) -> None:
    """It is no value of a day."""
    with open_workshop(place) as shop:
        tell(shop, "My goal is to sleep 8 hours a night.", "I slept 6 hours last night.")
        found = one(shop.memory(), "sleep")
        assert [point.value for point in found.points] == [6.0]
        assert found.target
        assert (found.target.value, found.target.per, found.target.message) == (8.0, "day", "m-0")


def test_money_is_told_by_what_it_was_for(place: Path | str) -> None:
    """And asked for by that, whatever its article."""
    with open_workshop(place) as shop:
        tell(shop, "I spent 4 euros on coffee today.", "I spent 30 euros on books.", "I spent 5 euros on coffee.")
        memory = shop.memory()
        assert {(row.what, row.unit, row.total) for row in memory.metrics(measure="spent")} == {
            ("coffee", "EUR", 9.0),
            ("books", "EUR", 30.0),
        }
        (found,) = memory.metrics(what="the Coffees")
        assert found.total == 9.0
        assert len(memory.metrics(limit=1)) == 1


def test_days_and_the_present_bound_what_is_told(place: Path | str) -> None:
    """Days are those of the person; the first instant is in, the last is not."""
    with open_workshop(place) as shop:
        tell(shop, "I ran 5 km today.", "I ran 6 km today.", "I ran 7 km today.")
        memory, midnight = shop.memory(), NOON.replace(hour=0)
        assert [row.total for row in memory.metrics(since=midnight + DAY)] == [13.0]
        assert [row.total for row in memory.metrics(until=midnight + DAY)] == [5.0]
        assert [row.total for row in memory.metrics(until=midnight + DAY + timedelta(hours=1))] == [11.0]
        assert [row.total for row in memory.metrics(at=NOON + DAY)] == [11.0]
        assert memory.metrics(since=midnight + 9 * DAY) == []
        assert [row.total for row in memory.metrics(until="9999-12-31T23:59:59Z")] == [18.0]


def test_a_date_is_one_where_the_person_is(place: Path | str) -> None:
    """As text or as a date, for days and for the present; what is told late in the evening is of that day."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        for day in (1, 2, 3):
            at = datetime(2026, 3, day, 23, 30, tzinfo=ZoneInfo("America/New_York"))
            memory.observe(f"I ran {day} km.", conversation="a", at=at, zone="America/New_York", author="Ana")
        shop.clock.advance(3 * DAY)
        memory.flush()
        assert [view.total for view in memory.metrics(since="2026-03-02", until="2026-03-03")] == [2]
        assert [view.total for view in memory.metrics(since="2026-03-02")] == [5]
        assert [view.total for view in memory.metrics(until=date(2026, 3, 3))] == [3]
        assert [view.total for view in memory.metrics(at="2026-03-02", measure="Run")] == [1]
        for wrong in ("2026-03-32", "2026-03-02T10:00"):
            with pytest.raises(InputError):
                memory.metrics(since=wrong)


def test_nobody_sees_another_scopes_numbers(place: Path | str) -> None:
    """Nor another project's."""
    with open_workshop(place) as shop:
        tell(shop, "I ran 5 km today.", project="marathon")
        tell(shop, "I ran 50 km today.", user="bob")
        assert shop.memory(project="thesis").metrics() == []
        assert one(shop.memory(project="marathon"), "run").total == 5.0
        assert one(shop.memory("bob"), "run").total == 50.0


def test_what_was_forgotten_is_in_no_series(place: Path | str) -> None:
    """Series are derived from rows; when these go, so does what they told."""
    with open_workshop(place) as shop:
        tell(shop, "I ran 5 km today.", "I ran 6 km today.")
        shop.memory().forget("m-0")
        assert [point.messages for point in one(shop.memory(), "run").points] == [("m-1",)]


def test_four_weeks_tell_a_trend_a_change_and_what_goes_together(place: Path | str) -> None:
    """From the words alone."""
    with open_workshop(place) as shop:
        hours = [5 + (number % 3) / 2 + 2 * (number >= 14) for number in range(28)]
        tell(shop, *(f"I slept {found} hours last night. Mood {round(found)}/10." for found in hours))
        memory = shop.memory()
        sleep = one(memory, "sleep")
        assert sleep.trend.low is not None
        assert sleep.trend.low > 0
        assert sleep.change
        assert sleep.change.before < 6 < sleep.change.after
        (found,) = memory.correlations()
        assert {found.one.measure, found.other.measure} == {"mood", "sleep"}
        assert found.rho > 0.8
        assert memory.correlations(until=NOON + 10 * DAY) == []


def test_what_cannot_be_told_is_refused_or_left_out(place: Path | str) -> None:
    """With the measures that there are, or the reason."""
    with open_workshop(place) as shop:
        tell(shop, "I lost 2 kg.")
        memory = shop.memory()
        with pytest.raises(InputError, match=r"no measure 'luck'; there are: .*sleep.*count"):
            memory.metrics(measure="luck")
        with pytest.raises(InputError, match="by is one of day, week, month, not 'year'"):
            memory.metrics(by="year")
        found = one(memory, "weight")
        assert (found.points, found.last, found.total, found.mean) == ((), None, None, None)
        reason = "a difference, and no earlier value is known"
        assert found.left_out == (Uncounted(-2.0, "kg", MONDAY, reason, "2 kg", "m-0"),)


def test_a_context_tells_a_number_that_is_asked_for(place: Path | str) -> None:
    """With the messages behind it; nothing where no number is asked for."""
    with open_workshop(place) as shop:
        tell(shop, "I spent 12 euros on lunch.", "I spent 9 euros on lunch.", "I spent 3 euros on coffee.")
        memory = shop.memory()
        found = memory.context("How much did I spend on lunch so far?").lanes["numbers"]
        assert [(item.messages, "21 EUR in all, 2 times" in item.text) for item in found] == [(("m-0", "m-1"), True)]
        assert "Numbers Told:" in memory.context("How much did I spend on food in total?").text
        assert "numbers" not in memory.context("What did I have for lunch?").lanes
        assert not memory.context("How much did I spend on lunch so far?", budget=20).lanes.get("numbers")
        tell(shop, "I spent 7 dollars on lunch.")
        small = memory.context("How much did I spend on lunch so far?", budget=150)
        assert len(small.lanes["numbers"]) == 1
        assert "1 numbers that were asked for find no room in a budget of 150" in small.notes


def test_what_was_just_said_counts_at_once(place: Path | str) -> None:
    """But not what was brought along, nor where several people speak; judged, it counts no second time."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        memory.observe("I ran 5 km today.", conversation="a", author="Ana")
        memory.observe("What does this say?\n\nI ran 50 km today.", conversation="a", author="Ana")
        memory.observe("I slept 3 hours last night.", conversation="b", author="Ana")
        memory.observe("I slept 9 hours last night.", conversation="b", author="Ben")
        assert [series.total for series in memory.metrics()] == [5.0]
        assert "5 km in all" in memory.context("how far did I run today?").text
        memory.flush()
        assert one(memory, "run").total == 5.0
