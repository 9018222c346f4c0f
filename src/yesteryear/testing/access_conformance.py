"""What every store has to do with keys and the audit; part of ``StoreConformance``."""

# ruff: noqa: S101 - tests are made of asserts

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from yesteryear.core.audit import AuditEntry, Deed, verify
from yesteryear.core.keys import ApiKey, Right
from yesteryear.core.scope import Scope
from yesteryear.ports import Store, Transaction
from yesteryear.testing.rows import ANA, at, in_scope

HELD_ACCESS = {"api_key": 1, "audit": 2}
"""What ``fill_access`` writes, by table."""
_STRANGERS = [Scope("ben"), Scope("ana", tenant="acme"), Scope.everybody("default")]


def a_key(name: str = "k1", **changes: object) -> ApiKey:
    """Return a key that may write and ends an hour after noon."""
    key = ApiKey(name, "laptop", "ab" * 32, Right.WRITE, at(0), expires_at=at(60))
    return replace(key, **changes)  # type: ignore[arg-type]


def a_deed(verb: str = "observe", **changes: object) -> Deed:
    """Return a deed at noon."""
    deed = Deed(at(0), "key k1", verb, count=2, ids=("m1", "m2"))
    return replace(deed, **changes)  # type: ignore[arg-type]


def fill_access(tx: Transaction) -> None:
    """Write a key and two deeds."""
    tx.keys.save(a_key())
    tx.audit.append(a_deed())
    tx.audit.append(a_deed("forget"))


def audit_of(store: Store, scope: Scope = ANA) -> list[AuditEntry]:
    """Return the whole audit of an owner."""
    with store.read(scope) as tx:
        return tx.audit.page(limit=999)


class AccessConformance:
    """Who may come in, and what they did."""

    def test_a_key_comes_back_as_it_was(self, store: Store) -> None:
        """With everything that is known of it, before and after a change; one that is not there is None."""
        used = a_key(expires_at=None, revoked_at=at(3), last_used=at(2).date())
        for key in (a_key(), used):
            store.write(ANA, lambda tx, key=key: tx.keys.save(key))  # type: ignore[misc]
            with store.read(ANA) as tx:
                assert tx.keys.get("k1") == key
        with store.read(ANA) as tx:
            assert tx.keys.get("k2") is None

    def test_keys_come_oldest_first(self, store: Store) -> None:
        """In the order in which they were made."""
        keys = [a_key("b"), a_key("c", created_at=at(1)), a_key("a", created_at=at(2))]
        for key in reversed(keys):
            store.write(ANA, lambda tx, key=key: tx.keys.save(key))  # type: ignore[misc]
        with store.read(ANA) as tx:
            assert tx.keys.all() == keys

    @pytest.mark.parametrize("stranger", _STRANGERS)
    def test_keys_and_deeds_are_of_one_owner_whatever_the_scope(self, store: Store, stranger: Scope) -> None:
        """Nobody finds those of somebody else, nor a person those of their tenant."""
        store.write(in_scope("thesis", "tutor"), fill_access)
        with store.read(stranger) as tx:
            assert (tx.keys.all(), tx.keys.get("k1"), tx.audit.page(limit=9)) == ([], None, [])
        with store.read(in_scope("house")) as tx:
            assert tx.keys.get("k1") == a_key()
            assert len(tx.audit.page(limit=9)) == 2

    def test_a_tenant_is_none_of_its_people(self, store: Store) -> None:
        """What belongs to all of them makes nobody appear in lists, and has no work due."""
        store.write(Scope.everybody("acme"), fill_access)
        assert not [*store.owners(), *store.leases(), *store.due(at(99), limit=9)]
        store.write(ANA, fill_access)
        assert store.owners() == [ANA.owner]

    def test_deeds_make_a_chain(self, store: Store) -> None:
        """Each row follows from the one before, in the order in which they were written."""
        for verb in ("observe", "forget", "erase"):
            store.write(ANA, lambda tx, verb=verb: tx.audit.append(a_deed(verb)))  # type: ignore[misc]
        rows = audit_of(store)
        assert [(row.seq, row.verb) for row in rows] == [(1, "observe"), (2, "forget"), (3, "erase")]
        assert (rows[0].count, rows[0].ids, rows[0].at) == (2, ("m1", "m2"), at(0))
        assert verify(rows).broken_at is None

    def test_deeds_of_many_threads_make_one_chain(self, store: Store) -> None:
        """No two rows follow the same one."""
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: store.write(ANA, lambda tx: tx.audit.append(a_deed())), range(40)))
        found = verify(audit_of(store))
        assert (found.rows, found.broken_at) == (40, None)

    def test_the_audit_is_read_in_pages(self, store: Store) -> None:
        """From any row on."""
        store.write(ANA, lambda tx: [tx.audit.append(a_deed(str(number))) for number in range(5)])
        with store.read(ANA) as tx:
            assert [row.verb for row in tx.audit.page(after=1, limit=2)] == ["1", "2"]
            assert [row.verb for row in tx.audit.page(after=3, limit=9)] == ["3", "4"]
