"""Teach what reads sentences among others: ``python -m yesteryear_lab.reading.discourse OUT --weights FOLDER``.

The reader's encoder learns a further difference, and heads with it: whether a sentence is somebody else's that was
brought along (``attempts*.jsonl``), whether it is taken back by a message, or was not meant as it stands
(``taken-back-2.jsonl``, ``put-right.jsonl``, ``not-meant.jsonl``), whether it says what a later one lacks, and whether
a statement is understood by itself (``statements.jsonl``); ordinary talk teaches what is neither of the first two, and
what is said in jest. Needs PyTorch (``pip install torch==2.13.0``) and the published files (``model.safetensors``,
``vocab.txt``). Prints after each round what it finds of writers and a kind of talk held out. An hour on two cores; then
``model install``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import Tensor, nn
from torch.nn import functional as f

from yesteryear.core.language.sentences import Span
from yesteryear_lab import LABELLED
from yesteryear_lab.reading.examples import IGNORED
from yesteryear_lab.reading.learning import learn, of_one_length, stacked
from yesteryear_lab.reading.lessons import ALONE, BACK, BROUGHT, HELPS, NOT_MEANT, Lesson, Lessons
from yesteryear_lab.reading.network import WIDTH, Encoder, beyond_reader, factors_of, teaching_options, vocabulary_in
from yesteryear_lab.reading.rows import HELD_OUT_KIND, read_talk
from yesteryear_lab.reading.writing import write_trained

_WIDTHS = {BROUGHT: 2, BACK: 3, HELPS: 3, ALONE: 2}
"""Vectors that a head reads."""
_SHIPPED = (BROUGHT, BACK, ALONE)
"""What the product reads. Told with what ``helps`` finds, more is known and more that is outdated (ADR 76)."""
_INNER = 32
"""Values that the first of a head's two layers makes."""
_WEIGHTS = {HELPS: 0.5, ALONE: 0.5}
"""Of the losses of heads; 1 where not named."""
_TALK_A_ROUND = 3_500
"""Windows of ordinary talk that are drawn anew in each round for each task."""
_HIDDEN_SHARE, _SMOOTHED = 0.06, 0.02
"""Share of pieces that are hidden while it is taught; how unsure it may stay."""
_TAKEN_BACK = "taken-back-2", "put-right", "not-meant"
"""Files of what is taken back, or was not meant as it stands; of each some rows are held out."""
_ODD = 0.001, 0.002, 0.005, 0.01
"""Shares of sentences of ordinary talk that are taken wrongly, at which is counted what is found."""


class DiscourseNetwork(nn.Module):
    """Encoder and heads of two layers."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.hidden = nn.ModuleDict({task: nn.Linear(width * WIDTH, _INNER) for task, width in _WIDTHS.items()})
        self.heads = nn.ModuleDict({task: nn.Linear(_INNER, 1) for task in _WIDTHS})

    def tell(self, batch: Sequence[Lesson]) -> dict[str, tuple[Tensor, Tensor]]:
        """Return logits and gold of each task, of the sentences of which it is known."""
        read = stacked([one.window for one in batch], hidden=_HIDDEN_SHARE if self.training else 0.0)
        hidden = f.dropout(self.encoder(*read), 0.1, self.training)
        summed = torch.cat([torch.zeros(len(batch), 1, WIDTH), hidden.cumsum(1)], dim=1)
        said = read.own[..., None].float()
        messages = (hidden * said).sum(1) / said.sum(1)

        def mean(rows: Sequence[int], spans: Sequence[Span]) -> Tensor:
            starts, ends = torch.tensor(spans).T
            return (summed[rows, ends] - summed[rows, starts]) / (ends - starts)[:, None]

        found: dict[str, tuple[Tensor, Tensor]] = {}

        def add(task: str, vectors: Sequence[Tensor], gold: Sequence[int]) -> None:
            known = torch.tensor(gold)
            logits = self.heads[task](torch.relu(self.hidden[task](torch.cat(list(vectors), dim=1))))[:, 0]
            found[task] = logits[known != IGNORED], known[known != IGNORED]

        if sentences := [(row, *told) for row, each in enumerate(batch) for told in each.sentences]:
            rows, spans, brought, back = zip(*sentences, strict=True)
            sentence, message = mean(rows, spans), messages[list(rows)]
            add(BROUGHT, [sentence, message], brought)
            add(BACK, [sentence, message, sentence * message], back)
        if pairs := [(row, *told) for row, each in enumerate(batch) for told in each.pairs]:
            rows, earlier, later, helps = zip(*pairs, strict=True)
            first, then = mean(rows, earlier), mean(rows, later)
            add(HELPS, [first, then, first * then], helps)
        if statements := [(row, *told) for row, each in enumerate(batch) for told in each.statements]:
            rows, spans, around, alone = zip(*statements, strict=True)
            add(ALONE, [mean(rows, spans), mean(rows, around)], alone)
        return found


@torch.no_grad()
def judge(
    model: DiscourseNetwork, lessons: Sequence[Lesson], task: str
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Return the logits and gold of a task, shape (sentences,) each."""
    model.eval()
    told = [
        found[task] for batch in of_one_length(lessons, lambda one: one.window) if task in (found := model.tell(batch))
    ]
    model.train()
    return np.concatenate([logits.numpy() for logits, _ in told]), np.concatenate([gold.numpy() for _, gold in told])


