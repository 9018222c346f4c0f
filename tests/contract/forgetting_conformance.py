"""What every store has to do so that memories fade, are found to be forgotten, and are erased, method by method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.belief_rows import a_fact, fill_beliefs
from tests.contract.suite import Rows, StoreSuite, through
from tests.contract.visibility_conformance import everything_in
from tests.rows import (
    ANA,
    ASKED,
    DIGEST,
    KEPT,
    SKIPPED,
    STRANGERS,
    TALK,
    a_key,
    a_vector,
    an_audit_draft,
    an_episode,
    ask,
    at,
    fill_beside,
    in_scope,
    set_aside,
    shown,
    unnumbered,
)
from yesteryear.core.episode import Detail, Digest, Episode, EpisodeStatus
from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.message import REFUSED, Conversation, Message, Role
from yesteryear.core.rows.queries import Changes, EpisodeQuery, MessageQuery, Verbatim
from yesteryear.core.scope import OwnerState, Scope, hash_person
from yesteryear.errors import InputError
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import a_message


def fading_at(minutes: float, name: str, **changes: object) -> Episode:
    """Return an ACTIVE episode that fades so many minutes after noon."""
    return replace(an_episode(name, status=EpisodeStatus.ACTIVE, fades_at=at(minutes)), **changes)  # type: ignore[arg-type]


def fill_life(tx: Transaction) -> None:
    """Write a row into every table, some of them in a project."""
    scope = tx.scope
    tx.messages.insert(a_message(scope=scope, external_id="mine", vector_due_at=at(0), expires_at=at(0)))
    tx.messages.insert(a_message(scope=replace(scope, project="thesis"), id="c2-1", conversation="c2"))
    tx.conversations.save(Conversation(TALK, due_at=at(0)))
    tx.episodes.insert(an_episode(scope=scope, next_try=at(0), fades_at=at(0)))
    tx.vectors.put("m", [a_vector("c1-1", 1, 0), a_vector("c1-1", 0, 1, part=1)])
    tx.overrides.save("thesis", {"a": 1})
    tx.recalls.append(shown("r1", items=("e1",)))
    fill_beliefs(tx)
    fill_beside(tx)
    tx.forgettings.save([set_aside(scope=scope)])
    tx.save_owner(replace(tx.owner(), model="m", lease_by="worker-1", lease_until=at(9), night_at=at(0)))


HELD_ROWS = {
    "message": 2,
    "conversation": 1,
    "episode": 1,
    "vector": 6,
    "memory_config": 1,
    "recall_event": 1,
    "fact": 3,
    "fact_version": 3,
    "evidence": 4,
    "conflict": 2,
    "edge": 2,
    "cycle": 1,
    "usage": 2,
    "api_key": 1,
    "audit": 2,
    "forgetting": 1,
    "owner": 1,
}
"""What ``fill_life`` writes, by table."""


class FadingConformance(StoreSuite):
    """What fading reads and writes."""

    def test_traces_are_of_what_is_found_or_archived(self, ana: Rows) -> None:
        """The first to fade first, what never fades last; those due by an instant, and no more than asked for."""
        rows = [
            fading_at(3, "e1", recalls=(at(1),), restored_at=at(2), ended_at=at(5)),
            fading_at(1, "e2", detail=Detail.GIST, recorded_at=at(9)),
            fading_at(3, "e0", pinned=True),
            an_episode("e4", status=EpisodeStatus.ARCHIVED),
            *(
                an_episode(f"not {status}", status=status, fades_at=at(0))
                for status in (EpisodeStatus.PENDING, EpisodeStatus.FAILED)
            ),
            an_episode("not forgotten", status=EpisodeStatus.FORGOTTEN, digest=None, fades_at=at(0)),
        ]
        ana.add(*rows)
        traces = ana.episodes.traces()
        assert traces == [episode.trace for episode in ana.episodes.get(["e2", "e0", "e1", "e4"])]
        assert [trace.id for trace in ana.episodes.traces(due=at(3))] == ["e2", "e0", "e1"]
        assert [trace.id for trace in ana.episodes.traces(due=at(2))] == ["e2"]
        assert [trace.id for trace in ana.episodes.traces(limit=3)] == ["e2", "e0", "e1"]
        assert [trace.id for trace in ana.episodes.traces(only_active=True)] == ["e2", "e0", "e1"]
        assert [trace.id for trace in ana.episodes.traces(due=at(3), only_active=True, limit=1)] == ["e2"]
        assert ana.episodes.traces(due=at(0)) == []
        assert [trace.told_at for trace in traces] == [at(9), at(0), at(5), at(0)]

    def test_a_trace_is_held_where_its_episode_is(self, ana: Rows) -> None:
        """Whether somebody asked for it is read from the digest's signals, in the rows as in the episode."""
        signals = [
            {name: value} for name in ("explicit_request", "emotion") for value in (0.0, 0.001, 0.4, 0.999999, 1.0)
        ]
        asked = [fading_at(1, f"e{n}", digest=replace(DIGEST, signals=each)) for n, each in enumerate(signals)]
        bare = fading_at(1, "f1", digest=Digest(topic="", summary=""))
        ana.add(*asked, bare, fading_at(1, "f2", pinned=True, digest=bare.digest))
        held = {trace.id: trace.is_held for trace in ana.episodes.traces()}
        assert held == {row.id: row.is_held for row in ana.episodes.get(list(held))}
        assert (len(held), held["f1"], held["f2"]) == (12, False, True)

    def test_active_episodes_are_counted(self, ana: Rows) -> None:
        """What is found, and nothing else."""
        ana.add(*(fading_at(1, f"e{number}") for number in range(3)))
        ana.add(*(an_episode(f"x {status}", status=status, digest=None) for status in EpisodeStatus))
        assert ana.episodes.count_active() == 4

    def test_words_that_are_kept_are_told_by_age(self, ana: Rows) -> None:
        """Of judged messages, from when they were said or recorded, whichever is later; ties by id."""
        text = a_message().content
        ana.add(
            a_message(seq=1, verdict=KEPT, episode_id="e1", minutes=5),
            a_message(seq=2, verdict=SKIPPED, minutes=1, recorded_at=at(7), role=Role.ASSISTANT),
            a_message("It is too hot", seq=3, verdict=SKIPPED, minutes=5, recorded_at=at(0), id="a"),
            a_message("", seq=4, verdict=KEPT),
            a_message(seq=5),
        )
        assert ana.messages.verbatim() == [
            Verbatim("a", None, at(5), is_users=True, score=SKIPPED.score, text="It is too hot"),
            Verbatim("c1-1", "e1", at(5), is_users=True, score=KEPT.score, text=text),
            Verbatim("c1-2", None, at(7), is_users=False, score=SKIPPED.score, text=text),
        ]
        assert ana.messages.count_verbatim() == 3


