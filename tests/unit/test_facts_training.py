"""Training the heads for facts: what is learnt from which rows, and what is held out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.each import each
from yesteryear.core.attributes import FactKind
from yesteryear.core.heads import HeadsFile, heads_to_json
from yesteryear.providers.hashing import HashingEmbedder
from yesteryear.providers.local.facts.selecting import JOIN, KIND, MESSAGE, UNIT, YES
from yesteryear.providers.local.facts.utterance import read_utterance
from yesteryear_lab import LABELLED
from yesteryear_lab.training.fact_heads import gather, join_cases, kind_cases, unit_cases
from yesteryear_lab.training.fact_rows import (
    guess_quote,
    read_dialog_messages,
    read_gate_messages,
    read_sentences,
    units_covered,
)
from yesteryear_lab.training.fact_scores import GoldFact, read_dialogs
from yesteryear_lab.training.facts import RECIPE, judge_sentences, stating_figures
from yesteryear_lab.training.recipe import Materials
from yesteryear_lab.training.rows import read_rows

SENTENCE = {
    "id": "s1",
    "author": "Ana",
    "at": "2026-01-02",
    "text": "Hm, let me think. I quit my job, Friday is my last day, and my sister sings",
    "facts": [
        {"kind": "decision", "quote": "I quit my job, Friday is my last day"},
        {"kind": "relationship", "quote": "my sister sings"},
    ],
}


@pytest.fixture
def few_rows(tmp_path: Path) -> Path:
    """A folder with some rows of each file."""
    for name, count in (*((name, 40) for name in RECIPE.sentences), *((name, 6) for name in RECIPE.dialogs)):
        rows = read_rows(LABELLED, name)[:: 7 if name == "sentences-3.jsonl" else 1][:count]
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for name in RECIPE.exchanges:
        (tmp_path / name).write_text("\n".join(map(json.dumps, read_rows(LABELLED, name)[:30])), encoding="utf-8")
    return tmp_path


def materials(folder: Path) -> Materials:
    """Return training on a folder of rows, with vectors that need no model."""
    return Materials(folder, HashingEmbedder(), lambda _: None)


def write_rows(path: Path, *rows: dict[str, object]) -> Path:
    """Write rows as JSON Lines, and return their folder."""
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path.parent


def test_units_state_what_quotes_cover(tmp_path: Path) -> None:
    """Neighbours under one quote are one statement, others are not; what nobody quotes states nothing."""
    (row,) = read_sentences(write_rows(tmp_path / "rows.jsonl", SENTENCE), "rows.jsonl")
    assert [unit.text for unit in row.utterance.units][1:3] == ["I quit my job", "Friday is my last day"]
    assert [label == YES for *_, label, _ in unit_cases(row)] == [False, True, True, True]
    assert [label == YES for *_, label, _ in join_cases(row)] == [False, True, False]
    assert [label for *_, label, _ in kind_cases(row)] == ["decision", "relationship"]


def test_a_quote_smaller_than_its_unit_is_that_unit() -> None:
    """A word of it is enough to know where it stands."""
    utterance = read_utterance("had to leave choir early again because the babysitter only stays till nine")
    assert list(units_covered(utterance, 13, 18)) == [0]
    assert list(units_covered(utterance, 0, len(utterance.text))) == [0, 1]
    assert list(units_covered(utterance, 200, 210)) == []


def test_the_quote_of_a_dialogs_fact_is_guessed_from_its_words() -> None:
    """The fewest units that hold most of its stems; none where nothing is shared."""
    utterance = read_utterance("Good evening. I am 58, I say it openly. My wife Rasa never smoked")
    fact = GoldFact("Gintaras's wife Rasa never smoked", "relationship", ("rasa", "smok"), frozenset({0}))
    span = guess_quote(utterance, fact)
    assert span is not None
    assert [utterance.units[place].text for place in span.places] == ["My wife Rasa never smoked"]
    assert guess_quote(utterance, GoldFact("A boat", "event", ("boat",), frozenset())) is None


@pytest.mark.heavy
def test_exchanges_tell_only_where_nothing_is() -> None:
    """Which clause of a kept exchange states a fact is not known."""
    rows = read_gate_messages(LABELLED, "gate-1.jsonl")
    assert all(row.has_spans is not row.states_a_fact for row in rows)
    assert {label for row in rows for *_, label, _ in unit_cases(row)} == {"no"}


def test_only_what_users_say_is_learnt_from() -> None:
    """Assistants state no facts about the person."""
    dialogs = read_dialogs(LABELLED, "dialogs.jsonl")[:5]
    said = {message.content for dialog in dialogs for message in dialog.messages if message.role == "user"}
    assert {row.message.content for row in read_dialog_messages(dialogs, "dialogs.jsonl")} <= said


@each("name", RECIPE.sentences)
def test_all_labelled_sentences_are_sound(name: str) -> None:
    """Each id once, every quote a part of its text, every kind known."""
    rows = read_rows(LABELLED, name, needs=("id", "author", "at", "text", "facts"))
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        assert all(fact["quote"] in row["text"] for fact in row["facts"])
        assert all(fact.get("kind", FactKind.EVENT) in list(FactKind) for fact in row["facts"])


@pytest.mark.heavy
def test_training_twice_gives_the_same_bytes(few_rows: Path) -> None:
    """Four heads with vectors, and four without."""
    one, two = (RECIPE.fit(materials(few_rows)) for _ in range(2))
    shelves = [
        HeadsFile({(head.name, head.model): head for head in found.heads}, {"facts": found.seen})
        for found in (one, two)
    ]
    assert heads_to_json(shelves[0]) == heads_to_json(shelves[1])
    assert {(head.name, head.model) for head in one.heads} == {
        (name, model) for name in (UNIT, MESSAGE, JOIN, KIND) for model in (None, HashingEmbedder().profile.model)
    }
    assert sum(count for _, count in one.counts) > 0


@pytest.mark.heavy
def test_nobody_is_judged_by_heads_that_know_them(few_rows: Path) -> None:
    """All messages of a person are held out together; a name in sentences and in dialogs is two people."""
    data = RECIPE.read(materials(few_rows))
    heads_of: dict[tuple[bool, str], set[int]] = {}
    for number, heads in RECIPE.held_out(data, HashingEmbedder().profile.model).items():
        row = data.rows[number]
        heads_of.setdefault((row.file in RECIPE.dialogs, row.group), set()).add(id(heads))
    people = {(row.file in RECIPE.dialogs, row.group) for row in data.rows if row.file not in RECIPE.exchanges}
    assert set(heads_of) == people
    assert all(len(heads) == 1 for heads in heads_of.values())


@pytest.mark.heavy
def test_the_figures_are_shares(few_rows: Path) -> None:
    """Of each file, for heads with vectors and without."""
    tables = RECIPE.cross_validate(materials(few_rows))
    assert len(tables) == 6
    for table in tables:
        for name, figures in table.rows:
            assert len(figures) == len(table.columns)
            assert all(figure >= 0 for figure in figures)
            assert name in ("statements", "words", "decisions", "told") or "to" in name or max(figures) <= 1


def test_cases_know_their_message(tmp_path: Path) -> None:
    """So that what was held out can be left out of each head's cases."""
    rows = read_sentences(
        write_rows(tmp_path / "rows.jsonl", SENTENCE, {**SENTENCE, "id": "s2", "facts": []}), "rows.jsonl"
    )
    owners = gather(rows).owners
    assert owners[UNIT].tolist() == [0] * 4 + [1] * 4
    assert owners[KIND].tolist() == [0, 0]
    assert owners[MESSAGE].tolist() == [0, 1]


def test_shipped_heads_know_the_rows_they_were_trained_on() -> None:
    """Whoever changes cues or rows must train anew: by words alone, what is stated is still told."""
    figures = stating_figures(judge_sentences(LABELLED, "sentences.jsonl", HashingEmbedder()))
    assert figures["f1"] > 0.85
    assert figures["kind_accuracy"] > 0.45
