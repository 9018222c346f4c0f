"""The proxy as its clients meet it: on a socket of its own, before a provider of ours, with a real store behind it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import openai
import uvicorn
from fastapi import FastAPI

import yesteryear
from tests.doors.proxy.upstream import Upstream
from yesteryear.api.access import Gatekeeper, OpenDoor
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.proxy import relay
from yesteryear.api.proxy.relay import ProxyPolicy
from yesteryear.api.proxy.router import proxy_router
from yesteryear.memory.engine import AsyncEngine

T = TypeVar("T")

PATIENT = ProxyPolicy(recall_deadline_ms=20_000, read_timeout_s=30.0)
"""For tests that are not about being late, on machines that are."""
ANA = {"X-Yesteryear-User": "ana"}


@dataclass
class Stage:
    """A running proxy."""

    url: str
    upstream: Upstream
    engine: AsyncEngine
    loop: asyncio.AbstractEventLoop

    def client(self, *, user: str | None = "ana", conversation: str | None = None) -> openai.OpenAI:
        """Return OpenAI's own client, for somebody."""
        headers = {} if user is None else {"X-Yesteryear-User": user}
        headers |= {} if conversation is None else {"X-Yesteryear-Conversation": conversation}
        return openai.OpenAI(base_url=self.url, api_key="sk-theirs", default_headers=headers, max_retries=0)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something where the proxy runs."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)

    def memory(self, user: str = "ana") -> yesteryear.AsyncMemory:
        """Return somebody's memory; for ``run``."""
        return self.engine.memory(user=user)

    def tell(self, text: str, *, user: str = "ana", conversation: str = "before") -> None:
        """Let somebody have said something."""
        self.run(self.memory(user).observe(text, conversation=conversation, author="Ana"))

    def taken_down(self, how_many: int, *, user: str = "ana") -> list[tuple[str, str]]:
        """Return who said what, once there is so much; a moment later still no more."""
        wait_for(lambda: len(self._said(user)) >= how_many)
        time.sleep(0.05)
        return self._said(user)

    def _said(self, user: str) -> list[tuple[str, str]]:
        found = self.run(self.memory(user).messages(limit=1000))
        return [(message.role.value, message.content) for message in found if message.conversation != "before"]


@contextmanager
def staged(
    folder: Path,
    upstream: Upstream,
    *,
    policy: ProxyPolicy = PATIENT,
    key: str = "",
    gatekeeper: Gatekeeper | None = None,
    **settings: Any,
) -> Iterator[Stage]:
    """Run a proxy until the end of the block."""
    engine = yesteryear.open_async(folder / "m.db", worker="none", **({"embedder": "hashing"} | settings))
    loops: list[asyncio.AbstractEventLoop] = []

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        loops.append(asyncio.get_running_loop())
        async with engine:
            yield

    app = FastAPI(lifespan=lifespan)
    upstream_address = relay.Upstream(upstream.url, key)
    app.include_router(
        proxy_router(AuthContext(engine, gatekeeper or OpenDoor()), upstream_address, policy=policy),
    )
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="on"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_for(lambda: server.started or not thread.is_alive())
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Stage(f"http://127.0.0.1:{port}/v1", upstream, engine, loops[0])
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive(), "the proxy does not end"


def wait_for(is_so: Callable[[], bool], *, at_most_s: float = 20.0) -> None:
    """Wait until something is so."""
    until = time.monotonic() + at_most_s
    while not is_so():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)
