"""STEP: taking a dump into an owner, in small transactions beside which others work, and taking it out again.

What is there already is left alone, so it may be repeated after a kill. Each transaction knows its reverse; undoing
goes back through them, last first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import groupby, islice
from typing import Any, Generic, NamedTuple, TypeVar

from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.fact import Fact, FactStatus
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Conversation, Message
from yesteryear.core.night_report import CycleReport
from yesteryear.core.scope import Scope
from yesteryear.core.usage import Charge
from yesteryear.core.vectors import CONTEXTUAL
from yesteryear.errors import Stale
from yesteryear.ports import Store, Transaction
from yesteryear.transfer import kinds
from yesteryear.transfer.kinds import Dump, DumpedSettings, Models, ModelVector, RowKind
from yesteryear.transfer.reader import ROWS_A_PAGE, pages_of

Row = TypeVar("Row", Message, Episode, Fact)
T = TypeVar("T")
Named = TypeVar("Named", bound="Loaded[Any] | CycleReport | RecallEvent | Charge")

ROWS_A_WRITE = 64  # most rows of one transaction, vectors counted, unless a single message or fact has more of them


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Row]):
    """A row and its vectors."""

    row: Row
    vectors: tuple[ModelVector, ...]
    about: tuple[tuple[Any, ...], ...] = ()  # of a fact: rows of each kind of ``_ABOUT``, on it and facts before it

    @property
    def id(self) -> str:
        """Of the row."""
        return self.row.id

    @property
    def weight(self) -> int:
        """How many rows these are."""
        return 1 + len(self.vectors) + sum(map(len, self.about))


class _KindAbout(NamedTuple):
    """A kind of rows about facts."""

    kind: RowKind[Any]
    facts_of: Callable[[Any], Sequence[str]]  # which facts a row is about
    put: Callable[[Transaction, list[Any]], None]


_ABOUT = (
    _KindAbout(kinds.VERSIONS, lambda row: [row.fact.id], lambda tx, rows: tx.versions.add(rows)),
    _KindAbout(kinds.EVIDENCE, lambda row: [row.fact_id], lambda tx, rows: tx.evidence.add(rows)),
    _KindAbout(kinds.RULINGS, lambda row: row.pair, lambda tx, rows: tx.rulings.save(rows)),
    _KindAbout(kinds.EDGES, lambda row: [row.source, row.target], lambda tx, rows: tx.edges.put(rows, is_by_hand=True)),
)


def _is_about(facts_of: Callable[[T], Sequence[str]], known: Collection[str], row: T) -> bool:
    return all(fact_id in known for fact_id in facts_of(row))


class _Queue(Generic[T]):
    """Rows that are handed out in their order."""

    def __init__(self, rows: Iterator[T]) -> None:
        self._rest = rows
        self._next = next(rows, None)

    def take(self, belongs: Callable[[T], bool]) -> tuple[T, ...]:
        taken = []
        while self._next is not None and belongs(self._next):
            taken.append(self._next)
            self._next = next(self._rest, None)
        return tuple(taken)


class VectorsByRow(_Queue[ModelVector]):
    """Hands each row its vectors, which come in the order of the rows."""

    def load(self, rows: Iterable[Row]) -> Iterator[Loaded[Row]]:
        """Walk through rows with their vectors."""
        return (Loaded(row, self._of(row.id)) for row in rows)

    def load_facts(self, dump: Dump) -> Iterator[Loaded[Fact]]:
        """Walk through the facts of a dump, each with all that is kept about it and facts before it."""
        waiting = [(_Queue(dump.rows(about.kind)), about.facts_of) for about in _ABOUT]
        seen: set[str] = set()

        def about(fact_id: str) -> tuple[tuple[Any, ...], ...]:
            seen.add(fact_id)
            return tuple(rows.take(partial(_is_about, facts_of, seen)) for rows, facts_of in waiting)

        return (Loaded(fact, self._of(fact.id), about(fact.id)) for fact in dump.rows(kinds.FACTS))

    def _of(self, ref: str) -> tuple[ModelVector, ...]:
        return self.take(lambda vector: vector.stored.ref == ref)


def batches(loaded: Iterable[Loaded[Row]]) -> Iterator[tuple[list[Loaded[Row]], Row | None]]:
    """Cut rows into what is written at once, each with the row that follows it."""
    batch: list[Loaded[Row]] = []
    size = 0
    for one in loaded:
        if batch and size + one.weight > ROWS_A_WRITE:
            yield batch, one.row
            batch, size = [], 0
        batch.append(one)
        size += one.weight
    if batch:
        yield batch, None


def fit(loaded: Loaded[Row], *, here: Models, theirs: Models, now: datetime) -> Loaded[Row]:
    """Return a row as an owner can use it.

    Where other models serve than those it comes with, their vectors are left out, and what then lacks one of the
    owner's own is due to get it, from ``now`` on.
    """
    if here == theirs:
        return loaded
    kept = tuple(row for row in loaded.vectors if row.model in here or row.model.startswith(CONTEXTUAL))
    has_own = any(vector.model == (here.next_model or here.model) for vector in kept)
    return replace(loaded, row=loaded.row if has_own else made_due(loaded.row, now), vectors=kept)


def made_due(row: Row, now: datetime) -> Row:
    """Return a row that gets a vector of the owner's own model, where it is one that has vectors."""
    if isinstance(row, Fact):
        return row if row.status is FactStatus.FORGOTTEN else replace(row, due_at=now)
    if isinstance(row, Episode):
        return replace(row, next_try=now) if row.status is EpisodeStatus.ACTIVE else row
    return replace(row, vector_due_at=now) if row.content and row.verdict is not None else row


