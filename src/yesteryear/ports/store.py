"""Transactions of one owner, and the store that runs them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from yesteryear.ports.access import Audit, Keys
from yesteryear.ports.beliefs import Cycles, Edges, Evidences, Facts, Rulings, Versions
from yesteryear.ports.forgettings import Forgettings
from yesteryear.ports.talk import Conversations, Episodes, Messages, Overrides, Recalls, Vectors
from yesteryear.ports.usage import Usages

if TYPE_CHECKING:
    from yesteryear.core.erasure import Erasure, Scrubbed
    from yesteryear.core.owner import OwnerState, Waiting
    from yesteryear.core.queries import Changes
    from yesteryear.core.scope import ConversationKey, Owner, Scope
    from yesteryear.core.vectors import VectorIndex
    from yesteryear.ports.world import Bell

T = TypeVar("T")


class Transaction(Protocol):
    """One owner's rows at one moment, seen through one scope.

    Reads are filtered by the scope's project and agent; writes carry the scope of the row. Writing transactions of one
    owner happen one after another, so that what was read in one still holds when it writes.
    """

    @property
    def scope(self) -> Scope:
        """Through which scope this looks."""
        ...

    @property
    def messages(self) -> Messages:
        """The journal."""
        ...

    @property
    def conversations(self) -> Conversations:
        """How far each conversation goes."""
        ...

    @property
    def episodes(self) -> Episodes:
        """Remembered stretches of talk."""
        ...

    @property
    def vectors(self) -> Vectors:
        """Unit vectors by model."""
        ...

    @property
    def overrides(self) -> Overrides:
        """Settings of the user and of projects."""
        ...

    @property
    def recalls(self) -> Recalls:
        """What contexts have shown."""
        ...

    @property
    def facts(self) -> Facts:
        """What is believed."""
        ...

    @property
    def versions(self) -> Versions:
        """How facts have changed."""
        ...

    @property
    def evidence(self) -> Evidences:
        """What speaks for and against facts."""
        ...

    @property
    def rulings(self) -> Rulings:
        """What pairs of facts are to each other."""
        ...

    @property
    def edges(self) -> Edges:
        """How facts bear on one another."""
        ...

    @property
    def cycles(self) -> Cycles:
        """The nights."""
        ...

    @property
    def usages(self) -> Usages:
        """What models have cost."""
        ...

    @property
    def forgettings(self) -> Forgettings:
        """What was asked in talk to be forgotten."""
        ...

    @property
    def keys(self) -> Keys:
        """Who may come in."""
        ...

    @property
    def audit(self) -> Audit:
        """What they did."""
        ...

    def owner(self) -> OwnerState:
        """Return counters, model and lease of the owner; zeros for an owner without rows."""
        ...

    def save_owner(self, state: OwnerState) -> None:
        """Write models, generation and lease; ``rev`` is counted by the store."""
        ...

    def changes(self, since: int) -> Changes:
        """Return the owner's messages, episodes and facts with ``rev > since``, whatever the scope, and the newest."""
        ...

    def counts(self) -> dict[str, int]:
        """Return numbers of visible rows by kind and status, such as ``episodes.active``."""
        ...

    def withdraw(
        self,
        *,
        messages: Sequence[str] = (),
        conversations: Sequence[ConversationKey] = (),
        episodes: Sequence[str] = (),
        recalls: Sequence[str] = (),
        facts: Sequence[str] = (),
        usages: Sequence[str] = (),
    ) -> None:
        """Take rows out again, as if they had never been written; the generation rises, so indexes are built anew."""
        ...

    def erase(self) -> dict[str, int]:
        """Delete every row of the owner, whatever the scope; return how many, by table. Their generation rises."""
        ...

    def erasure(self) -> Erasure | None:
        """Return the receipt of the owner's last erasure."""
        ...

    def save_erasure(self, erasure: Erasure) -> None:
        """Write the receipt of the owner's last erasure."""
        ...


class Store(Protocol):
    """Where the rows live. Safe to use from several threads; one process more is another Store on the same place."""

    def write(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> T:
        """Run ``work`` in a writing transaction and return its result once the commit is on disk.

        Calls that wait together share a commit; each fails alone.

        Args:
            scope: Whose rows, and seen through what.
            work: Called with the transaction, perhaps on another thread; holds no model call.
            urgent: Goes before calls that are not.

        Raises:
            StorageUnavailable: locked for too long, read-only or full; nothing of this call was written.
        """
        ...

    def submit(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> Future[T]:
        """Queue ``work`` as ``write`` does and return at once; the future resolves after the commit.

        Giving up on the future does not undo the row.
        """
        ...

    def read(self, scope: Scope) -> AbstractContextManager[Transaction]:
        """Open a snapshot for reading. Writing through it raises StorageError."""
        ...

    def due(self, now: datetime, *, limit: int) -> list[Owner]:
        """Return owners with due work and no live lease; the one question that crosses owners."""
        ...

    def waiting(self, now: datetime) -> Waiting:
        """Return how many owners ``due`` would return without a limit, and since when the first of them is due."""
        ...

    def leases(self) -> list[tuple[Owner, str]]:
        """Return who holds a lease on which owner, expired or not; for taking over from workers that are gone."""
        ...

    def pulse(self) -> str:
        """Return a text that is another one after every commit of any process; a look at it costs next to nothing."""
        ...

    def owners(self) -> list[Owner]:
        """Return all people in the store, in order, without what belongs to a tenant itself; for operators."""
        ...

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:
        """Make the files hold nothing that was deleted, and look whether they do.

        ``removed`` are texts (UTF-8) and packed vectors to look for; with none, all is written anew at once.

        Raises:
            StorageUnavailable: the disk is full or the file cannot be written; what was deleted stays deleted.
        """
        ...

    def erasures(self) -> list[Erasure]:
        """Return receipts, and notes of what was forgotten, where the files may still hold it."""
        ...

    def note_erasure(self, erasure: Erasure) -> None:
        """Write such a receipt or note by its ``person``, unless there is a later one."""
        ...

    def index_vectors(
        self, owner: Owner | None = None, *, is_dry: bool = False, drops: bool = False
    ) -> list[VectorIndex]:
        """Give owners with too many vectors to compare them all an index of their own, and take it from others.

        For operators. It may take minutes; owners are read and written meanwhile. A store without such indexes does
        nothing.

        Args:
            owner: Of whom alone; of everybody where not given.
            is_dry: Only tell what would be done.
            drops: Take all of them away.

        Returns:
            One entry for each index that is there, or was.

        Raises:
            SetUpNeeded: the role may not change the schema.
        """
        ...

    def give_way(self) -> None:
        """Step aside for a moment while urgent calls are under way; returns at once when there are none."""
        ...

    def describe(self, *, check: bool = False) -> dict[str, object]:
        """Return what an operator wants to know; with ``check`` also whether all that is stored is whole (slow)."""
        ...

    def close(self) -> None:
        """Finish what was submitted and release the files."""
        ...


@runtime_checkable
class ReachesOthers(Protocol):
    """A store through which a bell can ring in other processes too."""

    def share(self, bell: Bell) -> Bell:
        """Return a bell that rings in this process, as ``bell`` does, and in all others on the same store."""
        ...
