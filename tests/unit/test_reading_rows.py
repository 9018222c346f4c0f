"""Labelled talk and effects are read strictly; what the reader has learnt is written and read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.each import each
from yesteryear.core.attributes import FactKind, attributes
from yesteryear.core.reading import Before
from yesteryear.core.vectors import Matrix
from yesteryear.errors import InputError
from yesteryear.providers.minilm.trained import TrainedHeads, difference_of, trained
from yesteryear.providers.minilm.weights import TAUGHT, ModelPart
from yesteryear_lab import LABELLED
from yesteryear_lab.reading.rows import Label, LabelledMessage, read_contrasts, read_effects, read_talk
from yesteryear_lab.reading.writing import fit_temperature, write_trained

HEAD = """\
# person: joel   kind: companion   written-by: w3
## 2026-03-02 19:10 | Joel=self | Kai=assistant | Joe=other
"""
PAIR = """\
F: Joel lives in Leith. {home self 2026-01-10}
T: Kai: How was it: good?
S: Joel 2026-05-02: we got the keys
= updates
"""


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """Return where a file of talk is written."""
    return tmp_path / "some.talk"


def read(talk: Path, *lines: str) -> list[LabelledMessage]:
    """Return the messages of a sitting."""
    talk.write_text(HEAD + "\n".join(lines), encoding="utf-8")
    return list(read_talk(talk))


def test_a_line_is_cut_into_sentences_with_their_labels(talk: Path) -> None:
    """Each label with the words it is about; the text is what was typed."""
    labels = "{3 holds preference diet self +} {3 holds identity allergy self -}"
    (message,) = read(talk, f"Joel: [I'm vegetarian] and [allergic to nuts] {labels} | lol {{0}}")
    both, laugh = message.sentences
    assert message.text == "I'm vegetarian and allergic to nuts lol"
    assert [message.text[each.start : each.end] for each in both.labels] == ["I'm vegetarian", "allergic to nuts"]
    assert [(each.kind, each.attribute, each.is_alone) for each in both.labels] == [
        ("preference", "diet", True),
        ("identity", "allergy", False),
    ]
    assert message.text[laugh.start : laugh.end] == "lol"
    assert (both.worth, laugh.worth) == (3, 0)
    assert (message.author, message.role, message.person, message.kind) == ("Joel", "self", "joel", "companion")
    assert message.where == "some.talk:3"


@each(
    ("label", "expected"),
    [
        ("0", Label(0, "holds")),
        ("0 asked", Label(0, "asked")),
        ("3 holds event job self - <1", Label(3, "holds", "event", "job", is_alone=False, answers=True)),
        ("2 ended event partner other:my mum +", Label(2, "ended", "event", "partner", "other", "my mum")),
        ("2 planned goal home we:Priya", Label(2, "planned", "goal", "home", "we", "Priya")),
    ],
)
def test_a_label_tells_what_was_meant(talk: Path, label: str, expected: Label) -> None:
    """What is left out has its plain value."""
    (message,) = read(talk, f"Joel: so {{{label}}}")
    (found,) = message.sentences[0].labels
    assert found == replace(expected, end=2)


def test_a_message_stands_after_what_was_said_in_its_sitting(talk: Path) -> None:
    """As a reader takes it, the last three; an assistant's lines are no rows. One name may begin like another."""
    *_, joe, last = read(
        talk,
        "Joel: one {0}",
        "Kai: two",
        "Joe: three {0}",
        "Joel: four {0}",
    )
    assert (joe.author, joe.role) == ("Joe", "other")
    assert last.before == (Before("me", "one"), Before("assistant", "two"), Before("them", "three"))
    (alone,) = read(talk, "Joel: one {0}", "## 2026-03-03 08:00 | Joel=self", "Joel: two {0}")[1:]
    assert alone.before == ()


@each(
    ("line", "error"),
    [
        ("Bea: hello {0}", "none who takes part"),
        ("hello {0}", "none who takes part"),
        ("Joel: hello", "has no label"),
        ("Joel: hello {0} | you", "has no label"),
        ("Joel: hello {}", "begins with its worth"),
        ("Joel: hello {holds}", "begins with its worth"),
        ("Joel: hello {2 thinks event job self}", "'thinks' is no stance"),
        ("Joel: hello {2 holds event job her}", "'her' is no holder"),
    ],
)
def test_a_bad_line_is_named(talk: Path, line: str, error: str) -> None:
    """With its file and number."""
    with pytest.raises(InputError, match=f"^some.talk:3: .*{error}"):
        read(talk, line)


