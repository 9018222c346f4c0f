"""The reader as it is taught: the embedding model's encoder with a low-rank difference, and heads.

PyTorch is a tool of this laboratory (``pip install torch==2.13.0``); what is shipped is run without it. Numbers have 16
bits (bfloat16) but for what is learnt.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional as f

from yesteryear.providers.minilm.build import read_tensors
from yesteryear.providers.minilm.trained import difference_of, trained

LAYERS, HEADS, WIDTH = 6, 12, 384
HEAD_WIDTHS = {"tags": WIDTH, "keep": WIDTH, "effect": 4 * WIDTH}
"""Values a head reads: those of pieces and messages, and of effects; of sentences and statements it is 2 * WIDTH."""
MAPS = (
    *("attention.self.query", "attention.self.key", "attention.self.value"),
    *("attention.output.dense", "intermediate.dense", "output.dense"),
)
SCALE = 2.0
"""Factor on the low-rank difference."""

_NUMBERS = torch.bfloat16 if torch.ops.mkldnn._is_mkldnn_bf16_supported() else torch.float32  # noqa: SLF001
"""Of the encoder: short ones where the machine reckons in them; where it does not they take five times as long."""


class Adapted(nn.Module):
    """A linear map whose weights stay, with a difference of low rank that is learnt: W x + SCALE * B A x."""

    def __init__(self, weight: Tensor, bias: Tensor, rank: int) -> None:
        super().__init__()
        self.register_buffer("weight", weight.to(_NUMBERS))
        self.register_buffer("bias", bias.to(_NUMBERS))
        self.rank = rank
        if rank:
            self.a = nn.Parameter(torch.randn(rank, weight.shape[1]) / math.sqrt(weight.shape[1]))
            self.b = nn.Parameter(torch.zeros(weight.shape[0], rank))

    def forward(self, x: Tensor) -> Tensor:
        """Return shape (..., outputs)."""
        out = f.linear(x, self.weight, self.bias)
        if self.rank:
            out = out + f.linear(f.linear(x, self.a.to(_NUMBERS)), (self.b * SCALE).to(_NUMBERS))
        return out


class Encoder(nn.Module):
    """BERT, of which a difference of some rank is learnt; nothing where it is 0."""

    def __init__(self, tensors: Mapping[str, object], *, rank: int) -> None:
        super().__init__()
        t = {name: torch.tensor(value).to(_NUMBERS) for name, value in tensors.items()}
        self.tables = t
        self.maps = nn.ModuleDict()
        for layer in range(LAYERS):
            for part in MAPS:
                base = f"encoder.layer.{layer}.{part}"
                self.maps[base.replace(".", "_")] = Adapted(t[base + ".weight"], t[base + ".bias"], rank)

    def _norm(self, x: Tensor, name: str) -> Tensor:
        return f.layer_norm(x, (WIDTH,), self.tables[name + ".weight"], self.tables[name + ".bias"], eps=1e-12)

    def _layer(self, x: Tensor, layer: int, bias: Tensor) -> Tensor:
        batch, length, _ = x.shape
        name = f"encoder.layer.{layer}."

        def mapped(part: str, given: Tensor) -> Tensor:
            return self.maps[(name + part).replace(".", "_")](given)

        q, k, v = (
            mapped(f"attention.self.{part}", x).view(batch, length, HEADS, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        share = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(WIDTH // HEADS) + bias, dim=-1)
        y = mapped("attention.output.dense", (share @ v).transpose(1, 2).reshape(batch, length, WIDTH))
        x = self._norm(x + f.dropout(y, 0.1, self.training), name + "attention.output.LayerNorm")
        y = mapped("output.dense", f.gelu(mapped("intermediate.dense", x)))
        return self._norm(x + f.dropout(y, 0.1, self.training), name + "output.LayerNorm")

    def forward(self, tokens: Tensor, own: Tensor, mask: Tensor) -> Tensor:
        """Return what it makes of token numbers, shape (batch, length, 384)."""
        kinds = self.tables["embeddings.token_type_embeddings.weight"]
        x = self.tables["embeddings.word_embeddings.weight"][tokens] + kinds[own]
        x = self._norm(
            x + self.tables["embeddings.position_embeddings.weight"][: tokens.shape[1]], "embeddings.LayerNorm"
        )
        bias = torch.zeros(mask.shape).masked_fill(~mask, -1e4)[:, None, None, :].to(_NUMBERS)
        for layer in range(LAYERS):
            x = self._layer(x, layer, bias)
        return x.float()


def teaching_options(prog: str, description: str, *, rounds: int = 4, rank: int = 12) -> argparse.ArgumentParser:
    """Return the options of a command that teaches an encoder."""
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument("out", type=Path, help="the file that is shipped")
    parser.add_argument("--weights", type=Path, required=True, help="folder of model.safetensors and vocab.txt")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--rank", type=int, default=rank)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--seed", type=int, default=3)
    return parser


def vocabulary_in(weights: Path) -> list[str]:
    """Return the pieces of words, by number, of a folder of published files."""
    return (weights / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")


def beyond_reader(weights: Path, *, rank: int) -> Encoder:
    """Return the encoder of the reader that is shipped, of which a further difference is learnt."""
    tensors = dict(read_tensors(weights / "model.safetensors")[0])
    for name, values in difference_of(trained("reader").tensors).items():
        tensors[name] = tensors[name] + values
    return Encoder(tensors, rank=rank)


def factors_of(encoder: Encoder) -> dict[str, npt.NDArray[np.float32]]:
    """Return the factors of what was learnt, by the names of the published weights."""
    found: dict[str, npt.NDArray[np.float32]] = {}
    for base in (f"encoder.layer.{layer}.{part}" for layer in range(LAYERS) for part in MAPS):
        adapted = encoder.maps[base.replace(".", "_")]
        found |= {f"{base}.a": adapted.a.detach().numpy(), f"{base}.b": adapted.b.detach().numpy() * SCALE}
    return found


class ReaderNetwork(nn.Module):
    """Encoder and heads."""

    def __init__(self, encoder: Encoder, sizes: Mapping[str, int]) -> None:
        super().__init__()
        self.encoder = encoder
        self.heads = nn.ModuleDict(
            {name: nn.Linear(HEAD_WIDTHS.get(name, 2 * WIDTH), size) for name, size in sizes.items()}
        )
        self.pointer = nn.Linear(2 * WIDTH, WIDTH)
        self.nobody = nn.Parameter(torch.zeros(WIDTH))
