"""From a question to hits: what each of them says, in which order, and what happens where something is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.concepts import ConceptEmbedder
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.core.message import Role
from yesteryear.core.vectors import VectorGrain
from yesteryear.errors import ProviderUnavailable
from yesteryear.recall.index import RecallFilter
from yesteryear.recall.index_cache import IndexCache
from yesteryear.recall.ranking import Preset, RecallPolicy
from yesteryear.recall.retrieve import MAX_QUESTION_CHARS, Recalled, retrieve

CONCEPTS = {"money": ["budget", "cost", "euro"], "sport": ["run", "swim"], "bread": ["bread", "flour"]}
DAY = timedelta(days=1)
EXCERPTS = RecallFilter(grains=frozenset({VectorGrain.EXCERPT}))


@pytest.fixture
def shop() -> Iterator[Workshop]:
    """Return an empty workshop whose embedder knows a few concepts."""
    with open_workshop(":memory:", embedder=ConceptEmbedder(CONCEPTS)) as made:
        yield made


def say(shop: Workshop, *said: tuple[str, str], conversation: str = "c1", days_ago: float = 0, **more: Any) -> None:
    """Let people say something, a minute apart; each text is its id."""
    messages = [
        {"content": text, "author": author, "id": text, "at": NOON - days_ago * DAY + timedelta(minutes=minute)}
        | {"role": "assistant" if author == "assistant" else "user"}
        for minute, (author, text) in enumerate(said)
    ]
    shop.memory().observe([message | more for message in messages], conversation=conversation)


def found(shop: Workshop, text: str, *, policy: RecallPolicy | None = None, **more: Any) -> Recalled:
    """Return what is found, with an index built anew."""
    given: dict[str, Any] = {"now": NOON, "limit": 1000, "only": EXCERPTS}
    index_cache = IndexCache(bytes_kept=1 << 30)
    return retrieve(
        shop.ports, index_cache, shop.memory().scope, text, policy=policy or RecallPolicy(), **(given | more)
    )


def texts(recalled: Recalled) -> list[str]:
    """Return what was found, best first."""
    return [hit.text for hit in recalled]


def test_a_hit_says_where_it_is_from(shop: Workshop) -> None:
    """Who said it, when, where, in whose project; its score is the sum of its signals, each of which says something."""
    project = shop.engine.memory(user="ana", project="thesis", agent="tutor")
    project.observe("I swim in the river", author="Ana", conversation="c1", zone="Europe/Lisbon", at=NOON, id="m-1")
    project.flush()
    (hit,) = found(shop, "swimming")
    assert (hit.grain, hit.text, hit.messages, hit.author) == ("excerpt", "I swim in the river", ("m-1",), "Ana")
    assert hit.key == (hit.project, hit.agent, hit.conversation) == ("thesis", "tutor", "c1")
    assert (hit.at, hit.zone) == (NOON, "Europe/Lisbon")
    assert (hit.seq, hit.part, hit.is_earlier) == (1, 0, False)
    assert hit.score == pytest.approx(sum(hit.signals.values()))
    assert all(hit.signals.values())
    assert {"project": "thesis", "is_earlier": False}.items() <= hit.to_dict().items()


def test_a_name_in_the_question_finds_its_speaker(shop: Workshop) -> None:
    """And is no word to be looked for: those who say the name are not who is meant."""
    say(shop, ("Ana", "Clara, what do you bake?"), ("Clara", "Rye."), ("Ben", "Clara always bakes rye"))
    shop.memory().flush()
    hits = found(shop, "What does Clara bake?")
    assert texts(hits)[0] == "Rye."
    assert [hit.author for hit in hits if "author" in hit.signals] == ["Clara"]
    assert texts(found(shop, "What does Claar bake?")) == texts(hits)


@pytest.mark.parametrize(
    ("question", "speaker", "first"),
    [
        ("Which flour is best for bread?", Role.USER, "Ana"),
        ("Which flour is best for bread?", Role.ASSISTANT, "assistant"),
        ("Which flour did you recommend for bread?", Role.USER, "assistant"),
        ("Which flour did I tell you is best for bread?", Role.USER, "Ana"),
    ],
)
def test_the_persons_own_words_come_first_unless_the_others_are_wanted(
    shop: Workshop, question: str, speaker: Role | None, first: str
) -> None:
    """By argument, or by the question itself."""
    say(shop, ("Ana", "The best flour for my bread is rye"))
    say(shop, ("assistant", "The best flour for bread is spelt, I recommend it"), conversation="c2")
    shop.memory().flush()
    assert found(shop, question, speaker=speaker)[0].author == first


def test_a_day_in_the_question_finds_what_was_said_then(shop: Workshop) -> None:
    """Seen from the instant of the question, in the zone of the person; dates that do not exist find nothing by day."""
    say(shop, ("Ana", "I was tired"), days_ago=7)
    say(shop, ("Ana", "I was happy"), conversation="c2", days_ago=30)
    assert texts(found(shop, "How did I feel last week?")) == ["I was tired"]
    assert texts(found(shop, "How did I feel last week?", now=NOON - 23 * DAY)) == ["I was happy"]
    assert found(shop, "How did I feel on 30 February?").hits == ()


def test_what_is_pending_is_found_by_its_words_only(shop: Workshop) -> None:
    """At once, and by its meaning as soon as it has been worked through."""
    say(shop, ("Ana", "It cost 900 euros"))
    say(shop, ("Ana", "We went running"), conversation="c2")
    assert texts(found(shop, "euros")) == ["It cost 900 euros"]
    assert texts(found(shop, "What is the budget?")) == []
    shop.memory().flush()
    assert texts(found(shop, "What is the budget?"))[0] == "It cost 900 euros"


def say_budgets(shop: Workshop) -> None:
    """Tell a budget, and another one later."""
    say(shop, ("Ana", "The budget for the budget trip, in euros, is 900 euros of cost"), days_ago=9)
    say(shop, ("Ana", "The budget was raised to 1200"), conversation="c2", days_ago=1)
    for number in range(6):
        say(shop, ("Ana", f"I ran {number} miles and baked bread"), conversation=f"other {number}", days_ago=5)
    shop.memory().flush()


def test_classic_knows_no_names(shop: Workshop) -> None:
    """It is the document's formula, and nothing else: similarity, importance and recency."""
    say_budgets(shop)
    hits = found(shop, "How much is Ana's budget in euros, what does it cost?", policy=RecallPolicy(Preset.CLASSIC))
    assert hits
    assert {name for hit in hits for name in hit.signals} <= {"similarity", "importance", "recency"}
    assert len(found(shop, "budget", policy=RecallPolicy(Preset.CLASSIC), limit=1)) == 1


