"""STEP: the numbers of a scope: those that stand with judged messages, and those of talk that is yet to be judged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from yesteryear.core.message import Conversation, Message, Role
from yesteryear.core.whose_words import find_brought
from yesteryear.measure.told import with_numbers
from yesteryear.ports import Transaction

_MOST_OPEN = 500  # messages of a conversation that are yet to be judged and are read for it, the oldest first


def read_numbers(tx: Transaction, *, until: datetime) -> list[Message]:
    """Return the messages that tell numbers, said up to an instant, with them.

    What was just said counts at once, as it can be found at once; where several people speak in a conversation it waits
    until it was judged who is who.
    """
    waiting = [
        message
        for conversation in tx.conversations.list()
        if conversation.settled_seq < conversation.last_seq
        for message in _open_numbers(tx, conversation)
        if message.at <= until
    ]
    return [*tx.messages.measured(until), *waiting]


def _open_numbers(tx: Transaction, conversation: Conversation) -> Iterator[Message]:
    settled, key = conversation.settled_seq, conversation.key
    around = tx.messages.span(key, after=max(0, settled - 1), limit=_MOST_OPEN)
    unread = [row for row in around if row.seq > settled and row.verdict is None]
    if len({row.author for row in unread if row.role is Role.USER}) > 1 or len(tx.messages.authors(key)) > 1:
        return
    brought = find_brought(unread, before=[row for row in around if row.seq <= settled])
    own = [row for row in unread if row.id not in brought]
    yield from (row for row in with_numbers(own, {}, around=around) if row.numbers)
