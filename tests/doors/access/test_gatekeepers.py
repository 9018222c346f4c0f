"""Who keeps the gate of a server, as the settings say."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from tests.doors.access.provider import AUDIENCE, ISSUER, Provider, sign
from tests.each import each
from yesteryear import errors
from yesteryear.api.access import ANONYMOUS, Gatekeeper, OpenDoor, Principal, RequestedScope, Right
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.keyring import KeyRing
from yesteryear.api.limits import LimitedGate
from yesteryear.bootstrap.doors import build_gatekeeper, open_auth_context
from yesteryear.config.settings import read_settings

JWT = {"jwt_issuer": ISSUER, "jwt_audience": AUDIENCE}


def keeper(ring: KeyRing, *, loopback: bool = False, **settings: Any) -> Gatekeeper:
    """Return who keeps the gate under some settings."""
    read = read_settings(settings, environ={}, folder=Path("/"))
    return build_gatekeeper(read, ring.store, ring.clock, loopback=loopback)


def knock(gate: Gatekeeper, **headers: str) -> Principal:
    """Send a request with some headers."""
    return asyncio.run(gate.admit({name.replace("_", "-"): value for name, value in headers.items()}))


def test_only_this_machine_needs_no_key(ring: KeyRing) -> None:
    """By default; a server that others can reach asks, and so does every one that is told to."""
    assert knock(keeper(ring, loopback=True)).name == ANONYMOUS
    for gate in (keeper(ring), keeper(ring, auth="on"), keeper(ring, loopback=True, auth="on")):
        with pytest.raises(errors.NotAdmitted):
            knock(gate)
        token, _ = ring.create("acme", "ana", name="k", right=Right.READ)
        assert knock(gate, authorization=f"Bearer {token.text}").user == "ana"


def test_an_open_door_on_the_network_is_refused(ring: KeyRing) -> None:
    """Before anything listens; the error says what to do instead."""
    assert isinstance(keeper(ring, loopback=True, auth="off"), OpenDoor)
    with pytest.raises(errors.ConfigError, match=r"yesteryear key create.*127\.0\.0\.1"):
        keeper(ring, auth="off")


@each(
    "header",
    [
        *(
            "x_forwarded_for",
            "forwarded",
            "x_real_ip",
            "via",
            "X_Forwarded_Proto",
            "x_forwarded_host",
            "cf_connecting_ip",
        ),
        *("cf_ray", "cf_connecting_ip", "true_client_ip", "x_client_ip", "x_cluster_client_ip"),
        *("x_original_host", "x_original_url"),
        *(
            "fly_client_ip",
            "x_envoy_external_address",
            "x_amzn_trace_id",
            "x_azure_clientip",
            "x_vercel_id",
            "cdn_loop",
        ),
        *(
            "fastly_client_ip",
            "ngrok_auth_user_email",
            "tailscale_user_login",
            "front_end_https",
            "x_appengine_user_ip",
        ),
    ],
)
def test_b13_behind_a_proxy_no_door_is_open(ring: KeyRing, header: str) -> None:
    """To the proxy we are on this machine; to its callers we are not, whatever the proxy calls it."""
    with pytest.raises(errors.NotAdmitted, match=r"proxy.*auth=on.*yesteryear key create"):
        knock(keeper(ring, loopback=True), **{header: "203.0.113.9"})


@pytest.mark.parametrize(
    "host", ["memory.example", "203.0.113.7:8377", "localhost.evil.example", "[2001:db8::1]:80", "", "[::"]
)
def test_b13_an_open_door_goes_by_no_other_name(ring: KeyRing, host: str) -> None:
    """A proxy that passes the name on says by it alone that somebody else may be asking."""
    with pytest.raises(errors.NotAdmitted, match="auth=on"):
        knock(keeper(ring, loopback=True), host=host)


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8377", "127.0.0.1:1", "127.8.9.1", "[::1]:80", "a.localhost:1"]
)
def test_this_machine_is_known_by_its_names(ring: KeyRing, host: str) -> None:
    """With any port; and what programs send of themselves is no sign of a proxy."""
    said = {
        "user_agent": "x",
        "accept": "*/*",
        "traceparent": "00-1-1-00",
        "x_request_id": "7",
        "x_stainless_os": "Linux",
    }
    assert knock(keeper(ring, loopback=True), host=host, **said).name == ANONYMOUS


def test_limits_may_be_set_and_left_out(ring: KeyRing) -> None:
    """None where the number is 0."""
    gate = keeper(ring, requests_per_minute=6)
    token, _ = ring.create("acme", "ana", name="k", right=Right.READ)
    knock(gate, authorization=f"Bearer {token.text}")
    with pytest.raises(errors.TooMany):
        knock(gate, authorization=f"Bearer {token.text}")
    assert not isinstance(keeper(ring, requests_per_minute=0), LimitedGate)


def test_tokens_are_taken_where_a_provider_is_named(ring: KeyRing, provider: Provider) -> None:
    """Beside keys; elsewhere they are nothing."""
    gate = keeper(ring, jwt_keys=provider.url, **JWT)
    assert knock(gate, authorization=f"Bearer {sign()}").tenant == "acme"
    with pytest.raises(errors.NotAdmitted):
        knock(keeper(ring), authorization=f"Bearer {sign()}")


@pytest.mark.parametrize("missing", ["jwt_audience", "jwt_keys"])
def test_half_a_provider_is_refused_at_the_start(ring: KeyRing, missing: str) -> None:
    """A token for another service must not open this one because a setting was left out."""
    settings = {**JWT, "jwt_keys": "https://login.example.org/jwks"}
    del settings[missing]
    with pytest.raises(errors.ConfigError, match=missing):
        keeper(ring, **settings)


def test_a_reception_that_cannot_open_leaves_nothing_open(tmp_path: Path) -> None:
    """The file can be used at once by somebody else."""
    path = tmp_path / "memory.db"
    with pytest.raises(errors.ConfigError):
        open_auth_context(path, loopback=False, auth="off", embedder="hashing")
    auth_context = open_auth_context(path, loopback=False, embedder="hashing", worker="none")
    assert isinstance(auth_context.gatekeeper, LimitedGate)
    asyncio.run(auth_context.engine.aclose())


def test_checking_tokens_is_loaded_where_it_is_needed() -> None:
    """Neither keys nor the command line need what checks tokens."""
    code = (
        "import sys, json; import yesteryear.bootstrap.doors, yesteryear.api.auth_context; "
        "print(json.dumps([name for name in ('jwt', 'httpx', 'cryptography') if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


OWNERS = [("acme", "ana"), ("acme", "ben"), ("other", "ana"), ("other", "*ana")]
"""People whose names are easily mistaken for one another's."""
WISHES = [None, "ana", "ben", "*", "*ana", "Ana", "ana ", "acme", "other\0ana", "a" * 201, ""]


