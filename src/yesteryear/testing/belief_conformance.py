"""What every store has to do with facts and all that is kept about them, method by method."""

# ruff: noqa: S101 - tests are made of asserts

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from yesteryear.core.cycle import CycleState
from yesteryear.core.edge import Relation
from yesteryear.core.fact import Evidence, Fact, FactStatus, Stance
from yesteryear.core.owner import OwnerState
from yesteryear.core.scope import Owner, Scope
from yesteryear.errors import Conflict, InputError
from yesteryear.ports import Store, Transaction
from yesteryear.testing.belief_rows import (
    a_fact,
    a_full_fact,
    a_night,
    a_ruling,
    a_version,
    an_edge,
    beliefs_in,
    evidence_for,
    fill_beliefs,
)
from yesteryear.testing.rows import ANA, a_vector, at, in_scope, same
from yesteryear.testing.visibility_conformance import ROWS, assert_visible

STRANGERS = [Scope("ben"), Scope("ana", tenant="acme"), Scope("Ana")]


def know(store: Store, *facts: Fact, scope: Scope = ANA) -> None:
    """Insert facts in one transaction."""
    store.write(scope, lambda tx: tx.facts.insert(facts))


def unnumbered(facts: list[Fact]) -> list[Fact]:
    """Return facts without the number the store gave them."""
    return [replace(fact, rev=0) for fact in facts]


def ids(facts: list[Fact]) -> str:
    """Return the ids of facts."""
    return " ".join(fact.id for fact in facts)


