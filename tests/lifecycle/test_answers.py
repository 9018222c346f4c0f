"""A question that a context offered is settled by what the person says next."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.analysts import ScriptedAnalyst, a_draft
from tests.workshop import NOON, Workshop, open_workshop

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
ASKED = NOON + 200 * DAY
STATED = {
    "I took up the cello this spring.": [a_draft("Ana plays the cello.")],
    "I take sertraline every day.": [a_draft("Ana takes sertraline every day.", attribute="medication")],
}
DISH = "What shall I cook tonight?"
YES, NO = "Ana is allergic to penicillin", "Ana is not allergic to penicillin"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    """Lend a workshop whose analyst is the keyless one, and where an allergy is in dispute."""
    with open_workshop(tmp_path / "memory.db", analyst="local") as one:
        say(one, "I'm allergic to penicillin.", at=0)
        say(one, "I'm not allergic to penicillin.", at=9)
        yield one


def say(
    shop: Workshop, text: str, *, at: float, role: str = "user", conversation: str = "", author: str = "Ana"
) -> None:
    """Say something on a day and let it be worked through."""
    shop.clock.set(NOON + at * DAY)
    shop.memory().observe([{"role": role, "content": text, "author": author}], conversation=conversation or f"{at}")
    shop.memory().flush()


def ask(shop: Workshop, *, reply: str | None = "{}", at: datetime = ASKED) -> str:
    """Have a context offer a question, in a conversation where the assistant passes it on; return it."""
    shop.clock.set(at)
    (question,) = shop.memory().context(DISH, conversation="now").questions
    messages = [{"role": "user", "content": DISH, "author": "Ana"}]
    if reply is not None:
        messages.append({"role": "assistant", "content": reply.format(question.text)})
    shop.memory().observe(messages, conversation="now", at=at)
    return question.text


def answer(shop: Workshop, text: str, *, after: timedelta = MINUTE, asked: datetime = ASKED, **more: Any) -> None:
    """Say something then."""
    say(shop, text, at=(asked - NOON + after) / DAY, **({"conversation": "now"} | more))


def doubted_at(shop: Workshop) -> datetime:
    """Return when what was told once is near the line."""
    for day in range(60, 1200, 20):
        shop.clock.set(NOON + day * DAY)
        if shop.memory().context(DISH, dry_run=True).questions:
            return NOON + day * DAY
    raise AssertionError("it is never asked about")


def live(shop: Workshop) -> set[str]:
    """Return what counts now."""
    return {fact.statement for fact in shop.memory().facts()}


@pytest.mark.parametrize(
    ("text", "holds", "how"),
    [
        ("both actually, it depends on the dose", {YES, NO}, "open"),
        ("Both are true, different kinds.", {YES, NO}, "both hold"),
        ("neither any more", set(), "refuted"),
        ("the second one", {NO}, "told again"),
        ("No, still the first.", {YES}, "told again"),
        ("no idea", {YES, NO}, "open"),
    ],
)
def test_a_question_of_two_is_settled_by_the_next_message(shop: Workshop, text: str, holds: set[str], how: str) -> None:
    """Whatever it says; what leaves it open leaves it so. It stays settled after the night, and is talk itself."""
    assert ask(shop).endswith("Which holds now, both or neither?")
    answer(shop, text)
    shop.memory().consolidate()
    assert live(shop) == holds
    (conflict,) = shop.memory().conflicts(resolved=True)
    assert how in (conflict.settled_by, conflict.state)
    quoted = [row.quote for fact in shop.memory().facts(status="all", evidence=True) for row in fact.evidence]
    assert any(text.startswith(quote) for quote in quoted) is (how != "open")


def test_the_answer_goes_with_its_message(shop: Workshop) -> None:
    """As anything that was told."""
    ask(shop)
    answer(shop, "neither any more")
    said = shop.memory().messages(conversation="now")[-1]
    shop.memory().forget(said.id)
    shop.memory().flush()
    assert live(shop) == {YES, NO}


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("neither", {"author": "Ben"}),
        ("neither", {"conversation": "elsewhere"}),
        ("neither", {"after": timedelta(hours=4)}),
        ("neither", {"role": "assistant"}),
    ],
)
def test_only_the_person_answers_there_and_then(shop: Workshop, text: str, more: dict[str, Any]) -> None:
    """Nobody else, nowhere else and not hours later."""
    ask(shop)
    answer(shop, text, **more)
    assert live(shop) >= {YES, NO}


def test_what_is_said_after_something_else_is_no_answer(shop: Workshop) -> None:
    """Only the next message is."""
    ask(shop)
    answer(shop, "I had soup for lunch.")
    answer(shop, "neither", after=2 * MINUTE)
    assert live(shop) >= {YES, NO}


@pytest.mark.parametrize(("reply", "is_settled"), [("Do you want soup or stew?", False), (None, True)])
def test_an_answer_to_something_else_settles_nothing(shop: Workshop, reply: str | None, is_settled: bool) -> None:
    """The assistant did not pass the question on; where its words are not kept, it is taken to have asked."""
    ask(shop, reply=reply)
    answer(shop, "neither")
    assert (live(shop) == set()) is is_settled


@pytest.mark.parametrize(
    ("told", "text", "reply", "holds"),
    [
        ("I took up the cello this spring.", "yeah still", "{}", True),
        ("I took up the cello this spring.", "not anymore", None, False),
        ("I take sertraline every day.", "no", None, True),
        ("I take sertraline every day.", "no", "{}", False),
        ("I take sertraline every day.", "no", "Shall we take a walk today?", True),
        ("I take sertraline every day.", "No.", "You take sertraline every day, so no grapefruit. Pasta?", True),
        ("I took up the cello this spring.", "No, make it vegetarian.", None, True),
    ],
)
def test_a_doubt_is_settled_by_a_yes_or_no(
    tmp_path: Path, told: str, text: str, reply: str | None, holds: bool
) -> None:
    """A bare no ends nothing on safety unless it is seen what it answers."""
    with open_workshop(tmp_path / "memory.db", analyst=ScriptedAnalyst(STATED)) as shop:
        say(shop, told, at=0)
        asked = doubted_at(shop)
        ask(shop, reply=reply, at=asked)
        (fact,) = shop.memory().facts()
        answer(shop, text, asked=asked)
        assert [found.id for found in shop.memory().facts() if found.id == fact.id] == [fact.id] * holds


def test_what_is_said_to_somebody_else_is_no_answer(shop: Workshop) -> None:
    """Tom had asked something in between."""
    ask(shop, reply=None)
    answer(shop, "Soup or stew, both or neither?", author="Tom")
    answer(shop, "Neither, I'm full.", after=2 * MINUTE)
    answer(shop, "Later, I'm busy.", after=3 * MINUTE)
    assert live(shop) >= {YES, NO}
