"""A store is copied into another one, row by row, and compared."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import ROLE, administer
from tests.exports import (
    BEN,
    EVE,
    WatchedStore,
    export_bytes,
    fill,
    fill_long,
    full_at,
    opened,
    rows_in,
    take_in,
)
from tests.rows import ANA, at
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Conversation
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.errors import Conflict, StorageUnavailable
from yesteryear.ports import Transaction
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.testing.builders import a_message
from yesteryear.transfer.copy import Copied, copy_store
from yesteryear.transfer.export import export_memory

pytestmark = pytest.mark.sampled


@pytest.fixture(params=["sqlite", "postgres"])
def goal(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a copy goes: a new file or a new database."""
    if request.param == "sqlite":
        return tmp_path / "copy.db"
    server, name = request.getfixturevalue("postgres_server"), request.getfixturevalue("new_database")
    administer(server, "CREATE EXTENSION vector", database=name)
    url: str = server.url(name, role=ROLE)
    return url


def test_a_store_is_copied_whole(place: Path | str, goal: Path | str, tmp_path: Path) -> None:
    """All people, all rows; and copying again finds that all is there."""
    people = [ANA, BEN, Scope(user="ana", tenant="acme")]
    with opened(place) as source, opened(goal) as target:
        for scope in people:
            fill(source, scope)
        source.write(EVE, lambda tx: tx.save_owner(replace(tx.owner(), generation=3, model="m", night_at=at(9))))
        told: list[tuple[int, int]] = []
        copied = copy_store(source, target, on_progress=lambda done, total: told.append((done, total)))
        assert copied == Copied(
            people=copied.people,
            owners=4,
            rows={
                "settings": 6,
                "conversations": 15,
                "messages": 42,
                "episodes": 21,
                "vectors": 27,
                "recalls": 6,
                "facts": 18,
                "versions": 12,
                "evidence": 12,
                "rulings": 9,
                "edges": 9,
                "cycles": 6,
                "usages": 6,
            },
        )
        assert told == [(done, 4) for done in range(5)]
        assert target.owners() == source.owners()
        for scope in people:
            assert export_bytes(target, scope, tmp_path) == export_bytes(source, scope, tmp_path)
        with target.read(EVE) as tx:
            assert (tx.owner().generation, tx.owner().night_at) == (3, at(9))
        assert copy_store(source, target) == Copied(owners=4, people=copied.people)


def test_one_person_is_copied_alone(place: Path | str, goal: Path | str, tmp_path: Path) -> None:
    """As to another server; whoever else is there stays as they are, and the same hash names the same rows."""
    with opened(place) as source, opened(goal) as target:
        fill(source, ANA)
        fill(source, BEN)
        fill(target, EVE)
        before = export_bytes(target, EVE, tmp_path)
        [moved] = copy_store(source, target, only=[BEN.owner]).people
        assert target.owners() == [BEN.owner, EVE.owner]
        assert export_bytes(target, EVE, tmp_path) == before
        assert export_bytes(target, BEN, tmp_path) == export_bytes(source, BEN, tmp_path)
        assert [person.user for person in copy_store(source, target).people] == ["ana", "ben"]
        source.write(BEN, lambda tx: tx.overrides.save(None, {"keep_verbatim": False}))
        with pytest.raises(Conflict, match="'ben'"):
            copy_store(source, target, only=[BEN.owner])
        assert copy_store(source, target, only=[ANA.owner]).people[0].hash == moved.hash  # it names nobody


def test_who_was_erased_before_keeps_the_receipt(place: Path | str, goal: Path | str) -> None:
    """And the generation, under which work of before is not written."""
    with opened(place) as source, opened(goal) as target:
        fill(source)
        source.write(ANA, lambda tx: tx.erase())
        fill(source)
        copy_store(source, target)
        with source.read(ANA) as ours, target.read(ANA) as theirs:
            assert theirs.erasure() == ours.erasure() is not None
            assert theirs.owner().generation == ours.owner().generation == 1


def test_a_copy_that_broke_off_goes_on(place: Path | str, tmp_path: Path) -> None:
    """After any write; nothing is doubled."""
    with opened(place) as source:
        fill_long(source, ANA, 2)
        fill(source, BEN)
        for number in range(1, 14, 3):
            with opened(tmp_path / f"copy-{number}.db") as target:
                with pytest.raises(StorageUnavailable):
                    copy_store(source, WatchedStore(target, before=full_at(number)))  # type: ignore[arg-type]
                copy_store(source, target)
                for scope in (ANA, BEN):
                    assert export_bytes(target, scope, tmp_path) == export_bytes(source, scope, tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        lambda tx: tx.messages.update([replace(tx.messages.get(["kitchen-9"])[0], vector_due_at=None)]),
        lambda tx: tx.messages.update([replace(tx.messages.get(["kitchen-1"])[0], content="something else")]),
        lambda tx: tx.vectors.forget(["kitchen-1"]),
        lambda tx: tx.overrides.save(None, {"keep_verbatim": False}),
        lambda tx: tx.save_owner(replace(tx.owner(), model="other")),
        lambda tx: tx.messages.insert(a_message(seq=1, conversation="more")),
        lambda tx: tx.recalls.append(RecallEvent("r3", ConversationKey(None, None, "x"), at(0), (), ())),
    ],
)
def test_a_target_with_other_rows_is_refused(tmp_path: Path, change: Callable[[Transaction], None]) -> None:
    """A copy is compared to its last bit; whose rows differ is said."""
    with opened(":memory:") as source, opened(":memory:") as target:
        fill(source)
        copy_store(source, target)
        target.write(ANA, change)
        target.write(
            ANA, lambda tx: tx.conversations.save(Conversation(ConversationKey(None, None, "more"), last_seq=1))
        )
        with pytest.raises(Conflict):
            copy_store(source, target)


@pytest.mark.exhaustive
@pytest.mark.heavy
@pytest.mark.parametrize("what", ["export", "import", "copy"])
def test_a_long_life_takes_hardly_more_memory_than_a_short_one(tmp_path: Path, what: str) -> None:
    """Of 15,000 messages with vectors only ids are held, beside what 3,000 take."""
    short, long = (_peak_bytes(tmp_path, what, conversations) for conversations in (100, 500))
    assert long - short < 8_000_000


def _peak_bytes(folder: Path, what: str, conversations: int) -> int:
    """Return the most memory that was in use during one of the ways of taking 30 times so many messages along."""
    place, path, copy = (
        folder / f"{conversations}.db",
        folder / f"{conversations}.zip",
        folder / f"{conversations}.copy",
    )
    with closing(SQLiteStore(place)) as store, closing(SQLiteStore(copy)) as other:
        fill_long(store, ANA, conversations, dimension=384)
        export_memory(store, ANA, path)
        tracemalloc.start()
        if what == "export":
            export_memory(store, ANA, path, overwrite=True)
        elif what == "import":
            take_in(other, path)
        else:
            copy_store(store, other)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(rows_in(path, "messages")) == conversations * 30
        if what == "import":
            assert export_bytes(other, BEN, folder) == path.read_bytes()
    return peak
