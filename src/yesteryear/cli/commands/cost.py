"""``yesteryear cost``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import PERSON, Invocation, command
from yesteryear.cli.output import Output, cell, count, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yesteryear.core.usage import UsageSum


@command(*PERSON)
def cost(
    call: Invocation,
    *,
    since: Annotated[str | None, typer.Option(help="From this day on, such as 2027-01-31 (UTC).")] = None,
    until: Annotated[str | None, typer.Option(help="Up to, and without, this day.")] = None,
) -> None:
    """Show what language models and embedders behind a network have cost.

    Of the person named, or of everybody: by day (UTC), purpose and model, with calls, tokens, dollars and mean time. A
    failed call gave no answer that could be used, or was not made since the provider was left alone for a while or the
    budget of the day was spent; the local analyst then did the work. Where no model is named in the settings there is
    nothing to show.

    Example:
      yesteryear cost --since 2027-01-01 --json
    """
    from yesteryear.cli.dates import parse_day

    span = {"since": parse_day(since), "until": parse_day(until)}
    with call.open() as engine:
        rows = engine.usage(**span) if call.user is None else call.memory(engine).usage(**span)
    usd = sum(row.usd or 0.0 for row in rows)
    unpriced = sorted({row.model for row in rows if row.usd is None and row.requests})
    if call.output.is_json:
        total = {"usd": round(usd, 6), "calls": sum(row.calls for row in rows), "failed": sum(r.failed for r in rows)}
        call.output.document({"rows": [row.to_dict() for row in rows], "total": total, "unpriced": unpriced})
        return
    if not rows:
        call.output.say("no calls of models; everything was done on this machine")
        return
    _show(rows, usd, call.output)
    if unpriced:
        call.output.note(f"no price is known of {', '.join(unpriced)}; set prices_file", style="yellow")


def _show(rows: Sequence[UsageSum], usd: float, output: Output) -> None:
    shown = table("day", "purpose", "model", "calls", "failed", "read", "written", "US$", "ms a call")
    for row in rows:
        shown.add_row(
            *map(cell, (row.day, row.purpose.value, row.model, row.calls, row.failed or "")),
            *map(cell, (f"{row.input_tokens:,}", f"{row.output_tokens:,}")),
            cell("?" if row.usd is None else f"{row.usd:.6f}"),
            cell(round(row.latency_ms / row.calls)),
        )
    output.show(shown)
    calls, failed = sum(row.calls for row in rows), sum(row.failed for row in rows)
    output.say(f"{count(calls, 'call')}, {failed} failed ({failed / calls:.0%}); US$ {usd:.6f}", style="bold")
