"""Types of GraphQL: made from what the verbs return, or written by hand where document A names things differently.

A result is a frozen dataclass whose docstrings say what its fields are. Its type has the same fields in camelCase, and
those docstrings as descriptions.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass, make_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Annotated, Any, NewType, Optional, TypeVar, Union, get_args, get_origin, get_type_hints

import strawberry
from graphql import GraphQLError
from strawberry.schema.config import StrawberryConfig

from yesteryear.api.graphql.visit import Info, reads
from yesteryear.api.verbs import meanings, plainly, sentence_of
from yesteryear.consolidate.belief.queries import FactView
from yesteryear.core.episode import Digest, Episode, UserState
from yesteryear.core.fact import LIVE, Evidence, Slot
from yesteryear.core.message import Conversation, Message
from yesteryear.core.results import to_plain
from yesteryear.policies import OVERRIDABLE
from yesteryear.recall.context import Context, Dropped

T = TypeVar("T")

Long = NewType("Long", int)
"""A whole number beyond 32 bits."""
Plain = NewType("Plain", object)
"""Data whose fields have no fixed names."""
BIG_FIELDS = frozenset({"bytes_scanned", "input_tokens", "latency_ms", "output_tokens", "rev", "version"})
"""Whole numbers that may exceed 32 bits, which is all that an Int of GraphQL holds."""


def _parse_long(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise GraphQLError(f"Long is a whole number, not {value!r}")
    return value


CONFIG = StrawberryConfig(
    scalar_map={
        Long: strawberry.scalar(
            name="Long", description="A whole number, up to 2^53 without loss in JSON.", parse_value=_parse_long
        ),
        Plain: strawberry.scalar(name="JSON", description="Data whose fields have no fixed names.", serialize=to_plain),
    }
)
_WRITTEN: Mapping[type, str] = {
    FactView: "KnowledgeNode",
    Evidence: "FactEvidence",
    Episode: "ConversationEpisode",
    Message: "JournalMessage",
    Conversation: "JournalConversation",
    Context: "MemoryContext",
}
"""Results whose types are written by hand, in document A's words: what these are called below."""


def of(what: str | Callable[[Any], object], description: str | None = None, *, kind: Any = None) -> Any:
    """Return a field that is read from a result, by the name of an attribute or a function, with what it says.

    ``kind`` is what is found there; the field's annotation where not given.
    """
    read = attrgetter(what) if isinstance(what, str) else what

    def resolve(root: Any) -> Any:
        return read(root)

    del resolve.__annotations__["return"]
    shape = None if kind is None else shape_of(kind)
    return strawberry.field(resolver=resolve, description=description, graphql_type=shape)


def resolved(call: Callable[..., Any]) -> Any:
    """Make a field of a function whose annotation says what kind of result it returns."""
    returned = get_type_hints(call)["return"]
    make = strawberry.subscription if get_origin(returned) is AsyncGenerator else strawberry.field
    field = make(resolver=call, graphql_type=shape_of(returned), description=sentence_of(call))
    for argument in field.base_resolver.arguments:
        if argument.default is None:
            argument.default = strawberry.UNSET  # may be left out, which "= null" would say less well
    return field


def shape_of(kind: Any) -> Any:
    """Return the type of GraphQL for what an annotation stands for."""
    origin, parts = get_origin(kind), [part for part in get_args(kind) if part is not Ellipsis]
    if origin in (Union, UnionType):
        return _shape_of_union(parts)
    if origin is AsyncGenerator:
        return shape_of(parts[0])
    if origin is not None:
        is_list = issubclass(origin, Collection) and not issubclass(origin, Mapping) and len(set(parts)) == 1
        return list[shape_of(parts[0])] if is_list else Plain  # type: ignore[misc]
    if not isinstance(kind, type) or kind in (bool, int, float, str, datetime, date, strawberry.ID):
        return kind if kind is not Any else Plain
    if issubclass(kind, Enum):
        return str
    return _shape_of_result(kind) if is_dataclass(kind) else Plain


def _shape_of_union(parts: list[Any]) -> Any:
    shapes = [shape_of(part) for part in parts if part is not type(None)]
    (shape,) = set(shapes)
    return Optional[shape] if len(shapes) < len(parts) else shape  # noqa: UP045 - lazy types know no "|"


@cache
def _shape_of_result(kind: type) -> Any:
    if kind in _WRITTEN:
        return Annotated[_WRITTEN[kind], strawberry.lazy(__name__)]
    made = type(kind.__name__, (), {"__module__": __name__, "__doc__": kind.__doc__})
    return told_of(kind, [field.name for field in fields(kind)])(made)


