"""What is believed: merging, change, contradiction, the person's hand, fading, and what rests on what."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.beliefs import (
    NEW_YEAR,
    PACE,
    QUICK,
    SCOPE,
    a_fact,
    after,
    believed,
    by_hand,
    day,
    living_in,
    rests,
    ruled,
    said,
)
from tests.each import each
from yesteryear.consolidate.belief.caution import TOLD_CHANGE
from yesteryear.consolidate.belief.settle import BeliefPolicy, KnownFact, settle
from yesteryear.core.attributes import FactKind, Volatility
from yesteryear.core.fact import DOUBTED_BY, Authority, Evidence, Fact, FactStatus, Modality, Stance
from yesteryear.core.relation import Basis, Edge, Relation
from yesteryear.core.ruling import Act, ConflictState, PairVerdict, Ruling

TENTATIVE, STABLE, REVIEW = FactStatus.TENTATIVE, FactStatus.STABLE, FactStatus.NEEDS_REVIEW
DEPRECATED, MERGED, SUPERSEDED = FactStatus.DEPRECATED, FactStatus.MERGED, FactStatus.SUPERSEDED
REFINES = PairVerdict.REFINES


def known(
    told: dict[str, list[float]], *rulings: Ruling, facts: dict[str, Fact] | None = None, **more: object
) -> KnownFact:
    """Return facts that were told on some days, and what was judged."""
    own = facts or {}
    return KnownFact(
        facts=tuple(own.get(name, a_fact(name, min(days, default=0))) for name, days in told.items()),
        evidence=tuple(said(name, on) for name, days in told.items() for on in days),
        rulings=rulings,
        **more,  # type: ignore[arg-type]
    )


def moved(told: dict[str, list[float]], *rulings: Ruling) -> KnownFact:
    """Return places where Ana said on some days that she lives, each a change of the one before unless told."""
    names = list(told)
    changes = rulings or tuple(ruled(Act.SUPERSEDE, *pair) for pair in pairwise(names))
    return known(told, *changes, facts={name: living_in(name, min(days)) for name, days in told.items()})


def span(fact: Fact) -> tuple[float, float | None]:
    """Return the days on which a fact holds."""
    begins, ends = fact.valid_from or fact.first_observed, fact.valid_to
    return (begins - NEW_YEAR).days, None if ends is None else (ends - NEW_YEAR).days


def states(now_believed: dict[str, Fact]) -> list[FactStatus]:
    """Return the statuses of facts, in the order they were given."""
    return [fact.status for fact in now_believed.values()]


def test_a_second_session_makes_a_fact_stable() -> None:
    """Or the person's yes, or a pin; a repetition in one session does not."""
    told = known({"once": [0], "twice": [0, 1], "pinned": [0], "confirmed": [0]})
    facts = tuple(replace(fact, pinned=fact.id == "pinned") for fact in told.facts)
    again = said("once", 0.1, session="day 0")
    told = replace(told, facts=facts, evidence=(*told.evidence, again, by_hand("confirmed", 1)))
    assert states(believed(told, 1)) == [TENTATIVE, STABLE, STABLE, STABLE]


def test_weak_hints_never_make_a_fact_stable() -> None:
    """Ten sessions of them."""
    hints = KnownFact((a_fact("tea"),), tuple(said("tea", on, 0.6) for on in range(10)))
    assert states(believed(hints, 10)) == [TENTATIVE]


def test_facts_that_say_the_same_share_their_evidence() -> None:
    """In one session they count once."""
    facts = believed(known({"likes tea": [0, 1], "is fond of tea": [1, 2]}, _same("likes tea", "is fond of tea")), 2)
    assert facts["likes tea"].status is MERGED
    assert facts["likes tea"].canonical_id == "is fond of tea"
    assert (facts["is fond of tea"].sessions, facts["is fond of tea"].confidence) == (3, 0.8195)


@pytest.mark.parametrize(("again", "status"), [(2, MERGED), (9, FactStatus.TENTATIVE)])
def test_what_is_to_be_done_anew_is_not_what_had_its_time(again: float, status: FactStatus) -> None:
    """Told once more while it is due it is the same task; a week later another one, that is open."""
    kinds = {"kind": FactKind.GOAL, "attribute": "task"}
    due = a_fact("needs to call the bank by Sunday", 0, valid_to=day(3), **kinds)
    anew = a_fact("needs to call the bank", again, **kinds)
    told = {due.id: [0.0], anew.id: [again]}
    row = ruled(Act.FOLD, due.id, anew.id, keeps_later=False)
    facts = believed(known(told, row, facts={due.id: due, anew.id: anew}), again)
    assert facts[anew.id].status is status
    trip = {fact.id: replace(fact, kind=FactKind.EVENT) for fact in (due, anew)}
    assert believed(known(told, row, facts=trip), again)[anew.id].status is MERGED


