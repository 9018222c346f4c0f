"""How encoders are taught: windows of about one length at once, and a rate that warms up and falls."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from yesteryear.providers.minilm.build import read_tensors
from yesteryear.providers.minilm.placing import Window
from yesteryear.providers.minilm.trained import difference_of, trained
from yesteryear.providers.minilm.weights import VOCABULARY_FILE
from yesteryear_lab.reading.network import Encoder

PIECES = 3_000  # pieces taught at once
_HEADS_RATE = 2e-3  # how fast heads learn, which begin with nothing
_TOLD_EACH = 50
_HIDDEN, _FIRST_WORD = 103, 999  # the piece that stands for one that is hidden, and the first that is a word
_LAST_RATE, _DECAY = 0.02, 0.01

Taught = TypeVar("Taught")


class Stacked(NamedTuple):
    """Windows beside each other, shape (windows, tokens) each."""

    tokens: Tensor
    own: Tensor
    mask: Tensor  # false where there is nothing


def stacked(windows: Sequence[Window], *, hidden: float = 0.0) -> Stacked:
    """Return windows beside each other, a share of their words ``hidden`` at random."""
    longest = max(len(window.tokens) for window in windows)
    tokens, own = (torch.zeros(len(windows), longest, dtype=torch.long) for _ in range(2))
    mask = torch.zeros(len(windows), longest, dtype=torch.bool)
    for row, window in enumerate(windows):
        length = len(window.tokens)
        tokens[row, :length], own[row, :length] = torch.tensor(window.tokens), torch.tensor(window.own)
        mask[row, :length] = True
    if hidden:
        is_hidden = (torch.rand(tokens.shape) < hidden) & (tokens >= _FIRST_WORD)
        tokens = torch.where(is_hidden, _HIDDEN, tokens)
    return Stacked(tokens, own, mask)


def of_one_length(
    given: Sequence[Taught], window_of: Callable[[Taught], Window], rng: random.Random | None = None
) -> list[list[Taught]]:
    """Return what is given in batches of windows of about one length; mixed by ``rng``."""
    lengths = ((len(window_of(one).tokens) + (rng.random() * 8 if rng else 0), n) for n, one in enumerate(given))
    made: list[list[Taught]] = [[]]
    for _, number in sorted(lengths):
        if made[-1] and (len(made[-1]) + 1) * len(window_of(given[number]).tokens) > PIECES:
            made.append([])
        made[-1].append(given[number])
    if rng:
        rng.shuffle(made)
    return made


def choose_how(
    parser: argparse.ArgumentParser, *, rounds: int, rank: int, rate: float = 6e-4, seed: int = 3
) -> argparse.Namespace:
    """Return what a script is told of its teaching: ``out``, ``weights`` and these, which it takes where not told."""
    parser.add_argument("out", type=Path, help="the file that is shipped")
    parser.add_argument("--weights", type=Path, required=True, help="folder of model.safetensors and vocab.txt")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--rank", type=int, default=rank)
    parser.add_argument("--rate", type=float, default=rate)
    parser.add_argument("--seed", type=int, default=seed)
    chosen = parser.parse_args()
    torch.manual_seed(chosen.seed)
    return chosen


def vocabulary_in(folder: Path) -> list[str]:
    """Return the pieces of words, by number, of the published files or the installed model."""
    return (folder / VOCABULARY_FILE).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def reader_again(weights: Path, *, rank: int) -> Encoder:
    """Return the encoder as the shipped reader has it, to learn a further difference of a rank."""
    tensors = dict(read_tensors(weights / "model.safetensors")[0])
    for name, values in difference_of(trained("reader").tensors).items():
        tensors[name] = tensors[name] + values
    return Encoder(tensors, rank=rank)


def tensors_of(heads: Mapping[str, nn.Module]) -> dict[str, npt.NDArray[np.float32]]:
    """Return what heads have learnt, as a file of them holds it."""
    return {
        f"heads.{name}.{part}": values.detach().numpy()
        for name, head in heads.items()
        for part, values in head.named_parameters()
    }


def learn(
    model: nn.Module,
    rounds: int,
    rate: float,
    *,
    drawn: Callable[[], Sequence[Sequence[Taught]]],
    loss_of: Callable[[Sequence[Taught]], Tensor],
    after: Callable[[int], None],
    warming: float = 0.06,
) -> None:
    """Teach a model: its ``encoder`` at ``rate``, all else of it faster.

    Args:
        model: What learns.
        rounds: How often.
        rate: The highest.
        drawn: Draws the batches of a round, about as many each time.
        loss_of: Returns the loss of a batch.
        after: Called after each round, with its number.
        warming: Share of the steps in which the rate rises.
    """
    body, heads = (
        [values for name, values in model.named_parameters() if name.startswith("encoder.") is is_body]
        for is_body in (True, False)
    )
    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": rate}, {"params": heads, "lr": _HEADS_RATE}], weight_decay=_DECAY
    )
    batches = drawn()
    steps = rounds * len(batches)
    plan = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (warming * steps)) * max(_LAST_RATE, 1 - step / steps)
    )
    for turn in range(1, rounds + 1):
        for number, batch in enumerate(batches):
            loss = loss_of(batch)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([*body, *heads], 1.0)
            optimizer.step()
            plan.step()
            if number % _TOLD_EACH == 0:
                told = f"round {turn} of {rounds}, batch {number} of {len(batches)}: {float(loss.detach()):.2f}"
                print(told, file=sys.stderr, flush=True)
        after(turn)
        batches = drawn()
