"""Indexes of single owners' vectors: who has one, what may use it, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from tests.conftest import administer
from tests.rows import ANA, at
from yesteryear.core.scope import Owner, Scope
from yesteryear.core.vectors import IndexFate, Matrix, StoredVector, VectorGrain, VectorIndex, unit_rows
from yesteryear.errors import SetUpNeeded
from yesteryear.forget.erase import erase
from yesteryear.storage.postgres import vector_index
from yesteryear.storage.postgres.connect import SERVER, PackedVector, PostgresPolicy
from yesteryear.storage.postgres.connection import STATEMENTS, Link
from yesteryear.storage.postgres.store import PostgresStore
from yesteryear_lab.postgres_server import PostgresServer

BEN, CARL = Scope("ben"), Scope("carl")
DIMENSION = 16
LIMIT = 100


def drawn(count: int, *, seed: int) -> Matrix:
    """Return vectors without any order; shape (count, DIMENSION)."""
    return unit_rows(np.random.default_rng(seed).standard_normal((count, DIMENSION)))


def put(store: PostgresStore, scope: Scope, count: int, *, model: str = "m") -> None:
    """Give somebody vectors."""
    rows = [
        StoredVector(VectorGrain.EXCERPT, f"r{n:04}", 0, vector)
        for n, vector in enumerate(drawn(count, seed=len(scope.user)))
    ]
    store.write(scope, lambda tx: tx.vectors.put(model, rows))


@pytest.fixture
def store(postgres_url: str) -> Iterator[PostgresStore]:
    """Return a store in which Ana and Ben have many vectors, and Carl has as many as are compared at most."""
    made = PostgresStore(postgres_url, PostgresPolicy(exact_vectors=LIMIT))
    for scope, count in ((ANA, 400), (BEN, 300), (CARL, LIMIT)):
        put(made, scope, count)
    yield made
    made.close()


def fates(found: Sequence[VectorIndex]) -> dict[str | None, str]:
    """Return what became of whose index."""
    return {row.user: row.fate.value for row in found}


def names(store: PostgresStore) -> set[str]:
    """Return which indexes there are."""
    with store._pool.lend() as link:
        return {row["name"] for row in link.look(SERVER["near_list"])}


def plan(link: Link, statement: object, scope: Scope) -> str:
    """Return how the server means to run a statement that has been given its owner."""
    asked = {"tenant": scope.tenant, "user": scope.user, "model": "m", "limit": 20, "refs": ["r0001", "r0002"]}
    asked |= {"vector": PackedVector(drawn(1, seed=9)[0].astype("<f2").tobytes())}
    text = statement if isinstance(statement, str) else statement.as_string(link._connection)  # type: ignore[attr-defined]
    rows = link._connection.execute(f"EXPLAIN {text}".encode(), asked, prepare=False).fetchall()
    return "\n".join(row["QUERY PLAN"] for row in rows)


# --- who has one -----------------------------------------------------------------------------------------------------


def test_people_with_many_vectors_get_an_index_of_their_own(store: PostgresStore) -> None:
    """And nobody else; asked again, they keep it."""
    made = store.index_vectors()
    assert fates(made) == {"ana": "made", "ben": "made"}
    assert [(row.model, row.vectors) for row in made] == [("m", 400), ("m", 300)]
    assert all(row.nbytes > 0 for row in made)
    assert (
        names(store)
        == {row.name for row in made}
        == {vector_index.index_name(scope.owner, "m") for scope in (ANA, BEN)}
    )
    assert fates(store.index_vectors()) == {"ana": "kept", "ben": "kept"}


def test_a_dry_run_changes_nothing(store: PostgresStore) -> None:
    """It tells what would be made, and what would be dropped."""
    assert fates(store.index_vectors(is_dry=True)) == {"ana": "made", "ben": "made"}
    assert names(store) == set()
    store.index_vectors()
    assert fates(store.index_vectors(is_dry=True, drops=True)) == {"ana": "dropped", "ben": "dropped"}
    assert len(names(store)) == 2


def test_one_person_may_be_named(store: PostgresStore) -> None:
    """Others' indexes are left as they are."""
    assert fates(store.index_vectors(BEN.owner)) == {"ben": "made"}
    assert fates(store.index_vectors(CARL.owner)) == {}
    assert fates(store.index_vectors(BEN.owner, drops=True)) == {"ben": "dropped"}
    assert names(store) == set()


