"""STEP: what is retained: fading, bounds, the days of skipped text, and what was usefully recalled.

Letting go is planned from what is stored and ``now`` alone, then done in small transactions that read again before they
write: it may stop or be killed anywhere, and run again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from yesteryear.consolidate.policy import ConsolidatePolicy
from yesteryear.consolidate.retention.fade import FadePolicy, faded, next_step, surplus, truncate
from yesteryear.consolidate.retention.feedback import read_reply, taken_up, with_recall
from yesteryear.core.episode import Detail, Episode, EpisodeStatus, gist_lines
from yesteryear.core.fading.half_life import Trace
from yesteryear.core.hits import RecallEvent
from yesteryear.core.language.tokens import stems
from yesteryear.core.message import UNDATED, Message
from yesteryear.core.results import Plain
from yesteryear.core.rows.due_work import batches
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import earlier
from yesteryear.ports import Store, Transaction

_EPISODES_A_WRITE = 4  # of about 15 messages each, so that a transaction stays near 64 rows
_MESSAGES_A_WRITE = 64
_EVENTS_A_TIME = 16
_MESSAGES_READ = 64  # messages of a conversation in which replies are looked for, from the end
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
    should_continue: Callable[[], bool] = lambda: True,
) -> Faded:
    """Let go what has faded by ``now`` and what is too much; return what was let go, the first to go first.

    Limits are the owner's, so project and agent of ``scope`` are left aside. With ``is_dry`` it is only told.
    ``should_continue`` is asked before each transaction; what is left is done another time.
    """
    owner = scope.owner.scope
    with store.read(owner) as tx:
        fading, expired, silenced = _plan(tx, policy, now)
    if is_dry:
        return replace(_told(fading, now), expired=(*expired, *silenced), is_dry=True)
    done = Faded(now)
    for write in (
        *(partial(_expire, ids=ids, now=now) for ids in batches(expired, _MESSAGES_A_WRITE)),
        *(partial(_silence, ids=ids, policy=policy, now=now) for ids in batches(silenced, _MESSAGES_A_WRITE)),
        *(partial(_carry_out, changes=changes, now=now) for changes in batches(fading, _EPISODES_A_WRITE)),
    ):
        if not should_continue():
            break
        store.yield_to_foreground()
        done += store.write(owner, write)
    return done


def reschedule_fading(store: Store, scope: Scope, now: datetime, *, at_all: bool) -> None:
    """Make something due, so that the worker looks at what is to be let go.

    ``at_all``: all episodes that were never to fade are dated anew, as after it was changed whether anything fades.
    Else one is enough: a limit was changed, or much came at once.
    """
    owner = scope.owner.scope
    with store.read(owner) as tx:
        traces = tx.episodes.traces()
    ids = [trace.id for trace in traces if trace.fades_at is None] if at_all else [trace.id for trace in traces[:1]]
    for batch in batches(ids, _MESSAGES_A_WRITE):

        def write(tx: Transaction, batch: Sequence[str] = batch) -> None:
            for episode in tx.episodes.get(batch):
                if episode.status in _FADING:
                    tx.episodes.update(replace(episode, fades_at=now), expecting=episode.status)

        store.write(owner, write)


def schedule_fading(
    tx: Transaction, episode_id: str, policy: FadePolicy, *, now: datetime, spares: bool = False
) -> None:
    """Say when an episode that has come, or come back, fades, and archive the weakest where there are too many now.

    The transaction sees all of the owner, since limits are theirs. ``spares`` lets another one give way where it would
    be this episode itself.
    """
    for episode in tx.episodes.get([episode_id]):
        if episode.status in _FADING:
            fades_at = next_step(episode.trace, policy, now=now)
            tx.episodes.update(replace(episode, fades_at=fades_at), expecting=episode.status)
    if 0 < policy.max_active < tx.episodes.count_active():
        spared = episode_id if spares else ""
        after = _fated(tx.episodes.traces(only_active=True), policy, now, spared=spared)
        gone = [name for name, trace in after.items() if not trace.is_active and name != spared]
        for episode in tx.episodes.get(gone):
            tx.episodes.update(_changed(tx, episode, after[episode.id], now), expecting=episode.status)


def _fated(traces: Sequence[Trace], policy: FadePolicy, now: datetime, spared: str = "") -> dict[str, Trace]:
    """Return by id what episodes should be: as their time tells, and archived, the weakest first, where too many are.

    Those whose time is over, unseen yet, go before the weakest; the ``spared`` one stays.
    """
    after = {trace.id: faded(trace, policy, now=now) for trace in traces}
    free = [trace._replace(is_held=trace.is_held or trace.id == spared) for trace in after.values()]
    for episode_id in surplus(free, policy, now=now):
        gone = after[episode_id]
        after[episode_id] = gone._replace(is_active=False, fades_at=gone.fades_at if gone.is_vivid else None)
    return after


def _plan(tx: Transaction, policy: FadePolicy, now: datetime) -> tuple[list[tuple[Trace, Trace]], list[str], list[str]]:
    """Return episodes as they are and as they should be, and which messages expire, or give way to others."""
    expired = [message.id for message in tx.messages.expired(now, limit=_ALL) if _is_over(message, now)]
    before = tx.episodes.traces()
    after = _fated(before, policy, now)
    silenced = _too_many_words(tx, after, policy, expired=frozenset(expired), now=now) if policy.max_verbatim else []
    return [(trace, after[trace.id]) for trace in before if after[trace.id] != trace], expired, silenced


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
    told = {
        episode.id: frozenset(stem for line in gist_lines(episode.digest) for stem in stems(line.text))
        for episode in tx.episodes.get(list({row.episode_id: None for row in left if row.episode_id is not None}))
        if episode.digest is not None
    }
    return truncate(left, list(after.values()), told, policy, now=now)


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
        # Words find it if it is asked for; only its own words may still go.
        tx.vectors.forget([episode.id])
        fades_at = changed.fades_at if changed.detail is not Detail.GIST else None
        changed = changed.moved_to(EpisodeStatus.ARCHIVED, next_try=None, fades_at=fades_at)
    return changed


def _expire(tx: Transaction, ids: Sequence[str], now: datetime) -> Faded:
    """Take the words out of skipped messages whose days are over; tell which those are by now."""
    over = [row.id for row in tx.messages.get(ids) if _is_over(row, now)]
    _erase_words(tx, over)
    return Faded(now, expired=tuple(over))


def _is_over(message: Message, now: datetime) -> bool:
    """Tell whether the days of a skipped message's text are over; not where nobody has said yet how many it has."""
    return message.expires_at is not None and UNDATED < message.expires_at <= now


