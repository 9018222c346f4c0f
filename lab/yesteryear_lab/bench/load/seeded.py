"""Embedders and analysts that cost little, and stores filled by them in seconds.

With vectors out of a hat and summaries without thought, only what is asked afterwards goes through the real model, and
that is all a context needs of it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import yesteryear
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose, unit_rows
from yesteryear.providers.registry import build_embedder
from yesteryear.results import Digest, FactDraft, Judgement, PairVerdict
from yesteryear_lab.bench.load.past import Past
from yesteryear_lab.bench.report import open_idle

if TYPE_CHECKING:
    from yesteryear.providers.local.analyst import LocalAnalyst

_TOPIC_WORDS = 6
_SUMMARY_WORDS = 90


class _AroundModel:
    def __init__(self, name: str) -> None:
        self._model = build_embedder(name)

    @property
    def profile(self) -> EmbedderProfile:
        """That of the model, under whose name the vectors are stored."""
        return self._model.profile

    def close(self) -> None:
        """Keep the model: the next engine goes on with it."""


class SeededEmbedder(_AroundModel):
    """Gives each document a vector of its own at random, the same each time; questions are embedded by the model."""

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Return shape (len(texts), dimension), float32, rows of unit length."""
        if purpose is Purpose.QUERY:
            return self._model.embed(texts, purpose=purpose)
        seeds = [zlib.crc32(text.encode()) for text in texts]
        return unit_rows([np.random.default_rng(seed).standard_normal(self.profile.dimension) for seed in seeds])

    def embed_question(self, text: str) -> None:
        """Embed a question and nothing else: what every context has to wait for."""
        self._model.embed([text], purpose=Purpose.QUERY)


class CachedEmbedder(_AroundModel):
    """Remembers every vector it has made, for as long as it lives."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._known: dict[tuple[Purpose, str], Matrix] = {}

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Return shape (len(texts), dimension), float32, rows of unit length."""
        new = [text for text in dict.fromkeys(texts) if (purpose, text) not in self._known]
        if new:
            vectors = self._model.embed(new, purpose=purpose)
            self._known |= {(purpose, text): vector for text, vector in zip(new, vectors, strict=True)}
        rows = [self._known[purpose, text] for text in texts]
        return np.stack(rows) if rows else self._model.embed([], purpose=purpose)


class BriefAnalyst:
    """Takes the first words of a talk for its summary."""

    def digest(self, talk: Any, *, yield_to_foreground: Callable[[], None]) -> Digest:  # noqa: ANN401, ARG002 - see Analyst
        """Return a topic and a summary."""
        said = (message.content for exchange in talk.exchanges for message in exchange.messages)
        words = " ".join(said).split()
        return Digest(topic=" ".join(words[:_TOPIC_WORDS]), summary=" ".join(words[:_SUMMARY_WORDS]))

    def judge(self, pairs: Sequence[Any], *, yield_to_foreground: Callable[[], None]) -> list[Any]:  # noqa: ARG002 - see Analyst
        """Let all stand side by side; it draws no facts, so there are none to judge."""
        return [Judgement(PairVerdict.COEXISTS) for _ in pairs]


class StatingAnalyst(BriefAnalyst):
    """Finds one statement in every so many talks, and judges pairs as shipped, or not at all."""

    def __init__(self, judge: LocalAnalyst | None = None) -> None:
        self._judge = judge
        self.states_every = 1  # which share of the talks has a statement: one in so many
        self.is_judging = False
        self.judged = 0  # pairs that were judged
        self._talks = 0

    def digest(self, talk: Any, *, yield_to_foreground: Callable[[], None]) -> Digest:  # noqa: ANN401 - see Analyst
        """Return a topic and a summary, and at times what the person states first."""
        digest = super().digest(talk, yield_to_foreground=yield_to_foreground)
        self._talks += 1
        if self._talks % self.states_every:
            return digest
        said = next(m for exchange in talk.exchanges for m in exchange.messages if m.role == "user")
        return replace(digest, facts=(_draft_fact(said),))

    def judge(self, pairs: Sequence[Any], *, yield_to_foreground: Callable[[], None]) -> list[Any]:
        """Return judgements."""
        if self._judge is None or not self.is_judging:
            return super().judge(pairs, yield_to_foreground=yield_to_foreground)
        self.judged += len(pairs)
        return self._judge.judge(pairs, yield_to_foreground=yield_to_foreground)


def _draft_fact(said: Any) -> FactDraft:  # noqa: ANN401 - a message as analysts get it
    """Return a statement made of what was said: no sense in it, and no other is quite the same."""
    words = [word.strip(".!?").lower() for word in said.content.split()]
    longest = sorted(dict.fromkeys(words), key=lambda word: (-len(word), word))[:3]
    return FactDraft(
        statement=f"Ana likes the {' and the '.join(longest)}.",
        kind=yesteryear.FactKind.PREFERENCE,
        subject="Ana",
        quote=said.content,
        message_id=said.id,
        confidence=0.9,
    )


def open_seeded(store: Path | str, embedder: SeededEmbedder, *, durability: str = "full") -> yesteryear.Engine:
    """Open a store with nobody at work in the background; what is told there is read by words, not by the model."""
    return open_idle(store, embedder=embedder, analyst=BriefAnalyst(), reader="words", durability=durability)


def fill(path: Path, pasts: Mapping[str, Past], embedder: SeededEmbedder) -> None:
    """Let people have had their pasts, by their names, and work through all of it."""
    with open_seeded(path, embedder, durability="normal") as engine:
        for user, past in pasts.items():
            live(engine.memory(user=user), past)


def live(memory: yesteryear.Memory, past: Past) -> None:
    """Tell a past and work through it."""
    for _, batch in groupby(past.messages, key=itemgetter("conversation")):
        memory.observe(list(batch))
    memory.flush()


def warn_of(model: str) -> list[str]:
    """Return what is to be said of figures that compare with an embedder that costs nothing."""
    if model.startswith("hashing"):
        return ["not comparable: without a model, embedding costs nothing; run: yesteryear model install"]
    return []
