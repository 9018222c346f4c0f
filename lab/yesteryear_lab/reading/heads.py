"""Fit two heads anew, on the reader as installed: ``python -m yesteryear_lab.reading.heads OUT``.

``brought`` tells others' words: whoever brings along a letter, a page or a part to play says "I" in it and means
somebody else; which sentences of such a message are theirs is for ``discourse``. ``told`` tells whether a statement is
true by the talk and worth knowing in a month, as judged of statements that the reader drew, for what it takes for one
differs from what people mark. Both read what the encoder makes of the words, as ``teach`` leaves it: such rows come
faster than an encoder is taught, and these take minutes. The first has two layers and needs PyTorch
(``pip install torch==2.13.0``); the other is a logistic regression.
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
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from yesteryear.core.heads import softmax
from yesteryear.core.vectors import Matrix
from yesteryear.providers.minilm.embedder import Encoder
from yesteryear.providers.minilm.trained import TrainedHeads, trained
from yesteryear.providers.minilm.weights import PARTS, VOCABULARY_FILE, find_model
from yesteryear_lab import LABELLED
from yesteryear_lab.reading.examples import IGNORED, Example, Examples
from yesteryear_lab.reading.rows import HELD_OUT_KIND, read_talk
from yesteryear_lab.reading.two_layers import TwoLayers
from yesteryear_lab.reading.writing import write_trained
from yesteryear_lab.training.fit import FitPolicy, regression_of

BROUGHT, TOLD = "brought", "told"
_WIDTH = 64
"""Values that the first layer of ``brought`` makes. Source: 64 to 512 find alike of people held out in turn."""
_STATEMENT_POLICY = FitPolicy(inverse_l2=1e-3, most_steps=1_000)
"""Of ``told``; vectors are brought to unit variance. Source: 3e-4 and 3e-3 find alike of persons held out
in turn."""
_SURE = 0.5, 0.55, 0.6, 0.7
"""Probabilities, in [0, 1], from which a yes is counted."""


class Judged(NamedTuple):
    """What a head reads, shape (n, values), and the class of each row, shape (n,)."""

    vectors: Matrix
    gold: npt.NDArray[np.int64]


def main() -> None:
    """Fit, print figures of what is held out, write the file."""
    parser = argparse.ArgumentParser(prog="heads", description="Fit two heads of the reader anew.")
    parser.add_argument("out", type=Path, help="the file that is shipped")
    chosen = parser.parse_args()
    folder = find_model()
    if folder is None:
        parser.error("the reader is not installed: yesteryear model install")
    examples = Examples((folder / VOCABULARY_FILE).read_text(encoding="utf-8").removesuffix("\n").split("\n"))
    encoder = Encoder(folder / PARTS["reader"].file, folder / VOCABULARY_FILE)
    shipped = trained("reader")
    heads = fit_brought(examples, encoder) | fit_worth(examples, encoder, shipped)
    write_trained(
        chosen.out,
        dict(shipped.tensors) | heads,
        classes=dict(shipped.classes) | dict.fromkeys((BROUGHT, TOLD), ("yes",)),
        temperatures=shipped.temperatures,
    )


def fit_brought(examples: Examples, encoder: Encoder) -> dict[str, Matrix]:
    """Return the head that tells others' words from a sentence beside its message."""
    kinds: dict[bool, list[Iterable[Example]]] = {True: [], False: []}
    for path in sorted((LABELLED / "talk").glob("*.talk")):
        for message in read_talk(path):
            kinds[message.kind == HELD_OUT_KIND].append(examples.of_talk(message))
    taught = chain(
        *kinds[False],
        *map(examples.of_attempts, sorted(LABELLED.glob("attempts*.jsonl"))),
        *map(examples.of_facts, sorted(LABELLED.glob("sentences*.jsonl"))),
        examples.of_plain(LABELLED / "plain.jsonl"),
    )

    def judged(given: Iterable[Example]) -> Judged:
        return _judged(pair for one in given for pair in _sentences(one, _hidden(one, encoder)))

    fitted = TwoLayers(*judged(taught), width=_WIDTH)
    held = {HELD_OUT_KIND: judged(chain(*kinds[True]))}
    held |= {
        path.stem: judged(examples.of_attempts(path)) for path in sorted((LABELLED / "held-out").glob("attempts*"))
    }
    for name, part in held.items():
        _print_figures(f"{BROUGHT}, {name}", _chances(fitted.odds(part.vectors)), part.gold > 0)
    return fitted.tensors(BROUGHT)


def fit_worth(examples: Examples, encoder: Encoder, shipped: TrainedHeads) -> dict[str, Matrix]:
    """Return the head that tells whether a statement is worth knowing, beside figures of the shipped."""
    taught, judged = (
        _judged(
            (_statement(one, _hidden(one, encoder)), one.statements[0].gold[TOLD]) for one in examples.of_drawn(path)
        )
        for path in (LABELLED / "statements.jsonl", LABELLED / "held-out/statements.jsonl")
    )
    fitted = _fit_even(_STATEMENT_POLICY, taught)
    if TOLD in shipped.classes:
        before = softmax(np.pad(shipped.logits(TOLD, judged.vectors).astype(np.float64), ((0, 0), (1, 0))))[:, 1]
        _print_figures(f"{TOLD}, as shipped", before, judged.gold > 0)
    _print_figures(f"{TOLD}, fitted", fitted.predict_proba(judged.vectors)[:, 1], judged.gold > 0)
    return _head_of(TOLD, fitted)


def _fit_even(policy: FitPolicy, known: Judged) -> LogisticRegression:
    """Return what reads vectors as they are made, fitted where they have unit variance."""
    mean, spread = known.vectors.mean(axis=0), known.vectors.std(axis=0) + 1e-6
    fitted = regression_of(policy).fit((known.vectors - mean) / spread, known.gold)
    fitted.intercept_ = fitted.intercept_ - (fitted.coef_ / spread) @ mean
    fitted.coef_ = fitted.coef_ / spread
    return fitted


def _chances(odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the probability of each, in [0, 1]."""
    return np.asarray(1 / (1 + np.exp(-odds)))


def _hidden(one: Example, encoder: Encoder) -> Matrix:
    return encoder.run(tokens=one.window.tokens, own=one.window.own)


def _judged(rows: Iterable[tuple[Matrix, int]]) -> Judged:
    vectors, gold = zip(*rows, strict=True)
    return Judged(np.stack(vectors), np.array(gold))


def _sentences(one: Example, hidden: Matrix) -> Iterator[tuple[Matrix, int]]:
    """Yield what heads read of each labelled sentence of a window, and whether it is others' words."""
    message = hidden[one.window.first - 1 :].mean(axis=0)
    for span in one.sentences:
        if span.gold[BROUGHT] != IGNORED:
            yield np.concatenate([hidden[span.start : span.end].mean(axis=0), message]), span.gold[BROUGHT]


def _statement(one: Example, hidden: Matrix) -> Matrix:
    """Return what heads read of a statement in its sentence, as ``MiniLMReader`` does."""
    drawn = one.statements[0]
    return np.concatenate([hidden[start:end].mean(axis=0) for start, end in ((drawn.start, drawn.end), drawn.sentence)])


def _head_of(name: str, fitted: LogisticRegression) -> dict[str, Matrix]:
    return {
        f"heads.{name}.weight": fitted.coef_.astype(np.float32),
        f"heads.{name}.bias": fitted.intercept_.astype(np.float32),
    }


def _print_figures(of: str, chances: npt.NDArray[np.float64], gold: npt.NDArray[np.bool_]) -> None:
    """Print area and average precision, and from each probability how many are taken and how many of them rightly."""
    found = {"area": roc_auc_score(gold, chances), "average precision": average_precision_score(gold, chances)}
    told = {f"from {least}": f"{(gold & (chances >= least)).sum()} of {(chances >= least).sum()}" for least in _SURE}
    figures = {name: round(float(value), 4) for name, value in found.items()}
    print(json.dumps({"of": of, "rows": len(gold), "yes": int(gold.sum())} | figures | told))


if __name__ == "__main__":
    main()