def test_a_pair_tells_what_a_sentence_does_to_a_fact(tmp_path: Path) -> None:
    """Pairs are divided by empty lines; what begins with # is a remark."""
    path = tmp_path / "some.effects"
    path.write_text(f"# a remark\n{PAIR}\n\n{PAIR.replace('self', 'other:Priya').replace('updates', 'none')}")
    one, other = read_effects(path)
    assert (one.fact, one.attribute, one.holder) == ("Joel lives in Leith.", "home", "self")
    assert one.before == (("Kai", "How was it: good?"),)
    assert (one.author, one.text, one.effect) == ("Joel", "we got the keys", "updates")
    assert (other.holder, other.effect) == ("other:Priya", "none")
    assert (one.where, other.where) == ("some.effects:2", "some.effects:8")


@each(
    "change",
    [("= updates", "= changes"), ("= updates", ""), ("F:", "G:"), ("{home self", "{home"), ("2026-05-02", "May")],
)
def test_a_bad_pair_is_named(tmp_path: Path, change: tuple[str, str]) -> None:
    """Without one of its parts it is none."""
    path = tmp_path / "some.effects"
    path.write_text(PAIR.replace(*change))
    with pytest.raises(InputError, match=r"^some\.effects:1: a pair is"):
        list(read_effects(path))


def test_all_labelled_talk_is_sound() -> None:
    """Each label names a kind and an attribute of the product, within its message."""
    known = {*attributes(), "other"}
    for path in LABELLED.glob("talk/**/*.talk"):
        for message in read_talk(path):
            for label in (label for sentence in message.sentences for label in sentence.labels):
                assert 0 <= label.worth <= 3, message.where
                assert 0 <= label.start <= label.end <= len(message.text), message.where
                assert not label.worth or (label.kind in {*FactKind} and label.attribute in known), message.where
    for path in LABELLED.glob("effects/**/*.pairs"):
        for pair in read_effects(path):
            assert pair.attribute in known, pair.where
    for path in LABELLED.glob("effects/contrast/*.changes"):
        for block in read_contrasts(path):
            assert {pair.attribute for pair in block} <= known, block[0].where


def test_a_fact_and_what_ends_it_are_pairs_of_both_wordings(tmp_path: Path) -> None:
    """Each later message by itself, with the fact as it is stated and as it was said; a block without one is named."""
    path = tmp_path / "some.changes"
    block = (
        "N: Darren\nA: job\nF: I do shifts at Ikea\nC: Darren works at Ikea\nends: never again: pallets\nnone: canteen"
    )
    path.write_text(f"{block}\n\n{block}\n", encoding="utf-8")
    pairs, _ = read_contrasts(path)
    assert [(pair.fact, pair.text, pair.effect) for pair in pairs] == [
        ("Darren works at Ikea", "never again: pallets", "ends"),
        ("Darren: I do shifts at Ikea", "never again: pallets", "ends"),
        ("Darren works at Ikea", "canteen", "none"),
        ("Darren: I do shifts at Ikea", "canteen", "none"),
    ]
    for bad in ("A: job", "ends:"):
        path.write_text(block.replace(bad, "x: y"), encoding="utf-8")
        with pytest.raises(InputError, match=r"some\.changes: block 1"):
            list(read_contrasts(path))


def test_what_was_learnt_is_read_as_it_was_written(tmp_path: Path) -> None:
    """In 16 bits; the same bytes for the same numbers, in whatever order they come."""
    chance = np.random.default_rng(3)
    tensors = {
        name: chance.normal(size=shape).astype(np.float16).astype(np.float32)
        for name, shape in {
            "heads.keep.weight": (1, 384),
            "heads.keep.bias": (1,),
            "layer.a": (2, 6),
            "layer.b": (4, 2),
        }.items()
    }
    about = {"classes": {"worth": ["0", "1"]}, "temperatures": {"keep": 2.0}}
    path, again = tmp_path / "one.safetensors", tmp_path / "two.safetensors"
    write_trained(path, tensors, **about)  # type: ignore[arg-type]
    write_trained(again, dict(reversed(tensors.items())), **about)  # type: ignore[arg-type]
    assert path.read_bytes() == again.read_bytes()
    found = TrainedHeads.of_file(path)
    assert found.tensors.keys() == tensors.keys()
    assert all(np.array_equal(found.tensors[name], values) for name, values in tensors.items())
    assert (found.classes, found.temperatures) == (about["classes"], about["temperatures"])
    assert np.allclose(difference_of(found.tensors)["layer.weight"], tensors["layer.b"] @ tensors["layer.a"])
    vector = np.ones(384, dtype=np.float32)
    plain = TrainedHeads(found.tensors, found.classes, {})
    assert np.allclose(found.logits("keep", vector) * 2, plain.logits("keep", vector))
    assert 0 <= found.chance("keep", vector * 100) <= 1
    assert 0 < found.chance("keep", vector * 0) < 1


