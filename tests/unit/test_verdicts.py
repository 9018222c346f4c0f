"""What is done about two statements: the same words and slots by rule, else what the reader is sure enough of."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.each import each
from tests.readings import ScriptedReader, a_reading
from yesteryear.core.attributes import Cardinality, FactKind
from yesteryear.core.fact import SOMEBODY, TASTE, Authority, Slot
from yesteryear.core.reading import OVER, Effect
from yesteryear.core.ruling import Act, Claim, ClaimPair, Judgement, PairVerdict
from yesteryear.errors import ProviderUnavailable
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.providers.local.verdicts import decide, weigh

MAY = datetime(2026, 5, 1, tzinfo=UTC)
JUNE = MAY + timedelta(days=31)


def judge(earlier: Claim, later: Claim, effects: Mapping[Effect, float] | None = None) -> Judgement:
    """Judge a pair with a reader that tells these effects, of whatever it is asked."""
    reader = ScriptedReader(a_reading, lambda _, __: effects or {})
    [found] = LocalAnalyst(pair_reader=reader).judge([ClaimPair(earlier, later)], yield_to_foreground=lambda: None)
    return found


def lives(place: str, at: datetime, **more: Any) -> Claim:
    """Return a claim with its slot."""
    slot = Slot("residence", place, Cardinality.SINGLE)
    return Claim(f"Ana lives in {place}", at, "Ana", slot=slot)._replace(**more)


def test_the_same_value_folds_and_another_said_later_supersedes() -> None:
    """By rule, whatever the reader says."""
    never = {Effect.NONE: 1.0}
    same = judge(lives("Lisbon", MAY), lives("lisbon", JUNE, text="Ana is living in lisbon"), never)
    other = judge(lives("Lisbon", MAY), lives("Porto", JUNE), never)
    assert (same.verdict, same.act, same.scores) == (PairVerdict.DUPLICATE, Act.FOLD, {})
    assert (other.verdict, other.act, other.rule) == (PairVerdict.UPDATES, Act.SUPERSEDE, "other value, said later")


def test_what_is_so_stays_rather_than_how_it_came_about() -> None:
    """Who lives in Porto may have moved there long ago; in whichever order it is told."""
    moved = lives("Porto", JUNE, kind=FactKind.EVENT)._replace(text="Ana moved to Porto in 2015, from Faro")
    assert not judge(lives("Porto", MAY), moved).keeps_later
    assert judge(moved._replace(at=MAY), lives("Porto", JUNE)).keeps_later


def test_a_value_with_more_words_stays() -> None:
    """Whichever was said first."""
    more, less = lives("Lisbon, Portugal", MAY), lives("Lisbon", MAY)
    assert judge(less, more._replace(at=JUNE)).keeps_later
    found = judge(more, less._replace(at=JUNE))
    assert (found.act, found.keeps_later) == (Act.FOLD, False)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (lives("Lisbon", MAY), lives("Porto", MAY)),
        (lives("Lisbon", MAY), lives("Porto", JUNE, authority=Authority.INFERRED)),
        (lives("Lisbon", MAY, attribute="origin"), lives("Porto", JUNE, attribute="origin")),
        (lives("Lisbon", MAY), lives("Lisbon", MAY, is_negative=True)),
    ],
    ids=["at the same time", "of less authority", "what never changes", "the opposite"],
)
def test_values_that_cannot_be_ordered_are_asked_about(earlier: Claim, later: Claim) -> None:
    """Neither takes the other's place by itself."""
    found = judge(earlier, later)
    assert (found.verdict, found.act) == (PairVerdict.CONTRADICTS, Act.ASK)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (lives("Lisbon", MAY, slot=None), lives("Porto", JUNE)),
        (lives("Lisbon", MAY, slot=Slot("residence", "Lisbon", Cardinality.MULTI)), lives("Porto", JUNE)),
        (lives("Lisbon", MAY), lives("Porto", JUNE, slot=Slot("job", "Porto", Cardinality.SINGLE))),
        (lives("Lisbon", MAY), lives("Porto", JUNE, holder="Ana's sister")),
        (lives("Lisbon", MAY), lives("Porto", JUNE, is_negative=True)),
        (lives("Lisbon", MAY, is_negative=True), lives("Porto", JUNE, is_negative=True)),
    ],
    ids=[
        "unknown",
        "of several values",
        "of another kind",
        "of another holder",
        "denied",
        "both denied",
    ],
)
def test_slots_that_do_not_decide_leave_it_to_the_reader(earlier: Claim, later: Claim) -> None:
    """Which gives every verdict a probability; where nothing tells, nothing is done."""
    assert set(judge(earlier, later, {Effect.ADDS: 1.0}).scores) == set(PairVerdict)
    assert judge(earlier, later) == Judgement(PairVerdict.UNRELATED)


