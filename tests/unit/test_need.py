"""Whether a message needs anything remembered."""

from __future__ import annotations

from math import log1p

import numpy as np
import pytest

from yesteryear.core.vectors import Purpose
from yesteryear.providers.minilm.weights import find_model
from yesteryear.providers.registry import build_embedder
from yesteryear.recall.budget import NEED_FEATURES, ContextPolicy, need_features, needs_memory

POLICY = ContextPolicy()


@pytest.mark.skipif(find_model() is None, reason="the embedder is not installed: run `yesteryear model install`")
def test_what_anybody_could_answer_needs_no_memory() -> None:
    """Plain turns of both kinds are told apart; how well in all stands in the model card."""
    turns = {
        "what's the square root of 144": False,
        "Who wrote Hamlet?": False,
        "translate 'good morning' into Spanish": False,
        "what should I cook tonight?": True,
        "when is my sister's birthday?": True,
        "ok, I did the first two. what's next on my plan?": True,
    }
    embedder = build_embedder("auto")
    found = embedder.embed(list(turns), purpose=Purpose.QUERY)
    for vector, (text, is_needed) in zip(found, turns.items(), strict=True):
        assert (needs_memory(text, vector, model=embedder.profile.model) >= POLICY.needed) is is_needed, text


def test_without_a_head_everything_may_be_needed() -> None:
    """No vector, no model, or one that no head reads."""
    vector = np.ones(4, dtype=np.float32)
    assert needs_memory("2 + 2?", None, model="minilm") == 1
    assert needs_memory("2 + 2?", vector, model=None) == 1
    assert needs_memory("2 + 2?", vector, model="another") == 1


def test_function_words_are_seen_whatever_else_is_said() -> None:
    """Once, however often they are said, and the head's own only."""
    found = need_features("Where is MY key? My, my!")
    assert {name for name, value in found.items() if value == 1} == {"where", "is", "my"}
    assert tuple(found) == NEED_FEATURES
    assert found["length"] == pytest.approx(log1p(6))
    assert need_features("my key", ("length", "my", "your")) == {"my": 1, "your": 0, "length": pytest.approx(log1p(2))}


def test_what_is_needed_for_sure_is_asked_little() -> None:
    """And what is not at all cannot be relevant enough."""
    assert (
        POLICY.least_relevance(1, best=0.5) == POLICY.least_relevance(POLICY.needed, best=0.5) == POLICY.relevance_floor
    )
    assert POLICY.least_relevance(0.1, best=0.5) == pytest.approx(10 * POLICY.unneeded_floor)
    assert POLICY.least_relevance(0, best=0.5) > 1


def test_where_nothing_stands_out_all_are_about_as_good() -> None:
    """Of three hundred that are alike none is likely."""
    assert POLICY.least_relevance(1, best=1 / 300) < 1 / 3000


def test_what_may_harm_somebody_is_never_taken_to_need_nothing() -> None:
    """Though anybody may ask it: of food, drink, medicine, sport and travel. Nor is a bare word or two."""
    for text in (
        "trees",
        "passport number",
        "give me a pancake recipe",
        "how to cook lobster",
        "can you take ibuprofen with alcohol?",
    ):
        assert needs_memory(text, np.zeros(384, dtype=np.float32), model="minilm-l6-v2") == 1
