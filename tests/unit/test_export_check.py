"""Exports whose lines are sound and whose rows do not belong together, and what contradicts what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.exports import BEN, contents_of, export_bytes, fill, forge, repack
from tests.rows import ANA, SKIPPED, a_vector
from yesteryear.core.episode import EpisodeStatus
from yesteryear.core.fact import FactStatus
from yesteryear.core.scope import Scope
from yesteryear.errors import BadExport, Conflict, EmbeddingMismatch, InputError
from yesteryear.ports import Store, Transaction
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.testing.builders import NOON
from yesteryear.transfer.copy import digest_dump
from yesteryear.transfer.import_export import Imported, import_export
from yesteryear.transfer.reader import StoreReader

Rows = dict[str, list[Any]]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return an export with every kind of row."""
    with closing(InMemoryStore()) as store:
        fill(store)
        return export_bytes(store, ANA, tmp_path_factory.mktemp("packed"))


@pytest.fixture
def export(packed: bytes, tmp_path: Path) -> Path:
    """Return a file of it, for a test to change."""
    path = tmp_path / "memory.zip"
    path.write_bytes(packed)
    return path


@pytest.fixture
def store() -> Iterator[Store]:
    """Return an empty store."""
    with closing(InMemoryStore()) as made:
        yield made


@pytest.fixture(scope="module")
def full(packed: bytes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return a store that has taken it in; what is refused changes nothing of it."""
    path = tmp_path_factory.mktemp("full") / "memory.zip"
    path.write_bytes(packed)
    with closing(InMemoryStore()) as made:
        take_in(path, made)
        yield made


def take_in(path: Path, store: Store, scope: Scope = BEN) -> Imported:
    """Import into a store."""
    return import_export(store, scope, path, now=NOON)


def digest(store: Store) -> str:
    """Return what tells Ben's rows from any others."""
    with store.read(BEN) as tx:
        return digest_dump(StoreReader(tx))


def row_of(rows: Rows, kind: str, row_id: str) -> dict[str, Any]:
    """Return one row of an export."""
    found: dict[str, Any] = next(row for row in rows[kind] if row["id"] == row_id)
    return found


def changing(kind: str, row_id: str, **changes: Any) -> Callable[[Rows], None]:
    """Return a change of one row."""
    return lambda rows: row_of(rows, kind, row_id).update(changes)


def changing_first(kind: str, **changes: Any) -> Callable[[Rows], None]:
    """Return a change of the first row of a kind."""
    return lambda rows: rows[kind][0].update(changes)


def test_what_was_forged_well_is_taken_in(export: Path, store: Store) -> None:
    """The tests below must fail for what they change, and for nothing else."""
    forge(export, changing("messages", "kitchen-1", content="I said something else"))
    assert take_in(export, store).added["messages"] == 14


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changing("messages", "kitchen-1", episode_id="e99"), "names the episode 'e99', which is not there"),
        (changing("messages", "kitchen-2", id="kitchen-1"), "'kitchen-1' is there twice"),
        (changing("messages", "kitchen-2", seq=1), "out of its order"),
        (changing("messages", "kitchen-2", external_id="mine-1"), "'kitchen-2' is there twice"),
        (changing("messages", "kitchen-11", seq=12), "beyond the end of its conversation"),
        (changing("messages", "kitchen-11", conversation="nowhere"), "or has none"),
        (changing("messages", "kitchen-11", project="nowhere"), "or has none"),
        (changing("episodes", "e1", message_ids=["kitchen-1", "kitchen-99"]), "'kitchen-99', which is not in its"),
        (changing("episodes", "e1", message_ids=["kitchen-1", "m-thesis-None"]), "which is not in its conversation"),
        (changing("episodes", "e1", first_seq=4), "beyond the end of its conversation"),
        (changing("episodes", "e4", last_seq=12), "beyond the end of its conversation"),
        (changing("episodes", "e2", id="e1"), "'e1' is there twice"),
        (changing("episodes", "e2", id="kitchen-1"), "'kitchen-1' is there twice"),
        (changing("episodes", "e4", started_at="2026-03-02T23:00:00+00:00"), "ends before it begins"),
        (changing("recalls", "r2", id="r1"), "out of its order"),
        (changing("recalls", "r2", id="r0"), "out of its order"),
        (changing_first("conversations", settled_seq=12), "worked through beyond its end"),
        (changing_first("conversations", closed_seq=12), "worked through beyond its end"),
        (changing_first("conversations", last_seq=10), "beyond the end of its conversation"),
        (changing_first("conversations", name="other"), "or has none"),
        (changing_first("vectors", ref="kitchen-99"), "stands for 'kitchen-99', which is not there"),
        (changing_first("vectors", grain="episode"), "stands for 'kitchen-1', which is not there"),
        (changing_first("vectors", vector="AAAAAA=="), "of different lengths"),
        (changing("facts", "f-2", id="f-1"), "'f-1' is there twice"),
        (changing("facts", "f-2", id="kitchen-1"), "'kitchen-1' is there twice"),
        (changing("facts", "f-2", id="e1"), "'e1' is there twice"),
        (changing("facts", "f-2", first_observed="2026-03-02T23:00:00+00:00"), "out of its order"),
        (changing("facts", "f-2", canonical_id="f-1"), "'f-2' is merged, and others are merged into it"),
        (changing("facts", "f-3", canonical_id="f-3"), "'f-3' is merged, and others are merged into it"),
        (changing("facts", "f-6", confidence=0.5), "'f-6' is forgotten, and something is told of it"),
        (changing_first("versions", number=2), "version 2 of fact 'f-1' comes without the one before it"),
        (lambda rows: rows["versions"][0]["fact"].update(id="f-9"), "about the fact 'f-9', which is not there"),
        (lambda rows: rows["versions"].reverse(), "out of its order"),
        (changing_first("evidence", fact_id="f-6"), "about the fact 'f-6', which is not there"),
        (changing_first("evidence", fact_id="f-5"), "out of its order"),
        (changing_first("rulings", later="f-9"), "about the fact 'f-9', which is not there"),
        (lambda rows: rows["rulings"].append(rows["rulings"][-1]), "there twice"),
        (changing_first("edges", source="f-9"), "about the fact 'f-9', which is not there"),
        (lambda rows: rows["edges"].reverse(), "out of its order"),
        (lambda rows: rows["cycles"].reverse(), "out of its order"),
        (lambda rows: rows["vectors"][-1].update(ref="f-6"), "stands for 'f-6', which is not there"),
        (lambda rows: rows["vectors"].reverse(), "out of its order"),
        (lambda rows: rows["settings"].reverse(), "out of its order"),
        (lambda rows: rows["settings"].append(rows["settings"][-1]), "there twice"),
        (lambda rows: rows["messages"].append(rows["messages"][-1]), "there twice"),
        (lambda rows: rows["messages"].insert(3, "{}"), r"messages\.jsonl, line 4: project is missing"),
    ],
)
def test_rows_that_do_not_belong_together_are_refused(
    export: Path, change: Callable[[Rows], None], said: str, store: Store
) -> None:
    """Before anything is written; the message says which row it is."""
    forge(export, change)
    with pytest.raises(BadExport, match=said):
        take_in(export, store)
    assert store.owners() == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changing("messages", "kitchen-1", content="another text"), "message 1 of conversation 'kitchen'"),
        (changing("messages", "kitchen-10", author="Ben"), "message 10 of conversation 'kitchen'"),
        (changing("messages", "kitchen-10", external_id="other"), "message 10 of conversation 'kitchen'"),
        (changing("messages", "kitchen-10", id="another"), "message 10 of conversation 'kitchen'"),
        (changing("messages", "kitchen-10", at="2027-01-01T00:00:00+00:00"), "message 10 of conversation 'kitchen'"),
        (changing("episodes", "e4", first_seq=7), "messages 7 to 8 of conversation 'kitchen'"),
        (lambda rows: row_of(rows, "episodes", "e1")["digest"].update(topic="Kayaks"), "messages 1 to 3 of"),
        (changing("recalls", "r2", items=["e2"]), "recall event 'r2'"),
        (changing("facts", "f-1", statement="Ana has a dog."), "fact 'f-1' is there with other content"),
        (lambda rows: row_of(rows, "facts", "f-1").update(kind="belief"), "fact 'f-1' is there with other content"),
        (lambda rows: row_of(rows, "facts", "f-6").update(kind="belief"), "fact 'f-6' is there with other content"),
        (changing_first("conversations", settled_seq=11), "conversation 'kitchen' is there in an older state"),
    ],
)
def test_what_contradicts_what_is_there_is_refused(
    export: Path, change: Callable[[Rows], None], said: str, full: Store
) -> None:
    """Nothing is written then, not even what does not contradict."""
    before = digest(full)
    forge(export, change)
    with pytest.raises(Conflict, match=said):
        take_in(export, full)
    assert digest(full) == before


