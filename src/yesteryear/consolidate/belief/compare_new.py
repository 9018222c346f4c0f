"""STEP: compare what was newly told with what is known at one moment, and write down what follows.

The row is the queue: what was killed on the way is done again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from yesteryear.consolidate.belief.cascade import find_dependencies
from yesteryear.consolidate.belief.caution import reconsider
from yesteryear.consolidate.belief.settle import KnownFact, Settled, settle
from yesteryear.consolidate.night.nominate import nominate, told_order
from yesteryear.consolidate.policy import ConsolidatePolicy, NightPolicy, next_night
from yesteryear.core.fact import Evidence, Fact, FactVersion, Form, Stance, said_words, words_of
from yesteryear.core.language.clauses import tells_of_list
from yesteryear.core.language.discourse import topic_stems
from yesteryear.core.language.names import NameBook
from yesteryear.core.night_report import CycleState
from yesteryear.core.people import People, people_of
from yesteryear.core.relation import Edge
from yesteryear.core.rows.due_work import batches, due_from
from yesteryear.core.ruling import TOLD_TOGETHER, Act, Claim, ClaimPair, Ruling
from yesteryear.core.scope import Scope
from yesteryear.core.time import EPOCH
from yesteryear.core.vectors import Matrix, Purpose, StoredVector, VectorGrain, embed_in_batches
from yesteryear.errors import Stale
from yesteryear.ports import Embedder, Ports, Store, Transaction
from yesteryear.relate.edges import inferred_edges

_EVENTS = 50  # contexts of a conversation that are looked through for facts they had shown
_PAIRS_A_CALL = 32
_CYCLES = 50  # nights that are looked through for the last one that stands


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefSnapshot(KnownFact):
    """What is known about one owner, as it was read."""

    vectors: Mapping[str, Matrix]  # of facts, by id; shape (dimension,), unit length
    model: str  # of the vectors
    rev: int  # the owner's counter when it was read
    generation: int
    night: datetime  # of the last night that stands, up to which what fades has faded; long ago where there was none

    @property
    def people(self) -> People:
        """Who is meant by the holders of the facts."""
        return people_of(self.facts, self.evidence)

    def ruled(self, people: People) -> frozenset[tuple[str, str]]:
        """Return the pairs on which there is a ruling already that stands with these people, by nearness."""
        facts = {fact.id: fact for fact in self.facts}
        return frozenset(
            row.pair
            for row in self.rulings
            if not facts.keys() >= {*row.pair}
            or (people.stands(row, facts) and (row.is_void or row.judgement.rule != TOLD_TOGETHER))
        )

    def judged_with(self, fact_ids: Collection[str]) -> list[tuple[Fact, Fact]]:
        """Return the pairs that were judged in which one of these facts takes part, but for what a person decided."""
        facts = {fact.id: fact for fact in self.facts}
        return [
            (facts[row.earlier], facts[row.later])
            for row in self.rulings
            if not (row.by_person or row.is_void or {row.earlier, row.later}.isdisjoint(fact_ids))
            and {row.earlier, row.later} <= facts.keys()
        ]

    def with_(
        self,
        rulings: Sequence[Ruling] = (),
        evidence: Sequence[Evidence] = (),
        edges: Sequence[Edge] = (),
        facts: Sequence[Fact] = (),
        vectors: Sequence[StoredVector] = (),
    ) -> BeliefSnapshot:
        """Return this with other or more rulings, evidence, edges, facts and vectors."""
        return replace(
            self,
            facts=tuple({fact.id: fact for fact in (*self.facts, *facts)}.values()),
            rulings=tuple({row.pair: row for row in (*self.rulings, *rulings)}.values()),
            evidence=tuple({(row.fact_id, row.id): row for row in (*self.evidence, *evidence)}.values()),
            edges=(*self.edges, *edges),
            vectors={**self.vectors, **{row.ref: row.vector for row in vectors}},
        )


class Compared(NamedTuple):
    """Facts once they were compared with what is known, and what is written with all that follows."""

    snapshot: BeliefSnapshot  # with all of it
    facts: Sequence[Fact] = ()  # those that were due and are not any more
    vectors: Sequence[StoredVector] = ()  # of these
    rulings: Sequence[Ruling] = ()  # new ones, older ones that do not count any more, or do again
    echoes: Sequence[Evidence] = ()
    edges: Sequence[Edge] = ()


def read_snapshot(tx: Transaction, model: str) -> BeliefSnapshot:
    """Return what is known of the owner: of the scope of ``tx``, which should be all of them."""
    state, facts = tx.owner(), tx.facts.all()
    vectors = tx.vectors.load(model, refs=[fact.id for fact in facts])
    standing = (report.at for report in tx.cycles.latest(limit=_CYCLES) if report.state is CycleState.DONE)
    return BeliefSnapshot(
        facts=facts,
        evidence=tx.evidence.all(),
        rulings=tx.rulings.all(),
        edges=tx.edges.all(),
        vectors={row.ref: row.vector for row in vectors},
        model=model,
        rev=state.rev,
        generation=state.generation,
        night=max(standing, default=EPOCH),
    )


def believe(
    ports: Ports,
    scope: Scope,
    facts: Sequence[Fact],
    policy: ConsolidatePolicy,
    *,
    now: datetime,
    serve: Callable[[Transaction, str], None],
) -> None:
    """Compare ``facts`` that are due, as they were read, with all others, and write what is believed then.

    ``serve`` lets the embedder's model serve recall, or refuses its vectors. Raises ProviderError: a vector could not
    be made or is of another model, or the analyst failed. Raises Stale: something was changed meanwhile. Then nothing
    was written, and they are due still.
    """
    store, profile = ports.store, ports.embedder.profile
    vectors = embed_facts(store, ports.embedder, facts)
    with store.read(scope) as tx:
        snapshot = read_snapshot(tx, profile.model)
        told = {fact.id: tx.versions.of(fact.id) for fact in facts}
    # Of these we learnt, after they were compared, that they had been told before.
    earlier = {
        fact.id for fact in facts if told[fact.id] and fact.first_observed < told[fact.id][-1].fact.first_observed
    }
    known = {fact.id: fact for fact in snapshot.facts}
    due = [known[fact.id] for fact in facts if fact.id in known and known[fact.id].rev == fact.rev]
    if not due:
        return  # all of them are gone or were changed, and perhaps the person, whose name must not come back
    snapshot = snapshot.with_(vectors=vectors)
    new, people = {fact.id for fact in due}, snapshot.people
    before = people_of([fact for fact in snapshot.facts if fact.id not in new], snapshot.evidence)
    asking = new | {fact.id for fact in snapshot.facts if people.holder_of(fact) != before.holder_of(fact)}
    ruled, nearest = snapshot.ruled(people), policy.nominate
    pairs = nominate(
        snapshot.facts, snapshot.vectors, ruled, new=asking, people=people, profile=profile, policy=nearest
    )
    rulings = judge_pairs(ports, [*pairs, *snapshot.judged_with(earlier)], snapshot.evidence, people, now=now)
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
    edges += inferred_edges(facts, snapshot.facts, snapshot.edges, now=now)
    vectors = [StoredVector(VectorGrain.FACT, fact.id, 0, snapshot.vectors[fact.id]) for fact in facts]
    return Compared(
        snapshot.with_(rulings=judged, evidence=echoes, edges=edges), facts, vectors, echoes=echoes, edges=edges
    )


def embed_facts(store: Store, embedder: Embedder, facts: Sequence[Fact]) -> list[StoredVector]:
    """Return a vector of each statement without the names of whom it is about and who said it; raises ProviderError."""
    told = [words_of(fact.statement, fact.form) for fact in facts]
    texts = [NameBook.of([fact.subject]).strip(words) or words for fact, words in zip(facts, told, strict=True)]
    vectors = embed_in_batches(
        lambda some: embedder.embed(some, purpose=Purpose.DOCUMENT),
        texts,
        batch=embedder.profile.batch,
        yield_to_foreground=store.yield_to_foreground,
    )
    return [StoredVector(VectorGrain.FACT, fact.id, 0, vector) for fact, vector in zip(facts, vectors, strict=True)]


def _find_echoes(tx: Transaction, snapshot: BeliefSnapshot, rulings: Sequence[Ruling]) -> list[Evidence]:
    """Return the evidence that only repeats, in other words, a fact that a context had shown before it was said."""
    same: dict[str, set[str]] = defaultdict(set)
    for one, other in ((row.earlier, row.later) for row in rulings if row.act is Act.FOLD):
        same[one].add(other)
        same[other].add(one)
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
    # A night of a clock that was ahead says nothing of the next.
    last = next((report.at for report in tx.cycles.latest(limit=1) if report.at <= now), None)
    night_at = next_night(now, zone, policy, last=last)
    is_due = state.night_at is not None and state.night_at <= now
    if state.rev and not is_due and night_at != state.night_at:
        tx.save_owner(replace(state, night_at=night_at))


def judge_pairs(
    ports: Ports,
    pairs: Sequence[tuple[Fact, Fact]],
    evidence: Sequence[Evidence],
    people: People,
    *,
    now: datetime,
    cycle: str | None = None,
) -> list[Ruling]:
    """Have pairs of facts judged, by what was first said for them, some at a time, and return the rulings.

    Those whose holders are one are judged as if these had one name. Raises ProviderError: the analyst failed.
    """
    asked_of = {fact.id for pair in pairs for fact in pair}
    said = [row for row in evidence if row.fact_id in asked_of and row.stance is Stance.SUPPORTS]
    said.sort(key=lambda row: (row.said_at, row.id), reverse=True)
    quotes = {row.fact_id: row.quote for row in said}  # the first of each fact is the last that is put there
    rulings: list[Ruling] = []
    for batch in batches([sorted(pair, key=told_order) for pair in pairs], _PAIRS_A_CALL):
        claims = [
            ClaimPair(*(_claim(fact, quotes.get(fact.id, ""), people) for fact in (earlier, later)))
            for earlier, later in batch
        ]
        judgements = ports.analyst.judge(claims, yield_to_foreground=ports.store.yield_to_foreground)
        for (earlier, later), pair, judgement in zip(batch, claims, judgements, strict=True):
            narrower = earlier if earlier.scope.project is not None else later
            reconsidered = reconsider(pair, judgement)
            of_one = pair.earlier.holder == pair.later.holder
            rulings.append(
                Ruling(narrower.scope, earlier.id, later.id, reconsidered, ruled_at=now, cycle=cycle, of_one=of_one)
            )
    return rulings


def write_settled(
    tx: Transaction,
    compared: Compared,
    settled: Settled,
    *,
    now: datetime,
    cause: str,
    cycle: str | None = None,
    is_by_hand: bool = False,
) -> None:
    """Write what was compared, and the facts as they stand by it, each with a version of what it became.

    ``tx`` is of all of the owner; ``settled`` follows from the snapshot of ``compared``; ``cause`` is told of facts
    whose change has no name of its own. Raises Stale: something of it was changed meanwhile; nothing was written.
    """
    snapshot, meanwhile = compared.snapshot, tx.changes(compared.snapshot.rev)
    if meanwhile.facts or meanwhile.generation != snapshot.generation:
        raise Stale("facts were changed meanwhile; it is begun again")
    before = {fact.id: fact for fact in snapshot.facts}
    changed = {fact.id: replace(fact, rev=before[fact.id].rev) for fact in settled.facts}
    for fact in compared.facts:
        changed[fact.id] = due_from(changed.get(fact.id, before[fact.id]), None)
    tx.rulings.save(list({row.pair: row for row in (*compared.rulings, *settled.rulings)}.values()))
    tx.evidence.add(compared.echoes)
    tx.facts.update(list(changed.values()))
    causes = {change.fact_id: f"{change.what}: {change.why}".removesuffix(": ") for change in settled.changes}
    told = {fact.id: tx.versions.of(fact.id) for fact in compared.facts}
    tx.versions.add(
        [
            FactVersion(fact, 0, now, causes.get(fact.id, cause), cycle, is_by_hand)
            for fact in changed.values()
            if _differs(before[fact.id], fact)
            or (fact.id in told and (not told[fact.id] or _differs(told[fact.id][-1].fact, fact)))
        ]
    )
    tx.edges.put(compared.edges)
    tx.vectors.put(snapshot.model, compared.vectors)


def _differs(before: Fact, after: Fact) -> bool:
    """Tell whether a change is one that a reader of its history wants to see."""
    plain = replace(after, due_at=before.due_at, attempts=before.attempts, error=before.error, rev=before.rev)
    return plain != before


def _claim(fact: Fact, quote: str, people: People) -> Claim:
    said, slot, holder = said_words(fact.statement, fact.form), fact.slot, people.holder_of(fact)
    # One thing of a list is compared by its own words, not by those of all.
    is_plain = fact.form is Form.PLAIN
    is_part = is_plain and tells_of_list(quote) and bool(topic_stems(quote) - topic_stems(fact.statement))
    if slot is not None and fact.holder:
        slot = replace(slot, attribute=slot.attribute.removesuffix(f" of {fact.holder}"))
    return Claim(
        text=fact.statement if is_plain else f"{fact.subject}: {words_of(fact.statement, fact.form)}",
        at=fact.first_observed,
        subject=fact.subject,
        kind=fact.kind,
        slot=slot,
        is_negative=fact.is_negative,
        authority=fact.authority,
        attribute=fact.attribute,
        holder=holder,
        words="" if is_part else quote if is_plain else said.words,
        asked=said.asked,
    )