def test_what_is_told_of_somebody_whom_nobody_named_ends_nothing_of_another() -> None:
    """Whatever the reader says: two of them need not be one."""
    earlier, later = lives("Lisbon", MAY, holder=SOMEBODY), lives("Porto", JUNE, holder=SOMEBODY)
    told = judge(earlier, later, {Effect.ENDS: 1.0})
    assert (told.verdict, told.act) == (PairVerdict.UNRELATED, Act.NOTHING)


def test_what_befalls_somebody_whom_another_has_leaves_ones_own_alone() -> None:
    """The boss's mother died, and not one's own."""
    mine = lives("Leeds", MAY, holder="mum")._replace(attribute="home")
    others = Claim(
        'Ana said: "Rob is off, his mum died."', JUNE, "Ana", holder="Rob", words="Rob is off, his mum died."
    )
    own = Claim("Ana's mum died", JUNE, "Ana", attribute="death", holder="mum", words="my mum died")
    assert judge(mine, others, {Effect.ENDS: 1.0}).act is Act.NOTHING
    assert judge(mine, own).act is Act.SUPERSEDE


def taste(thing: str, *, is_liked: bool, at: datetime = JUNE) -> Claim:
    """Return a claim that a thing is liked, or not."""
    slot = Slot(f"{TASTE}{thing}", "liked", Cardinality.SINGLE)
    return Claim(f"Ana on {thing}", at, "Ana", FactKind.PREFERENCE, slot, is_negative=not is_liked)


@each(
    ("words", "thing", "is_liked", "act"),
    [
        ("I've always liked Tom Waits; his voice is a cellar.", "tom wait", False, Act.SUPERSEDE),
        ("I can't stand Tom Waits. That voice!", "tom wait", True, Act.SUPERSEDE),
        ("I've always liked Tom Waits; his voice is a cellar.", "tom wait", True, Act.NOTHING),
        ("I've always liked Tom Petty; his voice is a cellar.", "tom wait", False, Act.NOTHING),
        ("Tom Waits has a voice like a cellar.", "tom wait", False, Act.NOTHING),
    ],
)
def test_a_taste_told_in_a_quote_is_over_as_any(words: str, thing: str, is_liked: bool, act: Act) -> None:
    """Where what is said later tells otherwise of that thing."""
    quote = Claim(f"Ana: {words}", MAY, "Ana", FactKind.PREFERENCE, words=words)
    assert judge(quote, taste(thing, is_liked=is_liked)).act is act
    assert judge(quote, taste(thing, is_liked=is_liked, at=MAY)).act is Act.NOTHING


def test_the_same_words_are_one_without_a_reader() -> None:
    """Of one holder; what one denies is not the same."""
    one, again = Claim("Ana has a dog.", MAY), Claim("ana has a dog", JUNE)
    assert judge(one, again).act is Act.FOLD
    assert judge(one, again._replace(is_negative=True)).act is Act.NOTHING
    assert judge(one, again._replace(holder="Ben")).act is Act.NOTHING


