"""How often somebody may knock: so many requests of each principal, so many failures of each address."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from ipaddress import ip_address, ip_network
from typing import Generic, TypeVar

from yesteryear.api.access import PEER_HEADER, Gatekeeper, Principal, read_bearer
from yesteryear.core.keys import PREFIX, read_token
from yesteryear.errors import NotAdmitted, TooMany
from yesteryear.ports import Clock

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """At most so many values by key. For one event loop.

    Args:
        most: How many are kept, at least 1.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return a value and keep it longer, or None."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]

    def put(self, key: K, value: V) -> None:
        """Keep a value; the one that was not looked at for longest goes where there are too many."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._most:
            self._values.popitem(last=False)

    def drop(self, key: K) -> None:
        """Let go of a value, if it is there."""
        self._values.pop(key, None)

    def __len__(self) -> int:
        return len(self._values)


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
    burst_s: float = 10.0
    """Seconds' worth of either that may come at once, above 0; never less than one."""
    known: int = 10_000
    """Most principals, addresses and credentials that are remembered, each, at least 1; about 2 MB each."""


class Buckets:
    """A bucket of tokens for each name, filled at a steady rate; full buckets are the same as none.

    Args:
        per_minute: Tokens that run into each bucket.
        burst_s: Seconds after which an empty bucket is full.
        known: Most buckets that are kept.
    """

    def __init__(self, per_minute: float, *, burst_s: float, known: int) -> None:
        self._per_second = per_minute / 60.0
        self._room = max(1.0, self._per_second * burst_s)
        self._levels: Recent[str, tuple[float, datetime]] = Recent(known)

    def wait_s(self, name: str, now: datetime) -> float:
        """Return for how many seconds there is no token; 0 where there is one."""
        return max(0.0, (1.0 - self._level(name, now)) / self._per_second)

    def take(self, name: str, now: datetime) -> float:
        """Take a token where there is one and return 0, else the seconds until there is."""
        wait = self.wait_s(name, now)
        if wait == 0.0:
            self._levels.put(name, (self._level(name, now) - 1.0, now))
        return wait

    def _level(self, name: str, now: datetime) -> float:
        found = self._levels.get(name)
        if found is None:
            return self._room
        level, at = found
        if now < at:  # the clock went back: the bucket fills from now on, and not when that day has come again
            self._levels.put(name, (level, now))
            return level
        return min(self._room, level + (now - at).total_seconds() * self._per_second)


class LimitedGate:
    """Asks another gate, and refuses who knocks too often; see ``Gatekeeper``.

    Nobody is locked out by others behind the same address who guess. A credential that has just failed is not looked
    at again for a while. From an address from which too many attempts failed, what cannot be a credential is refused
    unread, and what can be one is looked at in a single lane, one after another: whoever guesses there takes no more
    of the server than one look at a time, and whoever comes with a good one for the first time is let in.

    Args:
        inner: Who decides.
        clock: Tells the time.
        policy: How often is too often.
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
        """Return who it is.

        Raises:
            NotAdmitted: as the other gate.
            TooMany: too many of their requests, or too many failed ones with this credential, or of this address with
                what is none; says for how long.
        """
        if not headers.get("authorization"):
            return await self.inner.admit(headers)  # says nothing, so guesses nothing
        now, network = self._clock.now(), network_of(headers.get(PEER_HEADER, ""))
        credential = sha256(headers.get("authorization", "").encode("utf-8", "surrogateescape")).hexdigest()
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
        _refuse(
            self._requests.take(f"{principal.tenant}\0{principal.user or ''}\0{principal.name}", now),
            "you ask too often",
        )
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


def uncounted(gate: Gatekeeper) -> Gatekeeper:
    """Return who decides behind a gate with limits, for whom an answer is not one request more."""
    return gate.inner if isinstance(gate, LimitedGate) else gate


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
