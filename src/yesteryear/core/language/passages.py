"""Cut long messages into passages: stretches short enough that one vector and one line of context do them justice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.language.tokens import words as words_of

_LINE = re.compile(r"[^\n]+")
_CHUNK = re.compile(r"\S+")
_ENDS = re.compile(r"[.!?:;…。！？]['\")\]”’»*]*\s*$|\n\s*$")
"""How a sentence, or a line that stands for one, ends."""
_ENDING_CHARS = 8
"""Characters at the end of a text in which that shows."""
_CHARS_PER_WORD = 8
"""Characters that count as a word where there are no shorter ones; English words have 5 to 6 with their space."""
_TAIL_SHARE = 0.25
"""A last passage below this share of the size joins the one before it."""


class _Unit(NamedTuple):
    """A piece of the text that is not cut further."""

    start: int
    end: int
    words: int


def split_passages(text: str, *, words: int = 60) -> list[str]:
    """Cut ``text`` into passages of about ``words`` words, at ends of sentences.

    Sentences are gathered while they fit; a heading, or a line that ends in a colon, stays with what follows. A
    sentence that alone is longer is cut between words, and an unbroken run of characters anywhere. A passage has at
    most ``words * 1.25`` words, so that no short tail is left alone. 60 English words are about 80 tokens.

    Returns:
        Substrings of ``text`` in order that together hold all its characters other than white space; one for a short
        text, none where there is nothing but white space.
    """
    if _is_short(text, words):
        return [text.strip()] if text.strip() else []
    passages: list[_Unit] = []
    for unit in _announced(text, _units(text, words), words):
        if passages and passages[-1].words + unit.words <= words:
            passages[-1] = _joined(passages[-1], unit)
        else:
            passages.append(unit)
    if len(passages) > 1:
        *_, before, tail = passages
        if tail.words < words * _TAIL_SHARE and before.words + tail.words <= words * (1 + _TAIL_SHARE):
            passages[-2:] = [_joined(before, tail)]
    return [text[passage.start : passage.end] for passage in passages]


def mark_cuts(passage: str, text: str, *, part: int) -> str:
    """Return a passage with "…" where a sentence was cut: at its start, at its end, or at both.

    Args:
        passage: As ``split_passages`` cut it.
        text: All that was said.
        part: Number of the passage, from 0.
    """
    if len(passage) >= len(text.strip()):
        return passage
    start = text.find(passage, part)
    before, after = text[:start], text[start + len(passage) :]
    is_begun = bool(part and before.strip() and _ENDS.search(before[-_ENDING_CHARS:]) is None)
    goes_on = bool(after.strip() and _ENDS.search(f"{passage[-_ENDING_CHARS:]}{after[:1]}") is None)
    return f"{'… ' if is_begun else ''}{passage}{' …' if goes_on else ''}"


def _is_short(text: str, words: int) -> bool:
    """Tell whether an English text is one passage; most messages are, and need no further look."""
    if not text.isascii() or len(text) > words * _CHARS_PER_WORD:
        return False
    return len(text) < 2 * words or len(words_of(text)) <= words  # a word and what divides it take two characters


def _units(text: str, words: int) -> Iterator[_Unit]:
    """Yield sentences, or lines or runs of words of a sentence that is too long."""
    for start, end in sentence_spans(text):
        unit = _unit(text, start, end)
        if unit.words <= words:
            yield unit
            continue
        for line in _LINE.finditer(text, start, end):
            if line[0].strip():
                yield from _gathered_words(text, line.span(), words)


def _announced(text: str, units: Iterator[_Unit], words: int) -> Iterator[_Unit]:
    """Join each heading to what it announces, where both fit into one passage."""
    heading: _Unit | None = None
    for unit in units:
        if heading is not None:
            if heading.words + unit.words <= words:
                unit = _joined(heading, unit)  # noqa: PLW2901 (the heading's sentence grew)
            else:
                yield heading
            heading = None
        if text[unit.start] == "#" or text[unit.end - 1] in ":\uff1a":
            heading = unit
        else:
            yield unit
    if heading is not None:
        yield heading


def _gathered_words(text: str, span: tuple[int, int], words: int) -> Iterator[_Unit]:
    gathered: _Unit | None = None
    for chunk in _CHUNK.finditer(text, *span):
        for piece in _short_pieces(text, chunk.span(), words):
            if gathered is not None and gathered.words + piece.words > words:
                yield gathered
                gathered = piece
            else:
                gathered = piece if gathered is None else _joined(gathered, piece)
    if gathered is not None:
        yield gathered


def _short_pieces(text: str, span: tuple[int, int], words: int) -> Iterator[_Unit]:
    """Yield an unbroken run whole, or cut into so few characters that they cannot hold more words."""
    whole = _unit(text, *span)
    if whole.words <= words:
        yield whole
        return
    for begin in range(whole.start, whole.end, words):
        yield _unit(text, begin, min(whole.end, begin + words))


def _unit(text: str, start: int, end: int) -> _Unit:
    by_length = -((start - end) // _CHARS_PER_WORD)
    return _Unit(start, end, max(len(words_of(text[start:end])), by_length))


def _joined(first: _Unit, second: _Unit) -> _Unit:
    return _Unit(first.start, second.end, first.words + second.words)
