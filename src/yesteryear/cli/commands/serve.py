"""``yesteryear serve``."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import contextmanager
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import SplitResult, urlsplit

import typer

from yesteryear.cli.invocation import STORE, Invocation, command
from yesteryear.cli.versions import installed_version
from yesteryear.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yesteryear.api.app import GuardPolicy
    from yesteryear.api.proxy.provider import ProxyPolicy, Upstream
    from yesteryear.config import Settings

_WORKERS = {True: "thread", False: "none", None: None}
"""Values of the setting ``worker`` by the option; None leaves it as it is."""
_WILDCARDS = ("0.0.0.0", "::")  # noqa: S104 - recognised, not listened at


@command(*STORE)
def serve(
    call: Invocation,
    host: Annotated[str | None, typer.Option(help="The address to listen at; else the setting serve_host.")] = None,
    port: Annotated[int | None, typer.Option(help="Its port, 0 for any that is free; else serve_port.")] = None,
    has_worker: Annotated[
        bool | None,
        typer.Option(
            "--worker/--no-worker",
            help="Work here too, or leave it to `yesteryear worker`; else the setting worker.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve memories to other programs and to browsers, until ctrl-C or SIGTERM.

    In one process: all doors, the pages and the worker. Requests under way are finished before it stops; a second
    ctrl-C does not wait, and nothing that was acknowledged is lost then either. On this machine alone no key is needed.
    On PostgreSQL several may run, each at a port of its own, and workers elsewhere.

    Example:
      yesteryear serve --store memory.db
      yesteryear serve --store postgresql://app@db/memory --no-worker --port 8378
    """
    try:
        from yesteryear.api.app import build_app, doors_of
        from yesteryear.api.listening import ListenPolicy, bind
        from yesteryear.api.listening import serve as serve_app
        from yesteryear.bootstrap.doors import open_reception
    except ImportError as exc:
        from yesteryear.errors import MissingExtra

        raise MissingExtra("serving needs: pip install 'yesteryear[server]'") from exc
    from yesteryear.config import read_settings

    given = {"store": call.store, "serve_host": host, "serve_port": port}
    settings = read_settings(given, environ=os.environ, folder=Path.cwd())
    at = settings.text("serve_host")
    policy = ListenPolicy(idle_s=float(settings["serve_idle_timeout"]), stop_s=float(settings["serve_stop_timeout"]))
    with bind(at, int(settings["serve_port"])) as listener:
        doors = partial(
            doors_of, upstream=_upstream(settings), proxy=_proxy(settings), version=installed_version("yesteryear")
        )
        reception = open_reception(call.store, loopback=_is_loopback(at), worker=_WORKERS[has_worker])
        app = build_app(reception, guards=_guards(settings), doors=doors)
        url = f"http://{_in_url(at)}:{listener.getsockname()[1]}"

        def tell() -> None:
            paths = list(app.state.doors)
            call.output.note(f"listening at {url}; ctrl-C stops", style="bold")
            listed = ", ".join([*paths, "/health", "/metrics"])
            call.output.note(f"memories in {settings.text('store')}; doors: {listed}")
            for note in reception.engine.notes:
                call.output.note(f"note: {note}", style="yellow")
            if call.output.is_json:
                call.output.document({"url": url, "doors": paths, "notes": list(reception.engine.notes)})

        with _access_log(is_on=bool(settings["access_log"])):
            serve_app(app, listener, policy, on_ready=tell)
    call.output.note("stopped")


def _is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _upstream(settings: Settings) -> Upstream | None:
    """Return where chats go on to; None where no server is named."""
    from yesteryear.api.proxy.provider import Upstream

    url = settings.text("proxy_url")
    return Upstream(url, settings.secret("proxy_key")) if url else None


def _proxy(settings: Settings) -> ProxyPolicy:
    from yesteryear.api.proxy.provider import ProxyPolicy

    return ProxyPolicy(recall_deadline_ms=int(settings["recall_deadline_ms"]))


def _guards(settings: Settings) -> GuardPolicy:
    from yesteryear.api.app import GuardPolicy
    from yesteryear.api.guards.bodies import BodyPolicy
    from yesteryear.api.guards.requests import LOOPBACK_NAMES

    at = settings.text("serve_host")
    own = () if at in _WILDCARDS else (_in_url(at),)
    public = urlsplit(settings.text("serve_url"))
    return GuardPolicy(
        hosts=(*LOOPBACK_NAMES, *own, *_named(public), *_listed(settings.text("serve_hosts"))),
        origins=_listed(settings.text("serve_origins")),
        is_encrypted=public.scheme == "https",
        body=BodyPolicy(
            most_bytes=int(settings["serve_body_mb"]) * 1024 * 1024, timeout_s=float(settings["serve_body_timeout"])
        ),
    )


def _named(public: SplitResult) -> tuple[str, ...]:
    """Return the name under which others reach this server, if any.

    Raises:
        ConfigError: the setting is no address of the web.
    """
    if not public.geturl():
        return ()
    if public.scheme not in ("http", "https") or not public.hostname:
        raise ConfigError(f"serve_url is an address such as https://memory.example, not {public.geturl()!r}")
    return (_in_url(public.hostname),)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@contextmanager
def _access_log(*, is_on: bool) -> Iterator[None]:
    """Write what is noted of requests to stderr, a line of JSON each."""
    handler = logging.StreamHandler(sys.stderr)
    logger = logging.getLogger("yesteryear.access")
    before = logger.level
    if is_on:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
