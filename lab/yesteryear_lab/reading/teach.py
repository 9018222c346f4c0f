"""Teach the reader: ``python -m yesteryear_lab.reading.teach OUT --weights FOLDER [--others FOLDER]``.

Needs PyTorch (``pip install torch==2.13.0``) and the published files of the embedding model (``model.safetensors``
and ``vocab.txt``). With ``--others`` it learns from talk of others too, which stays outside the repository: Memora's
folders of personas (geniesinc/Memora, Apache License 2.0), of which a fixed part is left out to be judged by. Prints
after each round how well it reads people and a kind of talk that it was not taught with. Half an hour on two cores.
Then ``model install`` and ``python -m yesteryear_lab.reading.heads`` fit two heads on more rows.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional as f

from yesteryear.core.reading import OVER
from yesteryear.providers.minilm.build import read_tensors
from yesteryear.providers.minilm.trained import trained
from yesteryear_lab import LABELLED
from yesteryear_lab.figures import f1 as f1_of
from yesteryear_lab.figures import macro_f1
from yesteryear_lab.reading.examples import CLASSES, IGNORED, Example, Examples
from yesteryear_lab.reading.learning import choose_how, learn, of_one_length, stacked, vocabulary_in
from yesteryear_lab.reading.network import PLACES, SCALE, WIDTH, Encoder, ReaderNetwork, factors_of
from yesteryear_lab.reading.phrases import draw_idle_pairs, draw_messages, draw_pairs, parted, read_phrases
from yesteryear_lab.reading.rows import EFFECTS, HELD_OUT_KIND, read_all, read_effects, read_statements, read_talk
from yesteryear_lab.reading.writing import fit_temperature, write_trained

_PEOPLE_HELD_OUT, _FACTS_HELD_OUT, _MEMORA_HELD_OUT, _MEMORA_TAUGHT = 12, 8, 600, 1_500
"""People held out of the other kinds; one fact of so many; turns of Memora held out, and those taught."""
_PAIRS_A_ROUND, _IDLE_PAIRS_A_ROUND, _MESSAGES_A_ROUND, _PHRASES_HELD_OUT = 4_000, 1_000, 2_000, 1_500
"""Drawn anew for each round; pairs and messages of lines held out."""
_NOMINATED_A_ROUND, _MORE_A_ROUND = 1, 2
"""How often pairs are taught as a memory nominates them (few end something, as it is in life), and ``talk/more``."""
_OVER = tuple(map(EFFECTS.index, OVER))
_SURE = 0.5, 0.7, 0.85  # probabilities, in [0, 1], from which an effect that ends what is known is counted
_HIDDEN_SHARE, _SMOOTHED = 0.08, 0.05  # share of pieces that are hidden while it is taught; how unsure it may stay
_WEIGHTS = {"keep": 0.5, "tags": 1.5, "answers": 0.3, "u_worth": 0.5, "pointer": 0.5, "worth": 2.0}
"""Of the losses of heads; 1 where not named."""

Told: TypeAlias = Mapping[str, tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]]  # logits and gold by head


def tell(model: ReaderNetwork, batch: Sequence[Example]) -> dict[str, tuple[Tensor, Tensor]]:
    """Return logits and gold by head for examples of one task."""
    tokens, own, mask = stacked([one.window for one in batch], hidden=_HIDDEN_SHARE if model.training else 0.0)
    hidden = f.dropout(model.encoder(tokens, own, mask), 0.1, model.training)
    said = own[..., None].float()
    message = (hidden * said).sum(1) / said.sum(1)
    if batch[0].task == "effect":
        facts = torch.stack([hidden[row, slice(*each.fact)].mean(0) for row, each in enumerate(batch)])
        pair = torch.cat([hidden[:, 0], facts, message, facts * message], dim=1)
        return {"effect": (model.heads["effect"](pair), torch.tensor([each.effect for each in batch]))}
    told = {"keep": (model.heads["keep"](message), torch.tensor([each.keep for each in batch]))}
    if batch[0].task == "talk":
        gold = torch.full(tokens.shape, IGNORED)
        for row, each in enumerate(batch):
            gold[row, : len(each.tags)] = torch.tensor(each.tags)
        told["tags"] = model.heads["tags"](hidden).flatten(0, 1), gold.flatten()
        told |= _of_spans(model, batch, hidden, message, mask)
    return told


def _of_spans(
    model: ReaderNetwork, batch: Sequence[Example], hidden: Tensor, message: Tensor, mask: Tensor
) -> dict[str, tuple[Tensor, Tensor]]:
    summed = torch.cat([torch.zeros(len(batch), 1, WIDTH), hidden.cumsum(1)], dim=1)

    def mean(rows: Sequence[int], places: Sequence[tuple[int, int]]) -> Tensor:
        at, (starts, ends) = torch.tensor(rows), torch.tensor(places).T
        return (summed[at, ends] - summed[at, starts]) / (ends - starts)[:, None]

    told = {}
    sentences = [(row, span) for row, each in enumerate(batch) for span in each.sentences]
    if sentences:
        rows = [row for row, _ in sentences]
        vectors = torch.cat([mean(rows, [(span.start, span.end) for _, span in sentences]), message[rows]], dim=1)
        for name in ("worth", "stance", "answers"):
            told[name] = model.heads[name](vectors), torch.tensor([span.gold[name] for _, span in sentences])
    statements = [(row, span) for row, each in enumerate(batch) for span in each.statements]
    if statements:
        rows = [row for row, _ in statements]
        own = mean(rows, [(span.start, span.end) for _, span in statements])
        vectors = torch.cat([own, mean(rows, [span.sentence for _, span in statements])], dim=1)
        for name in ("u_stance", "kind", "attribute", "holder", "u_worth"):
            told[name] = model.heads[name](vectors), torch.tensor([span.gold[name] for _, span in statements])
        asked = model.pointer(vectors)
        scores = (hidden[rows] @ asked[:, :, None])[:, :, 0].masked_fill(~mask[rows], -1e4)
        scores[:, 0] = asked @ model.nobody
        gold = torch.tensor([span.gold["pointer"] for _, span in statements])
        told["pointer"] = scores / math.sqrt(WIDTH), gold
    return told


def loss_of(told: Mapping[str, tuple[Tensor, Tensor]]) -> Tensor:
    """Return the weighted sum of the losses of all heads."""
    total = torch.zeros(())
    for name, (logits, gold) in told.items():
        known = gold != IGNORED
        if not known.any():
            continue
        if len(CLASSES.get(name, ())) == 1:
            loss = f.binary_cross_entropy_with_logits(logits[known, 0], gold[known].float())
        else:
            loss = f.cross_entropy(logits[known], gold[known], label_smoothing=_SMOOTHED)
        total = total + _WEIGHTS.get(name, 1.0) * loss
    return total


def _batches(examples: Sequence[Example], rng: random.Random | None = None) -> list[list[Example]]:
    """Return examples in batches of one task each; mixed by ``rng``."""
    tasks = ([one for one in examples if one.task == task] for task in ("talk", "effect", "keep"))
    made = [batch for part in tasks if part for batch in of_one_length(part, lambda one: one.window, rng)]
    if rng:
        rng.shuffle(made)
    return made


@torch.no_grad()
def judge(model: ReaderNetwork, examples: Sequence[Example]) -> Told:
    """Return what is told of examples, of those labels that are known."""
    model.eval()
    found: dict[str, list[tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]]] = {}
    for batch in _batches(examples):
        for name, (logits, gold) in tell(model, batch).items():
            made = _rightness(logits, gold) if name == "pointer" else (logits, gold)
            known = gold != IGNORED
            found.setdefault(name, []).append((made[0][known].numpy(), made[1][known].numpy()))
    model.train()
    return {
        name: (np.concatenate([logits for logits, _ in parts]), np.concatenate([gold for _, gold in parts]))
        for name, parts in found.items()
    }


def _rightness(logits: Tensor, gold: Tensor) -> tuple[Tensor, Tensor]:
    """Return a choice between right and wrong: a window has as many tokens to point at as it is long."""
    is_right = logits.argmax(1) == gold
    return torch.stack([is_right.float(), (~is_right).float()], dim=1), torch.where(gold == IGNORED, IGNORED, 0)


def figures(told: Told) -> dict[str, float]:
    """Return F1 of a yes, and the share that is right of all others."""
    found: dict[str, float] = {}
    for name, (logits, gold) in told.items():
        if len(CLASSES.get(name, ())) == 1:
            found[f"{name}.f1"] = f1_of(zip((gold > 0).tolist(), (logits[:, 0] > 0).tolist(), strict=True), True)
            continue
        best = logits.argmax(1)
        found[name] = float((best == gold).mean())
        if name == "worth":
            is_worth = logits[:, 0] < np.log(np.exp(logits[:, 1:]).sum(axis=1))
            found["worth.f1"] = f1_of(zip((gold > 0).tolist(), is_worth.tolist(), strict=True), True)
        elif name == "tags":
            found["words.f1"] = f1_of(zip((gold > 0).tolist(), (best > 0).tolist(), strict=True), True)
        elif name == "effect":
            pairs = list(zip(gold.tolist(), best.tolist(), strict=True))
            found["effect.macro_f1"] = macro_f1(pairs, range(len(EFFECTS)))
            shares = np.exp(logits - logits.max(axis=1, keepdims=True))
            over, is_over = shares[:, _OVER].sum(axis=1) / shares.sum(axis=1), np.isin(gold, _OVER)
            for least in _SURE:
                right = float((is_over & (over >= least)).sum())
                found[f"over.precision@{least}"] = right / max(1, (over >= least).sum())
                found[f"over.recall@{least}"] = right / max(1, is_over.sum())
    return {name: round(value, 4) for name, value in found.items()}


def print_figures(model: ReaderNetwork, held: Mapping[str, Sequence[Example]], *, turn: int) -> None:
    """Print a line of figures for each part held out, as it is read after a round."""
    for name, part in held.items():
        print(json.dumps({"round": turn, "of": name} | figures(judge(model, part))), flush=True)


def export(model: ReaderNetwork, path: Path, held_out: Told) -> None:
    """Write what the product reads: factors of the difference, heads, and temperatures found on talk held out.

    What is taught of effects helps the others; ``effects`` tells them better.
    """
    tensors = {
        name: values.detach().numpy()
        for name, values in model.named_parameters()
        if not name.startswith(("encoder", "heads.effect"))
    }
    classes = {name: those for name, those in CLASSES.items() if name != "effect"}
    temperatures = {
        name: round(fit_temperature(logits[:, 0] if logits.shape[1] == 1 else logits, gold), 3)
        for name, (logits, gold) in held_out.items()
        if name in classes
    }
    write_trained(path, tensors | factors_of(model.encoder), classes=classes, temperatures=temperatures)


@torch.no_grad()
def take_up(model: ReaderNetwork) -> None:
    """Take up what is shipped, whose rank the model has, to go on from there."""
    known = {name: torch.from_numpy(values) for name, values in trained("reader").tensors.items()}
    for name, values in model.named_parameters():
        layer, _, factor = name.removeprefix("encoder.maps.").rpartition(".")
        if name.startswith("encoder"):
            base = next(f"{place}.{factor}" for place in PLACES if place.replace(".", "_") == layer)
            values.copy_(known[base] / (SCALE if factor == "b" else 1))
        elif name in known:  # effects begin anew
            values.copy_(known[name])


class Lessons(NamedTuple):
    """What is taught and what is held out."""

    taught: list[Example]  # in every round
    drawn: Callable[[], Iterator[Example]]
    """Draws what else is taught in a round where that is asked for: of phrasebooks, and of talk."""
    held: dict[str, list[Example]]
    """By name: people, a kind of talk, exchanges of the gate, lines of phrasebooks, Memora."""


def gather(examples: Examples, others: Path | None, rng: random.Random) -> Lessons:
    """Return what is taught, and what is held out."""
    talk, again, more = (read_all(f"talk/{part}*.talk", read_talk) for part in ("", "second/", "more/"))
    effects = read_all("effects/*.pairs", read_effects)
    split = random.Random(7)
    people = sorted({(message.kind, message.person) for message in talk if message.kind != HELD_OUT_KIND})
    facts = sorted({pair.fact for pair in effects})
    split.shuffle(people)
    split.shuffle(facts)
    unknown, unknown_facts = set(people[:_PEOPLE_HELD_OUT]), set(facts[: len(facts) // _FACTS_HELD_OUT])
    taught: list[Example] = []
    held: dict[str, list[Example]] = {"people": [], HELD_OUT_KIND: [], "gate": [], "memora": [], "nominated": []}
    for message in (*talk, *again):
        part = held["people"] if (message.kind, message.person) in unknown else taught
        part = held[HELD_OUT_KIND] if message.kind == HELD_OUT_KIND else part
        part += examples.of_talk(message)
    for message in _MORE_A_ROUND * more:
        taught += examples.of_talk(message)
    for pair in effects:
        (held["people"] if pair.fact in unknown_facts else taught).append(examples.of_effect(pair))
    for path in sorted(LABELLED.glob("pairs-*.jsonl")):
        taught += 2 * list(map(examples.of_effect, read_statements(path)))
    taught += read_all("gate-*.jsonl", examples.of_exchanges)
    taught += read_all("sentences*.jsonl", examples.of_facts)
    taught += 2 * list(examples.of_plain(LABELLED / "plain.jsonl"))
    held["gate"] += examples.of_exchanges(LABELLED / "held-out/gate.jsonl")
    if others:
        turns = list(examples.of_memora(others))
        split.shuffle(turns)
        held["memora"], turns = turns[:_MEMORA_HELD_OUT], turns[_MEMORA_HELD_OUT:]
        taught += turns[:_MEMORA_TAUGHT]
    known = [
        message for message in talk if message.kind != HELD_OUT_KIND and (message.kind, message.person) not in unknown
    ] + more
    idle = [message.text[part.start : part.end] for message in known for part in message.sentences if not part.worth]
    blocks, held_blocks = zip(*map(parted, read_all("phrases/*.phrases", read_phrases)), strict=True)
    held["phrases"] = [
        *map(examples.of_effect, draw_pairs(held_blocks, idle, _PHRASES_HELD_OUT, split)),
        *(window for one in draw_messages(held_blocks, _PHRASES_HELD_OUT, split) for window in examples.of_talk(one)),
    ]
    nominated: list[Example] = []
    for path in sorted((LABELLED / "effects/mined").glob("*.pairs")):
        for pair in read_effects(path):
            part = held["nominated"] if (path.stem, pair.person) in unknown else nominated
            part.append(examples.of_effect(pair))

    def drawn() -> Iterator[Example]:
        yield from _NOMINATED_A_ROUND * nominated
        yield from map(examples.of_effect, draw_pairs(blocks, idle, _PAIRS_A_ROUND, rng))
        yield from map(examples.of_effect, draw_idle_pairs(known, _IDLE_PAIRS_A_ROUND, rng))
        for message in draw_messages(blocks, _MESSAGES_A_ROUND, rng):
            yield from examples.of_talk(message)

    return Lessons(taught, drawn, {name: part for name, part in held.items() if part})


def main() -> None:
    """Teach, print figures after each round, write the file."""
    parser = argparse.ArgumentParser(prog="teach", description="Teach the reader.")
    parser.add_argument("--others", type=Path, help="folder of Memora's personas")
    parser.add_argument("--phrases", action="store_true", help="draw pairs and messages from phrasebooks each round")
    parser.add_argument("--go-on", action="store_true", help="from the reader that is shipped, with its rank")
    chosen = choose_how(parser, rounds=4, rank=16)
    rank = len(trained("reader").tensors[f"{PLACES[-1]}.a"]) if chosen.go_on else chosen.rank
    rng = random.Random(chosen.seed)
    taught, draw, held = gather(Examples(vocabulary_in(chosen.weights)), chosen.others, rng)
    encoder = Encoder(read_tensors(chosen.weights / "model.safetensors")[0], rank=rank)
    model = ReaderNetwork(encoder, {name: len(classes) for name, classes in CLASSES.items()})
    if chosen.go_on:
        take_up(model)
        print_figures(model, held, turn=0)
    learn(
        *(model, chosen.rounds, chosen.rate),
        drawn=lambda: _batches([*taught, *(draw() if chosen.phrases else ())], rng),
        loss_of=lambda batch: loss_of(tell(model, batch)),
        after=lambda turn: print_figures(model, held, turn=turn),
    )
    export(model, chosen.out, judge(model, held["people"]))


if __name__ == "__main__":
    main()
