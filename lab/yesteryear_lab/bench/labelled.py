"""Suites: labelled rows, and what the gate, the heads and the judge say of them.

``gate``: each row is observed as a conversation of its own; the verdict on what its user said last counts, with doubt
settled as it is without a key. ``pairs``: what the later fact does to the earlier, and whether it is
right to act on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

from msgspec import Meta

import yesteryear
from yesteryear.core.heads import shipped
from yesteryear.core.ruling import Judgement, PairVerdict
from yesteryear.core.vectors import Purpose
from yesteryear.errors import InputError
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.providers.registry import build_embedder, build_reader
from yesteryear.remember.gate import GatePolicy
from yesteryear.results import Outcome, Reason, Verdict
from yesteryear_lab.bench.evidence import content_words
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    StoreOptions,
    all_messages,
    as_suite,
    count_seen,
    open_idle,
)
from yesteryear_lab.figures import detection, macro_f1, rounded, share
from yesteryear_lab.training import pairs
from yesteryear_lab.training.recipe import go_on
from yesteryear_lab.training.rows import Row, read_as, read_numbered
from yesteryear_lab.training.weights import fingerprint

_HEAD = "gate"
_USER = yesteryear.Role.USER
_LONG_WORDS = 8  # content words from which the ``length`` baseline keeps a text
_WATCHED = {
    "kept_explicit": Reason.EXPLICIT_REQUEST,
    "kept_forget": Reason.FORGET_REQUEST,
    "kept_injected": Reason.INSTRUCTION_INJECTION,
}
"""Shares of kept rows that are told on their own, and the gold reason of their rows."""

GATE_BASELINES: Mapping[str, Callable[[str], bool]] = {
    "always_keep": lambda _: True,
    "length": lambda text: len(content_words(text)) >= _LONG_WORDS,
}
"""Whether to keep what a user said, decided without any understanding."""


class Message(TypedDict):
    """A message of an exchange, as ``observe`` takes it."""

    role: yesteryear.Role
    content: Annotated[str, Meta(pattern=r"\S")]
    author: NotRequired[str]
    at: NotRequired[datetime]


@dataclass(frozen=True, slots=True)
class LabelledExchange:
    """One labelled exchange."""

    messages: tuple[Message, ...]
    keep: bool
    reason: Reason
    id: str

    @property
    def said(self) -> str:
        """What the user said, one message a line."""
        return "\n".join(message["content"] for message in self.messages if message["role"] == _USER)

    @property
    def fingerprint(self) -> str:
        """What stands for the row among those a head was trained on."""
        return fingerprint([message["content"] for message in self.messages])


@as_suite(
    "labelled exchanges: what is kept for good, and for the right reason",
    StoreOptions,
    needs="JSON Lines of {id, messages, keep, reason}",
)
def gate_suite(data: Path, options: StoreOptions, say: Progress) -> Report:
    """Observe every row, work through them, and compare the verdicts with the labels."""
    labelled = [_read_exchange(row, where) for where, row in read_numbered(data)]
    if not labelled:
        raise InputError(f"{data} has no rows; each line is an object with id, messages, keep and reason")
    trained_on = shipped().seen.get(_HEAD)
    with open_idle(Path(options.folder, "gate.db"), embedder=options.embedder) as engine:
        memory = engine.memory(user="gate")
        say(f"{len(labelled)} rows")
        for number, row in enumerate(labelled):
            memory.observe(row.messages, conversation=_conversation(number))
        memory.flush()
        verdicts = [_verdict(memory, _conversation(number)) for number in range(len(labelled))]
        embedder = engine.describe()["embedder"]
    rows = [_gate_entry(row, verdict, trained_on) for row, verdict in zip(labelled, verdicts, strict=True)]
    baselines = {
        name: _kept_figures(labelled, [decide(row.said) for row in labelled]) for name, decide in GATE_BASELINES.items()
    }
    reasons = [(row["gold"]["reason"], row["reason"]) for row in rows]
    metrics = _kept_figures(labelled, [row["keep"] for row in rows])
    metrics["unsure_share"] = share(row["unsure"] for row in rows)
    metrics["macro_f1"] = round(macro_f1(reasons, {gold for gold, _ in reasons}), 4)
    settings = {"embedder": embedder, "seen": count_seen(rows, trained_on)}
    return Report(len(rows), metrics, baselines, settings, rows)


def _read_exchange(row: Row, where: str) -> LabelledExchange:
    found = read_as(LabelledExchange, {"id": where} | dict(row), where)
    if not found.said:
        raise InputError(f"{where}: none of the messages has the role {_USER}, so there is nothing to judge")
    return found


def _conversation(number: int) -> str:
    return f"row {number + 1}"


def _verdict(memory: yesteryear.Memory, conversation: str) -> Verdict:
    """Return the verdict on what the user said last."""
    said = [message for message in all_messages(memory, conversation=conversation) if message.role == _USER]
    verdict = said[-1].verdict
    if verdict is None:
        raise InputError(f"{conversation} was not judged; its messages may be too far apart in time")
    return verdict


def _gate_entry(row: LabelledExchange, verdict: Verdict, trained_on: frozenset[str] | None) -> Metrics:
    policy = GatePolicy()
    return {
        "id": row.id,
        "gold": {"keep": row.keep, "reason": row.reason.value},
        "keep": verdict.outcome == Outcome.KEEP,
        "reason": verdict.reason.value,
        "score": round(verdict.score, 4),
        "rule": verdict.rule,
        "unsure": verdict.rule is None and policy.unsure_below <= verdict.score <= policy.unsure_above,
        "seen": trained_on is not None and row.fingerprint in trained_on,
    }


def _kept_figures(labelled: Sequence[LabelledExchange], kept: Sequence[bool]) -> Metrics:
    """Return how well a decision to keep agrees with the labels, in all and for each gold reason."""
    judged = list(zip(labelled, kept, strict=True))
    keeps = any(row.keep for row in labelled)
    told = {"precision": any(kept), "recall": keeps, "f1": keeps or any(kept)}
    found = rounded(detection((row.keep, is_kept) for row, is_kept in judged))
    figures: Metrics = {name: value if told[name] else None for name, value in found.items()}
    for name, reason in _WATCHED.items():
        figures[name] = share(is_kept for row, is_kept in judged if row.reason == reason)
    for reason in sorted({row.reason for row in labelled}):
        figures[f"right_side.{reason}"] = share(is_kept == row.keep for row, is_kept in judged if row.reason == reason)
    return figures


@dataclass(frozen=True, slots=True)
class PairsOptions:
    """What can be asked of this suite."""

    reader: str = "auto"
    embedder: str = "auto"  # of the baselines alone


PAIRS_BASELINES: Mapping[str, Mapping[float, Judgement]] = {
    "document_a": pairs.DOCUMENT_A,
    "document_b": pairs.DOCUMENT_B,
    "always_coexists": {-2.0: Judgement(PairVerdict.COEXISTS)},
}
"""Ways to judge by similarity alone, as cosines and what is judged from each on."""


@as_suite(
    "labelled pairs of facts: what the later does to the earlier, and what is acted on",
    PairsOptions,
    needs="JSON Lines of {id, a: {text, at}, b: {text, at}, verdict}",
)
def pairs_suite(data: Path, options: PairsOptions, say: Progress) -> Report:
    """Judge every row as it is shipped, and compare with the labels."""
    labelled = pairs.read_pair_rows(data)
    say(f"{len(labelled)} pairs")
    with closing(build_reader(options.reader)) as reader, closing(build_embedder(options.embedder)) as embedder:
        begun = time.perf_counter()
        answers = LocalAnalyst(pair_reader=reader).judge([row.pair for row in labelled], yield_to_foreground=go_on)
        took = time.perf_counter() - begun
        vectors = embedder.embed([text for row in labelled for text in row.texts], purpose=Purpose.DOCUMENT)
        settings: Metrics = {"reader": reader.version, "pairs_per_s": round(len(labelled) / took, 1)}
    cosines: list[float] = (vectors[::2] * vectors[1::2]).sum(axis=1).tolist()
    rows = [_pairs_entry(row, answer) for row, answer in zip(labelled, answers, strict=True)]

    def score(judged: Sequence[Judgement]) -> Metrics:
        return pairs.score_judgements([(row.gold, answer) for row, answer in zip(labelled, judged, strict=True)])

    baselines = {
        name: score([pairs.judge_by_cosine(each, cuts) for each in cosines]) for name, cuts in PAIRS_BASELINES.items()
    }
    return Report(len(rows), score(answers), baselines, settings, rows)


def _pairs_entry(row: pairs.PairRow, answer: Judgement) -> Metrics:
    return {
        "id": row.id,
        "gold": row.gold.value,
        "verdict": answer.verdict.value,
        "act": answer.act.value,
        "keeps_later": answer.keeps_later,
        "scores": {verdict.value: round(score, 4) for verdict, score in answer.scores.items()},
        "rule": answer.rule,
    }
