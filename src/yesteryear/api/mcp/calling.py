"""What a tool is called with, checked, with the words that tell a model what to pass; what it gives back; who lends."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.json_schema import GenerateJsonSchema

from yesteryear.api.access import Right
from yesteryear.api.verbs import VERBS
from yesteryear.core.arguments import Within
from yesteryear.core.fact import FactKind
from yesteryear.core.scope import MAX_NAME_CHARS
from yesteryear.memory import AsyncMemory

PLACE = "mcp"
"""How the names of conversations of this door begin."""
NOTES = "mcp notes"
"""How the names of those begin that hold what an assistant noted or read; none of it shares an exchange with words of
the person, which it could make look like something else."""
REQUEST = "Please remember this."
"""What a call of ``remember`` stands for, beside the words; the gate takes it for an explicit request."""
NOTED = "Noted."
"""The reply to it, which ends the exchange: the next call begins another one."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool: whose memory, and the circumstances."""

    memory: AsyncMemory
    now: datetime
    author: str | None = None
    """How the person is called in facts about them; the role where not given."""

    def conversation(self, at: datetime | None = None, *, of_notes: bool = False) -> str:
        """Return where is taken down what was said at an instant: a conversation a day, each once as evidence.

        Args:
            at: When it was said; now where not given.
            of_notes: Whether it was noted rather than said.
        """
        return f"{NOTES if of_notes else PLACE} {at or self.now:%Y-%m-%d}"


@dataclass(frozen=True, slots=True)
class Told:
    """What a tool gives back."""

    answer: BaseModel
    text: str | None = None
    """What a model reads; the answer as JSON where not given."""


class Lender(Protocol):
    """Says what a caller may do and lends them their memory. ``request`` is that of HTTP, or None."""

    async def right(self, request: object) -> Right:
        """Return the most that the caller may do."""
        ...

    async def memory(self, request: object, right: Right) -> AsyncMemory:
        """Return the caller's memory.

        Raises:
            NotAllowed, InputError: they may not, or it is left open whose memory.
            YesteryearError: it cannot be opened.
        """
        ...


EXCERPT = "excerpt"
EPISODE = "episode"
FACT = "fact"
_KINDS = VERBS["recall"].parameters["kinds"].choices
_KINDS_OF_FACT = VERBS["facts"].parameters["kinds"].choices
_STATEMENT = VERBS["correct"].parameters["statement"].bounds or Within(1, MAX_NAME_CHARS)
MOST_LISTED = 100
"""Most memories of one page."""
MOST_TOKENS = 100_000
"""Largest budget of tokens that a tool takes."""


class FewTitles(GenerateJsonSchema):
    """Writes schemas without a title for each field: models pay for every word of them."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002
        """Return that none is."""
        return False


def _unpacked(value: object) -> object:
    """Return the list that a model wrote as JSON within a string, or one word as a list of it."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return [value]


Kinds = Annotated[
    list[str],
    BeforeValidator(_unpacked),
    WithJsonSchema({"type": "array", "items": {"type": "string", "enum": [*_KINDS]}}),
]
KindOfFact = Annotated[FactKind, WithJsonSchema({"type": "string", "enum": [*_KINDS_OF_FACT]})]
Tags = Annotated[list[str], BeforeValidator(_unpacked), Field(max_length=20)]
Words = Annotated[str, Field(min_length=1, max_length=100_000)]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)]
Instant = Annotated[str, Field(max_length=64)]
Budget = Annotated[int, Field(ge=0, le=MOST_TOKENS)]


class Arguments(BaseModel):
    """No arguments; the others are made from it. Whatever is not named in a schema is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Remember(Arguments):
    """What to remember."""

    content: Words
    """What the person said, in their own words and in the first person, such as "I moved my runs to the morning"."""
    kind: KindOfFact | None = None
    """What it is about, if that is clear."""
    when: Instant | None = None
    """When it was said, as ISO 8601 with a time zone; now where not given."""
    tags: Tags | None = None
    """Words under which you would look for it later."""
    said_by: Literal["user", "assistant", "tool"] = "user"
    """Whose words these are. "assistant" for notes of your own and "tool" for what a file, a page or a tool told you:
    those are found and never become facts about the person."""


class Recall(Arguments):
    """What to look for."""

    query: Words
    """A question or some words, as specific as you can: names, places and days help."""
    max_tokens: Budget = 1000
    """Most tokens of the answer."""
    kinds: Kinds | None = None
    """Only these kinds of memories."""
    since: Instant | None = None
    """Only what was said at or after this instant: ISO 8601 with a time zone."""
    until: Instant | None = None
    """Only what was said before this instant: ISO 8601 with a time zone."""
    as_of: Instant | None = None
    """As things stood at this instant: facts that held then, and what had been said by then."""


class GetContext(Arguments):
    """What the person just said."""

    message: Annotated[str, Field(max_length=100_000)] = ""
    """What the person just said; without it the answer is who they are and what came last."""
    max_tokens: Budget | None = None
    """Most tokens of the answer; 1000 where not given."""


class Correct(Arguments):
    """Which fact, and what is right."""

    memory_id: Name
    """Id of the fact, as recall or list_memories gave it."""
    content: Annotated[str, Field(min_length=_STATEMENT.least, max_length=_STATEMENT.most)]
    """What is right: one sentence in the third person, worded like the fact, such as "Ana lives in Porto"."""


class Forget(Arguments):
    """Which memory, or what it is about."""

    memory_id: Name | None = None
    """Id of the memory to forget, as recall or list_memories gave it."""
    query: Annotated[str, Field(min_length=1, max_length=2_000)] | None = None
    """What the memories are about, where you have no id: what would be forgotten is shown, and nothing is done."""
    confirm: bool = False
    """True to forget all that the query finds. Only after the person saw what that is and said yes."""


class ListMemories(Arguments):
    """Which page of which memories."""

    kind: str | None = Field(
        default=None,
        json_schema_extra={"anyOf": [{"type": "string", "enum": [*_KINDS_OF_FACT, EPISODE, FACT]}, {"type": "null"}]},
    )
    """Only memories of this kind; all facts where not given."""
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 20
    """Most memories of this page."""
    cursor: Name | None = None
    """``next_cursor`` of the page before."""


class Search(Arguments):
    """What to search for."""

    query: Words
    """A question or some words."""


class Fetch(Arguments):
    """Which memory."""

    id: Name
    """Id of a memory, as search, recall or list_memories gave it."""


class ByMemory(Arguments):
    """Which memory."""

    memory_id: Name
    """Id of the memory, as recall or list_memories gave it."""
