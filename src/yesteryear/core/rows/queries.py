"""What can be asked of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, TypeVar

from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.fact import Fact
from yesteryear.core.message import Message, Outcome, Reason, Role
from yesteryear.core.scope import ConversationKey


@dataclass(frozen=True, slots=True)
class MessageQuery:
    """A page of messages; every filter that is None lets all pass."""

    limit: int = 100
    after: str = ""  # id of the last message of the page before
    newest_first: bool = False
    conversation: str | None = None
    author: str | None = None
    has_error: bool = False  # only those whose work failed
    outcome: Outcome | None = None
    since: datetime | None = None  # said at or after this instant
    until: datetime | None = None  # said before this instant


@dataclass(frozen=True, slots=True)
class EpisodeQuery:
    """A page of episodes, newest first; every filter that is None lets all pass."""

    limit: int = 100
    after: str | None = None  # id of the last episode of the page before
    conversation: str | None = None
    status: EpisodeStatus | None = None
    has_error: bool = False  # only those whose work failed
    since: datetime | None = None  # ended at or after this instant
    until: datetime | None = None  # ended before this instant


Query = TypeVar("Query", MessageQuery, EpisodeQuery)
Found = TypeVar("Found", Message, Episode)


def rows_of(
    page_of: Callable[[Query], Sequence[Found]], query: Query, *, pause: Callable[[], None] = lambda: None
) -> Iterator[Found]:
    """Go through all rows that a query finds, page by page, with a pause after each."""
    while page := page_of(query):
        yield from page
        query = replace(query, after=page[-1].id)
        pause()


class IndexedMessage(NamedTuple):
    """What an index keeps of a message. Thousands are read at once, so it is a tuple and leaves the features out."""

    id: str
    key: ConversationKey
    seq: int
    role: Role
    author: str
    content: str  # the text; empty once it was erased
    at: datetime  # when it was said (UTC)
    zone: str | None
    name: str  # the id that the caller knows: their own where given, else ours
    reason: Reason | None  # why the gate kept or skipped it; None until the gate has seen it
    brought: float = 0.0  # the share of it, in [0, 1], that was quoted, pasted or brought along

    @classmethod
    def of(cls, message: Message) -> IndexedMessage:
        """Return what an index keeps of ``message``."""
        verdict = message.verdict
        judged = (None, 0.0) if verdict is None else (verdict.reason, round(verdict.brought, 6))
        return cls(*(getattr(message, field) for field in cls._fields[: -len(judged)]), *judged)


class Verbatim(NamedTuple):
    """A message that has been through the gate and whose words are still kept."""

    id: str
    episode_id: str | None  # the episode that holds it; None for a skipped one
    told_at: datetime  # when it was said or recorded, whichever is later (UTC)
    is_users: bool  # whether somebody in the role of a user said it
    score: float  # what the gate found to speak for keeping it, in [0, 1]
    text: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed in an owner's rows since some ``rev``."""

    rev: int  # the owner's counter now
    generation: int  # another generation than before means: forget all and start again from 0
    messages: tuple[IndexedMessage, ...] = ()  # ordered by (conversation, seq)
    episodes: tuple[Episode, ...] = ()  # ordered by id
    facts: tuple[Fact, ...] = ()  # ordered by id; those that were forgotten too, empty
