"""The same talk, told to each store with the same ids and the same clock, is remembered to the last byte alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.script import FARO, LISBON, LOW, NUTS, PORTO, RUNS, RUNS_EARLY
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.sync.engine import Engine
from yesteryear.testing.builders import CountedIds

QUESTIONS = (
    "Where does Ana live?",
    "When do I run?",
    "What must I not bake with?",
    "What did we decide about the walnut cake last week?",
    "приве\u0301т 👍🏽",
    "",
)
ODD = "Kün\x00stler \x01\ufdd0 & 'quotes' -- %s :name {visible} 🏃‍♀️ Straße; ich habe entschieden, früh zu laufen."


def tell(shop: Workshop) -> None:
    """Tell weeks of talk, in two projects and by two people, with corrections, nights and things to forget."""
    ana, thesis, ben = shop.memory("ana"), shop.memory("ana", project="thesis"), shop.memory("ben")
    for day, text in enumerate((PORTO, RUNS, NUTS, LISBON, RUNS_EARLY, LOW, FARO, ODD)):
        shop.clock.set(NOON + timedelta(days=3 * day))
        for memory in (ana, thesis if day % 2 else ana, ben):
            talk = [
                {"role": "user", "content": text, "author": "Ana", "id": f"{day}-{memory.scope.project}-q"},
                {"role": "assistant", "content": f"Noted: {text[:20]}", "id": f"{day}-{memory.scope.project}-a"},
            ]
            memory.observe(talk, conversation=f"day {day}", zone="Europe/Lisbon")
        ana.context("What is new?", conversation="aside", budget=300)
        shop.ports.store.write(ana.scope, lambda _: None, urgent=True)
        shop.work()
    for memory in (ana, thesis, ben):
        memory.flush()
        memory.consolidate()
    ana.forget("2-None-q")
    shop.clock.advance(timedelta(days=40))
    ana.fade()
    shop.work()


def answers(shop: Workshop) -> Iterator[str]:
    """Yield all that can be asked, as JSON."""
    for memory in (shop.memory("ana"), shop.memory("ana", project="thesis"), shop.memory("ben")):
        for question in QUESTIONS:
            for budget in (60, 300, 2000):
                context = memory.context(question, conversation="day 7", budget=budget)
                yield json.dumps([context.text, context.to_dict()])
                # What a context has shown is written behind it; the next one is to find it, however long that takes.
                shop.ports.store.write(memory.scope, lambda _: None, urgent=True)
            yield told(memory.recall(question or "porto", limit=20))
        counts = sorted(memory.stats().items(), key=repr)
        yield told(memory.facts(), memory.episodes(), memory.messages(), memory.conversations(), counts)


def told(*found: Any) -> str:
    """Return results as JSON."""
    return json.dumps(found, default=lambda value: value.to_dict() if hasattr(value, "to_dict") else repr(value))


def remembered(place: Path | str) -> list[str]:
    """Tell the talk to a store and return all answers."""
    with open_workshop(place) as shop:
        ports = replace(shop.ports, ids=CountedIds())
        with Engine(ports, shop.policies) as engine:
            told = Workshop(ports, shop.policies, engine, shop.clock)
            tell(told)
            return list(answers(told))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what a file answers."""
    return remembered(tmp_path_factory.mktemp("expected") / "memory.db")


@pytest.mark.heavy
def test_memory_answers_as_a_file_does(expected: list[str]) -> None:
    """Contexts, hits, facts and all counts."""
    assert remembered(":memory:") == expected


def test_a_server_answers_as_a_file_does(expected: list[str], postgres_url: str) -> None:
    """Contexts, hits, facts and all counts; they tell of places, facts and what was said in odd characters."""
    assert remembered(postgres_url) == expected
    everything = "\n".join(expected)
    assert all(word in everything for word in ("Faro", "nuts", "superseded", "\\u0000", "\\u0001", "\\ufdd0"))
