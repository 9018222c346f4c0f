"""Rows that are taken out again, as if they had never been there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exports import BEN, export_bytes, fill, opened
from tests.rows import ANA
from yesteryear.core.rows.queries import MessageQuery
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.ports import Transaction
from yesteryear.recall.index import OwnerIndex
from yesteryear.recall.index_cache import refresh


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the rows are."""
    return tmp_path / "memory.db"


def test_rows_go_with_their_vectors(place: Path) -> None:
    """By id; unknown ones do no harm."""
    with opened(place) as store:
        fill(store)
        kitchen = ConversationKey("thesis", "tutor", "kitchen")

        def work(tx: Transaction) -> None:
            tx.withdraw(messages=["kitchen-1", "nobody"], episodes=["e1"], conversations=[kitchen], recalls=["r2"])
            tx.withdraw(facts=["f-1", "f-5"])

        store.write(ANA, work)
        with store.read(ANA) as tx:
            assert tx.messages.get(["kitchen-1"]) == []
            assert len(tx.messages.page(MessageQuery())) == 13
            assert tx.episodes.get(["e1"]) == []
            assert tx.conversations.get(kitchen) is None
            assert len(tx.conversations.list()) == 4
            assert [event.id for event in tx.recalls.page()] == ["r1"]
            assert tx.vectors.models() == {}
            assert [fact.id for fact in tx.facts.all()] == ["f-2", "f-3", "f-4"]
            assert {row.fact_id for row in tx.evidence.all()} == {"f-2", "f-3"}


def test_nobody_elses_rows_go(place: Path, tmp_path: Path) -> None:
    """The same ids of another person are other rows."""
    with opened(place) as store:
        fill(store)
        fill(store, BEN)
        before = export_bytes(store, BEN, tmp_path)
        store.write(ANA, lambda tx: tx.withdraw(messages=["kitchen-1"], episodes=["e1"], recalls=["r1"]))
        assert export_bytes(store, BEN, tmp_path) == before


def test_what_a_scope_does_not_see_stays(place: Path, tmp_path: Path) -> None:
    """As in everything else that is asked through a scope."""
    with opened(place) as store:
        fill(store)
        before = export_bytes(store, ANA, tmp_path)
        taxes = Scope(user="ana", project="taxes")
        hidden = ConversationKey("thesis", None, "kitchen")
        store.write(taxes, lambda tx: tx.withdraw(messages=["m-thesis-None"], conversations=[hidden], recalls=["r1"]))
        store.write(taxes, lambda tx: tx.withdraw(episodes=["e-thesis-None"], facts=["f-4"]))
        assert export_bytes(store, ANA, tmp_path) == before


def test_indexes_begin_anew(place: Path) -> None:
    """A row that is gone leaves no change to be seen, so the generation tells it."""
    with opened(place) as store:
        fill(store)
        index = OwnerIndex()
        with store.read(ANA) as tx:
            refresh(index, tx)
        assert any(unit.text == "I said 1" for unit in index.units)
        store.write(ANA, lambda tx: tx.withdraw(messages=["kitchen-1"]))
        with store.read(ANA) as tx:
            refresh(index, tx)
        assert index.units
        assert not any(unit.text == "I said 1" for unit in index.units)
