"""What each page reads, and what each form does."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime, time
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.charts import LEFT, bar, belief_curve, fading_curve, series_chart, timeline
from yesteryear.api.inspector.graph_layout import BOX_WIDTH, GraphLink, lay_out
from yesteryear.api.inspector.visit import PageVisit, Route, by_hand, forgetting
from yesteryear.core.attributes import FactKind, attributes
from yesteryear.core.fact import FactStatus
from yesteryear.core.fading.confidence import ConfidencePolicy
from yesteryear.core.language.invisible_text import marked
from yesteryear.core.message import Outcome
from yesteryear.core.night_report import CycleReport, CycleState
from yesteryear.core.relation import MUTUAL, Relation
from yesteryear.errors import InputError, NotFound, Stale
from yesteryear.lifecycle.why import EpisodeWhy
from yesteryear.measure.metrics import GroupedBy, SeriesView
from yesteryear.policies import OVERRIDABLE
from yesteryear.ports import Setting
from yesteryear.relate.inference import GraphQuestion
from yesteryear.relate.views import GraphEnd, GraphView

_MOST = 1000  # facts that are looked through, edges that are listed
_MOST_DRAWN = 60  # edges of a drawing
_MOST_SERIES = 200
_FACTS = 8  # facts of the first page
_EPISODES = 5  # episodes of the first page
_BUDGET = "1000"
_MOST_DROPPED = 40  # of what was left out of a context, what is listed
_EPISODES_A_PAGE = 40
_MESSAGES_A_PAGE = 60
_MOST_NIGHTS = 60
_SAID_HERE = "pages"  # name of the conversation that holds what is told on the pages


# The first page, and what an agent would be given for a message, and why.


async def show_overview(visit: PageVisit) -> Response:
    """Show numbers, open goals, the surest facts and the latest episodes."""
    facts = await visit.memory.facts(limit=_MOST)
    stats = await visit.memory.stats()
    return visit.page(
        "overview",
        stats=stats,
        messages=stats["messages.open"] + sum(stats.get(f"messages.{outcome.value}", 0) for outcome in Outcome),
        facts=facts[:_FACTS],
        believed=len(facts),
        open_facts=await visit.memory.facts(open_only=True, limit=_FACTS),
        episodes=await visit.memory.episodes(status="active", limit=_EPISODES),
        conflicts=await visit.memory.conflicts(),
        proposals=await visit.memory.proposals(),
    )


async def show_preview(visit: PageVisit) -> Response:
    """Show the context for a message, lane by lane; it is only looked at and counts as shown to nobody."""
    message, asked = visit.asked("message"), visit.asked("budget") or _BUDGET
    if not asked.isdecimal() or len(asked) > len("1000000"):
        raise InputError(f"a budget is a whole number of tokens, not {asked!r}")
    found = await visit.memory.context(message, budget=int(asked), at=visit.now, dry_run=True)
    return visit.page(
        "context",
        message=message,
        budget=int(asked),
        found=found,
        parts_of_bar=bar(found.spent.items(), whole=max(found.budget, found.tokens)),
        dropped=found.dropped[:_MOST_DROPPED],
    )


# What was said: episodes on a timeline, with what they weigh and when they fade; the gate's log with its reasons.


async def show_episodes(visit: PageVisit) -> Response:
    """Show a page of episodes, newest first, and where they lie in time."""
    after, status = visit.asked("after") or None, visit.asked("status") or None
    found = await visit.memory.episodes(status=status, after=after, limit=_EPISODES_A_PAGE + 1)
    episodes = found[:_EPISODES_A_PAGE]
    whys = {episode.id: await _why_episode(visit, episode.id) for episode in episodes}
    return visit.page(
        "episodes",
        episodes=episodes,
        whys=whys,
        chart=timeline([(each.id, each.ended_at, each.importance, whys[each.id].strength) for each in episodes]),
        by_id={episode.id: episode for episode in episodes},
        status=status or "",
        after=episodes[-1].id if len(found) > _EPISODES_A_PAGE else None,
        is_first=after is None,
    )


async def show_episode(visit: PageVisit) -> Response:
    """Show an episode with its words, its mood, what came of it and how it fades."""
    name = visit.named("id")
    why = await _why_episode(visit, name)
    episode = next(iter(await visit.memory.episodes(ids=[name])), None)
    if episode is None:
        raise NotFound(f"there is no episode {name!r}")
    said = sorted(await visit.memory.messages(ids=episode.message_ids), key=lambda message: message.seq)
    names = {message.name for message in said}
    facts = await visit.memory.facts(limit=_MOST)
    return visit.page(
        "episode",
        episode=episode,
        why=why,
        chart=fading_curve(why, now=visit.now),
        words_said=said,
        facts=[fact for fact in facts if not names.isdisjoint(fact.messages)],
    )


async def _why_episode(visit: PageVisit, name: str) -> EpisodeWhy:
    found = (await visit.memory.why(name, at=visit.now)).episode
    if found is None:
        raise NotFound(f"there is no episode {name!r}")
    return found


async def show_journal(visit: PageVisit) -> Response:
    """Show a page of the journal with the gate's verdicts, newest first."""
    conversation, outcome, after = visit.asked("conversation"), visit.asked("outcome"), visit.asked("after")
    since, day = None, visit.asked("since")
    if day and day != "all":
        try:
            since = datetime.combine(date.fromisoformat(day), time.min, UTC)
        except ValueError as exc:
            raise InputError(f"since is a day such as 2026-03-12, not {day!r}") from exc
    found = await visit.memory.messages(
        conversation=conversation or None,
        outcome=outcome or None,
        since=since,
        after=after,
        newest_first=True,
        limit=_MESSAGES_A_PAGE + 1,
    )
    page = found[:_MESSAGES_A_PAGE]
    return visit.page(
        "journal",
        messages=page,
        conversations=sorted({each.key.name for each in await visit.memory.conversations()}),
        conversation=conversation,
        outcome=outcome,
        since=since,
        is_first=not after,
        after=page[-1].id if len(found) > _MESSAGES_A_PAGE else None,
    )


