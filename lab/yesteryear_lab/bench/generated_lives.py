"""Seeded lives: a year of talk between a person and an assistant, and in it things that matter and things that do not.

Important are events, decisions, who is who, what was corrected later, and habits that show only in being said again;
trivia are not. Each is said in passing, between look-ups, tasks and small talk, and asked about in other words. What is
said stands in ``wordings``, a file for each split; nothing here or there looks at how the product judges it. The same
seed gives the same life on every machine.

A file of lives holds one JSON object a line, as docs/evaluation.md shows; ``at`` is in ISO 8601 with or without an
offset, ``author`` may be missing, ``kind`` is any word, and of an ``answer`` its content words are looked for.
"""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from msgspec import Meta

from yesteryear.errors import InputError
from yesteryear_lab.training.rows import Row, read_as, read_numbered

T = TypeVar("T")

SPLITS = {"dev": 3, "held-out": 2}  # the splits, and how many lives each has unless asked otherwise
LIFE_DAYS = 365  # days from the first message of a generated life to its end
TRIVIA = "trivia"  # kind of the planted things that nobody will need
PLANTED = {"event": 14, "decision": 12, "relationship": 11, "correction": 8, "habit": 6, TRIVIA: 26}
"""How many things of each kind are planted in a life, where the split has wordings for so many."""

_BORN = datetime(2021, 1, 1, tzinfo=UTC)
_BORN_WITHIN_DAYS = 1500
_EXCHANGES_OF_LIFE = (530, 730)  # fewest and most exchanges of a year
_TALKS_A_DAY = 1.5  # talks on a day on which there is talk, on average
_EXCHANGES, _EXCHANGES_WEIGHTS = (1, 2, 3, 4, 5, 6, 8, 12, 16), (18, 26, 20, 13, 8, 6, 4, 3, 2)
"""Exchanges of a talk, and how often there are so many."""
_HOURS = (7, 22)
_TALK_EVERY_MINUTES, _LATER_MINUTES = 75, 15
"""Talks begin so far apart, or later by at most so much; the longest takes 51 minutes."""
_EXCHANGE_S, _REPLY_S = (25, 190), (3, 15)
_CORRECTED_AFTER_DAYS = 14  # fewest days until something is corrected
_AGAIN_AFTER_DAYS = 6  # fewest days until a habit is spoken of again
_DECORATED_SHARE = 0.25  # share of the plain exchanges in which a remark comes first
_FORMS = (
    "{said}",
    "{opener} {said}",
    "{aside} {said}",
    "{said} {aside}",
    "{opener} {aside} {said}",
    "{aside} {said} {other_aside}",
    "{said} {tail}",
    "{aside} {said} {tail}",
)
"""How a planted sentence stands in a message."""
_NAMES = "Robin, Alex, Sasha, Kim, Jules, Noa, Charlie, Toni, Mika, Andy"
_MESSAGE_FIELDS = frozenset({"id", "role", "content", "conversation", "at"})
_SLOT = re.compile(r"\{(\w+)\}")
_BARS = " || "
_CONTINUED = "+ "  # begins a line of the chats that goes on with the one before


@dataclass(frozen=True, slots=True)
class Value:
    """An answer, and the messages that say it."""

    answer: str
    said: Annotated[tuple[str, ...], Meta(min_length=1)]  # ids of messages, at least one, oldest first


@dataclass(frozen=True, slots=True)
class Thing:
    """Something planted in a life, and how to ask about it."""

    id: str
    kind: str
    important: bool
    question: str
    values: Annotated[tuple[Value, ...], Meta(min_length=1)]  # oldest first; the last one said is right


@dataclass(frozen=True, slots=True)
class Life:
    """All that was said in some stretch of time, and what there is to ask about it."""

    id: str
    messages: tuple[Mapping[str, str], ...]  # as ``observe`` takes them, oldest first
    things: tuple[Thing, ...] = ()

    @property
    def begun_at(self) -> datetime:
        """The midnight before the first message."""
        return said_at(self.messages[0]).replace(hour=0, minute=0, second=0, microsecond=0)


