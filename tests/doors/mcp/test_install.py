"""Telling assistants to start the server: their files gain one entry, and lose nothing."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.stage import Finished, invoke
from tests.doors.mcp.stage import MAIN, fresh
from tests.each import each
from yesteryear.cli.assistants import ASSISTANTS, NAME, Assistant, find_assistant, places, read_text
from yesteryear.cli.commands import serving
from yesteryear.errors import InputError, NotFound

ENTRY: dict[str, Any] = {"command": "yesteryear", "args": ["mcp", "--user", 'Ana "the" Ünal\\']}
SYSTEMS = ("linux", "darwin", "win32")
OTHER = {"command": "npx", "args": ["-y", "weather"]}
by_name = pytest.mark.parametrize("assistant", ASSISTANTS.values(), ids=lambda found: found.name)


def parsed(assistant: Assistant, text: str) -> dict[str, Any]:
    """Return what an assistant reads."""
    return tomllib.loads(text) if assistant.is_toml else json.loads(text)


def install(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own, in a home of its own."""
    command = [*MAIN, "mcp", "install", *arguments]
    return subprocess.run(command, cwd=home, env=fresh(home), capture_output=True, text=True, timeout=60, check=False)


def install_here(home: Path, *arguments: str) -> Finished:
    """Run the command in this process, for a person with that home."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(home)
        for name in os.environ.keys() - fresh(home).keys():
            patched.delenv(name)
        for name, value in fresh(home).items():
            patched.setenv(name, value)
        return invoke("mcp", "install", *arguments)


@each(
    ("system", "name", "path"),
    [
        ("linux", "claude-desktop", ".config/Claude/claude_desktop_config.json"),
        ("darwin", "claude-desktop", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", "claude-desktop", "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("linux", "vscode", ".config/Code/User/mcp.json"),
        ("darwin", "vscode", "Library/Application Support/Code/User/mcp.json"),
        ("win32", "vscode", "AppData/Roaming/Code/User/mcp.json"),
        *((system, "claude-code", ".claude.json") for system in SYSTEMS),
        *((system, "cursor", ".cursor/mcp.json") for system in SYSTEMS),
        *((system, "windsurf", ".codeium/windsurf/mcp_config.json") for system in SYSTEMS),
        *((system, "gemini", ".gemini/settings.json") for system in SYSTEMS),
        *((system, "codex", ".codex/config.toml") for system in SYSTEMS),
        *((system, "lmstudio", ".lmstudio/mcp.json") for system in SYSTEMS),
    ],
)
def test_each_assistant_reads_its_own_file(tmp_path: Path, system: str, name: str, path: str) -> None:
    """On every system, below the person's home."""
    assert find_assistant(name).path(places(system, tmp_path, {})) == tmp_path / path


def test_folders_that_a_person_moved_are_found(tmp_path: Path) -> None:
    """The variables by which systems and assistants say where settings lie."""
    environ = {"XDG_CONFIG_HOME": "/x", "APPDATA": "/a", "CODEX_HOME": "/c"}
    desktop, codex = find_assistant("claude-desktop"), find_assistant("codex")
    assert desktop.path(places("linux", tmp_path, environ)).is_relative_to("/x")
    assert desktop.path(places("win32", tmp_path, environ)).is_relative_to("/a")
    assert desktop.path(places("darwin", tmp_path, environ)).is_relative_to(tmp_path)
    assert codex.path(places("linux", tmp_path, environ)) == Path("/c/config.toml")


def test_an_unknown_assistant_is_told_which_there_are() -> None:
    """And how any other one is given the server."""
    with pytest.raises(NotFound, match=r"cursor.*--print"):
        find_assistant("notepad")


