"""The indexes one process holds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from yesteryear.core.message import Message
from yesteryear.core.owner import OwnerState
from yesteryear.core.scope import Scope
from yesteryear.core.vectors import StoredVector
from yesteryear.ports import Transaction
from yesteryear.recall.index import OwnerIndex
from yesteryear.recall.shelf import IndexShelf
from yesteryear.storage.inmemory import InMemoryStore
from yesteryear.testing.builders import a_message
from yesteryear.testing.rows import ANA, a_vector, add, in_scope


@pytest.fixture
def store() -> Iterator[InMemoryStore]:
    """Return an empty store."""
    made = InMemoryStore()
    yield made
    made.close()


def put(store: InMemoryStore, message: Message, *vectors: StoredVector, model: str = "m") -> None:
    """Add a message with its vectors, of the model that serves."""

    def work(tx: Transaction) -> None:
        tx.messages.insert(message)
        tx.vectors.put(model, vectors)
        tx.save_owner(replace(tx.owner(), model=model))

    store.write(ANA, work)


def borrowed(shelf: IndexShelf, store: InMemoryStore, scope: Scope = ANA) -> OwnerIndex:
    """Return an index as it was lent."""
    with shelf.borrow(store, scope) as index:
        return index


def has_vector(index: OwnerIndex, number: int) -> bool:
    """Tell whether a unit has its vector."""
    return bool(np.isfinite(index.score_vectors(a_vector("q", 1, 0).vector, np.array([number]))[0]))


def test_a_borrowed_index_holds_what_the_store_holds(store: InMemoryStore) -> None:
    """New rows are appended; nothing is built twice."""
    shelf = IndexShelf()
    put(store, a_message("one"), a_vector("c1-1", 1, 0))
    index = borrowed(shelf, store)
    put(store, a_message("two", seq=2), a_vector("c1-2", 0, 1))
    units = list(index.units)
    assert borrowed(shelf, store) is index
    assert index.units[: len(units)] == units
    assert [unit.text for unit in index.units] == ["one", "two"]
    assert has_vector(index, 0)
    assert has_vector(index, 1)


def test_a_row_without_a_vector_gets_it_when_it_is_made(store: InMemoryStore) -> None:
    """The vector comes with a change of its row."""
    shelf = IndexShelf()
    put(store, a_message("one"))
    assert not has_vector(borrowed(shelf, store), 0)

    def embed(tx: Transaction) -> None:
        tx.vectors.put("m", [a_vector("c1-1", 1, 0)])
        tx.messages.update(tx.messages.get(["c1-1"]))

    store.write(ANA, embed)
    assert has_vector(borrowed(shelf, store), 0)


def test_another_model_brings_its_own_vectors(store: InMemoryStore) -> None:
    """Vectors of two models never meet in one matrix."""
    shelf = IndexShelf()
    put(store, a_message("one"), a_vector("c1-1", 1, 0))
    borrowed(shelf, store)

    def switch(tx: Transaction) -> None:
        tx.vectors.put("other", [a_vector("c1-1", 0, 0, 1)])
        tx.save_owner(OwnerState(model="other"))

    store.write(ANA, switch)
    index = borrowed(shelf, store)
    assert index.model == "other"
    assert index.score_vectors(a_vector("q", 0, 0, 1).vector, np.array([0])) == pytest.approx([1])


def test_another_generation_forgets_everything(store: InMemoryStore) -> None:
    """After an erasure nothing of the owner is left in memory."""
    shelf = IndexShelf()
    put(store, a_message("one"))
    borrowed(shelf, store)
    store.write(ANA, lambda tx: tx.save_owner(replace(tx.owner(), generation=1)))
    store.write(ANA, lambda tx: tx.messages.update([a_message("")]))
    index = borrowed(shelf, store)
    assert (index.units, index.generation) == ([], 1)


def test_the_index_is_the_owners_whatever_the_scope(store: InMemoryStore) -> None:
    """Projects are filters; each of them need not hold everything anew."""
    shelf = IndexShelf()
    add(store, a_message("one", scope=in_scope("thesis")))
    assert borrowed(shelf, store, in_scope("house")) is borrowed(shelf, store)
    assert [unit.text for unit in borrowed(shelf, store, in_scope("house")).units] == ["one"]
    assert borrowed(shelf, store, Scope(user="ben")).units == []


def test_the_indexes_used_last_are_kept(store: InMemoryStore) -> None:
    """A process that serves many people keeps what it needs."""
    shelf = IndexShelf(owners_kept=2)
    ana, ben, cleo = (Scope(user=name) for name in ("ana", "ben", "cleo"))
    first, second = borrowed(shelf, store, ana), borrowed(shelf, store, ben)
    assert borrowed(shelf, store, ana) is first
    borrowed(shelf, store, cleo)
    assert borrowed(shelf, store, ana) is first
    assert borrowed(shelf, store, ben) is not second


def test_one_borrower_at_a_time(store: InMemoryStore) -> None:
    """An index is not safe for two; whoever comes second waits, whoever wants another owner's does not."""
    shelf = IndexShelf()
    put(store, a_message("one"))
    order: list[str] = []

    def borrow() -> None:
        with shelf.borrow(store, ANA):
            order.append("second")

    with shelf.borrow(store, ANA):
        waiting = threading.Thread(target=borrow)
        waiting.start()
        borrowed(shelf, store, Scope(user="ben"))
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]


def test_an_interrupt_while_an_index_is_brought_up_to_date_leaves_no_half_of_it(
    store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one who borrows it finds everything, vectors too."""
    shelf, message = IndexShelf(), a_message("I moved my runs")
    put(store, message, a_vector(message.id))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(OwnerIndex, "set_vectors", interrupt)
        with pytest.raises(KeyboardInterrupt), shelf.borrow(store, ANA):
            pass
    with shelf.borrow(store, ANA) as index:
        assert [unit.text for unit in index.units] == ["I moved my runs"]
        assert np.isfinite(index.score_vectors(a_vector(message.id).vector, np.array([0]))).all()
