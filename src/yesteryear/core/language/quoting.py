"""Which part of a message are the person's own words, and which part they quoted, pasted or brought along.

Marks tell it (quotation marks, fences, tags), frames (see ``brought_along``) and forms. A form that has no end (a mail,
a transcript, a page) goes on to the end of the message; rows, logs and code end with their last line. Linear in the
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby, zip_longest
from typing import NamedTuple

from yesteryear.core.language.brought_along import framed_spans
from yesteryear.core.language.sentences import LINE, Span, outside
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("layouts")

_LINE_CHARS = 400  # characters of a line that are looked at: forms show at its beginning
_ROWS = 2  # fewest lines of one form, one below the other, that are rows of data
_PAIRS = 3  # fewest where the form is two cells with a comma between, which also comes from typing in haste

_ROLES = _EN.words("roles")
_NOT_SPEAKERS = _EN.words("not_speakers")
_ALWAYS_SPEAK = _EN.words("always_speak")
_LEGAL_MARKS = 2  # turns of legal prose from which a message holds some
_QUOTE_WORDS = 4  # fewest words between quotation marks that count as quoted; fewer are a name or a title
_BLOCK_CHARS = 16  # fewest characters between brackets that count as pasted; fewer are an aside
_BRACKET = re.compile(r"[\[\]{}]")
_CLOSES = {"]": "[", "}": "{"}
_READ_LATELY = 64  # texts whose reading is remembered: each message is asked a dozen times what of it is its author's
TYPED_CHARS = 20_000  # that may be somebody's own: who sends more has pasted it
_LAST_CHARS = 1_000  # characters at the end of a longer one in which a request to work on it is looked for
_WORD = re.compile(r"\w+")


def own_words(text: str) -> tuple[str, str]:
    """Split ``text`` into the person's own words and what they quoted, pasted or brought along; either may be empty.

    Quoted are: passages of four words and more between quotation marks, code fences, lines that begin with ``>``, tags
    with what they enclose, blocks in ``{}`` and ``[]``, memory context of this library's own frame, what frames
    announce and what has the form of brought-along text. It leaves a space behind, so that the words around it stay
    apart.
    """
    spans = quoted_spans(text)
    return " ".join(outside(text, spans)).strip(), "\n".join(text[start:end] for start, end in spans)


def quoted_spans(text: str) -> list[Span]:
    """Return start and end of each passage that ``own_words`` takes out, in order and apart from one another."""
    if len(text) <= TYPED_CHARS:
        return list(_spans(text))
    begin = f"{text[:TYPED_CHARS]}\n{text[-_LAST_CHARS:]}"  # a request may come last
    spans = [(start, min(end, TYPED_CHARS)) for start, end in _spans(begin) if start < TYPED_CHARS]
    return _merged([*spans, (TYPED_CHARS, len(text))])


@lru_cache(maxsize=_READ_LATELY)
def _spans(text: str) -> tuple[Span, ...]:
    return tuple(_merged(sorted([*marked_spans(text), *framed_spans(text), *laid_out_spans(text)])))


def marked_spans(text: str) -> Iterator[Span]:
    """Yield the passages that are marked as quoted: by quotation marks, fences, tags or brackets; in no order."""
    yield from (found.span() for found in _EN["frames"].finditer(text))
    for found in _EN["quotes"].finditer(text):
        if len(_WORD.findall(found[0])) >= _QUOTE_WORDS:
            yield found.span()
    yield from _tagged(text)
    yield from _bracketed(text)


def _tagged(text: str) -> Iterator[Span]:
    """Yield each tag together with all that stands before its closing tag, if it has one."""
    tags = _EN["tag"].finditer(text)
    ends = {tag[2].lower(): tag.end() for tag in _EN["tag"].finditer(text) if tag[1]}  # of the last that close them
    for tag in tags:
        name, end = tag[2].lower(), tag.end()
        if not tag[1] and ends.get(name, -1) > end:
            end = next(each.end() for each in tags if each[1] and each[2].lower() == name)
        yield tag.start(), end


def _bracketed(text: str) -> Iterator[Span]:
    """Yield balanced brackets with more than an aside between them."""
    open_at: list[tuple[str, int]] = []
    for found in _BRACKET.finditer(text):
        if found[0] in "[{":
            open_at.append((found[0], found.start()))
        elif open_at and open_at[-1][0] == _CLOSES[found[0]]:
            _, start = open_at.pop()
            if found.end() - start > _BLOCK_CHARS:
                yield start, found.end()


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


class _Line(NamedTuple):
    start: int
    end: int
    text: str  # at most _LINE_CHARS of it


def laid_out_spans(text: str) -> list[Span]:
    """Return the passages that give themselves away by their form, in order; they may overlap."""
    lines = [_Line(*found.span(), found[0][:_LINE_CHARS]) for found in LINE.finditer(text) if found[0].strip()]
    is_page = sum(_EN["chrome"].match(line.text) is not None for line in lines) >= _ROWS
    legal = [line.start for line in lines for _ in _EN["legal"].finditer(line.text)]
    begins = [*_marked(lines), *_spoken(lines), *_spoken_within(lines)]
    begins += [line.start for line in lines[:1] if is_page] + (legal[:1] if len(legal) >= _LEGAL_MARKS else [])
    found = [(min(begins), len(text))] if begins else []
    return sorted([*found, *_rows(lines)])


def _marked(lines: list[_Line]) -> Iterator[int]:
    for line, following in zip_longest(lines, lines[1:]):
        both = following and _EN["header"].match(line.text) and _EN["header"].match(following.text)
        if both or _EN["marked"].match(line.text) or (following and _EN["stamp"].match(line.text)):
            yield line.start
            return


def _spoken(lines: list[_Line]) -> Iterator[int]:
    """Yield where the first line of a transcript stands: several who speak, or one who plainly does."""
    read = ((line.start, found["label"], found["said"]) for line in lines if (found := _EN["speaks"].match(line.text)))
    speaking = [(start, label.casefold(), said) for start, label, said in read if _may_speak(label)]
    labels = {label for _, label, _ in speaking}
    is_named = not labels.isdisjoint(_ALWAYS_SPEAK)
    uttering = sum(bool(_EN["utters"].search(said) or _EN["orders"].match(said)) for _, _, said in speaking)
    is_talk = len(speaking) >= _ROWS and (len(speaking) > len(labels) or uttering >= 1)
    is_ordering = len(speaking) == 1 and _EN["orders"].match(speaking[0][2]) is not None
    if is_talk or (is_named and uttering) or is_ordering:
        yield speaking[0][0]


def _spoken_within(lines: list[_Line]) -> Iterator[int]:
    """Yield where a talk begins that is given within one line: "HOST: where …? GUEST: I …"."""
    for line in lines:
        found = list(_EN["speaks_within"].finditer(line.text))
        labels = [one["label"] for one in found]
        ends = [*(one.start() for one in found[1:]), len(line.text)]
        said = [line.text[one.end() : end] for one, end in zip(found, ends, strict=False)]
        is_cast = len(set(labels)) < len(labels) or any(
            label.casefold() in _ROLES or (label.isupper() and label.isalpha()) for label in labels
        )
        uttering = sum(map(bool, map(_EN["utters"].search, said)))
        is_addressed = any(map(_EN["addresses"].search, said))
        is_form = len(set(labels)) == len(labels) and not all(map(_may_speak, labels))
        is_talk = (is_cast and uttering) or (uttering >= _ROWS and is_addressed)
        if not is_form and len(set(labels)) >= _ROWS and is_talk:
            yield line.start + found[0].start("label")
            return


def _may_speak(label: str) -> bool:
    first, *further = label.split()
    is_short = len(further) <= 1 or all(word[:1].isupper() or word[:1] in "(0123456789" for word in further)
    words = (word.strip("().").casefold() for word in label.split())
    return is_short and not any(word in _NOT_SPEAKERS for word in words) and len(first) > 1


def _rows(lines: list[_Line]) -> Iterator[Span]:
    """Yield runs of lines of one form: data, logs, code, choices of a quiz."""
    for shape, run in groupby(lines, key=_shape):
        rows = list(run)
        is_so = shape and (shape != "code" or any(_EN["is_code"].search(row.text) for row in rows))
        if is_so and len(rows) >= {"cells 1": _PAIRS, "log": 1}.get(shape, _ROWS):
            yield rows[0].start, rows[-1].end


def _shape(line: _Line) -> str:
    """Return what a line is a row of; empty for prose."""
    text = line.text
    if text.lstrip().startswith("|") or text.count("|") > 1:
        return "table"
    if "\t" in text.strip():
        return f"tabs {text.strip().count(chr(9))}"
    if _EN["log"].match(text):
        return "log"
    tight = len(re.findall(r"[^\s,;],(?=[^\s,])|[^\s;];(?=[^\s;])", text))
    if tight:
        return f"cells {tight}"
    loose = re.split(r"[,;] ", text)
    if len(loose) > _ROWS and all(len(cell.split()) <= _ROWS for cell in loose):
        return f"cells {len(loose)}"
    if _EN["code"].search(text):
        return "code"
    return "choice" if _EN["choice"].match(text) else ""
