"""``yesteryear mcp`` and ``yesteryear mcp install``."""

from __future__ import annotations

import difflib
import os
import sys
import sysconfig
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import platformdirs
import typer

from yesteryear.cli.invocation import DEFAULT_TENANT, SCOPE, Invocation, command
from yesteryear.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from yesteryear.api.reception import Reception
    from yesteryear.cli.assistants import Assistant
    from yesteryear.config import Settings

DEFAULT_USER = "me"
"""Whose memory it is where nobody is named: that of the person at this computer."""
_READ_ONLY = Annotated[bool, typer.Option("--read-only", help="Offer only the tools that look; nothing is changed.")]
_MORE = Annotated[
    bool, typer.Option("--more-tools", help="Offer confirm, refute, resolve, pin, unpin and restore as well.")
]
_AUTHOR = Annotated[
    str | None, typer.Option(help='How the person is called in facts: "Ana prefers tea"; "user" where not given.')
]


@command(*SCOPE)
def serve(
    call: Invocation,
    context: typer.Context,
    *,
    is_read_only: _READ_ONLY = False,
    has_more: _MORE = False,
    author: _AUTHOR = None,
) -> None:
    """Give an assistant this memory: a server of the Model Context Protocol over stdin and stdout.

    Assistants start it themselves; `yesteryear mcp install` tells them how. Without a store in the settings the memory
    lies in the user's data folder, and without --user it is that of "me". It works with no key and no network.

    Example:
      yesteryear mcp --user ana --read-only
    """
    if context.invoked_subcommand is not None:
        return
    try:
        import anyio

        from yesteryear.api.mcp.server import McpDoor
        from yesteryear.api.mcp.stdio import LateReception, serve_stdio
        from yesteryear.api.mcp.tools import offered
    except ImportError as exc:
        raise MissingExtra("serving assistants needs: pip install 'yesteryear[mcp]'") from exc
    from yesteryear.api.access import ANONYMOUS, Principal, Right, Wish
    from yesteryear.cli.versions import installed_version
    from yesteryear.providers.clock import SystemClock

    tenant = DEFAULT_TENANT if call.tenant is None else call.tenant
    principal = Principal(ANONYMOUS, tenant, None, Right.READ if is_read_only else Right.ADMIN)
    lender = LateReception(principal, Wish(call.user or DEFAULT_USER, call.project, call.agent))
    door = McpDoor(lender, offered(more=has_more, read_only=is_read_only), clock=SystemClock(), author=author)
    anyio.run(serve_stdio, door.server(installed_version("yesteryear")), lender, lambda: _open(call))


@command(*SCOPE)
def install(
    call: Invocation,
    client: Annotated[
        str,
        typer.Argument(
            help="claude-desktop, claude-code, cursor, vscode, windsurf, gemini, codex or lmstudio.", metavar="CLIENT"
        ),
    ],
    *,
    is_read_only: _READ_ONLY = False,
    has_more: _MORE = False,
    author: _AUTHOR = None,
    is_removed: Annotated[bool, typer.Option("--uninstall", help="Take it out again.")] = False,
    is_dry: Annotated[bool, typer.Option("--dry-run", help="Only show what would be changed.")] = False,
    is_printed: Annotated[bool, typer.Option("--print", help="Only print what to put into the file.")] = False,
) -> None:
    """Tell an assistant to start this memory with every conversation.

    Its settings keep everything else that they hold; what was there before is kept beside them as .bak. A file that is
    broken, or has comments that would be lost, is left as it is. Options given here are those that the server is
    started with. Store and person are always written there, so that no folder that the assistant works in decides them.

    Example:
      yesteryear mcp install claude-desktop
      yesteryear mcp install codex --user ana --read-only --dry-run
    """
    from yesteryear.cli.assistants import Places, System, find_assistant, read_text, write_safely

    flags = {"--read-only": is_read_only, "--more-tools": has_more}
    pinned = [] if is_removed else _pinned(call, author)
    assistant = find_assistant(client)
    path = assistant.path(Places(System.of(sys.platform), Path.home(), os.environ))
    entry = assistant.entry([*_own_command(), "mcp", *pinned, *(flag for flag, is_on in flags.items() if is_on)])
    if is_printed:
        _print(call, assistant, path, assistant.snippet(entry))
        return
    before = read_text(path)
    try:
        after = assistant.edited(before, None if is_removed else entry)
    except InputError as exc:
        raise InputError(
            f"{path} was left as it is: {exc}. Add by hand what `yesteryear mcp install {client} --print` shows"
        ) from exc
    is_changed = after != before
    backup = write_safely(path, after) if is_changed and not is_dry else None
    if call.output.is_json:
        action = ("removed" if is_removed else "written") if is_changed else "unchanged"
        call.output.document(
            {"client": client, "path": path, "action": action, "is_dry": is_dry, "backup": backup, "entry": entry}
        )
    _say(call, assistant, path, is_changed=is_changed, is_dry=is_dry, is_removed=is_removed)
    if is_dry:
        for line in difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm=""):
            call.output.say(line)
    elif backup is not None:
        call.output.say(f"what was there before: {backup}", style="dim")


