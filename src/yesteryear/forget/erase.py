"""STEP: erasing a person: every row, every index, every byte in the files; with a receipt.

The rows go in one transaction that also raises the generation, so that work in flight cannot bring them back. Then the
files are cleaned and looked through. What has to wait, for a reader or after a kill, is finished by the worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from yesteryear.core.erasure import Erasure
from yesteryear.core.message import Role
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery, rows_of
from yesteryear.core.scope import Scope
from yesteryear.errors import NotFound
from yesteryear.forget.facts import texts_of
from yesteryear.forget.forget import vectors_of
from yesteryear.forget.seal import traces_of_hidden
from yesteryear.ports import Store, Transaction

_ROWS_A_PAGE = 1000
_COMMON = frozenset({"default", *Role})  # names that everybody has


def erase(store: Store, scope: Scope, *, now: datetime, key: bytes = b"") -> Erasure:
    """Erase the owner of a scope, whatever its project and agent; erasing twice returns the same receipt.

    Where the files cannot be cleaned (StorageUnavailable) the rows are gone, and the worker or another call goes on.
    """
    owner = scope.owner.scope
    with store.read(owner) as tx:
        is_known, erased = _holds_rows(tx), tx.erasure()
        removed = [*(text.encode() for text in _texts(tx)), *vectors_of(tx, None)] if is_known else []
        removed += traces_of_hidden(tx.forgettings.all())
    if is_known:
        erased = store.write(owner, lambda tx: _erase_rows(tx, now, key))
    if erased is None:
        raise NotFound(f"nothing is kept of {scope.user!r}")
    if not erased.is_pending:
        return erased
    return _clean(store, erased, removed, key)


def finish_erasures(store: Store, *, key: bytes = b"") -> list[Erasure]:
    """Clean the files for erasures that were killed or had to wait; return their receipts."""
    return [_clean(store, erasure, [], key) for erasure in store.erasures()]


def _erase_rows(tx: Transaction, now: datetime, key: bytes) -> Erasure:
    erased = tx.erasure()
    if erased is not None and not _holds_rows(tx):
        return erased  # somebody else was faster
    tx.erase()
    erased = tx.erasure()
    if erased is None:
        raise NotFound("the store kept no receipt of the erasure")
    receipt = replace(erased, erased_at=now, is_pending=True).sealed(key)
    tx.save_erasure(receipt)
    return receipt


def _holds_rows(tx: Transaction) -> bool:
    """Tell whether anything is kept of the owner: memories or keys, which are counted, or an audit, which is not."""
    return tx.owner().rev > 0 or bool(tx.audit.page(limit=1))


def _clean(store: Store, erasure: Erasure, removed: list[bytes], key: bytes) -> Erasure:
    scrubbed = store.scrub(removed)
    receipt = replace(erasure, scrubbed=scrubbed, is_pending=bool(scrubbed.waits_for)).sealed(key)
    store.note_erasure(receipt)
    return receipt


def _texts(tx: Transaction) -> Iterator[str]:
    """Yield what tells of a person: texts and names, as they stand in the rows."""
    scope = tx.scope
    names: set[str | None] = {scope.user}
    for row in rows_of(tx.messages.page, MessageQuery(limit=_ROWS_A_PAGE)):
        yield row.content
        names |= {row.author, row.external_id, row.conversation, row.scope.project, row.scope.agent}
    for episode in rows_of(tx.episodes.page, EpisodeQuery(limit=_ROWS_A_PAGE)):
        yield from texts_of(episode)
    yield from (fact.statement for fact in tx.facts.all())
    yield from (row.quote for row in tx.evidence.all())
    yield from (text for edge in tx.edges.all() for text in edge.texts)
    names |= {key.name for key in tx.keys.all()}
    yield from (name for name in names if name is not None and name not in _COMMON)
