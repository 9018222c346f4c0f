"""The reader that knows words alone: what is plainly said, in its place, and nothing else."""

from __future__ import annotations

from tests.each import each
from yesteryear.core.attributes import FactKind
from yesteryear.core.reading import Before, MessageReading, SpeakerStance
from yesteryear.providers.local.word_reader import WordReader

ASKED = Before("assistant", "What do you do for work?")


def read(text: str, *before: Before) -> MessageReading:
    """Return a message as it was read."""
    return WordReader().read(text, before=before)


def test_each_sentence_is_read_by_itself() -> None:
    """What tells of nobody's life stands between, and states nothing."""
    text = "I'm allergic to shellfish. What a day! My sister Priya is a nurse."
    found = read(text)
    assert [text[each.start : each.end] for each in found.statements] == [
        "I'm allergic to shellfish.",
        "My sister Priya is a nurse.",
    ]
    assert [each.kind for each in found.statements] == [FactKind.IDENTITY, FactKind.RELATIONSHIP]
    assert [each.worth > 0.5 for each in found.sentences] == [True, False, True]
    assert found.is_worth == found.sentences[0].worth


@each("text", ["Do I live in Oslo?", "If I were a nurse I'd live in Oslo.", "ok thanks", "", "🎉", "The sky is blue."])
def test_what_is_asked_imagined_or_about_nobody_states_nothing(text: str) -> None:
    """Nor what has no words."""
    found = read(text)
    assert found.statements == []
    assert found.is_worth == 0


@each(
    ("text", "stance"),
    [
        ("I live in Oslo.", SpeakerStance.HOLDS),
        ("Do I live in Oslo?", SpeakerStance.ASKED),
        ("If I were a nurse I'd live in Oslo.", SpeakerStance.IMAGINED),
    ],
)
def test_how_it_is_meant_goes_by_its_words(text: str, stance: SpeakerStance) -> None:
    """And the mark at its end."""
    (sentence,) = read(text).sentences
    assert sentence.stance is stance


def test_a_few_words_answer_what_somebody_else_asked() -> None:
    """In a message of one sentence, and not one's own question."""
    (sentence,) = read("a nurse", ASKED).sentences
    (statement,) = sentence.statements
    assert sentence.answers
    assert not statement.is_alone
    assert read("a nurse", Before("me", ASKED.text)).statements == []
    assert read("hm. a nurse", ASKED).statements == []


def test_a_long_message_is_read_from_its_beginning() -> None:
    """In bounded time."""
    assert len(read("I like tea. " * 5_000).sentences) == 300
