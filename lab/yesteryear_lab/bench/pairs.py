"""Suite: labelled pairs of facts. What does the later do to the earlier, and is it right to act on it?"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from yesteryear.core.heads import shipped
from yesteryear.core.vectors import Matrix, Purpose
from yesteryear.core.verdicts import Judgement, PairVerdict
from yesteryear.errors import InputError
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.providers.registry import build_embedder
from yesteryear_lab.bench.report import Metrics, Progress, Report, read_options
from yesteryear_lab.training.pair_rows import PairRow, read_pair_rows
from yesteryear_lab.training.pair_scores import (
    DOCUMENT_A,
    DOCUMENT_B,
    WARRANTS,
    Trial,
    accuracy,
    act_coverage,
    act_precision,
    acted,
    confusion,
    f1,
    judge_by_cosine,
    macro_f1,
)
from yesteryear_lab.training.verdicts import RECIPE

BASELINES: Mapping[str, Mapping[float, Judgement]] = {
    "document_a": DOCUMENT_A,
    "document_b": DOCUMENT_B,
    "always_coexists": {-2.0: Judgement(PairVerdict.COEXISTS)},
}
"""Ways to judge by similarity alone, as cosines and what is judged from each on."""


@dataclass(frozen=True, slots=True)
class PairsOptions:
    """What can be asked of this suite."""

    embedder: str = "auto"


def run_pairs(data: Path | None, given: Mapping[str, str], on_progress: Progress) -> Report:
    """Judge every row with the shipped heads and operating points, and compare with the labels."""
    options = read_options(PairsOptions, given)
    if data is None:
        raise InputError("the pairs suite needs --data: JSON Lines of {id, a: {text, at}, b: {text, at}, verdict}")
    labelled = read_pair_rows(data)
    trained_on = shipped().seen.get(RECIPE.name)
    embedder = build_embedder(options.embedder)
    try:
        on_progress(f"{len(labelled)} pairs")
        begun = time.perf_counter()
        answers = LocalAnalyst(embedder=embedder).judge([row.pair for row in labelled], give_way=_go_on)
        took = time.perf_counter() - begun
        texts = [text for row in labelled for text in row.texts]
        cosines = _cosines(embedder.embed(texts, purpose=Purpose.DOCUMENT))
        settings: Metrics = {**asdict(options), "embedder": embedder.profile.model}
    finally:
        embedder.close()
    trials = [Trial(row.gold, answer) for row, answer in zip(labelled, answers, strict=True)]
    rows = [_entry(row, answer, trained_on) for row, answer in zip(labelled, answers, strict=True)]
    settings["seen"] = None if trained_on is None else sum(row["seen"] for row in rows)
    settings["pairs_per_s"] = round(len(labelled) / took, 1)
    baselines = {
        name: _figures(
            [Trial(trial.gold, judge_by_cosine(cosine, cuts)) for trial, cosine in zip(trials, cosines, strict=True)]
        )
        for name, cuts in BASELINES.items()
    }
    return Report(len(rows), _figures(trials), baselines, settings, rows)


def _cosines(vectors: Matrix) -> list[float]:
    """Return the cosine of each row and the next, pair by pair."""
    cosines: list[float] = (vectors[::2] * vectors[1::2]).sum(axis=1).tolist()
    return cosines


def _entry(row: PairRow, answer: Judgement, trained_on: frozenset[str] | None) -> Metrics:
    return {
        "id": row.id,
        "gold": row.gold.value,
        "verdict": answer.verdict.value,
        "act": answer.act.value,
        "keeps_later": answer.keeps_later,
        "scores": {verdict.value: round(score, 4) for verdict, score in answer.scores.items()},
        "rule": answer.rule,
        "seen": trained_on is not None and row.fingerprint in trained_on,
    }


def _figures(trials: Sequence[Trial]) -> Metrics:
    """Return how well judgements agree with the labels; the precision of an act that was never done is None."""
    found: Metrics = {"macro_f1": round(macro_f1(trials), 4), "accuracy": round(accuracy(trials), 4)}
    found |= {f"f1.{verdict}": round(f1(trials, verdict), 4) for verdict in PairVerdict}
    for name in WARRANTS:
        count = acted(trials, name)
        found[f"{name}.acted"] = count
        found[f"{name}.precision"] = round(act_precision(trials, name), 4) if count else None
        found[f"{name}.coverage"] = round(act_coverage(trials, name), 4)
    return found | {"confusion": confusion(trials)}


def _go_on() -> None:
    """Give way to nobody."""
