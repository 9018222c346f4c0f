"""Teach the reader: ``python -m yesteryear_lab.reading.teach OUT.safetensors --weights MODEL_FOLDER [--others FOLDER]``.

Needs PyTorch (``pip install torch==2.13.0``), the published weights of the embedding model (``model.safetensors`` and
``vocab.txt``), and, with ``--others``, talk of others that stays outside the repository (Memora's ``PERSONA`` folders).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as f

from yesteryear.core.attributes import FactKind, attributes
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.providers.minilm.build import read_tensors
from yesteryear.providers.minilm.embedder import WordPiece
from yesteryear.core.reading import Before
from yesteryear.providers.minilm.placing import Window, windows
from yesteryear_lab.reading.network import LAYERS, MAPS, SCALE, Encoder, ReaderNetwork
from yesteryear_lab.reading.rows import (
    EFFECTS,
    HOLDERS,
    STANCES,
    LabelledEffect,
    LabelledMessage,
    places_before,
    read_effects,
    read_talk,
)
from yesteryear_lab.reading.writing import fit_temperature, write_trained

LABELLED = Path(__file__).resolve().parents[2] / "labelled"
KINDS = tuple(FactKind)
HELD_OUT_KIND = "group"
_PIECES_A_BATCH = 3_000
_IGNORED = -100
_TOLD_WORTH, _PLAIN_WORTH = 2, 3
"""Worth of a sentence of which is only known that it states a fact, and of a plain one of weight."""
_HIDDEN_SHARE, _MASK = 0.08, 103
"""Share of pieces that are hidden while it is taught, and the piece that stands for them."""


@dataclass
class Example:
    """A window with what is to be learnt of it, places in tokens."""

    window: Window
    task: str
    where: str
    sentences: list[tuple[int, int, int, int, int]]
    """Start, end, worth, stance, answers."""
    units: list[tuple[int, int, int, int, dict[str, int]]]
    """Start, end, start and end of the sentence, labels by head; of worth 1 and more."""
    tags: list[int]
    keep: int = _IGNORED
    effect: int = _IGNORED
    below: Tensor | None = None
    """What the layers below those that learn make of it."""


ATTRIBUTES = (*sorted(attributes()), "other")
SIZES = {
    "tags": 3,
    "keep": 1,
    "worth": 4,
    "stance": len(STANCES),
    "answers": 1,
    "u_stance": len(STANCES),
    "kind": len(KINDS),
    "attribute": len(ATTRIBUTES),
    "holder": len(HOLDERS),
    "alone": 1,
    "u_worth": 3,
    "effect": len(EFFECTS),
}


def _span(window: Window, start: int, end: int) -> tuple[int, int] | None:
    """Return the tokens that stand for some characters; None where there are none."""
    inside = [i for i, piece in enumerate(window.pieces) if piece.start < end and piece.end > start]
    return (inside[0] + window.first, inside[-1] + window.first + 1) if inside else None


def examples_of(message: LabelledMessage, words: WordPiece) -> Iterator[Example]:
    """Yield the windows of a labelled message."""
    spans = [(s.start, s.end) for s in message.sentences]
    for window in windows(message.text, spans, places_before(message), words):
        tags = [_IGNORED] * len(window.tokens)
        sentences, units, keep = [], [], 0
        for sentence in message.sentences:
            place = _span(window, sentence.start, sentence.end)
            if place is None or window.pieces[0].start > sentence.start:
                continue
            for i in range(*place):
                tags[i] = 0
            best = max(sentence.labels, key=lambda label: label.worth)
            sentences.append((*place, best.worth, STANCES.index(best.stance), int(best.answers)))
            keep = max(keep, int(sentence.worth > 0))
            for label in sentence.labels:
                if not label.worth or (unit := _span(window, label.start, label.end)) is None:
                    continue
                tags[unit[0]] = 1
                for i in range(unit[0] + 1, unit[1]):
                    tags[i] = 2
                units.append(
                    (
                        *unit,
                        *place,
                        {
                            "u_stance": STANCES.index(label.stance),
                            "kind": KINDS.index(FactKind(label.kind)) if label.kind in KINDS else _IGNORED,
                            "attribute": ATTRIBUTES.index(label.attribute)
                            if label.attribute in ATTRIBUTES
                            else _IGNORED,
                            "holder": HOLDERS.index(label.holder),
                            "alone": int(label.is_alone),
                            "u_worth": label.worth - 1,
                            "pointer": pointer(window, label.name)
                            if label.holder == "other" and label.name
                            else (0 if label.holder == "self" else _IGNORED),
                        },
                    )
                )
        if sentences:
            yield Example(window, "talk", message.where, sentences, units, tags, keep)


def pointer(window: Window, name: str) -> int:
    """Return the token where the last word of a name or tie begins, nearest to the end; ignored where it stands nowhere."""
    wanted = [w for w in name.casefold().split() if w not in ("my", "the", "our", "a", "his", "her")]
    if not wanted:
        return _IGNORED
    text, starts = "", []
    for i in range(len(window.tokens)):
        starts.append(len(text))
        if 1 <= i <= len(window.before):
            text += piece_text(window, i)
        elif window.first <= i < window.first + len(window.pieces):
            text += piece_text(window, i)
        else:
            text += " "
    at = text.rfind(" " + wanted[-1])
    if at < 0:
        return _IGNORED
    return max(i for i, s in enumerate(starts) if s <= at)


_SPELLED: dict[int, str] = {}


def piece_text(window: Window, i: int) -> str:
    piece = _SPELLED[int(window.tokens[i])]
    return piece[2:] if piece.startswith("##") else " " + piece


def effect_example(row: LabelledEffect, words: WordPiece) -> Example:
    """Return a pair as one window: the fact before all else."""
    before = [Before("me" if who == row.author else "them", text) for who, text in row.before][-2:]
    window = next(windows(row.text, [(0, len(row.text))], [*before, Before("known", row.fact)], words))
    n = len(window.before)
    mark = len(list(words.pieces("known:")))
    fact = [i for i in range(1, n + 1)][-(len(list(words.pieces(row.fact)))) :]
    return Example(
        window, "effect", row.where, [(fact[0], fact[-1] + 1, 0, 0, 0)], [], [], effect=EFFECTS.index(row.effect)
    )


def keep_example(text: str, before: Sequence[Before], keep: bool, where: str, words: WordPiece) -> Example | None:
    spans = list(sentence_spans(text[:2000]))
    window = next(windows(text, spans, before, words), None)
    return window and Example(window, "keep", where, [], [], [], keep=int(keep))


def sentence_examples(words: WordPiece, paths: Sequence[Path]) -> Iterator[Example]:
    """Yield messages whose facts are labelled with their words and kind alone."""
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            row = json.loads(line)
            text = row["text"][:2000]
            spans = list(sentence_spans(text))
            window = next(windows(text, spans, (), words), None)
            if window is None:
                continue
            tags = [0 if own else _IGNORED for own in window.own]
            units = []
            for fact in (each for each in row["facts"] if "kind" in each and "quote" in each):
                at = text.find(fact["quote"])
                unit = _span(window, at, at + len(fact["quote"])) if at >= 0 else None
                place = next((_span(window, a, b) for a, b in spans if a <= at < b), None)
                if unit is None or place is None:
                    continue
                tags[unit[0]] = 1
                tags[unit[0] + 1 : unit[1]] = [2] * (unit[1] - unit[0] - 1)
                known = dict.fromkeys(("u_stance", "attribute", "holder", "u_worth", "pointer", "alone"), _IGNORED)
                units.append((*unit, *place, known | {"kind": KINDS.index(FactKind(fact["kind"]))}))
            told = {unit[2:4] for unit in units}
            sentences = [
                (*place, _TOLD_WORTH if place in told else 0, _IGNORED, _IGNORED)
                for place in (_span(window, a, b) for a, b in spans)
                if place
            ]
            yield Example(window, "talk", f"{path.name}:{number}", sentences, units, tags, int(bool(row["facts"])))


def plain_examples(words: WordPiece, path: Path) -> Iterator[Example]:
    """Yield plain sentences of weight that may be taught: those of the part for development."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text = row["text"]
        spans = list(sentence_spans(text))
        window = next(windows(text, spans, (), words), None)
        if window and row.get("part") == "dev":
            places = [place for place in (_span(window, a, b) for a, b in spans) if place]
            tags = [0 if own else _IGNORED for own in window.own]
            for a, b in places:
                tags[a:b] = [1] + [2] * (b - a - 1)
            sentences = [(*place, _PLAIN_WORTH, 0, _IGNORED) for place in places]
            yield Example(window, "talk", row["id"], sentences, [], tags, 1)


