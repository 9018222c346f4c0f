"""The terminal: results on stdout, everything else on stderr, questions where somebody can answer.

On a terminal with colours and progress bars; elsewhere plain lines without control characters; with ``--json`` nothing
but JSON on stdout. What people wrote is data: its control characters never reach the terminal.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import IO, TypeAlias, TypeVar

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn
from rich.table import Table
from rich.text import Text

from yesteryear.core.language.invisible_text import escaped, marked
from yesteryear.core.results import to_plain

MARGIN = 3  # columns before what belongs to a numbered entry
_NAME_COLUMNS = 15  # of a signal's name, or of what a line is about
_BAR_COLUMNS = 36  # of the longest bar
_PLAIN_WIDTH = 100  # columns of tables that do not go to a terminal
_PROGRESS_COLUMNS = 30
_BROKEN = re.compile("[\ud800-\udfff]")  # Unicode that is no character
_DECLINED = 1  # exit code after a question was answered with no
_WRONG_USAGE = 2  # exit code where there is nobody to ask
_NOTHING_DONE = "nothing was done"

Advance: TypeAlias = Callable[[float, str], None]
"""Told how much of the whole is done, in [0, 1], and a few words about it."""
Field: TypeAlias = tuple[str, str] | tuple[str, str, str]  # what a line is about, what there is to say, and its style
Row = TypeVar("Row")


class Interrupted(Exception):
    """Ctrl-C; says what was done so far and how to go on."""


@contextmanager
def interruption(said: str | Callable[[], str]) -> Iterator[None]:
    """End what ctrl-C cuts short with ``Interrupted``, where there is something to say of it."""
    try:
        yield
    except KeyboardInterrupt as exc:
        if not said:
            raise
        raise Interrupted(said if isinstance(said, str) else said()) from exc


def clean(text: str) -> str:
    """Return text that can do nothing to a terminal but be shown."""
    return _BROKEN.sub("\N{REPLACEMENT CHARACTER}", marked(text.replace("\r\n", "\n").replace("\r", "\n")))


def one_line(text: str) -> str:
    """Return text on one line, harmless to a terminal."""
    return " ".join(clean(" ".join(text.split())).split())


def shorten(text: str, *, chars: int) -> str:
    """Return text on one line of at most so many characters, with an ellipsis where something was cut off."""
    line = one_line(text)
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


def as_csv(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV with a head; no spreadsheet takes a cell for a formula, for what people wrote is data."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow(columns)
    for row in rows:
        lines.writerow(f"'{one}" if isinstance(one, str) and one[:1] in ("=", "+", "-", "@") else one for one in row)
    return written.getvalue().rstrip("\n")


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 message``, ``2,760 messages``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def counted(advance: Advance, noun: str, plural: str = "") -> Callable[[int, int], None]:
    """Return what moves a bar when it is told how many rows are done, and of how many."""
    return lambda done, total: advance(done / max(total, 1), count(done, noun, plural))


def say_rows(rows: Mapping[str, int]) -> str:
    """Say numbers of rows by kind: ``8 messages, 2 episodes``."""
    said = [count(number, kind.replace("_", " ").removesuffix("s")) for kind, number in rows.items() if number]
    return ", ".join(said) or "nothing"


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let the error pass: the command line ends at one place."""
        raise BrokenPipeError