def test_of_other_subjects_nothing_is_asked() -> None:
    """Both may hold."""
    found = judge(Claim("Ana is tall", MAY, "Ana"), Claim("Ben is tall", JUNE, "Ben"), {Effect.UPDATES: 1.0})
    assert (found.verdict, found.act, found.rule) == (PairVerdict.UNRELATED, Act.NOTHING, "another subject")


def act(a: str, b: str, effect: Effect, share: float = 1.0, **later: Any) -> Act:
    """Return what is done about two statements whose effect has this probability."""
    pair = ClaimPair(Claim(a, MAY), Claim(b, JUNE)._replace(**later))
    return decide(pair, {effect: share, Effect.NONE: 1 - share}).act


@each(
    ("a", "b"),
    [
        ("Ana weighs 61 kg", "Ana weighs 74 kg"),
        ("Ana's exam is on 3 May", "Ana's exam is on 9 May"),
        ("Ana drives a Fiat", "Ana drives a Skoda"),
        ("Her brother Tom is a vet", "Her brother Tim is a vet"),
    ],
)
@each("effect", [Effect.REPEATS, Effect.REFINES])
def test_no_name_and_no_number_is_lost_in_a_merge(a: str, b: str, effect: Effect) -> None:
    """However sure the reader is: a wrong merge is the one mistake nobody would notice."""
    assert act(a, b, effect) is act(b, a, effect) is Act.NOTHING


def test_what_is_sure_enough_is_acted_on() -> None:
    """And no more than that."""
    assert act("Ana has a dog", "Ana owns a dog", Effect.REPEATS) is Act.FOLD
    assert act("Ana has a dog", "Ana owns a dog", Effect.REPEATS, 0.5) is Act.NOTHING
    for effect in (Effect.UPDATES, Effect.ENDS, Effect.COMPLETES, Effect.MOVES, Effect.DROPS, Effect.DENIES):
        assert act("Ana lives with Ben", "Ana said: we called it quits", effect) is Act.SUPERSEDE
        assert act("Ana lives with Ben", "Ana said: we called it quits", effect, 0.3) is Act.NOTHING
    for effect in (Effect.NONE, Effect.ADDS, Effect.DOUBTS):
        assert act("Ana has a dog", "Ana has a cat", effect) is Act.NOTHING


def test_one_attribute_makes_nothing_surer() -> None:
    """Which attribute a statement tells is a guess; two guesses that agree end nothing."""
    pair = ClaimPair(Claim("Ana is a nurse", MAY, attribute="job"), Claim("pescatarian now", JUNE, attribute="job"))
    assert decide(pair, {Effect.UPDATES: 0.34, Effect.NONE: 0.66}).act is Act.NOTHING


def test_what_is_corrected_at_once_is_no_guess() -> None:
    """So that it counts at the sitting at which it was said; not a day later, nor where the reader sees nothing."""
    soon = {"at": MAY + timedelta(minutes=2)}
    pair = ClaimPair(Claim("Ana's exam is on Tuesday", MAY), Claim("no wait, thursday", JUNE)._replace(**soon))
    effects = {Effect.MOVES: 0.52, Effect.NONE: 0.48}
    found = decide(pair, effects)
    assert (found.act, found.rule, found.scores) == (Act.SUPERSEDE, "corrected at once", {})
    assert decide(pair, {Effect.NONE: 1.0}).act is Act.NOTHING
    later = decide(pair._replace(later=pair.later._replace(at=JUNE)), effects)
    assert (later.act, later.rule) == (Act.SUPERSEDE, "")
    assert later.is_guess


def test_only_what_is_later_and_of_no_less_authority_supersedes() -> None:
    """What was said at the same instant changes nothing; what is but inferred is asked about."""
    move = ("Ana lives in Lisbon", "Ana moved to Porto", Effect.UPDATES)
    assert act(*move, at=MAY) is Act.NOTHING
    assert act(*move, authority=Authority.INFERRED) is Act.ASK