def gate_examples(words: WordPiece, paths: Sequence[Path]) -> Iterator[Example]:
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            row = json.loads(line)
            said = row["messages"]
            last = max(i for i, m in enumerate(said) if m["role"] == "user")
            first = last
            while first and said[first - 1]["role"] == "user":
                first -= 1
            before = [Before("me" if m["role"] == "user" else "assistant", m["content"]) for m in said[:first]][-3:]
            text = "\n".join(m["content"] for m in said[first : last + 1])
            if made := keep_example(text, before, row["keep"], f"{path.name}:{number}", words):
                yield made


def memora_examples(folder: Path, words: WordPiece) -> Iterator[Example]:
    for path in sorted(folder.glob("*/conversations/*.json")):
        session = json.loads(path.read_text())
        before: list[Before] = []
        for turn in session["conversation"]:
            bot = turn["speaker"] in ("ai_agent", "assistant")
            if not bot:
                made = keep_example(turn["message"], before[-3:], bool(turn["share_memory"]), path.name, words)
                if made:
                    yield made
            before.append(Before("assistant" if bot else "me", turn["message"]))


def batches(examples: Sequence[Example], rng: random.Random | None) -> Iterator[list[Example]]:
    """Yield examples of one task and about one length together."""
    made: list[list[Example]] = []
    for task in ("talk", "effect", "keep"):
        own = [e for e in examples if e.task == task]
        own.sort(key=lambda e: len(e.window.tokens) + (rng.random() * 8 if rng else 0))
        batch: list[Example] = []
        for e in own:
            if batch and (len(batch) + 1) * len(e.window.tokens) > _PIECES_A_BATCH:
                made.append(batch)
                batch = []
            batch.append(e)
        if batch:
            made.append(batch)
    if rng:
        rng.shuffle(made)
    yield from made


