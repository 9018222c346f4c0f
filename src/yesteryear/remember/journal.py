"""What the journal takes, how a message is checked before, and when work on what it left is due, or is tried again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import inf, isfinite
from typing import NamedTuple

from yesteryear.core.access.arguments import parse_choice
from yesteryear.core.language.invisible_text import plain_name
from yesteryear.core.language.requests import ForgetRequest, plain_answer, read_forget_request
from yesteryear.core.message import ASKS, Conversation, Message, Outcome, Reason, Role, Verdict
from yesteryear.core.scope import Scope, check_name
from yesteryear.core.secrets.redact import Redacted, redact, redact_name, refuse_secret
from yesteryear.core.time import later, parse_instant, parse_zone
from yesteryear.errors import InputError
from yesteryear.remember.segment import SegmentPolicy

_CLOCKS_DIFFER = timedelta(days=1)
"""By how much a message may be ahead of our clock without a word: clocks and zones differ."""
FIELDS = frozenset({"role", "content", "author", "conversation", "at", "id", "zone"})
"""What a message given as a mapping may hold."""


@dataclass(frozen=True, slots=True)
class JournalPolicy:
    """What the journal takes and how long it keeps what the gate skipped."""

    keep_verbatim: bool = True
    """Whether messages keep their text once an episode was made of them; without it only digests remain."""
    journal_retention_days: float = inf
    """For how many days the text of skipped messages stays findable; at least 0. Without limit: it is sorted out, and
    only a cap or the person's word makes it go."""
    redact_secrets: bool = True  # whether keys, passwords and card numbers are cut out before anything is stored
    max_message_chars: int = 4_000_000  # longest message in characters; longer ones are refused rather than cut

    def name(self, label: str, value: object) -> str:
        """Return the name of an author or a conversation as it is kept: without secrets. It must name something."""
        name = check_name(label, value)
        return redact_name(name) if self.redact_secrets else name

    def id(self, label: str, value: object) -> str:
        """Return a name that others are found by: of a message, a person, a project. One with a secret is refused."""
        name = check_name(label, value)
        if self.redact_secrets:
            refuse_secret(label, name)
        return name

    def check_scope(self, scope: Scope) -> None:
        """Refuse a scope of which a name holds a secret."""
        for label in ("user", "tenant", "project", "agent"):
            if (name := getattr(scope, label)) is not None:
                self.id(label, name)


class MessageDraft(NamedTuple):
    """A checked message on its way into the journal."""

    message: Message  # its place in the conversation is told when it is written
    redactions: tuple[str, ...]  # kinds of secrets that were cut out of the content
    request: ForgetRequest | None  # what it asks to forget

    @property
    def is_to_heed(self) -> bool:
        """Whether it asks for something now, or may answer a question about that."""
        return self.message.verdict is not None or plain_answer(self.message.content) is not None


def draft_message(
    fields: Mapping[str, object],
    *,
    scope: Scope,
    now: datetime,
    message_id: str,
    policy: JournalPolicy,
    pause: Callable[[], None] = lambda: None,
) -> MessageDraft:
    """Check what a caller wants to have remembered.

    ``fields`` are ``content``, and where given ``role`` (user), ``author`` (the role), ``conversation`` ("default"),
    ``at`` (now), ``id`` (the caller's own), ``zone`` (IANA). ``policy`` says what the limits are, and whether secrets
    are cut out of text and names; an id that holds one is refused. ``pause`` is called now and then in a long text.
    """
    unknown = sorted(repr(name) for name in fields if name not in FIELDS)
    if unknown:
        raise InputError(f"a message has no field {', '.join(unknown)}; it may have {', '.join(sorted(FIELDS))}")
    zone = fields.get("zone")
    if zone is not None:
        zone = parse_zone(check_name("zone", zone)).key
    role = parse_choice("role", Role, fields.get("role", Role.USER))
    content = clean_text(fields.get("content"), max_chars=policy.max_message_chars)
    redacted = redact(content, pause=pause) if policy.redact_secrets else Redacted(content)
    at, external_id, author = fields.get("at"), fields.get("id"), fields.get("author")
    if author is not None:  # as the name is seen: "Ana " and "A<zero width>na" are Ana; what cannot be seen is none
        author = policy.name("author", plain_name(check_name("author", author)))
    request = read_forget_request(redacted.text) if role is Role.USER else None
    verdict = request_verdict(request)
    message = Message(
        id=message_id,
        scope=scope,
        conversation=policy.name("conversation", fields.get("conversation", "default")),
        seq=0,
        role=role,
        author=author or role.value,
        content=redacted.text,
        at=now if at is None else parse_instant(at, zone=zone),
        recorded_at=now,
        zone=zone,
        external_id=None if external_id is None else policy.id("id", external_id),
        verdict=verdict,
        expires_at=None if verdict is None else now,  # it is obeyed with the next look
    )
    return MessageDraft(message, redacted.kinds, request)