def said_at(message: Mapping[str, str]) -> datetime:
    """Return when a message was said, in UTC, which is also the zone of times that name none."""
    at = datetime.fromisoformat(message["at"])
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def write_lives(path: Path, lives: Sequence[Life]) -> None:
    """Write lives as JSON Lines."""
    lines = [json.dumps(asdict(life), ensure_ascii=False) for life in lives]
    try:
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    except OSError as exc:
        raise InputError(f"{path} cannot be written: {exc.strerror}") from exc


def read_lives(path: Path) -> list[Life]:
    """Return the lives of a file."""
    lives = [_read_life(row, where) for where, row in read_numbered(path)]
    if not lives:
        raise InputError(f"{path} holds no lives; each line is an object with id, messages and things")
    return lives


def _read_life(row: Row, where: str) -> Life:
    life = read_as(Life, row, where)
    for message in life.messages:
        if missing := _MESSAGE_FIELDS - message.keys():
            raise InputError(f"{where}: a message has no {', no '.join(sorted(missing))}")
    try:
        life = replace(life, messages=tuple(sorted(life.messages, key=said_at)))
    except ValueError as exc:
        raise InputError(f"{where}: not a life, see docs/evaluation.md: {exc}") from exc
    known = {message["id"] for message in life.messages}
    unknown = [id_ for thing in life.things for value in thing.values for id_ in value.said if id_ not in known]
    if unknown or not known:
        raise InputError(f"{where}: there is no message {unknown[0]!r}" if unknown else f"{where}: nothing was said")
    return life


class Chat(NamedTuple):
    """What somebody says and the reply."""

    said: str
    reply: str


@dataclass(frozen=True, slots=True)
class Wordings:
    """All that can be said in the lives of a split."""

    answers: Mapping[str, Sequence[str]]  # words by slot; each is used once in a life
    talk_words: Mapping[str, Sequence[str]]  # words by slot, used again and again
    planted: Mapping[str, Sequence[Mapping[str, Any]]]
    """By kind: ``say``, ``ask``, ``answer`` and ``marks``; corrections have ``then`` and ``slot`` for ``answer``."""
    openers: Sequence[str]
    asides: Sequence[str]
    tails: Sequence[Chat]  # questions that end a message
    replies: Sequence[str]
    chats: Sequence[Sequence[Chat]]  # exchanges that belong together


