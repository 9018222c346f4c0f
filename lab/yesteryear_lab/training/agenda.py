"""The head that tells whether a message asks for what is to be done or set for a day; see ``recall.agenda``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from yesteryear.core.heads import LinearHead
from yesteryear.core.message import Role
from yesteryear.recall.agenda import BOTH, DATES, HEAD, MOST_CHARS, NEITHER, TASKS, AgendaPolicy, what_is_asked
from yesteryear_lab.figures import detection
from yesteryear_lab.training.fit import (
    FitPolicy,
    Samples,
    deal_folds,
    fit_head,
    near_duplicates,
    predict,
    read_questions,
)
from yesteryear_lab.training.gate import read_gate
from yesteryear_lab.training.recipe import Fitted, Materials, Table, table_of
from yesteryear_lab.training.rows import read_rows
from yesteryear_lab.training.weights import fingerprint

_FILES = ("agenda-1.jsonl", "agenda-2.jsonl")
_HELD_OUT = Path("held-out/agenda.jsonl")
_POLICY = FitPolicy(inverse_l2=1.0)
_ASKED = {(False, False): NEITHER, (True, False): TASKS, (False, True): DATES, (True, True): BOTH}


class _Row(NamedTuple):
    text: str
    asks: str  # for what


class AgendaRecipe:
    """Trains on messages of which people said what they ask for, and on messages to the gate, which ask for neither."""

    name = HEAD
    about = (
        "Tells whether a message asks for somebody's tasks, for what is set for a day, for both or for neither: by its "
        "vector as a question alone. Half of its rows ask for neither and are hard; ordinary talk is that of the gate, "
        "which is in no fold that is tested."
    )

    def fit(self, materials: Materials) -> Fitted:
        """Train on all rows but those held out."""
        files = {name: _read(materials.rows / name) for name in _FILES}
        rows = [row for part in files.values() for row in part]
        seen = frozenset(fingerprint([row.text]) for row in rows)
        talk = _talk(materials.rows)
        head = _fit(_samples([*rows, *talk], materials), materials)
        return Fitted((head,), seen, tuple((name, len(part)) for name, part in files.items()))

    def cross_validate(self, materials: Materials) -> Sequence[Table]:
        """Judge by folds, and by the rows held out."""
        rows, held = [row for name in _FILES for row in _read(materials.rows / name)], _read(materials.rows / _HELD_OUT)
        talk = _samples(_talk(materials.rows), materials)
        materials.on_progress(f"{self.name}: {len(rows)} rows, {len(talk.labels)} of other talk")
        samples, unseen = _samples(rows, materials), _samples(held, materials)
        assert samples.vectors is not None  # noqa: S101 - for the type checker
        found: list[tuple[str, str]] = []
        for train, test in deal_folds(samples.labels, near_duplicates(samples.vectors)):
            head = _fit(samples.some(train).with_others(talk), materials)
            found += _judged(head, samples.some(test))
        head = _fit(samples.with_others(talk), materials)
        columns = {"folds": _figures(found), _HELD_OUT.as_posix(): _figures(_judged(head, unseen))}
        return (table_of("what a message asks for: precision and recall", columns),)


def _read(path: Path) -> list[_Row]:
    rows = read_rows(path, needs=("text", "tasks", "dates"))
    return [_Row(row["text"], _ASKED[bool(row["tasks"]), bool(row["dates"])]) for row in rows]


def _talk(folder: Path) -> list[_Row]:
    """Return what people say otherwise."""
    parts, _ = read_gate(folder)
    said = (message for part in parts for row in part for message in row.judged.messages)
    texts = dict.fromkeys(row.content for row in said if row.role is Role.USER and len(row.content) <= MOST_CHARS)
    return [_Row(text, NEITHER) for text in texts]


def _samples(rows: Sequence[_Row], materials: Materials) -> Samples:
    return read_questions([row.text for row in rows], [row.asks for row in rows], materials.embedder)


def _fit(samples: Samples, materials: Materials) -> LinearHead:
    return fit_head(HEAD, samples, _POLICY, model=materials.embedder.profile.model)


def _judged(head: LinearHead, samples: Samples) -> list[tuple[str, str]]:
    """Return what each row asks for, and what the head takes it to ask for."""
    policy = AgendaPolicy()
    chances = (dict(zip(head.classes, row, strict=True)) for row in predict(head, samples).tolist())
    return [(label, _ASKED[what_is_asked(each, policy)]) for each, label in zip(chances, samples.labels, strict=True)]


def _figures(judged: Iterable[tuple[str, str]]) -> Mapping[str, float]:
    pairs, figures = list(judged), dict[str, float]()
    for name, those in (("a list", {TASKS, DATES, BOTH}), ("tasks", {TASKS, BOTH}), ("dates", {DATES, BOTH})):
        told = detection((label in those, found in those) for label, found in pairs)
        figures |= {f"{name}, {measure}": told[measure] for measure in ("precision", "recall")}
    return figures


RECIPE = AgendaRecipe()
