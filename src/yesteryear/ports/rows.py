"""The rows of one owner, table by table, of talk, of what is believed and of what stands beside; and a transaction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from yesteryear.core.access.audit import AuditDraft, AuditEntry
    from yesteryear.core.access.keys import ApiKey
    from yesteryear.core.episode import Episode, EpisodeStatus
    from yesteryear.core.erasure import Erasure, Forgetting, Withheld
    from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
    from yesteryear.core.fading.half_life import Trace
    from yesteryear.core.hits import RecallEvent
    from yesteryear.core.message import Conversation, Message
    from yesteryear.core.night_report import CycleReport
    from yesteryear.core.relation import Edge
    from yesteryear.core.rows.queries import Changes, EpisodeQuery, IndexedMessage, MessageQuery, Verbatim
    from yesteryear.core.ruling import Ruling
    from yesteryear.core.scope import ConversationKey, OwnerState, Scope
    from yesteryear.core.usage import Charge, ModelCall
    from yesteryear.core.vectors import Matrix, StoredVector

Setting: TypeAlias = int | float | bool | str
"""A value of a setting."""


class Messages(Protocol):
    """The journal."""

    def insert(self, message: Message) -> None:
        """Add a message whose ``seq`` follows its conversation's last one.

        A taken id or place is a ``Conflict``, raised here, by the next question, or where the transaction ends.
        """

    def update(self, messages: Sequence[Message]) -> None:
        """Write what changed in messages that exist: content, verdict, episode, due times, errors."""

    def by_external_id(self, key: ConversationKey, external_id: str) -> Message | None:
        """Return the message that the caller gave this id to."""

    def span(self, key: ConversationKey, *, after: int, limit: int) -> list[Message]:
        """Return up to ``limit`` messages with ``seq > after``, in order."""

    def tail(self, key: ConversationKey, *, limit: int) -> list[IndexedMessage]:
        """Return the last messages of a conversation, in order."""

    def authors(self, key: ConversationKey) -> list[str]:
        """Return who has spoken in a conversation, in order of their names."""

    def get(self, ids: Sequence[str]) -> list[Message]:
        """Return the visible messages with these ids, in the order asked; unknown ids are left out."""

    def page(self, query: MessageQuery) -> list[Message]:
        """Return the visible messages that match, ordered by id."""

    def due(self, now: datetime, *, limit: int) -> list[Message]:
        """Return messages whose passages are due to be embedded: user's before others', then oldest first."""

    def expired(self, now: datetime, *, limit: int) -> list[Message]:
        """Return skipped messages whose text the journal may erase."""

    def named(self, names: Sequence[str]) -> list[Message]:
        """Return the visible messages with one of these ids, ours or the caller's, in order of conversation and seq."""

    def forget_requests(self, now: datetime, *, limit: int) -> list[Message]:
        """Return messages that asked, up to ``now``, to have something forgotten and were not dealt with yet."""

    def measured(self, now: datetime) -> list[Message]:
        """Return the visible messages that tell numbers, were said up to ``now`` and are not hidden, by (at, id)."""

    def verbatim(self) -> list[Verbatim]:
        """Return the visible messages that the gate has seen and whose words are kept, in order of (told_at, id)."""

    def count_verbatim(self) -> int:
        """Return how many messages ``verbatim`` would return."""


class Conversations(Protocol):
    """How far each conversation goes and has been worked through."""

    def get(self, key: ConversationKey) -> Conversation | None:
        """Return what is known of a conversation, or None."""

    def save(self, conversation: Conversation) -> None:
        """Write a conversation, new or known."""

    def due(self, now: datetime, *, limit: int) -> list[Conversation]:
        """Return conversations whose open tail is due, most overdue first."""

    def list(self) -> list[Conversation]:
        """Return the visible conversations, ordered by key."""


