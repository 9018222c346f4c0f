"""How sure we are of a fact: a function of the set of its evidence, and what time leaves of it.

Stored as of the last evidence, it decays only where it is asked for, so that a night that runs twice, or not at all,
makes no difference. Source: Human-Like Memory System document, sections 3.2 and 6.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from yesteryear.core.attributes import Volatility
from yesteryear.core.fact import Authority, Evidence, Fact, Stance
from yesteryear.core.time import FIRST, FOREVER, later

SITTING = timedelta(hours=3)  # the pause that ends a sitting: what is told again after it is told a second time
_DAY = timedelta(days=1)
_DIGITS = 6  # decimals that are kept, so that every store gives back what it was given
_MOST_DAYS = 3_000_000.0  # more than all dates hold; what decays slower than that does not decay


@dataclass(frozen=True, slots=True)
class ConfidencePolicy:
    """How confidence grows, decays, and where its bands lie."""

    growth: float = 0.05
    """Share of what is missing to 1 that every further session brings, in [0, 1] (document B, section 6.2)."""
    decay_per_day: float = 0.01
    """Rate of decay per day since the last evidence, at least 0: exp(-rate * days), half in 69 days (document B)."""
    slow: float = 0.03
    """Times the rate for a job, a home or a taste, at least 0. Half in six years."""
    normal: float = 0.1
    """Times the rate for a plan or a routine, at least 0. Half in two years: told once at 0.9 it sinks after three, at
    0.5 after 16 months. Document B's rate, 1, gave up a fifth of what still held in annotated series of a year."""
    volatile: float = 1.0
    """Times the rate for a mood or an ache, at least 0 (document B's). Told once at 0.9 it sinks after 110 days."""
    denied: float = 0.5
    """What is left of a confidence, in [0, 1], when the person denies it in talk (document B: both are halved)."""
    fact_threshold: float = 0.7
    """Confidence, in [0, 1], from which a draft counts as plainly told; document A's ``fact_confidence_threshold``."""
    tentative_most: float = 0.5  # most, in [0, 1], that a fact reaches which nobody stated plainly
    confirmed: float = 0.95  # least, in [0, 1], that a fact has which the person confirmed by hand
    deprecate_below: float = 0.3
    """Confidence, in [0, 1], below which a fact is out of all use (document B, section 3.2)."""
    passive_above: float = 0.5
    """Confidence, in [0, 1], above which a fact is offered unasked; below, only a search finds it (document B)."""
    stable_sessions: int = 2  # sessions that make a fact stable; at least 1
    well_evidenced: int = 3  # sessions from which a fact is never let go for want of news or room; at least 1

    def rate(self, volatility: Volatility) -> float:
        """Return the decay per day of facts of this volatility; 0 for what never changes."""
        factors = {Volatility.SLOW: self.slow, Volatility.NORMAL: self.normal, Volatility.VOLATILE: self.volatile}
        return self.decay_per_day * factors.get(volatility, 0.0)


class Confidence(NamedTuple):
    """What a set of evidence amounts to."""

    value: float  # as of the last evidence, in [0, 1], 6 decimals
    sessions: int  # distinct sessions that support it
    told: tuple[datetime, ...]  # when it was said or confirmed, rising; since the person last refuted it
    authority: Authority  # whose word it is at best; by hand it is the person's, a no as well as a yes
    by_hand_at: datetime | None = None  # when the person last stood up for it by hand
    refuted_at: datetime | None = None  # when by hand, or once they were asked; None where it was supported anew since

    @property
    def first(self) -> datetime:
        """When it was first said; the end of all days where nothing supports it."""
        return self.told[0] if self.told else FOREVER

    @property
    def last(self) -> datetime:
        """When it was last said; the first of all days where nothing supports it."""
        return self.told[-1] if self.told else FIRST


class _Kind(IntEnum):
    """What an event does, in the order in which events of one instant count."""

    SAID = 0
    CONFIRMED = 1
    DENIED = 2


_Event: TypeAlias = tuple[datetime, _Kind, float]  # the last is minus its weight: of one instant the surest comes first


