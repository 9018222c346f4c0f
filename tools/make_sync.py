"""Make ``sync.py`` from ``memory.py`` and ``engine.py``: the same verbs without an event loop.

``python tools/make_sync.py`` writes it, ``--check`` tells whether it is current.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "yesteryear"
SOURCES = ("memory.py", "engine.py")
TARGET = PACKAGE / "sync.py"
HEADER = '"""The verbs without an event loop. Made from memory.py and engine.py by ``make sync``; do not edit."""'

RULES = (
    (r"\basync def\b", "def"),
    (r"\basync with\b", "with"),
    (r"\bawait ", ""),
    (r"\bAsync(Calls|Engine|Memory)\b", r"\1"),
    (r"\b__a(enter|exit)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"yesteryear\.open_async", "yesteryear.open"),
    (r"an async context manager", "a context manager"),
    (r"from many tasks", "from many threads"),
    (r" ``sync.py`` is made from this file\.", ""),
)


def make() -> str:
    """Return the text of ``sync.py``."""
    imports: list[str] = []
    bodies: list[str] = []
    for name in SOURCES:
        text = (PACKAGE / name).read_text(encoding="utf-8")
        nodes = ast.parse(text).body
        found = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        imports += [ast.unparse(node) for node in found if getattr(node, "module", "") != "yesteryear.memory"]
        body = "\n".join(text.splitlines()[found[-1].end_lineno or 0 :])
        bodies.append(body)
    text = "\n".join([HEADER, "", *dict.fromkeys(imports), *bodies]) + "\n"
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return _tidy(text)


def _tidy(text: str) -> str:
    for command in (["check", "--select", "I,F401", "--fix", "--quiet"], ["format", "--quiet"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(TARGET), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        text = done.stdout
    return text


def main() -> int:
    """Write or check the file; return the exit code."""
    text = make()
    if "--check" in sys.argv:
        if TARGET.read_text(encoding="utf-8") == text:
            return 0
        print("sync.py is not current; run: make sync", file=sys.stderr)
        return 1
    TARGET.write_text(text, encoding="utf-8")
    print(f"wrote {TARGET.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
