"""Teach what compares questions with readings: ``python -m yesteryear_lab.reading.contextual OUT``.

Two maps learn to bring the vector of what somebody asks or says now near what the reader has made of the old messages
that answer it, beyond what their cosines tell. Embedder and reader are the installed ones and learn nothing. Needs
PyTorch (``pip install torch==2.13.0``). Prints how many of the needed messages are among the nearest ten, of people
held out. Three minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as f

from yesteryear.core.language.names import NameBook
from yesteryear.core.reading import Before
from yesteryear.core.vectors import Purpose
from yesteryear.ports import Embedder, Reader
from yesteryear.providers.minilm.contextual import ALWAYS, ASKED, SAID
from yesteryear.providers.minilm.weights import DIMENSION
from yesteryear.providers.registry import build_embedder, build_reader
from yesteryear_lab import LABELLED
from yesteryear_lab.reading.writing import write_trained

_ASSISTANT, _NEAREST, _BEFORE = "Assistant", 10, 3
"""Who is not read; hits that are looked at; messages before one with which it is read, as ``remember`` has it."""
_WIDTH, _ROUNDS, _BATCH, _RATE, _DECAY, _TEMPERATURE = 64, 12, 64, 3e-3, 1.0, 0.05
_NEVER = -1e4


class Heard(NamedTuple):
    """A talk and what is asked of it, as vectors."""

    asked: Tensor
    """Shape (asks, 384)."""
    said: Tensor
    """Shape (messages, 384), without context."""
    read: Tensor
    """Shape (messages, 384), in their place and of unit length; zeros of what is not read."""
    needed: Tensor
    """Which messages an ask needs, shape (asks, messages)."""

    def cosines(self, rows: Sequence[int]) -> Tensor:
        """Return how near messages are to some asks, shape (rows, messages)."""
        return self.asked[rows] @ self.said.T


class ContextualMaps(torch.nn.Module):
    """See ``yesteryear.providers.minilm.contextual``."""

    def __init__(self) -> None:
        super().__init__()
        self.said = torch.nn.Parameter(torch.randn(_WIDTH, DIMENSION) * (3 / DIMENSION**0.5))
        self.asked = torch.nn.Parameter(torch.zeros(_WIDTH, DIMENSION))
        self.always = torch.nn.Parameter(torch.zeros(_WIDTH))
        self.sharpness = torch.nn.Parameter(torch.tensor(1 / _TEMPERATURE))
        """How much cosines count beside, which is the engine's to say."""

    def forward(self, talk: Heard, rows: Sequence[int]) -> Tensor:
        """Return how messages fit some asks, shape (rows, messages); what was not read fits as the mean of its talk."""
        fit: Tensor = (talk.asked[rows] @ self.asked.T + self.always) @ (talk.read @ self.said.T).T
        is_read = talk.read.any(dim=1)
        fit = torch.where(is_read, fit - fit[:, is_read].mean(1, keepdim=True), 0.0)
        return self.sharpness * talk.cosines(rows) + fit


def hear(row: dict[str, list[dict[str, object]]], embedder: Embedder, reader: Reader) -> Heard:
    """Return a row of ``asks.jsonl`` as vectors: without the names of those who talk, as recall has it."""
    talk = [(str(message["author"]), str(message["text"])) for message in row["messages"]]
    places = {message["id"]: place for place, message in enumerate(row["messages"])}
    asks = [ask for ask in row["asks"] if ask["needs"]]
    names = NameBook.of({author for author, _ in talk} - {_ASSISTANT})
    needed = torch.zeros(len(asks), len(talk), dtype=torch.bool)
    for number, ask in enumerate(asks):
        needs = ask["needs"]
        needed[number, [places[each] for each in needs] if isinstance(needs, list) else []] = True

    def embedded(texts: Sequence[str], purpose: Purpose) -> Tensor:
        return torch.tensor(embedder.embed([names.strip(text) for text in texts], purpose=purpose))

    return Heard(
        embedded([str(ask["text"]) for ask in asks], Purpose.QUERY),
        embedded([text for _, text in talk], Purpose.DOCUMENT),
        f.normalize(_read(talk, reader), dim=1),
        needed,
    )


