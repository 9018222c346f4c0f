"""STEP: what callers write to the journal: a message once, the end of an episode, what is kept or goes by hand.

Taking a message down is the only step that a caller waits for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import takewhile

from yesteryear.core.episode import frame_episode
from yesteryear.core.message import BY_HAND, UNDATED, Conversation, Message, Outcome, Reason, Receipt, Role, Verdict
from yesteryear.core.rows.queries import MessageQuery
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import to_microseconds
from yesteryear.errors import Conflict, InputError, NotFound
from yesteryear.ports import IdSource, Store, Transaction
from yesteryear.remember.journal import JournalPolicy, MessageDraft, extend, odd_about, text_ends_at
from yesteryear.remember.segment import ClosedBy, SegmentPolicy

_ROWS_A_PAGE = 64
_REACH = 32  # messages to each side that are looked at for what was judged together; an exchange is much shorter
_REASONS_TO_REFUSE = {
    Reason.INSTRUCTION_INJECTION: "holds orders to an assistant, so it stays hidden; say in your own words what to "
    "remember of it",
    Reason.FORGET_REQUEST: "is hidden by a request to forget; restore() it while that is possible, or say it anew",
}


def record(tx: Transaction, draft: MessageDraft, policy: SegmentPolicy) -> tuple[Receipt, datetime | None]:
    """Append a message to the journal, once; return the receipt, and when the conversation is due for a look."""
    message, external_id = draft.message, draft.message.external_id
    conversation = tx.conversations.get(message.key)
    if conversation is None:
        conversation = Conversation(message.key)
    elif external_id is not None and (known := tx.messages.by_external_id(message.key, external_id)) is not None:
        return _acknowledge_again(known, draft), conversation.due_at
    message = replace(message, seq=conversation.last_seq + 1, zone=message.zone or conversation.zone)
    tx.messages.insert(message)
    longer = extend(conversation, message, policy)
    tx.conversations.save(longer)
    receipt = Receipt(message.id, message.conversation, message.seq, True, draft.redactions, odd_about(message))
    return receipt, longer.due_at


def _acknowledge_again(known: Message, draft: MessageDraft) -> Receipt:
    told = draft.message
    if known.content and (known.content, known.role, known.author) != (told.content, told.role, told.author):
        raise Conflict(
            f"message id {told.external_id!r} was used before in conversation {told.conversation!r} "
            "with another text, role or author; give each message an id of its own"
        )
    return Receipt(known.id, known.conversation, known.seq, is_new=False, redactions=draft.redactions)


def close_conversation(tx: Transaction, key: ConversationKey, now: datetime) -> None:
    """Mark a conversation's open messages as an episode that has ended."""
    conversation = tx.conversations.get(key)
    if conversation is None:
        raise NotFound(f"there is no conversation {key.name!r} in this scope")
    if conversation.open_messages:
        tx.conversations.save(replace(conversation, closed_seq=conversation.last_seq, due_at=now))


def redate_skipped(store: Store, scope: Scope, policy_of: Callable[[Transaction, str | None], JournalPolicy]) -> None:
    """Set anew when the text of skipped messages expires, by the policy that holds for each one's project."""

    def write(tx: Transaction, after: str) -> str | None:
        page = tx.messages.page(MessageQuery(limit=_ROWS_A_PAGE, after=after, outcome=Outcome.SKIP))
        dated = [row for row in page if row.content and not row.is_forget_request]  # which has a time of its own
        tx.messages.update(
            [replace(row, expires_at=text_ends_at(row, policy_of(tx, row.scope.project))) for row in dated]
        )
        return page[-1].id if page else None

    after: str | None = ""
    while after is not None:
        after = store.write(scope, partial(write, after=after))


def date_undated(
    store: Store, scope: Scope, policy_of: Callable[[Transaction, str | None], JournalPolicy], now: datetime
) -> None:
    """Set when the text of skipped messages expires, where a change of the schema left that open."""
    with store.read(scope) as tx:
        first = tx.messages.expired(now, limit=1)
    if first and first[0].expires_at == UNDATED:
        redate_skipped(store, scope, policy_of)


def keep_message(tx: Transaction, name: str, ids: IdSource, *, now: datetime) -> Message:
    """Keep a message that the gate skipped, with what was judged together with it, and return it.

    It becomes an episode of its own, which the worker digests. What is kept already is left as it is. ``name`` is our
    id or the caller's.
    """
    found = tx.messages.named([name])
    if not found:
        raise NotFound(f"no message here has the id {name!r}; ids stand in messages()")
    if len(found) > 1:
        raise InputError(f"{len(found)} conversations have a message {name!r}; pass our own id, as messages() tells it")
    message = found[0]
    if message.is_kept and message.episode_id is not None:
        return message
    exchange = _judged_with(tx, message)
    _check(message, exchange)
    episode = frame_episode(exchange, ids.new(to_microseconds(now) // 1000), now=now, closed_by=ClosedBy.KEPT.value)
    tx.episodes.insert(replace(episode, next_try=now))
    kept = [replace(row, episode_id=episode.id, expires_at=None) for row in exchange]
    tx.messages.update([replace(row, verdict=row.verdict and _by_hand(row.verdict)) for row in kept])
    return tx.messages.get([message.id])[0]


def _by_hand(verdict: Verdict) -> Verdict:
    return replace(verdict, outcome=Outcome.KEEP, reason=Reason.EXPLICIT_REQUEST, score=1.0, rule=BY_HAND)


def _judged_with(tx: Transaction, message: Message) -> list[Message]:
    """Return the messages of the exchange that a message was judged in, the first of which holds the features."""
    around = tx.messages.span(message.key, after=max(0, message.seq - 1 - _REACH), limit=2 * _REACH)
    before = [row for row in around if row.seq <= message.seq]
    begins = max((row.seq for row in before if row.verdict and row.verdict.features), default=message.seq)
    behind = (row for row in around if row.seq > message.seq)
    after = takewhile(lambda row: row.verdict is not None and not row.verdict.features, behind)
    return [row for row in (*before, *after) if row.seq >= begins and row.content and not row.is_kept]


def _check(message: Message, exchange: list[Message]) -> None:
    """Refuse what was not judged yet, lost its words, is hidden, or what nobody in the role of a user said."""
    name, verdict = message.name, message.verdict
    if verdict is None:
        raise InputError(f"message {name!r} was not judged yet; flush() has that done, and then it may be kept")
    if not message.content:
        raise InputError(f"the words of message {name!r} are gone; say it again")
    if not message.is_recallable:
        raise InputError(f"message {name!r} {_REASONS_TO_REFUSE[verdict.reason]}")
    if not any(row.role is Role.USER for row in exchange):
        raise InputError(
            f"message {name!r} was said by the {message.role}; only what a person says is kept; if it holds of them, "
            "observe it in their words with role='user'"
        )
