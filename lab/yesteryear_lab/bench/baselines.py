"""Plain memories to compare with: every turn kept as it is, ranked by words, by vectors or by both.

Nothing here comes from what it is compared with but the embedding model.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from yesteryear.cli.importers.locomo import LocomoTurn
from yesteryear.core.vectors import Purpose
from yesteryear.providers.registry import build_embedder
from yesteryear_lab.bench.evidence import RANKS, Answer, CountTokens, Shown, stem

Vector: TypeAlias = npt.NDArray[np.float64]
Embed: TypeAlias = Callable[[Sequence[str], Purpose], npt.NDArray[np.float32]]

NAMES = ("bm25", "vectors", "sum")  # the plain memories

_SATURATION, _LENGTH_PART = 1.2, 0.75  # BM25's k1 and b, as they are usually taken
_WORDS_PART = 0.5  # weight of the words beside the vectors in ``sum``; found on development data, as is the next
_NEIGHBOURS_PART = 0.3  # weight of the mean score of the turns before and after in the same session
_WORD = re.compile(r"\w+")


def load_embedder(name: str) -> Embed:
    """Return what turns texts into unit vectors with the embedder called ``name``."""
    embedder = build_embedder(name)
    return lambda texts, purpose: embedder.embed(texts, purpose=purpose)


class PlainMemory:
    """The turns of one sample, one line each."""

    def __init__(self, turns: Sequence[LocomoTurn], embed: Embed, count: CountTokens) -> None:
        self._turns = turns
        self._embed = embed
        spoken = [f"{turn.author}: {turn.text}" for turn in turns]
        self._lines = [f"[{turn.at:%d %B %Y}] {text}\n" for turn, text in zip(turns, spoken, strict=True)]
        self._costs = [count(line) for line in self._lines]
        self._words = BM25(spoken)
        self._vectors = embed(spoken, Purpose.DOCUMENT)

    def answers(self, question: str, budgets: Sequence[int]) -> Mapping[str, Answer]:
        """Return what each plain memory has to say, by its name."""
        words = self._words.scores(question)
        vectors = np.asarray(self._vectors @ self._embed([question], Purpose.QUERY)[0], dtype=np.float64)
        both = _WORDS_PART * _standardised(words) + _standardised(vectors)
        scores = (words, vectors, both + _NEIGHBOURS_PART * self._neighbours(both))
        return {name: self._answer(score, budgets) for name, score in zip(NAMES, scores, strict=True)}

    def _neighbours(self, scores: Vector) -> Vector:
        """Return the mean score of the turns right before and after, 0 where a session has no other turn."""
        sums, counts = np.zeros_like(scores), np.zeros_like(scores)
        for number, (turn, next_turn) in enumerate(pairwise(self._turns)):
            if turn.session == next_turn.session:
                sums[[number, number + 1]] += scores[[number + 1, number]]
                counts[[number, number + 1]] += 1
        return sums / np.maximum(counts, 1)

    def _answer(self, scores: Vector, budgets: Sequence[int]) -> Answer:
        order = [int(number) for number in np.argsort(-scores, kind="stable")]
        return Answer(
            shown={budget: self._pack(order, budget) for budget in budgets},
            found=[(self._turns[number].id,) for number in order[:RANKS]],
        )

    def _pack(self, order: Sequence[int], budget: int) -> Shown:
        """Take lines best first; one that does not fit is left out, a smaller one after it may still come in."""
        taken, left = [], budget
        for number in order:
            if self._costs[number] <= left:
                taken.append(number)
                left -= self._costs[number]
        text = "".join(self._lines[number] for number in taken)
        return Shown(text, frozenset(self._turns[number].id for number in taken), budget - left)


class BM25:
    """Okapi BM25 over stemmed words."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(_stems(text)) for text in texts]
        lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
        self._scale = _SATURATION * (1 - _LENGTH_PART + _LENGTH_PART * lengths / max(1.0, float(lengths.mean())))
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for number, count in enumerate(counts):
            for word, times in count.items():
                self._postings.setdefault(word, []).append((number, times))

    def scores(self, question: str) -> Vector:
        """Return the score of every text; 0 where it shares no word with the question."""
        found = np.zeros_like(self._scale)
        for word in set(_stems(question)):
            postings = self._postings.get(word, [])
            rarity = math.log(1 + (len(found) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, times in postings:
                found[number] += rarity * times * (_SATURATION + 1) / (times + self._scale[number])
        return found


def _stems(text: str) -> list[str]:
    return [stem(word) for word in _WORD.findall(text.lower())]


def _standardised(scores: Vector) -> Vector:
    spread = float(scores.std())
    return (scores - scores.mean()) / spread if spread else np.zeros_like(scores)
