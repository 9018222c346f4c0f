"""What is believed goes into an export and comes back, whole or not at all, into this memory or another's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.belief_rows import a_fact, a_full_fact, a_night, a_ruling, a_version, an_edge, evidence_for
from tests.exports import BEN, EVE, WatchedStore, contents_of, export_bytes, fill, full_at, opened, repack, take_in
from tests.rows import ANA, at
from yesteryear.core.fact import Fact, FactStatus
from yesteryear.core.scope import Scope
from yesteryear.core.time import EPOCH
from yesteryear.errors import BadExport, StorageUnavailable
from yesteryear.ports import Store
from yesteryear.testing.builders import NOON
from yesteryear.transfer.export import export_memory
from yesteryear.transfer.kinds import BELIEFS, USAGES

MANY = 10_000


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """An export with every kind of row."""
    with opened(":memory:") as store:
        fill(store)
        export_memory(store, ANA, tmp_path / "memory.zip")
    return tmp_path / "memory.zip"


def facts_of(store: Store, scope: Scope = BEN) -> dict[str, Fact]:
    """Return what somebody's memory believes."""
    with store.read(scope) as tx:
        return {fact.id: fact for fact in tx.facts.all()}


def test_an_export_from_before_there_were_facts_is_taken_in(export: Path, place: Path | str) -> None:
    """It has no files of them; one that says so and has them nevertheless, or the other way round, is refused."""
    contents = contents_of(export)
    manifest = {"manifest.json": contents["manifest.json"]}
    beliefs = {kind.file: contents.pop(kind.file) for kind in (*BELIEFS, USAGES)}
    talk = [line for line in contents["vectors.jsonl"].splitlines(keepends=True) if b'"fact"' not in line]
    contents["vectors.jsonl"] = b"".join(talk)
    old = _manifest(contents | manifest, version=1)
    repack(export, old.copy(), version=1)
    with opened(place) as store:
        assert take_in(store, export).added["messages"] == 14
        assert facts_of(store) == {}
        assert take_in(store, export).added == {}
        repack(export, {**old, "facts.jsonl": beliefs["facts.jsonl"]}, version=1)
        with pytest.raises(BadExport, match=r"unknown field 'facts\.jsonl'|which its version of the format"):
            take_in(store, export, EVE)
        repack(export, old.copy(), version=2)
        with pytest.raises(BadExport, match=r"facts\.jsonl is missing"):
            take_in(store, export, EVE)


def test_an_export_from_before_models_were_paid_is_taken_in(export: Path, place: Path | str) -> None:
    """With everything but the bill, and a second time nothing is new."""
    contents = contents_of(export)
    contents.pop(USAGES.file)
    repack(export, _manifest(contents, version=2), version=2)
    with opened(place) as store:
        added = take_in(store, export).added
        assert (added["cycles"], added["facts"], "usages" in added) == (2, 6, False)
        assert take_in(store, export).added == {}


def _manifest(contents: dict[str, bytes], *, version: int) -> dict[str, bytes]:
    """Return contents whose manifest tells of nothing but them."""
    told = json.loads(contents["manifest.json"])
    told["files"] = {name: entry for name, entry in told["files"].items() if name in contents}
    return {**contents, "manifest.json": json.dumps({**told, "version": version}).encode()}


@pytest.mark.heavy
def test_ten_thousand_facts_come_at_once(tmp_path: Path) -> None:
    """Each with its evidence, into a file, in transactions beside which others work; and as they were."""
    names = [f"f-{number:05}" for number in range(MANY)]
    facts = [a_fact(name, f"Ana owns book {name}.", minutes=number) for number, name in enumerate(names)]
    with opened(":memory:") as store, opened(tmp_path / "memory.db") as other:
        store.write(ANA, lambda tx: tx.facts.insert(facts))
        store.write(ANA, lambda tx: tx.evidence.add([evidence_for(name, None) for name in names]))
        export_memory(store, ANA, tmp_path / "memory.zip")
        watched = WatchedStore(other)
        assert take_in(watched, tmp_path / "memory.zip").added == {"facts": MANY, "evidence": MANY}
        assert watched.writes > MANY / 64
        assert export_bytes(other, BEN, tmp_path) == (tmp_path / "memory.zip").read_bytes()


def test_facts_that_come_to_others_are_compared_with_them(export: Path, place: Path | str) -> None:
    """They are due; where nothing else is believed they are as they were."""
    with opened(place) as store:
        take_in(store, export)
        assert {fact.due_at for name, fact in facts_of(store).items() if name != "f-5"} == {at(6), None}
        store.write(EVE, lambda tx: tx.facts.insert([a_fact("mine", scope=EVE)]))
        take_in(store, export, EVE)
        assert {fact.due_at for name, fact in facts_of(store, EVE).items() if name != "mine"} == {NOON}
        before = facts_of(store, EVE)
        assert take_in(store, export, EVE).added == {}
        assert facts_of(store, EVE) == before


def test_facts_get_vectors_of_the_model_that_serves_here(export: Path, place: Path | str) -> None:
    """Where those they come with are of another one, they are due; what was forgotten is due for nothing."""
    with opened(place) as store:
        store.write(BEN, lambda tx: tx.save_owner(replace(tx.owner(), model="other")))
        take_in(store, export)
        assert {fact.due_at for fact in facts_of(store).values()} == {NOON}
        with store.read(BEN) as tx:
            assert tx.vectors.models() == {}
            assert [fact.id for fact in tx.facts.all([FactStatus.FORGOTTEN])] == ["f-6"]


