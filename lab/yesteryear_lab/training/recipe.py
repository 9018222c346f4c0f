"""What every head's training looks like from outside, so that one command fits and judges them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from yesteryear.core.heads import LinearHead
from yesteryear.core.results import Plain

if TYPE_CHECKING:
    from yesteryear.ports import Embedder, Reader

Judged = TypeVar("Judged")

Progress: TypeAlias = Callable[[str], None]  # told what is being done


@dataclass(frozen=True, slots=True)
class Table(Plain):
    """Figures with a title, as the command prints them and the model card keeps them."""

    title: str
    columns: tuple[str, ...]  # headings of the columns of figures: what was tested on what
    rows: tuple[tuple[str, tuple[float, ...]], ...]  # what was measured, and a figure for each column
    note: str = ""  # what the figures can and cannot say


@dataclass(frozen=True, slots=True)
class Materials:
    """What training works with."""

    rows: Path  # folder of the labelled files
    embedder: Embedder  # makes the vectors; its model's name becomes part of each head that reads them
    reader: Reader  # makes those of sentences, likewise
    on_progress: Progress


@dataclass(frozen=True, slots=True)
class Fitted:
    """What one recipe gave."""

    heads: tuple[LinearHead, ...]
    seen: frozenset[str]  # fingerprints of the rows, made by ``core.heads.fingerprint``
    counts: tuple[tuple[str, int], ...]  # rows used of each file
    checks: tuple[Table, ...] = ()
    """Figures on rows the heads were trained on: no measure of how good they are, but what they must go on to give."""


def table_of(title: str, columns: Mapping[str, Mapping[str, float]], note: str = "") -> Table:
    """Return a table of figures by column."""
    shown = next(iter(columns.values()))
    return Table(title, tuple(columns), tuple((name, tuple(c[name] for c in columns.values())) for name in shown), note)


def tabulate(
    title: str, columns: Mapping[str, Judged], figures: Mapping[str, Callable[[Judged], float]], note: str = ""
) -> Table:
    """Return a table of what was judged for each column, by each figure."""
    counted = {column: {name: figure(judged) for name, figure in figures.items()} for column, judged in columns.items()}
    return table_of(title, counted, note)


def go_on() -> None:
    """Give way to nobody: who measures or trains runs alone."""
