"""Who keeps the gate of a server, as the settings say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yesteryear.api.access import Gatekeeper, OpenDoor
from yesteryear.api.audit import AuditLog
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.keyring import EitherGate, KeyGate, KeyRing
from yesteryear.api.limits import LimitedGate, LimitPolicy
from yesteryear.api.streams import StreamPolicy
from yesteryear.bootstrap import build_engine, build_ports
from yesteryear.config.settings import Settings
from yesteryear.errors import ConfigError, MissingExtra
from yesteryear.memory.engine import AsyncEngine
from yesteryear.ports import Clock, Store

if TYPE_CHECKING:
    from yesteryear.api.tokens import KeySource


def open_auth_context(store: str | os.PathLike[str] | None = None, *, loopback: bool, **given: Any) -> AuthContext:
    """Open a memory and return the context that all doors of a server lead to; close its engine in the end.

    Arguments are those of ``yesteryear.open`` and ``build_gatekeeper``. Where one does not fit nothing is left open.
    """
    ports, found = build_ports(store, **given)
    try:
        gatekeeper = build_gatekeeper(found, ports.store, ports.clock, loopback=loopback)
    except (ConfigError, MissingExtra):
        ports.release()
        ports.store.close()
        ports.embedder.close()
        raise
    streaming = StreamPolicy(most=max(1, int(found["serve_streams"])))
    engine = build_engine(AsyncEngine, ports, found)
    return AuthContext(engine, gatekeeper, AuditLog(ports.store, ports.clock), streaming=streaming)


def build_gatekeeper(settings: Settings, store: Store, clock: Clock, *, loopback: bool) -> Gatekeeper:
    """Return who lets callers in: by key or token, or, where only this machine can reach it (``loopback``), anybody.

    ConfigError where nobody would have to say who they are on a server that others can reach.
    """
    auth = settings.text("auth")
    if auth == "off" and not loopback:
        raise ConfigError(
            f"auth = off (from {settings.origins['auth']}) would let everybody on the network read and erase every "
            "memory; set auth to on and make a key with `yesteryear key create`, or serve on 127.0.0.1"
        )
    if auth == "off" or (auth == "auto" and loopback):
        return OpenDoor()
    keys = KeyGate(KeyRing(store, clock), AuditLog(store, clock))
    gate = EitherGate(keys, _build_token_gate(settings, clock)) if settings.text("jwt_issuer") else keys
    per_minute = float(settings["requests_per_minute"])
    return LimitedGate(gate, clock, LimitPolicy(requests_per_minute=per_minute)) if per_minute else gate


def _build_token_gate(settings: Settings, clock: Clock) -> Gatekeeper:
    for name in ("jwt_audience", "jwt_keys"):
        if not settings.text(name):
            raise ConfigError(f"{name} is missing: with jwt_issuer = {settings.text('jwt_issuer')!r} it has to be set")
    try:
        from yesteryear.api.tokens import FileKeys, TokenGate, TokenPolicy, WebKeys
    except ImportError as exc:
        raise MissingExtra("checking tokens needs: pip install 'yesteryear[server]'") from exc
    place = settings.text("jwt_keys")
    source: KeySource = WebKeys(place, clock) if "://" in place else FileKeys(Path(place).expanduser())
    names = ("issuer", "audience", "tenant_claim", "user_claim", "scope_claim")
    said: dict[str, Any] = {name: settings.text(f"jwt_{name}") for name in names}
    return TokenGate(source, clock, TokenPolicy(**said))
