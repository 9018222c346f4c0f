"""Tokens of an identity provider: which hold, and which are none of ours whatever they claim."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import logging
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from tests.doors.access.provider import AUDIENCE, ISSUER, PRIVATE, RSA, Provider, public_jwk, sign
from tests.each import each
from yesteryear import errors
from yesteryear.api.access import Principal, Right
from yesteryear.api.audit import AuditLog
from yesteryear.api.keyring import EitherGate, KeyGate, KeyRing
from yesteryear.api.tokens import FileKeys, KeySource, TokenGate, TokenPolicy, WebKeys, read_jwks
from yesteryear.core.access.audit import AuditDraft, follow, verify
from yesteryear.providers.clock import ReplayClock
from yesteryear.testing.builders import NOON

PEM = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
POLICY = TokenPolicy(issuer=ISSUER, audience=AUDIENCE)


class Known:
    """Keys that are known from the beginning."""

    async def find(self, kid: str | None) -> jwt.PyJWK | None:
        """Return a key."""
        return next(
            (key for key in read_jwks({"keys": [public_jwk(name) for name in PRIVATE]}) if key.key_id == kid), None
        )


def knock(token: str, *, clock: ReplayClock | None = None, keys: KeySource | None = None, **policy: Any) -> Principal:
    """Present a token at noon."""
    chosen = TokenPolicy(issuer=ISSUER, audience=AUDIENCE, **policy)
    gate = TokenGate(keys or Known(), clock or ReplayClock(NOON), chosen)
    return asyncio.run(gate.admit({"authorization": f"Bearer {token}"}))


def unsigned(header: dict[str, Any], claims: dict[str, Any] | None = None) -> str:
    """Return the first two parts of a token."""
    body = claims or {"iss": ISSUER, "aud": AUDIENCE, "sub": "ana", "tenant": "acme", "scope": "admin"}
    held = {"exp": NOON.timestamp() + 99, "nbf": NOON.timestamp(), **body}
    parts = (base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in (header, held))
    return ".".join(parts)


@pytest.mark.parametrize("algorithm", sorted(PRIVATE))
def test_a_token_opens_one_persons_memory(algorithm: str) -> None:
    """Signed in any of the three ways that are taken."""
    principal = knock(sign(algorithm))
    assert principal == Principal("sub:ana", "acme", "ana", Right.WRITE)


def test_claims_may_have_other_names() -> None:
    """Providers differ."""
    token = sign(org="b", email="ana@example.org", roles=["x", "admin", "read"])
    found = knock(token, tenant_claim="org", user_claim="email", scope_claim="roles")
    assert (found.tenant, found.user, found.right, found.name) == ("b", "ana@example.org", Right.ADMIN, "sub:ana")


@each(
    "claims",
    [
        {"iss": "https://evil.example.org/"},
        {"iss": None},
        {"aud": "another-service"},
        {"aud": None},
        {"exp": None},
        {"exp": "tomorrow"},
        {"exp": True},
        {"exp": 1e300},
        {"nbf": None},
        {"nbf": "x"},
        {"sub": None},
        {"sub": ""},
        {"sub": "*"},
        {"sub": "a\nb"},
        {"tenant": None},
        {"tenant": ["acme"]},
        {"tenant": ""},
        {"scope": None},
        {"scope": "reading writers"},
        {"scope": {"admin": True}},
        {"scope": [["admin"]]},
    ],
)
def test_what_a_token_lacks_is_not_made_up(claims: dict[str, Any]) -> None:
    """Of another issuer, for another service, without an end, without a person, without a right: refused."""
    with pytest.raises(errors.NotAdmitted):
        knock(sign(**claims))


def test_a_subject_that_would_spoil_a_log_is_refused() -> None:
    """Also where another claim names the person."""
    with pytest.raises(errors.NotAdmitted):
        knock(sign(sub="ana\nrow 2", email="ana"), user_claim="email")


def test_where_nobody_says_not_before_the_time_of_issue_counts() -> None:
    """Many providers leave nbf out."""
    assert knock(sign(nbf=None, iat=NOON)).user == "ana"
    with pytest.raises(errors.NotAdmitted, match="yet"):
        knock(sign(nbf=None, iat=NOON + timedelta(minutes=5)))


def test_clocks_may_differ_a_little() -> None:
    """By thirty seconds at either end, and not by one more."""
    clock, token = ReplayClock(NOON), sign()
    for seconds, is_good in ((-31, False), (-30, True), (3600 + 29, True), (3600 + 30, False)):
        clock.set(NOON + timedelta(seconds=seconds))
        if is_good:
            assert knock(token, clock=clock).user == "ana"
        else:
            with pytest.raises(errors.NotAdmitted):
                knock(token, clock=clock)


def test_no_algorithm_is_taken_from_the_token() -> None:
    """Neither none, nor a shared secret made of what is public, nor another one than the key's."""
    plain = unsigned({"alg": "none", "kid": "RS256"})
    shared = unsigned({"alg": "HS256", "kid": "RS256"})
    mac = base64.urlsafe_b64encode(hmac.digest(PEM, shared.encode(), sha256)).rstrip(b"=").decode()
    crossed = unsigned({"alg": "ES256", "kid": "RS256"}) + "." + sign("ES256").rpartition(".")[2]
    weak = jwt.encode({"iss": ISSUER}, "a secret that is long enough for everybody", algorithm="HS256")
    for token in (f"{plain}.", plain, f"{shared}.{mac}", crossed, weak):
        with pytest.raises(errors.NotAdmitted):
            knock(token)


