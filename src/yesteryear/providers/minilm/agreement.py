"""How close the rounded model comes to the original on this machine: twenty texts, the cosine of each.

The file may be right and its results still wrong, where a processor multiplies 8-bit numbers in another way.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from yesteryear.core.vectors import unit_rows
from yesteryear.errors import ProviderError
from yesteryear.providers.minilm.embedder import RUNTIME_ERRORS, SentenceModel

LEAST_COSINE = 0.99
"""Lowest cosine, in [-1, 1], at which two models may share one name. Measured: 0.996, the same on x86 with
SSE, AVX2 and AVX-512 VNNI."""

CHECK_TEXTS = (
    "ok",
    "no",
    "Thanks!",
    "I moved my runs to the morning because evenings with the kids got too busy.",
    "My sister Leila lives in Porto and works as a nurse on night shifts.",
    "I'm allergic to penicillin, please never forget that.",
    "We decided to postpone the launch to 14 March, the auditors need two more weeks.",
    "What was the name of the restaurant we talked about last Tuesday?",
    "The build fails with exit code 137 as soon as the tests start two browsers.",
    "def mean(values): return sum(values) / len(values)",
    "Weight 81.4 kg, slept 6:45, 9,200 steps, mood 3/5",
    "honestly?? i just want to cry, nothing works and everyone keeps asking how it's going :(",
    "🎉🎉 I got the job!!!",
    "Ich wohne seit drei Jahren in München und vermisse das Meer.",
    "我喜欢在周末和朋友一起爬山。",
    "Привет! Как прошла твоя встреча?",
    "https://example.org/notes?id=42&lang=en#top",
    "She doesn't eat meat any more, only fish, and no longer drinks coffee after noon.",
    "the the the the the the the the the the",
    "Last week we spent four days at the lake. " * 24,
)
"""Short and long, plain and odd, since the shortest and the oddest texts stray most. The last one fills the
model."""


def cosines_to_original(rounded: bytes, original: bytes, vocabulary: Path) -> list[float]:
    """Return the cosine between the vectors of two model files for each of ``CHECK_TEXTS``.

    Raises:
        ProviderError: the runtime cannot load or run one of them.
    """
    try:
        models = [SentenceModel(model, vocabulary, threads=1) for model in (rounded, original)]
        ours, theirs = (unit_rows([model.mean(text) for text in CHECK_TEXTS]) for model in models)
    except RUNTIME_ERRORS as exc:
        raise ProviderError(f"the installed onnxruntime cannot run the model ({exc}); upgrade onnxruntime") from exc
    return [float(cosine) for cosine in np.sum(ours * theirs, axis=1)]
