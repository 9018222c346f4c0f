"""What every store has to do, as tests: subclass ``StoreConformance`` and say how to make a store.

::

    class TestMyStore(StoreConformance):
        @pytest.fixture
        def store(self, tmp_path):
            store = MyStore(tmp_path)
            yield store
            store.close()

The store is empty and need not outlive the test. Closing it twice must be harmless.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from queue import SimpleQueue

import pytest

from tests.belief_rows import a_fact, a_night, a_ruling, a_version, an_edge, evidence_for
from tests.contract.belief_conformance import BeliefConformance
from tests.contract.forgetting_conformance import ForgettingConformance, fill_life, receipt
from tests.contract.queue_conformance import QueueConformance
from tests.contract.suite import Rows, StoreSuite, through
from tests.contract.talk_conformance import TalkConformance
from tests.contract.visibility_conformance import VisibilityConformance, everything_in
from tests.rows import (
    ANA,
    KEPT,
    SKIPPED,
    TALK,
    a_call,
    a_full_message,
    a_key,
    a_vector,
    add,
    an_audit_draft,
    an_episode,
    ask,
    at,
    in_scope,
    set_aside,
    shown,
)
from yesteryear.core.episode import EpisodeStatus
from yesteryear.core.message import Conversation, Reason
from yesteryear.core.rows.queries import Changes, IndexedMessage, MessageQuery
from yesteryear.core.scope import ConversationKey, OwnerState, Scope
from yesteryear.errors import EngineClosed, StorageError
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import a_message

CHANGES: dict[str, Callable[[Transaction], object]] = {
    "messages.insert": lambda tx: tx.messages.insert(a_message(seq=2)),
    "messages.update": lambda tx: tx.messages.update([a_message(verdict=KEPT)]),
    "conversations.save": lambda tx: tx.conversations.save(Conversation(TALK)),
    "episodes.insert": lambda tx: tx.episodes.insert(an_episode("e2")),
    "episodes.update": lambda tx: tx.episodes.update(
        an_episode(status=EpisodeStatus.ACTIVE), expecting=EpisodeStatus.PENDING
    ),
    "vectors.put": lambda tx: tx.vectors.put("m", [a_vector("e1", 0, 1)]),
    "vectors.drop": lambda tx: tx.vectors.drop("m"),
    "vectors.forget": lambda tx: tx.vectors.forget(["c1-1"]),
    "overrides.save": lambda tx: tx.overrides.save(None, {"a": 1}),
    "facts.insert": lambda tx: tx.facts.insert([a_fact("f4")]),
    "facts.update": lambda tx: tx.facts.update([a_fact(confidence=0.5)]),
    "facts.forget": lambda tx: tx.facts.forget(["f1"]),
    "versions.add": lambda tx: tx.versions.add([a_version(a_fact())]),
    "evidence.add": lambda tx: tx.evidence.add([evidence_for("f3", None)]),
    "evidence.remove": lambda tx: tx.evidence.remove([evidence_for("f1")]),
    "rulings.save": lambda tx: tx.rulings.save([a_ruling("f1", "f3")]),
    "edges.put": lambda tx: tx.edges.put([an_edge("f3", "f1")]),
    "cycles.save": lambda tx: tx.cycles.save(a_night("n2")),
    "keys.save": lambda tx: tx.keys.save(a_key()),
}
"""Everything that changes an owner's rows, and so the owner's rev."""

UNCOUNTED: dict[str, Callable[[Transaction], object]] = {
    "recalls.append": lambda tx: tx.recalls.append(shown("r2")),
    "recalls.settle": lambda tx: tx.recalls.settle(["r1"]),
    "recalls.prune": lambda tx: tx.recalls.prune(at(99)),
    "recalls.forget": lambda tx: tx.recalls.forget(["e1"]),
    "forgettings.save": lambda tx: tx.forgettings.save([set_aside()]),
    "audit.append": lambda tx: tx.audit.append(an_audit_draft()),
    "usages.add": lambda tx: tx.usages.add(["u1"], [a_call()]),
    "save_owner": lambda tx: tx.save_owner(OwnerState(rev=99, generation=1, model="m", next_model="n")),
}
"""What is written beside the rows: no index has to be brought up to date for it."""

ERASING: dict[str, Callable[[Transaction], object]] = {
    "erase": lambda tx: tx.erase(),
    "save_erasure": lambda tx: tx.save_erasure(receipt()),
}
"""What ends an owner's rows."""


class Undone(Exception):
    """Takes back what a call has written."""


