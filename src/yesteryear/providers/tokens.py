"""Token counters: one that needs nothing, and an exact one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from yesteryear.core.language.estimate import estimate_tokens


class EstimatingCounter:
    """Counts with the part of cl100k's vocabulary that plain language needs; errs on the high side."""

    def count(self, text: str) -> int:
        """Return the exact count or slightly more; see ``estimate_tokens``."""
        return estimate_tokens(text)


class Encoding(Protocol):
    """What tiktoken and its likes offer."""

    def encode_ordinary(self, text: str) -> Sequence[int]:
        """Return the tokens of ``text``, names of special tokens being text like any other."""
        ...


class ExactCounter:
    """Counts as an encoding does."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding

    def count(self, text: str) -> int:
        """Return the exact count."""
        return len(self._encoding.encode_ordinary(text))
