"""Which part of a message are the person's own words, and which part they quoted, pasted or brought along.

Only own words say something about the person; a page, a log or a letter that they paste is somebody else's text. Marks
tell it (quotation marks, fences, tags), frames (``framing``: "What does this say?", "Marc wrote:") and forms
(``layouts``: mail headers, transcripts, rows). In doubt text behind a frame is brought.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from yesteryear.core.language.framing import framed_spans
from yesteryear.core.language.layouts import laid_out_spans

_QUOTE_WORDS = 4
"""Fewest words between quotation marks that count as quoted; fewer are a name or a title."""
_BLOCK_CHARS = 16
"""Fewest characters between brackets that count as pasted; fewer are an aside."""

_NOTE = "[\u2669-\u266c\U0001f3b5\U0001f3b6]"
"""Stands around what is sung."""
_FRAMES = re.compile(
    r"=== ?MEMORY CONTEXT ?===.*?(?:=== ?END MEMORY CONTEXT ?===|\Z)"
    r"|^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)"
    r"|^[ \t]*>[^\n]*"
    r"|<!--.*?(?:-->|\Z)"
    rf"|{_NOTE}[^\u2669-\u266c\U0001f3b5\U0001f3b6]{{8,600}}{_NOTE}",
    re.DOTALL | re.MULTILINE,
)
_QUOTES = re.compile(
    r"(?<![\w\"])\"(?=\S)[^\"]+\"(?!\w)"
    r"|“[^“”]+[”\"]|„[^„“”]+[“”]|«[^«»]+»|「[^「」]+」|(?<!\w)‘[^‘]+?’(?!\w)"
    r"|(?<!\w)'(?=\S)(?:[^'\n]|(?<=\w)'(?=\w))+'(?!\w)"
)
_TAG = re.compile(r"<(/?)([A-Za-z][\w:-]{0,40})[^<>]{0,300}>")
_BRACKET = re.compile(r"[\[\]{}]")
_CLOSES = {"]": "[", "}": "{"}
_READ_LATELY = 64
"""Texts whose reading is remembered: each message is asked a dozen times what of it is its author's."""
TYPED_CHARS = 20_000
"""Characters from the beginning of a message that may be somebody's own: who sends more has pasted it."""
_LAST_CHARS = 1_000
"""Characters at the end of a longer one in which a request to work on it is looked for."""
_WORD = re.compile(r"\w+")


def own_words(text: str) -> tuple[str, str]:
    """Split ``text`` into the person's own words and what they quoted, pasted or brought along.

    Quoted are: passages of four words and more between quotation marks, code fences, lines that begin with
    ``>``, tags with what they enclose, blocks in ``{}`` and ``[]``, memory context of this library's own frame, what
    frames announce and what has the form of brought-along text.
    What was taken out leaves a space behind, so that the words around it stay apart.

    Returns:
        Own words and quoted text, either of which may be empty.
    """
    own, quoted, done = [], [], 0
    for start, end in quoted_spans(text):
        own.append(text[done:start])
        quoted.append(text[start:end])
        done = end
    own.append(text[done:])
    return " ".join(own).strip(), "\n".join(quoted)


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of each passage that ``own_words`` takes out, in order and apart from one another."""
    if len(text) <= TYPED_CHARS:
        return list(_spans(text))
    begin = f"{text[:TYPED_CHARS]}\n{text[-_LAST_CHARS:]}"  # a request may come last
    spans = [(start, min(end, TYPED_CHARS)) for start, end in _spans(begin) if start < TYPED_CHARS]
    return _merged([*spans, (TYPED_CHARS, len(text))])


@lru_cache(maxsize=_READ_LATELY)
def _spans(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_merged(sorted([*marked_spans(text), *framed_spans(text), *laid_out_spans(text)])))


def marked_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the passages that are marked as quoted: by quotation marks, fences, tags or brackets; in no order."""
    yield from (found.span() for found in _FRAMES.finditer(text))
    for found in _QUOTES.finditer(text):
        if len(_WORD.findall(found[0])) >= _QUOTE_WORDS:
            yield found.span()
    yield from _tagged(text)
    yield from _bracketed(text)


def _tagged(text: str) -> Iterator[tuple[int, int]]:
    """Yield each tag together with all that stands before its closing tag, if it has one."""
    tags = list(_TAG.finditer(text))
    last_closing = {tag[2].lower(): number for number, tag in enumerate(tags) if tag[1]}
    number = 0
    while number < len(tags):
        first, name = number, tags[number][2].lower()
        if not tags[first][1] and last_closing.get(name, -1) > first:
            while not (tags[number][1] and tags[number][2].lower() == name):
                number += 1
        yield tags[first].start(), tags[number].end()
        number += 1


def _bracketed(text: str) -> Iterator[tuple[int, int]]:
    """Yield balanced brackets with more than an aside between them."""
    open_at: list[tuple[str, int]] = []
    for found in _BRACKET.finditer(text):
        if found[0] in "[{":
            open_at.append((found[0], found.start()))
        elif open_at and open_at[-1][0] == _CLOSES[found[0]]:
            _, start = open_at.pop()
            if found.end() - start > _BLOCK_CHARS:
                yield start, found.end()


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return sorted spans with those that overlap made one."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
