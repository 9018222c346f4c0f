"""STEP: lets a caller in and lends them the memory they asked for, or says why not; the only way from a door to one.

What is lent is guarded: it does what the caller has the right to, changes leave a trail, and whoever counts is told.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, cast

from yesteryear.api.access import Gatekeeper, Principal, RequestedScope, Right
from yesteryear.api.audit import AuditLog
from yesteryear.api.limits import LimitedGate
from yesteryear.api.streams import StreamPolicy, Streams
from yesteryear.api.verbs import VERBS, Verb
from yesteryear.core.access.audit import DONE
from yesteryear.core.scope import Scope
from yesteryear.errors import NotAllowed, YesteryearError
from yesteryear.memory.engine import AsyncEngine
from yesteryear.memory.memory import AsyncMemory
from yesteryear.recall.context import Context

_UNKNOWN = "internal"  # what an error is called that is not one of ours


@dataclass(slots=True)
class VerbCall:
    """A call of a verb; what comes of it is known when it is over. Nothing in it is about a person."""

    verb: str
    seconds: float = 0.0  # from its beginning to its end
    error: str | None = None  # code of the error it ended with; None where it went well
    tokens: int = 0  # of the context that was made
    items: int = 0  # how many things came back: of a list, or of a context


VerbListener: TypeAlias = Callable[[VerbCall], AbstractContextManager[object]]
"""Returns what is entered before a call and left after it, when the call knows how it went."""


@dataclass(frozen=True, slots=True)
class GuardedMemory:
    """A memory that was lent to somebody for some right: it does no more than that, and its changes leave a trail.

    To a door it is an ``AsyncMemory`` with the verbs that are declared, and with nothing else.
    """

    _memory: AsyncMemory
    _principal: Principal
    _right: Right
    _audit_log: AuditLog | None = None
    _listeners: Sequence[VerbListener] = ()

    @property
    def scope(self) -> Scope:
        """Whose memory it is."""
        return self._memory.scope

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Return a verb, if it is declared."""
        verb = VERBS.get(name)
        if verb is None:
            raise AttributeError(f"{name!r} is no verb that is declared for doors; see yesteryear.api.verbs")

        async def do(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - as the verb has it
            if verb.right > self._right:
                raise NotAllowed(f"{name} takes the right to {verb.right.name.lower()}; it was not asked for")
            draft = self._watched(name, args, options)
            if verb.right is Right.READ or not verb.is_noted:
                return await draft
            return await asyncio.shield(asyncio.ensure_future(self._noted(verb, draft)))

        return do

    async def _watched(self, name: str, args: Sequence[Any], options: dict[str, Any]) -> Any:  # noqa: ANN401
        call, begun = VerbCall(name), time.perf_counter()
        with ExitStack() as listening:
            for listener in self._listeners:
                listening.enter_context(listener(call))
            try:
                found = await getattr(self._memory, name)(*args, **options)
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

    async def _noted(self, verb: Verb, draft: Awaitable[Any]) -> Any:  # noqa: ANN401 - as the verb has it
        """Wait for a deed and note it, also for a caller who has gone meanwhile; a dry run is none."""
        try:
            result = await draft
        except YesteryearError as exc:
            await self._note(verb, None, exc.code)
            raise
        if not getattr(result, "is_dry", False):
            await self._note(verb, result)
        return result

    async def _note(self, verb: Verb, result: object, outcome: str = DONE) -> None:
        if self._audit_log is not None:
            await self._audit_log.note(self._principal, self._memory.scope, verb.name, result, outcome)


@dataclass(frozen=True)
class AuthContext:
    """An engine, and who keeps its gate."""

    engine: AsyncEngine
    gatekeeper: Gatekeeper
    audit_log: AuditLog | None = None  # where changes and refusals are noted; None for nowhere
    listeners: tuple[VerbListener, ...] = ()  # who is told how the verbs of memories go that are lent
    streaming: StreamPolicy | None = None
    """How many streams of changes there may be; as the policy has it where not given."""

    @cached_property
    def streams(self) -> Streams:
        """All streams that are open; for them, being let in anew is not one request more."""
        gate = self.gatekeeper.inner if isinstance(self.gatekeeper, LimitedGate) else self.gatekeeper
        return Streams(self.engine, gate, self.streaming)

    def lend(self, principal: Principal, right: Right, requested: RequestedScope) -> AsyncMemory:
        """Return the memory that somebody who was let in asks for; it refuses verbs that take more than ``right``."""
        try:
            memory = self.engine.memory(principal.scope(requested, right))
        except NotAllowed as exc:
            if self.audit_log is not None:
                self.audit_log.refuse(principal, right.name.lower(), exc.code)
            raise
        return cast("AsyncMemory", GuardedMemory(memory, principal, right, self.audit_log, self.listeners))
