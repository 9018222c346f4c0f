"""Sizes and habits that keep the code readable, counted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from statistics import quantiles

import pytest

from tests.architecture.tree import Function, Source, calls, dotted, package, parse, suite

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_P90_FUNCTION_LINES = 35
MAX_MOCKS_PER_100_TESTS = 5

FORBIDDEN_NAMES = {"utils", "util", "helpers", "common", "base", "manager", "service", "services", "types", "models"}

CHOOSES_WHAT_IS_LOADED = (
    *("yesteryear_lab/commands/", "providers/registry.py", "bootstrap/"),
    *(
        "cli/__init__.py",
        "cli/app.py",
        "cli/invocation.py",
        "cli/commands/asking.py",
        "cli/commands/serving.py",
        "cli/commands/setup.py",
    ),
)
"""Where modules of ours may be imported inside functions; and in ``__getattr__`` of a package."""

OF_LAB = "yesteryear_lab/"
"""Where the files of the laboratory lie."""

TAKES_UP_ANY_ERROR = {"worker.py", "api/guards.py", "api/mcp/server.py", "api/rest/operations.py"}
"""Where ``Exception`` may be caught."""

TAKES_UP_ERRORS_TO_TELL = {
    "core/rows/due_work.py": "one job's failure, for its row",
    "storage/sql/queued_call.py": "one call's failure, for its caller",
}
"""Context managers that hold any error for somebody else to hear, and for whom."""

READS_THE_ENVIRONMENT = {
    "bootstrap/": "settings",
    "cli/": "the terminal",
    "providers/minilm/install.py": "passes it on to pip",
}
"""Who may look at the environment, and for what."""

MOCKS = {"Mock", "MagicMock", "AsyncMock", "NonCallableMock", "PropertyMock", "create_autospec", "mock_open", "patch"}
PATCHES = {"setattr", "delattr", "setitem", "delitem", "replace"}

UNIT_OR_RANGE = re.compile(
    r"\[.+\]|\bat (least|most)\b|\bfrom \d|\bafter so many\b|\bhow many\b|\bmost\b|\bby what\b"
    r"|\b(micro|milli)?seconds?\b|\bminutes?\b|\bhours?\b|\bdays?\b"
    r"|\btokens?\b|\bcharacters?\b|\bletters?\b|\bwords?\b|\bsentences?\b|\bbytes?\b|\bmessages?\b|\bhits\b|\bowners\b"
    r"|\bnumber of\b|\bshare\b|\bfactor\b|\btimes\b|\bstandard deviations?\b|\bcosine\b",
    re.IGNORECASE,
)
"""What tells in which unit or range a number is meant."""


WEIGHTS = re.compile(r"\bweights?\b[^.]*\[.+\]", re.DOTALL)
"""How the docstring of a class speaks for fields that are all weights."""


def function_lines(function: Function) -> int:
    """Return how many lines a function takes, its docstring included."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def count_mocks(nodes: Iterable[ast.AST]) -> int:
    """Return how often something is mocked or patched; what only sets the environment or a folder does not count."""
    return sum(_is_mock(name.split(".")) for name, _ in calls(nodes))


def _is_mock(parts: list[str]) -> bool:
    if parts[0] in ("monkeypatch", "mocker"):
        return parts[0] == "mocker" or parts[-1] in PATCHES
    return bool(MOCKS & set(parts))


def hidden_imports(source: Source) -> Iterator[int]:
    """Yield the lines in which a function imports modules of ours."""
    for function in source.functions():
        if function.name == "__getattr__" and source.name.endswith("__init__.py"):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = ["yesteryear" if node.level else node.module or ""]
            elif isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] in ("import_module", "__import__"):
                names = ["yesteryear"]
            else:
                continue
            if any(name.split(".")[0] == "yesteryear" for name in names):
                yield node.lineno


def broad_handlers(nodes: Iterable[ast.AST]) -> Iterator[ast.ExceptHandler]:
    """Yield the handlers of ``Exception``, of ``BaseException`` and of everything that do not raise it again."""
    for node in nodes:
        if isinstance(node, ast.ExceptHandler):
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            is_broad = any(kind is None or dotted(kind) in ("Exception", "BaseException") for kind in kinds)
            last = node.body[-1]
            if is_broad and not (isinstance(last, ast.Raise) and last.exc is None):
                yield node


def policy_fields(source: Source) -> Iterator[tuple[ast.ClassDef, ast.AnnAssign, str | None]]:
    """Yield the class, the field, and what is said of it beside or below, for each number, flag or text of a policy."""
    lines = source.text.splitlines()
    for policy in source.nodes:
        if not isinstance(policy, ast.ClassDef) or not policy.name.endswith("Policy"):
            continue
        for field, after in zip(policy.body, [*policy.body[1:], None], strict=True):
            if isinstance(field, ast.AnnAssign) and not ast.unparse(field.annotation).endswith("Policy"):
                is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                beside = lines[field.lineno - 1].partition("  # ")[2]
                yield policy, field, beside or (str(after.value.value) if is_text else None)


def test_files_are_short() -> None:
    """A file that is too long holds two subjects."""
    too_long = {source.name: source.lines for source in package() if source.lines > MAX_FILE_LINES}
    assert not too_long


def test_functions_are_short() -> None:
    """A function that is too long does two things."""
    lengths = {
        f"{source.name}:{function.lineno} {function.name}": function_lines(function)
        for source in package()
        for function in source.functions()
    }
    assert {name: lines for name, lines in lengths.items() if lines > MAX_FUNCTION_LINES} == {}
    assert quantiles(lengths.values(), n=10)[-1] <= MAX_P90_FUNCTION_LINES


