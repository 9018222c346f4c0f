"""Useful recall: what counts as taking a memory up again, and what does not."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from tests.rows import TALK
from yesteryear.consolidate.retention.feedback import Reply, UptakePolicy, read_reply, taken_up, with_recall
from yesteryear.core.hits import RecallEvent
from yesteryear.core.language.sentences import fingerprints, split_sentences
from yesteryear.core.language.tokens import stems
from yesteryear.core.message import Role
from yesteryear.core.rows.queries import IndexedMessage
from yesteryear.testing.builders import NOON, a_message

POLICY = UptakePolicy()
MEMORY = "Ana bakes her bread from the flour of the mill in Tomar."
QUESTION = "What shall I bake on Sunday?"
HOURS = st.floats(-1000, 1000)


def at(minutes: float) -> datetime:
    """Return the instant so many minutes after the context."""
    return NOON + timedelta(minutes=minutes)


def says(text: str, minutes: float, *, role: Role = Role.USER) -> IndexedMessage:
    """Return a message as the journal's end gives it."""
    return IndexedMessage.of(a_message(text, minutes=minutes, role=role))


def event(*, shown: str = MEMORY, asked: str = QUESTION) -> RecallEvent:
    """Return what a context showed at noon."""
    marks, question = (tuple(fingerprints(split_sentences(text))) for text in (shown, asked))
    return RecallEvent("r1", TALK, NOON, ("e1",), marks, question)


def read(*messages: IndexedMessage, now: float = 5, shown: str = MEMORY, asked: str = QUESTION) -> Reply:
    """Read the reply to a context so many minutes after it."""
    return read_reply(event(shown=shown, asked=asked), messages, POLICY, now=at(now))


def is_taken_up(*messages: IndexedMessage, asked: str = QUESTION) -> bool:
    """Tell whether the memory was taken up again."""
    return taken_up({"e1": MEMORY}, read(*messages, asked=asked), POLICY) == ["e1"]


def test_who_goes_on_about_a_memory_takes_it_up() -> None:
    """With words of it that were not in the question."""
    assert is_taken_up(says(QUESTION, 0), says("Is there any flour from Tomar left?", 1))


@each(
    "answer",
    [
        "Thanks, that helps.",  # nothing of it
        "Then I shall bake on Sunday.",  # the question's own words
        "Flour?",  # one word is chance
        MEMORY,  # the memory read back
        f"Sure. {MEMORY}",
        QUESTION,
    ],
)
def test_anything_else_is_no_taking_up(answer: str) -> None:
    """Thanks, the question again, a single word, or an echo of what was shown."""
    assert not is_taken_up(says(QUESTION, 0), says(answer, 1))


def test_what_others_say_takes_nothing_up() -> None:
    """An assistant who was shown a memory will of course speak of it."""
    assert not is_taken_up(says(QUESTION, 0), says("Take the flour from the mill in Tomar.", 1, role=Role.ASSISTANT))


@each("minutes", [-3, -0.01, 0, 0.01, 3])
def test_the_question_is_known_wherever_it_stands(minutes: float) -> None:
    """Callers observe a message before they ask for its context, or after."""
    asked = "Is there flour from Tomar?"
    assert read(says(asked, minutes), asked=asked).said == frozenset()
    assert not is_taken_up(says(asked, minutes), says("Any flour from Tomar would do.", 4), asked=asked)


def test_a_question_in_a_longer_message_is_not_the_whole_of_it() -> None:
    """What is said beside it counts."""
    found = read(says(f"{QUESTION} The flour from Tomar perhaps.", 1))
    assert found.said == {*stems("The flour from Tomar perhaps.")}


def test_only_the_next_messages_count() -> None:
    """Three of the person within an hour; not what was said before, or much later."""
    words = ["before", "one", "two", "three", "four", "late"]
    minutes = [-1, 1, 20, 59, 59.5, 61]
    messages = [says(f"{word} {word}", minute) for word, minute in zip(words, minutes, strict=True)]
    assert read(*messages, now=70).said == {*stems("one two three")}
    assert read(*messages[:3], messages[5], now=70).said == {*stems("one two")}
    assert read(messages[5], now=70).at is None


def test_the_time_of_a_recall_is_that_of_the_first_answer() -> None:
    """Not when somebody looked."""
    assert read(says(QUESTION, 0), says("hm", 2), says("flour", 9), now=500).at == at(2)


@each(
    ("minutes", "now", "is_over"),
    [
        ([1, 2], 30, False),
        ([1, 2, 3], 4, True),
        ([1], 24 * 60, False),
        ([1], 24 * 60 + 1, True),
        ([1, 61], 62, True),
        ([], 30, False),
        ([], 24 * 60 + 1, True),
        ([1], -5, False),
    ],
)
def test_a_context_is_settled_when_nothing_can_change_it(minutes: list[float], now: float, is_over: bool) -> None:
    """After three answers, after something later, or after a day; not because a clock goes back."""
    assert read(*(says("hm", minute) for minute in minutes), now=now).is_over is is_over


def test_words_that_are_gone_say_nothing() -> None:
    """A message that was forgotten takes nothing up."""
    assert read(says("", 1), says("", 2)).at is None


def test_each_memory_is_judged_by_itself() -> None:
    """One context shows several; those are strengthened that were meant."""
    shown = {"e1": MEMORY, "e2": "Ana runs in the morning along the river.", "e3": ""}
    found = read(says("Is there flour from Tomar?", 1), says("I ran along the river.", 2))
    assert taken_up(shown, found, POLICY) == ["e1", "e2"]
    assert taken_up({}, found, POLICY) == []


@given(st.text(), st.text(), st.text())
def test_an_echo_never_takes_anything_up(shown: str, asked: str, said: str) -> None:
    """Whatever is said again of what was shown or asked, alone or together."""
    answers = [says(text, 1) for text in (shown, asked, f"{shown}\n{asked}") if text]
    reply = read(*answers, shown=shown, asked=asked)
    assert taken_up({"e1": f"{shown} {asked} {said}"}, reply, POLICY) == []


@given(st.lists(HOURS, max_size=20))
def test_a_day_has_one_useful_recall_at_most(hours: list[float]) -> None:
    """In order, never closer than a day, whatever the order in which they came."""
    recalls: tuple[datetime, ...] = ()
    for hour in hours:
        longer = with_recall(recalls, NOON + timedelta(hours=hour), POLICY)
        assert set(recalls) <= set(longer)
        recalls = longer
    assert list(recalls) == sorted(recalls)
    gaps = [then - first for first, then in itertools.pairwise(recalls)]
    assert all(gap >= timedelta(hours=POLICY.apart_hours) for gap in gaps)
    assert bool(recalls) == bool(hours)


def test_the_newest_useful_recalls_are_kept() -> None:
    """A row does not grow without end."""
    recalls: tuple[datetime, ...] = ()
    for day in range(POLICY.most + 9):
        recalls = with_recall(recalls, NOON + timedelta(days=day), POLICY)
    assert (len(recalls), recalls[-1]) == (POLICY.most, NOON + timedelta(days=POLICY.most + 8))
