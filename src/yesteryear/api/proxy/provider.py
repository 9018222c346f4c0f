"""The way to the provider: its address is a setting and nothing a client sends can change it; how patient we are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

import httpx

from yesteryear.errors import ConfigError, ProviderUnavailable


@dataclass(frozen=True, slots=True)
class ProxyPolicy:
    """What the proxy waits for and what it keeps."""

    recall_deadline_ms: int = 150
    """Milliseconds after which a request goes on without what is remembered. Source: a pause that nobody notices."""
    most_recalls: int = 32
    """Most recalls at once, late ones included; a request beyond them goes on without. From 1."""
    connect_timeout_s: float = 5.0
    """Seconds to reach the provider."""
    read_timeout_s: float = 600.0
    """Seconds of silence after which the provider is given up; what OpenAI's own client waits."""
    most_connections: int = 1000
    """Most connections to the provider at once; callers beyond them wait."""
    most_idle_connections: int = 100
    """Most connections kept open for the next request."""
    most_body_bytes: int = 16 * 1024 * 1024
    """Bytes of a request up to which it is read for what was said; a larger one goes on without memory."""
    most_reply_bytes: int = 16 * 1024 * 1024
    """Bytes of a reply that are kept to be taken down; what comes after them counts as cut off."""
    finish_s: float = 30.0
    """Most seconds that an end waits for what is still being taken down."""


Headers = list[tuple[bytes, bytes]]
"""As ASGI has them: names in lower case."""

_OF_ONE_CONNECTION = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade".split()
)
_NOT_UPSTREAM = _OF_ONE_CONNECTION | frozenset(b"host content-length cookie expect".split())
"""What is ours, such as the cookie of our pages, or is written anew."""
_NOT_DOWNSTREAM = _OF_ONE_CONNECTION | frozenset(b"set-cookie date server".split())
_OURS = b"x-yesteryear-"


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server that speaks as OpenAI's does.

    Raises:
        ConfigError: the address is none.
    """

    base_url: str
    """Ends with /v1 as a rule."""
    key: str = field(default="", repr=False)
    """What is shown to it in every request; empty where each client brings a key of its own."""

    def __post_init__(self) -> None:
        if not self.base_url.startswith(("http://", "https://")):
            raise ConfigError(
                f"proxy_url = {self.base_url!r} is no base URL; it begins with http:// and often ends with /v1"
            )


class Provider:
    """An upstream, and the connections to it."""

    def __init__(self, upstream: Upstream, policy: ProxyPolicy) -> None:
        self._upstream = upstream
        self._base = upstream.base_url.rstrip("/")
        timeout = httpx.Timeout(policy.read_timeout_s, connect=policy.connect_timeout_s)
        self._timeout = timeout.as_dict()
        self._client = httpx.AsyncClient(
            timeout=timeout,
            limits=httpx.Limits(
                max_connections=policy.most_connections, max_keepalive_connections=policy.most_idle_connections
            ),
        )

    @property
    def has_key(self) -> bool:
        """Whether it is reached with a key of the server's, so that a client's is not for it."""
        return bool(self._upstream.key)

    async def send(
        self, method: str, path: str, *, headers: Iterable[tuple[bytes, bytes]], body: bytes, is_read: bool = False
    ) -> httpx.Response:
        """Send a request on, and return the reply as soon as it begins; close it.

        Args:
            method, path: Of the request; the path below the base URL, with its query.
            headers: As the client sent them; what is not for the provider is left out.
            body: Byte for byte.
            is_read: Whether the reply will be read here, so that it must not be compressed.

        Raises:
            ProviderUnavailable: it cannot be reached, or says nothing for too long.
        """
        passed = [(name, value) for name, value in headers if name not in _NOT_UPSTREAM and not name.startswith(_OURS)]
        if self._upstream.key:
            passed = [pair for pair in passed if pair[0] != b"authorization"]
            passed.append((b"authorization", f"Bearer {self._upstream.key}".encode()))
        if is_read:
            passed = [pair for pair in passed if pair[0] != b"accept-encoding"]
            passed.append((b"accept-encoding", b"identity"))
        request = httpx.Request(method, self._base + path, headers=passed, content=body)
        request.extensions["timeout"] = self._timeout
        try:
            return await self._client.send(request, stream=True)
        except httpx.TransportError as exc:
            raise ProviderUnavailable(
                f"the model's server cannot be reached ({type(exc).__name__}); try again"
            ) from exc

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


async def arriving(response: httpx.Response) -> AsyncIterator[bytes]:
    """Yield the bytes of a reply as they arrive.

    Raises:
        ProviderUnavailable: the provider broke off.
    """
    try:
        async for chunk in response.aiter_raw():
            yield chunk
    except httpx.TransportError as exc:
        raise ProviderUnavailable(f"the model's server broke off ({type(exc).__name__}); try again") from exc


def passed_back(response: httpx.Response) -> Headers:
    """Return the headers of a reply that are for the client."""
    named = {name.strip().lower() for name in response.headers.get("connection", "").encode().split(b",")}
    dropped = _NOT_DOWNSTREAM | named
    lowered = [(name.lower(), value) for name, value in response.headers.raw]
    return [(name, value) for name, value in lowered if name not in dropped and not name.startswith(_OURS)]
