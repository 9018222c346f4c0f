"""A provider of our own on loopback: it says what it is told, byte for byte, and dies when it is told."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DONE = b"data: [DONE]\n\n"


@dataclass
class Seen:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    raw: bytes

    @property
    def body(self) -> Any:
        """What it says."""
        return json.loads(self.raw)


@dataclass(frozen=True)
class Reply:
    """What is sent back."""

    chunks: Sequence[bytes | threading.Event]
    """In order; before what follows an event it is waited for."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "text/event-stream"
    dies: bool = False
    """Whether the connection breaks off instead of coming to its end."""


Answer = Callable[[Seen], Reply]


def delta(text: str, **more: Any) -> bytes:
    """Return a piece of a streamed reply."""
    choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None, **more}
    piece = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "tiny", "choices": [choice]}
    return f"data: {json.dumps(piece)}\n\n".encode()


def streamed(*texts: str, **more: Any) -> Reply:
    """Return a reply that comes in pieces."""
    end = delta("", delta={}, finish_reason="stop")
    return Reply([*(delta(text) for text in texts), end, DONE], **more)


def whole(text: str | None, *, status: int = 200, **message: Any) -> Reply:
    """Return a reply that comes at once."""
    choice = {
        "index": 0,
        "finish_reason": "tool_calls" if message else "stop",
        "message": {"role": "assistant", "content": text, **message},
    }
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    found = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [choice],
        "usage": usage,
    }
    return Reply([json.dumps(found).encode()], status=status, content_type="application/json")


def refused(status: int, message: str) -> Reply:
    """Return an error as a provider tells it."""
    body = json.dumps({"error": {"message": message, "type": "invalid_request_error", "code": None, "param": None}})
    return Reply([body.encode()], status=status, content_type="application/json", headers={"x-request-id": "r-1"})


@dataclass
class Upstream:
    """The running provider."""

    url: str
    answer: Answer
    seen: list[Seen] = field(default_factory=list)
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when a reply could not be sent to its end because nobody listened any more."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = Upstream(f"http://127.0.0.1:{self.server_address[1]}/v1", answer)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._reply(b"")

    def do_POST(self) -> None:
        self._reply(self.rfile.read(int(self.headers["Content-Length"])))

    def _reply(self, raw: bytes) -> None:
        assert isinstance(self.server, _Server)
        upstream = self.server.upstream
        request = Seen(self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, raw)
        upstream.seen.append(request)
        try:
            self._send(upstream.answer(request))
        except (BrokenPipeError, ConnectionResetError):
            upstream.gone.set()
            self.close_connection = True

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        standard = {"Content-Type": reply.content_type, "Transfer-Encoding": "chunked", "Set-Cookie": "theirs=1"}
        for name, value in (standard | dict(reply.headers)).items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in reply.chunks:
            if isinstance(chunk, threading.Event):
                while not chunk.wait(0.02):
                    self._look()
            else:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        if reply.dies:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _look(self) -> None:
        """Notice that the other side has gone, as a provider does that is about to write."""
        self.connection.setblocking(False)
        try:
            if self.connection.recv(1, socket.MSG_PEEK) == b"":
                raise BrokenPipeError
        except BlockingIOError:
            pass
        finally:
            self.connection.setblocking(True)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving(answer: Answer) -> Iterator[Upstream]:
    """Serve until the end of the block."""
    http = _Server(answer)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield http.upstream
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