def test_the_reader_is_asked_about_the_words_that_were_said() -> None:
    """Not about what was made of them, and with the question that they answer."""
    asked: list[tuple[str, str]] = []
    reader = ScriptedReader(a_reading, lambda fact, text: asked.append((fact, text)) or {Effect.NONE: 1.0})
    pair = ClaimPair(Claim("Ana is married", MAY), Claim("Ana is divorced", JUNE, words="we called it quits"))
    LocalAnalyst(pair_reader=reader).judge([pair], yield_to_foreground=lambda: None)
    assert asked == [("Ana is married", "we called it quits")]


def test_a_reader_that_fails_is_heard() -> None:
    """So that the pair is judged once it works, and not for good without it."""

    def fail(_: str, __: str) -> Mapping[Effect, float]:
        raise ProviderUnavailable("no model")

    pair = ClaimPair(Claim("Ana has a dog", MAY), Claim("Ana has two", JUNE))
    with pytest.raises(ProviderUnavailable):
        LocalAnalyst(pair_reader=ScriptedReader(a_reading, fail)).judge([pair], yield_to_foreground=lambda: None)


def test_every_effect_has_a_verdict() -> None:
    """And what is over is told apart from what is not."""
    for effect in Effect:
        pair = ClaimPair(Claim("Ana has a dog", MAY), Claim("It ran away", JUNE))
        found = decide(pair, {effect: 1.0})
        assert found.scores[found.verdict] == 1
        assert (found.act is Act.SUPERSEDE) is (effect in OVER)


@pytest.mark.parametrize(
    ("chance", "act"), [(0.34, Act.NOTHING), (0.35, Act.DOUBT), (0.49, Act.DOUBT), (0.5, Act.SUPERSEDE)]
)
def test_what_may_be_over_is_doubted_before_it_is_ended(chance: float, act: Act) -> None:
    """And nothing is by what was not said later."""
    pair = ClaimPair(Claim("Ana has a dog", MAY), Claim("It ran away", JUNE))
    effects = {Effect.ENDS: chance, Effect.NONE: 1 - chance}
    assert decide(pair, effects).act is act
    assert decide(ClaimPair(pair.later, pair.earlier), effects).act is Act.NOTHING


def test_a_change_is_likelier_of_what_shares_words() -> None:
    """Whatever the reader makes of a few words; all effects make 1 still, and how it ends keeps its proportion."""
    told = {Effect.UPDATES: 0.6, Effect.ENDS: 0.12, Effect.NONE: 0.28}
    chances = []
    for words in ("I bought another van, a blue one, for work", "I bought another one", "right then"):
        pair = ClaimPair(Claim("Ana: I drive a white van for work", MAY), Claim("Ana: later", JUNE, words=words))
        found = weigh(pair, told)
        assert sum(found.values()) == pytest.approx(1)
        assert found[Effect.UPDATES] == pytest.approx(5 * found[Effect.ENDS])
        chances.append(1 - found[Effect.NONE])
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.5 > chances[1]


def ana(text: str, at: datetime) -> Claim:
    """Return what Ana said, in her words."""
    return Claim(f"Ana: {text}", at, "Ana", words=text)


@each(
    ("told", "later"),
    [
        ("I can't train because of my knee.", "My knee is fine again."),
        ("My back hurts so I can't garden.", "My back is much better now"),
        ("We can't go camping because the van is broken.", "The van is repaired."),
        ("The noise next door stops me from sleeping.", "the noise has stopped at last"),
        ("My knee is why I can't train.", "My knee is no longer the problem."),
    ],
)
def test_an_obstacle_that_is_gone_is_done_with(told: str, later: str) -> None:
    """By rule, in whatever way it was told, and only by what was said later."""
    found = judge(ana(told, MAY), ana(later, JUNE), {Effect.NONE: 1.0})
    assert (found.verdict, found.act, found.rule) == (
        PairVerdict.COMPLETES,
        Act.SUPERSEDE,
        "what stood in the way is gone",
    )
    assert judge(ana(told, JUNE), ana(later, MAY), {Effect.NONE: 1.0}).act is Act.NOTHING


