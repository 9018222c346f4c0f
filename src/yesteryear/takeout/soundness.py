"""STEP: whether all rows of an owner can be read, fit their kinds and belong together.

A database's own check looks at pages and indexes. What lies within a value, such as half a text or a vector of noise,
it takes as it is; so every row is made into a line of an export here, and that line is read as an import would read it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from yesteryear.core.attempt import Attempt
from yesteryear.core.audit import AuditEntry, verify
from yesteryear.core.scope import Owner, Scope
from yesteryear.errors import BadExport
from yesteryear.ports import Store, Transaction
from yesteryear.takeout.check import check_dump
from yesteryear.takeout.kinds import (
    KINDS,
    MESSAGES,
    VECTORS,
)
from yesteryear.takeout.reader import StoreReader

_STRAY = 0.02
"""By how much a vector's length may differ from 1; rounding to 16 bits changes it by less than .001."""
_HOLE = "\0" * 16
"""What an overwritten page leaves in a text, and nobody writes."""
_AUDIT_ROWS = 500
"""Rows of the audit that are read at once."""


def find_damage(store: Store, owner: Owner) -> str | None:
    """Read everything of one owner, and return what is wrong with the first row that is; None where all is well."""
    scope = Scope(tenant=owner.tenant, user=owner.user)
    with Attempt() as attempt, store.read(scope) as tx:
        _read_all(tx, scope)
    return None if attempt.error is None else f"{type(attempt.error).__name__}: {attempt.error}"


def _read_all(tx: Transaction, scope: Scope) -> None:
    dump = StoreReader(tx)
    check_dump(dump)
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
