"""However a command ends: an exit code, a message that says what to do, never a traceback."""

from __future__ import annotations

import ctypes
import os
import sqlite3
from pathlib import Path

import pytest

import yesteryear
from tests.cli.stage import Run, Start

CAP_DAC_OVERRIDE = 1
PR_CAPBSET_DROP = 24


def heed_permissions() -> None:
    """Make a child of root heed the permissions of files, as everybody else does."""
    if os.geteuid() == 0:
        ctypes.CDLL(None, use_errno=True).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


def test_a_store_that_is_not_there_is_not_made_by_looking(run: Run) -> None:
    """The message names the place, where it came from and how to begin one."""
    done = run("recall", "anything")
    assert done.code == 1
    assert done.stderr.startswith("error: there is no store 'yesteryear.db' (from: default)")
    assert "yesteryear import" in done.stderr
    assert list(Path().iterdir()) == []


def test_a_newer_schema_is_refused(run: Run, store: Path) -> None:
    """With the advice to upgrade."""
    with sqlite3.connect(store) as database:
        database.execute("INSERT INTO schema_migration VALUES (99, 'from_the_future', 'x')")
    database.close()
    done = run("stats", "--store", store, "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "schema_too_new")
    assert "upgrade" in done.stderr


def test_a_damaged_file_is_refused(run: Run, store: Path) -> None:
    """With the advice to restore it."""
    store.write_bytes(b"this is no database" * 1000)
    done = run("stats", "--store", store, "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "storage_corrupt")


def test_another_programs_database_is_left_alone(run: Run, talk: Path) -> None:
    """Not a table is added to it."""
    with sqlite3.connect("photos.db") as database:
        database.execute("CREATE TABLE photo (id INTEGER)")
    database.close()
    done = run("import", talk, "--user", "ana", "--store", "photos.db", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "storage_corrupt")
    with sqlite3.connect("photos.db") as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("photo",)]
    database.close()


def test_a_folder_is_no_store(run: Run, tmp_path: Path) -> None:
    """It cannot be opened, and that is said."""
    error = run("stats", "--store", tmp_path, "--json").json["error"]
    assert error["code"] == "storage_unavailable"
    assert "is a folder" in error["message"]


@pytest.mark.heavy
@pytest.mark.parametrize("command", [["observe", "hello", "--user", "ana"], ["import", "talk.jsonl", "--user", "ana"]])
def test_a_read_only_folder_is_told(start: Start, talk: Path, command: list[str]) -> None:
    """Nothing can be written there, whoever tries."""
    folder = Path("locked")
    folder.mkdir(mode=0o555)
    process = start(*command, "--store", folder / "m.db", preexec_fn=heed_permissions)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 1
    assert stderr.splitlines()[-1].startswith("error: ")
    assert "Traceback" not in stderr


def test_a_read_only_store_takes_nothing_and_says_why(start: Start, store: Path) -> None:
    """The permissions are named."""
    store.chmod(0o444)
    process = start("observe", "hello", "--user", "ana", "--store", store, preexec_fn=heed_permissions)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "permissions" in stderr
    assert "Traceback" not in stderr


def test_a_setting_that_does_not_fit_is_named_with_its_origin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is opened."""
    monkeypatch.setenv("YESTERYEAR_DURABILITY", "sometimes")
    done = run("observe", "hello", "--user", "ana", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "config")
    assert "YESTERYEAR_DURABILITY" in done.stderr
    assert not Path("yesteryear.db").exists()


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["observe", "   ", "--user", "ana"], "input"),
        (["observe", "hello", "--user", "ana", "--role", "wizard"], "input"),
        (["observe", "hello", "--user", "ana", "--at", "2026-03-02T07:41:10"], "input"),
        (["observe", "other", "--user", "ana", "--conversation", "day-2", "--id", "m-1"], "conflict"),
        (["context", "hello", "--budget", "-1"], "budget"),
        (["recall", "hello", "--limit", "0"], "input"),
        (["recall", "hello", "--kind", "dream"], "input"),
        (["recall", "hello", "--at", "soon"], "input"),
        (["episodes", "--status", "lost"], "input"),
        (["messages", "--since", "yesterday"], "input"),
        (["bench", "no-such-suite"], "input"),
        (["model", "install", "--from", "not-there.whl", "--folder", "model"], "input"),
    ],
)
def test_what_cannot_be_used_is_an_error_of_ours(
    run: Run, store: Path, args: list[str], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the code of its kind."""
    monkeypatch.setenv("YESTERYEAR_STORE", str(store))
    done = run(*args, "--json")
    assert (done.code, done.json["error"]["code"]) == (1, code)


def test_a_fallback_embedder_is_noted(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On stderr, with what to run; the result is the same as ever."""
    monkeypatch.setenv("YESTERYEAR_EMBEDDER", "auto")
    monkeypatch.setenv("YESTERYEAR_MODEL_FOLDER", str(tmp_path / "no-model"))
    done = run("episodes", "--store", store, "--json")
    assert done.code == 0
    assert "run: yesteryear model install" in done.stderr
    assert len(done.json_lines) == 2


@pytest.mark.heavy
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize(
    "args", [["recall", "walnuts"], ["recall", "walnuts", "--json"], ["gate"], ["--help"], ["--version"]]
)
def test_a_full_disk_behind_the_output_is_told(start: Start, store: Path, args: list[str]) -> None:
    """Once, with what the system says, whether the output is buffered or not."""
    for is_unbuffered in ("", "1"):
        with Path("/dev/full").open("w") as full:
            env = {"YESTERYEAR_STORE": str(store), "PYTHONUNBUFFERED": is_unbuffered}
            process = start(*args, stdout=full, env=env)
            _, stderr = process.communicate(timeout=30)
        assert process.returncode == 1
        assert stderr == "error: the output cannot be written: No space left on device\n"


@pytest.mark.heavy
def test_a_reader_who_goes_ends_the_command_quietly(start: Start) -> None:
    """As in `yesteryear messages | head -1`."""
    with yesteryear.open("m.db", worker="none") as engine:
        engine.memory(user="ana").observe([{"content": f"message {n} " * 40} for n in range(1000)])
    process = start("messages", "--limit", "1000", "--store", "m.db")
    assert process.stdout is not None
    assert process.stdout.readline() != ""
    process.stdout.close()
    process.stdout = None
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 141
    assert stderr == ""
