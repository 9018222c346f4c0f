"""How a verb waits: in an event loop, or by standing still; and what all verbs of one scope have in common.

The verbs are written once, as coroutines. Those without an event loop are the same ones, with steps that run where they
are called, so that nothing is ever waited for. This is the only place where the two differ.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from yesteryear.consolidate.belief.queries import FactQueries
from yesteryear.core.scope import Scope
from yesteryear.core.time import parse_instant
from yesteryear.errors import told_of_handles
from yesteryear.lifecycle.by_hand import ManualEdits
from yesteryear.lifecycle.opened import OpenMemory
from yesteryear.ports import Store, Transaction

P = ParamSpec("P")
T = TypeVar("T")


def _telling(step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a step, and say in our words that no file can be opened any more, whichever it was that was read first."""
    try:
        return step(*args, **kwargs)
    except OSError as exc:
        if told := told_of_handles(exc):
            raise told from exc
        raise


class AsyncCalls:
    """Waits without holding up the event loop."""

    async def run(self, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step on a thread."""
        return await asyncio.get_running_loop().run_in_executor(None, partial(_telling, step, *args, **kwargs))

    async def run_long(self, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step that may take minutes on a thread of its own, so that short ones need not queue behind it."""
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="yesteryear-long")
        try:
            return await asyncio.get_running_loop().run_in_executor(thread, partial(_telling, step, *args, **kwargs))
        finally:
            thread.shutdown(wait=False)

    async def write(self, store: Store, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Commit urgent work; other coroutines' calls share the commit. Giving up does not undo it."""
        return await asyncio.shield(asyncio.wrap_future(store.submit(scope, work, urgent=True)))


class Calls(AsyncCalls):
    """Waits on the caller's own thread."""

    async def run(self, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step here."""
        return _telling(step, *args, **kwargs)

    run_long = run

    async def write(self, store: Store, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Commit urgent work here, together with what other threads wait for."""
        return store.write(scope, work, urgent=True)


def here(verb: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[Any, P], T]:
    """Make a method of a verb that runs to its end on the caller's thread, where ``_calls`` are ``Calls``."""

    @wraps(verb)
    def run(owner: object, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            verb(owner, *args, **kwargs).send(None)
        except StopIteration as done:
            found: T = done.value
            return found
        raise RuntimeError(f"{verb.__name__} waits for an event loop, and there is none")

    return run


class ScopedVerbs:
    """What the verbs of one scope have in common: what they stand on, and how they wait."""

    _calls: AsyncCalls = AsyncCalls()

    def __init__(self, memory: OpenMemory) -> None:
        self._open = memory

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self._open.scope

    def _now(self, at: datetime | str | None = None) -> datetime:
        return self._open.ports.clock.now() if at is None else parse_instant(at)

    def _name(self, label: str, value: str | None) -> str | None:
        """Return the name of an author or a conversation as it is kept, or None where none is given."""
        return None if value is None else self._open.policies.remember.journal.name(label, value)

    @property
    def _edits(self) -> ManualEdits:
        return ManualEdits(self._open, self._now())

    async def _ask(self, question: Callable[[FactQueries], T], at: datetime | str | None = None) -> T:
        """Ask about the facts that this scope sees, as they are shown at an instant."""
        now, policies = self._now(at), self._open.own_policies
        return await self._read(lambda tx: question(FactQueries(tx, policies(tx).consolidate.belief.confidence, now)))

    async def _read(self, question: Callable[[Transaction], T]) -> T:
        return await self._calls.run(self._open.look, question)
