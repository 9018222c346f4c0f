"""Fading: vivid, then gist, then archived, by what is left of an episode's importance; and which give way to others.

What gives way is archived or loses its words, and is never deleted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from yesteryear.core.fading.half_life import StrengthPolicy, Trace, falls_below, half_life_days, hold_of, weakest_first
from yesteryear.core.language.tokens import stems
from yesteryear.core.rows.queries import Verbatim


@dataclass(frozen=True, slots=True)
class FadePolicy:
    """When memories fade, and how many there may be."""

    is_on: bool = True  # whether anything fades by itself; the two limits below hold all the same
    strength: StrengthPolicy = field(default_factory=StrengthPolicy)
    gist_below: float = 0.25  # share of an importance, in (0, 1), below which the gist is kept: after two half-lives
    archive_below: float = 0.01
    """Share of an importance, in (0, 1), from which down an episode leaves recall: after 6.6 half-lives, 200 days to
    three years. Tuned on the seeded lives: at 0.05 a tenth of what matters was out of recall within a year."""
    max_active: int = 1000  # most episodes of an owner that are found (document B, 6.4); 0: no limit; more where held
    max_verbatim: int = 0  # most messages of which an owner keeps the words; 0 for no limit; more where held


def faded(trace: Trace, policy: FadePolicy, *, now: datetime) -> Trace:
    """Return what an episode should be by ``now``: vivid or not, found or not, and when its next step is due.

    A function of what is stored and of ``now`` alone: looking every night, once a year or twice in a row gives the
    same. A recall that came after a step was due does not undo it, and steps that were taken are not taken back,
    whatever the clock says.
    """
    if trace.is_held or not policy.is_on:
        return trace._replace(fades_at=None)
    hold = hold_of(trace, policy.strength, now=now)
    gist_at, archived_at = falls_below(hold, policy.gist_below), falls_below(hold, policy.archive_below)
    is_vivid = trace.is_vivid and hold.lowest > policy.gist_below and now < gist_at
    is_active = trace.is_active and hold.lowest > policy.archive_below and now < archived_at
    ahead = [at for at, is_ahead in ((gist_at, is_vivid), (archived_at, is_active)) if is_ahead]
    return trace._replace(is_vivid=is_vivid, is_active=is_active, fades_at=min(ahead, default=None))


def next_step(trace: Trace, policy: FadePolicy, *, now: datetime) -> datetime | None:
    """Return when the next step of fading is due: ``now`` where one was due before; None where there is none."""
    fated = faded(trace, policy, now=now)
    is_overdue = (fated.is_vivid, fated.is_active) != (trace.is_vivid, trace.is_active)
    return now if is_overdue else fated.fades_at


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


def truncate(
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
    its words. ``verbatim`` comes in order of (told_at, id); ``told`` are stems of the digests, by episode.
    """
    by_id = {trace.id: trace for trace in traces}
    held = {trace.id for trace in traces if trace.is_held}
    free = [message for message in verbatim if message.episode_id not in held]
    too_many = len(verbatim) - policy.max_verbatim
    if not policy.max_verbatim or too_many <= 0:
        return []

    def worth(message: Verbatim) -> float:
        if not message.is_users:
            return 0.0
        trace = by_id.get(message.episode_id or "")
        if trace is None:
            return message.score
        usual = half_life_days(trace.importance, policy.strength)
        growth = hold_of(trace, policy.strength, now=now).half_life_days / usual
        content = frozenset(stems(message.text))
        untold = len(content - told.get(trace.id, frozenset())) / max(1, len(content))
        return float(message.score ** (1 / growth)) * untold

    going = sorted(free, key=lambda message: (message.episode_id is not None, worth(message)))
    return [message.id for message in going[:too_many]]
