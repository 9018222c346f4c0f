"""Suite: labelled talk. What the reader tells of each sentence in its place, against what its writer meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from yesteryear.core.reading import MessageReading, ReadStatement
from yesteryear.errors import InputError
from yesteryear.providers.registry import build_reader
from yesteryear_lab.bench.report import Metrics, Progress, Report, as_suite
from yesteryear_lab.figures import detection, mean, ratio, rounded
from yesteryear_lab.reading.rows import Label, LabelledMessage, LabelledSentence, read_talk

if TYPE_CHECKING:
    from yesteryear.ports import Reader

_BINS = 10  # equal parts of [0, 1] in which worth is compared with what is worth it
_EVEN = 0.5
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What can be asked of this suite."""

    reader: str = "auto"


@as_suite(
    "labelled talk: worth, stance, kind, attribute, holder and words of each sentence in its place",
    ReadingOptions,
    needs="a file NAME.talk, or a folder of them",
)
def suite(data: Path, options: ReadingOptions, say: Progress) -> Report:
    """Read every message as the product does, and compare sentence by sentence."""
    files = sorted(data.glob("*.talk")) if data.is_dir() else [data]
    talk = [message for path in files for message in read_talk(path)]
    if not talk:
        raise InputError(f"{data} holds no labelled talk; its form is told in lab/labelled/talk/README.md")
    rows: list[Metrics] = []
    with closing(build_reader(options.reader)) as reader:
        for kind, messages in groupby(talk, key=lambda message: message.kind):
            say(kind)
            rows += [row for message in messages for row in _rows(message, reader)]
        settings: Metrics = {"reader": reader.version}
    kinds = sorted({row["talk"] for row in rows})
    by_kind = {f"{kind}.{name}": value for kind in kinds for name, value in _figures(rows, kind).items()}
    return Report(len(rows), rounded(_figures(rows) | (by_kind if len(kinds) > 1 else {})), {}, settings, rows)


def _rows(message: LabelledMessage, reader: Reader) -> Iterator[Metrics]:
    """Yield what was meant by each sentence of a message, and what was read of it."""
    reading = reader.read(message.text, before=message.before)
    for sentence in message.sentences:
        label = max(sentence.labels, key=lambda label: label.worth)
        worth, stance = _overlapping(reading, sentence)
        told = [one for one in reading.statements if one.start < sentence.end and sentence.start < one.end]
        row: Metrics = {
            "talk": message.kind,
            "where": message.where,
            "text": message.text[sentence.start : sentence.end],
            "gold": {"worth": label.worth, "stance": label.stance},
            "worth": round(worth, 4),
            "stance": stance,
            "words": _words(message, sentence, told if worth >= _EVEN else []),
        }
        if label.worth and told:
            row["gold"] |= {"kind": label.kind, "attribute": label.attribute, "holder": label.holder}
            row |= _told(label, told)
        yield row


def _overlapping(reading: MessageReading, sentence: LabelledSentence) -> tuple[float, str]:
    """Return worth and stance of what was read as the sentence: the parts it shares characters with."""
    parts = [part for part in reading.sentences if part.start < sentence.end and sentence.start < part.end]
    if not parts:
        return 0.0, "holds"
    longest = max(parts, key=lambda part: min(part.end, sentence.end) - max(part.start, sentence.start))
    return max(part.worth for part in parts), longest.stance.value


def _told(label: Label, told: Sequence[ReadStatement]) -> Metrics:
    best = max(told, key=lambda one: min(one.end, label.end) - max(one.start, label.start))
    return {"kind": best.kind.value, "attribute": best.attribute or "other", "holder": best.whose.value}


def _words(message: LabelledMessage, sentence: LabelledSentence, told: Sequence[ReadStatement]) -> Mapping[str, int]:
    """Return how many words of a sentence state something by the labels, by the reader, and by both."""
    gold = [(label.start, label.end) for label in sentence.labels if label.worth]
    read = [(one.start, one.end) for one in told]
    found = {"gold": 0, "read": 0, "both": 0}
    for word in _WORD.finditer(message.text, sentence.start, sentence.end):
        is_gold, is_read = (any(a <= word.start() < b for a, b in spans) for spans in (gold, read))
        found["gold"] += is_gold
        found["read"] += is_read
        found["both"] += is_gold and is_read
    return found


def _figures(rows: Sequence[Metrics], kind: str = "") -> dict[str, float]:
    """Return how well sentences were read; kind, attribute and holder where something worth keeping is told."""
    rows = [row for row in rows if kind in ("", row["talk"])]
    told = [row for row in rows if "kind" in row]
    words = {name: sum(row["words"][name] for row in rows) for name in ("gold", "read", "both")}
    is_worth = [(row["gold"]["worth"] > 0, row["worth"] >= _EVEN) for row in rows]
    return {
        **{f"worth.{name}": value for name, value in detection(is_worth).items()},
        "worth.calibration_error": _calibration_error(rows),
        "stance": mean(row["stance"] == row["gold"]["stance"] for row in rows),
        **{name: mean(row[name] == row["gold"][name] for row in told) for name in ("kind", "attribute", "holder")},
        "told": ratio(len(told), sum(is_so for is_so, _ in is_worth)),
        "words.f1": ratio(2 * words["both"], words["gold"] + words["read"]),
    }


def _calibration_error(rows: Sequence[Metrics]) -> float:
    """Return the mean distance between worth and the share that is worth keeping, over equal bins of worth."""
    gaps = [0.0] * _BINS
    for row in rows:
        gaps[min(int(row["worth"] * _BINS), _BINS - 1)] += row["worth"] - (row["gold"]["worth"] > 0)
    return ratio(sum(map(abs, gaps)), len(rows))