class FindingConformance(StoreSuite):
    """How what is to be forgotten is found."""

    def test_messages_are_named_by_either_id(self, ana: Rows) -> None:
        """Ours or the caller's own, each message once, in the order of conversation and position."""
        ana.add(
            a_message(seq=2, external_id="x"),
            a_message(seq=1, external_id="y"),
            a_message(seq=1, conversation="c0", external_id="x"),
            a_message(seq=3),
        )
        assert [row.id for row in ana.messages.named(["x"])] == ["c0-1", "c1-2"]
        assert [row.id for row in ana.messages.named(["c1-3", "x", "c1-2", "nobody"])] == ["c0-1", "c1-2", "c1-3"]
        assert ana.messages.named(["nobody", "", "X"]) == ana.messages.named([]) == []

    def test_requests_to_forget_are_found_until_they_are_dealt_with(self, ana: Rows) -> None:
        """Due, with their words, and not refused; the oldest due time first, then by (at, seq)."""
        refused = replace(ASKED, features={REFUSED: 1.0})
        ana.add(
            a_message(seq=1, verdict=ASKED, expires_at=at(3)),
            a_message(seq=4, verdict=ASKED, expires_at=at(1)),
            a_message(seq=3, verdict=ASKED, expires_at=at(1), id="tie"),
            a_message(seq=5, verdict=ASKED, expires_at=at(4)),
            a_message(seq=6, verdict=ASKED),
            a_message("", seq=7, verdict=ASKED, expires_at=at(1)),
            a_message(seq=8, verdict=refused, expires_at=at(1)),
            a_message(seq=9, verdict=SKIPPED, expires_at=at(1)),
            a_message(seq=10, expires_at=at(1)),
        )
        assert [row.seq for row in ana.messages.forget_requests(at(3), limit=9)] == [3, 4, 1]
        assert [row.seq for row in ana.messages.forget_requests(at(3), limit=2)] == [3, 4]
        assert all(row.asks_to_forget for row in ana.messages.forget_requests(at(9), limit=9))
        assert ana.messages.forget_requests(at(0), limit=9) == []
        assert [row.seq for row in ana.messages.expired(at(3), limit=9)] == [7, 8, 9, 10], "they are obeyed first"


def receipt(generation: int = 1, *, scope: Scope = ANA, **changes: object) -> Erasure:
    """Return a receipt of an erasure, made a minute after noon."""
    made = Erasure(scope.tenant, hash_person(scope.owner), generation, at(1), {"message": 2})
    return replace(made, **changes).sealed()  # type: ignore[arg-type]


