"""An assistant starts the server as a process of its own, on a machine where nothing was set up."""

from __future__ import annotations

import json
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from mcp import MCPError

from tests.doors.mcp.stage import assistant, data_of, lines, play, started, text_of
from yesteryear.api.mcp.tools import TOOLS

pytestmark = pytest.mark.sampled

HELLO = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    '"clientInfo":{"name":"test","version":"1"}}}'
)
READY = '{"jsonrpc":"2.0","method":"notifications/initialized"}'


def call(number: int, tool: str, **arguments: object) -> str:
    """Return a call of a tool as it stands on the wire."""
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


@pytest.mark.heavy
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_what_was_remembered_is_recalled_by_the_next_process(tmp_path: Path, mode: str) -> None:
    """The first words of an assistant on a fresh machine outlive it, in both protocols that the client speaks."""

    async def story() -> None:
        async with assistant(tmp_path, mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in TOOLS]
            told = data_of(await client.call_tool("remember", {"content": "My sister Lena lives in Porto."}))
            assert told["is_new"]
        async with assistant(tmp_path, mode=mode) as client:
            assert "Lena lives in Porto" in text_of(await client.call_tool("recall", {"query": "where is Lena?"}))

    play(story)
    assert [path.name for path in tmp_path.rglob("*.db")] == ["memory.db"]


@pytest.mark.heavy
def test_a_read_only_server_offers_no_writer_and_takes_none(tmp_path: Path) -> None:
    """What is not listed cannot be called either, and there is nothing to recall but no error."""

    async def story() -> None:
        async with assistant(tmp_path, "--read-only", "--more-tools") as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == [tool.name for tool in TOOLS if not tool.is_writer]
            assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
            with pytest.raises(MCPError, match="no tool 'remember'"):
                await client.call_tool("remember", {"content": "I like figs."})
            assert text_of(await client.call_tool("recall", {"query": "figs"})) == "Nothing is remembered of that."

    play(story)


@pytest.mark.heavy
def test_only_the_protocol_is_on_stdout_and_garbage_is_survived(tmp_path: Path) -> None:
    """A broken line, bytes that are no text and a broken batch go unanswered; the next request is answered."""
    with started(tmp_path) as server:
        junk = b'not json\n\xff\xfe\x00\n[1,2\n{"jsonrpc":"1.0"}\n\n'
        said = lines([HELLO]) + junk + lines([READY, call(2, "remember", content="I like figs.")])
        stdout, stderr = server.communicate(said, timeout=60)
    answers = [json.loads(line) for line in stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2]
    assert all(answer["jsonrpc"] == "2.0" and "result" in answer for answer in answers)
    assert server.returncode == 0
    assert b"Traceback" not in stderr


@pytest.mark.heavy
def test_what_was_asked_before_the_end_is_answered_and_on_disk(tmp_path: Path) -> None:
    """A pipe that ends at once still gets its answers, and whatever they acknowledge is in the file."""
    calls = [call(number, "remember", content=f"I like number {number}.") for number in range(2, 12)]
    with started(tmp_path) as server:
        stdout, _ = server.communicate(lines([HELLO, READY, *calls]), timeout=60)
    assert sorted(json.loads(line)["id"] for line in stdout.splitlines()) == list(range(1, 12))
    (store,) = tmp_path.rglob("memory.db")
    with closing(sqlite3.connect(store)) as database:
        (count,) = database.execute("SELECT COUNT(*) FROM message WHERE content LIKE 'I like number%'").fetchone()
    assert count == len(calls)


@pytest.mark.heavy
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_though_stdin_stays_open(tmp_path: Path, number: signal.Signals) -> None:
    """An assistant that ends its servers by a signal waits for none."""
    with started(tmp_path) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(lines([HELLO, READY, call(2, "remember", content="I like figs.")]))
        server.stdin.flush()
        assert [json.loads(server.stdout.readline())["id"] for _ in range(2)] == [1, 2]
        server.send_signal(number)
        assert server.wait(timeout=60) == 128 + number
        server.stdin.close()


@pytest.mark.heavy
def test_a_store_that_cannot_be_opened_is_told_by_every_tool(tmp_path: Path) -> None:
    """The server answers all the same: the assistant goes on without a memory, and the person reads why."""
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database at all" * 100)

    async def story() -> None:
        async with assistant(tmp_path, "--store", str(broken)) as client:
            assert len((await client.list_tools()).tools) == len(TOOLS)
            result = await client.call_tool("recall", {"query": "figs"})
            assert result.is_error
            assert text_of(result).startswith("storage_corrupt:")
            assert str(tmp_path) not in text_of(result)

    play(story)
    assert broken.read_bytes() == b"this is no database at all" * 100
