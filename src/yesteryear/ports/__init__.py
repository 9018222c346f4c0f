"""Everything the engine needs from the world, on one shelf: of the world, of storage, and of four kinds of rows.

A step reads and writes through these protocols and through nothing else. Adapters live in ``storage`` and
``providers``; the conformance suites in ``yesteryear.testing`` say in tests what is said here in words.

Every transaction belongs to one owner and is seen through one scope; no repository takes a user id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yesteryear.ports.access import Audit, Keys
from yesteryear.ports.beliefs import Cycles, Edges, Evidences, Facts, Rulings, Versions
from yesteryear.ports.forgettings import Forgettings
from yesteryear.ports.store import ReachesOthers, Store, Transaction
from yesteryear.ports.talk import Conversations, Episodes, Messages, Overrides, Recalls, Setting, Vectors
from yesteryear.ports.usage import Paid, Usages
from yesteryear.ports.world import (
    Analyst,
    Background,
    Bell,
    Clock,
    Distiller,
    Embedder,
    IdSource,
    TokenCounter,
    Workers,
)

if TYPE_CHECKING:
    from yesteryear.core.vectors import Matrix

__all__ = [
    "Analyst",
    "Audit",
    "Background",
    "Bell",
    "Clock",
    "Conversations",
    "Cycles",
    "Distiller",
    "Edges",
    "Embedder",
    "Episodes",
    "Evidences",
    "Facts",
    "Forgettings",
    "IdSource",
    "Keys",
    "Messages",
    "Overrides",
    "Paid",
    "Ports",
    "ReachesOthers",
    "Recalls",
    "Rulings",
    "Setting",
    "Store",
    "TokenCounter",
    "Transaction",
    "Usages",
    "Vectors",
    "Versions",
    "Workers",
]


@dataclass(frozen=True, slots=True)
class Ports:
    """The adapters that one engine works with."""

    store: Store
    embedder: Embedder
    analyst: Analyst
    tokens: TokenCounter
    clock: Clock
    ids: IdSource
    bell: Bell
    workers: Workers
    other_embedder: Callable[[str], Embedder | None]
    """Finds the embedder of a model that older vectors were made with, or None."""
    receipt_key: bytes = b""
    """Signs receipts; none where empty."""
    grouping: Callable[[Matrix], Sequence[Sequence[int]]] | None = None
    """Groups rows of unit length, shape (n, dimension), into groups of row numbers; None for average linkage."""
    release: Callable[[], None] = lambda: None
    """Lets go of what models hold beside the embedder; called once, when the engine closes."""
    is_fallback_embedder: bool = False
    """Whether ``embedder`` only stands in for one whose weights are missing."""
