"""With ``--json`` nothing but JSON is on stdout, whatever the command and whatever happens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

from tests.cli.stage import FACT, KEY, Run, believe
from yesteryear.cli.app import build_app
from yesteryear_lab import LABELLED

TRIED_ELSEWHERE = {
    "model install",
    "train",
    "mcp install",
    "serve",
    "chat",
    "config allow",
    "both-hold",
    "same",
    "not-same",
    "dismiss",
}
"""Loads from the network; fits heads; speak until they are told to stop; writes into other programs' settings; needs a
file; needs a conflict; need people; needs an edge."""
PAGES = {
    *("episodes", "proposals", "messages", "worker", "facts", "open-loops", "conflicts", "extract", "people"),
    *("metrics", "correlations"),
}
"""Give JSON Lines: a row a line."""
COMMANDS = {
    "demo": ["demo", "--store", "demo.db"],
    "import": ["import", "talk.jsonl", "--user", "ana"],
    "observe": ["observe", "one more thing", "--user", "ana"],
    "context": ["context", "walnuts"],
    "recall": ["recall", "walnuts"],
    "episodes": ["episodes"],
    "messages": ["messages"],
    "gate": ["gate", "--features"],
    "why": ["why", "m-7", "--message", "walnuts"],
    "facts": ["facts"],
    "conflicts": ["conflicts"],
    "people": ["people"],
    "open-loops": ["open-loops"],
    "metrics": ["metrics"],
    "correlations": ["correlations"],
    "graph": ["graph"],
    "confirm": ["confirm", FACT],
    "refute": ["refute", FACT],
    "correct": ["correct", FACT, "Ana eats no nuts."],
    "resolve": ["resolve", FACT],
    "extract": ["extract", "m-7"],
    "consolidate": ["consolidate"],
    "undo": ["undo"],
    "diff": ["diff", "2026-03-01"],
    "timelapse": ["timelapse", "talk.jsonl", "--user", "ana"],
    "pin": ["pin", "m-7"],
    "unpin": ["unpin", "m-7"],
    "fade": ["fade", "--dry-run", "--at", "2040-01-31"],
    "restore": ["restore", "m-1"],
    "forget": ["forget", "m-7", "--yes"],
    "erase": ["erase", "--user", "ana", "--yes"],
    "export": ["export", "ana.zip"],
    "copy": ["copy", "memory.db", "copy.db"],
    "migrate": ["migrate", "--dry-run"],
    "reembed": ["reembed"],
    "reread": ["reread", "--dry-run"],
    "index": ["index", "--dry-run"],
    "stats": ["stats"],
    "cost": ["cost"],
    "calibrate": ["calibrate", "--embedder", "hashing", "--rows", str(LABELLED)],
    "doctor": ["doctor"],
    "audit": ["audit", "--user", "ana"],
    "bench": ["bench"],
    "worker": ["worker", "--once"],
    "key create": ["key", "create", "laptop", "--user", "ana"],
    "key list": ["key", "list"],
    "key revoke": ["key", "revoke", KEY],
    "keep": ["keep", "m-5"],
    "proposals": ["proposals"],
    "config deny": ["config", "deny"],
    "config list": ["config", "list"],
    "model status": ["model", "status", "--folder", "no-model"],
    "model remove": ["model", "remove", "--folder", "no-model"],
}
NEED_A_STORE = {
    *("audit", "key list", "key revoke"),
    *("context", "recall", "episodes", "messages", "gate", "reembed", "reread", "index", "stats", "cost", "worker"),
    *("keep", "proposals", "why", "pin", "unpin", "fade", "restore", "forget", "erase", "export"),
    *(
        "facts",
        "open-loops",
        "metrics",
        "correlations",
        "graph",
        "conflicts",
        "confirm",
        "refute",
        "correct",
        "resolve",
        "extract",
    ),
    *("consolidate", "undo", "diff"),
}
BEFORE = {"restore": ["fade", "--yes", "--at", "2040-01-31"]}
"""What has to happen before a command can do anything."""


def all_commands() -> set[str]:
    """Return the names of all commands, those of groups with the group's name before."""
    found = set()
    for name, command in typer.main.get_command(build_app()).commands.items():  # type: ignore[attr-defined]
        below = getattr(command, "commands", None)
        found |= {f"{name} {inner}" for inner in below} if below else {name}
    return found


def test_every_command_is_tried_here() -> None:
    """A new command has to say how it is tried."""
    assert all_commands() == set(COMMANDS) | TRIED_ELSEWHERE


@pytest.mark.heavy
@pytest.mark.parametrize("name", COMMANDS)
def test_stdout_is_json_and_nothing_else(run: Run, store: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One document, or a row a line."""
    monkeypatch.setenv("YESTERYEAR_STORE", str(store))
    run("observe", "I am planning a trip to Galway", "--user", "ana", "--conversation", "open")
    believe(store)
    run(*BEFORE.get(name, ["stats"]))
    with_notes = run(*COMMANDS[name], "--json")
    assert with_notes.code == 0
    rows = with_notes.stdout.splitlines()
    assert len(rows) == 1 or name in PAGES, rows
    for row in rows:
        assert isinstance(json.loads(row), dict)


@pytest.mark.parametrize("name", sorted(NEED_A_STORE))
def test_errors_are_told_on_both_sides(run: Run, name: str) -> None:
    """A machine reads code and message on stdout, a person the message on stderr."""
    done = run(*COMMANDS[name], "--store", "nowhere.db", "--json")
    assert done.code == 1
    assert done.json["error"]["code"] == "not_found"
    assert done.stderr == f"error: {done.json['error']['message']}\n"
    assert not Path("nowhere.db").exists()


def test_text_keeps_every_character(run: Run, store: Path) -> None:
    """What is replaced for a terminal's sake is given whole to machines."""
    text = "naïve 漢字 🦔 \u202e \x1b[31m"
    run("observe", text, "--user", "ana", "--conversation", "odd", "--store", store)
    [row] = run("messages", "--conversation", "odd", "--store", store, "--json").json_lines
    assert row["content"] == text
