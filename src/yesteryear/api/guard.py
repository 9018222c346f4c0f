"""STEP: what stands between a door and a memory that was lent: rights, the audit, and whoever counts how verbs go."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Any, Protocol

from yesteryear.api.access import Principal, Right
from yesteryear.api.audit import Trail
from yesteryear.api.verbs import VERBS, Verb
from yesteryear.core.audit import DONE
from yesteryear.core.scope import Scope
from yesteryear.errors import NotAllowed, YesteryearError
from yesteryear.memory import AsyncMemory
from yesteryear.recall.context import Context

_UNKNOWN = "internal"
"""What an error is called that is not one of ours."""


@dataclass(slots=True)
class VerbCall:
    """A call of a verb; what comes of it is known when it is over. Nothing in it is about a person."""

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


class GuardedMemory:
    """A memory that was lent to somebody for some right: it does no more than that, and its changes leave a trail.

    To a door it is an ``AsyncMemory`` with the verbs that are declared, and with nothing else.

    Args:
        memory: What is lent.
        principal: To whom.
        right: For what.
        trail: Where changes are noted; None for nowhere.
        listeners: Who is told how calls go.
    """

    def __init__(
        self,
        memory: AsyncMemory,
        principal: Principal,
        right: Right,
        trail: Trail | None = None,
        listeners: Sequence[VerbListener] = (),
    ) -> None:
        self._memory = memory
        self._principal = principal
        self._right = right
        self._trail = trail
        self._listeners = listeners

    @property
    def scope(self) -> Scope:
        """Whose memory it is."""
        return self._memory.scope

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Return a verb.

        Raises:
            AttributeError: it is not declared.
        """
        verb = VERBS.get(name)
        if verb is None:
            raise AttributeError(f"{name!r} is no verb that is declared for doors; see yesteryear.api.verbs")
        act: Callable[..., Awaitable[Any]] = getattr(self._memory, name)

        async def do(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - as the verb has it
            if verb.right > self._right:
                raise NotAllowed(f"{name} takes the right to {verb.right.name.lower()}; it was not asked for")
            deed = self._watched(name, act, args, options)
            if verb.right is Right.READ or not verb.is_noted:
                return await deed
            return await asyncio.shield(asyncio.ensure_future(self._noted(verb, deed)))

        return do

    async def _watched(
        self, name: str, act: Callable[..., Awaitable[Any]], args: Sequence[Any], options: dict[str, Any]
    ) -> Any:  # noqa: ANN401 - as the verb has it
        """Do something while the listeners are there."""
        call, begun = VerbCall(name), time.perf_counter()
        with ExitStack() as listening:
            for listener in self._listeners:
                listening.enter_context(listener(call))
            try:
                found = await act(*args, **options)
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

    async def _noted(self, verb: Verb, deed: Awaitable[Any]) -> Any:  # noqa: ANN401 - as the verb has it
        """Wait for a deed and note it, also for a caller who has gone meanwhile: what they began is done all the same.

        A dry run is none.
        """
        try:
            result = await deed
        except YesteryearError as exc:
            await self._note(verb, None, exc.code)
            raise
        if not getattr(result, "is_dry", False):
            await self._note(verb, result)
        return result

    async def _note(self, verb: Verb, result: object, outcome: str = DONE) -> None:
        if self._trail is not None:
            await self._trail.note(self._principal, self._memory.scope, verb.name, result, outcome)
