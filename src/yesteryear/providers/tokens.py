"""Token counters: an estimate that never counts too few, and an exact one."""

from __future__ import annotations

from typing import Any

from yesteryear.core.language.estimate import estimate_tokens


class EstimatingCounter:
    """Estimates by pieces of words; errs on the high side of cl100k."""

    def count(self, text: str) -> int:
        """Return an estimate that is not below the exact count."""
        return estimate_tokens(text)


class ExactCounter:
    """Counts as cl100k does.

    Args:
        encoding: An encoding with ``encode(text) -> list``.
    """

    def __init__(self, encoding: Any) -> None:  # noqa: ANN401 - the library has no type for it
        self._encoding = encoding

    def count(self, text: str) -> int:
        """Return the exact count."""
        return len(self._encoding.encode(text))