class FactConformance:
    """The facts themselves."""

    def test_a_fact_comes_back_as_it_was_written(self, store: Store) -> None:
        """Every field survives, in the order asked."""
        know(store, a_full_fact(), a_fact("f2"))
        with store.read(ANA) as tx:
            assert unnumbered(tx.facts.get(["f2", "gone", "f1"])) == [a_fact("f2"), a_full_fact()]

    def test_an_id_names_one_fact(self, store: Store) -> None:
        """A second insertion is a conflict, also within one call or where the first was forgotten; nothing is added."""
        know(store, a_fact())
        with pytest.raises(Conflict):
            know(store, a_fact("f2"), a_fact("f2"))
        store.write(ANA, lambda tx: tx.facts.forget(["f1"]))
        with pytest.raises(Conflict):
            know(store, a_fact("f3"), a_fact())
        with store.read(ANA) as tx:
            assert tx.facts.all() == []

    def test_what_is_written_of_a_fact_is_written_whole(self, store: Store) -> None:
        """But a fact that is not there, or was told elsewhere, does not come about by it."""
        know(store, a_fact("f1"), a_fact("f2"))
        changed = replace(a_full_fact(), scope=ANA)
        elsewhere = a_fact("f2", scope=in_scope("thesis"), confidence=0.5)
        store.write(ANA, lambda tx: tx.facts.update([changed, a_fact("gone"), elsewhere]))
        with store.read(ANA) as tx:
            assert unnumbered(tx.facts.all()) == [changed, a_fact("f2")]

    def test_facts_are_told_from_the_first_on(self, store: Store) -> None:
        """By when they were first told, then by id; of some statuses where asked."""
        rows = [
            a_fact("f2", minutes=2),
            a_fact("f4", minutes=1, status=FactStatus.MERGED),
            a_fact("f3", minutes=1, status=FactStatus.STABLE),
            a_fact("f1", minutes=3, status=FactStatus.STABLE),
        ]
        know(store, *rows, a_fact("f0"))
        store.write(ANA, lambda tx: tx.facts.forget(["f0"]))
        with store.read(ANA) as tx:
            assert ids(tx.facts.all()) == "f3 f4 f2 f1"
            assert ids(tx.facts.all([FactStatus.STABLE, FactStatus.MERGED])) == "f3 f4 f1"
            assert unnumbered(tx.facts.all([FactStatus.FORGOTTEN])) == [a_fact("f0").blank()]
            assert tx.facts.all([]) == []

    def test_a_fact_is_found_by_its_words(self, store: Store) -> None:
        """Whatever their case and punctuation; the first told of this project, or of none."""
        know(
            store,
            a_fact("f3", "Ana lives in Tromsø.", minutes=3),
            a_fact("f1", "ana lives  in tromsø", minutes=1, status=FactStatus.SUPERSEDED),
            a_fact("f4", "Ana lives in Tromsø.", scope=in_scope("thesis")),
            a_fact("f5", "Ana lives in Tromsö."),
            a_fact("f6", "Ana lives in Oslo."),
        )
        store.write(ANA, lambda tx: tx.facts.forget(["f6"]))
        with store.read(ANA) as tx:
            found = [tx.facts.saying("ANA LIVES IN TROMSØ!", project=project) for project in (None, "thesis", "taxes")]
            assert [fact and fact.id for fact in found] == ["f1", "f4", None]
            assert tx.facts.saying("Ana lives in Oslo.", project=None) is None
            assert tx.facts.saying("", project=None) is None
        with store.read(in_scope("taxes")) as tx:
            assert tx.facts.saying("Ana lives in Tromsø.", project="thesis") is None

    def test_due_facts_come_most_overdue_first(self, store: Store) -> None:
        """Ties go by when they were told, then by id."""
        due = {"f1": (2, 1), "f2": (2, 0), "f3": (1, 5), "f4": (2, 0), "f5": (4, 0)}
        know(store, a_fact("f0"), *(a_fact(name, minutes=said, due_at=at(when)) for name, (when, said) in due.items()))
        with store.read(ANA) as tx:
            assert ids(tx.facts.due(at(3), limit=9)) == "f3 f2 f4 f1"
            assert ids(tx.facts.due(at(3), limit=2)) == "f3 f2"
            assert tx.facts.due(at(0), limit=9) == []

    def test_a_forgotten_fact_leaves_that_it_was_there(self, store: Store) -> None:
        """No word of it, no row about it, no vector of any model; what is about others stays."""
        store.write(ANA, fill_beliefs)
        store.write(ANA, lambda tx: tx.facts.forget(["f1", "gone"]))
        with store.read(ANA) as tx:
            assert ids(tx.facts.all()) == "f2 f3"
            assert tx.facts.get(["f1"]) == []
            assert replace(tx.changes(0).facts[0], rev=0) == a_fact("f1").blank()
            assert [version.fact.id for version in tx.versions.all()] == ["f2"]
            assert {row.fact_id for row in tx.evidence.all()} == {"f2", "f3"}
            assert tx.rulings.all() == [a_ruling("f3", "f2")]
            assert tx.edges.all() == [an_edge("f2", "f3")]
            assert same(tx.vectors.load("m"), [a_vector("f2", 1, 0), a_vector("f3", 1, 0)])
            assert tx.vectors.models() == {"m": 2}
            assert tx.cycles.get("n1") == a_night()
            assert tx.counts()["facts.forgotten"] == 1

    def test_nothing_is_written_about_what_is_forgotten(self, store: Store) -> None:
        """Work that was begun before does not bring a word of it back; the same goes for what was never there."""
        store.write(ANA, fill_beliefs)

        def forget_and_go_on(tx: Transaction) -> None:
            tx.facts.forget(["f1"])
            tx.facts.update([a_fact("f1", due_at=at(0))])
            for name in ("f1", "gone"):
                tx.versions.add([a_version(a_fact(name))])
                tx.evidence.add([evidence_for(name)])
                tx.rulings.save([a_ruling("f2", name), a_ruling(name, "f3"), a_ruling(name, name)])
                tx.edges.put([an_edge(name, "f3"), an_edge("f3", name)])
            tx.facts.forget(["f1"])

        store.write(ANA, forget_and_go_on)
        with store.read(ANA) as tx:
            assert replace(tx.changes(0).facts[0], rev=0) == a_fact("f1").blank()
            assert ids(tx.facts.all()) == "f2 f3"
            assert {version.fact.id for version in tx.versions.all()} == {"f2"}
            assert {row.fact_id for row in tx.evidence.all()} == {"f2", "f3"}
            assert (tx.rulings.all(), tx.edges.all()) == ([a_ruling("f3", "f2")], [an_edge("f2", "f3")])

    def test_only_what_is_seen_is_forgotten(self, store: Store) -> None:
        """A project does not reach into another."""
        know(store, a_fact("f1", scope=in_scope("thesis")))
        store.write(in_scope("taxes"), lambda tx: tx.facts.forget(["f1"]))
        with store.read(ANA) as tx:
            assert ids(tx.facts.all()) == "f1"

    def test_withdrawn_facts_were_never_there(self, store: Store) -> None:
        """Neither they nor what is about them; what is forgotten already goes too, and the generation rises."""
        store.write(ANA, fill_beliefs)
        store.write(ANA, lambda tx: tx.facts.forget(["f1"]))
        store.write(in_scope("thesis"), lambda tx: tx.facts.insert([a_fact("f4", scope=in_scope("thesis"))]))
        store.write(in_scope("taxes"), lambda tx: tx.withdraw(facts=["f1", "f2", "f4", "gone"]))
        with store.read(ANA) as tx:
            assert [fact.id for fact in tx.changes(0).facts] == ["f3", "f4"]
            assert [row.fact_id for row in tx.evidence.all()] == ["f3"]
            assert not [*tx.versions.all(), *tx.rulings.all(), *tx.edges.all()]
            assert same(tx.vectors.load("m"), [a_vector("f3", 1, 0)])
            assert tx.owner().generation == 1

    def test_changes_and_counts_tell_of_facts(self, store: Store) -> None:
        """What was told or changed since a rev, of any project, by id; counts are of what is seen."""
        know(store, a_fact("f2"), a_fact("f1", status=FactStatus.STABLE), a_fact("f3", scope=in_scope("thesis")))
        with store.read(ANA) as tx:
            seen = tx.owner().rev
        store.write(ANA, lambda tx: tx.facts.update([a_fact("f1", status=FactStatus.MERGED)]))
        know(store, a_fact("f4", scope=in_scope("thesis")))
        with store.read(in_scope("taxes")) as tx:
            news, counts = tx.changes(seen), tx.counts()
            assert [fact.id for fact in tx.changes(0).facts] == ["f1", "f2", "f3", "f4"]
        assert [(fact.id, fact.status.value) for fact in news.facts] == [("f1", "merged"), ("f4", "tentative")]
        assert seen < news.facts[0].rev < news.facts[1].rev == news.rev
        found = {name: count for name, count in counts.items() if name.startswith("facts")}
        assert found == {"facts.merged": 1, "facts.tentative": 1}

    def test_an_owner_is_due_when_a_fact_or_a_night_is(self, store: Store) -> None:
        """Not before, and not for what is forgotten."""
        know(store, a_fact(due_at=at(5)))
        store.write(Scope("ben"), lambda tx: tx.save_owner(OwnerState(night_at=at(3))))
        know(store, a_fact(scope=Scope("cleo"), due_at=at(1)), scope=Scope("cleo"))
        store.write(Scope("cleo"), lambda tx: tx.facts.forget(["f1"]))
        assert store.due(at(2), limit=9) == []
        assert sorted(store.due(at(5), limit=9)) == [ANA.owner, Owner("default", "ben")]
        with store.read(Scope("ben")) as tx:
            assert tx.owner().night_at == at(3)
        store.write(Scope("ben"), lambda tx: tx.save_owner(replace(tx.owner(), night_at=None)))
        assert store.due(at(9), limit=9) == [ANA.owner]


