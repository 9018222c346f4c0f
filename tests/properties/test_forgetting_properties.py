"""Forgetting and erasing over random talks: nothing is left of what goes, everything of what stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.examples import examples
from tests.properties.lives import NOW, Talk, opened, talks, tell
from yesteryear import Engine, Memory
from yesteryear.core.results import to_plain
from yesteryear.errors import NotFound

EACH_ITS_WORD = "zq{}x"
"""What the message of this name says and no other one does."""


def with_words(told: Sequence[Talk]) -> list[Talk]:
    """Return talks in which each message says a word of its own, and something that is worth keeping."""
    return [
        replace(
            talk,
            messages=tuple(
                {**line, "content": f"My sister {word(line['id'])} lives in Porto. {line['content']}"}
                for line in talk.messages
            ),
        )
        for talk in told
    ]


def word(name: str) -> str:
    """Return the word of a message."""
    return EACH_ITS_WORD.format(name.replace("-", "y"))


def names(told: Sequence[Talk]) -> list[str]:
    """Return the ids of all messages."""
    return [line["id"] for talk in told for line in talk.messages]


def told_words(memory: Memory, among: Sequence[str]) -> set[str]:
    """Return the messages of whose words any verb tells."""
    answers: list[Any] = [
        memory.messages(limit=1000),
        memory.episodes(limit=1000),
        memory.episodes(status="forgotten", limit=1000),
        memory.recall("sister in Porto", limit=1000, archived=True),
        memory.recall("sister in Porto", kinds=["episode"], limit=1000, archived=True),
        memory.context("sister in Porto", budget=4000),
    ]
    everything = repr(to_plain(answers))
    return {name for name in among if word(name) in everything}


def contents(memory: Memory) -> dict[str, str]:
    """Return what is left of each message."""
    return {message.name: message.content for message in memory.messages(limit=1000)}


@st.composite
def chosen(draw: st.DrawFn) -> tuple[list[Talk], list[str], list[str]]:
    """Return talks, and two sets of messages of theirs."""
    told = with_words(draw(talks()))
    some = st.lists(st.sampled_from(names(told)), unique=True, max_size=9)
    return told, draw(some), draw(some)


def forget(memory: Memory, ids: Sequence[str]) -> None:
    """Forget messages, if there are any."""
    if ids:
        memory.forget(*ids)


@examples(8)
@given(chosen(), st.booleans())
def test_nothing_is_told_of_what_was_forgotten_and_all_of_the_rest(
    life: tuple[list[Talk], list[str], list[str]], is_flushed: bool
) -> None:
    """Whether it had been digested, or was forgotten before anybody looked at it."""
    told, gone, _ = life
    with opened() as engine:
        tell(engine, told, is_flushed=is_flushed)
        memory = engine.memory(user="ana")
        before = contents(memory)
        forget(memory, gone)
        assert told_words(memory, gone) == set()
        memory.flush()
        assert told_words(memory, gone) == set()
        assert contents(memory) == {name: "" if name in gone else text for name, text in before.items()}
        assert memory.stats()["messages.open"] == 0


@examples(6)
@given(chosen())
def test_forgetting_in_parts_is_forgetting_at_once(life: tuple[list[Talk], list[str], list[str]]) -> None:
    """In any order, with work in between, and what goes twice goes once."""
    told, first, second = life
    ends = []
    for parts in ([first, second], [second, first], [[*dict.fromkeys([*first, *second])]]):
        with opened() as engine:
            tell(engine, told)
            memory = engine.memory(user="ana")
            for part in parts:
                forget(memory, part)
                memory.flush()
            digests = [(row.conversation, row.digest and row.digest.summary) for row in memory.episodes(limit=1000)]
            ends.append((contents(memory), digests, memory.stats()["vectors.by_model"]))
    assert ends[0] == ends[1] == ends[2]


@examples(6)
@given(talks(), st.integers(0, 3), st.booleans())
def test_a_conversation_a_time_or_an_episode_takes_exactly_its_messages(
    told: list[Talk], number: int, by_time: bool
) -> None:
    """Those that were said there and then, and no other ones."""
    told = with_words(told)
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        messages = memory.messages(limit=1000)
        if by_time:
            begins = NOW - timedelta(days=[0, 1, 400, 500][number])
            memory.forget(since=begins, until=begins + timedelta(hours=1))
            gone = {row.name for row in messages if begins <= row.at < begins + timedelta(hours=1)}
        elif number and memory.episodes():
            episode = memory.episodes()[0]
            memory.forget(episode.id)
            span = range(episode.first_seq, episode.last_seq + 1)
            gone = {row.name for row in messages if row.conversation == episode.conversation and row.seq in span}
        else:
            memory.forget(conversation=told[0].name)
            gone = {row.name for row in messages if row.conversation == told[0].name}
        assert {name for name, text in contents(memory).items() if not text} == gone
        memory.flush()
        assert told_words(memory, sorted(gone)) == set()


def rows(engine: Engine, user: str) -> object:
    """Return whatever is kept of somebody."""
    memory = engine.memory(user=user)
    return memory.messages(limit=1000), memory.episodes(limit=1000), memory.conversations(), memory.stats()


@examples(6)
@given(talks(users=("ana", "ben"), projects=(None, "thesis")), st.booleans())
def test_erasing_somebody_takes_all_of_theirs_and_nothing_else(told: list[Talk], is_flushed: bool) -> None:
    """In every project; and twice is once."""
    told = with_words(told)
    with opened() as engine:
        tell(engine, told, is_flushed=is_flushed)
        known = [owner.user for owner in engine.owners()]
        before = rows(engine, "ben")
        memory = engine.memory(user="ana", project="thesis")
        if "ana" not in known:
            with pytest.raises(NotFound):
                memory.erase()
            return
        receipt = memory.erase()
        assert told_words(engine.memory(user="ana"), names(told)) == set()
        assert (memory.erase(), receipt.removed["message"]) == (
            receipt,
            sum(len(t.messages) for t in told if t.user == "ana"),
        )
        assert rows(engine, "ben") == before
        assert [owner.user for owner in engine.owners()] == [user for user in known if user != "ana"]