def test_the_more_specific_stands_for_the_less_specific() -> None:
    """Whichever was told first."""
    one = ruled(Act.FOLD, "has a dog", "has a dog named Rex", verdict=REFINES)
    other = ruled(Act.FOLD, "has a dog named Rex", "has a dog", verdict=REFINES, keeps_later=False)
    for row in (one, other):
        facts = believed(known({"has a dog": [0], "has a dog named Rex": [1]}, row), 1)
        assert facts["has a dog"].canonical_id == "has a dog named Rex"


def test_a_fact_that_two_others_refine_stands_behind_one_of_them_only() -> None:
    """Neither says what the other does, so both stay."""
    told = {"has a dog": [0], "has a dog named Rex": [1], "has an old dog": [2]}
    rows = [
        ruled(Act.FOLD, "has a dog", "has an old dog", verdict=REFINES, scores={REFINES: 0.8}),
        ruled(Act.FOLD, "has a dog", "has a dog named Rex", verdict=REFINES, scores={REFINES: 0.9}),
    ]
    facts = believed(known(told, *rows), 2)
    assert facts["has a dog"].canonical_id == "has a dog named Rex"
    assert facts["has an old dog"].is_live


def test_merges_lead_straight_to_the_one_that_says_the_most() -> None:
    """Through any number of steps; a circle of rulings breaks at the least sure."""
    chain = [ruled(Act.FOLD, *pair, verdict=REFINES, scores={REFINES: 0.9}) for pair in ("ab", "bc", "cd")]
    circle = ruled(Act.FOLD, "d", "a", verdict=REFINES, scores={REFINES: 0.8})
    alike = {name: a_fact(name, statement=f"Ana runs by the river {name}") for name in "abcd"}
    facts = believed(known({name: [0] for name in "abcd"}, *chain, circle, facts=alike), 0)
    assert [fact.canonical_id for fact in facts.values()] == ["d", "d", "d", None]


@each("act", [Act.SUPERSEDE, Act.ASK])
def test_facts_in_conflict_are_not_merged_by_way_of_a_third(act: Act) -> None:
    """Contradictions come before merges."""
    rows = [_same("a", "b"), _same("b", "c"), ruled(act, "a", "c")]
    facts = believed(known({"a": [0], "b": [1], "c": [2]}, *rows), 2)
    assert (facts["a"].canonical_id or "a") != (facts["c"].canonical_id or "c")


def test_a_pinned_fact_is_never_merged_away() -> None:
    """Its equal stands behind it; what says more stays beside it."""
    pinned = {"a": a_fact("a", pinned=True)}
    facts = believed(known({"a": [0], "b": [1]}, _same("a", "b"), facts=pinned), 1)
    assert (facts["a"].status, facts["b"].canonical_id) == (STABLE, "a")
    refined = ruled(Act.FOLD, "a", "b", verdict=REFINES)
    assert MERGED not in states(believed(known({"a": [0], "b": [1]}, refined, facts=pinned), 1))


def test_what_all_see_never_stands_behind_what_one_project_sees() -> None:
    """Other projects would lose it."""
    projects = {"b": a_fact("b", 1, scope=replace(SCOPE, project="thesis"))}
    told = {"a": [0.0], "b": [1.0]}
    assert believed(known(told, _same("a", "b"), facts=projects), 1)["b"].canonical_id == "a"
    refined = ruled(Act.FOLD, "a", "b", verdict=REFINES)
    assert MERGED not in states(believed(known(told, refined, facts=projects), 1))


def test_an_inference_never_stands_for_the_persons_word() -> None:
    """Though it says more."""
    told = known({"a": [0], "b": [1]}, ruled(Act.FOLD, "a", "b", verdict=REFINES))
    inferred = tuple(replace(row, authority=Authority.INFERRED) if row.fact_id == "b" else row for row in told.evidence)
    assert MERGED not in states(believed(replace(told, evidence=inferred), 1))


def test_refuting_one_wording_refutes_the_others_but_not_what_says_less() -> None:
    """She has a dog, even if it is not called Rex."""
    rows = [_same("Rex", "called Rex"), ruled(Act.FOLD, "dog", "called Rex", verdict=REFINES)]
    told = known({"dog": [0], "Rex": [1], "called Rex": [2]}, *rows)
    facts = believed(replace(told, evidence=(*told.evidence, by_hand("called Rex", 3, Stance.CONTRADICTS))), 3)
    assert states(facts) == [TENTATIVE, MERGED, DEPRECATED]
    assert (facts["called Rex"].retracted_at, facts["called Rex"].confidence) == (day(3), 0)


