"""Who sees what: projects and agents of one owner, and owners among each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from tests.belief_rows import a_fact, a_ruling, a_version, an_edge, beliefs_in, evidence_for
from tests.rows import (
    ANA,
    ASKED,
    DIGEST,
    SKIPPED,
    STEPS,
    STRANGERS,
    a_call,
    a_vector,
    an_episode,
    ask,
    at,
    fill_beside,
    in_scope,
    set_aside,
)
from yesteryear.core.episode import EpisodeStatus
from yesteryear.core.fact import FactStatus
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Conversation
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import ConversationKey, OwnerState, Scope
from yesteryear.errors import InputError
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import a_message

VISIBLE = {
    (None, None): "general, thesis, taxes, tutor, thesis+tutor",
    ("thesis", None): "general, thesis, tutor, thesis+tutor",
    ("taxes", None): "general, taxes, tutor",
    (None, "tutor"): "general, thesis, taxes, tutor, thesis+tutor",
    ("thesis", "tutor"): "general, thesis, tutor, thesis+tutor",
    ("thesis", "coach"): "general, thesis",
    ("other", "other"): "general",
}
"""Which rows a scope sees, by its project and agent."""

ROWS = {
    "general": (None, None),
    "thesis": ("thesis", None),
    "taxes": ("taxes", None),
    "tutor": (None, "tutor"),
    "thesis+tutor": ("thesis", "tutor"),
}
KEYS = [ConversationKey(*where, "c1") for where in ROWS.values()]

READS: dict[str, Callable[[Transaction], list[str]]] = {
    "messages.get": lambda tx: [row.content for row in tx.messages.get([f"m-{name}" for name in ROWS])],
    "messages.page": lambda tx: [row.content for row in tx.messages.page(MessageQuery())],
    "messages.due": lambda tx: [row.content for row in tx.messages.due(at(0), limit=9)],
    "messages.named": lambda tx: [row.content for row in tx.messages.named(["x"])],
    "messages.forget_requests": lambda tx: [row.content for row in tx.messages.forget_requests(at(0), limit=9)],
    "messages.verbatim": lambda tx: [row.id.removeprefix("m-") for row in tx.messages.verbatim()],
    "messages.tail": lambda tx: [row.content for key in KEYS for row in tx.messages.tail(key, limit=9)],
    "messages.span": lambda tx: [row.content for key in KEYS for row in tx.messages.span(key, after=0, limit=9)],
    "messages.authors": lambda tx: [name for key in KEYS for name in tx.messages.authors(key)],
    "messages.by_external_id": lambda tx: [
        row.content for key in KEYS if (row := tx.messages.by_external_id(key, "x"))
    ],
    "conversations.get": lambda tx: [row.error or "" for key in KEYS if (row := tx.conversations.get(key))],
    "conversations.list": lambda tx: [row.error or "" for row in tx.conversations.list()],
    "conversations.due": lambda tx: [row.error or "" for row in tx.conversations.due(at(0), limit=9)],
    "episodes.get": lambda tx: [row.error or "" for row in tx.episodes.get([f"e-{name}" for name in ROWS])],
    "episodes.page": lambda tx: [row.error or "" for row in tx.episodes.page(EpisodeQuery())],
    "episodes.due": lambda tx: [row.error or "" for row in tx.episodes.due(at(0), limit=9)],
    "episodes.readers": lambda tx: list(tx.episodes.readers()),
    "episodes.traces": lambda tx: [trace.id.removeprefix("e-") for trace in tx.episodes.traces()],
    "recalls.latest": lambda tx: [event.id for key in KEYS for event in tx.recalls.latest(key, limit=9)],
    "recalls.open": lambda tx: [event.id for key in KEYS for event in tx.recalls.open(key, limit=9)],
    "recalls.page": lambda tx: [event.id for event in tx.recalls.page()],
    "facts.get": lambda tx: [fact.id for fact in tx.facts.get(list(ROWS))],
    "facts.all": lambda tx: [fact.id for fact in tx.facts.all() if not fact.id.endswith("?")],
    "facts.forgotten": lambda tx: [
        fact.id.removesuffix("!") for fact in tx.facts.all([FactStatus.FORGOTTEN]) if fact.id.endswith("!")
    ],
    "facts.due": lambda tx: [fact.id for fact in tx.facts.due(at(0), limit=9)],
    "facts.saying": lambda tx: [
        fact.id for name, where in ROWS.items() if (fact := tx.facts.saying(name, project=where[0]))
    ],
    "versions.of": lambda tx: [version.fact.id for name in ROWS for version in tx.versions.of(name)],
    "versions.known_at": lambda tx: [version.fact.id for version in tx.versions.known_at(at(9))],
    "versions.some_known_at": lambda tx: [row.fact.id for row in tx.versions.known_at(at(9), ids=list(ROWS))],
    "versions.since": lambda tx: [version.fact.id for version in tx.versions.since(at(-9))],
    "evidence.of": lambda tx: [row.fact_id for row in tx.evidence.of(list(ROWS))],
    "evidence.of_messages": lambda tx: [row.fact_id for row in tx.evidence.of_messages(["c1-1"])],
    "evidence.all": lambda tx: [row.fact_id for row in tx.evidence.all()],
    "rulings.of": lambda tx: [row.earlier for row in tx.rulings.of(list(ROWS))],
    "rulings.all": lambda tx: [row.earlier for row in tx.rulings.all()],
    "edges.all": lambda tx: [edge.source for edge in tx.edges.all()],
    "forgettings.all": lambda tx: [row.id for row in tx.forgettings.all()],
    "forgettings.of": lambda tx: [row.id for row in tx.forgettings.of(list(ROWS))],
    "forgettings.asked_by": lambda tx: [row.id for row in tx.forgettings.asked_by("c1-9")],
    "forgettings.due": lambda tx: [row.id for row in tx.forgettings.due(at(9), limit=9)],
}
"""Every question that sees rows through a scope, as the names of the rows that it finds."""

EXPIRED: dict[str, Callable[[Transaction], list[str]]] = {
    "messages.expired": lambda tx: [row.content for row in tx.messages.expired(at(0), limit=9)],
    "messages.measured": lambda tx: [row.content for row in tx.messages.measured(at(0))],
}
"""What asks to be forgotten does not simply expire, and tells no numbers; this is asked of messages that do not ask."""

FOREIGN: dict[str, Callable[[Transaction], object]] = {
    "messages.insert": lambda tx: tx.messages.insert(a_message(scope=Scope("ben"))),
    "episodes.insert": lambda tx: tx.episodes.insert(an_episode(scope=Scope("ben"))),
    "facts.insert": lambda tx: tx.facts.insert([a_fact("f9", scope=Scope("ben"))]),
    "facts.update": lambda tx: tx.facts.update([a_fact(scope=Scope("ben"))]),
    "versions.add": lambda tx: tx.versions.add([a_version(a_fact(scope=Scope("ben")))]),
    "rulings.save": lambda tx: tx.rulings.save([a_ruling(scope=Scope("ben"))]),
    "edges.put": lambda tx: tx.edges.put([an_edge(scope=Scope("ben"))]),
}
"""Everything that would write a row of somebody else."""


def fill_scopes(tx: Transaction) -> None:
    """Write a row of each kind in every scope of ``ROWS``, called as the scope is."""
    for (name, where), key in zip(ROWS.items(), KEYS, strict=True):
        scope = in_scope(*where)
        asking = a_message(name, id=f"m-{name}", author=name, scope=scope, external_id="x", verdict=ASKED)
        tx.messages.insert(replace(asking, vector_due_at=at(0), expires_at=at(0), numbers=(STEPS,)))
        active = an_episode(f"e-{name}", scope=scope, error=name, status=EpisodeStatus.ACTIVE)
        tx.episodes.insert(replace(active, next_try=at(0), digest=replace(DIGEST, reader=name)))
        tx.conversations.save(Conversation(key, error=name, due_at=at(0)))
        tx.recalls.append(RecallEvent(name, key, at(0), (f"m-{name}",), ()))
        facts = [a_fact(name, name, scope=scope, due_at=at(0)), a_fact(f"{name}?", scope=scope)]
        tx.facts.insert([*facts, a_fact(f"{name}!", scope=scope).blank()])
        tx.versions.add([a_version(facts[0])])
        tx.evidence.add([evidence_for(name)])
        tx.rulings.save([a_ruling(name, f"{name}?", scope=scope)])
        tx.edges.put([an_edge(name, f"{name}?", scope=scope)])
        tx.forgettings.save([set_aside(name, scope=scope)])


def everything_in(tx: Transaction) -> list[object]:
    """Return all that can be seen of an owner's rows."""
    return [
        *(*tx.messages.page(MessageQuery()), *tx.changes(0).messages, *tx.conversations.list()),
        *(*tx.episodes.page(EpisodeQuery()), *tx.changes(0).episodes, *tx.vectors.models().items()),
        *(*tx.overrides.all().items(), *tx.overrides.get(None).items(), *tx.recalls.page()),
        *(*beliefs_in(tx), *tx.forgettings.all()),
        *(*tx.usages.between(at(0), at(99)), *tx.usages.page(after="", limit=9)),
        *(*tx.keys.all(), *filter(None, [tx.keys.get("k1")]), *tx.audit.page(limit=9)),
        *(count for count in tx.counts().items() if count[1]),
    ]


