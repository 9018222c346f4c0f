"""Where assistants keep which servers they start, and how that is changed without harm to anything else there."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from yesteryear.config.trust import replace_file
from yesteryear.errors import InputError, NotFound

NAME = "yesteryear"  # what the server is called in those files
_INDENT = re.compile(r"^[ \t]+(?=\S)", re.MULTILINE)
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


def places(platform: str, home: Path, environ: Mapping[str, str]) -> dict[str, Path]:
    """Return a person's folders: home, that of applications' settings, that of Codex; elsewhere as on Linux."""
    settings = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    if platform == "darwin":
        settings = home / "Library" / "Application Support"
    elif platform == "win32":
        settings = Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    return {"home": home, "settings": settings, "codex": Path(environ.get("CODEX_HOME") or home / ".codex")}


@dataclass(frozen=True, slots=True)
class Assistant:
    """A program that starts servers of the Model Context Protocol."""

    name: str
    title: str
    file: str  # its settings, below one of a person's places
    section: str = "mcpServers"  # where in its file the servers stand, by name
    names_transport: bool = False  # whether an entry says that it speaks over stdin and stdout

    @property
    def is_toml(self) -> bool:
        """Whether its file is TOML; others are JSON."""
        return self.file.endswith(".toml")

    def path(self, folders: Mapping[str, Path]) -> Path:
        """Return where its file lies; see ``places``."""
        return Path(self.file.format(**folders))

    def entry(self, command: list[str]) -> dict[str, Any]:
        """Return what stands in its file for a command with its arguments."""
        transport = {"type": "stdio"} if self.names_transport else {}
        return {**transport, "command": command[0], "args": command[1:]}

    def edited(self, text: str, entry: Mapping[str, Any] | None) -> str:
        """Return the file with this entry, or without one where it is None; the same text where nothing changes."""
        settings = _parse_toml(text) if self.is_toml else _parse_json(text)
        servers = settings.get(self.section, {})
        if not isinstance(servers, dict):
            raise InputError(f"{self.section!r} does not list servers by name there")
        if servers.get(NAME) == entry:
            return text
        others = {name: known for name, known in servers.items() if name != NAME}
        wanted = {**settings, self.section: others if entry is None else {**others, NAME: entry}}
        if self.is_toml:
            return _edit_toml(text, self.section, entry, wanted)
        indent = _INDENT.search(text)
        return f"{json.dumps(wanted, indent=indent[0] if indent else 2, ensure_ascii=False)}\n"


ASSISTANTS: Mapping[str, Assistant] = {
    assistant.name: assistant
    for assistant in (
        Assistant("claude-desktop", "Claude Desktop", "{settings}/Claude/claude_desktop_config.json"),
        Assistant("claude-code", "Claude Code", "{home}/.claude.json", names_transport=True),
        Assistant("cursor", "Cursor", "{home}/.cursor/mcp.json"),
        Assistant("vscode", "Visual Studio Code", "{settings}/Code/User/mcp.json", "servers", names_transport=True),
        Assistant("windsurf", "Windsurf", "{home}/.codeium/windsurf/mcp_config.json"),
        Assistant("gemini", "Gemini CLI", "{home}/.gemini/settings.json"),
        Assistant("codex", "Codex", "{codex}/config.toml", "mcp_servers"),
        Assistant("lmstudio", "LM Studio", "{home}/.lmstudio/mcp.json"),
    )
}
"""By the name that the command line knows them by."""


def find_assistant(name: str) -> Assistant:
    """Return the assistant called so, or raise ``NotFound``, which names those we know."""
    if name not in ASSISTANTS:
        others = "Any other one that speaks MCP can be given the command and arguments that --print shows"
        raise NotFound(f"no assistant {name!r} is known; there are: {', '.join(ASSISTANTS)}. {others}")
    return ASSISTANTS[name]


def read_text(path: Path) -> str:
    """Return what a file holds, nothing where there is none, or raise ``InputError`` where it is no text."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as exc:
        raise InputError(f"{path} cannot be read, and was left as it is: {exc}") from exc


def write_safely(path: Path, text: str) -> Path | None:
    """Replace a file at once or not at all, and return where what was there before is kept."""
    target = path.resolve()  # a link to somebody's own collection of settings stays one
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        backup = _keep(target) if target.exists() else None
        replace_file(target, text, keeps_mode=True)
    except OSError as exc:
        raise InputError(f"{path} cannot be written, and was left as it is: {exc}") from exc
    return backup


def _keep(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.bak{'' if number == 1 else number}") for number in count(1))
    backup = next(name for name in names if not name.exists())
    shutil.copy2(path, backup)
    return backup


def _parse_json(text: str) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) < len(pairs):
            raise InputError("it says something twice, of which writing it anew would lose one")
        return dict(pairs)

    if not text.strip():
        return {}
    try:
        found = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as exc:
        if isinstance(exc, InputError):
            raise
        raise InputError(f"it is no plain JSON, which comments are not either: {exc}") from exc
    if not isinstance(found, dict):
        raise InputError("it holds no JSON object")
    return found


def _edit_toml(text: str, section: str, entry: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> str:
    """Change one table as text, so that comments stay, and make sure that it holds what is wanted and nothing else."""
    edited = _without_table(text, section)
    if entry is not None:
        lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items()]
        gap = "\n\n" if edited.strip() else ""
        edited = "\n".join([f"{edited.rstrip()}{gap}[{section}.{NAME}]", *lines, ""])
    if {section: {}, **_parse_toml(edited)} != wanted:
        raise InputError(f"{section}.{NAME} is written there in a way that cannot be changed safely")
    return edited


def _without_table(text: str, section: str) -> str:
    own = re.compile(rf"^[ \t]*\[[ \t]*{section}[ \t]*\.[ \t]*[\"']?{NAME}[\"']?[ \t]*[.\]]", re.MULTILINE)
    while (found := own.search(text)) is not None:
        following = _HEADER.search(text, found.end())
        text = text[: found.start()] + (text[following.start() :] if following else "")
    return text


def _parse_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise InputError(f"it is no TOML: {exc}") from exc
