"""What was said: messages, the exchanges they form, and what the gate decided about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from yesteryear.core.measurement import Measurement
from yesteryear.core.results import Plain
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import EPOCH


class Role(StrEnum):
    """Who speaks, in the sense of a chat API."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    DEVELOPER = "developer"
    TOOL = "tool"


class Source(StrEnum):
    """Whose words a message is."""

    SAID = "said"
    """The person's own, or in talk without the person those of whoever speaks; parts of it may be brought along."""
    BROUGHT = "brought"  # text that was brought along to be worked on, quoted or forwarded: nobody says it now
    TOOL = "tool"  # what a program put in: a tool's result, or an instruction to the assistant
    ASSISTANT = "assistant"
    OTHER = "other"  # somebody else's, who speaks beside the person in the role of a user


_SOURCES = {Role.USER: Source.SAID, Role.ASSISTANT: Source.ASSISTANT}


class Outcome(StrEnum):
    """What the gate says: worth keeping for good, not, or undecided."""

    KEEP = "keep"
    SKIP = "skip"
    UNSURE = "unsure"


class Reason(StrEnum):
    """Why an exchange is kept (the first four) or skipped (the others)."""

    EXPLICIT_REQUEST = "explicit_request"
    RELATIONAL = "relational"
    DECISION = "decision"
    PERSONAL = "personal"
    TRIVIAL = "trivial"
    TRANSIENT = "transient"
    WORLD_KNOWLEDGE = "world_knowledge"
    ASSISTANT_ONLY = "assistant_only"
    HYPOTHETICAL = "hypothetical"
    INSTRUCTION_INJECTION = "instruction_injection"
    ECHO = "echo"
    FORGET_REQUEST = "forget_request"


KEEP_REASONS = frozenset({Reason.EXPLICIT_REQUEST, Reason.RELATIONAL, Reason.DECISION, Reason.PERSONAL})
"""The reasons for keeping; every other reason speaks for skipping."""

ASKS = "asks_to_forget"  # the rule of a request to forget what is being said, and of the replies to it
OBEYED = "asked"  # name of the rule in the verdict of what was hidden because somebody asked for it in talk
UNDATED = EPOCH  # as `expires_at` of a skipped message: the settings have yet to say when its text goes

BY_HAND = "by_hand"  # the rule of a verdict that a person gave: keep this after all, or forget it
FORGOTTEN = "forgotten"  # the feature: of how many messages words were erased because this one asked for it
REFUSED = "refused"  # the feature with which earlier versions marked a request that they did not obey

HIDING_REASONS = frozenset({Reason.INSTRUCTION_INJECTION, Reason.FORGET_REQUEST})  # never shown again


@dataclass(frozen=True, slots=True)
class Verdict(Plain):
    """The gate's decision about one exchange, with all that is needed to explain and to repeat it."""

    outcome: Outcome
    reason: Reason
    score: float
    """How much speaks for keeping, in [0, 1]."""
    threshold: float
    """The score from which an exchange is kept, in [0, 1]."""
    rule: str | None = None
    """Name of the rule that decided, or None when the score did."""
    features: Mapping[str, float] = field(default_factory=dict)
    """Named features behind the score."""
    source: Source | None = None
    """Whose words the message is; None where that was not told yet."""
    brought: float = 0.0
    """The share of the message, in [0, 1], that was quoted, pasted or brought along."""

    def settled(self) -> Verdict:
        """Return the verdict with UNSURE decided by the score; KEEP and SKIP stay as they are."""
        if self.outcome is not Outcome.UNSURE:
            return self
        return replace(self, outcome=Outcome.KEEP if self.score >= self.threshold else Outcome.SKIP)


