"""What people take back of their own messages in a talk, the talk without it, and what they put right of one. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from yesteryear.core.episode import Talk
from yesteryear.core.fact import Fact
from yesteryear.core.fading.confidence import SITTING
from yesteryear.core.language.answers import read_elsewhere
from yesteryear.core.language.corrections import Correction, find_next_correction, joined
from yesteryear.core.language.dates import find_told
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.retractions import Withdrawn, find_retractions, stems_of
from yesteryear.core.language.sentences import Span
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.told.named_task import TaskState
from yesteryear.core.language.told.safety_and_identity import read_bearing
from yesteryear.core.language.told.tasks import find_told_tasks
from yesteryear.core.language.told.tastes import find_tastes
from yesteryear.core.message import Message, Role, Source
from yesteryear.core.reading import MessageReading
from yesteryear.core.time import EPOCH, earlier
from yesteryear.core.whose_words import others_spans

MOST_TAKEN_BACK = 8
"""Messages, at most, from one that is taken back to the one that does so; further on it is about something else.
Source: this and what follows are set by hand, with rows for development in view."""
_ONE_NAME = timedelta(days=1)  # within which something was told that is named by a person's name: much is told of them
_A_THING = timedelta(days=7)  # within which something was told that is named as a thing, not as what was told
_NIGHT = timedelta(hours=12)  # within which something was told where its hour is no day: "what I wrote in the night"
_LATELY = timedelta(days=3)  # within which something was told that is named by its hour alone
MOST_BEHIND = 4  # messages, at most, from one put right to the one that does so; further on it is another matter
_NO_HARM = ("illness", "pregnancy")  # attributes of safety that somebody may keep to themself, if they ask for it


def find_retracted(
    messages: Sequence[Message],
    *,
    before: Sequence[Message] = (),
    readings: Mapping[str, MessageReading] = MappingProxyType({}),
) -> dict[str, tuple[Span, ...]]:
    """Return what people take back in some messages, of these and of those right ``before`` them, by ids.

    A place is taken for the words of its own message; a message with nothing in it is left out. ``readings`` of
    messages, by id, tell what of them is others' words. Who tells what is so instead ("not mondays, tuesdays") takes
    nothing back of what they put right.
    """
    line = [*before, *messages]
    texts = {row.id: row.content for row in line}
    found: dict[str, set[Span]] = defaultdict(set)
    for place, message in enumerate(line[len(before) :], len(before)):
        reading = readings.get(message.id)
        if may_take_back(message, reading):
            near = line[max(0, place - MOST_TAKEN_BACK) : place]
            taken = [(told.id, spans) for told, spans in _retracted_by(message, near)]
            taken += [(told, (span,)) for told, span in _read_as_retracted(message, reading, texts)] if reading else []
            then = correction_by(message, near)
            put_right = then.said.id if then and then.correction.changes else ""
            for told, spans in taken:
                found[told].update(() if told == put_right else spans)
    return {told: tuple(sorted(spans)) for told, spans in found.items() if spans}


def _read_as_retracted(
    message: Message, reading: MessageReading, texts: Mapping[str, str]
) -> Iterator[tuple[str, Span]]:
    """Yield what a reader takes for taken back, and the message it stands in.

    Nothing that bears on safety, and no taste for a thing by its name: who has come round to it ("I used to hate Mark
    Hamill, but now I like him") reads as one who takes something back. Nor what was told before to be done: whoever
    goes on about it ("Not really, I should get going") does, too.
    """
    for name, start, end in reading.retracted:
        told = name or message.id
        said = texts.get(told, "")[start:end]
        is_to_do = bool(name) and any(each.state is TaskState.OPEN for each in find_told_tasks(said))
        is_taste = any(each.is_lasting for each in find_tastes(said))
        if said and not (is_to_do or is_taste or read_bearing(fold(said)).is_guarded):
            yield told, (start, end)


def may_take_back(message: Message, reading: MessageReading | None) -> bool:
    """Tell whether a message takes anything back by its words: it is a person's, and brings no others' words along."""
    is_said = message.role is Role.USER and message.source is not Source.BROUGHT and bool(message.content)
    return is_said and not others_spans(message.content, reading) and not own_words(message.content)[1]


def _retracted_by(then: Message, line: Sequence[Message]) -> Iterable[tuple[Message, tuple[Span, ...]]]:
    """Yield of the last messages of its author, and of itself, what a message takes back."""
    own = [row for row in line if row.role is Role.USER and row.author == then.author and row.content]
    heard = line[-1].content if line and line[-1].author != then.author else ""
    return zip([*own, then], find_retractions([row.content for row in own], then.content, heard=heard), strict=True)


def withdrawn_of(
    asked: Iterable[Withdrawn], message: Message, known: Sequence[tuple[Fact, datetime]]
) -> Iterator[Fact]:
    """Yield the facts that their author asks not to be kept, of all that are ``known`` of them and when each was told.

    Of each thing asked those of the last sitting that has such, and nothing without which somebody may come to harm.
    """
    own = [(fact, at) for fact, at in known if not _may_harm(fact)]
    people = frozenset().union(*(stems_of(fact.holder) for fact, _ in own))
    for each in asked:
        since = _since(each, message, people)
        found = [
            (fact, at) for fact, at in own if at >= since and (each.is_hour or each.names(stems_of(fact.statement)))
        ]
        last = max((at for _, at in found), default=message.at)
        yield from (fact for fact, at in found if each.is_hour or last - at < SITTING)


def _since(asked: Withdrawn, message: Message, people: frozenset[str]) -> datetime:
    """Return from when on something was told that is asked not to be kept."""
    if asked.is_hour:
        days = [each.behind for each in find_told(asked.named, now=message.at, zone=message.zone) if each.behind]
        since = min((day.start for day in days), default=earlier(message.at, _NIGHT))
        return max(since, earlier(message.at, _LATELY))
    if stems_of(asked.named) <= people:
        return earlier(message.at, _ONE_NAME)
    return earlier(message.at, _A_THING) if asked.is_of_late else EPOCH


def _may_harm(fact: Fact) -> bool:
    """Tell whether somebody may come to harm with the next meal or advice where a fact is not known."""
    is_read_so = fact.is_safety and fact.attribute not in _NO_HARM
    return is_read_so or read_bearing(fact.statement, fact.subject, fact.slot).harms_at_once


def without_retracted(talk: Talk) -> Talk:
    """Return a talk in which blanks stand for what its people take back, so that all places stay."""
    exchanges = (
        replace(each, messages=tuple(_without(said, talk.retracted) for said in each.messages))
        for each in talk.exchanges
    )
    return replace(talk, exchanges=tuple(exchanges)) if talk.retracted else talk


def _without(message: Message, retracted: Mapping[str, Iterable[Span]]) -> Message:
    text = message.content
    for start, end in retracted.get(message.id, ()):
        text = text[:start] + " " * (end - start) + text[end:]
    return message if text == message.content else replace(message, content=text)


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
