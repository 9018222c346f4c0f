"""``yesteryear doctor``: each check tells how it is and, where something is amiss, what to do."""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import inf
from typing import Annotated, Literal

from typer import Exit, Option

from yesteryear.bootstrap import build_ports, is_fallback_reader, reads_by, try_models, try_reader
from yesteryear.cli.invocation import STORE, Invocation, command, installed_version
from yesteryear.cli.output import Advance, cell, count, table
from yesteryear.config.settings import FILE, Settings
from yesteryear.core.results import Plain
from yesteryear.errors import ConfigError, NotFound, StorageCorrupt, YesteryearError
from yesteryear.lifecycle.reread import count_read_by_others
from yesteryear.ports import Ports, Store, Transaction
from yesteryear.providers.minilm.weights import find_model, verify
from yesteryear.providers.registry import is_remote
from yesteryear.transfer.copy import find_damage

_MARGIN = 7  # columns that the state of a check takes
_STYLES = {"fine": "green", "weak": "yellow", "wrong": "red"}
_PACKAGES = ("yesteryear", "numpy", "onnxruntime", "typer", "rich")  # whose versions are shown
_OVERDUE = timedelta(minutes=15)  # due work that waits longer than this is waiting for a worker
_SYNCHRONOUS = {"full": 2, "normal": 1}
"""What SQLite must read back for ``PRAGMA synchronous``, by the setting ``durability``."""
_INSTALL = "run: yesteryear model install"
_RESTORE = (
    "stop what uses the store and keep a copy of it as it is; then restore it from the last backup, or import the last "
    "exports into a new one. `yesteryear export` may still save people whose rows are whole"
)
"""What to do about damage."""


@dataclass(frozen=True, slots=True)
class Check(Plain):
    """One thing that was looked at."""

    name: str
    state: Literal["fine", "weak", "wrong"]  # what is weak works, less well than it could
    found: str
    advice: str = ""  # what to do about it


def _check(state: Literal["weak", "wrong"], name: str, found: str, advice: str = "", *, unless: bool = False) -> Check:
    return Check(name, "fine", found) if unless else Check(name, state, found, advice)


_weak, _wrong = partial(_check, "weak"), partial(_check, "wrong")


@command(*STORE)
def doctor(
    call: Invocation,
    *,
    may_call: Annotated[bool, Option("--call", help="Also call the models named, once each; costs little.")] = False,
    is_quick: Annotated[bool, Option("--quick", help="Do not read the whole store, which may take time.")] = False,
) -> None:
    """Check the installation, the settings and the store.

    Versions, each setting with its origin, whether the model, the file and every row in it are whole, who else may
    read it, whether models behind a network can be used, what was given up and what waits, and what to do about it.
    Nothing is changed. The exit code is 1 when something is wrong; what works, but less well than it could, leaves it
    at 0.

    Example:
      yesteryear doctor --store memory.db
    """
    checks, settings = _look_at(call, may_call=may_call, is_quick=is_quick)
    values, origins = ({}, {}) if settings is None else (settings.values, settings.origins)
    found = [(name, value, origins[name]) for name, value in values.items()]
    plain = {name: {"value": None if value == inf else value, "origin": origin} for name, value, origin in found}
    call.output.document({"checks": checks, "settings": plain})  # null for no limit
    for check in checks:
        line = f"{check.state:<5}  {check.name}: {check.found}"
        call.output.wrap(line, style=_STYLES[check.state], indent=0, hanging=_MARGIN, breaks_words=False)
        if check.advice:
            call.output.wrap(check.advice, indent=_MARGIN, breaks_words=False)
    if found:
        call.output.heading("Settings")
        rows = [(name, '""' if value == "" else value, cell(origin, "dim")) for name, value, origin in found]
        call.output.show(table(("name", "value", "origin"), rows))
    if any(check.state == "wrong" for check in checks):
        raise Exit(1)


