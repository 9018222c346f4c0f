"""Words of other facts that stand in a quote: told with it while they hold, and not when they are over."""

from __future__ import annotations

from dataclasses import replace

from tests.beliefs import a_fact, after, day, ruled, said
from tests.each import each
from yesteryear.consolidate.belief.settle import KnownFact
from yesteryear.core.ended import words_that_hold
from yesteryear.core.fact import TELLS_ALONG, Fact, FactStatus, Form
from yesteryear.core.ruling import Act

TEST = "Wednesday is my driving test."
KNEE = "My knee is bad, says the doctor."
BOTH = f'Ana said on 2026-01-01: "{TEST} {KNEE}"'


def in_words(name: str, words: str, statement: str = "", **more: object) -> Fact:
    """Return a fact that is told in words."""
    return a_fact(name, statement=statement or f'Ana said: "{words}"', form=Form.QUOTE, **more)


def talk(*facts: Fact, quotes: dict[str, str], session: str = "kitchen", **more: object) -> KnownFact:
    """Return facts that were told in one talk, each in the words of its own, and what was judged."""
    rows = tuple(said(name, 0, session=session, quote=quote) for name, quote in quotes.items())
    return KnownFact(facts=facts, evidence=rows, **more)  # type: ignore[arg-type]


def told(known: KnownFact, name: str = "knee", on: float = 1) -> str:
    """Return a fact as it is told on a day, when all is settled."""
    facts = {fact.id: fact for fact in after(known, on).facts}
    return words_that_hold(facts[name], facts.get, now=day(on))


KNOWN = talk(in_words("test", TEST), in_words("knee", KNEE, BOTH), quotes={"test": TEST, "knee": KNEE})
NEWS = a_fact("passed", 5)


def changed(known: KnownFact, *, name: str = "test") -> KnownFact:
    """Return what is known once something took the place of a fact."""
    rows = (*known.evidence, said("passed", 5, session="later"))
    return replace(known, facts=(*known.facts, NEWS), evidence=rows, rulings=(ruled(Act.SUPERSEDE, name, "passed"),))


def test_what_holds_is_told_along() -> None:
    """As it was said."""
    assert told(KNOWN) == BOTH


def test_what_is_put_right_is_told_with_what_was_wrong() -> None:
    """Else nobody would know what the right value is of."""
    rent, both = "My rent is 421 a month", 'Ana said: "My rent is 421 a month. sorry, 412"'
    known = talk(
        *(in_words("test", rent), in_words("knee", "sorry, 412", both)), quotes={"test": rent, "knee": "sorry, 412"}
    )
    assert told(changed(known), on=6) == both


def test_what_is_over_is_not_told_with_what_holds() -> None:
    """Another took its place, the person refuted it, it was settled, or its time is past."""
    rest = f'Ana said on 2026-01-01: "… {KNEE}"'
    assert told(changed(KNOWN), on=6) == rest
    past = replace(KNOWN, facts=(replace(KNOWN.facts[0], valid_to=day(3)), KNOWN.facts[1]))
    assert told(past, on=2) == BOTH
    assert told(past, on=3) == rest
    by_hand = replace(KNOWN.facts[0], resolved_at=day(2), properties={"resolved_by": "person"})
    assert told(replace(KNOWN, facts=(by_hand, KNOWN.facts[1]))) == rest


def test_what_is_merged_is_over_with_what_it_is_merged_into() -> None:
    """Though it has no end of its own."""
    again = in_words("again", "My driving test is on Wednesday.")
    known = replace(
        KNOWN,
        facts=(*KNOWN.facts, again),
        evidence=(*KNOWN.evidence, said("again", 2, quote="My driving test is on Wednesday.")),
    )
    merged = replace(changed(known, name="again"))
    merged = replace(merged, rulings=(*merged.rulings, ruled(Act.FOLD, "test", "again")))
    assert {fact.id: fact.status for fact in after(merged, 6).facts}["test"] is FactStatus.MERGED
    assert told(merged, on=6).startswith('Ana said on 2026-01-01: "…')


def test_what_only_faded_stays() -> None:
    """Nobody said that it is over."""
    fading = {"status": FactStatus.DEPRECATED, "properties": {"why": "faded"}}
    facts = {fact.id: fact for fact in after(KNOWN, 1).facts} | {"test": replace(KNOWN.facts[0], **fading)}
    assert words_that_hold(facts["knee"], facts.get, now=day(1)) == BOTH


def test_what_was_told_as_past_stays() -> None:
    """It is as much so as before."""
    worked = in_words("test", TEST, valid_from=day(-900), valid_to=day(-100))
    assert told(replace(KNOWN, facts=(worked, KNOWN.facts[1]))) == BOTH


def test_what_the_next_sentence_hangs_on_stays() -> None:
    """Nobody would know who has the allergy."""
    lea, nuts = "My sister Lea is staying with us.", "She has a severe nut allergy."
    known = talk(
        *(in_words("test", lea), in_words("knee", nuts, f'Ana said: "{lea} {nuts}"')),
        quotes={"test": lea, "knee": nuts},
    )
    assert told(changed(known), on=6) == f'Ana said: "{lea} {nuts}"'


@each(
    ("quotes", "why"),
    [
        ({"test": "says the doctor", "knee": "My knee is bad"}, "its own sentence"),
        ({"test": "My knee", "knee": "says the doctor."}, "too few words"),
        ({"test": "Thursday is my driving test.", "knee": KNEE}, "other words"),
        ({"test": "Wednesday is my", "knee": KNEE}, "no whole sentence"),
        ({"test": f"{TEST} {KNEE}", "knee": KNEE}, "more than one sentence, its own too"),
    ],
)
def test_words_stay_that_another_fact_does_not_tell_alone(quotes: dict[str, str], why: str) -> None:
    """Whole sentences go, none in which a fact's own words stand."""
    known = talk(in_words("test", TEST), in_words("knee", KNEE, BOTH), quotes=quotes)
    assert told(changed(known), on=6) == BOTH, why


def test_words_that_another_fact_tells_which_holds_stay() -> None:
    """The same sentence was told twice that day, and one of the two is over."""
    known = replace(
        KNOWN,
        facts=(*KNOWN.facts, in_words("again", TEST)),
        evidence=(*KNOWN.evidence, said("again", 0, session="kitchen", quote=TEST)),
    )
    assert told(changed(known), on=6) == BOTH


def test_words_of_another_talk_and_of_others_stay() -> None:
    """The same sentence said months before, or by somebody else, is another."""
    before = said("test", -90, session="long ago", quote=TEST)
    theirs = replace(said("test", 0, session="kitchen", quote=TEST), author="Ben")
    for row in (before, theirs):
        known = replace(KNOWN, evidence=(row, KNOWN.evidence[1]))
        marks = {fact.id: fact.properties for fact in after(known, 1).facts}
        assert TELLS_ALONG not in marks["knee"]