def test_who_has_few_vectors_again_loses_the_index(store: PostgresStore) -> None:
    """So do those who have none of that model any more, or are gone altogether."""
    put(store, CARL, 2 * LIMIT, model="old")
    store.index_vectors()
    store.write(ANA, lambda tx: tx.vectors.forget([f"r{n:04}" for n in range(350)]))
    store.write(BEN, lambda tx: tx.erase())
    store.write(CARL, lambda tx: tx.vectors.drop("old"))
    found = store.index_vectors()
    assert fates(found) == {"ana": "dropped", "carl": "dropped", None: "dropped"}
    assert names(store) == set()


def test_an_index_whose_making_was_interrupted_is_made_anew(
    store: PostgresStore, postgres_server: PostgresServer
) -> None:
    """Until then nobody asks it."""
    [made] = store.index_vectors(ANA.owner)
    administer(
        postgres_server,
        f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'yesteryear.{made.name}'::regclass",
        database="shared",
    )
    with store.read(ANA) as tx:
        assert not tx.vectors.has_index("m")
    assert fates(store.index_vectors(ANA.owner)) == {"ana": "made"}
    with store.read(ANA) as tx:
        assert tx.vectors.has_index("m")


@contextmanager
def guest_store(server: PostgresServer) -> Iterator[PostgresStore]:
    """Open the database with a role that may read and write, but does not own the tables."""
    administer(server, "CREATE ROLE visitor LOGIN")
    rights = ("USAGE ON SCHEMA yesteryear", "ALL ON ALL TABLES IN SCHEMA yesteryear")
    administer(server, *(f"GRANT {right} TO visitor" for right in rights), database="shared")
    guest = PostgresStore(server.url("shared", role="visitor"), PostgresPolicy(exact_vectors=LIMIT))
    try:
        yield guest
    finally:
        guest.close()
        administer(server, "DROP OWNED BY visitor", "DROP ROLE visitor", database="shared")


def test_a_role_without_the_right_is_told_so(postgres_server: PostgresServer, store: PostgresStore) -> None:
    """Only whoever owns the tables may change the schema."""
    with guest_store(postgres_server) as guest, pytest.raises(SetUpNeeded, match="connect as the tables' owner"):
        guest.index_vectors()
    assert names(store) == set()


# --- what may use it -------------------------------------------------------------------------------------------------


def test_what_has_to_be_exact_is_never_read_from_such_an_index(store: PostgresStore) -> None:
    """Whatever the planner prefers: such an index finds nearly all, and rows would be missing without a word."""
    store.index_vectors()
    statements = {name: text for name, text in STATEMENTS.items() if "vector" in text}
    assert not any("<=>" in text for text in STATEMENTS.values())
    with store._pool.lend(lambda link: link.begin_reading(ANA.owner)) as link:
        link._execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL random_page_cost = 0")
        for name in ("vector_all", "vector_some", "vector_sample", "vector_models", "vector_drop"):
            found = plan(link, statements[name], ANA)
            assert "near_" not in found, name
            assert "vector_pkey" in found, name


def test_the_nearest_are_asked_of_the_owner_s_index_alone(store: PostgresStore) -> None:
    """The index of somebody else is never read, however near their vectors are; without an index all are compared."""
    store.index_vectors()
    question = vector_index.find_nearest(DIMENSION)
    for scope in (ANA, BEN):
        with store._pool.lend(lambda link, owner=scope.owner: link.begin_reading(owner)) as link:
            assert link.has_index({"tenant": scope.tenant, "user": scope.user, "model": "m"})
            assert f"Index Scan using {vector_index.index_name(scope.owner, 'm')} " in plan(link, question, scope)
    with store._pool.lend(lambda link: link.begin_reading(CARL.owner)) as link:
        assert not link.has_index({"tenant": CARL.tenant, "user": CARL.user, "model": "m"})
        link._execute("SET LOCAL enable_sort = off")
        assert "near_" not in plan(link, question, CARL)


