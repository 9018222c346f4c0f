"""Phrasebooks are read strictly, and make pairs and messages that are labelled by what their lines do."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT
from tests.each import each
from yesteryear.errors import InputError
from yesteryear_lab.reading.phrases import (
    draw_idle_pairs,
    draw_messages,
    draw_pairs,
    parted,
    read_phrases,
)
from yesteryear_lab.reading.rows import EFFECTS, Label, LabelledMessage, LabelledSentence

BOOKS = sorted((ROOT / "lab/labelled/phrases").glob("*.phrases"))
HOME = """## home
v: Leith; Porto
fact: {H} lives in {v}
tell: I live in {v}
turn: left {w}, {v} now
end: no more {v} for me
near: my sister lives in {v}
"""


def book(tmp_path: Path, text: str) -> Path:
    """Write a phrasebook."""
    path = tmp_path / "some.phrases"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_line_does_to_a_fact_what_its_value_says(tmp_path: Path) -> None:
    """The same value is told again, another takes the place of the one somebody can have."""
    [block] = read_phrases(book(tmp_path, HOME))
    assert (block.attribute, block.values, block.is_single) == ("home", ("Leith", "Porto"), True)
    pairs = list(draw_pairs([block], (), 400, random.Random(1)))
    assert {pair.effect for pair in pairs} == {"repeats", "updates", "ends", "none"}
    for pair in pairs:
        known, said = (
            {value for value in block.values if value.lower() in text.lower()} for text in (pair.fact, pair.text)
        )
        if pair.effect == "ends":
            assert known == said
        elif pair.effect == "updates":
            assert said - known
        elif pair.effect == "repeats":
            assert known <= said
    assert list(draw_pairs([block], (), 5, random.Random(1))) == pairs[:5]


def test_messages_are_labelled_with_attribute_and_holder(tmp_path: Path) -> None:
    """Of one's own, and with the name of somebody of theirs."""
    [block] = read_phrases(book(tmp_path, f"{HOME}other: {{O}} lives in {{v}} now\n"))
    labels = [message.sentences[0].labels[0] for message in draw_messages([block], 60, random.Random(2))]
    assert {(label.attribute, label.kind) for label in labels} == {("home", "identity")}
    assert {label.stance for label in labels} == {"holds", "ended"}
    assert all(bool(label.name) is (label.holder == "other") for label in labels)


def test_what_is_said_of_another_attribute_does_nothing() -> None:
    """Of two things one person said, in the order they were said."""

    def said(text: str, attribute: str) -> LabelledMessage:
        label = Label(2, "holds", "identity", attribute, end=len(text))
        return LabelledMessage("Ana", "self", text, (LabelledSentence(0, len(text), (label,)),), person="ana")

    talk = [said("I live in Porto.", "home"), said("I am a nurse.", "job")]
    [pair] = draw_idle_pairs(talk, 1, random.Random(3))
    assert (pair.fact, pair.text, pair.effect) == ("Ana: I live in Porto.", "I am a nurse.", "none")


@each(
    "text, match",
    [
        ("## nothing\nv: a; b\nfact: {H}\n", "'nothing' is no attribute"),
        ("## home\nv: Leith\nfact: {H}\n", "a block has values and facts"),
        ("## home\nv: a; b\ntell: I live in {v}\n", "a block has values and facts"),
        ("## home\nv: a; b\nfact: {H}\nsays: hello\n", "begins with none of v, fact"),
    ],
)
def test_what_is_no_phrasebook_is_refused(text: str, match: str, tmp_path: Path) -> None:
    """With the place."""
    with pytest.raises(InputError, match=rf"some\.phrases:\d+: .*{match}"):
        list(read_phrases(book(tmp_path, text)))


@pytest.mark.skipif(not BOOKS, reason="the laboratory's rows are not here")
def test_all_phrasebooks_are_of_the_form() -> None:
    """No line is taught and held out, and pairs of all effects come of them."""
    blocks = [block for path in BOOKS for block in read_phrases(path)]
    taught, held = zip(*map(parted, blocks), strict=True)
    for one, other in zip(taught, held, strict=True):
        assert all(
            not set(lines) & set(other.lines.get(kind, ())) for kind, lines in one.lines.items() if kind != "fact"
        )
    assert len(list(draw_messages(held, 500, random.Random(5)))) == len(
        list(draw_pairs(held, (), 500, random.Random(6)))
    )
    assert {pair.effect for pair in draw_pairs(taught, ["Haha."], 3_000, random.Random(4))} == set(EFFECTS)