def grow(here: Conversation | None, final: Conversation, upto: Message | None) -> Conversation:
    """Return a conversation after some of its messages have come.

    Until the last has come, its counters cover what is there and nothing is due. So whoever works on it beside sees
    talk that has just not gone on.

    Args:
        final: As it is where the messages come from.
        upto: The newest message that is here; None once all are.
    """
    there = final
    if upto is not None:
        there = Conversation(
            key=final.key,
            zone=final.zone,
            last_seq=upto.seq,
            settled_seq=min(final.settled_seq, upto.seq),
            closed_seq=min(final.closed_seq, upto.seq),
            last_at=upto.at,
            last_recorded_at=upto.recorded_at,
        )
    if here is not None and here.last_seq >= there.last_seq:
        return here  # all of it is here, and perhaps it has gone on
    if here is None or here.settled_seq <= there.settled_seq:
        return there
    due_at = there.due_at or here.due_at  # somebody has worked on its open end meanwhile
    return replace(there, settled_seq=here.settled_seq, due_at=due_at)


_NO_MODELS = Models(None, None)


class _Part(NamedTuple):
    """Messages of one conversation that are written at once."""

    final: Conversation
    messages: tuple[Loaded[Message], ...]
    is_last: bool  # whether nothing follows in this conversation


@dataclass(slots=True)
class _Written:
    rows: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)  # numbers of vectors that were not taken, by model
    reverse: list[Callable[[Transaction], None]] = field(default_factory=list)

    def fresh(self, kind: RowKind[Any], rows: Sequence[Named], here: Collection[str]) -> list[Named]:
        """Return the rows whose ids are not ``here``, and count both."""
        fresh = [row for row in rows if row.id not in here]
        self.rows[kind.name] += len(fresh)
        self.known[kind.name] += len(rows) - len(fresh)
        return fresh


