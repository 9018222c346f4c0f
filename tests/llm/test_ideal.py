"""With a model that answers with the labels, what is still lost is lost by us: next to nothing."""

from __future__ import annotations

import pytest

import yesteryear
from tests.each import each
from tests.llm.ideal import IdealModel, ideal_analyst
from yesteryear.providers.clock import SystemClock
from yesteryear.providers.llm.analyst import ModelAnalyst
from yesteryear.providers.llm.private_loop import PrivateLoop
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear_lab import LABELLED
from yesteryear_lab.bench.fact_scores import tells
from yesteryear_lab.bench.facts import FactsOptions, measure_facts, read_annotated
from yesteryear_lab.bench.report import Metrics
from yesteryear_lab.training.pairs import read_pair_rows, score_judgements


def measured(name: str) -> Metrics:
    """Return the figures of the facts suite with an ideal model."""
    told = read_annotated(LABELLED / name)
    changes = [change for dialog in told for change in dialog.changes]

    def verdict_of(earlier: str, later: str) -> str:
        fits = (each for each in changes if tells(earlier, each.fact_before) and tells(later, each.fact_now))
        return next((each.verdict for each in fits), "coexist")

    model, loop = IdealModel(told, verdict_of), PrivateLoop()

    def analyst(clock: yesteryear.ReplayClock) -> ModelAnalyst:
        return ideal_analyst(model, LocalAnalyst(), clock, loop)

    report = measure_facts(told, FactsOptions(embedder="hashing"), lambda _: None, analyst=analyst)
    loop.close()
    return report.metrics


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["dialogs.jsonl", "dialogs-2.jsonl"])
def test_the_facts_of_an_ideal_model_are_believed(name: str) -> None:
    """Found, kept, written and told: at least 97 of 100, and nothing that nobody said."""
    figures = measured(name)
    assert figures["f1"] >= 0.97
    assert figures["recall"] >= 0.97
    assert figures["precision"] >= 0.99
    assert figures["forbidden"] == 0
    assert figures["kind_accuracy"] >= 0.95
    assert figures["user_state_accuracy"] >= 0.95
    assert figures["emotion_accuracy"] >= 0.95


@each("name", ["pairs-1.jsonl", "pairs-2.jsonl", "pairs-3.jsonl"])
def test_the_verdicts_of_an_ideal_model_are_acted_on(name: str) -> None:
    """Each as it was meant, and none without warrant."""
    rows = read_pair_rows(LABELLED / name)
    gold = {row.texts: row.gold.value for row in rows}
    loop = PrivateLoop()
    model = IdealModel(verdict_of=lambda earlier, later: gold[earlier, later])
    answers = ideal_analyst(model, LocalAnalyst(), SystemClock(), loop).judge(
        [row.pair for row in rows], yield_to_foreground=lambda: None
    )
    loop.close()
    found = score_judgements([(row.gold, answer) for row, answer in zip(rows, answers, strict=True)])
    assert found["macro_f1"] >= 0.95
    assert min(found[f"{act}.precision"] for act in ("fold", "supersede", "ask")) >= 0.95
