"""What the string literals under the fields of results say, for the doors that describe them.

The source of a module is read once for all its classes. Pydantic would read it anew for each mention of one, which took
a quarter of the time in which a server starts.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import pairwise
from types import MappingProxyType

from yesteryear.core.language.dates import Period
from yesteryear.core.results import Plain
from yesteryear.core.scope import Scope

_PARTS = (Period, Scope)
"""What results hold that is none itself."""


@cache
def meanings(kind: type) -> Mapping[str, str]:
    """Return what stands under the fields of a class, by their names."""
    found = _classes(kind.__module__).get(kind.__qualname__)
    body = found.body if found else []
    return {
        first.target.id: inspect.cleandoc(str(second.value.value))
        for first, second in pairwise(body)
        if isinstance(first, ast.AnnAssign)
        and isinstance(first.target, ast.Name)
        and isinstance(second, ast.Expr)
        and isinstance(second.value, ast.Constant)
    }


def describe_results() -> None:
    """Let the fields of all results say what they mean to whoever asks a dataclass for it, as pydantic does."""
    for kind in (*_below(Plain), *_PARTS):
        for field in fields(kind) if is_dataclass(kind) else ():
            if field.name in meanings(kind) and "description" not in field.metadata:
                field.metadata = MappingProxyType({**field.metadata, "description": meanings(kind)[field.name]})


def _below(kind: type) -> Iterator[type]:
    known: list[type] = kind.__subclasses__()
    for one in known:
        yield one
        yield from _below(one)


@cache
def _classes(module: str) -> Mapping[str, ast.ClassDef]:
    """Return the classes at the top of a module."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