class EvidenceConformance:
    """What speaks for facts, and how they have changed."""

    def test_evidence_comes_back_as_it_was_written(self, store: Store) -> None:
        """Every field survives; the same fact and id again is the same evidence."""
        know(store, a_fact("f1"), a_fact("f2"))
        full = evidence_for("f1", quote='"Mi gata" 🐈\n', stance=Stance.CONTRADICTS, weight=0.1)
        bare = evidence_for("f2", None, id=full.id)
        store.write(ANA, lambda tx: tx.evidence.add([evidence_for("f1", id=full.id), bare]))
        store.write(ANA, lambda tx: tx.evidence.add([full]))
        with store.read(ANA) as tx:
            assert tx.evidence.all() == [full, bare]

    def test_evidence_is_told_from_the_first_on(self, store: Store) -> None:
        """By when it was said, then by id; of all facts, of some, or of some messages."""
        know(store, a_fact("f1"), a_fact("f2"), a_fact("f3"))
        rows = [
            evidence_for("f1", "c1-3", minutes=3),
            evidence_for("f1", "c1-1", minutes=1),
            evidence_for("f2", "c1-1", minutes=1),
            evidence_for("f3", "c1-2", minutes=2),
            evidence_for("f2", None, minutes=0),
        ]
        store.write(ANA, lambda tx: tx.evidence.add(rows))

        def told(found: list[Evidence]) -> list[str]:
            return [row.id for row in found]

        with store.read(ANA) as tx:
            assert told(tx.evidence.all()) == ["hand:f2", "c1-1:f1", "c1-1:f2", "c1-2:f3", "c1-3:f1"]
            assert told(tx.evidence.of(["f1", "f2", "gone"])) == ["hand:f2", "c1-1:f1", "c1-1:f2", "c1-3:f1"]
            assert told(tx.evidence.of_messages(["c1-2", "c1-1", "gone"])) == ["c1-1:f1", "c1-1:f2", "c1-2:f3"]
            assert not [*tx.evidence.of([]), *tx.evidence.of_messages([])]

    def test_evidence_can_be_taken_away(self, store: Store) -> None:
        """Only that of this fact and id; taking away what is not there changes nothing."""
        know(store, a_fact("f1"), a_fact("f2"))
        rows = [evidence_for("f1", id="x"), evidence_for("f2", id="x"), evidence_for("f2", id="y")]
        store.write(ANA, lambda tx: tx.evidence.add(rows))
        store.write(ANA, lambda tx: tx.evidence.remove([rows[0], rows[2]]))
        with store.read(ANA) as tx:
            rev = tx.owner().rev
            assert tx.evidence.all() == [rows[1]]
        store.write(ANA, lambda tx: tx.evidence.remove([rows[0]]))
        with store.read(ANA) as tx:
            assert (tx.evidence.all(), tx.owner().rev) == ([rows[1]], rev)

    def test_versions_are_numbered_from_one(self, store: Store) -> None:
        """Fact by fact, whatever number they come with, each with the whole of the fact."""
        know(store, replace(a_full_fact("f2"), scope=ANA), a_fact("f1"))
        told = a_version(replace(a_full_fact("f2"), scope=ANA), minutes=1, cycle="n1")
        changed = replace(told, fact=replace(told.fact, confidence=0.75), at=at(2), cause="night", number=7)
        store.write(ANA, lambda tx: tx.versions.add([told, a_version(a_fact("f1"))]))
        store.write(ANA, lambda tx: tx.versions.add([changed]))
        with store.read(ANA) as tx:
            assert tx.versions.of("f2") == [replace(told, number=1), replace(changed, number=2)]
            assert [(version.fact.id, version.number) for version in tx.versions.all()] == [
                ("f1", 1),
                ("f2", 1),
                ("f2", 2),
            ]
            assert tx.versions.of("gone") == []

    def test_what_was_known_then_is_the_last_version_of_then(self, store: Store) -> None:
        """By number, also where the clock went back in between; a fact that was not known yet is left out."""
        know(store, a_fact("f1"), a_fact("f2"))
        minutes = [("f2", 2), ("f1", 1), ("f1", 4), ("f1", 3), ("f1", 9)]
        store.write(ANA, lambda tx: tx.versions.add([a_version(a_fact(name), minutes=when) for name, when in minutes]))

        def known_at(when: float) -> list[tuple[str, int]]:
            with store.read(ANA) as tx:
                return [(version.fact.id, version.number) for version in tx.versions.known_at(at(when))]

        assert known_at(0) == []
        assert known_at(1) == [("f1", 1)]
        assert known_at(3) == [("f1", 3), ("f2", 1)]
        assert known_at(8) == [("f1", 3), ("f2", 1)]


