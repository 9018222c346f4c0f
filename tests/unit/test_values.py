"""Values that change, and questions about what holds now."""

from __future__ import annotations

from tests.each import each
from yesteryear.core.language.questions import asks_for_present_value, has_value, same_slot, tells_change


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


@each(
    "text",
    [
        "Now it is 900",
        "We moved it to Friday",
        "I don't smoke anymore",
        "Friday instead",
        "It went up to 12",
        "The meeting was rescheduled",
        "We’ve switched to rye",
        "The deadline got pushed back",
    ],
)
def test_words_of_change_are_recognised(text: str) -> None:
    """Whatever is told to be another than it was."""
    assert tells_change(text)


@each("text", ["", "The budget is 900 euros", "I know him", "A knowledgeable man", "It snowed"])
def test_a_plain_statement_tells_no_change(text: str) -> None:
    """Nor does a word that only holds "now"."""
    assert not tells_change(text)


@each(
    "question",
    [
        "How much is the budget?",
        "how many days do I run",
        "What's my budget?",
        "When is the meeting?",
        "What is the latest version?",
        "Which day do we meet?",
        "what time does it start",
        "How often do I run these days?",
    ],
)
def test_questions_for_a_value_as_it_is_now(question: str) -> None:
    """How much, when, which day, what is mine."""
    assert asks_for_present_value(question)


@each(
    "question",
    [
        "",
        "Who runs with me?",
        "Tell me about bread",
        "How much was the first budget?",
        "When was the meeting originally?",
        "What's my previous address?",
        "How often did I use to run before?",
        "What was my old number?",
        "When did Ana visit Rome?",
        "When was I in Rome?",
    ],
)
def test_questions_for_something_else(question: str) -> None:
    """No value at all, what it was at first, before or originally, or when something happened."""
    assert not asks_for_present_value(question)


@each(
    ("one", "other", "question", "is_same"),
    [
        ("My budget is 500.", "I raised my budget to 700.", "What is my budget now?", True),
        ("The budget is 900 euros.", "From now on the budget is 1500.", "How much is the budget?", True),
        ("I spent 40, so the budget has a dent.", "I raised my budget to 700.", "What is my budget now?", False),
        ("Ben's rent is 600.", "My rent is now 950.", "How much is my rent?", False),
        ("The train tickets were 80.", "The concert tickets are now 120.", "How much are the tickets?", False),
        ("I run at 7.", "Now I swim at 8.", "When do I run?", False),
    ],
)
def test_a_value_belongs_to_what_it_is_the_value_of(one: str, other: str, question: str, is_same: bool) -> None:
    """Else what somebody spent would be an earlier budget."""
    assert same_slot(one, other, question) is is_same