def test_a_change_ends_what_was_before_when_it_was_told() -> None:
    """The old one keeps its history, and its confidence as of then."""
    facts = believed(moved({"Porto": [0], "Lisbon": [10]}), 10)
    assert (facts["Porto"].status, facts["Porto"].superseded_by) == (SUPERSEDED, "Lisbon")
    assert (span(facts["Porto"]), span(facts["Lisbon"])) == ((0, 10), (10, None))
    assert facts["Porto"].confidence == 0.8


def test_a_change_holds_from_when_it_was_said_to() -> None:
    """Not from the day on which it was told."""
    told = moved({"Porto": [0], "Lisbon": [10]})
    since = tuple(replace(fact, valid_from=day(7)) if fact.id == "Lisbon" else fact for fact in told.facts)
    facts = believed(replace(told, facts=since), 10)
    assert (span(facts["Porto"]), span(facts["Lisbon"])) == ((0, 7), (7, None))


def test_a_change_that_is_to_come_ends_nothing_yet() -> None:
    """Until then the old value holds, and after that it is superseded."""
    told = moved({"Porto": [0], "Lisbon": [10]})
    since = tuple(replace(fact, valid_from=day(30)) if fact.id == "Lisbon" else fact for fact in told.facts)
    before, then = (believed(replace(told, facts=since), on) for on in (20, 31))
    assert (before["Porto"].is_live, span(before["Porto"])) == (True, (0, 30))
    assert not before["Lisbon"].holds_at(day(20))
    assert then["Porto"].status is SUPERSEDED


def test_a_chain_of_changes_leaves_the_last() -> None:
    """Each holds until the next."""
    facts = believed(moved({"Porto": [0], "Lisbon": [10], "Faro": [20]}), 20)
    assert [span(fact) for fact in facts.values()] == [(0, 10), (10, 20), (20, None)]
    assert [fact.superseded_by for fact in facts.values()] == ["Lisbon", "Faro", None]


def test_whoever_returns_lives_there_again() -> None:
    """From then on, and nowhere else: not in Faro either, though only Lisbon was judged against it."""
    facts = believed(moved({"Porto": [0, 30], "Lisbon": [10], "Faro": [20]}), 30)
    assert [fact.is_live for fact in facts.values()] == [True, False, False]
    assert [span(fact) for fact in facts.values()] == [(30, None), (10, 20), (20, 30)]


@pytest.mark.heavy
def test_long_chains_end_in_one_fact() -> None:
    """Thousands of changes of one slot, or of wordings of one fact, as an import may bring."""
    days = {f"place {number}": [float(number)] for number in range(2000)}
    wordings = [_same(*pair) for pair in pairwise(days)]
    for life in (moved(days), known(days, *wordings)):
        assert [fact.id for fact in believed(life, 2000, BeliefPolicy(PACE, max_facts=0)).values() if fact.is_live] == [
            "place 1999"
        ]


def test_told_times_come_back_when_a_change_is_undone() -> None:
    """And the properties that kept them go."""
    told = moved({"Porto": [0, 30], "Lisbon": [10]})
    facts = tuple(replace(fact, valid_from=day(-5), valid_to=day(100)) for fact in told.facts)
    told = replace(told, facts=facts)
    changed = after(told, 30)
    assert {span(fact) for fact in changed.facts} == {(30, 100), (-5, 30)}
    undone = replace(changed, rulings=tuple(replace(row, is_void=True) for row in changed.rulings))
    assert [(span(fact), fact.properties) for fact in after(undone, 30).facts] == [((-5, 100), {})] * 2


def test_an_inference_never_ends_what_was_said() -> None:
    """It becomes a question."""
    told = moved({"Porto": [0], "Lisbon": [10]})
    told = _with_authority(told, "Lisbon", Authority.INFERRED)
    final = after(told, 10)
    assert [fact.is_live for fact in final.facts] == [True, True]
    assert final.rulings[0].conflict is ConflictState.OPEN


def test_what_once_was_never_ends_what_is() -> None:
    """Nor does a change end what is pinned: both are asked about."""
    told = moved({"Porto": [0], "Lisbon": [10]})
    memory = tuple(replace(fact, modality=Modality.PAST) if fact.id == "Lisbon" else fact for fact in told.facts)
    pinned = tuple(replace(fact, pinned=fact.id == "Porto") for fact in told.facts)
    for facts in (memory, pinned):
        final = after(replace(told, facts=facts), 10)
        assert [fact.is_live for fact in final.facts] == [True, True]
        assert final.rulings[0].conflict is ConflictState.OPEN


