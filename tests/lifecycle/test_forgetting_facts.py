"""What is believed goes with what it rested on, and with nothing else: by every way of forgetting, in the files too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.belief_rows import a_fact, a_ruling, a_version, an_edge, evidence_for
from tests.canaries import left_in
from tests.rows import ANA, KEPT, TALK, a_vector, an_episode, at, in_scope
from tests.workshop import open_workshop, tell
from yesteryear.bootstrap import open_store
from yesteryear.core.episode import Detail, EpisodeStatus
from yesteryear.core.fact import Authority, Fact, FactStatus, Form, Stance
from yesteryear.core.hits import RecallEvent
from yesteryear.core.language.requests import read_forget_request
from yesteryear.core.message import Conversation
from yesteryear.core.ruling import Act
from yesteryear.core.scope import Scope
from yesteryear.core.time import EPOCH
from yesteryear.core.vectors import VectorGrain
from yesteryear.errors import NotFound
from yesteryear.forget.facts import Because, facts_about
from yesteryear.forget.forget import Chosen, Forgotten, choose, choose_span, forget
from yesteryear.forget.propose import ForgetPolicy, Wishes, find_proposal, propose
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import a_message

pytestmark = pytest.mark.sampled

NOW = at(99)
TOLD = {"c1-1": "My cat is called Quimbelwort.", "c1-2": "I live in Tromsø.", "c1-3": "I bake bread."}
"""What was said, by message; the first two are of the episode e1, the third of e2."""


@pytest.fixture
def store(place: Path | str) -> Iterator[Store]:
    """Return a store with a talk in it."""
    store = open_store(place)
    store.write(ANA, talk)
    yield store
    store.close()


def talk(tx: Transaction) -> None:
    """Write three messages in two episodes."""
    for seq, text in enumerate(TOLD.values(), start=1):
        tx.messages.insert(a_message(text, seq=seq, verdict=KEPT, episode_id=f"e{(seq + 1) // 2}", minutes=seq))
    tx.conversations.save(Conversation(TALK, last_seq=3, settled_seq=3, last_at=at(3)))
    active = EpisodeStatus.ACTIVE
    tx.episodes.insert(an_episode("e1", minutes=2, status=active, message_ids=("c1-1", "c1-2")))
    tx.episodes.insert(an_episode("e2", minutes=3, status=active, message_ids=("c1-3",), first_seq=3, last_seq=3))


def believe(store: Store, fact: Fact, *messages: str | None, stance: Stance = Stance.SUPPORTS) -> None:
    """Write a fact that rests on some messages, or on the person's word by hand, with all that a fact has."""

    def write(tx: Transaction) -> None:
        tx.facts.insert([fact])
        tx.versions.add([a_version(fact)])
        rows = [evidence_for(fact.id, message, stance=stance) for message in messages]
        tx.evidence.add([replace(row, quote=TOLD.get(row.message_id or "", "")) for row in rows])
        tx.vectors.put("m", [a_vector(fact.id, len(fact.id), 1, grain=VectorGrain.FACT)])
        tx.recalls.append(RecallEvent(f"r-{fact.id}", TALK, at(5), (fact.id,), ()))

    store.write(ANA, write)


def let_go(store: Store, *names: str, scope: Scope = ANA, is_dry: bool = False) -> Forgotten:
    """Forget by ids."""
    with store.read(scope) as tx:
        chosen = choose(tx, names)
    return forget(store, scope, chosen, now=NOW, is_dry=is_dry)


def believed(store: Store) -> list[str]:
    """Return the ids of the facts that are left."""
    with store.read(ANA) as tx:
        return [fact.id for fact in tx.facts.all()]


def due(store: Store) -> list[str]:
    """Return the ids of the facts that are to be settled anew."""
    with store.read(ANA) as tx:
        return [fact.id for fact in tx.facts.due(NOW, limit=99)]


def why(forgotten: Forgotten) -> dict[str, Because]:
    """Return why each fact went."""
    return {fact.id: fact.because for fact in forgotten.facts}


def choose_all_before(tx: Transaction) -> Chosen:
    """Return what was said until a minute after noon."""
    return choose_span(tx, conversation=None, since=None, until=at(1.5))


