"""What was said to be over stays so, whatever else is told, until something is said about that very thing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

import yesteryear
from tests.analysts import ScriptedAnalyst, a_draft
from tests.concepts import ConceptEmbedder
from tests.lifecycle.test_facts import day
from tests.script import open_play, say
from tests.workshop import Workshop
from yesteryear.core.attributes import FactKind
from yesteryear.core.ruling import Judgement, PairVerdict

TRUCK, SOLD = "I drive the truck.", "Somebody drives my truck now, cash in hand."
SOLD_PLAINLY = "I have the cash for the truck that somebody drives."
OTHERS = [f"My cousin drives truck {number}{paid}." for number in range(7) for paid in ("", " for cash")]
"""Each is more like one of the two than these are like each other."""
STATES = {
    TRUCK: a_draft("Ana drives the truck."),
    SOLD: a_draft("Somebody drives Ana's truck, cash in hand.", kind=FactKind.EVENT),
    SOLD_PLAINLY: a_draft("Ana has the cash for the truck that somebody drives."),
} | {text: a_draft(text.replace("My", "Ana's")) for text in OTHERS}
JUDGEMENTS = {
    (STATES[TRUCK].statement, STATES[sold].statement): Judgement(
        PairVerdict.UNRELATED, scores={PairVerdict.UNRELATED: 1 - over, PairVerdict.ENDS: over}
    )
    for sold, over in ((SOLD, 0.4), (SOLD_PLAINLY, 0.9))
}
CONCEPTS = {"driving": ["drives"], "truck": ["truck"], "money": ["cash"]}


def is_driven(memory: yesteryear.Memory) -> bool:
    """Tell whether Ana is believed to drive the truck."""
    return STATES[TRUCK].statement in [fact.statement for fact in memory.facts(limit=1000)]


@contextmanager
def a_garage(place: Path | str) -> Iterator[Workshop]:
    """Open a store whose analyst guesses that the truck is sold."""
    analyst = ScriptedAnalyst({text: [draft] for text, draft in STATES.items()}, JUDGEMENTS)
    with open_play(place, analyst=analyst, embedder=ConceptEmbedder(CONCEPTS)) as shop:
        yield shop


@pytest.mark.parametrize("seed", range(3))
def test_what_is_over_stays_so_through_unrelated_talk(place: Path | str, seed: int) -> None:
    """Night after night, in any order of that talk; told anew it holds again."""
    with a_garage(place) as shop:
        memory = shop.memory()
        others = Random(seed).sample(OTHERS, len(OTHERS))
        for number, text in enumerate([TRUCK, SOLD, *others]):
            shop.clock.set(day(number))
            say(memory, text, conversation=f"day {number}")
            assert is_driven(memory) == (number == 0), text
            memory.consolidate()
            assert is_driven(memory) == (number == 0), f"the night after {text}"
        shop.clock.set(day(len(OTHERS) + 5))
        say(memory, TRUCK, conversation="again")
        memory.consolidate()
        assert is_driven(memory)


def test_what_is_over_holds_again_once_what_ended_it_is_forgotten(place: Path | str) -> None:
    """However much was told since."""
    with a_garage(place) as shop:
        memory = shop.memory()
        for number, text in enumerate([TRUCK, SOLD, *OTHERS]):
            shop.clock.set(day(number))
            say(memory, text, conversation=f"day {number}")
        memory.consolidate()
        (sold,) = [fact for fact in memory.facts(limit=1000) if fact.statement == STATES[SOLD].statement]
        memory.forget(sold.id)
        memory.consolidate()
        assert is_driven(memory)


def test_what_was_not_near_enough_ends_nothing_for_the_subject_of_the_talk(place: Path | str) -> None:
    """Which talk is on one subject changes with all that is told; that two say the same is found by it still."""
    with a_garage(place) as shop:
        memory = shop.memory()
        between = [text for text in OTHERS if "cash" in text]
        for number, text in enumerate([TRUCK, *between, SOLD_PLAINLY]):
            shop.clock.set(day(number))
            say(memory, text, conversation=f"day {number}")
        assert is_driven(memory)
        memory.consolidate()
        assert is_driven(memory)
