"""Patterns that are compiled when they are first used: the large ones take a tenth of a second, and many never are."""

from __future__ import annotations

import re
from typing import Any, cast


class _Later:
    """Stands for a compiled pattern, and becomes one with the first thing that is asked of it."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        found = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, found)  # asked for again, it is no slower than that of the pattern itself
        return found


def compile_lazily(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled with its first use, then as quick as any."""
    return cast("re.Pattern[str]", _Later(pattern, flags))
