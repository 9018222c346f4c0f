"""Things that fail on purpose: a process that dies at a chosen write, an analyst and an embedder that refuse."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar, cast

from yesteryear.core.episode import Digest, Talk
from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.ruling import ClaimPair, Judgement
from yesteryear.core.scope import Owner, OwnerState, Scope, Waiting
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose, VectorIndex
from yesteryear.errors import ProviderUnavailable
from yesteryear.ports import Analyst, Embedder, Store, Transaction

T = TypeVar("T")


class Moment(StrEnum):
    """When, as seen from a commit."""

    BEFORE = "before"
    AFTER = "after"


class Write(StrEnum):
    """What a writing transaction of the engine is for; told by what it touches."""

    RECORD = "record"
    POSTPONE = "postpone"
    SEGMENT = "segment"
    ACTIVATE = "activate"
    EMBED = "embed"
    CLAIM = "claim"
    RELEASE = "release"
    MARK_MESSAGES = "mark_messages"
    MARK_EPISODES = "mark_episodes"
    START_MODEL = "start_model"
    FINISH_MODEL = "finish_model"
    EXPIRE = "expire"
    FADE = "fade"
    STRENGTHEN = "strengthen"
    FORGET = "forget"
    DIGEST_ANEW = "digest_anew"
    SCRUB = "scrub"
    NOTE = "note"
    BELIEVE = "believe"
    JUDGE = "judge"
    SETTLE = "settle"
    OTHER = "other"
    NOTHING = "nothing"


_WRITES: tuple[tuple[frozenset[str], Write], ...] = (
    (frozenset({"messages.insert"}), Write.RECORD),
    (frozenset({"recalls.settle"}), Write.STRENGTHEN),
    (frozenset({"recalls.forget"}), Write.FORGET),
    (frozenset({"cycles.save", "facts.update"}), Write.SETTLE),
    (frozenset({"cycles.save", "rulings.save"}), Write.JUDGE),
    (frozenset({"vectors.put", "facts.update"}), Write.BELIEVE),
    (frozenset({"vectors.forget", "episodes.update"}), Write.FADE),
    (frozenset({"vectors.forget"}), Write.EXPIRE),
    (frozenset({"vectors.put", "episodes.update"}), Write.ACTIVATE),
    (frozenset({"vectors.put"}), Write.EMBED),
    (frozenset({"conversations.save", "messages.update"}), Write.SEGMENT),
    (frozenset({"messages.update", "episodes.update"}), Write.DIGEST_ANEW),
    (frozenset({"conversations.save"}), Write.POSTPONE),
    (frozenset({"start_model"}), Write.START_MODEL),
    (frozenset({"finish_model"}), Write.FINISH_MODEL),
    (frozenset({"claim"}), Write.CLAIM),
    (frozenset({"release"}), Write.RELEASE),
    (frozenset({"messages.update"}), Write.MARK_MESSAGES),
    (frozenset({"episodes.update"}), Write.MARK_EPISODES),
)
"""The first set whose members were all touched tells the purpose. SCRUB and NOTE are no transactions of an owner."""


@dataclass(frozen=True, slots=True)
class CrashPoint:
    """Right before or right after the ``nth`` commit of one purpose."""

    write: Write
    moment: Moment
    nth: int = 1


class CrashingStore:
    """A store whose process kills itself at a crash point; else it is the store it is given, and counts writes.

    Args:
        inner: The store that does the work.
        point: Where to die; None for nowhere.
        kill: How to die; by SIGKILL, so that nothing is tidied up.
    """

    def __init__(
        self,
        inner: Store,
        point: CrashPoint | None = None,
        *,
        kill: Callable[[], None] = lambda: os.kill(os.getpid(), signal.SIGKILL),
    ) -> None:
        self._inner = inner
        self._point = point
        self._kill = kill
        self.writes: Counter[Write] = Counter()
        """How many transactions of each purpose were committed."""

    def write(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> T:
        """Write as the inner store does, unless the process dies of it."""
        result, purpose = self._inner.write(scope, self._watch(work), urgent=urgent)
        self._note(purpose)
        return result

    def submit(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> Future[T]:
        """Queue a write as the inner store does; it is not watched."""
        return self._inner.submit(scope, work, urgent=urgent)

    def read(self, scope: Scope) -> AbstractContextManager[Transaction]:
        """Open a snapshot."""
        return self._inner.read(scope)

    def due(self, now: datetime, *, limit: int) -> list[Owner]:
        """Return owners with due work."""
        return self._inner.due(now, limit=limit)

    def waiting(self, now: datetime) -> Waiting:
        """Return how much waits."""
        return self._inner.waiting(now)

    def leases(self) -> list[tuple[Owner, str]]:
        """Return who holds a lease."""
        return self._inner.leases()

    def pulse(self) -> str:
        """Return what changes with every commit."""
        return self._inner.pulse()

    def owners(self) -> list[Owner]:
        """Return all owners."""
        return self._inner.owners()

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:
        """Clean the files as the inner store does, unless the process dies of it."""
        self._die_at(Write.SCRUB, Moment.BEFORE)
        scrubbed = self._inner.scrub(removed)
        self._note(Write.SCRUB)
        return scrubbed

    def erasures(self) -> list[Erasure]:
        """Return the receipts of erasures that wait."""
        return self._inner.erasures()

    def note_erasure(self, erasure: Erasure) -> None:
        """Write a receipt or note as the inner store does, unless the process dies of it."""
        self._die_at(Write.NOTE, Moment.BEFORE)
        self._inner.note_erasure(erasure)
        self._note(Write.NOTE)

    def index_vectors(
        self, owner: Owner | None = None, *, is_dry: bool = False, drops: bool = False
    ) -> list[VectorIndex]:
        """Make and drop indexes as the inner store does."""
        return self._inner.index_vectors(owner, is_dry=is_dry, drops=drops)

    def yield_to_foreground(self) -> None:
        """Step aside for urgent calls."""
        self._inner.yield_to_foreground()

    def describe(self, *, check: bool = False) -> dict[str, object]:
        """Describe the inner store."""
        return self._inner.describe(check=check)

    def close(self) -> None:
        """Close the inner store."""
        self._inner.close()

    def _watch(self, work: Callable[[Transaction], T]) -> Callable[[Transaction], tuple[T, Write]]:
        def watched(tx: Transaction) -> tuple[T, Write]:
            watching = _WatchedTransaction(tx)
            result = work(cast("Transaction", watching))
            purpose = _purpose(watching.touched)
            self._die_at(purpose, Moment.BEFORE)
            return result, purpose

        return watched

    def _note(self, purpose: Write) -> None:
        self._die_at(purpose, Moment.AFTER)
        self.writes[purpose] += 1

    def _die_at(self, purpose: Write, moment: Moment) -> None:
        if self._point == CrashPoint(purpose, moment, self.writes[purpose] + 1):
            self._kill()


def _purpose(touched: set[str]) -> Write:
    for needed, purpose in _WRITES:
        if needed <= touched:
            return purpose
    return Write.OTHER if touched else Write.NOTHING


class _WatchedTransaction:
    """A transaction that remembers which writing methods were called."""

    def __init__(self, inner: Transaction) -> None:
        self._inner = inner
        self.touched: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return found if callable(found) or name == "scope" else _WatchedRepository(found, name, self.touched)

    def save_owner(self, state: OwnerState) -> None:
        before = self._inner.owner()
        if state.next_model != before.next_model:
            self.touched.add("start_model" if state.next_model else "finish_model")
        if state.lease_by != before.lease_by or state.lease_until != before.lease_until:
            self.touched.add("claim" if state.lease_by else "release")
        self._inner.save_owner(state)


class _WatchedRepository:
    _WRITING = frozenset({"insert", "update", "save", "put", "drop", "forget", "append", "settle", "prune"})

    def __init__(self, inner: object, name: str, touched: set[str]) -> None:
        self._inner = inner
        self._name = name
        self._touched = touched

    def __getattr__(self, method: str) -> Any:
        if method in self._WRITING:
            self._touched.add(f"{self._name}.{method}")
        return getattr(self._inner, method)


class FailingAnalyst:
    """An analyst that cannot be reached when the talk holds a word, until ``is_well`` is set.

    Args:
        inner: Who answers otherwise.
        word: What it fails on; the empty text is in every talk.
    """

    def __init__(self, inner: Analyst, *, word: str = "") -> None:
        self._inner = inner
        self._word = word
        self.is_well = False
        self.failures = 0

    def digest(self, talk: Talk, *, yield_to_foreground: Callable[[], None]) -> Digest:
        """Digest, or fail."""
        texts = [message.content for exchange in talk.exchanges for message in exchange.messages]
        if not self.is_well and any(self._word in text for text in texts):
            self.failures += 1
            raise ProviderUnavailable("the analyst cannot be reached")
        return self._inner.digest(talk, yield_to_foreground=yield_to_foreground)

    def judge(self, pairs: Sequence[ClaimPair], *, yield_to_foreground: Callable[[], None]) -> list[Judgement]:
        """Judge, or fail."""
        if not self.is_well and any(self._word in claim.text for pair in pairs for claim in pair):
            self.failures += 1
            raise ProviderUnavailable("the analyst cannot be reached")
        return self._inner.judge(pairs, yield_to_foreground=yield_to_foreground)


class FailingEmbedder:
    """An embedder that cannot be reached for texts that hold a word, until ``is_well`` is set."""

    def __init__(self, inner: Embedder, *, word: str = "") -> None:
        self._inner = inner
        self._word = word
        self.is_well = False
        self.failures = 0

    @property
    def profile(self) -> EmbedderProfile:
        """The inner embedder's."""
        return self._inner.profile

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Embed, or fail."""
        if not self.is_well and any(self._word in text for text in texts):
            self.failures += 1
            raise ProviderUnavailable("the embedder cannot be reached")
        return self._inner.embed(texts, purpose=purpose)

    def close(self) -> None:
        """Close the inner embedder."""
        self._inner.close()