def test_a_key_of_somebody_else_signs_nothing() -> None:
    """Also where it says to be the provider's, or brings its own key along."""
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ana", "tenant": "acme", "scope": "admin", "nbf": NOON}
    brought = {"kid": "RS256", "jwk": public_jwk("RS256"), "jku": "https://evil.example.org/jwks"}
    for headers in ({"kid": "RS256"}, {"kid": "nobody"}, {}, brought):
        token = jwt.encode({**claims, "exp": NOON + timedelta(hours=1)}, other, algorithm="RS256", headers=headers)
        with pytest.raises(errors.NotAdmitted):
            knock(token)


def test_changed_claims_break_the_signature() -> None:
    """Nobody becomes another person by writing so."""
    header, _, signature = sign().split(".")
    body = unsigned({}, {"iss": ISSUER, "aud": AUDIENCE, "sub": "ben", "tenant": "acme", "scope": "admin"}).split(".")[
        1
    ]
    with pytest.raises(errors.NotAdmitted):
        knock(f"{header}.{body}.{signature}")


@given(text=st.text(max_size=300) | st.from_regex(r"[\w-]{0,80}\.[\w-]{0,80}\.[\w-]{0,80}", fullmatch=True))
def test_nothing_that_is_presented_breaks_the_gate(text: str) -> None:
    """Whatever it is, it is refused."""
    with pytest.raises(errors.NotAdmitted):
        knock(text)


def test_published_keys_are_fetched_once(provider: Provider) -> None:
    """For many callers who come at the same time, and for those who come later."""
    provider.asked = 0
    gate = TokenGate(WebKeys(provider.url, ReplayClock(NOON)), ReplayClock(NOON), POLICY)

    async def many() -> list[Principal]:
        headers = {"authorization": f"Bearer {sign()}"}
        return await asyncio.gather(*(gate.admit(headers) for _ in range(20)))

    assert {principal.user for principal in asyncio.run(many())} == {"ana"}
    assert provider.asked == 1


def test_a_new_key_is_fetched_when_it_is_named_but_not_at_every_guess(provider: Provider) -> None:
    """Rotation works at once; ids that nobody knows cost the provider one request in half a minute."""
    provider.asked, clock = 0, ReplayClock(NOON)
    keys = WebKeys(provider.url, clock)
    assert knock(sign(), keys=keys, clock=clock).user == "ana"
    provider.published.append(public_jwk("ES256", "next"))
    clock.advance(timedelta(seconds=30))
    assert knock(sign("ES256", kid="next"), keys=keys, clock=clock).user == "ana"
    for number in range(50):
        with pytest.raises(errors.NotAdmitted):
            knock(sign(kid=f"guess-{number}"), keys=keys, clock=clock)
    assert provider.asked == 2
    provider.published.pop()
    clock.advance(timedelta(hours=1))
    assert knock(sign(exp=NOON + timedelta(hours=9)), keys=keys, clock=clock).user == "ana"
    with pytest.raises(errors.NotAdmitted):
        knock(sign("ES256", kid="next", exp=NOON + timedelta(hours=9)), keys=keys, clock=clock)


