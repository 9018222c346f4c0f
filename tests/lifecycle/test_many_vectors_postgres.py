"""Recall of somebody with so many memories that not all vectors are held: PostgreSQL finds the nearest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import yesteryear
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.recall.candidate_cache import CandidateCachePolicy
from yesteryear.recall.index import OwnerIndex
from yesteryear.recall.index_cache import IndexCache
from yesteryear.sync.engine import Engine
from yesteryear_lab.bench.load.past import Past, make_past

pytestmark = pytest.mark.heavy

PAST = make_past(240, seed=1)
QUESTIONS = [PAST.question(number) for number in range(20)]
SEARCHING = CandidateCachePolicy(nearest=40, nearest_at_most=80, rescored=40, seen_whole=0)
"""As in a large memory, where not all of what is seen is fetched."""


def live(memory: yesteryear.Memory, past: Past) -> None:
    """Let somebody have had a past."""
    for conversation in dict.fromkeys(said["conversation"] for said in past.messages):
        memory.observe([said for said in past.messages if said["conversation"] == conversation])
    memory.flush()


@pytest.fixture
def shop(postgres_url: str) -> Iterator[Workshop]:
    """Return a workshop in which Ana has more vectors than are compared one by one."""
    with open_workshop(postgres_url, start=PAST.now, exact_vectors=50, threshold=15) as made:
        live(made.memory(), PAST)
        yield made


def another(shop: Workshop, near: CandidateCachePolicy | None = None) -> tuple[Engine, IndexCache]:
    """Return an engine that has read nothing yet, as in another process, and its indexes."""
    index_cache = IndexCache(bytes_kept=1 << 30)
    policies = replace(shop.policies, recall=replace(shop.policies.recall, near=near or CandidateCachePolicy()))
    return Engine(shop.ports, policies, index_cache=index_cache), index_cache


def held(shop: Workshop, index_cache: IndexCache) -> OwnerIndex:
    """Return Ana's index as it is."""
    with index_cache.borrow(shop.ports.store, shop.memory().scope) as index:
        return index


def hits(engine: Engine, question: str, **scope: str) -> list[tuple[str, int, float]]:
    """Return the best of what Ana said, with scores."""
    return [(hit.id, hit.part, hit.score) for hit in engine.memory(user="ana", **scope).recall(question, limit=20)]


def share(here: list[tuple[str, int, float]], exact: list[tuple[str, int, float]]) -> float:
    """Return how much of the exact answer was found."""
    return len({row[:2] for row in here} & {row[:2] for row in exact}) / max(1, len(exact))


def test_what_a_scope_sees_whole_is_scored_exactly(shop: Workshop) -> None:
    """Below the limit of what is fetched whole, hits, scores and contexts are the same to the last digit.

    Also where something was said just now that has no vector yet.
    """
    shop.memory().observe(QUESTIONS[0], conversation="now", at=PAST.now)
    exact, _ = another(shop)
    answers = [hits(exact, question) for question in QUESTIONS]
    contexts = [exact.memory(user="ana").context(question).text for question in QUESTIONS]
    assert [row.fate.value for row in shop.engine.index_vectors()] == ["made"]
    engine, index_cache = another(shop)
    assert [hits(engine, question) for question in QUESTIONS] == answers
    assert [engine.memory(user="ana").context(question).text for question in QUESTIONS] == contexts
    assert held(shop, index_cache).candidate_cache is not None


def test_nearly_the_same_is_found_where_only_the_nearest_are_fetched(shop: Workshop) -> None:
    """At least 97 of a hundred of the best twenty; the sample keeps scores what they were."""
    exact, _ = another(shop)
    answers = [hits(exact, question) for question in QUESTIONS]
    shop.engine.index_vectors()
    engine, _ = another(shop, SEARCHING)
    found = [hits(engine, question) for question in QUESTIONS]
    assert sum(map(share, found, answers)) / len(answers) >= 0.97
    tops = [(here[0][2], there[0][2]) for here, there in zip(found, answers, strict=True)]
    assert all(here == pytest.approx(there, rel=0.2) for here, there in tops)


