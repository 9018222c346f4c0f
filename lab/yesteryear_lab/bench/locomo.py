"""The samples of LoCoMo as the benchmarks ask about them: each conversation with its questions and their evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from yesteryear.cli.importers import Flaw, is_broken
from yesteryear.cli.importers.locomo import LocomoTurn, read_talks

ADVERSARIAL = 5  # category of the questions that have no answer in the conversation
_TURN_ID = re.compile(r"D:?(\d+):0*(\d+)")
"""Nine evidence strings of the published set hold several ids, leading zeros or a second colon."""


@dataclass(frozen=True, slots=True)
class LocomoQuestion:
    """A question, its answer and the turns that hold it."""

    text: str
    answer: str  # empty for adversarial questions
    evidence: tuple[str, ...]  # ids of turns; those that name none are left out
    category: int  # 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial


@dataclass(frozen=True, slots=True)
class Sample:
    """One conversation with its questions."""

    id: str
    turns: tuple[LocomoTurn, ...]  # in order of their sessions
    questions: tuple[LocomoQuestion, ...] = ()
    unusable: tuple[Flaw, ...] = ()
    """Turns, sessions and questions that could not be read, and evidence that names no turn."""

    @property
    def texts(self) -> dict[str, str]:
        """What was said, by the ids of turns."""
        return {turn.id: turn.text for turn in self.turns}


def read_samples(path: Path) -> list[Sample]:
    """Return the samples of a LoCoMo file: a JSON list, or JSON Lines."""
    samples = []
    for talk in read_talks(path):
        questions, doubtful = _read_questions(talk.asked, {turn.id for turn in talk.turns}, talk.id)
        samples.append(Sample(talk.id, talk.turns, tuple(questions), (*talk.unusable, *doubtful)))
    return samples


def _read_questions(rows: object, known: Collection[str], sample_id: str) -> tuple[list[LocomoQuestion], list[Flaw]]:
    questions: list[LocomoQuestion] = []
    doubtful: list[Flaw] = []
    for number, row in enumerate(rows if isinstance(rows, list) else [], start=1):
        where = f"{sample_id} question {number}"
        text = row.get("question") if isinstance(row, Mapping) else None
        if not isinstance(text, str) or not text.strip() or is_broken(text):
            doubtful.append(Flaw(where, "a question with a text is expected"))
            continue
        category, answer, evidence = row.get("category"), row.get("answer"), _turn_ids(row.get("evidence"), known)
        doubtful += [Flaw(where, f"its evidence {id_!r} names no turn") for id_ in evidence if id_ not in known]
        questions.append(
            LocomoQuestion(
                text=text,
                answer="" if answer is None else str(answer),
                evidence=tuple(id_ for id_ in evidence if id_ in known),
                category=category if isinstance(category, int) else 0,
            )
        )
    return questions, doubtful


def _turn_ids(evidence: object, known: Collection[str]) -> list[str]:
    """Return the ids that stand in a piece of evidence, as they are or however badly written, each once."""
    listed: Sequence[object] = evidence if isinstance(evidence, list) else [evidence] if evidence else []
    found: list[str] = []
    for item in map(str, listed):
        meant = [] if item in known else [f"D{match[1]}:{match[2]}" for match in _TURN_ID.finditer(item)]
        found += meant or [item]
    return list(dict.fromkeys(found))
