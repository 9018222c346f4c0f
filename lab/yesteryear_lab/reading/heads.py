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
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import Tensor, nn

from yesteryear.core.heads import softmax
from yesteryear.core.vectors import Matrix
from yesteryear.providers.minilm.embedder import Encoder
from yesteryear.providers.minilm.trained import TrainedHeads, trained
from yesteryear.providers.minilm.weights import PARTS, VOCABULARY_FILE, find_model
from yesteryear_lab import LABELLED
from yesteryear_lab.reading.examples import IGNORED, Example, Examples
from yesteryear_lab.reading.learning import vocabulary_in
from yesteryear_lab.reading.rows import HELD_OUT_KIND, read_all, read_talk
from yesteryear_lab.reading.writing import write_trained
from yesteryear_lab.training.fit import FitPolicy, regression_of

BROUGHT, TOLD = "brought", "told"
_WIDTH = 64
"""Values that the first layer of ``brought`` makes. Source: 64 to 512 find alike of people held out in turn."""
_STATEMENT_POLICY = FitPolicy(inverse_l2=1e-3, most_steps=1_000)
"""Of ``told``; vectors are brought to unit variance. Source: 3e-4 and 3e-3 find alike of persons held out
in turn."""
_SURE = 0.5, 0.55, 0.6, 0.7  # probabilities, in [0, 1], from which a yes is counted


_ROUNDS, _ROWS_AT_ONCE, _RATE, _DECAY = 8, 256, 1e-3, 1e-2
_LEFT_OUT, _LEFT_OUT_WITHIN = 0.3, 0.5
"""Shares of what is read, and of what the first layer makes of it, that are left out at random while learning."""
_LEAST_SPREAD = 1e-2  # values that hardly differ tell nothing, and would get weights without end


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
    examples = Examples(vocabulary_in(folder))
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
    for message in read_all("talk/*.talk", read_talk):
        kinds[message.kind == HELD_OUT_KIND].append(examples.of_talk(message))
    taught = chain(
        *kinds[False],
        read_all("attempts*.jsonl", examples.of_attempts),
        read_all("sentences*.jsonl", examples.of_facts),
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


class TwoLayers:
    """Whether something is so, from vectors as they are made."""

    def __init__(
        self, vectors: Matrix, gold: npt.NDArray[np.int64], *, width: int, weights: npt.ArrayLike = 1.0
    ) -> None:
        """Fit it to rows, ``gold`` 1 for a yes; the first layer makes ``width`` values.

        Shapes (n, values), (n,) and (n,). The same rows give the same head on one machine.
        """
        torch.manual_seed(0)
        mean, spread = vectors.mean(axis=0), np.maximum(vectors.std(axis=0), _LEAST_SPREAD)
        read = torch.tensor((vectors - mean) / spread, dtype=torch.float32)
        layers = nn.Sequential(
            nn.Dropout(_LEFT_OUT),
            first := nn.Linear(vectors.shape[1], width),
            nn.ReLU(),
            nn.Dropout(_LEFT_OUT_WITHIN),
            last := nn.Linear(width, 1),
        )
        told = torch.tensor(gold, dtype=torch.float32)
        _learn(layers, read, told, torch.tensor(np.broadcast_to(weights, gold.shape).copy(), dtype=torch.float32))
        self._first = first.weight.detach().numpy() / spread
        self._offset = first.bias.detach().numpy() - self._first @ mean
        self._last, self._bias = last.weight.detach().numpy(), last.bias.detach().numpy()

    def odds(self, vectors: Matrix) -> npt.NDArray[np.float64]:
        """Return the logarithm of the odds of a yes, shape (n,)."""
        within = np.maximum(vectors @ self._first.T + self._offset, 0)
        return np.asarray((within @ self._last.T + self._bias)[:, 0], dtype=np.float64)

    def tensors(self, name: str) -> dict[str, Matrix]:
        """Return it as a file of heads holds it."""
        told = {"hidden.weight": self._first, "hidden.bias": self._offset, "weight": self._last, "bias": self._bias}
        return {f"heads.{name}.{part}": values.astype(np.float32) for part, values in told.items()}


def _learn(layers: nn.Module, read: Tensor, told: Tensor, weights: Tensor) -> None:
    learner = torch.optim.AdamW(layers.parameters(), lr=_RATE, weight_decay=_DECAY)
    steps = _ROUNDS * -(-len(read) // _ROWS_AT_ONCE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(learner, _RATE, total_steps=steps)
    layers.train()
    for some in (some for _ in range(_ROUNDS) for some in torch.randperm(len(read)).split(_ROWS_AT_ONCE)):
        loss = nn.functional.binary_cross_entropy_with_logits(layers(read[some])[:, 0], told[some], weights[some])
        learner.zero_grad()
        loss.backward()
        learner.step()
        schedule.step()
    layers.eval()


if __name__ == "__main__":
    main()