class RulingConformance:
    """What facts are to each other, and the nights."""

    def test_there_is_one_ruling_on_a_pair(self, store: Store) -> None:
        """Whichever of the two is the earlier; a later one takes the place of the one before, with every field."""
        store.write(ANA, fill_beliefs)
        full = a_ruling("f2", "f1", by_person=True, cycle="n1", is_void=True, settled_at=at(1), asked_at=at(2))
        full = replace(full, settled_by="confirmed", scope=in_scope("thesis"))
        store.write(ANA, lambda tx: tx.rulings.save([full]))
        with store.read(ANA) as tx:
            assert tx.rulings.all() == [full, a_ruling("f3", "f2")]
            assert tx.rulings.of(["f1", "gone"]) == [full]
            assert tx.rulings.of(["f2", "f3"]) == [full, a_ruling("f3", "f2")]
            assert tx.rulings.of([]) == []
        with store.read(in_scope("taxes")) as tx:
            assert tx.rulings.all() == tx.rulings.of(["f2"]) == [a_ruling("f3", "f2")]

    def test_there_is_one_edge_of_a_relation_between_two_facts(self, store: Store) -> None:
        """In each direction; writing it again replaces it."""
        know(store, *(a_fact(name) for name in ("f1", "f2")))
        edges = [an_edge("f2", "f1"), an_edge("f1", "f2", relation=Relation.ENABLES), an_edge("f1", "f2")]
        store.write(ANA, lambda tx: tx.edges.put(edges))
        changed = replace(edges[0], why="", scope=in_scope("thesis"))
        store.write(ANA, lambda tx: tx.edges.put([changed]))
        with store.read(ANA) as tx:
            assert tx.edges.all() == [edges[2], edges[1], changed]
        with store.read(in_scope("taxes")) as tx:
            assert tx.edges.all() == [edges[2], edges[1]]

    def test_nights_are_told_from_the_last(self, store: Store) -> None:
        """By their ids; writing one again replaces it."""
        nights = [a_night(name, state=CycleState.RUNNING) for name in ("n2", "n10", "n3")]

        def work(tx: Transaction) -> None:
            for report in (*nights, a_night("n3")):
                tx.cycles.save(report)

        store.write(in_scope("thesis"), work)
        with store.read(in_scope("taxes")) as tx:
            assert tx.cycles.latest(limit=9) == [a_night("n3"), nights[0], nights[1]]
            assert tx.cycles.latest(limit=1) == [tx.cycles.get("n3")] == [a_night("n3")]
            assert tx.cycles.get("gone") is None


