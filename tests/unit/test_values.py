"""Values: what may be another one tomorrow."""

from __future__ import annotations

from tests.each import each
from yesteryear.core.language.discourse import has_value


@each(
    "text", ["The budget is 900 euros", "I run twice a week", "We meet on TUESDAYS", "It is due in March", "half of it"]
)
def test_numbers_days_and_months_are_values(text: str) -> None:
    """In figures and in words."""
    assert has_value(text)


@each("text", ["", "I run often", "I may come", "someone won", "tend to it"])
def test_other_words_are_no_values(text: str) -> None:
    """Nor is a word that only holds one, or a month that is more often something else."""
    assert not has_value(text)