def test_what_was_forgotten_here_does_not_come_back(export: Path, place: Path | str) -> None:
    """Neither the fact nor anything that ties others to it; others that were withdrawn do."""
    with opened(place) as store:
        take_in(store, export)
        store.write(BEN, lambda tx: tx.facts.forget(["f-1"]))
        store.write(BEN, lambda tx: tx.withdraw(facts=["f-5", "f-3"]))
        added = take_in(store, export).added
        assert {kind: added[kind] for kind in ("facts", "versions", "evidence", "rulings", "edges")} == {
            "facts": 2,
            "versions": 2,
            "evidence": 1,
            "rulings": 1,
            "edges": 1,
        }
        assert "f-1" not in facts_of(store)
        with store.read(BEN) as tx:
            assert all("f-1" not in ruling.pair for ruling in tx.rulings.all())
            assert [(edge.source, edge.target) for edge in tx.edges.all()] == [("f-3", "f-2")]


def test_a_full_disk_leaves_no_fact_of_an_import(place: Path | str, tmp_path: Path) -> None:
    """Whichever write fails, what was believed before is all that is left."""
    with opened(place) as store:
        facts = [a_fact(f"f{number:02}", minutes=number) for number in range(40)]
        store.write(ANA, lambda tx: tx.facts.insert([*facts, a_full_fact("project")]))
        store.write(ANA, lambda tx: tx.versions.add([a_version(fact) for fact in facts]))
        store.write(ANA, lambda tx: tx.evidence.add([evidence_for(fact.id, None) for fact in facts]))
        store.write(ANA, lambda tx: tx.rulings.save([a_ruling("f00", fact.id) for fact in facts[1:]]))
        store.write(ANA, lambda tx: tx.edges.put([an_edge("f39", fact.id) for fact in facts[:9]]))
        store.write(ANA, lambda tx: tx.cycles.save(a_night()))
        export_memory(store, ANA, tmp_path / "memory.zip")
        store.write(BEN, lambda tx: tx.facts.insert([a_fact("mine", scope=BEN)]))
        before = export_bytes(store, BEN, tmp_path)
        counting = WatchedStore(store)
        take_in(counting, tmp_path / "memory.zip", EVE)
        assert counting.writes > 3
        for number in range(1, counting.writes + 1):
            with pytest.raises(StorageUnavailable, match="the disk is full"):
                take_in(WatchedStore(store, before=full_at(number)), tmp_path / "memory.zip")
            assert export_bytes(store, BEN, tmp_path) == before
        take_in(store, tmp_path / "memory.zip")
        assert len(facts_of(store)) == 42


def test_an_export_of_a_project_holds_what_it_believes(place: Path | str, tmp_path: Path) -> None:
    """The general facts and its own, what ties those together, and no night, which tells of all of them."""
    with opened(place) as store:
        fill(store)
        for project, own in (("thesis", {"f-4"}), ("taxes", set[str]())):
            path = tmp_path / f"{project}.zip"
            export_memory(store, Scope(user="ana", project=project), path)
            take_in(store, path, Scope(user=project))
            assert facts_of(store, Scope(user=project)).keys() == {"f-1", "f-2", "f-3", "f-5"} | own
            with store.read(Scope(user=project)) as tx:
                assert len(tx.rulings.all()) == 2 + len(own)
                assert tx.cycles.latest(limit=9) == []


def test_what_a_project_takes_in_is_its_own(tmp_path: Path, place: Path | str) -> None:
    """Facts, what is known of them before, what they are to each other; other projects do not see it."""
    thesis, taxes = (Scope(user="ben", project=project) for project in ("thesis", "taxes"))
    with opened(place) as store:
        facts = [a_fact("f1"), a_fact("f2", minutes=1)]
        store.write(ANA, lambda tx: tx.facts.insert(facts))
        store.write(ANA, lambda tx: tx.versions.add([a_version(fact) for fact in facts]))
        store.write(ANA, lambda tx: tx.evidence.add([evidence_for("f1")]))
        store.write(ANA, lambda tx: tx.rulings.save([a_ruling()]))
        store.write(ANA, lambda tx: tx.edges.put([an_edge()]))
        store.write(ANA, lambda tx: tx.cycles.save(a_night()))
        export_memory(store, ANA, tmp_path / "memory.zip")
        take_in(store, tmp_path / "memory.zip", thesis)
        with store.read(thesis) as tx:
            scopes = [fact.scope for fact in [*tx.facts.all(), *(version.fact for version in tx.versions.since(EPOCH))]]
            scopes += [ruling.scope for ruling in tx.rulings.all()] + [edge.scope for edge in tx.edges.all()]
            assert scopes == [thesis] * 6
            assert len(tx.evidence.all()) == 1
            assert tx.cycles.latest(limit=9) == []
        with store.read(taxes) as tx:
            assert not [*tx.facts.all(), *tx.versions.since(EPOCH), *tx.evidence.all()]
            assert not [*tx.rulings.all(), *tx.edges.all()]