def test_what_is_told_of_the_past_ends_what_a_reader_takes_it_to_end() -> None:
    """The reader knows "I've given up Italian" from "I used to live in Lisbon", which ends nothing."""
    told = known({"learns Italian": [0], "gave up Italian": [10]})
    facts = tuple(replace(fact, modality=Modality.PAST) if "gave" in fact.id else fact for fact in told.facts)
    guess = ruled(Act.SUPERSEDE, "learns Italian", "gave up Italian", scores={PairVerdict.UPDATES: 0.9})
    final = after(replace(told, facts=facts, rulings=(guess,)), 10)
    assert [fact.is_live for fact in final.facts] == [False, True]


def test_the_persons_hand_ends_even_what_is_pinned() -> None:
    """It is their pin."""
    told = moved({"Porto": [0], "Lisbon": [10]})
    pinned = tuple(replace(fact, pinned=fact.id == "Porto") for fact in told.facts)
    told = replace(told, facts=pinned, evidence=(*told.evidence, by_hand("Lisbon", 11)))
    assert believed(told, 11)["Porto"].status is SUPERSEDED


def test_what_was_refuted_ends_nothing() -> None:
    """And what it had ended holds again."""
    told = moved({"Porto": [0], "Lisbon": [10]})
    told = after(told, 10)
    told = replace(told, evidence=(*told.evidence, by_hand("Lisbon", 11, Stance.CONTRADICTS)))
    facts = believed(told, 11)
    assert (facts["Porto"].status, facts["Porto"].valid_to) == (TENTATIVE, None)
    assert facts["Lisbon"].status is DEPRECATED


def test_a_contradiction_is_a_question_and_halves_both_once() -> None:
    """Both stay, however many there are; the question leaves neither in passive use."""
    rows = [ruled(Act.ASK, "a", "b"), ruled(Act.ASK, "a", "c")]
    final = after(known({"a": [0, 1], "b": [2], "c": [3]}, *rows), 3)
    assert [fact.confidence for fact in final.facts] == [0.405, 0.4, 0.4]
    assert {fact.status for fact in final.facts} == {TENTATIVE}
    assert {row.conflict for row in final.rulings} == {ConflictState.OPEN}


def test_a_question_alone_deprecates_nothing() -> None:
    """What was only hinted at is halved below the line, and waits for the answer."""
    hinted = KnownFact((a_fact("a"), a_fact("b")), (said("a", 0, 0.5), said("b", 0, 0.5)), (ruled(Act.ASK, "a", "b"),))
    final = after(hinted, 1)
    assert [(fact.confidence, fact.is_live) for fact in final.facts] == [(0.25, True)] * 2


@each(
    ("answer", "how", "expected"),
    [
        (said("a", 5), "told again", [STABLE, SUPERSEDED]),
        (said("b", 5), "told again", [SUPERSEDED, STABLE]),
        (by_hand("a", 5), "confirmed", [STABLE, SUPERSEDED]),
        (by_hand("a", 5, Stance.CONTRADICTS), "refuted", [DEPRECATED, TENTATIVE]),
    ],
)
def test_a_question_is_settled_by_the_next_word_or_by_hand(
    answer: Evidence, how: str, expected: list[FactStatus]
) -> None:
    """On either side."""
    told = after(known({"a": [0], "b": [1]}, ruled(Act.ASK, "a", "b")), 2)
    told = after(replace(told, evidence=(*told.evidence, answer)), 5)
    assert [fact.status for fact in told.facts] == expected
    (row,) = told.rulings
    assert (row.conflict, row.settled_by, row.settled_at) == (ConflictState.RESOLVED, how, day(5))


def test_a_doubt_ends_nothing_and_goes_with_the_next_word() -> None:
    """What was told later is named on what may no longer hold, which stays as sure as it was."""
    doubt = ruled(Act.DOUBT, "runs", "rests", verdict=PairVerdict.UPDATES, scores={PairVerdict.UPDATES: 0.12})
    alone, doubted = (believed(known({"runs": [0], "rests": [5]}, *rows), 6)["runs"] for rows in ((), (doubt,)))
    assert doubted == replace(alone, properties={DOUBTED_BY: "rests"})
    assert DOUBTED_BY not in believed(known({"runs": [0, 9], "rests": [5]}, doubt), 9)["runs"].properties


