"""How often somebody may knock: so many requests of each principal, so many failures of each address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from ipaddress import ip_address, ip_network

from yesteryear.api.access import PEER_HEADER, Gatekeeper, Principal
from yesteryear.api.keys.recent import Recent
from yesteryear.errors import NotAdmitted, TooMany
from yesteryear.ports import Clock


@dataclass(frozen=True, slots=True)
class LimitPolicy:
    """Rates and what is remembered of them."""

    requests_per_minute: float = 6000.0
    """Requests of one principal in a minute, above 0. A choice: a hundred a second, more than a chat service of a
    thousand people needs of one key."""
    failures_per_minute: float = 30.0
    """Failed attempts of one address in a minute, above 0. A choice: a misconfigured client shows up, a guesser gets
    nowhere."""
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
        return min(self._room, level + max(0.0, (now - at).total_seconds()) * self._per_second)


class LimitedGate:
    """Asks another gate, and refuses who knocks too often; see ``Gatekeeper``.

    An address from which too many attempts failed is not even looked at, except with what was let in before: nobody is
    locked out by others behind the same address who guess.

    Args:
        inner: Who decides.
        clock: Tells the time.
        policy: How often is too often.
    """

    def __init__(self, inner: Gatekeeper, clock: Clock, policy: LimitPolicy | None = None) -> None:
        policy = policy or LimitPolicy()
        self._inner = inner
        self._clock = clock
        self._requests = Buckets(policy.requests_per_minute, burst_s=policy.burst_s, known=policy.known)
        self._failures = Buckets(policy.failures_per_minute, burst_s=policy.burst_s, known=policy.known)
        self._admitted: Recent[str, bool] = Recent(policy.known)

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who it is.

        Raises:
            NotAdmitted: as the other gate.
            TooMany: too many of their requests, or too many failed ones of their address; says for how long.
        """
        if not headers.get("authorization"):
            return await self._inner.admit(headers)  # says nothing, so guesses nothing
        now, network = self._clock.now(), network_of(headers.get(PEER_HEADER, ""))
        credential = sha256(headers.get("authorization", "").encode("utf-8", "surrogateescape")).hexdigest()
        if network and not self._admitted.get(credential):
            _refuse(self._failures.wait_s(network, now), "too many attempts from your address failed")
        try:
            principal = await self._inner.admit(headers)
        except NotAdmitted:
            self._admitted.drop(credential)
            self._failures.take(network, now)
            raise
        self._admitted.put(credential, True)
        _refuse(
            self._requests.take(f"{principal.tenant}\0{principal.user or ''}\0{principal.name}", now),
            "you ask too often",
        )
        return principal


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
