"""Tells what a message does to a known fact: whether that holds no more, and what else is done to it, or how.

The encoder is the reader's with a further difference (``effects.safetensors``, made in the laboratory and put into
``effects.onnx`` by ``model install``), which was taught nothing but this.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from yesteryear.core.reading import Before, Effect, with_over
from yesteryear.providers.minilm.placing import windows
from yesteryear.providers.minilm.trained import ReadingModel, trained_effects
from yesteryear.providers.minilm.weights import EFFECTS_FILE

_MOST_HEARD = 2
"""Messages before it that are read with one."""


class EffectsModel(ReadingModel):
    """Some 5 ms of one processor for a fact and a message."""

    what, file, heads = "what tells effects", EFFECTS_FILE, trained_effects

    def read(self, fact: str, text: str, *, before: Sequence[Before] = ()) -> dict[Effect, float]:
        """Return how likely a message does what to a known fact, in [0, 1]; together they make 1.

        One head tells whether it ends it, another what else it does, or how. The fact stands before the message, behind
        the latest of what was said ``before`` it.
        """
        encoder, heads = self._encoder(), trained_effects()
        placed = [*before[-_MOST_HEARD:], Before("known", fact)]
        window = next(windows(text, [(0, len(text))], placed, encoder.words), None)
        known = sum(1 for _ in encoder.words.pieces(fact))
        if window is None or not known:
            return {Effect.NONE: 1.0}
        hidden = self._run(encoder, tokens=window.tokens, own=window.own)
        end = len(window.lead) + 1
        about, said = hidden[max(1, end - known) : end].mean(axis=0), hidden[window.first - 1 :].mean(axis=0)
        pair = np.concatenate([hidden[0], about, said, about * said])
        found = {Effect(name): share for name, share in heads.probabilities("effect", pair).items()}
        return with_over(found, heads.chance("over", pair))
