"""STEP: taking an export in: check all of it, look what is there already, then write it or nothing.

The same row may have moved on here: its words let go, its verdict given, its vector made. So rows are the same when
they say the same of what never changes; what is here stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime
from heapq import merge
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias

from yesteryear.core.episode import Digest, Episode, EpisodeStatus
from yesteryear.core.fact import Fact, FactStatus
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Message
from yesteryear.core.results import Plain
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.secrets.redact import redact
from yesteryear.core.usage import Charge
from yesteryear.errors import Conflict, EmbeddingMismatch, InputError, StorageError, StorageUnavailable
from yesteryear.ports import Store, Transaction
from yesteryear.transfer import kinds
from yesteryear.transfer.archive import READABLE, Archive, ArchivePolicy, ArchiveReader
from yesteryear.transfer.check import Census
from yesteryear.transfer.kinds import Dump, DumpedSettings, RowKind
from yesteryear.transfer.load import Arrival
from yesteryear.transfer.reader import ROWS_A_PAGE, StoreReader, pages_of

_KEPT_AFTER_ALL = "kept"
"""How an episode is marked whose messages were skipped at first, and whose place is within another stretch of talk."""
_Same: TypeAlias = Message | Episode | Fact | RecallEvent | Charge
_OTHERWISE = "bring the export into another user's memory, or erase this one first"


@dataclass(frozen=True, slots=True)
class Imported(Plain):
    """What was taken in from an export."""

    added: Mapping[str, int] = field(default_factory=dict)
    """Numbers of rows that were written, by kind: messages, episodes, vectors, ..."""
    known: Mapping[str, int] = field(default_factory=dict)
    """Numbers of rows that were there already, by kind; they stay as they are."""
    notes: tuple[str, ...] = ()
    """What is otherwise than in the export, and why."""


def import_export(
    store: Store,
    scope: Scope,
    path: Path,
    *,
    now: datetime,
    on_progress: Callable[[int, int], None] = lambda _, __: None,
    policy: ArchivePolicy | None = None,
    redacts: bool = True,
) -> Imported:
    """Take an export in, whole or not at all.

    Rows keep their project and agent, unless the scope has one: then all of them belong to it. What is there already is
    left alone, so importing twice changes nothing, and after a kill the same import goes on where it was. Facts that
    come to others are due to be compared with them.

    Args:
        on_progress: Called with the number of rows dealt with so far, and of all rows.

    Raises:
        Conflict: a row contradicts one that is there.
        Stale: the memory was erased meanwhile.
        StorageUnavailable: the store is full or locked; what had been written was taken out again.
    """
    owner = scope.owner.scope
    with Archive(path, policy) as archive:
        exported, dump = ArchiveReader(archive, owner), ArchiveReader(archive, scope, redacts=redacts)
        census = Census(exported).walk()
        for _ in archive.lines(READABLE):  # the page to read is compared with its hash; the rows say all of it
            pass
        _check_target(census, scope)
        _check_names(dump, census)
        with store.read(owner) as tx:
            generation = tx.owner().generation
            _check_dimensions(tx, census)
            check_known(tx, dump)
            is_joining = any(fact.id not in census.facts for fact in tx.facts.all())
        total = sum(content.rows for name, content in archive.contents.items() if name != READABLE)
        arrival = Arrival(
            store,
            owner,
            dump,
            generation=generation,
            now=now,
            is_joining=is_joining,
            on_rows=lambda rows: on_progress(rows, total),
        )
        _run(arrival)
        with store.read(owner) as tx:
            notes = (*_tell_vectors(arrival, tx), *_tell_settings(exported.rows(kinds.SETTINGS), scope, tx))
    known = {kind.name: arrival.known[kind.name] for kind in kinds.KINDS if arrival.known[kind.name]}
    return Imported({kind: count for kind, count in arrival.added.items() if count}, known, notes)


def _check_target(census: Census, scope: Scope) -> None:
    """Make sure that nothing is mixed up where all rows go into one project or agent."""
    for what, own, found in (("project", scope.project, census.projects), ("agent", scope.agent, census.agents)):
        if own is not None and len(found) > 1:
            raise InputError(
                f"this export holds several {what}s ({', '.join(sorted(found))}), which would be mixed up in "
                f"{own!r}; import it into a memory that names no {what}"
            )
    keys = {(scope.project or key.project, scope.agent or key.agent, key.name) for key in census.conversations}
    if len(keys) < len(census.conversations):
        raise InputError(
            "this export holds conversations of the same name with and without a project or agent, which would become "
            "one; import it into a memory that names neither"
        )


def _check_names(dump: Dump, census: Census) -> None:
    """Make sure that conversations stay apart once secrets are cut out of their names."""
    if len({conversation.key.name for conversation in dump.rows(kinds.CONVERSATIONS)}) < len(
        {key.name for key in census.conversations}
    ):
        raise InputError(
            "this export holds conversations whose names differ in a secret alone, which would become one; "
            "give them other names where they come from"
        )


def _check_dimensions(tx: Transaction, census: Census) -> None:
    """Make sure that vectors of one model are of one length; a look at a few of those here is enough."""
    refs = [episode.id for episode in tx.episodes.page(EpisodeQuery(limit=ROWS_A_PAGE))]
    refs += [message.id for message in tx.messages.page(MessageQuery(limit=ROWS_A_PAGE))]
    refs += [fact.id for fact in tx.facts.all()[:ROWS_A_PAGE]]
    for model, dimension in census.dimensions.items():
        for stored in tx.vectors.load(model, refs=refs)[:1]:
            if len(stored.vector) != dimension:
                raise EmbeddingMismatch(
                    f"the export's vectors of {model!r} have {dimension} values, those here have {len(stored.vector)}"
                )


def _run(arrival: Arrival) -> None:
    """Write all rows; where that fails, take out again what was written."""
    try:
        arrival.run()
    except BaseException as failure:  # also ctrl-C
        try:
            arrival.undo()
        except StorageError as exc:
            raise StorageUnavailable(
                f"the import failed, and what is in could not be taken out again ({exc}); "
                "once there is room, the same import again takes in the rest"
            ) from exc
        if isinstance(failure, Conflict):
            raise Conflict(
                "somebody spoke in a conversation of the export while it came in, so it was taken out again "
                f"({failure})"
            ) from failure
        raise


def _tell_vectors(arrival: Arrival, tx: Transaction) -> Iterator[str]:
    owner = tx.owner()
    for model, count in sorted(arrival.left_out.items()):
        if count:
            yield (
                f"{count} vectors of {model!r} were left out, for this memory uses "
                f"{owner.next_model or owner.model!r}: the worker makes new ones"
            )


def _tell_settings(levels: Iterable[DumpedSettings], scope: Scope, tx: Transaction) -> Iterator[str]:
    for level in levels:
        project, values = level.project, level.values
        if scope.project is not None and project is None:
            yield f"settings of the person were left out, for they are no project's: {', '.join(sorted(values))}"
            continue
        here = tx.overrides.get(scope.project or project)
        if others := sorted(name for name, value in values.items() if here.get(name, value) != value):
            yield f"settings that were made here before stay as they are: {', '.join(others)}"


def check_known(tx: Transaction, dump: Dump) -> None:
    """Make sure that no row contradicts one that the owner, of whom the snapshot shows all, has already."""
    here = StoreReader(tx)
    for row in dump.rows(kinds.CONVERSATIONS):
        known = tx.conversations.get(row.key)
        if known is not None and known.settled_seq < min(row.settled_seq, known.last_seq):
            raise Conflict(f"conversation {row.key.name!r} is there in an older state; {_OTHERWISE}")
    for run in _runs(dump.rows(kinds.MESSAGES)):
        _check_messages(tx, run)
    for key, rows in groupby(dump.rows(kinds.EPISODES), lambda row: row.key):
        _check_episodes(tx, here, key, rows)
    named: tuple[tuple[RowKind[Any], str], ...]
    named = (kinds.FACTS, "fact"), (kinds.RECALLS, "recall event"), (kinds.USAGES, "call of a model")
    for kind, what in named:
        for ours, row in _pairs(here, dump, kind):
            if not _is_same(ours, row):  # facts may be believed otherwise
                raise Conflict(f"{what} {row.id!r} is there with other content; {_OTHERWISE}")


def _runs(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Cut messages into runs of one conversation that stand close together."""
    run: list[Message] = []
    for message in messages:
        if run and (message.key != run[0].key or message.seq - run[0].seq >= ROWS_A_PAGE):
            yield run
            run = []
        run.append(message)
    if run:
        yield run


