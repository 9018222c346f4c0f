"""How encoders are taught: windows of about one length at once, and a rate that warms up and falls."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from yesteryear.providers.minilm.placing import Window

PIECES = 3_000
"""Pieces taught at once."""
_HEADS_RATE = 2e-3
"""How fast heads learn, which begin with nothing."""
_TOLD_EACH = 50
_HIDDEN, _FIRST_WORD = 103, 999
"""The piece that stands for one that is hidden, and the first that is a word."""
_WARMING, _LAST_RATE, _DECAY = 0.06, 0.02, 0.01

Taught = TypeVar("Taught")


class Stacked(NamedTuple):
    """Windows beside each other, shape (windows, tokens) each."""

    tokens: Tensor
    own: Tensor
    mask: Tensor
    """False where there is nothing."""


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


def learn(
    model: nn.Module,
    rounds: int,
    rate: float,
    *,
    drawn: Callable[[], Sequence[Sequence[Taught]]],
    loss_of: Callable[[Sequence[Taught]], Tensor],
    after: Callable[[int], None],
) -> None:
    """Teach a model: its ``encoder`` at ``rate``, all else of it faster.

    Args:
        model: What learns.
        rounds: How often.
        rate: The highest.
        drawn: Draws the batches of a round, about as many each time.
        loss_of: Returns the loss of a batch.
        after: Called after each round, with its number.
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
        optimizer, lambda step: min(1.0, (step + 1) / (_WARMING * steps)) * max(_LAST_RATE, 1 - step / steps)
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
