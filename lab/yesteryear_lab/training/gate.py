"""The gate's head: whether an exchange is worth keeping, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np

from yesteryear.core.heads import LinearHead
from yesteryear.core.message import KEEP_REASONS, Exchange, Message, Outcome, Reason, Role, Verdict
from yesteryear.core.vectors import Purpose
from yesteryear.errors import InputError
from yesteryear.remember.gate import HEAD, GatePolicy, judge
from yesteryear.remember.gate_features import gate_features, split_by_author
from yesteryear_lab.figures import detection, macro_f1, mean
from yesteryear_lab.training.fit import FitPolicy, Samples, deal_folds, fit_head, near_duplicates, predict, stack
from yesteryear_lab.training.recipe import Fitted, Materials, Table, tabulate
from yesteryear_lab.training.rows import Row, Said, as_messages, read_rows
from yesteryear_lab.training.weights import fingerprint

_FILES = ("gate-1.jsonl", "gate-2.jsonl", "gate-3.jsonl", "gate-4.jsonl", "sentences.jsonl")
"""Of exchanges, and at last of statements."""
_FITTING = FitPolicy(tolerance=1e-4)
_STATEMENT_WEIGHT = 0.15  # mean weight of a row that states facts, or none, beside 1 for a labelled exchange
CHECK_TITLE = "As shipped, on rows it was trained on"
_CHECK_EVERY = 4
"""Of so many rows one is judged by the shipped head, to notice later that rules or word lists have moved on."""


_ABOUT = """
Tells whether an exchange is worth keeping, and for which of twelve reasons; the score is the sum of the four reasons
for keeping. Rules come first (pasted orders, requests to forget and to remember, other languages), so the figures are
of rules and head together, as the product judges. It reads what a person says, not the replies; of several people's
talk the figures are of what the last one says.

Trained on all exchanges and, with a weight of .15, on sentences that state facts or none; of those that state none a
first head, trained on the exchanges alone, says for which reason they would be skipped. Every figure below is of heads
trained in this way, the statements in each training part.

Limits: the word lists were written by people who had read gate-1 and gate-2, and the commands by people who had read
gate-3 too, so figures on those are optimistic. gate-3 and gate-4 hold what is hard on purpose: unusual wordings, jokes
told with a straight face, facts hidden in one clause. No list of words was revised on gate-4, but the commands were,
once: its kept_explicit and kept_forget are optimistic too. Expect real text between the two, and about one in five
unusually worded requests to be missed. In gate-1 and gate-2 just under half of the rows are worth keeping; where more
is, the score is too low.
"""


@dataclass(frozen=True, eq=False)
class GateRow:
    """A labelled row as the gate meets it: the last thing that users say in a row, with what came before."""

    exchange: Exchange
    previous: Message | None
    reason: Reason
    fingerprint: str

    @property
    def judged(self) -> Exchange:
        """The part of the exchange that the label speaks of: what its last author says."""
        return split_by_author(self.exchange)[-1]

    @cached_property
    def features(self) -> Mapping[str, float]:
        """What the head reads of it."""
        return gate_features(self.judged, previous=self.previous)


class GateRecipe:
    """How the gate's head is trained: on all files; judged on the first two, and on the others apart."""

    name = HEAD
    about = _ABOUT

    def fit(self, materials: Materials) -> Fitted:
        """Train on all rows."""
        materials.on_progress(f"{self.name}: reading {', '.join(_FILES)}")
        parts, statements = read_gate(materials.rows)
        whole = [*chain(*parts)]
        head = _fit(whole, statements)
        return Fitted(
            heads=(head,),
            seen=frozenset(row.fingerprint for row in (*whole, *statements)),
            counts=tuple(zip(_FILES, map(len, (*parts, statements)), strict=True)),
            checks=(check(whole, head),),
        )

    def cross_validate(self, materials: Materials) -> list[Table]:
        """Judge by rows held out; of the first two files those that are nearly alike are never parted."""
        materials.on_progress(f"{self.name}: reading {', '.join(_FILES)}")
        (first, second, *others), statements = read_gate(materials.rows)
        both = first + second
        texts = ["\n\n".join(message.content for message in row.judged.asked) for row in both]
        alike = near_duplicates(materials.embedder.embed(texts, purpose=Purpose.DOCUMENT))
        materials.on_progress(f"{self.name}: cross-validating")

        def tested(train: Sequence[GateRow], test: Sequence[GateRow]) -> Trials:
            return _judged(test, _fit(train, statements))

        folds: dict[int, _Trial] = {}
        for train, test in deal_folds([row.reason for row in both], alike):
            judged = tested([both[row] for row in train], [both[row] for row in test])
            folds.update(zip(test.tolist(), judged, strict=True))
        trials: dict[str, Trials] = {
            "5 folds": [folds[row] for row in range(len(both))],
            "1 > 2": tested(first, second),
            "2 > 1": tested(second, first),
        }
        for number, other in enumerate(others, start=3):
            rest = chain(both, *(part for part in others if part is not other))
            trials[f"rest > {number}"] = tested([*rest], other)
        sides = {reason.value: partial(_right, reason=reason) for reason in Reason}
        return [
            tabulate("Keep or skip", trials, _FIGURES, _FIGURES_NOTE),
            tabulate("Share on the right side, by reason", trials, sides),
        ]


RECIPE = GateRecipe()


def read_gate(folder: Path) -> tuple[list[list[GateRow]], list[GateRow]]:
    """Return the labelled exchanges of each file, and all statements, as they are trained on."""
    *exchanges, statements = (folder / name for name in _FILES)
    told = read_rows(statements, needs=("id", "text", "facts"))
    return list(map(read_gate_rows, exchanges)), list(map(_parse_statement, told))


