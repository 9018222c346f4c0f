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
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional as f

from yesteryear.core.reading import READ_WITH, Before
from yesteryear.core.vectors import Purpose
from yesteryear.ports import Embedder, Reader
from yesteryear.providers.minilm.trained import ALWAYS, ASKED, SAID
from yesteryear.providers.minilm.weights import DIMENSION
from yesteryear.providers.registry import build_embedder, build_reader
from yesteryear_lab import LABELLED
from yesteryear_lab.reading.ask import ASSISTANT, TEMPERATURE, Person, found_among_nearest, loss_of, read_people
from yesteryear_lab.reading.writing import write_trained

_WIDTH, _ROUNDS, _BATCH, _RATE, _DECAY = 64, 12, 64, 3e-3, 1.0


Fit: TypeAlias = Callable[["Heard", Sequence[int]], Tensor]
"""Tells how messages of a talk fit some of its asks, shape (rows, messages)."""


class Heard(NamedTuple):
    """A talk and what is asked of it, as vectors."""

    asked: Tensor  # shape (asks, 384)
    said: Tensor  # shape (messages, 384), without context
    read: Tensor  # shape (messages, 384), in their place and of unit length; zeros of what is not read
    needed: Tensor  # which messages an ask needs, shape (asks, messages)

    def cosines(self, rows: Sequence[int]) -> Tensor:
        """Return how near messages are to some asks, shape (rows, messages)."""
        return self.asked[rows] @ self.said.T


class ContextualMaps(torch.nn.Module):
    """See ``yesteryear.providers.minilm.trained``."""

    def __init__(self) -> None:
        super().__init__()
        self.said = torch.nn.Parameter(torch.randn(_WIDTH, DIMENSION) * (3 / DIMENSION**0.5))
        self.asked = torch.nn.Parameter(torch.zeros(_WIDTH, DIMENSION))
        self.always = torch.nn.Parameter(torch.zeros(_WIDTH))
        self.sharpness = torch.nn.Parameter(torch.tensor(1 / TEMPERATURE))
        """How much cosines count beside, which is the engine's to say."""

    def forward(self, talk: Heard, rows: Sequence[int]) -> Tensor:
        """Return how messages fit some asks, shape (rows, messages); what was not read fits as the mean of its talk."""
        fit: Tensor = (talk.asked[rows] @ self.asked.T + self.always) @ (talk.read @ self.said.T).T
        is_read = talk.read.any(dim=1)
        fit = torch.where(is_read, fit - fit[:, is_read].mean(1, keepdim=True), 0.0)
        return self.sharpness * talk.cosines(rows) + fit


def hear(person: Person, embedder: Embedder, reader: Reader) -> Heard:
    """Return a talk and what is asked of it as vectors."""
    asked, said = (
        torch.tensor(embedder.embed(texts, purpose=purpose))
        for texts, purpose in ((person.asks, Purpose.QUERY), (person.said, Purpose.DOCUMENT))
    )
    return Heard(asked, said, f.normalize(_read(person.talk, reader), dim=1), person.needed)


def _read(talk: Sequence[tuple[str, str]], reader: Reader) -> Tensor:
    rows = torch.zeros(len(talk), DIMENSION)
    for place, (author, text) in enumerate(talk):
        if author != ASSISTANT:
            who = {ASSISTANT: "assistant", author: "me"}
            before = [Before(who.get(other, "them"), said) for other, said in talk[max(0, place - READ_WITH) : place]]
            vector = reader.read(text, before=before).vector
            rows[place] = 0.0 if vector is None else torch.tensor(vector)
    return rows


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
            lost = [
                loss_of(maps(talks[number], rows), talks[number].needed[rows]) * len(rows)
                for number, rows in batch.items()
            ]
            optimizer.zero_grad()
            (torch.stack(lost).sum() / _BATCH).backward()
            optimizer.step()
            plan.step()
    return maps


def main() -> None:
    """Teach, print figures without the maps and with them, write the file."""
    parser = argparse.ArgumentParser(prog="contextual", description="Teach what compares questions with readings.")
    parser.add_argument("out", type=Path, help="the file that is shipped")
    chosen = parser.parse_args()
    torch.manual_seed(1)
    embedder, reader = build_embedder("minilm"), build_reader("minilm")

    def heard_in(file: Path) -> list[Heard]:
        print(f"reading {file}", file=sys.stderr, flush=True)
        return [hear(person, embedder, reader) for person in read_people(file)]

    maps = teach([talk for file in sorted(LABELLED.glob("asks*.jsonl")) for talk in heard_in(file)])
    for file in sorted((LABELLED / "held-out").glob("asks*.jsonl")):
        talks = heard_in(file)
        fits: dict[str, Fit] = {"cosines": Heard.cosines, "with readings": maps}
        with torch.no_grad():
            shares = {
                name: found_among_nearest((fit(talk, range(len(talk.asked))), talk.needed) for talk in talks)
                for name, fit in fits.items()
            }
        print(json.dumps({"held out": file.name} | {name: round(share, 4) for name, share in shares.items()}))
    taught = {SAID: maps.said, ASKED: maps.asked, ALWAYS: maps.always}
    tensors = {name: values.detach().numpy() for name, values in taught.items()}
    write_trained(chosen.out, tensors, classes={}, temperatures={})


if __name__ == "__main__":
    main()
