"""The indexes one process holds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import yesteryear
from tests.belief_rows import a_fact, evidence_for
from tests.rows import ANA, a_vector, add, in_scope
from yesteryear.core.attributes import FactKind
from yesteryear.core.message import Message
from yesteryear.core.scope import OwnerState, Scope
from yesteryear.core.vectors import StoredVector
from yesteryear.ports import Transaction
from yesteryear.recall.index import OwnerIndex
from yesteryear.recall.index_cache import IndexCache
from yesteryear.recall.lexical import Postings
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.testing.builders import a_message

PLENTY = 1 << 30


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


def inserting(content: str, scope: Scope, *, seq: int = 1) -> Callable[[Transaction], None]:
    """Return work that inserts somebody's message."""
    return lambda tx: tx.messages.insert(a_message(content, seq=seq, scope=scope))


def borrowed(index_cache: IndexCache, store: InMemoryStore, scope: Scope = ANA) -> OwnerIndex:
    """Return an index as it was lent."""
    with index_cache.borrow(store, scope) as index:
        return index


def has_vector(index: OwnerIndex, number: int) -> bool:
    """Tell whether a unit has its vector."""
    return bool(np.isfinite(index.score_vectors(a_vector("q", 1, 0).vector, np.array([number]))[0]))


def test_a_borrowed_index_holds_what_the_store_holds(store: InMemoryStore) -> None:
    """New rows are appended; nothing is built twice."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    put(store, a_message("one"), a_vector("c1-1", 1, 0))
    index = borrowed(index_cache, store)
    put(store, a_message("two", seq=2), a_vector("c1-2", 0, 1))
    units = list(index.units)
    assert borrowed(index_cache, store) is index
    assert index.units[: len(units)] == units
    assert [unit.text for unit in index.units] == ["one", "two"]
    assert has_vector(index, 0)
    assert has_vector(index, 1)


def test_a_row_without_a_vector_gets_it_when_it_is_made(store: InMemoryStore) -> None:
    """The vector comes with a change of its row."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    put(store, a_message("one"))
    assert not has_vector(borrowed(index_cache, store), 0)

    def embed(tx: Transaction) -> None:
        tx.vectors.put("m", [a_vector("c1-1", 1, 0)])
        tx.messages.update(tx.messages.get(["c1-1"]))

    store.write(ANA, embed)
    assert has_vector(borrowed(index_cache, store), 0)


def test_another_model_brings_its_own_vectors(store: InMemoryStore) -> None:
    """Vectors of two models never meet in one matrix."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    put(store, a_message("one"), a_vector("c1-1", 1, 0))
    borrowed(index_cache, store)

    def switch(tx: Transaction) -> None:
        tx.vectors.put("other", [a_vector("c1-1", 0, 0, 1)])
        tx.save_owner(OwnerState(model="other"))

    store.write(ANA, switch)
    index = borrowed(index_cache, store)
    assert index.model == "other"
    assert index.score_vectors(a_vector("q", 0, 0, 1).vector, np.array([0])) == pytest.approx([1])


def test_another_generation_forgets_everything(store: InMemoryStore) -> None:
    """After an erasure nothing of the owner is left in memory."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    put(store, a_message("one"))
    borrowed(index_cache, store)
    store.write(ANA, lambda tx: tx.save_owner(replace(tx.owner(), generation=1)))
    store.write(ANA, lambda tx: tx.messages.update([a_message("")]))
    index = borrowed(index_cache, store)
    assert (index.units, index.generation) == ([], 1)


def test_the_index_is_the_owners_whatever_the_scope(store: InMemoryStore) -> None:
    """Projects are filters; each of them need not hold everything anew."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    add(store, a_message("one", scope=in_scope("thesis")))
    assert borrowed(index_cache, store, in_scope("house")) is borrowed(index_cache, store)
    assert [unit.text for unit in borrowed(index_cache, store, in_scope("house")).units] == ["one"]
    assert borrowed(index_cache, store, Scope(user="ben")).units == []


def test_an_index_that_is_new_enough_is_lent_as_it_is(store: InMemoryStore) -> None:
    """Whoever has seen a rev needs no newer rows; whoever has seen a later one gets them."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    put(store, a_message("one"))
    seen = borrowed(index_cache, store).rev
    put(store, a_message("two", seq=2))
    for at_least, expected in ((0, 1), (seen, 1), (seen + 1, 2), (seen, 2), (None, 2)):
        with index_cache.borrow(store, ANA, at_least=at_least) as index:
            assert len(index.units) == expected
    with IndexCache(bytes_kept=PLENTY).borrow(store, ANA, at_least=1) as index:
        assert len(index.units) == 2