def told_of(kind: type, names: Iterable[str]) -> Callable[[type[T]], type[T]]:
    """Make a type of GraphQL of a class: it has the fields of a result that are named here, and those of its own."""

    def make(written: type[T]) -> type[T]:
        hints = get_type_hints(kind)
        told = {each.name: each.metadata["description"] for each in fields(kind) if "description" in each.metadata}
        told |= {name: plainly(meaning) for name, meaning in meanings(kind).items()}
        shapes: dict[str, Any] = {}
        for name in names:
            shapes[name] = shape_of(hints[name])
            if name == "id" or name.endswith("_id"):
                shapes[name] = strawberry.ID if hints[name] is str else strawberry.ID | None
            elif name in BIG_FIELDS:
                shapes[name] = Long
            setattr(written, name, strawberry.field(description=told.get(name)))
        written.__annotations__ = shapes | written.__annotations__
        return strawberry.type(written, description=sentence_of(written))

    return make


_UNREAD = Digest(topic="", summary="", user_state=UserState.NEUTRAL)
"""Stands in for the digest of an episode that could not be read yet."""


async def _message(root: strawberry.Parent[Evidence], info: Info) -> Message | None:
    """The message it rests on."""
    return await reads(info).message.load(root.message_id) if root.message_id else None


async def _messages(root: strawberry.Parent[Episode], info: Info) -> Sequence[Message]:
    """Its kept messages, in order."""
    found = await reads(info).message.load_many(list(root.message_ids))
    return [message for message in found if message is not None]


async def _facts(root: strawberry.Parent[Episode], info: Info) -> Sequence[FactView]:
    """What is believed now and was told in it."""
    return await reads(info).facts_of.load(root.id)


def _of_digest(read: Callable[[Digest], object], description: str | None = None) -> Any:
    return of(lambda episode: read(episode.digest or _UNREAD), description)


@told_of(Message, "id external_id seq role author content at recorded_at zone episode_id expires_at numbers".split())
class JournalMessage:
    """One utterance in the journal."""

    conversation_id: strawberry.ID = of("conversation")
    project_id: strawberry.ID | None = of("scope.project")
    verdict: Plain | None = of("verdict", "What the gate decided and why; null until it has seen it.")


@told_of(Conversation, "zone last_at error".split())
class JournalConversation:
    """How far a conversation goes and has been worked through."""

    id: strawberry.ID = of("key.name")
    project_id: strawberry.ID | None = of("key.project")
    agent: str | None = of("key.agent")
    message_count: int = of("last_seq")
    open_messages: int = of("open_messages", "How many messages are not yet in an episode.")


@told_of(Episode, "id started_at ended_at status importance pinned recalls fades_at".split())
class ConversationEpisode:
    """A remembered stretch of talk."""

    conversation_id: strawberry.ID = of("conversation")
    project_id: strawberry.ID | None = of("scope.project")
    user_id: str = of("scope.user")
    start_message_id: strawberry.ID | None = of(lambda episode: next(iter(episode.message_ids), None))
    end_message_id: strawberry.ID | None = of(lambda episode: next(reversed(episode.message_ids), None))
    message_count: int = of(lambda episode: len(episode.message_ids), "How many messages were kept.")
    topic: str = _of_digest(attrgetter("topic"), "A brief title, at most 500 characters.")
    summary: str = _of_digest(attrgetter("summary"))
    key_points: list[str] = _of_digest(attrgetter("key_points"))
    decisions_made: list[str] = _of_digest(attrgetter("decisions"))
    emotions_detected: str = _of_digest(lambda digest: ", ".join(digest.emotions), "Strongest first.")
    user_state: str = _of_digest(attrgetter("user_state"), "Such as blocked, progressing or planning.")
    created_at: datetime = of("recorded_at")
    detail: str = of("detail", "vivid, dim or gist: how much of its words is left.")
    version: Long = of("version", "Given to a mutation, it is done only while the episode is still of this version.")
    messages = resolved(_messages)
    facts = resolved(_facts)


def _properties(fact: FactView) -> dict[str, object]:
    said = {"subject": fact.subject, "slot": fact.slot, "review": fact.review}
    return {name: value for name, value in said.items() if value}


def _user(info: Info) -> str:
    """Whose memory it is in."""
    return reads(info).memory.scope.user


async def _opponent(root: strawberry.Parent[FactView], info: Info) -> strawberry.ID | None:
    """The fact that took its place, or with which it is in open conflict."""
    found = root.superseded_by or await reads(info).opponent.load(root.id)
    return strawberry.ID(found) if found else None


