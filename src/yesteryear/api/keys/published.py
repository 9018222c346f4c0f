"""The public keys of an identity provider: fetched from where it publishes them, or read from a file."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from yesteryear.api.keys.tokens import ALGORITHMS
from yesteryear.errors import ConfigError, ProviderUnavailable
from yesteryear.ports import Clock

_LOG = logging.getLogger(__name__)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """When published keys are fetched again."""

    fresh_s: float = 3600.0
    """Seconds after which they are fetched again, above 0: after so long a key that was withdrawn opens nothing."""
    pause_s: float = 30.0
    """Fewest seconds between two attempts, above 0, however many tokens name keys that nobody knows."""
    timeout_s: float = 5.0
    """Most seconds of an attempt, above 0; callers wait for it."""
    most_bytes: int = 1_000_000
    """Most bytes of an answer, above 0; a key takes about 400."""


class FileKeys:
    """Keys from a file: a JWKS, or one public key as PEM. See ``KeySource``.

    Args:
        path: The file; it is read once.

    Raises:
        ConfigError: there is no such file, or no key in it that can be used.
    """

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
        """Return the key of this id, or the only one where either has none."""
        return _choose(self._keys, kid)


class WebKeys:
    """Keys from where the provider publishes them; see ``KeySource``.

    They are fetched when the first token comes, when they are old, and when a token names one that is not known; not
    more often than every ``pause_s``. While the provider cannot be reached the known ones go on to serve.

    Args:
        url: Of its JWKS; https, but on this machine.
        clock: Tells the time.
        policy: When they are fetched again.

    Raises:
        ConfigError: the address can be read and changed on the way.
    """

    def __init__(self, url: str, clock: Clock, policy: FetchPolicy | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
            raise ConfigError(f"jwt_keys: {url} has to begin with https://, for whoever changes keys lets himself in")
        self._url = url
        self._clock = clock
        self._policy = policy or FetchPolicy()
        self._keys: Sequence[jwt.PyJWK] = ()
        self._fetched_at: datetime | None = None
        self._tried_at: datetime | None = None
        self._lock = asyncio.Lock()

    async def find(self, kid: str | None) -> jwt.PyJWK | None:
        """Return the key of this id.

        Raises:
            ProviderUnavailable: the keys cannot be fetched, and none are known.
        """
        found = _choose(self._keys, kid)
        if found is None or self._is_over(self._fetched_at, self._policy.fresh_s):
            async with self._lock:
                if self._is_over(self._tried_at, self._policy.pause_s):
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
                httpx.AsyncClient(timeout=self._policy.timeout_s, trust_env=False) as client,
                client.stream("GET", self._url) as answer,
            ):
                answer.raise_for_status()
                body = await _read_most(answer, self._policy.most_bytes)
            keys = read_jwks(json.loads(body))
        except (httpx.HTTPError, ValueError, TypeError, RecursionError) as exc:
            _LOG.warning("the keys of the identity provider cannot be fetched: %s", type(exc).__name__)
            return
        self._keys, self._fetched_at = keys, self._tried_at


def read_jwks(data: Any) -> list[jwt.PyJWK]:  # noqa: ANN401 - whatever the JSON holds
    """Return the keys of a JWKS that can check a signature of ours; the others are left out.

    Raises:
        ValueError: it is no JWKS.
    """
    if not isinstance(data, dict) or not isinstance(data.get("keys"), list):
        raise ValueError("a JWKS is an object with a list of keys")  # noqa: TRY004 - one kind of error for both callers
    found = []
    for entry in data["keys"]:
        if isinstance(entry, dict) and entry.get("kty") in ("RSA", "EC", "OKP") and entry.get("use", "sig") == "sig":
            try:
                key = jwt.PyJWK(entry)
            except jwt.PyJWTError:
                continue
            if key.algorithm_name in ALGORITHMS:
                found.append(key)
    return found


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
    for key in keys:
        if kid is not None and key.key_id == kid:
            return key
    only = keys[0] if len(keys) == 1 else None
    return only if only is not None and (kid is None or only.key_id is None) else None


async def _read_most(answer: httpx.Response, most: int) -> bytes:
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > most:
            raise ValueError("the answer is too long")
    return bytes(body)
