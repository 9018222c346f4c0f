"""Labelled pairs of statements as the judge meets them, and how well judgements agree with the labels, act by act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from yesteryear.core.ruling import Act, Claim, ClaimPair, Judgement, PairVerdict
from yesteryear.errors import InputError
from yesteryear_lab import figures
from yesteryear_lab.figures import mean, ratio
from yesteryear_lab.training.rows import Row, read_rows

_AS_LABELLED: Mapping[PairVerdict, PairVerdict] = dict.fromkeys(
    (PairVerdict.ENDS, PairVerdict.COMPLETES), PairVerdict.UPDATES
)
"""What labels call updates too: the earlier held until then."""
LABELS = tuple(each for each in PairVerdict if each not in _AS_LABELLED)
_NAMES: Mapping[str, PairVerdict] = {**{each.value: each for each in LABELS}, "coexist": PairVerdict.COEXISTS}
_NEEDS = ("id", "a", "b", "verdict")


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two statements and what the later does to the earlier."""

    id: str
    pair: ClaimPair
    gold: PairVerdict

    @property
    def texts(self) -> tuple[str, str]:
        """What both say."""
        return self.pair.earlier.text, self.pair.later.text


def read_pair_rows(path: Path) -> list[PairRow]:
    """Read a file of labelled pairs.

    Args:
        path: Of JSON Lines: ``{id, a: {text, at}, b: {text, at}, verdict}``; ``at`` is a date or an instant, in UTC
            where no offset is named, and ``a`` is the statement said earlier.
    """
    rows = [_parse(row, path.name) for row in read_rows(path, needs=_NEEDS)]
    if not rows:
        raise InputError(f"{path} has no rows; each line is an object with {', '.join(_NEEDS)}")
    return rows


def _parse(row: Row, name: str) -> PairRow:
    where = f"{name}, row {row['id']!r}"
    if row["verdict"] not in _NAMES:
        raise InputError(f"{where}: verdict is one of {', '.join(_NAMES)}, not {row['verdict']!r}")
    pair = ClaimPair(*(_claim(row[side], f"{where}, {side}") for side in ("a", "b")))
    return PairRow(str(row["id"]), pair, _NAMES[row["verdict"]])


def _claim(said: object, where: str) -> Claim:
    text, at = (said.get("text"), said.get("at")) if isinstance(said, Mapping) else (None, None)
    if not isinstance(text, str) or not text.strip() or not isinstance(at, str):
        raise InputError(f"{where}: an object with text and at is expected")
    try:
        instant = datetime.fromisoformat(at)
    except ValueError as exc:
        raise InputError(f"{where}: at is a date or an instant, such as 2026-01-03, not {at!r}") from exc
    return Claim(text, instant.replace(tzinfo=instant.tzinfo or UTC))


WARRANTS: Mapping[str, tuple[frozenset[Act], frozenset[PairVerdict]]] = {
    "fold": (frozenset({Act.FOLD}), frozenset({PairVerdict.DUPLICATE, PairVerdict.REFINES})),
    "supersede": (frozenset({Act.SUPERSEDE}), frozenset({PairVerdict.UPDATES})),
    "ask": (frozenset({Act.ASK}), frozenset({PairVerdict.UPDATES, PairVerdict.CONTRADICTS})),
    "ask_or_supersede": (
        frozenset({Act.ASK, Act.SUPERSEDE}),
        frozenset({PairVerdict.UPDATES, PairVerdict.CONTRADICTS}),
    ),
}
"""Acts, and the verdicts that warrant them; a fold of what refines must keep the later, which is the more specific."""


DOCUMENT_A: Mapping[float, Judgement] = {
    0.9: Judgement(PairVerdict.DUPLICATE, Act.FOLD),
    0.7: Judgement(PairVerdict.COEXISTS),
}
"""From which cosine document A takes two facts for the same, and for similar; highest first."""
DOCUMENT_B: Mapping[float, Judgement] = {
    0.92: Judgement(PairVerdict.CONTRADICTS, Act.ASK),
    0.85: Judgement(PairVerdict.DUPLICATE, Act.FOLD),
    0.75: Judgement(PairVerdict.COEXISTS),
}
"""From which cosine document B sees a clear contradiction, one fact told twice, and support; highest first."""


class Trial(NamedTuple):
    """A labelled pair and what was answered."""

    gold: PairVerdict
    answer: Judgement


def judge_by_cosine(cosine: float, cuts: Mapping[float, Judgement]) -> Judgement:
    """Return the judgement of the first cut that a cosine reaches; below all, the statements are unrelated."""
    return next((answer for cut, answer in cuts.items() if cosine >= cut), Judgement(PairVerdict.UNRELATED))


def accuracy(trials: Sequence[Trial]) -> float:
    """Return the share of right verdicts."""
    return mean(gold is answer for gold, answer in _answered(trials))


def f1(trials: Sequence[Trial], verdict: PairVerdict) -> float:
    """Return the harmonic mean of precision and recall of one verdict, in [0, 1]."""
    return figures.f1(_answered(trials), verdict)


def macro_f1(trials: Sequence[Trial]) -> float:
    """Return the mean of that over the verdicts that labels tell."""
    return figures.macro_f1(_answered(trials), LABELS)


def _answered(trials: Sequence[Trial]) -> list[tuple[PairVerdict, PairVerdict]]:
    return [(trial.gold, _AS_LABELLED.get(trial.answer.verdict, trial.answer.verdict)) for trial in trials]


def confusion(trials: Sequence[Trial]) -> dict[str, dict[str, int]]:
    """Return how often each label, by name, was answered with each verdict."""
    counted = _answered(trials)
    return {gold.value: {said.value: counted.count((gold, said)) for said in LABELS} for gold in LABELS}


def acted(trials: Sequence[Trial], name: str) -> int:
    """Return how many pairs were acted on; ``name`` is one of ``WARRANTS``."""
    return sum(trial.answer.act in WARRANTS[name][0] for trial in trials)


def act_precision(trials: Sequence[Trial], name: str) -> float:
    """Return the share of acts that the label warrants; ``name`` is one of ``WARRANTS``."""
    return ratio(_warranted(trials, name), acted(trials, name))


def act_coverage(trials: Sequence[Trial], name: str) -> float:
    """Return the share of pairs whose label warrants the act on which it was rightly done."""
    return ratio(_warranted(trials, name), sum(trial.gold in WARRANTS[name][1] for trial in trials))


def _warranted(trials: Sequence[Trial], name: str) -> int:
    acts, verdicts = WARRANTS[name]
    return sum(
        trial.answer.act in acts
        and trial.gold in verdicts
        and (trial.answer.keeps_later or trial.gold is not PairVerdict.REFINES)
        for trial in trials
    )
