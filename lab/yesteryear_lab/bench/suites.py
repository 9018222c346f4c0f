"""All suites, and the one way to run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from yesteryear.errors import InputError
from yesteryear_lab.bench import (
    attempts,
    cache,
    facts,
    forgetting,
    ingest,
    labelled,
    lives,
    measure,
    memora,
    nights,
    observations,
    outdated,
    reading,
    recall_quality,
    relate,
    statements,
    told,
)
from yesteryear_lab.bench.load import context, doors, durability, latency, scale
from yesteryear_lab.bench.report import Progress, Suite

_SUITES: Mapping[str, Suite] = {
    "latency": latency.suite,
    "context": context.suite,
    "scale": scale.suite,
    "doors": doors.doors_suite,
    "durability": durability.suite,
    "ingest": ingest.suite,
    "locomo": recall_quality.suite,
    "gate": labelled.gate_suite,
    "facts": facts.suite,
    "attempts": attempts.SUITE,
    "reading": reading.suite,
    "pairs": labelled.pairs_suite,
    "changes": told.CHANGES,
    "told": told.TOLD,
    "retracted": told.RETRACTED,
    "tasks": told.TASKS,
    "statements": statements.SUITE,
    "measure": measure.SUITE,
    "relate": relate.SUITE,
    "lives": lives.SUITE,
    "outdated": outdated.SUITE,
    "cache": cache.SUITE,
    "memora": memora.suite,
    "observations": observations.suite,
    "nights": nights.suite,
    "forgetting": forgetting.suite,
    "proxy": doors.proxy_suite,
}

SUITES: dict[str, str] = {name: suite.about for name, suite in _SUITES.items()}  # what each suite measures, by name


def run_suite(
    name: str,
    *,
    data: Path | None,
    rows: bool,
    options: Mapping[str, str],
    on_progress: Progress,
    more: Sequence[Path] = (),
) -> dict[str, object]:
    """Run one of ``SUITES`` and return its report as plain data, with ``rows`` an entry for each thing measured."""
    if name not in _SUITES:
        raise InputError(f"there is no suite {name!r}; there are: {', '.join(_SUITES)}")
    report = _SUITES[name].measure(name, data, options, on_progress, more)
    found = {"suite": name, "data": ", ".join(path.name for path in (data, *more) if path) or None} | asdict(report)
    return {part: value for part, value in found.items() if rows or part != "rows"}
