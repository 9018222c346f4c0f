"""Seed phrases: the twelve or more words from which a wallet of any currency can be made again (BIP-39)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources

from yesteryear.core.secrets.found import Found, Piece

_FEWEST_WORDS = 12
_MAY_BE = re.compile(r"[a-z](?<![a-z].)[a-z]{2,7}+(?:[\s,;.:)\d\-]{1,8}+[a-z]{3,8}+(?![a-z])){11,}+")
"""Twelve words of the right length: talk has a shorter or a longer one among any twelve."""
_WORD = re.compile(r"[a-z]+")


@cache
def _words() -> frozenset[str]:
    return frozenset((resources.files(__package__) / "seed_words.txt").read_text(encoding="utf-8").split())


def find_seeds(piece: Piece) -> Iterator[Found]:
    """Find runs of at least twelve words of the list, whatever numbers and commas stand between them."""
    for candidate in _MAY_BE.finditer(piece.low):
        run: list[re.Match[str]] = []
        for word in _WORD.finditer(piece.low, *candidate.span()):
            if word[0] in _words():
                run.append(word)
                continue
            yield from _phrase(run)
            run = []
        yield from _phrase(run)


def _phrase(run: list[re.Match[str]]) -> Iterator[Found]:
    if len(run) >= _FEWEST_WORDS and len({word[0] for word in run}) > _FEWEST_WORDS // 2:
        yield Found(run[0].start(), run[-1].end(), "seed phrase")
