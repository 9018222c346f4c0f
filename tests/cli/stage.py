"""What the tests of the command line play with: a small talk, how a command ended, looks into a store."""

from __future__ import annotations

import io
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import yesteryear
from tests.belief_rows import a_fact, a_night, evidence_for
from tests.rows import a_key
from yesteryear.cli.app import build_app
from yesteryear.core.attributes import FactKind
from yesteryear.core.scope import Scope
from yesteryear.ports import Transaction
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.worker import ProcessWorkers

FACT = "f-1"
"""Id of what ``believe`` lets Ana have."""
KEY = "k-1"
"""Id of the API key that it lets her have."""
TALK = (
    ("user", "My sister Lena lives in Porto and I visit her every autumn."),
    ("assistant", "Lovely. When do you go this year?"),
    ("user", "In October. We decided to hike the Rota Vicentina together."),
    ("assistant", "Then book the huts early."),
    ("user", "ok thanks"),
    ("assistant", "You're welcome."),
    ("user", "Please remember that I am allergic to walnuts."),
    ("assistant", "Noted: no walnuts."),
)


class Finished:
    """How a command ended."""

    def __init__(self, code: int, stdout: str, stderr: str) -> None:
        self.code = code
        self.stdout = stdout
        self.stderr = stderr

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.stdout)

    @property
    def json_lines(self) -> list[Any]:
        """JSON Lines on stdout."""
        return [json.loads(line) for line in self.stdout.splitlines()]


def write_talk(path: Path, lines: Sequence[tuple[str, str]]) -> Path:
    """Write messages a minute apart, with ids, half of them in another conversation a day later."""
    rows = []
    for number, (role, content) in enumerate(lines, start=1):
        day, minute = (2, number) if number <= len(lines) / 2 else (3, number)
        rows.append(
            {
                "content": content,
                "role": role,
                "author": "Ana" if role == "user" else "Assistant",
                "conversation": f"day-{day}",
                "at": f"2026-03-{day:02d}T12:{minute:02d}:00+00:00",
                "id": f"m-{number}",
            }
        )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


Run = Callable[..., Finished]
"""Runs a command in this process."""
Start = Callable[..., subprocess.Popen[str]]
"""Starts a command as a process of its own."""
Answer = Callable[..., Finished]
"""Runs a command at a terminal, and types answers to its questions."""
Typed = tuple[str, str | Callable[[], str]]
"""A question, and what is typed once it is asked, or what makes it then."""


def invoke(*args: str | Path, stdin: str | bytes | None = None, env: dict[str, str] | None = None) -> Finished:
    """Run a command in this process; whatever it raises but the end of the process is a failure."""
    result = CliRunner().invoke(build_app(), list(map(str, args)), input=stdin, env=env, prog_name="yesteryear")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Finished(result.exit_code, result.stdout, result.stderr)


class Keyboard:
    """Somebody at a terminal, who types an answer to each question once it stands there, or makes one then."""

    def __init__(self, typed: Sequence[Typed], screen: io.StringIO) -> None:
        self._typed = list(typed)
        self._screen = screen

    def isatty(self) -> bool:
        """Say that there is somebody."""
        return True

    def readline(self) -> str:
        """Return what is typed next; nothing at the end of the input."""
        question, said = self._typed.pop(0)
        assert question in self._screen.getvalue().rpartition(_TYPED)[2]
        self._screen.write(_TYPED)
        return (said if isinstance(said, str) else said()).strip("\x04")


_TYPED = "\0"
"""Stands on the screen where something was typed, until all is over."""


def invoke_before(typed: Sequence[Typed], *args: str | Path) -> Finished:
    """Run a command in this process for somebody who types answers."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(stdout), redirect_stderr(stderr):
        patched.setattr("sys.stdin", Keyboard(typed, stderr))
        with pytest.raises(SystemExit) as ended:
            get_command(build_app()).main([*map(str, args)], prog_name="yesteryear")
    return Finished(int(ended.value.code or 0), stdout.getvalue(), stderr.getvalue().replace(_TYPED, ""))


@contextmanager
def opened(store: Path | str, user: str = "ana") -> Iterator[yesteryear.Memory]:
    """Lend a person's memory in a store."""
    with yesteryear.open(store, worker="none") as engine:
        yield engine.memory(user=user)


def all_messages(store: Path | str, user: str = "ana") -> list[yesteryear.Message]:
    """Return everything in a person's journal."""
    with opened(store, user) as memory:
        found: list[yesteryear.Message] = []
        while page := memory.messages(after=found[-1].id if found else "", limit=1000):
            found += page
    return found


def wait_until(is_so: Callable[[], bool], *, process: subprocess.Popen[str]) -> None:
    """Wait until something has come true, at most half a minute, while the process lives."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen"
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def read_terminal(descriptor: int) -> str:
    """Read what a terminal has; nothing once the other side has gone."""
    try:
        return os.read(descriptor, 65536).decode(errors="replace")
    except OSError:
        return ""


def believe(store: Path | str) -> None:
    """Let Ana have a goal that is told in ``m-7``, a night that changed nothing, and a key."""

    def write(tx: Transaction) -> None:
        tx.facts.insert([a_fact(FACT, "Ana wants to eat no walnuts.", kind=FactKind.GOAL, confidence=0.9)])
        tx.evidence.add([evidence_for(FACT, tx.messages.named(["m-7"])[0].id, episode_id=None)])
        tx.cycles.save(a_night(changes=()))
        tx.keys.save(a_key(KEY))

    with closing(SQLiteStore(Path(store))) as opened_store:
        opened_store.write(Scope(user="ana"), write)


def lease(store: str, worker: str | None, *, hours: float) -> None:
    """Let somebody hold Ana's rows for some hours from now."""
    with closing(SQLiteStore(Path(store))) as opened_store:
        until = datetime.now(UTC) + timedelta(hours=hours)
        opened_store.write(
            Scope(user="ana"), lambda tx: tx.save_owner(replace(tx.owner(), lease_by=worker, lease_until=until))
        )


def dead_worker() -> str:
    """Return the name of a worker on this host whose process has ended."""
    host = ProcessWorkers().name().partition("/")[0]
    ended = subprocess.Popen(["true"])
    ended.wait()
    return f"{host}/{ended.pid}/000000000000"
