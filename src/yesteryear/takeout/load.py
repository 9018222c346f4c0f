"""STEP: taking a dump into an owner, in small transactions beside which others work, and taking it out again.

What is there already is left alone, so it may be repeated after a kill. Each transaction knows its reverse; undoing
goes back through them, last first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import groupby, islice
from typing import NamedTuple, TypeVar

from yesteryear.core.conversation import Conversation
from yesteryear.core.cycle import CycleReport
from yesteryear.core.episode import Episode
from yesteryear.core.events import RecallEvent
from yesteryear.core.fact import Fact, FactStatus
from yesteryear.core.message import Message
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.usage import Charge
from yesteryear.errors import Stale
from yesteryear.ports import Setting, Store, Transaction
from yesteryear.takeout.dump import (
    CONVERSATIONS,
    CYCLES,
    EDGES,
    EPISODES,
    EVIDENCE,
    FACTS,
    MESSAGES,
    MOST_SETTINGS,
    RECALLS,
    RULINGS,
    SETTINGS,
    USAGES,
    VECTORS,
    VERSIONS,
    Dump,
    Models,
    Settings,
)
from yesteryear.takeout.reader import ROWS_A_PAGE, pages_of
from yesteryear.takeout.remap import About, Loaded, Row, VectorsByRow, batches, fit, grow, made_due

Named = TypeVar("Named", RecallEvent, Charge)

_NO_MODELS = Models(None, None)


class _Part(NamedTuple):
    """Messages of one conversation that are written at once."""

    final: Conversation
    """As it is where they come from."""
    messages: tuple[Loaded[Message], ...]
    is_last: bool
    """Whether nothing follows in this conversation."""


@dataclass(frozen=True, slots=True)
class _Written:
    """What a transaction has written."""

    rows: Mapping[str, int] = field(default_factory=dict)
    """Numbers of rows by kind."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Numbers of vectors that were not taken, by model."""
    reverse: Callable[[Transaction], None] = lambda _: None
    """Takes it out again."""


