"""Where sentences end in chat as people type it, hashes of sentences, and passages cut at their ends.

New lines end a sentence, so each item of a list is one; a code fence is kept whole. English abbreviations are known;
for scripts without spaces their own full stops count.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from yesteryear.core.language.tokens import words as words_of
from yesteryear.core.language.vocabulary import vocabulary

Span = tuple[int, int]  # start and end of a passage

_EN = vocabulary("sentences")
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"[^\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_STOP = re.compile(
    r"(?P<wide>[。！？｡．]+[」』”’）)]*)"
    r"|(?<![.!?…])(?P<mark>[.!?…]++)(?P<closing>[\"'”’)\]*_]*+)(?=\s)"
)
_LAST_WORD = re.compile(r"[\w.]+$")
_LOOK_BACK = 24  # how many characters before a full stop are read to tell an abbreviation
_ALWAYS_SHORT, _MAYBE_SHORT = _EN.words("always_short"), _EN.words("maybe_short")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of ``text`` in order, without the space around them.

    Every sentence is a substring of ``text``; together they hold all its characters other than white space.
    """
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> Iterator[Span]:
    """Yield start and end of each sentence of ``text``; see ``split_sentences``."""
    done = 0
    for fence in _FENCE.finditer(text):
        yield from _prose_spans(text, done, fence.start())
        yield from _stripped(text, fence.start(), fence.end())
        done = fence.end()
    yield from _prose_spans(text, done, len(text))


def _prose_spans(text: str, start: int, end: int) -> Iterator[Span]:
    for line in LINE.finditer(text, start, end):
        begin = line.start()
        for stop in _STOP.finditer(text, line.start(), line.end()):
            if _ends_here(text, begin, stop):
                yield from _stripped(text, begin, stop.end())
                begin = stop.end()
        yield from _stripped(text, begin, line.end())


def _ends_here(text: str, begin: int, stop: re.Match[str]) -> bool:
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


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    if body := piece.strip():
        left = start + len(piece) - len(piece.lstrip())
        yield left, left + len(body)


def meet(one: Span, others: Iterable[Span]) -> bool:
    """Tell whether a passage shares characters with any of some others."""
    return any(one[0] < end and start < one[1] for start, end in others)


def between(cuts: Iterable[Span], start: int, end: int) -> Iterator[Span]:
    """Yield what lies from ``start`` to ``end`` before, between and behind some cuts; any of it may be empty.

    The cuts come in order of their beginnings, and may overlap.
    """
    for first, past in cuts:
        yield start, max(start, min(first, end))
        start = max(start, min(past, end))
    yield start, end


def outside(text: str, spans: Iterable[Span], *, start: int = 0, end: int | None = None) -> list[str]:
    """Return the pieces of a text ``between`` some spans, by default of the whole text."""
    return [text[slice(*each)] for each in between(spans, start, len(text) if end is None else end)]


def both_ends(text: str, *, chars: int) -> str:
    """Return a text, of a long one both ends, in about so many characters."""
    return text if len(text) <= chars else f"{text[: chars // 2]}\n{text[-chars // 2 :]}"


# Fingerprints tell that the same was said, without keeping what was said.

_BETWEEN = re.compile(r"[\s!-/:-@\[-`{-~\u2010-\u2027\u3001-\u3011\uff01\uff0c\uff1f]+")  # not emoji and marks


def fingerprint(sentence: str) -> int:
    """Return a 64-bit hash of a sentence's words; the same for other case, spacing and punctuation."""
    said = _BETWEEN.sub(" ", sentence.casefold()).strip()
    return int.from_bytes(hashlib.blake2b(said.encode(errors="replace"), digest_size=8).digest(), "big")


def fingerprints(sentences: Iterable[str]) -> frozenset[int]:
    """Return the fingerprints of some sentences."""
    return frozenset(map(fingerprint, sentences))


# Passages are stretches of a long message short enough that one vector and one line of context do them justice.

