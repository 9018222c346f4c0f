"""What every store has to do with the journal: messages and conversations, method by method."""

# ruff: noqa: S101 - tests are made of asserts

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from yesteryear.core.conversation import Conversation
from yesteryear.core.message import Message, Outcome, Role
from yesteryear.core.queries import IndexedMessage, MessageQuery
from yesteryear.core.scope import ConversationKey
from yesteryear.errors import Conflict
from yesteryear.ports import Store
from yesteryear.testing.builders import a_message
from yesteryear.testing.rows import ANA, DIGEST, KEPT, SKIPPED, TALK, add, an_episode, at, in_scope, unnumbered

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
        message = a_message(
            role=Role.TOOL,
            author="Ana María",
            at=datetime.fromisoformat("1969-07-20T20:17:40.123457+00:00"),
            zone="Europe/Lisbon",
            external_id="m-17",
            verdict=KEPT,
            episode_id="e1",
            expires_at=at(1),
            vector_due_at=at(2),
            attempts=3,
            error="it failed",
            scope=in_scope("thesis", "tutor"),
        )
        add(store, message)
        with store.read(ANA) as tx:
            assert list(map(unnumbered, tx.messages.get([message.id]))) == [message]

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
        assert list(map(unnumbered, found)) == [replace(decided, external_id="m-1"), a_message(seq=2)]

    def test_an_update_adds_no_message(self, store: Store) -> None:
        """Work that was begun on a message that is gone does not bring it back."""
        store.write(ANA, lambda tx: tx.messages.update([a_message()]))
        with store.read(ANA) as tx:
            assert tx.messages.get(["c1-1"]) == []

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
        with store.read(ANA) as tx:
            assert len(tx.messages.page(MessageQuery())) == 1

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

    def test_due_messages_come_users_first_then_by_age(self, store: Store) -> None:
        """What the person said is embedded before what was said to them; ties go by (at, seq)."""
        add(
            store,
            a_message(seq=1, role=Role.ASSISTANT, vector_due_at=at(0)),
            a_message(seq=2, vector_due_at=at(2)),
            a_message(seq=4, vector_due_at=at(1), id="tie-a"),
            a_message(seq=3, vector_due_at=at(1), id="tie-b"),
            a_message(seq=5, vector_due_at=at(11)),
            a_message(seq=6),
        )
        with store.read(ANA) as tx:
            assert [row.seq for row in tx.messages.due(at(10), limit=9)] == [3, 4, 2, 1]
            assert [row.seq for row in tx.messages.due(at(10), limit=2)] == [3, 4]
            assert tx.messages.due(at(-1), limit=9) == []

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

    def test_due_conversations_come_most_overdue_first(self, store: Store) -> None:
        """Those without a due time, or with a later one, are left out."""
        times = {"a": 3, "b": 1, "c": 9, "d": None}
        keys = {name: ConversationKey(None, None, name) for name in times}
        add(store, *(Conversation(keys[name], due_at=None if due is None else at(due)) for name, due in times.items()))
        with store.read(ANA) as tx:
            assert [row.key.name for row in tx.conversations.due(at(3), limit=9)] == ["b", "a"]
            assert [row.key.name for row in tx.conversations.due(at(3), limit=1)] == ["b"]

    def test_conversations_are_listed_by_key(self, store: Store) -> None:
        """One name in two projects names two conversations."""
        keys = [
            ConversationKey(None, None, "b"),
            ConversationKey(None, "tutor", "a"),
            ConversationKey("thesis", None, "a"),
            ConversationKey("thesis", None, "b"),
        ]
        add(store, *(Conversation(key) for key in reversed(keys)))
        with store.read(ANA) as tx:
            assert [row.key for row in tx.conversations.list()] == keys
