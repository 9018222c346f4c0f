"""What every store has to do with the calls of models; part of ``StoreConformance``."""

# ruff: noqa: S101 - tests are made of asserts

from __future__ import annotations

from dataclasses import replace

import pytest

from yesteryear.core.scope import Scope
from yesteryear.core.usage import CallOutcome, CallPurpose, Charge, ModelCall
from yesteryear.ports import Store, Transaction
from yesteryear.testing.rows import ANA, at, in_scope

HELD_USAGE = {"usage": 2}
"""What ``fill_usage`` writes, by table."""


def a_call(minutes: float = 0, **changes: object) -> ModelCall:
    """Return a call, some minutes after noon."""
    call = ModelCall(
        CallPurpose.DIGEST,
        "openai:tiny",
        at(minutes),
        input_tokens=3000,
        output_tokens=300,
        micro_usd=630,
        latency_ms=1200,
    )
    return replace(call, **changes)  # type: ignore[arg-type]


def fill_usage(tx: Transaction) -> None:
    """Write two calls."""
    tx.usages.add(["u1", "u2"], [a_call(1), a_call(2)])


def calls_in(store: Store, scope: Scope = ANA, *, since: float = 0, until: float = 99) -> list[ModelCall]:
    """Return the calls of a span of minutes."""
    with store.read(scope) as tx:
        return tx.usages.between(at(since), at(until))


class UsageConformance:
    """What models have cost."""

    def test_calls_come_back_as_they_were(self, store: Store) -> None:
        """In their order, with everything that is known of each."""
        unpriced = a_call(1, purpose=CallPurpose.JUDGE, outcome=CallOutcome.FAILED, requests=0, micro_usd=None)
        store.write(ANA, lambda tx: tx.usages.add(["b", "a"], [a_call(2), unpriced]))
        assert calls_in(store) == [unpriced, a_call(2)]

    def test_a_span_is_half_open(self, store: Store) -> None:
        """A day ends where the next begins."""
        store.write(ANA, lambda tx: tx.usages.add(["a", "b", "c"], [a_call(1), a_call(2), a_call(3)]))
        assert calls_in(store, since=2, until=3) == [a_call(2)]

    def test_a_call_is_written_once(self, store: Store) -> None:
        """A write that is repeated costs nothing twice."""
        for minutes in (1, 2):
            store.write(ANA, lambda tx, minutes=minutes: tx.usages.add(["a"], [a_call(minutes)]))  # type: ignore[misc]
        assert calls_in(store) == [a_call(1)]

    @pytest.mark.parametrize("stranger", [Scope("ben"), Scope("ana", tenant="acme"), Scope("Ana")])
    def test_calls_are_of_one_owner_whatever_the_scope(self, store: Store, stranger: Scope) -> None:
        """A project's calls are on its person's account, and on nobody else's."""
        store.write(in_scope("thesis", "tutor"), fill_usage)
        store.write(stranger, lambda tx: tx.usages.add(["u1"], [a_call(5)]))
        assert calls_in(store) == calls_in(store, in_scope("house")) == [a_call(1), a_call(2)]
        assert calls_in(store, stranger) == [a_call(5)]

    def test_pages_follow_the_ids(self, store: Store) -> None:
        """So that an export can walk through years of calls."""
        store.write(ANA, lambda tx: tx.usages.add(["b", "c", "a"], [a_call(1), a_call(2), a_call(3)]))
        with store.read(ANA) as tx:
            assert tx.usages.page(after="", limit=2) == [Charge("a", a_call(3)), Charge("b", a_call(1))]
            assert tx.usages.page(after="b", limit=2) == [Charge("c", a_call(2))]
            assert tx.usages.page(after="c", limit=2) == []

    def test_withdrawn_calls_were_never_made(self, store: Store) -> None:
        """An import that failed leaves no bill behind, and nobody else's bill changes."""
        stranger = Scope("ben")
        for scope in (ANA, stranger):
            store.write(scope, fill_usage)
        store.write(ANA, lambda tx: tx.withdraw(usages=["u1", "gone"]))
        assert (calls_in(store), calls_in(store, stranger)) == ([a_call(2)], [a_call(1), a_call(2)])
