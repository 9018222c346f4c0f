"""A memory for other programs: serve it, to assistants too, the keys that open it, and who changed what through it."""

from __future__ import annotations

import difflib
import os
import sys
import sysconfig
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import platformdirs
from typer import Argument, Context, Exit, Option

from yesteryear.api.access import ANONYMOUS, OpenDoor, Principal, RequestedScope
from yesteryear.cli.assistants import Assistant, Places, find_assistant, read_text, write_safely
from yesteryear.cli.invocation import PERSON, SCOPE, STORE, Invocation, command, installed_version
from yesteryear.cli.output import Output, count, table
from yesteryear.core.access.audit import AuditEntry, Verified, verify
from yesteryear.core.access.keys import ApiKey, Right
from yesteryear.core.scope import Scope
from yesteryear.errors import InputError, MissingExtra
from yesteryear.providers.clock import SystemClock

if TYPE_CHECKING:
    from yesteryear.api.auth_context import AuthContext
    from yesteryear.api.keyring import HeldKey, KeyRing
    from yesteryear.config.settings import Settings

DEFAULT_USER = "me"
"""Whose memory it is where nobody is named: that of the person at this computer."""
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
            "--worker/--no-worker",
            help="Work here too, or leave it to `yesteryear worker`; else the setting worker.",
            show_default=False,
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
def serve_mcp(
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
def install_mcp(
    call: Invocation,
    client: Annotated[
        str,
        Argument(
            help="claude-desktop, claude-code, cursor, vscode, windsurf, gemini, codex or lmstudio.", metavar="CLIENT"
        ),
    ],
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
    path = assistant.path(Places(sys.platform, Path.home(), os.environ))
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
        raise InputError(
            f"{path} was left as it is: {exc}. Add by hand what `yesteryear mcp install {client} --print` shows"
        ) from exc
    action = "unchanged" if after == before else "removed" if is_removed else "written"
    backup = write_safely(path, after) if after != before and not is_dry else None
    call.output.document(
        {"client": client, "path": path, "action": action, "is_dry": is_dry, "backup": backup, "entry": entry}
    )
    _show_installed(assistant, path, action, call.output, is_dry=is_dry)
    if is_dry:
        for line in difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm=""):
            call.output.say(line)
    elif backup is not None:
        call.output.say(f"what was there before: {backup}", style="dim")


def _show_installed(assistant: Assistant, path: Path, action: str, output: Output, *, is_dry: bool) -> None:
    if action == "unchanged":
        output.say(f"nothing to change for {assistant.title}: {path}")
        return
    done = "taken out of" if action == "removed" else "written to"
    output.say(f"{'would be ' if is_dry else ''}{done} {path}")
    if not is_dry:
        output.say(f"start {assistant.title} anew to have it take effect")


def _open_late(call: Invocation) -> AuthContext:
    """Open the memory; called while the first requests are answered already."""
    from yesteryear.api.auth_context import AuthContext  # load the engine
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
    """Return how an assistant, which knows nothing of our environment, starts this very installation.

    ``-P``: no package in the folder that it works in is taken for one of ours.
    """
    script = Path(sysconfig.get_path("scripts")) / ("yesteryear.exe" if sys.platform == "win32" else "yesteryear")
    if script.exists():
        return [str(script)]
    return [sys.executable, "-P", "-c", "from yesteryear.cli import main; main()"]


@command(*PERSON)
def create_key(
    call: Invocation,
    name: Annotated[str, Argument(help="What to call it, such as laptop.")],
    *,
    is_for_everybody: Annotated[
        bool, Option("--everybody", help="For the memories of all people of the tenant.")
    ] = False,
    right: Annotated[Literal["read", "write", "admin"], Option(help="The most that it allows.")] = "write",
    days: Annotated[int, Option(help="For how many days it holds; 0 for ever.", min=0, max=36_500)] = 90,
) -> None:
    """Make an API key, for one person or, with --everybody, for all people of a tenant.

    The key is shown once: only a hash of it is kept. Whoever has it sends it as `Authorization: Bearer <key>`. A key
    for everybody is for an application, which says in the header X-Yesteryear-User whose memory it means.

    The right to write holds that to read, and that to admin both: it also allows to erase, export and configure.

    Example:
      yesteryear key create laptop --user ana
      yesteryear key create chat-service --everybody --days 0
    """
    if (call.user is None) is not is_for_everybody:
        raise InputError("for whose memory? pass either --user NAME or --everybody")
    tenant = call.own_tenant
    with _ring(call, may_create=True) as ring:
        expires_at = ring.clock.now() + timedelta(days=days) if days else None
        token, key = ring.create(tenant, call.user, name=name, right=Right[right.upper()], expires_at=expires_at)
    whose = f"the memory of {call.user!r}" if call.user else f"the memories of everybody in the tenant {tenant!r}"
    call.output.document({"token": token.text, "id": key.id, "tenant": tenant, "user": call.user, **_told(key)})
    call.output.say(token.text)
    until = f"until {key.expires_at:%Y-%m-%d}" if key.expires_at else "for ever"
    call.output.hint(f"key {key.id}: may {right} {whose}, {until}. Keep it now, it is not shown again.")


@command(*PERSON)
def list_keys(call: Invocation) -> None:
    """List API keys: of a tenant and all its people, or of the person named.

    Shown are ids, names, rights and when each was used last, by day; never a key itself.

    Example:
      yesteryear key list --json
    """
    with _ring(call) as ring:
        held = [_described(each, ring.clock.now()) for each in ring.list(call.own_tenant, call.user)]
    call.output.document({"keys": held})
    if not held:
        call.output.say("no keys; make one with `yesteryear key create`")
        return
    rows = []
    for key in held:
        days = (key[name][:10] if key[name] else "" for name in ("created_at", "expires_at", "last_used"))
        rows.append((key["id"], key["name"], key["user"] or "everybody", key["right"], *days, key["state"]))
    call.output.show(table(("id", "name", "for", "may", "made", "ends", "last used", "is"), rows))


@command(*PERSON)
def revoke_key(
    call: Invocation, key_id: Annotated[str, Argument(metavar="ID", help="As `yesteryear key list` shows it.")]
) -> None:
    """Revoke an API key: from now on it opens nothing.

    Servers that run notice within two seconds. Revoking twice is harmless.

    Example:
      yesteryear key revoke 5zr3x6v2k7aqjd4n
    """
    with _ring(call) as ring:
        held = ring.revoke(call.own_tenant, key_id)
        call.output.document(_described(held, ring.clock.now()))
    call.output.say(f"key {key_id} ({held.key.name}) opens nothing any more")


@contextmanager
def _ring(call: Invocation, *, may_create: bool = False) -> Iterator[KeyRing]:
    from yesteryear.api.keyring import KeyRing  # loads numpy

    with call.open_store(may_create=may_create) as store:
        yield KeyRing(store, SystemClock())


def _told(key: ApiKey) -> dict[str, Any]:
    shown = key.to_dict()
    del shown["digest"]
    return {**shown, "right": key.right.name.lower()}


def _described(held: HeldKey, now: datetime) -> dict[str, Any]:
    state = "valid" if held.key.is_valid(now) else "revoked" if held.key.revoked_at else "expired"
    return {"tenant": held.tenant, "user": held.user, **_told(held.key), "state": state}


@command(*PERSON)
def audit(
    call: Invocation,
    *,
    limit: Annotated[int, Option(help="Show so many rows, the newest.", min=0)] = 50,
    head: Annotated[str | None, Option(help="A head noted earlier; fails where it is not in the chain.")] = None,
) -> None:
    """Show who changed what through a server, and whether the record is whole.

    Of the person named, or of the tenant itself: its keys, who was refused, who was erased. Nothing that was said is in
    it. Each row seals the one before; the last line tells whether all of them follow from each other, or which is the
    first that does not. Rows cut off the end, or a chain written anew, show only against a head that was noted
    elsewhere: pass it with --head. Exit code 1 where something is wrong.

    Example:
      yesteryear audit --user ana
      yesteryear audit --json --head 3f0c…
    """
    from yesteryear.api.audit import AuditLog  # loads numpy

    scope = Scope.everybody(call.own_tenant) if call.user is None else Scope(call.user, call.own_tenant)
    newest: deque[AuditEntry] = deque(maxlen=limit)
    with call.open_store() as store:
        found = verify(AuditLog(store, SystemClock()).rows(scope), head=head, seen=newest.append)
    call.output.document({"rows": list(newest), "verified": found})
    _show_audit(newest, found, call.output)
    if not found.is_whole:
        raise Exit(1)


def _show_audit(newest: deque[AuditEntry], found: Verified, output: Output) -> None:
    rows = []
    for row in newest:
        at = f"{row.at:%Y-%m-%d %H:%M:%S}"
        rows.append((row.seq, at, row.principal, row.verb, row.outcome, row.count or "", " ".join(row.ids)))
    if rows:
        output.show(table(("row", "at", "who", "what", "outcome", "rows", "ids"), rows, rest="ids"))
    checked = count(found.rows, "row")
    if found.is_whole:
        output.say(f"{checked}, the chain is whole; head {found.head or 'none'}", style="bold")
    elif found.broken_at is None:
        output.say(f"{checked}: {found.reason}", style="bold red")
    else:
        output.say(f"{checked}, broken at row {found.broken_at}: {found.reason}", style="bold red")
