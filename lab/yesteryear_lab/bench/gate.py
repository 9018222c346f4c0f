"""Suite: labelled exchanges. What is kept for good, and is it for the right reason?

Each row is observed as a conversation of its own; the verdict on what its user said last counts, with doubt settled as
it is without a key.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yesteryear
from yesteryear.core.heads import shipped
from yesteryear.core.heads.codec import fingerprint
from yesteryear.errors import InputError
from yesteryear.remember.gate import GatePolicy
from yesteryear_lab.bench.evidence import content_words
from yesteryear_lab.bench.report import Metrics, Progress, Report, read_options, scratch_folder

_HEAD = "gate"
_USER = "user"
_LONG_WORDS = 8
"""Content words from which the ``length`` baseline keeps a text."""
_MESSAGE_FIELDS = ("role", "content", "author", "at")
"""What is taken over of a row's messages."""
_WATCHED = {
    "kept_explicit": yesteryear.Reason.EXPLICIT_REQUEST,
    "kept_forget": yesteryear.Reason.FORGET_REQUEST,
    "kept_injected": yesteryear.Reason.INSTRUCTION_INJECTION,
}
"""Shares of kept rows that are told on their own, and the gold reason of their rows."""

BASELINES: Mapping[str, Callable[[str], bool]] = {
    "always_keep": lambda _: True,
    "length": lambda text: len(content_words(text)) >= _LONG_WORDS,
}
"""Whether to keep what a user said, decided without any understanding."""


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What can be asked of this suite."""

    embedder: str = "auto"
    folder: str = ""
    """Where the store lies; the system's place for temporary files where empty."""


@dataclass(frozen=True, slots=True)
class GateRow:
    """One labelled exchange."""

    id: str
    where: str
    """Its place in the file."""
    messages: tuple[Mapping[str, Any], ...]
    keep: bool
    reason: yesteryear.Reason

    @property
    def said(self) -> str:
        """What the user said, one message a line."""
        return "\n".join(message["content"] for message in self.messages if message["role"] == _USER)

    @property
    def fingerprint(self) -> str:
        """What stands for the row among those a head was trained on."""
        return fingerprint([message["content"] for message in self.messages])


def run_gate(data: Path | None, given: Mapping[str, str], on_progress: Progress) -> Report:
    """Observe every row, work through them, and compare the verdicts with the labels."""
    options = read_options(GateOptions, given)
    if data is None:
        raise InputError("the gate suite needs --data: JSON Lines of {id, messages, keep, reason}")
    labelled = read_gate_rows(data)
    trained_on = shipped().seen.get(_HEAD)
    with (
        scratch_folder(options.folder) as folder,
        yesteryear.open(folder / "gate.db", worker="none", embedder=options.embedder) as engine,
    ):
        memory = engine.memory(user="gate")
        on_progress(f"{len(labelled)} rows")
        for number, row in enumerate(labelled):
            _observe(memory, row, _conversation(number))
        memory.flush()
        verdicts = [_verdict(memory, _conversation(number)) for number in range(len(labelled))]
        settings = {**asdict(options), "embedder": engine.describe()["embedder"]}
    rows = [_entry(row, verdict, trained_on) for row, verdict in zip(labelled, verdicts, strict=True)]
    settings["seen"] = None if trained_on is None else sum(row["seen"] for row in rows)
    baselines = {
        name: _kept_figures(labelled, [decide(row.said) for row in labelled]) for name, decide in BASELINES.items()
    }
    metrics = _kept_figures(labelled, [row["keep"] for row in rows]) | _reason_figures(rows)
    return Report(len(rows), metrics, baselines, settings, rows)