async def show_message(visit: PageVisit) -> Response:
    """Show why a message was kept or skipped."""
    why = await visit.memory.why(visit.named("id"), at=visit.now)
    return visit.page("message", why=why, message=why.message)


# What is believed and how surely: facts, their conflicts, what is to be forgotten, and the person's word on it.


async def show_facts(visit: PageVisit) -> Response:
    """Show what is believed, the surest first, by kind, attribute, holder, status and words."""
    asked = {name: visit.asked(name) for name in ("kind", "attribute", "holder", "text")}
    kinds, status = [asked["kind"]] if asked["kind"] else None, visit.asked("status") or "current"
    attribute, holder = asked["attribute"] or None, asked["holder"] or None
    found = await visit.memory.facts(kinds=kinds, status=status, attribute=attribute, holder=holder, limit=_MOST)
    text = asked["text"].casefold()
    found = [fact for fact in found if text in fact.statement.casefold()]
    return visit.page(
        "facts",
        **asked,
        facts=found,
        status=status,
        kinds=[each.value for each in FactKind],
        attributes=list(attributes()),
        statuses=("current", "all", *FactStatus),
        people=await visit.memory.people(),
        is_cut=len(found) == _MOST,
    )


async def show_fact(visit: PageVisit, status: int = HTTPStatus.OK, *, meant: str = "") -> Response:
    """Show a fact with its evidence, its curve and its versions; ``meant`` is what a form would have put there."""
    name = visit.named("id")
    why = (await visit.memory.why(name, at=visit.now)).fact
    if why is None:
        raise NotFound(f"there is no fact {name!r}")
    return visit.page(
        "fact",
        status,
        fact=why,
        chart=belief_curve(why, now=visit.now, floor=ConfidencePolicy().deprecate_below),
        can_resolve=why.loop == "open",
        version=why.version,
        meant=meant,
    )


async def add_fact(visit: PageVisit) -> Response:
    """Take down what the person wants remembered; it is said like anything else, so that it has its words behind it."""
    await visit.memory.observe(f"Remember: {visit.said('statement')}", conversation=_SAID_HERE)
    await visit.memory.close_episode(_SAID_HERE)
    return visit.go("/facts", done="told")


async def correct(visit: PageVisit) -> Response:
    """Put another statement in its place, unless somebody else changed it meanwhile."""
    meant = visit.said("statement")
    try:
        corrected = await visit.memory.correct(visit.named("id"), meant, version=visit.version())
    except Stale:
        return await show_fact(visit, HTTPStatus.CONFLICT, meant=meant)
    return visit.go(f"/facts/{corrected.id}", done="corrected")


async def show_conflicts(visit: PageVisit) -> Response:
    """Show open conflicts with both sides, and what was settled before."""
    found = await visit.memory.conflicts(resolved=True)
    return visit.page(
        "conflicts",
        conflicts=[conflict for conflict in found if conflict.settled_at is None],
        settled=[conflict for conflict in found if conflict.settled_at is not None],
    )


async def show_proposals(visit: PageVisit) -> Response:
    """Show each proposal to forget with what would go."""
    return visit.page("proposals", proposals=await visit.memory.proposals())


# What is drawn: what bears on what, as a graph, and what somebody measures, as series.


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


# What becomes of a memory: nights and the way back, settings of one's own, all of it to take away, and its end.


async def show_nights(visit: PageVisit) -> Response:
    """Show the latest nights."""
    found = await visit.memory.nights(limit=_MOST_NIGHTS)
    return visit.page("nights", nights=found, undoable=_undoable(found))


async def show_night(visit: PageVisit) -> Response:
    """Show what a night did to each fact."""
    found = await visit.memory.nights(limit=_MOST_NIGHTS)
    night = next((each for each in found if each.id == visit.named("id")), None)
    if night is None:
        raise NotFound("there is no such night among the latest")
    return await _night(visit, night, is_undoable=night.id == _undoable(found))


async def plan_night(visit: PageVisit) -> Response:
    """Show what a night would do now."""
    return await _night(visit, await visit.memory.consolidate(dry_run=True), is_undoable=False)


