"""A server of our own on loopback that speaks as OpenAI's does, and fails as it is told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What is sent back."""

    body: Mapping[str, Any] | bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after_s: float = 0.0


@dataclass
class Seen:
    """A request as it came."""

    path: str
    body: Mapping[str, Any]
    key: str


Answer = Callable[[int, Seen], Reply]
"""Returns the reply to the nth request, from 1."""


def said(text: str, *, finish: str = "stop", read: int = 300, written: int = 50) -> Reply:
    """Return the reply of a chat model."""
    return Reply(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "tiny",
            "choices": [
                {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}},
            ],
            "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
        }
    )


def embedded(vectors: list[list[float]], *, read: int = 7) -> Reply:
    """Return the reply of an embedding model."""
    return Reply(
        {
            "object": "list",
            "model": "tiny",
            "data": [{"object": "embedding", "index": n, "embedding": vector} for n, vector in enumerate(vectors)],
            "usage": {"prompt_tokens": read, "total_tokens": read},
        }
    )


def refused(status: int, *, code: str = "bad", **headers: str) -> Reply:
    """Return an error as OpenAI sends it."""
    return Reply({"error": {"message": "no", "type": code, "code": code, "param": None}}, status, headers)


@dataclass
class ModelServer:
    """The running server."""

    url: str
    seen: list[Seen] = field(default_factory=list)


@contextmanager
def serving(answer: Answer) -> Iterator[ModelServer]:
    """Serve until the end of the block.

    Args:
        answer: What to reply; called on the thread of the request.
    """
    lock, hanging = threading.Lock(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = Seen(self.path, body, self.headers.get("Authorization", ""))
            with lock:
                server.seen.append(request)
                number = len(server.seen)
            reply = answer(number, request)
            hanging.wait(reply.after_s)
            sent = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            try:
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # whoever asked has given up

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    server = ModelServer(f"http://127.0.0.1:{http.server_address[1]}/v1")
    try:
        yield server
    finally:
        hanging.set()
        http.shutdown()
        http.server_close()
        thread.join()


def wait_for(is_so: Callable[[], bool], *, at_most_s: float = 10.0) -> None:
    """Wait until something is so."""
    until = time.monotonic() + at_most_s
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.01)
