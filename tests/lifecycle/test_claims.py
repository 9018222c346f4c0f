"""A claim does not fall silently: what concerns safety or identity stays until the person says that it changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.beliefs import a_fact, after, believed, living_in, ruled, said
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.consolidate.belief.caution import ANOTHER_MATTER, FLAT_DENIAL, TOLD_CHANGE, reconsider
from yesteryear.consolidate.belief.settle import KnownFact
from yesteryear.core.attributes import Cardinality, FactKind
from yesteryear.core.fact import FactStatus, Slot
from yesteryear.core.ruling import Act, Claim, ClaimPair, ConflictState, Judgement, PairVerdict

DENIED = "allergic", "not allergic"
ALLERGIC = "I'm allergic to penicillin."
DAY = timedelta(days=1)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    """Lend a workshop whose analyst is the keyless one."""
    with open_workshop(tmp_path / "memory.db", analyst="local") as one:
        yield one


def tell(shop: Workshop, text: str, *, on: float, conversation: str = "", author: str = "Ana") -> None:
    """Say something on a day and let it be worked through."""
    shop.clock.set(NOON + on * DAY)
    message = {"role": "user", "content": text, "author": author}
    shop.memory().observe([message], conversation=conversation or f"day {on}")
    shop.memory().flush()


def live(shop: Workshop) -> set[str]:
    """Return what counts now."""
    return {fact.statement for fact in shop.memory().facts()}


@pytest.mark.parametrize(
    "denial",
    ["I am not allergic to penicillin any more.", "I'm not allergic to penicillin.", "I have no allergies."],
)
def test_b02_a_flat_denial_leaves_the_allergy_and_raises_one_question(shop: Workshop, denial: str) -> None:
    """One sentence, pasted perhaps, took the place of an allergy for good."""
    tell(shop, ALLERGIC, on=0)
    tell(shop, denial, on=9)
    assert "Ana is allergic to penicillin" in live(shop)
    assert len(live(shop)) == 2
    context = shop.memory().context("What may I be given for an infection?")
    known = [item.text for lane in ("safety", "news", "facts", "preferences") for item in context.lanes.get(lane, ())]
    assert [line for line in known if "is allergic to penicillin (told 2 March" in line and "disagrees with" in line]
    assert sum("disagrees with what was told" in line for line in known) == 2
    assert len(context.questions) == 1
    assert "Ana is allergic to penicillin" in context.questions[0].text


def test_b02_a_change_that_is_told_ends_it_and_the_old_is_kept(shop: Workshop) -> None:
    """Else nothing on safety could ever be updated by talking."""
    tell(shop, ALLERGIC, on=0)
    tell(shop, "Turns out I'm not allergic to penicillin after all.", on=9)
    (old,) = shop.memory().facts(status="superseded")
    assert old.statement == "Ana is allergic to penicillin"
    assert shop.memory().conflicts() == []


def test_b02_a_second_telling_at_another_sitting_settles_it(shop: Workshop) -> None:
    """And one in the same breath does not."""
    tell(shop, ALLERGIC, on=0)
    tell(shop, "I'm not allergic to penicillin.", on=9, conversation="late")
    tell(shop, "I'm not allergic to penicillin.", on=9.01, conversation="late")
    assert "Ana is allergic to penicillin" in live(shop)
    tell(shop, "I'm not allergic to penicillin.", on=20)
    assert live(shop) == {"Ana is not allergic to penicillin"}


def test_b02_both_may_hold(shop: Workshop) -> None:
    """The person's word settles the question; neither side gives way, and it is not asked again."""
    tell(shop, ALLERGIC, on=0)
    tell(shop, "I'm not allergic to penicillin.", on=9)
    memory = shop.memory()
    (conflict,) = memory.conflicts()
    settled = memory.both_hold(conflict.id)
    assert (settled.state, settled.settled_by) == (ConflictState.RESOLVED, "both hold")
    memory.consolidate()
    assert memory.conflicts() == []
    assert len(live(shop)) == 2
    assert not any("disagrees" in item.text for item in memory.context("penicillin?").items)


def test_b02_nobody_elses_words_end_what_the_person_said() -> None:
    """Another speaker's word opens a question at most, whatever it is about."""
    home, other = living_in("Porto"), living_in("Lisbon", 5)
    rows = said("Porto", 0), said("Lisbon", 5, author="Marc"), said("Lisbon", 9, author="Marc")
    known = KnownFact((home, other), rows, (ruled(Act.SUPERSEDE, "Porto", "Lisbon"),))
    facts = believed(known, 10)
    assert facts["Porto"].is_live
    assert facts["Porto"].superseded_by is None
    assert after(known, 10).rulings[0].conflict is ConflictState.OPEN


def test_b02_another_speaker_makes_no_claim_surer() -> None:
    """Marc saying what Ana once said is not Ana saying it again."""
    home, later = living_in("Porto"), living_in("Lisbon", 5)
    rows = said("Porto", 0), said("Lisbon", 5), said("Porto", 9, author="Marc")
    facts = believed(KnownFact((home, later), rows, (ruled(Act.SUPERSEDE, "Porto", "Lisbon"),)), 10)
    assert facts["Porto"].status is FactStatus.SUPERSEDED
    assert facts["Lisbon"].is_live


