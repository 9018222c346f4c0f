"""Where sentences end, in chat as people type it.

New lines end a sentence, so each item of a list is one; a code fence is kept whole. English abbreviations are known;
for scripts without spaces their own full stops count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("sentences")
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"[^\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_STOP = re.compile(
    r"(?P<wide>[。！？｡．]+[」』”’）)]*)"
    r"|(?<![.!?…])(?P<mark>[.!?…]++)(?P<closing>[\"'”’)\]*_]*+)(?=\s)"
)
_LAST_WORD = re.compile(r"[\w.]+$")
_LOOK_BACK = 24
"""How many characters before a full stop are read to tell an abbreviation."""

_ALWAYS_SHORT = _EN.words("always_short")
_MAYBE_SHORT = _EN.words("maybe_short")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of ``text`` in order, without the space around them.

    Every sentence is a substring of ``text``; together they hold all its characters other than white space.
    """
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence of ``text``; see ``split_sentences``."""
    done = 0
    for fence in _FENCE.finditer(text):
        yield from _prose_spans(text, done, fence.start())
        yield from _stripped(text, fence.start(), fence.end())
        done = fence.end()
    yield from _prose_spans(text, done, len(text))


def _prose_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for line in _LINE.finditer(text, start, end):
        begin = line.start()
        for stop in _STOP.finditer(text, line.start(), line.end()):
            if _ends_here(text, begin, stop):
                yield from _stripped(text, begin, stop.end())
                begin = stop.end()
        yield from _stripped(text, begin, line.end())


def _ends_here(text: str, begin: int, stop: re.Match[str]) -> bool:
    """Tell whether the sentence that began at ``begin`` ends with the full stop found."""
    if stop["wide"]:
        return True
    follows = text[stop.end() : stop.end() + 8].lstrip()[:1]
    if stop["mark"] != ".":
        # "Really?" she asked; well... I see
        return not (follows.islower() and (stop["closing"] or stop["mark"] in ("...", "…")))
    before = _LAST_WORD.search(text, max(begin, stop.start() - _LOOK_BACK), stop.start())
    word = before[0] if before else ""
    folded = word.casefold()
    if folded in _ALWAYS_SHORT:
        return False
    if folded in _MAYBE_SHORT:
        return follows.isupper()
    is_initial = len(word) == 1 and word.isupper() and word != "I"
    is_list_number = word.isdecimal() and len(word) <= 3 and not text[begin : stop.start() - len(word)].strip(" \t>-*")
    return not (is_initial or is_list_number)


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if body := piece.strip():
        left = start + len(piece) - len(piece.lstrip())
        yield left, left + len(body)