def stacked(batch: Sequence[Example]) -> tuple[Tensor, Tensor, Tensor]:
    longest = max(len(e.window.tokens) for e in batch)
    tokens, own = (torch.zeros(len(batch), longest, dtype=torch.long) for _ in range(2))
    mask = torch.zeros(len(batch), longest, dtype=torch.bool)
    for i, e in enumerate(batch):
        n = len(e.window.tokens)
        tokens[i, :n], own[i, :n], mask[i, :n] = torch.tensor(e.window.tokens), torch.tensor(e.window.own), True
    return tokens, own, mask


def prepare(model: ReaderNetwork, examples: Sequence[Example]) -> None:
    """Run the layers that do not learn, once."""
    for batch in batches(examples, None):
        if not model.encoder.first:
            return
        made = model.encoder.lower(*stacked(batch))
        for example, row in zip(batch, made):
            example.below = row[: len(example.window.tokens)].clone()


def outputs(model: ReaderNetwork, batch: Sequence[Example]) -> dict[str, Tensor]:
    """Return logits by head, gold beside each as ``NAME:gold``."""
    tokens, own, mask = stacked(batch)
    if model.encoder.first:
        below = torch.nn.utils.rnn.pad_sequence([e.below for e in batch], batch_first=True)
    else:
        if model.training:
            tokens = torch.where((torch.rand(tokens.shape) < _HIDDEN_SHARE) & (tokens > 999), _MASK, tokens)
        below = model.encoder.lower(tokens, own, mask)
    hidden = f.dropout(model.encoder(below, mask), 0.1, model.training)
    heads, out = model.heads, {}
    message = (hidden * own[..., None].float()).sum(1) / own.sum(1, keepdim=True)
    if batch[0].task == "effect":
        fact = torch.stack([hidden[i, a:b].mean(0) for i, e in enumerate(batch) for a, b, *_ in e.sentences[:1]])
        pair = torch.cat([hidden[:, 0], fact, message, fact * message], dim=1)
        out["effect"], out["effect:gold"] = heads["effect"](pair), torch.tensor([e.effect for e in batch])
        return out
    out["keep"], out["keep:gold"] = heads["keep"](message)[:, 0], torch.tensor([float(e.keep) for e in batch])
    if batch[0].task == "keep":
        return out
    cumulated = torch.cat([torch.zeros(len(batch), 1, hidden.shape[2]), hidden.cumsum(1)], dim=1)

    def mean(rows: list[int], starts: list[int], ends: list[int]) -> Tensor:
        r, a, b = map(torch.tensor, (rows, starts, ends))
        return (cumulated[r, b] - cumulated[r, a]) / (b - a)[:, None]

    rows = [i for i, e in enumerate(batch) for _ in e.sentences]
    told = [s for e in batch for s in e.sentences]
    if told:
        sentence = torch.cat([mean(rows, [s[0] for s in told], [s[1] for s in told]), message[rows]], dim=1)
        out["worth"], out["worth:gold"] = heads["worth"](sentence), torch.tensor([s[2] for s in told])
        out["stance"], out["stance:gold"] = heads["stance"](sentence), torch.tensor([s[3] for s in told])
        out["answers"] = heads["answers"](sentence)[:, 0]
        out["answers:gold"] = torch.tensor([float(s[4]) for s in told])
    gold = torch.full(tokens.shape, _IGNORED)
    for i, e in enumerate(batch):
        gold[i, : len(e.tags)] = torch.tensor(e.tags)
    out["tags"], out["tags:gold"] = heads["tags"](hidden).flatten(0, 1), gold.flatten()
    rows = [i for i, e in enumerate(batch) for _ in e.units]
    if rows:
        units = [u for e in batch for u in e.units]
        unit = torch.cat(
            [
                mean(rows, [u[0] for u in units], [u[1] for u in units]),
                mean(rows, [u[2] for u in units], [u[3] for u in units]),
            ],
            dim=1,
        )
        for name in ("u_stance", "kind", "attribute", "holder", "u_worth"):
            out[name], out[name + ":gold"] = heads[name](unit), torch.tensor([u[4][name] for u in units])
        out["alone"] = heads["alone"](unit)[:, 0]
        out["alone:gold"] = torch.tensor([float(u[4]["alone"]) for u in units])
        asked = model.pointer(unit)
        scores = (hidden[rows] @ asked[:, :, None])[:, :, 0] / math.sqrt(hidden.shape[2])
        scores = scores.masked_fill(~mask[rows], -1e4)
        scores[:, 0] = (asked @ model.nobody) / math.sqrt(hidden.shape[2])
        out["pointer"], out["pointer:gold"] = scores, torch.tensor([u[4]["pointer"] for u in units])
    return out


