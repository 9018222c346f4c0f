"""Passages of a message that look like text brought along, whatever the words around them say.

Mail and chat headers, transcripts, rows of data, logs, code, captions of pictures, pages with their trimmings and legal
prose give themselves away by their form. Where such a form has no end (a mail, a transcript, a page), it goes on to the
end of the message; rows, logs and code end with their last line. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("layouts")
Span = tuple[int, int]

_LINE = re.compile(r"[^\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_LINE_CHARS = 400
"""Characters of a line that are looked at: forms show at its beginning."""
_ROWS = 2
"""Fewest lines of one form, one below the other, that are rows of data."""
_PAIRS = 3
"""Fewest where the form is two cells with a comma between, which also comes from typing in haste."""

_SPEAKS_WITHIN = re.compile(
    r"(?:^|[^\w\s,]\s+|\s[-–—|/]+\s*)(?P<label>[^\W\d_][\w.'’-]{1,20}(?: [A-Z][\w.'’-]{0,20})?) ?:(?=\s+\S)"
)
"""Somebody who speaks within a line, behind the end of what another said."""
_ROLES = _EN.words("roles")
_NOT_SPEAKERS = _EN.words("not_speakers")
_ALWAYS_SPEAK = _EN.words("always_speak")
_LOG = re.compile(
    r"^\W?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d\b|\w{3} \d{1,2} \d\d:\d\d:\d\d|\[?(?:INFO|WARN(?:ING)?|ERROR"
    r"|DEBUG|TRACE"
    r"|FATAL|NOTICE)\]?\b|\d{1,3}(?:\.\d{1,3}){3} |at [\w$.]+\(|\s*File \"|\w+(?:Error|Exception)\b:)"
)
_IS_CODE = re.compile(r"[={}();\[\]]|\b(?:import|def|select|return)\b", re.IGNORECASE)
_LEGAL_MARKS = 2
"""Turns of legal prose from which a message holds some."""
_CHOICE = re.compile(r"^\s*\(?[a-eA-E][).] \S")


class _Line(NamedTuple):
    start: int
    end: int
    text: str
    """At most _LINE_CHARS of it."""


def laid_out_spans(text: str) -> list[Span]:
    """Return the passages that give themselves away by their form, in order; they may overlap."""
    lines = [
        _Line(found.start(), found.end(), found[0][:_LINE_CHARS]) for found in _LINE.finditer(text) if found[0].strip()
    ]
    begins = [*_marked(lines), *_spoken(lines), *_spoken_within(lines), *_pages(lines), *_legal(lines)]
    found = [(min(begins), len(text))] if begins else []
    return sorted([*found, *_rows(lines)])


def _marked(lines: list[_Line]) -> Iterator[int]:
    """Yield where the first header stands."""
    for place, line in enumerate(lines):
        both = _EN["header"].match(line.text) and place + 1 < len(lines) and _EN["header"].match(lines[place + 1].text)
        if both or _EN["marked"].match(line.text):
            yield line.start
            return


def _spoken(lines: list[_Line]) -> Iterator[int]:
    """Yield where the first line of a transcript stands: several who speak, or one who plainly does."""
    speaking: list[tuple[int, str, str]] = []
    for line in lines:
        found = _EN["speaks"].match(line.text)
        if found and _may_speak(found["label"]):
            speaking.append((line.start, found["label"].casefold(), found["said"]))
    labels = {label for _, label, _ in speaking}
    is_named = any(label in _ALWAYS_SPEAK for label in labels)
    uttering = sum(bool(_EN["utters"].search(said) or _EN["orders"].match(said)) for _, _, said in speaking)
    is_talk = len(speaking) >= _ROWS and (len(speaking) > len(labels) or uttering >= 1)
    if is_talk or (is_named and uttering) or (len(speaking) == 1 and _is_said_alone(speaking[0])):
        yield speaking[0][0]


def _spoken_within(lines: list[_Line]) -> Iterator[int]:
    """Yield where a talk begins that is given within one line: "HOST: where …? GUEST: I …"."""
    for line in lines:
        found = list(_SPEAKS_WITHIN.finditer(line.text))
        labels = [one["label"] for one in found]
        ends = [*(one.start() for one in found[1:]), len(line.text)]
        said = [line.text[one.end() : end] for one, end in zip(found, ends, strict=False)]
        is_cast = len(set(labels)) < len(labels) or any(
            label.casefold() in _ROLES or (label.isupper() and label.isalpha()) for label in labels
        )
        uttering = sum(bool(_EN["utters"].search(words)) for words in said)
        is_addressed = any(_EN["addresses"].search(words) for words in said)
        is_form = len(set(labels)) == len(labels) and not all(map(_may_speak, labels))
        if (
            not is_form
            and len(set(labels)) >= _ROWS
            and ((is_cast and uttering) or (uttering >= _ROWS and is_addressed))
        ):
            yield line.start + found[0].start("label")
            return


def _may_speak(label: str) -> bool:
    first, *further = label.split()
    is_short = len(further) <= 1 or all(word[:1].isupper() or word[:1] in "(0123456789" for word in further)
    words = (word.strip("().").casefold() for word in label.split())
    return is_short and not any(word in _NOT_SPEAKERS for word in words) and len(first) > 1


def _is_said_alone(spoken: tuple[int, str, str]) -> bool:
    """Tell whether one line with a name before it is somebody's: a full name, or an order behind it."""
    _, label, said = spoken
    return (label.istitle() and " " in label) or _EN["orders"].match(said) is not None


def _pages(lines: list[_Line]) -> Iterator[int]:
    trimmings = [line.start for line in lines if _EN["chrome"].match(line.text)]
    if len(trimmings) >= _ROWS:
        yield trimmings[0] if trimmings[0] == lines[0].start else lines[0].start


def _legal(lines: list[_Line]) -> Iterator[int]:
    marks = [(line.start, len(_EN["legal"].findall(line.text))) for line in lines]
    marked = [start for start, count in marks if count]
    if sum(count for _, count in marks) >= _LEGAL_MARKS:
        yield marked[0]


def _rows(lines: list[_Line]) -> Iterator[Span]:
    """Yield runs of lines of one form: data, logs, code, choices of a quiz."""
    for shape, run in groupby(lines, key=_shape):
        rows = list(run)
        if (
            shape
            and len(rows) >= (_PAIRS if shape == "cells 1" else _ROWS)
            and (shape != "code" or any(_IS_CODE.search(row.text) for row in rows))
        ):
            yield rows[0].start, rows[-1].end
        elif shape == "log":
            yield rows[0].start, rows[0].end


def _shape(line: _Line) -> str:
    """Return what a line is a row of; empty for prose."""
    text = line.text
    if text.lstrip().startswith("|") or text.count("|") > 1:
        return "table"
    if "\t" in text.strip():
        return f"tabs {text.strip().count(chr(9))}"
    if _LOG.match(text):
        return "log"
    tight = len(re.findall(r"[^\s,;],(?=[^\s,])|[^\s;];(?=[^\s;])", text))
    if tight:
        return f"cells {tight}"
    loose = re.split(r"[,;] ", text)
    if len(loose) > _ROWS and all(len(cell.split()) <= _ROWS for cell in loose):
        return f"cells {len(loose)}"
    if _EN["code"].search(text):
        return "code"
    return "choice" if _CHOICE.match(text) else ""
