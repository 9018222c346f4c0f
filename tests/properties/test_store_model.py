"""Whatever is done to them, a file and a server give the same answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.belief_rows import a_fact, a_night, a_ruling, a_version, an_edge, evidence_for
from tests.conftest import emptied
from tests.rows import DIGEST, a_vector, an_episode
from yesteryear.core.episode import Detail, Episode, EpisodeStatus
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import REFUSED, Conversation, Message, Outcome, Reason, Role, Verdict
from yesteryear.core.relation import Edge, Relation
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import ConversationKey, OwnerState, Scope
from yesteryear.core.time import EPOCH, FOREVER
from yesteryear.core.vectors import StoredVector
from yesteryear.errors import YesteryearError
from yesteryear.ports import Store, Transaction
from yesteryear.storage.postgres.store import PostgresStore
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.testing.builders import NOON, a_message
from yesteryear_lab.postgres_server import PostgresServer

Work = Callable[[Transaction], object]

# Few values of each kind, so that keys collide, instants tie and scopes meet.
instants = st.integers(0, 4).map(lambda minutes: NOON + timedelta(minutes=minutes))
due = st.none() | instants
names = st.none() | st.sampled_from(["a", "b"])
scopes = st.builds(Scope, user=st.sampled_from(["ana", "ben"]), project=names, agent=names)
conversations = st.sampled_from(["c1", "c2"])
keys = st.builds(ConversationKey, names, names, conversations)
ids = st.integers(0, 7).map(lambda number: f"id-{number}")
models = st.sampled_from(["m", "n"])
statuses = st.sampled_from(EpisodeStatus)
errors = st.none() | st.just("it failed")
limits = st.integers(0, 4)
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
scores = st.floats(0, 1)
verdicts = st.none() | st.builds(
    Verdict,
    outcome=st.sampled_from(Outcome),
    reason=st.sampled_from(Reason),
    score=scores,
    threshold=scores,
    rule=names,
    features=st.dictionaries(st.sampled_from(["self", "filler", REFUSED]), scores),
)


@st.composite
def messages(draw: st.DrawFn, scope: Scope) -> Message:
    """Draw a message of one owner, in any project."""
    return a_message(
        draw(texts | st.just("")),
        id=draw(ids),
        seq=draw(st.integers(1, 5)),
        scope=replace(scope, project=draw(names), agent=draw(names)),
        conversation=draw(conversations),
        role=draw(st.sampled_from([Role.USER, Role.ASSISTANT])),
        at=draw(instants),
        external_id=draw(st.none() | st.sampled_from(["x", "y"])),
        verdict=draw(verdicts),
        expires_at=draw(due),
        vector_due_at=draw(due),
        error=draw(errors),
    )


@st.composite
def episodes(draw: st.DrawFn, scope: Scope) -> Episode:
    """Draw an episode of one owner, in any project."""
    score = draw(scores)
    return an_episode(
        draw(ids),
        scope=replace(scope, project=draw(names), agent=draw(names)),
        conversation=draw(conversations),
        status=draw(statuses),
        ended_at=draw(instants),
        next_try=draw(due),
        error=draw(errors),
        importance=score,
        detail=draw(st.sampled_from(Detail)),
        digest=draw(st.sampled_from([None, replace(DIGEST, signals={"emotion": score, "explicit_request": score})])),
        pinned=draw(st.booleans()),
        recalls=tuple(draw(st.lists(instants, max_size=2))),
        restored_at=draw(due),
        fades_at=draw(due),
    )


@st.composite
def facts(draw: st.DrawFn, scope: Scope) -> Fact:
    """Draw a fact of one owner, in any project."""
    fact = a_fact(
        draw(ids),
        draw(st.sampled_from(["Ana runs.", "ana runs", "Ana swims."]) | texts),
        scope=replace(scope, project=draw(names), agent=draw(names)),
        first_observed=draw(instants),
        status=draw(st.sampled_from(FactStatus)),
        confidence=draw(scores),
        due_at=draw(due),
        canonical_id=draw(st.none() | ids),
        error=draw(errors),
    )
    return fact.blank() if fact.status is FactStatus.FORGOTTEN else fact


@st.composite
def rows_about_facts(draw: st.DrawFn, scope: Scope) -> tuple[FactVersion, Evidence, Ruling, Edge]:
    """Draw a row of each kind about facts that are there or not."""
    fact, (one, other) = draw(facts(scope)), draw(st.tuples(ids, ids))
    where = replace(scope, project=draw(names))
    message = draw(st.none() | ids)
    return (
        replace(a_version(fact), at=draw(instants), cause=draw(texts)),
        evidence_for(one, message, id=draw(ids), said_at=draw(instants), quote=draw(texts)),
        a_ruling(one, other, scope=where, cycle=draw(names)),
        an_edge(one, other, scope=where, relation=draw(st.sampled_from(Relation))),
    )


@st.composite
def vectors(draw: st.DrawFn) -> list[StoredVector]:
    """Draw vectors, mostly of one dimension."""
    dimension = draw(st.sampled_from([3, 3, 3, 2]))
    coordinates = st.lists(st.floats(-1, 1, width=32), min_size=dimension, max_size=dimension)
    found = draw(st.lists(st.tuples(ids, st.integers(0, 1), coordinates), max_size=3))
    return [a_vector(ref, *values, part=part) for ref, part, values in found]


def answer(store: Store, scope: Scope, work: Work) -> object:
    """Return what a call answers, or which of our errors it raises."""
    try:
        return plain(store.write(scope, work))
    except YesteryearError as exc:
        return type(exc)
    except Interrupted as exc:
        return str(exc)


def plain(found: Any) -> Any:
    """Return vectors as lists, which can be compared."""
    if isinstance(found, list) and found and isinstance(found[0], StoredVector):
        return [(row.grain, row.ref, row.part, row.vector.tolist()) for row in found]
    return found


class Interrupted(Exception):
    """The caller's own error in the middle of a transaction."""


