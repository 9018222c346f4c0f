"""What every store has to do so that memories fade, are found to be forgotten, and are erased, method by method."""

# ruff: noqa: S101 - tests are made of asserts

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Detail, Digest, Episode, EpisodeStatus
from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.events import RecallEvent
from yesteryear.core.message import REFUSED, Message, Outcome, Reason, Role, Verdict
from yesteryear.core.owner import OwnerState, hash_person
from yesteryear.core.queries import Changes, EpisodeQuery, MessageQuery, Verbatim
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.errors import InputError, StorageError
from yesteryear.ports import Store, Transaction
from yesteryear.testing.access_conformance import HELD_ACCESS, a_deed, a_key, fill_access
from yesteryear.testing.belief_rows import HELD_BELIEFS, a_fact, beliefs_in, fill_beliefs
from yesteryear.testing.builders import a_message
from yesteryear.testing.rows import (
    ANA,
    DIGEST,
    KEPT,
    SKIPPED,
    TALK,
    a_vector,
    add,
    an_episode,
    at,
    in_scope,
    unnumbered,
)
from yesteryear.testing.usage_conformance import HELD_USAGE, fill_usage
from yesteryear.testing.withheld_conformance import set_aside

ASKED = Verdict(Outcome.SKIP, Reason.FORGET_REQUEST, 0.0, 0.5, "forget_request")
ELSEWHERE = ConversationKey("thesis", None, "c1")
STRANGERS = [Scope("ben"), Scope("ana", tenant="acme"), Scope("Ana")]


def fading_at(minutes: float, name: str, **changes: object) -> Episode:
    """Return an ACTIVE episode that fades so many minutes after noon."""
    return replace(an_episode(name, status=EpisodeStatus.ACTIVE, fades_at=at(minutes)), **changes)  # type: ignore[arg-type]


def shown(name: str, minutes: float = 0, *, key: ConversationKey = TALK, items: tuple[str, ...] = ()) -> RecallEvent:
    """Return what a context showed."""
    return RecallEvent(name, key, at(minutes), items, (7,), (2**64 - 1,))


def note(store: Store, *events: RecallEvent, scope: Scope = ANA) -> None:
    """Append events in one transaction."""

    def work(tx: Transaction) -> None:
        for event in events:
            tx.recalls.append(event)

    store.write(scope, work)


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
    fill_usage(tx)
    fill_access(tx)
    tx.forgettings.save([set_aside(scope=scope)])
    tx.save_owner(replace(tx.owner(), model="m", lease_by="worker-1", lease_until=at(9), night_at=at(0)))


HELD_ROWS = {
    "message": 2,
    "conversation": 1,
    "episode": 1,
    "vector": 6,
    "memory_config": 1,
    "recall_event": 1,
    **HELD_BELIEFS,
    **HELD_USAGE,
    **HELD_ACCESS,
    "forgetting": 1,
    "owner": 1,
}
"""What ``fill_life`` writes, by table."""


def is_empty(tx: Transaction) -> bool:
    """Tell whether nothing at all is found."""
    found = [
        *tx.messages.page(MessageQuery()),
        *tx.conversations.list(),
        *tx.episodes.page(EpisodeQuery()),
        *tx.vectors.models(),
        *tx.overrides.all(),
        *tx.recalls.page(),
        *tx.changes(0).messages,
        *beliefs_in(tx),
        *tx.usages.between(at(0), at(99)),
        *tx.keys.all(),
        *tx.audit.page(limit=9),
        *tx.forgettings.all(),
    ]
    return not found and not any(tx.counts().values())


