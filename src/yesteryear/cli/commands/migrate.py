"""``yesteryear migrate``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import NOTHING, Invocation, command
from yesteryear.cli.output import Output, count

if TYPE_CHECKING:
    from yesteryear.bootstrap.stores import Schema
    from yesteryear.storage.migrate import SchemaState


@command(*NOTHING)
def migrate(
    call: Invocation,
    store: Annotated[
        str | None, typer.Argument(help="A file or the address of a PostgreSQL; the setting where not given.")
    ] = None,
    *,
    is_dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    partitions: Annotated[
        int, typer.Option(help="Make the big tables of a new PostgreSQL in so many parts, by person.", min=0)
    ] = 0,
    is_for_citus: Annotated[
        bool, typer.Option("--citus", help="Print the script that distributes the tables by person, and stop.")
    ] = False,
) -> None:
    """Bring the tables of a store up to date.

    Shows what has been done to them and what is to be, and does it, one process at a time. Every command does so when
    it opens a store; this one is for a role that may make tables, where the one that works on them may not.

    Before a file that holds data is changed, a copy is made beside it.

    With --citus no store is opened: it prints what is to be run once on a cluster, after the tables were made.

    Example:
      yesteryear migrate postgresql://admin@db.example.org/memory --dry-run
      yesteryear migrate --citus | psql postgresql://admin@db.example.org/memory
    """
    from yesteryear.bootstrap.stores import build_schemas, citus_script
    from yesteryear.config import read_settings

    if is_for_citus:
        call.output.say(citus_script().rstrip())
        if call.output.is_json:
            call.output.document({"script": citus_script()})
        return
    settings = read_settings({"store": store}, environ=os.environ, folder=Path.cwd())
    schemas = build_schemas(settings, partitions=partitions)
    found = [_migrate(schema, call.output, is_dry_run=is_dry_run) for schema in schemas]
    if call.output.is_json:
        call.output.document({"is_dry_run": is_dry_run, "databases": found})


def _migrate(schema: Schema, output: Output, *, is_dry_run: bool) -> dict[str, object]:
    """Bring one database up to date, or show what is to be done; return what is told of it."""
    before = after = schema.look()
    _show(schema.place, before, output)
    if not is_dry_run:
        schema.migrate()
        after = schema.look()
        done = count(len(before.pending), "migration has", "migrations have")
        output.say(f"  {done} been run" if before.pending else "  nothing to do")
    return {"store": schema.place, **after.to_dict(), "run": [] if is_dry_run else list(before.pending)}


def _show(place: str, state: SchemaState, output: Output) -> None:
    parts = f", its big tables in {state.partitions} parts" if state.partitions else ""
    output.say(f"{place}{parts}")
    for label in state.applied:
        output.say(f"  done     {label}", style="dim")
    for label in state.pending:
        output.say(f"  to do    {label}")
