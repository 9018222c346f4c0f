"""How a failure is logged at an edge: what it is and where, with its words only where they are surely our own."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from traceback import extract_tb

from yesteryear.errors import ConfigError, ProviderUnavailable, StorageError

_FOLDERS = re.compile(r".*[\\/]")
_FRAMES = 8  # calls of those under way that are named, the innermost
_OWN_WORDS = (ConfigError, ProviderUnavailable, StorageError)
"""Errors whose words we wrote; those of all others may hold what somebody said."""


def log_failure(log: logging.Logger, what: str, error: BaseException, *, level: int = logging.ERROR) -> None:
    """Log that something failed, with the calls that led to it and what caused it; all of its words at DEBUG."""
    calls = (
        f"{_FOLDERS.sub('', frame.filename)}:{frame.lineno} {frame.name}"
        for frame in reversed(extract_tb(error.__traceback__)[-_FRAMES:])
    )
    log.log(level, "%s failed: %s in %s", what, ", because of ".join(_causes(error)), " < ".join(calls))
    log.debug("it said", exc_info=error)


def _causes(error: BaseException) -> Iterator[str]:
    cause: BaseException | None = error
    while cause is not None:
        yield f"{type(cause).__name__} ({cause})" if isinstance(cause, _OWN_WORDS) else type(cause).__name__
        cause = cause.__cause__
