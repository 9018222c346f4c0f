"""What is told in one breath ends one by one, and what somebody is ends with none of it."""

from __future__ import annotations

import pytest

from tests.lifecycle.test_tastes import believed_after


@pytest.mark.parametrize(
    ("messages", "stays", "goes"),
    [
        (
            ("I take ramipril 5mg, aspirin and vitamin D", "doctor stopped the aspirin"),
            ("ramipril", "vitamin"),
            "takes aspirin",
        ),
        (
            (
                "I study pharmacy in Cairo, I live in the dorm and each weekend I visit my aunt",
                "I moved out of the dorm",
            ),
            ("pharmacy", "aunt"),
            "lives in the dorm",
        ),
    ],
)
def test_a_part_ends_and_the_rest_stands(messages: tuple[str, ...], stays: tuple[str, ...], goes: str) -> None:
    """A list and a sentence of several clauses are several facts."""
    told = "\n".join(believed_after(*messages))
    assert all(word in told for word in stays)
    assert goes not in told


@pytest.mark.parametrize(
    "messages",
    [
        ("I have a cat named Biscuit", "Biscuit died last night"),
        ("We have a cat called Minka.", "Minka died last night."),
    ],
)
def test_who_had_a_pet_that_died_has_it_no_more(messages: tuple[str, ...]) -> None:
    """By its name."""
    assert not any("cat" in told for told in believed_after(*messages))


def test_a_tie_outlives_what_befalls_somebody() -> None:
    """However little else is known."""
    told = believed_after("my boyfriend is Tyson, he plays footy for souths", "tyson did his acl, out all season")
    assert any("boyfriend is Tyson" in each for each in told)


def test_a_stay_in_hospital_is_no_death() -> None:
    """It ends with the way home."""
    told = believed_after("My mum's in hospital.", "Mum is home again, they discharged her.")
    assert len(told) == 1
    assert "home again" in told[0]


def test_what_lasts_outlives_a_visit_told_beside_it() -> None:
    """The day is that of the visit."""
    told = believed_after("my brother lives in Oslo, seeing him on 4 march", "rain", "more rain", "still rain")
    assert any("Oslo" in each for each in told)
    told = believed_after("My dad's deaf in one ear and he's visiting on Friday", "rain", "more rain", "still rain")
    assert "Ana's dad's deaf in one ear" in told


@pytest.mark.parametrize(
    ("said", "things"),
    [
        ("I'm allergic to peanuts, shellfish and penicillin.", ("peanuts", "shellfish", "penicillin")),
        ("I take warfarin, insulin and metformin", ("warfarin", "insulin", "metformin")),
        ("My son is allergic to peanuts, eggs and milk", ("peanuts", "eggs", "milk")),
        ("I play guitar, bass and drums", ("guitar", "bass", "drums")),
    ],
)
def test_each_thing_of_a_list_is_believed_after_a_night(said: str, things: tuple[str, ...]) -> None:
    """None is folded into another, least of all an allergy; told again it is still there."""
    told = believed_after(said, said)
    assert [thing for thing in things if not any(each.endswith(thing) for each in told)] == []
    assert len(told) == len(things)


def test_one_allergy_less_leaves_the_others() -> None:
    """By name."""
    told = believed_after(
        "I'm allergic to peanuts, shellfish and penicillin.", "Turns out I'm not allergic to shellfish"
    )
    assert any("to peanuts" in each for each in told)
    assert any("to penicillin" in each for each in told)


def test_what_was_so_of_somebody_is_over_when_they_die() -> None:
    """By whatever word they are called; somebody else's uncle is another one."""
    assert not any("works" in each for each in believed_after("My dad works at the mill", "My dad has died."))
    assert any("York" in each for each in believed_after("My uncle lives in York.", "My wife's uncle died."))