class Episodes(Protocol):
    """Remembered stretches of talk."""

    def insert(self, episode: Episode) -> None:
        """Add an episode."""

    def update(self, episode: Episode, *, expecting: EpisodeStatus) -> None:
        """Write an episode that was ``expecting`` when it was read; Stale where it is not any more, or is gone."""

    def get(self, ids: Sequence[str]) -> list[Episode]:
        """Return the visible episodes with these ids, in the order asked; unknown ids are left out."""

    def page(self, query: EpisodeQuery) -> list[Episode]:
        """Return the visible episodes that match, newest first by (ended_at, id)."""

    def due(self, now: datetime, *, limit: int, next_reader: str | None = None) -> list[Episode]:
        """Return episodes due for work (``next_try`` reached), oldest first.

        With a ``next_reader`` only those that are to be read again by this one; with the empty text those that are not.
        """

    def readers(self) -> dict[str, int]:
        """Return how many visible episodes, ACTIVE or ARCHIVED and with all words, were read by which reader."""

    def traces(
        self, *, due: datetime | None = None, only_active: bool = False, limit: int | None = None
    ) -> list[Trace]:
        """Return ACTIVE and ARCHIVED episodes, or those ``due``, as forgetting sees them; first to fade first."""

    def count_active(self) -> int:
        """Return how many visible episodes are ACTIVE."""


class Vectors(Protocol):
    """Unit vectors, float16 on disk, keyed by the model that made them."""

    def put(self, model: str, rows: Sequence[StoredVector]) -> None:
        """Write vectors; the same key again replaces. EmbeddingMismatch: earlier ones have another dimension."""

    def load(self, model: str, *, refs: Sequence[str] | None = None) -> list[StoredVector]:
        """Return the vectors of one model, all or those of some episodes and messages, ordered by key."""

    def has_index(self, model: str) -> bool:
        """Tell whether the store has an index of the owner's vectors of one model; see ``Store.index_vectors``."""

    def nearest(self, model: str, vector: Matrix, *, limit: int) -> list[StoredVector] | None:
        """Return the vectors of one model nearest to a unit vector, by the owner's own index; None where there is none.

        A few of them may be missing, and they come in no order: an index of this kind finds nearly all.
        """

    def models(self) -> dict[str, int]:
        """Return how many vectors each model has."""

    def drop(self, model: str) -> int:
        """Delete the vectors of one model; return how many there were."""

    def forget(self, refs: Sequence[str]) -> None:
        """Delete the vectors of some episodes or messages, of every model."""


class Overrides(Protocol):
    """Document A's ``memory_config``: settings of one user, and of one user's project."""

    def get(self, project: str | None) -> Mapping[str, Setting]:
        """Return what was set at exactly this level."""

    def save(self, project: str | None, overrides: Mapping[str, Setting]) -> None:
        """Replace what is set at this level."""

    def all(self) -> dict[str | None, Mapping[str, Setting]]:
        """Return what is set at each visible level; None stands for the user's own."""


class Recalls(Protocol):
    """What contexts have shown."""

    def append(self, event: RecallEvent) -> None:
        """Add an event."""

    def latest(self, key: ConversationKey, *, limit: int) -> list[RecallEvent]:
        """Return the newest events of a conversation, newest first."""

    def open(self, key: ConversationKey, *, limit: int) -> list[RecallEvent]:
        """Return events of a conversation of which it is not decided yet what was useful, oldest first."""

    def stale(self, before: datetime, *, limit: int) -> list[ConversationKey]:
        """Return conversations with such events of before an instant, in order of their keys."""

    def settle(self, ids: Sequence[str]) -> None:
        """Note that it was decided what of these events was useful."""

    def page(self, *, after: str = "", limit: int = 100) -> list[RecallEvent]:
        """Return visible events ordered by id, those behind ``after``."""

    def prune(self, before: datetime) -> int:
        """Delete visible events of before an instant; return how many."""

    def forget(self, refs: Sequence[str]) -> None:
        """Delete visible events that showed one of these messages or episodes."""


