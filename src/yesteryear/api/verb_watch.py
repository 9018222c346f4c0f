"""Tells how the verbs that doors call went, by name and number, never who asked or what was said."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, Protocol, cast

from yesteryear.api.verbs import VERBS
from yesteryear.errors import YesteryearError
from yesteryear.memory import AsyncMemory
from yesteryear.recall.context import Context

_UNKNOWN = "internal"
"""What an error is called that is not one of ours."""


@dataclass(slots=True)
class VerbCall:
    """A call of a verb; what comes of it is known when it is over."""

    verb: str
    seconds: float = 0.0
    """From its beginning to its end."""
    error: str | None = None
    """Code of the error it ended with; None where it went well."""
    tokens: int = 0
    """Of the context that was made."""
    items: int = 0
    """How many things came back: of a list, or of a context."""


class VerbListener(Protocol):
    """Is there while a verb works, and told how it went."""

    def __call__(self, call: VerbCall) -> AbstractContextManager[object]:
        """Return what is entered before a call and left after it, when the call knows how it went."""
        ...


class WatchedMemory:
    """A memory whose verbs are listened to; whatever else it has is that of the memory itself."""

    def __init__(self, memory: AsyncMemory, listeners: Sequence[VerbListener]) -> None:
        self._memory = memory
        self._listeners = listeners

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - stands in for whatever the memory has
        found = getattr(self._memory, name)
        return _watched(name, found, self._listeners) if name in VERBS and iscoroutinefunction(found) else found


def watch_verbs(listeners: Sequence[VerbListener]) -> Callable[[AsyncMemory], AsyncMemory]:
    """Return what puts listeners around a memory."""
    return lambda memory: cast(AsyncMemory, WatchedMemory(memory, listeners))


def _watched(
    name: str, verb: Callable[..., Awaitable[Any]], listeners: Sequence[VerbListener]
) -> Callable[..., Awaitable[Any]]:
    @wraps(verb)
    async def watched(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever the verb takes and returns
        call, begun = VerbCall(name), time.perf_counter()
        with ExitStack() as listening:
            for listener in listeners:
                listening.enter_context(listener(call))
            try:
                found = await verb(*args, **kwargs)
            except BaseException as exc:
                call.error = exc.code if isinstance(exc, YesteryearError) else _UNKNOWN
                raise
            finally:
                call.seconds = time.perf_counter() - begun
            if isinstance(found, Context):
                call.tokens, call.items = found.tokens, len(found.items)
            elif isinstance(found, list | tuple):
                call.items = len(found)
            return found

    return watched