def inserting(seq: int) -> Callable[[Transaction], None]:
    """Return work that inserts one message."""
    return lambda tx: tx.messages.insert(a_message(seq=seq))


class CounterConformance(StoreSuite):
    """The owner's state, its counter, and what changed since."""

    def test_an_owner_without_rows_has_zeros(self, store: Store, ana: Rows) -> None:
        """Nobody needs to be made before they are written about."""
        assert ana.owner() == OwnerState()
        assert ana.changes(0) == Changes(rev=0, generation=0)
        assert not any(ana.counts().values())
        assert store.owners() == []

    def test_an_owners_state_is_kept(self, ana: Rows) -> None:
        """Models, generation and lease come back; the counter is the store's own."""
        state = OwnerState(7, 2, "old", "new", "worker-1", at(1))
        ana.save_owner(state)
        assert ana.owner() == replace(state, rev=0)
        ana.add(a_message())
        ana.save_owner(OwnerState())
        assert ana.owner() == OwnerState(rev=1)

    def test_every_change_raises_the_rev(self, store: Store) -> None:
        """Whoever has seen a rev has seen all rows up to it; of nobody else."""
        store.write(ANA, fill_life)
        store.write(Scope("ben"), lambda tx: tx.messages.insert(a_message(scope=Scope("ben"))))
        before, raised = through(store, Scope("ben")).owner().rev, dict[str, bool]()

        def look(change: str, tx: Transaction) -> None:
            known = tx.owner().rev
            CHANGES[change](tx)
            raised[change] = tx.owner().rev > known
            raise Undone

        for change in CHANGES:
            with pytest.raises(Undone):
                store.write(ANA, partial(look, change))
        assert raised == dict.fromkeys(CHANGES, True)
        store.write(ANA, CHANGES["messages.insert"])
        assert through(store, Scope("ben")).owner().rev == before

    def test_notes_beside_the_rows_leave_the_rev(self, store: Store, ana: Rows) -> None:
        """A lease or a recall sends no index to look for rows; but the owner is known from then on."""
        for change in UNCOUNTED.values():
            store.write(ANA, change)
            assert (ana.owner().rev, store.owners()) == (0, [ANA.owner])

    def test_changes_hold_what_is_newer_than_a_rev(self, store: Store, ana: Rows) -> None:
        """Inserted or updated since, of all projects, each with the rev of its last change, in order."""
        elsewhere = in_scope("thesis")
        ana.add(a_message(seq=1), a_message(seq=2), an_episode("e2"), an_episode("e1"))
        seen = ana.owner().rev
        ana.add(a_message(seq=4), a_message(seq=3))
        ana.add(a_message(id="t", scope=elsewhere), an_episode("e3", scope=elsewhere))
        ana.messages.update([a_message(seq=2, verdict=SKIPPED)])
        active = an_episode("e1", status=EpisodeStatus.ACTIVE)
        ana.episodes.update(active, expecting=EpisodeStatus.PENDING)
        with store.read(in_scope("taxes")) as tx:
            everything, news, nothing = tx.changes(0), tx.changes(seen), tx.changes(tx.owner().rev)
        assert [row.id for row in everything.messages] == ["c1-1", "c1-2", "c1-3", "c1-4", "t"]
        assert [row.id for row in everything.episodes] == ["e1", "e2", "e3"]
        assert [row.id for row in news.messages] == ["c1-2", "c1-3", "c1-4", "t"]
        assert [row.id for row in news.episodes] == ["e1", "e3"]
        revs = [row.rev for row in news.episodes]
        assert seen < min(revs) <= max(revs) == news.rev
        assert nothing == Changes(rev=news.rev, generation=0)

    def test_a_changed_message_comes_as_an_index_keeps_it(self, ana: Rows) -> None:
        """With what it takes to find and to show it: no features, and no text once that was erased."""
        told = a_full_message()
        erased = a_message("", seq=2, verdict=SKIPPED, zone="Asia/Tokyo")
        ana.add(told, erased, a_message(seq=3))
        found = {message.id: message for message in ana.changes(0).messages}
        assert found["c1-1"] == IndexedMessage.of(told)
        assert found["c1-2"] == IndexedMessage.of(erased)
        assert found["c1-3"] == IndexedMessage.of(a_message(seq=3))
        assert (found["c1-1"].name, found["c1-2"].name) == ("m-17", "c1-2")
        assert [found[f"c1-{seq}"].reason for seq in (1, 2, 3)] == [Reason.PERSONAL, Reason.TRIVIAL, None]

    def test_rows_are_counted_by_kind_and_status(self, ana: Rows) -> None:
        """Vectors are counted as due or as given up."""
        ana.add(
            a_message(seq=1),
            a_message(seq=2, verdict=KEPT, vector_due_at=at(0)),
            a_message(seq=3, verdict=KEPT, error="it failed"),
            a_message(seq=4, verdict=SKIPPED),
            an_episode("e1"),
            an_episode("e2", status=EpisodeStatus.ACTIVE),
        )
        assert ana.counts() == {
            "messages.open": 1,
            "messages.keep": 2,
            "messages.skip": 1,
            "episodes.pending": 1,
            "episodes.active": 1,
            "vectors.due": 1,
            "vectors.failed": 1,
        }


