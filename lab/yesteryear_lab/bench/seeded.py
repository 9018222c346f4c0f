"""Stores with a generated past, filled in seconds: vectors out of a hat, summaries without thought.

Only what is asked afterwards goes through the real model, and that is all a context needs of it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

import yesteryear
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose, unit_rows
from yesteryear.providers.registry import build_embedder
from yesteryear_lab.bench.past import Past

_TOPIC_WORDS = 6
_SUMMARY_WORDS = 90


class SeededEmbedder:
    """Gives each document a vector of its own at random, the same each time; questions are embedded by the model.

    Args:
        name: Which model, as the setting ``embedder`` names it.
    """

    def __init__(self, name: str) -> None:
        self._model = build_embedder(name)

    @property
    def profile(self) -> EmbedderProfile:
        """That of the model, under whose name the vectors are stored."""
        return self._model.profile

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Return shape (len(texts), dimension), float32, rows of unit length."""
        if purpose is Purpose.QUERY:
            return self._model.embed(texts, purpose=purpose)
        seeds = [zlib.crc32(text.encode()) for text in texts]
        return unit_rows([np.random.default_rng(seed).standard_normal(self.profile.dimension) for seed in seeds])

    def embed_question(self, text: str) -> None:
        """Embed a question and nothing else: what every context has to wait for."""
        self._model.embed([text], purpose=Purpose.QUERY)

    def close(self) -> None:
        """Keep the model: the next engine goes on with it."""


class BriefAnalyst:
    """Takes the first words of a talk for its summary."""

    def digest(self, talk: Any, *, give_way: Callable[[], None]) -> yesteryear.Digest:  # noqa: ANN401, ARG002 - see Analyst
        """Return a topic and a summary."""
        said = (message.content for exchange in talk.exchanges for message in exchange.messages)
        words = " ".join(said).split()
        return yesteryear.Digest(topic=" ".join(words[:_TOPIC_WORDS]), summary=" ".join(words[:_SUMMARY_WORDS]))

    def judge(self, pairs: Sequence[Any], *, give_way: Callable[[], None]) -> list[Any]:  # noqa: ARG002 - see Analyst
        """Let all stand side by side; it draws no facts, so there are none to judge."""
        return [yesteryear.Judgement(yesteryear.PairVerdict.COEXISTS) for _ in pairs]


def open_seeded(store: Path | str, embedder: SeededEmbedder, *, durability: str = "full") -> yesteryear.Engine:
    """Open a store with nobody at work in the background."""
    return yesteryear.open(store, worker="none", embedder=embedder, analyst=BriefAnalyst(), durability=durability)


def fill(path: Path, pasts: Mapping[str, Past], embedder: SeededEmbedder) -> None:
    """Let people have had their pasts, by their names, and work through all of it."""
    with open_seeded(path, embedder, durability="normal") as engine:
        for user, past in pasts.items():
            memory = engine.memory(user=user)
            for _, batch in groupby(past.messages, key=itemgetter("conversation")):
                memory.observe(list(batch))
            memory.flush()
