"""What every store has to do with facts and all that is kept about them or beside them, method by method."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.belief_rows import (
    a_fact,
    a_full_fact,
    a_night,
    a_ruling,
    a_version,
    an_edge,
    evidence_for,
    fill_beliefs,
)
from tests.contract.suite import Rows, StoreSuite, through
from tests.rows import (
    ANA,
    SKIPPED,
    a_call,
    a_key,
    a_vector,
    an_audit_draft,
    an_episode,
    at,
    fill_beside,
    in_scope,
    same,
    set_aside,
    unnumbered,
)
from yesteryear.core.access.audit import verify
from yesteryear.core.erasure import Withheld
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion, Stance
from yesteryear.core.night_report import CycleState
from yesteryear.core.relation import Basis, Relation
from yesteryear.core.scope import Scope
from yesteryear.core.time import EPOCH
from yesteryear.core.usage import CallOutcome, CallPurpose, Charge
from yesteryear.errors import Conflict
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import a_message


def ids(rows: Sequence[Fact | Evidence]) -> str:
    """Return the ids of facts or evidence."""
    return " ".join(row.id for row in rows)


class FactConformance(StoreSuite):
    """The facts themselves."""

    def test_a_fact_comes_back_as_it_was_written(self, ana: Rows) -> None:
        """Every field survives, in the order asked."""
        ana.add(a_full_fact(), a_fact("f2"))
        assert unnumbered(ana.facts.get(["f2", "gone", "f1"])) == [a_fact("f2"), a_full_fact()]

    def test_an_id_names_one_fact(self, ana: Rows) -> None:
        """A second insertion is a conflict, also within one call or where the first was forgotten; nothing is added."""
        ana.add(a_fact())
        with pytest.raises(Conflict):
            ana.add(a_fact("f2"), a_fact("f2"))
        ana.facts.forget(["f1"])
        with pytest.raises(Conflict):
            ana.add(a_fact("f3"), a_fact())
        assert ana.facts.all() == []

    def test_what_is_written_of_a_fact_is_written_whole(self, ana: Rows) -> None:
        """But a fact that is not there, or was told elsewhere, does not come about by it."""
        ana.add(a_fact("f1"), a_fact("f2"))
        changed = replace(a_full_fact(), scope=ANA)
        elsewhere = a_fact("f2", scope=in_scope("thesis"), confidence=0.5)
        ana.facts.update([changed, a_fact("gone"), elsewhere])
        assert unnumbered(ana.facts.all()) == [changed, a_fact("f2")]

    def test_facts_are_told_from_the_first_on(self, ana: Rows) -> None:
        """By when they were first told, then by id; of some statuses where asked."""
        rows = [
            a_fact("f2", minutes=2),
            a_fact("f4", minutes=1, status=FactStatus.MERGED),
            a_fact("f3", minutes=1, status=FactStatus.STABLE),
            a_fact("f1", minutes=3, status=FactStatus.STABLE),
        ]
        ana.add(*rows, a_fact("f0"))
        ana.facts.forget(["f0"])
        assert ids(ana.facts.all()) == "f3 f4 f2 f1"
        assert ids(ana.facts.all([FactStatus.STABLE, FactStatus.MERGED])) == "f3 f4 f1"
        assert unnumbered(ana.facts.all([FactStatus.FORGOTTEN])) == [a_fact("f0").blank()]
        assert ana.facts.all([]) == []

    def test_facts_are_found_by_what_they_tell(self, ana: Rows) -> None:
        """By attribute, with a status too; as they are since they were written anew."""
        ana.add(
            a_fact("f1", attribute="diet"),
            a_fact("f3", attribute="job", status=FactStatus.MERGED),
            a_fact("f4", attribute="job"),
            a_fact("f5"),
        )
        ana.facts.update([a_fact("f4", attribute="diet")])
        assert ids(ana.facts.all(attribute="diet")) == "f1 f4"
        assert ids(ana.facts.all([FactStatus.MERGED], attribute="job")) == "f3"
        assert ana.facts.all(attribute="Diet") == []

    def test_a_fact_is_found_by_its_words(self, store: Store, ana: Rows) -> None:
        """Whatever their case and punctuation; the first told of this project, or of none."""
        ana.add(
            a_fact("f3", "Ana lives in Tromsø.", minutes=3),
            a_fact("f1", "ana lives  in tromsø", minutes=1, status=FactStatus.SUPERSEDED),
            a_fact("f4", "Ana lives in Tromsø.", scope=in_scope("thesis")),
            a_fact("f5", "Ana lives in Tromsö."),
            a_fact("f6", "Ana lives in Oslo."),
        )
        ana.facts.forget(["f6"])
        found = [ana.facts.saying("ANA LIVES IN TROMSØ!", project=project) for project in (None, "thesis", "taxes")]
        assert [fact and fact.id for fact in found] == ["f1", "f4", None]
        assert ana.facts.saying("Ana lives in Oslo.", project=None) is None
        assert ana.facts.saying("", project=None) is None
        assert through(store, in_scope("taxes")).facts.saying("Ana lives in Tromsø.", project="thesis") is None

    def test_a_forgotten_fact_leaves_that_it_was_there(self, store: Store, ana: Rows) -> None:
        """No word of it, no row about it, no vector of any model; what is about others stays."""
        store.write(ANA, fill_beliefs)
        ana.facts.forget(["f1", "gone"])
        assert ids(ana.facts.all()) == "f2 f3"
        assert ana.facts.get(["f1"]) == []
        assert replace(ana.changes(0).facts[0], rev=0) == a_fact("f1").blank()
        assert [version.fact.id for version in ana.versions.since(EPOCH)] == ["f2"]
        assert {row.fact_id for row in ana.evidence.all()} == {"f2", "f3"}
        assert ana.rulings.all() == [a_ruling("f3", "f2")]
        assert ana.edges.all() == [an_edge("f2", "f3")]
        assert same(ana.vectors.load("m"), [a_vector("f2", 1, 0), a_vector("f3", 1, 0)])
        assert ana.vectors.models() == {"m": 2}
        assert ana.cycles.get("n1") == a_night()
        assert ana.counts()["facts.forgotten"] == 1

    def test_nothing_is_written_about_what_is_forgotten(self, store: Store, ana: Rows) -> None:
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
        assert replace(ana.changes(0).facts[0], rev=0) == a_fact("f1").blank()
        assert ids(ana.facts.all()) == "f2 f3"
        assert {version.fact.id for version in ana.versions.since(EPOCH)} == {"f2"}
        assert {row.fact_id for row in ana.evidence.all()} == {"f2", "f3"}
        assert (ana.rulings.all(), ana.edges.all()) == ([a_ruling("f3", "f2")], [an_edge("f2", "f3")])

    def test_withdrawn_facts_were_never_there(self, store: Store, ana: Rows) -> None:
        """Neither they nor what is about them; what is forgotten already goes too, and the generation rises."""
        store.write(ANA, fill_beliefs)
        ana.facts.forget(["f1"])
        through(store, in_scope("thesis")).facts.insert([a_fact("f4", scope=in_scope("thesis"))])
        through(store, in_scope("taxes")).withdraw(facts=["f1", "f2", "f4", "gone"])
        assert [fact.id for fact in ana.changes(0).facts] == ["f3", "f4"]
        assert [row.fact_id for row in ana.evidence.all()] == ["f3"]
        assert not [*ana.versions.since(EPOCH), *ana.rulings.all(), *ana.edges.all()]
        assert same(ana.vectors.load("m"), [a_vector("f3", 1, 0)])
        assert ana.owner().generation == 1

    def test_changes_and_counts_tell_of_facts(self, store: Store, ana: Rows) -> None:
        """What was told or changed since a rev, of any project, by id; counts are of what is seen."""
        ana.add(a_fact("f2"), a_fact("f1", status=FactStatus.STABLE), a_fact("f3", scope=in_scope("thesis")))
        seen = ana.owner().rev
        ana.facts.update([a_fact("f1", status=FactStatus.MERGED)])
        ana.add(a_fact("f4", scope=in_scope("thesis")))
        with store.read(in_scope("taxes")) as tx:
            news, counts = tx.changes(seen), tx.counts()
            assert [fact.id for fact in tx.changes(0).facts] == ["f1", "f2", "f3", "f4"]
        assert [(fact.id, fact.status.value) for fact in news.facts] == [("f1", "merged"), ("f4", "tentative")]
        assert seen < news.facts[0].rev < news.facts[1].rev == news.rev
        found = {name: count for name, count in counts.items() if name.startswith("facts")}
        assert found == {"facts.merged": 1, "facts.tentative": 1}


class EvidenceConformance(StoreSuite):
    """What speaks for facts, and how they have changed."""

    def test_evidence_comes_back_as_it_was_written(self, ana: Rows) -> None:
        """Every field survives; the same fact and id again is the same evidence."""
        ana.add(a_fact("f1"), a_fact("f2"))
        full = evidence_for("f1", quote='"Mi gata" 🐈\n', stance=Stance.CONTRADICTS, weight=0.1)
        bare = evidence_for("f2", None, id=full.id)
        ana.evidence.add([evidence_for("f1", id=full.id), bare])
        ana.evidence.add([full])
        assert ana.evidence.all() == [full, bare]

    def test_evidence_is_told_from_the_first_on(self, ana: Rows) -> None:
        """By when it was said, then by id; of all facts, of some, or of some messages."""
        ana.add(a_fact("f1"), a_fact("f2"), a_fact("f3"))
        rows = [
            evidence_for("f1", "c1-3", minutes=3),
            evidence_for("f1", "c1-1", minutes=1),
            evidence_for("f2", "c1-1", minutes=1),
            evidence_for("f3", "c1-2", minutes=2),
            evidence_for("f2", None, minutes=0),
        ]
        ana.evidence.add(rows)
        assert ids(ana.evidence.all()) == "hand:f2 c1-1:f1 c1-1:f2 c1-2:f3 c1-3:f1"
        assert ids(ana.evidence.of(["f1", "f2", "gone"])) == "hand:f2 c1-1:f1 c1-1:f2 c1-3:f1"
        assert ids(ana.evidence.of_messages(["c1-2", "c1-1", "gone"])) == "c1-1:f1 c1-1:f2 c1-2:f3"
        assert not [*ana.evidence.of([]), *ana.evidence.of_messages([])]

    def test_evidence_can_be_taken_away(self, ana: Rows) -> None:
        """Only that of this fact and id; taking away what is not there changes nothing."""
        ana.add(a_fact("f1"), a_fact("f2"))
        rows = [evidence_for("f1", id="x"), evidence_for("f2", id="x"), evidence_for("f2", id="y")]
        ana.evidence.add(rows)
        ana.evidence.remove([rows[0], rows[2]])
        rev = ana.owner().rev
        assert ana.evidence.all() == [rows[1]]
        ana.evidence.remove([rows[0]])
        assert (ana.evidence.all(), ana.owner().rev) == ([rows[1]], rev)

    def test_versions_are_numbered_from_one(self, ana: Rows) -> None:
        """Fact by fact, whatever number they come with, each with the whole of the fact."""
        ana.add(replace(a_full_fact("f2"), scope=ANA), a_fact("f1"))
        told = a_version(replace(a_full_fact("f2"), scope=ANA), minutes=1, cycle="n1")
        changed = replace(told, fact=replace(told.fact, confidence=0.75), at=at(2), cause="night", number=7)
        ana.versions.add([told, a_version(a_fact("f1"))])
        ana.versions.add([changed])
        assert ana.versions.of("f2") == [replace(told, number=1), replace(changed, number=2)]
        versions = [f"{version.fact.id} {version.number}" for version in ana.versions.since(EPOCH)]
        assert versions == ["f1 1", "f2 1", "f2 2"]
        assert ana.versions.of("gone") == []

    def test_what_was_known_then_is_the_last_version_of_then(self, ana: Rows) -> None:
        """By number, also where the clock went back in between; a fact that was not known yet is left out."""
        ana.add(a_fact("f1"), a_fact("f2"))
        minutes = [("f2", 2), ("f1", 1), ("f1", 4), ("f1", 3), ("f1", 9)]
        ana.versions.add([a_version(a_fact(name), minutes=when) for name, when in minutes])
        for when, expected in {0: [], 1: ["f1 1"], 3: ["f1 3", "f2 1"], 8: ["f1 3", "f2 1"]}.items():
            assert [f"{version.fact.id} {version.number}" for version in ana.versions.known_at(at(when))] == expected
        assert [version.fact.id for version in ana.versions.known_at(at(8), ids=["f2", "gone"])] == ["f2"]
        assert [version.number for version in ana.versions.since(at(3))] == [2, 3, 4]
        assert ana.versions.since(at(10)) == []


class RulingConformance(StoreSuite):
    """What facts are to each other, and the nights."""

    def test_there_is_one_ruling_on_a_pair(self, store: Store, ana: Rows) -> None:
        """Whichever of the two is the earlier; a later one takes the place of the one before, with every field."""
        store.write(ANA, fill_beliefs)
        full = a_ruling("f2", "f1", by_person=True, cycle="n1", is_void=True, settled_at=at(1), asked_at=at(2))
        full = replace(full, settled_by="confirmed", scope=in_scope("thesis"))
        ana.rulings.save([full])
        assert ana.rulings.all() == [full, a_ruling("f3", "f2")]
        assert ana.rulings.of(["f1", "gone"]) == [full]
        assert ana.rulings.of(["f2", "f3"]) == [full, a_ruling("f3", "f2")]
        assert ana.rulings.of([]) == []
        with store.read(in_scope("taxes")) as tx:
            assert tx.rulings.all() == tx.rulings.of(["f2"]) == [a_ruling("f3", "f2")]

    def test_there_is_one_edge_of_a_relation_between_two_facts(self, store: Store, ana: Rows) -> None:
        """In each direction; writing it again replaces it."""
        ana.add(*(a_fact(name) for name in ("f1", "f2")))
        edges = [an_edge("f2", "f1"), an_edge("f1", "f2", relation=Relation.ENABLES), an_edge("f1", "f2")]
        ana.edges.put(edges)
        changed = replace(edges[0], why="", scope=in_scope("thesis"))
        ana.edges.put([changed])
        assert ana.edges.all() == [edges[2], edges[1], changed]
        assert through(store, in_scope("taxes")).edges.all() == [edges[2], edges[1]]

    def test_only_a_hand_changes_what_was_told_and_what_was_dismissed(self, ana: Rows) -> None:
        """What only rests, or is inferred, gives way to both."""
        ana.add(*(a_fact(name) for name in ("f1", "f2")))
        resting, inferred, told, dismissed = (an_edge(basis=basis) for basis in Basis)
        for edge, stands in ((resting, resting), (inferred, inferred), (told, told), (inferred, told)):
            ana.edges.put([edge])
            assert ana.edges.all() == [stands]
        ana.edges.put([replace(told, quote="because of it")])
        assert ana.edges.all() == [replace(told, quote="because of it")]
        ana.edges.put([dismissed], is_by_hand=True)
        ana.edges.put([told])
        assert ana.edges.all() == [dismissed]
        assert ana.edges.standing(limit=9) == [dismissed]
        ana.edges.put([told], is_by_hand=True)
        assert ana.edges.all() == ana.edges.standing(limit=9) == [told]
        ana.edges.remove([told])
        assert ana.edges.all() == []

    def test_edges_are_walked_along_in_both_directions(self, store: Store, ana: Rows) -> None:
        """In circles too, and not by way of what is superseded."""
        merged = replace(a_fact("f5"), status=FactStatus.MERGED, canonical_id="f4")
        ana.add(*(a_fact(f"f{number}") for number in (1, 2, 3, 4)), merged, a_fact("f6"))
        ana.add(replace(a_fact("f7"), status=FactStatus.SUPERSEDED, superseded_by="f1"), a_fact("f8"))
        pairs = (("f1", "f2"), ("f3", "f2"), ("f3", "f1"), ("f3", "f4"), ("f5", "f6"), ("f1", "f7"), ("f7", "f8"))
        edges = [an_edge(*pair, basis=Basis.TOLD) for pair in pairs]
        itself = an_edge("f1", "f1", basis=Basis.TOLD, source_words="my knee", target_words="train")
        ana.edges.put([*edges, itself, an_edge("f2", "f8")])

        def ends(start: str, steps: int) -> list[tuple[str, str]]:
            return [(edge.source, edge.target) for edge in ana.edges.around([start], steps=steps, limit=20)]

        assert ends("f1", 0) == [("f1", "f1")]
        assert ends("f1", 1) == [("f1", "f1"), ("f1", "f2"), ("f3", "f1"), ("f3", "f2")]
        assert ends("f1", 2) == [*ends("f1", 1), ("f3", "f4")]
        assert ends("f1", 9) == ends("f1", 2)
        assert ends("f6", 9) == [("f5", "f6")]
        assert [fact.id for fact in ana.facts.merged_into(["f1", "f4"])] == ["f5"]
        assert ana.facts.merged_into(["f5"]) == []
        assert ends("f8", 9) == ends("gone", 9) == []
        assert len(ana.edges.around(["f1"], steps=9, limit=2)) == 2
        assert through(store, Scope("ben")).edges.around(["f1"], steps=9, limit=20) == []

    def test_nights_are_told_from_the_last(self, store: Store) -> None:
        """By their ids; writing one again replaces it."""
        nights = [a_night(name, state=CycleState.RUNNING) for name in ("n2", "n10", "n3")]
        for report in (*nights, a_night("n3")):
            through(store, in_scope("thesis")).cycles.save(report)
        cycles = through(store, in_scope("taxes")).cycles
        assert cycles.latest(limit=9) == [a_night("n3"), nights[0], nights[1]]
        assert cycles.latest(limit=1) == [cycles.get("n3")] == [a_night("n3")]
        assert cycles.get("gone") is None


class WithheldConformance(StoreSuite):
    """What was asked in talk to be forgotten, and is not erased yet."""

    def test_what_is_laid_aside_comes_back_as_it_was(self, ana: Rows) -> None:
        """Whatever it is; the same thing asked for twice by one message is there once."""
        fact = a_fact("f1")
        versions = (FactVersion(fact, 1, at(1), "told"),)
        rows = [
            set_aside(message=a_message(verdict=SKIPPED)),
            set_aside("f1", kind=Withheld.FACT, message=None, fact=fact, versions=versions),
            set_aside("e1", kind=Withheld.EPISODE, message=None, episode=an_episode()),
            set_aside("c1-9", kind=Withheld.PROPOSAL, subjects=("Laura",), named="Laura", shown_at=at(2)),
        ]
        ana.forgettings.save([set_aside(until=at(3)), *rows])
        assert ana.forgettings.all() == [rows[2], rows[1], rows[0], rows[3]]
        assert ana.forgettings.all(Withheld.FACT) == [rows[1]]
        assert ana.forgettings.of(["f1", "nobody"]) == [rows[1]]
        assert len(ana.forgettings.asked_by("c1-9")) == 4
        assert ana.forgettings.asked_by("c1-8") == []

    def test_one_thing_may_be_asked_for_by_two(self, ana: Rows) -> None:
        """An episode loses messages by one request, and is hidden by the next."""
        other = set_aside(asked_by="c1-8")
        ana.forgettings.save([set_aside(), other])
        ana.forgettings.remove([set_aside()])
        assert ana.forgettings.of(["c1-1"]) == [other]


class UsageConformance(StoreSuite):
    """What models have cost."""

    def test_calls_come_back_as_they_were(self, ana: Rows) -> None:
        """In their order, with everything that is known of each."""
        unpriced = a_call(1, purpose=CallPurpose.JUDGE, outcome=CallOutcome.FAILED, requests=0, micro_usd=None)
        ana.usages.add(["b", "a"], [a_call(2), unpriced])
        assert ana.usages.between(at(0), at(9)) == [unpriced, a_call(2)]

    def test_a_span_is_half_open(self, ana: Rows) -> None:
        """A day ends where the next begins."""
        ana.usages.add(["a", "b", "c"], [a_call(1), a_call(2), a_call(3)])
        assert ana.usages.between(at(2), at(3)) == [a_call(2)]

    def test_a_call_is_written_once(self, ana: Rows) -> None:
        """A write that is repeated costs nothing twice."""
        for minutes in (1, 2):
            ana.usages.add(["a"], [a_call(minutes)])
        assert ana.usages.between(at(0), at(9)) == [a_call(1)]

    def test_pages_follow_the_ids(self, ana: Rows) -> None:
        """So that an export can walk through years of calls."""
        ana.usages.add(["b", "c", "a"], [a_call(1), a_call(2), a_call(3)])
        assert ana.usages.page(after="", limit=2) == [Charge("a", a_call(3)), Charge("b", a_call(1))]
        assert ana.usages.page(after="b", limit=2) == [Charge("c", a_call(2))]
        assert ana.usages.page(after="c", limit=2) == []

    def test_withdrawn_calls_were_never_made(self, store: Store, ana: Rows) -> None:
        """An import that failed leaves no bill behind, and nobody else's bill changes."""
        stranger = Scope("ben")
        for scope in (ANA, stranger):
            store.write(scope, fill_beside)
        ana.withdraw(usages=["u1", "gone"])
        assert (ana.usages.between(at(0), at(9)), through(store, stranger).usages.between(at(0), at(9))) == (
            [a_call(2)],
            [a_call(1), a_call(2)],
        )


