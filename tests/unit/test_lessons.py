"""What sentences are among those around them, as it is taught: by rows, in windows with what was said before."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import pytest

from yesteryear.core.reading import Before
from yesteryear_lab.reading.examples import IGNORED
from yesteryear_lab.reading.lessons import Lesson, Lessons
from yesteryear_lab.reading.rows import Label, LabelledMessage, LabelledSentence

KNOWN = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    *string.ascii_lowercase,
    *string.digits,
    *(f"##{digit}" for digit in string.digits),
    *(f"##{letter}" for letter in string.ascii_lowercase),
    *string.punctuation,
]


def row(*texts: str, back: list[tuple[int, str]], by: int) -> dict[str, Any]:
    """Return a row in which a user and an assistant take turns."""
    said = [{"role": ("user", "assistant")[n % 2], "text": text} for n, text in enumerate(texts)]
    return {"id": "x", "author": "Ana", "messages": said, "back": back, "by": by, "why": "joke"}


def lessons(tmp_path: Path, *rows: dict[str, Any]) -> list[Lesson]:
    """Return what some rows teach."""
    path = tmp_path / "taken-back.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    return list(Lessons(KNOWN).of_taken_back(path))


def told(lesson: Lesson) -> list[tuple[str, int]]:
    """Return sentences without their spaces, and whether each is taken back."""
    spelled = [KNOWN[number].removeprefix("##") for number in lesson.window.tokens]
    return [("".join(spelled[start:end]), back) for (start, end), _, back in lesson.sentences]


def test_what_is_taken_back_is_told_by_the_message_that_does_it(tmp_path: Path) -> None:
    """Before it nothing is; the assistant's words are nobody's to take back, and those that do it stand."""
    first, last = lessons(tmp_path, row("I quit. I am ill.", "Oh no.", "As if.", back=[(0, "I quit.")], by=2))
    assert told(first) == [("iquit.", 0), ("iamill.", 0)]
    assert told(last) == [("iquit.", 1), ("iamill.", 0), ("asif.", 0)]
    assert all(brought == IGNORED for _, brought, _ in (*first.sentences, *last.sentences))


@pytest.mark.parametrize(("piece", "gold"), [("and I won a prize", 1), ("a cat", IGNORED), ("", 0)])
def test_a_sentence_counts_of_which_most_is_taken_back(tmp_path: Path, piece: str, gold: int) -> None:
    """Of one of which less is, nothing is taught."""
    back = [(0, piece)] if piece else []
    (one,) = lessons(tmp_path, row("I have a cat and I won a prize", back=back, by=0))
    assert [each for _, each in told(one)] == [gold]


@pytest.mark.parametrize(
    ("stance", "sentences"),
    [
        ("holds", [("iquit.", 0), ("iamill.", 0), ("iamadog.", 0)]),
        ("joking", [("iamill.", 0), ("iamadog.", 1)]),
        ("imagined", [("iamill.", 0), ("iamadog.", 1)]),
        ("quoted", [("iamill.", 0), ("iamadog.", IGNORED)]),
    ],
)
def test_ordinary_talk_teaches_what_is_said_in_jest(stance: str, sentences: list[tuple[str, int]]) -> None:
    """What was said before it stands, unless a jest may take it back."""
    labels = [(0, 9, "holds"), (10, 20, stance)]
    spans = tuple(LabelledSentence(start, end, (Label(1, of),)) for start, end, of in labels)
    message = LabelledMessage("Ana", "self", "I am ill. I am a dog.", spans, before=(Before("me", "I quit."),))
    (one,) = Lessons(KNOWN).of_talk(message)
    assert told(one) == sentences


def test_what_a_statement_lacks_is_told_of_each_sentence_before_it(tmp_path: Path) -> None:
    """Of the message and of what the same person said before; words of others and what follows are nobody's help."""
    text = "It is stuffed. 4800 bucks. I know."
    before = [["me", "The gearbox broke. It rains."], ["them", "The gearbox?"]]
    row = {"before": before, "text": text, "start": 15, "end": 26, "worth": True, "needs": [["-", "gearbox broke"]]}
    path = tmp_path / "statements.jsonl"
    path.write_text(json.dumps({"id": "x", "author": "Ana"} | row) + "\n", encoding="utf-8")
    (one,) = Lessons(KNOWN).of_statements(path)
    spelled = [KNOWN[number].removeprefix("##") for number in one.window.tokens]
    assert [("".join(spelled[slice(*earlier)]), helps) for earlier, _, helps in one.pairs] == [
        ("thegearboxbroke.", 1),
        ("itrains.", 0),
        ("itisstuffed.", 0),
    ]
    assert {"".join(spelled[slice(*later)]) for _, later, _ in one.pairs} == {"4800bucks."}
    ((statement, sentence, is_alone),) = one.statements
    assert (statement == sentence, is_alone) == (True, 0)


def test_what_was_said_long_before_is_not_read(tmp_path: Path) -> None:
    """As many messages as a reader is given, and of them as much as it has room for."""
    texts = ["I quit.", "Oh.", "Yes.", "Oh.", "Yes.", "Oh.", "As if."]
    assert told(lessons(tmp_path, row(*texts, back=[(0, "I quit.")], by=6))[-1]) == [
        ("yes.", 0),
        ("yes.", 0),
        ("asif.", 0),
    ]
    texts = ["I quit. " + "ha " * 300, "Oh.", "As if."]
    assert ("iquit.", 1) not in told(lessons(tmp_path, row(*texts, back=[(0, "I quit.")], by=2))[-1])
