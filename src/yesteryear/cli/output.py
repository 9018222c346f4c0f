"""What the commands show: results on stdout, everything else on stderr.

On a terminal with colours and progress bars; elsewhere plain lines without control characters; with ``--json`` nothing
but JSON on stdout. What people wrote is data: its control characters never reach the terminal.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import IO, Any, TypeAlias

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn
from rich.table import Table
from rich.text import Text

from yesteryear.core.language.unseen import escaped, marked

PLAIN_WIDTH = 100
"""Columns of tables that do not go to a terminal."""
_BAR_WIDTH = 30

_CONTROL = re.compile("[\ud800-\udfff]")
"""Broken Unicode."""

Advance: TypeAlias = Callable[[float, str], None]
"""Told how much of the whole is done, in [0, 1], and a few words about it."""


def clean(text: str) -> str:
    """Return text that can do nothing to a terminal but be shown."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", marked(text.replace("\r\n", "\n").replace("\r", "\n")))


def one_line(text: str) -> str:
    """Return text on one line, harmless to a terminal."""
    return " ".join(clean(" ".join(text.split())).split())


def shorten(text: str, *, chars: int) -> str:
    """Return text on one line of at most so many characters, with an ellipsis where something was cut off."""
    line = one_line(text)
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 message``, ``2,760 messages``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let the error pass: the command line ends at one place."""
        raise BrokenPipeError


class Output:
    """Where one command writes to."""

    def __init__(self, *, is_json: bool) -> None:
        self.is_json = is_json

    @cached_property
    def _out(self) -> Console:
        return _console(sys.stdout)

    @cached_property
    def _err(self) -> Console:
        return _console(sys.stderr)

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
        """Print text for people, wrapped between words and moved to the right; entries of lists hang.

        Args:
            text: Its lines are wrapped one by one.
            style: For all of it.
            indent: Columns before each line.
            hanging: Columns more before what goes on on the next line.
            breaks_words: Whether a word longer than a line is broken; paths and commands are better copied whole.
        """
        margin = " " * indent
        for line in clean(text).splitlines() or [""]:
            wrapped = textwrap.wrap(
                line,
                self._out.width,
                initial_indent=margin,
                subsequent_indent=margin + " " * (2 if line.startswith("- ") else hanging),
                break_long_words=breaks_words,
                break_on_hyphens=False,
            )
            for part in wrapped or [""]:
                self.say(part, style=style)

    def heading(self, text: str) -> None:
        """Print a heading for people, with an empty line before it."""
        self.say()
        self.say(text, style="bold")

    def document(self, value: object) -> None:
        """Print one JSON document, or one line of JSON Lines."""
        is_unicode = "utf" in (sys.stdout.encoding or "").lower()
        written = json.dumps(value, ensure_ascii=not is_unicode, default=os.fspath, allow_nan=False)
        print(escaped(written), flush=True)

    def note(self, text: str, *, style: str = "") -> None:
        """Print a line beside the result, on stderr."""
        self._err.print(Text(clean(text), style), soft_wrap=True)

    def error(self, code: str, message: str) -> None:
        """Say what went wrong; with ``--json`` on stdout too."""
        self.note(f"error: {message}", style="red")
        if self.is_json:
            self.document({"error": {"code": code, "message": message}})

    @contextmanager
    def progress(self, what: str) -> Iterator[Advance]:
        """Show a bar while something long goes on, on a terminal; yields the function that moves it."""
        shown = ("{task.description}", BarColumn(_BAR_WIDTH), TaskProgressColumn(), "{task.fields[now]}")
        is_quiet = not self._err.is_terminal
        with Progress(*shown, console=self._err, transient=True, disable=is_quiet) as bar:
            task = bar.add_task(what, total=1.0, now="")
            yield lambda done, now: bar.update(task, completed=min(done, 1.0), now=clean(now))

    @contextmanager
    def logs(self) -> Iterator[None]:
        """Show warnings of the library as notes while a command runs."""
        handler = _NoteHandler(self.note)
        logger = logging.getLogger("yesteryear")
        logger.addHandler(handler)
        try:
            yield
        finally:
            logger.removeHandler(handler)


class _NoteHandler(logging.Handler):
    """Turns log records into one line each, with what was raised but without its traceback."""

    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        line = f"warning: {record.getMessage()}"
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line += f" ({type(error).__name__}: {error})"
        self._note(line)


def table(*columns: str, rest: str | None = None, is_wrapped: bool = False) -> Table:
    """Return an empty table without frames.

    Args:
        columns: Headings.
        rest: The column that takes what is left of the line.
        is_wrapped: Whether what is too long for it goes on on the next line, rather than ending with an ellipsis.
    """
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=rest is not None)
    for name in columns:
        is_rest = name == rest
        is_cut = not (is_rest and is_wrapped)
        made.add_column(name, no_wrap=is_cut, overflow="ellipsis" if is_cut else "fold", ratio=1 if is_rest else None)
    return made


def cell(text: object, style: str = "") -> Text:
    """Return a table's cell: one line, nothing in it read as markup."""
    return Text(one_line(str(text)), style)


def _console(file: IO[str]) -> Console:
    is_narrow = file.isatty() or "COLUMNS" in os.environ
    return _Console(file=file, width=None if is_narrow else PLAIN_WIDTH, highlight=False, markup=False, emoji=False)


def silence(stream: IO[str]) -> None:
    """Send what is still buffered for a reader who has gone to nowhere, so that the interpreter ends without a word."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    except (OSError, ValueError):  # no file behind it
        return
    finally:
        os.close(nowhere)


def plain(value: object) -> Any:  # noqa: ANN401 - JSON has no better type
    """Return a library value as plain data."""
    from yesteryear.core.plain import to_plain

    return to_plain(value)
