"""The engine without an event loop."""

from __future__ import annotations

from typing import Self

from yesteryear.memory.calls import Calls, here
from yesteryear.memory.engine import AsyncEngine, BareEngine
from yesteryear.sync.memory import Memory


class Engine(BareEngine[Memory]):
    """A store with all that works on it. Open one per process and share it; it is safe to use from many threads.

    Get one from ``yesteryear.open``; close it, or use it as a context manager.
    """

    _calls = Calls()
    _lends = Memory

    owners = here(AsyncEngine.owners)
    revs = here(AsyncEngine.revs)
    usage = here(AsyncEngine.usage)
    describe = here(AsyncEngine.describe)
    reread = here(AsyncEngine.reread)
    index_vectors = here(AsyncEngine.index_vectors)
    close = here(AsyncEngine.aclose)

    def __enter__(self) -> Self:
        return self

    __exit__ = here(AsyncEngine.__aexit__)
