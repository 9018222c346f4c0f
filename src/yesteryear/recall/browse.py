"""STEP: looking at what there is, without a question."""

from __future__ import annotations

from typing import Any

from yesteryear.ports import Transaction


def read_stats(tx: Transaction) -> dict[str, Any]:
    """Return numbers of visible rows by kind and status, and the embedding models in use."""
    owner = tx.owner()
    conversations = tx.conversations.list()
    return {
        **tx.counts(),
        "conversations": len(conversations),
        "messages.open": sum(conversation.open_messages for conversation in conversations),
        "vectors.model": owner.model,
        "vectors.next_model": owner.next_model,
        "vectors.by_model": tx.vectors.models(),
        "rev": owner.rev,
    }
