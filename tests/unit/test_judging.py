"""How a stretch of talk is judged with an embedder at hand, and without."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import numpy as np

from tests.failing import FailingEmbedder
from yesteryear.core.message import KEEP_REASONS, Message, Role
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose
from yesteryear.ports import Embedder
from yesteryear.providers.hashing import HashingEmbedder
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.providers.minilm.weights import DIMENSION, MODEL
from yesteryear.remember.gate import SENSE, gate_head
from yesteryear.remember.make_episodes import RememberPolicy, judge_segment
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.testing.builders import a_conversation, a_message


class OneSidedEmbedder:
    """Under the default model's name, the same vector for every text: the one that speaks most for keeping."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    @property
    def profile(self) -> EmbedderProfile:
        """The default model's name."""
        return EmbedderProfile(model=MODEL, dimension=DIMENSION, duplicate=0.9, candidate=0.5, related=0.4)

    def embed(self, texts: Sequence[str], *, purpose: Purpose = Purpose.DOCUMENT) -> Matrix:
        """Return shape (len(texts), 384)."""
        self.asked += texts
        head = gate_head(MODEL)
        assert head.vector_weights is not None
        keeps = np.array([name in KEEP_REASONS for name in head.classes])
        pull = head.vector_weights[keeps].mean(axis=0) - head.vector_weights[~keeps].mean(axis=0)
        return np.tile(pull / np.linalg.norm(pull), (len(texts), 1))

    def close(self) -> None:
        """Nothing is held."""


def judged(messages: Sequence[Message], embedder: Embedder) -> list[Message]:
    """Return messages with their verdicts."""
    with closing(InMemoryStore()) as store:
        return list(judge_segment(messages, embedder, LocalAnalyst(), store, policy=RememberPolicy()).messages)


def senses(messages: Sequence[Message]) -> list[float]:
    """Return what the sense of the words added to each exchange, where it was weighed."""
    verdicts = [message.verdict for message in messages if message.verdict is not None]
    return [verdict.features[SENSE] for verdict in verdicts if SENSE in verdict.features]


TALK = a_conversation("the green one", "Noted.", "the blue one", "Noted.", "the red one", "Noted.")


def test_the_sense_of_the_words_is_weighed_where_the_model_is_known() -> None:
    """Each exchange costs one vector, of what the person said."""
    embedder = OneSidedEmbedder()
    found = judged(TALK, embedder)
    assert embedder.asked == ["the green one", "the blue one", "the red one"]
    assert all(sense > 0 for sense in senses(found))
    assert all(message.is_kept for message in found)


def test_another_embedder_is_not_asked() -> None:
    """Its vectors would mean nothing; the gate goes by named features."""
    embedder = FailingEmbedder(HashingEmbedder())
    assert senses(judged(TALK, embedder)) == [0, 0, 0]


def test_an_embedder_that_is_down_delays_no_verdict() -> None:
    """From where it fails the gate goes by named features, and does not ask again in this stretch."""
    inner = OneSidedEmbedder()
    found = judged(TALK, FailingEmbedder(inner, word="blue"))
    assert inner.asked == ["the green one"]
    before, *after = senses(found)
    assert before > 0
    assert after == [0, 0]
    assert senses(judged(TALK, FailingEmbedder(inner))) == [0, 0, 0]


def test_words_of_nobody_need_no_vector() -> None:
    """Replies alone are settled by a rule."""
    embedder = OneSidedEmbedder()
    (message,) = judged([a_message("hi", role=Role.ASSISTANT)], embedder)
    assert embedder.asked == []
    assert not message.is_kept