def read_wordings(split: str) -> Wordings:
    """Return what can be said in a split."""
    text = (resources.files(__package__) / "wordings" / f"{split}.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)
    talk = {name: [line.strip() for line in lines.strip().splitlines()] for name, lines in found["talk"].items()}
    chats: list[list[Chat]] = []
    for line in talk["chats"]:
        if not line.startswith(_CONTINUED):
            chats.append([])
        chats[-1].append(_chat(line.removeprefix(_CONTINUED)))
    return Wordings(
        answers={slot: _listed(words) for slot, words in found["answers"].items()},
        talk_words={slot: _listed(words) for slot, words in found["talk_words"].items()},
        planted={kind: found[kind] for kind in PLANTED},
        openers=talk["openers"],
        asides=talk["asides"],
        tails=[_chat(line) for line in talk["tails"]],
        replies=talk["replies"],
        chats=chats,
    )


def _listed(words: str) -> list[str]:
    return [word.strip() for word in words.split(",")]


def _chat(line: str) -> Chat:
    said, reply = line.split(_BARS)
    return Chat(said.strip(), reply.strip())


def make_life(split: str, number: int) -> Life:
    """Return a life of a split; the same for the same number."""
    if split not in SPLITS:
        raise InputError(f"there is no split {split!r}; there are: {', '.join(SPLITS)}")
    return _Author(f"{split}-{number}", read_wordings(split)).write()


class _Slot(NamedTuple):
    session: int
    at: datetime


@dataclass(slots=True)
class _Plan:
    """A thing on its way into a life: what is said of it, when, and which value each saying gives."""

    kind: str
    question: str
    answers: list[str]
    sayings: list[tuple[int, str]]  # which of the answers each sentence gives, in the order of their slots
    slots: list[int] = field(default_factory=list)


class _Author:
    def __init__(self, life_id: str, wordings: Wordings) -> None:
        self._id = life_id
        self._wordings = wordings
        self._chance = random.Random(f"yesteryear {life_id}")
        self._unused = {slot: self._shuffled(words) for slot, words in wordings.answers.items()}

    def write(self) -> Life:
        """Return the life."""
        slots = self._lay_out_year()
        plans = self._place(self._plan(), slots)
        said = {slot: text for plan in plans for slot, (_, text) in zip(plan.slots, plan.sayings, strict=True)}
        messages = self._talk(slots, said)
        ids = [message["id"] for message in messages if message["role"] == "user"]
        things = [_thing(plan, ids, str(number)) for number, plan in enumerate(plans, 1)]
        return Life(self._id, tuple(messages), tuple(things))

    def _lay_out_year(self) -> list[_Slot]:
        """Return a slot for each exchange of the year, oldest first."""
        chance = self._chance
        born = _BORN + timedelta(days=chance.randrange(_BORN_WITHIN_DAYS))
        wanted = chance.randint(*_EXCHANGES_OF_LIFE)
        sizes: list[int] = []
        while sum(sizes) < wanted:
            sizes += chance.choices(_EXCHANGES, _EXCHANGES_WEIGHTS)
        slots = []
        for session, (size, begin) in enumerate(zip(sizes, self._begins(len(sizes)), strict=True)):
            at = born + begin
            for _ in range(size):
                slots.append(_Slot(session, at))
                at += timedelta(seconds=chance.randint(*_EXCHANGE_S))
        return slots

    def _begins(self, talks: int) -> list[timedelta]:
        """Return when talks begin, counted from the first midnight; some days have none, some have several."""
        chance = self._chance
        days = [0, *chance.sample(range(1, LIFE_DAYS), round(talks / _TALKS_A_DAY) - 1)]
        days += chance.choices(days, k=talks - len(days))
        hours = range(60 * _HOURS[0], 60 * _HOURS[1], _TALK_EVERY_MINUTES)
        return sorted(
            timedelta(days=day, minutes=begin + chance.randrange(_LATER_MINUTES))
            for day, count in Counter(days).items()
            for begin in chance.sample(hours, count)
        )

    def _plan(self) -> list[_Plan]:
        plans = []
        for kind, wanted in PLANTED.items():
            wordings = self._wordings.planted[kind]
            for wording in self._chance.sample(wordings, min(wanted, len(wordings))):
                if kind == "correction":
                    plans.append(self._correction(wording))
                else:
                    plans.append(self._plain(kind, wording))
        return plans

    def _plain(self, kind: str, wording: Mapping[str, Any]) -> _Plan:
        words: dict[str, str] = {}
        answer = self._fill(wording["answer"], words)
        says = self._shuffled(wording["say"]) if kind == "habit" else [self._chance.choice(wording["say"])]
        sayings = [(0, self._say(say, words)) for say in says]
        return _Plan(kind, self._chance.choice(wording["ask"]), [answer], sayings)

    def _correction(self, wording: Mapping[str, Any]) -> _Plan:
        words = {"old": self._draw(wording["slot"]), "new": self._draw(wording["slot"])}
        sayings = [
            (number, self._say(self._chance.choice(wording[name]), words))
            for number, name in enumerate(("say", "then"))
        ]
        return _Plan("correction", self._chance.choice(wording["ask"]), [words["old"], words["new"]], sayings)

    def _place(self, plans: list[_Plan], slots: Sequence[_Slot]) -> list[_Plan]:
        """Give each saying a slot of its own, with days between those of one thing."""
        free = set(range(len(slots)))
        for plan in sorted(plans, key=lambda plan: -len(plan.sayings)):
            apart = timedelta(days=_AGAIN_AFTER_DAYS if plan.kind == "habit" else _CORRECTED_AFTER_DAYS)
            while True:
                chosen = sorted(self._chance.sample(sorted(free), len(plan.sayings)))
                if all(slots[later].at - slots[earlier].at >= apart for earlier, later in pairwise(chosen)):
                    break
            plan.slots = chosen
            free.difference_update(chosen)
        return sorted(plans, key=lambda plan: plan.slots)

    def _talk(self, slots: Sequence[_Slot], planted: Mapping[int, str]) -> list[Mapping[str, str]]:
        """Return two messages for each slot: what the person says, and the reply."""
        person = self._chance.choice(_listed(_NAMES))
        chats = self._chats()
        going_on: deque[Chat] = deque()
        messages: list[Mapping[str, str]] = []
        for number, slot in enumerate(slots):
            if number in planted:
                chat = self._embed(planted[number])
                going_on.clear()
            else:
                if not going_on or slots[number - 1].session != slot.session:
                    going_on = deque(next(chats))
                chat = going_on.popleft()
            messages += self._exchange(len(messages), slot, chat, person)
        return messages

    def _exchange(self, so_far: int, slot: _Slot, chat: Chat, person: str) -> list[Mapping[str, str]]:
        reply_at = slot.at + timedelta(seconds=self._chance.randint(*_REPLY_S))
        speakers = (("user", person, chat.said, slot.at), ("assistant", "assistant", chat.reply, reply_at))
        return [
            {
                "id": f"m-{number:04}",
                "role": role,
                "author": author,
                "content": content,
                "conversation": f"talk-{slot.session + 1:03}",
                "at": at.isoformat(),
            }
            for number, (role, author, content, at) in enumerate(speakers, so_far + 1)
        ]

    def _chats(self) -> Iterator[list[Chat]]:
        """Yield exchanges that belong together: all there are, then those again that can go otherwise."""
        chats = self._wordings.chats
        while True:
            for chat in self._shuffled(chats):
                words: dict[str, str] = {}
                filled = [Chat(self._fill(said, words), self._fill(reply, words)) for said, reply in chat]
                if self._chance.random() < _DECORATED_SHARE:
                    before = self._chance.choice([*self._wordings.openers, *self._wordings.asides])
                    filled[0] = Chat(f"{self._fill(before, {})} {filled[0].said}", filled[0].reply)
                yield filled
            chats = [chat for chat in chats if all(_SLOT.search(said) for said, _ in chat)]

    def _embed(self, said: str) -> Chat:
        """Return an exchange in which a sentence is said, alone or between others."""
        asides = self._chance.sample(list(self._wordings.asides), 2)
        tail_words: dict[str, str] = {}
        tail = self._chance.choice(self._wordings.tails)
        parts = {
            "opener": self._fill(self._chance.choice(self._wordings.openers), {}),
            "aside": self._fill(asides[0], {}),
            "other_aside": self._fill(asides[1], {}),
            "tail": self._fill(tail.said, tail_words),
        }
        form = self._chance.choice(_FORMS)
        reply = self._chance.choice(self._wordings.replies)
        if "{tail}" in form:
            reply = f"{reply} {self._fill(tail.reply, tail_words)}"
        return Chat(form.format(said=said, **parts), reply)

    def _say(self, wording: str, words: Mapping[str, str]) -> str:
        said = self._fill(wording, dict(words))
        return said[0].upper() + said[1:]

    def _fill(self, text: str, words: dict[str, str]) -> str:
        """Return a text with its slots filled; ``words`` has what is settled and takes what is drawn."""

        def word(slot: re.Match[str]) -> str:
            name = slot[1]
            if name not in words:
                kind = name.rstrip("0123456789")
                is_common = kind in self._wordings.talk_words
                words[name] = self._chance.choice(self._wordings.talk_words[kind]) if is_common else self._draw(kind)
            return words[name]

        return _SLOT.sub(word, text)

    def _draw(self, slot: str) -> str:
        return self._unused[slot].pop()

    def _shuffled(self, items: Sequence[T]) -> list[T]:
        return self._chance.sample(list(items), len(items))


def _thing(plan: _Plan, ids: Sequence[str], thing_id: str) -> Thing:
    """Return what was planned as it came to be said; ``ids`` has the person's message of each slot."""
    values = tuple(
        Value(
            answer,
            tuple(ids[slot] for slot, (place, _) in zip(plan.slots, plan.sayings, strict=True) if place == number),
        )
        for number, answer in enumerate(plan.answers)
    )
    return Thing(thing_id, plan.kind, plan.kind != TRIVIA, plan.question, values)
