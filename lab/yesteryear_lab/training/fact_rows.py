"""Labelled rows as the heads for facts are trained on them: messages, and which of their units state what.

A labelled sentence says so itself, by quotes. A dialog only says which messages tell a fact; the units that hold most
of its stems and words are taken for its quote. An exchange of the gate only says whether anything is worth keeping:
where nothing is, no unit states a fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from yesteryear.core.episode import Talk
from yesteryear.core.heads import fingerprint
from yesteryear.core.language.tokens import stems as stems_of
from yesteryear.core.message import KEEP_REASONS, Message, Role
from yesteryear.core.vectors import Purpose
from yesteryear.providers.local.facts.drafting import SaidSentence, own_statements, read_own_words
from yesteryear.providers.local.facts.utterance import Utterance
from yesteryear_lab.training.fact_scores import DialogRow, GoldFact, tells
from yesteryear_lab.training.gate import read_gate_rows
from yesteryear_lab.training.rows import Row, Said, as_messages, as_talk, read_rows

if TYPE_CHECKING:
    from yesteryear.ports import Embedder

_SENTENCE_WEIGHT, _DIALOG_WEIGHT, _GATE_WEIGHT = 1.0, 1.2, 0.5
"""How much a message of each kind counts. Source: cross-validation; it matters little."""
PLAIN, _PLAIN_WEIGHT = "sentences-3.jsonl", 2.0
"""The plainest of sentences, and how much one counts: they are few against many colourful ones, and met more often."""
_MOST_UNITS = 6
"""Units that a guessed quote spans at most."""
_UNIT_COST = 0.08
"""Share of a fact's stems and words that a further unit must bring to be taken into a guessed quote."""
_COVERED = 0.5
"""Part of a unit that a quote must cover for the unit to state the fact."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact and the units of a message that state it."""

    first: int
    last: int
    kind: str
    """Empty where the row does not say."""

    @property
    def places(self) -> range:
        """The units."""
        return range(self.first, self.last + 1)


@dataclass(frozen=True, slots=True, eq=False)
class LabelledUtterance:
    """A labelled message."""

    file: str
    row: str
    """Id of its row."""
    group: str
    """Its person, or series: held out together."""
    message: Message
    utterance: Utterance
    states_a_fact: bool
    stated: tuple[Stated, ...]
    weight: float
    has_spans: bool = True
    """Whether it is known which units state the facts."""


def read_sentences(folder: Path, name: str) -> list[LabelledUtterance]:
    """Read one file of labelled sentences.

    Raises:
        InputError: the file is missing, or a row is no labelled sentence.
    """
    rows = read_rows(folder, name, needs=("id", "author", "text", "facts"))
    return [_read_sentence(row, name) for row in rows]


def read_dialog_messages(dialogs: Sequence[DialogRow], name: str) -> list[LabelledUtterance]:
    """Return what users say in annotated dialogs, with guessed quotes."""
    return [labelled for dialog in dialogs for labelled in _read_dialog(dialog, name)]


def read_gate_messages(folder: Path, name: str) -> list[LabelledUtterance]:
    """Read one file of labelled exchanges.

    Raises:
        InputError: the file is missing, or a row is no labelled exchange.
    """
    found = []
    for row in read_gate_rows(folder, name):
        message = replace(row.judged.asked[-1], content=row.judged.user_text)
        before = row.previous.content if row.previous and row.previous.role is Role.ASSISTANT else ""
        is_kept = row.reason in KEEP_REASONS
        found.append(
            LabelledUtterance(
                file=name,
                row=row.fingerprint,
                group=row.fingerprint,
                message=message,
                utterance=read_own_words(SaidSentence(message, before)),
                states_a_fact=is_kept,
                stated=(),
                weight=_GATE_WEIGHT,
                has_spans=not is_kept,
            )
        )
    return found


def dialog_talk(dialog: DialogRow) -> Talk:
    """Return an annotated dialog as an analyst is given it; its messages are numbered from 1."""
    return as_talk(as_messages(dialog.id, dialog.messages))


def with_vectors(rows: Sequence[LabelledUtterance], embedder: Embedder) -> list[LabelledUtterance]:
    """Return the messages with vectors."""
    found = []
    for row in rows:
        vectors = embedder.embed(row.utterance.texts, purpose=Purpose.DOCUMENT)
        found.append(replace(row, utterance=replace(row.utterance, vectors=vectors)))
    return found


def sentence_fingerprint(text: str) -> str:
    """Return what stands for a labelled sentence among the rows that were trained on."""
    return fingerprint([text])


def dialog_fingerprint(dialog: DialogRow) -> str:
    """Return what stands for an annotated dialog among the rows that were trained on."""
    return fingerprint([said.content for said in dialog.messages])


def units_covered(utterance: Utterance, start: int, end: int) -> range:
    """Return the units of which a stretch of the message covers half, from the first to the last."""
    covered = [
        place
        for place, unit in enumerate(utterance.units)
        if min(end, unit.end) - max(start, unit.start) >= _COVERED * (unit.end - unit.start)
    ]
    if covered:
        return range(covered[0], covered[-1] + 1)
    holding = [place for place, unit in enumerate(utterance.units) if unit.start <= start and end <= unit.end]
    return range(holding[0], holding[0] + 1) if holding else range(0)


def _read_sentence(row: Row, name: str) -> LabelledUtterance:
    at = datetime.fromisoformat(row["at"]).replace(tzinfo=UTC)
    (message,) = as_messages(row["id"], [Said(Role.USER, row["author"], row["text"], at)])
    utterance = read_own_words(SaidSentence(message, row.get("before", "")))
    stated = []
    for fact in row["facts"]:
        start = row["text"].find(fact["quote"])
        if start >= 0 and (places := units_covered(utterance, start, start + len(fact["quote"]))):
            stated.append(Stated(places[0], places[-1], fact.get("kind", "")))
    return LabelledUtterance(
        file=name,
        row=row["id"],
        group=row["author"],
        message=message,
        utterance=utterance,
        states_a_fact=bool(row["facts"]),
        stated=tuple(stated),
        weight=_PLAIN_WEIGHT if name == PLAIN else _SENTENCE_WEIGHT,
    )


def _read_dialog(dialog: DialogRow, name: str) -> Iterator[LabelledUtterance]:
    for said in own_statements(dialog_talk(dialog)):
        utterance = read_own_words(said)
        told = [fact for fact in dialog.facts if said.message.seq - 1 in fact.evidence]
        yield LabelledUtterance(
            file=name,
            row=dialog.id,
            group=dialog.group,
            message=said.message,
            utterance=utterance,
            states_a_fact=bool(told),
            stated=tuple(span for fact in told if (span := guess_quote(utterance, fact)) is not None),
            weight=_DIALOG_WEIGHT,
        )


def guess_quote(utterance: Utterance, fact: GoldFact) -> Stated | None:
    """Return the few neighbouring units that hold most of a fact's stems and words, or None where none holds any."""
    wanted = set(stems_of(fact.statement))
    best, best_score = None, 0.0
    for first in range(len(utterance.units)):
        for last in range(first, min(first + _MOST_UNITS, len(utterance.units))):
            text = utterance.text[utterance.units[first].start : utterance.units[last].end]
            hits = sum(tells(text, (stem,)) for stem in fact.all_of) / max(1, len(fact.all_of))
            shared = len(wanted.intersection(stems_of(text))) / max(1, len(wanted))
            score = hits + shared - _UNIT_COST * (last - first)
            if hits + shared > 0 and score > best_score:
                best, best_score = Stated(first, last, fact.kind), score
    return best
