"""STEP: what the person or their application says by hand: this episode ends here, skipped text goes sooner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from yesteryear.core.message import UNDATED, Outcome
from yesteryear.core.queries import MessageQuery
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.errors import NotFound
from yesteryear.ports import Store, Transaction
from yesteryear.remember.journal import JournalPolicy, text_ends_at

_ROWS_A_PAGE = 64


def close_conversation(tx: Transaction, key: ConversationKey, now: datetime) -> None:
    """Mark a conversation's open messages as an episode that has ended.

    Raises:
        NotFound: nothing was ever said there.
    """
    conversation = tx.conversations.get(key)
    if conversation is None:
        raise NotFound(f"there is no conversation {key.name!r} in this scope")
    if conversation.open_messages:
        tx.conversations.save(replace(conversation, closed_seq=conversation.last_seq, due_at=now))


def redate_skipped(store: Store, scope: Scope, policy_of: Callable[[Transaction, str | None], JournalPolicy]) -> None:
    """Set anew when the text of skipped messages expires, after the retention was changed.

    Args:
        store: Where the rows live.
        scope: Whose messages, and of which project.
        policy_of: Finds the policy that holds for a project.
    """
    after = ""
    while True:
        query = MessageQuery(limit=_ROWS_A_PAGE, after=after, outcome=Outcome.SKIP)

        def write(tx: Transaction, query: MessageQuery = query) -> str:
            page = tx.messages.page(query)
            changed = [
                replace(message, expires_at=text_ends_at(message, policy_of(tx, message.scope.project)))
                for message in page
                if message.content and not message.is_forget_request  # which has a time of its own
            ]
            tx.messages.update(changed)
            return page[-1].id if page else ""

        after = store.write(scope, write)
        if not after:
            return


def date_undated(
    store: Store, scope: Scope, policy_of: Callable[[Transaction, str | None], JournalPolicy], now: datetime
) -> None:
    """Set when the text of skipped messages expires, where a change of the schema left that open."""
    with store.read(scope) as tx:
        first = tx.messages.expired(now, limit=1)
    if first and first[0].expires_at == UNDATED:
        redate_skipped(store, scope, policy_of)
