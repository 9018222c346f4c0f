"""What somebody is reminded of, and what they are told about the rest."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import yesteryear
from tests.concepts import ConceptEmbedder
from tests.workshop import MORNING_RUNS, NOON, Workshop, open_workshop
from yesteryear import Memory
from yesteryear.providers.minilm.weights import find_model

MONEY = ConceptEmbedder({"budget": ["budget", "euro"], "sport": ["run", "swim"]})
TRIP = "We moved the trip to May because the ferry was full. Ana will book the cabin, and Ben brings the maps."


@pytest.fixture
def shop(place: Path | str) -> Iterator[Workshop]:
    """Yield a memory of two talks, worked through."""
    with open_workshop(place, embedder=MONEY) as found:
        found.memory().observe(MORNING_RUNS, conversation="runs", author="Ana", id="r-1")
        found.memory().observe(TRIP, conversation="trip", author="Ana", id="t-1")
        found.memory().flush()
        yield found


def shown(context: yesteryear.Context, lane: str = "relevant") -> list[str]:
    """Return the lines of a lane."""
    return [item.text for item in context.lanes.get(lane, ())]


def test_the_sessions_own_messages_have_room_of_their_own(shop: Workshop) -> None:
    """Neither budget takes from the other; what does not fit there is recalled like everything else."""
    memory = shop.memory()
    for number in range(3):
        memory.observe(f"My budget is {number}00 euros for the boat.", conversation="boat", id=f"b-{number}")
    both = memory.context("How much is the budget?", conversation="boat")
    none = memory.context("How much is the budget?", conversation="boat", budget=0)
    one = memory.context("How much is the budget?", conversation="boat", recent_budget=both.recent_tokens // 3)
    assert (
        none.recent == both.recent == tuple(f"user: My budget is {number}00 euros for the boat." for number in range(3))
    )
    assert not any("boat" in line for line in shown(both))
    assert one.recent == both.recent[2:]
    assert sorted(name for item in one.items for name in item.messages if name.startswith("b-")) == ["b-0", "b-1"]


def test_what_is_asked_is_not_an_answer(shop: Workshop) -> None:
    """Whoever observes first and asks then is not told their own words, in any layout."""
    memory = shop.memory()
    said = "What was it that Ben brings on the trip?"
    memory.observe(said, conversation="new")
    for layout in ("text", "xml", "json"):
        context = memory.context(said, layout=layout)
        assert said not in context.text
        assert "maps" in context.text


def test_without_a_transcript_the_episodes_speak(place: Path | str) -> None:
    """Beside the last ones, which stand in the history, those that bear on the message are told."""
    with open_workshop(place, keep_verbatim=False, embedder=MONEY) as shop:
        memory = shop.memory()
        memory.configure(max_episodes_retrieved=1)
        memory.observe(f"Please remember: {MORNING_RUNS}", conversation="runs", id="r-1", at=NOON - timedelta(days=9))
        memory.observe(TRIP, conversation="trip", id="t-1")
        memory.flush()
        context = memory.context("When do I run?")
        assert [item.messages for item in context.lanes["history"]] == [("t-1",)]
        assert ("r-1",) in [item.messages for item in context.lanes["relevant"]]
        [told] = [item for item in context.lanes["relevant"] if item.messages == ("r-1",)]
        assert "21 February 2026 (9 days ago):\n" in context.text
        [episode] = [episode for episode in memory.episodes() if episode.conversation == "runs"]
        assert episode.digest is not None
        assert told.id == episode.id
        assert told.text.partition(": ")[2].strip() in episode.digest.summary
        assert {hit.grain for hit in memory.recall("When do I run?")} - {"fact"} == {"episode"}


def test_what_was_dropped_says_why(shop: Workshop) -> None:
    """For want of room, or because it was said already."""
    memory = shop.memory()
    memory.observe(TRIP.replace("Ana", "ANA"), conversation="echo", author="Ana", id="e-1")
    memory.flush()
    whole = memory.context("Who brings the maps on the trip?", budget=5000)
    reasons = {dropped.messages: dropped.reason for dropped in whole.dropped if dropped.lane == "relevant"}
    assert list(reasons.values()) == ["already said"]
    assert set(reasons) <= {("e-1",), ("t-1",)}
    tight = memory.context("Who brings the maps on the trip?", budget=60)
    dropped = [dropped for dropped in tight.dropped if dropped.reason == "no room"]
    assert dropped
    assert all(
        drop.tokens is None or drop.tokens > tight.budget - tight.tokens or drop.lane == "history" for drop in dropped
    )
    assert all(drop.text for drop in dropped)


def test_a_context_tells_what_it_lacks(shop: Workshop) -> None:
    """Too small a budget is told; no memory at all is not."""
    memory = shop.memory()
    assert memory.context("When do I run?", budget=9).notes == ("nothing that is remembered fits into a budget of 9",)
    assert memory.context("When do I run?").notes == ()
    assert shop.memory("ben").context("When do I run?", budget=9).notes == ()


def test_without_a_message_the_history_may_take_all(place: Path | str) -> None:
    """Whoever opens a conversation is told of the last ones in full, not in eight hundredths of the budget."""
    with open_workshop(place, embedder=MONEY) as found:
        memory = found.memory()
        _tell_of_pears(memory)
        told = memory.context(budget=400)
    assert set(told.lanes) <= {"history", "facts", "news"}  # what was asked to be remembered today is news
    assert told.tokens > 0.08 * 400
    assert told.text.count("pear tree behind the shed") >= 3


def _tell_of_pears(memory: Memory) -> None:
    for number in range(3):
        said = f"Please remember: on day {number} I planted a pear tree behind the shed, and Ben watered it for me."
        memory.observe([{"content": said}] * 4, conversation=f"c{number}")
    memory.flush()


@pytest.mark.skipif(find_model() is None, reason="the embedder is not installed: run `yesteryear model install`")
def test_what_needs_no_memory_gets_little_of_it(place: Path | str) -> None:
    """A riddle or a sum brings no life along; whoever is named does."""
    with open_workshop(place, embedder="auto") as found:
        memory = found.memory()
        for number, said in enumerate(LIFE):
            memory.observe(said, conversation=f"c{number}", author="Ana", at=NOON + timedelta(days=number))
        memory.flush()
        later = NOON + timedelta(days=30)
        sums, dinner, named = (
            memory.context(message, at=later)
            for message in ("What's the square root of 144?", "What shall I cook tonight?", "Is Otto a Greek name?")
        )
    assert not shown(sums)
    assert not shown(sums, "facts")
    assert len(shown(dinner)) >= 6
    assert any("Otto" in line for line in shown(named))


LIFE = [
    *("We moved to Porto last year.", "I started to learn the cello.", "My brother Otto drives a tram."),
    *("I had soup with leek for lunch.", "The landlord fixed the boiler at last.", "I saw a fox in the yard."),
    *("Work was long today, the audit is on.", "I swim on Tuesdays with Ines.", "The train was late again."),
]


@pytest.mark.skipif(find_model() is None, reason="the embedder is not installed: run `yesteryear model install`")
def test_what_is_to_be_done_is_listed_where_it_is_asked_for(place: Path | str) -> None:
    """With its day, and not what is done; it costs nothing where something else is asked."""
    with open_workshop(place, embedder="auto") as found:
        memory = found.memory()
        for number, said in enumerate(
            ["I need to call the plumber.", "I have to renew my passport by 20 May 2026.", "I called the plumber."]
        ):
            memory.observe(said, conversation=f"c{number}", author="Ana", at=NOON + timedelta(days=number))
        memory.flush()
        asked = memory.context("What's still on my to-do list?", at=NOON + timedelta(days=4))
        other = memory.context("Is the plumber any good?", at=NOON + timedelta(days=4))
    [item] = asked.lanes["agenda"]
    assert "passport" in item.text
    assert "due " in item.text
    assert "Open Tasks and Dates:\n" in asked.text
    assert "agenda" not in other.lanes
