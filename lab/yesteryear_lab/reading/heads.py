"""Fit four heads anew, on the reader as installed: ``python -m yesteryear_lab.reading.heads OUT``.

``brought`` tells others' words: whoever brings along a letter, a page or a part to play says "I" in it and means
somebody else. ``effect`` tells what a statement does to a known one, mostly on pairs as a memory nominates them, which
look alike and seldom do anything to each other. ``told`` tells whether a statement is true by the talk and worth
knowing in a month, ``alone`` whether it is understood by itself: both as judged of statements that the reader drew, for
what it takes for one differs from what people mark. All are logistic regressions on what the encoder makes of the
words, as ``teach`` leaves it: such rows come faster than an encoder is taught, and these take minutes, without PyTorch.
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
from yesteryear.errors import InputError
from yesteryear.providers.minilm.embedder import Encoder
from yesteryear.providers.minilm.trained import TrainedReader, trained_reader
from yesteryear.providers.minilm.weights import READER_FILE, VOCABULARY_FILE, find_model
from yesteryear_lab import LABELLED
from yesteryear_lab.reading.examples import IGNORED, Example, Examples
from yesteryear_lab.reading.rows import EFFECTS, HELD_OUT_KIND, OVER, read_effects, read_talk
from yesteryear_lab.reading.writing import write_trained
from yesteryear_lab.training.fit import FitPolicy, regression_of

BROUGHT, EFFECT, TOLD, ALONE = "brought", "effect", "told", "alone"
_POLICY = FitPolicy(inverse_l2=1.0)
"""Of ``brought``; vectors stand as the reader makes them. Source: .1, .5 and 2 on rows of others hardly differ."""
_CLEAR = 0.3
"""Weight of a pair that was written for itself beside one as a memory nominates it: they end three times as often.
Source: 0, .1 and .3 find alike of people held out in turn."""
_EFFECT_POLICY = FitPolicy(inverse_l2=5e-4, most_steps=1_000)
"""Of ``effect``; vectors are brought to unit variance. Source: 3e-4 and 1e-3 find alike of people held out in turn;
less is seldom sure, and more errs where it is."""
_STATEMENT_POLICY = FitPolicy(inverse_l2=1e-3, most_steps=1_000)
"""Of ``told`` and ``alone``; vectors are brought to unit variance. Source: 3e-4 and 3e-3 find alike of persons held out
in turn."""
_SURE = 0.5, 0.55, 0.6, 0.7
"""Probabilities, in [0, 1], from which a yes is counted."""
_IS_OVER = np.isin(EFFECTS, OVER)


class Judged(NamedTuple):
    """What a head reads, shape (n, values), and the class of each row, shape (n,)."""

    vectors: Matrix
    gold: npt.NDArray[np.int64]


def main() -> None:
    """Fit, print figures of what is held out, write the file."""
    parser = argparse.ArgumentParser(prog="heads", description="Fit four heads of the reader anew.")
    parser.add_argument("out", type=Path, help="the file that is shipped")
    chosen = parser.parse_args()
    folder = find_model()
    if folder is None:
        parser.error("the reader is not installed: yesteryear model install")
    examples = Examples((folder / VOCABULARY_FILE).read_text(encoding="utf-8").removesuffix("\n").split("\n"))
    encoder = Encoder(folder / READER_FILE, folder / VOCABULARY_FILE)
    shipped = trained_reader()
    heads = fit_brought(examples, encoder) | fit_effect(examples, encoder, shipped)
    heads |= fit_statements(examples, encoder, shipped)
    write_trained(
        chosen.out,
        dict(shipped.tensors) | heads,
        classes=dict(shipped.classes) | dict.fromkeys((BROUGHT, TOLD), ("yes",)),
        temperatures={name: value for name, value in shipped.temperatures.items() if name not in (EFFECT, ALONE)},
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

    known = judged(taught)
    fitted = regression_of(_POLICY).fit(known.vectors, known.gold)
    held = {HELD_OUT_KIND: judged(chain(*kinds[True]))}
    held |= {
        path.stem: judged(examples.of_attempts(path)) for path in sorted((LABELLED / "held-out").glob("attempts*"))
    }
    for name, part in held.items():
        chances = 1 / (1 + np.exp(-fitted.decision_function(part.vectors)))
        _print_figures(f"{BROUGHT}, {name}", chances, part.gold > 0)
    return _head_of(BROUGHT, fitted)


def fit_effect(examples: Examples, encoder: Encoder, shipped: TrainedReader) -> dict[str, Matrix]:
    """Return the head that tells what a statement does to a known one, beside the shipped one's figures."""

    def judged(paths: Iterable[Path]) -> Judged:
        rows = (examples.of_effect(row) for path in paths for row in read_effects(path))
        return _judged((_pair(one, _hidden(one, encoder)), one.effect) for one in rows)

    nominated, clear = (judged(sorted((LABELLED / "effects").glob(each))) for each in ("mined/*.pairs", "*.pairs"))
    held = judged([LABELLED / "held-out/effects.pairs"])
    taught = Judged(np.concatenate([nominated.vectors, clear.vectors]), np.concatenate([nominated.gold, clear.gold]))
    weights = np.repeat([1.0, _CLEAR], [len(nominated.gold), len(clear.gold)])
    fitted = _fit_even(_EFFECT_POLICY, taught, scale=nominated.vectors, weights=weights)
    if list(fitted.classes_) != list(range(len(EFFECTS))):
        raise InputError("every effect has to occur among the pairs")
    before = softmax(shipped.logits(EFFECT, held.vectors).astype(np.float64))
    for name, shares in ("as shipped", before), ("fitted", fitted.predict_proba(held.vectors)):
        _print_figures(f"{EFFECT}, {name}", shares[:, _IS_OVER].sum(axis=1), _IS_OVER[held.gold])
    return _head_of(EFFECT, fitted)