class Facts(Protocol):
    """What is believed. One statement has one row, however often it was told."""

    def insert(self, facts: Sequence[Fact]) -> None:
        """Add facts."""

    def update(self, facts: Sequence[Fact]) -> None:
        """Write facts that exist; those that are gone or forgotten by now stay so."""

    def get(self, ids: Sequence[str]) -> list[Fact]:
        """Return the visible facts with these ids, in the order asked; unknown and forgotten ones are left out."""

    def all(self, statuses: Collection[FactStatus] | None = None, *, attribute: str | None = None) -> list[Fact]:
        """Return visible facts, by (first_observed, id).

        Only of some statuses, else all but forgotten ones; and only those that tell an attribute, where one is given.
        """

    def saying(self, statement: str, *, project: str | None) -> Fact | None:
        """Return the visible fact of this project, or of none, with the same words, whatever their case."""

    def merged_into(self, ids: Sequence[str]) -> list[Fact]:
        """Return the visible facts that one of these stands for, by id."""

    def due(self, now: datetime, *, limit: int) -> list[Fact]:
        """Return visible facts due to be embedded and compared, by (due_at, first_observed, id)."""

    def newest(self) -> int:
        """Return the highest ``rev`` of a fact of the owner, whatever the scope; 0 where there is none."""

    def forget(self, ids: Sequence[str]) -> None:
        """Leave nothing of visible facts but that they were there; all rows about them and their vectors go too."""


class Versions(Protocol):
    """How facts have changed."""

    def add(self, versions: Sequence[FactVersion]) -> None:
        """Add versions; the store gives ``number``, one after the last. Those of facts that are gone are left out."""

    def of(self, fact_id: str) -> list[FactVersion]:
        """Return the versions of a visible fact, oldest first."""

    def all(self) -> list[FactVersion]:
        """Return the versions of all visible facts, by (fact id, number)."""

    def known_at(self, instant: datetime, *, ids: Sequence[str] | None = None) -> list[FactVersion]:
        """Return of each visible fact, or of some, the last version of ``instant`` or before, by fact id."""

    def since(self, instant: datetime) -> list[FactVersion]:
        """Return the versions of visible facts of ``instant`` or after, by (fact id, number)."""


class Evidences(Protocol):
    """What speaks for and against facts."""

    def add(self, rows: Sequence[Evidence]) -> None:
        """Add evidence; what has the same fact and id already is replaced."""

    def of(self, fact_ids: Sequence[str]) -> list[Evidence]:
        """Return the evidence of visible facts, by (said_at, id)."""

    def of_messages(self, message_ids: Sequence[str]) -> list[Evidence]:
        """Return visible evidence that rests on some messages, by (said_at, id)."""

    def all(self) -> list[Evidence]:
        """Return all visible evidence, by (said_at, id)."""

    def remove(self, rows: Sequence[Evidence]) -> None:
        """Delete evidence."""


class Rulings(Protocol):
    """What pairs of facts are to each other."""

    def save(self, rulings: Sequence[Ruling]) -> None:
        """Write rulings; one on the same pair is replaced. Those on facts that are gone or forgotten are left out."""

    def of(self, fact_ids: Sequence[str]) -> list[Ruling]:
        """Return visible rulings in which one of these facts takes part, by pair."""

    def all(self) -> list[Ruling]:
        """Return all visible rulings, by pair."""


class Edges(Protocol):
    """How facts bear on one another."""

    def put(self, edges: Sequence[Edge], *, is_by_hand: bool = False) -> None:
        """Write edges; one with the same ends and relation is replaced. Those of facts that are gone are left out.

        Unless it is ``is_by_hand``, what was told stays where it is only inferred now, and what was dismissed stays so.
        """

    def all(self) -> list[Edge]:
        """Return all visible edges, by (source, target, relation)."""

    def standing(self, *, limit: int) -> list[Edge]:
        """Return the first ``limit`` visible edges but those that only rest, by (source, target, relation)."""

    def around(self, ids: Sequence[str], *, steps: int, limit: int) -> list[Edge]:
        """Return the first ``limit`` such edges between what lies at most some steps from some facts, in that order.

        Steps go along edges in either direction, not by way of what is superseded, deprecated or forgotten. They may
        run in circles.
        """

    def remove(self, edges: Sequence[Edge]) -> None:
        """Delete edges."""


