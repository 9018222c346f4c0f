"""``yesteryear facts``."""

from __future__ import annotations

from typing import Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command


@command(*SCOPE)
def facts(
    call: Invocation,
    *,
    kind: Annotated[
        list[str] | None, typer.Option(help="Only this kind, such as preference or goal; may be given more than once.")
    ] = None,
    status: Annotated[
        str,
        typer.Option(
            help="current, all, tentative, stable, needs_review, deprecated, merged or superseded.", metavar="STATUS"
        ),
    ] = "current",
    subject: Annotated[str | None, typer.Option(help="Only about this person.", metavar="NAME")] = None,
    is_open: Annotated[
        bool, typer.Option("--open", help="Only goals, blockers and decisions that are not settled.")
    ] = False,
    as_of: Annotated[
        str | None, typer.Option(help="What held in the world then: a date (midnight UTC) or ISO 8601 with a zone.")
    ] = None,
    known_at: Annotated[str | None, typer.Option(help="As it was known then; likewise.")] = None,
    at: Annotated[str | None, typer.Option(help="The present, from which confidence counts; else now.")] = None,
    limit: Annotated[int, typer.Option(help="Most facts, 1 to 1000.", min=1)] = 100,
) -> None:
    """List what is believed, the surest first.

    Each with its kind and how it stands, how sure we are (from 0 to 1; without news it sinks), since when it holds, how
    often it was told, and its id, for `yesteryear why`, `confirm`, `refute`, `correct` and `resolve`.

    With --as-of what held in the world at that time, and was superseded since; with --known-at what was believed then,
    right or wrong. With --json a fact a line.

    Example:
      yesteryear facts --user ana --kind goal --open
      yesteryear facts --user ana --as-of 2026-03-01
    """
    from yesteryear.cli.believing import fact_table
    from yesteryear.cli.dates import parse_day, read_zone

    with call.open() as engine:
        memory = call.memory(engine)
        found = memory.facts(
            kinds=kind or None,
            status=status,
            subject=subject,
            open_only=is_open,
            as_of=parse_day(as_of),
            known_at=parse_day(known_at),
            at=parse_day(at),
            limit=limit,
        )
        zone = read_zone(memory)
    if call.output.is_json:
        for fact in found:
            call.output.document(fact.to_dict())
    elif found:
        call.output.show(fact_table(found, zone=zone))
    else:
        call.output.note("no such facts")
    if len(found) == limit:
        call.output.note(f"there may be more than these {limit:,}: --limit shows them", style="dim")
