"""Suites that measure this product through its public face, and print figures that can be recomputed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from yesteryear.errors import InputError
from yesteryear_lab.bench.attempts import run_attempts
from yesteryear_lab.bench.context import run_context
from yesteryear_lab.bench.doors import run_doors
from yesteryear_lab.bench.durability import run_durability
from yesteryear_lab.bench.facts import run_facts
from yesteryear_lab.bench.forgetting import run_forgetting
from yesteryear_lab.bench.gate import run_gate
from yesteryear_lab.bench.ingest import run_ingest
from yesteryear_lab.bench.latency import run_latency
from yesteryear_lab.bench.nights import run_nights
from yesteryear_lab.bench.pairs import run_pairs
from yesteryear_lab.bench.processes import run_processes
from yesteryear_lab.bench.proxy import run_proxy
from yesteryear_lab.bench.recall_quality import run_locomo
from yesteryear_lab.bench.report import Progress, Report
from yesteryear_lab.bench.scale import run_scale
from yesteryear_lab.bench.sentences import run_sentences


class _Suite(NamedTuple):
    about: str
    run: Callable[[Path | None, Mapping[str, str], Progress], Report]


_SUITES = {
    "latency": _Suite("observe against a bare durable insert, idle and under load; import time", run_latency),
    "context": _Suite("context against embedding the question alone; cold, after a message, among others", run_context),
    "scale": _Suite("many people in PostgreSQL: against few, against a file; writers and workers together", run_scale),
    "doors": _Suite("context over HTTP against the call and a bare endpoint; many clients for a minute", run_doors),
    "durability": _Suite("processes killed while they write and work: nothing lost, nothing twice", run_durability),
    "ingest": _Suite("a data set imported and worked through: speed, memory, bytes, budgets kept", run_ingest),
    "locomo": _Suite("questions about long conversations: the evidence in contexts and recall", run_locomo),
    "gate": _Suite("labelled exchanges: what is kept for good, and for the right reason", run_gate),
    "facts": _Suite("annotated dialogs: what is believed, what is made up, and whether changes end well", run_facts),
    "attempts": _Suite("others' words against what a person told: what they erase, falsify, replace", run_attempts),
    "sentences": _Suite("labelled sentences: do they state a fact, and of which kind", run_sentences),
    "pairs": _Suite("labelled pairs of facts: what the later does to the earlier, and what is acted on", run_pairs),
    "nights": _Suite("talk told in several ways and nights run: the same belief each time, and cheap", run_nights),
    "forgetting": _Suite("lives and long talks lived again: what is answerable once words have faded", run_forgetting),
    "processes": _Suite(
        "processes on one PostgreSQL, killed as the server is: nothing lost, nothing twice", run_processes
    ),
    "proxy": _Suite("chats through the proxy against a bare reverse proxy, without memory and with it", run_proxy),
}

SUITES: dict[str, str] = {name: suite.about for name, suite in _SUITES.items()}
"""What each suite measures, by name."""


def run_suite(
    name: str, *, data: Path | None, rows: bool, options: dict[str, str], on_progress: Progress
) -> dict[str, object]:
    """Run one suite and return its report as plain data.

    Args:
        name: One of ``SUITES``.
        data: The data set, for suites that measure one.
        rows: Whether to add an entry for each thing measured.
        options: The suite's own options, by name.
        on_progress: Told now and then what is being done.

    Returns:
        ``{"suite", "data", "n", "metrics", "baselines", "settings"}``, and ``"rows"`` where asked for.

    Raises:
        InputError: no such suite or option, or the suite cannot use ``data``.
    """
    if name not in _SUITES:
        raise InputError(f"there is no suite {name!r}; there are: {', '.join(_SUITES)}")
    report = _SUITES[name].run(data, options, on_progress)
    found: dict[str, object] = {
        "suite": name,
        "data": data and data.name,
        "n": report.n,
        "metrics": report.metrics,
        "baselines": report.baselines,
        "settings": report.settings,
    }
    return found | {"rows": report.rows} if rows else found
