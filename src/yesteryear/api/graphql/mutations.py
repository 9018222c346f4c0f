"""Every verb that changes something. What document A names comes first, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import strawberry

from yesteryear.api.graphql.contexts import MemoryConfig, MemoryConfigInput
from yesteryear.api.graphql.shapes import Long
from yesteryear.api.graphql.visit import Info, lend, lend_where
from yesteryear.consolidate.letting_go import Faded
from yesteryear.consolidate.look import ConflictView, FactView
from yesteryear.core.cycle import CycleReport
from yesteryear.core.episode import Episode
from yesteryear.core.erasure import Erasure
from yesteryear.core.message import Message, Receipt
from yesteryear.drain import Drained
from yesteryear.errors import NotFound
from yesteryear.forget.forget import Forgotten
from yesteryear.forget.propose import Proposal
from yesteryear.forget.seal import TakenBack
from yesteryear.memory import AsyncMemory

ID = strawberry.ID
DEFAULT = ID("default")
"""The conversation of those who have but one."""


@strawberry.input(description="One of several messages that are taken down together.")
class MessageInput:
    """One of several messages."""

    content: str
    role: str = "user"
    author: str | None = None
    conversation_id: ID = DEFAULT
    at: datetime | None = None
    id: ID | None = None
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What was kept, let go or brought back: an episode, a fact, or what somebody had asked in talk to forget."""

    episode: Episode | None = None
    fact: FactView | None = None
    taken_back: TakenBack | None = None
    """What was hidden and is there again."""

    @classmethod
    def of(cls, row: Episode | FactView | TakenBack) -> Kept:
        """Return the one that it is."""
        if isinstance(row, TakenBack):
            return cls(taken_back=row)
        return cls(episode=row) if isinstance(row, Episode) else cls(fact=row)


async def trigger_episode_summarization(info: Info, *, conversation_id: ID) -> Episode:
    """End the present episode of a conversation, and return its last one once all open ones have been summarised."""
    memory = await lend_where(info, "close_episode", conversation_id)
    await memory.close_episode(conversation_id)
    await memory.flush()
    found = await memory.episodes(conversation=conversation_id, limit=1)
    if not found:
        raise NotFound(f"nothing that was said in {conversation_id!r} was worth an episode; messages() tells why")
    return found[0]


async def extract_knowledge_facts(info: Info, *, conversation_id: ID, episode_id: ID) -> Sequence[FactView]:
    """Draw facts from an episode by hand, and compare them with what is known."""
    memory = await lend_where(info, "extract", conversation_id)
    if not any(episode.conversation == conversation_id for episode in await memory.episodes(ids=[episode_id])):
        raise NotFound(f"no episode of {conversation_id!r} has the id {episode_id!r}; ids stand in episodes()")
    return await memory.extract(episode_id)


