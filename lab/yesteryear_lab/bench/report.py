"""What a suite is told and what it gives back."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from yesteryear.errors import InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Options = TypeVar("Options", bound=DataclassInstance)

Progress: TypeAlias = Callable[[str], None]
"""Told now and then, in a few words, what a suite is doing."""
Metrics: TypeAlias = dict[str, Any]

_UNFINISHED = ("messages.open", "vectors.due", "vectors.failed", "episodes.pending", "episodes.failed")
_FLAGS = {"true": True, "false": False}
_FSYNCS = 60
_FSYNC_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Report:
    """What a suite found."""

    n: int
    """How many things were measured: pairs, kills or questions."""
    metrics: Metrics
    baselines: dict[str, Metrics] = field(default_factory=dict)
    settings: Metrics = field(default_factory=dict)
    rows: list[Metrics] = field(default_factory=list)
    """One entry a measured thing, so that anyone can recompute the metrics."""


def read_options(kind: type[Options], given: Mapping[str, str]) -> Options:
    """Return the options of a suite.

    Args:
        kind: A dataclass whose defaults say which options there are and of what type.
        given: Values by name, as text.

    Raises:
        InputError: a name is unknown or a value does not fit.
    """
    defaults: dict[str, Any] = {option.name: option.default for option in fields(kind)}
    unknown = sorted(set(given) - set(defaults))
    if unknown:
        raise InputError(f"this suite has no option {unknown[0]!r}; there are: {', '.join(defaults)}")
    try:
        return kind(**{name: _parse(type(defaults[name]), text) for name, text in given.items()})
    except ValueError as exc:
        raise InputError(f"an option does not fit: {exc}") from exc


def _parse(kind: Callable[[str], Any], text: str) -> object:
    if kind is not bool:
        return kind(text)
    if text not in _FLAGS:
        raise ValueError(f"{text!r} is neither {' nor '.join(_FLAGS)}")
    return _FLAGS[text]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which ``share`` (in [0, 1]) of the values lie; the nearest one, nothing in between."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextmanager
def scratch_folder(parent: str) -> Iterator[Path]:
    """Lend an empty folder in ``parent``, or in the system's place for temporary files when that is empty."""
    with tempfile.TemporaryDirectory(prefix="yesteryear-bench-", dir=parent or None) as folder:
        yield Path(folder)


def unfinished_rows(stats: Mapping[str, Any]) -> int:
    """Return how many rows of a memory, by its ``stats``, still wait for work or were given up."""
    return sum(stats.get(name, 0) for name in _UNFINISHED)


def measure_fsync_ms(folder: Path) -> float:
    """Return the median time of an fsync after a write of one page, in milliseconds."""
    took = []
    with (folder / "fsync").open("wb", buffering=0) as file:
        for _ in range(_FSYNCS):
            file.write(b"\0" * _FSYNC_BYTES)
            begun = time.perf_counter()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - begun)
    return 1000 * percentile(took, 0.5)


def machine() -> Metrics:
    """Return what figures of time depend on."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "platform": sys.platform,
        "processors": os.cpu_count(),
    }
