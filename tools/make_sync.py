"""Make the modules of ``sync``, the verbs without an event loop, from those that have one.

``python tools/make_sync.py`` writes them, ``--check`` tells whether they are current.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "yesteryear"
SOURCES = ("rights.py", "beliefs.py", "memory.py", "engine.py")
TARGET = PACKAGE / "sync"
LINE_WIDTH = 120

RULES = (
    (r"\basync def\b", "def"),
    (r"\basync with\b", "with"),
    (r"\bawait ", ""),
    (r"\bAsync(Beliefs|Calls|Engine|Memory|Rights)\b", r"\1"),
    (r"\b__a(enter|exit)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"yesteryear\.open_async", "yesteryear.open"),
    (r"an async context manager", "a context manager"),
    (r"from many tasks", "from many threads"),
    (r"\byesteryear\.(rights|beliefs|memory|engine) import", r"yesteryear.sync.\1 import"),
    (r"``sync/(\w+\.py)`` is made from this file\.", r"Made from ``\1`` by ``make sync``; do not edit."),
)


def make(name: str) -> str:
    """Return the text of one module."""
    text = (PACKAGE / name).read_text(encoding="utf-8")
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return _tidy(_shortened(text), TARGET / name)


def _shortened(text: str) -> str:
    """Keep the first line of each method's docstring; ``sync`` gives methods the whole of it when it is imported."""
    lines = text.split("\n")
    methods = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    for node in sorted(methods, key=lambda node: -node.lineno):
        if ast.get_docstring(node) is None:
            continue
        told = node.body[0]
        first, last = told.lineno - 1, told.end_lineno or told.lineno
        summary = f'{lines[first].rstrip()}"""'
        if last - first > 1 and len(summary) <= LINE_WIDTH:
            lines[first:last] = [summary]
    return "\n".join(lines)


def _tidy(text: str, path: Path) -> str:
    for command in (["check", "--select", "I,F401", "--fix", "--quiet"], ["format", "--quiet"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        text = done.stdout
    return text


def main() -> int:
    """Write or check the files; return the exit code."""
    for name in SOURCES:
        text = make(name)
        if "--check" not in sys.argv:
            (TARGET / name).write_text(text, encoding="utf-8")
        elif (TARGET / name).read_text(encoding="utf-8") != text:
            print(f"sync/{name} is not current; run: make sync", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