def test_the_preset_is_a_setting() -> None:
    """An engine that was opened with it ranks by it."""
    with open_workshop(":memory:", embedder=ConceptEmbedder(CONCEPTS), recall_preset="classic") as shop:
        say(shop, ("Ana", "The budget is 900 euros"))
        assert shop.memory().recall("budget").hits == ()
        shop.memory().flush()
        assert "similarity" in shop.memory().recall("budget")[0].signals


def test_only_the_beginning_of_a_very_long_question_is_read(shop: Workshop) -> None:
    """What stands behind it is as if it had not been said."""
    say(shop, ("Ana", "The whale swam by"), ("Ana", "Bread"))
    padding = "x " * (MAX_QUESTION_CHARS // 2)
    assert found(shop, f"{padding} whale").hits == ()
    assert texts(found(shop, f"whale {padding}"))[0] == "The whale swam by"


class Broken(ConceptEmbedder):
    """An embedder that does not answer."""

    def embed(self, *_: Any, **__: Any) -> Any:
        """Refuse."""
        raise ProviderUnavailable("the model is away")


def test_without_its_embedder_words_must_do_and_a_note_says_so(shop: Workshop) -> None:
    """Whether it does not answer or is not installed; what was found by words is the same."""
    say(shop, ("Ana", "I swim in the river"), ("Ana", "I bake bread"))
    shop.memory().flush()
    broken = replace(shop.ports, embedder=Broken(CONCEPTS))
    missing = replace(shop.ports, embedder=ConceptEmbedder(CONCEPTS, model="another"))
    for ports, note in ((broken, "the model is away"), (missing, "'concepts-v1', which is not installed")):
        index_cache = IndexCache(bytes_kept=1 << 30)
        recalled = retrieve(
            ports, index_cache, shop.memory().scope, "river", now=NOON, policy=RecallPolicy(), only=EXCERPTS, limit=9
        )
        assert note in recalled.notes[0]
        assert recalled[0].text == "I swim in the river"
        assert not any("vector" in hit.signals for hit in recalled)


def test_a_model_that_changes_in_between_falls_back_to_words(shop: Workshop) -> None:
    """Vectors of two models never meet: the question was embedded for the one that was there when it was read."""
    say(shop, ("Ana", "I swim in the river"), ("Ana", "I bake bread"))
    shop.memory().flush()
    assert "vector" in found(shop, "river")[0].signals
    index_cache = IndexCache(bytes_kept=1 << 30)

    class Switching(ConceptEmbedder):
        def embed(self, *args: Any, **named: Any) -> Any:
            shop.ports.store.write(shop.memory().scope, lambda tx: tx.save_owner(replace(tx.owner(), model="new")))
            with index_cache.borrow(shop.ports.store, shop.memory().scope) as index:
                assert index.model == "new"
            return super().embed(*args, **named)

    ports = replace(shop.ports, embedder=Switching(CONCEPTS))
    recalled = retrieve(
        ports, index_cache, shop.memory().scope, "river", now=NOON, policy=RecallPolicy(), only=EXCERPTS, limit=9
    )
    assert recalled[0].text == "I swim in the river"
    assert not any("vector" in hit.signals for hit in recalled)


def test_ties_go_by_what_was_said_first(shop: Workshop) -> None:
    """Then by position and passage, then by conversation; never by id or by when it was recorded."""
    say(shop, ("Ana", "river"), conversation="b", id="z")
    say(shop, ("Ana", "river"), conversation="a", id="y")
    say(shop, ("Ana", "river"), conversation="c", id="x", days_ago=1e-9)
    hits = found(shop, "river")
    assert len({hit.score for hit in hits}) == 1
    assert [hit.conversation for hit in hits] == ["c", "a", "b"]
    assert [hit.conversation for hit in found(shop, "river", limit=2)] == ["c", "a"]
