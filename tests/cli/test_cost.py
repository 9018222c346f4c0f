"""``yesteryear cost`` tells what was called and what it cost; ``calibrate`` measures an embedder."""

from __future__ import annotations

import json
import tomllib
from datetime import timedelta
from pathlib import Path

import pytest

import yesteryear
from tests.cli.stage import Run
from tests.llm.server import embedded, serving
from tests.rows import a_call, at
from yesteryear.core.scope import Scope
from yesteryear.core.usage import CallOutcome, CallPurpose
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear_lab import LABELLED
from yesteryear_lab.training.rows import read_rows


@pytest.fixture
def place() -> Path:
    """A store in which models were called for two people."""
    place = Path("memory.db").absolute()
    with yesteryear.open(place, worker="none") as engine:
        for user in ("ana", "ben"):
            engine.memory(user=user).observe("Hello")
    store = SQLiteStore(place)
    failed = a_call(1, outcome=CallOutcome.FAILED, requests=0, micro_usd=0, input_tokens=0, output_tokens=0)
    own = a_call(2, purpose=CallPurpose.JUDGE, model="openai:own", micro_usd=None)
    tomorrow = a_call(at=at(0) + timedelta(days=1))
    store.write(Scope("ana"), lambda tx: tx.usages.add(["a", "b", "c"], [a_call(0), failed, own]))
    store.write(Scope("ben"), lambda tx: tx.usages.add(["a"], [tomorrow]))
    store.close()
    return place


def test_nothing_was_called(run: Run) -> None:
    """Without a model there is nothing to pay, and it says so."""
    with yesteryear.open("memory.db", worker="none") as engine:
        engine.memory(user="ana").observe("Hello")
    assert "everything was done on this machine" in run("cost", "--store", "memory.db").stdout
    assert run("cost", "--store", "memory.db", "--json").json["rows"] == []


def test_calls_are_summed_for_everybody_and_for_one(run: Run, place: Path) -> None:
    """By day, purpose and model, with the share that failed."""
    found = run("cost", "--store", place, "--json").json
    assert [(row["day"], row["purpose"], row["calls"], row["failed"], row["usd"]) for row in found["rows"]] == [
        ("2026-03-02", "digest", 2, 1, 0.00063),
        ("2026-03-02", "judge", 1, 0, None),
        ("2026-03-03", "digest", 1, 0, 0.00063),
    ]
    assert found["total"] == {"usd": 0.00126, "calls": 4, "failed": 1}
    assert found["unpriced"] == ["openai:own"]
    assert run("cost", "--store", place, "--user", "ben", "--json").json["total"]["calls"] == 1
    assert run("cost", "--store", place, "--since", "2026-03-03", "--json").json["total"]["calls"] == 1
    assert run("cost", "--store", place, "--until", "2026-03-03", "--json").json["total"]["calls"] == 3


def test_the_table_is_for_people(run: Run, place: Path) -> None:
    """With a line below that sums it up, and what has no price."""
    done = run("cost", "--store", place)
    assert "openai:tiny" in done.stdout
    assert "4 calls, 1 failed (25%); US$ 0.001260" in done.stdout
    assert "no price is known of openai:own; set prices_file" in done.stderr


def test_a_day_that_is_none_is_explained(run: Run, place: Path) -> None:
    """As everywhere."""
    done = run("cost", "--store", place, "--since", "yesterday")
    assert done.code == 1
    assert "yesterday" in done.stderr


@pytest.fixture
def rows() -> Path:
    """A folder with some labelled pairs of each verdict."""
    folder = Path("rows")
    folder.mkdir()
    found = read_rows(LABELLED / "pairs-3.jsonl")
    (folder / "pairs-1.jsonl").write_text("\n".join(map(json.dumps, found[::5])), encoding="utf-8")
    return folder


def test_an_embedder_is_measured(run: Run, rows: Path) -> None:
    """Thresholds are in order, and a profile is written only where asked."""
    found = run("calibrate", "--embedder", "hashing", "--rows", rows, "--json").json
    assert (found["embedder"], found["dimension"], found["pairs"]) == ("hashing-v1", 384, 60)
    assert -1 <= found["related"] <= found["candidate"] <= found["duplicate"] <= 1
    assert "half of what says the same" in run("calibrate", "--embedder", "hashing", "--rows", rows).stdout
    assert not list(Path().glob("*.toml"))


def test_a_model_whose_dimension_nobody_knows_is_measured_and_used(run: Run, rows: Path) -> None:
    """The profile that is written is all it takes; the engine no longer calls its thresholds a guess."""
    with serving(
        lambda _, seen: embedded([[1.0, len(text) % 11, text.count("a"), 2.0, 0.1] for text in seen.body["input"]])
    ) as server:
        named = {"embedder": "openai:tiny", "embedder_url": server.url}
        Path("yesteryear.toml").write_text("\n".join(f'{name} = "{value}"' for name, value in named.items()))
        assert run("config", "allow").code == 0
        done = run("calibrate", "--embedder", "openai:tiny", "--rows", rows, "--out", "tiny.toml")
        assert done.code == 0, done.stderr
        written = tomllib.loads(Path("tiny.toml").read_text())["openai:tiny"]
        assert written["dimension"] == 5
        with yesteryear.open(":memory:", worker="none", embedder_profile="tiny.toml", **named) as engine:
            assert engine.notes == ()
            assert engine.describe()["dimension"] == 5
        with yesteryear.open(":memory:", worker="none", embedder_dimension=5, **named) as engine:
            assert "is a guess; measure it: yesteryear calibrate" in engine.notes[0]


def test_missing_pairs_are_explained(run: Run) -> None:
    """They are in the repository only."""
    done = run("calibrate", "--embedder", "hashing", "--rows", "nowhere")
    assert done.code == 1
    assert "the repository has them" in done.stderr
