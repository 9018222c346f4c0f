"""What a doctor looks at: each check tells how it is and, where something is amiss, what to do."""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from yesteryear.bootstrap import model_folder, try_models
from yesteryear.cli.output import count
from yesteryear.cli.versions import installed_version
from yesteryear.config import FILE
from yesteryear.core.plain import Plain
from yesteryear.core.scope import Scope
from yesteryear.errors import YesteryearError
from yesteryear.providers.minilm.weights import find_model, verify
from yesteryear.providers.registry import is_remote
from yesteryear.takeout.soundness import find_damage

if TYPE_CHECKING:
    from datetime import datetime

    from yesteryear.cli.output import Advance
    from yesteryear.config import Settings
    from yesteryear.ports import Ports, Store, Transaction

PACKAGES = ("yesteryear", "numpy", "onnxruntime", "typer", "rich")
"""Whose versions are shown."""
OVERDUE = timedelta(minutes=15)
"""Due work that waits longer than this is waiting for a worker."""
SYNCHRONOUS = {"full": 2, "normal": 1}
"""What SQLite must read back for ``PRAGMA synchronous``, by the setting ``durability``."""
RESTORE = (
    "stop what uses the store and keep a copy of it as it is; then restore it from the last backup, or import the last "
    "exports into a new one. `yesteryear export` may still save people whose rows are whole"
)
"""What to do about damage."""


class State(StrEnum):
    """How a check came out."""

    FINE = "fine"
    WEAK = "weak"
    """It works, less well than it could."""
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Check(Plain):
    """One thing that was looked at."""

    name: str
    state: State
    found: str
    advice: str = ""
    """What to do about it."""