WAYS: dict[str, Sequence[str]] = {"the message": ["c1-1"], "the episode": ["e1"], "the fact": ["f1"]}


@pytest.mark.parametrize("way", [*WAYS, "a span"])
def test_a_fact_goes_with_all_that_spoke_for_it(store: Store, place: Path | str, way: str) -> None:
    """Its words and quotes, its versions, what contexts had shown of it, its vectors; what is beside it stays."""
    believe(store, a_fact("f1", "Ana's cat is called Quimbelwort."), "c1-1")
    believe(store, a_fact("f3", "Ana bakes bread."), "c1-3")
    if way == "a span":
        with store.read(ANA) as tx:
            chosen = choose_all_before(tx)
        forgotten = forget(store, ANA, chosen, now=NOW)
    else:
        forgotten = let_go(store, *WAYS[way])
    assert why(forgotten) == {"f1": Because.ASKED if way == "the fact" else Because.EVIDENCE}
    assert "Quimbelwort" not in repr(forgotten)
    with store.read(ANA) as tx:
        assert [fact.id for fact in tx.facts.all()] == ["f3"]
        assert [version.fact.id for version in tx.versions.since(EPOCH)] == ["f3"]
        assert [row.fact_id for row in tx.evidence.all()] == ["f3"]
        assert [event.id for event in tx.recalls.page()] == ["r-f3"]
        assert [stored.ref for stored in tx.vectors.load("m")] == ["f3"]
        assert bool(tx.messages.get(["c1-1"])[0].content) == (way == "the fact")
    assert due(store) == []
    if isinstance(place, Path) and way != "the fact":
        assert left_in(place.parent, ["Quimbelwort"]) == {}


def test_a_fact_goes_with_the_words_that_it_quotes(store: Store) -> None:
    """An answer holds the question, a quote may hold the sentence before it: words of another message, which goes."""
    with_words = replace(a_fact("f1", f'Ana said: "{TOLD["c1-1"]} he is four"'), form=Form.QUOTE)
    believe(store, with_words, "c1-2")
    believe(store, replace(a_fact("f2", 'Ana said: "he is four"'), form=Form.QUOTE), "c1-2")
    of_the_cat = replace(a_fact("f3", 'Ana said of Quimbelwort: "he is five"'), form=Form.QUOTE, holder="Quimbelwort")
    believe(store, of_the_cat, "c1-2")
    assert why(let_go(store, "c1-1")) == dict.fromkeys(("f1", "f3"), Because.RESTED_ON_IT)
    assert believed(store) == ["f2"]


def test_a_fact_for_which_something_else_speaks_stays(store: Store) -> None:
    """Without the quotes that are forgotten, and due to be settled anew; what is left may be of another time."""
    believe(store, a_fact("f1", "Ana lives in Tromsø."), "c1-1", "c1-2")
    believe(store, a_fact("f2", "Ana has a cat.", due_at=at(1), attempts=3, error="it failed"), "c1-1", None)
    forgotten = let_go(store, "c1-1")
    assert forgotten.facts == ()
    with store.read(ANA) as tx:
        assert [row.message_id for row in tx.evidence.of(["f1", "f2"])] == ["c1-2", None]
        assert [(fact.due_at, fact.attempts, fact.error) for fact in tx.facts.all()] == [(NOW, 0, None)] * 2
    assert let_go(store, "c1-2").facts[0].id == "f1"


@pytest.mark.parametrize("stance", [Stance.CONTRADICTS, Stance.ECHO])
def test_what_only_speaks_against_a_fact_or_repeats_it_does_not_keep_it(store: Store, stance: Stance) -> None:
    """It is no reason to believe it; and nothing of it is told where somebody else is asked about."""
    believe(store, a_fact("f1"), "c1-1")
    store.write(ANA, lambda tx: tx.evidence.add([evidence_for("f1", "c1-3", stance=stance)]))
    assert why(let_go(store, "c1-1")) == {"f1": Because.EVIDENCE}
    with store.read(ANA) as tx:
        assert tx.evidence.all() == []


