"""What every embedder promises, and what the shipped ones mean by nearness."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from yesteryear.core.vectors import Purpose
from yesteryear.errors import ConfigError, ProviderUnavailable
from yesteryear.ports import Embedder
from yesteryear.providers.minilm.weights import MANIFEST_FILE, MODEL, MODEL_FILE, VOCABULARY_FILE, find_model, verify
from yesteryear.providers.registry import EMBEDDERS, build_embedder, find_embedder
from yesteryear.testing.embedder_conformance import EmbedderConformance

NOT_INSTALLED = "the embedding model is not installed: run `yesteryear model install`"

HELD_OUT_ASKS = Path(__file__).parents[2] / "lab/labelled/held-out/asks.jsonl"
MODEL_SHA256 = (
    "38fd2c200bea84cdbd616f5cd86e09b7b58d05ae3cf387d9282c141eeab38d55",
    "b63ed547b30f6eaaddfe926a0983f4816312f4fe74b4793be55eff206dbba543",
)
"""Of the file that is built from the published weights, on every machine so far; the second, with the same weights in
another order, is what was built before graphs were shipped, and stays installed where it is."""


@pytest.fixture(scope="module", params=["hashing", "minilm"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    """Return each shipped embedder in turn."""
    if request.param == "minilm" and find_model() is None:
        pytest.skip(NOT_INSTALLED)
    built = build_embedder(request.param)
    yield built
    built.close()


@pytest.fixture
def model() -> Path:
    """Return where the model is installed."""
    folder = find_model()
    if folder is None:
        pytest.skip(NOT_INSTALLED)
    return folder


class TestShippedEmbedders(EmbedderConformance):
    """Each in turn."""


def test_another_process_makes_the_same_vectors(embedder: Embedder) -> None:
    """Whatever its hash seed."""
    script = (
        "import sys, json; from yesteryear.providers.registry import find_embedder;"
        "model, text = json.load(sys.stdin); print(json.dumps(find_embedder(model).embed([text])[0].tolist()))"
    )
    text = "My sister lives in Porto"
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps([embedder.profile.model, text]),
        env={**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert np.array_equal(np.array(json.loads(done.stdout), dtype=np.float32), embedder.embed([text])[0])


def test_hashing_embeds_questions_like_documents() -> None:
    """By words there is nothing to learn."""
    embedder, text = build_embedder("hashing"), "Where does my sister live?"
    assert np.array_equal(embedder.embed([text], purpose=Purpose.QUERY), embedder.embed([text]))


@pytest.mark.parametrize(("lives", "more"), [(1, 3), pytest.param(3, 5, marks=pytest.mark.heavy)])
def test_the_model_puts_a_question_near_what_answers_it(model: Path, lives: int, more: int) -> None:
    """Of people it was not taught with it finds more of what is needed than the same words as a document do."""
    embedder, found = build_embedder("minilm", model_folder=model), dict.fromkeys(Purpose, 0)
    for line in HELD_OUT_ASKS.read_text(encoding="utf-8").splitlines()[:lives]:
        row = json.loads(line)
        said = embedder.embed([message["text"] for message in row["messages"]])
        for purpose in Purpose:
            asked = embedder.embed([ask["text"] for ask in row["asks"]], purpose=purpose)
            for nearest, ask in zip(np.argsort(-asked @ said.T)[:, :10], row["asks"], strict=True):
                found[purpose] += len({row["messages"][place]["id"] for place in nearest} & {*ask["needs"]})
    assert found[Purpose.QUERY] > found[Purpose.DOCUMENT] + more


def test_a_model_of_an_older_version_embeds_questions_like_documents(model: Path, tmp_path: Path) -> None:
    """Until it is installed once more."""
    for name in (MODEL_FILE, VOCABULARY_FILE):
        (tmp_path / name).write_bytes((model / name).read_bytes())
    about = json.loads((model / MANIFEST_FILE).read_text()) | {"questions": ""}
    about["sha256"] = {name: about["sha256"][name] for name in (MODEL_FILE, VOCABULARY_FILE)}
    (tmp_path / MANIFEST_FILE).write_text(json.dumps(about))
    embedder, text = build_embedder("minilm", model_folder=tmp_path), "Where does my sister live?"
    assert np.array_equal(embedder.embed([text], purpose=Purpose.QUERY), embedder.embed([text]))


def test_the_model_knows_meaning_without_a_shared_word(model: Path) -> None:
    """What hashing cannot see."""
    car, automobile, soup = build_embedder("minilm", model_folder=model).embed(
        ["She bought a car", "He purchased an automobile", "They cooked soup"]
    )
    assert car @ automobile > 0.5 > car @ soup


def test_the_installed_model_is_the_published_one(model: Path) -> None:
    """Byte for byte what every other machine builds."""
    assert verify(model).sha256[MODEL_FILE] in MODEL_SHA256


def test_auto_takes_the_model_where_there_is_one(model: Path, tmp_path: Path) -> None:
    """And words alone where there is none."""
    assert build_embedder("auto", model_folder=model).profile.model == MODEL
    assert build_embedder("auto", model_folder=tmp_path).profile.model == "hashing-v1"


def test_a_model_asked_for_by_name_is_not_replaced(tmp_path: Path) -> None:
    """The error says what to run."""
    with pytest.raises(ProviderUnavailable, match="yesteryear model install"):
        build_embedder("minilm", model_folder=tmp_path)


def test_an_unknown_name_lists_the_known_ones() -> None:
    """All of them."""
    with pytest.raises(ConfigError, match=", ".join(EMBEDDERS)):
        build_embedder("word2vec")


def test_vectors_find_the_embedder_that_made_them(model: Path, tmp_path: Path) -> None:
    """By the name stored with them, if it can run here."""
    for name in ("minilm", "hashing"):
        stored = build_embedder(name, model_folder=model).profile.model
        found = find_embedder(stored, model_folder=model)
        assert found is not None
        assert found.profile.model == stored
    assert find_embedder(build_embedder("minilm", model_folder=model).profile.model, model_folder=tmp_path) is None
    assert find_embedder("text-embedding-ada-002", model_folder=model) is None


@pytest.mark.parametrize("broken", [MODEL_FILE, VOCABULARY_FILE])
def test_a_broken_model_says_what_to_run(model: Path, tmp_path: Path, broken: str) -> None:
    """Whichever of its files is cut short; loading fails, not the process."""
    for path in model.iterdir():
        content = path.read_bytes()
        (tmp_path / path.name).write_bytes(content[: len(content) // 2] if path.name == broken else content)
    embedder = build_embedder("minilm", model_folder=tmp_path)
    with pytest.raises(ProviderUnavailable, match="yesteryear model install") as caught:
        embedder.embed(["hello " + "world " * 300])
    assert caught.value.retryable
