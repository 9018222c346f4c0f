"""The source files as syntax trees, for the tests of this folder."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "yesteryear"
LABORATORY = ROOT / "lab" / "yesteryear_lab"

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One Python file."""

    name: str
    """Path within the package, or within the repository for files outside it, with forward slashes."""
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax; read when it is asked for, since most of a second goes into each hundred files."""
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of its syntax; going through the tree again takes as long as reading it."""
        return tuple(ast.walk(self.tree))

    @property
    def lines(self) -> int:
        """Number of lines."""
        return len(self.text.splitlines())

    def functions(self) -> Iterator[Function]:
        """Yield all functions and methods, nested ones too."""
        return (node for node in self.nodes if isinstance(node, Function))


def parse(text: str, name: str = "example.py") -> Source:
    """Return a source made from text."""
    return Source(name, text)


@cache
def package() -> tuple[Source, ...]:
    """Return the files of the package and of the laboratory, in order."""
    return (*_read(PACKAGE, PACKAGE), *_read(LABORATORY, LABORATORY.parent))


@cache
def suite() -> tuple[Source, ...]:
    """Return the files of the tests, in order."""
    return _read(ROOT / "tests", ROOT)


def dotted(node: ast.AST) -> str:
    """Return the dotted name that an expression spells, such as ``mock.patch.object``; empty for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else node.attr
    return ""


def calls(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.Call]]:
    """Yield the dotted name and the node of every call."""
    return ((dotted(node.func), node) for node in nodes if isinstance(node, ast.Call))


def _read(folder: Path, start: Path) -> tuple[Source, ...]:
    paths = sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)
    return tuple(parse(path.read_text(encoding="utf-8"), path.relative_to(start).as_posix()) for path in paths)
