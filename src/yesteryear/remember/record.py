"""STEP: taking a message down, once. The only step that a caller waits for."""

from __future__ import annotations

from datetime import datetime

from yesteryear.core.conversation import Conversation
from yesteryear.core.message import Message, MessageDraft, Receipt
from yesteryear.errors import Conflict
from yesteryear.ports import Transaction
from yesteryear.remember.journal import extend, odd_about
from yesteryear.remember.segment import SegmentPolicy


def record(tx: Transaction, draft: MessageDraft, policy: SegmentPolicy) -> tuple[Receipt, datetime | None]:
    """Append a message to the journal, once.

    Returns:
        The receipt, and when the conversation is due for a look.

    Raises:
        Conflict: the same id was used in this conversation for another text, role or author.
    """
    conversation = tx.conversations.get(draft.key)
    if conversation is None:
        conversation = Conversation(draft.key)
    elif draft.external_id is not None:
        known = tx.messages.by_external_id(draft.key, draft.external_id)
        if known is not None:
            return _acknowledge_again(known, draft), conversation.due_at
    message = Message(
        id=draft.id,
        scope=draft.scope,
        conversation=draft.conversation,
        seq=conversation.last_seq + 1,
        role=draft.role,
        author=draft.author,
        content=draft.content,
        at=draft.at,
        recorded_at=draft.recorded_at,
        zone=draft.zone or conversation.zone,
        external_id=draft.external_id,
        verdict=draft.verdict,
        expires_at=None if draft.verdict is None else draft.recorded_at,  # it is obeyed with the next look
    )
    tx.messages.insert(message)
    longer = extend(conversation, message, policy)
    tx.conversations.save(longer)
    receipt = Receipt(
        message.id, message.conversation, message.seq, is_new=True, redactions=draft.redactions, notes=odd_about(draft)
    )
    return receipt, longer.due_at


def _acknowledge_again(known: Message, draft: MessageDraft) -> Receipt:
    was_erased = known.content == ""
    if not was_erased and (known.content, known.role, known.author) != (draft.content, draft.role, draft.author):
        raise Conflict(
            f"message id {draft.external_id!r} was used before in conversation {draft.conversation!r} "
            "with another text, role or author; give each message an id of its own"
        )
    return Receipt(known.id, known.conversation, known.seq, is_new=False, redactions=draft.redactions)