def _look_at(call: Invocation, *, may_call: bool, is_quick: bool) -> tuple[list[Check], Settings | None]:
    checks = [
        Check("python", "fine", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        Check("packages", "fine", ", ".join(f"{name} {installed_version(name)}" for name in _PACKAGES)),
        Check("sqlite", "fine", sqlite3.sqlite_version),
    ]
    try:
        settings = call.settings()
        settings.policies()
    except ConfigError as exc:
        return [*checks, _wrong("settings", str(exc), "correct it; the store was not looked at")], None
    if settings.left_aside:
        found = f"left aside of this folder's {FILE}, which was denied: {', '.join(settings.left_aside)}"
        checks.append(Check("settings", "fine", found, "to take them: yesteryear config allow"))
    checks += [_check_model(settings), _check_remote(settings, may_call=may_call)]
    try:
        for check in _check_rows(call, settings, is_quick=is_quick):
            checks.append(check)
    except YesteryearError as exc:
        checks.append(_wrong("store", str(exc), _RESTORE if isinstance(exc, StorageCorrupt) else ""))
    return checks, settings


def _check_model(settings: Settings) -> Check:
    chosen, origin = settings.text("embedder"), f"(from: {settings.origins['embedder']})"
    if chosen == "hashing":
        return Check("model", "fine", f"not needed: embedder is hashing {origin}")
    if is_remote(chosen):
        return Check("model", "fine", f"{chosen}, behind a network {origin}")
    folder = find_model(settings.path("model_folder"))
    if folder is None and chosen == "minilm":
        return _wrong("model", "not installed", _INSTALL)
    if folder is None:
        return _weak("model", "not installed; hashing stands in, recall goes by words", _INSTALL)
    try:
        manifest = verify(folder)
    except YesteryearError as exc:
        return _wrong("model", str(exc), "run: yesteryear model install --force")
    if not manifest.is_latest:
        return _weak("model", f"{manifest.model} with parts of an older version", _INSTALL)
    return Check("model", "fine", f"{manifest.model} in {folder}, hashes as they should be")


def _check_remote(settings: Settings, *, may_call: bool) -> Check:
    try:
        tried = try_models(settings, may_call=may_call)
    except YesteryearError as exc:
        return _wrong("models", str(exc), "the local analyst works meanwhile; see docs/how-to/models.md")
    if not tried:
        return Check("models", "fine", "nothing leaves this machine")
    answered = "answered" if may_call else "named; see whether they answer with --call"
    return Check("models", "fine", f"{', '.join(tried)}: {answered}")


def _check_rows(call: Invocation, settings: Settings, *, is_quick: bool) -> Iterator[Check]:
    try:
        call.check_exists()
    except NotFound as exc:
        yield _weak("store", "none yet", str(exc))
        return
    # The model has a check of its own, and the store is to be looked at without it too.
    ports, _ = build_ports(call.store, worker="none", embedder="hashing", analyst="local")
    with closing(ports.store):
        yield from check_store(ports.store.describe(check=not is_quick))
        if not is_quick:
            with call.output.progress("reading all rows") as advance:
                yield _check_each(ports.store, advance)
        yield from _check_work(ports, ports.clock.now())
        yield _check_reading(ports.store, settings)
        waiting = len(ports.store.erasures())
        files = f"{count(waiting, 'erasure waits', 'erasures wait')} for the files to be cleaned"
        end = "end whatever still reads the old file; then run: yesteryear worker"
        yield _weak("erasures", files if waiting else "none waits", end, unless=not waiting)


def check_store(described: Mapping[str, object]) -> Iterator[Check]:
    """Tell whether a store, by what it says of itself, is whole, of the present schema, and durable as it should be."""
    shards = described.get("shards")
    if isinstance(shards, Mapping):
        for shard in shards.values():
            yield from check_store(shard)
        return
    place, size = described.get("place"), described.get("bytes")
    yield Check("store", "fine", str(place) + (f", {size:,} bytes" if isinstance(size, int) else ""))
    schema, newest = described.get("schema"), described.get("newest_schema")
    if schema is not None:
        yield _wrong("schema", f"{schema}, newest known {newest}", unless=schema == newest)
    integrity = described.get("integrity_check")
    if integrity is not None:
        yield _wrong("pages", str(integrity), _RESTORE, unless=integrity == "ok")
    opened = described.get("open_to_others")
    if isinstance(opened, list) and opened:
        found = f"others on this machine may read or write: {', '.join(opened)}"
        yield _weak("permissions", found, f"unless that is meant so, run: chmod go-rwx '{place}'*")
    durability, synchronous = str(described.get("durability")), described.get("synchronous")
    if synchronous is not None:
        found, is_full = f"{durability}; SQLite reads back synchronous = {synchronous}", _SYNCHRONOUS.get(durability)
        lost = "acknowledged messages may be lost in a power cut; report this"
        yield _wrong("durability", found, lost, unless=synchronous == is_full)
    if "server" in described:
        yield from _check_server(described)


def _check_server(described: Mapping[str, object]) -> Iterator[Check]:
    is_replica, is_bypassed = bool(described["is_replica"]), bool(described["bypasses_row_security"])
    server = f"PostgreSQL {described['server']}, pgvector {described['pgvector']}"
    replica = "nothing can be written here; connect to the primary server"
    yield _weak("server", server + (", a replica" if is_replica else ""), replica, unless=not is_replica)
    committing, syncing, durability = (described[name] for name in ("synchronous_commit", "fsync", "durability"))
    found = f"{durability}; the server reads back synchronous_commit = {committing}, fsync = {syncing}"
    lost = "acknowledged messages may be lost in a crash; set both to on, in postgresql.conf"
    is_durable = syncing == "on" and (committing != "off" or durability == "normal")
    yield _wrong("durability", found, lost, unless=is_durable)
    found = f"role {described['role']} " + ("is above it" if is_bypassed else "sees the rows of one owner at a time")
    role = "connect as a role that is no superuser and has no BYPASSRLS, as a second wall"
    yield _weak("row security", found, role, unless=not is_bypassed)
    yield Check("connections", "fine", f"at most {described['connections']} of this process")


def _check_each(store: Store, advance: Advance) -> Check:
    """Read all rows of everybody, and tell the first that is damaged within, which no look at pages finds."""
    owners = store.owners()
    for done, owner in enumerate(owners):
        advance(done / len(owners), count(done, "person", "people"))
        if (damage := find_damage(store, owner)) is not None:
            return _wrong("rows", f"{owner.user!r} (tenant {owner.tenant!r}): {damage}", _RESTORE)
    people = count(len(owners), "person", "people")
    return Check("rows", "fine", f"those of {people} can be read and belong together")


def _check_work(ports: Ports, now: datetime) -> Iterator[Check]:
    failed, due, owners = 0, list[datetime](), ports.store.owners()
    for owner in owners:
        with ports.store.read(owner.scope) as tx:
            counts = tx.counts()
            failed += counts.get("episodes.failed", 0) + counts.get("vectors.failed", 0)
            due += _due_since(tx, now)
    yield Check("people", "fine", str(len(owners)))
    rows = count(failed, "row") + (" failed or given up" if failed else "")
    see = "see: yesteryear episodes --status failed; put back: yesteryear episodes --retry"
    yield _wrong("failed work", rows, see, unless=not failed)
    waits = f"waits since {min(due):%Y-%m-%d %H:%M} UTC" if due else "none waits"
    is_served = not due or now - min(due) <= _OVERDUE
    yield _weak("due work", waits, "nobody works on it; run: yesteryear worker", unless=is_served)
    dead = [worker for _, worker in ports.store.leases() if ports.workers.is_gone(worker)]
    found = f"{count(len(dead), 'worker')} died at work" if dead else "none has died at work"
    yield _weak("workers", found, "the next worker takes over by itself: yesteryear worker", unless=not dead)


def _check_reading(store: Store, settings: Settings) -> Check:
    try:
        reader = reads_by(settings)
    except YesteryearError as exc:
        return _wrong("reader", str(exc), _INSTALL)
    if is_fallback_reader(settings):
        return _weak("reader", f"{reader} stands in, what was meant is told by words", _INSTALL)
    try:
        try_reader(settings)
    except YesteryearError as exc:
        return _weak("reader", f"what was meant is told by words: {exc}", _INSTALL)
    others = 0
    for owner in store.owners():
        with store.read(owner.scope) as tx:
            others += count_read_by_others(tx, reader)
    found = f"{reader}; {count(others, 'episode')} read by another" if others else reader
    return _weak("reader", found, "to have them read again: yesteryear reread", unless=not others)


def _due_since(tx: Transaction, now: datetime) -> list[datetime]:
    due = (
        *(conversation.due_at for conversation in tx.conversations.due(now, limit=1)),
        *(episode.next_try for episode in tx.episodes.due(now, limit=1, next_reader="")),
        *(message.vector_due_at for message in tx.messages.due(now, limit=1)),
    )
    return [at for at in due if at is not None]
