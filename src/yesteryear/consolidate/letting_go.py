"""STEP: episodes fade and give way when there are too many; skipped text goes when its days are over.

Planned from what is stored and ``now`` alone, then done in small transactions that read again before they write: it may
stop or be killed anywhere, and run again. The worker does it when something is due, and anybody may by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from yesteryear.consolidate.capacity import silence, surplus
from yesteryear.consolidate.fade import FadePolicy, faded, next_step
from yesteryear.core.episode import Detail, Episode, EpisodeStatus
from yesteryear.core.gist import gist_lines
from yesteryear.core.language.tokens import stems
from yesteryear.core.message import UNDATED, Message
from yesteryear.core.plain import Plain
from yesteryear.core.queries import Verbatim
from yesteryear.core.scope import Scope
from yesteryear.core.strength import Trace
from yesteryear.ports import Store, Transaction

T = TypeVar("T")

_EPISODES_A_WRITE = 4
"""Of about 15 messages each, so that a transaction stays near 64 rows."""
_MESSAGES_A_WRITE = 64
_ALL = 1_000_000_000
_SLACK = 1.02
_FADING = frozenset({EpisodeStatus.ACTIVE, EpisodeStatus.ARCHIVED})


@dataclass(frozen=True, slots=True)
class Faded(Plain):
    """What faded, or with ``is_dry`` what would."""

    at: datetime
    """From when it was seen."""
    to_gist: tuple[str, ...] = ()
    """Ids of episodes that lost their words; topic and summary stay."""
    archived: tuple[str, ...] = ()
    """Ids of episodes that left recall."""
    expired: tuple[str, ...] = ()
    """Ids of messages that lost their words by themselves: skipped ones whose days are over, and those that had to give
    way because words are kept of so many only."""
    is_dry: bool = False
    """Whether nothing was done."""

    def __add__(self, other: Faded) -> Faded:
        return replace(
            self,
            to_gist=self.to_gist + other.to_gist,
            archived=self.archived + other.archived,
            expired=self.expired + other.expired,
        )


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be let go."""

    changes: Sequence[tuple[Trace, Trace]]
    """Episodes that change or are dated anew: as they are, as they should be."""
    expired: Sequence[str]
    """Ids of skipped messages whose days are over."""
    silenced: Sequence[str]
    """Ids of messages that give way because words are kept of so many only."""


def is_due(tx: Transaction, policy: FadePolicy, *, now: datetime) -> bool:
    """Tell whether anything has to be let go: an episode's step or a skipped text is due, or a limit is exceeded.

    Of words a fiftieth more come together first, so that not every new message weighs all of them against each other.
    """
    return bool(
        0 < policy.max_verbatim * _SLACK < tx.messages.count_verbatim()
        or tx.episodes.traces(due=now, limit=1)
        or tx.messages.expired(now, limit=1)
        or 0 < policy.max_active < tx.episodes.count_active()
    )


def fade(
    store: Store,
    scope: Scope,
    policy: FadePolicy,
    *,
    now: datetime,
    is_dry: bool = False,
    may_go_on: Callable[[], bool] = lambda: True,
) -> Faded:
    """Let go what has faded by ``now`` and what is too much.

    Args:
        store: Where the rows live.
        scope: Whose; limits are the owner's, so project and agent are left aside.
        policy: When and how much.
        now: The present instant.
        is_dry: Only tell what would be let go.
        may_go_on: Asked before each transaction; what is left is done another time.

    Returns:
        What was let go, the first to go first.
    """
    owner = Scope(tenant=scope.tenant, user=scope.user)
    with store.read(owner) as tx:
        plan = _plan(tx, policy, now)
    if is_dry:
        return replace(_told(plan.changes, now), expired=(*plan.expired, *plan.silenced), is_dry=True)
    done = Faded(now)
    for step, messages in ((_expire, plan.expired), (_silence, plan.silenced)):
        for ids in _batches(messages, _MESSAGES_A_WRITE):
            if not may_go_on():
                return done
            store.give_way()
            done += Faded(now, expired=store.write(owner, partial(step, ids=ids, policy=policy, now=now)))
    for changes in _batches(plan.changes, _EPISODES_A_WRITE):
        if not may_go_on():
            return done
        store.give_way()
        done += store.write(owner, partial(_carry_out, changes=changes, now=now))
    return done


