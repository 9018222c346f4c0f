"""Episodes: a timeline with moods and decisions, and each with its words, what it weighs and when it fades."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.charts import fading_curve, timeline
from yesteryear.api.inspector.visit import Handler, Route, Visit
from yesteryear.core.episode import Episode
from yesteryear.errors import NotFound
from yesteryear.why import EpisodeWhy

_A_PAGE = 40


async def show_all(visit: Visit) -> Response:
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


async def show_one(visit: Visit) -> Response:
    """Show an episode with its words, its mood, what came of it and how it fades."""
    name = visit.named("id")
    why = await _why(visit, name)
    episode = await _find(visit, why)
    words = await visit.memory.messages(
        conversation=episode.conversation, since=episode.started_at, limit=max(1, min(1000, _span(episode)))
    )
    said = [message for message in words if message.id in episode.message_ids]
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


def _by_hand(verb: str, done: str) -> Handler:
    """Return what answers a form that keeps an episode, lets it go or brings it back."""

    async def act(visit: Visit) -> Response:
        name = visit.named("id")
        await getattr(visit.memory, verb)(name)
        return visit.go(f"/episodes/{name}", done=done)

    return act


async def ask_forget(visit: Visit) -> Response:
    """Show what would be forgotten with it."""
    name = visit.named("id")
    return visit.page(
        "forget",
        found=await visit.memory.forget(name, dry_run=True),
        action=f"/episodes/{name}/forget",
        back="/episodes",
    )


async def forget(visit: Visit) -> Response:
    """Forget it and all that was made of it."""
    await visit.memory.forget(visit.named("id"))
    return visit.go("/episodes", done="forgotten")


async def _why(visit: Visit, name: str) -> EpisodeWhy:
    found = (await visit.memory.why(name, at=visit.now)).episode
    if found is None:
        raise NotFound(f"there is no episode {name!r}")
    return found


async def _find(visit: Visit, why: EpisodeWhy) -> Episode:
    """Return the episode itself."""
    after: str | None = None
    while page := await visit.memory.episodes(
        conversation=why.conversation, status=why.status, after=after, limit=1000
    ):
        for episode in page:
            if episode.id == why.id:
                return episode
        after = page[-1].id
    raise NotFound(f"there is no episode {why.id!r}")


def _span(episode: Episode) -> int:
    return episode.last_seq - episode.first_seq + 1


ROUTES: Sequence[Route] = (
    Route("GET", "/episodes", Right.READ, show_all),
    Route("GET", "/episodes/{id}", Right.READ, show_one),
    Route("POST", "/episodes/{id}/pin", Right.WRITE, _by_hand("pin", "pinned")),
    Route("POST", "/episodes/{id}/unpin", Right.WRITE, _by_hand("unpin", "unpinned")),
    Route("POST", "/episodes/{id}/restore", Right.WRITE, _by_hand("restore", "restored")),
    Route("GET", "/episodes/{id}/forget", Right.WRITE, ask_forget),
    Route("POST", "/episodes/{id}/forget", Right.WRITE, forget),
)
