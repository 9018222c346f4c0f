"""The command line as people meet it: in this process, or as one of its own where signals and pipes count."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from tests.cli.stage import TALK, Answer, Finished, Run, Start, Typed, invoke, invoke_before, write_talk

MAIN = "import sys; sys.argv[0] = 'yesteryear'; from yesteryear.cli import main; main()"


@pytest.fixture(autouse=True)
def quiet_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working folder, no settings from outside, and an embedder that needs no weights."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("YESTERYEAR_") or name in ("COLUMNS", "NO_COLOR")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("YESTERYEAR_EMBEDDER", "hashing")


@pytest.fixture
def run() -> Run:
    """Run a command in this process."""
    return invoke


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a command as a process of its own, that loads no weights."""
    started: list[subprocess.Popen[str]] = []

    def start(*args: str | Path, **options: Any) -> subprocess.Popen[str]:
        source = str(Path(yesteryear.__file__).parents[1])
        env = {**os.environ, "PYTHONPATH": source, "YESTERYEAR_READER": "words", **options.pop("env", {})}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        command = [sys.executable, "-c", MAIN, *map(str, args)]
        process = subprocess.Popen(command, text=True, env=env, **pipes)  # type: ignore[call-overload]
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def answer(start: Start) -> Answer:
    """Run a command as a process of its own at a terminal, and type an answer to each of its questions."""

    def answer(*args: str | Path, typed: Sequence[Typed], **options: Any) -> Finished:
        ours, theirs = pty.openpty()
        # In a session of its own it has no other terminal to ask at.
        process = start(*args, stdin=theirs, start_new_session=True, **options)
        os.close(theirs)
        assert process.stderr is not None
        told = ""
        for question, said in typed:
            while question not in told and (letter := process.stderr.read(1)):
                told += letter
            assert question in told, told
            os.write(ours, (said if isinstance(said, str) else said()).encode())
        stdout, stderr = process.communicate(timeout=60)
        os.close(ours)
        return Finished(process.returncode, stdout, told + stderr)

    return answer


@pytest.fixture
def answer_here() -> Answer:
    """Run a command in this process, and type an answer to each of its questions."""
    return lambda *args, typed: invoke_before(typed, *args)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A file of eight messages in two conversations."""
    return write_talk(tmp_path / "talk.jsonl", TALK)


@pytest.fixture(scope="session")
def remembered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of ``store``, made once."""
    folder = tmp_path_factory.mktemp("remembered")
    talk, place = write_talk(folder / "talk.jsonl", TALK), folder / "memory.db"
    settings = {"YESTERYEAR_EMBEDDER": "hashing"}
    assert invoke("import", talk, "--user", "ana", "--store", place, env=settings).code == 0
    return place


@pytest.fixture
def store(remembered: Path, talk: Path, tmp_path: Path) -> Path:
    """A store that remembers the eight messages as Ana's."""
    shutil.copy(remembered, tmp_path / "memory.db")
    return Path("memory.db")
