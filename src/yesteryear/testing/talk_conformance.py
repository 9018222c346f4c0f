"""What every store has to do with talk: messages, conversations, episodes, vectors, what was shown."""

# ruff: noqa: S101 - tests are made of asserts

from __future__ import annotations

from dataclasses import replace

import pytest

from yesteryear.core.episode import Detail, EpisodeStatus
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Conversation, Message, Outcome, Role
from yesteryear.core.rows.queries import EpisodeQuery, IndexedMessage, MessageQuery
from yesteryear.core.scope import ConversationKey
from yesteryear.core.vectors import VectorGrain
from yesteryear.errors import Conflict, EmbeddingMismatch, Stale
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import a_message
from yesteryear.testing.rows import (
    ANA,
    DIGEST,
    KEPT,
    SKIPPED,
    TALK,
    a_full_message,
    a_vector,
    add,
    an_episode,
    ask,
    at,
    in_scope,
    same,
    shown,
    unnumbered,
)

ELSEWHERE = ConversationKey("thesis", None, "c1")
TEXTS = {
    "a megabyte in one line": "морской бриз " * 80_000,
    "NUL characters": "before\x00after\x00",
    "emoji and joined emoji": "🏃‍♀️ at dawn 👍🏽",
    "right to left": "אני רץ בבוקר، صباح الخير",
    "combining marks and line ends": "e\u0301 \r\n\t\u2028 end",
    "quotes and percent signs": "'; DROP TABLE message; -- %s :name ?",
}


