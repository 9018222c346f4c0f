"""Labelled pairs of statements as the judge meets them, and how well judgements agree with the labels, act by act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from yesteryear.core.ruling import Act, Claim, ClaimPair, Judgement, PairVerdict
from yesteryear.errors import InputError
from yesteryear_lab.figures import f1, macro_f1, mean, ratio, rounded
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


def judge_by_cosine(cosine: float, cuts: Mapping[float, Judgement]) -> Judgement:
    """Return the judgement of the first cut that a cosine reaches; below all, the statements are unrelated."""
    return next((answer for cut, answer in cuts.items() if cosine >= cut), Judgement(PairVerdict.UNRELATED))


def score_judgements(trials: Sequence[tuple[PairVerdict, Judgement]]) -> dict[str, Any]:
    """Return how well judgements agree with the labels before them, by verdict and by act.

    Of each act of ``WARRANTS``: how many pairs were acted on, the share of these whose label warrants it (None where
    none was), and the share of the pairs whose label warrants it on which it was rightly done. ``confusion`` tells how
    often each label was answered with each verdict.
    """
    told = [(gold, _AS_LABELLED.get(answer.verdict, answer.verdict)) for gold, answer in trials]
    found: dict[str, object] = {
        "macro_f1": macro_f1(told, LABELS),
        "accuracy": mean(one is other for one, other in told),
    }
    found |= {f"f1.{verdict}": f1(told, verdict) for verdict in LABELS}
    for name, (acts, verdicts) in WARRANTS.items():
        acted = [(gold, answer) for gold, answer in trials if answer.act in acts]
        right = sum(
            gold in verdicts and (answer.keeps_later or gold is not PairVerdict.REFINES) for gold, answer in acted
        )
        found[f"{name}.acted"] = len(acted)
        found[f"{name}.precision"] = right / len(acted) if acted else None
        found[f"{name}.coverage"] = ratio(right, sum(gold in verdicts for gold, _ in trials))
    confusion = {gold.value: {said.value: told.count((gold, said)) for said in LABELS} for gold in LABELS}
    return rounded(found) | {"confusion": confusion}