def confidence(evidence: Iterable[Evidence], policy: ConfidencePolicy) -> Confidence:
    """Return what a set of evidence amounts to; its order does not matter.

    It starts with the best draft of the first session that supports it. Every further session adds
    growth * (1 - value), and brings it to at least its own draft's confidence. As long as no draft reached
    ``fact_threshold`` it stays at or below ``tentative_most``. The person's hand lifts it to ``confirmed`` or, where
    they refute it, to 0 until it is supported anew; so does their no to a question. Another denial in talk multiplies
    it by ``denied``, once a session.
    Echoes count for nothing. What the person did by hand at one instant counts in the order of the ids, which rise.

    Source: Human-Like Memory System document, section 6.2, per session and not per episode.
    """
    rows = [row for row in evidence if row.stance is not Stance.ECHO]
    refutals = (row for row in rows if row.stance is Stance.CONTRADICTS and _is_decided(row))
    refutal = max(refutals, key=lambda row: (row.said_at, row.id), default=None)
    rows = [row for row in rows if refutal is None or _is_after(row, refutal)]
    supports = [row for row in rows if row.stance is Stance.SUPPORTS]
    by_hand = [row.said_at for row in supports if row.message_id is None]
    words = [Authority.SAID if row.message_id is None else row.authority for row in supports]
    return Confidence(
        value=_amount(rows, policy),
        sessions=len({row.session for row in supports if not _is_confirmation(row)}),
        told=tuple(sorted({row.said_at for row in supports})),
        authority=max(words, default=Authority.INFERRED if refutal is None else Authority.SAID),
        by_hand_at=max(by_hand, default=None),
        refuted_at=None if supports or refutal is None else refutal.said_at,
    )


def in_sittings(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Return evidence with the sitting it was said in for its session: a run of evidence without a long pause.

    Whatever conversations it was said in, so that an endless one counts as many. What was done by hand keeps its own.
    """
    found: list[Evidence] = []
    sitting, last = 0, None
    for row in sorted(evidence, key=lambda row: (row.said_at, row.id)):
        if row.message_id is not None:
            sitting += last is not None and row.said_at - last >= SITTING
            last = row.said_at
            row = replace(row, session=str(sitting))  # noqa: PLW2901 - the same evidence, placed
        found.append(row)
    return found


def confidence_at(
    value: float, last: datetime, volatility: Volatility, policy: ConfidencePolicy, *, now: datetime
) -> float:
    """Return what time has left of a confidence: value * exp(-rate * days since ``last``), in [0, value].

    Non-increasing in ``now``; before ``last`` nothing is lost. Never applied to its own result.
    """
    days = max(timedelta(0), now - last) / _DAY
    return value * math.exp(-policy.rate(volatility) * days)


def known_since(fact: Fact) -> datetime:
    """Return from when a fact decays: its last support or when we learnt of it, whichever is later.

    So a history brought in today does not sink on its first night.
    """
    return max(fact.last_confirmed or fact.first_observed, fact.recorded_at)


def confidence_now(fact: Fact, policy: ConfidencePolicy, *, now: datetime) -> float:
    """Return how sure we are of a fact at some moment, in [0, its confidence]."""
    return confidence_at(fact.confidence, known_since(fact), fact.volatility, policy, now=now)


def sinks_at(value: float, last: datetime, volatility: Volatility, policy: ConfidencePolicy) -> datetime:
    """Return when a confidence falls below ``deprecate_below``: ``last`` where it is so already, FOREVER if never."""
    if value < policy.deprecate_below:
        return last
    rate, floor = policy.rate(volatility), max(policy.deprecate_below, 1e-9)
    days = math.log(value / floor) / rate if rate > 0 else math.inf
    return FOREVER if days > _MOST_DAYS else later(last, timedelta(days=days))


def _amount(rows: list[Evidence], policy: ConfidencePolicy) -> float:
    value, is_told, is_plain = 0.0, False, False
    for _, kind, minus_weight in sorted(_events(rows)):
        if kind is _Kind.DENIED:
            value *= policy.denied
            continue
        weight = -minus_weight
        if kind is _Kind.CONFIRMED:
            value = max(value, policy.confirmed)
        else:
            value = max(weight, value + policy.growth * (1 - value)) if is_told else weight
        is_told = True
        is_plain = is_plain or kind is _Kind.CONFIRMED or weight >= policy.fact_threshold
    return round(value if is_plain else min(value, policy.tentative_most), _DIGITS)


def _events(rows: list[Evidence]) -> list[_Event]:
    """Return what happened, two mentions or denials in one session as one."""
    told: dict[tuple[_Kind, str], _Event] = {}
    confirmed: list[_Event] = []
    for row in rows:
        if _is_confirmation(row):
            confirmed.append((row.said_at, _Kind.CONFIRMED, -1.0))
            continue
        kind = _Kind.SAID if row.stance is Stance.SUPPORTS else _Kind.DENIED
        at, _, minus_weight = told.get((kind, row.session), (row.said_at, kind, 0.0))
        told[kind, row.session] = min(at, row.said_at), kind, min(minus_weight, -row.weight)
    return [*told.values(), *confirmed]


def _is_decided(row: Evidence) -> bool:
    """Tell whether the person decided it, by hand or when they were asked."""
    return row.message_id is None or row.authority is Authority.CONFIRMED


def _is_confirmation(row: Evidence) -> bool:
    return row.message_id is None and row.stance is Stance.SUPPORTS and row.authority is Authority.CONFIRMED


def _is_after(row: Evidence, refutal: Evidence) -> bool:
    is_by_hand = row.message_id is None
    return row.said_at > refutal.said_at or (is_by_hand and (row.said_at, row.id) > (refutal.said_at, refutal.id))
