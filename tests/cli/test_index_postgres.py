"""``yesteryear index`` shows what there is to be indexed, and does it."""

from __future__ import annotations

import pytest

import yesteryear
from tests.cli.stage import Run


@pytest.fixture
def url(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a database in which Ana has more vectors than are compared, and Ben has not."""
    with yesteryear.open(postgres_url, worker="none", embedder="hashing") as engine:
        for user, count in (("ana", 8), ("ben", 2)):
            memory = engine.memory(user=user)
            for number in range(count):
                memory.observe(f"I decided to learn the sonata number {number}, for my sister", conversation="c")
            memory.flush()
    monkeypatch.setenv("YESTERYEAR_EXACT_VECTORS", "5")
    return postgres_url


def fates(run: Run, *args: str) -> list[tuple[str, str]]:
    """Return whose indexes became what."""
    done = run("index", *args, "--json")
    assert done.code == 0
    assert done.json["exact_vectors"] == 5
    return [(row["user"], row["fate"]) for row in done.json["indexes"]]


def test_indexes_are_made_kept_and_dropped(run: Run, url: str) -> None:
    """A dry run tells what comes, and changes nothing."""
    store = ("--store", url)
    assert fates(run, *store, "--dry-run") == fates(run, *store) == [("ana", "made")]
    assert fates(run, *store) == [("ana", "kept")]
    assert fates(run, *store, "--owner", "ben") == []
    assert fates(run, *store, "--drop") == [("ana", "dropped")]
    assert fates(run, *store, "--dry-run") == [("ana", "made")]


def test_it_reads_well(run: Run, url: str) -> None:
    """A line an index; nobody is named where nothing is to be done."""
    assert run("index", "--store", url, "--owner", "ben").stdout == (
        "no indexes, and none needed: nobody here has more than 5 vectors\n"
    )
    done = run("index", "--store", url, "--dry-run")
    assert done.stderr.endswith("nothing was changed\n")
    [heading, line] = done.stdout.splitlines()
    assert heading.split() == ["index", "person", "model", "vectors", "MB"]
    assert line.split()[1:4] == ["made", "ana", "hashing-v1"]