class FadingConformance:
    """What fading reads and writes."""

    def test_an_episode_keeps_what_strengthens_it(self, store: Store) -> None:
        """Pin, useful recalls in their order, when it was brought back and when it fades: written and changed."""
        written = an_episode(pinned=True, recalls=(at(1), at(3)), restored_at=at(2), fades_at=at(4))
        changed = replace(written, pinned=False, recalls=(), restored_at=None, fades_at=None, detail=Detail.GIST)
        add(store, written)
        with store.read(ANA) as tx:
            assert list(map(unnumbered, tx.episodes.get(["e1"]))) == [written]
        store.write(ANA, lambda tx: tx.episodes.update(changed, expecting=EpisodeStatus.PENDING))
        with store.read(ANA) as tx:
            assert list(map(unnumbered, tx.episodes.get(["e1"]))) == [changed]

    def test_traces_are_of_what_is_found_or_archived(self, store: Store) -> None:
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
        add(store, *rows)
        with store.read(ANA) as tx:
            traces = tx.episodes.traces()
            assert traces == [episode.trace for episode in tx.episodes.get(["e2", "e0", "e1", "e4"])]
            assert [trace.id for trace in tx.episodes.traces(due=at(3))] == ["e2", "e0", "e1"]
            assert [trace.id for trace in tx.episodes.traces(due=at(2))] == ["e2"]
            assert [trace.id for trace in tx.episodes.traces(limit=3)] == ["e2", "e0", "e1"]
            assert [trace.id for trace in tx.episodes.traces(only_active=True)] == ["e2", "e0", "e1"]
            assert [trace.id for trace in tx.episodes.traces(due=at(3), only_active=True, limit=1)] == ["e2"]
            assert tx.episodes.traces(due=at(0)) == []
        assert [trace.told_at for trace in traces] == [at(9), at(0), at(5), at(0)]

    def test_a_trace_is_held_where_its_episode_is(self, store: Store) -> None:
        """Whether somebody asked for it is read from the digest's signals, in the rows as in the episode."""
        signals = [
            {name: value} for name in ("explicit_request", "emotion") for value in (0.0, 0.001, 0.4, 0.999999, 1.0)
        ]
        asked = [fading_at(1, f"e{n}", digest=replace(DIGEST, signals=each)) for n, each in enumerate(signals)]
        bare = fading_at(1, "f1", digest=Digest(topic="", summary=""))
        add(store, *asked, bare, fading_at(1, "f2", pinned=True, digest=bare.digest))
        with store.read(ANA) as tx:
            held = {trace.id: trace.is_held for trace in tx.episodes.traces()}
            assert held == {row.id: row.is_held for row in tx.episodes.get(list(held))}
        assert (len(held), held["f1"], held["f2"]) == (12, False, True)

    def test_active_episodes_are_counted(self, store: Store) -> None:
        """What is found, and nothing else."""
        add(store, *(fading_at(1, f"e{number}") for number in range(3)))
        add(store, *(an_episode(f"x {status}", status=status, digest=None) for status in EpisodeStatus))
        with store.read(ANA) as tx:
            assert tx.episodes.count_active() == 4

    def test_an_owner_is_due_when_something_fades(self, store: Store) -> None:
        """Not before."""
        add(store, fading_at(5, "e1"))
        add(store, replace(fading_at(3, "e1"), scope=Scope("ben")), scope=Scope("ben"))
        assert store.due(at(2), limit=9) == []
        assert sorted(owner.user for owner in store.due(at(5), limit=9)) == ["ana", "ben"]

    def test_words_that_are_kept_are_told_by_age(self, store: Store) -> None:
        """Of judged messages, from when they were said or recorded, whichever is later; ties by id."""
        text = a_message().content
        add(
            store,
            a_message(seq=1, verdict=KEPT, episode_id="e1", minutes=5),
            a_message(seq=2, verdict=SKIPPED, minutes=1, recorded_at=at(7), role=Role.ASSISTANT),
            a_message("It is too hot", seq=3, verdict=SKIPPED, minutes=5, recorded_at=at(0), id="a"),
            a_message("", seq=4, verdict=KEPT),
            a_message(seq=5),
        )
        with store.read(ANA) as tx:
            assert tx.messages.verbatim() == [
                Verbatim("a", None, at(5), is_users=True, score=SKIPPED.score, text="It is too hot"),
                Verbatim("c1-1", "e1", at(5), is_users=True, score=KEPT.score, text=text),
                Verbatim("c1-2", None, at(7), is_users=False, score=SKIPPED.score, text=text),
            ]
            assert tx.messages.count_verbatim() == 3


