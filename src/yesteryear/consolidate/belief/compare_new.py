"""STEP: compare what was newly told with what is known, and believe accordingly.

The row is the queue: what was killed on the way is done again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from yesteryear.consolidate.belief.cascade import find_dependencies
from yesteryear.consolidate.belief.settle import settle
from yesteryear.consolidate.belief.snapshot import BeliefSnapshot, Compared, judge_pairs, read_snapshot, write_settled
from yesteryear.consolidate.night.nominate import nominate
from yesteryear.consolidate.policy import ConsolidatePolicy, NightPolicy, next_night
from yesteryear.core.fact import Evidence, Fact, Stance, words_of
from yesteryear.core.language.names import NameBook
from yesteryear.core.ruling import Act, Ruling
from yesteryear.core.scope import Scope
from yesteryear.core.vectors import Purpose, StoredVector, VectorGrain, embed_in_batches
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
        facts: Those that are due, as they were read.
        serve: Lets the embedder's model serve recall, or refuses its vectors.

    Raises:
        ProviderError: a vector could not be made or belongs to another model, or the analyst failed; nothing was
            written.
        Stale: something was changed meanwhile; they are due still.
    """
    store, profile = ports.store, ports.embedder.profile
    vectors = embed_facts(store, ports.embedder, facts)
    with store.read(scope) as tx:
        snapshot = read_snapshot(tx, profile.model)
        earlier = _told_earlier(tx, facts)
    known = {fact.id: fact for fact in snapshot.facts}
    due = [known[fact.id] for fact in facts if fact.id in known and known[fact.id].rev == fact.rev]
    if not due:
        return  # all of them are gone or were changed, and perhaps the person, whose name must not come back
    snapshot = snapshot.with_(vectors=vectors)
    new = {fact.id for fact in due}
    pairs = nominate(snapshot.facts, snapshot.vectors, snapshot.ruled, new=new, profile=profile, policy=policy.nominate)
    rulings = judge_pairs(ports, [*pairs, *snapshot.judged_with(earlier)], snapshot.evidence, now=now)
    compared = compare(store, scope, snapshot, due, judged=rulings, now=now)
    settled = settle(compared.snapshot, policy.belief, now=now, night=snapshot.night)

    def write(tx: Transaction) -> None:
        write_settled(tx, compared._replace(rulings=rulings), settled, now=now, cause="told")
        serve(tx, profile.model)

    store.write(scope, write)


def compare(
    store: Store,
    scope: Scope,
    snapshot: BeliefSnapshot,
    facts: Sequence[Fact],
    *,
    judged: Sequence[Ruling],
    now: datetime,
) -> Compared:
    """Return what follows where some facts, with vectors, were judged together with others: echoes and dependencies."""
    ids = {fact.id for fact in facts}
    with store.read(scope) as tx:
        echoes = _find_echoes(tx, snapshot, [row for row in judged if not ids.isdisjoint(row.pair)])
    edges = list(find_dependencies(facts, snapshot.facts, now=now))
    vectors = [StoredVector(VectorGrain.FACT, fact.id, 0, snapshot.vectors[fact.id]) for fact in facts]
    return Compared(
        snapshot.with_(rulings=judged, evidence=echoes, edges=edges), facts, vectors, echoes=echoes, edges=edges
    )


def embed_facts(store: Store, embedder: Embedder, facts: Sequence[Fact]) -> list[StoredVector]:
    """Return a vector of each statement, without the name of the person it is about and without who said it.

    Raises:
        ProviderError: a vector could not be made.
    """
    told = [words_of(fact.statement, fact.form) for fact in facts]
    texts = [NameBook.of([fact.subject]).strip(words) or words for fact, words in zip(facts, told, strict=True)]
    vectors = embed_in_batches(
        lambda some: embedder.embed(some, purpose=Purpose.DOCUMENT),
        texts,
        batch=embedder.profile.batch,
        yield_to_foreground=store.yield_to_foreground,
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


def _find_echoes(tx: Transaction, snapshot: BeliefSnapshot, rulings: Sequence[Ruling]) -> list[Evidence]:
    """Return the evidence that only repeats, in other words, a fact that a context had shown before it was said."""
    same: dict[str, set[str]] = {}
    for ruling in rulings:
        if ruling.act is Act.FOLD:
            same.setdefault(ruling.earlier, set()).add(ruling.later)
            same.setdefault(ruling.later, set()).add(ruling.earlier)
    echoes = []
    for row in snapshot.evidence:
        if row.fact_id in same and row.stance is Stance.SUPPORTS and row.message_id is not None:
            for message in tx.messages.get([row.message_id]):
                events = tx.recalls.latest(message.key, limit=_EVENTS)
                if any(event.at < row.said_at and same[row.fact_id] & set(event.items) for event in events):
                    echoes.append(replace(row, stance=Stance.ECHO))
    return echoes


def await_night(tx: Transaction, policy: NightPolicy, now: datetime) -> None:
    """Let the next night be due: something was told. Silence counts from the last that was said."""
    state = tx.owner()
    zone = next((row.zone for row in reversed(tx.conversations.list()) if row.zone), None)
    last = next((report.at for report in tx.cycles.latest(limit=1)), None)
    last = None if last is None or last > now else last  # one of a clock that was ahead says nothing of the next
    night_at = next_night(now, zone, policy, last=last)
    is_due = state.night_at is not None and state.night_at <= now
    if state.rev and not is_due and night_at != state.night_at:
        tx.save_owner(replace(state, night_at=night_at))
