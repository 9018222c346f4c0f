"""Lets in who holds a token of the identity provider: a JWT that it signed for us, not too long ago.

What a token says of itself is believed after its signature was checked, and only with a key of the provider whose own
algorithm it is: no secret that both sides know, no algorithm that the token chose. Its public keys are fetched from
where it publishes them, or read from a file.
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from jwt.types import Options

from yesteryear.api.access import Principal, Right, read_bearer
from yesteryear.core.scope import EVERYBODY, Scope, check_name
from yesteryear.core.time import EPOCH
from yesteryear.errors import ConfigError, InputError, NotAdmitted, ProviderUnavailable
from yesteryear.ports import Clock

ALGORITHMS = ("RS256", "ES256", "EdDSA")
"""Those that are taken: the provider signs with a key that it keeps, we check with one that is public."""
_RIGHTS = {right.name.lower(): right for right in Right}


@dataclass(frozen=True, slots=True)
class TokenPolicy:
    """Which tokens hold, and what their claims mean."""

    issuer: str  # who has to have issued it: the claim ``iss``, character for character
    audience: str  # for whom it has to be: one of the claim ``aud``; a token for another service opens nothing here
    tenant_claim: str = "tenant"  # the claim that names the tenant
    user_claim: str = "sub"  # the claim that names the person; a token is always for one
    scope_claim: str = "scope"
    """The claim that holds read, write or admin among others, as a list or with spaces between; the most counts."""
    leeway_s: float = 30.0
    """Seconds by which clocks may differ, at least 0. RFC 7519 asks for no more than a few minutes."""


class KeySource(Protocol):
    """The public keys of a provider."""

    async def find(self, kid: str | None) -> jwt.PyJWK | None:
        """Return the key of this id, or the only one where no id is given; None where there is none."""


@dataclass(frozen=True, slots=True)
class TokenGate:
    """Lets in who holds a token of the provider whose keys these are; see ``Gatekeeper``."""

    keys: KeySource
    clock: Clock
    policy: TokenPolicy

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who holds the token."""
        token = read_bearer(headers)
        try:
            header = jwt.get_unverified_header(token)
            key = await self.keys.find(header.get("kid")) if header.get("alg") in ALGORITHMS else None
            if key is None or key.algorithm_name not in ALGORITHMS:
                raise NotAdmitted
            claims = self._read(token, key)
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as exc:
            raise NotAdmitted from exc
        self._check_time(claims)
        return self._principal(claims)

    def _read(self, token: str, key: jwt.PyJWK) -> dict[str, Any]:
        """Return the claims, whose times are checked by our own clock."""
        by_us: Options = {"verify_exp": False, "verify_nbf": False, "verify_iat": False}
        return jwt.decode(
            token,
            key,
            algorithms=[key.algorithm_name],
            issuer=self.policy.issuer,
            audience=self.policy.audience,
            options={**by_us, "require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True},
        )

    def _check_time(self, claims: Mapping[str, Any]) -> None:
        """Refuse a token outside [nbf, exp); where a provider writes no nbf, iat says since when it holds."""
        now, leeway = self.clock.now(), timedelta(seconds=self.policy.leeway_s)
        begins, ends = _instant(claims.get("nbf", claims.get("iat"))), _instant(claims["exp"])
        if ends is None or now >= ends + leeway:
            raise NotAdmitted("this token is over; get another one from your provider")
        if begins is None or now < begins - leeway:
            raise NotAdmitted("this token does not hold yet, or does not say since when; look at the clocks")

    def _principal(self, claims: Mapping[str, Any]) -> Principal:
        policy = self.policy
        try:
            scope = Scope(tenant=claims[policy.tenant_claim], user=claims[policy.user_claim])
            name = f"sub:{check_name('sub', claims['sub'])}"
        except KeyError as exc:
            raise NotAdmitted(f"the token has no claim {exc.args[0]!r}") from exc
        except InputError as exc:
            raise NotAdmitted("the token's claims cannot name a tenant and a person") from exc
        claim = claims.get(policy.scope_claim)
        words = claim.split() if isinstance(claim, str) else claim if isinstance(claim, list) else []
        rights = [_RIGHTS[word] for word in words if isinstance(word, str) and word in _RIGHTS]
        right = max(rights, default=None)
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


_LOG = logging.getLogger(__name__)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_FRESH_S = 3600.0
"""Seconds after which published keys are fetched again: after so long a key that was withdrawn opens nothing."""
_PAUSE_S = 30.0  # fewest seconds between two attempts, however many tokens name keys that nobody knows
_ATTEMPT_S = 5.0  # most seconds of an attempt; callers wait for it
_MOST_BYTES = 1_000_000  # most bytes of an answer; a key takes about 400


class FileKeys:
    """Keys from a file, which is read once: a JWKS, or one public key as PEM. See ``KeySource``."""

    def __init__(self, path: Path) -> None:
        try:
            data = path.read_bytes()
        except OSError as exc:
            raise ConfigError(f"jwt_keys: {path} cannot be read: {exc.strerror}") from exc
        try:
            self._keys = [_read_pem(data)] if data.lstrip().startswith(b"-----BEGIN") else read_jwks(json.loads(data))
        except (ValueError, TypeError, jwt.PyJWTError) as exc:
            raise ConfigError(f"jwt_keys: {path} holds no public key: {exc}") from exc
        if not self._keys:
            raise ConfigError(f"jwt_keys: {path} holds no public key for {', '.join(ALGORITHMS)}")

    async def find(self, kid: str | None) -> jwt.PyJWK | None:
        """Return the key."""
        return _choose(self._keys, kid)


class WebKeys:
    """Keys from where the provider publishes them; see ``KeySource``.

    They are fetched when the first token comes, when they are old, and when a token names one that is not known; not
    more often than every half minute. While the provider cannot be reached the known ones go on to serve.
    """

    def __init__(self, url: str, clock: Clock) -> None:
        parts = urlsplit(url)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
            raise ConfigError(f"jwt_keys: {url} has to begin with https://, for whoever changes keys lets himself in")
        self._url = url
        self._clock = clock
        self._keys: Sequence[jwt.PyJWK] = ()
        self._fetched_at: datetime | None = None
        self._tried_at: datetime | None = None
        self._lock = asyncio.Lock()

    async def find(self, kid: str | None) -> jwt.PyJWK | None:
        """Return the key, fetched where it is not known."""
        found = _choose(self._keys, kid)
        if found is None or self._is_over(self._fetched_at, _FRESH_S):
            async with self._lock:
                if self._is_over(self._tried_at, _PAUSE_S):
                    await self._fetch()
            found = _choose(self._keys, kid)
        if not self._keys:
            raise ProviderUnavailable("the keys of the identity provider cannot be fetched; try again")
        return found

    def _is_over(self, since: datetime | None, seconds: float) -> bool:
        """Tell whether so much time has gone by, or a clock has been set back."""
        return since is None or not timedelta(0) <= self._clock.now() - since < timedelta(seconds=seconds)

    async def _fetch(self) -> None:
        self._tried_at = self._clock.now()
        try:
            async with (
                httpx.AsyncClient(timeout=_ATTEMPT_S, trust_env=False, verify=_certificates()) as client,
                client.stream("GET", self._url) as answer,
            ):
                answer.raise_for_status()
                body = await _read_body(answer)
            keys = read_jwks(json.loads(body))
        except (httpx.HTTPError, ValueError, TypeError, RecursionError) as exc:
            _LOG.warning("the keys of the identity provider cannot be fetched: %s", type(exc).__name__)
            return
        self._keys, self._fetched_at = keys, self._tried_at


@cache
def _certificates() -> ssl.SSLContext:
    """Read whom to trust, once: it takes longer than fetching keys."""
    return httpx.create_ssl_context(trust_env=False)


def read_jwks(data: Any) -> list[jwt.PyJWK]:  # noqa: ANN401 - whatever the JSON holds
    """Return the keys of a JWKS that can check a signature of ours; other data is a ValueError."""
    if not isinstance(data, dict) or not isinstance(data.get("keys"), list):
        raise ValueError("a JWKS is an object with a list of keys")  # noqa: TRY004 - one kind of error for both callers
    public = [entry for entry in data["keys"] if isinstance(entry, dict) and entry.get("kty") in ("RSA", "EC", "OKP")]
    try:
        keys = jwt.PyJWKSet(public).keys
    except jwt.PyJWKSetError:  # none of them is of any use
        return []
    return [key for key in keys if key.public_key_use in (None, "sig") and key.algorithm_name in ALGORITHMS]


def _read_pem(data: bytes) -> jwt.PyJWK:
    key = load_pem_public_key(data)
    if isinstance(key, RSAPublicKey):
        return jwt.PyJWK(RSAAlgorithm.to_jwk(key, as_dict=True))
    if isinstance(key, EllipticCurvePublicKey):
        return jwt.PyJWK(ECAlgorithm.to_jwk(key, as_dict=True))
    if isinstance(key, Ed25519PublicKey):
        return jwt.PyJWK(OKPAlgorithm.to_jwk(key, as_dict=True))
    raise ValueError(f"a key of the kind {type(key).__name__} signs nothing that is taken")


def _choose(keys: Sequence[jwt.PyJWK], kid: str | None) -> jwt.PyJWK | None:
    named = [key for key in keys if kid is not None and key.key_id == kid]
    only = [key for key in keys if len(keys) == 1 and (kid is None or key.key_id is None)]
    return next(iter(named or only), None)


async def _read_body(answer: httpx.Response) -> bytes:
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > _MOST_BYTES:
            raise ValueError("the answer is too long")
    return bytes(body)
