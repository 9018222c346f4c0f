"""Dividing the big tables by a hash of their owner, so that vacuum and indexes work on parts that fit into memory.

There is one set of migrations: what they say of a table holds for its parts, which are added when the script is run.
``owner`` stays whole, since the one question that crosses owners reads one index of it, and so does what is small.
"""

from __future__ import annotations

import re

from yesteryear.storage.postgres.connect import SCHEMA, Connection

PARTITIONED = (
    *("conversation", "message", "episode", "vector", "recall_event"),
    *("fact", "fact_version", "evidence", "conflict", "edge"),
)
"""The tables that grow with what is said."""
MOST_PARTITIONS = 1024
"""More would make planning slower than the work."""

_TABLE = re.compile(r"^CREATE TABLE (\w+) \($(.*?)^\);$", flags=re.MULTILINE | re.DOTALL)


def partition_tables(script: str, parts: int) -> str:
    """Return a migration that makes each of its big tables in so many parts.

    The parts are behind the second wall too, where no policy lets anybody in: rows are reached through the whole table.
    """
    return _TABLE.sub(lambda found: _in_parts(found, parts), script)


def count_partitions(connection: Connection) -> int:
    """Return how many parts the big tables have; 0 where they are whole or missing."""
    row = connection.execute(
        "SELECT COUNT(*) AS parts FROM pg_inherits WHERE inhparent = to_regclass(%s)", (f"{SCHEMA}.message",)
    ).fetchone()
    return 0 if row is None else int(row["parts"])


def _in_parts(found: re.Match[str], parts: int) -> str:
    table = found[1]
    if table not in PARTITIONED:
        return found[0]
    statements = [f'CREATE TABLE {table} ({found[2]}) PARTITION BY HASH (tenant, "user");']
    for number in range(parts):
        part = f"{table}_{number}"
        statements += [
            f"CREATE TABLE {part} PARTITION OF {table} FOR VALUES WITH (MODULUS {parts}, REMAINDER {number});",
            f"ALTER TABLE {part} ENABLE ROW LEVEL SECURITY;",
            f"ALTER TABLE {part} FORCE ROW LEVEL SECURITY;",
        ]
    return "\n".join(statements)
