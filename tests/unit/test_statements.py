"""The statements of the stores with tables: whose rows they name, and what they filter by."""

from __future__ import annotations

import re
from importlib.resources import files

from tests.each import each
from yesteryear.storage.postgres.connection import STATEMENTS as POSTGRES
from yesteryear.storage.sqlite.store import STATEMENTS as SQLITE

STATEMENTS = {f"sqlite-{name}": sql for name, sql in SQLITE.items()} | {
    f"postgres-{name}": re.sub(r"%\((\w+)\)s", r":\1", sql) for name, sql in POSTGRES.items()
}
"""By database and name, with parameters written alike."""

CROSSING = {"owners", "leases", "owners_due", "owners_waiting", "erasures_pending"}
"""What asks for several owners at once, and says so."""

NUMBERS = {"COUNT(*) AS owners", "COUNT(*) OVER () AS owners", "MIN(due_at) AS since", "MIN(since) AS since"}
"""What says how many, and since when."""
NAMELESS = {"tenant", "person", "generation", "erased_at", "is_pending", "receipt"}
"""What a receipt holds: a hash in the place of a name."""

UNFILTERED = {"message_changes", "episode_changes", "fact_changes", "fact_newest"}
"""What an index is built from: all rows of the owner, of every project and agent."""

FINDING = {"recall_settle", "recall_prune", "recall_forget"} | {name for name in SQLITE if "_withdraw" in name}
"""What changes rows that nobody has read before, so that it must not find those of other projects."""

VISIBLE = (
    "(CAST(:project AS TEXT) IS NULL OR project IN ('', :project)) "
    "AND (CAST(:agent AS TEXT) IS NULL OR agent IN ('', :agent))"
)
"""The filter by the scope."""

FILTERED = tuple("message_ conversation_ episode_ recall_ fact_ version_ evidence_ ruling_ edge_".split())
"""How the names of statements begin that see rows through a scope."""


TABLES = "owner message conversation episode vector erasure fact evidence conflict edge cycle usage audit forgetting"
"""Tables of one word."""


CHANGING = {
    "message": "content verdict episode_id expires_at numbers vector_due_at attempts error",
    "episode": "message_ids status digest importance detail attempts next_try error pinned recalls restored_at "
    "fades_at",
}
"""What an update writes, by the table."""


def name_of(key: str) -> str:
    """Return the name of a statement."""
    return key.partition("-")[2]


@each("key", [key for key in STATEMENTS if name_of(key) not in CROSSING])
def test_every_statement_names_one_owner(key: str) -> None:
    """Each table that is read or changed is narrowed to the tenant and the user, or their hash, without exception."""
    sql = STATEMENTS[key]
    known = "|".join([*TABLES.split(), r"\w+_\w+"])
    tables = len(re.findall(rf"\b(?:FROM|UPDATE|INTO)\s+(?:{known})\b", sql))
    tables -= len(re.findall(r"FROM json_each", sql))
    named = len(re.findall(r'tenant = :tenant AND (?:"user" = :user|person = :person)', sql))
    named += len(re.findall(r"VALUES \(:tenant, :(?:user|person)[,)]", sql))
    named += len(re.findall(r'SELECT :?tenant, (?::|")user"?,', sql))  # rows made from rows of the same owner
    assert tables == named > 0


def test_what_crosses_owners_says_so() -> None:
    """The exceptions are few, marked in their files, and answer with names of owners only, or with receipts."""
    places = (
        "sql/queries.sql",
        "sql/beliefs.sql",
        "sqlite/statements.sql",
        "postgres/statements.sql",
    )
    text = "\n".join((files("yesteryear.storage") / place).read_text(encoding="utf-8") for place in places)
    blocks = re.findall(r"^-- name: (\w+)\n(.*?)(?=^-- name: |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    assert {name for name, body in blocks if "Crosses owners:" in body} == CROSSING
    for key in [key for key in STATEMENTS if name_of(key) in CROSSING]:
        answered = re.findall(r"^SELECT (.*?) FROM", STATEMENTS[key], flags=re.MULTILINE)[-1]
        told = set(re.split(r", ", answered.replace("due.", "")))
        assert told <= NUMBERS | {"tenant", '"user"', "lease_by"} or told <= NAMELESS


@each("key", [key for key in STATEMENTS if name_of(key).startswith(FILTERED)])
def test_every_read_is_filtered_by_the_scope(key: str) -> None:
    """Reads see the scope's project and agent; only what feeds the index sees all, and most writes name their row."""
    sql, name = STATEMENTS[key], name_of(key)
    is_filtered = VISIBLE in sql
    assert is_filtered == (name in FINDING or (sql.startswith(("SELECT", "WITH")) and name not in UNFILTERED))


@each("database", ["sqlite", "postgres"])
@each(("name", "fields"), list(CHANGING.items()))
def test_an_update_writes_the_fields_that_may_change(database: str, name: str, fields: str) -> None:
    """What was said, and when, stays as it was; outcome and rev are derived."""
    body = STATEMENTS[f"{database}-{name}_update"].partition("WHERE")[0]
    assert set(re.findall(r"(\w+) = :\1\b", body)) - {"outcome", "rev"} == set(fields.split())
