"""Whatever is believed, and whatever of it is forgotten: nothing rests on what is gone, and all else is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.belief_rows import a_fact, a_ruling, a_version, an_edge, beliefs_in, evidence_for
from tests.rows import ANA, KEPT, at
from yesteryear.core.fact import Authority, FactStatus, Stance
from yesteryear.core.time import EPOCH
from yesteryear.forget.forget import choose, forget
from yesteryear.ports import Store, Transaction
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.testing.builders import a_message

MESSAGES = [f"c1-{seq}" for seq in range(1, 7)]
FACTS = [f"f{number}" for number in range(6)]
NOW = at(99)


@dataclass(frozen=True, slots=True)
class BeliefSnapshot:
    """What is believed, by the names of facts and messages."""

    evidence: dict[tuple[str, str], Stance]
    merged: dict[str, str]
    """What each fact is merged into; that one is not merged itself."""
    inferred: frozenset[str]
    rests_on: frozenset[tuple[str, str]]
    ruled: frozenset[tuple[str, str]]


names, pairs = st.sampled_from(FACTS), st.tuples(st.sampled_from(FACTS), st.sampled_from(FACTS))
minds = st.builds(
    BeliefSnapshot,
    evidence=st.dictionaries(st.tuples(names, st.sampled_from(MESSAGES)), st.sampled_from(Stance), max_size=12),
    merged=st.dictionaries(st.sampled_from(FACTS[:3]), st.sampled_from(FACTS[3:])),
    inferred=st.frozensets(names),
    rests_on=st.frozensets(pairs, max_size=6),
    ruled=st.frozensets(pairs, max_size=6),
)


@contextmanager
def believing(snapshot: BeliefSnapshot) -> Iterator[Store]:
    """Open a store in which this is believed."""
    facts = [
        a_fact(
            name,
            authority=Authority.INFERRED if name in snapshot.inferred else Authority.SAID,
            status=FactStatus.MERGED if name in snapshot.merged else FactStatus.STABLE,
            canonical_id=snapshot.merged.get(name),
        )
        for name in FACTS
    ]

    def write(tx: Transaction) -> None:
        for seq, name in enumerate(MESSAGES, start=1):
            tx.messages.insert(a_message(f"I said {name}", seq=seq, verdict=KEPT))
        tx.facts.insert(facts)
        tx.versions.add([a_version(fact) for fact in facts])
        told = [evidence_for(fact, message, stance=stance) for (fact, message), stance in snapshot.evidence.items()]
        tx.evidence.add(told)
        tx.edges.put([an_edge(*pair) for pair in sorted(snapshot.rests_on)])
        tx.rulings.save([a_ruling(*pair) for pair in sorted(snapshot.ruled)])

    with closing(InMemoryStore()) as store:
        store.write(ANA, write)
        yield store


def let_go(store: Store, *given_names: str) -> set[str]:
    """Forget by ids; return which facts went."""
    with store.read(ANA) as tx:
        chosen = choose(tx, given_names)
    return {fact.id for fact in forget(store, ANA, chosen, now=NOW).facts}


@given(snapshot=minds, messages=st.sets(st.sampled_from(MESSAGES)), facts=st.sets(names))
def test_nothing_rests_on_what_is_forgotten(snapshot: BeliefSnapshot, messages: set[str], facts: set[str]) -> None:
    """No row is about a fact that went; a fact goes only where it was named, or had lost what it rested on."""
    with believing(snapshot) as store:
        went = let_go(store, *messages, *facts) if messages or facts else set()
        with store.read(ANA) as tx:
            left, evidence = {fact.id: fact for fact in tx.facts.all()}, tx.evidence.all()
            assert left.keys() == set(FACTS) - went
            assert {version.fact.id for version in tx.versions.since(EPOCH)} == left.keys()
            assert {row.fact_id for row in evidence} <= left.keys()
            assert not messages & {row.message_id for row in evidence}
            kept = {(fact, message) for fact, message in snapshot.evidence if fact in left and message not in messages}
            assert {(row.fact_id, row.message_id) for row in evidence} == kept
            for edge in tx.edges.all():
                assert {edge.source, edge.target} <= left.keys()
            for ruling in tx.rulings.all():
                assert left.keys() >= set(ruling.pair)
            due = {fact.id for fact in tx.facts.due(NOW, limit=99)}
        assert went >= facts
        spoke = {fact for fact, message in snapshot.evidence if message in messages}
        for name, fact in left.items():
            speaks = any(row.fact_id == name and row.stance is Stance.SUPPORTS for row in evidence)
            assert name not in spoke or (speaks and name in due)
            assert fact.canonical_id not in facts
            assert fact.canonical_id not in went or name in due
        for name in went - facts:
            has_said_so = snapshot.merged.get(name) in facts
            has_lost = name in spoke
            rested = {target for source, target in snapshot.rests_on if source == name and target != name}
            assert has_said_so or has_lost or (name in snapshot.inferred and rested and rested <= went)


@pytest.mark.heavy
@settings(max_examples=150)  # two stores for each
@given(snapshot=minds, messages=st.lists(st.sampled_from(MESSAGES), min_size=2, max_size=4, unique=True))
def test_forgetting_messages_in_parts_is_forgetting_them_at_once(snapshot: BeliefSnapshot, messages: list[str]) -> None:
    """In any order; and a second time changes nothing."""
    with believing(snapshot) as whole, believing(snapshot) as parts:
        went = let_go(whole, *messages)
        assert set().union(*(let_go(parts, message) for message in messages)) == went
        with whole.read(ANA) as one, parts.read(ANA) as other:
            assert [fact.id for fact in one.facts.all()] == [fact.id for fact in other.facts.all()]
            assert one.evidence.all() == other.evidence.all()
            before = beliefs_in(one)
        assert let_go(whole, *messages) == set()
        with whole.read(ANA) as tx:
            assert beliefs_in(tx) == before