@pytest.mark.parametrize(("others", "act"), [(0, Act.SUPERSEDE), (1, Act.DOUBT), (9, Act.NOTHING)])
def test_a_guess_at_an_end_is_surer_the_less_else_it_may_have_meant(others: int, act: Act) -> None:
    """What ends anything mostly ends one thing; the ruling keeps what it was sure enough for."""
    names = ["runs", *(f"likes {number}" for number in range(others))]
    guesses = [
        ruled(Act.NOTHING, name, "rests", verdict=PairVerdict.UNRELATED, scores={PairVerdict.UPDATES: 0.2})
        for name in names
    ]
    final = after(known({name: [0.0] for name in names} | {"rests": [5.0]}, *guesses), 6)
    assert {row.act for row in final.rulings} == {act}
    assert final.facts[0].is_live == (act is not Act.SUPERSEDE)
    assert after(final, 6) == final


def test_what_hardly_ever_changes_is_ended_by_no_boosted_guess() -> None:
    """However little else was known: that Nina lives in Porto now does not end that she is a sister."""
    guess = ruled(Act.NOTHING, "sister", "lives", verdict=PairVerdict.UNRELATED, scores={PairVerdict.UPDATES: 0.34})
    told: dict[str, list[float]] = {"sister": [0.0], "lives": [5.0]}
    for attribute, is_live in (("sibling", True), ("home", False)):
        facts = {"sister": a_fact("sister", attribute=attribute)}
        assert believed(known(told, guess, facts=facts), 6)["sister"].is_live is is_live


@pytest.mark.parametrize(("times", "act"), [([5.0], Act.DOUBT), ([5.0, 5.0], Act.DOUBT), ([5.0, 9.0], Act.SUPERSEDE)])
def test_what_several_messages_hint_at_is_likelier_over(times: list[float], act: Act) -> None:
    """A fact holds as long as none of them has ended it; what was said at one time counts once."""
    later = {f"rests {number}": [at] for number, at in enumerate(times)}
    guesses = [
        ruled(Act.NOTHING, "runs", name, verdict=PairVerdict.UNRELATED, scores={PairVerdict.UPDATES: 0.1})
        for name in later
    ]
    final = after(known({"runs": [0.0]} | later, *guesses), 10)
    assert act in {row.act for row in final.rulings}
    assert final.facts[0].is_live == (act is not Act.SUPERSEDE)
    assert after(final, 10) == final


@pytest.mark.parametrize(("on", "act"), [(9, Act.NOTHING), (1, Act.SUPERSEDE)])
def test_what_is_yet_to_come_is_not_done(on: float, act: Act) -> None:
    """It may be off or moved; it is done once it has been."""
    exam = a_fact("exam", kind=FactKind.EVENT, modality=Modality.PLANNED, valid_from=day(on), valid_to=day(on + 1))
    scores = {PairVerdict.COMPLETES: 0.6, PairVerdict.UPDATES: 0.05, PairVerdict.COEXISTS: 0.35}
    guess = ruled(Act.NOTHING, "exam", "news", verdict=PairVerdict.COEXISTS, scores=scores)
    final = after(known({"exam": [0], "news": [5]}, guess, facts={"exam": exam, "news": a_fact("news", 5)}), 6)
    assert [(row.act, row.judgement.scores) for row in final.rulings] == [(act, scores)]


def test_noise_ends_nothing_however_much_is_compared() -> None:
    """What is unlikely by itself is no hint."""
    later = {f"sits {number}": [float(number + 1)] for number in range(40)}
    noise = [ruled(Act.NOTHING, "runs", name, scores={PairVerdict.UPDATES: 0.02}) for name in later]
    assert believed(known({"runs": [0.0]} | later, *noise), 45)["runs"].is_live


def test_a_word_that_may_not_end_it_by_itself_adds_nothing() -> None:
    """Such as what was but inferred."""
    later = {"rests": [5.0], "sits": [9.0]}
    inferred = {name: a_fact(name, days[0], authority=Authority.INFERRED) for name, days in later.items()}
    hints = [ruled(Act.NOTHING, "runs", name, scores={PairVerdict.UPDATES: 0.1}) for name in later]
    for name in later:
        told = known({"runs": [0.0]} | later, *hints, facts={name: inferred[name]})
        assert believed(told, 10)["runs"].is_live


def test_a_hint_counts_until_the_fact_is_told_again() -> None:
    """And then no more with the next."""
    hints = [
        ruled(Act.NOTHING, "runs", name, verdict=PairVerdict.UNRELATED, scores={PairVerdict.UPDATES: 0.1})
        for name in ("rests", "sits")
    ]
    told = known({"runs": [0.0, 7.0], "rests": [5.0], "sits": [9.0]}, *hints)
    assert believed(told, 10)["runs"].is_live


