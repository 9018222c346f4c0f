"""Suite: outdated. A life in which much changes: is what is over told as what holds, and what else is told?

JSON Lines, a life a file, a message a line: ``{n, day, author, text, ends, stands}``. ``ends`` lists ``{n, words,
effect}``: which words of which earlier message are so no longer once it is said; ``stands`` which only sound so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import msgspec

from yesteryear.errors import InputError
from yesteryear_lab.bench.lives import Said, sittings_of
from yesteryear_lab.bench.report import Metrics, believed
from yesteryear_lab.bench.retold import (
    FEWEST_WORDS,
    SENTENCE_END,
    RetoldOptions,
    is_told,
    retell,
    suite_of_lives,
    words_of,
)
from yesteryear_lab.figures import share
from yesteryear_lab.training.rows import read_as, read_rows

STANDS = "stands"  # in place of an effect: the fact holds still, and what else is done to it is not known
REST = timedelta(days=1)  # after the last message
_MORNING, _APART = time(10), timedelta(minutes=4)
"""When the first message of a day is said, and how long after it each next one."""


class Passage(msgspec.Struct, frozen=True):
    """Words of an earlier message."""

    n: int
    words: str
    effect: str = STANDS


class ChangingMessage(msgspec.Struct):
    """A message, with what is so no longer once it is said, and what only sounds as if it were."""

    n: int
    day: date
    author: str
    text: str
    ends: list[Passage] = []
    stands: list[Passage] = []


class ChangingLife(msgspec.Struct):
    """Somebody's talk, in order."""

    id: str
    author: str
    messages: list[ChangingMessage]

    def said(self) -> Iterator[Said]:
        """Yield the messages as they are told to a memory."""
        spoken: Counter[date] = Counter()
        for message in self.messages:
            at = datetime.combine(message.day, _MORNING, UTC) + spoken[message.day] * _APART
            spoken[message.day] += 1
            role = "assistant" if message.author == "assistant" else "user"
            yield Said(str(message.n), role, message.author, message.day.isoformat(), message.text, at)


def read_changes(path: Path) -> ChangingLife:
    """Return the life of a file."""
    messages = [read_as(ChangingMessage, row, f"{path.name}: {row.get('n')}") for row in read_rows(path)]
    authors = Counter(message.author for message in messages if message.author != "assistant")
    if not authors:
        raise InputError(f"{path.name}: nobody says anything")
    return ChangingLife(path.stem, authors.most_common(1)[0][0], messages)


def _live(life: ChangingLife, options: RetoldOptions) -> Iterator[Metrics]:
    """Yield a row for each passage that is over in the end, and for each sentence that holds none."""
    sittings = list(sittings_of(list(life.said())))
    with retell(sittings, user=life.author, rest=REST, embedder=options.embedder) as (memory, _):
        facts = [set(words_of(fact)) for fact in believed(memory)]
    over = {passage for message in life.messages for passage in message.ends}
    beside: set[Passage] = set()
    for message in life.messages:
        ended = [passage.words for passage in over if passage.n == message.n]
        said = SENTENCE_END.split(message.text) if message.author == life.author else ()
        beside |= {Passage(message.n, each) for each in said if not any(a in each or each in a for a in ended)}
    for is_over, passages in ((True, over), (False, beside)):
        for passage in sorted(passages, key=lambda each: (each.n, each.words)):
            if len(set(words_of(passage.words))) >= FEWEST_WORDS:
                told = is_told(passage.words, facts)
                yield {"n": passage.n, "words": passage.words, "over": is_over, "told": told}


def _figures(rows: Sequence[Metrics]) -> Metrics:
    return {
        "over": sum(row["over"] for row in rows),
        "stale": share(row["told"] for row in rows if row["over"]),
        "beside": share(row["told"] for row in rows if not row["over"]),
    }


SUITE = suite_of_lives(
    "lives in which much changes: what is over and told as what holds, and what else is told",
    read_changes,
    _live,
    _figures,
    suffix=".jsonl",
)