class Output:
    """Where one command writes to. What is for people is not written with ``--json``, documents only then."""

    def __init__(self, *, is_json: bool) -> None:
        self.is_json = is_json

    @cached_property
    def _out(self) -> Console:
        return _console(sys.stdout)

    @cached_property
    def _err(self) -> Console:
        return _console(sys.stderr)

    def document(self, value: object, *said: str) -> None:
        """Print a result as one JSON document, or a line of JSON Lines, our dataclasses in it as their fields.

        People are told what is ``said`` of it, a line each.
        """
        for line in said:
            self.say(line)
        if self.is_json:
            is_unicode = "utf" in (sys.stdout.encoding or "").lower()
            written = json.dumps(value, ensure_ascii=not is_unicode, default=_plain, allow_nan=False)
            print(escaped(written), flush=True)

    def each(self, rows: Iterable[Row], show: Callable[[Row], None], *, none: str) -> Row | None:
        """Print rows as they come, a line of JSON each or as ``show`` does, or note that there are none."""
        last = None
        for last in rows:
            if self.is_json:
                self.document(last)
            else:
                show(last)
        if last is None:
            self.note(none)
        return last

    def listed(self, rows: Sequence[Row], make: Callable[[Sequence[Row]], Table], *, none: str) -> None:
        """Print rows, a line of JSON each or as the table that is made of them, or note that there are none."""
        if rows and not self.is_json:
            self.show(make(rows))
        else:
            self.each(rows, self.document, none=none)

    def show(self, renderable: RenderableType) -> None:
        """Print something made of rich's parts, for people."""
        if self.is_json:
            return
        if self._out.is_terminal:
            self._out.print(renderable)
            return
        with self._out.capture() as shown:
            self._out.print(renderable)
        self.say("\n".join(line.rstrip() for line in shown.get().splitlines()))

    def say(self, text: str = "", *, style: str = "") -> None:
        """Print text for people, line by line as it is: nothing is wrapped or cut."""
        if not self.is_json:
            self._out.print(Text(clean(text), style), soft_wrap=True)

    def wrap(self, text: str, *, style: str = "", indent: int = 2, hanging: int = 0, breaks_words: bool = True) -> None:
        """Print text for people, each line wrapped between words and moved to the right by so many columns.

        What goes on on the next line hangs by so many more. Paths and commands are better copied whole: no word of
        theirs is broken that is longer than a line.
        """
        margin = " " * indent
        how = textwrap.TextWrapper(self._out.width, margin, break_long_words=breaks_words, break_on_hyphens=False)
        for line in clean(text).splitlines() or [""]:
            how.subsequent_indent = margin + " " * (2 if line.startswith("- ") else hanging)
            for part in how.wrap(line) or [""]:
                self.say(part, style=style)

    def heading(self, text: str) -> None:
        """Print a heading for people, with an empty line before it."""
        self.say()
        self.say(text, style="bold")

    def fields(self, *rows: Field) -> None:
        """Print lines, each with what it is about before it, once where several are about the same; long ones hang."""
        before = ""
        for name, text, *style in rows:
            label = "" if name == before else name
            self.wrap(f"{label:<{_NAME_COLUMNS}}{text}", indent=MARGIN, hanging=_NAME_COLUMNS, style="".join(style))
            before = name

    def say_more(self, number: int, *, most: int, indent: int = 2, where: str = "") -> None:
        """Say how many there are beyond those that are listed, if any, and where to see them."""
        if number > most:
            self.say(f"{' ' * indent}and {number - most:,} more{where}")

    def section(
        self, title: str, lines: Sequence[str], noun: str, *, most: int = sys.maxsize, indent: int = 2, where: str = ""
    ) -> None:
        """Print how many there are, and the first of them, a line each; nothing where there are none."""
        if lines:
            self.say(f"{title}: {count(len(lines), noun)}", style="bold")
        for line in lines[:most]:
            self.wrap(line, indent=indent, hanging=2)
        self.say_more(len(lines), most=most, indent=indent, where=where)

    def signals(self, signals: Mapping[str, float], *, scale: float | None = None) -> None:
        """Print what a score is the sum of, the largest first, each with a bar; as wide as ``scale`` is the longest."""
        scale = largest([signals]) if scale is None else scale
        columns = max([_NAME_COLUMNS, *(len(name) + 1 for name in signals)])
        for name, value in sorted(signals.items(), key=lambda signal: -abs(signal[1])):
            bar = ("+" if value > 0 else "-") * round(_BAR_COLUMNS * abs(value) / (scale or 1.0))
            style = "green" if value > 0 else "red"
            self.say(f"{' ' * MARGIN}{name:<{columns}}{value:+6.2f}  {bar}".rstrip(), style=style)

    def note(self, text: str, *, style: str = "") -> None:
        """Print a line beside the result, on stderr."""
        self._err.print(Text(clean(text), style), soft_wrap=True)

    def notes(self, notes: Iterable[str]) -> None:
        """Print what a result says of itself, on stderr."""
        for note in notes:
            self.note(f"note: {note}", style="yellow")

    def hint(self, text: str, *, style: str = "") -> None:
        """Print a line beside the result, for people only."""
        if not self.is_json:
            self.note(text, style=style)

    def error(self, code: str, message: str) -> None:
        """Say what went wrong; with ``--json`` on stdout too."""
        self.note(f"error: {message}", style="red")
        self.document({"error": {"code": code, "message": message}})

    def check_askable(self, *, otherwise: str) -> None:
        """Refuse to go on where nobody can be asked, no terminal or JSON on stdout; say which options go without."""
        if self.is_json or not sys.stdin.isatty():
            self.error("usage", f"nobody can be asked here, so {_NOTHING_DONE}; {otherwise}")
            raise typer.Exit(_WRONG_USAGE)

    def ask(self, question: str, *, expecting: str = "", otherwise: str = _NOTHING_DONE) -> None:
        """Ask before something goes for good, and go on only after a yes, or what is expected; else say what holds."""
        with interruption(f"interrupted; {otherwise}"):  # from the first word on: whoever sees it may answer at once
            print(clean(question), "" if expecting else "[y/N] ", end="", file=sys.stderr, flush=True)
            answer = sys.stdin.readline().strip()
        if not (answer == expecting.strip() if expecting else answer.lower() in ("y", "yes")):
            self.note(otherwise)
            raise typer.Exit(_DECLINED)

    @contextmanager
    def progress(self, what: str, *, interrupted: str | Callable[[], str] = "") -> Iterator[Advance]:
        """Show a bar while something long goes on, on a terminal; yields what moves it. See ``interruption``."""
        shown = ("{task.description}", BarColumn(_PROGRESS_COLUMNS), TaskProgressColumn(), "{task.fields[now]}")
        bar = Progress(*shown, console=self._err, transient=True, disable=not self._err.is_terminal)
        with interruption(interrupted), bar:
            task = bar.add_task(what, total=1.0, now="")
            yield lambda done, now: bar.update(task, completed=min(done, 1.0), now=clean(now))


