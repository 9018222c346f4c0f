"""Suite: outdated. A life in which much changes: is what is over told as what holds, and what else is told?

JSON Lines, a life a file, a message a line: ``{n, day, author, text, ends, stands}``. ``ends`` lists ``{n, words,
effect}``: which words of which earlier message are so no longer once it is said; ``stands`` which only sound so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import msgspec

from yesteryear.errors import InputError
from yesteryear_lab.bench.lives import Said, sittings_of
from yesteryear_lab.bench.report import Metrics, Progress, Report, Suite, believed
from yesteryear_lab.bench.retold import RetoldOptions, report_all, retell
from yesteryear_lab.figures import share
from yesteryear_lab.training.rows import read_as, read_rows

STANDS = "stands"
"""In place of an effect: the fact holds still, and what else is done to it is not known."""
REST = timedelta(days=1)
"""After the last message."""
_MORNING, _APART = time(10), timedelta(minutes=4)
"""When the first message of a day is said, and how long after it each next one."""
_ENDS, _WORD = re.compile(r"(?<=[.!?])\s+|\n"), re.compile(r"\b\w{3,4}")
_MOST_OF, _FEWEST_WORDS = 0.7, 3
"""Share of the words of a passage, by their first letters, that a fact has which tells it; and words, of three letters
or more, of what is looked for."""


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


def _run(data: Sequence[Path], options: RetoldOptions, say: Progress) -> Report:
    files = [file for path in data for file in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])]
    if not files:
        raise InputError(f"{data[0]} holds no lives: files that end in .jsonl")
    lives = map(read_changes, files)
    return report_all("life", ((life.id, _live(life, options)) for life in lives), _figures, say)


def _live(life: ChangingLife, options: RetoldOptions) -> Iterator[Metrics]:
    """Yield a row for each passage that is over in the end, and for each sentence that holds none."""
    sittings = list(sittings_of(list(life.said())))
    with retell(sittings, user=life.author, rest=REST, embedder=options.embedder) as (memory, _):
        facts = [set(_words(fact)) for fact in believed(memory)]
    over = {passage for message in life.messages for passage in message.ends}
    beside: set[Passage] = set()
    for message in life.messages:
        ended = [passage.words for passage in over if passage.n == message.n]
        said = _ENDS.split(message.text) if message.author == life.author else ()
        beside |= {Passage(message.n, each) for each in said if not any(_overlap(each, words) for words in ended)}
    for is_over, passages in ((True, over), (False, beside)):
        for passage in sorted(passages, key=lambda each: (each.n, each.words)):
            words = set(_words(passage.words))
            if len(words) >= _FEWEST_WORDS:
                told = any(len(fact & words) >= _MOST_OF * len(words) for fact in facts)
                yield {"n": passage.n, "words": passage.words, "over": is_over, "told": told}


def _overlap(one: str, other: str) -> bool:
    return one in other or other in one


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _figures(rows: Sequence[Metrics]) -> Metrics:
    return {
        "over": sum(row["over"] for row in rows),
        "stale": share(row["told"] for row in rows if row["over"]),
        "beside": share(row["told"] for row in rows if not row["over"]),
    }


SUITE = Suite(
    "lives in which much changes: what is over and told as what holds, and what else is told",
    _run,
    RetoldOptions,
    needs="files of one life each, or a folder of them",
    takes_more=True,
)
