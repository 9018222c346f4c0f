"""What is left of an importance: strength, computed whenever it is asked for and never stored.

Also what it is computed from: when an episode was last strengthened, and how much its half-life has grown by then.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from yesteryear.core.time import later

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class StrengthPolicy:
    """How memories fade."""

    half_life_days: float = 30.0
    """Days in which something unimportant loses half its strength; above 0 (document B's example)."""
    stretch: float = 6.0
    """How many times longer the half-life of the most important is; at least 1. 30 to 180 days."""
    spacing: float = 2.0
    """By how much a useful recall lengthens the half-life, at least 0, times what had been lost by then: at half
    strength it doubles, right after the last one it gains nothing. Source: the spacing effect; FSRS-6 grows alike."""
    max_growth: float = 12.0
    """Most times by which recalls lengthen a half-life; at least 1. One of 30 days ends at a year."""


class Trace(NamedTuple):
    """An episode as forgetting sees it."""

    id: str
    importance: float  # given when written, in [0, 1]
    told_at: datetime  # when it was said or recorded, whichever is later: a history brought in today is not old
    recalls: tuple[datetime, ...] = ()  # when it was usefully recalled, in any order
    restored_at: datetime | None = None  # when it was last brought back; it begins anew there
    is_held: bool = False  # whether it never fades: it was pinned, or the person asked that it be remembered
    is_vivid: bool = True  # whether any of its words may still be there
    is_active: bool = True  # whether it is found
    fades_at: datetime | None = None  # when it was last said that its next step is due


class Hold(NamedTuple):
    """What an episode's strength is computed from at some moment."""

    since: datetime  # when it was last strengthened
    half_life_days: float  # days in which it loses half of its strength, from then on; above 0
    lowest: float  # least share of its importance that was left before any strengthening, in [0, 1]


def half_life_days(importance: float, policy: StrengthPolicy) -> float:
    """Return the days in which an importance in [0, 1] loses half its strength: half_life * stretch ** importance."""
    return policy.half_life_days * math.pow(policy.stretch, importance)


def hold_of(trace: Trace, policy: StrengthPolicy, *, now: datetime) -> Hold:
    """Return when an episode was last strengthened before ``now``, and its half-life since then.

    Each useful recall multiplies the half-life by 1 + spacing * (1 - share left), up to max_growth in all, and lets
    the age count from there. Recalls count in the order of their time, whatever the order in which they became known.
    """
    since = trace.restored_at or trace.told_at
    natural = half_life_days(trace.importance, policy)
    growth, lowest = 1.0, 1.0
    for at in sorted(recall for recall in trace.recalls if since < recall <= now):
        left = share_left(since, natural * growth, at)
        growth = min(policy.max_growth, growth * (1 + policy.spacing * (1 - left)))
        lowest = min(lowest, left)
        since = at
    return Hold(since, natural * growth, lowest)


def share_left(since: datetime, half_life: float, now: datetime) -> float:
    """Return which share of an importance is left: 2 ** (-age / half-life), in [0, 1]; 1 before ``since``."""
    age_days = max(timedelta(0), now - since) / _DAY
    return math.exp2(-age_days / half_life)


def falls_below(hold: Hold, share: float) -> datetime:
    """Return the first moment at which no more than ``share``, in (0, 1], of an importance is left."""
    return later(hold.since, timedelta(days=min(hold.half_life_days * -math.log2(share), 3_000_000.0)))


def strength_of(trace: Trace, policy: StrengthPolicy, *, now: datetime) -> float:
    """Return what is left of an episode's importance: importance * 2 ** (-age / half-life), in [0, importance].

    Non-increasing in ``now`` between recalls. What is held keeps all of it.

    Source: Human-Like Memory System document, section 4.3.
    """
    if trace.is_held:
        return trace.importance
    hold = hold_of(trace, policy, now=now)
    return trace.importance * share_left(hold.since, hold.half_life_days, now)


def weakest_first(traces: Iterable[Trace], policy: StrengthPolicy, *, now: datetime) -> list[Trace]:
    """Return traces by their strength, among equals what was told first before what was told later."""
    return sorted(traces, key=lambda trace: (strength_of(trace, policy, now=now), trace.told_at, trace.id))
