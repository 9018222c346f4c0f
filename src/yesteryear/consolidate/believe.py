"""STEP: compare what was newly told with what is known, and believe accordingly.

A fact that is due gets its vector and is judged against the facts it may bear on; then the belief in all facts follows
from everything that was said, by ``belief.settle``. The row is the queue: what was killed on the way is done again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from yesteryear.consolidate.belief import settle
from yesteryear.consolidate.mind import Mind, judge_pairs, read_mind, write_settled
from yesteryear.consolidate.nominate import nominate
from yesteryear.consolidate.policy import ConsolidatePolicy
from yesteryear.consolidate.resting import rest
from yesteryear.core.fact import Evidence, Fact, Stance
from yesteryear.core.language.names import NameBook
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import Scope
from yesteryear.core.vectors import Purpose, StoredVector, VectorGrain, embed_in_batches
from yesteryear.core.verdicts import Act
from yesteryear.ports import Embedder, Ports, Store, Transaction

_EVENTS = 50
"""Contexts of a conversation that are looked through for facts they had shown."""


def believe(
    ports: Ports,
    scope: Scope,
    facts: Sequence[Fact],
    policy: ConsolidatePolicy,
    *,
    now: datetime,
    serve: Callable[[Transaction, str], None],
) -> None:
    """Compare some facts that are due with all others, and write what is believed then.

    Args:
        ports: The ports.
        scope: Of all of the owner.
        facts: Those that are due, as they were read.
        policy: Which pairs are worth judging, and how belief is settled.
        now: The present instant.
        serve: Lets the embedder's model serve recall, or refuses its vectors.

    Raises:
        ProviderError: a vector could not be made or belongs to another model, or the analyst failed; nothing was
            written.
        Stale: something was changed meanwhile; they are due still.
    """
    store, profile = ports.store, ports.embedder.profile
    vectors = embed_facts(store, ports.embedder, facts)
    with store.read(scope) as tx:
        mind = read_mind(tx, profile.model)
        earlier = _told_earlier(tx, facts)
    known = {fact.id: fact for fact in mind.known.facts}
    due = [known[fact.id] for fact in facts if fact.id in known and known[fact.id].rev == fact.rev]
    if not due:
        return  # all of them are gone or were changed, and perhaps the person, whose name must not come back
    mind = mind.with_(vectors=vectors)
    new = {fact.id for fact in due}
    pairs = nominate(mind.known.facts, mind.vectors, mind.ruled, new=new, profile=profile, policy=policy.nominate)
    rulings = judge_pairs(ports, [*pairs, *mind.judged_with(earlier)], now=now)
    mind = mind.with_(rulings=rulings)
    with store.read(scope) as tx:
        echoes = find_echoes(tx, mind, rulings)
    edges = list(rest(due, mind.known.facts, now=now))
    mind = mind.with_(evidence=echoes, edges=edges)
    settled = settle(mind.known, policy.belief, now=now, night=mind.night)

    def write(tx: Transaction) -> None:
        write_settled(tx, mind, settled, now=now, cause="told", rulings=rulings, evidence=echoes, compared=due)
        serve(tx, profile.model)
        tx.edges.put(edges)
        tx.vectors.put(profile.model, [row for row in vectors if row.ref in new])

    store.write(scope, write)


def embed_facts(store: Store, embedder: Embedder, facts: Sequence[Fact]) -> list[StoredVector]:
    """Return a vector of each statement, without the name of the person it is about.

    Raises:
        ProviderError: a vector could not be made.
    """
    texts = [NameBook.of([fact.subject]).strip(fact.statement) or fact.statement for fact in facts]
    vectors = embed_in_batches(
        lambda some: embedder.embed(some, purpose=Purpose.DOCUMENT),
        texts,
        batch=embedder.profile.batch,
        give_way=store.give_way,
    )
    return [StoredVector(VectorGrain.FACT, fact.id, 0, vector) for fact, vector in zip(facts, vectors, strict=True)]


def _told_earlier(tx: Transaction, facts: Sequence[Fact]) -> set[str]:
    """Return the ids of facts of which we learnt, after they were compared, that they had been told before."""
    found = set()
    for fact in facts:
        versions = tx.versions.of(fact.id)
        if versions and fact.first_observed < versions[-1].fact.first_observed:
            found.add(fact.id)
    return found


def find_echoes(tx: Transaction, mind: Mind, rulings: Sequence[Ruling]) -> list[Evidence]:
    """Return the evidence that only repeats, in other words, a fact that a context had shown before it was said."""
    same: dict[str, set[str]] = {}
    for ruling in rulings:
        if ruling.act is Act.FOLD:
            same.setdefault(ruling.earlier, set()).add(ruling.later)
            same.setdefault(ruling.later, set()).add(ruling.earlier)
    echoes = []
    for row in mind.known.evidence:
        if row.fact_id in same and row.stance is Stance.SUPPORTS and row.message_id is not None:
            for message in tx.messages.get([row.message_id]):
                events = tx.recalls.latest(message.key, limit=_EVENTS)
                if any(event.at < row.said_at and same[row.fact_id] & set(event.items) for event in events):
                    echoes.append(replace(row, stance=Stance.ECHO))
    return echoes
