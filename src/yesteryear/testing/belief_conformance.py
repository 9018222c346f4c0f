"""What every store has to do with facts and all that is kept about them or beside them, method by method."""

# ruff: noqa: S101 - tests are made of asserts

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from yesteryear.core.access.audit import AuditEntry, verify
from yesteryear.core.erasure import Withheld
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion, Stance
from yesteryear.core.night_report import CycleState
from yesteryear.core.ruling import Relation
from yesteryear.core.scope import Scope
from yesteryear.core.usage import CallOutcome, CallPurpose, Charge, ModelCall
from yesteryear.errors import Conflict
from yesteryear.ports import Store, Transaction
from yesteryear.testing.belief_rows import (
    a_fact,
    a_full_fact,
    a_night,
    a_ruling,
    a_version,
    an_edge,
    evidence_for,
    fill_beliefs,
)
from yesteryear.testing.builders import a_message
from yesteryear.testing.rows import (
    ANA,
    SKIPPED,
    a_call,
    a_key,
    a_vector,
    add,
    an_audit_draft,
    an_episode,
    ask,
    at,
    fill_beside,
    in_scope,
    same,
    set_aside,
    unnumbered,
)


def ids(facts: list[Fact]) -> str:
    """Return the ids of facts."""
    return " ".join(fact.id for fact in facts)