WEIGHTS = {
    "keep": 0.5,
    "tags": 1.5,
    "answers": 0.3,
    "alone": 0.5,
    "u_worth": 0.5,
    "pointer": 0.5,
    "effect": 1.0,
    "worth": 1.5,
}


def loss_of(out: dict[str, Tensor]) -> Tensor:
    total = torch.zeros(())
    for name in [n for n in out if ":" not in n]:
        gold = out[name + ":gold"]
        if gold.dtype == torch.float32:
            known = gold != _IGNORED
            if not known.any():
                continue
            one = f.binary_cross_entropy_with_logits(out[name][known], gold[known])
        elif (gold != _IGNORED).any():
            one = f.cross_entropy(out[name], gold, ignore_index=_IGNORED, label_smoothing=0.05)
        else:
            continue
        total = total + WEIGHTS.get(name, 1.0) * one
    return total


@torch.no_grad()
def collect(model: ReaderNetwork, examples: Sequence[Example]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    model.eval()
    found: dict[str, list] = {}
    for batch in batches(examples, None):
        out = outputs(model, batch)
        for name in [n for n in out if ":" not in n]:
            logits, gold = out[name], out[name + ":gold"]
            if name == "pointer":
                logits = torch.nn.functional.pad(logits, (0, 260 - logits.shape[1]), value=-1e4)
            found.setdefault(name, []).append((logits.numpy(), gold.numpy()))
    model.train()
    return {n: (np.concatenate([a for a, _ in v]), np.concatenate([b for _, b in v])) for n, v in found.items()}


def f1(hit: np.ndarray, gold: np.ndarray) -> float:
    tp = float((hit & gold).sum())
    return 2 * tp / max(1.0, float(hit.sum() + gold.sum()))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def calibration_error(p: np.ndarray, y: np.ndarray, bins: int = 10) -> float:
    places = np.minimum((p * bins).astype(int), bins - 1)
    return sum(
        abs(p[places == b].mean() - y[places == b].mean()) * (places == b).mean()
        for b in range(bins)
        if (places == b).any()
    )


def figures(found: dict[str, tuple[np.ndarray, np.ndarray]]) -> dict[str, float]:
    r: dict[str, float] = {}
    if "worth" in found:
        x, y = found["worth"]
        p = 1 - softmax(x)[:, 0]
        r["worth.f1"], r["worth.ece"] = f1(p > 0.5, y > 0), calibration_error(p, (y > 0).astype(float))
        r["worth.best"] = max(f1(p > t, y > 0) for t in np.arange(0.2, 0.8, 0.05))
    for name in ("stance", "u_stance", "kind", "attribute", "holder", "pointer", "u_worth", "effect"):
        if name in found:
            x, y = found[name]
            ok = y != _IGNORED
            r[name] = float((x.argmax(1)[ok] == y[ok]).mean())
            if name == "effect":
                r["effect.f1"] = float(np.mean([f1(x.argmax(1) == k, y == k) for k in range(len(EFFECTS))]))
            if name == "pointer":
                r["pointer.named"] = float((x.argmax(1)[ok & (y > 0)] == y[ok & (y > 0)]).mean())
    if "tags" in found:
        x, y = found["tags"]
        ok = y != _IGNORED
        r["tags.f1"] = f1(x.argmax(1)[ok] > 0, y[ok] > 0)
    for name in ("keep", "alone", "answers"):
        if name in found:
            x, y = found[name]
            r[name + ".f1"] = f1(x > 0, y > 0.5)
    return {k: round(v, 4) for k, v in r.items()}


CLASSES = {
    "tags": ("none", "begins", "goes on"),
    **dict.fromkeys(("keep", "answers", "alone"), ("yes",)),
    "worth": ("0", "1", "2", "3"),
    "u_worth": ("1", "2", "3"),
    **dict.fromkeys(("stance", "u_stance"), STANCES),
    "kind": tuple(map(str, KINDS)),
    "attribute": ATTRIBUTES,
    "holder": HOLDERS,
    "effect": EFFECTS,
}


def export(model: ReaderNetwork, path: Path, held_out: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """Write what the product reads: factors of the difference, heads, and temperatures found on talk held out."""
    tensors = {n: p.detach().numpy() for n, p in model.named_parameters() if not n.startswith("encoder")}
    for layer in range(model.encoder.first, LAYERS):
        for part in MAPS:
            base = f"encoder.layer.{layer}.{part}"
            adapted = model.encoder.maps[base.replace(".", "_")]
            tensors[base + ".a"] = adapted.a.detach().numpy()
            tensors[base + ".b"] = adapted.b.detach().numpy() * SCALE
    temperatures = {}
    for name, (logits, gold) in held_out.items():
        if name in CLASSES:
            known = gold != _IGNORED
            flat = logits[known].squeeze(-1) if logits.ndim > 1 and logits.shape[1] == 1 else logits[known]
            temperatures[name] = round(fit_temperature(flat, gold[known].astype(int)), 3)
    write_trained(path, tensors, classes=CLASSES, temperatures=temperatures)


def main() -> None:
    a = argparse.ArgumentParser()
    a.add_argument("out")
    a.add_argument("--weights", type=Path, required=True)
    a.add_argument("--others", type=Path)
    a.add_argument("--rank", type=int, default=48)
    a.add_argument("--first", type=int, default=3)
    a.add_argument("--epochs", type=int, default=4)
    a.add_argument("--lr", type=float, default=1e-3)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--limit", type=int, default=0)
    a.add_argument("--final", action="store_true")
    o = a.parse_args()
    torch.manual_seed(o.seed)
    rng = random.Random(o.seed)
    vocabulary = (o.weights / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    words = WordPiece(vocabulary)
    _SPELLED.update(enumerate(vocabulary))
    talk = [m for path in sorted((LABELLED / "talk").glob("*.talk")) for m in read_talk(path)]
    effects = [e for path in sorted((LABELLED / "effects").glob("*.pairs")) for e in read_effects(path)]
    people = sorted({(m.kind, m.person) for m in talk if m.kind != HELD_OUT_KIND})
    rng2 = random.Random(7)
    rng2.shuffle(people)
    dev_people = set(people[:12])
    held = [x for m in talk if m.kind == HELD_OUT_KIND for x in examples_of(m, words)]
    dev = [x for m in talk if (m.kind, m.person) in dev_people for x in examples_of(m, words)]
    train = [
        x
        for m in talk
        if m.kind != HELD_OUT_KIND and (m.kind, m.person) not in dev_people
        for x in examples_of(m, words)
    ]
    facts = sorted({e.fact for e in effects})
    rng2.shuffle(facts)
    dev_facts = set(facts[: len(facts) // 8])
    dev += [effect_example(e, words) for e in effects if e.fact in dev_facts]
    train += [effect_example(e, words) for e in effects if e.fact not in dev_facts]
    train += list(gate_examples(words, sorted(LABELLED.glob("gate-*.jsonl"))))
    train += 2 * list(plain_examples(words, LABELLED / "plain.jsonl"))
    again = [m for path in sorted((LABELLED / "talk" / "second").glob("*.talk")) for m in read_talk(path)]
    known = [m for m in again if m.kind != HELD_OUT_KIND and (m.kind, m.person) not in dev_people]
    train += [x for m in known for x in examples_of(m, words)]
    train += list(sentence_examples(words, sorted(LABELLED.glob("sentences*.jsonl"))))
    gate_dev = list(gate_examples(words, [LABELLED / "held-out" / "gate.jsonl"]))
    memora_dev: list[Example] = []
    if o.others:
        memora = list(memora_examples(o.others, words))
        rng2.shuffle(memora)
        memora_dev, memora = memora[:600], memora[600:]
        train += memora[:1500]
    if o.final:
        train += dev
    if o.limit:
        train = rng.sample(train, o.limit)
    print(len(train), "windows,", sum(len(e.window.tokens) for e in train), "tokens", file=sys.stderr, flush=True)
    encoder = Encoder(read_tensors(o.weights / "model.safetensors"), rank=o.rank, first=o.first)
    model = ReaderNetwork(encoder, SIZES)
    began = time.time()
    for part in (train, dev, held, gate_dev, memora_dev):
        prepare(model, part)
    print(f"{time.time() - began:.0f} s for the lower layers", file=sys.stderr, flush=True)
    heads = [p for n, p in model.named_parameters() if not n.startswith("encoder") and p.requires_grad]
    body = [p for n, p in model.named_parameters() if n.startswith("encoder") and p.requires_grad]
    optimizer = torch.optim.AdamW([{"params": body, "lr": o.lr}, {"params": heads, "lr": 2e-3}], weight_decay=0.01)
    steps = o.epochs * len(list(batches(train, rng)))
    plan = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / (0.06 * steps)) * max(0.02, 1 - s / steps)
    )
    print(steps, "steps", sum(p.numel() for p in body), "in the body", file=sys.stderr, flush=True)
    began, done = time.time(), 0
    for epoch in range(o.epochs):
        losses = []
        for batch in batches(train, rng):
            loss = loss_of(outputs(model, batch))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(body + heads, 1.0)
            optimizer.step()
            plan.step()
            losses.append(float(loss.detach()))
            done += 1
            if done % 20 == 0:
                print(
                    f"{done}/{steps} {np.mean(losses[-20:]):.3f} {time.time() - began:.0f} s",
                    file=sys.stderr,
                    flush=True,
                )
        print(epoch, "dev", figures(collect(model, dev)), flush=True)
        print(
            epoch,
            "held",
            figures(collect(model, held)),
            "gate",
            figures(collect(model, gate_dev)),
            "memora",
            figures(collect(model, memora_dev)) if memora_dev else "",
            flush=True,
        )
        torch.save(model.state_dict(), o.out + ".pt")
    export(model, Path(o.out), collect(model, dev))


if __name__ == "__main__":
    main()
