"""One process that serves: the settings made into doors, guards and an address."""

from __future__ import annotations

import logging
import sys
from contextlib import nullcontext
from functools import partial
from ipaddress import ip_address
from urllib.parse import urlsplit

from yesteryear.api.app import build_app, doors_of
from yesteryear.api.guards import LOOPBACK_NAMES, GuardPolicy
from yesteryear.api.proxy.relay import ProxyPolicy, Upstream
from yesteryear.api.serving import ListenPolicy, bind, serve
from yesteryear.bootstrap.doors import open_auth_context
from yesteryear.cli.invocation import installed_version
from yesteryear.cli.output import Output, logged
from yesteryear.config.settings import Settings
from yesteryear.errors import ConfigError

_WILDCARDS = ("0.0.0.0", "::")  # noqa: S104 - recognised, not listened at


def run(settings: Settings, output: Output, *, store: str | None, worker: str | None) -> None:
    """Serve until ctrl-C or SIGTERM; ``worker`` is the setting, None to leave it as it is."""
    at = settings.text("serve_host")
    policy = ListenPolicy(idle_s=float(settings["serve_idle_timeout"]), stop_s=float(settings["serve_stop_timeout"]))
    with bind(at, int(settings["serve_port"])) as listener:
        proxied = settings.text("proxy_url")
        upstream = Upstream(proxied, settings.secret("proxy_key")) if proxied else None
        proxy = ProxyPolicy(recall_deadline_ms=int(settings["recall_deadline_ms"]))
        doors = partial(doors_of, upstream=upstream, proxy=proxy, version=installed_version("yesteryear"))
        is_loopback = ip_address(listener.getsockname()[0]).is_loopback
        auth_context = open_auth_context(store, loopback=is_loopback, worker=worker)
        app = build_app(auth_context, guards=_guards(settings), doors=doors)
        url = f"http://{_in_url(at)}:{listener.getsockname()[1]}"

        def tell() -> None:
            paths, notes = list(app.state.doors), list(auth_context.engine.notes)
            output.note(f"listening at {url}; ctrl-C stops", style="bold")
            output.note(f"memories in {settings.text('store')}; doors: {', '.join(paths)}, /health, /metrics")
            output.notes(notes)
            output.document({"url": url, "doors": paths, "notes": notes})

        requests = logged("yesteryear.access", logging.StreamHandler(sys.stderr), level=logging.INFO)
        with requests if settings["access_log"] else nullcontext():
            serve(app, listener, policy, on_ready=tell)
    output.note("stopped")


def _guards(settings: Settings) -> GuardPolicy:
    at, public = settings.text("serve_host"), urlsplit(settings.text("serve_url"))
    own = () if at in _WILDCARDS else (_in_url(at),)
    if public.geturl() and (public.scheme not in ("http", "https") or not public.hostname):
        raise ConfigError(f"serve_url is an address such as https://memory.example, not {public.geturl()!r}")
    named = (_in_url(public.hostname),) if public.hostname else ()
    return GuardPolicy(
        hosts=(*LOOPBACK_NAMES, *own, *named, *_listed(settings.text("serve_hosts"))),
        origins=_listed(settings.text("serve_origins")),
        is_encrypted=public.scheme == "https",
        most_body_bytes=int(settings["serve_body_mb"]) * 1024 * 1024,
        body_timeout_s=float(settings["serve_body_timeout"]),
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
