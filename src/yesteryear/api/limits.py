"""How often somebody may knock: so many requests of each principal, so many failures of each address."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from ipaddress import ip_address, ip_network

from yesteryear.api.access import PEER_HEADER, Gatekeeper, Principal, read_bearer
from yesteryear.core.access.keys import PREFIX, read_token
from yesteryear.core.recent import Recent
from yesteryear.errors import NotAdmitted, TooMany
from yesteryear.ports import Clock

_TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)
"""What a signed JWT looks like: three parts in base64, the first of which is an object of JSON."""


@dataclass(frozen=True, slots=True)
class LimitPolicy:
    """Rates and what is remembered of them."""

    requests_per_minute: float = 6000.0
    """Requests of one principal in a minute, above 0. A choice: a hundred a second, more than a chat service of a
    thousand people needs of one key."""
    failures_per_minute: float = 30.0
    """Failed attempts of one address, or with one credential, in a minute, above 0. A choice: a misconfigured client
    shows up, a guesser gets nowhere."""
    burst_s: float = 10.0  # seconds' worth of either that may come at once, above 0; never less than one
    known: int = 10_000
    """Most principals, addresses and credentials that are remembered, each, at least 1; about 2 MB each."""


class Buckets:
    """A bucket of tokens for each name, so many run in a minute; an empty one is full after ``burst_s`` seconds.

    Of each of the ``known`` latest is kept when it will be full again.
    """

    def __init__(self, per_minute: float, *, burst_s: float, known: int) -> None:
        self._token_s = 60.0 / per_minute
        self._room_s = max(self._token_s, burst_s)
        self._full_at: Recent[str, float] = Recent(known)

    def wait_s(self, name: str, now: datetime) -> float:
        """Return for how many seconds there is no token; 0 where there is one."""
        return max(0.0, self._full_in_s(name, now) + self._token_s - self._room_s)

    def take(self, name: str, now: datetime) -> float:
        """Take a token where there is one and return 0, else the seconds until there is."""
        wait = self.wait_s(name, now)
        if wait == 0.0:
            self._full_at.put(name, now.timestamp() + self._full_in_s(name, now) + self._token_s)
        return wait

    def _full_in_s(self, name: str, now: datetime) -> float:
        left_s = (self._full_at.get(name) or 0.0) - now.timestamp()
        if left_s > self._room_s:  # the clock went back: it fills from now on, and not when that day has come again
            self._full_at.put(name, now.timestamp() + self._room_s)
        return min(max(left_s, 0.0), self._room_s)


class LimitedGate:
    """Asks another gate, and refuses who knocks too often; see ``Gatekeeper``.

    Nobody is locked out by others behind the same address who guess. A credential that has just failed is not looked
    at again for a while. From an address from which too many attempts failed, what cannot be a credential is refused
    unread, and what can be one is looked at in a single lane, one after another: whoever guesses there takes no more
    of the server than one look at a time, and whoever comes with a good one for the first time is let in.
    """

    def __init__(self, inner: Gatekeeper, clock: Clock, policy: LimitPolicy | None = None) -> None:
        policy = policy or LimitPolicy()
        self.inner = inner
        self._clock = clock
        self._requests = Buckets(policy.requests_per_minute, burst_s=policy.burst_s, known=policy.known)
        self._failures = Buckets(policy.failures_per_minute, burst_s=policy.burst_s, known=policy.known)
        self._admitted: Recent[str, bool] = Recent(policy.known)
        self._lane = asyncio.Lock()

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who it is; whoever knocks too often is told for how long to wait."""
        said = headers.get("authorization")
        if not said:
            return await self.inner.admit(headers)  # says nothing, so guesses nothing
        now, network = self._clock.now(), network_of(headers.get(PEER_HEADER, ""))
        credential = sha256(said.encode("utf-8", "surrogateescape")).hexdigest()
        try:
            if network and not self._admitted.get(credential):
                principal = await self._look(headers, network, credential, now)
            else:
                principal = await self.inner.admit(headers)
        except NotAdmitted:
            self._admitted.drop(credential)
            self._failures.take(network, now)
            self._failures.take(f"{network}\0{credential}", now)
            raise
        self._admitted.put(credential, True)
        name = f"{principal.tenant}\0{principal.user or ''}\0{principal.name}"
        _refuse(self._requests.take(name, now), "you ask too often")
        return principal

    async def _look(self, headers: Mapping[str, str], network: str, credential: str, now: datetime) -> Principal:
        """Return whose credential it is that was not let in before."""
        _refuse(self._failures.wait_s(f"{network}\0{credential}", now), "too many attempts with it failed")
        wait_s = self._failures.wait_s(network, now)
        if wait_s == 0.0:
            return await self.inner.admit(headers)
        if not could_open(headers):
            _refuse(wait_s, "too many attempts from your address failed")
        async with self._lane:
            return await self.inner.admit(headers)


def could_open(headers: Mapping[str, str]) -> bool:
    """Tell whether a request brings what has the form of a key or of a token; nothing of it is looked up."""
    try:
        text = read_bearer(headers)
        if text.startswith(PREFIX):
            read_token(text)
            return True
    except NotAdmitted:
        return False
    return _TOKEN.fullmatch(text) is not None


def network_of(address: str) -> str:
    """Return what stands for an address: itself, or of IPv6 the network of 64 bits that one caller mostly has alone."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(ip_network((parsed, 64), strict=False))


def _refuse(wait_s: float, why: str) -> None:
    if wait_s > 0:
        raise TooMany(f"{why}; try again in {wait_s:.1f} s", retry_after_s=wait_s)