class FindingConformance:
    """How what is to be forgotten is found."""

    def test_messages_are_named_by_either_id(self, store: Store) -> None:
        """Ours or the caller's own, each message once, in the order of conversation and position."""
        add(
            store,
            a_message(seq=2, external_id="x"),
            a_message(seq=1, external_id="y"),
            a_message(seq=1, conversation="c0", external_id="x"),
            a_message(seq=3),
        )
        with store.read(ANA) as tx:
            assert [row.id for row in tx.messages.named(["x"])] == ["c0-1", "c1-2"]
            assert [row.id for row in tx.messages.named(["c1-3", "x", "c1-2", "nobody"])] == ["c0-1", "c1-2", "c1-3"]
            assert tx.messages.named(["nobody", "", "X"]) == tx.messages.named([]) == []

    def test_requests_to_forget_are_found_until_they_are_dealt_with(self, store: Store) -> None:
        """Due, with their words, and not refused; the oldest due time first, then by (at, seq)."""
        refused = replace(ASKED, features={REFUSED: 1.0})
        add(
            store,
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
        with store.read(ANA) as tx:
            assert [row.seq for row in tx.messages.forget_requests(at(3), limit=9)] == [3, 4, 1]
            assert [row.seq for row in tx.messages.forget_requests(at(3), limit=2)] == [3, 4]
            assert all(row.asks_to_forget for row in tx.messages.forget_requests(at(9), limit=9))
            assert tx.messages.forget_requests(at(0), limit=9) == []
            assert [row.seq for row in tx.messages.expired(at(3), limit=9)] == [7, 8, 9, 10], "they are obeyed first"

    def test_settings_of_every_level_are_told(self, store: Store) -> None:
        """The user's own under None, each project's under its name; of other projects nothing."""

        def work(tx: Transaction) -> None:
            tx.overrides.save("thesis", {"a": 1})
            tx.overrides.save("taxes", {"a": 2})
            tx.overrides.save(None, {"a": 3})

        store.write(ANA, work)
        expected = {None: {"a": 3}, "taxes": {"a": 2}, "thesis": {"a": 1}}
        with store.read(ANA) as tx:
            assert list(tx.overrides.all().items()) == list(expected.items())
        with store.read(in_scope("thesis")) as tx:
            assert tx.overrides.all() == {None: {"a": 3}, "thesis": {"a": 1}}
        with store.read(in_scope("other")) as tx:
            assert tx.overrides.all() == {None: {"a": 3}}


class RecallConformance:
    """What becomes of what contexts have shown."""

    def test_an_event_is_open_until_it_is_settled(self, store: Store) -> None:
        """Those of one conversation, oldest first; settled ones stay, and say so."""
        events = [shown("r1", 2), shown("r2", 1), shown("r3", 2), shown("r4", key=ConversationKey(None, None, "c2"))]
        note(store, *events)
        with store.read(ANA) as tx:
            assert tx.recalls.open(TALK, limit=9) == [events[1], events[0], events[2]]
            assert tx.recalls.open(TALK, limit=1) == [events[1]]
        store.write(ANA, lambda tx: tx.recalls.settle(["r2", "r3", "nobody"]))
        with store.read(ANA) as tx:
            assert tx.recalls.open(TALK, limit=9) == [events[0]]
            settled = [event.id for event in tx.recalls.latest(TALK, limit=9) if event.settled]
        assert settled == ["r3", "r2"]

    def test_conversations_whose_events_have_waited_long_are_named(self, store: Store) -> None:
        """Each once, in order; not those without a name, which nobody will ever answer in."""
        quiet, other = ConversationKey(None, None, "quiet"), ConversationKey(None, "tutor", "c1")
        waiting = [shown("r1", 1, key=quiet), shown("r2", 2, key=quiet), shown("r3", 1, key=ELSEWHERE)]
        note(store, *waiting, shown("r4", 3), shown("r5", 1, key=ConversationKey(None, None, "")))
        note(store, replace(shown("r6", 1, key=other), settled=True))
        with store.read(ANA) as tx:
            assert tx.recalls.stale(at(3), limit=9) == [quiet, ELSEWHERE]
            assert tx.recalls.stale(at(3), limit=1) == [quiet]
            assert tx.recalls.stale(at(1), limit=9) == []
        with store.read(in_scope("taxes")) as tx:
            assert tx.recalls.stale(at(3), limit=9) == [quiet]

    def test_pages_of_events_hold_each_once(self, store: Store) -> None:
        """In the order of their ids, whatever their conversation; with every field."""
        events = [shown(f"r{number}", key=TALK if number % 2 else ELSEWHERE) for number in range(7)]
        note(store, *reversed(events))
        store.write(ANA, lambda tx: tx.recalls.settle(["r3"]))
        events[3] = replace(events[3], settled=True)
        with store.read(ANA) as tx:
            seen: list[RecallEvent] = []
            while page := tx.recalls.page(after=seen[-1].id if seen else "", limit=3):
                seen += page
        assert seen == events

    def test_old_events_are_pruned(self, store: Store) -> None:
        """Those of before an instant, and nothing else."""
        note(store, shown("r1", 1), shown("r2", 2), shown("r3", 3, key=ELSEWHERE), shown("r4", 1, key=ELSEWHERE))
        assert store.write(ANA, lambda tx: tx.recalls.prune(at(2))) == 2
        assert store.write(ANA, lambda tx: tx.recalls.prune(at(2))) == 0
        with store.read(ANA) as tx:
            assert [event.id for event in tx.recalls.page()] == ["r2", "r3"]

    def test_who_had_rows_stays_known_when_the_last_of_them_goes(self, store: Store) -> None:
        """Only erasing takes an owner off the list."""
        note(store, shown("r1", 1))
        store.write(ANA, lambda tx: tx.recalls.prune(at(9)))
        assert store.owners() == [ANA.owner]

    def test_what_showed_something_forgotten_goes_with_it(self, store: Store) -> None:
        """Every event with one of these among its items."""
        items = {"r1": ("e1", "m1"), "r2": ("m2",), "r3": (), "r4": ("m10",)}
        note(store, *(shown(name, items=held) for name, held in items.items()))
        store.write(ANA, lambda tx: tx.recalls.forget(["m1", "m2", "m3"]))
        with store.read(ANA) as tx:
            assert [event.id for event in tx.recalls.page()] == ["r3", "r4"]
        store.write(ANA, lambda tx: tx.recalls.forget([]))
        with store.read(ANA) as tx:
            assert [event.id for event in tx.recalls.page()] == ["r3", "r4"]

    def test_nobody_else_touches_an_event(self, store: Store) -> None:
        """Another project, agent or person settles, prunes and forgets none of it."""
        event = shown("r1", key=ConversationKey("thesis", "tutor", "c1"), items=("e1",))
        note(store, event)

        def meddle(tx: Transaction) -> int:
            tx.recalls.settle(["r1"])
            tx.recalls.forget(["e1"])
            return tx.recalls.prune(at(99))

        for scope in (in_scope("taxes"), in_scope(None, "coach"), *STRANGERS):
            assert store.write(scope, meddle) == 0, scope
        with store.read(ANA) as tx:
            assert tx.recalls.page() == [event]


ERASING: dict[str, Callable[[Transaction], object]] = {
    "recalls.settle": lambda tx: tx.recalls.settle(["r1"]),
    "recalls.prune": lambda tx: tx.recalls.prune(at(99)),
    "recalls.forget": lambda tx: tx.recalls.forget(["e1"]),
    "erase": lambda tx: tx.erase(),
    "save_erasure": lambda tx: tx.save_erasure(receipt()),
}
"""What changes or removes rows without an index having to be brought up to date."""


def receipt(generation: int = 1, *, scope: Scope = ANA, **changes: object) -> Erasure:
    """Return a receipt of an erasure, made a minute after noon."""
    made = Erasure(scope.tenant, hash_person(scope.owner), generation, at(1), {"message": 2})
    return replace(made, **changes).sealed()  # type: ignore[arg-type]


class ErasingConformance:
    """Taking out all there is of one owner, and what is left of it."""

    @pytest.mark.parametrize("scope", [ANA, in_scope("thesis", "tutor")])
    def test_nothing_is_left_of_an_owner(self, store: Store, scope: Scope) -> None:
        """Whatever the scope: no row in any table, nothing due, no lease, no name in any list."""
        store.write(ANA, fill_life)
        assert store.write(scope, lambda tx: tx.erase()) == HELD_ROWS
        with store.read(ANA) as tx:
            assert is_empty(tx)
            assert tx.owner() == OwnerState(generation=1)
            assert tx.changes(0) == Changes(rev=0, generation=1)
        assert not [*store.owners(), *store.leases(), *store.due(at(99), limit=9)]

    @pytest.mark.parametrize("stranger", STRANGERS)
    def test_erasing_one_owner_leaves_the_others(self, store: Store, stranger: Scope) -> None:
        """Another person, or the same name with another tenant, keeps every row."""
        store.write(stranger, fill_life)
        store.write(ANA, fill_life)
        with store.read(stranger) as tx:
            before = tx.changes(0), tx.recalls.page(), tx.overrides.all(), beliefs_in(tx), tx.owner()
        store.write(ANA, lambda tx: tx.erase())
        with store.read(stranger) as tx:
            assert (tx.changes(0), tx.recalls.page(), tx.overrides.all(), beliefs_in(tx), tx.owner()) == before
            assert tx.vectors.models() == {"m": 5, "n": 1}
            assert tx.erasure() is None
        assert store.owners() == [stranger.owner]

    def test_an_erasure_that_fails_leaves_everything(self, store: Store) -> None:
        """All or nothing, as every call."""
        store.write(ANA, fill_life)

        def fail(tx: Transaction) -> None:
            tx.erase()
            raise InputError("no")

        with pytest.raises(InputError):
            store.write(ANA, fail)
        with store.read(ANA) as tx:
            assert len(tx.messages.page(MessageQuery())) == 2
            assert tx.owner().generation == 0
            assert tx.erasure() is None

    def test_whoever_comes_back_is_of_another_generation(self, store: Store) -> None:
        """Whatever is written first, so that nothing begun before can be taken for theirs."""
        firsts: tuple[Callable[[Transaction], object], ...] = (
            lambda tx: tx.messages.insert(a_message()),
            lambda tx: tx.recalls.append(shown("r1")),
            lambda tx: tx.overrides.save(None, {"a": 1}),
            lambda tx: tx.facts.insert([a_fact()]),
            lambda tx: tx.keys.save(a_key()),
            lambda tx: tx.audit.append(a_deed()),
            lambda tx: tx.save_owner(replace(tx.owner(), model="m")),
        )
        for generation, first in enumerate(firsts, start=1):
            store.write(ANA, lambda tx: tx.erase())
            store.write(ANA, first)
            with store.read(ANA) as tx:
                assert tx.owner().generation == generation
            assert store.owners() == [ANA.owner]

    def test_an_erasure_leaves_a_receipt_without_a_name(self, store: Store) -> None:
        """Under a hash that whoever knows the name can make again."""
        store.write(ANA, fill_life)
        store.write(ANA, lambda tx: tx.erase())
        with store.read(ANA) as tx:
            left = tx.erasure()
        assert left is not None
        assert (left.person, left.generation, left.removed) == (hash_person(ANA.owner), 1, HELD_ROWS)
        assert (left.is_pending, ANA.user in repr(left)) == (True, False)
        store.write(ANA, lambda tx: tx.save_erasure(receipt()))
        with store.read(in_scope("thesis")) as tx:
            assert tx.erasure() == receipt()
        assert store.erasures() == [receipt()]

    @pytest.mark.parametrize("stranger", STRANGERS)
    def test_a_receipt_of_somebody_else_is_not_written(self, store: Store, stranger: Scope) -> None:
        """A transaction belongs to one owner."""
        with pytest.raises(InputError):
            store.write(ANA, lambda tx: tx.save_erasure(receipt(scope=stranger)))
        assert store.erasures() == []

    def test_a_finished_erasure_waits_no_longer(self, store: Store) -> None:
        """Its receipt tells what was done; those of others go on waiting, and an older one changes nothing."""
        ben = Scope("ben")
        for scope in (ANA, ben):
            store.write(scope, fill_life)
            store.write(scope, lambda tx: tx.erase())
        made = Scrubbed(("memory.db",), 4096, 3, 0, is_rewritten=True)
        done = receipt(scrubbed=made, is_pending=False)
        store.note_erasure(done)
        assert [erasure.person for erasure in store.erasures()] == [hash_person(ben.owner)]
        store.write(ANA, fill_life)
        store.write(ANA, lambda tx: tx.erase())
        store.note_erasure(done)
        with store.read(ANA) as tx:
            later = tx.erasure()
        assert later is not None
        assert (later.generation, later.is_pending) == (2, True)

    def test_a_finished_erasure_stays_finished(self, store: Store) -> None:
        """Also where the person has come back before it was, and goes on."""
        store.write(ANA, fill_life)
        store.write(ANA, lambda tx: tx.erase())
        add(store, a_message())
        done = receipt(is_pending=False)
        store.note_erasure(done)
        add(store, a_message(seq=2))
        with store.read(ANA) as tx:
            assert tx.erasure() == done
        assert store.erasures() == []

    @pytest.mark.parametrize("removed", [[], [b"Evenings are too hot", b"runs to the morning", b""]])
    def test_cleaning_leaves_the_rows(self, store: Store, removed: list[bytes]) -> None:
        """What is still kept is kept, also where it is what was looked for."""
        rows: list[Message | Episode] = [a_message(), an_episode()]
        add(store, *rows)
        made = store.scrub(removed)
        assert made.waits_for == ""
        with store.read(ANA) as tx:
            assert [*map(unnumbered, tx.messages.page(MessageQuery()))] == rows[:1]
            assert [*map(unnumbered, tx.episodes.page(EpisodeQuery()))] == rows[1:]
        add(store, a_message(seq=2))

    def test_a_snapshot_erases_nothing(self, store: Store) -> None:
        """It raises a StorageError that no retry would cure, and what there was is there."""
        store.write(ANA, fill_life)
        for change in ERASING.values():
            with store.read(ANA) as tx, pytest.raises(StorageError) as caught:
                change(tx)
            assert not caught.value.retryable
        with store.read(ANA) as tx:
            assert tx.recalls.page() == [shown("r1", items=("e1",))]
            assert tx.erasure() is None


class ForgettingConformance(FadingConformance, FindingConformance, RecallConformance, ErasingConformance):
    """All of it; the subclass gives the fixture ``store``."""