def test_what_is_said_later_is_found_by_words_and_by_meaning(shop: Workshop) -> None:
    """The index in memory holds no vector of it; the store's has it from the next question on."""
    shop.engine.index_vectors()
    engine, _ = another(shop, SEARCHING)
    memory = engine.memory(user="ana")
    memory.recall(QUESTIONS[0])
    memory.observe("The hedgehogs came back to the compost", conversation="later", at=PAST.now, id="late")
    best = memory.recall("hedgehogs and compost", limit=1)[0]
    assert best.messages == ("late",)
    assert best.signals.get("vector", 0) == 0
    memory.flush()
    best = memory.recall("hedgehogs and compost", limit=1)[0]
    assert best.messages == ("late",)
    assert best.signals["vector"] > 0


def test_what_is_forgotten_leaves_no_vector_behind(shop: Workshop) -> None:
    """Neither in the store's index nor among those that are held."""
    shop.engine.index_vectors()
    engine, index_cache = another(shop, SEARCHING)
    memory = engine.memory(user="ana")
    gone = memory.recall(QUESTIONS[0], limit=1)[0]
    before = held(shop, index_cache)
    assert before.candidate_cache is not None
    number = next(n for n, unit in enumerate(before.units) if (unit.source.id, unit.part) == (gone.id, gone.part))
    assert before.candidate_cache.is_held(np.array([number])).all()
    memory.forget(gone.id)
    assert gone.id not in {hit.id for hit in memory.recall(QUESTIONS[0], limit=20)}
    after = held(shop, index_cache)
    assert after.candidate_cache is not None
    assert not after.candidate_cache.is_held(np.array([number])).any()


def test_an_index_that_is_dropped_meanwhile_is_not_missed(shop: Workshop) -> None:
    """From then on all vectors are held again, and the answers are exact."""
    exact, _ = another(shop)
    answers = [hits(exact, question) for question in QUESTIONS]
    shop.engine.index_vectors()
    engine, index_cache = another(shop, SEARCHING)
    hits(engine, QUESTIONS[0])
    shop.engine.index_vectors(drop=True)
    assert [hits(engine, question) for question in QUESTIONS] == answers
    assert held(shop, index_cache).candidate_cache is None


def test_a_project_is_searched_among_the_others_memories(shop: Workshop) -> None:
    """What it does not see takes no place among the nearest, and is not shown."""
    with_project = shop.engine.memory(user="ana", project="thesis")
    with_project.observe("The hedgehogs came back to the compost", conversation="mine", at=NOON, id="mine")
    shop.memory(project="house").observe("Hedgehogs in the compost again", conversation="his", at=NOON, id="other")
    shop.memory().flush()
    shop.engine.index_vectors()
    engine, _ = another(shop, SEARCHING)
    found = engine.memory(user="ana", project="thesis").recall("hedgehogs and compost", limit=20)
    assert found[0].messages == ("mine",)
    assert ("other",) not in {hit.messages for hit in found}


@pytest.mark.heavy
def test_recall_at_twenty_holds_for_thousands_of_memories(postgres_url: str) -> None:
    """Of the best twenty at least 97 in a hundred are found, with the numbers that are shipped."""
    past = make_past(4000, seed=2)
    questions = [past.question(number) for number in range(60)]
    with open_workshop(postgres_url, start=past.now, exact_vectors=1000, threshold=15) as shop:
        live(shop.memory(), past)
        exact, _ = another(shop)
        answers = [hits(exact, question) for question in questions]
        shop.engine.index_vectors()
        engine, index_cache = another(shop)
        shares = [share(hits(engine, question), there) for question, there in zip(questions, answers, strict=True)]
        assert held(shop, index_cache).candidate_cache is not None
    assert sum(shares) / len(shares) >= 0.97
