"""Operations on what is said and what comes back of it: messages, conversations, contexts, recall, episodes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Header, Query
from pydantic import Discriminator, Field, PlainValidator, Tag
from starlette.requests import Request
from starlette.responses import Response

from yesteryear.api.rest.operations import Asked, Instant, Name, Operation, Text, memory_of, mended, tell
from yesteryear.api.rest.paging import Flag, Page, PageSought, page_of, page_through
from yesteryear.api.rest.repeats import name_messages
from yesteryear.consolidate.look import FactView
from yesteryear.core.arguments import MAX_PAGE
from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Episode
from yesteryear.core.message import Message, Receipt
from yesteryear.recall.context import MAX_BUDGET, Context
from yesteryear.recall.retrieve import Recalled

Tokens = Annotated[int, Field(ge=0, le=MAX_BUDGET)]
Speaker = Literal["user", "assistant"]

_MOST_MESSAGES = 1000
"""Most messages of one request."""


def _parse_content(value: object) -> object:
    """Return a text, or parts as they are; the journal checks them. One type, so that a problem names one place."""
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        return value
    raise ValueError("content is a text, or a list of parts")


Content = Annotated[Any, PlainValidator(_parse_content, json_schema_input_type=str | list[dict[str, Any]])]


class Saying(Asked):
    """A message to be remembered."""

    content: Content
    """What was said; or parts of it as chat APIs write them, of which text is taken and other kinds are named."""
    role: Literal["user", "assistant", "system", "developer", "tool"] = "user"
    author: Name | None = None
    """Who speaks; the role where not given."""
    name: Name | None = None
    """As ``author``, by the name it has in chat APIs."""
    conversation: Name = "default"
    at: str | None = None
    """When it was said, ISO 8601: with a time zone, or without where ``zone`` is given; now where not given."""
    id: Name | None = None
    """Your own id, unique in the conversation; makes repeating harmless."""
    zone: Name | None = None
    """IANA time zone of the person, such as Europe/Lisbon."""


def _kind(body: object) -> str:
    return "messages" if isinstance(body, list) else "message"


OneOrMore = Annotated[
    Annotated[Saying, Tag("message")] | Annotated[list[Saying], Tag("messages"), Field(max_length=_MOST_MESSAGES)],
    Discriminator(_kind),
]
"""A message, or a list of them."""


class ContextAsked(Asked):
    """What a model is about to answer."""

    message: Text = ""
    """What the person just said."""
    conversation: Name | None = None
    """The session it belongs to; its last messages are returned as ``recent``, outside the budget."""
    budget: Tokens | None = None
    """Most tokens of the context; 1000 where not given."""
    recent_budget: Tokens | None = None
    """Most tokens of ``recent``; 500 where not given."""
    at: Instant | None = None
    """The present, for how dates are said; now where not given."""
    speaker: Speaker | None = "user"
    """Whose words come first where a person talks with an assistant; null for anybody's."""
    layout: Literal["text", "xml", "json"] = "text"


class RecallAsked(Asked):
    """A question to the memory."""

    question: Text
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 10
    """Most hits, 1 to 1000."""
    kinds: list[str] | None = None
    """Any of excerpt, episode and fact, or kinds of facts such as preference or goal."""
    since: Instant | None = None
    """Only what was said at or after this instant."""
    until: Instant | None = None
    """Only what was said before this instant."""
    author: Name | None = None
    conversation: Name | None = None
    speaker: Speaker | None = "user"
    archived: bool = False
    """Whether what was archived is found too, and facts that are not believed any more."""
    at: Instant | None = None
    """The present, from which "last week" counts; now where not given."""


class MessagesSought(PageSought):
    """Which messages are asked for."""

    conversation: Name | None = None
    author: Name | None = None
    newest_first: Flag = False
    """Whether what came in last comes first."""
    outcome: Literal["keep", "skip"] | None = None
    """Only what the gate kept or skipped."""
    since: Instant | None = None
    """Only what was said at or after this instant."""
    until: Instant | None = None
    """Only what was said before this instant."""


