"""Every verb that only looks. What document A names comes first, word for word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import strawberry

from yesteryear.api.graphql.shapes import Long
from yesteryear.api.graphql.visit import Info, lend
from yesteryear.consolidate.look import ConflictView, FactsDiff, FactView, News
from yesteryear.core.conversation import Conversation
from yesteryear.core.cycle import CycleReport
from yesteryear.core.episode import Episode
from yesteryear.core.message import Message
from yesteryear.core.usage import UsageSum
from yesteryear.forget.propose import Proposal
from yesteryear.recall.context import Context
from yesteryear.recall.retrieve import Recalled
from yesteryear.why import Why

ID = strawberry.ID


async def get_memory_context(
    info: Info, *, user_id: str, project_id: ID, current_context: str | None = None
) -> Context:
    """Get the full memory context for a conversation: what to put before a model."""
    return await lend(info, "context", user=user_id, project=project_id).context(current_context or "")


async def get_conversation_episodes(info: Info, *, project_id: ID, limit: int | None = None) -> Sequence[Episode]:
    """Get the history of episodes, newest first; of the person that the key or the header names."""
    return await lend(info, "episodes", project=project_id).episodes(limit=_PAGE if limit is None else limit)


async def get_knowledge_nodes(
    info: Info, *, user_id: str, project_id: ID | None = None, node_types: list[str] | None = None
) -> Sequence[FactView]:
    """Get what is believed, the surest first."""
    return await lend(info, "facts", user=user_id, project=project_id).facts(kinds=node_types)


async def search_memory(info: Info, *, user_id: str, project_id: ID | None = None, query: str) -> Context:
    """Search by meaning and words; the answer is a context made for the query."""
    return await lend(info, "context", user=user_id, project=project_id).context(query)


async def context(
    info: Info,
    *,
    message: str = "",
    conversation_id: ID | None = None,
    budget: int | None = None,
    recent_budget: int | None = None,
    at: datetime | None = None,
    speaker: str | None = "user",
    layout: str = "text",
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Context:
    """Return what to put before a model for its next reply, within a budget of tokens."""
    memory = lend(info, "context", user=user_id, project=project_id)
    return await memory.context(
        message,
        conversation=conversation_id,
        budget=budget,
        recent_budget=recent_budget,
        at=at,
        speaker=speaker,
        layout=layout,
    )


async def recall(
    info: Info,
    *,
    question: str,
    limit: int = 10,
    kinds: list[str] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    author: str | None = None,
    conversation_id: ID | None = None,
    speaker: str | None = "user",
    archived: bool = False,
    at: datetime | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Recalled:
    """Find memories that bear on a question, best first."""
    memory = lend(info, "recall", user=user_id, project=project_id)
    return await memory.recall(
        question,
        limit=limit,
        kinds=kinds,
        since=since,
        until=until,
        author=author,
        conversation=conversation_id,
        speaker=speaker,
        archived=archived,
        at=at,
    )


async def facts(
    info: Info,
    *,
    ids: list[ID] | None = None,
    kinds: list[str] | None = None,
    status: str = "current",
    subject: str | None = None,
    open_only: bool = False,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    at: datetime | None = None,
    after: ID | None = None,
    limit: int = 100,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Sequence[FactView]:
    """Return what is believed, the surest first; as it held, or was known, at another moment where one is given."""
    memory = lend(info, "facts", user=user_id, project=project_id)
    return await memory.facts(
        ids=ids,
        kinds=kinds,
        status=status,
        subject=subject,
        open_only=open_only,
        as_of=as_of,
        known_at=known_at,
        at=at,
        after=after,
        limit=limit,
    )


async def episodes(
    info: Info,
    *,
    ids: list[ID] | None = None,
    conversation_id: ID | None = None,
    status: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    after: ID | None = None,
    limit: int = 100,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Sequence[Episode]:
    """Return a page of episodes, newest first; the next one begins after the id of the last."""
    memory = lend(info, "episodes", user=user_id, project=project_id)
    return await memory.episodes(
        ids=ids, conversation=conversation_id, status=status, since=since, until=until, after=after, limit=limit
    )


async def messages(
    info: Info,
    *,
    ids: list[ID] | None = None,
    conversation_id: ID | None = None,
    author: str | None = None,
    outcome: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    after: str = "",
    newest_first: bool = False,
    limit: int = 100,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Sequence[Message]:
    """Return a page of the journal, in the order it came in, with what the gate decided and why."""
    memory = lend(info, "messages", user=user_id, project=project_id)
    return await memory.messages(
        ids=ids,
        conversation=conversation_id,
        author=author,
        outcome=outcome,
        since=since,
        until=until,
        after=after,
        newest_first=newest_first,
        limit=limit,
    )


async def conversations(
    info: Info, *, user_id: str | None = None, project_id: ID | None = None
) -> Sequence[Conversation]:
    """Return the conversations."""
    return await lend(info, "conversations", user=user_id, project=project_id).conversations()


async def why(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    at: datetime | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Why:
    """Return why a fact is believed, why an episode is remembered and when it fades, or why a message was kept."""
    return await lend(info, "why", user=user_id, project=project_id).why(id, at=at)


async def changes(
    info: Info, *, since: Long | None = None, user_id: str | None = None, project_id: ID | None = None
) -> News:
    """Return which episodes and facts are new or have changed since a `rev`; where we are alone without one."""
    return await lend(info, "changes", user=user_id, project=project_id).changes(since)


async def conflicts(
    info: Info, *, resolved: bool = False, user_id: str | None = None, project_id: ID | None = None
) -> Sequence[ConflictView]:
    """Return the open questions between facts that cannot both hold, the newest first; settled ones too if wanted."""
    return await lend(info, "conflicts", user=user_id, project=project_id).conflicts(resolved=resolved)


async def proposals(info: Info, *, user_id: str | None = None, project_id: ID | None = None) -> Sequence[Proposal]:
    """Return what somebody asked in talk to have forgotten as a whole, and nobody has answered, the oldest first."""
    return await lend(info, "proposals", user=user_id, project=project_id).proposals()


async def diff(
    info: Info,
    *,
    since: datetime,
    until: datetime | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> FactsDiff:
    """Return what became believed, ceased to be believed, or changed, between two moments."""
    return await lend(info, "diff", user=user_id, project=project_id).diff(since, until)


async def nights(
    info: Info, *, limit: int = 30, user_id: str | None = None, project_id: ID | None = None
) -> Sequence[CycleReport]:
    """Return what the last nights did, newest first."""
    return await lend(info, "nights", user=user_id, project=project_id).nights(limit=limit)


async def stats(info: Info, *, user_id: str | None = None, project_id: ID | None = None) -> Mapping[str, object]:
    """Return numbers of rows by kind and status, and the embedding models in use."""
    return await lend(info, "stats", user=user_id, project=project_id).stats()


async def usage(
    info: Info,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Sequence[UsageSum]:
    """Return what calls of models have cost, by day, purpose and model."""
    return await lend(info, "usage", user=user_id, project=project_id).usage(since=since, until=until)


_PAGE = 100
"""Episodes that are returned where no limit is given."""
QUERIES = (
    *(get_memory_context, get_conversation_episodes, get_knowledge_nodes, search_memory),
    *(context, recall, facts, episodes, messages, conversations),
    *(why, changes, conflicts, proposals, diff, nights, stats, usage),
)