def test_a_transaction_lends_what_it_sees(store: InMemoryStore) -> None:
    """One snapshot serves for the rows and for the index."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    put(store, a_message("one"))
    with store.read(ANA) as early:
        put(store, a_message("two", seq=2))
        with index_cache.borrow_as_of(early) as index:
            assert [unit.text for unit in index.units] == ["one"]
        assert len(borrowed(index_cache, store).units) == 2


def test_a_snapshot_older_than_the_index_changes_nothing(store: InMemoryStore) -> None:
    """Whoever began to read before others have written does not take their rows away."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    put(store, a_message("one"), a_vector("c1-1", 1, 0))
    with store.read(ANA) as early:
        put(store, a_message("two", seq=2), a_vector("c1-2", 0, 1), model="m")
        put(store, a_message("three", seq=3), a_vector("c1-3", 0, 1), model="other")
        newest = borrowed(index_cache, store)
        newest.views["of now"] = 1
        with index_cache.borrow_as_of(early) as index:
            assert index is newest
            assert (len(index.units), index.model, index.views) == (3, "other", {"of now": 1})
    store.write(ANA, lambda tx: tx.save_owner(replace(tx.owner(), generation=1)))
    with store.read(ANA) as before_erasure:
        store.write(ANA, lambda tx: tx.messages.update([a_message("", seq=2)]))
        store.write(ANA, lambda tx: tx.save_owner(replace(tx.owner(), generation=2)))
        assert borrowed(index_cache, store).generation == 2
        with index_cache.borrow_as_of(before_erasure) as index:
            assert index.generation == 2
            assert "two" not in [unit.text for unit in index.units]


def test_the_indexes_used_last_are_kept_as_far_as_there_is_room(store: InMemoryStore) -> None:
    """By their size: a process that serves many people keeps what it needs, and at least the one in use."""
    people = [Scope(user=name) for name in ("ana", "ben", "cleo")]
    ana, ben, cleo = people
    for scope in people:
        store.write(scope, inserting("the river is high " * 20, scope))
    generous = IndexCache(bytes_kept=PLENTY)
    size = borrowed(generous, store, ana).nbytes
    for scope in people:
        borrowed(generous, store, scope)
    assert generous.sizes() == {scope.owner: size for scope in people}

    index_cache = IndexCache(bytes_kept=2 * size)
    first, second = borrowed(index_cache, store, ana), borrowed(index_cache, store, ben)
    assert borrowed(index_cache, store, ana) is first
    borrowed(index_cache, store, cleo)
    assert list(index_cache.sizes()) == [ana.owner, cleo.owner]
    assert borrowed(index_cache, store, ana) is first
    assert borrowed(index_cache, store, ben) is not second
    assert list(index_cache.sizes()) == [ana.owner, ben.owner]

    tiny = IndexCache(bytes_kept=1)
    only = borrowed(tiny, store, ana)
    assert borrowed(tiny, store, ana) is only
    borrowed(tiny, store, ben)
    assert list(tiny.sizes()) == [ben.owner]


def test_an_index_that_grew_makes_others_go(store: InMemoryStore) -> None:
    """Sizes are those of now, not of when an index was first lent."""
    ana, ben = ANA, Scope(user="ben")
    store.write(ana, inserting("one", ana))
    store.write(ben, inserting("one", ben))
    index_cache = IndexCache(bytes_kept=20_000)
    borrowed(index_cache, store, ben)
    borrowed(index_cache, store, ana)
    assert len(index_cache.sizes()) == 2
    store.write(ana, inserting("a long story of the river and the bridge. " * 900, ana, seq=2))
    borrowed(index_cache, store, ana)
    assert list(index_cache.sizes()) == [ana.owner]


def test_an_index_keeps_in_step_with_another_engine(tmp_path: Path) -> None:
    """New text, new vectors and text that is erased, written through another connection to one file."""
    place = tmp_path / "memory.db"
    with (
        yesteryear.open(place, worker="none", embedder="hashing") as here,
        yesteryear.open(place, worker="none", embedder="hashing") as there,
    ):
        mine, theirs = here.memory(user="ana"), there.memory(user="ana")

        def found(question: str) -> list[tuple[str, ...]]:
            return [hit.messages for hit in mine.recall(question, kinds="excerpt")]

        assert found("whale") == []
        theirs.observe("I saw a whale today", id="whale")
        assert found("whale") == [("whale",)]
        assert "vector" not in mine.recall("whale")[0].signals
        theirs.observe("ok thanks", id="thanks")
        theirs.flush()
        assert sorted(found("whale")) == [("thanks",), ("whale",)]
        assert mine.recall("whale", kinds="excerpt")[0].signals["vector"] > 0
        theirs.configure(keep_verbatim=False)
        theirs.observe("Please remember that I sold the boat", id="boat")
        assert ("boat",) in found("boat")
        theirs.flush()
        assert ("boat",) not in found("boat")