def test_an_episode_that_was_cut_otherwise_is_refused(export: Path, store: Store) -> None:
    """The same messages cannot be remembered twice."""
    take_in(export, store)

    def rename(rows: Rows) -> None:
        row_of(rows, "episodes", "e4").update(id="e5")
        row_of(rows, "messages", "kitchen-8").update(episode_id="e5")

    forge(export, rename)
    with pytest.raises(Conflict, match="messages 8 to 8 of conversation 'kitchen' were remembered otherwise"):
        take_in(export, store)


def test_what_has_moved_on_here_is_the_same_and_stays(export: Path, store: Store) -> None:
    """Words let go, verdicts given, an episode forgotten: importing again neither fails nor brings back."""
    take_in(export, store)

    def move_on(tx: Transaction) -> None:
        first, tenth = tx.messages.get(["kitchen-1", "kitchen-10"])
        tx.messages.update([replace(first, content=""), replace(tenth, verdict=SKIPPED)])
        failed, kept = tx.episodes.get(["e4", "e1"])
        tx.episodes.update(failed.moved_to(EpisodeStatus.PENDING), expecting=EpisodeStatus.FAILED)
        gone = kept.moved_to(EpisodeStatus.FORGOTTEN, digest=None, message_ids=())
        tx.episodes.update(gone, expecting=EpisodeStatus.ACTIVE)
        tx.vectors.forget(["kitchen-1", "e1"])
        tx.recalls.settle(["r1"])
        tx.facts.update([replace(tx.facts.get(["f-5"])[0], confidence=0.75, status=FactStatus.STABLE)])
        tx.facts.forget(["f-1", "f-3"])

    store.write(BEN, move_on)
    before = digest(store)
    assert take_in(export, store).added == {}
    assert digest(store) == before
    with store.read(BEN) as tx:
        assert {row.ref for row in tx.vectors.load("m")} == {"f-5"}


