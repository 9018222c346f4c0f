"""Lets in who holds an API key; and sends everybody else to the gate for tokens, where there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from yesteryear.api.access import Gatekeeper, Principal
from yesteryear.api.audit import Trail
from yesteryear.api.keys.bearer import read_bearer
from yesteryear.api.keys.recent import Recent
from yesteryear.api.keys.ring import KeyRing
from yesteryear.core.keys import PREFIX, ApiKey, Token, read_token
from yesteryear.core.scope import EVERYBODY
from yesteryear.errors import NotAdmitted


@dataclass(frozen=True, slots=True)
class KeyPolicy:
    """How long a look at a key holds."""

    trusted_s: float = 2.0
    """Seconds for which a key that was found valid is not looked up again, at least 0: after so long a key that was
    revoked in another process opens nothing here either. A choice: no caller waits for a look at each request."""
    kept: int = 10_000
    """Most keys that are remembered, at least 1; about 2 MB."""


class KeyGate:
    """Lets in who holds a key; see ``Gatekeeper``.

    Args:
        ring: The keys.
        trail: Where it is noted that somebody came with a key that is not valid any more: once, not at each attempt.
        policy: For how long a look at a key holds.
    """

    def __init__(self, ring: KeyRing, trail: Trail, policy: KeyPolicy | None = None) -> None:
        policy = policy or KeyPolicy()
        self._ring = ring
        self._trail = trail
        self._trusted = timedelta(seconds=policy.trusted_s)
        self._seen: Recent[str, tuple[ApiKey, datetime]] = Recent(policy.kept)

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who holds the key.

        Raises:
            NotAdmitted: there is no such key, or it is not valid any more; only who holds it is told which.
        """
        token, now = read_token(read_bearer(headers)), self._ring.clock.now()
        seen = self._seen.get(token.digest)
        if seen is not None and not seen[0].is_valid(now):
            raise NotAdmitted(_ended(seen[0]))
        age = timedelta.max if seen is None else now - seen[1]
        if seen is not None and timedelta(0) <= age < self._trusted:
            return _principal(token, seen[0])
        key = await self._look_up(token)
        self._seen.put(token.digest, (key, now))
        if not key.is_valid(now):
            self._trail.refuse(_principal(token, key), "admit", NotAdmitted.code)
            raise NotAdmitted(_ended(key))
        return _principal(token, key)

    async def _look_up(self, token: Token) -> ApiKey:
        try:
            return await asyncio.to_thread(self._ring.find, token)
        except NotAdmitted:
            self._seen.drop(token.digest)
            raise


@dataclass(frozen=True, slots=True)
class EitherGate:
    """Lets in who holds a key or a token of the identity provider; see ``Gatekeeper``."""

    keys: Gatekeeper
    tokens: Gatekeeper

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who it is; a key is known by how it begins."""
        gate = self.keys if read_bearer(headers).startswith(PREFIX) else self.tokens
        return await gate.admit(headers)


def _ended(key: ApiKey) -> str:
    return f"this key was {'revoked' if key.revoked_at else 'made for a time that is over'}; have another one made"


def _principal(token: Token, key: ApiKey) -> Principal:
    tenant, user = token.owner
    return Principal(f"key:{key.id}", tenant, None if user == EVERYBODY else user, key.right)
