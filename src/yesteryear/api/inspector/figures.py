"""The pages that draw what is known: what bears on what, as a graph, and what somebody measures, as series."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.charts import LEFT, series_chart
from yesteryear.api.inspector.graph_layout import BOX_WIDTH, GraphLink, lay_out
from yesteryear.api.inspector.visit import PageVisit, Route, by_hand
from yesteryear.core.language.invisible_text import marked
from yesteryear.core.relation import MUTUAL, Relation
from yesteryear.core.time import say_date
from yesteryear.errors import NotFound
from yesteryear.measure.metrics import GroupedBy, SeriesView
from yesteryear.relate.inference import GraphQuestion
from yesteryear.relate.views import GraphEnd, GraphView

_MOST = 1000  # edges that are listed
_MOST_DRAWN = 60  # edges of a drawing
_MOST_SERIES = 200
_FIGURES, _FEW_FIGURES = 4, 2
"""Figures of a number that are shown, beside those before the point; and of a difference that is hardly known."""


async def show_graph(visit: PageVisit) -> Response:
    """Show what bears on what, drawn and listed, and what answers a question."""
    question, of, to = visit.asked("question") or GraphQuestion.ALL.value, visit.asked("of"), visit.asked("to")
    found = await visit.memory.graph(question, of=of or None, to=to or None, at=visit.now, limit=_MOST)
    return visit.page(
        "graph",
        question=question,
        of=of,
        to=to,
        about=next((node.statement for node in found.nodes if node.id == of), ""),
        found=found,
        by_id={edge.id: edge for edge in found.edges},
        is_cut=len(found.edges) >= _MOST,
        **_drawing(found),
    )


def _drawing(found: GraphView) -> dict[str, object]:
    """Return the graph as it is drawn: what is one thing of one person in the same words is one node."""
    whose = {node.id: (node.subject, node.holder) for node in found.nodes}

    def key(end: GraphEnd) -> str:
        return repr((end.words.casefold(), whose.get(end.fact)))

    drawn = found.edges[:_MOST_DRAWN]
    ends = {key(end): end for edge in reversed(drawn) for end in (edge.target, edge.source)}
    links = [GraphLink(key(edge.source), key(edge.target), edge.relation in MUTUAL) for edge in drawn]
    layout = lay_out({name: marked(ends[name].words) for name in reversed(ends)}, links)
    return {
        "layout": layout,
        "ends": ends,
        "arrows": list(zip(drawn, layout.arrows, strict=True)),
        "relations": [relation for relation in Relation if any(edge.relation is relation for edge in drawn)],
        "box_width": BOX_WIDTH,
    }


async def show_edge(visit: PageVisit) -> Response:
    """Show one edge, whether it counts or not, and the way to say that it is so or is not."""
    name = visit.named("id")
    relation, *ids = name.split(":")
    found = await visit.memory.graph(of=ids[0], at=visit.now, limit=_MOST) if ids else None
    edge = next((edge for edge in found.edges if edge.id == name), None) if found else None
    facts = {fact.id: fact for fact in await visit.memory.facts(ids=ids, status="all")} if ids else {}
    if relation not in set(Relation) or [fact_id in facts for fact_id in ids] != [True, True]:
        raise NotFound(f"there is no edge {name!r}")
    return visit.page("edge", name=name, edge=edge, relation=relation, facts=[facts[fact_id] for fact_id in ids])


async def show_numbers(visit: PageVisit) -> Response:
    """Show all series, a line each."""
    found = await visit.memory.metrics(at=visit.now, limit=_MOST_SERIES + 1)
    return visit.page("numbers", found=found[:_MOST_SERIES], is_cut=len(found) > _MOST_SERIES)


async def show_series(visit: PageVisit) -> Response:
    """Show one series over time, with the words that tell each value and what was left out."""
    measure, what, unit, by = visit.named("measure"), visit.asked("what"), visit.asked("unit"), visit.asked("by", "day")
    found = await visit.memory.metrics(measure=measure, what=what or None, by=by, at=visit.now, limit=_MOST)
    series = next((each for each in found if each.unit == unit and each.what.strip() == what), None)
    if series is None:
        raise NotFound("there is no such series; nothing of it may be left")
    chart = series_chart(
        series.points,
        trend=series.trend if by == GroupedBy.DAY else None,
        goals=_goals(series, by),
        has_zero=series.total is not None,
    )
    return visit.page("series", series=series, chart=chart, by=by, left=LEFT)


def _goals(series: SeriesView, by: str) -> Sequence[float]:
    """Return the goal where it can be compared with what is drawn, both ends of a range."""
    goal = series.target
    if goal is None or goal.unit != series.unit or goal.per not in ("", by):
        return ()
    return (goal.value,) if goal.high is None else (goal.value, goal.high)


def amount(value: float | None, unit: str = "", *, signed: bool = False) -> str:
    """Say a value with its unit; a dash for none."""
    if value is None:
        return "–"
    figures = _FEW_FIGURES if signed else _FIGURES
    said = f"{value:,.0f}" if abs(value) >= 10 ** (figures - 1) else f"{value:.{figures}g}"
    said = f"+{said}" if signed and value > 0 else said
    return said + unit if unit.startswith("/") else f"{said} {unit}".rstrip()


def on_day(first: date, last: date | None = None) -> str:
    """Say a day of the calendar, or a stretch of days."""
    days = [say_date(datetime.combine(day, time(), UTC), zone=None) for day in dict.fromkeys((first, last or first))]
    return " to ".join(days)


FIGURE_ROUTES: Sequence[Route] = (
    Route("GET", "/graph", Right.READ, show_graph),
    Route("GET", "/graph/{id}", Right.READ, show_edge),
    by_hand("/graph", "dismiss", "dismissed"),
    by_hand("/graph", "dismiss", "counts", at="restore", restored=True),
    Route("GET", "/numbers", Right.READ, show_numbers),
    Route("GET", "/numbers/{measure}", Right.READ, show_series),
)