def test_one_borrower_at_a_time(store: InMemoryStore) -> None:
    """An index is not safe for two; whoever comes second waits, whoever wants another owner's does not."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    put(store, a_message("one"))
    order: list[str] = []

    def borrow() -> None:
        with index_cache.borrow(store, ANA):
            order.append("second")

    with index_cache.borrow(store, ANA):
        waiting = threading.Thread(target=borrow)
        waiting.start()
        borrowed(index_cache, store, Scope(user="ben"))
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]


def test_an_interrupt_while_an_index_is_brought_up_to_date_leaves_no_half_of_it(
    store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one who borrows it finds everything, vectors too."""
    index_cache, message = IndexCache(bytes_kept=PLENTY), a_message("I moved my runs")
    put(store, message, a_vector(message.id))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(OwnerIndex, "set_vectors", interrupt)
        with pytest.raises(KeyboardInterrupt), index_cache.borrow(store, ANA):
            pass
    with index_cache.borrow(store, ANA) as index:
        assert [unit.text for unit in index.units] == ["I moved my runs"]
        assert np.isfinite(index.score_vectors(a_vector(message.id).vector, np.array([0]))).all()


def test_an_interrupt_in_the_middle_of_an_append_leaves_no_half_of_it(
    store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was there before is read again rather than left with half of what is new."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    put(store, a_message("one"), a_vector("c1-1", 1, 0))
    borrowed(index_cache, store)
    put(store, a_message("two", seq=2), a_vector("c1-2", 1, 0))
    put(store, a_message("three", seq=3), a_vector("c1-3", 1, 0))
    add_text = Postings.add

    def interrupt(postings: Postings, stems: list[str]) -> None:
        if stems == ["three"]:
            raise KeyboardInterrupt
        add_text(postings, stems)

    with monkeypatch.context() as patched:
        patched.setattr(Postings, "add", interrupt)
        with pytest.raises(KeyboardInterrupt), store.read(ANA) as tx, index_cache.borrow_as_of(tx):
            pass
    with index_cache.borrow(store, ANA) as index:
        assert [unit.text for unit in index.units] == ["one", "two", "three"]
        assert len(index.postings) == 3
        assert all(has_vector(index, number) for number in range(3))


def test_whoever_fails_gives_the_index_back(store: InMemoryStore) -> None:
    """The next borrower does not wait for ever."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    put(store, a_message("one"))
    with pytest.raises(LookupError), index_cache.borrow(store, ANA):
        raise LookupError
    assert len(borrowed(index_cache, store).units) == 1


def test_an_index_knows_in_what_a_fact_was_told(store: InMemoryStore) -> None:
    """Also what is told later, and what is taken back."""
    index_cache = IndexCache(bytes_kept=PLENTY)

    def told_in() -> list[str]:
        return [message.id for message in borrowed(index_cache, store).sources("f1", ANA)]

    def tell(tx: Transaction) -> None:
        tx.messages.insert(a_message("one"))
        tx.messages.insert(a_message("two", seq=2))
        tx.facts.insert([a_fact()])
        tx.evidence.add([evidence_for("f1", "c1-1")])

    def tell_again(tx: Transaction) -> None:
        tx.evidence.add([evidence_for("f1", "c1-2", minutes=1)])
        tx.facts.update([a_fact(sessions=2)])

    store.write(ANA, tell)
    assert told_in() == ["c1-1"]
    store.write(ANA, tell_again)
    assert told_in() == ["c1-1", "c1-2"]
    store.write(ANA, lambda tx: tx.facts.forget(["f1"]))
    assert told_in() == []


def test_what_one_scope_may_not_read_another_finds_later(store: InMemoryStore) -> None:
    """The evidence of a project's fact is looked up by who sees it."""
    index_cache = IndexCache(bytes_kept=PLENTY)
    thesis, garden = in_scope("thesis"), in_scope("garden")

    def tell(tx: Transaction) -> None:
        tx.messages.insert(a_message("one", scope=thesis))
        tx.facts.insert([a_fact(scope=thesis, kind=FactKind.GOAL)])
        tx.evidence.add([evidence_for("f1", "c1-1")])

    store.write(thesis, tell)
    for scope, expected in ((garden, 0), (thesis, 1)):
        with store.read(scope) as tx, index_cache.borrow_as_of(tx) as index:
            assert len(index.sources("f1", scope)) == expected