def print_figures(model: DiscourseNetwork, held: dict[str, list[Lesson]], ordinary: Sequence[Lesson]) -> None:
    """Print, of each part held out, the area under the curve and what is found at shares of ordinary talk."""
    for task in (HELPS, ALONE):
        logits, gold = judge(model, held["statements"], task)
        precise = round(float(average_precision_score(gold, logits)), 3)
        print(json.dumps({"of": task, "area": round(float(roc_auc_score(gold, logits)), 3), "precision": precise}))
    usually = {task: judge(model, ordinary, task)[0] for task in (BROUGHT, BACK)}
    for name, part in held.items():
        if name == "statements":
            continue
        task = BACK if name in _TAKEN_BACK else BROUGHT
        logits, gold = judge(model, part, task)
        least = {share: float(np.quantile(usually[task], 1 - share)) for share in _ODD}
        found = {
            share: [round(float((logits[gold == is_so] >= cut).mean()), 3) for is_so in (1, 0)]
            for share, cut in least.items()
        }
        chances = {share: round(float(1 / (1 + np.exp(-cut))), 3) for share, cut in least.items()}
        area = round(float(roc_auc_score(gold, logits)), 3)
        print(json.dumps({"of": name, "area": area, "found": found, "from": chances}), flush=True)


class Taught(NamedTuple):
    """What is taught and what is held out."""

    always: list[Lesson]
    talk: list[Lesson]
    talk_back: list[Lesson]
    held: dict[str, list[Lesson]]
    ordinary: list[Lesson]
    """Of a kind of talk that is never taught: nothing in it is somebody else's, or taken back."""


def gather(lessons: Lessons) -> Taught:
    """Return what is taught, and what is held out."""
    examples = lessons.examples
    talk: list[Lesson] = []
    talk_back: list[Lesson] = []
    ordinary: list[Lesson] = []
    for path in sorted((LABELLED / "talk").glob("**/*.talk")):
        for message in read_talk(path):
            stances = {label.stance for sentence in message.sentences for label in sentence.labels}
            if message.kind == HELD_OUT_KIND:
                is_own = not stances & {*NOT_MEANT, "denied", "quoted"}
                ordinary += [_as_own(one) for one in lessons.of_talk(message)] if is_own else []
                continue
            talk += lessons.of_brought(examples.of_talk(message))
            talk_back += lessons.of_talk(message) if "denied" not in stances else ()
    always = list(lessons.of_brought(examples.of_plain(LABELLED / "plain.jsonl")))
    for path in sorted(LABELLED.glob("attempts*.jsonl")):
        always += lessons.of_brought(examples.of_attempts(path))
    for path in sorted(LABELLED.glob("sentences*.jsonl")):
        always += lessons.of_brought(examples.of_facts(path))
    for name in _TAKEN_BACK:
        always += lessons.of_taken_back(LABELLED / f"{name}.jsonl")
    held = {
        path.stem: list(lessons.of_brought(examples.of_attempts(path)))
        for path in sorted((LABELLED / "held-out").glob("attempts*.jsonl"))
    }
    always += lessons.of_statements(LABELLED / "statements.jsonl")
    held |= {name: list(lessons.of_taken_back(LABELLED / f"held-out/{name}.jsonl")) for name in _TAKEN_BACK}
    held["statements"] = list(lessons.of_statements(LABELLED / "held-out/statements.jsonl"))
    return Taught(always, talk, talk_back, held, ordinary)


def _as_own(one: Lesson) -> Lesson:
    return Lesson(one.window, [(tokens, 0, 0) for tokens, _, _ in one.sentences])


def main() -> None:
    """Teach, print figures after each round, write the file."""
    options = teaching_options("discourse", "Teach what reads sentences among others.", rounds=5)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    rng = random.Random(chosen.seed)
    taught = gather(Lessons(vocabulary_in(chosen.weights)))
    model = DiscourseNetwork(beyond_reader(chosen.weights, rank=chosen.rank))

    def drawn() -> list[list[Lesson]]:
        parts = (rng.sample(part, min(len(part), _TALK_A_ROUND)) for part in (taught.talk, taught.talk_back))
        return of_one_length([*taught.always, *(one for part in parts for one in part)], lambda one: one.window, rng)

    def loss_of(batch: Sequence[Lesson]) -> Tensor:
        loss = torch.zeros(())
        for task, (logits, gold) in model.tell(batch).items():
            if len(gold):
                aim = gold.float() * (1 - 2 * _SMOOTHED) + _SMOOTHED
                loss = loss + _WEIGHTS.get(task, 1.0) * f.binary_cross_entropy_with_logits(logits, aim)
        return loss

    def after(_: int) -> None:
        print_figures(model, taught.held, taught.ordinary)
        export(model, chosen.out)

    learn(model, chosen.rounds, chosen.rate, drawn=drawn, loss_of=loss_of, after=after)


def export(model: DiscourseNetwork, path: Path) -> None:
    """Write what the product reads: factors of the difference, and heads."""
    tensors: dict[str, npt.NDArray[np.float32]] = {}
    for task in _SHIPPED:
        for name, layer in ((task, model.heads[task]), (f"{task}.hidden", model.hidden[task])):
            tensors |= {f"heads.{name}.{part}": values.detach().numpy() for part, values in layer.named_parameters()}
    tensors |= factors_of(model.encoder)
    write_trained(path, tensors, classes=dict.fromkeys(_SHIPPED, ("yes",)), temperatures={}, is_rounded=True)


if __name__ == "__main__":
    main()
