"""STEP: what of a dump an owner has already, and whether anything that is there contradicts it. Nothing is written.

The same row may have moved on here: its words let go, its verdict given, its vector made. So rows are the same when
they say the same of what never changes; what is here stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from itertools import groupby
from typing import TypeVar

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Digest, Episode, EpisodeStatus
from yesteryear.core.events import RecallEvent
from yesteryear.core.fact import Fact, FactStatus
from yesteryear.core.message import Message
from yesteryear.core.scope import ConversationKey
from yesteryear.core.secrets.redact import redact
from yesteryear.core.usage import Charge
from yesteryear.errors import Conflict
from yesteryear.ports import Transaction
from yesteryear.takeout.dump import (
    CONVERSATIONS,
    CYCLES,
    EPISODES,
    FACTS,
    MESSAGES,
    RECALLS,
    USAGES,
    Dump,
)
from yesteryear.takeout.reader import ROWS_A_PAGE, StoreReader, pages_of

Row = TypeVar("Row", RecallEvent, Charge)

_KEPT_AFTER_ALL = "kept"
"""How an episode is marked whose messages were skipped at first, and whose place is within another stretch of talk."""
_OTHERWISE = "bring the export into another user's memory, or erase this one first"


def count_known(tx: Transaction, dump: Dump) -> dict[str, int]:
    """Return how many rows of each kind the owner has already.

    Args:
        tx: A snapshot of all rows of the owner.
        dump: The rows that are to be taken in.

    Raises:
        Conflict: a row contradicts one that is there, which the message names.
    """
    here = StoreReader(tx)
    known = {
        CONVERSATIONS.name: sum(_is_known_conversation(tx, row) for row in dump.rows(CONVERSATIONS)),
        MESSAGES.name: sum(len(_known_messages(tx, run)) for run in _runs(dump.rows(MESSAGES))),
        EPISODES.name: sum(
            _count_known_episodes(tx, here, key, rows)
            for key, rows in groupby(dump.rows(EPISODES), lambda row: row.key)
        ),
        FACTS.name: _count_known_facts(here.rows(FACTS), dump.rows(FACTS)),
        CYCLES.name: sum(tx.cycles.get(row.id) is not None for row in dump.rows(CYCLES)),
        RECALLS.name: _count_same(here.rows(RECALLS), dump.rows(RECALLS), _shown, "recall event"),
        USAGES.name: _count_same(here.rows(USAGES), dump.rows(USAGES), lambda row: row.call, "call of a model"),
    }
    return {kind: count for kind, count in known.items() if count}


def _is_known_conversation(tx: Transaction, row: Conversation) -> bool:
    here = tx.conversations.get(row.key)
    if here is not None and here.settled_seq < min(row.settled_seq, here.last_seq):
        raise Conflict(f"conversation {row.key.name!r} is there in an older state; {_OTHERWISE}")
    return here is not None


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


def _known_messages(tx: Transaction, run: Sequence[Message]) -> list[Message]:
    """Return those messages of a run that are there."""
    here = {message.id: message for message in tx.messages.get([message.id for message in run])}
    for there in tx.messages.span(run[0].key, after=run[0].seq - 1, limit=ROWS_A_PAGE):
        here.setdefault(there.id, there)
    by_seq = {message.seq: message for message in here.values() if message.key == run[0].key}
    for message in run:
        for other in (here.get(message.id), by_seq.get(message.seq)):
            if other is not None and not _is_same_message(other, message):
                raise Conflict(
                    f"message {message.seq} of conversation {message.conversation!r} ({message.id}) is there with "
                    f"other content; {_OTHERWISE}"
                )
    return [message for message in run if message.id in here]


def _is_same_message(here: Message, row: Message) -> bool:
    return _tells(_said(here), _said(row)) and (
        not here.content or not row.content or _tells(here.content, row.content)
    )


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


def _said(row: Message) -> tuple[object, ...]:
    return row.id, row.key, row.seq, row.role, row.author, row.at, row.recorded_at, row.zone, row.external_id


def _count_known_episodes(tx: Transaction, here: StoreReader, key: ConversationKey, rows: Iterable[Episode]) -> int:
    """Count the episodes of a conversation that are there."""
    spans = [(other.first_seq, other.last_seq, other.id) for other in here.episodes_of(key) if not _is_within(other)]
    count = 0
    for page in pages_of(rows):
        known = {episode.id: episode for episode in tx.episodes.get([row.id for row in page])}
        for row in page:
            same = known.get(row.id)
            overlaps = not _is_within(row) and any(
                row.first_seq <= last and first <= row.last_seq for first, last, other in spans if other != row.id
            )
            if overlaps or not (same is None or _is_same_episode(same, row)):
                raise Conflict(
                    f"messages {row.first_seq} to {row.last_seq} of conversation {row.conversation!r} were remembered "
                    f"otherwise there ({row.id}); {_OTHERWISE}"
                )
        count += len(known)
    return count


def _is_within(row: Episode) -> bool:
    """Tell whether it may lie within the stretch of another: the person had what was skipped there kept after all."""
    return row.closed_by == _KEPT_AFTER_ALL


def _is_same_episode(here: Episode, row: Episode) -> bool:
    is_untold = EpisodeStatus.FORGOTTEN in (here.status, row.status) or None in (here.digest, row.digest)
    return _tells(_span(here), _span(row)) and (is_untold or _tells(here.digest, row.digest))


def _span(row: Episode) -> tuple[object, ...]:
    return row.key, row.first_seq, row.last_seq, row.started_at, row.ended_at, row.recorded_at, row.closed_by


def _count_known_facts(here: Iterator[Fact], rows: Iterator[Fact]) -> int:
    """Count the facts that are there; what is believed of them may have changed."""
    known, count = {fact.id: fact for fact in here}, 0
    for row in rows:
        other = known.get(row.id)
        if other is not None and not _is_same_fact(other, row):
            raise Conflict(f"fact {row.id!r} is there with other content; {_OTHERWISE}")
        count += other is not None
    return count


def _is_same_fact(here: Fact, row: Fact) -> bool:
    is_untold = FactStatus.FORGOTTEN in (here.status, row.status)
    return _traced(here) == _traced(row) and (is_untold or _tells(_stated(here), _stated(row)))


def _traced(row: Fact) -> tuple[object, ...]:
    return row.scope, row.kind, row.recorded_at


def _stated(row: Fact) -> tuple[object, ...]:
    return row.statement, row.subject, row.slot, row.is_negative, row.modality


def _count_same(here: Iterator[Row], rows: Iterable[Row], told: Callable[[Row], object], what: str) -> int:
    """Count the rows that are there; both sides come by id."""
    count, other = 0, next(here, None)
    for row in rows:
        while other is not None and other.id < row.id:
            other = next(here, None)
        if other is None or other.id != row.id:
            continue
        if told(other) != told(row):
            raise Conflict(f"{what} {row.id!r} is there with other content; {_OTHERWISE}")
        count += 1
    return count


def _shown(event: RecallEvent) -> tuple[object, ...]:
    return event.key, event.at, event.items
