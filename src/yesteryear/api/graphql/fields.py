"""A field for every verb, made from what it declares; document A's fields stand beside them, word for word."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass, field, make_dataclass
from typing import Annotated, Any

import strawberry

from yesteryear.api.access import Right
from yesteryear.api.graphql.result_types import Long, MemoryConfig, MemoryConfigInput
from yesteryear.api.graphql.visit import Info, lend, lend_where
from yesteryear.api.verbs import SAYS, VERBS, Parameter, check_is, keyword
from yesteryear.consolidate.belief.queries import ConflictView, FactView
from yesteryear.core.access.arguments import NamesOne
from yesteryear.core.episode import Episode
from yesteryear.core.erasure import Erasure
from yesteryear.core.message import Receipt
from yesteryear.errors import NotFound
from yesteryear.forget.propose import Proposal
from yesteryear.forget.seal import TakenBack
from yesteryear.policies import OVERRIDABLE
from yesteryear.recall.context import Context

ID = strawberry.ID
_MOST_INT = 2**31 - 1
_PAGE = 100  # episodes that are returned where document A's field has no limit


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


def _type_of(parameter: Parameter) -> Any:
    found: Any = ID if parameter.kind is NamesOne else parameter.kind
    if found is int and parameter.bounds is not None and parameter.bounds.most > _MOST_INT:
        found = Long
    if parameter.is_list:
        found = list[found]
    found = found | None if parameter.is_nullable else found
    return Annotated[found, strawberry.argument(description=parameter.about)]


_INFO = keyword("info", Info)
_WHOSE = (keyword("user_id", str | None, None), keyword("project_id", ID | None, None))
"""What every field takes: where it leaves them out, headers say whose memory is meant."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field at the root that calls a verb, where that alone does not say all."""

    verb: str
    name: str = ""  # as the verb is called where not given
    only: type | None = None  # of what ``id`` has to be the name, where the verb takes names of several things
    leaves_out: frozenset[str] = frozenset()  # parameters that it has no argument for
    first: Mapping[str, Any] = field(default_factory=dict)
    """Types of arguments that it has before those of the verb's parameters."""
    shows: Callable[[Any], object] = lambda found: found  # makes of the verb's result what is told
    gives: Any = None  # type of that; the verb's where not given

    def resolver(self) -> Callable[..., Any]:
        """Return what answers it, with a signature that describes its arguments."""
        verb, only, shows = VERBS[self.verb], self.only, self.shows
        taken = [each for each in verb.parameters.values() if each.name not in self.leaves_out]

        async def resolve(info: Info, *, user_id: str | None = None, project_id: ID | None = None, **given: Any) -> Any:
            memory = lend(info, verb.name, user=user_id, project=project_id)
            if only is not None:
                await check_is(memory, only, given["id"])
            return shows(await verb.call(memory, given))

        arguments = [keyword(name, kind) for name, kind in self.first.items()]
        arguments += [keyword(each.name, _type_of(each), each.default) for each in taken]
        signature = inspect.Signature([_INFO, *arguments, *_WHOSE])
        sentence = SAYS.get((self.verb, only), verb.sentence)
        return _described(resolve, self.name or verb.name, sentence, self.gives or only or verb.gives, signature)


def _described(
    call: Callable[..., Any], name: str, sentence: str, gives: object, signature: inspect.Signature
) -> Callable[..., Any]:
    call.__name__, call.__doc__ = name, sentence
    call.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()} | {"return": gives}
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


# What document A names, word for word.


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


# What takes more than arguments of a verb.

_SAID = {"content": str} | {each.name: _type_of(each) for each in VERBS["observe"].parameters.values()}
_DEFAULTS = {each.name: each.default for each in VERBS["observe"].parameters.values()}
MessageInput = strawberry.input(
    type("MessageInput", (), {"__annotations__": _SAID, **_DEFAULTS}),
    description="One of several messages that are taken down together.",
)


async def observe_messages(
    info: Info,
    *,
    messages: list[MessageInput],  # type: ignore[valid-type] # made from what the verb takes
    user_id: str | None = None,
    project_id: ID | None = None,
) -> Sequence[Receipt]:
    """Take down several messages, together or not at all."""
    memory = lend(info, "observe", user=user_id, project=project_id)
    return await memory.observe([vars(message) for message in messages])


