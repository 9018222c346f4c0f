"""STEP: all rows of owners, for operators: copied from one store into another, or read to tell whether they are sound.

A database's own check looks at pages and indexes. What lies within a value, such as half a text or a vector of noise,
it takes as it is; so every row is made into a line of an export here, and that line is read as an import would read it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np

from yesteryear.core.access.audit import AuditEntry, verify
from yesteryear.core.results import Plain
from yesteryear.core.rows.due_work import Attempt
from yesteryear.core.scope import Owner, Scope, hash_person
from yesteryear.core.time import EPOCH
from yesteryear.errors import BadExport, Conflict
from yesteryear.ports import Store, Transaction
from yesteryear.transfer.check import Census
from yesteryear.transfer.import_export import check_known
from yesteryear.transfer.kinds import KINDS, MESSAGES, VECTORS, Dump
from yesteryear.transfer.load import Arrival
from yesteryear.transfer.reader import StoreReader


@dataclass(frozen=True, slots=True)
class Whole(Plain):
    """An owner whose rows are the same in both stores."""

    tenant: str
    user: str
    person: str
    """See ``core.scope.hash_person``; a map of shards names people by it."""
    hash: str
    """SHA-256 of all rows of the owner as an export writes them, in hexadecimal, read from the target."""


@dataclass(frozen=True, slots=True)
class Copied(Plain):
    """What was copied; all of it was compared with where it came from."""

    owners: int = 0
    """Owners that are whole in the target."""
    rows: Mapping[str, int] = field(default_factory=dict)
    """Numbers of rows that were written, by kind; what was there already is not counted."""
    people: tuple[Whole, ...] = ()
    """Who they are, each with the hash that both stores give."""


def copy_store(
    source: Store,
    target: Store,
    *,
    only: Collection[Owner] | None = None,
    on_progress: Callable[[int, int], None] = lambda _, __: None,
) -> Copied:
    """Copy owners with all their rows, one after another, and compare.

    No worker may run on the target meanwhile. After a kill the same call goes on where it was; who is whole already is
    only compared.

    Args:
        source: Where the rows are; each owner's are read from one moment.
        only: Whom to copy; everybody where not given.
        on_progress: Called with the number of owners that are done, and of all of them.
    """
    owners = [owner for owner in source.owners() if only is None or owner in only]
    whole, rows = [], Counter[str]()
    for done, owner in enumerate(owners):
        on_progress(done, len(owners))
        digest, written = _copy_owner(source, target, owner)
        whole.append(Whole(owner.tenant, owner.user, hash_person(owner), digest))
        rows.update(written)
    on_progress(len(owners), len(owners))
    return Copied(len(whole), {kind: count for kind, count in rows.items() if count}, tuple(whole))


def _copy_owner(source: Store, target: Store, owner: Owner) -> tuple[str, Mapping[str, int]]:
    """Copy what is missing of one owner; return the hash of all their rows, and what was written."""
    scope = owner.scope
    with source.read(scope) as tx:
        dump, erasure = StoreReader(tx), tx.erasure()
        generation, night_at, keys = tx.owner().generation, tx.owner().night_at, tx.keys.all()
        forgettings = tx.forgettings.all()
        expected = digest_dump(dump)

        def begin(there: Transaction) -> int:
            """Give the owner the same generation, lest receipts and indexes be mistaken, and night and keys."""
            if erasure is not None:
                there.save_erasure(erasure)
            state = there.owner()
            there.save_owner(replace(state, generation=max(state.generation, generation), night_at=night_at))
            for key in keys:
                if there.keys.get(key.id) is None:
                    there.keys.save(key)
            there.forgettings.save(forgettings)  # what is hidden can be brought back there, until the same day
            return there.owner().generation

        generation = target.write(scope, begin)
        if _digest_in(target, scope) == expected:
            return expected, {}
        with target.read(scope) as there:
            check_known(there, dump)
        arrival = Arrival(target, scope, dump, generation=generation, now=EPOCH)  # the models are alike: nothing is due
        arrival.run()
        if _digest_in(target, scope) != expected:
            raise Conflict(
                f"the target holds other rows of {owner.user!r} (tenant {owner.tenant!r}) than the source; "
                "copy into a new store"
            )
    return expected, arrival.added


def digest_dump(dump: Dump) -> str:
    """Return a hash of all rows of a dump, the same wherever they are."""
    digest = sha256(repr(dump.models).encode())
    for kind in KINDS:
        digest.update(kind.name.encode())
        for line in kind.lines(dump):
            digest.update(line)
    return digest.hexdigest()


def _digest_in(store: Store, scope: Scope) -> str:
    with store.read(scope) as tx:
        return digest_dump(StoreReader(tx))


_STRAY = 0.02  # by how much a vector's length may differ from 1; rounding to 16 bits changes it by less than .001
_HOLE = "\0" * 16  # what an overwritten page leaves in a text, and nobody writes
_AUDIT_ROWS = 500  # rows of the audit that are read at once


def find_damage(store: Store, owner: Owner) -> str | None:
    """Read everything of one owner, and return what is wrong with the first row that is; None where all is well."""
    scope = owner.scope
    with Attempt() as attempt, store.read(scope) as tx:
        _read_all(tx, scope)
    return None if attempt.error is None else f"{type(attempt.error).__name__}: {attempt.error}"


def _read_all(tx: Transaction, scope: Scope) -> None:
    dump = StoreReader(tx)
    Census(dump).walk()
    for vector in dump.rows(VECTORS):
        length = float(np.linalg.norm(vector.stored.vector))
        if not abs(length - 1.0) <= _STRAY:
            raise BadExport(f"a vector of {vector.stored.ref!r} has the length {length:.2f}; all have 1")
    for kind in KINDS:
        for line in kind.lines(dump):
            kind.parse(line, scope)
    if any(_HOLE in message.content for message in dump.rows(MESSAGES)):
        raise BadExport("the text of a message has a hole")
    tx.keys.all()
    tx.erasure()
    chain = verify(_audit_of(tx))
    if not chain.is_whole:
        raise BadExport(f"row {chain.broken_at} of the audit: {chain.reason}")


def _audit_of(tx: Transaction) -> Iterator[AuditEntry]:
    after = 0
    while page := tx.audit.page(after=after, limit=_AUDIT_ROWS):
        yield from page
        after = page[-1].seq
