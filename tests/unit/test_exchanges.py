"""How messages group into exchanges."""

from __future__ import annotations

from tests.talks import a_conversation
from yesteryear.core.language.discourse import begins_with
from yesteryear.core.message import Message, Role
from yesteryear.remember.segment import group_exchanges
from yesteryear.testing.builders import a_message


def sizes(messages: list[Message]) -> list[int]:
    """Return how many messages each exchange has."""
    return [len(exchange.messages) for exchange in group_exchanges(messages)]


def test_an_exchange_is_what_the_user_said_and_the_replies() -> None:
    """A user's run and all replies to it belong together."""
    roles = [Role.USER, Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT, Role.USER, Role.ASSISTANT]
    assert sizes([a_message(seq=seq, role=role) for seq, role in enumerate(roles, 1)]) == [5, 2]


def test_replies_before_the_first_user_message_stand_apart() -> None:
    """A greeting by the assistant is no reply to anything."""
    roles = [Role.SYSTEM, Role.ASSISTANT, Role.USER, Role.ASSISTANT]
    assert sizes([a_message(seq=seq, role=role) for seq, role in enumerate(roles, 1)]) == [2, 2]


def test_talk_between_two_people_groups_by_three() -> None:
    """Where all speak in the user's role, an exchange is a run of three messages."""
    lines = [("Ana", "I ran"), ("Ben", "where?"), ("Ana", "river"), ("Ben", "nice"), ("Ana", "cold"), ("Ben", "ha")]
    assert sizes(a_conversation(*lines, ("Ana", "bye"))) == [3, 3, 1]


def test_an_announced_topic_begins_an_exchange_between_people() -> None:
    """An announcement parts what three messages would have held together."""
    lines = [("Ana", "I ran"), ("Ben", "By the way, I sold the car"), ("Ana", "no!"), ("Ben", "yes")]
    assert sizes(a_conversation(*lines)) == [1, 3]


def test_notes_without_replies_group_by_three() -> None:
    """One who talks to nobody is not judged all at once."""
    assert sizes([a_message(seq=seq) for seq in range(1, 6)]) == [3, 2]


def test_nothing_said_is_no_exchange() -> None:
    """An empty stretch has none."""
    assert group_exchanges([]) == []


def test_a_topic_is_announced_at_the_start_only() -> None:
    """The same words within a sentence announce nothing."""
    assert begins_with("openers", "Ok so, on another note: the car is gone")
    assert begins_with("openers", "btw I moved")
    assert not begins_with("openers", "she told me by the way she left")
    assert not begins_with("openers", "another day, another run")
