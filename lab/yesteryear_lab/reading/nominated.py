"""Pairs as a memory nominates them: ``python -m yesteryear_lab.reading.nominated OUT FILE...``.

The files are lives whose writers said what ends what (``lab/labelled/effects/lives``). Each is told to a memory of its
own, and what that compares is written down, a pair a line. A dozen seconds a life.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from yesteryear.core.episode import Digest, Talk
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.language.tokens import words
from yesteryear.core.ruling import ClaimPair, Judgement
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.providers.registry import build_reader
from yesteryear_lab.bench.lives import sittings_of
from yesteryear_lab.bench.outdated import REST, STANDS, ChangingLife, ChangingMessage, Passage, read_changes
from yesteryear_lab.bench.retold import retell
from yesteryear_lab.reading.rows import LabelledEffect
from yesteryear_lab.training.rows import read_as, read_rows

_MOST_OF, _SOME_OF = 0.6, 0.3
"""Shares of the words of what is over that stand in a fact, in [0, 1]: from the first on it tells that, below the
second it does not, and between them nobody knows."""


class NominatedPair(msgspec.Struct):
    """A fact as a memory told it, and words of a later message."""

    person: str
    author: str
    fact: str
    asked: str  # what the words answer; empty where they answer nothing
    said: str
    effect: str  # ``STANDS`` where only is known that the fact holds still
    days: int

    def as_effect(self) -> LabelledEffect:
        """Return it as labelled pairs are."""
        before = (("them", self.asked),) if self.asked else ()
        told = self.author, self.said, self.effect
        return LabelledEffect(self.fact, "", "", before, *told, self.person, self.person, self.days)


def told_pairs(life: ChangingLife) -> Iterator[NominatedPair]:
    """Yield what is told of each message by itself: the sentences it ends, and those that only sound as if it did."""
    texts = {message.n: message for message in life.messages}
    for place, message in enumerate(life.messages):
        last = life.messages[place - 1] if place else message
        asked = last.text if last.author != life.author and last.text.rstrip().endswith("?") else ""
        for passage in (*message.ends, *message.stands):
            first = texts[passage.n]
            fact = f"{life.author}: {_sentences_around(first.text, passage.words)}"
            days = (message.day - first.day).days
            yield NominatedPair(life.id, life.author, fact, asked, message.text, passage.effect, days)


def _sentences_around(text: str, part: str) -> str:
    start = text.index(part)
    spans = [span for span in sentence_spans(text) if span[0] < start + len(part) and span[1] > start]
    return text[spans[0][0] : spans[-1][1]]


class _Listener:
    """Judges as the local analyst does, and remembers the pairs."""

    def __init__(self) -> None:
        self._local = LocalAnalyst(pair_reader=build_reader("minilm"))
        self.pairs: dict[tuple[str, datetime, str, datetime], ClaimPair] = {}

    def digest(self, talk: Talk, *, yield_to_foreground: Callable[[], None]) -> Digest:
        return self._local.digest(talk, yield_to_foreground=yield_to_foreground)

    def judge(self, pairs: Sequence[ClaimPair], *, yield_to_foreground: Callable[[], None]) -> list[Judgement]:
        for pair in pairs:
            self.pairs[pair.earlier.text, pair.earlier.at, pair.later.said, pair.later.at] = pair
        return self._local.judge(pairs, yield_to_foreground=yield_to_foreground)


def nominate(life: ChangingLife) -> Iterator[NominatedPair]:
    """Yield what a memory compares that is told a life, but for what was over before."""
    listener = _Listener()
    told = list(life.said())
    by_time = {each.at: message for each, message in zip(told, life.messages, strict=True)}
    with retell(list(sittings_of(told)), user=life.author, rest=REST, embedder="minilm", analyst=listener):
        pass
    for (fact, first, said, then), pair in listener.pairs.items():
        earlier, later = by_time.get(first), by_time.get(then)
        if earlier is None or later is None or earlier.n > later.n:
            continue
        effect = _effect(life, f"{pair.earlier.said} {fact}", earlier, later)
        if effect:
            days = (later.day - earlier.day).days
            yield NominatedPair(life.id, life.author, fact, pair.later.asked, said, effect, days)


def _effect(life: ChangingLife, fact: str, earlier: ChangingMessage, later: ChangingMessage) -> str:
    """Return what a message does to a fact of an earlier one; empty where it was over before, or nobody knows."""
    stated, told = set(words(fact)), fact.casefold()

    def share(passage: Passage) -> float:
        wanted = words(passage.words)
        is_quoted = passage.n < earlier.n and passage.words.casefold() in told  # with what it hangs on
        is_of_it = passage.n == earlier.n or is_quoted
        return sum(word in stated for word in wanted) / max(1, len(wanted)) if is_of_it else 0.0

    is_over = any(
        share(passage) >= _MOST_OF for message in life.messages if message.n < later.n for passage in message.ends
    )
    surest = max(later.ends, key=share, default=None)
    if surest is None or share(surest) < _SOME_OF:
        return "" if is_over else STANDS
    return surest.effect if share(surest) >= _MOST_OF else ""


def read_nominated(path: Path) -> list[NominatedPair]:
    """Return the pairs of a file that was made here."""
    return [read_as(NominatedPair, row, path.name) for row in read_rows(path)]


def main() -> None:
    """Tell lives to memories, write what they compare."""
    parser = argparse.ArgumentParser(prog="nominated", description="Write down the pairs that a memory compares.")
    parser.add_argument("out", type=Path, help="where the pairs are written to, a line each")
    parser.add_argument("lives", type=Path, nargs="+", help="files of a life each")
    chosen = parser.parse_args()
    with chosen.out.open("wb") as file:
        for path in chosen.lives:
            pairs = list(nominate(read_changes(path)))
            file.writelines(msgspec.json.encode(pair) + b"\n" for pair in pairs)
            print(f"{path.name}: {len(pairs)} pairs", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
