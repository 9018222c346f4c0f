"""The embedding model is changed, and nobody notices."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from tests.belief_rows import a_fact
from tests.failing import FailingEmbedder
from tests.worker.one_life import OtherEmbedder
from tests.workshop import MORNING_RUNS, SOUND, Workshop, damage, open_workshop, tell
from yesteryear.core.fact import FactStatus
from yesteryear.core.time import FOREVER
from yesteryear.core.vectors import VectorGrain
from yesteryear.lifecycle.drain import flush
from yesteryear.providers.hashing import HashingEmbedder

QUESTION = "When do I run?"


def remember(shop: Workshop) -> None:
    """Fill a memory with vectors of the first model."""
    tell(shop.memory(), 8)
    shop.memory().flush()


def models(shop: Workshop) -> tuple[object, object]:
    """Return the model that serves, and the one being changed to."""
    stats = shop.memory().stats()
    return stats["vectors.model"], stats["vectors.next_model"]


def texts(shop: Workshop) -> int:
    """Return how many texts have a vector: each message and fact, and both episodes."""
    with shop.ports.store.read(shop.memory().scope) as tx:
        return 10 + len(tx.facts.all())


def test_a_new_model_takes_over_when_it_has_read_everything(place: Path | str) -> None:
    """The worker embeds all texts anew, though nothing else is due, and then the old vectors are gone."""
    with open_workshop(place) as shop:
        remember(shop)
        assert shop.work(embedder=OtherEmbedder()).vectors == 10
        assert models(shop) == ("other-v1", None)
        assert shop.memory().stats()["vectors.by_model"] == {"other-v1": texts(shop)}
        assert shop.work(embedder=OtherEmbedder()).vectors == 0
        assert damage(shop.memory()) == SOUND


def test_what_waits_after_a_failure_hides_nothing_behind_it(place: Path | str) -> None:
    """A flush looks at all that waits, the person's words first: what the assistant said is embedded as well."""
    with open_workshop(place, threshold=40) as shop:
        memory = shop.memory()
        failing = replace(shop.ports, embedder=FailingEmbedder(HashingEmbedder(), word="kept"))

        def embedded() -> int:
            flush(failing, shop.policies, memory.scope, lambda _: None)
            with shop.ports.store.read(memory.scope) as tx:
                return len([row for row in tx.vectors.load("hashing-v1") if row.grain is VectorGrain.EXCERPT])

        for number in range(20):
            memory.observe(f"I kept bee number {number}.", conversation="one")
        memory.close_episode("one")
        assert embedded() == 0
        for number in range(4):
            memory.observe(f"Bee {number} is a fine one.", role="assistant", conversation="two")
        memory.close_episode("two")
        assert embedded() == 4


def test_facts_get_vectors_of_the_new_model_too(place: Path | str) -> None:
    """Whatever is believed of them; while one of them waits for its vector the old model goes on serving."""
    statements = {"f1": "Ana keeps bees.", "f2": "Ana kept bees."}
    facts = [a_fact("f1", statements["f1"]), a_fact("f2", statements["f2"], status=FactStatus.DEPRECATED)]
    with open_workshop(place) as shop:
        remember(shop)
        scope, store = shop.memory().scope, shop.ports.store
        store.write(scope, lambda tx: tx.facts.insert(facts))
        shop.work(embedder=FailingEmbedder(OtherEmbedder(), word="kept"))
        assert models(shop) == ("hashing-v1", "other-v1")
        shop.clock.advance(timedelta(days=1))
        shop.work(embedder=OtherEmbedder())
        assert models(shop) == ("other-v1", None)
        with store.read(scope) as tx:
            assert {row.ref for row in tx.vectors.load("other-v1")} >= statements.keys()
            assert set(tx.vectors.models()) == {"other-v1"}
            assert tx.facts.due(FOREVER, limit=9) == []


def test_the_old_vectors_serve_meanwhile(place: Path | str) -> None:
    """Half way through, both models have vectors, recall works by the old ones, and new talk is found at once."""
    with open_workshop(place) as shop:
        remember(shop)
        shop.work(embedder=FailingEmbedder(OtherEmbedder(), word="(5)"))
        assert models(shop) == ("hashing-v1", "other-v1")
        assert set(shop.memory().stats()["vectors.by_model"]) == {"hashing-v1", "other-v1"}
        found = shop.memory().recall(QUESTION, limit=1)
        assert found.notes == ()
        assert "vector" in found[0].signals
        shop.memory().observe("I bought a green kayak.", conversation="lake")
        assert "kayak" in shop.memory().recall("kayak", limit=1)[0].text


def test_a_change_of_mind_half_way_leaves_no_gap(place: Path | str) -> None:
    """Back to the old model, on to the new one again: in the end every text has a vector of the model that serves."""
    with open_workshop(place) as shop:
        remember(shop)
        shop.work(embedder=FailingEmbedder(OtherEmbedder(), word="(5)"))
        shop.memory().flush()
        assert models(shop) == ("hashing-v1", None)
        assert shop.memory().stats()["vectors.by_model"] == {"hashing-v1": texts(shop)}
        shop.work(embedder=OtherEmbedder())
        assert models(shop) == ("other-v1", None)
        assert shop.memory().stats()["vectors.by_model"] == {"other-v1": texts(shop)}
        assert damage(shop.memory()) == SOUND


def test_a_stand_in_takes_nothing_over(place: Path | str) -> None:
    """Where the real model is missing, its vectors are left alone, and what is new is found by its words until then."""
    with open_workshop(place) as shop:
        remember(shop)
        stand_in = OtherEmbedder("stand-in")
        tell(shop.memory(), 4, conversation="office", about="I planted tomatoes on the balcony")
        shop.work(embedder=stand_in, is_fallback_embedder=True)
        assert models(shop) == ("hashing-v1", None)
        assert shop.memory().stats()["vectors.by_model"] == {"hashing-v1": texts(shop)}
        assert "tomatoes" in shop.memory().recall("tomatoes", limit=1)[0].text


def test_a_real_model_replaces_the_stand_in(place: Path | str) -> None:
    """What the stand-in has made serves until the real model has read everything."""
    with open_workshop(place) as shop:
        tell(shop.memory(), 4)
        shop.work(embedder=HashingEmbedder(), is_fallback_embedder=True)
        assert models(shop) == ("hashing-v1", None)
        shop.work(embedder=OtherEmbedder())
        assert models(shop) == ("other-v1", None)


def test_a_model_that_is_gone_is_told(place: Path | str) -> None:
    """Recall goes on by words and says which model's vectors it cannot read."""
    with open_workshop(place) as shop:
        remember(shop)
        shop.work(embedder=OtherEmbedder())
        found = shop.memory().recall(MORNING_RUNS, limit=1)
        assert "runs" in found[0].text
        assert any("other-v1" in note for note in found.notes)