@dataclass(slots=True)
class Arrival:
    """A dump on its way into an owner."""

    store: Store
    scope: Scope  # to whom: an owner, without project and agent
    dump: Dump  # rows of that owner, which belong together and contradict nothing that is there
    generation: int  # the owner's, when that was looked at; under another one nothing is written
    now: datetime  # when rows become due that need vectors of the owner's own model
    is_joining: bool = False  # whether the facts come to others, with which they are then due to be compared
    on_rows: Callable[[int], None] = lambda _: None  # told how many rows have been dealt with so far
    added: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)  # rows that were there already
    left_out: Counter[str] = field(default_factory=Counter)  # vectors that were not taken, by model
    _rows_seen: int = 0
    _reverse: list[list[Callable[[Transaction], None]]] = field(default_factory=list)

    def run(self) -> None:
        """Write all rows that are not there. Where it fails, what is in stays until ``undo``."""
        dump, vectors = self.dump, VectorsByRow(self.dump.rows(kinds.VECTORS))
        self._write(partial(_serve, models=dump.models), rows=0)
        for settings in dump.rows(kinds.SETTINGS):
            self._write(partial(_put_settings, settings=settings), rows=1)
        finals = {conversation.key: conversation for conversation in dump.rows(kinds.CONVERSATIONS)}
        silent = dict(finals)
        for messages, following in batches(vectors.load(dump.rows(kinds.MESSAGES))):
            parts = [
                _Part(finals[key], tuple(said), is_last=following is None or key != following.key)
                for key, said in groupby(messages, lambda one: one.row.key)
            ]
            ended = sum(part.is_last for part in parts)
            self._write(partial(self._put_messages, parts=parts), rows=_weight(messages) + ended)
            for part in parts:
                silent.pop(part.final.key, None)
        for page in pages_of(silent.values()):
            parts = [_Part(final, (), is_last=True) for final in page]
            self._write(partial(self._put_messages, parts=parts), rows=len(parts))
        for episodes, _ in batches(vectors.load(dump.rows(kinds.EPISODES))):
            self._write(partial(self._put_episodes, batch=episodes), rows=_weight(episodes))
        for facts, _ in batches(vectors.load_facts(dump)):
            self._write(partial(self._put_facts, batch=facts), rows=_weight(facts))
        by_id: tuple[RowKind[Any], ...] = kinds.RECALLS, kinds.USAGES
        for named in by_id:
            before = ""
            for rows in pages_of(dump.rows(named)):
                self._write(partial(_put_named, kind=named, rows=rows, before=before), rows=len(rows))
                before = rows[-1].id
        self.known[kinds.CONVERSATIONS.name] = len(finals) - self.added[kinds.CONVERSATIONS.name]
        if cycles := list(dump.rows(kinds.CYCLES)):  # last and at once, since a night cannot be taken out again
            self._write(partial(_put_cycles, cycles=cycles), rows=len(cycles))

    def undo(self) -> None:
        """Take out what was written and nobody went on with; should it fail, another ``run`` takes in the rest."""

        def take_back(tx: Transaction) -> None:
            for step in self._reverse[-1]:
                step(tx)

        while self._reverse:
            self.store.write(self.scope, take_back)
            self._reverse.pop()

    def _write(self, work: Callable[[Transaction, _Written], None], *, rows: int) -> None:
        def guarded(tx: Transaction) -> _Written:
            if tx.owner().generation != self.generation:
                raise Stale("this memory was erased while rows were brought in")
            written = _Written()  # anew each time that a store tries again
            work(tx, written)
            return written

        written = self.store.write(self.scope, guarded)
        self._reverse.append(written.reverse)
        self.added.update(written.rows)
        self.known.update(written.known)
        self.left_out.update(written.left_out)
        self._rows_seen += rows
        self.on_rows(self._rows_seen)

    def _put_messages(self, tx: Transaction, written: _Written, *, parts: Sequence[_Part]) -> None:
        batch = [one for part in parts for one in part.messages]
        fresh = self._fresh(tx, written, kinds.MESSAGES, batch, tx.messages.get([one.id for one in batch]))
        for one in fresh:
            tx.messages.insert(one.row)
        ids = {one.id for one in fresh}
        for part in parts:
            _grow(tx, written, part, [one.id for one in part.messages if one.id in ids])

    def _put_episodes(self, tx: Transaction, written: _Written, *, batch: Sequence[Loaded[Episode]]) -> None:
        fresh = self._fresh(tx, written, kinds.EPISODES, batch, tx.episodes.get([one.id for one in batch]))
        for one in fresh:
            tx.episodes.insert(one.row)
        written.reverse.append(lambda tx: tx.withdraw(episodes=[one.id for one in fresh]))

    def _put_facts(self, tx: Transaction, written: _Written, *, batch: Sequence[Loaded[Fact]]) -> None:
        """Put facts that are not there, with all that is kept about them; what was forgotten here stays so."""
        gone = tx.facts.all([FactStatus.FORGOTTEN])
        fresh = self._fresh(tx, written, kinds.FACTS, batch, [*gone, *tx.facts.get([one.id for one in batch])])
        tx.facts.insert([made_due(one.row, self.now) if self.is_joining else one.row for one in fresh])
        about = [[row for one in fresh for row in one.about[place]] for place in range(len(_ABOUT))]
        named = {name for (_, of, _), rows in zip(_ABOUT, about, strict=True) for row in rows for name in of(row)}
        here = {fact.id for fact in tx.facts.get(list(named))}
        for (kind, facts_of, put), rows in zip(_ABOUT, about, strict=True):
            tied = [row for row in rows if _is_about(facts_of, here, row)]  # not to one that was forgotten here
            put(tx, tied)
            written.rows[kind.name] += len(tied)
        written.reverse.append(lambda tx: tx.withdraw(facts=[one.id for one in fresh]))

    def _fresh(
        self,
        tx: Transaction,
        written: _Written,
        kind: RowKind[Row],
        batch: Sequence[Loaded[Row]],
        here: Sequence[Row],
    ) -> list[Loaded[Row]]:
        """Return the rows that are not ``here`` as the owner can use them, their vectors put already."""
        owner, fresh = tx.owner(), written.fresh(kind, batch, {row.id for row in here})
        models = Models(owner.model, owner.next_model)
        fitted = [fit(one, here=models, theirs=self.dump.models, now=self.now) for one in fresh]
        vectors = [vector for one in fitted for vector in one.vectors]
        for model in sorted({vector.model for vector in vectors}):
            tx.vectors.put(model, [vector.stored for vector in vectors if vector.model == model])
        written.left_out.update(vector.model for one in fresh for vector in one.vectors)
        written.left_out.subtract(vector.model for vector in vectors)
        written.rows[kinds.VECTORS.name] += len(vectors)
        return fitted


