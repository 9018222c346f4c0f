"""What a person measures of their life: series in a table, drawn, or as lines for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Annotated

from rich.table import Table
from typer import Option

import yesteryear
from yesteryear.cli.invocation import Invocation
from yesteryear.cli.output import Output, as_csv, one_line, shorten, table
from yesteryear.cli.verb_options import AskedVerb, command_of
from yesteryear.errors import InputError, MissingExtra
from yesteryear.results import CorrelationView, SeriesName, SeriesView, Trend

_QUOTE_CHARS = 40  # longest words of a point that are shown whole
_DIGITS = 4  # figures of a number that are shown, beside those before the point
_PLOT_SIZE = (80, 18)  # columns and lines of a drawing
_COLUMNS = ("measure", "what", "unit", "first_day", "last_day", "value", "n", "messages", "quotes")


@command_of(yesteryear.Memory.metrics, keeps_dates=True)
def metrics(
    call: Invocation,
    verb: AskedVerb[list[SeriesView]],
    *,
    is_plotted: Annotated[bool, Option("--plot", help="Draw each series.")] = False,
    is_csv: Annotated[bool, Option("--csv", help="Write the points as CSV.")] = False,
) -> None:
    """List what the person told of their life in numbers, a series a line.

    Each with what it measures, its latest value, its total, or its mean where values do not add up, and by how much it
    rises or falls a week, where eight days in fourteen or more tell that. With --measure all of its points too, the
    goal and the habit that were told, and what does not count, and why. With --json a series a line.

    Example:
      yesteryear metrics --user ana
      yesteryear metrics --user ana --measure sleep --by week --since 2026-03-01 --plot
    """
    output = call.output
    if output.is_json + is_csv + is_plotted > 1:
        raise InputError("--json, --csv and --plot are three ways to show the same: pass one of them")
    found = verb()
    if is_csv:
        output.say(as_csv(_COLUMNS, _csv_rows(found)))
        return
    output.listed(found, _series_table, none="nothing was told in numbers")
    is_whole = verb.given["measure"] is not None
    for series in found:
        if is_plotted:
            _plot(series, output)
        if is_whole:
            _show_points(series, output)


@command_of(yesteryear.Memory.correlations, keeps_dates=True)
def correlations(call: Invocation, verb: AskedVerb[list[CorrelationView]]) -> None:
    """List which of the numbers of somebody's life go together, the surest first.

    Pairs with values on 14 days in common or more are compared by rank; those are listed that are unlikely to be
    chance, among all that are compared. Which is the cause of which is not told, nor whether either is. With --json a
    pair a line.

    Example:
      yesteryear correlations --user ana --since 2026-01-01
    """
    call.output.listed(verb(), _pair_table, none="nothing goes together that could not be chance")


def _pair_table(found: Iterable[CorrelationView]) -> Table:
    rows = ((_name(pair.one), _name(pair.other), f"{pair.rho:+.2f}", pair.days, f"{pair.p:.2g}") for pair in found)
    return table(("one", "other", "rho", "days", "p"), rows)


def _series_table(found: Iterable[SeriesView]) -> Table:
    rows = []
    for series in found:
        last = _say(series.last, series.unit) + (f" on {series.last_day}" if series.last_day else "")
        total = _say(series.mean if series.total is None else series.total, series.unit)
        what = shorten(series.what, chars=_QUOTE_CHARS)
        rows.append((series.measure, what, last, total, _say_trend(series.trend), f"{series.trend.days:,}"))
    return table(("measure", "what", "last", "total or mean", "a week", "days"), rows)


def _say(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    return f"{_number(value)}{unit}" if unit.startswith("/") else f"{_number(value)} {unit}".rstrip()


def _number(value: float, *, sign: str = "") -> str:
    return f"{value:{sign},.0f}" if abs(value) >= 10 ** (_DIGITS - 1) else f"{value:{sign}.{_DIGITS}g}"


def _say_trend(trend: Trend) -> str:
    if trend.per_week is None or trend.low is None or trend.high is None:
        return trend.reason
    rise, low, high = (_number(value, sign="+") for value in (trend.per_week, trend.low, trend.high))
    return f"{rise} ({low} to {high})"


def _name(name: SeriesName | SeriesView) -> str:
    return one_line(" ".join(filter(None, (name.measure, name.what, f"({name.unit})" if name.unit else ""))))


def _show_points(series: SeriesView, output: Output) -> None:
    output.heading(_name(series))
    rows = []
    for point in series.points:
        ends = "" if point.low is None or point.high is None else f"{_number(point.low)} to {_number(point.high)}"
        said = shorten(", ".join(filter(None, point.quotes)), chars=_QUOTE_CHARS)
        days = str(point.first_day) + (f" to {point.last_day}" if point.last_day != point.first_day else "")
        rows.append((days, _number(point.value), ends, point.n, said))
    if rows:
        output.show(table(("days", series.unit or "value", "from", "n", "said"), rows))
    output.fields(*_beside(series))


def _beside(series: SeriesView) -> Iterator[tuple[str, str]]:
    for name, aim in (("goal", series.target), ("usual", series.usual)):
        if aim is not None:
            ends = _say(aim.value, aim.unit)
            if aim.high is not None:
                ends = f"{_number(aim.value)} to {_say(aim.high, aim.unit)}"
            yield name, f"{ends}{f' a {aim.per}' if aim.per else ''}, said on {aim.day}"
    if (change := series.change) is not None:
        means = f"{_number(change.before)} before, {_number(change.after)} after (p {change.p:.2g})"
        yield "changed", f"{change.day}: {means}"
    for row in series.left_out:
        yield "left out", f"{_say(row.value, row.unit)} on {row.day}: {row.reason}"


def _csv_rows(found: Iterable[SeriesView]) -> Iterator[tuple[object, ...]]:
    """Yield the points of series; several ids or words of one point are divided by "; "."""
    for series in found:
        for point in series.points:
            many = ("; ".join(point.messages), "; ".join(map(one_line, point.quotes)))
            days = (point.first_day, point.last_day, round(point.value, 6), point.n)
            yield (series.measure, series.what, series.unit, *days, *many)


def _plot(series: SeriesView, output: Output) -> None:
    try:
        import plotext  # comes with an extra
    except ImportError as exc:
        raise MissingExtra("drawings need: pip install 'yesteryear[numbers]'") from exc
    if not series.points:
        output.note(f"{_name(series)}: nothing to draw")
        return
    first = series.points[0].first_day
    places = [(point.first_day - first).days for point in series.points]
    ticks = sorted({0, places[-1] // 2, places[-1]})
    plotext.clear_figure()
    plotext.theme("clear")  # plain characters: the terminal's own colours stay
    plotext.plotsize(*_PLOT_SIZE)
    plotext.plot(places, [point.value for point in series.points], marker="dot")
    plotext.xticks(ticks, [str(first + timedelta(days=place)) for place in ticks])
    drawn: str = plotext.uncolorize(plotext.build())
    output.heading(_name(series))
    output.say("\n".join(line.rstrip() for line in drawn.splitlines()).rstrip("\n"))
