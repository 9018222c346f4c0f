"""What ``yesteryear`` offers: complete, sorted, typed, and light to import."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib.resources import files

import pytest

import yesteryear
from yesteryear import results
from yesteryear.memory.engine import AsyncEngine
from yesteryear.memory.memory import AsyncMemory
from yesteryear.memory.talk_verbs import TalkVerbs
from yesteryear.storage.postgres import schema as postgres
from yesteryear.storage.sqlite import schema as sqlite

HEAVY = (
    "numpy",
    "onnxruntime",
    "pydantic_ai",
    "sqlite3",
    "asyncio",
    "typer",
    "rich",
    "snowballstemmer",
    "platformdirs",
    "tzdata",
    "pint",
    "scipy",
)
"""What a process that only imports the package should not pay for."""

TWINS = [(yesteryear.AsyncEngine, yesteryear.Engine), (yesteryear.AsyncMemory, yesteryear.Memory)]
OTHER_NAMES = {"aclose": "close", "__aenter__": "__enter__", "__aexit__": "__exit__"}
"""How the asynchronous face calls what the other calls otherwise."""


def _overloads(face: type) -> list[str]:
    """Return what each overload of ``observe`` takes and returns, as its file says it."""
    found = (node for node in ast.walk(ast.parse(inspect.getsource(face))) if getattr(node, "name", "") == "observe")
    return [
        f"{ast.unparse(node.args)} -> {ast.unparse(node.returns)}"
        for node in found
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns and node.decorator_list
    ]


def test_what_can_be_observed_is_the_same_with_and_without_an_event_loop() -> None:
    """Overloads stand twice, as no type can be made of several."""
    assert len(_overloads(TalkVerbs)) == 2
    assert _overloads(yesteryear.Memory) == _overloads(TalkVerbs)


def test_all_is_sorted_and_without_doubles() -> None:
    """A list that people read should be in order."""
    assert yesteryear.__all__ == sorted(set(yesteryear.__all__))


def test_every_public_name_resolves() -> None:
    """A name in ``__all__`` that cannot be had breaks ``from yesteryear import *``."""
    for name in yesteryear.__all__:
        assert getattr(yesteryear, name).__name__ == name


def test_names_come_from_where_they_are_made() -> None:
    """The stub says it for type checkers and for the interpreter; a name that is passed on has two homes."""
    for name in yesteryear.__all__:
        assert getattr(yesteryear, name).__module__ == yesteryear._homes()[name]


def test_an_unknown_name_is_an_attribute_error() -> None:
    """``hasattr`` and typos need the ordinary error."""
    with pytest.raises(AttributeError, match="no attribute 'remember_everything'"):
        yesteryear.remember_everything  # noqa: B018


def test_few_names_stand_at_the_top_and_the_others_say_where_they_are() -> None:
    """One person can carry two dozen; a name of before still works, and tells its place."""
    assert len(yesteryear.__all__) <= 22
    for name in results.__all__:
        with pytest.warns(DeprecationWarning, match=f"from yesteryear.results import {name}"):
            assert getattr(yesteryear, name) is getattr(results, name)
    assert sorted(results.__all__) == sorted({*results.__all__} - {*yesteryear.__all__})


def test_importing_loads_nothing_heavy() -> None:
    """Importing the package must cost nothing; what is needed is loaded when it is used."""
    loaded = _run("import sys, yesteryear; print(*sys.modules)")
    assert "yesteryear" in loaded.split()
    assert set(HEAVY) & set(loaded.split()) == set()


def test_a_memory_without_models_loads_no_library_of_theirs() -> None:
    """Two seconds and fifty megabytes are for those who name a model."""
    lived = "with yesteryear.open(':memory:', embedder='hashing') as e: e.memory(user='ana').observe('Hello')"
    loaded = _run(f"import sys, yesteryear\n{lived}\nprint(*sys.modules)").split()
    assert {"pydantic", "pydantic_ai", "httpx2", "openai", "anyio"} & set(loaded) == set()


@pytest.mark.parametrize(("asynchronous", "synchronous"), TWINS, ids=lambda face: face.__name__)
def test_every_verb_has_its_twin(asynchronous: type, synchronous: type) -> None:
    """Both faces offer the same, with the same arguments and the same words."""
    ours, theirs = _verbs(asynchronous), _verbs(synchronous)
    assert {OTHER_NAMES.get(name, name) for name in ours} == set(theirs)
    for name, verb in ours.items():
        twin = theirs[OTHER_NAMES.get(name, name)]
        assert _plain(inspect.signature(verb)) == _plain(inspect.signature(twin)), name
        assert bool(verb.__doc__) == bool(twin.__doc__), name


def test_types_and_data_are_shipped() -> None:
    """What is missing from the package only shows on other people's machines."""
    for path in ("py.typed", "__init__.pyi"):
        assert (files("yesteryear") / path).is_file()
    for path in (
        "sql/queries.sql",
        "sql/beliefs.sql",
        "sqlite/statements.sql",
        "postgres/statements.sql",
        "postgres/server.sql",
    ):
        assert (files("yesteryear.storage") / path).is_file()
    assert sqlite.SHIPPED
    assert postgres.SHIPPED


def _run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def _verbs(face: type) -> dict[str, object]:
    members = inspect.getmembers(face, inspect.isfunction)
    special = {*OTHER_NAMES, *OTHER_NAMES.values()}
    return {name: verb for name, verb in members if not name.startswith("_") or name in special}


def _plain(signature: inspect.Signature) -> str:
    return re.sub(r"\bAsync(?=Engine|Memory)| at 0x[0-9a-f]+", "", str(signature))


def test_both_faces_say_the_same() -> None:
    """Help and editors that ask Python get all of it."""
    for ours, origin in ((yesteryear.Memory, AsyncMemory), (yesteryear.Engine, AsyncEngine)):
        told = {name: getattr(origin, name).__doc__ for name in dir(origin) if not name.startswith("_")}
        both = {name for name, docstring in told.items() if docstring and hasattr(ours, name)}
        assert len(both) > 3
        assert {name for name in both if getattr(ours, name).__doc__ != told[name]} == set()