def look_again(store: Store, scope: Scope, now: datetime, *, at_all: bool) -> None:
    """Make something due, so that the worker looks at what is to be let go.

    Args:
        store: Where the rows live.
        scope: Whose.
        now: From when it is due.
        at_all: All episodes that were never to fade are dated anew, as after it was changed whether anything fades.
            Else one is enough: a limit was changed, or much came at once.
    """
    owner = Scope(tenant=scope.tenant, user=scope.user)
    with store.read(owner) as tx:
        traces = tx.episodes.traces()
    ids = [trace.id for trace in traces if trace.fades_at is None] if at_all else [trace.id for trace in traces[:1]]
    for batch in _batches(ids, _MESSAGES_A_WRITE):

        def write(tx: Transaction, batch: Sequence[str] = batch) -> None:
            for episode in tx.episodes.get(batch):
                if episode.status in _FADING:
                    tx.episodes.update(replace(episode, fades_at=now), expecting=episode.status)

        store.write(owner, write)


def admit(tx: Transaction, episode_id: str, policy: FadePolicy, *, now: datetime, spares: bool = False) -> None:
    """Say when an episode that has come, or come back, fades, and archive the weakest where there are too many now.

    The transaction sees all of the owner, since limits are theirs. ``spares`` lets another one give way where it would
    be this episode itself.
    """
    for episode in tx.episodes.get([episode_id]):
        if episode.status in _FADING:
            fades_at = next_step(episode.trace, policy, now=now)
            tx.episodes.update(replace(episode, fades_at=fades_at), expecting=episode.status)
    if 0 < policy.max_active < tx.episodes.count_active():
        _make_room(tx, policy, now=now, spared=episode_id if spares else "")


def _make_room(tx: Transaction, policy: FadePolicy, *, now: datetime, spared: str) -> None:
    """Archive until no more are found than may be: first those whose time is over, unseen yet, then the weakest."""
    traces = tx.episodes.traces(only_active=True)
    after = {trace.id: faded(trace, policy, now=now) for trace in traces}
    free = [trace._replace(is_held=trace.is_held or trace.id == spared) for trace in after.values()]
    for episode_id in surplus(free, policy, now=now):
        after[episode_id] = after[episode_id]._replace(is_active=False)
    for episode in tx.episodes.get([i for i, trace in after.items() if not trace.is_active and i != spared]):
        tx.episodes.update(_changed(tx, episode, after[episode.id], now), expecting=episode.status)


def _plan(tx: Transaction, policy: FadePolicy, now: datetime) -> _Plan:
    expired = [message.id for message in tx.messages.expired(now, limit=_ALL) if _is_over(message, now)]
    before = tx.episodes.traces()
    after = {trace.id: faded(trace, policy, now=now) for trace in before}
    for episode_id in surplus(list(after.values()), policy, now=now):
        gone = after[episode_id]
        after[episode_id] = gone._replace(is_active=False, fades_at=gone.fades_at if gone.is_vivid else None)
    silenced = _too_many_words(tx, after, policy, expired=frozenset(expired), now=now) if policy.max_verbatim else []
    return _Plan([(trace, after[trace.id]) for trace in before if after[trace.id] != trace], expired, silenced)


def _too_many_words(
    tx: Transaction, after: Mapping[str, Trace], policy: FadePolicy, *, expired: frozenset[str], now: datetime
) -> list[str]:
    """Return the messages that give their words; not those of an episode that still waits for its digest."""
    left = [
        message
        for message in tx.messages.verbatim()
        if message.id not in expired
        and (message.episode_id is None or (message.episode_id in after and after[message.episode_id].is_vivid))
    ]
    if len(left) <= policy.max_verbatim:
        return []
    return silence(left, list(after.values()), _told_by_digests(tx, left), policy, now=now)


def _carry_out(tx: Transaction, changes: Sequence[tuple[Trace, Trace]], now: datetime) -> Faded:
    """Change the episodes that are still as they were when this was planned; the others are looked at another time."""
    planned = {before.id: (before, after) for before, after in changes}
    done = []
    for episode in tx.episodes.get(list(planned)):
        before, after = planned[episode.id]
        if episode.trace == before:
            done.append((before, after))
            tx.episodes.update(_changed(tx, episode, after, now), expecting=episode.status)
    return _told(done, now)