async def configure(
    info: Info, *, settings: MemoryConfigInput, user_id: str | None = None, project_id: ID | None = None
) -> MemoryConfig:
    """Set what holds for a person, or for one project of theirs, and return what is set there now."""
    memory = lend(info, "configure", user=user_id, project=project_id)
    given = {name: value for name, value in vars(settings).items() if value is not strawberry.UNSET}
    return MemoryConfig(**{**dict.fromkeys(OVERRIDABLE), **await memory.configure(project=None, **given)})


async def erase(info: Info, *, user_id: str | None = None) -> Erasure:
    """Erase the person: all of their memory, in every index and file. There is no way back."""
    return await lend(info, "erase", user=user_id).erase()


_OWN: Mapping[str, Sequence[Field | Callable[..., Any]]] = {
    "observe": (Field("observe", first={"content": str}, gives=Receipt), observe_messages),
    "configure": (configure,),
    "erase": (erase,),
    "close_episode": (Field("close_episode", shows=lambda _: True, gives=bool),),
    **{
        verb: (
            Field(verb, only=FactView),
            Field(verb, name=f"{verb}_proposal", only=Proposal, leaves_out=frozenset({"version"})),
        )
        for verb in ("confirm", "refute")
    },
    "facts": (Field("facts", leaves_out=frozenset({"evidence"})),),  # which is a field of each fact
    **{verb: (Field(verb, shows=Kept.of, gives=Kept),) for verb in ("pin", "unpin", "restore")},
}


_LEFT_OUT = ("export", "import_")  # a zip of any size is no value of JSON


def _fields(*, reads: bool) -> tuple[Any, ...]:
    """Return the fields of all verbs that only look, or of all others."""
    calls: list[Callable[..., Any]] = []
    for verb in VERBS.values():
        only_looks = verb.right is Right.READ or verb.name == "usage"
        if only_looks is reads and verb.name not in _LEFT_OUT:
            own = _OWN.get(verb.name, (Field(verb.name),))
            calls += [each.resolver() if isinstance(each, Field) else each for each in own]
    return tuple(calls)


QUERIES = (get_memory_context, get_conversation_episodes, get_knowledge_nodes, search_memory, *_fields(reads=True))
MUTATIONS = (trigger_episode_summarization, extract_knowledge_facts, *_fields(reads=False))
"""What stands at the roots, what document A names first."""


# What changes in a memory, as it changes; each answer carries the `rev` from which on to ask when it broke off.

_REV = "Where the memory is: given as `since`, nothing after this is missed."


def _subscription(name: str, sentence: str, kind: type, told: str) -> Callable[..., AsyncGenerator[Any, None]]:
    """Return what tells each row of a kind, which ``told`` says in words, of what happens."""
    row = name.partition("_")[0]
    rev = ("rev", int, field(metadata={"description": _REV}))
    news = make_dataclass(f"{row.title()}News", [rev, (row, kind)], namespace={"__doc__": told}, frozen=True)

    async def follow(
        info: Info, *, since: Long | None = None, user_id: str | None = None, project_id: ID | None = None
    ) -> AsyncGenerator[Any, None]:
        memory = lend(info, "changes", user=user_id, project=project_id)
        with closing(await info.context.stream(memory, since, tells_conflicts=row == "conflict")) as stream:
            async with aclosing(stream.follow()) as happenings:
                async for happened in happenings:
                    info.context.begin(info.path, memory)
                    for each in getattr(happened, f"{row}s"):
                        yield news(happened.rev, each)

    arguments = [_INFO, keyword("since", Long | None, None), *_WHOSE]
    return _described(follow, name, sentence, AsyncGenerator[news, None], inspect.Signature(arguments))  # type: ignore[valid-type]


_EACH = "Tell each {} that is new, and again when it changes; from a `rev` on, or from now on."
_OPENED = "Tell each question between facts once it opens; with a `rev`, those that are open already too."
SUBSCRIPTIONS = (
    _subscription("episode_changed", _EACH.format("episode"), Episode, "An episode that is new or has changed."),
    _subscription("fact_changed", _EACH.format("fact"), FactView, "A fact that is new or has changed."),
    _subscription("conflict_opened", _OPENED, ConflictView, "A question between two facts that is open."),
)
