"""A head of two layers: fitted with PyTorch, run by ``TrainedHeads.logits``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from yesteryear.core.vectors import Matrix

_ROUNDS, _ROWS_AT_ONCE, _RATE, _DECAY = 8, 256, 1e-3, 1e-2
_LEFT_OUT, _LEFT_OUT_WITHIN = 0.3, 0.5
"""Shares of what is read, and of what the first layer makes of it, that are left out at random while learning."""
_LEAST_SPREAD = 1e-2  # values that hardly differ tell nothing, and would get weights without end


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