def read_gate_rows(path: Path) -> list[GateRow]:
    """Return the labelled exchanges of a file.

    Raises:
        InputError: the file cannot be read, is empty, or has a row of another shape; names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as exc:
        raise InputError(f"{path} cannot be read: {exc}") from exc
    rows = [_read_row(line, f"{path.name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        raise InputError(f"{path} has no rows; each line is an object with id, messages, keep and reason")
    return rows


def _read_row(line: str, where: str) -> GateRow:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise InputError(f"{where}: not valid JSON: {exc}") from exc
    if not isinstance(row, dict):
        raise InputError(f"{where}: an object with id, messages, keep and reason is expected")
    messages, keep, reason = row.get("messages"), row.get("keep"), row.get("reason")
    if not isinstance(messages, list) or not all(map(_is_message, messages)):
        raise InputError(f"{where}: messages is a list of objects with role and content")
    if not any(message["role"] == _USER for message in messages):
        raise InputError(f"{where}: none of the messages has the role {_USER}, so there is nothing to judge")
    if not isinstance(keep, bool):
        raise InputError(f"{where}: keep is true or false, not {keep!r}")
    if reason not in list(yesteryear.Reason):
        raise InputError(f"{where}: reason is one of {', '.join(yesteryear.Reason)}, not {reason!r}")
    return GateRow(str(row.get("id", where)), where, tuple(messages), keep, yesteryear.Reason(reason))


def _is_message(message: object) -> bool:
    return (
        isinstance(message, dict)
        and isinstance(message.get("role"), str)
        and isinstance(message.get("content"), str)
        and bool(message["content"].strip())
    )


def _conversation(number: int) -> str:
    return f"row {number + 1}"


def _observe(memory: yesteryear.Memory, row: GateRow, conversation: str) -> None:
    messages = [{name: said[name] for name in _MESSAGE_FIELDS if name in said} for said in row.messages]
    try:
        memory.observe(messages, conversation=conversation)
    except InputError as exc:
        raise InputError(f"{row.where}: {exc}") from exc


def _verdict(memory: yesteryear.Memory, conversation: str) -> yesteryear.Verdict:
    """Return the verdict on what the user said last."""
    said = [message for message in memory.messages(conversation=conversation, limit=1000) if message.role == _USER]
    verdict = said[-1].verdict
    if verdict is None:
        raise InputError(f"{conversation} was not judged; its messages may be too far apart in time")
    return verdict


def _entry(row: GateRow, verdict: yesteryear.Verdict, trained_on: frozenset[str] | None) -> Metrics:
    return {
        "id": row.id,
        "gold": {"keep": row.keep, "reason": row.reason.value},
        "keep": verdict.outcome == yesteryear.Outcome.KEEP,
        "reason": verdict.reason.value,
        "score": round(verdict.score, 4),
        "rule": verdict.rule,
        "unsure": _was_unsure(verdict, GatePolicy()),
        "seen": trained_on is not None and row.fingerprint in trained_on,
    }


def _was_unsure(verdict: yesteryear.Verdict, policy: GatePolicy) -> bool:
    return verdict.rule is None and policy.unsure_below <= verdict.score <= policy.unsure_above


def _kept_figures(labelled: Sequence[GateRow], kept: Sequence[bool]) -> Metrics:
    """Return how well a decision to keep agrees with the labels, in all and for each gold reason."""
    pairs = list(zip(labelled, kept, strict=True))
    figures = _f1(
        true=sum(row.keep and is_kept for row, is_kept in pairs), said=sum(kept), gold=sum(r.keep for r in labelled)
    )
    for name, reason in _WATCHED.items():
        figures[name] = _share(is_kept for row, is_kept in pairs if row.reason == reason)
    for reason in sorted({row.reason for row in labelled}):
        figures[f"right_side.{reason}"] = _share(is_kept == row.keep for row, is_kept in pairs if row.reason == reason)
    return figures


def _reason_figures(rows: Sequence[Metrics]) -> Metrics:
    """Return how often the gate doubted, and the mean F1 over the reasons that the labels give."""
    pairs = [(row["gold"]["reason"], row["reason"]) for row in rows]
    each = [
        _f1(
            true=pairs.count((reason, reason)),
            said=sum(named == reason for _, named in pairs),
            gold=sum(gold == reason for gold, _ in pairs),
        )["f1"]
        for reason in sorted({gold for gold, _ in pairs})
    ]
    return {"unsure_share": _share(row["unsure"] for row in rows), "macro_f1": _share(each)}


def _f1(*, true: int, said: int, gold: int) -> Metrics:
    return {
        "precision": round(true / said, 4) if said else None,
        "recall": round(true / gold, 4) if gold else None,
        "f1": round(2 * true / (said + gold), 4) if said + gold else None,
    }


def _share(values: Iterable[float]) -> float | None:
    listed = list(values)
    return round(sum(listed) / len(listed), 4) if listed else None
