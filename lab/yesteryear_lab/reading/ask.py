"""Teach what embeds questions: ``python -m yesteryear_lab.reading.ask OUT --weights FOLDER``.

A copy of the embedding model learns to put what somebody asks or says now near the old messages that answer it; the
messages stay where the published model puts them, so nothing that is kept changes. Needs PyTorch (``pip install
torch==2.13.0``) and the published files (``model.safetensors``, ``vocab.txt``). Prints after each round how many of the
needed messages are among the nearest ten, of people held out. Two minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as f

from yesteryear.core.language.names import NameBook
from yesteryear.providers.minilm.build import read_tensors
from yesteryear.providers.minilm.embedder import WordPiece
from yesteryear_lab import LABELLED
from yesteryear_lab.reading.learning import choose_how, learn
from yesteryear_lab.reading.network import Encoder, factors_of
from yesteryear_lab.reading.writing import write_trained
from yesteryear_lab.training.rows import Row, read_rows

ASSISTANT = "Assistant"  # author of what an assistant says in the rows
_BATCH, _NEAREST = 32, 10
TEMPERATURE = 0.05  # cosines are divided by it before they compete
_WARMING = 0.1
_NEVER = -1e4


@dataclass(frozen=True, slots=True)
class Person:
    """What was said in one talk, and what is asked of it; without the names of those who talk, as recall has it."""

    talk: list[tuple[str, str]]  # author and text of each message, as it was written
    said: list[str]
    asks: list[str]
    needs: list[list[int]]  # of each ask, places of the messages that it needs

    @property
    def needed(self) -> Tensor:
        """Which messages each ask needs; shape (asks, messages)."""
        found = torch.zeros(len(self.asks), len(self.said), dtype=torch.bool)
        for row, places in enumerate(self.needs):
            found[row, places] = True
        return found


def read_people(path: Path) -> list[Person]:
    """Return the rows of a file; an ask that needs nothing is left out."""
    return list(map(_person, read_rows(path)))


def _person(row: Row) -> Person:
    talk = [(message["author"], message["text"]) for message in row["messages"]]
    names = NameBook.of({author for author, _ in talk} - {ASSISTANT})
    places = {message["id"]: place for place, message in enumerate(row["messages"])}
    asks = [(names.strip(ask["text"]), [places[each] for each in ask["needs"]]) for ask in row["asks"] if ask["needs"]]
    return Person(
        talk, [names.strip(text) for _, text in talk], [text for text, _ in asks], [needs for _, needs in asks]
    )


class Embedding:
    """Texts as unit vectors, by an encoder that may learn."""

    def __init__(self, encoder: Encoder, words: WordPiece) -> None:
        self.encoder, self._words = encoder, words

    def __call__(self, texts: Sequence[str]) -> Tensor:
        """Return shape (texts, 384)."""
        tokens = [torch.tensor(self._words.encode(text)) for text in texts]
        padded = torch.nn.utils.rnn.pad_sequence(tokens, batch_first=True)
        mask = torch.arange(padded.shape[1])[None] < torch.tensor([len(each) for each in tokens])[:, None]
        hidden = self.encoder(padded, torch.zeros_like(padded), mask)
        weighed = mask[..., None]
        return f.normalize((hidden * weighed).sum(1) / weighed.sum(1), dim=1)

    def all(self, texts: Sequence[str]) -> Tensor:
        """Return the vectors of many texts, which teach nothing."""
        self.encoder.eval()
        with torch.no_grad():
            return torch.cat([self(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)])


def loss_of(fit: Tensor, needed: Tensor) -> Tensor:
    """Return the mean over asks of -log of the share of each needed message beside all that are not needed.

    Shape (asks, messages) both: how well messages fit, and which an ask needs.
    """
    others = torch.logsumexp(fit.masked_fill(needed, _NEVER), dim=1, keepdim=True)
    lost = torch.logaddexp(fit, others) - fit
    return ((lost * needed).sum(1) / needed.sum(1)).mean()


def found_among_nearest(fits: Iterable[tuple[Tensor, Tensor]]) -> float:
    """Return the mean share, in [0, 1], of the needed messages that are among the ten that fit best of their talk.

    ``fits`` tells of each talk how well its messages fit each ask, and which are needed; as for ``loss_of``.
    """
    shares: list[float] = []
    for fit, needed in fits:
        nearest = fit.topk(min(_NEAREST, fit.shape[1])).indices
        shares += (needed.gather(1, nearest).sum(1) / needed.sum(1)).tolist()
    return sum(shares) / len(shares)


def teach(
    embed: Embedding, people: Sequence[Person], said: Sequence[Tensor], *, rate: float, rounds: int, seed: int
) -> None:
    """Go through all asks so many times; the messages of all talks of a batch compete."""
    rng = random.Random(seed)
    asks = [(number, place) for number, person in enumerate(people) for place in range(len(person.asks))]

    def drawn() -> Sequence[Sequence[tuple[int, int]]]:
        rng.shuffle(asks)
        return [asks[start : start + _BATCH] for start in range(0, len(asks), _BATCH)]

    def lost(batch: Sequence[tuple[int, int]]) -> Tensor:
        talks = sorted({number for number, _ in batch})
        starts = dict(zip(talks, accumulate((len(said[number]) for number in talks), initial=0), strict=False))
        messages = torch.cat([said[number] for number in talks])
        needed = torch.zeros(len(batch), len(messages), dtype=torch.bool)
        for row, (number, place) in enumerate(batch):
            needed[row, [starts[number] + each for each in people[number].needs[place]]] = True
        asked = embed([people[number].asks[place] for number, place in batch])
        return loss_of(asked @ messages.T / TEMPERATURE, needed)

    embed.encoder.train()
    model = torch.nn.ModuleDict({"encoder": embed.encoder})
    learn(model, rounds, rate, drawn=drawn, loss_of=lost, after=lambda _: None, warming=_WARMING)


def main() -> None:
    """Teach, print figures before and after, write the file."""
    parser = argparse.ArgumentParser(prog="ask", description="Teach what embeds questions.")
    chosen = choose_how(parser, rounds=4, rank=8, rate=4e-4, seed=1)
    tensors, _ = read_tensors(chosen.weights / "model.safetensors")
    words = WordPiece.of_file(chosen.weights / "vocab.txt")
    stays, learns = (Embedding(Encoder(tensors, rank=rank), words) for rank in (0, chosen.rank))
    people, held = (read_people(LABELLED / name) for name in ("asks.jsonl", "held-out/asks.jsonl"))
    said, said_by_held = ([stays.all(person.said) for person in part] for part in (people, held))

    def found_by(embed: Embedding) -> float:
        fits = (
            (embed.all(person.asks) @ vectors.T, person.needed)
            for person, vectors in zip(held, said_by_held, strict=True)
        )
        return found_among_nearest(fits)

    before = found_by(stays)
    teach(learns, people, said, rate=chosen.rate, rounds=chosen.rounds, seed=chosen.seed)
    after = found_by(learns)
    print(json.dumps({"held out": len(held), "as published": round(before, 4), "taught": round(after, 4)}))
    write_trained(chosen.out, factors_of(learns.encoder), classes={}, temperatures={})


if __name__ == "__main__":
    main()