class TwoStores(RuleBasedStateMachine):
    """Does the same to a server and to a file, and compares every answer."""

    def __init__(self, server: Store) -> None:
        super().__init__()
        self.server = server
        self.file = InMemoryStore()

    def teardown(self) -> None:
        """Close both."""
        self.server.close()
        self.file.close()

    def both(self, scope: Scope, work: Work) -> None:
        """Write the same to both."""
        assert answer(self.server, scope, work) == answer(self.file, scope, work)

    def read_both(self, scope: Scope, work: Work) -> None:
        """Ask both the same."""
        with self.server.read(scope) as tx, self.file.read(scope) as expected:
            assert plain(work(tx)) == plain(work(expected))

    @rule(data=st.data(), scope=scopes, number=st.integers(1, 3), fails=st.booleans())
    def insert_messages(self, data: st.DataObject, scope: Scope, number: int, fails: bool) -> None:
        """Insert some, or fail after inserting them."""
        drawn = [data.draw(messages(scope)) for _ in range(number)]

        def work(tx: Transaction) -> None:
            for message in drawn:
                tx.messages.insert(message)
            if fails:
                tx.messages.page(MessageQuery())  # a store may tell of a conflict with the next question only
                raise Interrupted("in the middle")

        self.both(scope, work)

    @rule(data=st.data(), scope=scopes)
    def update_messages(self, data: st.DataObject, scope: Scope) -> None:
        """Update some, known or not."""
        drawn = [data.draw(messages(scope)) for _ in range(2)]
        self.both(scope, lambda tx: tx.messages.update(drawn))

    @rule(scope=scopes, key=keys, seq=st.integers(0, 9), due_at=due, error=errors)
    def save_conversation(
        self, scope: Scope, key: ConversationKey, seq: int, due_at: datetime | None, error: str | None
    ) -> None:
        """Save one in any project."""
        saved = Conversation(key, last_seq=seq, last_at=due_at, due_at=due_at, error=error)
        self.both(scope, lambda tx: tx.conversations.save(saved))

    @rule(data=st.data(), scope=scopes)
    def insert_episode(self, data: st.DataObject, scope: Scope) -> None:
        """Insert one."""
        episode = data.draw(episodes(scope))
        self.both(scope, lambda tx: tx.episodes.insert(episode))

    @rule(data=st.data(), scope=scopes, expecting=statuses)
    def update_episode(self, data: st.DataObject, scope: Scope, expecting: EpisodeStatus) -> None:
        """Update one from a status it may or may not have."""
        episode = data.draw(episodes(scope))
        self.both(scope, lambda tx: tx.episodes.update(episode, expecting=expecting))

    @rule(scope=scopes, model=models, rows=vectors())
    def put_vectors(self, scope: Scope, model: str, rows: list[StoredVector]) -> None:
        """Put some of a model."""
        self.both(scope, lambda tx: tx.vectors.put(model, rows))

    @rule(scope=scopes, model=models)
    def drop_vectors(self, scope: Scope, model: str) -> None:
        """Drop those of a model."""
        self.both(scope, lambda tx: tx.vectors.drop(model))

    @rule(scope=scopes, refs=st.lists(ids, max_size=3))
    def forget_vectors(self, scope: Scope, refs: list[str]) -> None:
        """Forget those of some texts."""
        self.both(scope, lambda tx: tx.vectors.forget(refs))

    @rule(scope=scopes, project=names, settings=st.dictionaries(models, st.booleans() | scores | texts, max_size=2))
    def save_overrides(self, scope: Scope, project: str | None, settings: dict[str, bool | float | str]) -> None:
        """Save some at a level."""
        self.both(scope, lambda tx: tx.overrides.save(project, settings))

    @rule(scope=scopes, name=ids, key=keys, at=instants)
    def append_recall(self, scope: Scope, name: str, key: ConversationKey, at: datetime) -> None:
        """Append one."""
        event = RecallEvent(name, key, at, (name,), (2**63,))
        self.both(scope, lambda tx: tx.recalls.append(event))

    @rule(scope=scopes, refs=st.lists(ids, max_size=3), before=instants)
    def settle_recalls(self, scope: Scope, refs: list[str], before: datetime) -> None:
        """Settle some, prune some and forget some."""
        self.both(scope, lambda tx: tx.recalls.settle(refs))
        self.both(scope, lambda tx: tx.recalls.forget(refs[:1]))
        self.both(scope, lambda tx: tx.recalls.prune(before))

    @rule(scope=scopes, refs=st.lists(ids, max_size=3), key=keys)
    def withdraw(self, scope: Scope, refs: list[str], key: ConversationKey) -> None:
        """Take rows of every kind out again, of somebody who has some."""
        if scope.owner in self.file.owners():
            self.both(scope, lambda tx: tx.withdraw(messages=refs, episodes=refs, conversations=[key], facts=refs))

    @rule(data=st.data(), scope=scopes, number=st.integers(0, 2), is_known=st.booleans())
    def write_facts(self, data: st.DataObject, scope: Scope, number: int, is_known: bool) -> None:
        """Insert some or update some, there or not."""
        drawn = [data.draw(facts(scope)) for _ in range(number)]
        self.both(scope, lambda tx: tx.facts.update(drawn) if is_known else tx.facts.insert(drawn))

    @rule(data=st.data(), scope=scopes)
    def write_about_facts(self, data: st.DataObject, scope: Scope) -> None:
        """Add rows about facts, and take some away."""
        version, evidence, ruling, edge = data.draw(rows_about_facts(scope))
        self.both(scope, lambda tx: tx.versions.add([version, version]))
        self.both(scope, lambda tx: tx.evidence.add([evidence]))
        self.both(scope, lambda tx: tx.rulings.save([ruling]))
        self.both(scope, lambda tx: tx.edges.put([edge]))
        self.both(scope, lambda tx: tx.evidence.remove([replace(evidence, fact_id=ruling.later)]))

    @rule(scope=scopes, refs=st.lists(ids, max_size=3))
    def forget_facts(self, scope: Scope, refs: list[str]) -> None:
        """Forget some facts, known or not."""
        self.both(scope, lambda tx: tx.facts.forget(refs))

    @rule(scope=scopes, name=ids, at=instants)
    def save_night(self, scope: Scope, name: str, at: datetime) -> None:
        """Write one."""
        self.both(scope, lambda tx: tx.cycles.save(a_night(name, at=at)))

    @rule(scope=scopes)
    def erase(self, scope: Scope) -> None:
        """Erase an owner, known or not."""
        self.both(scope, lambda tx: tx.erase())

    @rule(scope=scopes, age=st.integers(0, 1), is_pending=st.booleans())
    def note_erasure(self, scope: Scope, age: int, is_pending: bool) -> None:
        """Write the receipt of somebody who was erased, or an older one."""
        with self.file.read(scope) as tx:
            known = tx.erasure()
        if known is not None:
            noted = replace(known, generation=known.generation - age, erased_at=NOON, is_pending=is_pending).sealed()
            self.server.note_erasure(noted)
            self.file.note_erasure(noted)

    @rule(scope=scopes, raised=st.integers(0, 1), model=models, lease_by=names, lease_until=due, night_at=due)
    def save_owner(
        self,
        scope: Scope,
        *,
        raised: int,
        model: str,
        lease_by: str | None,
        lease_until: datetime | None,
        night_at: datetime | None,
    ) -> None:
        """Take or release a lease; a generation never goes back."""

        def work(tx: Transaction) -> None:
            generation = tx.owner().generation + raised
            tx.save_owner(OwnerState(7, generation, model, None, lease_by, lease_until, night_at))

        self.both(scope, work)

    @rule(scope=scopes, key=keys, wanted=st.lists(ids, max_size=3), now=instants, limit=limits)
    def look_up(self, scope: Scope, key: ConversationKey, wanted: list[str], now: datetime, limit: int) -> None:
        """Ask for one thing of each kind."""
        for work in (
            lambda tx: tx.messages.by_external_id(key, "x"),
            lambda tx: tx.messages.span(key, after=limit - 1, limit=limit),
            lambda tx: tx.messages.get(wanted),
            lambda tx: tx.messages.due(now, limit=limit),
            lambda tx: tx.messages.named([*wanted, "x"]),
            lambda tx: tx.messages.forget_requests(now, limit=limit),
            lambda tx: tx.messages.measured(now),
            lambda tx: tx.conversations.get(key),
            lambda tx: tx.conversations.due(now, limit=limit),
            lambda tx: tx.episodes.get(wanted),
            lambda tx: tx.episodes.due(now, limit=limit),
            lambda tx: tx.episodes.traces(due=now, limit=limit),
            lambda tx: tx.episodes.traces(only_active=True),
            lambda tx: tx.vectors.load("m", refs=wanted),
            lambda tx: tx.overrides.get(key.project),
            lambda tx: tx.recalls.latest(key, limit=limit),
            lambda tx: tx.recalls.open(key, limit=limit),
            lambda tx: tx.recalls.page(after=wanted[0] if wanted else "", limit=limit),
            lambda tx: tx.recalls.stale(now, limit=limit),
            lambda tx: tx.facts.get(wanted),
            lambda tx: tx.facts.due(now, limit=limit),
            lambda tx: tx.facts.saying("ANA RUNS!", project=key.project),
            lambda tx: tx.versions.of(wanted[0] if wanted else ""),
            lambda tx: tx.versions.known_at(now),
            lambda tx: tx.versions.since(now),
            lambda tx: tx.evidence.of(wanted),
            lambda tx: tx.evidence.of_messages(wanted),
            lambda tx: tx.rulings.of(wanted),
            lambda tx: tx.cycles.latest(limit=limit),
            lambda tx: tx.changes(limit),
        ):
            self.read_both(scope, work)
        assert self.server.due(now, limit=limit) == self.file.due(now, limit=limit)

    @rule(
        scope=scopes,
        query=st.builds(
            MessageQuery,
            limit=limits,
            after=st.just("") | ids,
            conversation=st.none() | conversations,
            author=st.sampled_from([None, "Ana"]),
            has_error=st.booleans(),
            outcome=st.none() | st.sampled_from(Outcome),
            since=due,
            until=due,
        ),
    )
    def page_messages(self, scope: Scope, query: MessageQuery) -> None:
        """Ask for a page of messages."""
        self.read_both(scope, lambda tx: tx.messages.page(query))

    @rule(
        scope=scopes,
        query=st.builds(
            EpisodeQuery,
            limit=limits,
            after=st.none() | ids,
            conversation=st.none() | conversations,
            status=st.none() | st.sampled_from(EpisodeStatus),
            has_error=st.booleans(),
            since=due,
            until=due,
        ),
    )
    def page_episodes(self, scope: Scope, query: EpisodeQuery) -> None:
        """Ask for a page of episodes."""
        self.read_both(scope, lambda tx: tx.episodes.page(query))

    @invariant()
    def everything_is_the_same(self) -> None:
        """Compare all there is."""
        assert self.server.owners() == self.file.owners()
        assert self.server.leases() == self.file.leases()
        assert self.server.erasures() == self.file.erasures()
        for scope in (Scope("ana"), Scope("ben", project="a", agent="b")):
            for work in (
                lambda tx: tx.owner(),
                lambda tx: tx.counts(),
                lambda tx: tx.changes(0),
                lambda tx: tx.conversations.list(),
                lambda tx: tx.vectors.load("m"),
                lambda tx: tx.vectors.models(),
                lambda tx: tx.overrides.all(),
                lambda tx: tx.episodes.traces(),
                lambda tx: tx.episodes.count_active(),
                lambda tx: tx.messages.verbatim(),
                lambda tx: tx.messages.count_verbatim(),
                lambda tx: tx.messages.measured(FOREVER),
                lambda tx: tx.facts.all(),
                lambda tx: tx.facts.all(list(FactStatus)),
                lambda tx: tx.versions.since(EPOCH),
                lambda tx: tx.evidence.all(),
                lambda tx: tx.rulings.all(),
                lambda tx: tx.edges.all(),
                lambda tx: tx.erasure(),
            ):
                self.read_both(scope, work)


STEADY = settings(max_examples=8, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.heavy
def test_a_server_answers_as_a_file_does(postgres_server: PostgresServer) -> None:
    """Empty tables for every example."""
    run_state_machine_as_test(lambda: TwoStores(PostgresStore(emptied(postgres_server))), settings=STEADY)