@by_name
def test_an_entry_is_added_to_what_is_there_and_taken_out_again(assistant: Assistant) -> None:
    """Twice is once, and what is left afterwards is what was there before."""
    if assistant.is_toml:
        before = f'# mine\nmodel = "x"\n\n[{assistant.section}.weather]\ncommand = "npx"  # keep\nargs = ["-y"]\n'
    else:
        before = json.dumps({"theme": "dark", assistant.section: {"weather": OTHER}, "last": [1, 2.5]}, indent=4) + "\n"
    entry = assistant.entry(["yesteryear", "mcp"])
    once = assistant.edited(before, entry)
    assert assistant.edited(once, entry) == once
    wanted = parsed(assistant, before)
    wanted[assistant.section][NAME] = entry
    assert parsed(assistant, once) == wanted
    assert assistant.edited(once, None).rstrip() == before.rstrip()
    assert assistant.edited(before, None) == before


@by_name
def test_an_empty_file_gets_a_whole_one(assistant: Assistant) -> None:
    """Nobody has to begin the file by hand."""
    assert parsed(assistant, assistant.edited("", ENTRY)) == {assistant.section: {NAME: ENTRY}}


@by_name
def test_an_older_entry_is_replaced(assistant: Assistant) -> None:
    """Other options, the same server; nothing of the old ones stays."""
    old = {"command": "/old", "args": ["mcp"], "env": {"A": "b"}}
    if assistant.is_toml:
        section = assistant.section
        before = (
            f'[{section}.{NAME}]\ncommand = "/old"\nargs = ["mcp"]\n[{section}.{NAME}.env]\nA = "b"\n[after]\nb = 1\n'
        )
    else:
        before = json.dumps({assistant.section: {NAME: old}, "after": {"b": 1}})
    after = parsed(assistant, assistant.edited(before, ENTRY))
    assert after == {assistant.section: {NAME: ENTRY}, "after": {"b": 1}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cursor", "{"),
        ("cursor", "[]"),
        ("cursor", '{"mcpServers": []}'),
        ("cursor", '{"mcpServers": {}, // mine\n "a": 1}'),
        ("cursor", '{"a": 1, "a": 2}'),
        ("cursor", "[" * 100_000),
        ("codex", "[mcp_servers"),
        ("codex", "mcp_servers = 1"),
        ("codex", 'mcp_servers = { yesteryear = { command = "x" } }'),
        ("codex", '[mcp_servers]\nyesteryear = { command = "x" }'),
        ("codex", 'text = """\n[mcp_servers.yesteryear]\n"""\n[mcp_servers.yesteryear]\ncommand = "x"'),
    ],
)
def test_what_cannot_be_changed_safely_is_refused(name: str, text: str) -> None:
    """A file that is broken, or would lose something by being written anew, is for its owner to change."""
    with pytest.raises(InputError):
        find_assistant(name).edited(text, ENTRY)


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(settings=st.dictionaries(st.text(), plain, max_size=4), args=st.lists(st.text(), max_size=4))
def test_everything_else_in_a_json_file_stays(settings: dict[str, Any], args: list[str]) -> None:
    """Whatever the settings and whatever the options."""
    assistant, before = find_assistant("cursor"), json.dumps(settings)
    entry = {"command": "y", "args": args}
    if not isinstance(settings.get("mcpServers", {}), dict):
        return
    after = json.loads(assistant.edited(before, entry))
    assert after["mcpServers"].pop(NAME) == entry
    assert after == {**settings, "mcpServers": {k: v for k, v in settings.get("mcpServers", {}).items() if k != NAME}}


@given(args=st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4))
def test_any_option_survives_toml(args: list[str]) -> None:
    """It is written as it is read, or refused; never as something else."""
    assistant = find_assistant("codex")
    entry = {"command": "y", "args": args}
    try:
        text = assistant.edited("[other]\na = 1\n", entry)
    except InputError:
        assert any("\x7f" in arg for arg in args)
        return
    assert tomllib.loads(text) == {"other": {"a": 1}, "mcp_servers": {NAME: entry}}


