"""What operators see: health, metrics, spans and the access log; never who asked, nor what was said."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import yesteryear
from tests.doors.serve.stage import WAIT_S, Running
from yesteryear.api.access import OpenDoor, Principal, RequestedScope, Right
from yesteryear.api.app import build_app
from yesteryear.api.auth_context import AuthContext, GuardedMemory, VerbCall
from yesteryear.api.monitoring import listen_with_spans
from yesteryear.errors import InputError

pytestmark = [pytest.mark.sampled, pytest.mark.heavy]

ANA = {"x-yesteryear-user": "ana-the-patient"}
ANYBODY = Principal("k1", "default", None, Right.ADMIN)
TEXT = "My sister Lena lives in Porto."


@pytest.mark.heavy
def test_a_line_a_request_says_how_it_went_and_not_who_or_what(server: Running) -> None:
    """JSON, with the template of the path, and the number that the reply carried."""
    said = {"content": TEXT, "conversation": "kitchen-table", "id": "m-17"}
    replies = [
        httpx.post(f"{server.url}/v1/messages?secret=query-words", json=said, headers=ANA),
        httpx.get(f"{server.url}/rough/slow/0?secret=query-words"),
        httpx.get(f"{server.url}/nowhere/ana-the-patient"),
        httpx.get(f"{server.url}/rough/plain/ana-the-patient"),
        httpx.post(f"{server.url}/mcp"),
        httpx.post(f"{server.url}/mcp/ana-the-patient"),
    ]
    numbers = [reply.headers["x-request-id"] for reply in replies]
    lines = lines_about(server, numbers)
    found = [(lines[n]["door"], lines[n]["method"], lines[n]["route"], lines[n]["status"]) for n in numbers]
    assert found == [
        ("rest", "POST", "/v1/messages", 201),
        ("other", "GET", "/rough/slow/{seconds}", 200),
        ("other", "GET", "other", 404),
        ("other", "GET", "other", 200),
        ("mcp", "POST", "/mcp", 200),
        ("mcp", "POST", "other", 404),
    ]
    assert all(lines[number]["seconds"] > 0 for number in numbers)
    log = server.log.read_text()
    for secret in ("ana-the-patient", "Lena", "query-words", "kitchen-table", "m-17"):
        assert secret not in log


def lines_about(server: Running, numbers: list[str]) -> dict[str, dict[str, Any]]:
    """Return what is noted of some requests: a line is written once a reply is out, perhaps a moment later."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        lines = {line["request_id"]: line for line in server.log_lines()}
        if lines.keys() >= set(numbers):
            return lines
        time.sleep(0.02)
    raise AssertionError("a request was not noted")


def test_metrics_count_requests_verbs_and_tokens(server: Running) -> None:
    """By door and template; a context's tokens are summed; no label names a person."""
    said = {"content": "My sister Lena cannot eat nuts.", "conversation": "kitchen"}
    httpx.post(f"{server.url}/v1/messages", json=said, headers=ANA).raise_for_status()
    before = figures(server)
    for _ in range(3):
        httpx.post(f"{server.url}/v1/context", json={"message": "Lena?"}, headers=ANA).raise_for_status()
    httpx.post(f"{server.url}/v1/context", json={"message": "Lena?", "conversation": "\x01"}, headers=ANA)
    httpx.request("BREW", f"{server.url}/v1/context")
    taken = 'yesteryear_requests_total{door="rest",method="other",route="/v1/context",status="405"}'
    after = figures_once(server, lambda now: now.get(taken, 0) > before.get(taken, 0))

    def risen(name: str) -> float:
        return after.get(name, 0) - before.get(name, 0)

    route = 'door="rest",method="POST",route="/v1/context"'
    assert risen(f'yesteryear_requests_total{{{route},status="200"}}') == 3
    assert risen(f'yesteryear_requests_total{{{route},status="422"}}') == 1
    assert risen(taken) == 1
    assert risen('yesteryear_verb_seconds_count{verb="context"}') == 4
    assert risen("yesteryear_contexts_total") == 3
    assert risen("yesteryear_context_tokens_total") > 0
    assert risen('yesteryear_verb_errors_total{code="input",verb="context"}') == 1
    assert after["yesteryear_worker_alive"] == 1
    assert "ana" not in "".join(after)


def figures(server: Running) -> dict[str, float]:
    """Return all figures by name and labels."""
    text = httpx.get(f"{server.url}/metrics").raise_for_status().text
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


