"""How well judgements on pairs agree with labels: verdict by verdict, and act by act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from yesteryear.core.verdicts import Act, Judgement, PairVerdict

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
    return _ratio(sum(trial.gold is trial.answer.verdict for trial in trials), len(trials))


def macro_f1(trials: Sequence[Trial]) -> float:
    """Return the mean over all verdicts of the harmonic mean of precision and recall."""
    return sum(f1(trials, verdict) for verdict in PairVerdict) / len(PairVerdict)


def f1(trials: Sequence[Trial], verdict: PairVerdict) -> float:
    """Return the harmonic mean of precision and recall of one verdict, in [0, 1]."""
    hits = sum(trial.gold is verdict and trial.answer.verdict is verdict for trial in trials)
    said = sum((trial.gold is verdict) + (trial.answer.verdict is verdict) for trial in trials)
    return _ratio(2 * hits, said)


def confusion(trials: Sequence[Trial]) -> dict[str, dict[str, int]]:
    """Return how often each label, by name, was answered with each verdict."""
    counted = [(trial.gold, trial.answer.verdict) for trial in trials]
    return {gold.value: {said.value: counted.count((gold, said)) for said in PairVerdict} for gold in PairVerdict}


def acted(trials: Sequence[Trial], name: str) -> int:
    """Return how many pairs were acted on; ``name`` is one of ``WARRANTS``."""
    return sum(trial.answer.act in WARRANTS[name][0] for trial in trials)


def act_precision(trials: Sequence[Trial], name: str) -> float:
    """Return the share of acts that the label warrants; ``name`` is one of ``WARRANTS``."""
    return _ratio(_warranted(trials, name), acted(trials, name))


def act_coverage(trials: Sequence[Trial], name: str) -> float:
    """Return the share of pairs whose label warrants the act on which it was rightly done."""
    return _ratio(_warranted(trials, name), sum(trial.gold in WARRANTS[name][1] for trial in trials))


def _warranted(trials: Sequence[Trial], name: str) -> int:
    acts, verdicts = WARRANTS[name]
    return sum(
        trial.answer.act in acts
        and trial.gold in verdicts
        and (trial.answer.keeps_later or trial.gold is not PairVerdict.REFINES)
        for trial in trials
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