def test_known_keys_serve_on_while_the_provider_is_silent(provider: Provider, caplog: pytest.LogCaptureFixture) -> None:
    """Nonsense is no set of keys; whoever has none yet is told to try again."""
    clock = ReplayClock(NOON)
    keys = WebKeys(provider.url, clock)
    token = sign(exp=NOON + timedelta(days=2))
    assert knock(token, keys=keys, clock=clock).user == "ana"
    for body in (b"<html>", b"[]", b'{"keys": 7}', b" " * 1_000_001, b"\xff"):
        provider.body = body
        clock.advance(timedelta(hours=2))
        assert knock(token, keys=keys, clock=clock).user == "ana"
    provider.body = b"{}"
    with caplog.at_level(logging.WARNING), pytest.raises(errors.ProviderUnavailable, match="try again"):
        knock(sign(), keys=WebKeys(provider.url, clock), clock=clock)
    provider.body = None
    assert "cannot be fetched" in caplog.text


def test_a_provider_that_is_not_there_is_told_as_such() -> None:
    """It is not the caller's fault."""
    with pytest.raises(errors.ProviderUnavailable):
        knock(sign(), keys=WebKeys("http://127.0.0.1:9/jwks", ReplayClock(NOON)))


@pytest.mark.parametrize("url", ["http://login.example.org/jwks", "ftp://127.0.0.1/x", "file:///etc/keys"])
def test_keys_are_not_fetched_where_others_can_change_them(url: str) -> None:
    """Whoever writes the keys writes the tokens."""
    with pytest.raises(errors.ConfigError, match="https"):
        WebKeys(url, ReplayClock(NOON))


@pytest.mark.parametrize("algorithm", sorted(PRIVATE))
def test_a_file_may_hold_the_keys(tmp_path: Path, algorithm: str) -> None:
    """As a PEM, which has no id, or as a JWKS."""
    pem, jwks = tmp_path / "key.pem", tmp_path / "keys.json"
    pem.write_bytes(PRIVATE[algorithm].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    jwks.write_text(json.dumps({"keys": [public_jwk(algorithm)]}), encoding="utf-8")
    for path in (pem, jwks):
        assert knock(sign(algorithm), keys=FileKeys(path)).user == "ana"
    with pytest.raises(errors.NotAdmitted):
        knock(sign(algorithm, kid="other"), keys=FileKeys(jwks))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b'{"keys": []}',
        b"-----BEGIN PUBLIC KEY-----\nnonsense\n-----END PUBLIC KEY-----\n",
        b'{"keys": [{"kty": "oct", "k": "c2VjcmV0"}, {"kty": "RSA"}, 7]}',
    ],
)
def test_a_file_without_a_public_key_is_refused_at_once(tmp_path: Path, data: bytes) -> None:
    """A secret that both sides know is none; the server does not start."""
    path = tmp_path / "keys"
    path.write_bytes(data)
    with pytest.raises(errors.ConfigError, match="jwt_keys"):
        FileKeys(path)
    with pytest.raises(errors.ConfigError, match="cannot be read"):
        FileKeys(tmp_path / "nowhere")


def test_b21_no_subject_reads_like_a_key(ring: KeyRing) -> None:
    """A provider's user may be called like one of our keys; the audit tells them apart, and rows of before are kept."""
    _, key = ring.create("acme", None, name="app", right=Right.READ)
    names = {knock(sign(sub=sub)).name for sub in (f"key {key.id}", f"key:{key.id}", "sub:ana", "operator")}
    assert names == {f"sub:key {key.id}", f"sub:key:{key.id}", "sub:sub:ana", "sub:operator"}
    before = follow(AuditDraft(NOON, f"key {key.id}", "pin"), None)
    chain = [before, follow(AuditDraft(NOON, f"key:{key.id}", "pin"), before)]
    assert verify(chain).is_whole


def test_keys_and_tokens_go_through_one_gate(ring: KeyRing, clock: ReplayClock) -> None:
    """What begins as a key is one; everything else is a token."""
    keys = KeyGate(ring, AuditLog(ring.store, clock))
    gate = EitherGate(keys, TokenGate(Known(), clock, POLICY))
    token, key = ring.create("acme", None, name="app", right=Right.READ)
    for text, name in ((token.text, f"key:{key.id}"), (sign(), "sub:ana")):
        assert asyncio.run(gate.admit({"authorization": f"bearer {text}"})).name == name
