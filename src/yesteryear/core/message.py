"""What was said: messages, the exchanges they form, and what the gate decided about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from yesteryear.core.plain import Plain
from yesteryear.core.scope import ConversationKey, Scope


class Role(StrEnum):
    """Who speaks, in the sense of a chat API."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    DEVELOPER = "developer"
    TOOL = "tool"


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

FORGOTTEN = "forgotten"
"""The feature that says of how many messages the words were erased because this one asked for it."""
REFUSED = "refused"
"""The feature that says that a request to forget was not obeyed: too broad to do it without asking back, or unclear."""

HIDING_REASONS = frozenset({Reason.INSTRUCTION_INJECTION, Reason.FORGET_REQUEST})
"""What is skipped for one of these is not shown again, also while its text is still there."""


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

    def settled(self) -> Verdict:
        """Return the verdict with UNSURE decided by the score; KEEP and SKIP stay as they are."""
        if self.outcome is not Outcome.UNSURE:
            return self
        return replace(self, outcome=Outcome.KEEP if self.score >= self.threshold else Outcome.SKIP)


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """A checked message on its way into the journal."""

    id: str
    scope: Scope
    conversation: str
    role: Role
    author: str
    content: str
    at: datetime
    recorded_at: datetime
    zone: str | None = None
    external_id: str | None = None
    redactions: tuple[str, ...] = ()
    """Kinds of secrets that were cut out of the content."""

    @property
    def key(self) -> ConversationKey:
        """The conversation this belongs to."""
        return ConversationKey(self.scope.project, self.scope.agent, self.conversation)


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
    """When the journal may erase the text of a skipped message; None for kept ones and once erased."""
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
    def name(self) -> str:
        """The id that the caller knows: their own where given, else ours."""
        return self.external_id or self.id

    @property
    def is_kept(self) -> bool:
        """Whether the gate decided to keep this for good."""
        return self.verdict is not None and self.verdict.outcome is Outcome.KEEP

    @property
    def asks_to_forget(self) -> bool:
        """Whether it clearly asks to have something forgotten, by rule, and was not dealt with yet."""
        verdict = self.verdict
        return bool(
            self.content
            and verdict is not None
            and verdict.reason is Reason.FORGET_REQUEST
            and verdict.rule is not None
            and REFUSED not in verdict.features
        )

    @property
    def is_recallable(self) -> bool:
        """Whether there is text that may be shown again."""
        is_hidden = self.verdict is not None and self.verdict.reason in HIDING_REASONS
        return bool(self.content) and not is_hidden


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user said and the replies to it: the unit the gate judges."""

    messages: tuple[Message, ...]
    """In order of arrival; at least one."""

    @property
    def asked(self) -> tuple[Message, ...]:
        """The messages in the role of a user."""
        return tuple(message for message in self.messages if message.role is Role.USER)

    @property
    def user_text(self) -> str:
        """What the user said, one message a paragraph; empty when nobody in that role spoke."""
        return "\n\n".join(message.content for message in self.asked)


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
