"""The tools that change what is remembered: remember, correct, forget, and what the person says of a fact by hand.

Only what a person says becomes a fact about them. So ``remember`` takes their own words, as a message of theirs, and
the call itself as their request; what the assistant noted or read elsewhere is taken down in its own role, from which
no fact is made. See ADR 40.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from yesteryear.api.mcp.answers import Changed, ForgetAnswer, MemoryAnswer, Remembered
from yesteryear.api.mcp.calling import (
    EXCERPT,
    FACT,
    NOTED,
    PLACE,
    REQUEST,
    ByMemory,
    Correct,
    Forget,
    Remember,
    Told,
    ToolCall,
)
from yesteryear.consolidate.look import FactView
from yesteryear.core.arguments import MAX_PAGE
from yesteryear.core.message import Message, Role
from yesteryear.core.time import parse_instant
from yesteryear.errors import InputError
from yesteryear.forget.propose import Proposal
from yesteryear.forget.seal import TakenBack

if TYPE_CHECKING:
    from yesteryear.core.episode import Episode
    from yesteryear.forget.forget import Forgotten

_KEPT = "Taken down. It can be recalled at once; facts are drawn from it within moments."
_NOTED = (
    "Taken down as a note, not as something the person said: it can be recalled and becomes no fact. "
    "Pass the person's own words to have it kept."
)
_BESIDE = ("request", "noted")
"""How the ids of what is taken down beside a message go on."""


async def remember(call: ToolCall, given: Remember) -> Told:
    """Take down what the person said, or a note."""
    at = parse_instant(given.when) if given.when else None
    name, is_theirs = _name_of(given, call), Role(given.said_by) is Role.USER
    where = call.conversation(at, of_notes=not is_theirs)
    tags = [*([given.kind.value] if given.kind else []), *(given.tags or [])]
    said: dict[str, str | None] = {"role": given.said_by, "content": given.content, "id": name}
    noted = {"role": Role.ASSISTANT, "content": f"Noted under: {', '.join(tags)}." if tags else NOTED}
    request = {"role": Role.USER, "author": call.author, "content": REQUEST, "id": f"{name}-request"}
    messages = [said | {"author": call.author}, request] if is_theirs else [said]
    receipts = await call.memory.observe([*messages, noted | {"id": f"{name}-noted"}], conversation=where, at=at)
    await call.memory.close_episode(where)  # else facts would be drawn once nobody has spoken for a while
    told = Remembered(
        id=name,
        is_new=receipts[0].is_new,
        redactions=list(receipts[0].redactions),
        message=_KEPT if is_theirs else _NOTED,
    )
    return Told(told)


async def correct(call: ToolCall, given: Correct) -> Told:
    """Put another statement in the place of a fact."""
    fact = await call.memory.correct(given.memory_id, given.content)
    return Told(Changed(memory=MemoryAnswer.of_fact(fact), message="Corrected; the fact has a new id."))


async def forget(call: ToolCall, given: Forget) -> Told:
    """Forget one memory, or propose what bears on a query and forget that once it is confirmed."""
    if (given.memory_id is None) == (given.query is None):
        raise InputError("forget what? pass memory_id, or a query to see what would be forgotten; one of the two")
    if given.memory_id is not None:
        sources = await _sources(call, given.memory_id)
        proposed = await call.memory.forget(given.memory_id, dry_run=True)
        done = await _forget(call, given.memory_id, *await _beside(call, proposed))
        kept = f" The words it was drawn from are kept; to forget those too: {', '.join(sources)}." if sources else ""
        return Told(done.model_copy(update={"message": done.message + kept}))
    proposed = await call.memory.forget(about=given.query)
    memories = _leaving(proposed)
    if not memories:
        return Told(ForgetAnswer(is_done=False, memories=[], message="Nothing bears on that; nothing was forgotten."))
    if not given.confirm:
        ask = "Nothing was forgotten yet. Show the person these memories and ask; then call again with confirm=true"
        return Told(ForgetAnswer(is_done=False, memories=memories, message=f"{ask}, or forget single ones by id."))
    return Told(await _forget(call, *proposed.ids, *await _beside(call, proposed)))


_Changed: TypeAlias = "Episode | FactView | Message | Proposal | TakenBack"


def by_hand(verb: str, message: str) -> Callable[[ToolCall, ByMemory], Awaitable[Told]]:
    """Return the tool of a verb that takes one id and returns what has that id afterwards.

    Args:
        verb: Name of the method of a memory.
        message: What to say when it is done.
    """

    async def run(call: ToolCall, given: ByMemory) -> Told:
        change: Callable[[str], Awaitable[Episode | FactView | Message | Proposal | TakenBack]] = getattr(
            call.memory, verb
        )
        changed = await change(given.memory_id)
        return Told(Changed(memory=_memory_of(changed), message=message))

    return run


def _memory_of(changed: _Changed) -> MemoryAnswer:
    if isinstance(changed, Proposal):
        return MemoryAnswer(
            id=changed.id, kind="proposal", text=changed.question, at=changed.asked_at, note=changed.state
        )
    if isinstance(changed, TakenBack):
        counts = f"{len(changed.messages)} messages, {len(changed.facts)} facts"
        return MemoryAnswer(id=changed.id, kind="proposal", text=f"Brought back: {counts}", note="restored")
    return MemoryAnswer.of(changed)


def _name_of(given: Remember, call: ToolCall) -> str:
    """Return an id that is the same for the same words on the same day, so that a repeated call adds nothing."""
    when = given.when or f"{call.now:%Y-%m-%d}"
    parts = [when, given.said_by, given.content, given.kind or "", *(given.tags or [])]
    return sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


async def _sources(call: ToolCall, name: str) -> list[str]:
    """Return the ids of the messages that a fact rests on; none for anything else."""
    fact = (await call.memory.why(name)).fact
    return list(dict.fromkeys(row.message for row in fact.evidence if row.message)) if fact else []


async def _beside(call: ToolCall, leaving: Forgotten) -> list[str]:
    """Return the ids of what ``remember`` took down beside messages that are forgotten: it may tell what they said."""
    found: list[str] = []
    for conversation in {row.conversation for row in leaving.messages if row.conversation.startswith(PLACE)}:
        names = {row.name for row in leaving.messages}
        beside = {f"{name}-{part}" for name in names for part in _BESIDE} - names
        rows = await call.memory.messages(conversation=conversation, limit=MAX_PAGE)
        found += [row.id for row in rows if row.external_id in beside]
    return found


async def _forget(call: ToolCall, *ids: str) -> ForgetAnswer:
    done = await call.memory.forget(*dict.fromkeys(ids))
    message = (
        f"Forgotten for good: {len(done.messages)} messages, {len(done.episodes)} episodes, {len(done.facts)} facts."
    )
    return ForgetAnswer(is_done=True, memories=_leaving(done), message=message)


def _leaving(forgotten: Forgotten) -> list[MemoryAnswer]:
    messages = [
        MemoryAnswer(id=row.name, kind=EXCERPT, text=row.text, at=row.at, by=row.author) for row in forgotten.messages
    ]
    return [*messages, *(MemoryAnswer(id=row.id, kind=FACT, text=row.statement) for row in forgotten.facts)]
