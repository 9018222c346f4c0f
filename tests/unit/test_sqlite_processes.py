"""Several real processes on one file: racing, interrupted, killed, forked; nothing acknowledged is lost."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.rows import ANA
from yesteryear.core.rows.queries import MessageQuery
from yesteryear.storage.sqlite.store import SQLiteStore

pytestmark = pytest.mark.usefixtures("new_files")

WRITER = """
import sys
from pathlib import Path
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.testing.builders import a_message
from tests.rows import ANA

def write(store, name, seq):
    message = a_message(seq=seq, conversation=name)
    store.write(ANA, lambda tx: tx.messages.insert(message), urgent=True)
    return message.id
"""
"""What every child process begins with."""


@contextmanager
def running(script: str, path: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a script in a process of its own, which is killed if it is still there at the end."""
    command = [sys.executable, "-c", WRITER + script, str(path), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


def ids_in(path: Path) -> list[str]:
    """Return which messages are in the file, after it was checked."""
    store = SQLiteStore(path)
    assert store.describe(check=True)["integrity_check"] == "ok"
    with store.read(ANA) as tx:
        found = [row.id for row in tx.messages.page(MessageQuery(limit=100_000))]
    store.close()
    return found


def test_processes_that_start_on_a_new_file_at_once_lose_nothing(tmp_path: Path) -> None:
    """Four of them make the schema and write without a pause; every acknowledged message is there once."""
    path = tmp_path / "memory.db"
    script = """
sys.stdin.readline()
store = SQLiteStore(Path(sys.argv[1]))
for seq in range(1, 61):
    write(store, sys.argv[2], seq)
store.close()
print("done", flush=True)
"""
    with (
        running(script, path, "a") as a,
        running(script, path, "b") as b,
        running(script, path, "c") as c,
        running(script, path, "d") as d,
    ):
        children = (a, b, c, d)
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        assert [child.communicate(timeout=120)[0] for child in children] == ["done\n"] * 4
    assert ids_in(path) == sorted(f"{name}-{seq}" for name in "abcd" for seq in range(1, 61))


def test_ctrl_c_again_and_again_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """A program that catches it and writes on: what was acknowledged is there, all of it once, and it still works."""
    path = tmp_path / "memory.db"
    script = """
import signal, threading
store = SQLiteStore(Path(sys.argv[1]))
acknowledged, errors, is_over, strikes, is_armed = [], [], threading.Event(), 0, False

def strike(*_):
    global strikes, is_armed
    if is_armed:
        strikes, is_armed = strikes + 1, False
        raise KeyboardInterrupt

def write_in_background():
    try:
        seq = 0
        while not is_over.is_set():
            seq += 1
            acknowledged.append(write(store, "thread", seq))
    except BaseException as exc:
        errors.append(repr(exc))

signal.signal(signal.SIGINT, strike)
thread = threading.Thread(target=write_in_background)
thread.start()
print("ready", flush=True)
seq = 0
while strikes < 100:
    try:
        is_armed = True
        while True:
            seq += 1
            acknowledged.append(write(store, "main", seq))
    except KeyboardInterrupt:
        pass
is_over.set()
thread.join()
acknowledged.append(write(store, "last", 1))
store.close()
print("\\n".join(acknowledged + errors), flush=True)
"""
    with running(script, path) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        pause = random.Random(0)
        while child.poll() is None:
            child.send_signal(signal.SIGINT)
            time.sleep(pause.uniform(0.0005, 0.004))
        acknowledged = child.stdout.read().split("\n")[:-1]
    found = ids_in(path)
    assert acknowledged[-1] == "last-1"
    assert len(set(acknowledged)) == len(acknowledged)
    assert set(acknowledged) <= set(found)


@pytest.mark.heavy
def test_a_killed_process_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    """SIGKILL in the middle of writing, five times over on the same file; the next one goes on where it was."""
    path = tmp_path / "memory.db"
    script = """
store = SQLiteStore(Path(sys.argv[1]))
for seq in range(1, 1_000_000):
    print(write(store, sys.argv[2], seq), flush=True)
"""
    acknowledged: list[str] = []
    pause = random.Random(0)
    for name in "abcde":
        with running(script, path, name) as child:
            assert child.stdout is not None
            acknowledged.append(child.stdout.readline().strip())
            time.sleep(pause.uniform(0, 0.1))
            child.kill()
            acknowledged += child.stdout.read().split("\n")[:-1]
        found = ids_in(path)
        assert set(acknowledged) <= set(found)
        assert len(set(found)) == len(found)


def test_a_forked_child_that_ends_in_the_usual_way_harms_nothing(tmp_path: Path) -> None:
    """It drops its copies of the parent's connections on its way out; the parent writes and reads on."""
    path = tmp_path / "memory.db"
    script = """
import os
store = SQLiteStore(Path(sys.argv[1]))
for seq in range(1, 50):
    write(store, "before", seq)
    with store.read(ANA):
        pass
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
for seq in range(1, 50):
    write(store, "after", seq)
print("written", flush=True)
sys.stdin.readline()
"""
    with running(script, path) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "written\n"
        assert len(ids_in(path)) == 98
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=60)
    assert len(ids_in(path)) == 98