@pytest.mark.heavy
def test_the_command_writes_what_starts_this_installation(tmp_path: Path) -> None:
    """What it wrote starts a server; a copy of what was there is kept, and so are its permissions."""
    path = tmp_path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"weather": OTHER}}))
    path.chmod(0o600)
    before = path.read_bytes()
    done = json.loads(install(tmp_path, "cursor", "--user", "ana", "--store", "m.db", "--read-only", "--json").stdout)
    assert (done["action"], done["is_dry"]) == ("written", False)
    assert Path(done["backup"]).read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    entry = json.loads(path.read_text())["mcpServers"][NAME]
    assert entry == done["entry"]
    assert entry["args"][-6:] == ["mcp", "--store", str(tmp_path / "m.db"), "--user", "ana", "--read-only"]
    server = subprocess.run(
        [entry["command"], *entry["args"]], input=b"", env=fresh(tmp_path), capture_output=True, timeout=60, check=False
    )
    assert (server.returncode, server.stdout) == (0, b"")
    assert json.loads(install(tmp_path, "cursor", *entry["args"][-5:], "--json").stdout)["action"] == "unchanged"
    assert json.loads(install(tmp_path, "cursor", "--uninstall", "--json").stdout)["action"] == "removed"
    assert json.loads(path.read_text()) == {"mcpServers": {"weather": OTHER}}
    assert sorted(row.name for row in path.parent.iterdir()) == ["mcp.json", "mcp.json.bak", "mcp.json.bak2"]


def test_b04_the_entry_pins_store_and_person(tmp_path: Path) -> None:
    """Else whatever folder an assistant works in says where it writes down what it is told."""
    data = tmp_path / ".local" / "share" / "yesteryear"
    done = json.loads(install_here(tmp_path, "cursor", "--json").stdout)
    assert done["entry"]["args"][-5:] == ["mcp", "--store", str(data / "memory.db"), "--user", "me"]
    (tmp_path / "yesteryear.toml").write_text('store = "theirs.db"\n')
    refused = install_here(tmp_path, "cursor", "--json")
    assert refused.code == 1
    assert "yesteryear config allow" in refused.stderr
    named = json.loads(install_here(tmp_path, "cursor", "--store", "postgresql://host/memory", "--json").stdout)
    assert "postgresql://host/memory" in named["entry"]["args"]


def test_b15_a_package_of_the_working_folder_is_not_taken_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without our script Python starts the server, and must not look for modules where the assistant works."""
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path / "nowhere"))
    (tmp_path / "typer.py").write_text("open('executed', 'w')")
    command = serving._own_command()
    done = subprocess.run([*command, "--help"], cwd=tmp_path, env=fresh(tmp_path), capture_output=True, check=False)
    assert done.returncode == 0
    assert not (tmp_path / "executed").exists()


def test_looking_changes_nothing(tmp_path: Path) -> None:
    """Neither a dry run nor printing leaves anything behind."""
    dry = install_here(tmp_path, "claude-desktop", "--dry-run")
    assert dry.code == 0
    assert '+    "yesteryear": {' in dry.stdout
    printed = install_here(tmp_path, "codex", "--print")
    assert tomllib.loads(printed.stdout)["mcp_servers"][NAME]["args"][-1] == "me"
    assert list(tmp_path.iterdir()) == []


def test_a_broken_file_is_left_as_it_is(tmp_path: Path) -> None:
    """The error names it and says what to do by hand."""
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text("{ // mine\n}")
    failed = install_here(tmp_path, "gemini")
    assert failed.code == 1
    assert str(path) in failed.stderr
    assert "--print" in failed.stderr
    assert path.read_text() == "{ // mine\n}"
    assert [row.name for row in path.parent.iterdir()] == ["settings.json"]


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    """Those who keep their settings elsewhere find the change there."""
    kept = tmp_path / "dotfiles" / "mcp.json"
    kept.parent.mkdir()
    kept.write_text("{}")
    link = tmp_path / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(kept)
    assert install_here(tmp_path, "cursor").code == 0
    assert link.is_symlink()
    assert NAME in json.loads(kept.read_text())["mcpServers"]


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """And one with a byte order mark, as Windows writes it, is read."""
    path = tmp_path / "a.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="left as it is"):
        read_text(path)
    path.write_bytes(b"\xef\xbb\xbf{}")
    assert read_text(path) == "{}"
    shutil.rmtree(tmp_path)
    assert read_text(path) == ""
