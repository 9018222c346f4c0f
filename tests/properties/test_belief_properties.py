"""What holds of belief whatever was said, judged and done by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.beliefs import a_fact, after, by_hand, day, living_in, rests, ruled, said
from tests.properties.examples import examples
from yesteryear.consolidate.belief.guesses import GuessPolicy, trusted, weighed
from yesteryear.consolidate.belief.settle import BeliefPolicy, KnownFact, settle
from yesteryear.core.attributes import FactKind, Volatility
from yesteryear.core.fact import Authority, Evidence, Fact, FactStatus, Modality, Stance
from yesteryear.core.fading.confidence import ConfidencePolicy, confidence, confidence_now
from yesteryear.core.ruling import Act, ConflictState, PairVerdict, Ruling
from yesteryear.core.time import FOREVER

CONTRADICTS = PairVerdict.CONTRADICTS
POLICY = BeliefPolicy()
SMALL = BeliefPolicy(max_facts=3)
NAMES = ("Porto", "Lisbon", "Faro", "Braga", "Evora")
SEEDS = st.integers(0, 2**32 - 1)
DAYS = st.integers(0, 15)
LATE = st.integers(31, 800)
"""Days on which everything has been said; some of it has faded."""


def a_life(seed: int) -> KnownFact:
    """Return some facts of any kind with all that bears on them."""
    chance = Random(seed)
    evidence = [row for name in NAMES for row in _told(chance, name)]
    return KnownFact(
        facts=tuple(_fact(chance, name, evidence) for name in NAMES),
        evidence=tuple(evidence),
        rulings=tuple(_rulings(chance, tuple(Act), persons=0.3, least=0.3)),
        edges=tuple({rests(chance.choice(NAMES), chance.choice(NAMES)) for _ in range(chance.randint(0, 4))}),
    )


def some_moves(seed: int) -> KnownFact:
    """Return places that Ana said she lives in, some of them in two wordings, and that some are changes of others."""
    chance = Random(seed)
    days = {name: chance.sample(range(12), chance.randint(1, 4)) for name in NAMES}
    facts = [living_in(name, min(on)) for name, on in days.items()]
    twice = replace(facts[-1], slot=facts[0].slot)
    return KnownFact(
        facts=tuple(
            replace(fact, valid_from=day(chance.randint(-5, 15)) if chance.random() < 0.4 else None)
            for fact in (*facts[:-1], twice if chance.random() < 0.3 else facts[-1])
        ),
        evidence=tuple(said(name, on) for name in NAMES for on in days[name]),
        rulings=tuple(_rulings(chance, (Act.SUPERSEDE,), persons=0.0, least=0.99)),
    )


def _told(chance: Random, name: str) -> list[Evidence]:
    authority = chance.choice([Authority.SAID, Authority.SAID, Authority.OBSERVED, Authority.INFERRED])
    weights = [0.4, 0.65, 0.8, 0.95]
    days = chance.sample(range(12), chance.randint(1, 4))
    rows = [said(name, on, chance.choice(weights), authority=authority) for on in days]
    if chance.random() < 0.3:
        rows.append(by_hand(name, chance.randrange(15), chance.choice([Stance.SUPPORTS, Stance.CONTRADICTS])))
    if chance.random() < 0.2:
        rows.append(said(name, chance.randrange(15), stance=Stance.CONTRADICTS, id=f"no-{name}"))
    return rows


def _fact(chance: Random, name: str, evidence: list[Evidence]) -> Fact:
    first = min(row.said_at for row in evidence if row.fact_id == name and row.stance is Stance.SUPPORTS)
    fact = living_in(name) if chance.random() < 0.5 else a_fact(name, kind=chance.choice(list(FactKind)))
    return replace(
        fact,
        first_observed=first,
        recorded_at=first,
        volatility=chance.choice(list(Volatility)),
        modality=chance.choice([Modality.ASSERTED, Modality.ASSERTED, Modality.PLANNED, Modality.PAST]),
        pinned=chance.random() < 0.2,
        valid_from=day(chance.randint(-5, 40)) if chance.random() < 0.4 else None,
        valid_to=day(chance.randint(50, 60)) if chance.random() < 0.2 else None,
        properties={"settles": "yes"} if chance.random() < 0.3 else {},
    )


def _rulings(chance: Random, acts: tuple[Act, ...], *, persons: float, least: float) -> list[Ruling]:
    rows = []
    for pair in combinations(NAMES, 2):
        earlier, later = chance.sample(pair, 2)
        act = chance.choice(acts)
        guessed = PairVerdict.DUPLICATE if act is Act.FOLD else PairVerdict.UPDATES
        row = ruled(
            act,
            earlier,
            later,
            verdict=PairVerdict.REFINES if act is Act.FOLD and chance.random() < 0.5 else None,
            keeps_later=chance.random() < 0.5,
            scores=chance.choice([{}, {guessed: 0.995}, {guessed: least}]),
            by_person=chance.random() < persons,
        )
        rows += [row] if chance.random() < 0.5 else []
    return rows


def by_name(known: KnownFact) -> dict[str, Fact]:
    """Return the facts by name."""
    return {fact.id: fact for fact in known.facts}


LIVES = SEEDS.map(a_life)
MOVES = SEEDS.map(some_moves)
EVIDENCE = SEEDS.map(lambda seed: _told(Random(seed), "Porto"))


@given(LIVES, LATE, st.sampled_from([POLICY, SMALL]))
def test_settling_what_is_settled_changes_nothing(known: KnownFact, on: int, policy: BeliefPolicy) -> None:
    """Twice is once."""
    settled = settle(after(known, on, policy), policy, now=day(on))
    assert (settled.facts, settled.rulings, settled.changes) == ((), (), ())


@given(LIVES, LATE, st.randoms(use_true_random=False))
def test_belief_does_not_depend_on_the_order_of_anything(known: KnownFact, on: int, chance: object) -> None:
    """Neither of facts, nor of what was said about them, nor of what was judged."""
    shuffled = KnownFact(*(tuple(chance.sample(rows, len(rows))) for rows in _rows(known)))  # type: ignore[attr-defined]
    assert settle(shuffled, SMALL, now=day(on)) == settle(known, SMALL, now=day(on))


def _rows(known: KnownFact) -> tuple[list[object], ...]:
    return list(known.facts), list(known.evidence), list(known.rulings), list(known.edges)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=9), st.randoms(use_true_random=False))
def test_a_guess_is_weighed_the_same_in_any_order_and_no_likelier_beside_others(
    chances: list[float], chance: object
) -> None:
    """And is no surer beside others than alone."""
    names = [str(number) for number in range(len(chances))]
    facts = {name: a_fact(name, on) for name, on in [*((name, 0) for name in names), ("later", 5)]}
    rows = [
        ruled(Act.NOTHING, name, "later", scores={PairVerdict.UPDATES: p, PairVerdict.UNRELATED: 1 - p})
        for name, p in zip(names, chances, strict=True)
    ]
    together = list(weighed(rows, facts, (), GuessPolicy()))
    shuffled = chance.sample(rows, len(rows))  # type: ignore[attr-defined]
    assert sorted(weighed(shuffled, facts, (), GuessPolicy()), key=lambda row: row.earlier) == together
    strength = [Act.NOTHING, Act.DOUBT, Act.SUPERSEDE]
    for row, among in zip(rows, together, strict=True):
        (alone,) = weighed([row], facts, (), GuessPolicy())
        assert strength.index(alone.act) >= strength.index(among.act)
        assert list(weighed([alone], facts, (), GuessPolicy())) == [alone]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 4)), max_size=7), st.randoms(use_true_random=False))
def test_hints_add_up_the_same_in_any_order_and_never_make_an_end_less_likely(
    hints: list[tuple[float, int]], chance: object
) -> None:
    """Each of a later fact of its own; several may be told on one day."""
    facts = {"runs": a_fact("runs", 0)} | {str(place): a_fact(str(place), on) for place, (_, on) in enumerate(hints)}
    rows = [
        ruled(Act.NOTHING, "runs", str(place), scores={PairVerdict.UPDATES: p, PairVerdict.UNRELATED: 1 - p})
        for place, (p, _) in enumerate(hints)
    ]
    told = [said(name, on) for name, on in [("runs", 0), *((str(place), on) for place, (_, on) in enumerate(hints))]]
    together = {row.later: row.act for row in weighed(rows, facts, told, GuessPolicy())}
    shuffled = [chance.sample(each, len(each)) for each in (rows, told)]  # type: ignore[attr-defined]
    assert {row.later: row.act for row in weighed(shuffled[0], facts, shuffled[1], GuessPolicy())} == together
    strength = [Act.NOTHING, Act.DOUBT, Act.SUPERSEDE]
    for row in rows:
        (alone,) = weighed([row], facts, told, GuessPolicy())
        assert strength.index(together[row.later]) >= strength.index(alone.act)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 4)), max_size=7), st.integers(1, 4))
@example([(0.3, 1), (0.3, 2), (0.45, 3)], 2)
@example([(0.15, 1)], 1)
def test_what_is_told_later_takes_no_end_away(hints: list[tuple[float, int]], until: int) -> None:
    """Neither a surer guess at the same end, nor a fact told at one sitting with what ended it, and again."""
    days = {str(place): on for place, (_, on) in enumerate(hints)}
    beside = {name: f"beside {name}" for name in days}
    facts = {name: a_fact(name, on) for name, on in [("runs", 0), *days.items()]}
    facts |= {beside[name]: a_fact(beside[name], on - 0.01) for name, on in days.items()}
    rows = [
        ruled(Act.NOTHING, first, name, scores={PairVerdict.UPDATES: p, PairVerdict.UNRELATED: 1 - p})
        for name, (p, _) in zip(days, hints, strict=True)
        for first in ("runs", beside[name])
    ]
    told = [said("runs", 0), *(said(each, on) for name, on in days.items() for each in (name, beside[name]))]

    def ends(rows: list[Ruling], told: list[Evidence]) -> set[str]:
        acting = weighed(trusted(rows, facts, told), facts, told, GuessPolicy())
        return {row.later for row in acting if row.earlier == "runs" and row.act is Act.SUPERSEDE}

    then = ends([row for row in rows if days[row.later] <= until], [row for row in told if row.said_at <= day(until)])
    assert then <= ends(rows, told + [said(name, 9) for name in beside.values()])


@given(LIVES, LATE, LATE)
def test_what_was_believed_before_does_not_matter(known: KnownFact, first: int, then: int) -> None:
    """Whether somebody looked in between, even later than now, or not."""
    stepwise, at_once = after(after(known, first), then), after(known, then)
    assert by_name(stepwise) == by_name(at_once)


@given(LIVES, LATE, st.data())
def test_what_became_known_later_gives_what_it_would_have_given_at_once(
    known: KnownFact, on: int, data: st.DataObject
) -> None:
    """Facts one by one, each settled, end as facts all together."""
    order = data.draw(st.permutations(NAMES))
    present = KnownFact(())
    for count in range(1, len(order) + 1):
        names = set(order[:count])
        have = by_name(present)
        present = KnownFact(
            facts=tuple(have.get(fact.id, fact) for fact in known.facts if fact.id in names),
            evidence=tuple(row for row in known.evidence if row.fact_id in names),
            rulings=tuple(row for row in known.rulings if names >= set(row.pair)),
            edges=tuple(edge for edge in known.edges if names >= {edge.source, edge.target}),
        )
        present = after(present, on)
    assert by_name(present) == by_name(after(known, on))


@given(LIVES, LATE)
def test_merges_are_direct_and_never_run_in_a_circle(known: KnownFact, on: int) -> None:
    """A merged fact names one that stands by itself and that says what it says to all who see it."""
    facts = by_name(after(known, on))
    for fact in facts.values():
        assert (fact.status is FactStatus.MERGED) == (fact.canonical_id is not None)
        if fact.canonical_id is not None:
            assert facts[fact.canonical_id].status is not FactStatus.MERGED
            assert not fact.pinned


@given(LIVES, LATE)
def test_what_is_in_conflict_is_never_merged(known: KnownFact, on: int) -> None:
    """Not even by way of a third."""
    facts = by_name(after(known, on))
    for row in known.rulings:
        if row.act in (Act.SUPERSEDE, Act.ASK):
            assert _root(facts, row.earlier) != _root(facts, row.later)


def _root(facts: dict[str, Fact], name: str) -> str:
    return facts[name].canonical_id or name


@given(LIVES, LATE)
def test_a_fact_is_as_sure_as_all_that_speaks_for_its_group(known: KnownFact, on: int) -> None:
    """Evidence is a union; an open question that casts doubt halves it once."""
    final = after(known, on)
    facts = by_name(final)
    doubtful = [row for row in final.rulings if row.judgement.verdict is CONTRADICTS or not row.judgement.scores]
    contested = {_root(facts, name) for row in doubtful if row.conflict is ConflictState.OPEN for name in row.pair}
    for fact in facts.values():
        if fact.status is not FactStatus.MERGED:
            union = [row for row in known.evidence if _root(facts, row.fact_id) == fact.id]
            amount = confidence(union, POLICY.confidence)
            assert fact.confidence == round(amount.value * (0.5 if fact.id in contested else 1), 6)
            assert fact.sessions == amount.sessions


@given(LIVES, LATE)
def test_nothing_of_less_authority_takes_the_place_of_more(known: KnownFact, on: int) -> None:
    """An inference never ends what was said; a memory never what is."""
    facts = by_name(after(known, on))
    for fact in facts.values():
        assert (fact.status is FactStatus.SUPERSEDED) == (fact.superseded_by is not None)
        if fact.superseded_by is not None:
            winner, loser = (_authority(known, facts, name) for name in (fact.superseded_by, fact.id))
            assert winner >= loser


def _authority(known: KnownFact, facts: dict[str, Fact], root: str) -> Authority:
    return confidence((row for row in known.evidence if _root(facts, row.fact_id) == root), POLICY.confidence).authority


@given(LIVES, LATE)
def test_what_took_a_place_leads_to_something_that_was_never_displaced(known: KnownFact, on: int) -> None:
    """Chains end."""
    facts = by_name(after(known, on))
    for fact in facts.values():
        seen = {fact.id}
        while (following := fact.superseded_by) is not None:
            assert following not in seen
            seen.add(following)
            fact = facts[following]  # noqa: PLW2901 - walks along the chain


@given(LIVES, LATE)
def test_undoing_all_rulings_leaves_no_trace_on_facts(known: KnownFact, on: int) -> None:
    """What rulings did is derived, so that without them everything is as if they had never been."""
    settled = after(known, on)
    undone = replace(settled, rulings=tuple(replace(row, is_void=True) for row in settled.rulings))
    never = after(replace(known, rulings=()), on)
    assert by_name(after(undone, on)) == by_name(never)


@examples(100)
@given(MOVES, LATE)
def test_a_slot_has_one_value_at_a_time(known: KnownFact, on: int) -> None:
    """Of places linked by changes one is current, and no two held at once."""
    facts = by_name(after(known, on))
    for chain in _chains(known):
        those = [facts[name] for name in chain]
        assert len({_place(fact) for fact in those if fact.is_live}) <= 1
        spans = [(_place(fact), fact.valid_from or fact.first_observed, fact.valid_to or FOREVER) for fact in those]
        held = sorted(((begins, ends, place) for place, begins, ends in spans if begins < ends))
        for (_, ends, place), (begins, _, other) in combinations(held, 2):
            assert place == other or ends <= begins


def _place(fact: Fact) -> str:
    assert fact.slot is not None
    return fact.slot.value


def _chains(known: KnownFact) -> list[set[str]]:
    chains: list[set[str]] = []
    told = {fact.id: {row.session for row in known.evidence if row.fact_id == fact.id} for fact in known.facts}
    for row in known.rulings:
        if row.judgement.scores and len(told[row.earlier] | told[row.later]) == 1:
            continue  # a guess about what was told in one conversation
        joined = {row.earlier, row.later}.union(*(chain for chain in chains if chain & {row.earlier, row.later}))
        chains = [joined, *(chain for chain in chains if not chain & joined)]
    return chains


@given(MOVES, LATE)
def test_the_last_word_holds(known: KnownFact, on: int) -> None:
    """Of two places that a change links, never the one that was told before the other's last word."""
    facts = by_name(after(known, on))
    for row in known.rulings:
        one, other = facts[row.earlier], facts[row.later]
        assert one.last_confirmed is not None
        assert other.last_confirmed is not None
        if one.last_confirmed < other.last_confirmed:
            assert one.status in (FactStatus.SUPERSEDED, FactStatus.DEPRECATED)


