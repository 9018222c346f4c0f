"""Numbers and units in a text, in figures and in words; and what only looks like an amount."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.measure.quantities import MOST_QUANTITIES, find_quantities


@each(
    ("text", "value", "unit"),
    [
        ("11.2 km along the canal", 11.2, "km"),
        ("72,4 kg", 72.4, "kg"),
        ("8,381 steps", 8381, "step"),
        ("12 340 steps", 12340, "step"),
        ("14k steps", 14000, "step"),
        ("fourteen thousand two hundred steps", 14200, "step"),
        ("two and a half hours", 2.5, "hour"),
        ("an hour and a quarter", 1.25, "hour"),
        ("two hours forty one", 2 + 41 / 60, "hour"),
        ("half an hour", 0.5, "hour"),
        ("three quarters of an hour", 0.75, "hour"),
        ("7h20", 7 + 20 / 60, "hour"),
        ("8h 12m", 8.2, "hour"),
        ("13 stone 4", 13 + 4 / 14, "stone"),
        ("a pound and a half lighter", 1.5, "lb"),
        ("an hour's walk", 1, "hour"),
        ("a couple of pints", 2, "drink"),
        ("one sixty two", 162, ""),
        ("8 out of 10", 8, "/10"),
        ("7 of 10", 7, "/10"),
        ("seventy one point four kilos", 71.4, "kg"),
        ("3 sets of 10 push-ups", 30, "rep"),
        ("slept from 23 to 6.30", 7.5, "hour"),
        ("went to bed at midnight and woke up at half past seven", 7.5, "hour"),
        ("at work from 7am to 3:30pm", 8.5, "hour"),
        ("slept from 6 to 7 hours", 7, "hour"),
        ("12/20", 12, "/20"),
        ("37.9 °C", 37.9, "degC"),
        ("5 1/2 miles", 5.5, "mile"),
    ],
)
def test_a_number_is_read_with_its_unit(text: str, value: float, unit: str) -> None:
    """In figures of any country, in words, and in pieces."""
    (found,) = find_quantities(text)
    assert (round(found.value, 6), found.unit, found.is_money) == (round(value, 6), unit, False)
    assert text[found.start : found.end].strip() in text


@each(
    ("text", "value", "currency"),
    [
        ("$5.16", 5.16, "USD"),
        ("A$12", 12, "AUD"),
        ("1.500 €", 1500, "EUR"),
        ("₹4,20,000", 420_000, "INR"),
        ("20 quid", 20, "GBP"),
        ("a tenner", 10, "GBP"),
        ("forty-five pounds for the lesson", 45, "GBP"),
        ("12 dollars canadian", 12, "CAD"),
        ("18 yuan", 18, "CNY"),
        ("R$ 50", 50, "BRL"),
        ("50 cents", 0.5, ""),
    ],
)
def test_money_is_read_with_its_currency(text: str, value: float, currency: str) -> None:
    """By its sign, its name or its note; cents do not say of what."""
    (found,) = find_quantities(text)
    assert (found.value, found.unit, found.is_money) == (value, currency, True)


@each(
    ("text", "low", "high", "unit"),
    [
        ("5 to 6 hours", 5, 6, "hour"),
        ("between 700 and 800 words", 700, 800, "word"),
        ("9 to 10k steps", 9000, 10000, "step"),
        ("132 over 84", 132, 84, "mmHg"),
        ("one thirty four over eighty two", 134, 82, "mmHg"),
    ],
)
def test_two_numbers_may_be_one_quantity(text: str, low: float, high: float, unit: str) -> None:
    """A range, or the pressures of blood."""
    (found,) = find_quantities(text)
    assert (found.value, found.high, found.unit) == (low, high, unit)


@each(
    "text",
    [
        "ring 0113 496 0182",
        "call 214-555-0148",
        "iOS 26.3 ate my battery",
        "version 3.4.1",
        "page 214",
        "room 12",
        "the 26th of May",
        "at 7 pm",
        "3:45",
        "1187 Maceda St",
        "we lost 98-72",
        "I am 31 years old",
    ],
)
def test_what_is_no_amount_is_left_out(text: str) -> None:
    """Phones, versions, pages, dates, hours, addresses, results of matches, ages."""
    assert find_quantities(text) == []


@given(st.text(alphabet="0123456789.,/-: akmhgl£$€½'\n", max_size=300) | st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """In order, within the text, with numbers that can be kept, and no more than are looked at."""
    found = find_quantities(text)
    assert len(found) <= MOST_QUANTITIES
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= two.start for one, two in pairwise(found))
    assert all(abs(each.value) <= 1e12 for each in found)