def test_ids_are_each_persons_own(export: Path, store: Store) -> None:
    """The same ids in another's memory are other rows."""
    fill(store)
    store.write(ANA, lambda tx: tx.messages.update([replace(tx.messages.get(["kitchen-1"])[0], content="hers")]))
    assert take_in(export, store).known == {}
    with store.read(BEN) as tx:
        assert tx.messages.get(["kitchen-1"])[0].content == "I said 1"
    with store.read(ANA) as tx:
        assert tx.messages.get(["kitchen-1"])[0].content == "hers"


def test_ids_of_another_project_of_the_person_are_not_free(export: Path, store: Store) -> None:
    """An import into a project is refused where the same rows are in another one, though it does not see them."""
    fill(store)
    forge(export, lambda rows: _keep_only(rows, project="thesis", agent=None))
    with pytest.raises(Conflict, match="is there with other content"):
        take_in(export, store, Scope(user="ana", project="taxes"))


def test_vectors_of_another_length_are_refused(export: Path, store: Store) -> None:
    """The same name for another model would spoil recall."""
    fill(store, BEN)

    def shorten(tx: Transaction) -> None:
        for model in ("m", "n"):
            tx.vectors.drop(model)
        tx.vectors.put("m", [a_vector("kitchen-1", 1, 2)])

    store.write(BEN, shorten)
    with pytest.raises(EmbeddingMismatch, match="vectors of 'm' have 3 values, those here have 2"):
        take_in(export, store)


def test_several_projects_do_not_go_into_one(export: Path, store: Store) -> None:
    """They would be mixed up for good; the message says what to do instead."""
    with pytest.raises(InputError, match="conversations of the same name with and without"):
        take_in(export, store, Scope(user="ben", project="thesis"))
    contents = contents_of(export)
    contents["recalls.jsonl"] = contents["recalls.jsonl"].replace(b'"project":"thesis"', b'"project":"taxes"')
    repack(export, contents)
    with pytest.raises(InputError, match=r"several projects \(taxes, thesis\).*a memory that names no project"):
        take_in(export, store, Scope(user="ben", project="thesis"))


def test_one_project_goes_into_another(export: Path, tmp_path: Path, store: Store) -> None:
    """Every row is of the new project then, and from there it goes whole into the same project of somebody else."""
    forge(export, lambda rows: _keep_only(rows, project="thesis", agent=None))
    taxes = Scope(user="ben", project="taxes")
    notes = take_in(export, store, taxes).notes
    assert notes == ()
    with store.read(BEN) as tx:
        assert {row.key.project for row in tx.conversations.list()} == {"taxes"}
        assert tx.overrides.all() == {"taxes": {"episode_message_threshold": 5}}
        assert [event.key.project for event in tx.recalls.page()] == ["taxes"]
        assert [(fact.id, fact.scope) for fact in tx.facts.all()] == [("f-4", taxes)]
    packed = export_bytes(store, taxes, tmp_path)
    export.write_bytes(packed)
    take_in(export, store, Scope(user="eve", project="taxes"))
    assert export_bytes(store, Scope(user="eve", project="taxes"), tmp_path) == packed


def test_settings_of_the_person_do_not_become_a_projects(export: Path, store: Store) -> None:
    """A memory of a project configures that project; what was set for the person is left aside, and said."""

    def keep_settings(rows: Rows) -> None:
        _keep_only(rows, project="thesis", agent=None)
        rows["settings"].insert(0, {"project": None, "values": {"keep_verbatim": False}})

    forge(export, keep_settings)
    imported = take_in(export, store, Scope(user="ben", project="thesis"))
    assert imported.notes == ("settings of the person were left out, for they are no project's: keep_verbatim",)
    with store.read(BEN) as tx:
        assert tx.overrides.all() == {"thesis": {"episode_message_threshold": 5}}


def _keep_only(rows: Rows, *, project: str | None, agent: str | None) -> None:
    """Leave out what belongs to others."""
    for kind in ("conversations", "messages", "episodes", "facts"):
        rows[kind] = [row for row in rows[kind] if (row["project"], row["agent"]) == (project, agent)]
    rows["recalls"] = [row for row in rows["recalls"] if row["project"] == project]
    rows["settings"] = [row for row in rows["settings"] if row["project"] == project]
    rows["vectors"] = []
    for kind in ("versions", "evidence", "rulings", "edges", "cycles"):
        rows[kind] = []