@examples(12)
@given(LIVES, st.lists(st.integers(31, 395), min_size=1, max_size=30))
def test_nights_may_run_daily_or_once(known: KnownFact, nights: list[int]) -> None:
    """What is believed after a year is the same, and so is how sure we are of it."""
    often = known
    for on in sorted(nights):
        often = after(often, on)
    assert by_name(after(often, 396)) == by_name(after(known, 396))


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(3))
def test_in_a_year_of_nights_nothing_pinned_or_well_evidenced_is_lost(seed: int) -> None:
    """Even a mood, and though there is too little room; nor in ten years what never changes and was told once."""
    life = a_life(seed)
    known = KnownFact(
        facts=(
            *life.facts,
            a_fact("pinned", volatility=Volatility.VOLATILE, pinned=True),
            a_fact("evidenced", volatility=Volatility.VOLATILE),
            a_fact("told once", volatility=Volatility.STATIC),
        ),
        evidence=(
            *life.evidence,
            *(said("evidenced", on) for on in (0, 1, 2)),
            said("pinned", 0),
            said("told once", 0),
        ),
        rulings=life.rulings,
    )
    for night in range(1, 366):
        known = after(known, night, BeliefPolicy(max_facts=4))
        facts = by_name(known)
        assert facts["pinned"].is_live
        assert facts["evidenced"].is_live
    assert by_name(after(known, 3650))["told once"].is_live