def check_versions() -> Iterator[Check]:
    """Tell the versions that everything rests on."""
    yield Check("python", State.FINE, f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield Check("packages", State.FINE, ", ".join(f"{name} {installed_version(name)}" for name in PACKAGES))
    yield Check("sqlite", State.FINE, sqlite3.sqlite_version)


def check_folder(settings: Settings) -> Iterator[Check]:
    """Tell what the working folder's file sets and may not."""
    if settings.left_aside:
        found = f"left aside of this folder's {FILE}, which was denied: {', '.join(settings.left_aside)}"
        yield Check("settings", State.FINE, found, "to take them: yesteryear config allow")


def check_model(settings: Settings) -> Check:
    """Tell whether the embedding model is there and whole, or what stands in for it."""
    chosen = settings.text("embedder")
    if chosen == "hashing":
        return Check("model", State.FINE, f"not needed: embedder is hashing (from: {settings.origins['embedder']})")
    if is_remote(chosen):
        return Check("model", State.FINE, f"{chosen}, behind a network (from: {settings.origins['embedder']})")
    folder = find_model(model_folder(settings))
    if folder is None:
        state = State.WRONG if chosen == "minilm" else State.WEAK
        found = "not installed" + ("" if state is State.WRONG else "; hashing stands in, recall goes by words")
        return Check("model", state, found, "run: yesteryear model install")
    try:
        manifest = verify(folder)
    except YesteryearError as exc:
        return Check("model", State.WRONG, str(exc), "run: yesteryear model install --force")
    return Check("model", State.FINE, f"{manifest.model} in {folder}, hashes as they should be")


def check_remote(settings: Settings, *, may_call: bool) -> Check:
    """Tell whether models behind a network, where some are named, can be used; and that none is where none is."""
    try:
        tried = try_models(settings, may_call=may_call)
    except YesteryearError as exc:
        return Check("models", State.WRONG, str(exc), "the local analyst works meanwhile; see docs/how-to/models.md")
    if not tried:
        return Check("models", State.FINE, "nothing leaves this machine")
    answered = "answered" if may_call else "named; see whether they answer with --call"
    return Check("models", State.FINE, f"{', '.join(tried)}: {answered}")


def check_store(described: Mapping[str, object]) -> Iterator[Check]:
    """Tell whether the store is whole, of the present schema, and written as durably as it should be.

    Args:
        described: What the store says of itself.
    """
    shards = described.get("shards")
    if isinstance(shards, Mapping):
        for shard in shards.values():
            yield from check_store(shard)
        return
    size = described.get("bytes")
    yield Check(
        "store", State.FINE, str(described.get("place")) + (f", {size:,} bytes" if isinstance(size, int) else "")
    )
    schema, newest = described.get("schema"), described.get("newest_schema")
    if schema is not None:
        yield Check("schema", State.FINE if schema == newest else State.WRONG, f"{schema}, newest known {newest}")
    integrity = described.get("integrity_check")
    if integrity is not None:
        is_whole = integrity == "ok"
        yield Check("pages", State.FINE if is_whole else State.WRONG, str(integrity), "" if is_whole else RESTORE)
    opened = described.get("open_to_others")
    if isinstance(opened, list) and opened:
        yield Check(
            "permissions",
            State.WEAK,
            f"others on this machine may read or write: {', '.join(opened)}",
            f"unless that is meant so, run: chmod go-rwx '{described.get('place')}'*",
        )
    durability, synchronous = str(described.get("durability")), described.get("synchronous")
    if synchronous is not None:
        is_kept = synchronous == SYNCHRONOUS.get(durability)
        yield Check(
            "durability",
            State.FINE if is_kept else State.WRONG,
            f"{durability}; SQLite reads back synchronous = {synchronous}",
            "" if is_kept else "acknowledged messages may be lost in a power cut; report this",
        )
    if "server" in described:
        yield from _check_server(described)


def _check_server(described: Mapping[str, object]) -> Iterator[Check]:
    """Tell what a server is, whether it keeps what it acknowledges, and whether it would stop a statement of ours."""
    is_replica = bool(described["is_replica"])
    yield Check(
        "server",
        State.WEAK if is_replica else State.FINE,
        f"PostgreSQL {described['server']}, pgvector {described['pgvector']}" + (", a replica" if is_replica else ""),
        "nothing can be written here; connect to the primary server" if is_replica else "",
    )
    committing, syncing = described["synchronous_commit"], described["fsync"]
    is_kept = syncing == "on" and (committing != "off" or described["durability"] == "normal")
    yield Check(
        "durability",
        State.FINE if is_kept else State.WRONG,
        f"{described['durability']}; the server reads back synchronous_commit = {committing}, fsync = {syncing}",
        "" if is_kept else "acknowledged messages may be lost in a crash; set both to on, in postgresql.conf",
    )
    is_bypassed = bool(described["bypasses_row_security"])
    yield Check(
        "row security",
        State.WEAK if is_bypassed else State.FINE,
        f"role {described['role']} " + ("is above it" if is_bypassed else "sees the rows of one owner at a time"),
        "connect as a role that is no superuser and has no BYPASSRLS, as a second wall" if is_bypassed else "",
    )
    yield Check("connections", State.FINE, f"at most {described['connections']} of this process")


def check_rows(store: Store, advance: Advance) -> Check:
    """Read all rows of everybody, and tell the first that is damaged within, which no look at pages finds.

    Args:
        store: Where they are.
        advance: Told how many people are done.
    """
    owners = store.owners()
    for done, owner in enumerate(owners):
        advance(done / len(owners), count(done, "person", "people"))
        damage = find_damage(store, owner)
        if damage is not None:
            return Check("rows", State.WRONG, f"{owner.user!r} (tenant {owner.tenant!r}): {damage}", RESTORE)
    return Check(
        "rows", State.FINE, f"those of {count(len(owners), 'person', 'people')} can be read and belong together"
    )


def check_work(ports: Ports, now: datetime) -> Iterator[Check]:
    """Tell what was given up, what waits, and which workers have died over their work."""
    failed = 0
    oldest: datetime | None = None
    owners = ports.store.owners()
    for owner in owners:
        with ports.store.read(Scope(tenant=owner.tenant, user=owner.user)) as tx:
            counts = tx.counts()
            failed += counts.get("episodes.failed", 0) + counts.get("vectors.failed", 0)
            due_since = _due_since(tx, now)
        oldest = min((at for at in (oldest, due_since) if at is not None), default=None)
    yield Check("people", State.FINE, str(len(owners)))
    yield Check(
        "failed work",
        State.WRONG if failed else State.FINE,
        count(failed, "row") + (" failed or given up" if failed else ""),
        "see: yesteryear episodes --status failed; put back: yesteryear episodes --retry" if failed else "",
    )
    if oldest is None:
        yield Check("due work", State.FINE, "none waits")
    else:
        is_late = now - oldest > OVERDUE
        yield Check(
            "due work",
            State.WEAK if is_late else State.FINE,
            f"waits since {oldest:%Y-%m-%d %H:%M} UTC",
            "nobody works on it; run: yesteryear worker" if is_late else "",
        )
    dead = [worker for _, worker in ports.store.leases() if ports.workers.is_gone(worker)]
    yield Check(
        "workers",
        State.WEAK if dead else State.FINE,
        f"{count(len(dead), 'worker')} died at work" if dead else "none has died at work",
        "the next worker takes over by itself: yesteryear worker" if dead else "",
    )


def check_erasures(ports: Ports) -> Check:
    """Tell whether the files may still hold text of somebody who was erased."""
    waiting = len(ports.store.erasures())
    return Check(
        "erasures",
        State.WEAK if waiting else State.FINE,
        f"{count(waiting, 'erasure waits', 'erasures wait')} for the files to be cleaned" if waiting else "none waits",
        "end whatever still reads the old file; then run: yesteryear worker" if waiting else "",
    )


def _due_since(tx: Transaction, now: datetime) -> datetime | None:
    """Return since when the oldest due work of a person waits."""
    due = [
        *(conversation.due_at for conversation in tx.conversations.due(now, limit=1)),
        *(episode.next_try for episode in tx.episodes.due(now, limit=1)),
        *(message.vector_due_at for message in tx.messages.due(now, limit=1)),
    ]
    return min((at for at in due if at is not None), default=None)