def figures_once(server: Running, is_so: Callable[[dict[str, float]], bool]) -> dict[str, float]:
    """Return all figures once they tell what is waited for: a request is counted once its reply is out."""
    deadline = time.monotonic() + WAIT_S
    while not is_so(found := figures(server)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


@pytest.mark.heavy
def test_metrics_tell_how_much_waits(tmp_path: Path) -> None:
    """How many people, and for how long the first of them."""

    async def check(client: httpx.AsyncClient, engine: yesteryear.AsyncEngine) -> None:
        for user in ("ana", "ben"):
            memory = engine.memory(user=user)
            await memory.observe(TEXT)
            await memory.close_episode()
        text = (await client.get("/metrics")).text
        assert re.search(r"^yesteryear_waiting_owners 2\.0$", text, re.MULTILINE)
        waited = re.search(r"^yesteryear_waiting_seconds (\S+)$", text, re.MULTILINE)
        assert waited is not None
        assert 0 < float(waited[1]) < 60

    visit(tmp_path, check, worker="none")


def test_two_applications_count_for_themselves(tmp_path: Path) -> None:
    """Nothing is shared in the process."""

    async def check(client: httpx.AsyncClient, engine: yesteryear.AsyncEngine) -> None:
        other = build_app(AuthContext(engine, OpenDoor()))
        await client.get("/health/live")
        async with httpx.AsyncClient(transport=httpx.ASGITransport(other), base_url="http://localhost") as second:
            assert "/health/live" not in (await second.get("/metrics")).text

    visit(tmp_path, check)


def test_who_lives_is_asked_without_the_store(tmp_path: Path) -> None:
    """Live and ready are two questions: a process whose store is gone need not be killed for it."""

    async def check(client: httpx.AsyncClient, engine: yesteryear.AsyncEngine) -> None:
        ready = await client.get("/health/ready")
        assert (ready.status_code, ready.json()["checks"]) == (200, {"store": True, "schema": True, "worker": True})
        await engine.aclose()
        assert (await client.get("/health/live")).status_code == 200
        ready = await client.get("/health/ready")
        assert (ready.status_code, ready.json()["checks"]) == (503, {"store": False})
        assert (await client.get("/metrics")).status_code == 503

    visit(tmp_path, check)


@pytest.mark.parametrize(("worker", "is_ready"), [("thread", False), ("none", True)])
def test_a_server_whose_worker_is_gone_is_not_ready(tmp_path: Path, worker: str, is_ready: bool) -> None:
    """Unless it was told that another process works."""

    async def check(client: httpx.AsyncClient, engine: yesteryear.AsyncEngine) -> None:
        if engine._background is not None:
            engine._background.stop()
        ready = await client.get("/health/ready")
        assert (ready.status_code == 200, ready.json()["checks"]["worker"]) == (is_ready, is_ready)

    visit(tmp_path, check, worker=worker)


def test_a_postgres_that_is_gone_makes_unready(postgres_url: str) -> None:
    """The tables fit while it is there; without it the answer still comes in time."""

    async def check() -> None:
        engine = yesteryear.open_async(postgres_url, embedder="hashing", worker="none")
        app = build_app(AuthContext(engine, OpenDoor()))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            assert (await client.get("/health/ready")).json()["checks"]["schema"]
            await engine.aclose()
            assert (await client.get("/health/ready")).status_code == 503

    asyncio.run(check())


def test_a_span_tells_which_verb_how_long_and_how_much(tmp_path: Path) -> None:
    """Of a call that fails its kind; of no call a name, a text or a traceback."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    async def check() -> None:
        async with yesteryear.open_async(tmp_path / "m.db", embedder="hashing", worker="none") as engine:
            auth_context = AuthContext(engine, OpenDoor(), listeners=(listen_with_spans(provider),))
            memory = auth_context.lend(await OpenDoor().admit({}), Right.WRITE, RequestedScope("ana-the-patient"))
            await memory.observe([{"content": TEXT}, {"content": TEXT}])
            assert (await memory.context("Lena?")).tokens > 0
            with pytest.raises(InputError):
                await memory.observe(TEXT, role="aunt")

    asyncio.run(check())
    spans = exporter.get_finished_spans()
    assert [span.name for span in spans] == ["memory.observe", "memory.context", "memory.observe"]
    assert (spans[0].attributes or {})["yesteryear.items"] == 2
    assert (spans[1].attributes or {})["yesteryear.tokens"]
    assert (spans[2].attributes or {})["error.type"] == "input"
    told = json.dumps([json.loads(span.to_json()) for span in spans])
    assert not any(secret in told for secret in ("ana-the-patient", "Lena", "aunt"))


def test_a_watched_memory_is_the_memory(tmp_path: Path) -> None:
    """Same results, same errors; a call that is given up is told too."""
    heard: list[VerbCall] = []

    class Listener:
        def __init__(self, call: VerbCall) -> None:
            self.call = call

        def __enter__(self) -> None:
            pass

        def __exit__(self, *_: object) -> None:
            heard.append(self.call)

    async def check() -> None:
        async with yesteryear.open_async(tmp_path / "m.db", embedder="hashing", worker="none") as engine:
            plain = engine.memory(user="ana")
            watched = cast("yesteryear.AsyncMemory", GuardedMemory(plain, ANYBODY, Right.WRITE, None, (Listener,)))
            receipt = await watched.observe(TEXT, id="m-1")
            assert (await plain.messages())[0].id == receipt.id
            assert await watched.messages() == await plain.messages()
            task = asyncio.ensure_future(watched.context("Lena?"))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(check())
    assert [(call.verb, call.error) for call in heard] == [
        ("observe", None),
        ("messages", None),
        ("context", "internal"),
    ]


Check = Callable[[httpx.AsyncClient, yesteryear.AsyncEngine], Awaitable[None]]


def visit(folder: Path, check: Check, **settings: Any) -> None:
    """Call an application in this process."""

    async def run() -> None:
        async with yesteryear.open_async(folder / "memory.db", embedder="hashing", **settings) as engine:
            app = build_app(AuthContext(engine, OpenDoor()))
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
                await check(client, engine)

    asyncio.run(run())