def test_what_no_day_ends_is_not_doubted_by_a_guess() -> None:
    """An allergy holds on until somebody says that it does not."""
    told = {"is allergic to nuts": [0.0], "ate nuts": [5.0]}
    doubt = ruled(Act.DOUBT, *told, verdict=PairVerdict.UPDATES, scores={PairVerdict.UPDATES: 0.2})
    assert DOUBTED_BY not in believed(known(told, doubt), 6)["is allergic to nuts"].properties


def test_authority_settles_a_contradiction() -> None:
    """Whichever came last."""
    told = known({"a": [0], "b": [1]}, ruled(Act.ASK, "a", "b"))
    final = after(_with_authority(told, "b", Authority.OBSERVED), 1)
    assert [fact.status for fact in final.facts] == [TENTATIVE, SUPERSEDED]
    assert final.rulings[0].settled_by == "authority"
    assert [fact.holds_at(day(1)) for fact in final.facts] == [True, False]


def test_a_question_about_something_that_faded_is_gone() -> None:
    """And so is one about what was forgotten, or on a ruling that was undone; the other side is whole again."""
    told = after(known({"a": [0], "b": [300]}, ruled(Act.ASK, "a", "b")), 1)
    faded = after(told, 301)
    forgotten = after(replace(told, facts=(told.facts[0].blank(), told.facts[1])), 1)
    undone = after(replace(told, rulings=tuple(replace(row, is_void=True) for row in told.rulings)), 1)
    assert [final.rulings[0].settled_by for final in (faded, forgotten, undone)] == ["gone", "gone", "undone"]
    assert [final.facts[1].confidence for final in (faded, forgotten, undone)] == [0.8, 0.8, 0.8]


def test_how_somebody_wants_to_be_spoken_to_is_ended_by_another_such_wish_alone() -> None:
    """Who eats fish now may still want no deep questions before ten."""
    guess = ruled(Act.SUPERSEDE, "wish", "news", verdict=PairVerdict.UPDATES, scores={PairVerdict.UPDATES: 0.9})
    for attribute, is_live in (("diet", True), ("reply_style", False)):
        facts = {"wish": a_fact("wish", 0, attribute="reply_style"), "news": a_fact("news", 5, attribute=attribute)}
        assert believed(known({"wish": [0.0], "news": [5.0]}, guess, facts=facts), 6)["wish"].is_live is is_live


@each("verdict", [PairVerdict.UPDATES, PairVerdict.REFINES, PairVerdict.CONTRADICTS])
@each("act", list(Act))
def test_a_blocker_is_resolved_by_what_says_that_it_is_gone(verdict: PairVerdict, act: Act) -> None:
    """Neither takes the other's place, and nothing is asked; if it is told again it is open again."""
    facts = {
        "waits for a key": a_fact("waits for a key", kind=FactKind.BLOCKER),
        "got the key": a_fact("got the key", 5, kind=FactKind.EVENT, properties={"settles": "yes"}),
    }
    row = ruled(act, *facts, verdict=verdict)
    final = after(known({"waits for a key": [0], "got the key": [5]}, row, facts=facts), 6)
    assert [fact.is_live for fact in final.facts] == [True, True]
    assert (final.facts[0].resolved_at, final.facts[1].resolved_at) == (day(5), None)
    assert final.rulings == (row,)
    again = replace(final, evidence=(*final.evidence, said("waits for a key", 7)))
    assert after(again, 7).facts[0].resolved_at is None


def test_what_the_person_resolved_by_hand_stays_resolved() -> None:
    """There is no ruling that it rests on."""
    done = a_fact("goal", kind=FactKind.GOAL, resolved_at=day(3), properties={"resolved_by": "person"})
    assert believed(known({"goal": [0, 5]}, facts={"goal": done}), 9)["goal"].resolved_at == day(3)
    without = replace(done, properties={})
    assert believed(known({"goal": [0, 5]}, facts={"goal": without}), 9)["goal"].resolved_at is None


def test_what_rests_on_something_that_ended_needs_review() -> None:
    """And what rests on that; in a circle too. What was said since then stands by itself."""
    told = moved({"Porto": [0], "Lisbon": [10]})
    more = {"runs in Porto": [1], "trains there": [2], "loves the river": [1, 11]}
    facts = (*told.facts, *(a_fact(name, min(days)) for name, days in more.items()))
    evidence = (*told.evidence, *(said(name, on) for name, days in more.items() for on in days))
    edges = [
        *(rests("runs in Porto", "Porto"), rests("trains there", "runs in Porto")),
        *(rests("runs in Porto", "trains there"), rests("loves the river", "Porto")),
    ]
    final = after(replace(told, facts=facts, evidence=evidence, edges=tuple(edges)), 12)
    shown = {fact.id: fact for fact in final.facts}
    assert [shown[name].status for name in more] == [REVIEW, REVIEW, STABLE]
    assert shown["runs in Porto"].properties == {"review": "residence changed in January 2026", "review_of": "Porto"}
    assert shown["trains there"].properties["review"] == "residence changed in January 2026"
    back = replace(final, evidence=(*final.evidence, said("Porto", 20)))
    assert {fact.id: fact.status for fact in after(back, 20).facts}["trains there"] is TENTATIVE