class JournalConformance:
    """Messages and conversations."""

    def test_a_message_comes_back_as_it_was_written(self, store: Store) -> None:
        """Every field survives, instants to the microsecond."""
        add(store, a_full_message())
        assert ask(store, lambda tx: unnumbered(tx.messages.get(["c1-1"]))) == [a_full_message()]

    def test_any_text_comes_back_unharmed(self, store: Store) -> None:
        """What a person writes is kept to the last character, in every place that holds their words."""
        for seq, text in enumerate(TEXTS.values(), start=1):
            message = a_message(text, seq=seq, external_id=text[:40])
            add(store, message, an_episode(message.id, digest=replace(DIGEST, summary=text)))
            with store.read(ANA) as tx:
                assert [row.content for row in tx.messages.span(TALK, after=seq - 1, limit=2)] == [text]
                assert tx.messages.by_external_id(TALK, text[:40]) is not None
                assert [row.digest and row.digest.summary for row in tx.episodes.get([message.id])] == [text]

    def test_an_update_writes_what_was_decided_and_leaves_what_was_said(self, store: Store) -> None:
        """Verdict, episode, due times, errors and erased text change; who said what and when does not."""
        add(store, a_message(external_id="m-1"), a_message(seq=2))
        decided = a_message(
            "", verdict=SKIPPED, episode_id="e1", expires_at=at(1), vector_due_at=at(2), attempts=2, error="no"
        )
        meddled = replace(decided, author="Eve", at=at(99), role=Role.SYSTEM, external_id="m-2")
        store.write(ANA, lambda tx: tx.messages.update([meddled]))
        with store.read(ANA) as tx:
            found = tx.messages.get(["c1-1", "c1-2"])
        assert unnumbered(found) == [replace(decided, external_id="m-1"), a_message(seq=2)]

    def test_an_update_adds_no_message(self, store: Store) -> None:
        """Work that was begun on a message that is gone does not bring it back."""
        store.write(ANA, lambda tx: tx.messages.update([a_message()]))
        assert ask(store, lambda tx: tx.messages.get(["c1-1"])) == []

    @pytest.mark.parametrize(
        "second",
        [
            a_message(seq=1, conversation="c2", id="c1-1"),
            a_message(seq=1, id="another"),
            a_message(seq=2, external_id="m-1"),
        ],
        ids=["id", "position", "caller's id"],
    )
    def test_no_two_messages_share_an_id_or_a_place(self, store: Store, second: Message) -> None:
        """Ids are unique per owner, positions and the caller's ids per conversation."""
        add(store, a_message(external_id="m-1"))
        with pytest.raises(Conflict):
            add(store, second)
        assert ask(store, lambda tx: len(tx.messages.page(MessageQuery()))) == 1

    def test_the_callers_id_belongs_to_one_conversation(self, store: Store) -> None:
        """The same id may be used again in another conversation, project or agent."""
        first = a_message(external_id="m-1")
        elsewhere = [
            replace(first, id="b", conversation="c2"),
            replace(first, id="c", scope=in_scope("thesis")),
            replace(first, id="d", scope=in_scope(agent="tutor")),
        ]
        add(store, first, *elsewhere)
        with store.read(ANA) as tx:
            for message in (first, *elsewhere):
                found = tx.messages.by_external_id(message.key, "m-1")
                assert found is not None
                assert found.id == message.id
            assert tx.messages.by_external_id(TALK, "m-2") is None

    def test_a_span_goes_on_after_a_position(self, store: Store) -> None:
        """Messages of one conversation come in order, from a position on, so many at a time."""
        add(store, *(a_message(seq=seq) for seq in (3, 1, 4, 2)), a_message(seq=5, conversation="c2"))
        with store.read(ANA) as tx:
            assert [row.seq for row in tx.messages.span(TALK, after=0, limit=9)] == [1, 2, 3, 4]
            assert [row.seq for row in tx.messages.span(TALK, after=1, limit=2)] == [2, 3]
            assert tx.messages.span(TALK, after=4, limit=9) == []

    def test_a_tail_is_what_was_said_last(self, store: Store) -> None:
        """In order, as an index keeps it; of one conversation, through one scope."""
        judged = replace(a_message(seq=4), verdict=SKIPPED)
        add(store, *(a_message(seq=seq) for seq in (3, 1, 2)), judged, a_message(seq=5, conversation="c2"))
        with store.read(ANA) as tx:
            assert [row.seq for row in tx.messages.tail(TALK, limit=9)] == [1, 2, 3, 4]
            last = tx.messages.tail(TALK, limit=2)
            assert last == [IndexedMessage.of(a_message(seq=3)), IndexedMessage.of(judged)]
            assert tx.messages.tail(ConversationKey(None, None, "nowhere"), limit=2) == []
        with store.read(in_scope("thesis")) as tx:
            assert tx.messages.tail(ConversationKey("house", None, "c1"), limit=2) == []

    def test_the_authors_of_a_conversation_are_named_once_each(self, store: Store) -> None:
        """In order of their names, as they are spelt; also those of whose words nothing is left."""
        add(
            store,
            a_message(seq=1, author="Émile"),
            a_message(seq=2, author="Ben"),
            a_message(seq=3, author="Ben"),
            a_message(seq=4, author="ben"),
            a_message("", seq=5, author="Ana"),
            a_message(seq=1, author="Cleo", conversation="c2"),
            a_message(seq=1, author="Dora", id="d", scope=in_scope("thesis")),
        )
        with store.read(ANA) as tx:
            assert tx.messages.authors(TALK) == ["Ana", "Ben", "ben", "Émile"]
            assert tx.messages.authors(ConversationKey("thesis", None, "c1")) == ["Dora"]
            assert tx.messages.authors(ConversationKey(None, None, "nowhere")) == []

    def test_messages_are_fetched_in_the_order_asked(self, store: Store) -> None:
        """Unknown ids are left out."""
        add(store, *(a_message(seq=seq) for seq in (1, 2, 3)))
        with store.read(ANA) as tx:
            assert [row.id for row in tx.messages.get(["c1-3", "nobody", "c1-1"])] == ["c1-3", "c1-1"]
            assert tx.messages.get([]) == []

    def test_pages_of_messages_hold_each_once(self, store: Store) -> None:
        """Whoever goes on with the last id of each page sees all, ordered by id."""
        add(store, *(a_message(seq=seq, id=f"m{seq}") for seq in (5, 2, 7, 1, 6, 3, 4)))
        with store.read(ANA) as tx:
            seen, after = [], ""
            while page := tx.messages.page(MessageQuery(limit=3, after=after)):
                seen += [row.id for row in page]
                after = page[-1].id
        assert seen == [f"m{number}" for number in range(1, 8)]

    def test_a_page_of_messages_is_filtered(self, store: Store) -> None:
        """Each filter lets exactly its rows pass; ``since`` is within, ``until`` is not."""
        add(
            store,
            a_message(seq=1, id="1", minutes=1, verdict=KEPT),
            a_message(seq=2, id="2", minutes=2, role=Role.ASSISTANT, verdict=SKIPPED),
            a_message(seq=3, id="3", minutes=3, error="it failed"),
            a_message(seq=4, id="4", minutes=4, conversation="c2"),
        )
        expected = {
            MessageQuery(): [1, 2, 3, 4],
            MessageQuery(conversation="c1"): [1, 2, 3],
            MessageQuery(author="assistant"): [2],
            MessageQuery(outcome=Outcome.KEEP): [1],
            MessageQuery(outcome=Outcome.SKIP): [2],
            MessageQuery(has_error=True): [3],
            MessageQuery(since=at(2)): [2, 3, 4],
            MessageQuery(until=at(2)): [1],
            MessageQuery(since=at(2), until=at(4), author="Ana"): [3],
        }
        with store.read(ANA) as tx:
            assert {query: [row.seq for row in tx.messages.page(query)] for query in expected} == expected

    def test_expired_messages_come_by_age(self, store: Store) -> None:
        """Only those whose time has come."""
        add(store, *(a_message(seq=seq, expires_at=at(when)) for seq, when in ((1, 3), (2, 1), (3, 9))))
        with store.read(ANA) as tx:
            assert [row.seq for row in tx.messages.expired(at(3), limit=9)] == [2, 1]
            assert [row.seq for row in tx.messages.expired(at(3), limit=1)] == [2]

    def test_a_conversation_is_saved_over_itself(self, store: Store) -> None:
        """Every field survives; the later one stays."""
        saved = Conversation(TALK, "Asia/Tokyo", 9, 5, 3, at(1), at(2), at(3), 4, "it failed")
        add(store, Conversation(TALK, last_seq=1), saved)
        with store.read(ANA) as tx:
            assert tx.conversations.get(TALK) == saved
            assert tx.conversations.get(ConversationKey("thesis", None, "c1")) is None

    def test_conversations_are_listed_by_key(self, store: Store) -> None:
        """One name in two projects names two conversations."""
        keys = [
            ConversationKey(None, None, "b"),
            ConversationKey(None, "tutor", "a"),
            ConversationKey("thesis", None, "a"),
            ConversationKey("thesis", None, "b"),
        ]
        add(store, *(Conversation(key) for key in reversed(keys)))
        assert ask(store, lambda tx: [row.key for row in tx.conversations.list()]) == keys


