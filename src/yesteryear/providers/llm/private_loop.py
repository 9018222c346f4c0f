"""An event loop on a thread of its own, so that any thread may wait for the coroutines of a library.

The library keeps connections between calls, and connections belong to one loop: a loop for each call, or one for each
thread, would have to make them anew or break them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future
from typing import TypeVar

import anyio
from anyio.from_thread import BlockingPortal

from yesteryear.errors import EngineClosed, ProviderUnavailable

T = TypeVar("T")


class PrivateLoop:
    """Runs coroutines for threads that wait. Thread-safe; the thread is begun with the first call.

    The thread is a daemon: a program that forgets to close its engine ends all the same. With anyio's own
    ``start_blocking_portal`` it would not: thrown away unclosed, that waits for a thread which is gone by then.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._portal: BlockingPortal | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._closers: list[Callable[[], Awaitable[None]]] = []

    def run(self, work: Callable[[], Awaitable[T]], *, timeout_s: float) -> T:
        """Run a coroutine and return its result; after ``timeout_s`` seconds it is cancelled.

        Raises:
            ProviderUnavailable: it took longer.
            EngineClosed: the loop was closed before or meanwhile, or belongs to the process before a fork.
        """
        future: Future[T] = self._begun().start_task_soon(work)
        try:
            return future.result(timeout_s)
        except TimeoutError as exc:
            if future.done():
                raise
            raise ProviderUnavailable(f"no answer within {timeout_s:.1f} s") from exc
        except CancelledError as exc:
            raise EngineClosed from exc
        finally:
            future.cancel()

    def at_the_end(self, close: Callable[[], Awaitable[None]]) -> None:
        """Remember a coroutine that releases something when the loop is closed."""
        self._closers.append(close)

    def close(self) -> None:
        """Cancel what is under way, release connections and end the thread. Closing twice is harmless."""
        if os.getpid() != self._pid:
            return
        with self._lock:
            self._is_closed = True
            portal, thread, self._portal, self._thread = self._portal, self._thread, None, None
        if portal is not None and thread is not None:
            portal.start_task_soon(self._stop, portal)
            thread.join()

    def _begun(self) -> BlockingPortal:
        if os.getpid() != self._pid:
            raise EngineClosed("this engine was opened before a fork; open another one in the new process")
        with self._lock:
            if self._is_closed:
                raise EngineClosed
            if self._portal is None:
                ready: Future[BlockingPortal] = Future()
                self._thread = threading.Thread(
                    target=anyio.run, args=(_serve, ready), name="yesteryear-models", daemon=True
                )
                self._thread.start()
                self._portal = ready.result()
            return self._portal

    async def _stop(self, portal: BlockingPortal) -> None:
        for close in self._closers:
            await close()
        await portal.stop(cancel_remaining=True)


async def _serve(ready: Future[BlockingPortal]) -> None:
    async with BlockingPortal() as portal:
        ready.set_result(portal)
        await portal.sleep_until_stopped()
