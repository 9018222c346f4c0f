"""A remembered stretch of talk, its digest, and which status may follow which."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from yesteryear.core.message import Exchange, Verdict
from yesteryear.core.plain import Plain
from yesteryear.core.scope import Scope
from yesteryear.errors import InvalidTransition

MAX_TOPIC_CHARS = 500
"""Longest topic, in characters (document A's column)."""


class EpisodeStatus(StrEnum):
    """Where an episode stands in its life."""

    PENDING = "pending"
    ACTIVE = "active"
    FAILED = "failed"
    ARCHIVED = "archived"


class Detail(StrEnum):
    """How much of an episode is left: its words and its summary, or the summary alone."""

    VIVID = "vivid"
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
    EpisodeStatus.PENDING: frozenset({EpisodeStatus.ACTIVE, EpisodeStatus.FAILED}),
    EpisodeStatus.FAILED: frozenset({EpisodeStatus.PENDING}),
    EpisodeStatus.ACTIVE: frozenset({EpisodeStatus.ARCHIVED}),
    EpisodeStatus.ARCHIVED: frozenset({EpisodeStatus.ACTIVE}),
}
"""Which status may follow which."""


@dataclass(frozen=True, slots=True)
class Talk:
    """What an analyst is given: the exchanges of one stretch that the gate did not skip."""

    exchanges: tuple[Exchange, ...]
    """In order; at least one."""
    verdicts: tuple[Verdict, ...]
    """The gate's word on each exchange: KEEP or UNSURE."""


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
    """Who wrote it."""


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
    rev: int = 0

    def moved_to(self, status: EpisodeStatus, **changes: object) -> Episode:
        """Return this episode in another status; the one way to change it.

        Raises:
            InvalidTransition: ``status`` may not follow the present one.
        """
        if status not in TRANSITIONS[self.status]:
            raise InvalidTransition(f"episode {self.id!r} is {self.status}; it cannot become {status}")
        return replace(self, status=status, **changes)  # type: ignore[arg-type]
