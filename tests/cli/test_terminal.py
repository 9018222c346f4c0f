"""What reaches a terminal, and what reaches a pipe."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.stage import Run, Start, read_terminal

HOSTILE = "hello\x1b]0;owned\x07\x1b[2J\x1b[31mred\r\nback\b\u202egnorw \x9b31m \x7f"
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|4[0-7])m")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


@pytest.fixture
def on_terminal(start: Start) -> Callable[..., str]:
    """Run a command with a terminal for stdout and stderr, and return all it wrote there."""

    def run(*args: str | Path, **env: str) -> str:
        ours, theirs = pty.openpty()
        process = start(*args, env={"TERM": "xterm-256color", "COLUMNS": "100", **env}, stdout=theirs, stderr=theirs)
        os.close(theirs)
        written = ""
        while chunk := read_terminal(ours):
            written += chunk
        os.close(ours)
        assert process.wait(timeout=30) == 0
        return written

    return run


@pytest.fixture
def hostile(run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store in which somebody said something that would take over a terminal."""
    monkeypatch.setenv("YESTERYEAR_JOURNAL_RETENTION_DAYS", "30")  # else nothing that was skipped fades
    run("observe", HOSTILE, "--user", "ana", "--id", "m-1", "--store", "m.db", "--flush")
    return Path("m.db")


def test_a_terminal_gets_colours_and_progress(on_terminal: Callable[..., str], talk: Path) -> None:
    """The bar moves on stderr and is gone in the end."""
    written = on_terminal("import", talk, "--user", "ana", "--store", "m.db")
    assert "importing talk.jsonl" in written
    assert COLOUR.search(written)


@pytest.mark.heavy
def test_no_color_is_heeded(on_terminal: Callable[..., str], store: Path) -> None:
    """Colours go; the text stays."""
    assert COLOUR.search(on_terminal("gate", "--store", store))
    plain = on_terminal("gate", "--store", store, NO_COLOR="1")
    assert not COLOUR.search(plain)
    assert "explicit_request" in plain


@pytest.mark.heavy
@pytest.mark.parametrize(
    "command",
    [
        ["messages"],
        ["recall", "hello"],
        ["recall", "hello", "--explain"],
        ["context", "hello red"],
        ["context", "hello red", "--explain"],
        ["gate", "--features"],
        ["gate"],
        ["fade", "--dry-run", "--at", "2100-01-01"],
        ["forget", "--about", "hello", "--dry-run"],
        ["why", "m-1", "--message", "hello"],
    ],
)
def test_what_was_said_cannot_take_over_the_terminal(
    on_terminal: Callable[..., str], hostile: Path, command: list[str]
) -> None:
    """Of its control characters none arrives."""
    written = on_terminal(*command, "--store", hostile, NO_COLOR="1")
    assert "hello" in written
    said = re.sub(r"\x1b\[[0-9;]*m|\r\n|\x1b\[\?25[lh]", "", written)
    assert not CONTROL.search(said), repr(said)
    assert "\x1b[31m" not in written


@pytest.mark.parametrize(
    "command",
    [
        ["messages"],
        ["recall", "hello"],
        ["recall", "hello", "--explain"],
        ["context", "hello red", "--explain", "--budget", "40"],
        ["fade", "--dry-run", "--at", "2100-01-01"],
        ["forget", "--about", "hello", "--dry-run"],
        ["why", "m-1", "--message", "hello"],
        ["gate"],
        ["episodes"],
        ["stats"],
        ["doctor"],
    ],
)
def test_a_pipe_gets_plain_lines(run: Run, hostile: Path, command: list[str]) -> None:
    """No control characters, and no spaces at the ends of lines to fill a screen that is not there."""
    done = run(*command, "--store", hostile)
    assert not CONTROL.search(done.stdout + done.stderr)
    assert not re.search(r" $", done.stdout, re.MULTILINE)


def test_tables_in_a_pipe_are_a_hundred_columns_wide(run: Run, store: Path) -> None:
    """Or as wide as COLUMNS says."""
    widths = [len(line) for line in run("gate", "--store", store).stdout.splitlines()[:5]]
    assert max(widths) <= 100
    assert max(widths) > 80


@pytest.mark.parametrize(
    "command",
    [
        ["doctor"],
        ["recall", "what did Ana say about walnuts yesterday?", "--explain"],
        ["context", "may I eat walnuts?", "--explain", "--budget", "90"],
        ["why", "m-1", "--message", "may I eat walnuts?"],
    ],
)
def test_what_is_read_at_length_fits_a_narrow_terminal(run: Run, store: Path, command: list[str]) -> None:
    """Eighty columns, wrapped between words; a path is left whole, however long it is."""
    run("observe", "Walnuts, " + "and walnuts again, " * 9, "--user", "ana", "--store", store)
    done = run(*command, "--store", store, env={"COLUMNS": "80"})
    assert done.code == 0
    widths = [len(line) for line in done.stdout.splitlines() if " " in line.strip()]
    assert 70 < max(widths) <= 80


@pytest.mark.heavy
def test_other_encodings_lose_characters_not_the_command(start: Start, store: Path) -> None:
    """Where stdout is not UTF-8, JSON is escaped and text shows what it can."""
    latin = {"PYTHONIOENCODING": "latin-1"}
    put = start("observe", "漢字 und Füße", "--user", "ana", "--conversation", "odd", "--store", store)
    assert put.wait(timeout=30) == 0
    for args in (["messages", "--conversation", "odd"], ["messages", "--conversation", "odd", "--json"]):
        process = start(*args, "--store", store, env=latin, encoding="latin-1")
        stdout, stderr = process.communicate(timeout=30)
        assert process.returncode == 0, stderr
        assert "F\\u00fc\\u00dfe" in stdout if "--json" in args else "Füße" in stdout


@pytest.mark.heavy
def test_the_command_is_found_in_an_ordinary_shell(start: Start, store: Path) -> None:
    """Pipes of a shell work: JSON Lines in, a count out."""
    process = start("messages", "--store", store, "--json")
    counted = subprocess.run(["wc", "-l"], stdin=process.stdout, capture_output=True, text=True, check=True)
    assert counted.stdout.strip() == "8"