_ROW = re.compile(r"[^\n]+")
_CHUNK = re.compile(r"\S+")
_ENDS = re.compile(r"[.!?:;…。！？]['\")\]”’»*]*\s*$|\n\s*$")  # how a sentence, or a line that stands for one, ends
_ENDING_CHARS = 8  # characters at the end of a text in which that shows
_CHARS_PER_WORD = 8  # so many count as a word where there are no shorter ones; English words take 5 to 6
_TAIL_SHARE = 0.25  # a last passage below this share of the size joins the one before it


class _Unit(NamedTuple):  # a piece of the text that is not cut further
    start: int
    end: int
    words: int


def split_passages(text: str, *, words: int = 60) -> list[str]:
    """Cut ``text`` into passages of about ``words`` words, at ends of sentences; 60 English words are about 80 tokens.

    Sentences are gathered while they fit; a heading, or a line that ends in a colon, stays with what follows. A
    sentence that alone is longer is cut between words, and an unbroken run of characters anywhere. A passage has at
    most ``words * 1.25`` words, so that no short tail is left alone. Together the passages, which are substrings in
    order, hold all characters other than white space.
    """
    is_short = text.isascii() and len(text) <= words * _CHARS_PER_WORD  # English; most messages are one passage
    if is_short and (len(text) < 2 * words or len(words_of(text)) <= words):  # a word and what divides it take two
        return [text.strip()] if text.strip() else []
    announced = _gathered(
        _units(text, words), words, joins=lambda unit: text[unit.start] == "#" or text[unit.end - 1] in ":\uff1a"
    )
    passages = _gathered(announced, words)
    if len(passages) > 1:
        *_, before, tail = passages
        if tail.words < words * _TAIL_SHARE and before.words + tail.words <= words * (1 + _TAIL_SHARE):
            passages[-2:] = [_joined(before, tail)]
    return [text[passage.start : passage.end] for passage in passages]


def mark_cuts(passage: str, text: str, *, part: int) -> str:
    """Return passage number ``part`` (from 0) of a text with "…" at each end at which a sentence was cut."""
    if len(passage) >= len(text.strip()):
        return passage
    start = text.find(passage, part)
    before, after = text[:start], text[start + len(passage) :]
    is_begun = bool(part and before.strip() and _ENDS.search(before[-_ENDING_CHARS:]) is None)
    goes_on = bool(after.strip() and _ENDS.search(f"{passage[-_ENDING_CHARS:]}{after[:1]}") is None)
    return f"{'… ' if is_begun else ''}{passage}{' …' if goes_on else ''}"


def _units(text: str, words: int) -> Iterator[_Unit]:
    """Yield sentences, or lines or runs of words of a sentence that is too long."""
    for start, end in sentence_spans(text):
        unit = _unit(text, start, end)
        if unit.words <= words:
            yield unit
            continue
        for line in _ROW.finditer(text, start, end):
            chunks = (chunk.span() for chunk in _CHUNK.finditer(text, *line.span()))
            yield from _gathered((piece for chunk in chunks for piece in _short_pieces(text, *chunk, words)), words)


def _gathered(units: Iterable[_Unit], words: int, *, joins: Callable[[_Unit], bool] = lambda _: True) -> list[_Unit]:
    """Return units, each with those behind it that fit beside it, if it ``joins`` them."""
    gathered: list[_Unit] = []
    for unit in units:
        if gathered and gathered[-1].words + unit.words <= words and joins(gathered[-1]):
            gathered[-1] = _joined(gathered[-1], unit)
        else:
            gathered.append(unit)
    return gathered


def _short_pieces(text: str, start: int, end: int, words: int) -> Iterator[_Unit]:
    """Yield an unbroken run whole, or cut into so few characters that they cannot hold more words."""
    size = words if _unit(text, start, end).words > words else end - start
    return (_unit(text, begin, min(end, begin + size)) for begin in range(start, end, size))


def _unit(text: str, start: int, end: int) -> _Unit:
    by_length = -((start - end) // _CHARS_PER_WORD)
    return _Unit(start, end, max(len(words_of(text[start:end])), by_length))


def _joined(first: _Unit, second: _Unit) -> _Unit:
    return _Unit(first.start, second.end, first.words + second.words)