def odd_about(message: Message) -> tuple[str, ...]:
    """Return what is odd about a message that is taken down all the same: that it was said in the future."""
    day = message.at.date().isoformat()
    is_ahead = message.at - message.recorded_at > _CLOCKS_DIFFER
    return (f"it is dated {day}, after the present; if that is a slip, forget it and tell again",) if is_ahead else ()


def request_verdict(requested: ForgetRequest | None) -> Verdict | None:
    """Return the verdict on a message whose author asks that what is being said be forgotten; None for all others."""
    if requested is None or requested.is_proposal:
        return None
    return Verdict(Outcome.SKIP, Reason.FORGET_REQUEST, 0.0, 0.0, ASKS)


def text_ends_at(message: Message, policy: JournalPolicy) -> datetime | None:
    """Return when the text of a skipped message may go, from the later of said and recorded; None for never."""
    if not isfinite(policy.journal_retention_days):
        return None
    return later(max(message.at, message.recorded_at), timedelta(days=policy.journal_retention_days))


def clean_text(value: object, *, max_chars: int) -> str:
    """Return text that every store and model can take: surrogate pairs joined, broken ones replaced by U+FFFD.

    What cannot be seen is kept with the words, and left out wherever they are read or shown. No text, nothing but white
    space, and more than ``max_chars`` is an InputError.
    """
    if not isinstance(value, str):
        raise InputError(f"content must be text, not {type(value).__name__}")
    if len(value) > max_chars:
        raise InputError(f"a message may have {max_chars} characters, this one has {len(value)}; split it")
    if not value or value.isspace():
        raise InputError("a message needs content; this one is empty")
    if value.isascii():
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def extend(conversation: Conversation, message: Message, policy: SegmentPolicy) -> Conversation:
    """Return the conversation with one more message, and when its tail is due for a look."""
    pause = policy.pause
    had_pause = conversation.last_at is not None and message.at - conversation.last_at >= pause
    is_due = had_pause or _may_hold_episode(conversation, message.seq, policy)
    due_at = message.recorded_at if is_due else message.recorded_at + pause
    if conversation.due_at is not None and (conversation.attempts or conversation.due_at <= message.recorded_at):
        due_at = conversation.due_at  # it waits after a failure, or was due before
    return replace(
        conversation,
        zone=message.zone,
        last_seq=message.seq,
        last_at=message.at,
        last_recorded_at=message.recorded_at,
        due_at=due_at,
    )


def tail_due_at(conversation: Conversation, policy: SegmentPolicy) -> datetime | None:
    """Return when the open messages are due for a look: at once when they may fill an episode, else after the pause."""
    last = conversation.last_recorded_at
    if not conversation.open_messages or last is None:
        return None
    is_due = _may_hold_episode(conversation, conversation.last_seq, policy)
    return last if is_due else last + policy.pause


def _may_hold_episode(conversation: Conversation, last_seq: int, policy: SegmentPolicy) -> bool:
    settled = conversation.settled_seq
    return last_seq - settled >= policy.message_threshold or conversation.closed_seq > settled
