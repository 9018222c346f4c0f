"""What a suite is told and what it gives back."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import yesteryear
from yesteryear.errors import InputError
from yesteryear_lab.figures import elapsed_s, percentile
from yesteryear_lab.training.rows import Row, read_rows

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Options = TypeVar("Options", bound=DataclassInstance)

Progress: TypeAlias = Callable[[str], None]  # told now and then, in a few words, what a suite is doing
Metrics: TypeAlias = dict[str, Any]
One = TypeVar("One")
Other = TypeVar("Other")

MOST_FACTS = 1000  # more facts than a memory keeps of a person
_UNFINISHED = ("messages.open", "vectors.due", "vectors.failed", "episodes.pending", "episodes.failed")
_TOLD_EVERY = 25  # once for so many rows it is told how many were done
_FLAGS = {"true": True, "false": False}
_FSYNCS = 60
_FSYNC_BYTES = 4096
_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Report:
    """What a suite found."""

    n: int  # how many things were measured: pairs, kills or questions
    metrics: Metrics
    baselines: dict[str, Metrics] = field(default_factory=dict)
    settings: Metrics = field(default_factory=dict)  # what figures depend on, beside the options
    rows: list[Metrics] = field(default_factory=list)
    """One entry a measured thing, so that anyone can recompute the metrics."""


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """What can be asked of every suite that embeds."""

    embedder: str = "auto"


@dataclass(frozen=True, slots=True)
class StoreOptions(EmbedderOptions):
    """What can be asked of every suite that fills stores."""

    folder: str = ""
    """Where the stores lie; the system's place for temporary files where empty. A run gets an empty folder there."""


class Suite(NamedTuple):
    """Something to be measured."""

    about: str
    run: Callable[[Any, Any, Progress], Report]
    """Takes the data (None where it takes none), the options, and whom to tell what is being done."""
    options: type[DataclassInstance]
    """A dataclass: its fields say which options there are, of what type, and how little is too little."""
    needs: str | None = ""  # what stands in the data; empty where the suite makes its own, None where it takes either
    takes_more: bool = False  # whether ``run`` takes all the data there is, as a sequence

    def measure(
        self, name: str, data: Path | None, given: Mapping[str, str], on_progress: Progress, more: Sequence[Path] = ()
    ) -> Report:
        """Run with options that are given as text."""
        options = read_options(self.options, given)
        if self.needs == "" and data is not None:
            raise InputError(f"the {name} suite makes its own memories; leave --data out")
        if self.needs and data is None:
            raise InputError(f"the {name} suite needs --data: {self.needs}")
        if more and not self.takes_more:
            raise InputError(f"the {name} suite takes one --data")
        with ExitStack() as ends:
            asked = options
            if hasattr(options, "folder"):
                asked = replace(options, folder=str(ends.enter_context(scratch_folder(options.folder))))
            report = self.run((data, *more) if self.takes_more else data, asked, on_progress)
        return replace(report, settings=asdict(options) | machine() | report.settings)


def as_suite(
    about: str, options: type[DataclassInstance], *, needs: str | None = "", takes_more: bool = False
) -> Callable[[Callable[[Any, Any, Progress], Report]], Suite]:
    """Make a suite of the function that runs it; see ``Suite``."""
    return lambda run: Suite(about, run, options, needs, takes_more)


def suite_of_rows(
    about: str,
    tell: Callable[[Row, str], Metrics],
    figures: Callable[[list[Metrics]], Metrics],
    *,
    form: str,
    needs: tuple[str, ...] = (),
    options: type[EmbedderOptions] = EmbedderOptions,
    arrange: Callable[[Sequence[Row], Any], Sequence[Row]] = lambda rows, _: rows,
) -> Suite:
    """Return a suite whose data are JSON Lines of a form, each row a memory of its own.

    ``tell`` takes a row and the name of the embedder, and returns what is to be said of it; ``needs`` are the fields
    that every row has; ``arrange`` takes all rows and the options, and returns the rows to tell.
    """

    @as_suite(about, options, needs=f"JSON Lines of {form}", takes_more=True)
    def suite(data: Sequence[Path], options: EmbedderOptions, say: Progress) -> Report:
        rows = arrange([row for path in data for row in read_rows(path, needs=needs)], options)
        found = []
        for number, row in enumerate(rows):
            if number % _TOLD_EVERY == 0:
                say(f"{number} of {len(rows)} rows")
            found.append(tell(row, options.embedder))
        return Report(len(found), figures(found), rows=found)

    return suite


def at_least(least: float, default: Any) -> Any:  # noqa: ANN401 - typed by the field it stands for
    """Declare an option by its default, and how little of it is too little."""
    return field(default=default, metadata={"least": least})


def read_options(kind: type[Options], given: Mapping[str, str]) -> Options:
    """Return the options of a suite, made of text."""
    defaults: dict[str, Any] = {option.name: option.default for option in fields(kind)}
    unknown = sorted(set(given) - set(defaults))
    if unknown:
        raise InputError(f"this suite has no option {unknown[0]!r}; there are: {', '.join(defaults)}")
    try:
        options = kind(**{name: _parse(type(defaults[name]), text) for name, text in given.items()})
    except ValueError as exc:
        raise InputError(f"an option does not fit: {exc}") from exc
    for option in fields(options):
        least = option.metadata.get("least")
        if least is not None and getattr(options, option.name) < least:
            raise InputError(f"{option.name} is at least {least}")
    return options


