"""Fit four heads anew, on the reader as installed: ``python -m yesteryear_lab.reading.heads OUT``.

``brought`` tells others' words: whoever brings along a letter, a page or a part to play says "I" in it and means
somebody else; which sentences of such a message are theirs is for ``discourse``. ``over`` tells whether a statement
ends a known one, of plain pairs and of pairs as a memory nominates them, which look alike and seldom do anything to
each other; ``effect`` what it does to it. ``told`` tells whether a statement is true by the talk and worth knowing in a
month, as judged of statements that the reader drew, for what it takes for one differs from what people mark. All read
what the encoder makes of the words, as ``teach`` leaves it: such rows come faster than an encoder is taught, and these
take minutes. The first two have two layers, as one cannot tell plain pairs and nominated ones alike, and need PyTorch
(``pip install torch==2.13.0``); the others are logistic regressions.
"""

from __future__ import annotations

import argparse
import json
import random
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from yesteryear.core.heads import softmax
from yesteryear.core.reading import OVER
from yesteryear.core.ruling import Claim, ClaimPair
from yesteryear.core.time import EPOCH
from yesteryear.core.vectors import Matrix
from yesteryear.errors import InputError
from yesteryear.providers.local.verdicts import signs_of_change
from yesteryear.providers.minilm.embedder import Encoder
from yesteryear.providers.minilm.trained import TrainedHeads, trained_reader
from yesteryear.providers.minilm.weights import READER_FILE, VOCABULARY_FILE, find_model
from yesteryear_lab import LABELLED
from yesteryear_lab.reading.examples import IGNORED, Example, Examples
from yesteryear_lab.reading.phrases import draw_pairs, parted, read_phrases
from yesteryear_lab.reading.rows import EFFECTS, HELD_OUT_KIND, LabelledEffect, read_contrasts, read_effects, read_talk
from yesteryear_lab.reading.two_layers import TwoLayers
from yesteryear_lab.reading.writing import write_trained
from yesteryear_lab.training.fit import FitPolicy, regression_of

