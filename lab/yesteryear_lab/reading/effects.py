"""Teach what tells effects on known facts: ``python -m yesteryear_lab.reading.effects OUT --weights F --nominated F``.

The reader's encoder learns a further difference, and two heads with it: whether the fact holds no more, and what else
is done to it, or how. It learns from pairs as a memory nominates them, of lives whose writers said what ends what
(``effects/lives``; ``--nominated`` names what ``nominated`` has made of them) and of other talk (``effects/mined``),
from what those writers said by itself, and from pairs that were written for themselves (``effects``,
``effects/contrast``) or are drawn from phrasebooks. Needs PyTorch (``pip install torch==2.13.0``) and the published
files (``model.safetensors``, ``vocab.txt``). Prints after each round what it finds of people held out, and keeps the
round that is best on the lives that are looked at, with the weights by which ``verdicts.ChangePolicy`` adds the words
of a pair. A quarter of an hour on two cores; then ``model install``.
"""

from __future__ import annotations

import argparse
import json
import random
import zlib
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import Tensor, nn
from torch.nn import functional as f

from yesteryear.core.reading import OVER
from yesteryear.core.ruling import Claim, ClaimPair
from yesteryear.core.time import EPOCH
from yesteryear.providers.local.verdicts import signs_of_change
from yesteryear_lab import LABELLED
from yesteryear_lab.bench.outdated import read_changes
from yesteryear_lab.reading.examples import IGNORED, Example, Examples
from yesteryear_lab.reading.learning import (
    choose_how,
    learn,
    of_one_length,
    reader_again,
    stacked,
    tensors_of,
    vocabulary_in,
)
from yesteryear_lab.reading.network import WIDTH, Encoder, factors_of
from yesteryear_lab.reading.nominated import NominatedPair, read_nominated, told_pairs
from yesteryear_lab.reading.phrases import draw_pairs, parted, read_phrases
from yesteryear_lab.reading.rows import EFFECTS, LabelledEffect, read_all, read_contrasts, read_effects
from yesteryear_lab.reading.writing import write_trained

_INNER = 64  # values that the first layer of ``over`` makes
_OF_EFFECT = 0.3  # weight of the loss of ``effect`` beside that of ``over``
_HIDDEN_SHARE, _SMOOTHED = 0.06, 0.02
_NOMINATED, _MINED, _TOLD, _CLEAR, _OF_PHRASES = 1.0, 0.6, 0.7, 0.3, 0.1
"""Weights of a pair: as a memory nominates it now and as one did, as its writer told of it, written for itself, drawn
from a phrasebook."""
_STANDING_A_ROUND, _CLEAR_A_ROUND, _CONTRASTS_A_ROUND, _PHRASES_A_ROUND = 0.5, 4_000, 4_000, 3_000
"""Drawn anew in each round: the share of pairs that a memory nominated and that end nothing, and how many of others."""
_HELD_OUT, _DEVELOPMENT = 7, ("h-1", "h-2", "u-1", "u-2", "z-1", "z-2", "z-3", "z-4")
"""One person of so many is left out of ``effects/mined``; and lives that are looked at while it is taught."""
_SURE = 0.4, 0.5, 0.6, 0.7, 0.8  # probabilities, in [0, 1], from which an end is counted


class Pair(NamedTuple):
    """A known fact and a later message."""

    example: Example  # its effect is ``IGNORED`` where only is known whether the fact still holds
    is_over: bool
    weight: float
    signs: Sequence[float] = ()  # what its words tell beside what is read


