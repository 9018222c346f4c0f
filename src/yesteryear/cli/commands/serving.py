"""A memory for other programs: serve it, to assistants too, which are told how to start it."""

from __future__ import annotations

import difflib
import os
import sys
import sysconfig
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import platformdirs
from typer import Argument, Context, Option

from yesteryear.api.access import ANONYMOUS, OpenDoor, Principal, RequestedScope
from yesteryear.cli.assistants import ASSISTANTS, find_assistant, places, read_text, write_safely
from yesteryear.cli.invocation import SCOPE, STORE, Invocation, command, installed_version
from yesteryear.core.access.keys import Right
from yesteryear.errors import InputError, MissingExtra
from yesteryear.providers.clock import SystemClock

if TYPE_CHECKING:
    from yesteryear.api.auth_context import AuthContext
    from yesteryear.config.settings import Settings

DEFAULT_USER = "me"  # whose memory it is where nobody is named: that of the person at this computer
_READ_ONLY = Annotated[bool, Option("--read-only", help="Offer only the tools that look; nothing is changed.")]
_MORE = Annotated[bool, Option("--more-tools", help="Offer confirm, refute, resolve, pin, unpin and restore as well.")]
_AUTHOR = Annotated[
    str | None, Option(help='How the person is called in facts: "Ana prefers tea"; "user" where not given.')
]


@command(*STORE)
def serve(
    call: Invocation,
    host: Annotated[str | None, Option(help="The address to listen at; else the setting serve_host.")] = None,
    port: Annotated[int | None, Option(help="Its port, 0 for any that is free; else serve_port.")] = None,
    has_worker: Annotated[
        bool | None,
        Option(
            "--worker/--no-worker", help="Work here too, or leave it to `yesteryear worker`; else the setting worker."
        ),
    ] = None,
) -> None:
    """Serve memories to other programs and to browsers, until ctrl-C or SIGTERM.

    In one process: all doors, the pages and the worker. Requests under way are finished before it stops; a second
    ctrl-C does not wait, and nothing that was acknowledged is lost then either. On this machine alone no key is needed.
    On PostgreSQL several may run, each at a port of its own, and workers elsewhere.

    Example:
      yesteryear serve --store memory.db
      yesteryear serve --store postgresql://app@db/memory --no-worker --port 8378
    """
    try:
        from yesteryear.cli import server  # loads the doors, which come with an extra
    except ImportError as exc:
        raise MissingExtra("serving needs: pip install 'yesteryear[server]'") from exc
    settings = call.settings({"serve_host": host, "serve_port": port})
    worker = None if has_worker is None else "thread" if has_worker else "none"
    server.run(settings, call.output, store=call.store, worker=worker)


