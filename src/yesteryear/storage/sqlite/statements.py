"""The named statements of ``queries.sql`` and ``beliefs.sql``."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_VISIBLE = "(:project IS NULL OR project IN ('', :project)) AND (:agent IS NULL OR agent IN ('', :agent))"


@cache
def read_statements() -> dict[str, str]:
    """Return SQL by name, comments taken out and ``{visible}`` put in."""
    folder = files("yesteryear.storage.sqlite")
    text = "\n".join((folder / name).read_text(encoding="utf-8") for name in ("queries.sql", "beliefs.sql"))
    parts = re.split(r"^-- name: (\w+)$", text, flags=re.MULTILINE)[1:]
    return {
        name: "\n".join(line for line in body.splitlines() if not line.startswith("--"))
        .strip()
        .rstrip(";")
        .replace("{visible}", _VISIBLE)
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }
