"""A remembered stretch of talk, its digest, and which status may follow which."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from yesteryear.core.fact import FactDraft
from yesteryear.core.fading.half_life import Trace
from yesteryear.core.language.injection import looks_injected
from yesteryear.core.language.sentences import Span, fingerprint, split_sentences
from yesteryear.core.message import Exchange, Message, Reason, Verdict
from yesteryear.core.reading import MessageReading
from yesteryear.core.relation import RelationDraft
from yesteryear.core.results import Plain
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.errors import InvalidTransition

MAX_TOPIC_CHARS = 500  # longest topic, in characters (document A's column)
_READ_CHARS = 4_000  # characters of a message, from its beginning, in which orders to a model are looked for
EXPLICIT_REQUEST = "explicit_request"  # the signal that the person asked for it to be remembered; 1 where beyond doubt


class EpisodeStatus(StrEnum):
    """Where an episode stands in its life."""

    PENDING = "pending"
    ACTIVE = "active"
    FAILED = "failed"
    ARCHIVED = "archived"  # kept, and out of recall unless it is asked for
    FORGOTTEN = "forgotten"  # nothing of it is left but that it was there


class Detail(StrEnum):
    """How much of an episode is left: its words and its summary, fewer words, or the summary alone."""

    VIVID = "vivid"
    DIM = "dim"  # some of its messages had to give their words; the summary speaks for them, line by line
    GIST = "gist"


class UserState(StrEnum):
    """How the person stands to what they are doing (document A)."""

    BLOCKED = "blocked"
    PROGRESSING = "progressing"
    CELEBRATING = "celebrating"
    PLANNING = "planning"
    STUCK = "stuck"
    NEUTRAL = "neutral"


TRANSITIONS: dict[EpisodeStatus, frozenset[EpisodeStatus]] = {
    EpisodeStatus.PENDING: frozenset({EpisodeStatus.ACTIVE, EpisodeStatus.FAILED, EpisodeStatus.FORGOTTEN}),
    EpisodeStatus.FAILED: frozenset({EpisodeStatus.PENDING, EpisodeStatus.FORGOTTEN}),
    EpisodeStatus.ACTIVE: frozenset({EpisodeStatus.ARCHIVED, EpisodeStatus.PENDING, EpisodeStatus.FORGOTTEN}),
    EpisodeStatus.ARCHIVED: frozenset({EpisodeStatus.ACTIVE, EpisodeStatus.PENDING, EpisodeStatus.FORGOTTEN}),
    EpisodeStatus.FORGOTTEN: frozenset(),
}
"""Which status may follow which. PENDING again: some of its messages were forgotten, so it is digested anew."""


@dataclass(frozen=True, slots=True)
class Talk:
    """What an analyst is given: the exchanges of one stretch that the gate did not skip."""

    exchanges: tuple[Exchange, ...]  # in order; at least one
    verdicts: tuple[Verdict, ...]  # the gate's word on each exchange: KEEP or UNSURE
    readings: Mapping[str, MessageReading] = field(
        default_factory=dict
    )  # by id, of what people said in their own words
    known: tuple[str, ...] = ()  # what was known before, a line each: to tell who is meant by it, never a source
    retracted: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    """By id, start and end of what people took back of their messages, in characters."""
    heard: Mapping[str, Message] = field(default_factory=dict)
    """By id of the first message of an exchange, what was said right before it, where that was skipped: who asks "what
    does he do?" may be, and the answer not."""


def explicit_request(verdicts: Iterable[Verdict], authors: Collection[str]) -> float:
    """Return 1 where somebody clearly asks for it to be remembered, 0.5 where they may have asked another person."""
    is_asked_for = any(verdict.reason is Reason.EXPLICIT_REQUEST and verdict.rule is not None for verdict in verdicts)
    return 0.0 if not is_asked_for else 0.5 if len(authors) > 1 else 1.0


def heard_before(exchanges: Sequence[Exchange], line: Sequence[Message], *, pause: timedelta) -> dict[str, Message]:
    """Return what stands right before an exchange in a line of messages and is in none, by its first message's id.

    The question that it answers may be told with it. Not what was asked to be forgotten, what gives orders to a model,
    nor what was said before a ``pause``.
    """
    inside = {message.id for exchange in exchanges for message in exchange.messages}
    begins = {exchange.messages[0].id for exchange in exchanges}
    return {
        message.id: heard
        for heard, message in pairwise(line)
        if message.id in begins and heard.id not in inside and message.at - heard.at < pause
        if heard.content and not (heard.is_of_request or looks_injected(heard.content[:_READ_CHARS]))
    }


@dataclass(frozen=True, slots=True)
class Digest(Plain):
    """What an analyst says about a stretch of talk."""

    topic: str
    """A brief title, at most MAX_TOPIC_CHARS characters."""
    summary: str
    """100 to 150 tokens where there is that much to say; only what was said."""
    key_points: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    emotions: tuple[str, ...] = ()
    """Names of emotions, strongest first."""
    user_state: UserState = UserState.NEUTRAL
    signals: dict[str, float] = field(default_factory=dict)
    """What importance is made of: named factors in [0, 1]."""
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    """Answers to the exchanges the gate was unsure of, by their position in the talk; none of them is UNSURE."""
    analyst: str = "local"
    """Who wrote it: "local" or a language model by name; "local: " and the reason where it stood in for one."""
    facts: tuple[FactDraft, ...] = ()
    """What the person stated about themself or their life; kept as facts, not with the episode."""
    relations: tuple[RelationDraft, ...] = ()
    """What the person stated to bear on each other; kept as edges, not with the episode."""
    reader: str = ""
    """What read the talk, with its version; empty for what was read before readers had one, or by words in parts."""
    next_reader: str = ""
    """What it is to be read again by; until then it stands. Empty where it is not."""


@dataclass(frozen=True, slots=True)
class Episode(Plain):
    """One remembered stretch of talk."""

    id: str
    scope: Scope
    conversation: str
    first_seq: int
    last_seq: int
    message_ids: tuple[str, ...]
    """Ids of the kept messages, in order."""
    started_at: datetime
    ended_at: datetime
    recorded_at: datetime
    status: EpisodeStatus = EpisodeStatus.PENDING
    zone: str | None = None
    digest: Digest | None = None
    """None only while PENDING again after a failure, or FAILED before there was one."""
    importance: float = 0.0
    """Given when written, in [0, 1]; never changed."""
    detail: Detail = Detail.VIVID
    closed_by: str = ""
    """What ended it: messages, pause, topic, request, hand or flush."""
    attempts: int = 0
    """Failed attempts since the last success."""
    next_try: datetime | None = None
    """When it is due for work; None when nothing is to be done."""
    error: str | None = None
    pinned: bool = False
    """Whether somebody said by hand that it never fades."""
    recalls: tuple[datetime, ...] = ()
    """When it was usefully recalled: the person took up again what a context had shown of it. In order."""
    restored_at: datetime | None = None
    """When it was last brought back from the archive."""
    fades_at: datetime | None = None
    """When its next step of fading is due; None when there is none, or it never fades."""
    rev: int = 0

    @property
    def key(self) -> ConversationKey:
        """The conversation it is of."""
        return ConversationKey(self.scope.project, self.scope.agent, self.conversation)

    @property
    def version(self) -> int:
        """Which state of it this is; given to a verb that changes it, the change is only made where it still is."""
        return self.rev

    @property
    def is_held(self) -> bool:
        """Whether it never fades: it was pinned, or the person asked that it be remembered."""
        return self.pinned or (self.digest is not None and self.digest.signals.get(EXPLICIT_REQUEST, 0.0) >= 1.0)

    @property
    def trace(self) -> Trace:
        """This episode as forgetting sees it."""
        return Trace(
            id=self.id,
            importance=self.importance,
            told_at=max(self.ended_at, self.recorded_at),
            recalls=self.recalls,
            restored_at=self.restored_at,
            is_held=self.is_held,
            is_vivid=self.detail is not Detail.GIST,
            is_active=self.status is EpisodeStatus.ACTIVE,
            fades_at=self.fades_at,
        )

    def moved_to(self, status: EpisodeStatus, **changes: object) -> Episode:
        """Return this episode in another status, if that may follow the present one; the one way to change it."""
        if status not in TRANSITIONS[self.status]:
            raise InvalidTransition(f"episode {self.id!r} is {self.status}; it cannot become {status}")
        return replace(self, status=status, **changes)  # type: ignore[arg-type]


class EpisodeWords(NamedTuple):
    """What people themselves wrote in an episode, as far as it is left."""

    episode_id: str
    messages: tuple[Message, ...]  # in order, of the role "user" only; at least one, none of them empty


@dataclass(frozen=True, slots=True)
class Distillate(Plain):
    """What an analyst finds to hold over several episodes."""

    drafts: tuple[FactDraft, ...] = ()
    """One for each message that shows it: those with the same statement are one fact. Inferred, not said."""
    error: str = ""  # why the episodes could not be read; empty where they were


def frame_episode(messages: Sequence[Message], episode_id: str, *, now: datetime, closed_by: str) -> Episode:
    """Return the episode of a stretch of one conversation, in its order, with nothing said about it yet."""
    first, last = messages[0], messages[-1]
    return Episode(
        id=episode_id,
        scope=first.scope,
        conversation=first.conversation,
        first_seq=first.seq,
        last_seq=last.seq,
        message_ids=tuple(message.id for message in messages),
        started_at=min(message.at for message in messages),
        ended_at=max(message.at for message in messages),
        recorded_at=now,
        zone=last.zone,
        closed_by=closed_by,
    )


_SPEAKER = re.compile(r"([^\W\d_][^\s:]*(?: [^\s:]+){0,3}): (?=\S)")


class GistLine(NamedTuple):
    """One sentence that is left."""

    text: str
    speaker: str  # who said it, or what else stood before a colon; empty where nothing did


def gist_lines(digest: Digest) -> list[GistLine]:
    """Return the sentences of a digest's summary, key points and decisions, each once, in this order.

    A sentence that begins with up to four words and a colon is taken to be theirs who are named there, and so are those
    behind it in the same text up to the next such name; whoever knows who spoke can tell a name from a note.
    """
    lines: dict[int, GistLine] = {}
    for told in (digest.summary, *digest.key_points, *digest.decisions):
        speaker = ""
        for sentence in split_sentences(told):
            named = _SPEAKER.match(sentence)
            speaker = named[1] if named else speaker
            text = sentence[named.end() :] if named else sentence
            lines.setdefault(fingerprint(text), GistLine(text, speaker))
    return list(lines.values())
