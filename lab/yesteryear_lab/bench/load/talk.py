"""Made-up messages, each told by its number: the same number is always the same message."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import NamedTuple

import yesteryear

USERS = ("ana", "ben", "eve", "kai")  # who speaks in the durability suites
EPISODE_MESSAGES = 4
"""Messages that make an episode in the durability suites: few, so that there is always one in the making."""
CONVERSATIONS = ("kitchen", "office")  # where they speak
_CONVERSATION_MESSAGES = 40  # of a conversation that a writer writes to

_LINES = (
    "I moved my runs to {day}, before {thing}; I feel so much better that way.",
    "My {person} is visiting on {day}, remind me that she cannot eat {food}.",
    "We decided to postpone {thing} until {day} and to tell {name} about it.",
    "ok thanks",
    "I have been stuck on {thing} since {day} and it really frustrates me.",
    "Please remember that I prefer {food} when I work late on {thing}.",
    "what's the weather like on {day}?",
    "Great news: {name} accepted the offer, so {thing} can go ahead!",
    "I am afraid of the appointment on {day}; my {person} comes along.",
    "lol yes",
    "From now on I want to spend {day} evenings without any screens.",
    "Could you explain once more how {food} is made?",
)
_WORDS = {
    "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "thing": ("the thesis", "the marathon", "the move", "my piano exam", "the garden", "the tax return"),
    "person": ("sister", "mother", "best friend", "grandmother", "neighbour"),
    "food": ("nuts", "dark bread", "mushroom soup", "oat milk", "sourdough", "pumpkin", "green tea"),
    "name": ("Lena", "Piotr", "Amara", "Jo", "Kenji", "Marisol"),
}


def line(number: int) -> str:
    """Return what is said as message ``number``; a few dozen characters, natural, some of it worth keeping."""
    words = {name: choices[number // step % len(choices)] for step, (name, choices) in enumerate(_WORDS.items(), 1)}
    return _LINES[number % len(_LINES)].format(**words)


def write(memory: yesteryear.Memory, numbers: range) -> None:
    """Observe messages, one after the other."""
    for number in numbers:
        memory.observe(line(number), conversation=f"c{number // _CONVERSATION_MESSAGES}")


def pile_up(memory: yesteryear.Memory, messages: int, *, of_conversation: int) -> Iterator[str]:
    """Observe so many messages that nobody works on yet, a conversation at once; yield the names of these."""
    for first in range(0, messages, of_conversation):
        numbers = range(first, min(messages, first + of_conversation))
        name = f"backlog-{first}"
        memory.observe([{"content": line(number)} for number in numbers], conversation=name)
        yield name


class Sent(NamedTuple):
    """A message as its sender knows it."""

    user: str
    conversation: str
    id: str

    @property
    def content(self) -> str:
        """The text, which follows from the id."""
        return f"{line(zlib.crc32(self.id.encode()))} ({self.id})"