class EffectsNetwork(nn.Module):
    """Encoder, a head of two layers that tells an end, and one that tells effects."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.hidden = nn.Linear(4 * WIDTH, _INNER)
        self.over = nn.Linear(_INNER, 1)
        self.effect = nn.Linear(4 * WIDTH, len(EFFECTS))

    def forward(self, batch: Sequence[Pair]) -> tuple[Tensor, Tensor]:
        """Return logits of an end, shape (pairs,), and of effects, shape (pairs, effects)."""
        windows = [one.example.window for one in batch]
        read = stacked(windows, hidden=_HIDDEN_SHARE if self.training else 0.0)
        hidden = self.encoder(*read)
        facts, said = torch.zeros(read.mask.shape), torch.zeros(read.mask.shape)
        for row, one in enumerate(batch):
            facts[row, slice(*one.example.fact)] = 1
            said[row, one.example.window.first - 1 : len(one.example.window.tokens)] = 1

        def mean(of: Tensor) -> Tensor:
            total: Tensor = (hidden * of[..., None]).sum(1) / of.sum(1, keepdim=True).clamp(min=1)
            return total

        about, words = mean(facts), mean(said)
        pair = f.dropout(torch.cat([hidden[:, 0], about, words, about * words], dim=1), 0.1, self.training)
        within = f.dropout(torch.relu(self.hidden(pair)), 0.2, self.training)
        return self.over(within)[:, 0], self.effect(pair)

    def loss(self, batch: Sequence[Pair]) -> Tensor:
        """Return the loss of pairs, by their weights."""
        over, effect = self(batch)
        weights = torch.tensor([one.weight for one in batch])
        aim = torch.tensor([float(one.is_over) for one in batch]) * (1 - 2 * _SMOOTHED) + _SMOOTHED
        gold = torch.tensor([one.example.effect for one in batch])
        lost = f.binary_cross_entropy_with_logits(over, aim, reduction="none")
        lost = lost + _OF_EFFECT * f.cross_entropy(effect, gold, reduction="none", ignore_index=IGNORED)
        total: Tensor = (weights * lost).mean()
        return total


class Taught(NamedTuple):
    """What is taught and what is held out."""

    over: list[Pair]  # nominated pairs that end something, and what is told of by itself
    standing: list[Pair]  # nominated pairs that end nothing
    clear: list[Pair]
    contrasts: list[Pair]
    held: dict[str, list[Pair]]


def gather(examples: Examples, nominated: Sequence[NominatedPair]) -> Taught:
    """Return what is taught, and what is held out."""

    def pair(row: LabelledEffect, weight: float) -> Pair:
        known = Claim(row.fact.removeprefix(f"{row.author}: "), EPOCH)
        signs = signs_of_change(ClaimPair(known, Claim(row.text, EPOCH)))
        return Pair(examples.of_effect(row), row.effect in OVER, weight, signs)

    mined = read_all("effects/mined/*.pairs", read_effects)
    lives = read_all("effects/lives/*.jsonl", lambda path: told_pairs(read_changes(path)))
    kept = [pair(row, _MINED) for row in mined if zlib.crc32(row.person.encode()) % _HELD_OUT]
    untaught = {path.stem: path.parent.name for path in LABELLED.glob("held-out/effects-*/*.jsonl")}
    kept += [pair(one.as_effect(), _NOMINATED) for one in nominated if one.person not in (*_DEVELOPMENT, *untaught)]
    told = [pair(one.as_effect(), _TOLD) for one in lives if one.person not in _DEVELOPMENT]
    held = {
        "lives": [pair(one.as_effect(), 1) for one in nominated if one.person in _DEVELOPMENT],
        **{
            f"held-out/{name}": [pair(one.as_effect(), 1) for one in nominated if untaught.get(one.person) == name]
            for name in sorted(set(untaught.values()))
        },
        "mined": [pair(row, 1) for row in mined if zlib.crc32(row.person.encode()) % _HELD_OUT == 0],
        "held-out/effects": [pair(row, 1) for row in read_effects(LABELLED / "held-out/effects.pairs")],
    }
    contrasts = read_all("effects/contrast/*.changes", read_contrasts)
    return Taught(
        [one for one in kept if one.is_over] + told,
        [one for one in kept if not one.is_over],
        [pair(row, _CLEAR) for row in read_all("effects/*.pairs", read_effects)],
        [pair(row, _CLEAR) for row in chain.from_iterable(contrasts)],
        held,
    )


@torch.no_grad()
def judge(model: EffectsNetwork, pairs: Sequence[Pair]) -> tuple[npt.NDArray[np.float64], list[Pair]]:
    """Return the log odds of an end, shape (pairs,), and the pairs in that order."""
    model.eval()
    batches = of_one_length(pairs, lambda one: one.example.window)
    odds = np.array([value for batch in batches for value in model(batch)[0].tolist()])
    model.train()
    return odds, list(chain.from_iterable(batches))


def print_figures(of: str, odds: npt.NDArray[np.float64], pairs: Sequence[Pair]) -> float:
    """Print area, and how many are taken rightly, and at all, from each probability; return average precision."""
    gold = np.array([one.is_over for one in pairs])
    chances = 1 / (1 + np.exp(-odds))
    taken = {sure: [int((gold & (chances >= sure)).sum()), int((chances >= sure).sum())] for sure in _SURE}
    precise, area = average_precision_score(gold, odds), roc_auc_score(gold, odds)
    told = {"of": of, "over": int(gold.sum()), "precision": round(float(precise), 3), "area": round(float(area), 3)}
    print(json.dumps(told | {"right and taken": taken}), flush=True)
    return float(precise)


def weigh(model: EffectsNetwork, pairs: Sequence[Pair]) -> LogisticRegression:
    """Return what adds the words of pairs to what is read of them."""
    odds, placed = judge(model, pairs)
    signs = np.column_stack([odds, [one.signs for one in placed]])
    return LogisticRegression(max_iter=1_000).fit(signs, [one.is_over for one in placed])


def main() -> None:
    """Teach, print figures after each round, write the file."""
    parser = argparse.ArgumentParser(prog="effects", description="Teach what tells what a message does to a fact.")
    parser.add_argument("--nominated", type=Path, required=True, help="what yesteryear_lab.reading.nominated has made")
    chosen = choose_how(parser, rounds=3, rank=12)
    rng = random.Random(chosen.seed)
    examples = Examples(vocabulary_in(chosen.weights))
    taught = gather(examples, read_nominated(chosen.nominated))
    phrases = [parted(one)[0] for one in read_all("phrases/*.phrases", read_phrases)]
    model = EffectsNetwork(reader_again(chosen.weights, rank=chosen.rank))

    def drawn() -> list[list[Pair]]:
        some = rng.sample(taught.standing, int(_STANDING_A_ROUND * len(taught.standing)))
        pairs = map(examples.of_effect, phrased := list(draw_pairs(phrases, (), _PHRASES_A_ROUND, rng)))
        of_phrases = (Pair(one, row.effect in OVER, _OF_PHRASES) for one, row in zip(pairs, phrased, strict=True))
        others = *rng.sample(taught.clear, _CLEAR_A_ROUND), *rng.sample(taught.contrasts, _CONTRASTS_A_ROUND)
        return of_one_length([*taught.over, *some, *others, *of_phrases], lambda one: one.example.window, rng)

    best = 0.0

    def after(_: int) -> None:
        nonlocal best
        precise = {name: print_figures(name, *judge(model, pairs)) for name, pairs in taught.held.items() if pairs}
        if precise["lives"] > best:
            best = precise["lives"]
            export(model, chosen.out)
            weighed = weigh(model, taught.held["lives"])
            print(json.dumps({"weights": np.round([*weighed.intercept_, *weighed.coef_[0]], 3).tolist()}), flush=True)

    learn(model, chosen.rounds, chosen.rate, drawn=drawn, loss_of=model.loss, after=after)


def export(model: EffectsNetwork, path: Path) -> None:
    """Write what the product reads: factors of the difference, and heads."""
    heads = tensors_of({"over.hidden": model.hidden, "over": model.over, "effect": model.effect})
    classes = {"over": ("yes",), "effect": EFFECTS}
    write_trained(path, heads | factors_of(model.encoder), classes=classes, temperatures={}, is_rounded=True)


if __name__ == "__main__":
    main()
