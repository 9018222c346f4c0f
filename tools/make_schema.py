"""Write what can be asked of the GraphQL door as a file in GraphQL's own language.

``python tools/make_schema.py`` writes it, ``--check`` tells whether it is current.
"""

from __future__ import annotations

import sys
from pathlib import Path

from yesteryear.api.graphql.schema import build_schema

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "schema.graphql"


def render() -> str:
    """Return what can be asked."""
    return build_schema().as_str() + "\n"


def main() -> int:
    """Write or check the file; return the exit code."""
    text = render()
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != text:
        print("docs/reference/schema.graphql is not current; run: make schema", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
