"""``yesteryear gate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command
from yesteryear.cli.output import Output, count

if TYPE_CHECKING:
    from yesteryear.cli.verdicts import JudgedExchange


@command(*SCOPE)
def gate(
    call: Invocation,
    *,
    is_kept: Annotated[bool, typer.Option("--kept", help="Only what was kept.")] = False,
    is_skipped: Annotated[bool, typer.Option("--skipped", help="Only what was skipped.")] = False,
    conversation: Annotated[str | None, typer.Option(help="Only from this conversation.")] = None,
    limit: Annotated[int | None, typer.Option(help="Show this many of the latest; all where not given.", min=0)] = None,
    shows_features: Annotated[bool, typer.Option("--features", help="Show what each score is made of.")] = False,
) -> None:
    """Show what the gate kept and what it skipped, and why.

    A line is an exchange: what somebody said, and the replies to it. A rule decided it, or its score against the
    threshold. Skipped text stays, in no episode and no fact: `yesteryear keep` makes up for it.

    Example:
      yesteryear gate --user ana --skipped --features
    """
    from yesteryear.cli.pages import take_pages
    from yesteryear.cli.verdicts import count_reasons, group_judged

    outcomes = {"keep"} if is_kept and not is_skipped else {"skip"} if is_skipped and not is_kept else {"keep", "skip"}
    with call.open() as engine:
        memory = call.memory(engine)
        rows = take_pages(lambda last, size: memory.messages(conversation=conversation, after=last or "", limit=size))
        exchanges, waiting = group_judged(rows)
    totals = count_reasons(exchanges)
    shown = [exchange for exchange in exchanges if exchange.verdict.outcome in outcomes]
    shown = shown[max(0, len(shown) - limit) :] if limit is not None else shown
    if call.output.is_json:
        rows_out = [exchange.to_dict() for exchange in shown]
        call.output.document({"totals": totals, "waiting": waiting, "exchanges": rows_out})
        return
    _show(shown, call.output, shows_features=shows_features)
    _show_totals(totals, waiting, call.output)


def _show(exchanges: list[JudgedExchange], output: Output, *, shows_features: bool) -> None:
    from yesteryear.cli.verdicts import verdict_table

    if not shows_features:
        output.show(verdict_table(exchanges))
        return
    for exchange in exchanges:
        verdict = exchange.verdict
        features = [f"{name} {value:.2f}" for name, value in verdict.features.items() if value]
        output.say(f"{verdict.outcome}  {exchange.reason}  {exchange.ground}", style="bold")
        output.say(f"  {', '.join(features) or 'no feature speaks'}", style="dim")
        for line in exchange.text.splitlines():
            output.say(f"  {line}")


def _show_totals(totals: dict[str, dict[str, int]], waiting: int, output: Output) -> None:
    from yesteryear.cli.verdicts import say_reasons

    output.say()
    for line in say_reasons(totals):
        output.say(line)
    if waiting:
        output.say(f"{count(waiting, 'message')} not judged yet: `yesteryear worker --once` does it")
