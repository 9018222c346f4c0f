"""``yesteryear demo``: the main job, from a shipped conversation to a context."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.stage import Finished, Run, invoke
from yesteryear.providers.minilm.weights import find_model

pytestmark = pytest.mark.heavy
INSTALLED = {"YESTERYEAR_EMBEDDER": "hashing", "YESTERYEAR_READER": "minilm"}
"""What the demo runs with: what is asked about a text that was brought depends on who reads."""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The system's place for temporary files."""
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def demo(scratch: Path) -> Finished:
    """The demo as people see it in a pipe, once they have installed the reader."""
    if find_model() is None:
        pytest.skip("the reader is not installed")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tempfile.tempdir", str(scratch))
        return invoke("demo", env=INSTALLED)


@pytest.fixture
def place(demo: Finished, scratch: Path) -> Path:
    """Where the demo's store lies."""
    [found] = scratch.rglob("*.db")
    return found


def test_it_takes_down_and_works_in_the_whole_conversation(demo: Finished) -> None:
    """And says how many messages, episodes and vectors that made."""
    assert demo.code == 0
    assert "Taken down: 278 new messages" in demo.stdout
    assert re.search(r"Worked in:  \d+ episodes and \d+ vectors", demo.stdout)


def test_it_shows_what_was_kept_and_skipped_and_why(demo: Finished) -> None:
    """A good dozen of rows, then the totals by reason."""
    rows = [line.split() for line in demo.stdout.splitlines() if re.match(r"(keep|skip)  ", line)]
    assert len(rows) >= 12
    assert {row[0] for row in rows} == {"keep", "skip"}
    assert len({row[1] for row in rows}) >= 6
    assert re.search(r"^keep \d+: ", demo.stdout, re.MULTILINE)
    assert re.search(r"^skip \d+: ", demo.stdout, re.MULTILINE)


def test_it_shows_what_is_believed_and_what_no_longer_holds(demo: Finished, place: Path, run: Run) -> None:
    """A night was run; who has moved her runs to the evening does not run in the mornings."""
    assert re.search(r"^A night:    \d+ facts believed after it", demo.stdout, re.MULTILINE)
    _, changed = demo.stdout.split("What no longer holds")
    rows = re.findall(r"^  previously: (.*\n(?:    .*\n)*)  now:        (.*\n(?:    .*\n)*)", changed, re.MULTILINE)
    pairs = [(" ".join(old.split()), " ".join(new.split())) for old, new in rows]
    assert any("in the mornings" in old and "to the evening" in new for old, new in pairs)
    assert all("(until " in old for old, _ in pairs)
    held = [fact["statement"] for fact in run("facts", "--store", place, "--json").json_lines]
    assert not any("Marta runs in the mornings" in statement for statement in held)


def test_it_shows_three_contexts_within_their_budgets(demo: Finished) -> None:
    """Each below the message it is for, a prefix and a tail."""
    assert demo.stdout.count("=== MEMORY CONTEXT ===") == 2 * 3
    tokens = [int(found) for found in re.findall(r"(\d+) of 1000 tokens", demo.stdout)]
    assert len(tokens) == 3
    assert max(tokens) <= 1000
    for asked in ("doing the online shop", "piotr lands on saturday", "Gareth wants half a page"):
        assert asked in demo.stdout


def test_it_fits_into_a_hundred_columns(demo: Finished) -> None:
    """But for the commands at the end, which hold a path."""
    story, _ = demo.stdout.split("\nGo on\n")
    assert max(map(len, story.splitlines())) <= 100


def test_it_names_the_embedder_and_three_commands_that_work(
    demo: Finished, run: Run, place: Path, tmp_path: Path
) -> None:
    """They can be copied as they stand; here they go to a copy, as a context notes what it has asked."""
    shutil.copytree(place.parent, tmp_path / "copy")
    _, end = demo.stdout.split("\nGo on\n")
    assert "The embedding model is hashing" in end
    commands = [shlex.split(line)[1:] for line in end.splitlines() if line.startswith("  yesteryear ")]
    assert len(commands) == 3
    for command in commands:
        done = run(*(part.replace(str(place.parent), str(tmp_path / "copy")) for part in command))
        assert done.code == 0
        assert done.stdout != ""


def test_a_second_run_on_the_same_store_adds_nothing(demo: Finished, place: Path) -> None:
    """And shows the same again."""
    again = invoke("demo", "--store", place, env=INSTALLED)
    assert "Taken down: 0 new messages" in again.stdout
    assert "278 were there already" in again.stdout
    assert again.stdout.split("What was kept")[1] == demo.stdout.split("What was kept")[1]


def test_without_a_store_it_makes_one_of_its_own(demo: Finished, place: Path) -> None:
    """In the system's place for temporary files; the working folder stays empty."""
    assert str(place) in demo.stdout
    assert list(Path().iterdir()) == []


def test_it_tells_the_same_to_programs(demo: Finished, place: Path) -> None:
    """What was believed is shown beside what took its place."""
    report = json.loads(invoke("demo", "--json", "--store", place, env=INSTALLED).stdout)
    assert Path(report["store"]) == place
    assert report["remembered"]["new"] == 0
    assert len(report["contexts"]) == 3
    assert report["previously"][0]["was"]["superseded_by"] == report["previously"][0]["is"]["id"]
    assert {fact["id"] for fact in report["facts"]} >= {pair["is"]["id"] for pair in report["previously"]}


def test_a_missing_model_is_told_with_what_to_run(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At the end, where it is read."""
    monkeypatch.setenv("YESTERYEAR_EMBEDDER", "auto")
    monkeypatch.setenv("YESTERYEAR_MODEL_FOLDER", str(tmp_path / "no-model"))
    assert "yesteryear model install" in run("demo", "--store", "demo.db").stdout.splitlines()[-1]