def test_what_a_forgotten_fact_had_moved_is_settled_anew(store: Store) -> None:
    """What it superseded, had merged into it, was in conflict with, or rested on it; nothing else is touched."""
    believe(store, a_fact("f1"), "c1-1")
    believe(store, a_fact("superseded", status=FactStatus.SUPERSEDED, superseded_by="f1"), "c1-3")
    believe(store, a_fact("merged", status=FactStatus.MERGED, canonical_id="f1"), "c1-3")
    for name in ("disputed", "beside", "resting", "far"):
        believe(store, a_fact(name), "c1-3")
    side_by_side = replace(a_ruling("f1", "beside").judgement, act=Act.NOTHING)
    rulings = [a_ruling("disputed", "f1"), a_ruling("f1", "beside", judgement=side_by_side, conflict=None)]
    store.write(ANA, lambda tx: tx.rulings.save(rulings))
    store.write(ANA, lambda tx: tx.edges.put([an_edge("resting", "f1")]))
    assert why(let_go(store, "c1-1")) == {"f1": Because.EVIDENCE}
    assert sorted(due(store)) == ["disputed", "merged", "resting", "superseded"]


def test_a_fact_takes_along_what_says_the_same_and_what_rested_on_it_alone(store: Store) -> None:
    """Where it is forgotten by name; what is inferred from something else too, or was said as well, stays."""
    believe(store, a_fact("f1"), "c1-1")
    believe(store, a_fact("merged", status=FactStatus.MERGED, canonical_id="f1"), "c1-2")
    believe(store, a_fact("other"), "c1-3")
    inferred = {"alone": ["f1"], "upon": ["alone", "merged"], "both": ["f1", "other"], "round": ["f1", "round too"]}
    for name in (*inferred, "round too"):
        believe(store, a_fact(name, authority=Authority.INFERRED))
    believe(store, a_fact("said"), "c1-2")
    edges = [an_edge(source, target) for source, targets in inferred.items() for target in targets]
    store.write(ANA, lambda tx: tx.edges.put([*edges, an_edge("said", "f1"), an_edge("round too", "round")]))
    forgotten = let_go(store, "f1")
    assert why(forgotten) == {
        "f1": Because.ASKED,
        "merged": Because.SAYS_THE_SAME,
        "alone": Because.RESTED_ON_IT,
        "upon": Because.RESTED_ON_IT,
    }
    assert sorted(believed(store)) == ["both", "other", "round", "round too", "said"]
    assert forgotten.ids == ("f1",)
    with store.read(ANA) as tx:
        assert [row.content for row in tx.messages.get(["c1-1", "c1-2"])] == [TOLD["c1-1"], TOLD["c1-2"]]


def test_a_trial_tells_what_would_go_and_why(store: Store) -> None:
    """With the statements, and nothing is done; the ids of the result forget just that."""
    believe(store, a_fact("f1", "Ana's cat is called Quimbelwort."), "c1-1")
    believe(store, a_fact("f3", "Ana bakes bread."), "c1-3")
    trial = let_go(store, "c1-1", "f3", is_dry=True)
    assert [(fact.id, fact.statement, fact.because.value) for fact in trial.facts] == [
        ("f1", "Ana's cat is called Quimbelwort.", "evidence"),
        ("f3", "Ana bakes bread.", "asked"),
    ]
    assert trial.ids == ("c1-1", "f3")
    assert believed(store) == ["f1", "f3"]
    assert why(let_go(store, *trial.ids)) == why(trial)
    assert believed(store) == []


def test_forgetting_facts_twice_changes_nothing(store: Store) -> None:
    """As after a kill: what is gone already does no harm, and what was never there is said."""
    believe(store, a_fact("f1"), "c1-1")
    let_go(store, "f1")
    with store.read(ANA) as tx:
        before = tx.owner().rev, tx.changes(0)
    assert let_go(store, "f1").facts == ()
    with store.read(ANA) as tx:
        assert (tx.owner().rev, tx.changes(0)) == before
    with pytest.raises(NotFound, match="'f9'"):
        let_go(store, "f1", "f9")


