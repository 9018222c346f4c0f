"""What the row of a message keeps of the numbers in it: whose, in which sentences, and in answer to what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rows import ASKED, KEPT, SKIPPED, STEPS
from yesteryear.core.message import Message, Reason, Role, Source, Verdict
from yesteryear.core.reading import MessageReading, ReadSentence, SpeakerStance
from yesteryear.measure.told import numbers_of, with_numbers
from yesteryear.testing.builders import a_message

WALKED, SPENT = "I walked 8,381 steps today.", "I spent $12.39 on lunch."


def said(text: str, *, verdict: Verdict | None = KEPT, **changes: object) -> Message:
    """Return a judged message."""
    return a_message(text, verdict=verdict, **changes)  # type: ignore[arg-type]


def read(text: str, stance: SpeakerStance, *, is_brought: bool = False) -> MessageReading:
    """Return a message of which the first sentence is held, and the second has a stance."""
    start = text.index(". ") + 2
    return MessageReading(
        "r",
        (
            ReadSentence(0, start - 1, 0.9, SpeakerStance.HOLDS, answers=False),
            ReadSentence(start, len(text), 0.9, stance, answers=False, is_brought=is_brought),
        ),
    )


def test_what_a_person_says_of_their_life_is_told() -> None:
    """Whether the message was kept or skipped, with whose source was told and without."""
    assert numbers_of(said(WALKED)) == (STEPS,)
    assert numbers_of(said(WALKED, verdict=SKIPPED)) == numbers_of(said(WALKED, verdict=None)) == (STEPS,)
    (lunch,) = numbers_of(said(SPENT, verdict=replace(KEPT, source=Source.SAID)))
    assert (lunch.value, lunch.unit, lunch.what) == (12.39, "USD", "lunch")
    assert numbers_of(said("I moved my runs to the morning.")) == ()


@pytest.mark.parametrize("source", [source for source in Source if source is not Source.SAID])
def test_what_is_not_the_persons_own_tells_nothing(source: Source) -> None:
    """Others' words, text that was brought along, a program's."""
    assert numbers_of(said(WALKED, verdict=replace(KEPT, source=source))) == ()


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.USER])
def test_only_who_speaks_in_the_role_of_a_user_tells(role: Role) -> None:
    """An assistant walks no steps."""
    assert numbers_of(said(WALKED, role=role)) == ()


@pytest.mark.parametrize("verdict", [ASKED, replace(SKIPPED, reason=Reason.INSTRUCTION_INJECTION)])
def test_what_is_hidden_tells_nothing(verdict: Verdict) -> None:
    """A request to forget, and orders to an assistant."""
    assert numbers_of(said(WALKED, verdict=verdict)) == ()


def test_where_words_were_not_kept_what_was_read_stands() -> None:
    """Nothing can be read of them again."""
    assert numbers_of(said("", numbers=(STEPS,))) == (STEPS,)
    assert numbers_of(said(SPENT, numbers=(STEPS,))) != (STEPS,)


def test_a_sentence_that_is_not_meant_tells_nothing() -> None:
    """As the reader tells; its neighbours do. What is planned, denied or over is left to the rules."""
    text = f"{WALKED} {SPENT}"
    silent = {SpeakerStance.IMAGINED, SpeakerStance.JOKING, SpeakerStance.QUOTED}
    for stance in SpeakerStance:
        found = numbers_of(said(text), reading=read(text, stance))
        assert [row.measure for row in found] == (["steps"] if stance in silent else ["steps", "spent"])
    assert numbers_of(said(text), reading=read(text, SpeakerStance.HOLDS, is_brought=True)) == (STEPS,)
    assert len(numbers_of(said(text), reading=MessageReading("r"))) == 2


def test_a_number_may_answer_what_somebody_else_said_right_before() -> None:
    """Neither one's own words before nor a program's, nor what was said earlier, ask anything."""
    question, answer = "How long did you sleep?", "About 6 hours."
    line = [
        a_message(question, seq=1, role=Role.ASSISTANT),
        said(answer, seq=2),
        said(answer, seq=3),
        a_message(question, seq=4, role=Role.TOOL),
        said(answer, seq=5),
        a_message(question, seq=6, author="Ben"),
        said(answer, seq=7),
        said(answer, seq=9),
    ]
    told = with_numbers(line, {}, around=reversed(line))
    assert [row.seq for row in told if row.numbers] == [2, 7]
    assert [replace(row, numbers=()) for row in told] == line
    assert {number.measure for row in told for number in row.numbers} == {"sleep"}
    assert [row.numbers for row in with_numbers([line[1]], {}, around=[])] == [()]


def test_readings_belong_to_their_messages() -> None:
    """One that was not read is taken by its words."""
    text = f"{WALKED} {SPENT}"
    line = [said(text, seq=1), said(text, seq=2)]
    told = with_numbers(line, {"c1-1": read(text, SpeakerStance.JOKING)}, around=line)
    assert [len(row.numbers) for row in told] == [1, 2]


def test_what_is_beyond_all_measure_is_none() -> None:
    """It could not be written down, or not exactly."""
    assert numbers_of(said(f"I did {'9' * 400} pushups today.")) == ()
    assert numbers_of(said("I did 999,999,999,999,999,999 pushups today.")) == ()
