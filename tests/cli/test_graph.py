"""The graph at a prompt: asked, listed with ids that can be copied, written for other programs, and denied."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from xml.dom import minidom

import pytest

import yesteryear
from tests.cli.stage import Run

NUTS = "I'm allergic to nuts because of my mother."


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Return a store in which one edge is told."""
    place = str(tmp_path / "memory.db")
    with yesteryear.open(place, embedder="hashing", worker="none") as engine:
        memory = engine.memory(user="ana")
        memory.observe(NUTS, author="Ana", id="m-1")
        memory.flush()
    return place


def test_answers_come_with_the_words_and_the_whole_id(run: Run, store: str) -> None:
    """Whatever the width; what is dismissed is gone, and comes back by --restored."""
    asked = run("graph", "causes", "--of", "allergic to nuts", "--user", "ana", "--store", store)
    assert asked.code == 0
    assert "came of" in asked.stdout
    edge_id = next(line.strip() for line in asked.stdout.splitlines() if line.strip().startswith("caused_by:"))
    assert edge_id in run("graph", "--user", "ana", "--store", store).stdout
    assert "dismissed:" in run("dismiss", edge_id, "--user", "ana", "--store", store).stdout
    assert "nothing is known" in run("graph", "--user", "ana", "--store", store).stderr
    assert "counts again:" in run("dismiss", edge_id, "--restored", "--user", "ana", "--store", store).stdout


def test_other_programs_read_it(run: Run, store: str) -> None:
    """As GraphML, where the ends are the nodes, and as CSV, where nothing is a formula."""
    written = minidom.parseString(run("graph", "--graphml", "--user", "ana", "--store", store).stdout)  # noqa: S318 - ours
    nodes, edges = written.getElementsByTagName("node"), written.getElementsByTagName("edge")
    assert len(nodes) == 2
    assert [(edge.getAttribute("source"), edge.getAttribute("target")) for edge in edges] == [("n0", "n1")]
    [row] = csv.DictReader(io.StringIO(run("graph", "--csv", "--user", "ana", "--store", store).stdout))
    assert (row["relation"], row["basis"], row["message"]) == ("caused_by", "told", "m-1")


def test_what_cannot_be_asked_says_why(run: Run, store: str) -> None:
    """In words for a prompt."""
    for options, words in (
        (["blocking"], "say of what"),
        (["path", "--of", "nuts"], "say where"),
        (["--csv", "--graphml"], "choose one"),
    ):
        done = run("graph", *options, "--user", "ana", "--store", store)
        assert done.code != 0
        assert words in done.stderr