class TransactionConformance(StoreSuite):
    """All or nothing, one after another, and what readers see meanwhile."""

    def test_a_failed_call_leaves_nothing(self, store: Store) -> None:
        """Whatever it wrote before it failed is undone, its count too; the error reaches the caller as it is."""
        store.write(ANA, fill_life)

        def work(tx: Transaction) -> None:
            for change in (*CHANGES.values(), *UNCOUNTED.values(), *ERASING.values()):
                change(tx)
            raise LookupError("after all that")

        before = snapshot(store)
        with pytest.raises(LookupError, match="after all that"):
            store.write(ANA, work)
        assert snapshot(store) == before

    def test_calls_that_come_together_fail_alone(self, store: Store, ana: Rows) -> None:
        """Of calls that wait at the same time, those that fail take nobody with them."""
        together = threading.Barrier(16)

        def call(number: int) -> str:
            together.wait()

            def work(tx: Transaction) -> None:
                tx.messages.insert(a_message(seq=number, id=f"m{number}"))
                if number % 3 == 0:
                    raise LookupError(number)

            try:
                store.write(ANA, work, urgent=number % 2 == 0)
            except LookupError as exc:
                return f"failed {exc.args[0]}"
            return "written"

        with ThreadPoolExecutor(16) as pool:
            ends = list(pool.map(call, range(16)))
        assert ends == [f"failed {number}" if number % 3 == 0 else "written" for number in range(16)]
        assert sorted(row.seq for row in ana.messages.page(MessageQuery())) == [seq for seq in range(16) if seq % 3]

    def test_what_was_read_still_holds_when_it_writes(self, store: Store, ana: Rows) -> None:
        """Many threads count up one conversation: no number is lost and none is given twice."""

        def append(_: int) -> int:
            def work(tx: Transaction) -> int:
                known = tx.conversations.get(TALK) or Conversation(TALK)
                seq = known.last_seq + 1
                tx.messages.insert(a_message(seq=seq))
                tx.conversations.save(replace(known, last_seq=seq))
                return seq

            return store.write(ANA, work, urgent=True)

        with ThreadPoolExecutor(8) as pool:
            given = list(pool.map(append, range(160)))
        assert sorted(given) == list(range(1, 161))
        assert [row.seq for row in ana.messages.span(TALK, after=0, limit=999)] == sorted(given)

    def test_a_transaction_sees_its_own_writes(self, store: Store) -> None:
        """Before anybody else does."""

        def work(tx: Transaction) -> tuple[int, int]:
            tx.messages.insert(a_message())
            with store.read(ANA) as other:
                return len(tx.messages.page(MessageQuery())), len(other.messages.page(MessageQuery()))

        assert store.write(ANA, work) == (1, 0)

    def test_a_snapshot_stays_as_it_was(self, store: Store) -> None:
        """From its opening on, also where it has not looked yet."""
        add(store, a_message(seq=1))
        with store.read(ANA) as early:
            add(store, a_message(seq=2), an_episode())
            with store.read(ANA) as late:
                assert len(early.messages.page(MessageQuery())) == 1
                assert early.episodes.get(["e1"]) == []
                assert early.owner().rev < late.owner().rev
                assert len(late.messages.page(MessageQuery())) == 2

    def test_a_snapshot_cannot_be_written_to(self, store: Store) -> None:
        """It raises a StorageError that no retry would cure, where it happens."""
        store.write(ANA, fill_life)
        before = snapshot(store)
        for change in (*CHANGES.values(), *UNCOUNTED.values(), *ERASING.values()):
            with store.read(ANA) as tx, pytest.raises(StorageError) as caught:
                change(tx)
            assert not caught.value.retryable
        assert snapshot(store) == before

    def test_a_future_resolves_after_the_commit(self, store: Store, ana: Rows) -> None:
        """Whoever is told finds the row."""
        found: SimpleQueue[int] = SimpleQueue()
        for number in (1, 2, 3):
            told = store.submit(ANA, inserting(number))
            told.add_done_callback(lambda _: found.put(len(ana.messages.page(MessageQuery()))))
            assert found.get(timeout=30) == number

    def test_submitted_calls_happen_in_their_order(self, store: Store, ana: Rows) -> None:
        """One owner's calls of one urgency are not shuffled."""
        futures = [store.submit(ANA, inserting(seq)) for seq in range(1, 31)]
        for future in futures:
            future.result(timeout=30)
        revs = [row.rev for row in ana.messages.span(TALK, after=0, limit=99)]
        assert revs == sorted(revs)
        assert len(set(revs)) == 30

    def test_a_future_tells_of_a_failure(self, store: Store) -> None:
        """The error is the future's; the store goes on."""

        def work(tx: Transaction) -> None:
            tx.messages.insert(a_message())
            raise Undone

        assert isinstance(store.submit(ANA, work, urgent=True).exception(timeout=30), Undone)
        assert store.submit(ANA, lambda tx: len(tx.messages.page(MessageQuery()))).result(timeout=30) == 0

    def test_giving_up_on_a_future_leaves_the_row(self, store: Store) -> None:
        """Cancelling comes too late: what was handed over is written."""
        future = store.submit(ANA, inserting(1))
        assert not future.cancel()
        future.result(timeout=30)
        assert ask(store, lambda tx: len(tx.messages.page(MessageQuery()))) == 1