def test_a_circle_in_which_nothing_ended_raises_no_doubt() -> None:
    """Nor does a fact that rests on itself."""
    circle = (rests("a", "b"), rests("b", "a"), rests("a", "a"))
    assert states(believed(known({"a": [0], "b": [0]}, edges=circle), 1)) == [TENTATIVE, TENTATIVE]


def test_what_is_too_unsure_is_deprecated_and_comes_back_when_it_is_told_again() -> None:
    """From the day it sank, whenever somebody looked."""
    told = known({"plans": [0]})
    (early,), (late,) = (after(told, on).facts for on in (100, 200))
    assert (early.status, late.status) == (DEPRECATED, DEPRECATED)
    assert early == late
    assert late.retracted_at is not None
    assert day(98) < late.retracted_at < day(99)
    assert late.properties == {"why": "faded"}
    (again,) = after(replace(after(told, 200), evidence=(*told.evidence, said("plans", 201))), 201).facts
    assert (again.status, again.retracted_at, again.properties) == (STABLE, None, {})


def test_nothing_fades_between_nights() -> None:
    """What fades is told by the last night."""
    told = known({"plans": [0]})
    assert settle(after(told, 1), QUICK, now=day(200), night=day(1)).facts == ()
    assert len(settle(after(told, 1), QUICK, now=day(200), night=day(200)).facts) == 1


def test_too_many_facts_give_way_by_how_unsure_they_are() -> None:
    """What is pinned, confirmed or well evidenced stays though there is no room, and room brings the others back."""
    told = known({"weak": [0], "fair": [0, 1], "pinned": [0], "evidenced": [0, 1, 2], "confirmed": [0]})
    facts = tuple(replace(fact, pinned=fact.id == "pinned") for fact in told.facts)
    told = replace(told, facts=facts, evidence=(*told.evidence, by_hand("confirmed", 1)))
    little = after(told, 2, BeliefPolicy(PACE, max_facts=4))
    assert [fact.status for fact in little.facts] == [DEPRECATED, STABLE, STABLE, STABLE, STABLE]
    assert (little.facts[0].properties, little.facts[0].retracted_at) == ({"why": "limit"}, day(2))
    assert after(little, 9, BeliefPolicy(PACE, max_facts=4)) == little
    none = after(little, 9, BeliefPolicy(PACE, max_facts=1))
    assert [fact.is_live for fact in none.facts] == [False, False, True, True, True]
    assert all(fact.is_live for fact in after(none, 9, BeliefPolicy(PACE, max_facts=0)).facts)


def test_facts_without_evidence_and_forgotten_ones_are_not_believed() -> None:
    """Evidence may have been erased."""
    bare, forgotten = a_fact("bare"), a_fact("gone").blank()
    final = after(KnownFact((bare, forgotten), (said("gone", 0),), (_same("bare", "gone"),)), 1)
    assert [fact.status for fact in final.facts] == [DEPRECATED, FactStatus.FORGOTTEN]
    assert final.facts[1] == forgotten


def test_changes_are_told_in_one_word() -> None:
    """With the other fact where there is one."""
    facts = {"moody": a_fact("moody", volatility=Volatility.VOLATILE)}
    told = known({"a": [0, 1], "b": [1], "c": [0], "d": [1], "moody": [0]}, facts=facts)
    before = after(told, 1)
    rows = (_same("a", "b"), ruled(Act.SUPERSEDE, "c", "d"))
    settled = settle(replace(before, rulings=rows), QUICK, now=day(20))
    assert [(change.fact_id, change.what, change.other_id) for change in settled.changes] == [
        *(("a", "merged", "b"), ("b", "stable", None), ("c", "superseded", "d")),
        ("moody", "deprecated", None),
    ]
    back = settle(replace(after(replace(before, rulings=rows), 20), rulings=()), QUICK, now=day(20))
    assert [(change.fact_id, change.what) for change in back.changes] == [
        *(("a", "restored"), ("b", "confidence"), ("c", "restored")),
    ]


def _same(one: str, other: str) -> Ruling:
    return ruled(Act.FOLD, one, other, verdict=PairVerdict.DUPLICATE)