@each(
    "later",
    [
        "My knee isn't fine yet.",
        "If my knee is fine by May we go to Italy.",
        "My shoulder is fine again.",
        "I hope the knee is better soon.",
        "My knee is better than Tom's.",
    ],
)
def test_an_obstacle_that_may_be_gone_stands(later: str) -> None:
    """What is not so, hoped for, or of another thing says nothing of it."""
    found = judge(ana("I can't train because of my knee.", MAY), ana(later, JUNE), {Effect.NONE: 1.0})
    assert found.rule != "what stood in the way is gone"


@each(
    ("earlier", "later", "verdict", "act"),
    [
        ("I need to plan a date night.", "I just planned the date night.", PairVerdict.COMPLETES, Act.SUPERSEDE),
        ("I need to plan a date night.", "I don't need to plan a date night anymore.", PairVerdict.ENDS, Act.SUPERSEDE),
        (
            "I have a vet appointment on Friday.",
            "The vet appointment moved to Monday.",
            PairVerdict.UNRELATED,
            Act.NOTHING,
        ),
        (
            "I have a vet appointment on Friday.",
            "The vet appointment was moved to Monday.",
            PairVerdict.ENDS,
            Act.SUPERSEDE,
        ),
        ("I need to call the vet and book a haircut.", "I called the vet.", PairVerdict.COEXISTS, Act.NOTHING),
        ("I just planned the date night.", "I need to plan a date night.", PairVerdict.COMPLETES, Act.NOTHING),
    ],
)
def test_what_is_to_be_done_is_over_by_its_name(earlier: str, later: str, verdict: PairVerdict, act: Act) -> None:
    """By rule, whatever the reader says; what is to be done again is not, and of two things one is left."""
    found = judge(Claim(earlier, MAY, "Ana"), Claim(later, JUNE, "Ana"), {Effect.NONE: 1.0})
    assert (found.verdict, found.act) == (verdict, act)


def test_what_is_taken_off_a_list_says_nothing_of_other_tasks() -> None:
    """Whatever the reader makes of the likeness of their words."""
    off = Claim("I no longer need to track 'Update the CV' on my list.", JUNE, "Ana")
    found = judge(Claim("I need to update the website.", MAY, "Ana"), off, {Effect.ENDS: 1.0})
    assert (found.verdict, found.act) == (PairVerdict.UNRELATED, Act.NOTHING)
    assert judge(Claim("I need to send Bo the CV.", MAY, "Ana"), off, {Effect.ENDS: 1.0}).act is Act.SUPERSEDE


def test_what_another_did_ends_nothing_of_ones_own() -> None:
    """Nor does a weaker word a stronger one; whom one's own task is for does not matter."""
    mine, done = Claim("I need to call the bank.", MAY, "Ana"), Claim("I called the bank.", JUNE, "Ana")
    theirs = Claim("Ben called the bank.", JUNE, "Ana", holder="Ben")
    assert judge(mine, theirs, {Effect.NONE: 1.0}).act is Act.NOTHING
    assert judge(mine._replace(holder="bank"), done, {Effect.NONE: 1.0}).act is Act.SUPERSEDE
    inferred = done._replace(authority=Authority.INFERRED)
    assert judge(mine, inferred, {Effect.NONE: 1.0}).act is Act.NOTHING


@each(
    ("died", "verdict", "act"),
    [
        ("Vinegar died", PairVerdict.COEXISTS, Act.NOTHING),
        ("Salt and Vinegar died", PairVerdict.ENDS, Act.SUPERSEDE),
    ],
)
def test_who_died_was_one_of_several(died: str, verdict: PairVerdict, act: Act) -> None:
    """The others are there still."""
    pets = Claim("Ana's cats Salt and Vinegar are black", MAY, "Ana", attribute="pet")
    found = judge(pets, Claim(died, JUNE, "Ana", attribute="death"), {Effect.ENDS: 1.0})
    assert (found.verdict, found.act) == (verdict, act)
