"""The audit: who did what when, without a word of content; each row seals the one before."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from yesteryear.core.results import Plain
from yesteryear.core.time import to_microseconds

DONE = "done"  # the outcome of what was done; of what was not it is the code of the error


@dataclass(frozen=True, slots=True)
class AuditDraft:
    """What somebody did, or was refused. Holds no content."""

    at: datetime
    principal: str
    """Who: ``key:`` and the id of a key, or ``sub:`` and the subject of a token, so that no subject reads like a key.

    Rows of before say ``key`` and a space, or the subject alone.
    """
    verb: str  # what: a verb of `Memory`, or the right that was asked for where it was not granted
    outcome: str = DONE  # `done`, or the code of an error
    count: int = 0  # how many rows it was about, as far as its result tells
    ids: tuple[str, ...] = ()  # Which; the first of them where they are many. Only ids that we made


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry(AuditDraft, Plain):
    """A row of the audit."""

    seq: int  # number in the owner's chain, from 1, without gaps
    before: str  # hash of the row before; empty for the first
    hash: str  # SHA-256 of all the rest, in hexadecimal


@dataclass(frozen=True, slots=True)
class Verified(Plain):
    """What a look through a chain has found."""

    rows: int  # how many there are
    head: str  # hash of the last row; who has noted an earlier one can tell whether it is still there
    is_whole: bool  # whether nothing is wrong with it, as far as it can tell
    broken_at: int | None = None  # number of the first row that does not follow from the one before; None where all do
    reason: str = ""  # what is wrong


def follow(draft: AuditDraft, last: AuditEntry | None) -> AuditEntry:
    """Return a deed as the row that follows the last one."""
    seq, before = (1, "") if last is None else (last.seq + 1, last.hash)
    entry = AuditEntry.of(draft, seq=seq, before=before, hash="")
    return replace(entry, hash=_seal(entry))


def verify(
    entries: Iterable[AuditEntry], *, head: str | None = None, seen: Callable[[AuditEntry], object] = lambda _: None
) -> Verified:
    """Follow a chain from its first row on and tell whether it is whole, or where it broke; ``seen`` gets each row.

    A chain shows that nothing in it was changed, put in or taken out. Rows taken off its end, or a chain that was
    written anew as a whole, show only to somebody who noted a ``head``: the hash of a row that has to be there.
    """
    last: AuditEntry | None = None
    broken: tuple[int, str] | None = None
    rows, is_there = 0, head is None
    for entry in entries:
        seen(entry)
        rows += 1
        broken = broken or _fault(entry, last)
        is_there = is_there or (broken is None and entry.hash == head)
        last = entry
    newest = "" if last is None else last.hash
    if broken is not None:
        return Verified(rows, newest, False, *broken)
    return Verified(rows, newest, is_there, reason="" if is_there else "the head that was noted is not in the chain")


def _fault(entry: AuditEntry, last: AuditEntry | None) -> tuple[int, str] | None:
    expected = 1 if last is None else last.seq + 1
    if entry.seq != expected:
        return entry.seq, f"row {expected} is missing"
    if entry.before != ("" if last is None else last.hash):
        return entry.seq, "it does not follow from the row before, which was changed or exchanged"
    if entry.hash != _seal(entry):
        return entry.seq, "it was changed after it was written"
    return None


def _seal(entry: AuditEntry) -> str:
    sealed = [
        *(entry.seq, to_microseconds(entry.at), entry.principal, entry.verb, entry.outcome),
        *(entry.count, list(entry.ids), entry.before),
    ]
    return sha256(json.dumps(sealed, separators=(",", ":")).encode()).hexdigest()
