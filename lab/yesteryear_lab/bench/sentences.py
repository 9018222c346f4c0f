"""Suite: labelled sentences. Do they state a fact about their author, and of which kind?

The heads are asked alone: what the gate would skip, and what would be too unsure to be drafted, counts here too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from yesteryear.core.heads import shipped
from yesteryear.errors import InputError
from yesteryear.providers.registry import build_embedder
from yesteryear_lab.bench.report import Metrics, Progress, Report, read_options
from yesteryear_lab.training.fact_rows import sentence_fingerprint
from yesteryear_lab.training.facts import RECIPE, Stating, judge_sentences, stating_figures

_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|my|me|we|our)\b", re.IGNORECASE)

BASELINES: Mapping[str, Callable[[str], bool]] = {
    "always": lambda _: True,
    "first_person": lambda text: _FIRST_PERSON.search(text) is not None,
}
"""Whether a text states a fact, decided without any understanding."""


@dataclass(frozen=True, slots=True)
class SentencesOptions:
    """What can be asked of this suite."""

    embedder: str = "auto"


def run_sentences(data: Path | None, given: Mapping[str, str], on_progress: Progress) -> Report:
    """Ask the shipped heads about every row, and compare what they say with the labels."""
    options = read_options(SentencesOptions, given)
    if data is None:
        raise InputError("the sentences suite needs --data: JSON Lines of {id, author, at, text, facts}")
    embedder = build_embedder(options.embedder)
    try:
        on_progress("reading")
        trials = judge_sentences(data.parent, data.name, embedder)
    finally:
        embedder.close()
    trained_on = shipped().seen.get(RECIPE.name)
    rows = [_entry(trial, trained_on) for trial in trials]
    settings = {**asdict(options), "seen": None if trained_on is None else sum(row["seen"] for row in rows)}
    baselines = {name: _baseline(trials, decide) for name, decide in BASELINES.items()}
    return Report(len(rows), _rounded(stating_figures(trials)), baselines, settings, rows)


def _entry(trial: Stating, trained_on: frozenset[str] | None) -> Metrics:
    return {
        "id": trial.row,
        "gold": {"states_a_fact": trial.states_a_fact, "kinds": [kind for kind, _ in trial.kinds]},
        "states_a_fact": trial.is_told,
        "probability": round(trial.probability, 4),
        "kinds": [kind for _, kind in trial.kinds],
        "seen": trained_on is not None and sentence_fingerprint(trial.text) in trained_on,
    }


def _baseline(trials: Sequence[Stating], decide: Callable[[str], bool]) -> Metrics:
    said = [decide(trial.text) for trial in trials]
    hits = sum(trial.states_a_fact and is_said for trial, is_said in zip(trials, said, strict=True))
    gold = sum(trial.states_a_fact for trial in trials)
    return _rounded(
        {
            "precision": hits / max(1, sum(said)),
            "recall": hits / max(1, gold),
            "f1": 2 * hits / max(1, sum(said) + gold),
        }
    )


def _rounded(figures: Mapping[str, float]) -> Metrics:
    return {name: round(value, 4) for name, value in figures.items()}
