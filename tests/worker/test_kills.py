"""Processes are killed while they write and work; nothing that was acknowledged is lost, nothing is done twice."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from yesteryear_lab.bench.load.durability import inspect
from yesteryear_lab.bench.load.talk import Sent
from yesteryear_lab.bench.suites import run_suite

CLEAN = {"lost": 0, "doubled": 0, "done_twice": 0, "due_left": 0, "corrupt": 0}
SENT = [Sent("ana", "kitchen", f"m-{number}") for number in range(8)]


def kill(kills: int, folder: Path, **options: object) -> dict[str, Any]:
    """Return the metrics of so many kills."""
    report = run_suite(
        "durability",
        data=None,
        rows=False,
        options={"kills": str(kills), "folder": str(folder)} | {name: str(value) for name, value in options.items()},
        on_progress=lambda _: None,
    )
    metrics = report["metrics"]
    assert isinstance(metrics, dict)
    return metrics


@pytest.mark.heavy
def test_four_kills_lose_nothing(tmp_path: Path) -> None:
    """Whoever was told that a message is on disk finds it there once, and worked through, whenever the end came."""
    metrics = kill(4, tmp_path, kills_normal=0)
    assert {name: metrics[name] for name in CLEAN} == CLEAN
    assert metrics["acknowledged"] > metrics["kills"] == 4


@pytest.mark.exhaustive
@pytest.mark.heavy
def test_three_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    """The same, often enough to meet what is rare."""
    metrics = kill(300, tmp_path, kills_normal=60, seed=2)
    assert {name: metrics[name] for name in CLEAN} == CLEAN
    assert metrics["acknowledged"] > metrics["kills"] == 300


@pytest.fixture(scope="module")
def worked_through(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of ``eight_messages``, made once."""
    path = tmp_path_factory.mktemp("eight") / "memory.db"
    with yesteryear.open(path, worker="none", embedder="hashing", episode_message_threshold=4) as engine:
        for sent in SENT:
            engine.memory(user=sent.user).observe(sent.content, conversation=sent.conversation, id=sent.id)
        engine.memory(user="ana").flush()
    return path


@pytest.fixture
def eight_messages(worked_through: Path, tmp_path: Path) -> Path:
    """A file with eight messages that were worked through."""
    return Path(shutil.copy(worked_through, tmp_path / "memory.db"))


def findings_in(path: Path, acknowledged: list[Sent]) -> dict[str, int]:
    """Return what the suite complains of."""
    with yesteryear.open(path, worker="none", embedder="hashing") as engine:
        findings = inspect(engine, acknowledged)
    return {name: getattr(findings, name) for name in CLEAN}


def test_the_judge_finds_nothing_where_nothing_is_wrong(eight_messages: Path) -> None:
    """Its zeros below mean something."""
    assert findings_in(eight_messages, SENT) == CLEAN


def test_the_judge_notices_a_lost_message(eight_messages: Path) -> None:
    """A message that was acknowledged and is not there is counted."""
    assert findings_in(eight_messages, [*SENT, Sent("ana", "kitchen", "m-99")])["lost"] == 1


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ("UPDATE message SET content = 'something else' WHERE external_id = 'm-3'", "lost"),
        ("UPDATE message SET seq = 99 WHERE external_id = 'm-7'", "doubled"),
        ("UPDATE episode SET first_seq = 1", "done_twice"),
        ("UPDATE message SET episode_id = NULL WHERE external_id = 'm-0'", "done_twice"),
        ("DELETE FROM vector WHERE ref = (SELECT ref FROM vector LIMIT 1)", "done_twice"),
        ("UPDATE message SET verdict = NULL WHERE external_id = 'm-0'", "due_left"),
        ("UPDATE message SET error = 'given up' WHERE external_id = 'm-0'", "due_left"),
    ],
)
def test_the_judge_notices_damage(eight_messages: Path, damage: str, complaint: str) -> None:
    """What it is to find is done on purpose, and it is found."""
    with sqlite3.connect(eight_messages) as connection:
        assert connection.execute(damage).rowcount > 0
    connection.close()
    assert findings_in(eight_messages, SENT)[complaint] > 0
