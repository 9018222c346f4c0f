"""What every store has to do with work that waits: which owners have some, in which order it comes, and who does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeAlias

import pytest

from tests.belief_rows import a_fact
from tests.contract.suite import Rows, StoreSuite, through
from tests.rows import ANA, DIGEST, TALK, Insertable, add, an_episode, at, set_aside
from yesteryear.core.episode import EpisodeStatus
from yesteryear.core.message import Conversation, Role
from yesteryear.core.scope import ConversationKey, Owner, OwnerState, Scope, Waiting
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import a_message

WORK: dict[str, Callable[[Transaction], object]] = {
    "tail": lambda tx: tx.conversations.save(Conversation(TALK, due_at=at(1))),
    "episode": lambda tx: tx.episodes.insert(an_episode(next_try=at(1))),
    "fading": lambda tx: tx.episodes.insert(an_episode(status=EpisodeStatus.ACTIVE, fades_at=at(1))),
    "passages": lambda tx: tx.messages.insert(a_message(vector_due_at=at(1))),
    "expiry": lambda tx: tx.messages.insert(a_message(expires_at=at(1))),
    "fact": lambda tx: tx.facts.insert([a_fact(due_at=at(1))]),
    "night": lambda tx: tx.save_owner(OwnerState(night_at=at(1))),
    "request": lambda tx: tx.forgettings.save([set_aside("b", until=at(2)), set_aside("a", until=at(1))]),
}
"""Everything that makes an owner due, a minute after noon."""

Question: TypeAlias = Callable[[Transaction, datetime, int], list[str]]

DUE: dict[str, tuple[Sequence[Insertable], Question, list[str]]] = {
    "conversations": (
        [
            Conversation(ConversationKey(None, None, name), due_at=due)
            for name, due in {"a": at(3), "b": at(1), "c": at(11), "d": None}.items()
        ],
        lambda tx, now, limit: [row.key.name for row in tx.conversations.due(now, limit=limit)],
        ["b", "a"],
    ),
    "messages, the person's before what was said to them, then by (at, seq)": (
        [
            a_message(id="reply", seq=1, role=Role.ASSISTANT, vector_due_at=at(0)),
            a_message(id="late", seq=2, vector_due_at=at(2)),
            a_message(id="tie-a", seq=4, vector_due_at=at(1)),
            a_message(id="tie-b", seq=3, vector_due_at=at(1)),
            a_message(id="not yet", seq=5, vector_due_at=at(11)),
            a_message(id="never", seq=6),
        ],
        lambda tx, now, limit: [row.id for row in tx.messages.due(now, limit=limit)],
        ["tie-b", "tie-a", "late", "reply"],
    ),
    "episodes, then by the end of the talk": (
        [
            an_episode("a", minutes=5, next_try=at(1)),
            an_episode("b", minutes=4, next_try=at(1)),
            an_episode("c", next_try=at(0)),
            an_episode("d", next_try=at(11)),
            an_episode("e"),
        ],
        lambda tx, now, limit: [row.id for row in tx.episodes.due(now, limit=limit)],
        ["c", "b", "a"],
    ),
    "episodes to be read again by one reader": (
        [
            an_episode("a", next_try=at(2), digest=replace(DIGEST, next_reader="new-2")),
            an_episode("b", next_try=at(1), digest=replace(DIGEST, next_reader="new-2")),
            an_episode("c", next_try=at(1), digest=replace(DIGEST, next_reader="new-1")),
            an_episode("d", next_try=at(11), digest=replace(DIGEST, next_reader="new-2")),
            an_episode("e", next_try=at(0)),
        ],
        lambda tx, now, limit: [row.id for row in tx.episodes.due(now, limit=limit, next_reader="new-2")],
        ["b", "a"],
    ),
    "episodes that are not to be read again": (
        [
            an_episode("a", next_try=at(2)),
            an_episode("b", next_try=at(1), digest=None),
            an_episode("c", next_try=at(0), digest=replace(DIGEST, next_reader="new-1")),
        ],
        lambda tx, now, limit: [row.id for row in tx.episodes.due(now, limit=limit, next_reader="")],
        ["b", "a"],
    ),
    "facts, then by when they were told, then by id": (
        [
            a_fact("f0"),
            a_fact("f1", minutes=1, due_at=at(2)),
            a_fact("f2", minutes=0, due_at=at(2)),
            a_fact("f3", minutes=5, due_at=at(1)),
            a_fact("f4", minutes=0, due_at=at(2)),
            a_fact("f5", minutes=0, due_at=at(11)),
        ],
        lambda tx, now, limit: [row.id for row in tx.facts.due(now, limit=limit)],
        ["f3", "f2", "f4", "f1"],
    ),
    "requests to forget": (
        [set_aside("b", until=at(5)), set_aside("a", until=at(4)), set_aside("c", until=at(11))],
        lambda tx, now, limit: [row.id for row in tx.forgettings.due(now, limit=limit)],
        ["a", "b"],
    ),
}
"""Rows of each kind, the question for those that are due at an instant, and their order ten minutes after noon."""


class QueueConformance(StoreSuite):
    """Which owners have work, and who does it."""

    def test_nothing_is_due_in_an_empty_store(self, store: Store, ana: Rows) -> None:
        """Nor where there is nothing left to do."""
        assert (store.due(at(9), limit=9), store.waiting(at(9))) == ([], Waiting())
        ana.add(a_message(), an_episode(), Conversation(TALK))
        assert store.due(at(9), limit=9) == []

    @pytest.mark.parametrize("write", WORK.values(), ids=WORK)
    def test_an_owner_is_due_when_a_row_is(self, store: Store, write: Callable[[Transaction], object]) -> None:
        """From the instant on that the row names, once however many rows there are."""
        store.write(ANA, write)
        assert store.due(at(1) - timedelta(microseconds=1), limit=9) == []
        assert store.due(at(1), limit=9) == [ANA.owner]

    def test_an_owner_is_not_due_for_what_is_gone(self, store: Store, ana: Rows) -> None:
        """A fact that was forgotten, or a night that was called off."""
        store.write(ANA, WORK["fact"])
        ana.facts.forget(["f1"])
        store.write(Scope("ben"), WORK["night"])
        assert through(store, Scope("ben")).owner().night_at == at(1)
        store.write(Scope("ben"), lambda tx: tx.save_owner(replace(tx.owner(), night_at=None)))
        assert store.due(at(9), limit=9) == []

    @pytest.mark.parametrize(("rows", "question", "expected"), DUE.values(), ids=DUE)
    def test_due_rows_come_most_overdue_first(
        self, ana: Rows, rows: Sequence[Insertable], question: Question, expected: list[str]
    ) -> None:
        """Those without a due time, or with a later one, are left out; ties have an order too."""
        ana.add(*rows)
        found = [question(ana, at(minutes), limit) for minutes, limit in ((10, 9), (10, 2), (-1, 9))]
        assert found == [expected, expected[:2], []]

    def test_the_most_overdue_owner_comes_first(self, store: Store) -> None:
        """So that a busy owner starves nobody."""
        for user, minutes in (("a", 3), ("b", 1), ("c", 2), ("d", 9)):
            add(store, Conversation(TALK, due_at=at(minutes)), scope=Scope(user))
            add(store, an_episode(scope=Scope(user), next_try=at(5)), scope=Scope(user))
        assert store.due(at(5), limit=9) == [Owner("default", user) for user in "bcad"]
        assert store.due(at(5), limit=2) == [Owner("default", user) for user in "bc"]
        assert store.waiting(at(5)) == Waiting(4, at(1))

    def test_an_owner_under_lease_is_not_due(self, store: Store, ana: Rows) -> None:
        """Until the lease ends, to the microsecond."""
        ana.add(Conversation(TALK, due_at=at(0)))
        ana.save_owner(OwnerState(lease_by="worker-1", lease_until=at(5)))
        assert store.due(at(5) - timedelta(microseconds=1), limit=9) == []
        assert store.due(at(5), limit=9) == [ANA.owner]
        assert store.leases() == [(ANA.owner, "worker-1")]

    def test_owners_and_leases_are_listed_in_order(self, store: Store) -> None:
        """By tenant, then by user; only those with a lease in the second list."""
        owners = [Owner("acme", "z"), Owner("default", "ana"), Owner("default", "ben")]
        for tenant, user in reversed(owners):
            lease = OwnerState(lease_by=f"worker of {user}" if user != "ana" else None, lease_until=at(1))
            through(store, Scope(user, tenant)).save_owner(lease)
        assert store.owners() == owners
        assert store.leases() == [(owners[0], "worker of z"), (owners[2], "worker of ben")]
