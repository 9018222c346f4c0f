"""Fading: vivid, then gist, then archived, by what is left of an episode's importance."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from yesteryear.core.strength import StrengthPolicy, Trace, falls_below, hold_of


@dataclass(frozen=True, slots=True)
class FadePolicy:
    """When memories fade, and how many there may be."""

    is_on: bool = True
    """Whether anything fades by itself; the two limits below hold all the same."""
    strength: StrengthPolicy = field(default_factory=StrengthPolicy)
    gist_below: float = 0.25
    """Share of an importance, in (0, 1), from which down only the gist is kept: after two half-lives."""
    archive_below: float = 0.01
    """Share of an importance, in (0, 1), from which down an episode leaves recall: after 6.6 half-lives, 200 days to
    three years. Tuned on the seeded lives: at 0.05 a tenth of what matters was out of recall within a year."""
    max_active: int = 1000
    """How many episodes of an owner are found at most (document B, section 6.4); 0 for no limit. What is held may
    exceed it."""
    max_verbatim: int = 0
    """Of how many messages an owner keeps the words at most; 0 for no limit. What is held may exceed it."""


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
