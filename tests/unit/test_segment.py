"""Where a stretch of talk ends."""

from __future__ import annotations

from datetime import timedelta

from tests.each import each
from tests.talks import a_conversation
from yesteryear.core.message import Message, Role
from yesteryear.remember.segment import ClosedBy, SegmentPolicy, cut_segments
from yesteryear.testing.builders import a_message

POLICY = SegmentPolicy()

RUNNING = (
    "I want to run the river marathon in autumn",
    "A marathon in autumn gives you twenty weeks of training.",
    "my longest run so far was eleven kilometres along the river",
    "Eleven kilometres is a fine base for marathon training.",
    "training hurts my left knee on hills",
    "Keep to the flat river path until the knee is calm.",
)
TAXES = (
    "The accountant wants every invoice of the bakery by Friday",
    "Which invoices are missing?",
    "flour and packaging, the accountant lost half of them",
    "Ask the suppliers for copies of those invoices.",
    "the packaging supplier closed, only the accountant had paper",
    "Then a statement from the bank will do for the accountant.",
)


def ends(messages: list[Message], **options: object) -> list[tuple[int, str]]:
    """Return the sizes of the closed stretches and what ended them."""
    segments = cut_segments(messages, POLICY, **options)  # type: ignore[arg-type]
    return [(len(segment.messages), segment.closed_by.value) for segment in segments]


def chatter(count: int, **options: object) -> list[Message]:
    """Return messages in turns that share a subject and say little."""
    return a_conversation(*(f"the run, part {number}" for number in range(count)), **options)  # type: ignore[arg-type]


def test_fifteen_messages_of_one_person_are_an_episode() -> None:
    """Notes end at the threshold exactly."""
    assert ends([a_message("the run", seq=seq) for seq in range(1, 33)]) == [(15, "messages"), (15, "messages")]


def test_a_reply_stays_with_its_question() -> None:
    """The fifteenth message asks, so the sixteenth still belongs."""
    assert ends(chatter(40)) == [(16, "messages"), (16, "messages")]


def test_an_episode_ends_at_the_reply() -> None:
    """A reply as the fifteenth message ends it at once."""
    greeting = a_message("Welcome to the run", seq=1, role=Role.ASSISTANT)
    assert ends([greeting, *chatter(14)]) == [(15, "messages")]


def test_waiting_for_a_reply_has_an_end() -> None:
    """Without a reply the episode ends two messages late at most."""
    talk = chatter(14) + [a_message("the run", seq=seq, minutes=seq) for seq in range(15, 19)]
    assert ends(talk) == [(17, "messages")]


def test_a_pause_ends_an_episode() -> None:
    """Half an hour between two messages parts them."""
    first, later = a_message("the run", seq=1), a_message("the run", seq=2, minutes=30)
    assert ends([first, later]) == [(1, "pause")]
    assert ends([first, a_message("the run", seq=2, minutes=29.9)]) == []


def test_a_clock_that_goes_backwards_is_no_pause() -> None:
    """A message said before the one that arrived first parts nothing."""
    assert ends([a_message("the run", seq=1), a_message("the run", seq=2, minutes=-600)]) == []


def test_a_request_to_remember_ends_with_its_reply() -> None:
    """The episode holds what the request was about and the answer to it."""
    talk = a_conversation("I am allergic to nuts", "Noted.", "please remember that", "I will.", "what's for dinner?")
    assert ends(talk) == [(4, "request")]


def test_a_request_between_people_waits_for_the_answer() -> None:
    """Where both speak in the user's role, the other one's answer belongs too."""
    lines = [("Ana", "Remember that I'm allergic to nuts"), ("Ben", "Got it"), ("Ana", "good")]
    assert ends(a_conversation(*lines)) == [(2, "request")]


def test_a_request_at_the_end_is_closed_as_such() -> None:
    """When nothing follows, flushing ends the episode and names the request."""
    assert ends(a_conversation("please remember that I am vegan", "Noted."), close_all=True) == [(2, "request")]


def test_an_announced_topic_ends_an_episode() -> None:
    """An announcement parts talk of six messages and more, not less."""
    announced = "By the way, what should I read about taxes?"
    assert ends(a_conversation(*RUNNING, announced)) == [(6, "topic")]
    assert ends(a_conversation(*RUNNING[:4], announced)) == []


def test_a_greeting_on_another_subject_ends_an_episode() -> None:
    """Who says good morning and speaks of something else starts anew; who goes on does not."""
    assert ends(a_conversation(*RUNNING, "Good morning! The accountant called")) == [(6, "topic")]
    assert ends(a_conversation(*RUNNING, "Good morning! My knee survived the marathon training run")) == []


def test_talk_that_shares_no_word_with_what_came_before_is_another_topic() -> None:
    """Six messages about invoices after six about running part where the words change."""
    assert ends(a_conversation(*RUNNING, *TAXES)) == [(6, "topic")]


def test_an_answer_is_no_change_of_topic() -> None:
    """What follows a question belongs to it, whatever its words."""
    asked = (*RUNNING[:-1], "What else keeps you busy?")
    assert ends(a_conversation(*asked, *TAXES)) == []


def test_closing_by_hand_ends_what_came_before() -> None:
    """Everything up to the given message is closed, what follows stays open."""
    assert ends(chatter(5), close_through=3) == [(3, "hand")]
    assert ends(chatter(40), close_through=20) == [(16, "messages"), (4, "hand"), (16, "messages")]


def test_the_tail_closes_when_nothing_was_said_for_long() -> None:
    """Half an hour of silence ends the tail, a minute less does not."""
    assert ends(chatter(4), idle=timedelta(minutes=30)) == [(4, "pause")]
    assert ends(chatter(4), idle=timedelta(minutes=29)) == []


def test_flushing_closes_the_tail() -> None:
    """All that is open ends, and nothing is made of nothing."""
    assert ends(chatter(4), close_all=True) == [(4, "flush")]
    assert ends([], close_all=True) == []


@each("threshold", [1, 2, 5])
def test_the_threshold_can_be_set(threshold: int) -> None:
    """A smaller episode is a setting."""
    notes = [a_message("the run", seq=seq) for seq in range(1, 11)]
    segments = cut_segments(notes, SegmentPolicy(message_threshold=threshold))
    assert {len(segment.messages) for segment in segments} == {threshold}
    assert {segment.closed_by for segment in segments} == {ClosedBy.MESSAGES}
