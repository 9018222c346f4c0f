"""Bounds: which memories give way when there are too many. They are archived or lose their words, never deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from yesteryear.consolidate.fade import FadePolicy
from yesteryear.core.language.tokens import stems
from yesteryear.core.queries import Verbatim
from yesteryear.core.strength import Trace, half_life_days, hold_of, weakest_first


def surplus(traces: Sequence[Trace], policy: FadePolicy, *, now: datetime) -> list[str]:
    """Return the ids of the active episodes that are too many: the weakest, among equals those told first.

    What is held never gives way, so more than ``max_active`` stay where more are held.
    """
    active = [trace for trace in traces if trace.is_active]
    too_many = len(active) - policy.max_active
    if not policy.max_active or too_many <= 0:
        return []
    free = [trace for trace in active if not trace.is_held]
    return [trace.id for trace in weakest_first(free, policy.strength, now=now)[:too_many]]


def silence(
    verbatim: Sequence[Verbatim],
    traces: Sequence[Trace],
    told: Mapping[str, frozenset[str]],
    policy: FadePolicy,
    *,
    now: datetime,
) -> list[str]:
    """Return the ids of the messages that lose their words so that no more than ``max_verbatim`` keep theirs.

    What the gate skipped goes first; then those go with whose words least is lost, among equals those told first. What
    others said than the person is worth nothing by itself; what the person said is worth

        score ** (1 / growth) * (1 - share of its content that the episode's digest tells),

    with the gate's score and by how much useful recalls have lengthened the episode's half-life. What is held keeps
    its words.

    Args:
        verbatim: The messages that have their words, in order of (told_at, id).
        traces: The episodes.
        told: Stems of the digests, by the id of the episode.
        policy: The limit.
        now: The present instant.
    """
    by_id = {trace.id: trace for trace in traces}
    free = [
        message
        for message in verbatim
        if message.episode_id is None or message.episode_id not in by_id or not by_id[message.episode_id].is_held
    ]
    too_many = len(verbatim) - policy.max_verbatim
    if not policy.max_verbatim or too_many <= 0:
        return []

    def worth(message: Verbatim) -> float:
        if not message.is_users:
            return 0.0
        trace = by_id.get(message.episode_id or "")
        if trace is None:
            return message.score
        growth = hold_of(trace, policy.strength, now=now).half_life_days / half_life_days(
            trace.importance, policy.strength
        )
        content = frozenset(stems(message.text))
        untold = len(content - told.get(trace.id, frozenset())) / max(1, len(content))
        return float(message.score ** (1 / growth)) * untold

    going = sorted(free, key=lambda message: (message.episode_id is not None, worth(message)))
    return [message.id for message in going[:too_many]]
