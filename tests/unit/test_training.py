"""Training: rows are read strictly, held out fairly, and the same rows give the same bytes."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from tests.readings import ScriptedReader, a_reading
from yesteryear.core.heads import HeadsFile, LinearHead, find_head, heads_from_json
from yesteryear.core.message import Reason, Role
from yesteryear.core.reading import MessageReading
from yesteryear.errors import InputError
from yesteryear.providers.hashing import HashingEmbedder
from yesteryear.providers.local.feelings import CUE_FEATURES, sentence_head
from yesteryear.providers.local.word_reader import WordReader
from yesteryear.providers.minilm.weights import DIMENSION, READER
from yesteryear.remember.gate import gate_head
from yesteryear_lab import LABELLED
from yesteryear_lab.training.feelings import RECIPES as FEELINGS
from yesteryear_lab.training.feelings import FeelingRecipe
from yesteryear_lab.training.fit import FitPolicy, Samples, deal_folds, fit_head, near_duplicates, predict, stack
from yesteryear_lab.training.gate import CHECK_TITLE, RECIPE, check, read_gate, read_gate_rows
from yesteryear_lab.training.recipe import Materials
from yesteryear_lab.training.rows import read_rows
from yesteryear_lab.training.run import RECIPES, pick_recipes, read_sections, train, weights_hash
from yesteryear_lab.training.weights import CARD_FILE, heads_to_json

GATE_FILES = ("gate-1.jsonl", "gate-2.jsonl", "gate-3.jsonl", "gate-4.jsonl")
LABELS = st.lists(st.sampled_from("abc"), min_size=10, max_size=60)


def materials(folder: Path) -> Materials:
    """Return training on a folder of rows, with vectors that need no model."""
    return Materials(folder, HashingEmbedder(), WordReader(), lambda _: None)


@pytest.fixture
def few_rows(tmp_path: Path) -> Path:
    """A folder with the first two rows of every reason of each gate file, and a few statements."""
    for name in GATE_FILES:
        rows = read_rows(LABELLED / name)
        kept = [row for reason in Reason for row in [row for row in rows if row["reason"] == reason][:2]]
        (tmp_path / name).write_text("\n".join(map(json.dumps, kept)), encoding="utf-8")
    statements = map(json.dumps, read_rows(LABELLED / "sentences.jsonl")[:20])
    (tmp_path / "sentences.jsonl").write_text("\n".join(statements), encoding="utf-8")
    return tmp_path


def test_all_labelled_files_are_sound() -> None:
    """Each row of the gate's files is an exchange with a known reason on the side its label says, each id once."""
    for name in GATE_FILES:
        rows = read_rows(LABELLED / name, needs=("id", "messages", "keep", "reason"))
        assert len({row["id"] for row in rows}) == len(rows)
        keeps = {"explicit_request", "relational", "decision", "personal"}
        assert all(row["keep"] is (row["reason"] in keeps) for row in rows)
        assert {row["reason"] for row in rows} == set(Reason)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"id": "a"}\n{"id": ', "line 2: no JSON"),
        ('{"id": "a"}\n\n["b"]', "line 3: a row is a JSON object"),
        ('{"id": "a"}\n{"name": "b"}', "line 2: the row has no id"),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    """Whoever labels by hand wants to know where to look."""
    (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=complaint):
        read_rows(tmp_path / "rows.jsonl", needs=("id",))


def test_a_missing_file_says_which_option_names_the_folder(tmp_path: Path) -> None:
    """The rows are in the repository only, so this is what a user of the wheel meets."""
    with pytest.raises(InputError, match="--rows names the folder"):
        read_rows(tmp_path / "gate-1.jsonl")


@given(LABELS, st.integers(2, 5), st.integers(0, 9))
def test_each_row_is_tested_once_and_never_beside_its_group(labels: list[str], folds: int, seed: int) -> None:
    """Training and test rows are the two parts of all rows, and no group stands in both."""
    groups = [row // 3 for row in range(len(labels))]
    dealt = deal_folds(labels, groups, folds=folds, seed=seed)
    assert sorted(row for _, test in dealt for row in test.tolist()) == list(range(len(labels)))
    for train_rows, test_rows in dealt:
        assert sorted([*train_rows.tolist(), *test_rows.tolist()]) == list(range(len(labels)))
        assert not {groups[row] for row in train_rows} & {groups[row] for row in test_rows}


@given(st.integers(2, 5), st.integers(5, 12), st.integers(0, 9))
def test_folds_have_the_same_mixture(folds: int, each: int, seed: int) -> None:
    """Of single rows no fold has more than one of a label above another."""
    labels = list("abc") * each
    dealt = deal_folds(labels, range(len(labels)), folds=folds, seed=seed)
    for label in "abc":
        counts = [sum(labels[row] == label for row in test.tolist()) for _, test in dealt]
        assert max(counts) - min(counts) <= 1


def test_near_duplicates_are_linked_through_others() -> None:
    """Two rows are in one group also when only a third is near to both."""
    angles = np.array([0, 30, 60, 170])
    vectors = np.stack([np.cos(np.radians(angles)), np.sin(np.radians(angles))], axis=1).astype(np.float32)
    assert near_duplicates(vectors, above=0.8) == [0, 0, 0, 1]


def toy_samples(labels: Sequence[str] = ("a", "b", "c") * 8, *, vectors: bool = False) -> Samples:
    """Return rows whose first feature, and whose vectors, tell the label."""
    places = np.array([["a", "b", "c"].index(label) for label in labels], dtype=np.float64)
    features = np.stack([places, np.linspace(0, 1, len(places))], axis=1)
    return Samples(("place", "noise"), features, tuple(labels), np.eye(3)[places.astype(int)] if vectors else None)


@each("has_vectors", [False, True])
@each("labels", [("a", "b") * 10, ("a", "b", "c") * 8])
def test_a_head_learns_what_can_be_told(labels: tuple[str, ...], has_vectors: bool) -> None:
    """Two classes or three, with vectors or without; one row at a time it answers as all rows together."""
    samples = toy_samples(labels, vectors=has_vectors)
    head = fit_head("toy", samples, FitPolicy(inverse_l2=10), model="m" if has_vectors else None)
    found = predict(head, samples)
    assert [head.classes[best] for best in found.argmax(axis=1)] == list(labels)
    vectors = None if samples.vectors is None else samples.vectors[0]
    single = head.probabilities(dict(zip(samples.names, samples.features[0].tolist(), strict=True)), vectors)
    assert list(single.values()) == pytest.approx(found[0].tolist())


def test_a_row_that_weighs_nothing_is_not_learnt() -> None:
    """Weights say how much rows count."""
    samples = toy_samples(("a", "b") * 8 + ("c",))
    weights = np.array([1.0] * 16 + [1e-9])
    plain = fit_head("toy", toy_samples(("a", "b") * 8), FitPolicy())
    head = fit_head("toy", replace(samples, weights=weights), FitPolicy())
    assert predict(head, samples)[:, 2].max() < 0.01
    assert predict(head, samples)[:16, 0] == pytest.approx(predict(plain, samples)[:16, 0], abs=0.05)


def test_one_label_is_nothing_to_learn() -> None:
    """And vectors belong to a model."""
    with pytest.raises(InputError, match="two labels"):
        fit_head("toy", toy_samples(("a",) * 5), FitPolicy())
    with pytest.raises(InputError, match="vectors exactly when"):
        fit_head("toy", toy_samples(vectors=True), FitPolicy())


@pytest.mark.heavy
def test_training_twice_gives_the_same_bytes(few_rows: Path) -> None:
    """The head, and the fingerprints of the rows."""
    one, two = (
        heads_to_json(HeadsFile({(head.name, head.model): head for head in fitted.heads}, {"gate": fitted.seen}))
        for fitted in (RECIPE.fit(materials(few_rows)), RECIPE.fit(materials(few_rows)))
    )
    assert one == two
    assert len(heads_from_json(one).heads) == 1


@pytest.mark.heavy
def test_heads_that_are_not_trained_stay(few_rows: Path) -> None:
    """Training one head leaves the others' weights, rows and figures alone; the card names the new weights' hash."""
    shipped = Path(__file__).parents[2] / "src/yesteryear/core/heads"
    for name in ("weights.json", CARD_FILE):
        shutil.copy(shipped / name, few_rows / name)
    before = heads_from_json((few_rows / "weights.json").read_text(encoding="utf-8"))
    sections = dict(read_sections((few_rows / CARD_FILE).read_text(encoding="utf-8")))
    train([RECIPE], materials(few_rows), few_rows / "weights.json")
    written = (few_rows / "weights.json").read_text(encoding="utf-8")
    after = heads_from_json(written)
    others = {key for key in before.heads if key[0] != RECIPE.name}
    assert others <= set(after.heads)
    assert {key for key in after.heads if key[0] == RECIPE.name} == {("gate", None)}
    card = (few_rows / CARD_FILE).read_text(encoding="utf-8")
    assert f"`{weights_hash(written)}`" in card
    now = dict(read_sections(card))
    assert {name: now[name] for name in sections if name != RECIPE.name} == {
        name: section for name, section in sections.items() if name != RECIPE.name
    }


def test_a_row_is_judged_as_the_product_would_meet_it(tmp_path: Path) -> None:
    """The last thing that users say in a row, after the message before it; of several people the last."""
    messages = [
        {"role": "user", "content": "so which gym"},
        {"role": "assistant", "content": "Are you joining there?"},
        {"role": "user", "author": "Jo", "content": "is she?"},
        {"role": "user", "author": "Mel", "content": "yes"},
        {"role": "assistant", "content": "Noted."},
    ]
    row = {"id": "r1", "messages": messages, "keep": True, "reason": "decision"}
    (tmp_path / "gate-1.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (found,) = read_gate_rows(tmp_path / "gate-1.jsonl")
    assert [message.content for message in found.judged.asked] == ["yes"]
    assert found.previous is not None
    assert (found.previous.role, found.previous.content) == (Role.ASSISTANT, "Are you joining there?")


def test_an_unknown_head_is_refused_with_those_there_are() -> None:
    """And no name means all."""
    assert pick_recipes([]) == RECIPES
    assert [recipe.name for recipe in pick_recipes(["gate"])] == ["gate"]
    with pytest.raises(InputError, match="no head 'wether'; there are: gate"):
        pick_recipes(["wether"])


SHIPPED = Path(__file__).parents[2] / "src/yesteryear/core/heads"


def assert_trained_on(head: LinearHead, rows: list[dict[str, float]], names: Sequence[str]) -> None:
    """Check that a shipped head's means and spreads are those of rows as their features are computed now."""
    found, values = stack(rows)
    columns = [found.index(name) for name in names]
    places = [head.features.index(name) for name in names]
    assert values[:, columns].mean(axis=0) == pytest.approx(head.mean[places], abs=1e-4)
    floor = FitPolicy().scale_floor
    assert values[:, columns].std(axis=0) + floor == pytest.approx(head.scale[places], abs=1e-4)


@pytest.mark.heavy
def test_the_gate_was_trained_on_the_present_features() -> None:
    """Whoever changes a word list, a feature or a labelled row has to run `make train`."""
    exchanges, statements = read_gate(LABELLED)
    rows = [dict(row.features) for row in (*chain(*exchanges), *statements)]
    head = gate_head()
    assert set(head.features) == set(rows[0])
    assert_trained_on(head, rows, head.features)


def test_the_gate_judges_as_its_card_says() -> None:
    """A rule or a policy may change without the weights, but not what the card promises."""
    section = dict(read_sections((SHIPPED / CARD_FILE).read_text(encoding="utf-8")))[RECIPE.name]
    said = re.search(r"\| F1 \| ([\d.]+) \|", section[section.index(CHECK_TITLE) :])
    assert said is not None
    exchanges, _ = read_gate(LABELLED)
    figures = dict(check([*chain(*exchanges)], gate_head()).rows)
    assert figures["F1"][0] == pytest.approx(float(said[1]), abs=0.02)


def read_blankly(text: str) -> MessageReading:
    """Read a text as one sentence whose vector says nothing."""
    (sentence,) = a_reading(text).sentences
    return replace(a_reading(text), sentences=(replace(sentence, vector=np.zeros(DIMENSION, dtype=np.float32)),))


@pytest.mark.heavy
@pytest.mark.parametrize("recipe", FEELINGS, ids=lambda recipe: recipe.name)
def test_feelings_were_trained_on_the_present_words(recipe: FeelingRecipe) -> None:
    """The same for the lists of cues; what the vectors of sentences say is left out."""
    of_sentence, head = find_head(sentence_head(recipe.name), model=READER), find_head(recipe.name)
    assert of_sentence is not None
    assert head is not None
    blank = replace(materials(LABELLED), reader=ScriptedReader(read_blankly))
    talks = recipe.read_talks(blank, of_sentence)
    rows = [dict(features) for talk in talks for features in talk.features.values()]
    assert_trained_on(head, rows, CUE_FEATURES)


def test_a_file_of_something_else_is_not_written_over(few_rows: Path) -> None:
    """``--out`` may name the wrong file; it is left as it is."""
    out = few_rows / "notes.json"
    out.write_text('["dear diary"]', encoding="utf-8")
    with pytest.raises(InputError, match="name another file with --out"):
        train([RECIPE], materials(few_rows), out)
    assert out.read_text(encoding="utf-8") == '["dear diary"]'
