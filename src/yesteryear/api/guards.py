"""What stands before every door: plain ASGI around an application, so that nothing that streams is held up.

From outside in: ``ReplyGuard`` numbers requests, completes replies, answers for what nobody foresaw and tells how it
went; ``RequestGuard`` refuses what is not meant for us; ``BodyGuard`` refuses bodies that are too long or too slow.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from http import HTTPStatus
from urllib.parse import urlsplit
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yesteryear.api.access import IDENTITY_HEADERS, PEER_HEADER, host_name
from yesteryear.api.problems import Problem, problem_of, refuse
from yesteryear.errors import YesteryearError
from yesteryear.lifecycle.failures import log_failure

log = logging.getLogger("yesteryear.api")
access_log = logging.getLogger("yesteryear.access")

SAFE_HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With "no-referrer" a browser would send our own forms from the origin "null".
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of replies whose door says nothing else."""
_OVER_TLS = "max-age=31536000"
"""For how many seconds, a year, a browser that came over TLS comes over nothing else. Other names of the same domain
are not ours to decide about."""
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_OTHER = "other"  # stands for what nobody has named: methods that do not exist, paths that lead nowhere
_CUT_OFF = 499  # status of a request that got no reply, as nginx counts those whose client has gone


@dataclass(slots=True)
class AccessRecord:
    """How a request went; nothing in it names a person."""

    request_id: str  # always ours: one that a caller chose might name a person, and goes to the log
    door: str  # which of the doors it came to, or "other"
    method: str
    route: str
    """The path with names of parameters in place of what was asked for; of a route that does not tell, its door's."""
    status: int = _CUT_OFF  # of the reply; 499 where there was none
    seconds: float = 0.0  # from its beginning to the end of its reply
    bytes_sent: int = 0  # of the reply, without headers


class ReplyCut(Exception):
    """A reply that has begun cannot be finished; the server closes the connection."""


@dataclass(frozen=True)
class ReplyGuard:
    """Numbers requests, completes the headers of replies, answers errors that no door has answered, and tells how."""

    app: ASGIApp  # what it stands before
    doors: Mapping[str, str]  # names of doors by the beginnings of their paths; the longest that fits counts
    tell: Sequence[Callable[[AccessRecord], None]]  # who is told

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, and answer for it where it fails."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        begun, has_begun, path = time.perf_counter(), False, scope["path"]  # which a mounted application changes
        prefix = max((each for each in self.doors if f"{path}/".startswith(f"{each}/")), key=len, default=_OTHER)
        method = scope["method"] if scope.get("method") in _METHODS else _OTHER
        record = AccessRecord(uuid4().hex, self.doors.get(prefix, _OTHER), method, _OTHER)

        async def complete(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            if message["type"] == "http.response.start":
                record.status = message["status"]
                _complete_headers(message, scope, record.request_id)
            elif message["type"] == "websocket.accept":
                record.status = int(HTTPStatus.SWITCHING_PROTOCOLS)
            record.bytes_sent += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, complete)
        except Exception as exc:  # noqa: BLE001 - the edge: whoever asked is told that it was us
            problem = _problem_of(exc, record.request_id)
            if has_begun:
                raise ReplyCut(problem.code) from None
            await refuse(scope, complete, problem)
        finally:
            at = prefix if "endpoint" in scope else _OTHER
            record.route = getattr(scope.get("route"), "path", None) or at
            record.seconds = time.perf_counter() - begun
            for tell in self.tell:
                tell(record)


def log_access(record: AccessRecord) -> None:
    """Write a line of JSON about a request."""
    if access_log.isEnabledFor(logging.INFO):
        access_log.info("%s", json.dumps({**asdict(record), "seconds": round(record.seconds, 6)}))


def _complete_headers(message: Message, scope: Scope, request_id: str) -> None:
    headers = MutableHeaders(scope=message)
    headers["X-Request-Id"] = request_id
    for name, value in SAFE_HEADERS.items():
        headers.setdefault(name, value)
    if scope.get("scheme") == "https":
        headers.setdefault("Strict-Transport-Security", _OVER_TLS)


def _problem_of(error: Exception, request_id: str) -> Problem:
    """Log an error that is ours, and return what to say of any."""
    if isinstance(error, YesteryearError):
        problem = problem_of(error)
        if problem.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return problem
    else:
        detail = f"Nothing is known about it but its number, which the server's log tells more about: {request_id}"
        problem = Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "Something went wrong inside.", detail)
    log_failure(log, f"request {request_id}", error)
    return problem


ANY = "*"  # stands for every host, where something in front of us checks them
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")  # what a machine calls itself


@dataclass(frozen=True, slots=True)
class GuardPolicy:
    """Whom and what the guards let pass."""

    hosts: Collection[str] = LOOPBACK_NAMES  # names that this server goes by, without ports; "*" for any
    origins: Collection[str] = ()
    """Origins of other people's pages that may call from a browser, such as "https://app.example"."""
    is_encrypted: bool = False
    """Whether every caller comes over TLS, to something that stands before this server: ``serve_url`` says so."""
    most_body_bytes: int = 10 * 1024 * 1024
    """Longest body of a request, in bytes, at least 0: a chat with a few pictures in it."""
    body_timeout_s: float = 30.0  # longest time from the beginning of a request to the end of its body, in seconds

    @property
    def body_too_long(self) -> Problem:
        """What is said of a longer body."""
        return Problem(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            "too_large",
            "The body is too long.",
            f"At most {self.most_body_bytes} bytes are taken; send less at once, or raise the setting serve_body_mb.",
        )


