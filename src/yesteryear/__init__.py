"""Long-term memory for conversational AI.

``yesteryear.open("memory.db")`` opens a memory, ``engine.memory(user="ana")`` is the door to one person's, and its
verbs do the rest. What one needs for that stands in the stub beside this file, which type checkers read, and is loaded
from where that says when it is first used: importing costs nothing. What else verbs give back is in ``results``.
"""

from functools import cache
from importlib import import_module
from warnings import warn


@cache
def _homes() -> dict[str, str]:
    """Return the module of each public name."""
    import ast
    from importlib.resources import files

    stub = ast.parse((files(__name__) / "__init__.pyi").read_text(encoding="utf-8"))
    imports = (node for node in stub.body if isinstance(node, ast.ImportFrom))
    return {alias.name: node.module or "" for node in imports for alias in node.names}


def __getattr__(name: str) -> object:
    if name == "__all__":
        return __dir__()
    if name in _homes():
        value = globals()[name] = getattr(import_module(_homes()[name]), name)
        return value
    if name[:1].isupper() and name in (results := import_module("yesteryear.results")).__all__:
        warn(f"from yesteryear.results import {name}, not from yesteryear", DeprecationWarning, stacklevel=2)
        return getattr(results, name)
    raise AttributeError(f"module 'yesteryear' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_homes())
