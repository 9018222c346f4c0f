"""What was said: episodes on a timeline, with what they weigh and when they fade; the gate's log with its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.charts import fading_curve, timeline
from yesteryear.api.inspector.visit import PageVisit, Route, by_hand, forgetting
from yesteryear.errors import InputError, NotFound
from yesteryear.why import EpisodeWhy

_A_PAGE = 40
_A_PAGE_OF_MESSAGES = 60


async def show_all(visit: PageVisit) -> Response:
    """Show a page of episodes, newest first, and where they lie in time."""
    after = visit.asked("after") or None
    status = visit.asked("status") or None
    found = await visit.memory.episodes(status=status, after=after, limit=_A_PAGE + 1)
    episodes = found[:_A_PAGE]
    whys = {episode.id: await _why(visit, episode.id) for episode in episodes}
    rows = [(each.id, each.ended_at, each.importance, whys[each.id].strength) for each in episodes]
    return visit.page(
        "episodes",
        episodes=episodes,
        whys=whys,
        chart=timeline(rows),
        by_id={episode.id: episode for episode in episodes},
        status=status or "",
        after=episodes[-1].id if len(found) > _A_PAGE else None,
        is_first=after is None,
    )


async def show_one(visit: PageVisit) -> Response:
    """Show an episode with its words, its mood, what came of it and how it fades."""
    name = visit.named("id")
    why = await _why(visit, name)
    episode = next(iter(await visit.memory.episodes(ids=[name])), None)
    if episode is None:
        raise NotFound(f"there is no episode {name!r}")
    said = sorted(await visit.memory.messages(ids=episode.message_ids), key=lambda message: message.seq)
    names = {message.name for message in said}
    facts = await visit.memory.facts(limit=1000)
    return visit.page(
        "episode",
        episode=episode,
        why=why,
        chart=fading_curve(why, now=visit.now),
        words_said=said,
        facts=[fact for fact in facts if not names.isdisjoint(fact.messages)],
    )


async def _why(visit: PageVisit, name: str) -> EpisodeWhy:
    found = (await visit.memory.why(name, at=visit.now)).episode
    if found is None:
        raise NotFound(f"there is no episode {name!r}")
    return found


async def show_journal(visit: PageVisit) -> Response:
    """Show a page of the journal with the gate's verdicts, newest first."""
    conversations = sorted({each.key.name for each in await visit.memory.conversations()})
    since = _since(visit)
    found = await visit.memory.messages(
        conversation=visit.asked("conversation") or None,
        outcome=visit.asked("outcome") or None,
        since=since,
        after=visit.asked("after"),
        newest_first=True,
        limit=_A_PAGE_OF_MESSAGES + 1,
    )
    page = found[:_A_PAGE_OF_MESSAGES]
    return visit.page(
        "journal",
        messages=page,
        conversations=conversations,
        conversation=visit.asked("conversation"),
        outcome=visit.asked("outcome"),
        since=since,
        is_first=not visit.asked("after"),
        after=page[-1].id if len(found) > _A_PAGE_OF_MESSAGES else None,
    )


async def show_message(visit: PageVisit) -> Response:
    """Show why a message was kept or skipped."""
    why = await visit.memory.why(visit.named("id"), at=visit.now)
    return visit.page("message", why=why, message=why.message)


def _since(visit: PageVisit) -> datetime | None:
    """Return the day from which on the log is shown, where one was asked for."""
    day = visit.asked("since")
    try:
        return datetime.combine(date.fromisoformat(day), time.min, UTC) if day and day != "all" else None
    except ValueError as exc:
        raise InputError(f"since is a day such as 2026-03-12, not {day!r}") from exc


ROUTES: Sequence[Route] = (
    Route("GET", "/episodes", Right.READ, show_all),
    Route("GET", "/episodes/{id}", Right.READ, show_one),
    by_hand("/episodes", "pin", "pinned"),
    by_hand("/episodes", "unpin", "unpinned"),
    by_hand("/episodes", "restore", "restored"),
    *forgetting("/episodes"),
    Route("GET", "/journal", Right.READ, show_journal),
    Route("GET", "/journal/{id}", Right.READ, show_message),
    by_hand("/journal", "keep", "kept"),
    by_hand("/journal", "restore", "restored"),
)
