"""What was asked to be forgotten and is not erased yet: proposals that wait for a yes, and what is hidden meanwhile.

Whatever is hidden stands nowhere else any more: its own row is as empty as that of something forgotten for good, and
what it held lies here until its day has come, or until it is brought back.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from yesteryear.core.edge import Edge
from yesteryear.core.episode import Episode
from yesteryear.core.fact import Evidence, Fact, FactVersion
from yesteryear.core.message import Message
from yesteryear.core.plain import Plain
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import Scope


class Withheld(StrEnum):
    """What a row of ``Forgettings`` is about."""

    PROPOSAL = "proposal"
    """A request that nobody has answered yet; nothing of it is hidden."""
    MESSAGE = "message"
    EPISODE = "episode"
    """One that is hidden, or was digested anew without some of its messages."""
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class Forgetting:
    """One thing that somebody asked in talk to have forgotten."""

    scope: Scope
    """Of the row it is about."""
    kind: Withheld
    id: str
    """Of the message, episode or fact; of a proposal that of the message that asked."""
    asked_by: str
    """Id of the message that asked."""
    author: str
    """Who asked."""
    at: datetime
    """When it was asked."""
    until: datetime
    """When a proposal lapses, or what is hidden is erased."""
    subjects: tuple[str, ...] = ()
    """Of a proposal: what it is about, in the person's words; none where it is about everything."""
    named: str = ""
    """Of a proposal: what it is about, as the question names it."""
    shown_at: datetime | None = None
    """Of a proposal: when a context offered the question."""
    shown_in: str | None = None
    """Of a proposal: in which conversation."""
    confirmed_at: datetime | None = None
    """Of a proposal: when it had its yes; it is gone once it was carried out."""
    message: Message | None = None
    """As it was; of a proposal the one that asked, without its words."""
    episode: Episode | None = None
    fact: Fact | None = None
    versions: tuple[FactVersion, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class Hidden(Plain):
    """Who asked to have something forgotten, and until when it can be brought back."""

    asked_by: str
    """Id of the message that asked; ``restore`` takes it."""
    author: str
    asked_at: datetime
    until: datetime
    """When nothing of it will be left."""
