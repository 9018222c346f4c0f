"""What a memory holds as rows in a fixed order: what an export is written from, and what it becomes again.

Conversations come by their key, messages by conversation and position, episodes by conversation and first message,
facts by when they were first told, vectors in the order of the messages, then of the episodes, then of the facts,
recall events, nights and what models have cost by id, settings by project. What is about facts comes in their order,
too: versions by number, evidence by when it was said, rulings and edges with the fact that comes last of their two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from yesteryear.core.conversation import Conversation
from yesteryear.core.cycle import CycleReport
from yesteryear.core.edge import Edge
from yesteryear.core.episode import Episode
from yesteryear.core.events import RecallEvent
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
from yesteryear.core.message import Message
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import ConversationKey, Scope, check_name
from yesteryear.core.usage import Charge
from yesteryear.core.vectors import StoredVector
from yesteryear.errors import BadExport
from yesteryear.takeout.lines import check_plain, clean, dump_line, parse_line, plain_of, row_of

Row = TypeVar("Row")
Value: TypeAlias = int | float | bool | str
"""A value of a setting."""

MOST_SETTINGS = 100
"""Settings of one level, at most: several times as many as there are, since another version may know others."""
_MOST_CHARS = 1000
"""Longest text of a setting, in characters."""


class Models(NamedTuple):
    """The embedding models of an owner; see ``core.owner.OwnerState``."""

    model: str | None
    next_model: str | None


@dataclass(frozen=True, slots=True)
class DumpedSettings:
    """What is set at one level."""

    project: str | None
    """None for what is set for the user."""
    values: Mapping[str, Value]
    """At least one."""


@dataclass(frozen=True, slots=True)
class ModelVector:
    """A vector and the model that made it."""

    model: str
    stored: StoredVector


class Dump(Protocol):
    """The rows of one owner, or what a scope sees of them. Each kind can be read again and again."""

    @property
    def models(self) -> Models:
        """The models whose vectors serve."""
        ...

    def rows(self, kind: RowKind[Row]) -> Iterator[Row]:
        """Go through the rows of one kind, forgotten ones too."""
        ...


@dataclass(frozen=True, slots=True)
class RowKind(Generic[Row]):
    """One kind of rows in an export: what its dataclass does not tell of how a row becomes a line, and a row again."""

    name: str
    """What the rows are called, and their file but for its ending."""
    row: type[Row]
    check: Callable[[Row], None] = lambda _: None
    """Raises where the fields of a row do not belong together."""
    trim: Callable[[dict[str, Any]], None] = lambda _: None
    """Takes out of a line's object what does not stand there."""
    later: Mapping[str, object] = field(default_factory=dict)
    """Fields that exports did not always have, and what they would say."""

    @property
    def file(self) -> str:
        """Name of the file that holds them."""
        return f"{self.name}.jsonl"

    def plain(self, row: Row) -> dict[str, Any]:
        """Return the object of a row's line."""
        plain = plain_of(row)
        self.trim(plain)
        return plain

    def lines(self, dump: Dump) -> Iterator[bytes]:
        """Go through the rows of a dump as lines."""
        return (dump_line(self.plain(row)) for row in dump.rows(self))

    def parse(self, line: bytes, target: Scope, *, redacts: bool = False) -> Row:
        """Return the row of a line.

        Args:
            line: One of those that ``lines`` yields.
            target: Whose it becomes; where it has a project or agent, of that.
            redacts: Whether secrets are cut out of whatever text stands in it.

        Raises:
            InputError: a field is missing, unknown or does not fit.
        """
        plain = {**self.later, **parse_line(line)}
        if redacts:
            plain = clean(plain)
        row = row_of(plain, self.row, target)
        check_plain(plain, self.plain(row))
        self.check(row)
        return row


def _check_message(row: Message) -> None:
    check_name("conversation", row.conversation)
    check_name("author", row.author)


def _trim_message(plain: dict[str, Any]) -> None:
    verdict = plain["verdict"]
    if verdict is not None and verdict["source"] is None:  # as in exports of before sources were told
        del verdict["source"], verdict["brought"]


def _check_episode(row: Episode) -> None:
    check_name("conversation", row.conversation)


def _trim_episode(plain: dict[str, Any]) -> None:
    if plain["digest"] is not None:  # verdicts stand with their messages, facts in rows of their own
        del plain["digest"]["verdicts"], plain["digest"]["facts"]


def _check_settings(row: DumpedSettings) -> None:
    if len(row.values) > MOST_SETTINGS:
        raise BadExport(
            f"values holds {len(row.values):,} entries, and {MOST_SETTINGS} is the most; take out what is not yours"
        )
    for name, value in row.values.items():
        check_name("values", name)
        if isinstance(value, str) and len(value) > _MOST_CHARS:
            raise BadExport(f"values.{name} has {len(value):,} characters, and {_MOST_CHARS} is the most")


def _check_fact(fact: Fact) -> None:
    if fact.status is FactStatus.FORGOTTEN and fact != fact.blank():
        raise BadExport(f"fact {fact.id!r} is forgotten, and something is told of it")
    if fact.status is not FactStatus.FORGOTTEN and not fact.statement:
        raise BadExport(f"fact {fact.id!r} states nothing")


def _check_ruling(ruling: Ruling) -> None:
    if ruling.earlier == ruling.later:
        raise BadExport(f"fact {ruling.earlier!r} is compared with itself")


def _check_edge(edge: Edge) -> None:
    if edge.source == edge.target:
        raise BadExport(f"fact {edge.source!r} bears on itself")


def _check_cycle(report: CycleReport) -> None:
    if any(change.statement for change in report.changes):
        raise BadExport(f"night {report.id!r} holds statements; they stand with the facts")


SETTINGS = RowKind("settings", DumpedSettings, check=_check_settings)
CONVERSATIONS = RowKind("conversations", Conversation)
MESSAGES = RowKind("messages", Message, check=_check_message, trim=_trim_message)
EPISODES = RowKind("episodes", Episode, check=_check_episode, trim=_trim_episode)
FACTS = RowKind("facts", Fact, check=_check_fact)
VERSIONS = RowKind("versions", FactVersion, check=lambda row: _check_fact(row.fact))
EVIDENCE = RowKind("evidence", Evidence)
RULINGS = RowKind("rulings", Ruling, check=_check_ruling)
EDGES = RowKind("edges", Edge, check=_check_edge)
CYCLES = RowKind(
    "cycles",
    CycleReport,
    check=_check_cycle,
    later={"distilled": 0, "undistilled": 0, "read": []},  # which exports of version 2 lack
)
VECTORS = RowKind("vectors", ModelVector)
RECALLS = RowKind("recalls", RecallEvent)
USAGES = RowKind("usages", Charge)

BELIEFS = (FACTS, VERSIONS, EVIDENCE, RULINGS, EDGES, CYCLES)
KINDS: tuple[RowKind[Any], ...] = (SETTINGS, CONVERSATIONS, MESSAGES, EPISODES, *BELIEFS, VECTORS, RECALLS, USAGES)
"""All that is exported, in the order of the files."""


def place_of(key: ConversationKey) -> tuple[str, str, str]:
    """Return what orders conversations: project, agent and name, those without first."""
    return key.project or "", key.agent or "", key.name


def edge_key(edge: Edge) -> tuple[str, str, str]:
    """Return what tells edges apart."""
    return edge.source, edge.target, edge.relation.value