def test_what_was_made_of_it_goes_whatever_the_project(store: Store) -> None:
    """A message of one project takes along the fact that all of them see; a fact of another is not reached by name."""
    believe(store, a_fact("general"), "t-1")
    believe(store, a_fact("taxes", scope=in_scope("taxes")), "c1-3")
    message = a_message("I live in Oslo", id="t-1", conversation="c9", scope=in_scope("thesis"), verdict=KEPT)
    store.write(ANA, lambda tx: tx.messages.insert(message))
    with pytest.raises(NotFound):
        let_go(store, "taxes", scope=in_scope("thesis"))
    assert why(let_go(store, "t-1", scope=in_scope("thesis"))) == {"general": Because.EVIDENCE}
    assert believed(store) == ["taxes"]


def test_a_request_in_the_conversation_reaches_facts_whose_words_are_gone(store: Store) -> None:
    """What is told about the subject goes; what somebody told since, and what is about something else, stays."""
    for seq in (1, 2):
        faded = a_message("", seq=seq, verdict=KEPT, episode_id="e1")
        store.write(ANA, lambda tx, faded=faded: tx.messages.update([faded]))  # type: ignore[misc]
    believe(store, a_fact("f1", "Ana's cat is called Quimbelwort."), "c1-1")
    believe(store, a_fact("f2", "Ana's cat Quimbelwort sleeps."), "c1-1", "c1-9")
    believe(store, a_fact("f3", "Ana bakes bread."), "c1-3")
    later = evidence_for("f2", "c1-9", minutes=50)
    store.write(ANA, lambda tx: tx.evidence.add([later]))
    request = a_message("Please forget what I told you about Quimbelwort.", seq=4, minutes=10)
    requested, policy = read_forget_request(request.content), ForgetPolicy()
    assert requested is not None

    def ask(tx: Transaction) -> None:
        tx.messages.insert(request)
        propose(tx, request, requested, policy, now=NOW)

    store.write(ANA, ask)
    with store.read(ANA) as tx:
        row = find_proposal(tx, request.id, now=NOW)
    assert row is not None
    Wishes(store, ANA.owner.scope, NOW, policy).answer(row, is_yes=True)
    assert believed(store) == ["f2", "f3"]


@pytest.mark.parametrize("days", [200, 4000])
def test_facts_outlive_the_words_they_came_from(place: Path | str, days: int) -> None:
    """An episode becomes a gist and is archived; what is believed keeps its quotes until the person says otherwise."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        tell(memory, 4)
        memory.flush()
        message = memory.messages()[0]
        row = evidence_for("f1", message.id, quote=message.content)
        store = shop.ports.store
        store.write(memory.scope, lambda tx: tx.facts.insert([a_fact("f1")]))
        store.write(memory.scope, lambda tx: tx.evidence.add([row]))
        memory.fade(at=shop.clock.now() + timedelta(days=days))
        (episode,) = memory.episodes()
        assert episode.detail is Detail.GIST or episode.status is EpisodeStatus.ARCHIVED
        with store.read(memory.scope) as tx:
            assert tx.evidence.of(["f1"]) == [row]
        memory.forget(message.id)
        with store.read(memory.scope) as tx:
            assert not [*tx.facts.get(["f1"]), *tx.evidence.of(["f1"])]


def test_facts_about_a_subject_are_found_by_what_they_say(store: Store) -> None:
    """Whatever is believed of them, within what the scope sees."""
    believe(store, a_fact("f1", "Ana keeps bees in Porto."))
    believe(store, a_fact("f2", "Ana kept bees.", status=FactStatus.SUPERSEDED, superseded_by="f1"))
    believe(store, a_fact("f3", "Ana sells honey of her bees.", scope=in_scope("shop")))
    believe(store, a_fact("f4", "Ana lives in Porto."))
    with store.read(in_scope("thesis")) as tx:
        assert [fact.id for fact in facts_about(tx, "my bees")] == ["f1", "f2"]
        assert facts_about(tx, "") == facts_about(tx, "the") == []
    with store.read(ANA) as tx:
        assert [fact.id for fact in facts_about(tx, "bees")] == ["f1", "f2", "f3"]