@command(*SCOPE)
def mcp(
    call: Invocation,
    context: Context,
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
    try:  # what comes with an extra
        import anyio

        from yesteryear.api.mcp.server import McpDoor
        from yesteryear.api.mcp.stdio import LateLender, serve_stdio
        from yesteryear.api.mcp.tools import offered
    except ImportError as exc:
        raise MissingExtra("serving assistants needs: pip install 'yesteryear[mcp]'") from exc
    principal = Principal(ANONYMOUS, call.own_tenant, None, Right.READ if is_read_only else Right.ADMIN)
    lender = LateLender(principal, RequestedScope(call.user or DEFAULT_USER, call.project, call.agent))
    door = McpDoor(lender, offered(more=has_more, read_only=is_read_only), clock=SystemClock(), author=author)
    anyio.run(serve_stdio, door.server(installed_version("yesteryear")), lender, lambda: _open_late(call))


@command(*SCOPE)
def mcp_install(
    call: Invocation,
    client: Annotated[str, Argument(help=f"{', '.join(ASSISTANTS)}.", metavar="CLIENT")],
    *,
    is_read_only: _READ_ONLY = False,
    has_more: _MORE = False,
    author: _AUTHOR = None,
    is_removed: Annotated[bool, Option("--uninstall", help="Take it out again.")] = False,
    is_dry: Annotated[bool, Option("--dry-run", help="Only show what would be changed.")] = False,
    is_printed: Annotated[bool, Option("--print", help="Only print what to put into the file.")] = False,
) -> None:
    """Tell an assistant to start this memory with every conversation.

    Its settings keep everything else that they hold; what was there before is kept beside them as .bak. A file that is
    broken, or has comments that would be lost, is left as it is. Options given here are those that the server is
    started with. Store and person are always written there, so that no folder that the assistant works in decides them.

    Example:
      yesteryear mcp install claude-desktop
      yesteryear mcp install codex --user ana --read-only --dry-run
    """
    flags = {"--read-only": is_read_only, "--more-tools": has_more}
    pinned = [] if is_removed else _pinned(call, author)
    assistant = find_assistant(client)
    path = assistant.path(places(sys.platform, Path.home(), os.environ))
    entry = assistant.entry([*_own_command(), "mcp", *pinned, *(flag for flag, is_on in flags.items() if is_on)])
    if is_printed:
        snippet = assistant.edited("", entry)
        call.output.document({"client": client, "path": path, "text": snippet})
        call.output.hint(f"{assistant.title} reads {path}; put this there:")
        call.output.say(snippet.rstrip("\n"))
        return
    before = read_text(path)
    try:
        after = assistant.edited(before, None if is_removed else entry)
    except InputError as exc:
        shown = f"`yesteryear mcp install {client} --print`"
        raise InputError(f"{path} was left as it is: {exc}. Add by hand what {shown} shows") from exc
    action = "unchanged" if after == before else "removed" if is_removed else "written"
    backup = write_safely(path, after) if after != before and not is_dry else None
    made = {"client": client, "path": path, "action": action, "is_dry": is_dry, "backup": backup, "entry": entry}
    call.output.document(made)
    if action == "unchanged":
        call.output.say(f"nothing to change for {assistant.title}: {path}")
    else:
        done = "taken out of" if is_removed else "written to"
        call.output.say(f"{'would be ' if is_dry else ''}{done} {path}")
        if not is_dry:
            call.output.say(f"start {assistant.title} anew to have it take effect")
    if is_dry:
        for line in difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm=""):
            call.output.say(line)
    elif backup is not None:
        call.output.say(f"what was there before: {backup}", style="dim")


def _open_late(call: Invocation) -> AuthContext:
    """Open the memory; called while the first requests are answered already."""
    from yesteryear.api.auth_context import AuthContext  # load the engine
    from yesteryear.bootstrap import assemble, build_engine
    from yesteryear.memory.engine import AsyncEngine

    settings = replace(call, store=_store_of(call.settings(is_strict=False))).settings(is_strict=False)
    if Path(settings.store).parent == _data_folder():
        _data_folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    if settings.left_aside:
        trust = "if you trust it, run there: yesteryear config allow"
        call.output.note(f"note: this folder's yesteryear.toml may not set {', '.join(settings.left_aside)}; {trust}")
    engine = build_engine(AsyncEngine, assemble(settings), settings)
    call.output.notes(engine.notes)
    return AuthContext(engine, OpenDoor(call.own_tenant))


def _store_of(settings: Settings) -> str:
    """Return where the memory lies; where nothing says so, in this user's data folder, wherever we are started."""
    return settings.store if settings.origins["store"] != "default" else str(_data_folder() / "memory.db")


def _data_folder() -> Path:
    return platformdirs.user_data_path("yesteryear", appauthor=False)


def _pinned(call: Invocation, author: str | None) -> list[str]:
    """Return the options that say where the memory lies, as it is found from any folder, and whose it is."""
    settings = call.settings()
    if settings.store != settings.text("store"):
        call.output.note("note: the password in the store's address will stand in that file", style="yellow")
    store = _store_of(settings)
    if "://" not in store and not store.startswith(":"):
        store = str(Path(store).expanduser().absolute())
    scope = {"--tenant": call.tenant, "--project": call.project, "--agent": call.agent}
    given = {"--store": store, "--user": call.user or DEFAULT_USER, **scope, "--author": author}
    return [part for name, value in given.items() if value is not None for part in (name, value)]


def _own_command() -> list[str]:
    """Return how an assistant, which knows nothing of our environment, starts this very installation."""
    script = Path(sysconfig.get_path("scripts")) / ("yesteryear.exe" if sys.platform == "win32" else "yesteryear")
    if script.exists():
        return [str(script)]
    # -P: no package in the folder that it works in is taken for one of ours
    return [sys.executable, "-P", "-c", "from yesteryear.cli import main; main()"]