_OWN_SITES = (None, "same-origin", "none")
"""What ``Sec-Fetch-Site`` says of a request from our own pages, or from the address bar; None where there is none."""
_SCHEMES = {"http": "https", "websocket": "wss"}
_PROTO = re.compile(r"(?:^|[;,\s])proto=\"?https\"?(?:$|[;,\s])", re.IGNORECASE)  # how ``Forwarded`` (RFC 7239) says it
_WRONG_HOST = Problem(
    HTTPStatus.MISDIRECTED_REQUEST,
    "wrong_host",
    "This server does not go by that name.",
    "The name in the request's Host is not among those served here; add it to the setting serve_hosts.",
)
_WRONG_ORIGIN = Problem(
    HTTPStatus.FORBIDDEN,
    "wrong_origin",
    "A page of another site may not do this.",
    "The request comes from a page that is not ours; add its origin to the setting serve_origins.",
)


class RequestGuard:
    """Refuses what is addressed to others, what says twice who asks, and what pages of others send but links.

    A request that passes has the scheme that its caller used, and ``PEER_HEADER`` holds the address it comes from.
    """

    def __init__(self, app: ASGIApp, policy: GuardPolicy) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in policy.hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in policy.origins)
        self._is_encrypted = policy.is_encrypted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if scope["type"] in _SCHEMES:
            if self._is_encrypted or _was_encrypted(scope):
                scope["scheme"] = _SCHEMES[scope["type"]]
            problem = self._find_problem(scope)
            if problem is not None:
                await refuse(scope, send, problem, closes=True)
                return
            _name_peer(scope)
        await self._app(scope, receive, send)

    def _find_problem(self, scope: Scope) -> Problem | None:
        if ANY not in self._hosts and host_name(_header(scope, "host") or "") not in self._hosts:
            return _WRONG_HOST
        said = [name for name, _ in scope["headers"]]
        for name in IDENTITY_HEADERS:
            if said.count(name.encode()) > 1:
                advice = f"The header {name.title()} is there more than once; send one."
                return Problem(HTTPStatus.BAD_REQUEST, "said_twice", "The request says two things at once.", advice)
        return None if self._is_from_our_pages(scope) else _WRONG_ORIGIN

    def _is_from_our_pages(self, scope: Scope) -> bool:
        """Tell whether it comes from a page of ours, whatever scheme a proxy speaks, or no page, or follows a link."""
        origin = _header(scope, "origin")
        if origin is not None:
            host = (_header(scope, "host") or "").lower()
            return origin.lower() in self._origins or urlsplit(origin.lower()).netloc == host != ""
        if _header(scope, "sec-fetch-site") in _OWN_SITES:
            return True
        is_look = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        return is_look and _header(scope, "sec-fetch-mode") == "navigate"


def _header(scope: Scope, name: str) -> str | None:
    """Return a header of a request, None where it is not there, and "" where it is there more than once."""
    found: list[bytes] = [value for key, value in scope["headers"] if key == name.encode()]
    if len(found) > 1:
        return ""
    return found[0].decode("latin-1").strip() if found else None


def _was_encrypted(scope: Scope) -> bool:
    told = (_header(scope, "x-forwarded-proto") or "").partition(",")[0].strip().lower()
    return told in ("https", "wss") or _PROTO.search((_header(scope, "forwarded") or "").partition(",")[0]) is not None


def _name_peer(scope: Scope) -> None:
    """Put the address of the caller into ``PEER_HEADER``, and drop what they wrote there."""
    name = PEER_HEADER.encode()
    headers = [pair for pair in scope["headers"] if pair[0] != name]
    if scope.get("client"):
        headers.append((name, str(scope["client"][0]).encode("ascii", "replace")))
    scope["headers"] = headers  # in place: ``ReplyGuard`` reads what routing adds to the scope


_TOO_SLOW = Problem(
    HTTPStatus.REQUEST_TIMEOUT,
    "too_slow",
    "The body did not come in time.",
    "Send the request again, all of it at once.",
)


class _NotLetIn(Exception):
    """The rest of a body is not read; ends whatever waits for it."""


async def _receive_by(ends_at: float | None, receive: Receive) -> Message:
    """Return the next part of a body; after its time only if it is the rest, for then the event loop was busy."""
    try:
        async with asyncio.timeout_at(ends_at):
            return await receive()
    except TimeoutError:
        async with asyncio.timeout(0):
            message = await receive()
        if message.get("more_body", False):
            raise
        return message


@dataclass(frozen=True)
class BodyGuard:
    """Refuses bodies that are too long or come too slowly; what has been answered already goes on."""

    app: ASGIApp
    policy: GuardPolicy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass as far as its body does: what is said about its length, and what comes."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        told = _header(scope, "content-length") or ""
        if told.isdecimal() and int(told) > self.policy.most_body_bytes:
            await refuse(scope, send, self.policy.body_too_long, closes=True)
            return
        nbytes, is_whole, has_begun = 0, False, False
        problem: Problem | None = None
        ends_at = asyncio.get_running_loop().time() + self.policy.body_timeout_s

        async def take() -> Message:
            nonlocal nbytes, is_whole, problem
            if problem is not None:
                raise _NotLetIn
            try:
                message = await _receive_by(None if is_whole else ends_at, receive)
            except TimeoutError as exc:
                problem = _TOO_SLOW
                raise _NotLetIn from exc
            is_whole = is_whole or not message.get("more_body", False)
            nbytes += len(message.get("body", b""))
            if nbytes > self.policy.most_body_bytes:
                problem = self.policy.body_too_long
                raise _NotLetIn
            return message

        async def give(message: Message) -> None:
            nonlocal has_begun
            if problem is None or has_begun:  # else it is about half of a body
                has_begun = True
                await send(message)

        with suppress(_NotLetIn):
            await self.app(scope, take, give)
        if problem is not None and not has_begun:
            await refuse(scope, send, problem, closes=True)
