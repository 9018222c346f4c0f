"""What the reader is given of a message: its pieces behind those of what was said before, in bounded windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from yesteryear.core.reading import Before
from yesteryear.providers.minilm.embedder import Numbers, TokenPiece, WordPiece

BEFORE_PIECES = 64  # pieces read of what was said before, the latest
WINDOW_PIECES = 128  # pieces of a message that are read at once, so that time is linear in its length
_BEFORE_CHARS = 600  # characters of a message before that are looked at, from its end
_NEAR_CHARS = 40  # characters of a word that are looked at on each side of one of its pieces


class LeadPiece(NamedTuple):
    """A piece of what was said before, and the characters it stands for there; of the name of a speaker, none."""

    number: int
    text: int  # which text of ``Window.said``
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Some sentences of a message in their place, as the encoder takes them."""

    tokens: Numbers  # token numbers, shape (tokens,): mark, what was said before, mark, the words, mark
    own: Numbers  # 1 for the words that are to be read, 0 for what was said before, shape (tokens,)
    pieces: tuple[TokenPiece, ...]  # of the message, in order; the first stands at token ``first``
    first: int
    lead: tuple[LeadPiece, ...]  # of what was said before; the first stands at token 1
    said: tuple[str, ...]  # what that was, and last the message, of which an earlier part may lead to a later one

    def word_before(self, token: int) -> str:
        """Return the word that a token of what was said before belongs to; empty for the name of a speaker."""
        piece = self.lead[token - 1]
        return whole_word(self.said[piece.text], piece) if piece.end else ""


def windows(
    text: str,
    sentences: Sequence[tuple[int, int]],
    before: Sequence[Before],
    words: WordPiece,
    *,
    most_before: int = BEFORE_PIECES,
) -> Iterator[Window]:
    """Yield windows over a message; none cuts a sentence that fits into one.

    ``sentences`` tells where those of the message begin and end, in order, and ``before`` what was said in the same
    sitting, the latest last, of which ``most_before`` pieces are read.
    """
    said = (*(each.text for each in before), text)
    pieces = [_pieces_before(each, place, words, most_before) for place, each in enumerate(before)]
    lead = [piece for one in pieces for piece in one][-most_before:]
    mine = _marked("me", len(before), words)
    held: list[TokenPiece] = []
    for start, end in sentences:
        found = [TokenPiece(number, start + a, start + b) for number, a, b in words.pieces(text[start:end])]
        if held and len(held) + len(found) > WINDOW_PIECES:
            yield _window(held, lead, said, words)
            own = (LeadPiece(piece.number, len(before), piece.start, piece.end) for piece in held)
            lead = [*lead, *mine, *own][-most_before:]
            held = []
        held += found[:WINDOW_PIECES]  # a longer sentence is none that a person said
    if held:
        yield _window(held, lead, said, words)


def whole_word(text: str, piece: TokenPiece | LeadPiece) -> str:
    """Return the word that a piece is in; of one without end, as where no spaces are written, the part around it."""
    near = max(0, piece.start - _NEAR_CHARS), min(len(text), piece.end + _NEAR_CHARS)
    return text[slice(*uncut(text, piece.start, piece.end, near))]


def uncut(text: str, start: int, end: int, bounds: tuple[int, int]) -> tuple[int, int]:
    """Return a stretch of a text with the rest of the words that it cuts, as far as they lie within bounds."""
    while start > bounds[0] and text[start - 1].isalnum():
        start -= 1
    while end < bounds[1] and text[end].isalnum():
        end += 1
    return start, end


def _marked(who: str, text: int, words: WordPiece) -> list[LeadPiece]:
    return [LeadPiece(piece.number, text, 0, 0) for piece in words.pieces(f"{who}:")]


def _pieces_before(said: Before, place: int, words: WordPiece, most: int) -> list[LeadPiece]:
    """Return who spoke, and the end of what they said."""
    skipped = max(0, len(said.text) - _BEFORE_CHARS)
    pieces = words.pieces(said.text[skipped:])
    found = [LeadPiece(number, place, skipped + start, skipped + end) for number, start, end in pieces]
    mark = _marked(said.who, place, words)
    return [*mark, *found[-(most - len(mark)) :]]


def _window(held: Sequence[TokenPiece], lead: Sequence[LeadPiece], said: tuple[str, ...], words: WordPiece) -> Window:
    tokens = [words.start, *(piece.number for piece in lead), words.end, *(piece.number for piece in held), words.end]
    own = [0] * (len(lead) + 2) + [1] * (len(held) + 1)
    rows = np.array([tokens, own], dtype=np.int64)
    return Window(rows[0], rows[1], tuple(held), len(lead) + 2, tuple(lead), said)
