"""Indexes of single owners' vectors: how they are called, made and asked.

One index for all owners loses rows: the nearest of everybody are found first, and those of others then left out. So an
index holds the vectors of one owner and one model, and only a question that names both can use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from psycopg import sql

from yesteryear.core.scope import Owner, hash_person
from yesteryear.storage.postgres.connect import SCHEMA

_PREFIX = "near_"
_HASH_DIGITS = 24
"""Hexadecimal digits of a hash in a name: enough for two never to be the same, and PostgreSQL takes 63 characters."""


@dataclass(frozen=True, slots=True)
class NearPolicy:
    """How such an index is built and searched; measured on 25,000 vectors of 384 values."""

    neighbours: int = 16  # links of a vector, ``m``, in [2, 100] (pgvector's default)
    built_among: int = 64  # candidates while it is built, ``ef_construction``, in [4, 1000] (pgvector's default)
    searched_among: int = 800
    """Candidates of a search, ``ef_search``, in [1, 1000]: 400 find .89 of the nearest 20 of vectors without any order,
    800 find .98 in 15 ms instead of 12."""
    scanned: int = 200_000  # most vectors that a search looks at, ``max_scan_tuples``, at least 1


POLICY = NearPolicy()


def index_prefix(owner: Owner) -> str:
    """Return how the names of an owner's indexes begin; it tells no name."""
    return f"{_PREFIX}{hash_person(owner)[:_HASH_DIGITS]}_"


def index_name(owner: Owner, model: str) -> str:
    """Return the name of an owner's index of a model."""
    return index_prefix(owner) + sha256(model.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]


def create_index(owner: Owner, model: str, *, table: str, dimension: int) -> sql.Composed:
    """Return the command that makes an owner's index, in a partition where there are some; no transaction holds it.

    The owner's and the model's names stand in the catalogue for as long as the index does.
    """
    return sql.SQL(
        "CREATE INDEX CONCURRENTLY {name} ON {table} USING hnsw ((vector::halfvec({dimension})) halfvec_cosine_ops) "
        "WITH (m = {neighbours}, ef_construction = {built_among}) "
        'WHERE tenant = {tenant} AND "user" = {user} AND model = {model}'
    ).format(
        name=sql.Identifier(index_name(owner, model)),
        table=sql.SQL(table),  # as the server itself has quoted it
        dimension=sql.Literal(dimension),
        neighbours=sql.Literal(POLICY.neighbours),
        built_among=sql.Literal(POLICY.built_among),
        tenant=sql.Literal(owner.tenant),
        user=sql.Literal(owner.user),
        model=sql.Literal(model),
    )


def drop_index(name: str) -> sql.Composed:
    """Return the command that takes an index away. It stands outside transactions."""
    return sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {name}").format(name=sql.Identifier(SCHEMA, name))


def find_nearest(dimension: int) -> sql.Composed:
    """Return the question for the nearest vectors of a dimension, with the parameters tenant, user, model and limit.

    The planner has to see the names: it proves by them that the index holds all that is asked for.
    """
    return sql.SQL(
        'SELECT ref, part, grain, vector FROM vector WHERE tenant = %(tenant)s AND "user" = %(user)s '
        "AND model = %(model)s ORDER BY vector::halfvec({dimension}) <=> %(vector)s LIMIT %(limit)s"
    ).format(dimension=sql.Literal(dimension))
