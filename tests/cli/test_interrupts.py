"""Ctrl-C, kill -9 and SIGTERM: what was acknowledged stays, and the same command goes on.

A named pipe feeds the import, so that it can be stopped at a point that is known.
"""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import yesteryear
from tests.cli.stage import Run, Start, all_messages, dead_worker, lease, opened, read_terminal, wait_until
from yesteryear.cli.commands.intake import BATCH
from yesteryear.worker import ProcessWorkers

LINES = [json.dumps({"content": f"I planted tree number {number}"}) + "\n" for number in range(200)]
IN_BATCHES = 200 // BATCH * BATCH


@contextmanager
def half_imported(start: Start, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Yield an import that has taken whole batches and waits for more."""
    os.mkfifo("pipe.jsonl")
    process = start("import", "pipe.jsonl", "--format", "jsonl", "--user", "ana", "--store", "m.db", *options)
    with Path("pipe.jsonl").open("w", encoding="utf-8") as pipe:
        pipe.writelines(LINES)
        pipe.flush()
        wait_until(lambda: Path("m.db").exists() and stored() == IN_BATCHES, process=process)
        yield process


def stored() -> int:
    """Return how many messages are in the store."""
    with opened("m.db") as memory:
        return int(memory.stats().get("messages.open", 0))


def test_ctrl_c_in_an_import_says_what_is_in_and_how_to_go_on(start: Start, run: Run) -> None:
    """Going on adds nothing twice."""
    with half_imported(start) as process:
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    told = re.search(r"at least (\d+) messages of pipe.jsonl are in \((\d+) of them new\)", stderr)
    assert told, stderr
    assert told[1] == told[2]
    assert int(told[1]) in {IN_BATCHES - BATCH, IN_BATCHES}  # the last batch may not have been counted yet
    assert "the same command again goes on" in stderr
    assert "Traceback" not in stderr
    check_going_on(run)


@pytest.mark.heavy
def test_ctrl_c_with_json_tells_machines_too(start: Start) -> None:
    """As an error with a code of its own."""
    with half_imported(start, "--json") as process:
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=30)
    assert json.loads(stdout)["error"]["code"] == "interrupted"


@pytest.mark.heavy
def test_a_killed_import_goes_on_where_it_was(start: Start, run: Run) -> None:
    """What was acknowledged is there once; the rest comes with the next run."""
    with half_imported(start) as process:
        process.kill()
        process.communicate(timeout=30)
    check_going_on(run)


def check_going_on(run: Run) -> None:
    """Import the whole file and look that everything is there once."""
    Path("pipe.jsonl").unlink()
    Path("pipe.jsonl").write_text("".join(LINES), encoding="utf-8")
    again = run("import", "pipe.jsonl", "--user", "ana", "--store", "m.db", "--json")
    assert again.json["messages"] == {"new": 200 - IN_BATCHES, "known": IN_BATCHES, "redacted": 0}
    assert [message.content for message in all_messages("m.db")] == [json.loads(line)["content"] for line in LINES]


@pytest.mark.heavy
def test_ctrl_c_while_working_in_says_that_all_is_safe(start: Start, talk: Path, run: Run) -> None:
    """The messages are all in; a worker or the same command does the rest. A bar tells when it has come so far."""
    run("observe", "hello", "--user", "ana", "--store", "m.db")
    lease("m.db", ProcessWorkers().name(), hours=0.03)  # so the flush has to wait
    ours, theirs = pty.openpty()
    env = {"TERM": "xterm-256color", "COLUMNS": "200"}
    process = start("import", talk, "--user", "ana", "--store", "m.db", stderr=theirs, env=env)
    os.close(theirs)
    written = ""
    while "working in" not in written:
        written += read_terminal(ours)
        assert process.poll() is None, written
    process.send_signal(signal.SIGINT)
    while chunk := read_terminal(ours):
        written += chunk
    os.close(ours)
    assert process.wait(timeout=30) == 130
    assert "all 8 messages are safe" in written
    assert "yesteryear worker --once" in written
    assert "Traceback" not in written


def test_worker_once_does_what_is_due_and_stops(run: Run) -> None:
    """A line for each piece of work, the sum on stderr."""
    with yesteryear.open("m.db", worker="none") as engine:
        memory = engine.memory(user="ana")
        memory.observe("I decided to learn the cello", conversation="c")
        memory.close_episode("c")
    done = run("worker", "--once", "--store", "m.db")
    assert done.code == 0
    assert done.stdout == "ana: 1 episode, 0 vectors\nana: 0 episodes, 1 vector\nana: 0 episodes, 1 vector\n"
    assert done.stderr.splitlines()[-1] == "worked in: 1 episode, 2 vectors"


def test_a_worker_takes_over_from_one_that_died(run: Run, talk: Path) -> None:
    """Its lease is that of a process that is gone, so nobody waits for it to run out."""
    run("import", talk, "--user", "ana", "--store", "m.db", "--no-flush")
    with opened("m.db") as memory:
        memory.close_episode("day-2")
    lease("m.db", dead_worker(), hours=1)
    assert run("worker", "--once", "--store", "m.db", "--json").json_lines[0]["episodes"] == 1


def working(start: Start, run: Run, *options: str) -> subprocess.Popen[str]:
    """Return a worker that has done what was there and waits for more."""
    run("observe", "I decided to learn the cello", "--user", "ana", "--conversation", "c", "--store", "m.db")
    process = start("worker", "--store", "m.db", *options)
    with opened("m.db") as memory:
        memory.close_episode("c")
    assert process.stdout is not None
    assert "1" in process.stdout.readline()
    return process


@pytest.mark.heavy
def test_a_worker_told_to_stop_stops_cleanly(start: Start, run: Run) -> None:
    """SIGTERM is how a supervisor says it: no error."""
    process = working(start, run)
    process.terminate()
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 0
    assert stderr.splitlines()[-1].startswith("worked in: 1 episode")


@pytest.mark.heavy
def test_ctrl_c_stops_a_worker_at_a_row(start: Start, run: Run) -> None:
    """And says what was done and how to go on."""
    process = working(start, run)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "stopped; worked in: 1 episode" in stderr
    assert "start the worker again" in stderr
    assert "Traceback" not in stderr


@pytest.mark.heavy
def test_a_worker_whose_reader_goes_ends(start: Start, run: Run) -> None:
    """As in `yesteryear worker | head -1`."""
    process = working(start, run)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    with opened("m.db") as memory:
        memory.observe("I decided to learn the viola too", conversation="c")
        memory.close_episode("c")
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 141
    assert "Traceback" not in stderr