@given(LATE)
def test_what_was_contradicted_is_never_believed_again_by_itself(on: int) -> None:
    """However well it was evidenced, and though what ended it has faded since."""
    known = KnownFact(
        facts=(living_in("Porto"), living_in("Lisbon", 5, volatility=Volatility.VOLATILE)),
        evidence=(*(said("Porto", day) for day in range(5)), said("Lisbon", 5)),
        rulings=(ruled(Act.SUPERSEDE, "Porto", "Lisbon"),),
    )
    facts = by_name(after(known, on))
    assert facts["Porto"].status is FactStatus.SUPERSEDED
    assert facts["Lisbon"].status is FactStatus.DEPRECATED


@given(EVIDENCE, st.randoms(use_true_random=False))
def test_confidence_does_not_depend_on_the_order_of_evidence(rows: list[Evidence], chance: object) -> None:
    """It is a function of a set, with repetitions in one session counted once."""
    again = [replace(row, id=f"{row.id}-again", weight=row.weight / 2) for row in rows if row.message_id is not None]
    shuffled = chance.sample([*rows, *again], len(rows) + len(again))  # type: ignore[attr-defined]
    assert confidence(shuffled, POLICY.confidence) == confidence(rows, POLICY.confidence)


@given(EVIDENCE, DAYS, st.floats(0, 1))
def test_being_told_once_more_never_makes_us_less_sure(rows: list[Evidence], on: int, weight: float) -> None:
    """Whenever that was and however weakly."""
    before = confidence(rows, POLICY.confidence)
    more = confidence([*rows, said("Porto", on, weight, session="another")], POLICY.confidence)
    assert 0 <= before.value <= more.value + 1e-6
    assert more.value <= 1


@given(EVIDENCE, st.floats(0, 1))
def test_an_echo_counts_for_nothing(rows: list[Evidence], weight: float) -> None:
    """What a context had shown is no news when it comes back."""
    echo = said("Porto", 29, weight, session="another", stance=Stance.ECHO)
    assert confidence([*rows, echo], POLICY.confidence) == confidence(rows, POLICY.confidence)


@given(st.floats(0, 1), st.sampled_from(Volatility), st.integers(0, 4000), st.integers(0, 4000))
def test_confidence_only_decays_with_time(value: float, volatility: Volatility, one: int, other: int) -> None:
    """Never below 0, and what never changes not at all."""
    fact = a_fact("Porto", confidence=value, volatility=volatility)
    early, late = (confidence_now(fact, ConfidencePolicy(), now=day(on)) for on in sorted((one, other)))
    assert 0 <= late <= early <= value
    assert volatility is not Volatility.STATIC or late == value
