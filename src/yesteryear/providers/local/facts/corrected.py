"""What somebody said, with what they, or whoever they talk to, put right of it: in the message itself or the next."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress

from yesteryear.core.episode import Talk
from yesteryear.core.language.corrections import Correction, find_corrections, joined, put_right
from yesteryear.core.language.sentences import Span, meet, sentence_spans
from yesteryear.core.message import Message, Role
from yesteryear.core.reading import ReadStatement
from yesteryear.core.retracted import MOST_BEHIND, NextCorrection, correction_by
from yesteryear.providers.local.facts.said import SaidStatement

_BETWEEN = " \n\t,;:.!…)–—-"  # what parts the words behind a correction from it


@dataclass(frozen=True, slots=True)
class Corrected:
    """A message with what was put right of it."""

    text: str  # its words, with those of the message by which it was put right behind them
    corrections: tuple[Correction, ...] = ()
    by: Message | None = None  # the next message, where that puts it right by the last of them

    @classmethod
    def of(cls, message: Message, then: NextCorrection | None) -> Corrected:
        """Return a message with what is put right of it."""
        found = find_corrections(message.content)
        if then is None:
            return cls(message.content, found)
        return cls(joined(message.content, then.message.content), (*found, then.correction), then.message)

    @property
    def begin(self) -> int:
        """Where the next message begins; the end of the text where there is none."""
        return len(self.text) - len(self.by.content if self.by else "")

    @property
    def joints(self) -> tuple[Span, ...]:
        """Start and end of what is to be told together: words that were wrong, and those that put them right."""
        return tuple((self._first(each), each.end) for each in self.corrections)

    def of_statement(self, read: ReadStatement) -> Corrected:
        """Return the same with those corrections that concern a statement, by the sentence in which it begins."""
        spans = sentence_spans(self.text)
        start, end = next((span for span in spans if span[0] <= read.start < span[1]), (read.start, read.end))
        near = [meet((min(start, read.start), max(end, read.end)), [joint]) for joint in self.joints]
        kept = tuple(compress(self.corrections, near))
        return replace(self, corrections=kept, by=self.by if self.by and near[-1] else None)

    def as_right(self, said: SaidStatement) -> SaidStatement:
        """Return a statement as it should have been told; as it was told where that is not clear, or right."""
        right = put_right(self.text, self.corrections) if all(each.changes for each in self.corrections) else None
        if right is None or right.text == self.text:
            return said
        start, end = right.place(said.read.start), right.place(said.read.end)
        return replace(said, text=right.text, read=replace(said.read, start=start, end=end), joints=(), not_meant=())

    def quote(self, read: ReadStatement) -> str:
        """Return the words that a statement rests on: of the message by which it was put right, if it is another."""
        if self.by is None:
            ends = [each.end for each in self.corrections if self._first(each) < read.end]
            return self.text[read.start : max([read.end, *ends])].strip()
        return self.text[self.begin : self.corrections[-1].end].strip()

    def named(self, read: ReadStatement) -> ReadStatement:
        """Return a statement with the right name of whom it is about."""
        changes = [change for each in self.corrections if read.name for change in each.changes]
        right = (new for old, new in changes if read.name.casefold() == self.text[slice(*old)].casefold())
        return replace(read, name=self.text[slice(*found)]) if (found := next(right, None)) else read

    def puts_right(self, at: int) -> bool:
        """Tell whether the words at a place put something right."""
        return any(each.start <= at < each.end for each in self.corrections)

    def is_told_by(self, read: ReadStatement, others: Sequence[ReadStatement]) -> bool:
        """Tell whether a statement is no more than what puts right another of them, with which it is told."""
        put = next((each for each in self.corrections if each.start <= read.start and read.end <= each.end), None)
        before = [other.end for other in others if put and other is not read and other.start <= put.start]
        return put is not None and self._first(put) < max(before, default=0)

    def told_together(self, sentences: Iterable[Span]) -> Iterator[tuple[str, str]]:
        """Yield some sentences of the message, each as it stands, and with what puts it right behind it."""
        done = 0
        for start, stop in sentences:
            if start < done:
                continue
            joint = next((joint for joint in self.joints if meet((start, stop + 1), [joint])), None)
            done = max(stop, joint[1]) if joint else stop
            said = self.text[start:stop]
            if told := " ".join(self.text[start:done].split()) if joint else said:
                yield said, told

    def _first(self, correction: Correction) -> int:
        before = len(self.text[: correction.start].rstrip()) - 1
        return max(0, min(correction.begins, before))


def find_next_corrections(talk: Talk) -> dict[str, NextCorrection]:
    """Return by the ids of messages what is put right of them a little later in a talk; of several the first."""
    found: dict[str, NextCorrection] = {}
    line: deque[Message] = deque(maxlen=MOST_BEHIND)
    for exchange in talk.exchanges:
        for message in exchange.messages:
            is_own = message.role is Role.USER and message.id not in exchange.brought
            if is_own and (then := correction_by(message, [*line])):
                found.setdefault(then.said.id, then)
            line.append(message)
    return found


def without_first(message: Message, chars: int) -> Message:
    """Return a message whose first characters are blank, as they were told already; places in it stay."""
    rest = message.content[chars:].lstrip(_BETWEEN)
    return replace(message, content=rest.rjust(len(message.content))) if chars else message
