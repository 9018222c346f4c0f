"""The boundary of one job: whatever goes wrong inside is taken up, so that it can be told to whom it concerns."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType


class Attempt(AbstractContextManager["Attempt"]):
    """Takes up the exception that ends its block; interrupts and exits pass through."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, Exception):
            self.error = error
            return True
        return False