class AccessConformance(StoreSuite):
    """Who may come in, and what they did."""

    def test_a_key_comes_back_as_it_was(self, ana: Rows) -> None:
        """With everything that is known of it, before and after a change; one that is not there is None."""
        used = a_key(expires_at=None, revoked_at=at(3), last_used=at(2).date())
        for key in (a_key(), used):
            ana.keys.save(key)
            assert ana.keys.get("k1") == key
        assert ana.keys.get("k2") is None

    def test_keys_come_oldest_first(self, ana: Rows) -> None:
        """In the order in which they were made."""
        keys = [a_key("b"), a_key("c", created_at=at(1)), a_key("a", created_at=at(2))]
        for key in reversed(keys):
            ana.keys.save(key)
        assert ana.keys.all() == keys

    def test_deeds_make_a_chain(self, ana: Rows) -> None:
        """Each row follows from the one before, in the order in which they were written."""
        for verb in ("observe", "forget", "erase"):
            ana.audit.append(an_audit_draft(verb))
        rows = ana.audit.page(limit=99)
        assert [(row.seq, row.verb) for row in rows] == [(1, "observe"), (2, "forget"), (3, "erase")]
        assert (rows[0].count, rows[0].ids, rows[0].at) == (2, ("m1", "m2"), at(0))
        assert verify(rows).broken_at is None

    def test_deeds_of_many_threads_make_one_chain(self, ana: Rows) -> None:
        """No two rows follow the same one."""
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: ana.audit.append(an_audit_draft()), range(40)))
        found = verify(ana.audit.page(limit=99))
        assert (found.rows, found.broken_at) == (40, None)

    def test_the_audit_is_read_in_pages(self, ana: Rows) -> None:
        """From any row on."""
        for number in range(5):
            ana.audit.append(an_audit_draft(str(number)))
        assert [row.verb for row in ana.audit.page(after=1, limit=2)] == ["1", "2"]
        assert [row.verb for row in ana.audit.page(after=3, limit=9)] == ["3", "4"]


class BeliefConformance(
    FactConformance,
    EvidenceConformance,
    RulingConformance,
    WithheldConformance,
    UsageConformance,
    AccessConformance,
):
    """All of it; the subclass gives the fixture ``store``."""
