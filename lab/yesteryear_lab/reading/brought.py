"""Fit the head that tells others' words, on the reader as installed: ``python -m yesteryear_lab.reading.brought OUT``.

Whoever brings along a letter, a page or a part to play says "I" in it and means somebody else. A sentence beside its
message tells it, so a head of the reader does: a logistic regression on what the encoder makes of both. It is fitted by
itself, in a minute and without PyTorch, since such rows come faster than the encoder is taught.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

from yesteryear.core.vectors import Matrix
from yesteryear.providers.minilm.embedder import Encoder
from yesteryear.providers.minilm.trained import trained_reader
from yesteryear.providers.minilm.weights import READER_FILE, VOCABULARY_FILE, find_model
from yesteryear_lab import LABELLED
from yesteryear_lab.reading.examples import IGNORED, Example, Examples
from yesteryear_lab.reading.rows import HELD_OUT_KIND, read_talk
from yesteryear_lab.reading.writing import write_trained
from yesteryear_lab.training.fit import FitPolicy, regression_of

HEAD = "brought"
_POLICY = FitPolicy(inverse_l2=1.0)
"""Vectors stand as the reader makes them. Source: .1, .5 and 2 on rows of other writers hardly differ."""
_SURE = 0.5, 0.7, 0.9
"""Probabilities, in [0, 1], from which a sentence is counted as brought along."""


class Judged(NamedTuple):
    """What the head reads of sentences, shape (n, 768), and whether each is others' words, shape (n,)."""

    vectors: Matrix
    is_brought: npt.NDArray[np.bool_]


def main() -> None:
    """Fit, print figures of what is held out, write the file."""
    parser = argparse.ArgumentParser(prog="brought", description="Fit the head that tells others' words.")
    parser.add_argument("out", type=Path, help="the file that is shipped")
    chosen = parser.parse_args()
    folder = find_model()
    if folder is None:
        parser.error("the reader is not installed: yesteryear model install")
    examples = Examples((folder / VOCABULARY_FILE).read_text(encoding="utf-8").removesuffix("\n").split("\n"))
    talk = [(path, message) for path in sorted((LABELLED / "talk").glob("*.talk")) for message in read_talk(path)]
    kinds: dict[bool, list[Iterable[Example]]] = {True: [], False: []}
    for _, message in talk:
        kinds[message.kind == HELD_OUT_KIND].append(examples.of_talk(message))
    taught = chain(
        *kinds[False],
        *map(examples.of_attempts, sorted(LABELLED.glob("attempts*.jsonl"))),
        *map(examples.of_facts, sorted(LABELLED.glob("sentences*.jsonl"))),
        examples.of_plain(LABELLED / "plain.jsonl"),
    )
    encoder = Encoder(folder / READER_FILE, folder / VOCABULARY_FILE)

    def judged(given: Iterable[Example]) -> Judged:
        pairs = [
            pair for one in given for pair in _sentences(one, encoder.run(tokens=one.window.tokens, own=one.window.own))
        ]
        return Judged(np.stack([vector for vector, _ in pairs]), np.array([gold for _, gold in pairs]))

    known = judged(taught)
    fitted = regression_of(_POLICY).fit(known.vectors, known.is_brought)
    held = {HELD_OUT_KIND: judged(chain(*kinds[True]))}
    held |= {
        path.stem: judged(examples.of_attempts(path)) for path in sorted((LABELLED / "held-out").glob("attempts*"))
    }
    for name, part in held.items():
        figures = _figures(fitted.decision_function(part.vectors), part)
        print(json.dumps({"of": name, "n": len(part.is_brought)} | figures))
    shipped = trained_reader()
    head = {
        f"heads.{HEAD}.weight": fitted.coef_.astype(np.float32),
        f"heads.{HEAD}.bias": fitted.intercept_.astype(np.float32),
    }
    write_trained(
        chosen.out,
        dict(shipped.tensors) | head,
        classes=dict(shipped.classes) | {HEAD: ("yes",)},
        temperatures=shipped.temperatures,
    )


def _sentences(one: Example, hidden: Matrix) -> Iterator[tuple[Matrix, bool]]:
    """Yield what heads read of each labelled sentence of a window, and whether it is others' words."""
    message = hidden[one.window.first - 1 :].mean(axis=0)
    for span in one.sentences:
        if span.gold[HEAD] != IGNORED:
            yield np.concatenate([hidden[span.start : span.end].mean(axis=0), message]), bool(span.gold[HEAD])


def _figures(odds: npt.NDArray[np.float64], part: Judged) -> dict[str, float]:
    """Return the area under the curve, and from each probability the shares that are found and taken wrongly."""
    chances, gold = 1 / (1 + np.exp(-odds)), part.is_brought
    found = {"auc": roc_auc_score(gold, odds)}
    for least in _SURE:
        found |= {f"found@{least}": (chances >= least)[gold].mean(), f"false@{least}": (chances >= least)[~gold].mean()}
    return {name: round(float(value), 4) for name, value in found.items()}


if __name__ == "__main__":
    main()
