"""Measure what each part of recall brings: leave one out, and ask the questions of a data set again.

``python tools/ablate.py LOCOMO_FILE [--embedder hashing] [--questions 50]`` prints a table for docs/evaluation.md.
Names are cut from texts before they are embedded, so leaving that out would take another store; it is not done here.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yesteryear
from yesteryear.bootstrap import build_ports
from yesteryear.policies import Policies
from yesteryear.ports import Clock
from yesteryear_lab.bench.evidence import exact_counter, figures
from yesteryear_lab.bench.locomo import read_samples
from yesteryear_lab.bench.recall_quality import LocomoOptions, Workload

BUDGETS = (500, 1000)
SHOWN = ("recall<=500", "recall<=1000", "aic<=1000", "recall@10")

Change = Callable[[Policies], Policies]


def without_weights(*names: str) -> Change:
    """Return a change that makes some signals count for nothing."""

    def change(policies: Policies) -> Policies:
        signals = policies.recall.signals
        nothing: dict[str, Any] = dict.fromkeys(names, 0.0)
        fusion = replace(signals.fusion, **nothing)
        return replace(policies, recall=replace(policies.recall, signals=replace(signals, fusion=fusion)))

    return change


def without_window(policies: Policies) -> Policies:
    """Let words count only where they stand."""
    signals = policies.recall.signals
    signals = replace(signals, bm25=replace(signals.bm25, window=()))
    return replace(policies, recall=replace(policies.recall, signals=signals))


def with_context(**changed: Any) -> Change:
    """Return a change of how contexts are put together."""
    return lambda policies: replace(policies, context=replace(policies.context, **changed))


CHANGES: Mapping[str, Change] = {
    "as shipped": lambda policies: policies,
    "without words": without_weights("words"),
    "without the window for words": without_window,
    "without vectors": without_weights("vector", "vector_before"),
    "without the vector of the unit before": without_weights("vector_before"),
    "without readings": without_weights("contextual"),
    "without the author": without_weights("author"),
    "without the preference for the person's words": without_weights("user"),
    "without dates": without_weights("in_period", "open_period", "after_period"),
    "without the session": without_weights("session"),
    "without strength and recency": without_weights("strength", "recency"),
    "without the price of length": with_context(length_penalty=0.0),
    "without the history": with_context(max_episodes=0),
}
"""What is left out, by what the table calls it."""


class ChangedWorkload(Workload):
    """The locomo suite's workload on an engine with other policies."""

    change: Change = staticmethod(CHANGES["as shipped"])

    def open(self, preset: str = "", *, worker: str = "none", clock: Clock | None = None) -> yesteryear.Engine:
        """Open the store with the present change."""
        preset = preset or "standard"
        ports, found = build_ports(
            self.store, clock=clock, embedder=self.options.embedder, worker=worker, recall_preset=preset
        )
        return yesteryear.Engine(ports, self.change(found.policies()))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--questions", type=int, default=0)
    arguments = parser.parse_args()
    options = LocomoOptions(embedder=arguments.embedder, questions=arguments.questions)
    with tempfile.TemporaryDirectory() as folder:
        workload = ChangedWorkload(
            Path(folder) / "ablate.db", options, exact_counter(), lambda said: print(said, file=sys.stderr)
        )
        samples, _ = workload.take_in(read_samples(arguments.data))
        print("| | " + " | ".join(f"`{name}`" for name in SHOWN) + " |")
        print("|---" * (len(SHOWN) + 1) + "|")
        for name, change in CHANGES.items():
            workload.change = change
            found = figures(workload.ask(samples, BUDGETS), BUDGETS)
            print(f"| {name} | " + " | ".join(f"{found[shown]:.3f}" for shown in SHOWN) + " |", flush=True)


if __name__ == "__main__":
    main()
