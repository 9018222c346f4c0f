"""The named statements of ``queries.sql`` and ``beliefs.sql``, in the words of one database."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

_VISIBLE = "(:project IS NULL OR project IN ('', :project)) AND (:agent IS NULL OR agent IN ('', :agent))"


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


def read_statements(dialect: Dialect) -> Mapping[str, str]:
    """Return SQL by name, comments taken out."""
    folder = files("yesteryear.storage.sql")
    text = "\n".join((folder / name).read_text(encoding="utf-8") for name in ("queries.sql", "beliefs.sql"))
    parts = re.split(r"^-- name: (\w+)$", text, flags=re.MULTILINE)[1:]
    return {
        name: dialect.translate(
            "\n".join(line for line in body.splitlines() if not line.startswith("--")).strip().rstrip(";")
        )
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }
