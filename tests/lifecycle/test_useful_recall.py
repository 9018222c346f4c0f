"""What strengthens a memory: the person takes it up again. Being shown does not."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

import yesteryear
from tests.workshop import NOON, SOUND, Workshop, damage, open_workshop
from yesteryear.core.hits import RecallEvent

FLOUR = "My sister Lena bakes with flour from the mill in Tomar."
CHESS = "My brother Paulo plays chess at the club in Porto."
QUESTION = "What shall I give Lena for her birthday?"
TAKEN_UP = "I could drive to Tomar and buy flour there."


def remember(shop: Workshop, *texts: str) -> None:
    """Let something be said and remembered a day before."""
    memory = shop.memory()
    for number, text in enumerate(texts):
        memory.observe(text, conversation=f"long ago {number}", id=f"long-ago-{number}")
    memory.flush()
    shop.clock.advance(timedelta(days=1))


def ask(shop: Workshop, *, conversation: str = "today", question: str = QUESTION, user: str = "ana") -> str:
    """Ask something, and return the context that is shown for it."""
    memory = shop.memory(user)
    memory.observe(question, conversation=conversation)
    text = memory.context(question, conversation=conversation).text
    shop.clock.advance(timedelta(minutes=1))
    return text


def answer(shop: Workshop, *texts: str, conversation: str = "today", role: str = "user", user: str = "ana") -> None:
    """Say something, a minute apart."""
    for text in texts:
        shop.memory(user).observe(text, conversation=conversation, role=role)
        shop.clock.advance(timedelta(minutes=1))


def go_on(shop: Workshop, *, conversation: str = "today") -> None:
    """Talk about other things until nothing more can be said to what was shown."""
    answer(shop, "ok", "thanks", "see you", conversation=conversation)
    shop.memory().flush()


def recalls(shop: Workshop, number: int = 0) -> tuple[datetime, ...]:
    """Return when a memory was usefully recalled."""
    told = shop.memory().why(f"long-ago-{number}").episode
    assert told is not None
    return told.recalls


def test_who_takes_a_memory_up_again_strengthens_it(place: Path | str) -> None:
    """From when it was said; it fades later for it, and what was shown beside it does not."""
    with open_workshop(place) as shop:
        remember(shop, FLOUR, CHESS)
        before = shop.memory().why("long-ago-0").episode
        assert "flour" in ask(shop)
        said_at = shop.clock.now()
        answer(shop, TAKEN_UP)
        go_on(shop)
        assert (recalls(shop, 0), recalls(shop, 1)) == ((said_at,), ())
        after = shop.memory().why("long-ago-0").episode
        assert before is not None
        assert after is not None
        assert before.gist_at is not None
        assert after.gist_at is not None
        assert after.gist_at > before.gist_at
        assert after.half_life_days > before.half_life_days
        assert shop.memory().episodes(conversation="long ago 0")[0].fades_at == after.gist_at
        assert damage(shop.memory()) == SOUND


@pytest.mark.parametrize(
    "texts",
    [
        ("ok", "thanks", "see you"),
        (FLOUR, "ok", "thanks"),
        (f"Right. {FLOUR}", QUESTION, "ok"),
        ("Lena will have her birthday soon.", "ok", "thanks"),
    ],
)
def test_what_is_only_shown_is_not_strengthened(place: Path | str, texts: tuple[str, ...]) -> None:
    """Nor by reading it back, nor by the words of the question itself."""
    with open_workshop(place) as shop:
        remember(shop, FLOUR)
        for turn in range(3):
            conversation = f"day {turn}"
            assert "flour" in ask(shop, conversation=conversation)
            answer(shop, *texts, conversation=conversation)
            shop.memory().flush()
            shop.clock.advance(timedelta(days=1))
        assert recalls(shop) == ()


def test_what_others_say_strengthens_nothing(place: Path | str) -> None:
    """An assistant that was shown a memory will of course speak of it; and so may another person."""
    with open_workshop(place) as shop:
        remember(shop, FLOUR)
        ask(shop)
        answer(shop, TAKEN_UP, role="assistant")
        answer(shop, TAKEN_UP, user="ben")
        answer(shop, TAKEN_UP, conversation="elsewhere")
        go_on(shop)
        shop.memory("ben").flush()
        assert recalls(shop) == ()


def test_a_memory_is_strengthened_once_a_day(place: Path | str) -> None:
    """However often the person comes back to it in an evening."""
    with open_workshop(place) as shop:
        remember(shop, FLOUR)
        for hours in (0, 1, 3, 30):
            shop.clock.set(NOON + timedelta(days=2, hours=hours))
            conversation = f"after {hours} hours"
            ask(shop, conversation=conversation)
            answer(shop, f"After {hours} hours I want to see that mill in Tomar.", conversation=conversation)
            go_on(shop, conversation=conversation)
        assert [at - NOON for at in recalls(shop)] == [
            timedelta(days=2, minutes=1),
            timedelta(days=2, hours=30, minutes=1),
        ]


def test_a_talk_that_ends_with_it_counts_too(place: Path | str) -> None:
    """Nothing more is said there: a day later it is clear that nothing more will be."""
    with open_workshop(place) as shop:
        remember(shop, FLOUR)
        ask(shop)
        said_at = shop.clock.now()
        answer(shop, TAKEN_UP)
        shop.memory().flush()
        shop.clock.advance(timedelta(days=2))
        answer(shop, "Good morning!", conversation="another day")
        shop.memory().flush()
        shop.work()
        assert recalls(shop) == (said_at,)


def test_the_worker_notices_as_a_flush_does(place: Path | str) -> None:
    """When the talk has come to its end by itself."""
    with open_workshop(place) as shop:
        remember(shop, FLOUR)
        ask(shop)
        said_at = shop.clock.now()
        answer(shop, TAKEN_UP, "ok", "thanks")
        shop.clock.advance(timedelta(hours=1))
        shop.work()
        assert recalls(shop) == (said_at,)


def test_the_gist_can_be_taken_up_as_well(place: Path | str) -> None:
    """Its words stay gone; it is found for longer."""
    with open_workshop(place) as shop:
        remember(shop, FLOUR)
        memory = shop.memory()
        told = memory.why("long-ago-0").episode
        assert told is not None
        assert told.gist_at is not None
        shop.clock.set(told.gist_at + timedelta(days=1))
        shop.work()
        assert "flour" in ask(shop)
        answer(shop, TAKEN_UP)
        go_on(shop)
        left = memory.why("long-ago-0").episode
        assert left is not None
        assert len(left.recalls) == 1
        assert (left.detail, left.status, left.gist_at) == ("gist", "active", None)
        assert left.archived_at is not None
        assert told.archived_at is not None
        assert left.archived_at > told.archived_at
        assert memory.messages()[0].content == ""


def test_what_contexts_have_shown_is_not_kept_for_ever(place: Path | str) -> None:
    """A month later there is no trace of it, whether somebody answered or not."""
    with open_workshop(place) as shop:
        remember(shop, FLOUR)
        shop.memory().context(QUESTION)
        ask(shop)
        go_on(shop)
        assert shown(shop.memory(), shop)
        shop.clock.advance(timedelta(days=31))
        ask(shop, conversation="later")
        go_on(shop, conversation="later")
        assert [event.key.name for event in shown(shop.memory(), shop)] == ["later"]


def shown(memory: yesteryear.Memory, shop: Workshop) -> list[RecallEvent]:
    """Return what contexts have shown."""
    with shop.ports.store.read(memory.scope) as tx:
        return tx.recalls.page()
