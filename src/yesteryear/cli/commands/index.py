"""``yesteryear index``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import DEFAULT_TENANT, STORE, Interrupted, Invocation, command
from yesteryear.cli.output import Output, cell, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yesteryear.core.vectors import VectorIndex


@command(*STORE)
def index(
    call: Invocation,
    *,
    owner: Annotated[
        str | None, typer.Option(help="Only this person's; everybody's where not given.", metavar="NAME")
    ] = None,
    tenant: Annotated[str, typer.Option(help="The customer of --owner.", metavar="NAME")] = DEFAULT_TENANT,
    is_dry: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Drop the indexes instead.")] = False,
) -> None:
    """Give people with very many vectors an index of their own, on PostgreSQL.

    With more than `exact_vectors` (20,000) vectors a person's are not compared one by one any more: the nearest come
    from an index of theirs alone. Indexes of people who have fewer by now, or are gone, are dropped. It may be run at
    any time, by whoever owns the tables; people are served meanwhile.

    An index names its person in the database's catalogue. Erasing them drops it.

    Example:
      yesteryear index --store postgresql://… --dry-run
    """
    with call.open() as engine:
        try:
            with call.output.progress("looking for people with many vectors"):
                found = engine.index_vectors(user=owner, tenant=tenant, dry_run=is_dry, drop=drop)
        except KeyboardInterrupt as exc:
            raise Interrupted("interrupted; what was made is kept, the same command goes on from there") from exc
        exact_vectors = call.settings()["exact_vectors"]
    if call.output.is_json:
        indexes = [row.to_dict() for row in found]
        call.output.document({"indexes": indexes, "is_dry": is_dry, "exact_vectors": exact_vectors})
        return
    if not found:
        call.output.say(f"no indexes, and none needed: nobody here has more than {exact_vectors:,} vectors")
        return
    _show(found, call.output)
    if is_dry:
        call.output.note("nothing was changed")


def _show(found: Sequence[VectorIndex], output: Output) -> None:
    rows = table("index", "", "person", "model", "vectors", "MB", rest="person")
    for row in found:
        person = "nobody any more" if row.user is None else row.user
        size = f"{row.nbytes / 1e6:.1f}" if row.nbytes else ""
        rows.add_row(row.name, row.fate.value, cell(person), cell(row.model or ""), f"{row.vectors:,}", size)
    output.show(rows)
