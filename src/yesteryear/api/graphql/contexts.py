"""What is put before a model, in document A's words, and the settings of ``memory_config``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, make_dataclass
from typing import Any

import strawberry

from yesteryear.api.graphql.shapes import of, resolved
from yesteryear.api.graphql.visit import Info, reads
from yesteryear.consolidate.look import FactView
from yesteryear.core.episode import Episode
from yesteryear.core.question import Question
from yesteryear.policies import OVERRIDABLE, Overridable
from yesteryear.ports import Setting
from yesteryear.recall.context import Context, ContextItem, Dropped


async def _episodes(root: strawberry.Parent[Context], info: Info) -> Sequence[Episode]:
    """The episodes that are shown, and those from which words are."""
    lent = reads(info)
    messages = await lent.message.load_many([name for item in root.items for name in item.messages])
    behind = [message.episode_id for message in messages if message is not None and message.episode_id is not None]
    found = await lent.episode.load_many(list(dict.fromkeys([*(item.id for item in root.items), *behind])))
    return [episode for episode in found if episode is not None]


async def _facts(root: strawberry.Parent[Context], info: Info) -> Sequence[FactView]:
    """The facts that are shown."""
    found = await reads(info).fact.load_many([item.id for item in root.items])
    return [fact for fact in found if fact is not None]


@strawberry.type(
    description="What to put before a model: a framed text within a budget of tokens, and what it is made of."
)
class MemoryContext:
    """What to put before a model: a framed text within a budget of tokens, and what it is made of."""

    text: str = of("text", "The framed context; empty when there is nothing to say, or no room to say it.")
    tokens: int = of("tokens", "Cost of the text; never above the budget.")
    budget: int
    items = of("items", kind=list[ContextItem])
    dropped = of("dropped", "What found no place, and why.", kind=list[Dropped])
    recent: list[str] = of("recent", "The session's last messages, one line each, oldest first; outside the budget.")
    recent_tokens: int
    questions = of("questions", "What may be asked of the person, to settle what is unsure.", kind=list[Question])
    notes: list[str] = of("notes", "In which way this is less than it could be.")
    episodes = resolved(_episodes)
    facts = resolved(_facts)


def _settings(default: object) -> type:
    """Return a class with a field for each setting that a user or project may have of their own."""
    described: list[tuple[str, Any, Field[Any]]] = [
        (name, _type_of(setting) | None, strawberry.field(description=setting.meaning, default=default))
        for name, setting in OVERRIDABLE.items()
    ]
    return make_dataclass("Settings", described, kw_only=True)


def _type_of(setting: Overridable) -> type:
    if setting.is_flag:
        return bool
    return int if setting.is_whole else float


@strawberry.type(description="What is set for a person or a project of theirs; null where the default holds.")
class MemoryConfig(_settings(strawberry.UNSET)):  # type: ignore[misc] # made from what can be set
    """What is set."""

    @classmethod
    def of(cls, settings: Mapping[str, Setting]) -> MemoryConfig:
        """Return what is set, with null for all else."""
        return cls(**{**dict.fromkeys(OVERRIDABLE), **settings})


@strawberry.input(description="What to set; null takes a setting back, what is not named stays as it is.")
class MemoryConfigInput(_settings(strawberry.UNSET)):  # type: ignore[misc] # made from what can be set
    """What to set."""

    @property
    def given(self) -> dict[str, Setting | None]:
        """What was named."""
        return {name: value for name, value in vars(self).items() if value is not strawberry.UNSET}