def _check_messages(tx: Transaction, run: Sequence[Message]) -> None:
    here = {message.id: message for message in tx.messages.get([message.id for message in run])}
    for there in tx.messages.span(run[0].key, after=run[0].seq - 1, limit=ROWS_A_PAGE):
        here.setdefault(there.id, there)
    by_seq = {message.seq: message for message in here.values() if message.key == run[0].key}
    for message in run:
        for other in (here.get(message.id), by_seq.get(message.seq)):
            if other is not None and not _is_same(other, message):
                raise Conflict(
                    f"message {message.seq} of conversation {message.conversation!r} ({message.id}) is there with "
                    f"other content; {_OTHERWISE}"
                )


def _is_same(here: _Same, row: _Same) -> bool:
    """Tell whether two rows are the same: what never changes and, unless one tells it no more, what they tell."""
    told, its = _told(here), _told(row)
    return _tells(_fixed(here), _fixed(row)) and (told is None or its is None or _tells(told, its))


def _fixed(row: _Same) -> object:
    if isinstance(row, Message):
        return row.id, row.key, row.seq, row.role, row.author, row.at, row.recorded_at, row.zone, row.external_id
    if isinstance(row, Episode):
        return row.key, row.first_seq, row.last_seq, row.started_at, row.ended_at, row.recorded_at, row.closed_by
    if isinstance(row, Fact):
        return row.scope, row.kind, row.recorded_at
    return (row.key, row.at, row.items) if isinstance(row, RecallEvent) else row.call


