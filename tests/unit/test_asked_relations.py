"""Which question about what bears on what a message asks, if it asks one."""

from __future__ import annotations

import pytest

from yesteryear.relate.inference import MOST_ASKED_CHARS, GraphQuestion, asked_relation

ASKED = [
    ("What's keeping me from the marathon?", "blocking", "the marathon", ""),
    ("What stands in the way of my visa?", "blocking", "my visa", ""),
    ("Why can't I run?", "blocking", "I run", ""),
    ("What helps me sleep?", "supporting", "sleep", ""),
    ("Which of my strengths support the goal?", "supporting", "the goal", ""),
    ("What clashes with choir?", "conflicts", "choir", ""),
    ("Which of my plans can't both be?", "conflicts", "", ""),
    ("Why did I quit my job?", "causes", "I quit my job", ""),
    ("What does my headache have to do with?", "related", "my headache", ""),
    ("What has the dog got to do with my blood pressure?", "path", "the dog", "my blood pressure"),
    ("How do the tutoring and the exam hang together?", "path", "the tutoring", "the exam"),
]


@pytest.mark.parametrize(("text", "question", "of", "to"), ASKED)
def test_a_question_is_known_by_its_words(text: str, question: str, of: str, to: str) -> None:
    """With what it is about, in the words of who asks."""
    assert asked_relation(text) == (GraphQuestion(question), of, to)
    assert asked_relation(f"  {text}\n") == (GraphQuestion(question), of, to)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "What?",
        "My knee hurts.",
        "How are you?",
        "I know what keeps me from it.",
        "Why? " + "x" * MOST_ASKED_CHARS,
    ],
)
def test_all_else_asks_no_such_thing(text: str) -> None:
    """Statements, small talk, and what is too long to be a question."""
    assert asked_relation(text) is None
