"""What a statement bears on that nobody may lose by one sentence."""

from __future__ import annotations

from tests.each import each
from yesteryear.core.language.told.safety_and_identity import disagree, read_bearing, tells_change


@each(
    ("statement", "matter"),
    [
        ("Ana is allergic to bee stings", "allergy"),
        ("Ana does not have any allergies", "allergy"),
        ("Ana must not eat shellfish", "restriction"),
        ("Ana cannot have dairy", "restriction"),
        ("Ana's daughter can't have any nuts", "restriction"),
        ("Ana is off dairy", "restriction"),
        ("Ana has never been able to eat eggs", "restriction"),
        ("Ana takes 20 mg of lisinopril", "medicine"),
        ("Ana is on citalopram", "medicine"),
        ("Ana takes sertraline", "medicine"),
        ("Ana is off the insulin", "medicine"),
        ("Ana has been diagnosed with lupus", "illness"),
        ("Ana is no longer pregnant", "pregnancy"),
        ("Ana is O negative", "blood"),
        ("Ana is deaf in one ear", "disability"),
        ("Ana never eats pork", "diet"),
        ("Ana's name is Maria Costa", "name"),
        ("Ana was born on 3 May 1990", "birth"),
        ("Ana's pronouns are they/them", "gender"),
        ("Ana is Brazilian", "origin"),
        ("Ana is a practising Muslim", "faith"),
    ],
)
def test_a_statement_on_safety_or_identity_is_known_by_its_words(statement: str, matter: str) -> None:
    """Whether it affirms or denies; else one sentence would end it."""
    assert matter in read_bearing(statement, "Ana").matters


@each(
    "statement",
    [
        "Ana lives in Lisbon",
        "Ana takes the bus to work",
        "Ana is finishing her thesis",
        "Ana is a nurse",
        "Ana likes running in the rain",
        "Ana wants to learn the cello",
        "Ana studies medicine",
        "Ana watched The Blind Side",
        "Ana cannot have visitors on Monday",
        "Ana can't have it both ways",
        "Ana got 50p off milk",
        "Ana doesn't drink coffee anymore, only tea",
        "Ana never eats breakfast",
        "Ana has high cholesterol in mind when she shops",
    ],
)
def test_what_changes_every_day_is_not_guarded(statement: str) -> None:
    """Else every move of house would raise a question."""
    assert not read_bearing(statement, "Ana").is_guarded


@each(
    ("one", "other"),
    [
        ("Ana is allergic to latex", "Ana is not allergic to latex"),
        ("Ana is allergic to peanuts", "Ana drinks coffee in the morning and eats peanuts at night"),
        ("Ana is allergic to peanuts", "Ana likes peanuts and eats them every day"),
        ("Ana is allergic to peanuts. Put the kettle on.", "It rained. Ana can eat peanuts after all."),
        ("Ana has a peanut allergy", "Ana can eat peanuts"),
        ("Ana has a peanut allergy", "Ana has no allergies"),
        ("Ana takes warfarin", "Ana does not take warfarin"),
        ("Ana is on antidepressants", "Ana is off the antidepressants"),
        ("Ana cannot have dairy", "Ana eats dairy"),
        ("Ana has asthma", "Ana never had asthma"),
        ("Ana is pregnant", "Ana isn't pregnant"),
        ("Ana uses a wheelchair", "Ana doesn't use a wheelchair"),
        ("Ana does not eat pork", "Ana eats pork"),
    ],
)
def test_a_flat_denial_is_seen_both_ways(one: str, other: str) -> None:
    """Whichever was said first."""
    first, second = read_bearing(one, "Ana"), read_bearing(other, "Ana")
    assert disagree(first, second)
    assert disagree(second, first)


@each(
    ("one", "other"),
    [
        ("Ana is allergic to latex", "Ana is not allergic to cats"),
        ("Ana is allergic to nuts", "Ana cannot eat nuts"),
        ("Ana takes warfarin", "Ana does not take insulin"),
        ("Ana has asthma", "Ana has diabetes"),
        ("Ana is allergic to peanuts", "Ana does not like peanuts"),
    ],
)
def test_what_may_both_hold_is_no_denial(one: str, other: str) -> None:
    """A question about it would be idle."""
    assert not disagree(read_bearing(one, "Ana"), read_bearing(other, "Ana"))


@each(
    ("text", "matter"),
    [
        ("Turns out I'm not allergic to penicillin after all", "allergy"),
        ("the biopsy came back negative, I don't have cancer", "illness"),
        ("They took me off metformin", "medicine"),
        ("I'm not pregnant anymore, she was born on Sunday", "pregnancy"),
        ("I changed my name to Ana Costa", "name"),
        ("I was wrong, my birthday is the 4th", "birth"),
    ],
)
def test_a_change_that_is_told_in_words_is_seen(text: str, matter: str) -> None:
    """Then it may end what was told before."""
    assert tells_change(text, frozenset({matter}))


@each(
    ("text", "matter"),
    [
        ("I'm not allergic to penicillin", "allergy"),
        ("I am not allergic to penicillin any more.", "allergy"),
        ("I have no epilepsy", "illness"),
        ("I don't take metformin", "medicine"),
        ("My name is Maria", "name"),
        ("My blood type is A positive now", "blood"),
        ("Turns out the peanut allergy is gone?? They want to repeat the test", "allergy"),
    ],
)
def test_a_bare_sentence_tells_no_change(text: str, matter: str) -> None:
    """For what seldom ends, "any more" is not enough: so it stands in pasted text."""
    assert not tells_change(text, frozenset({matter}))


@each(
    ("one", "other"),
    [
        ("Ana is allergic to nuts. Put the kettle on.", "Ana never takes pills. She put the kettle away."),
        ("Ana takes warfarin. Her daughter Zoe called.", "Zoe does not take pills. She called Ana."),
        ("Ana has a nut allergy. She talked to Zoe.", "Zoe eats out a lot. She talked of nuts and bolts."),
    ],
)
def test_what_stands_in_another_sentence_is_no_denial(one: str, other: str) -> None:
    """Each is read by itself, and words that stand in all talk are no thing that two of them share."""
    assert not disagree(read_bearing(one, "Ana"), read_bearing(other, "Ana"))
