"""``yesteryear serve``."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import STORE, Invocation, command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yesteryear.api.app import GuardPolicy
    from yesteryear.api.reception import Reception
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
        from yesteryear.api.app import build_app
        from yesteryear.api.listening import ListenPolicy, bind
        from yesteryear.api.listening import serve as serve_app
    except ImportError as exc:
        from yesteryear.errors import MissingExtra

        raise MissingExtra("serving needs: pip install 'yesteryear[server]'") from exc
    from yesteryear.config import read_settings

    given = {"store": call.store, "serve_host": host, "serve_port": port}
    settings = read_settings(given, environ=os.environ, folder=Path.cwd())
    at = settings.text("serve_host")
    policy = ListenPolicy(idle_s=float(settings["serve_idle_timeout"]), stop_s=float(settings["serve_stop_timeout"]))
    with bind(at, int(settings["serve_port"])) as listener:
        reception = _open_reception(call.store, host=at, worker=_WORKERS[has_worker])
        app = build_app(reception, guards=_guards(settings))
        url = f"http://{_in_url(at)}:{listener.getsockname()[1]}"

        def tell() -> None:
            doors = list(app.state.doors)
            call.output.note(f"listening at {url}; ctrl-C stops", style="bold")
            listed = ", ".join([*doors, "/health", "/metrics"])
            call.output.note(f"memories in {settings.text('store')}; doors: {listed}")
            for note in reception.engine.notes:
                call.output.note(f"note: {note}", style="yellow")
            if call.output.is_json:
                call.output.document({"url": url, "doors": doors, "notes": list(reception.engine.notes)})

        with _access_log(is_on=bool(settings["access_log"])):
            serve_app(app, listener, policy, on_ready=tell)
    call.output.note("stopped")


def _open_reception(store: str | None, *, host: str, worker: str | None) -> Reception:
    """Open the engine, and say who keeps its gate. To be swapped for ``bootstrap.doors.open_reception``.

    Raises:
        ConfigError: others than this machine could come, and nobody would ask them who they are.
    """
    import yesteryear
    from yesteryear.api.access import OpenDoor
    from yesteryear.api.reception import Reception
    from yesteryear.errors import ConfigError

    if not _is_loopback(host):
        raise ConfigError(
            f"at {host} anybody could come who reaches this machine, and none would be asked who they are; "
            "listen at 127.0.0.1 (the setting serve_host)"
        )
    return Reception(yesteryear.open_async(store, worker=worker), OpenDoor())


def _guards(settings: Settings) -> GuardPolicy:
    from yesteryear.api.app import GuardPolicy
    from yesteryear.api.guards.bodies import BodyPolicy
    from yesteryear.api.guards.hosts import LOOPBACK_NAMES

    at = settings.text("serve_host")
    own = () if at in _WILDCARDS else (_in_url(at),)
    return GuardPolicy(
        hosts=(*LOOPBACK_NAMES, *own, *_listed(settings.text("serve_hosts"))),
        origins=_listed(settings.text("serve_origins")),
        body=BodyPolicy(
            most_bytes=int(settings["serve_body_mb"]) * 1024 * 1024, timeout_s=float(settings["serve_body_timeout"])
        ),
    )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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
