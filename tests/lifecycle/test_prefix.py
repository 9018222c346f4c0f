"""The part of a context that stays the same until a night, a due date or an explicit word changes it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.script import CLIMBS, GOAL, HATES, LISBON, LOVES, NUTS, PORTO, fact, open_play, say
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.recall.render import Layout, fact_lines
from yesteryear.results import PrefixChanges

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.fixture
def shop(place: Path | str) -> Iterator[Workshop]:
    """Return a workshop on the morning after somebody told where they live."""
    with open_play(place) as opened:
        opened.clock.set(NOON)
        say(opened.memory(), PORTO, conversation="first", id="m-0")
        opened.clock.set(NOON + DAY)
        opened.memory().flush()
        yield opened


def test_it_stays_the_same_by_day_whatever_is_said_and_asked(shop: Workshop) -> None:
    """To the byte, also where another process looks; what the day brings stands in the tail."""
    memory = shop.memory()
    before = memory.context("Where do I live?")
    assert "Ana lives in Porto." in before.prefix
    assert before.prefix_hash
    for hour, text in enumerate([LISBON, LOVES, HATES], start=1):
        shop.clock.set(NOON + DAY + hour * HOUR)
        say(memory, text, conversation=f"c{hour}", id=f"m-{hour}")
        context = memory.context(text)
        assert (context.prefix, context.prefix_hash) == (before.prefix, before.prefix_hash)
        assert "previously: Ana lives in Porto." in context.tail
        assert "- Ana lives in Lisbon." in context.tail


def test_the_next_night_changes_it(shop: Workshop) -> None:
    """Whether one was run or not: its hour is enough."""
    memory = shop.memory()
    say(memory, LISBON, conversation="second", id="m-1")
    assert "Porto" in memory.context("home").prefix
    shop.clock.set(NOON + 2 * DAY)
    assert "Lisbon" in memory.context("home").prefix
    assert "Porto" not in memory.context("home").prefix


def test_it_tells_who_somebody_is_and_who_is_close_and_not_what_is_over(place: Path | str) -> None:
    """Home, work and people in few words; what ails a pet and what is over stand nowhere in it."""
    told = [
        "I work as a nurse in Leeds. We've got a cat called Miso.",
        "My boyfriend Callum is a chef in Bristol.",
        "I'm allergic to penicillin.",
        "Miso had to have two teeth out, poor thing.",
        "I moved to Leeds last week.",
    ]
    with open_workshop(place) as opened:
        memory = opened.memory()
        for day, text in enumerate(told):
            opened.clock.set(NOON + day * DAY)
            memory.observe([{"role": "user", "author": "Dana", "content": text, "conversation": "c", "id": f"m-{day}"}])
            memory.flush()
        opened.clock.set(NOON + len(told) * DAY)
        memory.flush()
        prefix = memory.context("hi").prefix
        assert all(word in prefix for word in ("penicillin", "nurse", "Callum", "Leeds", "Miso"))
        assert "teeth" not in prefix
        opened.clock.set(NOON + len(told) * DAY + HOUR)
        assert memory.context("What else?").prefix == prefix


def test_what_is_done_by_hand_shows_at_once(shop: Workshop) -> None:
    """Pinned, corrected, forgotten."""
    memory = shop.memory()
    say(memory, CLIMBS, conversation="second", id="m-1")
    memory.pin(fact(memory, CLIMBS).id)
    assert "climbs" in memory.context("home").prefix
    memory.correct(fact(memory, PORTO).id, "Ana lives in Braga.")
    assert "Braga" in memory.context("home").prefix
    assert "Porto" not in memory.context("home").prefix
    memory.forget(fact(memory, CLIMBS).id)
    assert "climbs" not in memory.context("home").text


@pytest.mark.parametrize("layout", Layout)
def test_what_changed_since_an_earlier_one_is_told_line_by_line(shop: Workshop, layout: Layout) -> None:
    """So that whoever has kept the earlier one may log it, or decide whether it matters."""
    memory = shop.memory()
    say(memory, CLIMBS, conversation="second", id="m-1")
    before = memory.context("home", layout=layout)
    assert before.prefix_changes(before.prefix) == PrefixChanges()
    memory.pin(fact(memory, CLIMBS).id)
    memory.correct(fact(memory, PORTO).id, "Ana lives in Braga.")
    after = memory.context("home", layout=layout)
    changes = after.prefix_changes(before.prefix)
    assert ["climbs" in line or "Braga" in line for line in changes.came] == [True, True]
    assert ["Porto" in line for line in changes.gone] == [True]
    assert {*changes.came} <= {item.text for item in after.items}
    assert {*changes.gone} <= {item.text for item in before.items}
    assert after.prefix_changes("").came == (*fact_lines(after.prefix),)


def test_what_was_told_by_day_and_then_by_hand_leaves_nothing_old_beside_it(shop: Workshop) -> None:
    """One home at a time; and what is unpinned goes though it was told again by day."""
    memory = shop.memory()
    say(memory, LISBON, conversation="second", id="m-1")
    memory.confirm(fact(memory, LISBON).id)
    prefix = memory.context("home").prefix
    assert ("Lisbon" in prefix, "Porto" in prefix) == (True, False)
    say(memory, CLIMBS, conversation="third", id="m-2")
    memory.pin(fact(memory, CLIMBS).id)
    shop.clock.set(NOON + 2 * DAY)
    say(memory, CLIMBS, conversation="fourth", id="m-3")
    memory.unpin(fact(memory, CLIMBS).id)
    assert "climbs" not in memory.context("home").prefix


def test_what_is_brought_along_from_before_shows_at_once(shop: Workshop) -> None:
    """An import of years makes a whole prefix, not a day's news."""
    memory = shop.memory()
    memory.observe(CLIMBS, author="Ana", conversation="old", at=NOON - 9 * DAY)
    memory.observe(NUTS, author="Ana", conversation="older", at=NOON - 90 * DAY)
    memory.flush()
    context = memory.context("What do I eat at home?")
    assert "nuts" in context.prefix
    assert "news" not in context.lanes


def test_another_project_shows_nothing_in_it(shop: Workshop) -> None:
    """What was decided there stays there."""
    memory = shop.memory(project="garden")
    say(memory, GOAL, conversation="plans", id="m-1")
    memory.pin(fact(memory, GOAL).id)
    assert "thesis" in memory.context("home").prefix
    assert "thesis" not in shop.memory(project="app").context("home").prefix


def test_both_parts_share_the_budget_and_make_the_text(shop: Workshop) -> None:
    """As text one below the other, as XML one element."""
    memory = shop.memory()
    say(memory, NUTS, conversation="second", id="m-1")
    shop.clock.set(NOON + 2 * DAY)
    context = memory.context("What do I eat at home?")
    assert context.text == f"{context.prefix}\n{context.tail}"
    assert context.prefix_tokens < context.tokens <= context.budget
    element = memory.context("What do I eat at home?", layout="xml")
    for part in (element.text, element.prefix, element.tail):
        assert ET.fromstring(part).tag == "memory_context"  # noqa: S314 - our own text
    assert memory.context("What do I eat?", budget=0).prefix == ""
