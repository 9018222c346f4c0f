"""The description of the door, as it is committed; a test holds it to what the door says of itself."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_COMMITTED = Path(__file__).resolve().parents[3] / "docs" / "reference" / "openapi.json"


@cache
def describe() -> dict[str, Any]:
    """Return what OpenAPI says of the door."""
    found: dict[str, Any] = json.loads(_COMMITTED.read_text(encoding="utf-8"))
    return found
