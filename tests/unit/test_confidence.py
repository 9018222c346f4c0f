"""How sure we are: what evidence amounts to, and what time leaves of it."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.beliefs import PACE, a_fact, by_hand, day, said
from tests.each import each
from yesteryear.core.attributes import Volatility
from yesteryear.core.fact import Authority, Evidence, Stance
from yesteryear.core.fading.confidence import (
    ConfidencePolicy,
    confidence,
    confidence_at,
    confidence_now,
    known_since,
    sinks_at,
)
from yesteryear.core.time import FOREVER

POLICY = PACE


def sure(*rows: Evidence) -> float:
    """Return how sure some evidence makes us."""
    return confidence(rows, POLICY).value


def test_a_fact_starts_as_sure_as_its_draft() -> None:
    """With the best draft of its first session."""
    assert sure(said("a", 0, 0.8)) == 0.8
    assert sure(said("a", 0, 0.72, session="s"), said("a", 0.1, 0.9, session="s")) == 0.9


def test_every_further_session_brings_a_twentieth_of_what_is_missing() -> None:
    """However often it was said in each."""
    twice = [said("a", on, session="s1") for on in (1, 1.1, 1.2)]
    assert sure(said("a", 0), *twice) == pytest.approx(0.81)
    assert sure(said("a", 0), *twice, said("a", 2)) == pytest.approx(0.8195)
    assert confidence([said("a", 0), *twice], POLICY).sessions == 2


def test_what_nobody_told_plainly_stays_at_a_half() -> None:
    """Until somebody does; then it is as sure as that."""
    weak = [said("a", on, 0.69) for on in range(10)]
    assert sure(*weak) == 0.5
    assert sure(said("a", 0, 0.3)) == 0.3
    assert sure(said("a", 0, 0.3), said("a", 5, 0.9)) == 0.9
    assert sure(said("a", 0, 0.9), said("a", 5, 0.3)) == pytest.approx(0.905)


def test_the_persons_yes_makes_nearly_certain() -> None:
    """It lifts what was unsure, and is no session of talk."""
    belief = confidence([said("a", 0, 0.3), by_hand("a", 5)], POLICY)
    assert (belief.value, belief.sessions, belief.by_hand_at) == (0.95, 1, day(5))
    assert belief.authority is Authority.SAID


def test_the_persons_no_counts_until_it_is_said_anew() -> None:
    """What was said before does not come back with it."""
    told = [said("a", on) for on in range(5)]
    refuted = confidence([*told, by_hand("a", 5, Stance.CONTRADICTS)], POLICY)
    assert (refuted.value, refuted.sessions, refuted.refuted_at) == (0.0, 0, day(5))
    anew = confidence([*told, by_hand("a", 5, Stance.CONTRADICTS), said("a", 6)], POLICY)
    assert (anew.value, anew.sessions, anew.refuted_at, anew.first) == (0.8, 1, None, day(6))


def test_yes_and_no_at_one_instant_count_in_the_order_they_were_given() -> None:
    """Ids of what was done by hand rise."""
    no = replace(by_hand("a", 5, Stance.CONTRADICTS), id="hand:2")
    assert confidence([said("a", 5), replace(by_hand("a", 5), id="hand:1"), no], POLICY).value == 0
    assert confidence([said("a", 5), replace(by_hand("a", 5), id="hand:3"), no], POLICY).value == 0.95


def test_a_denial_in_talk_halves() -> None:
    """Once a session; saying it again makes it good."""
    denials = [said("a", on, stance=Stance.CONTRADICTS, session="s2", id=f"no{on}") for on in (2, 2.1)]
    assert sure(said("a", 0), *denials) == 0.4
    assert sure(said("a", 0), *denials, said("a", 3)) == 0.8


def test_echoes_and_nothing_at_all_amount_to_nothing() -> None:
    """There is no belief without evidence."""
    assert sure() == 0
    assert sure(said("a", 0, stance=Stance.ECHO)) == 0


@each(
    ("volatility", "days", "least", "most"),
    [
        (Volatility.STATIC, 3650, 0.8, 0.8),
        (Volatility.SLOW, 365, 0.5, 0.6),
        (Volatility.NORMAL, 60, 0.4, 0.5),
        (Volatility.NORMAL, 120, 0.0, 0.3),
        (Volatility.VOLATILE, 1, 0.7, 0.8),
        (Volatility.VOLATILE, 18, 0.0, 0.3),
    ],
)
def test_facts_told_once_fade_by_how_soon_they_change(
    volatility: Volatility, days: float, least: float, most: float
) -> None:
    """A name never, a job in years, a plan in months, a mood in days."""
    assert least <= confidence_at(0.8, day(0), volatility, POLICY, now=day(days)) <= most


def test_document_bs_rate_is_that_of_plans_and_routines() -> None:
    """A tenth in ten days, counted once."""
    assert confidence_at(1, day(0), Volatility.NORMAL, POLICY, now=day(10)) == pytest.approx(math.exp(-0.1))
    assert confidence_at(1, day(0), Volatility.NORMAL, POLICY, now=day(-10)) == 1


@each("volatility", list(Volatility))
def test_it_is_foretold_when_a_fact_sinks(volatility: Volatility) -> None:
    """To the second; what never changes never does."""
    sinks = sinks_at(0.8, day(0), volatility, POLICY)
    if volatility is Volatility.STATIC:
        assert sinks == FOREVER
        return
    around = [confidence_at(0.8, day(0), volatility, POLICY, now=sinks + timedelta(seconds=by)) for by in (-1, 1)]
    assert around[0] > POLICY.deprecate_below > around[1]


def test_what_is_too_unsure_from_the_start_sinks_at_once() -> None:
    """And with no floor or no decay nothing ever does."""
    assert sinks_at(0.2, day(3), Volatility.STATIC, POLICY) == day(3)
    assert sinks_at(0.8, day(3), Volatility.NORMAL, ConfidencePolicy(decay_per_day=0)) == FOREVER
    assert sinks_at(0.8, day(3), Volatility.SLOW, ConfidencePolicy(deprecate_below=0, decay_per_day=1e-9)) == FOREVER


def test_a_history_brought_in_today_counts_from_today() -> None:
    """Or it would sink on its first night."""
    old = a_fact("a", confidence=0.8, last_confirmed=day(0))
    imported = replace(old, recorded_at=day(1000))
    assert known_since(imported) == day(1000)
    assert confidence_now(imported, POLICY, now=day(1000)) == 0.8
    assert confidence_now(old, POLICY, now=day(1000)) < 0.01
