"""STEP: taking back times that a clock has set which was ahead, and was put right.

Rows are the queue, and each says when it is due. Counted by a clock that was a year ahead, that is in a year: nothing
would be done until then, and a lease would hold for as long. What lies further ahead than anything is ever put off
comes from such a clock and counts from now on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Episode
from yesteryear.core.fact import Fact
from yesteryear.core.message import Message
from yesteryear.core.owner import OwnerState
from yesteryear.core.scope import Owner, Scope
from yesteryear.core.time import FOREVER, later
from yesteryear.policies import Policies
from yesteryear.ports import Store, Transaction
from yesteryear.remember.retry import RetryPolicy

_ROWS = 64
"""Rows of each kind that are looked at and changed at once."""
_NIGHT = timedelta(days=2)
"""A night is never further ahead: there is one every day."""


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What stands too far ahead."""

    state: OwnerState | None
    conversations: Sequence[Conversation]
    episodes: Sequence[Episode]
    messages: Sequence[Message]
    facts: Sequence[Fact]

    def __bool__(self) -> bool:
        return self.state is not None or any((self.conversations, self.episodes, self.messages, self.facts))


def set_right(store: Store, owner: Owner, policies: Policies, *, now: datetime) -> bool:
    """Let count from now what waits for a time that a wrong clock has set; tell whether there was anything."""
    scope = Scope(tenant=owner.tenant, user=owner.user)
    with store.read(scope) as tx:
        is_any = bool(_find(tx, policies, now))
    has_changed = is_any
    while has_changed:
        has_changed = store.write(scope, lambda tx: _rewind(tx, policies, now))
    return is_any


def _find(tx: Transaction, policies: Policies, now: datetime) -> _Ahead:
    retry = policies.remember.retry
    latest = later(now, _longest(retry))
    state = tx.owner()
    is_held = state.lease_until is not None and state.lease_until > latest
    is_late = state.night_at is not None and state.night_at > later(now, _NIGHT)
    return _Ahead(
        state if is_held or is_late else None,
        [row for row in tx.conversations.due(FOREVER, limit=_ROWS) if _is_ahead(row, latest)],
        [row for row in tx.episodes.due(FOREVER, limit=_ROWS) if (row.next_try or now) > latest],
        [row for row in tx.messages.due(FOREVER, limit=_ROWS) if (row.vector_due_at or now) > latest],
        [row for row in tx.facts.due(FOREVER, limit=_ROWS) if (row.due_at or now) > latest],
    )


def _rewind(tx: Transaction, policies: Policies, now: datetime) -> bool:
    found = _find(tx, policies, now)
    pause = timedelta(minutes=policies.remember.segment.inactivity_minutes)
    for row in found.conversations:
        due_at = now if row.attempts else now + pause
        tx.conversations.save(replace(row, last_recorded_at=min(row.last_recorded_at or now, now), due_at=due_at))
    for episode in found.episodes:
        tx.episodes.update(replace(episode, next_try=now), expecting=episode.status)
    tx.messages.update([replace(row, vector_due_at=now) for row in found.messages])
    tx.facts.update([replace(row, due_at=now) for row in found.facts])
    state, latest = found.state, later(now, _longest(policies.remember.retry))
    if state is not None and state.lease_until is not None and state.lease_until > latest:
        state = replace(state, lease_by=None, lease_until=None)
    if state is not None and state.night_at is not None and state.night_at > later(now, _NIGHT):
        state = replace(state, night_at=now)
    if state is not None:
        tx.save_owner(state)
    return bool(found)


def _is_ahead(row: Conversation, latest: datetime) -> bool:
    """Tell whether a conversation waits for a pause after words of the future, or after a failure in it."""
    since = row.due_at if row.attempts else row.last_recorded_at
    return since is not None and since > latest


def _longest(retry: RetryPolicy) -> timedelta:
    """Return the longest time for which work is put off or held, and half of that, for hosts whose clocks differ."""
    longest_wait = retry.first_wait_s * retry.growth ** max(0, retry.attempts - 2)
    return timedelta(seconds=1.5 * max(longest_wait, retry.lease_s))