def test_the_plan_is_made_for_the_owner_each_time(store: PostgresStore) -> None:
    """Asked often enough a statement is prepared, with one plan for all owners; this one must not be."""
    store.index_vectors()
    question = drawn(1, seed=7)[0]
    with store.read(ANA) as tx:
        for _ in range(12):
            assert tx.vectors.nearest("m", question, limit=5)
    with store._pool.lend() as link:
        prepared = link.look("SELECT statement FROM pg_prepared_statements")
    assert not any("<=>" in row["statement"] for row in prepared)


def test_nearly_all_of_the_nearest_are_found_and_none_of_others(store: PostgresStore) -> None:
    """At least 97 of a hundred; among equals in number those of other owners would crowd them out."""
    store.index_vectors()
    questions = drawn(50, seed=5)
    with store.read(ANA) as tx:
        every = {row.ref: row.vector for row in tx.vectors.load("m")}
        shares = []
        for question in questions:
            near_ones = tx.vectors.nearest("m", question, limit=20)
            assert near_ones is not None
            assert all((every[row.ref] == row.vector).all() for row in near_ones)
            exact = sorted(every, key=lambda ref: -float(every[ref] @ question))[:20]
            shares.append(len({row.ref for row in near_ones} & set(exact)) / 20)
    assert np.mean(shares) >= 0.97


def test_without_an_index_nothing_is_guessed(store: PostgresStore) -> None:
    """Who has few vectors, and who has none of the model, gets None, and all are compared instead."""
    store.index_vectors()
    for scope, model in ((CARL, "m"), (ANA, "another"), (Scope("dora"), "m")):
        with store.read(scope) as tx:
            assert not tx.vectors.has_index(model)
            assert tx.vectors.nearest(model, drawn(1, seed=1)[0], limit=3) is None


def test_what_comes_later_is_found(store: PostgresStore) -> None:
    """The index goes along with the rows; what is deleted is not found any more."""
    store.index_vectors()
    question = drawn(1, seed=77)[0]
    store.write(ANA, lambda tx: tx.vectors.put("m", [StoredVector(VectorGrain.FACT, "new", 0, question)]))
    with store.read(ANA) as tx:
        assert "new" in {row.ref for row in tx.vectors.nearest("m", question, limit=3) or ()}
    store.write(ANA, lambda tx: tx.vectors.forget(["new"]))
    with store.read(ANA) as tx:
        assert "new" not in {row.ref for row in tx.vectors.nearest("m", question, limit=3) or ()}


# --- whose name it holds ---------------------------------------------------------------------------------------------


def test_an_index_is_named_after_nobody(store: PostgresStore) -> None:
    """Its name tells neither person nor model; names with quotes and odd letters do no harm."""
    odd = Scope("o'\"; DROP TABLE owner; --\u00e9", tenant="t%s")
    put(store, odd, 2 * LIMIT, model="a 'model'")
    [made] = store.index_vectors(odd.owner)
    assert made.fate is IndexFate.MADE
    assert made.name.removeprefix("near_").replace("_", "").isalnum()
    with store.read(odd) as tx:
        assert len(tx.vectors.nearest("a 'model'", drawn(1, seed=1)[0], limit=9) or ()) == 9
    assert Owner(made.tenant or "", made.user or "") == odd.owner


def definitions(store: PostgresStore) -> str:
    """Return what the catalogue says of all indexes."""
    with store._pool.lend() as link:
        return "\n".join(
            row["told"] for row in link.look("SELECT indexdef AS told FROM pg_indexes WHERE schemaname = 'yesteryear'")
        )


def test_erasing_a_person_takes_their_name_out_of_the_catalogue(store: PostgresStore) -> None:
    """The index stands there with its condition; others keep theirs."""
    store.index_vectors()
    assert "'ana'" in definitions(store)
    receipt = erase(store, ANA, now=at(9))
    assert not receipt.is_pending
    assert "'ana'" not in definitions(store)
    assert names(store) == {vector_index.index_name(BEN.owner, "m")}


def test_a_receipt_tells_of_an_index_that_another_role_has_to_drop(
    store: PostgresStore, postgres_server: PostgresServer
) -> None:
    """The rows are gone all the same, and the owner of the tables finds the index to be nobody's."""
    store.index_vectors(ANA.owner)
    with guest_store(postgres_server) as guest:
        receipt = erase(guest, ANA, now=at(9))
    assert receipt.scrubbed is not None
    assert "`yesteryear index`" in receipt.scrubbed.limits
    assert fates(store.index_vectors()) == {"ben": "made", None: "dropped"}
