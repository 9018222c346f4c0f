"""The named statements of the ``.sql`` files here and of one database alone, in its words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

_VISIBLE = (
    "(CAST(:project AS TEXT) IS NULL OR project IN ('', :project)) "
    "AND (CAST(:agent AS TEXT) IS NULL OR agent IN ('', :agent))"
)
OWNED_TABLES = (
    *("message", "conversation", "episode", "vector", "memory_config", "recall_event"),
    *("fact", "fact_version", "evidence", "conflict", "edge", "cycle", "usage", "api_key", "audit", "forgetting"),
    "owner",
)
"""Where an owner has rows."""


@dataclass(frozen=True, slots=True)
class Dialect:
    r"""How one database says what SQL has no common words for; ``\1`` and ``\2`` stand for what was in the braces."""

    among: str
    """``{column among list}``: the column's value is one of the list's."""
    holds: str
    """``{column holds list}``: the column is a JSON array, and shares a value with the list."""
    part: str
    r"""``{column.path}``: a value inside the column's JSON, NULL where there is none; ``\2`` is the path with dots."""
    by: str
    """``{by index}``: tells the planner which index to use."""

    def translate(self, statement: str) -> str:
        """Return a statement with everything in braces put in."""
        statement = statement.replace("{visible}", _VISIBLE)
        for pattern, words in (
            (r"\{(\w+) among (\w+)\}", self.among),
            (r"\{(\w+) holds (\w+)\}", self.holds),
            (r"\{(\w+)\.([\w.]+)\}", self.part),
            (r"\{by (\w+)\}", self.by),
        ):
            statement = re.sub(pattern, words, statement)
        return statement


def read_statements(dialect: Dialect, *, own: Traversable) -> Mapping[str, str]:
    """Return SQL by name, comments taken out: what is shared, and what is one database's ``own``."""
    folder = files("yesteryear.storage.sql")
    sources = (folder / "queries.sql", folder / "beliefs.sql", own)
    erasing = {
        f"erase_{table}": f'DELETE FROM {table} WHERE tenant = :tenant AND "user" = :user' for table in OWNED_TABLES
    }
    return erasing | {name: dialect.translate(statement) for name, statement in statements_in(*sources).items()}


def statements_in(*sources: Traversable) -> Mapping[str, str]:
    """Return what stands in files by name, each under a line such as ``-- name: owners``, comments taken out."""
    text = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    parts = re.split(r"^-- name: (\w+)$", text, flags=re.MULTILINE)[1:]
    bodies = ([line for line in body.splitlines() if not line.startswith("--")] for body in parts[1::2])
    return {name: "\n".join(lines).strip().rstrip(";") for name, lines in zip(parts[::2], bodies, strict=True)}
