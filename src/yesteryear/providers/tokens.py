"""Token counters: one that needs nothing, and an exact one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from yesteryear.core.language.token_estimate import estimate_tokens


class EstimatingCounter:
    """Counts with the part of cl100k's vocabulary that plain language needs; errs on the high side."""

    def count(self, text: str) -> int:
        """Return the exact count or slightly more; see ``estimate_tokens``."""
        return estimate_tokens(text)


class ExactCounter:
    """Counts as an encoding does, whose ``encode_ordinary`` takes names of special tokens for text like any other."""

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        self._encode = encode

    def count(self, text: str) -> int:
        """Return the exact count."""
        return len(self._encode(text))