def _open(call: Invocation) -> Reception:
    """Open the memory; called while the first requests are answered already."""
    from yesteryear.api.access import OpenDoor
    from yesteryear.api.reception import Reception
    from yesteryear.bootstrap import assemble, build_async_engine

    settings = replace(call, store=_store_of(call.settings(is_strict=False))).settings(is_strict=False)
    if Path(settings.store).parent == _data_folder():
        _data_folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    if settings.left_aside:
        call.output.note(
            f"note: this folder's yesteryear.toml may not set {', '.join(settings.left_aside)}; if you trust it, run "
            f"there: yesteryear config allow"
        )
    engine = build_async_engine(assemble(settings), settings)
    for note in engine.notes:
        call.output.note(f"note: {note}")
    return Reception(engine, OpenDoor(DEFAULT_TENANT if call.tenant is None else call.tenant))


def _store_of(settings: Settings) -> str:
    """Return where the memory lies; where nothing says so, in this user's data folder, wherever we are started."""
    if settings.origins["store"] != "default":
        return settings.store
    return str(_data_folder() / "memory.db")


def _data_folder() -> Path:
    return platformdirs.user_data_path("yesteryear", appauthor=False)


def _pinned(call: Invocation, author: str | None) -> list[str]:
    """Return the options that say where the memory lies and whose it is."""
    scope = {"--tenant": call.tenant, "--project": call.project, "--agent": call.agent}
    given = {"--store": _pinned_store(call), "--user": call.user or DEFAULT_USER, **scope, "--author": author}
    return [part for name, value in given.items() if value is not None for part in (name, value)]


def _pinned_store(call: Invocation) -> str:
    """Return the store in force, as it is found from any folder.

    Raises:
        ConfigError: this folder decides it, and was not allowed to.
    """
    settings = call.settings()
    if settings.store != settings.text("store"):
        call.output.note("note: the password in the store's address will stand in that file", style="yellow")
    return _absolute(_store_of(settings))


def _own_command() -> list[str]:
    """Return how an assistant, which knows nothing of our environment, starts this very installation.

    ``-P``: no package in the folder that it works in is taken for one of ours.
    """
    script = Path(sysconfig.get_path("scripts")) / ("yesteryear.exe" if sys.platform == "win32" else "yesteryear")
    if script.exists():
        return [str(script)]
    return [sys.executable, "-P", "-c", "from yesteryear.cli import main; main()"]


def _absolute(store: str) -> str:
    is_path = "://" not in store and not store.startswith(":")
    return str(Path(store).expanduser().absolute()) if is_path else store


def _print(call: Invocation, assistant: Assistant, path: Path, snippet: str) -> None:
    if call.output.is_json:
        call.output.document({"client": assistant.name, "path": path, "text": snippet})
        return
    call.output.note(f"{assistant.title} reads {path}; put this there:")
    call.output.say(snippet.rstrip("\n"))


def _say(
    call: Invocation, assistant: Assistant, path: Path, *, is_changed: bool, is_dry: bool, is_removed: bool
) -> None:
    if not is_changed:
        call.output.say(f"nothing to change for {assistant.title}: {path}")
        return
    done = "taken out of" if is_removed else "written to"
    call.output.say(f"{'would be ' if is_dry else ''}{done} {path}")
    if not is_dry:
        call.output.say(f"start {assistant.title} anew to have it take effect")
