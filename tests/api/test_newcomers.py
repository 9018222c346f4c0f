"""What people who try the library for the first time pass to it, and what they expect to find."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

import yesteryear
from yesteryear import Memory, ReplayClock, errors
from yesteryear.core.message import Receipt

NOW = datetime(2026, 3, 2, 18, 40, tzinfo=UTC)


@pytest.fixture
def memory() -> Iterator[Memory]:
    """Return Pat's memory, which is empty."""
    with yesteryear.open(":memory:", clock=ReplayClock(NOW), worker="none", embedder="hashing") as made:
        yield made.memory(user="pat")


def test_a05_a_message_may_be_as_chat_apis_write_it(memory: Memory) -> None:
    """Whoever passes on what they send to their model would have to rewrite every message."""
    receipt = memory.observe(
        {
            "role": "user",
            "name": "Pat",
            "content": [
                {"type": "text", "text": "My dog is called Biscuit."},
                {"type": "image_url", "image_url": {"url": "https://example.org/dog.png"}},
            ],
        },
        conversation="c1",
    )
    memory.observe(
        [
            {"role": "assistant", "content": None, "tool_calls": [{"id": "t1", "function": {"name": "weather"}}]},
            {"role": "tool", "tool_call_id": "t1", "content": "sunny"},
        ],
        conversation="c1",
    )

    assert isinstance(receipt, Receipt)
    assert [(row.author, row.text) for row in memory.messages(conversation="c1")] == [
        ("Pat", "My dog is called Biscuit.\n[image]"),
        ("assistant", "[calls tools]"),
        ("tool", "sunny"),
    ]


@pytest.mark.parametrize("content", [[], [{}], ["text"], {"text": "hi"}])
def test_a05_parts_that_are_none_are_refused(memory: Memory, content: Any) -> None:
    """A list that holds no parts would be taken down as an empty or a made-up message."""
    with pytest.raises(errors.InputError, match="content must be text"):
        memory.observe({"role": "user", "content": content})


def test_a06_hits_and_messages_have_their_text_by_both_names(memory: Memory) -> None:
    """Whoever knows one of the two would meet an AttributeError at the other."""
    memory.observe("I moved my runs to the morning.")

    assert memory.recall("runs")[0].content == memory.recall("runs")[0].text
    assert next(iter(memory.messages())).text == "I moved my runs to the morning."


def test_a06_a_wrong_status_is_told_all_that_there_are(memory: Memory) -> None:
    """The words that are used most would stay unknown."""
    with pytest.raises(errors.InputError, match="one of current, all, tentative"):
        memory.facts(status="old")


def test_a06_a_date_far_ahead_is_taken_with_a_word(memory: Memory) -> None:
    """A slip in a date would show first when the memory speaks of the future as of the past."""
    assert memory.observe("I moved.").notes == ()
    assert "dated 2099-01-01" in memory.observe("I moved.", at="2099-01-01T00:00:00Z").notes[0]


def test_a02_what_was_just_said_elsewhere_is_there_at_once(memory: Memory) -> None:
    """The first memory that somebody tells in one talk would be unknown in the next, for half an hour."""
    memory.observe("My favourite band is Radiohead.", conversation="A")
    memory.observe("Is it raining in Oslo?", conversation="A")

    assert "Radiohead" in memory.context("Which music do I like?", conversation="B").text
    assert "Oslo" not in memory.context("Which music do I like?", conversation="B").text


def test_a02_of_what_was_just_said_what_may_harm_comes_first(memory: Memory) -> None:
    """Somebody tells of an allergy, talks on, and asks elsewhere what to cook."""
    memory.observe("I'm allergic to shellfish.", conversation="A")
    for place in ("Crete", "Oslo", "Porto", "Lima", "Rome"):
        memory.observe(f"My uncle has a house near {place}.", conversation="A")

    assert "shellfish" in memory.context("Tell me a story.", conversation="B").text


def test_a02_what_was_just_said_here_stands_among_the_last_messages_alone(memory: Memory) -> None:
    """The same words would be paid for twice."""
    memory.observe("My favourite band is Radiohead.", conversation="A")

    context = memory.context("Which music do I like?", conversation="A")
    assert "Radiohead" not in context.text
    assert any("Radiohead" in line for line in context.recent)


def test_a07_an_answer_is_found_by_what_was_asked(memory: Memory) -> None:
    """An answer such as "its 29k" would stay when somebody wants their salary forgotten: it shares no word with it."""
    memory.observe("And what is your salary at the moment?", role="assistant", conversation="job", id="asked")
    memory.observe("its 29k, before tax", conversation="job", id="told")
    memory.observe("I also like the canteen there.", conversation="job", id="more")

    proposed = {message.name for message in memory.forget(about="my salary").messages}
    assert proposed == {"asked", "told"}
