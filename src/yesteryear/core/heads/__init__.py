"""The trained heads that are shipped, and what they were trained on.

``weights.json`` and ``MODEL_CARD.md`` beside it are written by ``make train``, never by hand.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from yesteryear.core.heads.codec import Shelf, heads_from_json
from yesteryear.core.linear import LinearHead

WEIGHTS_FILE = "weights.json"
CARD_FILE = "MODEL_CARD.md"


def find_head(name: str, *, model: str | None = None) -> LinearHead | None:
    """Return a shipped head.

    Args:
        name: What it tells, such as ``gate``.
        model: Name of the embedder whose vectors it reads; None asks for the head that reads named features only.

    Returns:
        None when no such head was trained, for instance because the embedder is another one.
    """
    return shipped().heads.get((name, model))


@lru_cache(maxsize=1)
def shipped() -> Shelf:
    """Return all that is shipped; read once."""
    return heads_from_json((resources.files(__package__) / WEIGHTS_FILE).read_text(encoding="utf-8"))