BROUGHT, EFFECT, OVERTAKES, TOLD = "brought", "effect", "over", "told"
_CLEAR = 0.3
"""Weight of a pair that was written for itself beside one as a memory nominates it: they end three times as often.
Source: 0, .1 and .3 find alike of people held out in turn."""
_EFFECT_POLICY = FitPolicy(inverse_l2=5e-4, most_steps=1_000)
"""Of ``effect``; vectors are brought to unit variance. Source: 3e-4 and 1e-3 find alike of people held out
in turn; less is seldom sure, and more errs where it is."""
_PLAIN = 0.1
"""Weight of such a pair where ``over`` is fitted, beside contrasts of the weight above. Source: .05 to .3 find alike of
people held out in turn; more makes plain changes likelier, and what a memory nominates less sure."""
_PHRASES, _OF_PHRASES = 16_000, 0.03
"""Pairs drawn from phrasebooks, and the weight of one there."""
_WIDTHS = {BROUGHT: 64, OVERTAKES: 128}
"""Values that the first of two layers makes. Source: 64 to 512 find alike of people held out in turn."""
_PARTS = 4
"""Into how many parts people are dealt, each to be read by a head that was fitted without it."""
_PLAIN_SHARE = 0.1
"""Weight of all pairs that were written for themselves beside all nominated ones, where what is read is weighed with
its words. Source: without them plain changes go unnoticed, with more a memory ends what holds."""
_WEEKS = timedelta(days=21)
"""Between the two of a pair that tells no dates."""
_STATEMENT_POLICY = FitPolicy(inverse_l2=1e-3, most_steps=1_000)
"""Of ``told``; vectors are brought to unit variance. Source: 3e-4 and 3e-3 find alike of persons held out
in turn."""
_SURE = 0.5, 0.55, 0.6, 0.7
"""Probabilities, in [0, 1], from which a yes is counted."""
_IS_OVER = np.isin(EFFECTS, sorted(OVER))


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
    heads = fit_brought(examples, encoder) | fit_effects(examples, encoder)
    heads |= fit_worth(examples, encoder, shipped)
    write_trained(
        chosen.out,
        dict(shipped.tensors) | heads,
        classes=dict(shipped.classes) | dict.fromkeys((BROUGHT, OVERTAKES, TOLD), ("yes",)),
        temperatures={name: value for name, value in shipped.temperatures.items() if name != EFFECT},
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

    fitted = TwoLayers(*judged(taught), width=_WIDTHS[BROUGHT])
    held = {HELD_OUT_KIND: judged(chain(*kinds[True]))}
    held |= {
        path.stem: judged(examples.of_attempts(path)) for path in sorted((LABELLED / "held-out").glob("attempts*"))
    }
    for name, part in held.items():
        _print_figures(f"{BROUGHT}, {name}", _chances(fitted.odds(part.vectors)), part.gold > 0)
    return fitted.tensors(BROUGHT)


class Pairs(NamedTuple):
    """Pairs of a known statement and a later one."""

    judged: Judged
    """The class is an effect."""
    signs: npt.NDArray[np.float64]
    """What tells a change beside what is read, shape (n, signs)."""
    parts: npt.NDArray[np.int64]
    """Which part each is dealt into, with all others of a person or a fact, shape (n,)."""
    weights: npt.NDArray[np.float64]
    """Shape (n,)."""

    @property
    def is_over(self) -> npt.NDArray[np.int64]:
        """1 where the later ends the known one, shape (n,)."""
        return _IS_OVER[self.judged.gold].astype(np.int64)


def fit_effects(examples: Examples, encoder: Encoder) -> dict[str, Matrix]:
    """Return the heads that tell whether a statement ends a known one, and what it does to it.

    Prints with which weights ``verdicts.ChangePolicy`` adds the words of a pair to that, found on people and facts that
    the head was fitted without.
    """

    def pairs(rows: Sequence[LabelledEffect], weight: float, *, is_dated: bool = True) -> Pairs:
        read = _judged((_pair(one, _hidden(one, encoder)), one.effect) for one in map(examples.of_effect, rows))
        parts = [zlib.crc32((row.person or row.fact).encode()) % _PARTS for row in rows]
        signs = _signs(rows, None if is_dated else _WEEKS)
        return Pairs(read, signs, np.array(parts), np.full(len(rows), weight))

    nominated, clear = pairs(_read_pairs("effects/mined/*.pairs"), 1), pairs(_read_pairs("effects/*.pairs"), _CLEAR)
    held = pairs(_read_pairs("held-out/*.pairs"), 1)
    contrasts = chain.from_iterable(map(read_contrasts, sorted(LABELLED.glob("effects/contrast/*.changes"))))
    contrasted = pairs(list(chain.from_iterable(contrasts)), _CLEAR, is_dated=False)
    drawn = pairs(list(_draw_phrases()), _OF_PHRASES, is_dated=False)
    both = _joined([nominated, clear])
    effect = _fit_even(_EFFECT_POLICY, both.judged, scale=nominated.judged.vectors, weights=both.weights)
    if list(effect.classes_) != list(range(len(EFFECTS))):
        raise InputError("every effect has to occur among the pairs")
    plain = clear._replace(weights=np.full(len(clear.weights), _PLAIN))
    taught = _joined([nominated, plain, contrasted, drawn])
    fitted = _fit_over(taught)
    odds = fitted.odds(held.judged.vectors)
    weighed = _weigh(taught, nominated=len(nominated.parts))
    _print_figures(OVERTAKES, _chances(odds), held.is_over > 0)
    chances = weighed.predict_proba(np.column_stack([odds, held.signs]))[:, 1]
    _print_figures(f"{OVERTAKES}, weighed", chances, held.is_over > 0)
    return _head_of(EFFECT, effect) | fitted.tensors(OVERTAKES)


def _draw_phrases() -> Iterator[LabelledEffect]:
    blocks = [parted(block)[0] for path in sorted(LABELLED.glob("phrases/*.phrases")) for block in read_phrases(path)]
    return draw_pairs(blocks, (), _PHRASES, random.Random(0))


def _joined(several: Sequence[Pairs]) -> Pairs:
    """Return all pairs as one."""
    judged = Judged(*(np.concatenate(part) for part in zip(*(each.judged for each in several), strict=True)))
    return Pairs(judged, *(np.concatenate(part) for part in list(zip(*several, strict=True))[1:]))


def _fit_over(pairs: Pairs, *, without: int | None = None) -> TwoLayers:
    """Return what tells whether the later ends the known one, fitted without a part."""
    of = pairs.parts != without
    return TwoLayers(pairs.judged.vectors[of], pairs.is_over[of], width=_WIDTHS[OVERTAKES], weights=pairs.weights[of])


def _weigh(pairs: Pairs, *, nominated: int) -> LogisticRegression:
    """Return what adds the words of pairs to what a head reads of them, of people and facts it was fitted without.

    The first ``nominated`` are as a memory meets them, the others were written for themselves.
    """
    odds = np.zeros(len(pairs.parts))
    for part in range(_PARTS):
        of = pairs.parts == part
        odds[of] = _fit_over(pairs, without=part).odds(pairs.judged.vectors[of])
    plain = len(odds) - nominated
    weights = np.repeat([1.0, _PLAIN_SHARE * nominated / plain], [nominated, plain])
    weighed = LogisticRegression(max_iter=1_000).fit(np.column_stack([odds, pairs.signs]), pairs.is_over, weights)
    told = np.round([*weighed.intercept_, *weighed.coef_[0]], 3).tolist()
    print(json.dumps({"of": f"{OVERTAKES}, weights", "rows": len(odds), "weights": told}))
    return weighed


def _signs(rows: Iterable[LabelledEffect], apart: timedelta | None) -> npt.NDArray[np.float64]:
    """Return what tells a change beside what is read, shape (rows, signs); ``apart`` where no days are told."""
    pairs = (
        ClaimPair(
            Claim(row.fact.removeprefix(f"{row.author}: "), EPOCH),
            Claim(row.text, EPOCH + (apart or timedelta(days=row.days))),
        )
        for row in rows
    )
    return np.array([signs_of_change(pair) for pair in pairs])


def _read_pairs(pattern: str) -> list[LabelledEffect]:
    return [row for path in sorted(LABELLED.glob(pattern)) for row in read_effects(path)]


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


def _pair(one: Example, hidden: Matrix) -> Matrix:
    """Return what heads read of a known statement and a later one, as ``MiniLMReader.effects`` does."""
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
