"""What only asks, and what asks for the other side's words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.discourse import asks, asks_about_past, asks_for_the_other, speaks_of_past


@each(
    "text",
    ["How was the trip?", "Really? Where did you go?", "What\u2019s her name??", "Who came? 😀", "What? \n"],
)
def test_nothing_but_questions(text: str) -> None:
    """Every sentence ends with a question mark."""
    assert asks(text)


@each(
    "text",
    ["", "   ", "It was lovely. How was yours?", "How was it? Tell all.", "Should I take the job?", "Where's my key?"],
)
def test_what_also_tells_is_no_mere_question(text: str) -> None:
    """A statement, or a question about the speaker, says something."""
    assert not asks(text)


@each(
    "question",
    "What did you suggest for the garden?|the list you gave me|Remind me what you said about Lisbon"
    "|Which book had you recommended?|What was your recommendation?|you told me about a hotel, which one?"
    "|What were the three steps you\u2019ve described?|what was your second suggestion"
    "|You were saying something about tea"
    "|WHAT DID YOU TELL ME|What name did you come up with?".split("|"),
)
def test_questions_for_what_the_other_said(question: str) -> None:
    """They are about words of the one addressed."""
    assert asks_for_the_other(question)


@each(
    "question",
    "What did I tell you?|Where do I live?|Can you tell me what I said?|Could you suggest a book?|What do you think?"
    "|Who told you that?|What did Anna suggest?|Which doctor recommended it?|How are you?|".split("|"),
)
def test_other_questions(question: str) -> None:
    """What the speaker or a third person said, and what is asked for now."""
    assert not asks_for_the_other(question)


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    """And what only asks ends with a mark."""
    assert not asks(text) or any(mark in text for mark in "?？؟")
    assert asks_for_the_other(text) in (True, False)


@each("text", ["¿Qué?", "Weißt du, dass ich nach Berlin gezogen bin?", "猫は好きですか？"])
def test_questions_in_other_languages_are_left_alone(text: str) -> None:
    """Whether they are about the speaker cannot be told."""
    assert not asks(text)


@each("text", ["What did I eat on Saturday?", "where was she last friday", "We talked on Monday, about?"])
def test_words_of_the_past_are_heard(text: str) -> None:
    """Then a weekday is the last one."""
    assert speaks_of_past(text)


@each("text", ["What should I eat on Saturday?", "is there anything on Friday", "Plan my Monday"])
def test_what_is_to_come_is_not_past(text: str) -> None:
    """Then a weekday may be the next one, and what was said on the last says nothing about it."""
    assert not speaks_of_past(text)


@each(
    "text",
    [
        "Where did I live?",
        "What was my job?",
        "Which flat did we rent BEFORE Porto?",
        "Who used to train with me?",
        "My previous address, please",
        "Have I ever smoked?",
        "What happened a year ago?",
    ],
)
def test_what_held_once_answers_questions_about_the_past(text: str) -> None:
    """Whatever the tense of their verb."""
    assert asks_about_past(text)


@each("text", ["Where do I live?", "Which shoes do I need?", "Plan my week", "Is the red bed sold by weight?", ""])
def test_what_held_once_is_no_answer_to_the_present(text: str) -> None:
    """A verb that only looks like one of the past changes nothing."""
    assert not asks_about_past(text)
