"""``yesteryear train`` reads labelled rows, shows figures, and writes weights only where asked to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.stage import Run
from yesteryear.core.message import Reason
from yesteryear.providers.minilm.weights import find_model
from yesteryear_lab import LABELLED
from yesteryear_lab.training.rows import read_rows

needs_model = pytest.mark.skipif(find_model() is None, reason="the embedding model is not installed")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A folder with two rows of each reason from each gate file, and a few statements."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for name in sorted(path.name for path in LABELLED.glob("gate-*.jsonl")):
        found = read_rows(LABELLED / name)
        candidate_cache = [row for reason in Reason for row in [row for row in found if row["reason"] == reason][:2]]
        (folder / name).write_text("\n".join(map(json.dumps, candidate_cache)), encoding="utf-8")
    statements = map(json.dumps, read_rows(LABELLED / "sentences.jsonl")[:20])
    (folder / "sentences.jsonl").write_text("\n".join(statements), encoding="utf-8")
    return folder


@pytest.mark.heavy
@needs_model
def test_figures_are_shown_and_nothing_is_written(run: Run, rows: Path) -> None:
    """``--cv`` prints tables, as JSON where asked to; how far it is goes to stderr."""
    before = sorted(Path().rglob("*"))
    done = run("train", "--cv", "--only", "gate", "--rows", rows, "--json")
    assert done.code == 0
    assert "reading gate-1.jsonl" in done.stderr
    document = done.json
    titles = [table["title"] for table in document["heads"]["gate"]]
    assert "Keep or skip" in titles
    assert document["weights"] is None
    assert sorted(Path().rglob("*")) == before


@pytest.mark.heavy
@needs_model
def test_weights_and_card_are_written_where_asked(run: Run, rows: Path) -> None:
    """The file named, and the card beside it."""
    done = run("train", "--only", "gate", "--rows", rows, "--out", "heads.json")
    assert done.code == 0
    assert "macro-F1" in done.stdout
    assert "wrote heads.json" in done.stdout
    assert {head["name"] for head in json.loads(Path("heads.json").read_text(encoding="utf-8"))["heads"]} == {"gate"}
    assert "## Head: gate" in Path("MODEL_CARD.md").read_text(encoding="utf-8")


@needs_model
def test_missing_rows_are_explained(run: Run) -> None:
    """The rows are in the repository only, and may lie elsewhere."""
    done = run("train", "--cv", "--only", "gate", "--rows", "nowhere")
    assert done.code == 1
    assert "--rows names the folder" in done.stderr


def test_an_unknown_head_is_refused(run: Run) -> None:
    """With the names of those there are, before anything is loaded."""
    done = run("train", "--only", "wether")
    assert done.code == 1
    assert "no head 'wether'; there are: gate" in done.stderr