def test_nothing_of_ours_is_imported_inside_functions() -> None:
    """An import inside a function hides a dependency, most often a circle."""
    found = [
        f"{source.name}:{line}"
        for source in package()
        if not source.name.startswith(CHOOSES_WHAT_IS_LOADED)
        for line in hidden_imports(source)
    ]
    assert found == []


def test_hidden_imports_are_recognised() -> None:
    """The search above must find what it is for."""
    source = parse(
        "import yesteryear\n"
        "def f():\n    import yesteryear.core\n"
        "def g():\n    from yesteryear import core\n"
        "def h():\n    from . import core\n"
        "def i():\n    import_module('x')\n"
        "def j():\n    import numpy\n"
    )
    assert list(hidden_imports(source)) == [3, 5, 7, 9]


def test_any_error_is_caught_in_the_worker_and_at_doors_only() -> None:
    """Whoever catches everything hides what nobody thought of."""
    assert {source.name for source in package() if list(broad_handlers(source.nodes))} == TAKES_UP_ANY_ERROR


def test_broad_handlers_are_recognised() -> None:
    """The search above must find what it is for, and let go what is raised again."""
    broken = "try:\n    f()\nexcept {}:\n    {}\n"
    for kind in ("Exception", "BaseException as exc", "(ValueError, Exception)"):
        assert len(list(broad_handlers(ast.walk(ast.parse(broken.format(kind, "pass")))))) == 1
    assert list(broad_handlers(ast.walk(ast.parse(broken.format("Exception", "raise"))))) == []
    assert list(broad_handlers(ast.walk(ast.parse(broken.format("ValueError", "pass"))))) == []


def test_only_named_context_managers_take_up_any_error() -> None:
    """A context manager that swallows everything is the same in disguise, so each is listed with whom it tells."""
    found = set()
    for source in package():
        suppressed = (node for name, node in calls(source.nodes) if name.split(".")[-1] == "suppress")
        if any(dotted(kind) in ("Exception", "BaseException") for node in suppressed for kind in node.args):
            found.add(source.name)
        for function in source.functions():
            if function.name in ("__exit__", "__aexit__"):
                checks = (node for name, node in calls(ast.walk(function)) if name == "isinstance")
                if any(dotted(node.args[1]) in ("Exception", "BaseException") for node in checks):
                    found.add(source.name)
    assert found == set(TAKES_UP_ERRORS_TO_TELL)


def test_the_environment_is_read_where_settings_are_read() -> None:
    """A setting that is read elsewhere has no origin that anybody could be told."""
    found = {
        source.name
        for source in package()
        for node in source.nodes
        if dotted(node) in ("os.environ", "os.getenv", "os.environb")
        or (isinstance(node, ast.ImportFrom) and node.module == "os" and {"environ", "getenv"} & _names(node))
    }
    assert [name for name in sorted(found) if not name.startswith(tuple(READS_THE_ENVIRONMENT))] == []


def test_modules_are_named_after_what_they_decide() -> None:
    """A drawer for everything fills up."""
    names = {source.name: source.name.removesuffix(".py").removesuffix("/__init__").split("/") for source in package()}
    assert [name for name, parts in names.items() if FORBIDDEN_NAMES & {part.strip("_") for part in parts}] == []


@pytest.mark.heavy
def test_tests_use_the_real_thing() -> None:
    """A mock tests what its author believes."""
    sources = suite()
    test_count = sum(f.name.startswith("test_") for source in sources for f in source.functions())
    mocks = {source.name: count_mocks(source.nodes) for source in sources}
    used = {name: count for name, count in mocks.items() if count}
    assert sum(used.values()) <= MAX_MOCKS_PER_100_TESTS * test_count / 100, used


def test_mocks_are_recognised() -> None:
    """The count above must count."""
    snippet = """
    @patch("a.b")
    @mock.patch.object(a, "b")
    def test_it(monkeypatch, mocker):
        one, two = Mock(), unittest.mock.MagicMock(return_value=1)
        monkeypatch.setattr(a, "b", 1)
        mocker.spy(a, "b")
        with patch.dict(a): pass
        monkeypatch.setenv("A", "1")
        monkeypatch.chdir(a)
    """
    assert count_mocks(ast.walk(ast.parse(_dedent(snippet)))) == 7


def test_every_number_of_a_policy_says_its_unit_or_range() -> None:
    """A number without a unit is a number that somebody will read in another one."""
    complaints = []
    for source in package():
        for policy, field, doc in policy_fields(source):
            name = f"{source.name}: {policy.name}.{ast.unparse(field.target)}"
            if not doc:
                complaints.append(f"{name} says nothing of itself")
            elif ast.unparse(field.annotation) in ("int", "float"):
                is_weight = WEIGHTS.search(ast.get_docstring(policy) or "")
                if not is_weight and not UNIT_OR_RANGE.search(doc):
                    complaints.append(f"{name} names neither unit nor range: {doc!r}")
    assert complaints == []


def test_there_are_policies() -> None:
    """The test above must have something to look at."""
    assert sum(1 for source in package() for _ in policy_fields(source)) > 20


def _names(node: ast.ImportFrom) -> set[str]:
    return {alias.name for alias in node.names}


def _dedent(text: str) -> str:
    return "\n".join(line[4:] for line in text.splitlines())


def test_a_public_class_has_a_name_of_its_own() -> None:
    """One name means one thing in the whole tree; the faces without an event loop are made from those with one."""
    places: dict[str, list[str]] = {}
    for source in package():
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not source.name.startswith(OF_LAB):
                places.setdefault(node.name, []).append(source.name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