async def observe(
    info: Info,
    *,
    content: str,
    role: str = "user",
    author: str | None = None,
    conversation_id: ID = DEFAULT,
    at: datetime | None = None,
    id: ID | None = None,  # noqa: A002 - as the verbs call it
    zone: str | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Receipt:
    """Take down what was said; it is on disk when this returns. The same id again changes nothing."""
    memory = lend(info, "observe", user=user_id, project=project_id)
    return await memory.observe(
        content, role=role, author=author, conversation=conversation_id, at=at, id=id, zone=zone
    )


async def observe_messages(
    info: Info, *, messages: list[MessageInput], user_id: str | None = None, project_id: ID | None = None
) -> Sequence[Receipt]:
    """Take down several messages, together or not at all."""
    memory = lend(info, "observe", user=user_id, project=project_id)
    return await memory.observe(
        [
            {
                "content": message.content,
                "role": message.role,
                "author": message.author,
                "conversation": message.conversation_id,
                "at": message.at,
                "id": message.id,
                "zone": message.zone,
            }
            for message in messages
        ]
    )


async def close_episode(
    info: Info, *, conversation_id: ID = DEFAULT, user_id: str | None = None, project_id: ID | None = None
) -> bool:
    """End the present episode of a conversation: what comes next belongs to another one."""
    await lend(info, "close_episode", user=user_id, project=project_id).close_episode(conversation_id)
    return True


async def keep(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Message:
    """Keep a skipped message after all, with what was judged together with it."""
    return await lend(info, "keep", user=user_id, project=project_id).keep(id)


async def extract(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Sequence[FactView]:
    """Draw facts by hand from an episode, or from that of a message, and compare them with what is known."""
    return await lend(info, "extract", user=user_id, project=project_id).extract(id)


async def flush(info: Info, *, user_id: str | None = None, project_id: ID | None = None) -> Drained:
    """End all open episodes and wait until everything that is due has been done."""
    return await lend(info, "flush", user=user_id, project=project_id).flush()


async def retry(info: Info, *, user_id: str | None = None, project_id: ID | None = None) -> int:
    """Make everything that was given up after too many failures due again; return how many rows that were."""
    return await lend(info, "retry", user=user_id, project=project_id).retry()


async def confirm(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    version: Long | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> FactView:
    """Note that the person said yes to a fact."""
    memory = lend(info, "confirm", user=user_id, project=project_id)
    return _fact(await memory.confirm(await _id_of_fact(memory, id), version=version))


async def refute(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    version: Long | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> FactView:
    """Note that the person said no to a fact: it is not believed any more."""
    memory = lend(info, "refute", user=user_id, project=project_id)
    return _fact(await memory.refute(await _id_of_fact(memory, id), version=version))


async def confirm_proposal(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Proposal:
    """Carry out a proposal to forget: what it is about is hidden, and erased when its days are over."""
    return _proposal(await lend(info, "confirm", user=user_id, project=project_id).confirm(id))


async def refute_proposal(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Proposal:
    """Withdraw a proposal to forget; nothing goes."""
    return _proposal(await lend(info, "refute", user=user_id, project=project_id).refute(id))


async def both_hold(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    user_id: str | None = None,
    project_id: ID | None = None,
) -> ConflictView:
    """Note that the person said that both sides of a conflict hold: it is settled, and neither gives way."""
    return await lend(info, "both_hold", user=user_id, project=project_id).both_hold(id)


async def correct(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    statement: str,
    since: datetime | None = None,
    version: Long | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> FactView:
    """Put another statement in the place of a fact, and return the new fact; since when it holds, where both did."""
    memory = lend(info, "correct", user=user_id, project=project_id)
    return await memory.correct(id, statement, since=since, version=version)


async def resolve(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    at: datetime | None = None,
    version: Long | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> FactView:
    """Note that a goal is reached, a blocker gone or a decision reversed."""
    return await lend(info, "resolve", user=user_id, project=project_id).resolve(id, at=at, version=version)


async def pin(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    version: Long | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Kept:
    """Keep an episode or a fact for good."""
    return Kept.of(await lend(info, "pin", user=user_id, project=project_id).pin(id, version=version))


async def unpin(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    version: Long | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Kept:
    """Let an episode or a fact fade again as others do."""
    return Kept.of(await lend(info, "unpin", user=user_id, project=project_id).unpin(id, version=version))


async def restore(
    info: Info,
    *,
    id: ID,  # noqa: A002 - as the verbs call it
    version: Long | None = None,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Kept:
    """Bring an archived episode back, with what is left of it; or believe a fact again."""
    return Kept.of(await lend(info, "restore", user=user_id, project=project_id).restore(id, version=version))


async def forget(
    info: Info,
    *,
    ids: list[ID] | None = None,
    conversation_id: ID | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    about: str | None = None,
    dry_run: bool = False,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Forgotten:
    """Forget messages and all that was made of them; what is named by a subject is only proposed."""
    memory = lend(info, "forget", user=user_id, project=project_id)
    return await memory.forget(
        *(ids or ()), conversation=conversation_id, since=since, until=until, about=about, dry_run=dry_run
    )


async def consolidate(
    info: Info,
    *,
    at: datetime | None = None,
    dry_run: bool = False,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> CycleReport:
    """Run a night: settle what is believed, let go what has faded."""
    return await lend(info, "consolidate", user=user_id, project=project_id).consolidate(at=at, dry_run=dry_run)


async def undo(
    info: Info, *, cycle: ID | None = None, user_id: str | None = None, project_id: ID | None = None
) -> CycleReport:
    """Take back what the last night did to facts."""
    return await lend(info, "undo", user=user_id, project=project_id).undo(cycle)


async def fade(
    info: Info,
    *,
    at: datetime | None = None,
    dry_run: bool = False,
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Faded:
    """Let go what has faded, what exceeds the limits, and skipped text whose days are over."""
    return await lend(info, "fade", user=user_id, project=project_id).fade(at=at, dry_run=dry_run)


async def configure(
    info: Info, *, settings: MemoryConfigInput, user_id: str | None = None, project_id: ID | None = None
) -> MemoryConfig:
    """Set what holds for a person, or for one project of theirs, and return what is set there now."""
    memory = lend(info, "configure", user=user_id, project=project_id)
    return MemoryConfig.of(await memory.configure(project=None, **settings.given))


async def erase(info: Info, *, user_id: str | None = None) -> Erasure:
    """Erase the person: all of their memory, in every index and file. There is no way back."""
    return await lend(info, "erase", user=user_id).erase()


async def _id_of_fact(memory: AsyncMemory, name: str) -> str:
    """Return the id of a fact.

    Raises:
        NotFound: it is of none; of a proposal it goes to ``confirmProposal`` and ``refuteProposal``.
    """
    if await memory.facts(ids=[name], status="all"):
        return name
    raise NotFound(f"there is no fact {name!r} in this scope; ids stand in facts()")


def _fact(found: FactView | Proposal) -> FactView:
    if isinstance(found, Proposal):
        raise NotFound(f"{found.id!r} is a proposal; answer it with confirmProposal or refuteProposal")
    return found


def _proposal(found: FactView | Proposal) -> Proposal:
    if isinstance(found, Proposal):
        return found
    raise NotFound(f"{found.id!r} is a fact and no proposal; answer it with confirm or refute")


MUTATIONS = (
    *(trigger_episode_summarization, extract_knowledge_facts),
    *(observe, observe_messages, close_episode, keep, extract, flush, retry),
    *(confirm, refute, confirm_proposal, refute_proposal, both_hold, correct, resolve, pin, unpin, restore, forget),
    *(consolidate, undo, fade, configure, erase),
)