class EpisodesSought(PageSought):
    """Which episodes are asked for."""

    conversation: Name | None = None
    status: Literal["pending", "active", "failed", "archived", "forgotten"] | None = None
    """All but forgotten ones where not given."""
    since: Instant | None = None
    """Only those that ended at or after this instant."""
    until: Instant | None = None
    """Only those that ended before this instant."""


async def observe(
    request: Request,
    body: OneOrMore,
    idempotency_key: Annotated[
        str | None, Header(alias="Idempotency-Key", description="Your name for this request, which you may then repeat")
    ] = None,
) -> Response:
    """Take down one message or several; several are taken down together or not at all.

    When this returns, they are on disk; everything else happens later. Messages with an `id` may be sent again; a
    request without ids may be sent again with the same `Idempotency-Key`, and gives the same receipts. The same id or
    key with other messages is a conflict.
    """
    memory, said = memory_of(request), [body] if isinstance(body, Saying) else body
    messages = [each.model_dump(exclude_unset=True) for each in said]
    if idempotency_key is not None:
        messages = await name_messages(memory, idempotency_key, messages)
    return tell(await memory.observe(messages), 201)


async def list_messages(request: Request, query: Annotated[MessagesSought, Query()]) -> Response:
    """Return a page of the journal, in the order it came in, with what the gate decided and why."""
    found = await memory_of(request).messages(
        conversation=query.conversation,
        author=query.author,
        outcome=query.outcome,
        newest_first=query.newest_first,
        since=query.since,
        until=query.until,
        after=query.after or "",
        limit=query.limit + 1,
    )
    return tell(page_of(found, query.limit, lambda message: (message.id,)))


async def keep_message(request: Request, id: str) -> Response:  # noqa: A002 - the field's word
    """Keep a skipped message after all, with what was judged together with it, as an episode of its own and as facts.

    `id` is ours or your own. What is kept already stays as it is; `forget` takes it back.
    """
    return tell(await memory_of(request).keep(id))


async def list_conversations(request: Request, query: Annotated[PageSought, Query()]) -> Response:
    """Return a page of the conversations, by project, agent and name."""
    found = await memory_of(request).conversations()
    return tell(page_through(found, query, lambda row: (row.key.project or "", row.key.agent or "", row.key.name)))


async def close_episode(request: Request, conversation: str) -> Response:
    """End the present episode of a conversation: what comes next belongs to another one."""
    await memory_of(request).close_episode(conversation)
    return Response(status_code=204)


async def make_context(request: Request, body: ContextAsked) -> Response:
    """Return what to put before a model for its next reply, within a budget of tokens."""
    return tell(await memory_of(request).context(**body.model_dump()))


async def recall(request: Request, body: RecallAsked) -> Response:
    """Find memories that bear on a question, best first."""
    return tell(await memory_of(request).recall(**body.model_dump()))


async def list_episodes(request: Request, query: Annotated[EpisodesSought, Query()]) -> Response:
    """Return a page of episodes, newest first. `rev` is the version that `If-Match` takes, in quotation marks."""
    found = await memory_of(request).episodes(
        conversation=query.conversation,
        status=query.status,
        since=query.since,
        until=query.until,
        after=query.after,
        limit=query.limit + 1,
    )
    return tell(page_of(found, query.limit, lambda episode: (episode.id,)))


async def extract_facts(request: Request, id: str) -> Response:  # noqa: A002 - the field's word
    """Draw facts from an episode by hand, and compare them with what is known."""
    return tell(await memory_of(request).extract(id))


TALK = (
    Operation("observe", "POST", "/messages", observe, list[Receipt], 201),
    Operation("messages", "GET", "/messages", list_messages, Page[Message]),
    Operation("keep", "POST", "/messages/{id}/keep", keep_message, Message),
    Operation("conversations", "GET", "/conversations", list_conversations, Page[Conversation]),
    Operation("close_episode", "POST", "/conversations/{conversation}/close", close_episode, status=204),
    Operation("context", "POST", "/context", make_context, Context),
    Operation("recall", "POST", "/recall", recall, Recalled),
    Operation("episodes", "GET", "/episodes", list_episodes, Page[Episode]),
    Operation("extract", "POST", "/episodes/{id}/extract", extract_facts, list[FactView]),
)
"""See ``router``."""
