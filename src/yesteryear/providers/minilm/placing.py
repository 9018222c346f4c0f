"""What the reader is given of a message: its pieces behind those of what was said before, in bounded windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from yesteryear.core.reading import Before
from yesteryear.providers.minilm.embedder import Numbers, TokenPiece, WordPiece

BEFORE_PIECES = 64
"""Pieces read of what was said before, the latest."""
WINDOW_PIECES = 128
"""Pieces of a message that are read at once, so that time is linear in its length."""
_BEFORE_CHARS = 600
"""Characters of a message before that are looked at, from its end."""
_NEAR_CHARS = 40
"""Characters of a word that are looked at on each side of one of its pieces."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Some sentences of a message in their place, as the encoder takes them."""

    tokens: Numbers
    """Token numbers, shape (tokens,): mark, what was said before, mark, the words, mark."""
    own: Numbers
    """1 for the words that are to be read, 0 for what was said before, shape (tokens,)."""
    pieces: tuple[TokenPiece, ...]
    """Of the message, in order; the first stands at token ``first``."""
    first: int
    before: tuple[str, ...]
    """Of what was said before, the word that each token from 1 on belongs to."""


def windows(
    text: str, sentences: Sequence[tuple[int, int]], before: Sequence[Before], words: WordPiece
) -> Iterator[Window]:
    """Yield windows over a message; none cuts a sentence that fits into one.

    Args:
        text: The message.
        sentences: Where its sentences begin and end, in order.
        before: What was said before in the same sitting, the latest last.
        words: Cuts text into pieces.
    """
    said = [_pieces_before(each, words) for each in before]
    lead = [piece for pieces in said for piece in pieces][-BEFORE_PIECES:]
    mine = _marked("me", words)
    held: list[TokenPiece] = []
    for start, end in sentences:
        found = [TokenPiece(number, start + a, start + b) for number, a, b in words.pieces(text[start:end])]
        if held and len(held) + len(found) > WINDOW_PIECES:
            yield _window(held, lead, words)
            lead = [*lead, *mine, *((piece.number, whole_word(text, piece)) for piece in held)][-BEFORE_PIECES:]
            held = []
        held += found[:WINDOW_PIECES]  # a longer sentence is none that a person said
    if held:
        yield _window(held, lead, words)


def whole_word(text: str, piece: TokenPiece) -> str:
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


def _marked(who: str, words: WordPiece) -> list[tuple[int, str]]:
    return [(piece.number, "") for piece in words.pieces(f"{who}:")]


def _pieces_before(said: Before, words: WordPiece) -> list[tuple[int, str]]:
    """Return who spoke, and the end of what they said; a mark of who speaks stands for no text."""
    text = said.text[-_BEFORE_CHARS:]
    found = [(piece.number, whole_word(text, piece)) for piece in words.pieces(text)]
    mark = _marked(said.who, words)
    return [*mark, *found[-(BEFORE_PIECES - len(mark)) :]]


def _window(held: Sequence[TokenPiece], lead: Sequence[tuple[int, str]], words: WordPiece) -> Window:
    tokens = [words.start, *(number for number, _ in lead), words.end, *(piece.number for piece in held), words.end]
    own = [0] * (len(lead) + 2) + [1] * (len(held) + 1)
    return Window(
        np.array(tokens, dtype=np.int64),
        np.array(own, dtype=np.int64),
        tuple(held),
        len(lead) + 2,
        tuple(text for _, text in lead),
    )