class ErasingConformance(StoreSuite):
    """Taking out all there is of one owner, and what is left of it."""

    @pytest.mark.parametrize("scope", [ANA, in_scope("thesis", "tutor")])
    def test_nothing_is_left_of_an_owner(self, store: Store, scope: Scope) -> None:
        """Whatever the scope: no row in any table, nothing due, no lease, no name in any list."""
        store.write(ANA, fill_life)
        assert through(store, scope).erase() == HELD_ROWS
        with store.read(ANA) as tx:
            assert everything_in(tx) == []
            assert tx.owner() == OwnerState(generation=1)
            assert tx.changes(0) == Changes(rev=0, generation=1)
        assert not [*store.owners(), *store.leases(), *store.due(at(99), limit=9)]

    @pytest.mark.parametrize("stranger", STRANGERS)
    def test_erasing_one_owner_leaves_the_others(self, store: Store, ana: Rows, stranger: Scope) -> None:
        """Another person, or the same name with another tenant, keeps every row."""
        store.write(stranger, fill_life)
        store.write(ANA, fill_life)
        before = ask(store, lambda tx: (tx.owner(), everything_in(tx)), stranger)
        ana.erase()
        with store.read(stranger) as tx:
            assert (tx.owner(), everything_in(tx)) == before
            assert tx.vectors.models() == {"m": 5, "n": 1}
            assert tx.erasure() is None
        assert store.owners() == [stranger.owner]

    def test_whoever_comes_back_is_of_another_generation(self, store: Store, ana: Rows) -> None:
        """Whatever is written first, so that nothing begun before can be taken for theirs."""
        firsts: tuple[Callable[[Transaction], object], ...] = (
            lambda tx: tx.messages.insert(a_message()),
            lambda tx: tx.recalls.append(shown("r1")),
            lambda tx: tx.overrides.save(None, {"a": 1}),
            lambda tx: tx.facts.insert([a_fact()]),
            lambda tx: tx.keys.save(a_key()),
            lambda tx: tx.audit.append(an_audit_draft()),
            lambda tx: tx.save_owner(replace(tx.owner(), model="m")),
        )
        for generation, first in enumerate(firsts, start=1):
            ana.erase()
            store.write(ANA, first)
            assert ana.owner().generation == generation
            assert store.owners() == [ANA.owner]

    def test_an_erasure_leaves_a_receipt_without_a_name(self, store: Store, ana: Rows) -> None:
        """Under a hash that whoever knows the name can make again."""
        store.write(ANA, fill_life)
        ana.erase()
        left = ana.erasure()
        assert left is not None
        assert (left.person, left.generation, left.removed) == (hash_person(ANA.owner), 1, HELD_ROWS)
        assert (left.is_pending, ANA.user in repr(left)) == (True, False)
        ana.save_erasure(receipt())
        assert through(store, in_scope("thesis")).erasure() == receipt()
        assert store.erasures() == [receipt()]

    @pytest.mark.parametrize("stranger", STRANGERS)
    def test_a_receipt_of_somebody_else_is_not_written(self, store: Store, ana: Rows, stranger: Scope) -> None:
        """A transaction belongs to one owner."""
        with pytest.raises(InputError):
            ana.save_erasure(receipt(scope=stranger))
        assert store.erasures() == []

    def test_a_finished_erasure_waits_no_longer(self, store: Store, ana: Rows) -> None:
        """Its receipt tells what was done; those of others go on waiting, and an older one changes nothing."""
        ben = Scope("ben")
        for scope in (ANA, ben):
            store.write(scope, fill_life)
            through(store, scope).erase()
        made = Scrubbed(("memory.db",), 4096, 3, 0, is_rewritten=True)
        done = receipt(scrubbed=made, is_pending=False)
        store.note_erasure(done)
        assert [erasure.person for erasure in store.erasures()] == [hash_person(ben.owner)]
        store.write(ANA, fill_life)
        ana.erase()
        store.note_erasure(done)
        later = ana.erasure()
        assert later is not None
        assert (later.generation, later.is_pending) == (2, True)

    def test_a_finished_erasure_stays_finished(self, store: Store, ana: Rows) -> None:
        """Also where the person has come back before it was, and goes on."""
        store.write(ANA, fill_life)
        ana.erase()
        ana.add(a_message())
        done = receipt(is_pending=False)
        store.note_erasure(done)
        ana.add(a_message(seq=2))
        assert ana.erasure() == done
        assert store.erasures() == []

    @pytest.mark.parametrize("removed", [[], [b"Evenings are too hot", b"runs to the morning", b""]])
    def test_cleaning_leaves_the_rows(self, store: Store, ana: Rows, removed: list[bytes]) -> None:
        """What is still kept is kept, also where it is what was looked for."""
        rows: list[Message | Episode] = [a_message(), an_episode()]
        ana.add(*rows)
        made = store.scrub(removed)
        assert made.waits_for == ""
        assert unnumbered(ana.messages.page(MessageQuery())) == rows[:1]
        assert unnumbered(ana.episodes.page(EpisodeQuery())) == rows[1:]
        ana.add(a_message(seq=2))


class ForgettingConformance(FadingConformance, FindingConformance, ErasingConformance):
    """All of it; the subclass gives the fixture ``store``."""