class EpisodeConformance:
    """Episodes, vectors and overrides."""

    def test_an_episode_comes_back_as_it_was_written(self, store: Store) -> None:
        """Every field survives."""
        episode = an_episode(
            scope=in_scope("thesis", "tutor"),
            status=EpisodeStatus.FAILED,
            zone="Asia/Tokyo",
            detail=Detail.GIST,
            attempts=5,
            next_try=at(7),
            error="it failed",
            pinned=True,
            recalls=(at(1), at(3)),
            restored_at=at(2),
            fades_at=at(4),
        )
        bare = an_episode("e2", digest=None)
        add(store, episode, bare)
        assert ask(store, lambda tx: unnumbered(tx.episodes.get(["e2", "e1", "e0"]))) == [bare, episode]

    def test_an_id_names_one_episode(self, store: Store) -> None:
        """A second insertion is a conflict."""
        add(store, an_episode())
        with pytest.raises(Conflict):
            add(store, an_episode(importance=0.1))

    def test_an_episode_is_updated_from_the_status_it_had(self, store: Store) -> None:
        """What changes in its life is written, and taken back; when and where it took place is not."""
        add(store, an_episode(digest=None, pinned=True, recalls=(at(1),), restored_at=at(2), fades_at=at(4)))
        active = an_episode(status=EpisodeStatus.ACTIVE, message_ids=("c1-2",), attempts=1, error="slow")
        active = replace(active, detail=Detail.GIST)
        meddled = replace(active, ended_at=at(99), conversation="c9", closed_by="hand")
        store.write(ANA, lambda tx: tx.episodes.update(meddled, expecting=EpisodeStatus.PENDING))
        assert ask(store, lambda tx: unnumbered(tx.episodes.get(["e1"]))) == [active]

    @pytest.mark.parametrize("name", ["e1", "gone"])
    def test_an_episode_that_somebody_moved_meanwhile_is_stale(self, store: Store, name: str) -> None:
        """Finishing is compare-and-set: the same work is not done twice, nor on what is gone."""
        add(store, an_episode(status=EpisodeStatus.ACTIVE))
        failed = an_episode(name, status=EpisodeStatus.FAILED)
        with pytest.raises(Stale):
            store.write(ANA, lambda tx: tx.episodes.update(failed, expecting=EpisodeStatus.PENDING))
        with store.read(ANA) as tx:
            assert [row.status for row in tx.episodes.get(["e1", "gone"])] == [EpisodeStatus.ACTIVE]

    def test_pages_of_episodes_go_back_in_time(self, store: Store) -> None:
        """Newest first by (ended_at, id), each once; an unknown cursor ends the list."""
        ended = {"a": 1, "b": 3, "c": 2, "d": 3, "e": 0}
        add(store, *(an_episode(name, minutes=minutes) for name, minutes in ended.items()))
        with store.read(ANA) as tx:
            seen: list[str] = []
            while page := tx.episodes.page(EpisodeQuery(limit=2, after=seen[-1] if seen else None)):
                seen += [row.id for row in page]
            assert tx.episodes.page(EpisodeQuery(after="nobody")) == []
        assert seen == ["d", "b", "c", "a", "e"]

    def test_a_page_of_episodes_is_filtered(self, store: Store) -> None:
        """Each filter lets exactly its rows pass; ``since`` is within, ``until`` is not."""
        active = EpisodeStatus.ACTIVE
        add(
            store,
            an_episode("a", minutes=1, status=active),
            an_episode("b", minutes=2, conversation="c2"),
            an_episode("c", minutes=3, status=active, error="it failed"),
        )
        expected = {
            EpisodeQuery(): "cba",
            EpisodeQuery(conversation="c2"): "b",
            EpisodeQuery(status=active): "ca",
            EpisodeQuery(has_error=True): "c",
            EpisodeQuery(since=at(2)): "cb",
            EpisodeQuery(until=at(2)): "a",
            EpisodeQuery(status=active, after="b"): "a",
        }
        with store.read(ANA) as tx:
            assert {query: "".join(row.id for row in tx.episodes.page(query)) for query in expected} == expected

    def test_readers_are_counted(self, store: Store) -> None:
        """Of what is found or archived, and has all its words; nobody is named for what was read before they were."""
        active, archived = EpisodeStatus.ACTIVE, EpisodeStatus.ARCHIVED
        read = [replace(DIGEST, reader=reader) for reader in ("new-2", "new-2", "old-1")]
        statuses = (active, archived, active)
        add(
            store,
            *(an_episode(f"e{n}", digest=read[n], status=statuses[n]) for n in range(3)),
            an_episode("before", status=active),
            an_episode("pending", digest=read[0]),
            an_episode("bare", digest=read[0], status=active, detail=Detail.GIST),
        )
        assert ask(store, lambda tx: tx.episodes.readers()) == {"new-2": 2, "old-1": 1, "": 1}

    def test_vectors_come_back_as_sixteen_bits_hold_them(self, store: Store) -> None:
        """Ordered by ref and part; asked for all, for some, or for nobody's."""
        rows = [a_vector("b", 3, 4), a_vector("a", 0, 1, part=1), a_vector("a", 0.1, -0.7)]
        store.write(ANA, lambda tx: tx.vectors.put("m", rows))
        with store.read(ANA) as tx:
            assert same(tx.vectors.load("m"), [rows[2], rows[1], rows[0]])
            assert same(tx.vectors.load("m", refs=["b", "nobody"]), [rows[0]])
            assert tx.vectors.load("m", refs=[]) == []
            assert tx.vectors.load("another") == []

    def test_an_owner_with_few_vectors_has_no_index_of_their_own(self, store: Store) -> None:
        """Then all are compared, for no index finds the nearest without fail."""
        store.write(ANA, lambda tx: tx.vectors.put("m", [a_vector("a", 1, 0)]))
        assert store.index_vectors() == store.index_vectors(ANA.owner, drops=True) == []
        with store.read(ANA) as tx:
            assert not tx.vectors.has_index("m")
            assert tx.vectors.nearest("m", a_vector("q", 1, 0).vector, limit=3) is None

    def test_a_vector_is_replaced_by_its_key(self, store: Store) -> None:
        """The same model, ref and part again is the same vector."""
        store.write(ANA, lambda tx: tx.vectors.put("m", [a_vector("a", 1, 0), a_vector("a", 1, 0, part=1)]))
        newer = a_vector("a", 0, 1, grain=VectorGrain.EPISODE)
        store.write(ANA, lambda tx: tx.vectors.put("m", [newer]))
        with store.read(ANA) as tx:
            assert same(tx.vectors.load("m"), [newer, a_vector("a", 1, 0, part=1)])

    @pytest.mark.parametrize("rows", [[(1, 0, 0)], [(1, 0), (1, 0, 0)]])
    def test_a_model_has_one_dimension(self, store: Store, rows: list[tuple[float, ...]]) -> None:
        """Vectors of another length are refused, and nothing of that call is written even if it goes on."""
        store.write(ANA, lambda tx: tx.vectors.put("m", [a_vector("a", 1, 0)]))
        wrong = [a_vector(f"b{number}", *values) for number, values in enumerate(rows)]

        def work(tx: Transaction) -> None:
            with pytest.raises(EmbeddingMismatch):
                tx.vectors.put("m", wrong)

        store.write(ANA, work)
        with store.read(ANA) as tx:
            assert same(tx.vectors.load("m"), [a_vector("a", 1, 0)])

    def test_vectors_of_two_models_live_side_by_side(self, store: Store) -> None:
        """Each is loaded and dropped on its own; forgetting a text takes those of every model."""
        store.write(ANA, lambda tx: tx.vectors.put("old", [a_vector(ref, 1, 0) for ref in "abc"]))
        store.write(ANA, lambda tx: tx.vectors.put("new", [a_vector(ref, 0, 1, 0) for ref in "abc"]))
        store.write(ANA, lambda tx: tx.vectors.forget(["b", "nobody"]))
        with store.read(ANA) as tx:
            assert tx.vectors.models() == {"new": 2, "old": 2}
            assert same(tx.vectors.load("new"), [a_vector("a", 0, 1, 0), a_vector("c", 0, 1, 0)])
        assert store.write(ANA, lambda tx: tx.vectors.drop("old")) == 2
        assert store.write(ANA, lambda tx: tx.vectors.drop("old")) == 0
        with store.read(ANA) as tx:
            assert tx.vectors.models() == {"new": 2}
            assert tx.vectors.load("old") == []

    def test_settings_are_kept_per_level_and_replaced_whole(self, store: Store) -> None:
        """The user's own under None, each project's under its name; of other projects nothing."""

        def work(tx: Transaction) -> None:
            tx.overrides.save(None, {"a": 1, "b": True})
            tx.overrides.save("thesis", {"a": 0.5, "c": "x"})
            tx.overrides.save("taxes", {"a": 2})
            tx.overrides.save(None, {"b": False})

        store.write(ANA, work)
        expected = {None: {"b": False}, "taxes": {"a": 2}, "thesis": {"a": 0.5, "c": "x"}}
        with store.read(ANA) as tx:
            assert list(tx.overrides.all().items()) == list(expected.items())
            assert {level: tx.overrides.get(level) for level in expected} == expected
            assert tx.overrides.get("other") == {}
        assert ask(store, lambda tx: tx.overrides.all(), in_scope("taxes")) == {None: {"b": False}, "taxes": {"a": 2}}
        assert ask(store, lambda tx: tx.overrides.all(), in_scope("other")) == {None: {"b": False}}


