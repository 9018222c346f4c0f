"""How a verb waits: in an event loop, or by standing still.

The verbs are written once, with ``await``; the synchronous ones are made from them by leaving it out, and this is the
only place where the two differ.
"""

from __future__ import annotations

import asyncio
import errno
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import ParamSpec, TypeVar

from yesteryear.core.scope import Scope
from yesteryear.errors import NO_HANDLES, StorageUnavailable
from yesteryear.ports import Store, Transaction

P = ParamSpec("P")
T = TypeVar("T")

_LET_GO_S = 0.0005
"""Pause in which other threads get the interpreter, in seconds: without one they wait for it 5 ms each time."""


@contextmanager
def closing_soon(executor: ThreadPoolExecutor) -> Iterator[ThreadPoolExecutor]:
    """Let an executor end with what it does, without waiting for it."""
    try:
        yield executor
    finally:
        executor.shutdown(wait=False)


@contextmanager
def telling_of_handles() -> Iterator[None]:
    """Say in our words that no file can be opened any more; whatever is read for the first time may be what fails.

    Raises:
        StorageUnavailable: so it is.
    """
    try:
        yield
    except OSError as exc:
        if exc.errno not in (errno.EMFILE, errno.ENFILE):
            raise
        raise StorageUnavailable(NO_HANDLES) from exc


def _telling(step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    with telling_of_handles():
        return step(*args, **kwargs)


class AsyncCalls:
    """Waits without holding up the event loop."""

    async def run(self, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step on a thread."""
        return await asyncio.get_running_loop().run_in_executor(None, partial(_telling, step, *args, **kwargs))

    async def run_long(self, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step that may take minutes on a thread of its own, so that short ones need not queue behind it."""
        with closing_soon(ThreadPoolExecutor(max_workers=1, thread_name_prefix="yesteryear-long")) as thread:
            return await asyncio.get_running_loop().run_in_executor(thread, partial(_telling, step, *args, **kwargs))

    async def write(self, store: Store, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Commit urgent work; other coroutines' calls share the commit. Giving up does not undo it."""
        return await asyncio.shield(asyncio.wrap_future(store.submit(scope, work, urgent=True)))


class Calls:
    """Waits on the caller's own thread."""

    def run(self, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step here."""
        return _telling(step, *args, **kwargs)

    def run_long(self, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step here."""
        return _telling(step, *args, **kwargs)

    def write(self, store: Store, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Commit urgent work here, together with what other threads wait for."""
        return store.write(scope, work, urgent=True)


def let_go() -> None:
    """Let other threads have the interpreter, in the middle of long work."""
    time.sleep(_LET_GO_S)
