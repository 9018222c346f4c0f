"""Which message puts right one before it, and what of it: the author's own last words, or another's. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from yesteryear.core.language.answers import read_elsewhere
from yesteryear.core.language.corrections import Correction, find_next_correction, joined
from yesteryear.core.message import Message, Role

MOST_BEHIND = 4  # messages, at most, from one put right to the one that does so; further on it is another matter


class NextCorrection(NamedTuple):
    """What a message puts right of one before it."""

    said: Message
    correction: Correction  # its places are those of both messages joined
    message: Message

    @property
    def text(self) -> str:
        """Both messages as one text."""
        return joined(self.said.content, self.message.content)

    @property
    def begin(self) -> int:
        """Where in that text the second begins."""
        return len(self.text) - len(self.message.content)

    @property
    def words(self) -> str:
        """The words that put it right."""
        return self.text[self.begin : self.correction.end].strip()


def correction_by(then: Message, line: Sequence[Message]) -> NextCorrection | None:
    """Return what a message of a person puts right of the few before it: their own last words, else another's.

    Another's only right behind them. Behind a question of somebody else a mere "no" puts nothing right.
    """
    if read_elsewhere(then.content) is not None:
        return None  # it is somebody else's, and no other value
    line = line[-MOST_BEHIND:]
    people = [row for row in line if row.role is Role.USER and row.content]
    own = [row for row in reversed(people) if row.author == then.author]
    for number, said in enumerate(own):
        asked = any(row.content.rstrip().endswith("?") for row in line if row.seq > said.seq)
        found = find_next_correction(said.content, then.content, asked=asked)
        if found is not None and (found.changes or number == 0):
            return NextCorrection(said, found, then)
    if people and people[-1].author != then.author and line[-1] is people[-1]:
        found = find_next_correction(people[-1].content, then.content, by_other=True)
        return NextCorrection(people[-1], found, then) if found is not None else None
    return None