def snapshot(store: Store) -> tuple[object, ...]:
    """Return what can be seen of an owner's rows."""
    return ask(store, lambda tx: (tx.owner(), tx.erasure(), *everything_in(tx)))


class ClosingConformance(StoreSuite):
    """How a store ends."""

    def test_a_closed_store_refuses_everything(self, store: Store) -> None:
        """With an error that says what to do; closing again is harmless."""
        store.close()
        store.close()
        for use in (
            lambda: store.write(ANA, fill_life),
            lambda: store.submit(ANA, fill_life),
            lambda: store.read(ANA).__enter__(),
            lambda: store.due(at(0), limit=1),
            store.leases,
            store.owners,
            store.describe,
        ):
            with pytest.raises(EngineClosed, match=r"yesteryear\.open"):
                use()

    def test_closing_finishes_what_was_submitted(self, store: Store) -> None:
        """Every future resolves, with its row written or with EngineClosed."""
        futures = [store.submit(ANA, inserting(seq)) for seq in range(1, 51)]
        store.close()
        assert [future.exception(timeout=0) for future in futures] == [None] * 50

    def test_closing_while_others_write_loses_no_acknowledged_row(self, store: Store) -> None:
        """Each writer is either done or told that the store is closed; nobody hangs."""
        started = threading.Semaphore(0)

        def write_until_closed(thread: int) -> bool:
            key = ConversationKey(None, None, f"t{thread}")
            for seq in range(100_000):
                try:
                    store.write(ANA, lambda tx: tx.conversations.save(Conversation(key)), urgent=True)
                except EngineClosed:
                    return True
                if seq == 3:
                    started.release()
            return False

        with ThreadPoolExecutor(4) as pool:
            writers = [pool.submit(write_until_closed, thread) for thread in range(4)]
            for _ in writers:
                started.acquire()
            store.close()
            assert [writer.result(timeout=30) for writer in writers] == [True] * 4

    def test_an_open_snapshot_outlives_the_store(self, store: Store) -> None:
        """Whoever reads while it closes reads to the end."""
        add(store, a_message())
        with store.read(ANA) as tx:
            store.close()
            assert len(tx.messages.page(MessageQuery())) == 1

    def test_a_store_tells_where_it_is(self, store: Store) -> None:
        """And how far a row is safe once it is acknowledged."""
        described = store.describe()
        assert {"place", "durability"} <= described.keys()
        assert described.keys() <= store.describe(check=True).keys()

    def test_giving_way_ends_when_nobody_waits(self, store: Store) -> None:
        """A worker that steps aside comes back."""
        add(store, a_message())
        store.yield_to_foreground()


class StoreConformance(
    TalkConformance,
    BeliefConformance,
    ForgettingConformance,
    VisibilityConformance,
    CounterConformance,
    QueueConformance,
    TransactionConformance,
    ClosingConformance,
):
    """All of it; the subclass gives the fixture ``store``."""
