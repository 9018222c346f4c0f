"""Make the stubs of ``sync``, the verbs without an event loop, from the modules of ``memory`` that have one.

``python tools/make_sync.py`` writes them, ``--check`` tells whether they are current.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "yesteryear"
TARGET = PACKAGE / "sync"
CLASSES = {
    "memory": ("talk_verbs.TalkVerbs", "belief_verbs.BeliefVerbs", "rights_verbs.RightsVerbs", "calls.ScopedVerbs"),
    "engine": ("engine.AsyncEngine",),
}
"""What the class of each stub is made of, by module of ``memory``."""
TWINS = {"aclose": "close", "__aenter__": "__enter__", "__aexit__": "__exit__"}
SHOWN = {"__init__", *TWINS}
"""What a stub has beside public members."""
RULES = (
    (r"\bAsync(Engine|Memory)\b", r"\1"),
    (r"from yesteryear\.memory\.memory import", "from yesteryear.sync.memory import"),
    (r"yesteryear\.open_async", "yesteryear.open"),
    (r"from many tasks", "from many threads"),
    (r"=lambda [_, ]*: [^,)]+", "=..."),
)


def make(name: str) -> str:
    """Return the text of one stub."""
    imports: list[str] = []
    members: list[str] = []
    for origin in CLASSES[name]:
        module, _, face = origin.partition(".")
        for node in ast.parse((PACKAGE / "memory" / f"{module}.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module != "__future__":
                imports.append(ast.unparse(node))
            elif isinstance(node, ast.ClassDef) and node.name == face:
                members += map(ast.unparse, _members(node))
    body = textwrap.indent("\n\n".join(members), "    ")
    text = "\n".join([*dict.fromkeys(imports), f"\nclass {name.title()}:", body])
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return _tidy(text, TARGET / f"{name}.pyi")


def _members(node: ast.ClassDef) -> Iterator[ast.FunctionDef | ast.AnnAssign]:
    """Yield the members of a class as a stub has them: without an event loop, and with one line on each."""
    for member in node.body:
        if not isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if (member.name.startswith("_") and member.name not in SHOWN) or _says_overloads(member, node):
            continue
        if member.name == "__init__":
            yield from _attributes(member)
        told = (ast.get_docstring(member) or "").split("\n")[0]
        nothing: ast.expr = ast.Constant(told) if told else ast.Constant(...)
        yield ast.FunctionDef(
            name=TWINS.get(member.name, member.name),
            args=member.args,
            body=[ast.Expr(nothing)],
            decorator_list=member.decorator_list,
            returns=member.returns,
            lineno=0,
        )


def _says_overloads(member: ast.FunctionDef | ast.AsyncFunctionDef, of: ast.ClassDef) -> bool:
    """Tell whether overloads stand for this member, which then is in no stub."""
    named = [other for other in of.body if isinstance(other, ast.AsyncFunctionDef) and other.name == member.name]
    return len(named) > 1 and not member.decorator_list


def _attributes(init: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AnnAssign]:
    """Yield the public attributes that a class gets from the arguments of the same names."""
    types = {argument.arg: argument.annotation for argument in (*init.args.args, *init.args.kwonlyargs)}
    for node in ast.walk(init):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and not node.attr.startswith("_"):
            annotation = types[node.attr] or ast.Constant(...)
            yield ast.AnnAssign(ast.Name(node.attr), annotation, value=None, simple=1)


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
    """Write or check the stubs; return the exit code."""
    for name in CLASSES:
        text, path = make(name), TARGET / f"{name}.pyi"
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"sync/{name}.pyi is not current; run: make sync", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