def _read(talk: Sequence[tuple[str, str]], reader: Reader) -> Tensor:
    rows = torch.zeros(len(talk), DIMENSION)
    for place, (author, text) in enumerate(talk):
        if author != _ASSISTANT:
            before = [Before(_who(other, author), said) for other, said in talk[max(0, place - _BEFORE) : place]]
            vector = reader.read(text, before=before).vector
            rows[place] = 0.0 if vector is None else torch.tensor(vector)
    return rows


def _who(other: str, author: str) -> str:
    return "assistant" if other == _ASSISTANT else "me" if other == author else "them"


def loss_of(fit: Tensor, needed: Tensor) -> Tensor:
    """Return the sum over asks of the mean of -log of the share of each needed message beside all that are not needed.

    Shape (asks, messages) both.
    """
    others = torch.logsumexp(fit.masked_fill(needed, _NEVER), dim=1, keepdim=True)
    lost = torch.logaddexp(fit, others) - fit
    return ((lost * needed).sum(1) / needed.sum(1)).sum()


def teach(talks: Sequence[Heard]) -> ContextualMaps:
    """Return maps that add to cosines what these lack. What others said does not compete: their rent is rent, too."""
    rng, maps = random.Random(1), ContextualMaps()
    taught = [{"params": [maps.said, maps.asked], "weight_decay": _DECAY}, {"params": [maps.always, maps.sharpness]}]
    optimizer = torch.optim.AdamW(taught, lr=_RATE, weight_decay=0.0)
    asks = [(number, row) for number, talk in enumerate(talks) for row in range(len(talk.asked))]
    plan = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, _ROUNDS * -(-len(asks) // _BATCH))
    for _ in range(_ROUNDS):
        rng.shuffle(asks)
        for start in range(0, len(asks), _BATCH):
            batch: defaultdict[int, list[int]] = defaultdict(list)
            for number, row in asks[start : start + _BATCH]:
                batch[number].append(row)
            lost = [loss_of(maps(talks[number], rows), talks[number].needed[rows]) for number, rows in batch.items()]
            optimizer.zero_grad()
            (torch.stack(lost).sum() / _BATCH).backward()
            optimizer.step()
            plan.step()
    return maps


def found_among_nearest(talks: Sequence[Heard], fit: Callable[[Heard, Sequence[int]], Tensor]) -> float:
    """Return the mean share, in [0, 1], of the needed messages that fit best of their talk."""
    shares = []
    for talk in talks:
        best = fit(talk, range(len(talk.asked))).topk(_NEAREST).indices
        shares += (talk.needed.gather(1, best).sum(1) / talk.needed.sum(1)).tolist()
    return sum(shares) / len(shares)


def main() -> None:
    """Teach, print figures without the maps and with them, write the file."""
    parser = argparse.ArgumentParser(prog="contextual", description="Teach what compares questions with readings.")
    parser.add_argument("out", type=Path, help="the file that is shipped")
    chosen = parser.parse_args()
    torch.manual_seed(1)
    embedder, reader = build_embedder("minilm"), build_reader("minilm")

    def heard_in(folder: Path) -> dict[str, list[Heard]]:
        print(f"reading {folder}", file=sys.stderr, flush=True)
        files = sorted(folder.glob("asks*.jsonl"))
        return {
            file.name: [hear(json.loads(line), embedder, reader) for line in file.read_text("utf-8").splitlines()]
            for file in files
        }

    maps = teach([talk for talks in heard_in(LABELLED).values() for talk in talks])
    with torch.no_grad():
        for name, talks in heard_in(LABELLED / "held-out").items():
            shares = {"cosines": found_among_nearest(talks, Heard.cosines), "taught": found_among_nearest(talks, maps)}
            print(json.dumps({"held out": name} | {key: round(share, 4) for key, share in shares.items()}))
    taught = {SAID: maps.said, ASKED: maps.asked, ALWAYS: maps.always}
    tensors = {name: values.detach().numpy() for name, values in taught.items()}
    write_trained(chosen.out, tensors, classes={}, temperatures={})


if __name__ == "__main__":
    main()