def _changed(tx: Transaction, episode: Episode, after: Trace, now: datetime) -> Episode:
    changed = replace(episode, fades_at=after.fades_at)
    if episode.detail is not Detail.GIST and not after.is_vivid:
        _erase_words(tx, episode.message_ids)
        # What is left speaks for the messages now, sentence by sentence, and is embedded so.
        changed = replace(changed, detail=Detail.GIST, next_try=now if after.is_active else None)
    if episode.status is EpisodeStatus.ACTIVE and not after.is_active:
        changed = _archived(tx, changed)
    return changed


def _archived(tx: Transaction, episode: Episode) -> Episode:
    """Return an episode out of recall, where words find it if it is asked for; only its own words may still go."""
    tx.vectors.forget([episode.id])
    fades_at = episode.fades_at if episode.detail is not Detail.GIST else None
    return episode.moved_to(EpisodeStatus.ARCHIVED, next_try=None, fades_at=fades_at)


def _told_by_digests(tx: Transaction, verbatim: Sequence[Verbatim]) -> dict[str, frozenset[str]]:
    """Return the stems of the digests of all episodes that hold some of these messages, by their ids."""
    ids = list({message.episode_id: None for message in verbatim if message.episode_id is not None})
    return {
        episode.id: frozenset(stem for line in gist_lines(episode.digest) for stem in stems(line.text))
        for episode in tx.episodes.get(ids)
        if episode.digest is not None
    }


def _expire(tx: Transaction, ids: Sequence[str], policy: FadePolicy, now: datetime) -> tuple[str, ...]:  # noqa: ARG001
    """Take the words out of skipped messages whose days are over; return which those are by now."""
    over = [row.id for row in tx.messages.get(ids) if _is_over(row, now)]
    _erase_words(tx, over)
    return tuple(over)


def _is_over(message: Message, now: datetime) -> bool:
    """Tell whether the days of a skipped message's text are over; not where nobody has said yet how many it has."""
    return message.expires_at is not None and UNDATED < message.expires_at <= now


def _silence(tx: Transaction, ids: Sequence[str], policy: FadePolicy, now: datetime) -> tuple[str, ...]:
    """Take the words out of single messages, unless they were pinned meanwhile; return which those are.

    What is left of their episodes speaks for them, line by line.
    """
    messages = tx.messages.get(ids)
    episodes = tx.episodes.get(list({row.episode_id: None for row in messages if row.episode_id is not None}))
    free = {episode.id for episode in episodes if episode.status in _FADING and not episode.is_held}
    given = [row.id for row in messages if row.episode_id is None or row.episode_id in free]
    _erase_words(tx, given)
    for episode in episodes:
        if episode.id not in free:
            continue
        is_left = any(message.content for message in tx.messages.get(episode.message_ids))
        detail = Detail.DIM if is_left else Detail.GIST
        is_due = episode.status is EpisodeStatus.ACTIVE and episode.detail is Detail.VIVID
        next_try = now if is_due else episode.next_try
        dimmed = replace(episode, detail=detail, next_try=next_try)
        dated = replace(dimmed, fades_at=next_step(dimmed.trace, policy, now=now))
        tx.episodes.update(dated, expecting=episode.status)
    return tuple(given)


def _erase_words(tx: Transaction, ids: Sequence[str]) -> None:
    """Take the text out of messages, and their vectors, which tell much of it."""
    messages = tx.messages.get(ids)
    tx.messages.update([replace(row, content="", expires_at=None, vector_due_at=None, error=None) for row in messages])
    tx.vectors.forget(ids)


def _told(changes: Sequence[tuple[Trace, Trace]], now: datetime) -> Faded:
    return Faded(
        at=now,
        to_gist=tuple(after.id for before, after in changes if before.is_vivid and not after.is_vivid),
        archived=tuple(after.id for before, after in changes if before.is_active and not after.is_active),
    )


def _batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (items[start : start + size] for start in range(0, len(items), size))