class Cycles(Protocol):
    """The nights of an owner."""

    def save(self, report: CycleReport) -> None:
        """Write a night, new or known."""

    def get(self, cycle_id: str) -> CycleReport | None:
        """Return a night, or None."""

    def latest(self, *, limit: int) -> list[CycleReport]:
        """Return the last nights, newest first by id."""


class Forgettings(Protocol):
    """What is to be forgotten. To write here does not count as a change of memory."""

    def save(self, rows: Sequence[Forgetting]) -> None:
        """Write rows; one of the same kind and id, asked by the same message, is replaced."""

    def all(self, kind: Withheld | None = None) -> list[Forgetting]:
        """Return visible rows of one kind or of all, by (until, kind, id, asked_by)."""

    def of(self, ids: Sequence[str]) -> list[Forgetting]:
        """Return visible rows about things with these ids, in the same order."""

    def asked_by(self, message_id: str) -> list[Forgetting]:
        """Return visible rows that one message asked for, in the same order."""

    def due(self, now: datetime, *, limit: int) -> list[Forgetting]:
        """Return visible rows whose time is over, in the same order."""

    def remove(self, rows: Sequence[Forgetting]) -> None:
        """Delete rows."""


class Usages(Protocol):
    """The calls of models that were made for an owner, whatever the scope. They hold no content."""

    def add(self, ids: Sequence[str], calls: Sequence[ModelCall]) -> None:
        """Write calls under ids, one each; an id that is known stays as it is. Does not count as a change of memory."""

    def between(self, since: datetime, until: datetime) -> list[ModelCall]:
        """Return the calls that were begun in [since, until), by (at, id)."""

    def page(self, *, after: str, limit: int) -> list[Charge]:
        """Return the calls with an id above ``after``, by id."""


class Keys(Protocol):
    """The API keys of an owner, whatever the scope: of a person, or of a tenant (``Scope.everybody``)."""

    def save(self, key: ApiKey) -> None:
        """Write a key, new or changed."""

    def get(self, id: str) -> ApiKey | None:
        """Return a key, valid or not."""

    def all(self) -> list[ApiKey]:
        """Return all keys by (created_at, id)."""


class Audit(Protocol):
    """What was done to an owner's memory, whatever the scope; rows are only ever added."""

    def append(self, draft: AuditDraft) -> AuditEntry:
        """Write a deed as the next row of the chain. Does not count as a change of memory."""

    def page(self, *, after: int = 0, limit: int) -> list[AuditEntry]:
        """Return rows whose number is above ``after``, oldest first."""


class Transaction(Protocol):
    """One owner's rows at one moment, seen through one scope.

    Reads are filtered by the scope's project and agent; writes carry the scope of the row. Writing transactions of one
    owner happen one after another, so that what was read in one still holds when it writes.
    """

    scope: Scope
    """Through which scope this looks."""
    messages: Messages
    conversations: Conversations
    episodes: Episodes
    vectors: Vectors
    overrides: Overrides
    recalls: Recalls
    facts: Facts
    versions: Versions
    evidence: Evidences
    rulings: Rulings
    edges: Edges
    cycles: Cycles
    usages: Usages
    forgettings: Forgettings
    keys: Keys
    audit: Audit

    def owner(self) -> OwnerState:
        """Return counters, model and lease of the owner; zeros for an owner without rows."""

    def save_owner(self, state: OwnerState) -> None:
        """Write models, generation and lease; ``rev`` is counted by the store."""

    def changes(self, since: int) -> Changes:
        """Return the owner's messages, episodes and facts with ``rev > since``, whatever the scope, and the newest."""

    def counts(self) -> dict[str, int]:
        """Return numbers of visible rows by kind and status, such as ``episodes.active``."""

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

    def erase(self) -> dict[str, int]:
        """Delete every row of the owner, whatever the scope; return how many, by table. Their generation rises."""

    def erasure(self) -> Erasure | None:
        """Return the receipt of the owner's last erasure."""

    def save_erasure(self, erasure: Erasure) -> None:
        """Write the receipt of the owner's last erasure."""
