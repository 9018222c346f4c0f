"""How a verb waits: in an event loop, or by standing still; and what all verbs of one scope have in common.

The verbs are written once, as coroutines. Those without an event loop are the same ones, with steps that run where they
are called, so that nothing is ever waited for. This is the only place where the two differ.
"""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial, wraps
from inspect import iscoroutinefunction
from typing import Any, ParamSpec, TypeVar

from yesteryear.core.scope import Scope
from yesteryear.core.time import parse_instant
from yesteryear.errors import NO_HANDLES, StorageUnavailable
from yesteryear.lifecycle.opened import OpenMemory
from yesteryear.ports import Store, Transaction

P = ParamSpec("P")
T = TypeVar("T")

_TWINS = {"aclose": "close", "__aenter__": "__enter__", "__aexit__": "__exit__"}
"""How a method is called without an event loop, where not the same."""


def _telling(step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a step, and say in our words that no file can be opened any more, whichever it was that was read first."""
    try:
        return step(*args, **kwargs)
    except OSError as exc:
        if exc.errno not in (errno.EMFILE, errno.ENFILE):
            raise
        raise StorageUnavailable(NO_HANDLES) from exc


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


def without_loop(face: type, name: str, module: str, **own: object) -> type:
    """Make a class of the verbs of another, each of which runs to its end on the caller's thread.

    Args:
        face: The class with an event loop, whose ``_calls`` are replaced.
        name, module: What the new one is called, and where it lives.
        own: What else it has of its own.
    """
    members = {key: member for kind in reversed(face.__mro__[:-1]) for key, member in vars(kind).items()}
    verbs = {
        _TWINS.get(key, key): _run_here(member) if key in _TWINS or not key.startswith("_") else member
        for key, member in members.items()
        if key not in ("__dict__", "__weakref__")
    }
    return type(name, (), {**verbs, "_calls": Calls(), **own, "__doc__": face.__doc__, "__module__": module})


def _run_here(verb: Any) -> Any:  # noqa: ANN401 - any member of a class
    if not iscoroutinefunction(verb):
        return verb
    begin: Callable[..., Coroutine[None, None, object]] = verb

    @wraps(verb)
    def run(*args: object, **kwargs: object) -> object:
        try:
            begin(*args, **kwargs).send(None)
        except StopIteration as done:
            return done.value
        raise RuntimeError(f"{begin.__name__} waits for an event loop, and there is none")

    return run


class ScopedVerbs:
    """What the verbs of one scope have in common: what they stand on, and how they wait."""

    _calls = AsyncCalls()

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

    async def _read(self, question: Callable[[Transaction], T]) -> T:
        return await self._calls.run(self._open.look, question)