def read_gate_rows(path: Path) -> list[GateRow]:
    """Read one file of labelled exchanges."""
    return [_parse(row) for row in read_rows(path, needs=("id", "messages", "reason"))]


def check(rows: Sequence[GateRow], head: LinearHead) -> Table:
    """Return how a head does on a fixed sample of labelled exchanges."""
    sample = {"sample": _judged(rows[::_CHECK_EVERY], head)}
    return tabulate(CHECK_TITLE, sample, {"rows": len, "F1": _f1}, _CHECK_NOTE)


def _judged(test: Sequence[GateRow], head: LinearHead) -> Trials:
    return [_Trial(row.reason, judge(row.judged, GatePolicy(), previous=row.previous, head=head)) for row in test]


def _fit(rows: Sequence[GateRow], statements: Sequence[GateRow]) -> LinearHead:
    """Fit on exchanges first, then on them and the statements, whose reasons the first head completes."""
    own, more = _samples(rows), _samples(statements)
    head = fit_head(HEAD, own, _FITTING)
    return fit_head(HEAD, _with_statements(own, _completed(more, head)), _FITTING)


def _samples(rows: Sequence[GateRow]) -> Samples:
    return Samples(*stack([row.features for row in rows]), tuple(row.reason for row in rows))


def _completed(statements: Samples, head: LinearHead) -> Samples:
    """Return statements with, for those that state nothing, the likeliest reason for skipping as their label."""
    skips = [place for place, name in enumerate(head.classes) if name not in KEEP_REASONS]
    likeliest = predict(head, statements)[:, skips].argmax(axis=1)
    labels = tuple(
        label if label in KEEP_REASONS else head.classes[skips[best]]
        for label, best in zip(statements.labels, likeliest.tolist(), strict=True)
    )
    return replace(statements, labels=labels)


def _with_statements(exchanges: Samples, statements: Samples) -> Samples:
    """Return both, the statements with a low weight that leaves the shares of keep and skip as they are."""
    share = np.mean([label in KEEP_REASONS for label in exchanges.labels])
    keeps = np.array([label in KEEP_REASONS for label in statements.labels])
    weights = _STATEMENT_WEIGHT * np.where(keeps, share / keeps.mean(), (1 - share) / (1 - keeps.mean()))
    return Samples(
        names=exchanges.names,
        features=np.vstack([exchanges.features, statements.features]),
        labels=exchanges.labels + statements.labels,
        weights=np.concatenate([np.ones(len(exchanges.labels)), weights]),
    )


@dataclass(frozen=True, slots=True)
class _Trial:
    gold: Reason
    verdict: Verdict

    @property
    def is_kept(self) -> bool:
        return self.verdict.settled().outcome is Outcome.KEEP


Trials: TypeAlias = Sequence[_Trial]
Figure: TypeAlias = Callable[[Trials], float]


def _detected(trials: Trials, *, name: str) -> float:
    return detection((trial.gold in KEEP_REASONS, trial.is_kept) for trial in trials)[name]


_f1 = partial(_detected, name="f1")


def _kept(trials: Trials, *, reason: Reason) -> float:
    return mean(trial.is_kept for trial in trials if trial.gold is reason)


def _right(trials: Trials, *, reason: Reason) -> float:
    kept = _kept(trials, reason=reason)
    return kept if reason in KEEP_REASONS else 1 - kept


_FIGURES: Mapping[str, Figure] = {
    "rows": len,
    "F1": _f1,
    "precision": partial(_detected, name="precision"),
    "recall": partial(_detected, name="recall"),
    "kept_explicit": partial(_kept, reason=Reason.EXPLICIT_REQUEST),
    "kept_forget": partial(_kept, reason=Reason.FORGET_REQUEST),
    "kept_injected": partial(_kept, reason=Reason.INSTRUCTION_INJECTION),
    "macro-F1": lambda trials: macro_f1([(trial.gold, trial.verdict.reason) for trial in trials], Reason),
}
_FIGURES_NOTE = "macro-F1 is the mean over the twelve reasons; kept_... is the share of such rows that is kept."

_CHECK_NOTE = (
    f"Every {_CHECK_EVERY}th exchange; how good the head is stands above. A test judges the same rows: when the figure"
    " moves, rules, word lists and weights no longer belong together."
)


def _parse(row: Row) -> GateRow:
    """Return a row as the product would meet its last turn: what users say in a row, and the message before it."""
    said = row["messages"]
    messages = as_messages(
        row["id"], (Said(Role(each["role"]), each.get("author", each["role"]), each["content"]) for each in said)
    )
    asked = [position for position, message in enumerate(messages) if message.role is Role.USER]
    if not asked or row["reason"] not in set(Reason):
        raise InputError(f"row {row['id']!r} needs a message in the role of a user, and a reason the gate knows")
    begin = asked[-1]
    while begin and messages[begin - 1].role is Role.USER:
        begin -= 1
    return GateRow(
        exchange=Exchange(tuple(messages[begin:])),
        previous=messages[begin - 1] if begin else None,
        reason=Reason(row["reason"]),
        fingerprint=fingerprint([message.content for message in messages]),
    )


def _parse_statement(row: Row) -> GateRow:
    """Return a row of single statements as an exchange; its reason for keeping follows from the kinds of its facts."""
    kinds = {fact["kind"] for fact in row["facts"]}
    if not kinds:
        reason = Reason.TRIVIAL  # stands for any reason to skip
    elif "decision" in kinds:
        reason = Reason.DECISION
    else:
        reason = Reason.RELATIONAL if "relationship" in kinds else Reason.PERSONAL
    return _parse({"id": row["id"], "messages": [{"role": "user", "content": row["text"]}], "reason": reason})
