"""The tools that only look: recall, get_context, list_memories, search and fetch."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from yesteryear.api.mcp.answers import (
    NOTHING,
    AnswerPage,
    ContextAnswer,
    Document,
    Found,
    MemoryAnswer,
    SearchAnswer,
    SearchResult,
    fenced,
    fit,
    title_of,
    url_of,
)
from yesteryear.api.mcp.calling import (
    EPISODE,
    FACT,
    NOTED,
    REQUEST,
    Fetch,
    GetContext,
    ListMemories,
    Recall,
    Search,
    Told,
    ToolCall,
)
from yesteryear.core.arguments import MAX_PAGE
from yesteryear.core.time import parse_instant, say_day
from yesteryear.errors import NotFound
from yesteryear.recall.render import defuse

if TYPE_CHECKING:
    from yesteryear.core.scored import Hit
    from yesteryear.why import EpisodeWhy, MessageWhy
    from yesteryear.why_fact import FactWhy

_MOST_HITS = 50
"""Hits that are looked at; the budget decides how many are shown."""
_SEARCH_HITS = 10
_BESIDE = frozenset({REQUEST, NOTED})
"""What this door takes down beside somebody's words, and nobody looks for."""


async def recall(call: ToolCall, given: Recall) -> Told:
    """Find memories that bear on a question, as many as the budget holds."""
    then = parse_instant(given.as_of) if given.as_of else None
    found = await call.memory.recall(
        given.query,
        limit=_MOST_HITS,
        kinds=given.kinds,
        since=given.since,
        until=given.until,
        archived=then is not None,
        at=then,
    )
    hits = found.hits if then is None else await _as_of(call, found.hits, then)
    memories = [MemoryAnswer.of_hit(hit) for hit in hits if hit.text not in _BESIDE]
    shown, text, tokens = fit(memories, call.now, given.max_tokens)
    left_out, notes = len(memories) - len(shown), list(found.notes)
    return Told(Found(memories=shown, tokens=tokens, left_out=left_out, notes=notes), text)


async def get_context(call: ToolCall, given: GetContext) -> Told:
    """Return what to know before replying. What was shown is noted, so that its repetition is no new evidence."""
    context = await call.memory.context(
        given.message, conversation=call.conversation(), budget=given.max_tokens, recent_budget=0
    )
    answer = ContextAnswer(
        text=context.text,
        tokens=context.tokens,
        questions=[question.text for question in context.questions],
        notes=list(context.notes),
    )
    return Told(answer, context.text or NOTHING)


async def list_memories(call: ToolCall, given: ListMemories) -> Told:
    """Return one page of facts, the surest first, or of episodes, the newest first."""
    most = given.limit + 1  # one more than is shown tells whether there are more
    if given.kind == EPISODE:
        memories = [MemoryAnswer.of(row) for row in await call.memory.episodes(after=given.cursor, limit=most)]
    else:
        kinds = None if given.kind in (None, FACT) else [given.kind]
        memories = [
            MemoryAnswer.of(row) for row in await call.memory.facts(kinds=kinds, after=given.cursor, limit=most)
        ]
    shown = memories[: given.limit]
    more = shown[-1].id if len(memories) > given.limit else None
    text = fenced([memory.line(call.now) for memory in shown])
    return Told(AnswerPage(memories=shown, next_cursor=more), f"{text}\n\nnext_cursor: {more}" if more else text)


async def search(call: ToolCall, given: Search) -> Told:
    """Find memories, as ids and titles."""
    found = await call.memory.recall(given.query, limit=_SEARCH_HITS)
    hits = [hit for hit in found.hits if hit.text not in _BESIDE]
    results = [SearchResult(id=hit.id, title=title_of(hit.text), url=url_of(hit.id)) for hit in hits]
    return Told(SearchAnswer(results=results))


async def fetch(call: ToolCall, given: Fetch) -> Told:
    """Return all of one memory: its words, and what it rests on."""
    why = await call.memory.why(given.id)
    if why.fact is not None:
        return Told(_fact_document(why.fact, call.now))
    if why.message is not None:
        return Told(_message_document(why.message, why.episode, call.now))
    if why.episode is not None:
        return Told(await _episode_document(call, why.episode))
    raise NotFound(f"nothing here has the id {given.id!r}")


async def _as_of(call: ToolCall, hits: Sequence[Hit], then: datetime) -> list[Hit]:
    """Return what was known or held at an instant: facts that held then, and what had been said by then."""
    held = {fact.id for fact in await call.memory.facts(as_of=then, limit=MAX_PAGE)}
    return [hit for hit in hits if (hit.id in held if hit.confidence is not None else hit.at <= then)]


def _fact_document(fact: FactWhy, now: datetime) -> Document:
    lines = [defuse(fact.statement), f"({fact.kind}, {fact.status}, {fact.confidence_now:.0%} sure)"]
    for row in fact.evidence:
        quote = f': "{defuse(row.quote)}"' if row.quote else ""
        lines.append(f"- {row.stance}, {defuse(row.said_by)}, {say_day(row.said_at, now=now, zone=None)}{quote}")
    messages = ", ".join(row.message for row in fact.evidence if row.message)
    metadata = {"kind": fact.kind, "status": fact.status, "about": fact.subject, "messages": messages}
    return _document(fact.id, fact.statement, lines, metadata)


def _message_document(message: MessageWhy, episode: EpisodeWhy | None, now: datetime) -> Document:
    said = defuse(message.text) or "(the words are gone)"
    lines = [f"{defuse(message.said_by)}, {say_day(message.at, now=now, zone=None)}: {said}"]
    metadata = {"kind": "message", "at": message.at.isoformat(), "by": message.said_by}
    if episode is not None:
        metadata |= {"episode": episode.id, "topic": episode.topic}
    return _document(message.id, message.text or "(the words are gone)", lines, metadata)


async def _episode_document(call: ToolCall, why: EpisodeWhy) -> Document:
    found = await call.memory.episodes(ids=[why.id])
    if not found:
        raise NotFound(f"nothing is left of the episode {why.id!r}")
    episode = found[0]
    digest = episode.digest
    topic, summary = (digest.topic, digest.summary) if digest else (why.topic, "")
    parts = [*digest.key_points, *digest.decisions] if digest else []
    spoken = await call.memory.messages(ids=episode.message_ids)
    said = [row for row in sorted(spoken, key=lambda row: row.seq) if row.content and row.content not in _BESIDE]
    lines = [
        f"{say_day(episode.ended_at, now=call.now, zone=episode.zone)}: {defuse(topic)}",
        *([defuse(summary)] if summary else []),
        *(f"- {defuse(part)}" for part in dict.fromkeys(parts)),
        *(f"{defuse(row.author).replace(':', ' ')}: {defuse(row.content)}" for row in said),
    ]
    metadata = {"kind": EPISODE, "at": episode.ended_at.isoformat(), "status": episode.status.value}
    return _document(episode.id, topic or EPISODE, lines, metadata)


def _document(memory_id: str, title: str, lines: Sequence[str], metadata: dict[str, str]) -> Document:
    known = {name: value for name, value in metadata.items() if value}
    return Document(id=memory_id, title=title_of(title), text=fenced(lines), url=url_of(memory_id), metadata=known)
