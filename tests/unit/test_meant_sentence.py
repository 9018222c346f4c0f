"""Which sentence of a quote a guess at an end is about: the fact's own, or one that it tells along."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from tests.beliefs import QUICK, SCOPE, a_fact, after, by_hand, day, ruled, said
from tests.each import each
from yesteryear.consolidate.belief.guesses import GuessPolicy
from yesteryear.consolidate.belief.settle import KnownFact, settle
from yesteryear.core.ended import words_that_hold
from yesteryear.core.fact import Fact, FactStatus, Form, Stance
from yesteryear.core.ruling import Act, PairVerdict, Ruling

BINS = "I carry out the bins on Tuesday evenings."
KNEE = "My knee hurts when I climb stairs."
BOTH = f'Ana said: "{BINS} {KNEE}"'
REST = f'Ana said: "… {KNEE}"'
NEWS = "The bins are collected on Fridays by now."


POLICY = GuessPolicy()
SURER = POLICY.usual**POLICY.each
"""By how many times the odds of a guess are higher where nothing else was compared."""


def quoted(name: str, words: str, told: float = 0, **more: object) -> Fact:
    """Return a fact that is told in words."""
    return a_fact(name, told, statement=f'Ana said: "{words}"', form=Form.QUOTE, **more)


def guessed(earlier: str, later: str = "news", over: float = 0.8, is_void: bool = False) -> Ruling:
    """Return a guess that the earlier is over; a later fact is compared with five mostly, so with one it is surer."""
    told = over / (SURER - (SURER - 1) * over)
    scores = {PairVerdict.UPDATES: told, PairVerdict.COEXISTS: 1 - told}
    return ruled(Act.NOTHING, earlier, later, scores=scores, is_void=is_void)


def talk(*more: Fact, own: str = KNEE, words: str = f"{BINS} {KNEE}", news: str = NEWS, **known: object) -> KnownFact:
    """Return a fact that tells something along, others of the same talk, what was said later, and a guess."""
    facts = (quoted("knee", words), *more, quoted("news", news, 5))
    rows = [said(each.id, 0, session="kitchen", quote=each.statement[11:-1]) for each in more]
    evidence = (said("knee", 0, session="kitchen", quote=own), *rows, said("news", 5, session="later", quote=news))
    return KnownFact(**{"facts": facts, "evidence": evidence, "rulings": (guessed("knee"),), **known})  # type: ignore[arg-type]


def told(known: KnownFact, name: str = "knee", on: float = 6) -> str:
    """Return a fact as it is told on a day, when all is settled."""
    facts = {fact.id: fact for fact in after(known, on).facts}
    return words_that_hold(facts[name], facts.get, now=day(on))


def status(known: KnownFact, name: str = "knee", on: float = 6) -> FactStatus:
    """Return how a fact stands on a day."""
    return {fact.id: fact for fact in after(known, on).facts}[name].status


def test_a_fact_outlives_what_it_told_along() -> None:
    """It is told without, "…" in its place."""
    assert status(talk()) is FactStatus.TENTATIVE
    assert told(talk()) == REST


def test_a_fact_ends_by_what_is_about_its_own_words() -> None:
    """And what cannot be told apart is about them."""
    assert status(talk(own=BINS)) is FactStatus.SUPERSEDED
    assert status(talk(news="All that is over.")) is FactStatus.SUPERSEDED


def test_a_doubt_leaves_out_what_was_told_along() -> None:
    """From the point on from which a fact is told as what may no longer hold."""
    known = replace(talk(), rulings=(guessed("knee", over=0.4),))
    assert told(known) == REST
    assert {fact.id: fact for fact in after(known, 6).facts}["knee"].properties["doubted_by"] == "news"
    assert told(replace(known, rulings=(guessed("knee", over=0.3),))) == BOTH


def test_a_doubt_leaves_what_a_fact_of_its_own_tells() -> None:
    """Which is doubted there, if it is."""
    known = talk(quoted("bins", BINS))
    assert told(replace(known, rulings=(guessed("knee", over=0.4),))) == BOTH
    assert told(known) == REST


@each(
    ("words", "own", "why"),
    [
        (f"{BINS} Since Monday.", "Since Monday.", "says too little alone"),
        (f"{BINS} It takes up half my evening walk.", "It takes up half my evening walk.", "points back"),
    ],
)
def test_what_is_not_understood_without_ends_with_it(words: str, own: str, why: str) -> None:
    """Nobody could tell what it means."""
    assert status(talk(words=words, own=own)) is FactStatus.SUPERSEDED, why


def test_what_hangs_on_a_sentence_goes_with_it() -> None:
    """It would be taken for something else."""
    assert told(talk(words=f"{BINS} It takes an hour. {KNEE}")) == REST


def test_what_ends_a_sentence_ends_the_fact_that_rests_on_it() -> None:
    """Though nobody compared the two; and every other that tells it along leaves it out."""
    bins, back = quoted("bins", BINS), quoted("back", f"{BINS} My back is stiff in winter.")
    known = talk(bins, back)
    own = replace(known.evidence[2], quote="My back is stiff in winter.")
    known = replace(known, evidence=(*known.evidence[:2], own, known.evidence[3]))
    assert status(known, "bins") is FactStatus.SUPERSEDED
    assert told(known, "back") == 'Ana said: "… My back is stiff in winter."'
    unsure = replace(known, rulings=(guessed("knee"), guessed("bins", over=0.1)))
    assert status(unsure, "bins") is FactStatus.SUPERSEDED


@pytest.mark.parametrize("row", [ruled(Act.NOTHING, "bins", "news", rule="both hold", by_person=True), None])
def test_what_was_decided_of_a_fact_stands(row: Ruling | None) -> None:
    """A person said that both hold, or undid that the one ended the other."""
    known = talk(quoted("bins", BINS))
    decided = row or guessed("bins", is_void=True)
    assert status(replace(known, rulings=(guessed("knee"), decided)), "bins") is FactStatus.TENTATIVE


def test_what_a_night_set_aside_of_a_fact_decides_nothing() -> None:
    """Told in another order the two would never have been judged."""
    known, aside = talk(quoted("bins", BINS)), replace(guessed("bins", over=0.1), set_aside_by="night")
    final = after(replace(known, rulings=(guessed("knee"), aside)), 6)
    assert {fact.id: fact for fact in final.facts}["bins"].status is FactStatus.SUPERSEDED
    assert aside in final.rulings
    undone = replace(final, rulings=tuple(replace(row, is_void="knee" in row.pair) for row in final.rulings))
    assert status(undone, "bins") is FactStatus.TENTATIVE


def test_a_fact_of_another_project_is_not_ended_by_what_is_over_in_one() -> None:
    """What is known of one place says nothing in another."""
    known = talk(quoted("bins", BINS, scope=replace(SCOPE, project="garden")))
    assert status(known, "bins") is FactStatus.TENTATIVE


def test_no_word_on_safety_is_left_out_by_a_guess() -> None:
    """Then the whole fact is what the guess is about, as ever."""
    nuts = "Ben is severely allergic to nuts."
    known = talk(words=f"{nuts} {KNEE}", news="Ben and nuts are friends by now.")
    assert nuts in told(known)


def test_what_was_refuted_ends_no_sentence() -> None:
    """It was never so."""
    known = replace(talk(), evidence=(*talk().evidence, by_hand("news", 6, Stance.CONTRADICTS)))
    assert told(known, on=7) == BOTH


def test_nothing_is_left_out_of_what_was_told_before_the_end() -> None:
    """Looked back at, it held."""
    facts = {fact.id: fact for fact in after(talk(), 6).facts}
    assert words_that_hold(facts["knee"], facts.get, now=day(4)) == BOTH


def test_the_order_of_what_is_known_does_not_matter() -> None:
    """Nor does deriving it twice change anything."""
    known = talk(quoted("bins", BINS), quoted("again", f"{BINS} {KNEE} So I rest a lot."))
    known = replace(known, rulings=(guessed("knee"), guessed("again", over=0.7), guessed("bins", over=0.2)))
    once = after(known, 6)
    for rulings in permutations(known.rulings):
        other = after(replace(known, rulings=rulings, facts=known.facts[::-1], evidence=known.evidence[::-1]), 6)
        assert {fact.id: fact for fact in other.facts} == {fact.id: fact for fact in once.facts}
        assert {row.pair: row for row in other.rulings} == {row.pair: row for row in once.rulings}
    settled = settle(once, QUICK, now=day(6))
    assert (settled.facts, settled.rulings) == ((), ())


def test_without_the_guess_all_is_as_it_was() -> None:
    """A ruling that is undone leaves no trace."""
    undone = replace(after(talk(quoted("bins", BINS)), 6), rulings=(guessed("knee", is_void=True),))
    assert told(undone) == BOTH
    assert status(undone, "bins") is FactStatus.TENTATIVE
