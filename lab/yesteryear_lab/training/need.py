"""The head that tells whether a message needs anything remembered; see ``recall.need``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from yesteryear.core.heads import LinearHead
from yesteryear.recall.budget import MEMORY, NEED_HEAD, NOTHING, ContextPolicy, need_features
from yesteryear_lab.figures import share
from yesteryear_lab.training.fit import (
    FitPolicy,
    Samples,
    deal_folds,
    fit_head,
    near_duplicates,
    predict,
    read_questions,
)
from yesteryear_lab.training.recipe import Fitted, Materials, Table, table_of
from yesteryear_lab.training.rows import read_rows
from yesteryear_lab.training.weights import fingerprint

_FILES = ("turns-1.jsonl", "turns-2.jsonl", "turns-3.jsonl")
_ASKS = ("asks.jsonl", "asks-2.jsonl")  # what was asked of a talk: every one needs something of it
_ASK_WEIGHT = 0.2  # how much such an ask counts beside a turn, above 0: there are four times as many of them
_HELD_OUT = "held-out"


class NeedRecipe:
    """Trains on turns of which their writers said what they need, and on asks of talks, which need memories."""

    name = NEED_HEAD
    about = (
        "Tells whether a good reply to a message rests on anything said before, by its vector as a question and its "
        "function words. Half of the turns need nothing, and are alike in form and topic to those that do; asks of "
        "talks, which all need something, are in no fold that is tested."
    )

    def fit(self, materials: Materials) -> Fitted:
        """Train on all rows but those held out."""
        parts = {name: _turns(materials, [name]) for name in _FILES}
        turns = list(chain.from_iterable(parts.values()))
        head = _fit(_samples(turns, materials), _samples(_asks(materials, _ASKS), materials), materials)
        seen = frozenset(fingerprint([text]) for text, _ in turns)
        return Fitted((head,), seen, tuple((name, len(part)) for name, part in parts.items()))

    def cross_validate(self, materials: Materials) -> Sequence[Table]:
        """Judge by folds, and by the rows held out."""
        turns, asks = (_samples(each, materials) for each in (_turns(materials, _FILES), _asks(materials, _ASKS)))
        materials.on_progress(f"{self.name}: {len(turns.labels)} turns, {len(asks.labels)} asks of talks")
        assert turns.vectors is not None  # noqa: S101 - for the type checker
        chances = np.zeros(len(turns.labels))
        for train, test in deal_folds(turns.labels, near_duplicates(turns.vectors)):
            chances[test] = _chances(_fit(turns.some(train), asks, materials), turns.some(test))
        head = _fit(turns, asks, materials)
        held = _samples(_turns(materials, [f"{_HELD_OUT}/turns.jsonl"]), materials)
        of_talks = _samples(_asks(materials, [f"{_HELD_OUT}/{name}" for name in _ASKS]), materials)
        columns = {
            "folds": _figures(turns, chances),
            f"{_HELD_OUT}/turns.jsonl": _figures(held, _chances(head, held)),
            f"{_HELD_OUT}, asks of talks": _figures(of_talks, _chances(head, of_talks)),
        }
        return (table_of("what a message needs: share taken to need nothing", columns),)


def _turns(materials: Materials, names: Sequence[str]) -> list[tuple[str, str]]:
    rows = chain.from_iterable(read_rows(materials.rows / Path(name), needs=("text", "needs")) for name in names)
    return [(row["text"], row["needs"]) for row in rows]


def _asks(materials: Materials, names: Sequence[str]) -> list[tuple[str, str]]:
    talks = chain.from_iterable(read_rows(materials.rows / Path(name), needs=("asks",)) for name in names)
    return [(ask["text"], MEMORY) for talk in talks for ask in talk["asks"] if ask["needs"]]


def _samples(rows: Sequence[tuple[str, str]], materials: Materials) -> Samples:
    texts, labels = zip(*rows, strict=True)
    return read_questions(texts, labels, materials.embedder, need_features)


def _fit(turns: Samples, asks: Samples, materials: Materials) -> LinearHead:
    samples = turns.with_others(asks, weight=_ASK_WEIGHT)
    return fit_head(NEED_HEAD, samples, FitPolicy(), model=materials.embedder.profile.model)


def _chances(head: LinearHead, samples: Samples) -> np.ndarray:
    """Return how likely each row needs something, shape (n,)."""
    return predict(head, samples)[:, head.classes.index(MEMORY)]


def _figures(samples: Samples, chances: np.ndarray) -> Mapping[str, float]:
    is_spared = chances < ContextPolicy().needed
    told = list(zip(samples.labels, is_spared.tolist(), strict=True))
    return {
        f"of what needs {name}": share(spared for label, spared in told if label == name) or 0.0
        for name in (NOTHING, MEMORY)
    }


RECIPE = NeedRecipe()