@dataclass(frozen=True, slots=True)
class Message(Plain):
    """One utterance in the journal."""

    id: str
    scope: Scope
    conversation: str
    seq: int
    """Position within its conversation, from 1, without gaps, in order of arrival."""
    role: Role
    author: str
    content: str
    """The text; empty once it was erased."""
    at: datetime
    """When it was said (UTC)."""
    recorded_at: datetime
    """When the journal took it (UTC)."""
    zone: str | None = None
    """IANA zone of the person at the time, or None."""
    external_id: str | None = None
    """The caller's own id."""
    verdict: Verdict | None = None
    """None until the gate has seen it."""
    episode_id: str | None = None
    """The episode that holds it, for kept messages."""
    expires_at: datetime | None = None
    """When the journal may erase the text of a skipped message; None for never, for kept ones and once erased."""
    numbers: tuple[Measurement, ...] = ()
    """What it tells of its speaker's life in numbers, in order; they go when its text is erased."""
    vector_due_at: datetime | None = None
    """When its passages are due to be embedded; None when nothing is to be done."""
    attempts: int = 0
    """Failed attempts to embed it."""
    error: str | None = None
    """Why embedding was given up, if it was."""
    rev: int = 0
    """Owner's counter at the last change of this row."""

    @property
    def key(self) -> ConversationKey:
        """The conversation this belongs to."""
        return ConversationKey(self.scope.project, self.scope.agent, self.conversation)

    @property
    def text(self) -> str:
        """The content, by the name that it has in hits."""
        return self.content

    @property
    def gist(self) -> str:
        """The content; where that was not kept, what its numbers are called."""
        called = (f"{row.measure} {row.what}.".replace("_", " ") for row in self.numbers)
        return self.content or " ".join(called)

    @property
    def name(self) -> str:
        """The id that the caller knows: their own where given, else ours."""
        return self.external_id or self.id

    @property
    def is_kept(self) -> bool:
        """Whether the gate decided to keep this for good."""
        return self.verdict is not None and self.verdict.outcome is Outcome.KEEP

    @property
    def is_forget_request(self) -> bool:
        """Whether a rule saw in it a request to forget, dealt with or not."""
        verdict = self.verdict
        return verdict is not None and verdict.reason is Reason.FORGET_REQUEST and verdict.rule is not None

    @property
    def is_of_request(self) -> bool:
        """Whether it asked to forget what was being said, or was hidden with such a request."""
        return self.is_forget_request and self.verdict is not None and self.verdict.rule in (ASKS, OBEYED)

    @property
    def asks_to_forget(self) -> bool:
        """Whether it clearly asks to have something forgotten, by rule, and was not dealt with yet."""
        verdict = self.verdict
        return bool(self.content and self.is_forget_request and verdict is not None and REFUSED not in verdict.features)

    @property
    def source(self) -> Source:
        """Whose words it is; before it was judged, and where that was not told, as its role tells."""
        if self.verdict is not None and self.verdict.source is not None:
            return self.verdict.source
        return _SOURCES.get(self.role, Source.TOOL)

    @property
    def is_recallable(self) -> bool:
        """Whether there is text that may be shown again."""
        is_hidden = self.verdict is not None and self.verdict.reason in HIDING_REASONS
        return bool(self.content) and not is_hidden


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user said and the replies to it: the unit the gate judges."""

    messages: tuple[Message, ...]  # in order of arrival; at least one
    brought: frozenset[str] = frozenset()
    """Ids of messages that were brought along as a whole, as another message tells: "What does this say?"."""

    @property
    def asked(self) -> tuple[Message, ...]:
        """The messages in the role of a user."""
        return tuple(message for message in self.messages if message.role is Role.USER)

    @property
    def told(self) -> tuple[Message, ...]:
        """The messages in the role of a user that were not brought along as a whole."""
        return tuple(message for message in self.asked if message.id not in self.brought)


@dataclass(frozen=True, slots=True)
class Receipt(Plain):
    """Proof that a message is on disk."""

    id: str
    """Our id of the message."""
    conversation: str
    seq: int
    is_new: bool
    """False when the same id and text had been observed before."""
    redactions: tuple[str, ...] = ()
    """Kinds of secrets cut out before anything was stored."""
    notes: tuple[str, ...] = ()
    """What is odd about it and may be a slip, such as a date far ahead."""
    proposal: str | None = None
    """What to ask the person back, where the message asks that all about something be forgotten; nothing of it is
    forgotten before ``confirm`` with this id, or a plain yes in their next message."""
    hidden: tuple[str, ...] = ()
    """Ids of the messages that are hidden by it, where it asks that what was just said be forgotten, or says yes to a
    proposal; ``restore`` with one of them brings all back."""


@dataclass(frozen=True, slots=True)
class Conversation(Plain):
    """One conversation, which is also the queue entry for cutting it into episodes."""

    key: ConversationKey
    zone: str | None = None
    """IANA zone last given, or None."""
    last_seq: int = 0
    """Position of the newest message; 0 before the first."""
    settled_seq: int = 0
    """All messages up to here have been through the gate; never above ``last_seq``."""
    closed_seq: int = 0
    """Episodes up to here were closed by hand."""
    last_at: datetime | None = None
    """When the newest message was said."""
    last_recorded_at: datetime | None = None
    """When the newest message was recorded."""
    due_at: datetime | None = None
    """When the open tail is due for a look; None when nothing is open."""
    attempts: int = 0
    """Failed attempts since the last success."""
    error: str | None = None
    """Why the last attempt failed."""

    @property
    def open_messages(self) -> int:
        """How many messages are not yet in an episode."""
        return self.last_seq - self.settled_seq


def last_zone(conversations: Iterable[Conversation]) -> str | None:
    """Return a person's zone: that of the latest conversation that has one; None where none is known."""
    known = [conversation for conversation in conversations if conversation.zone]
    return max(known, key=lambda conversation: conversation.last_at or EPOCH).zone if known else None