@given(arrays.arrays(np.float32, (3, 5), elements=st.floats(-30, 30, width=16)))
def test_what_is_rounded_strays_by_half_a_step_of_its_row(
    tmp_path_factory: pytest.TempPathFactory, row: Matrix
) -> None:
    """Of 127 from zero to the largest of the row; a row of zeros stays one."""
    path = tmp_path_factory.mktemp("rounded") / "one.safetensors"
    write_trained(path, {"heads.keep.weight": row}, classes={}, temperatures={}, is_rounded=True)
    found = TrainedHeads.of_file(path).tensors
    assert found.keys() == {"heads.keep.weight"}
    step = np.maximum(np.abs(row).max(axis=1, keepdims=True) / 127, 1e-6)
    assert (np.abs(found["heads.keep.weight"] - row) <= 0.6 * step).all()


def test_a_head_of_two_layers_tells_what_one_cannot() -> None:
    """Whether exactly one of two values is there."""
    given_ = {
        "hidden.weight": np.array([[1, 1], [1, 1]]),
        "hidden.bias": np.array([0, -1]),
        "weight": np.array([[1, -2]]),
        "bias": np.array([-0.5]),
    }
    reader = TrainedHeads({f"heads.odd.{name}": values for name, values in given_.items()}, {"odd": ("yes",)}, {})
    either = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert reader.logits("odd", either)[:, 0].tolist() == [-0.5, 0.5, 0.5, -0.5]
    assert reader.chance("odd", either[1]) > 0.5


@pytest.mark.parametrize("part", [part for part in TAUGHT if part.reads])
def test_shares_of_what_is_shipped_make_one(part: ModelPart) -> None:
    """Each head has a row for each of its classes, and the difference fits the weights it is added to."""
    shipped = trained(part.name)
    for head, classes in shipped.classes.items():
        weights = shipped.tensors[f"heads.{head}.weight"]
        assert len(weights) == len(classes) == len(shipped.tensors[f"heads.{head}.bias"]), head
        read = shipped.tensors.get(f"heads.{head}.hidden.weight", weights)
        vector = np.ones(read.shape[1], dtype=np.float32)
        assert 0 <= shipped.chance(head, vector) <= 1
        assert sum(shipped.probabilities(head, vector).values()) == pytest.approx(1)
    assert all(0.1 < value < 10 for value in shipped.temperatures.values())
    assert all(values.shape[0] in (384, 1536) for values in difference_of(shipped.tensors).values())


@given(st.floats(0.6, 2.8), st.integers(0, 99))
def test_a_temperature_makes_logits_as_sure_as_they_are_right(truth: float, seed: int) -> None:
    """Found within a tenth or two for draws from known odds, of several classes and of a yes."""
    chance = np.random.default_rng(seed)
    logits = chance.normal(scale=2, size=(4000, 3)).astype(np.float32)
    odds = np.exp(logits / truth)
    gold = (odds.cumsum(axis=1) / odds.sum(axis=1, keepdims=True) < chance.random((4000, 1))).sum(axis=1)
    assert fit_temperature(logits, gold) == pytest.approx(truth, rel=0.25)
    yes = chance.random(4000) < 1 / (1 + np.exp(-logits[:, 0] / truth))
    assert fit_temperature(logits[:, 0], yes.astype(np.int64)) == pytest.approx(truth, rel=0.25)


@given(arrays.arrays(np.float32, (5, 3), elements=st.floats(-50, 50, width=32)))
def test_a_temperature_is_never_worse_than_none(logits: np.ndarray) -> None:
    """Whatever the logits; it stays between a half and three."""
    gold = np.array([0, 1, 2, 0, 1])
    assert 0.49 <= fit_temperature(logits, gold) <= 3.01
