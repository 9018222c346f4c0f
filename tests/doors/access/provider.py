"""An identity provider for tests: signs tokens, and publishes its keys on a real socket."""

from __future__ import annotations

import json
import threading
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from yesteryear.testing.builders import NOON

ISSUER = "https://login.example.org/"
AUDIENCE = "memory"
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PRIVATE: dict[str, Any] = {
    "RS256": RSA,
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}
"""A key for each algorithm, by its name, which is also its id."""


def public_jwk(algorithm: str, kid: str | None = None) -> dict[str, Any]:
    """Return the public part of a key as it is published."""
    public = PRIVATE[algorithm].public_key()
    writer = {"RS256": RSAAlgorithm, "ES256": ECAlgorithm, "EdDSA": OKPAlgorithm}[algorithm]
    return {**writer.to_jwk(public, as_dict=True), "kid": kid or algorithm, "use": "sig"}


def sign(algorithm: str = "RS256", *, kid: str | None = None, at: datetime = NOON, **changes: object) -> str:
    """Return a token of Ana's in the tenant acme, who may write; ``changes`` are claims, None leaves one out."""
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "ana",
        "tenant": "acme",
        "scope": "openid write",
        "nbf": at,
        "exp": at + timedelta(hours=1),
        **changes,
    }
    held = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(held, PRIVATE[algorithm], algorithm=algorithm, headers={"kid": kid or algorithm})


class Provider:
    """Publishes keys as a JWKS, and counts how often it is asked."""

    def __init__(self) -> None:
        self.published: list[dict[str, Any]] = [public_jwk(algorithm) for algorithm in PRIVATE]
        self.asked = 0
        self.body: bytes | None = None
        """What is answered in place of the keys."""
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.asked += 1
                body = provider.body
                body = json.dumps({"keys": provider.published}).encode() if body is None else body
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        """Where the keys are."""
        return f"http://127.0.0.1:{self._server.server_port}/jwks.json"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
