"""How a stretch of talk is read, each message in its place, and judged by what was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.readings import BY_HAND, ScriptedReader, a_reading, stated
from tests.talks import a_conversation
from tests.workshop import open_workshop
from yesteryear.core.language.requests import read_forget_request
from yesteryear.core.message import Message, Role
from yesteryear.core.reading import Before, MessageReading
from yesteryear.errors import ProviderUnavailable
from yesteryear.ports import Reader
from yesteryear.providers.local.word_reader import WordReader
from yesteryear.remember.journal import request_verdict
from yesteryear.remember.make_episodes import Judged, RememberPolicy, judge_segment
from yesteryear.testing.builders import a_message


def judged(messages: Sequence[Message], reader: Reader, *, before: Sequence[Message] = ()) -> Judged:
    """Return what comes of a stretch of talk."""
    with open_workshop(":memory:") as shop:
        ports = replace(shop.ports, reader=reader)
        return judge_segment(messages, ports, policy=RememberPolicy(), before=before)


def scores(found: Judged) -> list[float]:
    """Return the score of each exchange, told once for its messages."""
    return [message.verdict.score for message in found.messages if message.verdict and message.role is Role.USER]


def by_colour(text: str) -> MessageReading:
    """Read blue as worth it; green cannot be read."""
    if "green" in text:
        raise ProviderUnavailable("the reader cannot be reached")
    return a_reading(text, stated(text), worth=0.9 if "blue" in text else 0.1)


def test_each_message_is_read_once_in_its_place() -> None:
    """After what was said before, by whom; replies, the empty and what was said earlier are not read."""
    before = a_message("Which one?", seq=1, role=Role.ASSISTANT)
    messages = [
        a_message("the blue one", seq=2),
        a_message("sure?", seq=3, author="Bo"),
        a_message("Noted.", seq=4, role=Role.ASSISTANT),
        a_message("yes", seq=5),
    ]
    reader = ScriptedReader(by_colour)
    judged(messages, reader, before=[before])
    blue, sure, noted, _ = (message.id for message in messages)
    which = Before("assistant", "Which one?", before.id)
    assert reader.asked[:2] == [
        ("the blue one", (which,)),
        ("sure?", (which, Before("them", "the blue one", blue))),
    ]
    text, place = reader.asked[2]
    assert text == "yes"
    assert place == (
        which,
        Before("me", "the blue one", blue),
        Before("them", "sure?", sure),
        Before("assistant", "Noted.", noted),
    )
    assert len(reader.asked) == 3


def test_what_was_read_decides_what_is_kept_and_stated() -> None:
    """The facts say which reader it was."""
    found = judged(a_conversation("the blue one", "Noted.", "the red one", "Noted."), ScriptedReader(by_colour))
    assert scores(found) == [0.9, 0.1]
    assert found.digest is not None
    assert [(fact.quote, fact.reader) for fact in found.digest.facts] == [("the blue one", BY_HAND)]


def test_what_puts_something_right_is_kept_with_it() -> None:
    """However little it says by itself; not what puts right what was not kept, nor what a rule settles."""
    reader = ScriptedReader(lambda text: a_reading(text, stated(text), worth=0.1))
    found = judged(a_conversation("I live in Leeds.", "Noted.", "no wait, York", "Noted."), reader)
    assert found.digest is not None
    assert [fact.statement for fact in found.digest.facts] == ["Ana lives in York"]
    assert [message.verdict.rule for message in found.messages[::2] if message.verdict] == [
        "about_oneself",
        "puts_right",
    ]
    assert scores(judged(a_conversation("it was 22 there", "Ok.", "no wait, 23", "Ok."), reader)) == [0.1, 0.1]


def test_what_says_that_a_task_is_done_is_kept_with_it() -> None:
    """However little it says; and is told behind it, so that it is known what is done."""
    reader = ScriptedReader(lambda text: a_reading(text, stated(text), worth=0.1))
    found = judged(a_conversation("I have to post the parcel.", "Good luck!", "It's in the post", "Yay."), reader)
    assert found.digest is not None
    assert found.digest.facts[-1].statement == 'Ana said: "I have to post the parcel. It\'s in the post"'
    assert scores(found) == [1.0, 1.0]
    assert scores(judged(a_conversation("The parcel came.", "Ok.", "It's in the post", "Yay."), reader)) == [0.1, 0.1]


def test_what_cannot_be_read_is_judged_as_without_a_model(caplog: pytest.LogCaptureFixture) -> None:
    """It and what follows; the log says so once, without its words."""
    talk = a_conversation("the green one", "Noted.", "the blue one", "Noted.")
    green, blue = scores(judged(talk, ScriptedReader(by_colour)))
    assert [green, blue] == scores(judged(talk, WordReader()))
    assert caplog.text.count("by words alone") == 1
    assert "green" not in caplog.text


def test_words_of_nobody_are_not_read() -> None:
    """Replies alone are settled by a rule."""
    reader = ScriptedReader(by_colour)
    judged([a_message("hi", role=Role.ASSISTANT)], reader)
    assert reader.asked == []


@pytest.mark.parametrize(("pause", "is_near"), [(timedelta(minutes=29), True), (timedelta(minutes=30), False)])
def test_what_was_said_before_a_pause_is_no_place(pause: timedelta, is_near: bool) -> None:
    """A message is read after those of its own sitting, and never after what was asked to be forgotten."""
    before = a_message("Which one?", seq=1, role=Role.ASSISTANT)
    forgotten = replace(a_message("forget that", seq=2), verdict=request_verdict(read_forget_request("forget that")))
    later = replace(a_message("the blue one", seq=3), at=before.at + pause)
    reader = ScriptedReader(by_colour)
    judged([later], reader, before=[before, replace(forgotten, at=before.at)])
    place = (Before("assistant", "Which one?", before.id),) if is_near else ()
    assert reader.asked == [("the blue one", place)]