def _grow(tx: Transaction, written: _Written, part: _Part, ids: Sequence[str]) -> None:
    """Let a conversation grow by messages that were inserted; the reverse takes them out, too."""
    before = tx.conversations.get(part.final.key)
    after = grow(before, part.final, None if part.is_last else part.messages[-1].row)
    if after != before:
        tx.conversations.save(after)
    written.rows[kinds.CONVERSATIONS.name] += before is None

    def shrink(tx: Transaction) -> None:
        """Take the messages out again, unless what came open has been worked through here meanwhile."""
        here = tx.conversations.get(after.key)
        if here is None or here.settled_seq > part.final.settled_seq:
            return
        is_ours = here == after  # else somebody has spoken in it, and it stays with what they said
        tx.withdraw(messages=ids, conversations=[after.key] if is_ours and before is None else [])
        if is_ours and before is not None:
            tx.conversations.save(before)

    written.reverse.append(shrink)


def _serve(tx: Transaction, written: _Written, *, models: Models) -> None:
    before = tx.owner()
    if models == _NO_MODELS or Models(before.model, before.next_model) != _NO_MODELS:
        return
    tx.save_owner(replace(before, model=models.model, next_model=models.next_model))

    def reverse(tx: Transaction) -> None:
        owner = tx.owner()
        if Models(owner.model, owner.next_model) == models:
            tx.save_owner(replace(owner, model=None, next_model=None))

    written.reverse.append(reverse)


def _put_settings(tx: Transaction, written: _Written, *, settings: DumpedSettings) -> None:
    before = tx.overrides.get(settings.project)
    new = ((name, value) for name, value in settings.values.items() if name not in before)
    after = {**before, **dict(islice(new, max(0, kinds.MOST_SETTINGS - len(before))))}
    if after == before:
        return
    tx.overrides.save(settings.project, after)
    written.rows[kinds.SETTINGS.name] += 1

    def reverse(tx: Transaction) -> None:
        if tx.overrides.get(settings.project) == after:
            tx.overrides.save(settings.project, before)

    written.reverse.append(reverse)


def _put_cycles(tx: Transaction, written: _Written, *, cycles: Sequence[CycleReport]) -> None:
    here = {report.id for report in cycles if tx.cycles.get(report.id) is not None}
    for report in written.fresh(kinds.CYCLES, cycles, here):
        tx.cycles.save(report)


def _put_named(
    tx: Transaction, written: _Written, *, kind: RowKind[Any], rows: Sequence[RecallEvent | Charge], before: str
) -> None:
    """Write those rows that are not there; they come by id, and ``before`` is that of the one before them."""
    page_of: Callable[..., Sequence[RecallEvent | Charge]] = getattr(tx, kind.name).page
    here: set[str] = set()
    while before < rows[-1].id and (page := page_of(after=before, limit=ROWS_A_PAGE)):
        here.update(row.id for row in page)
        before = page[-1].id
    fresh = written.fresh(kind, rows, here)
    for row in fresh:
        if isinstance(row, Charge):
            tx.usages.add([row.id], [row.call])
        else:
            tx.recalls.append(row)
    ids = [row.id for row in fresh]
    written.reverse.append(lambda tx: tx.withdraw(recalls=ids) if kind is kinds.RECALLS else tx.withdraw(usages=ids))


def _weight(batch: Sequence[Loaded[Row]]) -> int:
    return sum(one.weight for one in batch)