async def run_night(visit: PageVisit) -> Response:
    """Run a night now."""
    night = await visit.memory.consolidate()
    return visit.go("/nights", done="nothing") if night.is_empty else visit.go(f"/nights/{night.id}", done="night")


def _undoable(nights: Sequence[CycleReport]) -> str | None:
    """Return the id of the night that can be taken back: the last one that is not undone."""
    return next((night.id for night in nights if night.state is CycleState.DONE), None)


async def _night(visit: PageVisit, night: CycleReport, *, is_undoable: bool) -> Response:
    """Show a night with what its facts say by now; those that are gone are left out."""
    said = {fact.id: fact.statement for fact in await visit.memory.facts(status="all", limit=_MOST)}
    said |= {change.fact_id: change.statement for change in night.changes if change.statement}
    return visit.page("night", night=night, said=said, is_undoable=is_undoable)


async def show_rights(visit: PageVisit) -> Response:
    """Show the person's own settings, and how to take everything away or erase it."""
    return visit.page("rights", settings=OVERRIDABLE, own=await visit.memory.configure())


async def save_settings(visit: PageVisit) -> Response:
    """Set what the form says; an empty field takes a setting back."""
    values = {name: _parse(name, visit.form[name].strip()) for name in OVERRIDABLE if name in visit.form}
    await visit.memory.configure(project=None, **values)
    return visit.go("/rights", done="saved")


def _parse(name: str, text: str) -> Setting | None:
    if not text:
        return None
    if OVERRIDABLE[name].is_flag:
        return text == "true"
    try:
        return int(text) if OVERRIDABLE[name].is_whole else float(text)
    except ValueError as exc:
        raise InputError(f"{name} is a number, not {text!r}") from exc


async def export(visit: PageVisit) -> Response:
    """Hand over everything as one zip."""
    with ExitStack() as stack:
        path = Path(stack.enter_context(TemporaryDirectory(prefix="yesteryear-export-"))) / "memory.zip"
        await visit.memory.export(path)
        gone = BackgroundTask(stack.pop_all().close)
    return FileResponse(path, media_type="application/zip", filename="yesteryear-memory.zip", background=gone)


async def erase(visit: PageVisit) -> Response:
    """Erase the person, once they have typed their name."""
    if visit.said("name") != visit.user:
        raise InputError("nothing was erased: the name does not match; type it exactly as it stands there")
    return visit.page("erased", receipt=await visit.memory.erase())


_WORDS = {
    "confirm": "confirmed",
    "refute": "refuted",
    "resolve": "resolved",
    "pin": "pinned",
    "unpin": "unpinned",
    "restore": "restored",
}
"""What a person can say of a fact by a button, and what is told then."""
ROUTES: Sequence[Route] = (
    Route("GET", "", Right.READ, show_overview),
    Route("GET", "/context", Right.READ, show_preview),
    Route("GET", "/episodes", Right.READ, show_episodes),
    Route("GET", "/episodes/{id}", Right.READ, show_episode),
    *(by_hand("/episodes", verb, _WORDS[verb]) for verb in ("pin", "unpin", "restore")),
    *forgetting("/episodes"),
    Route("GET", "/journal", Right.READ, show_journal),
    Route("GET", "/journal/{id}", Right.READ, show_message),
    by_hand("/journal", "keep", "kept"),
    by_hand("/journal", "restore", "restored"),
    Route("GET", "/facts", Right.READ, show_facts),
    Route("POST", "/facts", Right.WRITE, add_fact),
    Route("GET", "/facts/{id}", Right.READ, show_fact),
    *forgetting("/facts"),
    Route("POST", "/facts/{id}/correct", Right.WRITE, correct),
    *(by_hand("/facts", verb, done) for verb, done in _WORDS.items()),
    Route("GET", "/graph", Right.READ, show_graph),
    Route("GET", "/graph/{id}", Right.READ, show_edge),
    by_hand("/graph", "dismiss", "dismissed"),
    by_hand("/graph", "dismiss", "counts", at="restore", restored=True),
    Route("GET", "/numbers", Right.READ, show_numbers),
    Route("GET", "/numbers/{measure}", Right.READ, show_series),
    Route("GET", "/conflicts", Right.READ, show_conflicts),
    by_hand("/conflicts", "confirm", "confirmed", back="/conflicts", field="holds"),
    by_hand("/conflicts/both", "both_hold", "both-hold", back="/conflicts", field="both"),
    Route("GET", "/proposals", Right.READ, show_proposals),
    by_hand("/proposals", "confirm", "hidden", back="/proposals"),
    by_hand("/proposals", "refute", "withdrawn", back="/proposals"),
    Route("GET", "/nights", Right.READ, show_nights),
    Route("POST", "/nights", Right.WRITE, run_night),
    Route("GET", "/nights/plan", Right.WRITE, plan_night),
    Route("GET", "/nights/{id}", Right.READ, show_night),
    by_hand("/nights", "undo", "undone"),
    Route("GET", "/rights", Right.ADMIN, show_rights),
    Route("POST", "/rights", Right.ADMIN, save_settings),
    Route("POST", "/rights/export", Right.ADMIN, export),
    Route("POST", "/rights/erase", Right.ADMIN, erase),
)
