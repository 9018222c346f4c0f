"""STEP: which memories were usefully recalled, decided from what the person said after a context, and stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from yesteryear.consolidate.fade import next_step
from yesteryear.consolidate.policy import ConsolidatePolicy
from yesteryear.consolidate.uptake import read_reply, taken_up, with_recall
from yesteryear.core.episode import EpisodeStatus
from yesteryear.core.events import RecallEvent
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import earlier
from yesteryear.ports import Store, Transaction

_EVENTS_A_TIME = 16
_MESSAGES_READ = 64
"""Messages of a conversation in which replies are looked for, from the end."""


def notice_uptake(store: Store, scope: Scope, key: ConversationKey, policy: ConsolidatePolicy, *, now: datetime) -> int:
    """Settle what was useful of the contexts that one conversation was given, as far as it can be told by now.

    Episodes of which the person took something up again are strengthened, once a day at most. What was noted of
    contexts is forgotten after its days.

    Returns:
        How many episodes were strengthened.
    """
    with store.read(scope) as tx:
        events = tx.recalls.open(key, limit=_EVENTS_A_TIME)
    if not events:
        return 0
    return store.write(scope, lambda tx: _settle(tx, events, policy, now))


def notice_stale(store: Store, scope: Scope, policy: ConsolidatePolicy, *, now: datetime) -> int:
    """Settle the contexts of conversations in which nothing was said any more; see ``notice_uptake``."""
    before = earlier(now, timedelta(hours=policy.uptake.settle_hours))
    with store.read(scope) as tx:
        keys = tx.recalls.stale(before, limit=_EVENTS_A_TIME)
    return sum(notice_uptake(store, scope, key, policy, now=now) for key in keys)


def _settle(tx: Transaction, events: Sequence[RecallEvent], policy: ConsolidatePolicy, now: datetime) -> int:
    messages = tx.messages.tail(events[0].key, limit=_MESSAGES_READ)
    settled, strengthened = [], 0
    for event in events:
        reply = read_reply(event, messages, policy.uptake, now=now)
        if not reply.is_over:
            continue
        settled.append(event.id)
        if reply.at is not None:
            useful = taken_up(_shown(tx, event), reply, policy.uptake)
            strengthened += _strengthen(tx, useful, reply.at, policy, now=now)
    tx.recalls.settle(settled)
    tx.recalls.prune(earlier(now, timedelta(days=policy.uptake.keep_events_days)))
    return strengthened


def _shown(tx: Transaction, event: RecallEvent) -> dict[str, str]:
    """Return the texts of what a context showed, by the id of the episode that each belongs to."""
    shown: dict[str, str] = {}
    for message in tx.messages.get(event.items):
        if message.episode_id is not None:
            shown[message.episode_id] = f"{shown.get(message.episode_id, '')}\n{message.content}"
    for episode in tx.episodes.get(event.items):
        if episode.digest is not None:
            told = f"{episode.digest.topic}\n{episode.digest.summary}"
            shown[episode.id] = f"{shown.get(episode.id, '')}\n{told}"
    return shown


def _strengthen(tx: Transaction, ids: Sequence[str], at: datetime, policy: ConsolidatePolicy, *, now: datetime) -> int:
    count = 0
    for episode in tx.episodes.get(ids):
        recalls = with_recall(episode.recalls, at, policy.uptake)
        if episode.status is EpisodeStatus.ACTIVE and recalls != episode.recalls:
            stronger = replace(episode, recalls=recalls)
            dated = replace(stronger, fades_at=next_step(stronger.trace, policy.fade, now=now))
            tx.episodes.update(dated, expecting=EpisodeStatus.ACTIVE)
            count += 1
    return count