def _silence(tx: Transaction, ids: Sequence[str], policy: FadePolicy, now: datetime) -> Faded:
    """Take the words out of single messages, unless they were pinned meanwhile; tell which those are.

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
    return Faded(now, expired=tuple(given))


def _erase_words(tx: Transaction, ids: Sequence[str]) -> None:
    """Take the text out of messages, their numbers, and their vectors, which tell much of it."""
    messages = tx.messages.get(ids)
    bare = [replace(row, content="", numbers=(), expires_at=None, vector_due_at=None, error=None) for row in messages]
    tx.messages.update(bare)
    tx.vectors.forget(ids)


def _told(changes: Sequence[tuple[Trace, Trace]], now: datetime) -> Faded:
    return Faded(
        at=now,
        to_gist=tuple(after.id for before, after in changes if before.is_vivid and not after.is_vivid),
        archived=tuple(after.id for before, after in changes if before.is_active and not after.is_active),
    )


def settle_relevance(
    store: Store, scope: Scope, key: ConversationKey, policy: ConsolidatePolicy, *, now: datetime
) -> int:
    """Settle what was useful of the contexts that one conversation was given, as far as it can be told by now.

    Episodes of which the person took something up again are strengthened, once a day at most; how many, is returned.
    What was noted of contexts is forgotten after its days.
    """
    with store.read(scope) as tx:
        events = tx.recalls.open(key, limit=_EVENTS_A_TIME)
    if not events:
        return 0
    return store.write(scope, lambda tx: _settle(tx, events, policy, now))


def settle_stale(store: Store, scope: Scope, policy: ConsolidatePolicy, *, now: datetime) -> int:
    """Settle the contexts of conversations in which nothing was said any more; see ``settle_relevance``."""
    before = earlier(now, timedelta(hours=policy.uptake.settle_hours))
    with store.read(scope) as tx:
        keys = tx.recalls.stale(before, limit=_EVENTS_A_TIME)
    return sum(settle_relevance(store, scope, key, policy, now=now) for key in keys)


def _settle(tx: Transaction, events: Sequence[RecallEvent], policy: ConsolidatePolicy, now: datetime) -> int:
    messages = tx.messages.tail(events[0].key, limit=_MESSAGES_READ)
    settled, strengthened = [], 0
    for event in events:
        reply = read_reply(event, messages, policy.uptake, now=now)
        if not reply.is_over:
            continue
        settled.append(event.id)
        if reply.at is None:
            continue
        for episode in tx.episodes.get(taken_up(_shown(tx, event), reply, policy.uptake)):
            recalls = with_recall(episode.recalls, reply.at, policy.uptake)
            if episode.status is EpisodeStatus.ACTIVE and recalls != episode.recalls:
                stronger = replace(episode, recalls=recalls)
                dated = replace(stronger, fades_at=next_step(stronger.trace, policy.fade, now=now))
                tx.episodes.update(dated, expecting=EpisodeStatus.ACTIVE)
                strengthened += 1
    tx.recalls.settle(settled)
    tx.recalls.prune(earlier(now, timedelta(days=policy.uptake.keep_events_days)))
    return strengthened


def _shown(tx: Transaction, event: RecallEvent) -> dict[str, str]:
    """Return the texts of what a context showed, by the id of the episode that each belongs to."""
    shown: dict[str, str] = {}
    told = [(row.episode_id, row.content) for row in tx.messages.get(event.items)]
    digests = [(row.id, row.digest) for row in tx.episodes.get(event.items)]
    told += [(name, f"{digest.topic}\n{digest.summary}") for name, digest in digests if digest is not None]
    for name, text in told:
        if name is not None:
            shown[name] = f"{shown.get(name, '')}\n{text}"
    return shown