READS: dict[str, Callable[[Transaction], list[str]]] = {
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
    "versions.all": lambda tx: [version.fact.id for version in tx.versions.all()],
    "versions.known_at": lambda tx: [version.fact.id for version in tx.versions.known_at(at(9))],
    "evidence.of": lambda tx: [row.fact_id for row in tx.evidence.of(list(ROWS))],
    "evidence.of_messages": lambda tx: [row.fact_id for row in tx.evidence.of_messages(["c1-1"])],
    "evidence.all": lambda tx: [row.fact_id for row in tx.evidence.all()],
    "rulings.of": lambda tx: [row.earlier for row in tx.rulings.of(list(ROWS))],
    "rulings.all": lambda tx: [row.earlier for row in tx.rulings.all()],
    "edges.all": lambda tx: [edge.source for edge in tx.edges.all()],
}


class BeliefVisibilityConformance:
    """What one scope sees of another's facts."""

    def test_a_scope_sees_its_facts_and_the_general_ones(self, store: Store) -> None:
        """And what is about those, as with all that is kept."""

        def fill(tx: Transaction) -> None:
            for name, where in ROWS.items():
                scope = in_scope(*where)
                facts = [a_fact(name, name, scope=scope, due_at=at(0)), a_fact(f"{name}?", scope=scope)]
                tx.facts.insert([*facts, a_fact(f"{name}!", scope=scope).blank()])
                tx.versions.add([a_version(facts[0])])
                tx.evidence.add([evidence_for(name)])
                tx.rulings.save([a_ruling(name, f"{name}?", scope=scope)])
                tx.edges.put([an_edge(name, f"{name}?", scope=scope)])

        store.write(ANA, fill)
        assert_visible(store, READS)

    @pytest.mark.parametrize("stranger", STRANGERS)
    def test_nobody_meets_the_facts_of_others(self, store: Store, stranger: Scope) -> None:
        """Another person, or the same name with another tenant, finds nothing and changes nothing."""
        store.write(ANA, fill_beliefs)
        with store.read(ANA) as tx:
            before = beliefs_in(tx)

        def meddle(tx: Transaction) -> None:
            tx.facts.forget(["f1"])
            tx.evidence.remove([evidence_for("f1")])
            tx.evidence.add([evidence_for("f1", id="mine")])
            tx.withdraw(facts=["f2"])

        store.write(stranger, meddle)
        with store.read(stranger) as tx:
            assert not beliefs_in(tx)
            assert tx.facts.saying("Ana likes f1.", project=None) is None
        with store.read(ANA) as tx:
            assert beliefs_in(tx) == before

    def test_a_fact_of_another_owner_is_not_written(self, store: Store) -> None:
        """A transaction belongs to one owner, whatever its rows say."""
        writes: list[Callable[[Transaction], object]] = [
            lambda tx: tx.facts.insert([a_fact("f9", scope=Scope("ben"))]),
            lambda tx: tx.facts.update([a_fact(scope=Scope("ben"))]),
            lambda tx: tx.versions.add([a_version(a_fact(scope=Scope("ben")))]),
            lambda tx: tx.rulings.save([a_ruling(scope=Scope("ben"))]),
            lambda tx: tx.edges.put([an_edge(scope=Scope("ben"))]),
        ]
        store.write(ANA, fill_beliefs)
        for write in writes:
            with pytest.raises(InputError):
                store.write(ANA, write)
        assert store.owners() == [ANA.owner]


class BeliefConformance(FactConformance, EvidenceConformance, RulingConformance, BeliefVisibilityConformance):
    """All of it; the subclass gives the fixture ``store``."""
