"""What was asked to be forgotten and lies here alone until its day, and the receipt of what was erased for good."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from yesteryear.core.episode import Episode
from yesteryear.core.fact import Evidence, Fact, FactVersion
from yesteryear.core.message import Message
from yesteryear.core.relation import Edge
from yesteryear.core.results import Plain
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import Scope

STILL_READ = "somebody still reads what was there before; close the other process, or wait until it ends its reading"
"""What a store waits for whose files a reader keeps from being cleaned."""


@dataclass(frozen=True, slots=True)
class Scrubbed(Plain):
    """What was done to the files so that deleted text is gone from them, and what was found."""

    files: tuple[str, ...] = ()
    """Names of the files that were looked through, without their folder."""
    bytes_scanned: int = 0
    """Bytes that were looked through, in the last scan."""
    found_before: int = 0
    """Pieces of the removed text that were still in the files after the rows had been deleted."""
    found_after: int = 0
    """Pieces that are there at the end: words that rows which stay hold too, or a log that waits for a reader."""
    is_rewritten: bool = False
    """Whether the database was written anew (VACUUM)."""
    waits_for: str = ""
    """What still has to happen, such as a reader to end; empty when all is done."""
    limits: str = ""
    """What could not be done or looked at, such as the files of a server; empty when nothing was left out."""


@dataclass(frozen=True, slots=True)
class Erasure(Plain):
    """A receipt. It names nobody: ``person`` is a hash of tenant and user."""

    tenant: str
    person: str
    """See ``core.scope.hash_person``."""
    generation: int
    """Work begun under an earlier one is not written any more."""
    erased_at: datetime
    removed: Mapping[str, int] = field(default_factory=dict)
    """Numbers of removed rows by table."""
    scrubbed: Scrubbed = field(default_factory=Scrubbed)
    is_pending: bool = True
    """Whether the files may still hold removed text; the worker tries again until they do not."""
    hash: str = ""
    """SHA-256 of everything above as JSON with sorted keys, in hexadecimal."""
    signature: str = ""
    """HMAC-SHA-256 of ``hash`` with the store's key, in hexadecimal; empty without a key."""

    def sealed(self, key: bytes = b"") -> Erasure:
        """Return this receipt with its hash, and with a signature where there is a key."""
        plain = self.to_dict()
        del plain["hash"], plain["signature"]
        digest = sha256(json.dumps(plain, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
        signature = hmac.new(key, digest.encode(), sha256).hexdigest() if key else ""
        return replace(self, hash=digest, signature=signature)


class Withheld(StrEnum):
    """What a row of ``Forgettings`` is about."""

    PROPOSAL = "proposal"  # a request that nobody has answered yet; nothing of it is hidden
    MESSAGE = "message"
    EPISODE = "episode"  # one that is hidden, or was digested anew without some of its messages
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class Forgetting:
    """One thing that somebody asked in talk to have forgotten."""

    scope: Scope  # of the row it is about
    kind: Withheld
    id: str  # of the message, episode or fact; of a proposal that of the message that asked
    asked_by: str  # id of the message that asked
    author: str  # who asked
    at: datetime  # when it was asked
    until: datetime  # when a proposal lapses, or what is hidden is erased
    subjects: tuple[str, ...] = ()  # of a proposal: what it is about, in the person's words; none for everything
    named: str = ""  # of a proposal: what it is about, as the question names it
    shown_at: datetime | None = None  # of a proposal: when a context offered the question
    shown_in: str | None = None  # of a proposal: in which conversation
    confirmed_at: datetime | None = None  # of a proposal: when it had its yes; it is gone once it was carried out
    message: Message | None = None  # as it was; of a proposal the one that asked, without its words
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