class Arrival:
    """A dump on its way into an owner.

    Args:
        store: Where it goes.
        scope: To whom: an owner, without project and agent.
        dump: Rows of that owner, which belong together and contradict nothing that is there.
        generation: The owner's, when that was looked at; under another one nothing is written.
        now: When rows become due that need vectors of the owner's own model.
        is_joining: Whether the facts come to others, with which they are then due to be compared.
        on_rows: Told how many rows have been dealt with so far.
    """

    def __init__(
        self,
        store: Store,
        scope: Scope,
        dump: Dump,
        *,
        generation: int,
        now: datetime,
        is_joining: bool = False,
        on_rows: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._scope = scope
        self._dump = dump
        self._models = dump.models
        self._generation = generation
        self._now = now
        self._is_joining = is_joining
        self._on_rows = on_rows
        self._rows_seen = 0
        self._reverse: list[Callable[[Transaction], None]] = []
        self.added: Counter[str] = Counter()
        """Rows that were written, by kind."""
        self.left_out: Counter[str] = Counter()
        """Vectors that were not taken, by model."""

    def run(self) -> None:
        """Write all rows that are not there.

        Raises:
            Stale: the owner was erased meanwhile.
            Conflict: somebody has spoken in one of these conversations meanwhile.
            StorageUnavailable: the store is full or locked; what is in stays until ``undo``.
        """
        dump, vectors = self._dump, VectorsByRow(self._dump.rows(VECTORS))
        self._write(partial(_serve, models=dump.models), rows=0)
        for settings in dump.rows(SETTINGS):
            self._write(partial(_put_settings, settings=settings), rows=1)
        finals = {conversation.key: conversation for conversation in dump.rows(CONVERSATIONS)}
        silent = dict(finals)
        for messages, following in batches(vectors.load(dump.rows(MESSAGES))):
            parts = _parts(messages, following, finals)
            ended = sum(part.is_last for part in parts)
            self._write(partial(self._put_messages, parts=parts), rows=_weight(messages) + ended)
            for part in parts:
                silent.pop(part.final.key, None)
        for page in pages_of(silent.values()):
            parts = [_Part(final, (), is_last=True) for final in page]
            self._write(partial(self._put_messages, parts=parts), rows=len(parts))
        for episodes, _ in batches(vectors.load(dump.rows(EPISODES))):
            self._write(partial(self._put_episodes, batch=episodes), rows=_weight(episodes))
        for facts, _ in batches(vectors.load_facts(dump)):
            self._write(partial(self._put_facts, batch=facts), rows=_weight(facts))
        before = ""
        for events in pages_of(dump.rows(RECALLS)):
            self._write(partial(_put_recalls, events=events, before=before), rows=len(events))
            before = events[-1].id
        before = ""
        for charges in pages_of(dump.rows(USAGES)):
            self._write(partial(_put_usages, charges=charges, before=before), rows=len(charges))
            before = charges[-1].id
        if cycles := list(dump.rows(CYCLES)):  # last and at once, since a night cannot be taken out again
            self._write(partial(_put_cycles, cycles=cycles), rows=len(cycles))

    def undo(self) -> None:
        """Take out what was written, except where somebody has gone on with it meanwhile.

        Raises:
            StorageUnavailable: not all could be taken out; another ``run`` would take in what is missing.
        """
        while self._reverse:
            self._store.write(self._scope, self._reverse[-1])
            self._reverse.pop()

    def _write(self, work: Callable[[Transaction], _Written], *, rows: int) -> None:
        def guarded(tx: Transaction) -> _Written:
            if tx.owner().generation != self._generation:
                raise Stale("this memory was erased while rows were brought in")
            return work(tx)

        written = self._store.write(self._scope, guarded)
        self._reverse.append(written.reverse)
        self.added.update(written.rows)
        self.left_out.update(written.left_out)
        self._rows_seen += rows
        self._on_rows(self._rows_seen)

    def _put_messages(self, tx: Transaction, *, parts: Sequence[_Part]) -> _Written:
        batch = [one for part in parts for one in part.messages]
        known = {message.id for message in tx.messages.get([one.row.id for one in batch])}
        written = self._insert(
            tx, [one for one in batch if one.row.id not in known], _singly(tx.messages.insert), MESSAGES.name
        )
        return _together([written, *(_grow(tx, part, known) for part in parts)])

    def _put_episodes(self, tx: Transaction, *, batch: Sequence[Loaded[Episode]]) -> _Written:
        known = {episode.id for episode in tx.episodes.get([one.row.id for one in batch])}
        fresh = [one for one in batch if one.row.id not in known]
        ids = [one.row.id for one in fresh]
        written = self._insert(tx, fresh, _singly(tx.episodes.insert), EPISODES.name)
        return replace(written, reverse=lambda tx: tx.withdraw(episodes=ids))

    def _put_facts(self, tx: Transaction, *, batch: Sequence[Loaded[Fact]]) -> _Written:
        """Put facts that are not there, with all that is kept about them; what was forgotten here stays so."""
        gone = {fact.id for fact in tx.facts.all([FactStatus.FORGOTTEN])}
        known = gone | {fact.id for fact in tx.facts.get([one.row.id for one in batch])}
        fresh = [one for one in batch if one.row.id not in known]
        if self._is_joining:
            fresh = [replace(one, row=made_due(one.row, self._now)) for one in fresh]
        written = self._insert(tx, fresh, tx.facts.insert, FACTS.name)
        rows = {**written.rows, **_put_about(tx, [one.about for one in fresh if one.about is not None])}
        ids = [one.row.id for one in fresh]
        return replace(written, rows=rows, reverse=lambda tx: tx.withdraw(facts=ids))

    def _insert(
        self, tx: Transaction, fresh: Sequence[Loaded[Row]], insert: Callable[[Sequence[Row]], None], kind: str
    ) -> _Written:
        """Insert rows and their vectors, as the owner can use them."""
        owner = tx.owner()
        here = Models(owner.model, owner.next_model)
        fitted = [fit(one, here=here, theirs=self._models, now=self._now) for one in fresh]
        insert([one.row for one in fitted])
        vectors = [vector for one in fitted for vector in one.vectors]
        for model in sorted({vector.model for vector in vectors}):
            tx.vectors.put(model, [vector.stored for vector in vectors if vector.model == model])
        left_out = Counter(vector.model for one in fresh for vector in one.vectors)
        left_out.subtract(vector.model for vector in vectors)
        return _Written({kind: len(fresh), VECTORS.name: len(vectors)}, left_out)


def _singly(insert: Callable[[Row], None]) -> Callable[[Sequence[Row]], None]:
    def insert_all(rows: Sequence[Row]) -> None:
        for row in rows:
            insert(row)

    return insert_all


def _parts(
    batch: Sequence[Loaded[Message]], following: Message | None, finals: Mapping[ConversationKey, Conversation]
) -> list[_Part]:
    next_key = None if following is None else following.key
    return [
        _Part(finals[key], tuple(messages), is_last=key != next_key)
        for key, messages in groupby(batch, lambda one: one.row.key)
    ]


def _grow(tx: Transaction, part: _Part, known: Collection[str]) -> _Written:
    """Let a conversation grow by messages that were inserted; the reverse takes them out, too."""
    before = tx.conversations.get(part.final.key)
    after = grow(before, part.final, None if part.is_last else part.messages[-1].row)
    if after != before:
        tx.conversations.save(after)
    ids = [one.row.id for one in part.messages if one.row.id not in known]
    reverse = partial(_shrink, ids=ids, before=before, after=after, settled_seq=part.final.settled_seq)
    return _Written({CONVERSATIONS.name: int(before is None)}, reverse=reverse)


def _shrink(
    tx: Transaction, *, ids: Sequence[str], before: Conversation | None, after: Conversation, settled_seq: int
) -> None:
    """Take messages out of a conversation again, unless what came open has been worked through here meanwhile."""
    here = tx.conversations.get(after.key)
    if here is None or here.settled_seq > settled_seq:
        return
    is_ours = here == after  # else somebody has spoken in it, and it stays with what they said
    tx.withdraw(messages=ids, conversations=[after.key] if is_ours and before is None else [])
    if is_ours and before is not None:
        tx.conversations.save(before)


def _together(written: Sequence[_Written]) -> _Written:
    """Return what was written in one transaction as one."""
    rows, left_out = Counter[str](), Counter[str]()
    for one in written:
        rows.update(one.rows)
        left_out.update(one.left_out)

    def reverse(tx: Transaction) -> None:
        for one in written:
            one.reverse(tx)

    return _Written(rows, left_out, reverse)


def _serve(tx: Transaction, *, models: Models) -> _Written:
    """Let the models of the dump serve, where none does yet."""
    before = tx.owner()
    if models == _NO_MODELS or Models(before.model, before.next_model) != _NO_MODELS:
        return _Written()
    tx.save_owner(replace(before, model=models.model, next_model=models.next_model))

    def reverse(tx: Transaction) -> None:
        owner = tx.owner()
        if Models(owner.model, owner.next_model) == models:
            tx.save_owner(replace(owner, model=None, next_model=None))

    return _Written(reverse=reverse)


def _new(values: Mapping[str, Setting], before: Mapping[str, Setting]) -> Iterator[tuple[str, Setting]]:
    return ((name, value) for name, value in values.items() if name not in before)


def _put_settings(tx: Transaction, *, settings: Settings) -> _Written:
    """Set what is not set at a level yet."""
    before = tx.overrides.get(settings.project)
    after = {**before, **dict(islice(_new(settings.values, before), max(0, MOST_SETTINGS - len(before))))}
    if after == before:
        return _Written()
    tx.overrides.save(settings.project, after)

    def reverse(tx: Transaction) -> None:
        if tx.overrides.get(settings.project) == after:
            tx.overrides.save(settings.project, before)

    return _Written({SETTINGS.name: 1}, reverse=reverse)


def _put_about(tx: Transaction, abouts: Sequence[About]) -> dict[str, int]:
    """Write what is kept about facts, but for what ties them to one that was forgotten here; return how many rows."""
    versions = [row for about in abouts for row in about.versions]
    evidence = [row for about in abouts for row in about.evidence]
    rulings = [row for about in abouts for row in about.rulings]
    edges = [row for about in abouts for row in about.edges]
    named = {name for row in rulings for name in row.pair} | {
        name for row in edges for name in (row.source, row.target)
    }
    here = {fact.id for fact in tx.facts.get(list(named))}
    rulings = [row for row in rulings if here.issuperset(row.pair)]
    edges = [row for row in edges if {row.source, row.target} <= here]
    tx.versions.add(versions)
    tx.evidence.add(evidence)
    tx.rulings.save(rulings)
    tx.edges.put(edges)
    return {
        VERSIONS.name: len(versions),
        EVIDENCE.name: len(evidence),
        RULINGS.name: len(rulings),
        EDGES.name: len(edges),
    }


def _put_cycles(tx: Transaction, *, cycles: Sequence[CycleReport]) -> _Written:
    fresh = [report for report in cycles if tx.cycles.get(report.id) is None]
    for report in fresh:
        tx.cycles.save(report)
    return _Written({CYCLES.name: len(fresh)})


def _put_recalls(tx: Transaction, *, events: Sequence[RecallEvent], before: str) -> _Written:
    """Append those events that are not there; ``before`` is the id of the one that comes before them."""
    fresh = _fresh(tx.recalls.page, events, before)
    for event in fresh:
        tx.recalls.append(event)
    ids = [event.id for event in fresh]
    return _Written({RECALLS.name: len(fresh)}, reverse=lambda tx: tx.withdraw(recalls=ids))


def _put_usages(tx: Transaction, *, charges: Sequence[Charge], before: str) -> _Written:
    """Write those calls that are not there; ``before`` is the id of the one that comes before them."""
    fresh = _fresh(tx.usages.page, charges, before)
    ids = [charge.id for charge in fresh]
    tx.usages.add(ids, [charge.call for charge in fresh])
    return _Written({USAGES.name: len(fresh)}, reverse=lambda tx: tx.withdraw(usages=ids))


def _fresh(page_of: Callable[..., Sequence[Named]], rows: Sequence[Named], before: str) -> list[Named]:
    """Return those of some rows, which come by id, that are not there."""
    known: set[str] = set()
    while before < rows[-1].id and (page := page_of(after=before, limit=ROWS_A_PAGE)):
        known.update(row.id for row in page)
        before = page[-1].id
    return [row for row in rows if row.id not in known]


def _weight(batch: Sequence[Loaded[Row]]) -> int:
    return sum(one.weight for one in batch)
