"""Embedding by a model behind a network: several texts a request, each text once, unit length."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Self

import numpy as np
from pydantic_ai.embeddings import EmbeddingModel, EmbeddingSettings

from yesteryear.core.recent import Recent
from yesteryear.core.rows.due_work import batches
from yesteryear.core.usage import Account, CallPurpose
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose, unit_rows
from yesteryear.errors import ProviderError
from yesteryear.providers.llm.caller import Caller, Request

_CHARS_A_TOKEN = 3.0
"""Characters to a token of text whose tokens nobody has counted: few, so that its price is not told too low."""
_MAX_CHARS = 6_000
"""Most characters of a text that are sent, some 2,000 tokens: what the smallest of the known models reads."""
_MOST_VECTORS = 4_096  # vectors kept of texts that were asked for lately


@dataclass(frozen=True, eq=False)
class ModelEmbedder:
    """Turns texts into unit vectors by a model behind a network. Safe to call from several threads."""

    model: EmbeddingModel
    caller: Caller
    profile: EmbedderProfile  # the model's name, dimension and thresholds
    sends_dimension: bool  # whether the model can be asked for a dimension
    cache: Recent[tuple[Purpose, str], Matrix] = field(default_factory=lambda: Recent(_MOST_VECTORS))
    lock: threading.Lock = field(default_factory=threading.Lock)  # held while the cache is looked at
    account: Account = field(default_factory=Account)

    def on(self, account: Account) -> Self:
        """Return the same embedder with an account on which its calls are put."""
        return replace(self, account=account)

    def embed(self, texts: Sequence[str], *, purpose: Purpose = Purpose.DOCUMENT) -> Matrix:
        """Return shape (len(texts), dimension), float32, rows of unit length; 6,000 characters of a text are read."""
        shown = [text[:_MAX_CHARS] or " " for text in texts]
        with self.lock:
            known = {text: self.cache.get((purpose, text)) for text in dict.fromkeys(shown)}
        missing = [text for text, vector in known.items() if vector is None]
        for batch in batches(missing, self.profile.batch):
            made = dict(zip(batch, self._ask(batch, purpose), strict=True))
            known.update(made)
            with self.lock:
                for text, vector in made.items():
                    self.cache.put((purpose, text), vector)
        rows = [vector for text in shown if (vector := known[text]) is not None]
        return np.stack(rows) if rows else np.zeros((0, self.profile.dimension), dtype=np.float32)

    def close(self) -> None:
        """Do nothing: connections are closed with the loop they belong to."""

    def _ask(self, texts: Sequence[str], purpose: Purpose) -> Matrix:
        settings = EmbeddingSettings(dimensions=self.profile.dimension) if self.sends_dimension else None

        async def ask(request: Request) -> Matrix:
            request.tally.requests += 1
            result = await self.model.embed(list(texts), input_type=purpose.value, settings=settings)
            estimate = ceil(sum(map(len, texts)) / _CHARS_A_TOKEN)
            request.tally.input_tokens += result.usage.input_tokens or estimate
            return np.array(result.embeddings, dtype=np.float64, ndmin=2)

        patience = self.caller.policy.question_timeout_s if purpose is Purpose.QUERY else None
        vectors = self.caller.call(CallPurpose.EMBED, ask, self.account, yield_to_foreground=_go_on, timeout_s=patience)
        if vectors.shape != (len(texts), self.profile.dimension):
            raise ProviderError(
                f"{self.caller.model!r} gave vectors of dimension {vectors.shape[-1]}, not {self.profile.dimension}; "
                "set embedder_dimension to the number it gives, and everything is embedded anew"
            )
        if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise ProviderError(f"{self.caller.model!r} gave a vector that is none")
        return unit_rows(vectors)


def ask_dimension(model: EmbeddingModel, caller: Caller) -> int:
    """Return how many values the vectors of a model have, by asking for one."""

    async def ask(request: Request) -> int:
        request.tally.requests += 1
        result = await model.embed(["How many values?"], input_type="document")
        return len(result.embeddings[0])

    return caller.call(CallPurpose.EMBED, ask, Account(), yield_to_foreground=_go_on)


def _go_on() -> None:
    """Nobody waits for the local processor while a network is asked."""