def _with_authority(told: KnownFact, name: str, authority: Authority) -> KnownFact:
    rows = (replace(row, authority=authority) if row.fact_id == name else row for row in told.evidence)
    return replace(told, evidence=tuple(rows))


def bears(
    source: str, target: str, *words: str, relation: Relation = Relation.BLOCKS, quote: str = "so I can't"
) -> Edge:
    """Return that one fact was told to bear on another."""
    told = Edge(SCOPE, source, target, relation, NEW_YEAR, basis=Basis.TOLD, quote=quote)
    return replace(told, source_words=words[0], target_words=words[1]) if words else told


def test_what_stands_in_the_way_of_something_does_not_end_it() -> None:
    """Nor what is needed for it, whatever a judge makes of the two, but that it is reached; the person still may."""
    over = ruled(Act.SUPERSEDE, "trains", "is hurt", verdict=PairVerdict.ENDS)
    both = known({"trains": [0], "is hurt": [3]}, over)
    assert believed(both, 4)["trains"].status is SUPERSEDED
    for relation in (Relation.BLOCKS, Relation.DEPENDS_ON):
        joined = replace(both, edges=(bears("is hurt", "trains", relation=relation),))
        assert believed(joined, 4)["trains"].status is TENTATIVE
        assert settle(after(joined, 4), QUICK, now=day(4)).facts == ()
    for edge in (
        bears("is hurt", "trains", relation=Relation.CONFLICTS_WITH),
        bears("is hurt", "trains", quote="so the training is off"),
        replace(bears("is hurt", "trains"), basis=Basis.DISMISSED),
    ):
        assert believed(replace(both, edges=(edge,)), 4)["trains"].status is SUPERSEDED
    reached = ruled(Act.SUPERSEDE, "trains", "is hurt", verdict=PairVerdict.COMPLETES)
    done = replace(both, rulings=(reached,), edges=(bears("is hurt", "trains"),))
    assert believed(done, 4)["trains"].status is SUPERSEDED
    by_ana = replace(both, rulings=(replace(over, by_person=True),), edges=(bears("is hurt", "trains"),))
    assert believed(by_ana, 4)["trains"].status is SUPERSEDED


@each(
    ("statement", "is_over"),
    [("Ana wants to move to Spain", False), ("Ana wants to learn Spanish", True)],
)
def test_what_tells_its_obstacle_itself_does_not_end_the_goal_that_it_names(statement: str, is_over: bool) -> None:
    """Who can't move until the divorce is through may want to; of another goal a judge may say that it is over."""
    goal = a_fact("goal", statement=statement, kind=FactKind.GOAL)
    over = ruled(Act.SUPERSEDE, "goal", "waits", verdict=PairVerdict.ENDS)
    waits = bears("waits", "waits", "move", "the divorce is through", relation=Relation.DEPENDS_ON)
    both = known({"goal": [0], "waits": [3]}, over, facts={"goal": goal, "waits": a_fact("waits", 3)}, edges=(waits,))
    assert (believed(both, 4)["goal"].resolved_at is not None) is is_over


def test_words_of_the_past_that_tell_an_end_are_no_memory() -> None:
    """What is taken now is over by "They took me off ramipril", though that tells of what happened."""
    took_off = replace(a_fact("was taken off it", 5), modality=Modality.PAST)
    told = known({"takes it": [0], "was taken off it": [5]}, facts={"was taken off it": took_off})
    for rule, status in ((TOLD_CHANGE, SUPERSEDED), ("other value, said later", TENTATIVE)):
        row = ruled(Act.SUPERSEDE, "takes it", "was taken off it", rule=rule)
        assert believed(replace(told, rulings=(row,)), 6)["takes it"].status is status


def test_a_claim_on_safety_ends_by_words_that_everybody_knows_for_its_end() -> None:
    """Who had the baby is asked nothing; who lost her keys is no less pregnant."""
    facts = {
        "pregnant": a_fact("pregnant", statement="Ana is pregnant", kind=FactKind.IDENTITY),
        "later": a_fact("later", 9, statement="Ana had the baby on Monday", kind=FactKind.EVENT),
    }
    told = known({"pregnant": [0], "later": [9]}, ruled(Act.SUPERSEDE, "pregnant", "later"), facts=facts)
    assert believed(told, 10)["pregnant"].status is SUPERSEDED
    keys = facts | {"later": replace(facts["later"], statement="Ana lost her keys on Monday")}
    told = known({"pregnant": [0], "later": [9]}, ruled(Act.SUPERSEDE, "pregnant", "later"), facts=keys)
    assert believed(told, 10)["pregnant"].status is TENTATIVE
