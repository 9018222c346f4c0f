"""``yesteryear doctor``."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import STORE, Invocation, command
from yesteryear.cli.output import Output, cell, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yesteryear.cli.checks import Check
    from yesteryear.config import Settings

_MARGIN = 7
"""Columns that the state of a check takes."""


@command(*STORE)
def doctor(
    call: Invocation,
    *,
    may_call: Annotated[
        bool, typer.Option("--call", help="Also call the models named, once each; costs little.")
    ] = False,
    is_quick: Annotated[
        bool, typer.Option("--quick", help="Do not read the whole store, which takes time where it is large.")
    ] = False,
) -> None:
    """Check the installation, the settings and the store.

    Versions, each setting with its origin, whether the model, the file and every row in it are whole, who else may
    read it, whether models behind a network can be used, what was given up and what waits, and what to do about it.
    Nothing is changed. The exit code is 1 when something is wrong; what works, but less well than it could, leaves it
    at 0.

    Example:
      yesteryear doctor --store memory.db
    """
    from yesteryear.cli.checks import Check, State, check_folder, check_model, check_remote, check_versions
    from yesteryear.errors import ConfigError

    checks = list(check_versions())
    settings: Settings | None = None
    try:
        settings = call.settings()
        settings.policies()
    except ConfigError as exc:
        checks.append(Check("settings", State.WRONG, str(exc), "correct it; the store was not looked at"))
    else:
        checks += check_folder(settings)
        checks.append(check_model(settings))
        checks.append(check_remote(settings, may_call=may_call))
        checks += _check_store(call, is_quick=is_quick)
    if call.output.is_json:
        call.output.document({"checks": [check.to_dict() for check in checks], "settings": _plain_settings(settings)})
    else:
        _show(checks, settings, call.output)
    if any(check.state is State.WRONG for check in checks):
        raise typer.Exit(1)


def _check_store(call: Invocation, *, is_quick: bool) -> Iterator[Check]:
    """Open the store and look into it; what forbids that is a finding too."""
    from yesteryear.bootstrap import build_ports
    from yesteryear.cli.checks import RESTORE, Check, State, check_erasures, check_rows, check_store, check_work
    from yesteryear.errors import NotFound, StorageCorrupt, YesteryearError

    try:
        call.check_exists()
        # The model has a check of its own, and the store is to be looked at without it too.
        ports, _ = build_ports(call.store, worker="none", embedder="hashing", analyst="local")
    except NotFound as exc:
        yield Check("store", State.WEAK, "none yet", str(exc))
    except YesteryearError as exc:
        yield Check("store", State.WRONG, str(exc), RESTORE if isinstance(exc, StorageCorrupt) else "")
    else:
        try:
            yield from check_store(ports.store.describe(check=not is_quick))
            if not is_quick:
                with call.output.progress("reading all rows") as advance:
                    yield check_rows(ports.store, advance)
            yield from check_work(ports, ports.clock.now())
            yield check_erasures(ports)
        except YesteryearError as exc:
            yield Check("store", State.WRONG, str(exc), RESTORE if isinstance(exc, StorageCorrupt) else "")
        finally:
            ports.store.close()


def _plain_settings(settings: Settings | None) -> dict[str, dict[str, object]]:
    if settings is None:
        return {}
    values = {name: None if value == inf else value for name, value in settings.values.items()}  # null for no limit
    return {name: {"value": value, "origin": settings.origins[name]} for name, value in values.items()}


def _show(checks: list[Check], settings: Settings | None, output: Output) -> None:
    from yesteryear.cli.checks import State

    styles = {State.FINE: "green", State.WEAK: "yellow", State.WRONG: "red"}
    for check in checks:
        found = f"{check.state:<5}  {check.name}: {check.found}"
        output.wrap(found, style=styles[check.state], indent=0, hanging=_MARGIN, breaks_words=False)
        if check.advice:
            output.wrap(check.advice, indent=_MARGIN, breaks_words=False)
    if settings is None:
        return
    output.heading("Settings")
    rows = table("name", "value", "origin")
    for name, value in settings.values.items():
        rows.add_row(cell(name), cell(value if value != "" else '""'), cell(settings.origins[name], "dim"))
    output.show(rows)