def _told(row: _Same) -> object:
    """Return what a row tells; None for one that tells it no more."""
    if isinstance(row, Message):
        return row.content or None
    if isinstance(row, RecallEvent | Charge) or row.status in (EpisodeStatus.FORGOTTEN, FactStatus.FORGOTTEN):
        return None
    if isinstance(row, Episode):
        return row.digest
    return row.statement, row.subject, row.slot, row.is_negative, row.modality


def _tells(here: object, row: object) -> bool:
    """Tell whether a row says what is here, perhaps without its secrets: they were not always cut out."""
    if here == row:
        return True
    if isinstance(here, str) and isinstance(row, str):
        return redact(here).text == row
    if isinstance(here, Digest) and isinstance(row, Digest):
        here, row = astuple(here), astuple(row)
    if isinstance(here, tuple | list) and isinstance(row, tuple | list):
        return len(here) == len(row) and all(map(_tells, here, row))
    return False


def _check_episodes(tx: Transaction, here: StoreReader, key: ConversationKey, rows: Iterable[Episode]) -> None:
    spans = [(other.first_seq, other.last_seq, other.id) for other in here.episodes_of(key) if not _is_within(other)]
    for page in pages_of(rows):
        known = {episode.id: episode for episode in tx.episodes.get([row.id for row in page])}
        for row in page:
            same = known.get(row.id)
            overlaps = not _is_within(row) and any(
                row.first_seq <= last and first <= row.last_seq for first, last, other in spans if other != row.id
            )
            if overlaps or not (same is None or _is_same(same, row)):
                raise Conflict(
                    f"messages {row.first_seq} to {row.last_seq} of conversation {row.conversation!r} were remembered "
                    f"otherwise there ({row.id}); {_OTHERWISE}"
                )


def _is_within(row: Episode) -> bool:
    """Tell whether it may lie within the stretch of another: the person had what was skipped there kept after all."""
    return row.closed_by == _KEPT_AFTER_ALL


def _pairs(here: StoreReader, dump: Dump, kind: RowKind[Any]) -> Iterator[tuple[Any, ...]]:
    """Go through rows of the same id, ours first; none are held but our facts, which do not come by id."""
    if kind is kinds.FACTS:
        ours = {row.id: row for row in here.rows(kind)}
        return ((ours[row.id], row) for row in dump.rows(kind) if row.id in ours)
    by_id = attrgetter("id")
    groups = groupby(merge(here.rows(kind), dump.rows(kind), key=by_id), by_id)
    return (pair for _, rows in groups if len(pair := tuple(rows)) > 1)