def _parse(kind: Callable[[str], Any], text: str) -> object:
    if kind is not bool:
        return kind(text)
    if text not in _FLAGS:
        raise ValueError(f"{text!r} is neither {' nor '.join(_FLAGS)}")
    return _FLAGS[text]


def read_numbers(name: str, text: str, *, most: int | None = None) -> list[int]:
    """Return the whole numbers of an option, each once, rising."""
    try:
        numbers = sorted({int(part) for part in text.split(",")})
    except ValueError as exc:
        raise InputError(f"{name} are numbers with commas between, not {text!r}") from exc
    if numbers[0] < 1 or (most is not None and numbers[-1] > most):
        raise InputError(f"each of the {name} is {'at least 1' if most is None else f'from 1 to {most}'}")
    return numbers


def read_names(name: str, text: str, known: Collection[str]) -> list[str]:
    """Return the names of an option, or all there are where it is empty."""
    wanted = [part.strip() for part in text.split(",")] if text else sorted(known)
    unknown = [each for each in wanted if each not in known]
    if unknown or not wanted:
        raise InputError(f"the data has no {name} {unknown[0]!r}" if unknown else f"the data has no {name}")
    return wanted


def pair_off(
    found: Iterable[One], wanted: Iterable[Other], is_one: Callable[[One, Other], bool]
) -> tuple[list[tuple[One, Other]], list[One], list[Other]]:
    """Give each thing found the first of those wanted that it is; return the pairs, and what is left of both."""
    pairs: list[tuple[One, Other]] = []
    wrong, left = [], list(wanted)
    for one in found:
        hit = next((each for each in left if is_one(one, each)), None)
        if hit is None:
            wrong.append(one)
        else:
            left.remove(hit)
            pairs.append((one, hit))
    return pairs, wrong, left


def rows_by(rows: Iterable[Metrics], name: str) -> dict[Any, list[Metrics]]:
    """Return rows by what each says under a name, rising; those that say nothing there are left out."""
    found: dict[Any, list[Metrics]] = {}
    for row in rows:
        if row.get(name) is not None:
            found.setdefault(row[name], []).append(row)
    return dict(sorted(found.items()))


def count_seen(rows: Iterable[Metrics], trained_on: frozenset[str] | None) -> int | None:
    """Return how many rows the shipped weights were trained on; None where it is not known."""
    return None if trained_on is None else sum(row["seen"] for row in rows)


def open_idle(store: Path | str, *, embedder: Any = "hashing", **given: Any) -> yesteryear.Engine:  # noqa: ANN401 - as open takes them
    """Open a store with nobody at work in the background."""
    return yesteryear.open(store, worker="none", embedder=embedder, **given)


@contextmanager
def lend_memory(
    user: str,
    at: datetime,
    embedder: Any,  # noqa: ANN401 - as open takes it
    **given: Any,
) -> Iterator[tuple[yesteryear.Memory, yesteryear.ReplayClock]]:
    """Lend the memory of somebody, in a store of their own, and the clock that it goes by."""
    clock = yesteryear.ReplayClock(at)
    with open_idle(":memory:", clock=clock, embedder=embedder, **given) as engine:
        yield engine.memory(user=user.casefold()), clock


def believed(memory: yesteryear.Memory, **wanted: Any) -> list[str]:
    """Return the statements of the facts that count."""
    return [fact.statement for fact in memory.facts(limit=MOST_FACTS, **wanted)]


@contextmanager
def scratch_folder(parent: str) -> Iterator[Path]:
    """Lend an empty folder in ``parent``, or in the system's place for temporary files when that is empty."""
    with tempfile.TemporaryDirectory(prefix="yesteryear-bench-", dir=parent or None) as folder:
        yield Path(folder)


def unfinished_rows(stats: Mapping[str, Any]) -> int:
    """Return how many rows of a memory, by its ``stats``, still wait for work or were given up."""
    return sum(stats.get(name, 0) for name in _UNFINISHED)


def all_messages(memory: yesteryear.Memory, **wanted: Any) -> Iterator[yesteryear.Message]:
    """Return every message of a scope, page by page."""
    after = ""
    while page := memory.messages(after=after, limit=_PAGE, **wanted):
        yield from page
        after = page[-1].id


def measure_fsync_ms(folder: Path) -> float:
    """Return the median time of an fsync after a write of one page, in milliseconds."""
    took = []
    with (folder / "fsync").open("wb", buffering=0) as file:
        for _ in range(_FSYNCS):
            file.write(b"\0" * _FSYNC_BYTES)
            took.append(elapsed_s(partial(os.fsync, file.fileno())))
    return 1000 * percentile(took, 0.5)


def machine() -> Metrics:
    """Return what figures of time depend on."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "platform": sys.platform,
        "processors": os.cpu_count(),
    }
