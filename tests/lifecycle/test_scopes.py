"""Two people never meet, two projects never meet, and what belongs to the person is seen from everywhere."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from tests.workshop import SOUND, Workshop, damage, open_workshop

QUESTION = "Where did I hide the treasure?"
SCOPES: dict[str, dict[str, Any]] = {
    "ana": {"user": "ana"},
    "ben": {"user": "ben"},
    "ana of another customer": {"user": "ana", "tenant": "acme"},
    "ana's thesis": {"user": "ana", "project": "thesis"},
    "ana's move": {"user": "ana", "project": "move"},
    "ana's coach": {"user": "ana", "agent": "coach"},
    "ana's thesis with the coach": {"user": "ana", "project": "thesis", "agent": "coach"},
}
HIDDEN = dict(zip(SCOPES, ("oak", "well", "cellar", "desk", "garage", "gym", "attic"), strict=True))
SEES = {
    "ana": {"ana", "ana's thesis", "ana's move", "ana's coach", "ana's thesis with the coach"},
    "ben": {"ben"},
    "ana of another customer": {"ana of another customer"},
    "ana's thesis": {"ana", "ana's thesis", "ana's coach", "ana's thesis with the coach"},
    "ana's move": {"ana", "ana's move", "ana's coach"},
    "ana's coach": {"ana", "ana's thesis", "ana's move", "ana's coach", "ana's thesis with the coach"},
    "ana's thesis with the coach": {"ana", "ana's thesis", "ana's coach", "ana's thesis with the coach"},
}


def memory_of(shop: Workshop, name: str) -> yesteryear.Memory:
    """Return the memory of one of the scopes."""
    return shop.engine.memory(**SCOPES[name])


def hide_treasures(shop: Workshop, *, is_worked_through: bool) -> None:
    """Let everybody hide something, in a conversation of the same name, with messages of the same ids."""
    for name, place in HIDDEN.items():
        memory = memory_of(shop, name)
        memory.observe(f"I decided to hide my treasure behind the {place} last night.", conversation="chat", id="m-1")
        memory.observe("Nobody but me knows it, please remember that.", conversation="chat", id="m-2")
        if is_worked_through:
            memory.flush()


def told(memory: yesteryear.Memory) -> set[str]:
    """Return whose treasures a memory speaks of, by any of its verbs."""
    context = memory.context(QUESTION, conversation="chat", budget=4000)
    texts = [context.text, *context.recent, *(hit.text for hit in memory.recall(QUESTION, limit=100))]
    texts += [message.content for message in memory.messages()]
    texts += [episode.digest.summary for episode in memory.episodes() if episode.digest]
    return {name for name, place in HIDDEN.items() if any(place in text for text in texts)}


@pytest.mark.parametrize("is_worked_through", [False, True], ids=["just said", "worked through"])
def test_each_scope_sees_what_it_should_and_nothing_else(place: Path | str, *, is_worked_through: bool) -> None:
    """The table of visibilities holds for context, recall, messages and episodes alike."""
    with open_workshop(place) as shop:
        hide_treasures(shop, is_worked_through=is_worked_through)
        assert {name: told(memory_of(shop, name)) for name in SCOPES} == SEES


def test_every_single_hit_is_of_a_scope_that_may_be_seen(place: Path | str) -> None:
    """Not even at the end of a long list does somebody else turn up."""
    with open_workshop(place) as shop:
        hide_treasures(shop, is_worked_through=True)
        for name in SCOPES:
            memory = memory_of(shop, name)
            assert len(memory.conversations()) == len(SEES[name])
            assert {message.scope.owner for message in memory.messages()} == {memory.scope.owner}
            assert len(memory.messages()) == 2 * len(SEES[name])


def test_the_same_id_in_two_scopes_is_two_messages(place: Path | str) -> None:
    """Neither idempotency nor a conflict reaches over the border of a scope."""
    with open_workshop(place) as shop:
        hide_treasures(shop, is_worked_through=False)
        for one, other in permutations(HIDDEN, 2):
            text = f"I decided to hide my treasure behind the {HIDDEN[one]} last night."
            assert memory_of(shop, one).observe(text, conversation="chat", id="m-1").is_new is False
            with pytest.raises(yesteryear.YesteryearError, match="another text"):
                memory_of(shop, one).observe(HIDDEN[other], conversation="chat", id="m-1")


def test_flush_of_one_leaves_the_others_alone(place: Path | str) -> None:
    """Ben's open talk is not ended because Ana wants hers done."""
    with open_workshop(place) as shop:
        hide_treasures(shop, is_worked_through=False)
        memory_of(shop, "ana").flush()
        assert memory_of(shop, "ben").stats()["messages.open"] == 2
        assert damage(memory_of(shop, "ana")) == SOUND
