"""Rows of what is believed: facts, their evidence and versions, rulings on pairs of them, edges, and nights."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from yesteryear.core.cycle import CycleReport
    from yesteryear.core.edge import Edge
    from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
    from yesteryear.core.ruling import Ruling


class Facts(Protocol):
    """What is believed. One statement has one row, however often it was told."""

    def insert(self, facts: Sequence[Fact]) -> None:
        """Add facts."""
        ...

    def update(self, facts: Sequence[Fact]) -> None:
        """Write facts that exist; those that are gone or forgotten by now stay so."""
        ...

    def get(self, ids: Sequence[str]) -> list[Fact]:
        """Return the visible facts with these ids, in the order asked; unknown and forgotten ones are left out."""
        ...

    def all(self, statuses: Collection[FactStatus] | None = None) -> list[Fact]:
        """Return the visible facts of some statuses, of all but forgotten ones for None, by (first_observed, id)."""
        ...

    def saying(self, statement: str, *, project: str | None) -> Fact | None:
        """Return the visible fact of this project, or of none, with the same words, whatever their case."""
        ...

    def due(self, now: datetime, *, limit: int) -> list[Fact]:
        """Return visible facts due to be embedded and compared, by (due_at, first_observed, id)."""
        ...

    def newest(self) -> int:
        """Return the highest ``rev`` of a fact of the owner, whatever the scope; 0 where there is none."""
        ...

    def forget(self, ids: Sequence[str]) -> None:
        """Leave nothing of visible facts but that they were there; all rows about them and their vectors go too."""
        ...


class Versions(Protocol):
    """How facts have changed."""

    def add(self, versions: Sequence[FactVersion]) -> None:
        """Add versions; the store gives ``number``, one after the last. Those of facts that are gone are left out."""
        ...

    def of(self, fact_id: str) -> list[FactVersion]:
        """Return the versions of a visible fact, oldest first."""
        ...

    def all(self) -> list[FactVersion]:
        """Return the versions of all visible facts, by (fact id, number)."""
        ...

    def known_at(self, instant: datetime) -> list[FactVersion]:
        """Return of each visible fact the last version of ``instant`` or before, by fact id."""
        ...


class Evidences(Protocol):
    """What speaks for and against facts."""

    def add(self, rows: Sequence[Evidence]) -> None:
        """Add evidence; what has the same fact and id already is replaced."""
        ...

    def of(self, fact_ids: Sequence[str]) -> list[Evidence]:
        """Return the evidence of visible facts, by (said_at, id)."""
        ...

    def of_messages(self, message_ids: Sequence[str]) -> list[Evidence]:
        """Return visible evidence that rests on some messages, by (said_at, id)."""
        ...

    def all(self) -> list[Evidence]:
        """Return all visible evidence, by (said_at, id)."""
        ...

    def remove(self, rows: Sequence[Evidence]) -> None:
        """Delete evidence."""
        ...


class Rulings(Protocol):
    """What pairs of facts are to each other."""

    def save(self, rulings: Sequence[Ruling]) -> None:
        """Write rulings; one on the same pair is replaced. Those on facts that are gone or forgotten are left out."""
        ...

    def of(self, fact_ids: Sequence[str]) -> list[Ruling]:
        """Return visible rulings in which one of these facts takes part, by pair."""
        ...

    def all(self) -> list[Ruling]:
        """Return all visible rulings, by pair."""
        ...


class Edges(Protocol):
    """How facts bear on one another."""

    def put(self, edges: Sequence[Edge]) -> None:
        """Write edges; one with the same ends and relation is replaced. Those of facts that are gone are left out."""
        ...

    def all(self) -> list[Edge]:
        """Return all visible edges, by (source, target, relation)."""
        ...


class Cycles(Protocol):
    """The nights of an owner."""

    def save(self, report: CycleReport) -> None:
        """Write a night, new or known."""
        ...

    def get(self, cycle_id: str) -> CycleReport | None:
        """Return a night, or None."""
        ...

    def latest(self, *, limit: int) -> list[CycleReport]:
        """Return the last nights, newest first by id."""
        ...