def test_no_request_reaches_a_stranger(tmp_path: Path) -> None:
    """Whatever key, header and verb: words of one person are never in an answer about another."""

    async def live(auth_context: AuthContext, keys: dict[tuple[str, str | None], str]) -> int:
        for tenant, user in OWNERS:
            await auth_context.engine.memory(tenant=tenant, user=user).observe(f"the canary of {tenant}/{user}")
        served = 0
        for (tenant, user), key in keys.items():
            for requested in WISHES:
                headers = {"authorization": f"Bearer {key}"} | (
                    {} if requested is None else {"x-yesteryear-user": requested}
                )
                try:
                    principal = await auth_context.gatekeeper.admit(headers)
                    memory = auth_context.lend(principal, Right.READ, RequestedScope.of_headers(headers))
                except (errors.NotAllowed, errors.InputError):
                    continue
                said = [message.content for message in await memory.messages()]
                said += [line.text for line in (await memory.recall("canary")).hits]
                owner = (tenant, user or requested)
                assert set(said) <= {f"the canary of {tenant}/{owner[1]}"}
                assert bool(said) is (owner in OWNERS)
                served += bool(said)
        return served

    auth_context = open_auth_context(tmp_path / "memory.db", loopback=False, embedder="hashing", worker="none")
    assert auth_context.audit_log is not None
    ring = KeyRing(auth_context.audit_log.store, auth_context.audit_log.clock)
    holders = [*OWNERS, ("acme", None), ("other", None)]
    keys = {(tenant, user): ring.create(tenant, user, name="k", right=Right.READ)[0].text for tenant, user in holders}
    served = asyncio.run(live(auth_context, keys))
    asyncio.run(auth_context.engine.aclose())
    assert served == 4 * 2 + 2 + 2  # their own key with and without their name, and each tenant's for its two people


def test_a_whole_tenant_has_no_memory() -> None:
    """What stands for everybody is nobody's name, in Python as at a door."""
    with yesteryear.open(":memory:", embedder="hashing", worker="none") as engine:
        with pytest.raises(errors.InputError, match="tenant"):
            engine.memory(user="*")
        assert engine.memory(user="**").stats() is not None