def test_b02_a_name_is_not_replaced_by_a_slot_alone() -> None:
    """Nor by a model's verdict: the rule says that it changed, the person did not."""
    names = [
        a_fact(f"'s name is {name}", told, slot=Slot("name", name, Cardinality.SINGLE), kind=FactKind.IDENTITY)
        for name, told in (("Ana Souza", 0), ("Maria Costa", 5))
    ]
    rows = [said(fact.id, on) for fact, on in zip(names, (0, 5), strict=True)]
    facts = believed(KnownFact(tuple(names), tuple(rows), (ruled(Act.SUPERSEDE, names[0].id, names[1].id),)), 10)
    assert all(fact.is_live for fact in facts.values())
    assert {fact.confidence for fact in facts.values()} == {0.8}
    told = [rows[0], said(names[1].id, 5, quote="I changed my name to Maria Costa")]
    facts = believed(KnownFact(tuple(names), tuple(told), (ruled(Act.SUPERSEDE, names[0].id, names[1].id),)), 10)
    assert facts[names[0].id].status is FactStatus.SUPERSEDED


def test_a14_a_question_is_offered_once_in_a_sitting_and_twice_in_all(shop: Workshop) -> None:
    """It was offered in ten sittings running, up to three in one."""
    tell(shop, ALLERGIC, on=0)
    tell(shop, "I'm not allergic to penicillin.", on=1)
    tell(shop, "My blood type is O negative.", on=2)
    tell(shop, "My blood type is A positive.", on=3)
    asked: list[list[str]] = []
    for sitting in range(12):
        asked.append([])
        for minute in range(4):
            shop.clock.set(NOON + (10 + 8 * sitting) * DAY + minute * timedelta(minutes=10))
            message = {"role": "user", "content": "What shall I cook tonight?", "author": "Ana"}
            shop.memory().observe([message], conversation=f"{sitting}.{minute % 2}")
            context = shop.memory().context("What shall I cook tonight?", conversation=f"{sitting}.{minute % 2}")
            asked[-1] += [question.id for question in context.questions]
    offered = [question for sitting in asked for question in sitting]
    assert max(map(len, asked)) == 1
    assert len(set(offered)) == 2
    assert sorted(offered.count(question) for question in set(offered)) == [2, 2]


def test_b02_a_guess_at_a_change_is_a_question_where_it_flatly_denies() -> None:
    """Within one sitting it counted for nothing, and the allergy stood beside its denial without a word."""
    yes, no = (Claim(f"Ana is {how} to nuts", NOON + n * DAY / 99, "Ana") for n, how in enumerate(DENIED))
    guess = Judgement(PairVerdict.CONTRADICTS, Act.SUPERSEDE, scores={PairVerdict.CONTRADICTS: 0.9})
    assert reconsider(ClaimPair(yes, no), guess) == replace(guess, scores={}, rule=FLAT_DENIAL)
    told = no._replace(text="It turns out that Ana is not allergic to nuts")
    assert reconsider(ClaimPair(yes, told), guess).rule == TOLD_CHANGE


def test_a_guess_at_a_change_leaves_a_claim_on_safety_that_it_says_nothing_of() -> None:
    """A last long run disputed a knee that was told with a run, and the two took the room of an allergy."""
    told = "Ana: my knee is stiff and the new tablets make me slow. i run in the evening now."
    knee, run = Claim(told, NOON, "Ana"), Claim("Ana: last long run done", NOON + DAY, "Ana")
    guess = Judgement(PairVerdict.COMPLETES, Act.SUPERSEDE, scores={PairVerdict.COMPLETES: 0.9})
    assert reconsider(ClaimPair(knee, run), guess) == replace(guess, act=Act.NOTHING, rule=ANOTHER_MATTER)
    for text in ("Ana: the knee is fine again", "Ana: off the antibiotics since monday"):
        assert reconsider(ClaimPair(knee, run._replace(text=text)), guess) == guess
    assert reconsider(ClaimPair(run, knee), guess) == guess


def test_a15_a_guess_does_not_fold_another_thing_that_shares_a_word() -> None:
    """A love of fashion swallowed the plan for a work of art."""
    fan, plan = a_fact("loves fashion"), a_fact("is thinking about creating an abstract art work on fashion", 3)
    guess = ruled(Act.FOLD, fan.id, plan.id, scores={ruled(Act.FOLD, "a", "b").judgement.verdict: 0.95})
    facts = believed(KnownFact((fan, plan), (said(fan.id, 0), said(plan.id, 3)), (guess,)), 10)
    assert all(fact.status is not FactStatus.MERGED for fact in facts.values())
    same = a_fact("adores fashion", 3)
    guess = ruled(Act.FOLD, fan.id, same.id, scores=guess.judgement.scores)
    facts = believed(KnownFact((fan, same), (said(fan.id, 0), said(same.id, 3)), (guess,)), 10)
    assert sorted(fact.status is FactStatus.MERGED for fact in facts.values()) == [False, True]