class FactConformance:
    """The facts themselves."""

    def test_a_fact_comes_back_as_it_was_written(self, store: Store) -> None:
        """Every field survives, in the order asked."""
        add(store, a_full_fact(), a_fact("f2"))
        with store.read(ANA) as tx:
            assert unnumbered(tx.facts.get(["f2", "gone", "f1"])) == [a_fact("f2"), a_full_fact()]

    def test_an_id_names_one_fact(self, store: Store) -> None:
        """A second insertion is a conflict, also within one call or where the first was forgotten; nothing is added."""
        add(store, a_fact())
        with pytest.raises(Conflict):
            add(store, a_fact("f2"), a_fact("f2"))
        store.write(ANA, lambda tx: tx.facts.forget(["f1"]))
        with pytest.raises(Conflict):
            add(store, a_fact("f3"), a_fact())
        assert ask(store, lambda tx: tx.facts.all()) == []

    def test_what_is_written_of_a_fact_is_written_whole(self, store: Store) -> None:
        """But a fact that is not there, or was told elsewhere, does not come about by it."""
        add(store, a_fact("f1"), a_fact("f2"))
        changed = replace(a_full_fact(), scope=ANA)
        elsewhere = a_fact("f2", scope=in_scope("thesis"), confidence=0.5)
        store.write(ANA, lambda tx: tx.facts.update([changed, a_fact("gone"), elsewhere]))
        assert ask(store, lambda tx: unnumbered(tx.facts.all())) == [changed, a_fact("f2")]

    def test_facts_are_told_from_the_first_on(self, store: Store) -> None:
        """By when they were first told, then by id; of some statuses where asked."""
        rows = [
            a_fact("f2", minutes=2),
            a_fact("f4", minutes=1, status=FactStatus.MERGED),
            a_fact("f3", minutes=1, status=FactStatus.STABLE),
            a_fact("f1", minutes=3, status=FactStatus.STABLE),
        ]
        add(store, *rows, a_fact("f0"))
        store.write(ANA, lambda tx: tx.facts.forget(["f0"]))
        with store.read(ANA) as tx:
            assert ids(tx.facts.all()) == "f3 f4 f2 f1"
            assert ids(tx.facts.all([FactStatus.STABLE, FactStatus.MERGED])) == "f3 f4 f1"
            assert unnumbered(tx.facts.all([FactStatus.FORGOTTEN])) == [a_fact("f0").blank()]
            assert tx.facts.all([]) == []

    def test_facts_are_found_by_what_they_tell_of_whom(self, store: Store) -> None:
        """By attribute and by holder, whatever the case, together too; as they are since they were written anew."""
        add(
            store,
            a_fact("f1", attribute="diet"),
            a_fact("f2", attribute="diet", holder="Özlem"),
            a_fact("f3", attribute="job", holder="özlem", status=FactStatus.MERGED),
            a_fact("f4", attribute="job"),
            a_fact("f5"),
        )
        store.write(ANA, lambda tx: tx.facts.update([a_fact("f4", attribute="diet", holder="mum")]))
        with store.read(ANA) as tx:
            assert ids(tx.facts.all(attribute="diet")) == "f1 f2 f4"
            assert ids(tx.facts.all(holder="ÖZLEM")) == "f2 f3"
            assert ids(tx.facts.all(holder="")) == "f1 f5"
            assert ids(tx.facts.all(attribute="diet", holder="mum")) == "f4"
            assert ids(tx.facts.all([FactStatus.MERGED], holder="Özlem")) == "f3"
            assert tx.facts.all(attribute="Diet") == tx.facts.all(holder="Öz") == []

    def test_a_fact_is_found_by_its_words(self, store: Store) -> None:
        """Whatever their case and punctuation; the first told of this project, or of none."""
        add(
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
        add(store, a_fact("f2"), a_fact("f1", status=FactStatus.STABLE), a_fact("f3", scope=in_scope("thesis")))
        with store.read(ANA) as tx:
            seen = tx.owner().rev
        store.write(ANA, lambda tx: tx.facts.update([a_fact("f1", status=FactStatus.MERGED)]))
        add(store, a_fact("f4", scope=in_scope("thesis")))
        with store.read(in_scope("taxes")) as tx:
            news, counts = tx.changes(seen), tx.counts()
            assert [fact.id for fact in tx.changes(0).facts] == ["f1", "f2", "f3", "f4"]
        assert [(fact.id, fact.status.value) for fact in news.facts] == [("f1", "merged"), ("f4", "tentative")]
        assert seen < news.facts[0].rev < news.facts[1].rev == news.rev
        found = {name: count for name, count in counts.items() if name.startswith("facts")}
        assert found == {"facts.merged": 1, "facts.tentative": 1}


class EvidenceConformance:
    """What speaks for facts, and how they have changed."""

    def test_evidence_comes_back_as_it_was_written(self, store: Store) -> None:
        """Every field survives; the same fact and id again is the same evidence."""
        add(store, a_fact("f1"), a_fact("f2"))
        full = evidence_for("f1", quote='"Mi gata" 🐈\n', stance=Stance.CONTRADICTS, weight=0.1)
        bare = evidence_for("f2", None, id=full.id)
        store.write(ANA, lambda tx: tx.evidence.add([evidence_for("f1", id=full.id), bare]))
        store.write(ANA, lambda tx: tx.evidence.add([full]))
        assert ask(store, lambda tx: tx.evidence.all()) == [full, bare]

    def test_evidence_is_told_from_the_first_on(self, store: Store) -> None:
        """By when it was said, then by id; of all facts, of some, or of some messages."""
        add(store, a_fact("f1"), a_fact("f2"), a_fact("f3"))
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
        add(store, a_fact("f1"), a_fact("f2"))
        rows = [evidence_for("f1", id="x"), evidence_for("f2", id="x"), evidence_for("f2", id="y")]
        store.write(ANA, lambda tx: tx.evidence.add(rows))
        store.write(ANA, lambda tx: tx.evidence.remove([rows[0], rows[2]]))
        with store.read(ANA) as tx:
            rev = tx.owner().rev
            assert tx.evidence.all() == [rows[1]]
        store.write(ANA, lambda tx: tx.evidence.remove([rows[0]]))
        assert ask(store, lambda tx: (tx.evidence.all(), tx.owner().rev)) == ([rows[1]], rev)

    def test_versions_are_numbered_from_one(self, store: Store) -> None:
        """Fact by fact, whatever number they come with, each with the whole of the fact."""
        add(store, replace(a_full_fact("f2"), scope=ANA), a_fact("f1"))
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
        add(store, a_fact("f1"), a_fact("f2"))
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
        add(store, *(a_fact(name) for name in ("f1", "f2")))
        edges = [an_edge("f2", "f1"), an_edge("f1", "f2", relation=Relation.ENABLES), an_edge("f1", "f2")]
        store.write(ANA, lambda tx: tx.edges.put(edges))
        changed = replace(edges[0], why="", scope=in_scope("thesis"))
        store.write(ANA, lambda tx: tx.edges.put([changed]))
        assert ask(store, lambda tx: tx.edges.all()) == [edges[2], edges[1], changed]
        assert ask(store, lambda tx: tx.edges.all(), in_scope("taxes")) == [edges[2], edges[1]]

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


class WithheldConformance:
    """What was asked in talk to be forgotten, and is not erased yet."""

    def test_what_is_laid_aside_comes_back_as_it_was(self, store: Store) -> None:
        """Whatever it is; the same thing asked for twice by one message is there once."""
        fact = a_fact("f1")
        versions = (FactVersion(fact, 1, at(1), "told"),)
        rows = [
            set_aside(message=a_message(verdict=SKIPPED)),
            set_aside("f1", kind=Withheld.FACT, message=None, fact=fact, versions=versions),
            set_aside("e1", kind=Withheld.EPISODE, message=None, episode=an_episode()),
            set_aside("c1-9", kind=Withheld.PROPOSAL, subjects=("Laura",), named="Laura", shown_at=at(2)),
        ]
        store.write(ANA, lambda tx: tx.forgettings.save([set_aside(until=at(3)), *rows]))
        with store.read(ANA) as tx:
            assert tx.forgettings.all() == [rows[2], rows[1], rows[0], rows[3]]
            assert tx.forgettings.all(Withheld.FACT) == [rows[1]]
            assert tx.forgettings.of(["f1", "nobody"]) == [rows[1]]
            assert len(tx.forgettings.asked_by("c1-9")) == 4
            assert tx.forgettings.asked_by("c1-8") == []

    def test_one_thing_may_be_asked_for_by_two(self, store: Store) -> None:
        """An episode loses messages by one request, and is hidden by the next."""
        other = set_aside(asked_by="c1-8")
        store.write(ANA, lambda tx: tx.forgettings.save([set_aside(), other]))
        store.write(ANA, lambda tx: tx.forgettings.remove([set_aside()]))
        assert ask(store, lambda tx: tx.forgettings.of(["c1-1"])) == [other]


def calls_in(store: Store, scope: Scope = ANA, *, since: float = 0, until: float = 99) -> list[ModelCall]:
    """Return the calls of a span of minutes."""
    with store.read(scope) as tx:
        return tx.usages.between(at(since), at(until))


class UsageConformance:
    """What models have cost."""

    def test_calls_come_back_as_they_were(self, store: Store) -> None:
        """In their order, with everything that is known of each."""
        unpriced = a_call(1, purpose=CallPurpose.JUDGE, outcome=CallOutcome.FAILED, requests=0, micro_usd=None)
        store.write(ANA, lambda tx: tx.usages.add(["b", "a"], [a_call(2), unpriced]))
        assert calls_in(store) == [unpriced, a_call(2)]

    def test_a_span_is_half_open(self, store: Store) -> None:
        """A day ends where the next begins."""
        store.write(ANA, lambda tx: tx.usages.add(["a", "b", "c"], [a_call(1), a_call(2), a_call(3)]))
        assert calls_in(store, since=2, until=3) == [a_call(2)]

    def test_a_call_is_written_once(self, store: Store) -> None:
        """A write that is repeated costs nothing twice."""
        for minutes in (1, 2):
            store.write(ANA, lambda tx, minutes=minutes: tx.usages.add(["a"], [a_call(minutes)]))  # type: ignore[misc]
        assert calls_in(store) == [a_call(1)]

    def test_pages_follow_the_ids(self, store: Store) -> None:
        """So that an export can walk through years of calls."""
        store.write(ANA, lambda tx: tx.usages.add(["b", "c", "a"], [a_call(1), a_call(2), a_call(3)]))
        with store.read(ANA) as tx:
            assert tx.usages.page(after="", limit=2) == [Charge("a", a_call(3)), Charge("b", a_call(1))]
            assert tx.usages.page(after="b", limit=2) == [Charge("c", a_call(2))]
            assert tx.usages.page(after="c", limit=2) == []

    def test_withdrawn_calls_were_never_made(self, store: Store) -> None:
        """An import that failed leaves no bill behind, and nobody else's bill changes."""
        stranger = Scope("ben")
        for scope in (ANA, stranger):
            store.write(scope, fill_beside)
        store.write(ANA, lambda tx: tx.withdraw(usages=["u1", "gone"]))
        assert (calls_in(store), calls_in(store, stranger)) == ([a_call(2)], [a_call(1), a_call(2)])


def audit_of(store: Store, scope: Scope = ANA) -> list[AuditEntry]:
    """Return the whole audit of an owner."""
    with store.read(scope) as tx:
        return tx.audit.page(limit=999)


class AccessConformance:
    """Who may come in, and what they did."""

    def test_a_key_comes_back_as_it_was(self, store: Store) -> None:
        """With everything that is known of it, before and after a change; one that is not there is None."""
        used = a_key(expires_at=None, revoked_at=at(3), last_used=at(2).date())
        for key in (a_key(), used):
            store.write(ANA, lambda tx, key=key: tx.keys.save(key))  # type: ignore[misc]
            assert ask(store, lambda tx: tx.keys.get("k1")) == key
        assert ask(store, lambda tx: tx.keys.get("k2")) is None

    def test_keys_come_oldest_first(self, store: Store) -> None:
        """In the order in which they were made."""
        keys = [a_key("b"), a_key("c", created_at=at(1)), a_key("a", created_at=at(2))]
        for key in reversed(keys):
            store.write(ANA, lambda tx, key=key: tx.keys.save(key))  # type: ignore[misc]
        assert ask(store, lambda tx: tx.keys.all()) == keys

    def test_deeds_make_a_chain(self, store: Store) -> None:
        """Each row follows from the one before, in the order in which they were written."""
        for verb in ("observe", "forget", "erase"):
            store.write(ANA, lambda tx, verb=verb: tx.audit.append(an_audit_draft(verb)))  # type: ignore[misc]
        rows = audit_of(store)
        assert [(row.seq, row.verb) for row in rows] == [(1, "observe"), (2, "forget"), (3, "erase")]
        assert (rows[0].count, rows[0].ids, rows[0].at) == (2, ("m1", "m2"), at(0))
        assert verify(rows).broken_at is None

    def test_deeds_of_many_threads_make_one_chain(self, store: Store) -> None:
        """No two rows follow the same one."""
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: store.write(ANA, lambda tx: tx.audit.append(an_audit_draft())), range(40)))
        found = verify(audit_of(store))
        assert (found.rows, found.broken_at) == (40, None)

    def test_the_audit_is_read_in_pages(self, store: Store) -> None:
        """From any row on."""
        store.write(ANA, lambda tx: [tx.audit.append(an_audit_draft(str(number))) for number in range(5)])
        with store.read(ANA) as tx:
            assert [row.verb for row in tx.audit.page(after=1, limit=2)] == ["1", "2"]
            assert [row.verb for row in tx.audit.page(after=3, limit=9)] == ["3", "4"]


class BeliefConformance(
    FactConformance,
    EvidenceConformance,
    RulingConformance,
    WithheldConformance,
    UsageConformance,
    AccessConformance,
):
    """All of it; the subclass gives the fixture ``store``."""