def assert_visible(store: Store, reads: Mapping[str, Callable[[Transaction], list[str]]]) -> None:
    """Ask every question through every scope, and compare the names that are found with what the scope sees."""
    for (project, agent), names in VISIBLE.items():
        with store.read(in_scope(project, agent)) as tx:
            found = {read: sorted(question(tx)) for read, question in reads.items()}
        assert found == dict.fromkeys(reads, sorted(names.split(", "))), f"seen through {project} and {agent}"


class VisibilityConformance:
    """What one scope sees of another's rows."""

    def test_a_scope_sees_its_rows_and_the_general_ones(self, store: Store) -> None:
        """A project or agent named by the scope hides those of others; none named hides nothing."""
        store.write(ANA, fill_scopes)
        assert_visible(store, READS)
        for (project, agent), names in VISIBLE.items():
            with store.read(in_scope(project, agent)) as tx:
                counts, active = tx.counts(), tx.episodes.count_active()
            found = (active, counts["messages.skip"], counts["episodes.active"], counts["vectors.due"])
            assert found == (len(names.split(", ")),) * 4

        def skip(tx: Transaction) -> None:
            tx.messages.update([replace(row, verdict=SKIPPED) for row in tx.messages.page(MessageQuery())])

        store.write(ANA, skip)
        assert_visible(store, EXPIRED)

    @pytest.mark.parametrize("stranger", [*STRANGERS, Scope.everybody("default")])
    def test_owners_never_meet(self, store: Store, stranger: Scope) -> None:
        """Another user, or the same name with another tenant, finds nothing and changes nothing."""

        def fill(tx: Transaction) -> None:
            fill_scopes(tx)
            fill_beside(tx)
            tx.vectors.put("m", [a_vector("m-general", 1, 0)])
            tx.overrides.save(None, {"a": 1})

        def meddle(tx: Transaction) -> None:
            tx.vectors.forget(["m-general"])
            tx.facts.forget(["general"])
            tx.evidence.remove([evidence_for("general")])
            tx.evidence.add([evidence_for("general", id="mine")])
            tx.recalls.settle(["general"])
            tx.recalls.forget(["m-general"])
            tx.forgettings.remove([set_aside("general")])
            assert (tx.vectors.drop("m"), tx.recalls.prune(at(99))) == (0, 0)
            tx.withdraw(messages=["m-general"], episodes=["e-general"], facts=["taxes"], usages=["u1"])

        store.write(in_scope("thesis", "tutor"), fill)
        before = ask(store, everything_in)
        assert ask(store, lambda tx: (everything_in(tx), tx.owner()), stranger) == ([], OwnerState())
        store.write(stranger, meddle)
        with store.read(stranger) as tx:
            assert {name: question(tx) for name, question in (READS | EXPIRED).items() if question(tx)} == {}
            assert (everything_in(tx), tx.vectors.load("m"), tx.erasure()) == ([], [], None)
        assert ask(store, everything_in) == before

    def test_what_a_scope_does_not_see_it_does_not_change(self, store: Store) -> None:
        """A project does not reach into another, nor an agent."""
        thesis = in_scope("thesis", "tutor")

        def meddle(tx: Transaction) -> None:
            tx.recalls.settle(["thesis+tutor"])
            tx.recalls.forget(["m-thesis+tutor"])
            tx.recalls.prune(at(99))
            tx.facts.forget(["thesis+tutor", "thesis+tutor?"])

        def of_thesis(tx: Transaction) -> list[object]:
            return [row for row in everything_in(tx) if getattr(row, "id", "") == "thesis+tutor"]

        store.write(ANA, fill_scopes)
        before = ask(store, of_thesis, thesis)
        for scope in (in_scope("taxes"), in_scope("thesis", "coach")):
            store.write(scope, meddle)
        assert ask(store, of_thesis, thesis) == before != []

    def test_what_stands_beside_is_of_one_owner_whatever_the_scope(self, store: Store) -> None:
        """A project's calls are on its person's account, its keys are theirs, and nobody else's of the same id."""
        store.write(in_scope("thesis", "tutor"), fill_beside)
        for stranger in STRANGERS:
            store.write(stranger, lambda tx: tx.usages.add(["u1"], [a_call(5)]))
            assert ask(store, lambda tx: tx.usages.between(at(0), at(99)), stranger) == [a_call(5)]
        assert ask(store, everything_in) == ask(store, everything_in, in_scope("house", "coach")) != []
        assert ask(store, lambda tx: tx.usages.between(at(0), at(99))) == [a_call(1), a_call(2)]

    @pytest.mark.parametrize("write", FOREIGN.values(), ids=FOREIGN)
    def test_a_row_of_another_owner_is_not_written(self, store: Store, write: Callable[[Transaction], object]) -> None:
        """A transaction belongs to one owner, whatever its rows say."""
        with pytest.raises(InputError):
            store.write(ANA, write)
        assert store.owners() == []

    def test_a_tenant_is_none_of_its_people(self, store: Store) -> None:
        """What belongs to all of them makes nobody appear in lists, and has no work due."""
        store.write(Scope.everybody("acme"), fill_beside)
        assert not [*store.owners(), *store.leases(), *store.due(at(99), limit=9)]
        store.write(ANA, fill_beside)
        assert store.owners() == [ANA.owner]