@contextmanager
def logged(name: str, handler: logging.Handler, *, level: int = logging.NOTSET) -> Iterator[None]:
    """Have a handler take what is logged under a name; from another level on than is set, where one is given."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level or before)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


class NoteHandler(logging.Handler):
    """Turns log records into one line each, with what was raised but without its traceback."""

    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        """Note a record."""
        error = record.exc_info[1] if record.exc_info else None
        raised = "" if error is None else f" ({type(error).__name__}: {error})"
        self._note(f"warning: {record.getMessage()}{raised}")


def largest(signals: Iterable[Mapping[str, float]]) -> float:
    """Return the largest contribution of all, whatever its sign; 0 where there is none."""
    return max((abs(value) for one in signals for value in one.values()), default=0.0)


def table(
    headings: Sequence[str], rows: Iterable[Iterable[object]], *, rest: str | None = None, is_wrapped: bool = False
) -> Table:
    """Return a table without frames, of cells, or of values on one line with nothing in them read as markup.

    The column ``rest`` takes what is left of the line; what is too long for it is wrapped or ends with an ellipsis.
    """
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=rest is not None)
    made.show_header = any(map(str.strip, headings))
    for name in headings:
        is_rest = name == rest
        is_cut = not (is_rest and is_wrapped)
        made.add_column(name, no_wrap=is_cut, overflow="ellipsis" if is_cut else "fold", ratio=1 if is_rest else None)
    for row in rows:
        made.add_row(*(value if isinstance(value, Text) else cell(value) for value in row))
    return made


def cell(text: object, style: str = "") -> Text:
    """Return a table's cell: one line, nothing in it read as markup."""
    return Text(one_line(str(text)), style)


def silence(stream: IO[str]) -> None:
    """Send what is still buffered for a reader who has gone to nowhere, so that the interpreter ends without a word."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    except (OSError, ValueError):  # no file behind it
        return
    finally:
        os.close(nowhere)


def _console(file: IO[str]) -> Console:
    is_narrow = file.isatty() or "COLUMNS" in os.environ
    return _Console(file=file, width=None if is_narrow else _PLAIN_WIDTH, highlight=False, markup=False, emoji=False)


def _plain(value: object) -> object:
    return os.fspath(value) if isinstance(value, os.PathLike) else to_plain(value)
