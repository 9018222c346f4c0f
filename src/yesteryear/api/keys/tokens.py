"""Lets in who holds a token of the identity provider: a JWT that it signed for us, not too long ago.

What a token says of itself is believed after its signature was checked, and only with a key of the provider whose own
algorithm it is: no secret that both sides know, no algorithm that the token chose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

import jwt

from yesteryear.api.access import Principal, Right
from yesteryear.api.keys.bearer import read_bearer
from yesteryear.core.scope import EVERYBODY, Scope, check_name
from yesteryear.core.time import EPOCH
from yesteryear.errors import InputError, NotAdmitted
from yesteryear.ports import Clock

ALGORITHMS = ("RS256", "ES256", "EdDSA")
"""Those that are taken: the provider signs with a key that it keeps, we check with one that is public."""
_RIGHTS = {right.name.lower(): right for right in Right}


@dataclass(frozen=True, slots=True)
class TokenPolicy:
    """Which tokens hold, and what their claims mean."""

    issuer: str
    """Who has to have issued it: the claim ``iss``, character for character."""
    audience: str
    """For whom it has to be: one of the claim ``aud``; a token for another service opens nothing here."""
    tenant_claim: str = "tenant"
    """The claim that names the tenant."""
    user_claim: str = "sub"
    """The claim that names the person; a token is always for one."""
    scope_claim: str = "scope"
    """The claim that holds read, write or admin among others, as a list or with spaces between; the most counts."""
    leeway_s: float = 30.0
    """Seconds by which clocks may differ, at least 0. RFC 7519 asks for no more than a few minutes."""


class KeySource(Protocol):
    """The public keys of a provider."""

    async def find(self, kid: str | None) -> jwt.PyJWK | None:
        """Return the key of this id, or the only one where no id is given; None where there is none.

        Raises:
            ProviderUnavailable: they cannot be fetched, and none are known.
        """
        ...


class TokenGate:
    """Lets in who holds a token; see ``Gatekeeper``.

    Args:
        keys: Of the provider.
        clock: Tells the time.
        policy: Which tokens hold.
    """

    def __init__(self, keys: KeySource, clock: Clock, policy: TokenPolicy) -> None:
        self._keys = keys
        self._clock = clock
        self._policy = policy

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who holds the token.

        Raises:
            NotAdmitted: it is no token, of somebody else, for somebody else, changed, not valid yet or not any more, or
                it does not say for whose memory.
        """
        token = read_bearer(headers)
        try:
            header = jwt.get_unverified_header(token)
            key = await self._keys.find(header.get("kid")) if header.get("alg") in ALGORITHMS else None
            if key is None or key.algorithm_name not in ALGORITHMS:
                raise NotAdmitted
            claims = self._read(token, key)
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as exc:
            raise NotAdmitted from exc
        self._check_time(claims)
        return self._principal(claims)

    def _read(self, token: str, key: jwt.PyJWK) -> dict[str, Any]:
        """Return the claims, whose times are checked by our own clock."""
        return jwt.decode(
            token,
            key,
            algorithms=[key.algorithm_name],
            issuer=self._policy.issuer,
            audience=self._policy.audience,
            options={
                "require": ["exp", "iss", "aud", "sub"],
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
                "enforce_minimum_key_length": True,
            },
        )

    def _check_time(self, claims: Mapping[str, Any]) -> None:
        """Refuse a token outside [nbf, exp); where a provider writes no nbf, iat says since when it holds."""
        now, leeway = self._clock.now(), timedelta(seconds=self._policy.leeway_s)
        begins, ends = _instant(claims.get("nbf", claims.get("iat"))), _instant(claims["exp"])
        if ends is None or now >= ends + leeway:
            raise NotAdmitted("this token is over; get another one from your provider")
        if begins is None or now < begins - leeway:
            raise NotAdmitted("this token does not hold yet, or does not say since when; look at the clocks")

    def _principal(self, claims: Mapping[str, Any]) -> Principal:
        policy = self._policy
        try:
            scope = Scope(tenant=claims[policy.tenant_claim], user=claims[policy.user_claim])
            name = f"sub:{check_name('sub', claims['sub'])}"
        except KeyError as exc:
            raise NotAdmitted(f"the token has no claim {exc.args[0]!r}") from exc
        except InputError as exc:
            raise NotAdmitted("the token's claims cannot name a tenant and a person") from exc
        right = _right(claims.get(policy.scope_claim))
        if right is None or scope.user == EVERYBODY:
            raise NotAdmitted(f"the token gives no right here: its claim {policy.scope_claim!r} names none")
        return Principal(name, scope.tenant, scope.user, right)


def _instant(value: object) -> datetime | None:
    """Return an instant as claims give it, in seconds since 1970, or None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return EPOCH + timedelta(seconds=value)
    except (OverflowError, ValueError):
        return None


def _right(claim: object) -> Right | None:
    words = claim.split() if isinstance(claim, str) else claim if isinstance(claim, list) else []
    return max((_RIGHTS[word] for word in words if isinstance(word, str) and word in _RIGHTS), default=None)
