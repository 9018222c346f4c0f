"""What every store has to do with talk: messages, conversations, episodes, vectors, what was shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contract.suite import Rows, StoreSuite, through
from tests.rows import (
    ANA,
    ASKED,
    DIGEST,
    KEPT,
    SKIPPED,
    SLEEP,
    STEPS,
    TALK,
    a_full_message,
    a_vector,
    an_episode,
    at,
    in_scope,
    same,
    shown,
    unnumbered,
)
from yesteryear.core.episode import Detail, EpisodeStatus
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Conversation, Message, Outcome, Reason, Role
from yesteryear.core.rows.queries import EpisodeQuery, IndexedMessage, MessageQuery
from yesteryear.core.scope import ConversationKey
from yesteryear.core.vectors import VectorGrain
from yesteryear.errors import Conflict, EmbeddingMismatch, Stale
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import a_message

ELSEWHERE = ConversationKey("thesis", None, "c1")
TEXTS = {
    "a megabyte in one line": "морской бриз " * 80_000,
    "NUL characters": "before\x00after\x00",
    "emoji and joined emoji": "🏃‍♀️ at dawn 👍🏽",
    "right to left": "אני רץ בבוקר، صباح الخير",
    "combining marks and line ends": "e\u0301 \r\n\t\u2028 end",
    "quotes and percent signs": "'; DROP TABLE message; -- %s :name ?",
}


class JournalConformance(StoreSuite):
    """Messages and conversations."""

    def test_a_message_comes_back_as_it_was_written(self, ana: Rows) -> None:
        """Every field survives, instants to the microsecond."""
        ana.add(a_full_message())
        assert unnumbered(ana.messages.get(["c1-1"])) == [a_full_message()]

    def test_any_text_comes_back_unharmed(self, ana: Rows) -> None:
        """What a person writes is kept to the last character, in every place that holds their words."""
        for seq, text in enumerate(TEXTS.values(), start=1):
            message = a_message(text, seq=seq, external_id=text[:40])
            ana.add(message, an_episode(message.id, digest=replace(DIGEST, summary=text)))
            assert [row.content for row in ana.messages.span(TALK, after=seq - 1, limit=2)] == [text]
            assert ana.messages.by_external_id(TALK, text[:40]) is not None
            assert [row.digest and row.digest.summary for row in ana.episodes.get([message.id])] == [text]

    def test_an_update_writes_what_was_decided_and_leaves_what_was_said(self, ana: Rows) -> None:
        """Verdict, episode, due times, errors and erased text change; who said what and when does not."""
        ana.add(a_message(external_id="m-1"), a_message(seq=2))
        decided = a_message(
            "",
            verdict=SKIPPED,
            episode_id="e1",
            expires_at=at(1),
            numbers=(SLEEP,),
            vector_due_at=at(2),
            attempts=2,
            error="no",
        )
        ana.messages.update([replace(decided, author="Eve", at=at(99), role=Role.SYSTEM, external_id="m-2")])
        assert unnumbered(ana.messages.get(["c1-1", "c1-2"])) == [replace(decided, external_id="m-1"), a_message(seq=2)]

    def test_an_update_adds_no_message(self, ana: Rows) -> None:
        """Work that was begun on a message that is gone does not bring it back."""
        ana.messages.update([a_message()])
        assert ana.messages.get(["c1-1"]) == []

    @pytest.mark.parametrize(
        "second",
        [
            a_message(seq=1, conversation="c2", id="c1-1"),
            a_message(seq=1, id="another"),
            a_message(seq=2, external_id="m-1"),
        ],
        ids=["id", "position", "caller's id"],
    )
    def test_no_two_messages_share_an_id_or_a_place(self, ana: Rows, second: Message) -> None:
        """Ids are unique per owner, positions and the caller's ids per conversation."""
        ana.add(a_message(external_id="m-1"))
        with pytest.raises(Conflict):
            ana.add(second)
        assert len(ana.messages.page(MessageQuery())) == 1

    def test_the_callers_id_belongs_to_one_conversation(self, ana: Rows) -> None:
        """The same id may be used again in another conversation, project or agent."""
        first = a_message(external_id="m-1")
        elsewhere = [
            replace(first, id="b", conversation="c2"),
            replace(first, id="c", scope=in_scope("thesis")),
            replace(first, id="d", scope=in_scope(agent="tutor")),
        ]
        ana.add(first, *elsewhere)
        for message in (first, *elsewhere):
            found = ana.messages.by_external_id(message.key, "m-1")
            assert found is not None
            assert found.id == message.id
        assert ana.messages.by_external_id(TALK, "m-2") is None

    def test_a_span_goes_on_after_a_position(self, ana: Rows) -> None:
        """Messages of one conversation come in order, from a position on, so many at a time."""
        ana.add(*(a_message(seq=seq) for seq in (3, 1, 4, 2)), a_message(seq=5, conversation="c2"))
        assert [row.seq for row in ana.messages.span(TALK, after=0, limit=9)] == [1, 2, 3, 4]
        assert [row.seq for row in ana.messages.span(TALK, after=1, limit=2)] == [2, 3]
        assert ana.messages.span(TALK, after=4, limit=9) == []

    def test_a_tail_is_what_was_said_last(self, store: Store, ana: Rows) -> None:
        """In order, as an index keeps it; of one conversation, through one scope."""
        judged = replace(a_message(seq=4), verdict=SKIPPED)
        ana.add(*(a_message(seq=seq) for seq in (3, 1, 2)), judged, a_message(seq=5, conversation="c2"))
        assert [row.seq for row in ana.messages.tail(TALK, limit=9)] == [1, 2, 3, 4]
        last = ana.messages.tail(TALK, limit=2)
        assert last == [IndexedMessage.of(a_message(seq=3)), IndexedMessage.of(judged)]
        assert ana.messages.tail(ConversationKey(None, None, "nowhere"), limit=2) == []
        assert through(store, in_scope("thesis")).messages.tail(ConversationKey("house", None, "c1"), limit=2) == []

    def test_the_authors_of_a_conversation_are_named_once_each(self, ana: Rows) -> None:
        """In order of their names, as they are spelt; also those of whose words nothing is left."""
        ana.add(
            a_message(seq=1, author="Émile"),
            a_message(seq=2, author="Ben"),
            a_message(seq=3, author="Ben"),
            a_message(seq=4, author="ben"),
            a_message("", seq=5, author="Ana"),
            a_message(seq=1, author="Cleo", conversation="c2"),
            a_message(seq=1, author="Dora", id="d", scope=in_scope("thesis")),
        )
        assert ana.messages.authors(TALK) == ["Ana", "Ben", "ben", "Émile"]
        assert ana.messages.authors(ConversationKey("thesis", None, "c1")) == ["Dora"]
        assert ana.messages.authors(ConversationKey(None, None, "nowhere")) == []

    def test_messages_are_fetched_in_the_order_asked(self, ana: Rows) -> None:
        """Unknown ids are left out."""
        ana.add(*(a_message(seq=seq) for seq in (1, 2, 3)))
        assert [row.id for row in ana.messages.get(["c1-3", "nobody", "c1-1"])] == ["c1-3", "c1-1"]
        assert ana.messages.get([]) == []

    def test_pages_of_messages_hold_each_once(self, ana: Rows) -> None:
        """Whoever goes on with the last id of each page sees all, ordered by id."""
        ana.add(*(a_message(seq=seq, id=f"m{seq}") for seq in (5, 2, 7, 1, 6, 3, 4)))
        seen, after = [], ""
        while page := ana.messages.page(MessageQuery(limit=3, after=after)):
            seen += [row.id for row in page]
            after = page[-1].id
        assert seen == [f"m{number}" for number in range(1, 8)]

    def test_a_page_of_messages_is_filtered(self, ana: Rows) -> None:
        """Each filter lets exactly its rows pass; ``since`` is within, ``until`` is not."""
        ana.add(
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
        assert {query: [row.seq for row in ana.messages.page(query)] for query in expected} == expected

    def test_expired_messages_come_by_age(self, ana: Rows) -> None:
        """Only those whose time has come."""
        ana.add(*(a_message(seq=seq, expires_at=at(when)) for seq, when in ((1, 3), (2, 1), (3, 9))))
        assert [row.seq for row in ana.messages.expired(at(3), limit=9)] == [2, 1]
        assert [row.seq for row in ana.messages.expired(at(3), limit=1)] == [2]

    def test_messages_that_tell_numbers_come_by_when_they_were_said(self, ana: Rows) -> None:
        """Up to an instant, ties by id; also those whose words were not kept, or were not judged."""
        ana.add(
            a_message(seq=1, minutes=3, numbers=(STEPS, SLEEP), verdict=KEPT),
            a_message(seq=2, minutes=1, numbers=(STEPS,), verdict=SKIPPED),
            a_message("", seq=3, minutes=2, numbers=(SLEEP,), verdict=KEPT),
            a_message(seq=4, id="a", minutes=3, numbers=(SLEEP,)),
            a_message(seq=5, minutes=2, verdict=KEPT),
        )
        told = unnumbered(ana.messages.measured(at(9)))
        assert [(row.seq, row.numbers) for row in told] == [
            (2, (STEPS,)),
            (3, (SLEEP,)),
            (4, (SLEEP,)),
            (1, (STEPS, SLEEP)),
        ]
        assert told == unnumbered(ana.messages.get([row.id for row in told]))
        for until, expected in {0: [], 1: [2], 2: [2, 3], 3: [2, 3, 4, 1]}.items():
            assert [row.seq for row in ana.messages.measured(at(until))] == expected

    def test_what_is_hidden_tells_no_numbers(self, ana: Rows) -> None:
        """Neither what asks to forget nor what gives orders, as long as it is hidden; nor what has none left."""
        injected = replace(SKIPPED, reason=Reason.INSTRUCTION_INJECTION)
        ana.add(
            *(a_message(seq=n, numbers=(STEPS,), verdict=v) for n, v in enumerate((ASKED, injected, KEPT), start=1))
        )
        assert [row.seq for row in ana.messages.measured(at(9))] == [3]
        ana.messages.update([a_message(seq=1, numbers=(STEPS,), verdict=SKIPPED), a_message(seq=3, verdict=KEPT)])
        assert [row.seq for row in ana.messages.measured(at(9))] == [1]

    def test_a_conversation_is_saved_over_itself(self, ana: Rows) -> None:
        """Every field survives; the later one stays."""
        saved = Conversation(TALK, "Asia/Tokyo", 9, 5, 3, at(1), at(2), at(3), 4, "it failed")
        ana.add(Conversation(TALK, last_seq=1), saved)
        assert ana.conversations.get(TALK) == saved
        assert ana.conversations.get(ConversationKey("thesis", None, "c1")) is None

    def test_conversations_are_listed_by_key(self, ana: Rows) -> None:
        """One name in two projects names two conversations."""
        keys = [
            ConversationKey(None, None, "b"),
            ConversationKey(None, "tutor", "a"),
            ConversationKey("thesis", None, "a"),
            ConversationKey("thesis", None, "b"),
        ]
        ana.add(*(Conversation(key) for key in reversed(keys)))
        assert [row.key for row in ana.conversations.list()] == keys


class EpisodeConformance(StoreSuite):
    """Episodes, vectors and overrides."""

    def test_an_episode_comes_back_as_it_was_written(self, ana: Rows) -> None:
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
        ana.add(episode, bare)
        assert unnumbered(ana.episodes.get(["e2", "e1", "e0"])) == [bare, episode]

    def test_an_id_names_one_episode(self, ana: Rows) -> None:
        """A second insertion is a conflict."""
        ana.add(an_episode())
        with pytest.raises(Conflict):
            ana.add(an_episode(importance=0.1))

    def test_an_episode_is_updated_from_the_status_it_had(self, ana: Rows) -> None:
        """What changes in its life is written, and taken back; when and where it took place is not."""
        ana.add(an_episode(digest=None, pinned=True, recalls=(at(1),), restored_at=at(2), fades_at=at(4)))
        active = an_episode(status=EpisodeStatus.ACTIVE, message_ids=("c1-2",), attempts=1, error="slow")
        active = replace(active, detail=Detail.GIST)
        meddled = replace(active, ended_at=at(99), conversation="c9", closed_by="hand")
        ana.episodes.update(meddled, expecting=EpisodeStatus.PENDING)
        assert unnumbered(ana.episodes.get(["e1"])) == [active]

    @pytest.mark.parametrize("name", ["e1", "gone"])
    def test_an_episode_that_somebody_moved_meanwhile_is_stale(self, ana: Rows, name: str) -> None:
        """Finishing is compare-and-set: the same work is not done twice, nor on what is gone."""
        ana.add(an_episode(status=EpisodeStatus.ACTIVE))
        failed = an_episode(name, status=EpisodeStatus.FAILED)
        with pytest.raises(Stale):
            ana.episodes.update(failed, expecting=EpisodeStatus.PENDING)
        assert [row.status for row in ana.episodes.get(["e1", "gone"])] == [EpisodeStatus.ACTIVE]

    def test_pages_of_episodes_go_back_in_time(self, ana: Rows) -> None:
        """Newest first by (ended_at, id), each once; an unknown cursor ends the list."""
        ended = {"a": 1, "b": 3, "c": 2, "d": 3, "e": 0}
        ana.add(*(an_episode(name, minutes=minutes) for name, minutes in ended.items()))
        seen: list[str] = []
        while page := ana.episodes.page(EpisodeQuery(limit=2, after=seen[-1] if seen else None)):
            seen += [row.id for row in page]
        assert ana.episodes.page(EpisodeQuery(after="nobody")) == []
        assert seen == ["d", "b", "c", "a", "e"]

    def test_a_page_of_episodes_is_filtered(self, ana: Rows) -> None:
        """Each filter lets exactly its rows pass; ``since`` is within, ``until`` is not."""
        active = EpisodeStatus.ACTIVE
        ana.add(
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
        assert {query: "".join(row.id for row in ana.episodes.page(query)) for query in expected} == expected

    def test_readers_are_counted(self, ana: Rows) -> None:
        """Of what is found or archived, and has all its words; nobody is named for what was read before they were."""
        active, archived = EpisodeStatus.ACTIVE, EpisodeStatus.ARCHIVED
        read = [replace(DIGEST, reader=reader) for reader in ("new-2", "new-2", "old-1")]
        statuses = (active, archived, active)
        ana.add(
            *(an_episode(f"e{n}", digest=read[n], status=statuses[n]) for n in range(3)),
            an_episode("before", status=active),
            an_episode("pending", digest=read[0]),
            an_episode("bare", digest=read[0], status=active, detail=Detail.GIST),
        )
        assert ana.episodes.readers() == {"new-2": 2, "old-1": 1, "": 1}

    def test_vectors_come_back_as_sixteen_bits_hold_them(self, ana: Rows) -> None:
        """Ordered by ref and part; asked for all, for some, or for nobody's."""
        rows = [a_vector("b", 3, 4), a_vector("a", 0, 1, part=1), a_vector("a", 0.1, -0.7)]
        ana.vectors.put("m", rows)
        assert same(ana.vectors.load("m"), [rows[2], rows[1], rows[0]])
        assert same(ana.vectors.load("m", refs=["b", "nobody"]), [rows[0]])
        assert ana.vectors.load("m", refs=[]) == []
        assert ana.vectors.load("another") == []

    def test_an_owner_with_few_vectors_has_no_index_of_their_own(self, store: Store, ana: Rows) -> None:
        """Then all are compared, for no index finds the nearest without fail."""
        ana.vectors.put("m", [a_vector("a", 1, 0)])
        assert store.index_vectors() == store.index_vectors(ANA.owner, drops=True) == []
        assert not ana.vectors.has_index("m")
        assert ana.vectors.nearest("m", a_vector("q", 1, 0).vector, limit=3) is None

    def test_a_vector_is_replaced_by_its_key(self, ana: Rows) -> None:
        """The same model, ref and part again is the same vector."""
        ana.vectors.put("m", [a_vector("a", 1, 0), a_vector("a", 1, 0, part=1)])
        newer = a_vector("a", 0, 1, grain=VectorGrain.EPISODE)
        ana.vectors.put("m", [newer])
        assert same(ana.vectors.load("m"), [newer, a_vector("a", 1, 0, part=1)])

    @pytest.mark.parametrize("rows", [[(1, 0, 0)], [(1, 0), (1, 0, 0)]])
    def test_a_model_has_one_dimension(self, store: Store, ana: Rows, rows: list[tuple[float, ...]]) -> None:
        """Vectors of another length are refused, and nothing of that call is written even if it goes on."""
        ana.vectors.put("m", [a_vector("a", 1, 0)])
        wrong = [a_vector(f"b{number}", *values) for number, values in enumerate(rows)]

        def work(tx: Transaction) -> None:
            with pytest.raises(EmbeddingMismatch):
                tx.vectors.put("m", wrong)

        store.write(ANA, work)
        assert same(ana.vectors.load("m"), [a_vector("a", 1, 0)])

    def test_vectors_of_two_models_live_side_by_side(self, ana: Rows) -> None:
        """Each is loaded and dropped on its own; forgetting a text takes those of every model."""
        ana.vectors.put("old", [a_vector(ref, 1, 0) for ref in "abc"])
        ana.vectors.put("new", [a_vector(ref, 0, 1, 0) for ref in "abc"])
        ana.vectors.forget(["b", "nobody"])
        assert ana.vectors.models() == {"new": 2, "old": 2}
        assert same(ana.vectors.load("new"), [a_vector("a", 0, 1, 0), a_vector("c", 0, 1, 0)])
        assert ana.vectors.drop("old") == 2
        assert ana.vectors.drop("old") == 0
        assert ana.vectors.models() == {"new": 2}
        assert ana.vectors.load("old") == []

    def test_settings_are_kept_per_level_and_replaced_whole(self, store: Store, ana: Rows) -> None:
        """The user's own under None, each project's under its name; of other projects nothing."""
        ana.overrides.save(None, {"a": 1, "b": True})
        ana.overrides.save("thesis", {"a": 0.5, "c": "x"})
        ana.overrides.save("taxes", {"a": 2})
        ana.overrides.save(None, {"b": False})
        expected = {None: {"b": False}, "taxes": {"a": 2}, "thesis": {"a": 0.5, "c": "x"}}
        assert list(ana.overrides.all().items()) == list(expected.items())
        assert {level: ana.overrides.get(level) for level in expected} == expected
        assert ana.overrides.get("other") == {}
        assert through(store, in_scope("taxes")).overrides.all() == {None: {"b": False}, "taxes": {"a": 2}}
        assert through(store, in_scope("other")).overrides.all() == {None: {"b": False}}


class RecallConformance(StoreSuite):
    """What becomes of what contexts have shown."""

    def test_recall_events_come_newest_first(self, ana: Rows) -> None:
        """Those of one conversation, with all they hold; 64-bit fingerprints keep every bit."""
        events = [
            RecallEvent("r1", TALK, at(1), ("e1", "c1-1"), (2**64 - 1, 0)),
            RecallEvent("r2", TALK, at(3), (), ()),
            RecallEvent("r3", TALK, at(2), ("e2",), (7,)),
            RecallEvent("r4", ConversationKey(None, None, "c2"), at(9), (), ()),
        ]

        ana.add(*events)
        assert ana.recalls.latest(TALK, limit=9) == [events[1], events[2], events[0]]
        assert ana.recalls.latest(TALK, limit=1) == [events[1]]

    def test_an_event_is_open_until_it_is_settled(self, ana: Rows) -> None:
        """Those of one conversation, oldest first; settled ones stay, and say so."""
        events = [shown("r1", 2), shown("r2", 1), shown("r3", 2), shown("r4", key=ConversationKey(None, None, "c2"))]
        ana.add(*events)
        assert ana.recalls.open(TALK, limit=9) == [events[1], events[0], events[2]]
        assert ana.recalls.open(TALK, limit=1) == [events[1]]
        ana.recalls.settle(["r2", "r3", "nobody"])
        assert ana.recalls.open(TALK, limit=9) == [events[0]]
        settled = [event.id for event in ana.recalls.latest(TALK, limit=9) if event.settled]
        assert settled == ["r3", "r2"]

    def test_conversations_whose_events_have_waited_long_are_named(self, store: Store, ana: Rows) -> None:
        """Each once, in order; not those without a name, which nobody will ever answer in."""
        quiet, other = ConversationKey(None, None, "quiet"), ConversationKey(None, "tutor", "c1")
        waiting = [shown("r1", 1, key=quiet), shown("r2", 2, key=quiet), shown("r3", 1, key=ELSEWHERE)]
        ana.add(*waiting, shown("r4", 3), shown("r5", 1, key=ConversationKey(None, None, "")))
        ana.add(replace(shown("r6", 1, key=other), settled=True))
        assert ana.recalls.stale(at(3), limit=9) == [quiet, ELSEWHERE]
        assert ana.recalls.stale(at(3), limit=1) == [quiet]
        assert ana.recalls.stale(at(1), limit=9) == []
        assert through(store, in_scope("taxes")).recalls.stale(at(3), limit=9) == [quiet]

    def test_pages_of_events_hold_each_once(self, ana: Rows) -> None:
        """In the order of their ids, whatever their conversation; with every field."""
        events = [shown(f"r{number}", key=TALK if number % 2 else ELSEWHERE) for number in range(7)]
        ana.add(*reversed(events))
        ana.recalls.settle(["r3"])
        events[3] = replace(events[3], settled=True)
        seen: list[RecallEvent] = []
        while page := ana.recalls.page(after=seen[-1].id if seen else "", limit=3):
            seen += page
        assert seen == events

    def test_old_events_are_pruned(self, ana: Rows) -> None:
        """Those of before an instant, and nothing else."""
        ana.add(shown("r1", 1), shown("r2", 2), shown("r3", 3, key=ELSEWHERE), shown("r4", 1, key=ELSEWHERE))
        assert ana.recalls.prune(at(2)) == 2
        assert ana.recalls.prune(at(2)) == 0
        assert [event.id for event in ana.recalls.page()] == ["r2", "r3"]

    def test_who_had_rows_stays_known_when_the_last_of_them_goes(self, store: Store, ana: Rows) -> None:
        """Only erasing takes an owner off the list."""
        ana.add(shown("r1", 1))
        ana.recalls.prune(at(9))
        assert store.owners() == [ANA.owner]

    def test_what_showed_something_forgotten_goes_with_it(self, ana: Rows) -> None:
        """Every event with one of these among its items."""
        items = {"r1": ("e1", "m1"), "r2": ("m2",), "r3": (), "r4": ("m10",)}
        ana.add(*(shown(name, items=held) for name, held in items.items()))
        ana.recalls.forget(["m1", "m2", "m3"])
        assert [event.id for event in ana.recalls.page()] == ["r3", "r4"]
        ana.recalls.forget([])
        assert [event.id for event in ana.recalls.page()] == ["r3", "r4"]


class TalkConformance(JournalConformance, EpisodeConformance, RecallConformance):
    """All of it; the subclass gives the fixture ``store``."""
