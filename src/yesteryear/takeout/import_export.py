"""STEP: taking an export in: check all of it, look what is there already, then write it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from yesteryear.core.plain import Plain
from yesteryear.core.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import Scope
from yesteryear.errors import Conflict, EmbeddingMismatch, InputError, StorageError, StorageUnavailable
from yesteryear.ports import Store, Transaction
from yesteryear.takeout.archive import READABLE, Archive, ArchivePolicy, ArchiveReader
from yesteryear.takeout.check import Census, check_dump
from yesteryear.takeout.compare import count_known
from yesteryear.takeout.dump import (
    CONVERSATIONS,
    SETTINGS,
    Dump,
    Settings,
)
from yesteryear.takeout.load import Arrival
from yesteryear.takeout.reader import ROWS_A_PAGE

Row = TypeVar("Row")


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
        store: Where the memory lives.
        scope: Whose memory it becomes.
        path: The file.
        now: The present instant.
        on_progress: Called with the number of rows dealt with so far, and of all rows.
        policy: How much the file may unpack to.
        redacts: Whether secrets are cut out of whatever it says.

    Raises:
        BadExport: the file is damaged, of something else, or holds rows that do not belong together.
        InputError: it cannot be read, or holds several projects or agents while the scope has one.
        Conflict: a row contradicts one that is there.
        EmbeddingMismatch: its vectors are of another length than those of the same model here.
        Stale: the memory was erased meanwhile.
        StorageUnavailable: the store is full or locked; what had been written was taken out again.
    """
    owner = Scope(tenant=scope.tenant, user=scope.user)
    with Archive(path, policy) as archive:
        exported, dump = ArchiveReader(archive, owner), ArchiveReader(archive, scope, redacts=redacts)
        census = check_dump(exported)
        _check_page(archive)
        _check_target(census, scope)
        _check_names(dump, census)
        with store.read(owner) as tx:
            generation = tx.owner().generation
            _check_dimensions(tx, census)
            known = count_known(tx, dump)
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
            notes = (*_tell_vectors(arrival, tx), *_tell_settings(exported.rows(SETTINGS), scope, tx))
    return Imported({kind: count for kind, count in arrival.added.items() if count}, known, notes)


def _check_page(archive: Archive) -> None:
    """Compare the page to read with its hash; the rows say all of it."""
    for _ in archive.lines(READABLE):
        pass


def _check_target(census: Census, scope: Scope) -> None:
    """Make sure that nothing is mixed up where all rows go into one project or agent."""
    for what, own, found in (("project", scope.project, census.projects), ("agent", scope.agent, census.agents)):
        if own is not None and len(found) > 1:
            raise InputError(
                f"this export holds several {what}s ({', '.join(sorted(found))}), which would be mixed up in "
                f"{own!r}; import it into a memory that names no {what}"
            )
    keys = {(scope.project or key.project, scope.agent or key.agent, key.name) for key in census.keys}
    if len(keys) < len(census.keys):
        raise InputError(
            "this export holds conversations of the same name with and without a project or agent, which would become "
            "one; import it into a memory that names neither"
        )


def _check_names(dump: Dump, census: Census) -> None:
    """Make sure that conversations stay apart once secrets are cut out of their names."""
    if len({conversation.key.name for conversation in dump.rows(CONVERSATIONS)}) < len(
        {key.name for key in census.keys}
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
    is_in = False
    try:
        arrival.run()
        is_in = True
    except Conflict as failure:
        raise Conflict(
            f"somebody spoke in a conversation of the export while it came in, so it was taken out again ({failure})"
        ) from failure
    finally:  # also after ctrl-C
        if not is_in:
            _take_back(arrival)


def _take_back(arrival: Arrival) -> None:
    try:
        arrival.undo()
    except StorageError as exc:
        raise StorageUnavailable(
            f"the import failed, and what is in could not be taken out again ({exc}); "
            "once there is room, the same import again takes in the rest"
        ) from exc


def _tell_vectors(arrival: Arrival, tx: Transaction) -> Iterator[str]:
    owner = tx.owner()
    for model, count in sorted(arrival.left_out.items()):
        if count:
            yield (
                f"{count} vectors of {model!r} were left out, for this memory uses "
                f"{owner.next_model or owner.model!r}: the worker makes new ones"
            )


def _tell_settings(levels: Iterable[Settings], scope: Scope, tx: Transaction) -> Iterator[str]:
    for level in levels:
        project, values = level.project, level.values
        if scope.project is not None and project is None:
            yield f"settings of the person were left out, for they are no project's: {', '.join(sorted(values))}"
            continue
        here = tx.overrides.get(scope.project or project)
        if others := sorted(name for name, value in values.items() if here.get(name, value) != value):
            yield f"settings that were made here before stay as they are: {', '.join(others)}"