async def _evidence(root: strawberry.Parent[FactView], info: Info) -> Sequence[Evidence]:
    """What speaks for and against it, by when it was said."""
    found = await reads(info).explained.load(root.id)
    return found.evidence if found is not None else ()


async def _source_episode(root: strawberry.Parent[FactView], info: Info) -> Episode | None:
    """The first episode that it was told in."""
    return await reads(info).episode.load(root.episodes[0]) if root.episodes else None


@told_of(Evidence, "id author said_at recorded_at episode_id message_id weight".split())
class FactEvidence:
    """What one message, or the person's own hand, says for or against a fact."""

    stance: str = of("stance", "supports, contradicts or echo.")
    quote: str = of("quote", "The words it rests on; empty for what was done by hand, or where words are not kept.")
    conversation_id: strawberry.ID = of("session")
    message = resolved(_message)


@told_of(
    FactView, "id attribute holder form confidence sessions status pinned review valid_from resolved_at version".split()
)
class KnowledgeNode:
    """A fact: one statement believed about a person."""

    project_id: strawberry.ID | None = of("project", "Null for what belongs to the person, whatever the project.")
    node_type: str = of("kind", "Such as preference, goal or blocker.")
    label: str = of("statement", "The statement itself.")
    properties: Plain = of(_properties, "What else is known: the subject, the slot, why it needs review.")
    subject: str = of("subject", "The person it is about.")
    slot = of("slot", "What it fills in, where that can be told.", kind=Slot | None)
    times_mentioned: int = of("told", "How often it was said.")
    is_active: bool = of(lambda fact: fact.status in LIVE, "Whether it counts now.")
    first_observed_at: datetime = of("first_observed")
    last_reinforced_at: datetime | None = of("last_confirmed")
    created_at: datetime = of("recorded_at", "When it became known to us.")
    valid_to: datetime | None = of("valid_to", "Until when it held, exclusive; null while it does.")
    merged_into_id: strawberry.ID | None = of("canonical_id", "The fact that says the same or more.")
    superseded_by_id: strawberry.ID | None = of("superseded_by", "The fact that holds since.")
    source_episode_id: strawberry.ID | None = of(lambda fact: next(iter(fact.episodes), None))
    source_message_id: strawberry.ID | None = of(lambda fact: next(iter(fact.messages), None))
    message_ids: list[strawberry.ID] = of("messages", "All messages it rests on; the caller's ids where given.")
    user_id = resolved(_user)
    contradicted_by = resolved(_opponent)
    evidence = resolved(_evidence)
    source_episode = resolved(_source_episode)


async def _shown_episodes(root: strawberry.Parent[Context], info: Info) -> Sequence[Episode]:
    """The episodes that are shown, and those from which words are."""
    lent = reads(info)
    messages = await lent.message.load_many([name for item in root.items for name in item.messages])
    behind = [message.episode_id for message in messages if message is not None and message.episode_id is not None]
    found = await lent.episode.load_many(list(dict.fromkeys([*(item.id for item in root.items), *behind])))
    return [episode for episode in found if episode is not None]


async def _shown_facts(root: strawberry.Parent[Context], info: Info) -> Sequence[FactView]:
    """The facts that are shown."""
    found = await reads(info).fact.load_many([item.id for item in root.items])
    return [fact for fact in found if fact is not None]


@told_of(Context, "text prefix prefix_hash tail tokens budget items recent recent_tokens questions notes".split())
class MemoryContext:
    """What to put before a model: a framed text within a budget of tokens, and what it is made of."""

    dropped = of("dropped", "What found no place, and why.", kind=list[Dropped])
    episodes = resolved(_shown_episodes)
    facts = resolved(_shown_facts)


def _settings() -> type:
    """Return a class with a field for each setting that a user or project may have of their own."""
    described_as: list[tuple[str, Any, Field[Any]]] = []
    for name, setting in OVERRIDABLE.items():
        kind = bool if setting.is_flag else int if setting.is_whole else float
        field = strawberry.field(description=setting.meaning, default=strawberry.UNSET)
        described_as.append((name, kind | None, field))
    return make_dataclass("Settings", described_as, kw_only=True)


@strawberry.type(description="What is set for a person or a project of theirs; null where the default holds.")
class MemoryConfig(_settings()):  # type: ignore[misc] # made from what can be set
    """What is set."""


@strawberry.input(description="What to set; null takes a setting back, what is not named stays as it is.")
class MemoryConfigInput(_settings()):  # type: ignore[misc] # made from what can be set
    """What to set."""
