"""``yesteryear bench``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from yesteryear.cli.invocation import NOTHING, Invocation, command
from yesteryear.cli.output import Interrupted, Output


@command(*NOTHING)
def bench(
    call: Invocation,
    suite: Annotated[str, typer.Argument(help="What to measure; without it the suites are listed.")] = "",
    data: Annotated[
        list[Path] | None,
        typer.Option(help="The data set, for suites that measure one; some take several.", exists=True),
    ] = None,
    has_rows: Annotated[bool, typer.Option("--rows", help="Add an entry for each thing measured.")] = False,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="An option of the suite's own, as NAME=VALUE; repeatable.")
    ] = None,
) -> None:
    """Measure this product on this machine.

    With --rows, every figure can be recomputed from what is printed.

    Example:
      yesteryear bench latency --json
      yesteryear bench ingest --data locomo.json --rows --json
    """
    from yesteryear_lab.bench.suites import SUITES, run_suite

    if not suite:
        _list(SUITES, call.output)
        return
    options = dict(_pair(text) for text in option or [])
    try:
        report = run_suite(
            suite,
            data=next(iter(data or ()), None),
            more=(data or ())[1:],
            rows=has_rows,
            options=options,
            on_progress=lambda what: call.output.note(what, style="dim"),
        )
    except KeyboardInterrupt as exc:
        raise Interrupted("interrupted; a suite has to run as a whole, start it again") from exc
    if call.output.is_json:
        call.output.document(report)
    else:
        _show(report, call.output)


def _list(suites: dict[str, str], output: Output) -> None:
    if output.is_json:
        output.document({"suites": suites})
    for name, about in suites.items():
        output.say(f"{name}: {about}")


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise typer.BadParameter(f"{text!r} should be NAME=VALUE", param_hint="--option")
    return name, value


def _show(report: dict[str, Any], output: Output) -> None:
    output.say(f"{report['suite']}: {report['n']:,} measured", style="bold")
    for name, value in report["metrics"].items():
        output.say(f"  {name}: {value}")
    for baseline, metrics in report["baselines"].items():
        output.say(f"  beside it, {baseline}:", style="dim")
        for name, value in metrics.items():
            output.say(f"    {name}: {value}")
    for row in report.get("rows", []):
        output.say(f"  {row}")