class RecallConformance:
    """What becomes of what contexts have shown."""

    def test_recall_events_come_newest_first(self, store: Store) -> None:
        """Those of one conversation, with all they hold; 64-bit fingerprints keep every bit."""
        events = [
            RecallEvent("r1", TALK, at(1), ("e1", "c1-1"), (2**64 - 1, 0)),
            RecallEvent("r2", TALK, at(3), (), ()),
            RecallEvent("r3", TALK, at(2), ("e2",), (7,)),
            RecallEvent("r4", ConversationKey(None, None, "c2"), at(9), (), ()),
        ]

        add(store, *events)
        with store.read(ANA) as tx:
            assert tx.recalls.latest(TALK, limit=9) == [events[1], events[2], events[0]]
            assert tx.recalls.latest(TALK, limit=1) == [events[1]]

    def test_an_event_is_open_until_it_is_settled(self, store: Store) -> None:
        """Those of one conversation, oldest first; settled ones stay, and say so."""
        events = [shown("r1", 2), shown("r2", 1), shown("r3", 2), shown("r4", key=ConversationKey(None, None, "c2"))]
        add(store, *events)
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
        add(store, *waiting, shown("r4", 3), shown("r5", 1, key=ConversationKey(None, None, "")))
        add(store, replace(shown("r6", 1, key=other), settled=True))
        with store.read(ANA) as tx:
            assert tx.recalls.stale(at(3), limit=9) == [quiet, ELSEWHERE]
            assert tx.recalls.stale(at(3), limit=1) == [quiet]
            assert tx.recalls.stale(at(1), limit=9) == []
        assert ask(store, lambda tx: tx.recalls.stale(at(3), limit=9), in_scope("taxes")) == [quiet]

    def test_pages_of_events_hold_each_once(self, store: Store) -> None:
        """In the order of their ids, whatever their conversation; with every field."""
        events = [shown(f"r{number}", key=TALK if number % 2 else ELSEWHERE) for number in range(7)]
        add(store, *reversed(events))
        store.write(ANA, lambda tx: tx.recalls.settle(["r3"]))
        events[3] = replace(events[3], settled=True)
        with store.read(ANA) as tx:
            seen: list[RecallEvent] = []
            while page := tx.recalls.page(after=seen[-1].id if seen else "", limit=3):
                seen += page
        assert seen == events

    def test_old_events_are_pruned(self, store: Store) -> None:
        """Those of before an instant, and nothing else."""
        add(store, shown("r1", 1), shown("r2", 2), shown("r3", 3, key=ELSEWHERE), shown("r4", 1, key=ELSEWHERE))
        assert store.write(ANA, lambda tx: tx.recalls.prune(at(2))) == 2
        assert store.write(ANA, lambda tx: tx.recalls.prune(at(2))) == 0
        assert ask(store, lambda tx: [event.id for event in tx.recalls.page()]) == ["r2", "r3"]

    def test_who_had_rows_stays_known_when_the_last_of_them_goes(self, store: Store) -> None:
        """Only erasing takes an owner off the list."""
        add(store, shown("r1", 1))
        store.write(ANA, lambda tx: tx.recalls.prune(at(9)))
        assert store.owners() == [ANA.owner]

    def test_what_showed_something_forgotten_goes_with_it(self, store: Store) -> None:
        """Every event with one of these among its items."""
        items = {"r1": ("e1", "m1"), "r2": ("m2",), "r3": (), "r4": ("m10",)}
        add(store, *(shown(name, items=held) for name, held in items.items()))
        store.write(ANA, lambda tx: tx.recalls.forget(["m1", "m2", "m3"]))
        assert ask(store, lambda tx: [event.id for event in tx.recalls.page()]) == ["r3", "r4"]
        store.write(ANA, lambda tx: tx.recalls.forget([]))
        assert ask(store, lambda tx: [event.id for event in tx.recalls.page()]) == ["r3", "r4"]


class TalkConformance(JournalConformance, EpisodeConformance, RecallConformance):
    """All of it; the subclass gives the fixture ``store``."""
