"""Taking a message down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.message import Conversation, Message, Receipt, Role
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.errors import Conflict, InputError
from yesteryear.remember.journal import JournalPolicy, MessageDraft, clean_text, draft_message, extend, tail_due_at
from yesteryear.remember.record import record
from yesteryear.remember.segment import SegmentPolicy
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.testing.builders import a_message

ANA = Scope(user="ana")
NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
TALK = ConversationKey(None, None, "c1")
PAUSE = timedelta(minutes=30)
SEGMENT = SegmentPolicy(message_threshold=4, inactivity_minutes=30)


@pytest.fixture
def store() -> Iterator[InMemoryStore]:
    """Return an empty store."""
    made = InMemoryStore()
    yield made
    made.close()


def draft(number: int = 1, *, now: datetime = NOW, policy: JournalPolicy | None = None, **fields: Any) -> MessageDraft:
    """Return a checked message of conversation c1."""
    said = {"content": "I moved my runs", "conversation": "c1", **fields}
    return draft_message(said, scope=ANA, now=now, message_id=f"id-{number}", policy=policy or JournalPolicy())


def take(store: InMemoryStore, *drafts: MessageDraft) -> list[Receipt]:
    """Record messages in one transaction."""
    return store.write(ANA, lambda tx: [record(tx, one, SEGMENT)[0] for one in drafts])


def journal(store: InMemoryStore) -> list[Message]:
    """Return all messages of the conversation."""
    with store.read(ANA) as tx:
        return tx.messages.span(TALK, after=0, limit=99)


def test_what_is_not_given_has_plain_defaults() -> None:
    """A text alone is said by the user, now, in the default conversation."""
    made = draft_message({"content": "hi"}, scope=ANA, now=NOW, message_id="x", policy=JournalPolicy()).message
    assert (made.role, made.author, made.conversation) == (Role.USER, "user", "default")
    assert (made.at, made.recorded_at, made.zone, made.external_id) == (NOW, NOW, None, None)


def test_a_naive_time_is_read_in_the_zone_that_comes_with_it() -> None:
    """And the zone is kept, to say which day it was."""
    made = draft(at="2026-03-02T21:00:00", zone="Asia/Tokyo").message
    assert made.at == NOW
    assert made.zone == "Asia/Tokyo"


def test_secrets_are_cut_out_before_anything_is_stored() -> None:
    """The draft says what was cut; with the setting off the text stays as it was."""
    text = "the wifi password: blue-horse-99"
    made = draft(content=text)
    assert (made.message.content, made.redactions) == ("the wifi password: [redacted: password]", ("password",))
    kept = draft(content=text, policy=JournalPolicy(redact_secrets=False))
    assert (kept.message.content, kept.redactions) == (text, ())


@each(
    ("fields", "reason"),
    [
        ({"content": None}, "content must be text, not NoneType"),
        ({"content": b"hi"}, "content must be text, not bytes"),
        ({"content": ""}, "needs content"),
        ({"content": " \n\u3000\t"}, "needs content"),
        ({"role": "narrator"}, "role is one of user, assistant, .*, not 'narrator'"),
        ({"role": None}, "role is one of .* not None"),
        ({"author": ""}, "author must have 1 to 200"),
        ({"author": 7}, "author must be a string, not int"),
        ({"conversation": None}, "conversation must be a string"),
        ({"id": 17}, "id must be a string, not int"),
        ({"id": "x" * 201}, "id must have 1 to 200"),
        ({"zone": "Mars/Olympus"}, "no time zone 'Mars/Olympus'"),
        ({"zone": 2}, "zone must be a string"),
        ({"at": 1_780_000_000}, "ISO 8601"),
        ({"at": "2026-03-02T21:00:00"}, "has no time zone"),
        ({"text": "hi", 7: "x"}, "no field 'text', 7; it may have at, author"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(fields: dict[str, Any], reason: str) -> None:
    """The caller has to find the one wrong field among many messages."""
    with pytest.raises(InputError, match=reason):
        draft_message({"content": "hi", **fields}, scope=ANA, now=NOW, message_id="x", policy=JournalPolicy())


def test_a_message_that_is_too_long_is_refused_rather_than_cut() -> None:
    """The limit is inclusive and the message says both numbers."""
    policy = JournalPolicy(max_message_chars=5)
    assert draft(content="abcde", policy=policy).message.content == "abcde"
    with pytest.raises(InputError, match="may have 5 characters, this one has 6"):
        draft(content="abcdef", policy=policy)


@given(st.text(st.characters(), min_size=1).filter(lambda text: not text.isspace()))
def test_ordinary_text_is_kept_to_the_last_character(text: str) -> None:
    """Control characters, emoji and every script."""
    assert clean_text(text, max_chars=10_000) == text


@given(st.text(st.characters(categories=["Cs", "Lu"]), min_size=1))
def test_broken_unicode_becomes_text_that_can_be_stored(text: str) -> None:
    """Pairs of surrogates are joined, lone ones replaced, everything else stays; doing it twice changes nothing."""
    cleaned = clean_text(text, max_chars=10_000)
    cleaned.encode("utf-8")
    assert clean_text(cleaned, max_chars=10_000) == cleaned
    assert [char for char in cleaned if char.isupper()] == [char for char in text if char.isupper()]
    assert clean_text("\ud83d\ude00", max_chars=9) == "\U0001f600"
    assert clean_text("a\ud83d", max_chars=9) == "a\ufffd"


def test_messages_are_numbered_as_they_arrive(store: InMemoryStore) -> None:
    """Not as they were said: a clock may go back."""
    earlier = NOW - timedelta(days=9)
    receipts = take(store, draft(1), draft(2, at=earlier), draft(3, now=earlier))
    assert [receipt.seq for receipt in receipts] == [1, 2, 3]
    assert all(receipt.is_new for receipt in receipts)
    assert [message.at for message in journal(store)] == [NOW, earlier, earlier]


def test_the_same_message_twice_is_one_message(store: InMemoryStore) -> None:
    """The second receipt points to the first; the time may differ, for a retry comes later."""
    first = take(store, draft(1, id="m-1"))[0]
    again = take(store, draft(2, id="m-1", now=NOW + PAUSE))[0]
    assert (again.id, again.seq, again.is_new) == (first.id, first.seq, False)
    assert len(journal(store)) == 1


def test_one_id_twice_in_a_batch_is_one_message(store: InMemoryStore) -> None:
    """The second of them sees the first, though nothing is committed yet."""
    assert [receipt.is_new for receipt in take(store, draft(1, id="m-1"), draft(2, id="m-1"))] == [True, False]


@pytest.mark.parametrize("other", [{"content": "I sold my shoes"}, {"role": "assistant"}, {"author": "Ben"}])
def test_the_same_id_for_another_message_is_a_conflict(store: InMemoryStore, other: dict[str, Any]) -> None:
    """Text, role and author are what makes a message; nothing of the call is written."""
    take(store, draft(1, id="m-1", author="user"))
    with pytest.raises(Conflict, match=r"'m-1' .* 'c1'"):
        take(store, draft(2), draft(3, id="m-1", **{"author": "user", **other}))
    assert [message.external_id for message in journal(store)] == ["m-1"]


def test_ids_are_unique_within_a_conversation_only(store: InMemoryStore) -> None:
    """Many exports number each conversation from 1."""
    take(store, draft(1, id="1"))
    assert take(store, draft(2, id="1", conversation="c2", content="other"))[0].is_new


def test_a_message_whose_text_was_erased_is_acknowledged_again(store: InMemoryStore) -> None:
    """Repeating an import must not fail, nor bring the text back."""
    take(store, draft(1, id="m-1"))
    store.write(ANA, lambda tx: tx.messages.update([a_message("", id="id-1")]))
    assert not take(store, draft(2, id="m-1"))[0].is_new
    assert [message.content for message in journal(store)] == [""]


def test_a_zone_holds_until_another_is_given(store: InMemoryStore) -> None:
    """People do not repeat where they are."""
    take(store, draft(1), draft(2, zone="Asia/Tokyo"), draft(3), draft(4, zone="Europe/Lisbon"))
    assert [message.zone for message in journal(store)] == [None, "Asia/Tokyo", "Asia/Tokyo", "Europe/Lisbon"]


def test_the_tail_is_due_after_the_pause_and_at_once_when_it_fills_an_episode() -> None:
    """Four messages make an episode here; until then each one begins the pause anew."""
    conversation = Conversation(TALK)
    due_after = [1 + 30, 2 + 30, 3 + 30, 4, 4]
    for seq, minutes in enumerate(due_after, start=1):
        conversation = extend(conversation, a_message(seq=seq, at=NOW, minutes=seq), SEGMENT)
        assert conversation.due_at == NOW + timedelta(minutes=minutes)
    assert (conversation.last_seq, conversation.open_messages) == (5, 5)


@each(("minutes", "is_due"), [(29, False), (30, True), (-300, False)])
def test_a_message_after_a_pause_makes_what_was_before_it_due(minutes: float, is_due: bool) -> None:
    """The pause counts between the times of speaking, so that an import is cut as the talk was; going back is none."""
    before = extend(Conversation(TALK), a_message(at=NOW), SEGMENT)
    after = extend(before, a_message(seq=2, at=NOW, minutes=minutes, recorded_at=NOW), SEGMENT)
    assert after.due_at == (NOW if is_due else NOW + PAUSE)


def test_a_conversation_that_waits_after_a_failure_goes_on_waiting() -> None:
    """Talk that goes on must not make broken work begin again with every message."""
    failed = replace(Conversation(TALK), last_seq=9, attempts=2, due_at=NOW + 3 * PAUSE, last_recorded_at=NOW)
    assert extend(failed, a_message(seq=10, at=NOW), SEGMENT).due_at == NOW + 3 * PAUSE


def test_a_tail_closed_by_hand_is_due_at_once_and_no_tail_never() -> None:
    """What is settled waits for nothing."""
    said = extend(Conversation(TALK), a_message(at=NOW), SEGMENT)
    by_hand = Conversation(TALK, last_seq=2, closed_seq=2, last_at=NOW, last_recorded_at=NOW)
    settled = Conversation(TALK, last_seq=1, settled_seq=1, last_at=NOW, last_recorded_at=NOW)
    assert tail_due_at(said, SEGMENT) == NOW + PAUSE
    assert tail_due_at(by_hand, SEGMENT) == NOW
    assert tail_due_at(settled, SEGMENT) is None
    assert tail_due_at(Conversation(TALK), SEGMENT) is None
