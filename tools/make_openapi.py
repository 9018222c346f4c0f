"""Write what OpenAPI says of the REST door into docs/reference/openapi.json.

``python tools/make_openapi.py`` writes it, ``--check`` tells whether it is current.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fastapi import FastAPI

import yesteryear
from yesteryear.api.access import OpenDoor
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.rest.router import rest_router

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "openapi.json"


def describe() -> str:
    """Return the description as JSON; nothing is opened for it but a memory that stays empty."""
    engine = yesteryear.open_async(":memory:", embedder="hashing", worker="none")
    app = FastAPI(title="yesteryear", version="1", summary="Long-term memory over HTTP")
    app.include_router(rest_router(AuthContext(engine, OpenDoor())))
    return json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Write or check the file; return the exit code."""
    if "--check" not in sys.argv:
        TARGET.write_text(describe(), encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != describe():
        print("docs/reference/openapi.json is not current; run: make openapi", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