def fit_statements(examples: Examples, encoder: Encoder, shipped: TrainedReader) -> dict[str, Matrix]:
    """Return the heads that tell whether a statement is worth knowing, and clear, beside figures of the shipped."""
    known, held = (
        [(_statement(one, _hidden(one, encoder)), one.statements[0].gold) for one in examples.of_drawn(path)]
        for path in (LABELLED / "statements.jsonl", LABELLED / "held-out/statements.jsonl")
    )
    heads: dict[str, Matrix] = {}
    for head in (TOLD, ALONE):
        taught, judged = (_judged((vector, gold[head]) for vector, gold in part) for part in (known, held))
        fitted = _fit_even(_STATEMENT_POLICY, taught)
        if head in shipped.classes:
            before = softmax(np.pad(shipped.logits(head, judged.vectors).astype(np.float64), ((0, 0), (1, 0))))[:, 1]
            _print_figures(f"{head}, as shipped", before, judged.gold > 0)
        _print_figures(f"{head}, fitted", fitted.predict_proba(judged.vectors)[:, 1], judged.gold > 0)
        heads |= _head_of(head, fitted)
    return heads


def _fit_even(
    policy: FitPolicy, known: Judged, *, scale: Matrix | None = None, weights: npt.NDArray[np.float64] | None = None
) -> LogisticRegression:
    """Return what reads vectors as they are made, fitted where those of ``scale``, or all, have unit variance."""
    scale = known.vectors if scale is None else scale
    mean, spread = scale.mean(axis=0), scale.std(axis=0) + 1e-6
    fitted = regression_of(policy).fit((known.vectors - mean) / spread, known.gold, weights)
    fitted.intercept_ = fitted.intercept_ - (fitted.coef_ / spread) @ mean
    fitted.coef_ = fitted.coef_ / spread
    return fitted


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


def _pair(one: Example, hidden: Matrix) -> Matrix:
    """Return what the head reads of a known statement and a later one, as ``MiniLMReader.effects`` does."""
    begin, end = one.fact
    about, said = hidden[begin:end].mean(axis=0), hidden[one.window.first - 1 :].mean(axis=0)
    return np.concatenate([hidden[0], about, said, about * said])


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
