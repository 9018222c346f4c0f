"""Names that users may rely on: results, errors and their codes."""

from __future__ import annotations

import inspect
import re
import typing
from dataclasses import is_dataclass
from typing import Any

import yesteryear
from tests.each import each
from yesteryear import errors, results
from yesteryear.core.results import Plain
from yesteryear.errors import YesteryearError

ERRORS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, YesteryearError)]
RETRYABLE = {"StorageUnavailable", "Stale", "ProviderUnavailable", "RateLimited", "TooMany"}


def drawn_tree() -> dict[str, str]:
    """Return each error's parent as the module's docstring draws it."""
    parents: dict[str, str] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"    ([│ ├└─]*)([A-Z]\w+)", line)
        if found:
            depth = len(found[1]) // 4
            path[depth:] = [found[2]]
            if depth:
                parents[found[2]] = path[depth - 1]
    return parents


def test_the_tree_of_errors_is_as_it_is_drawn() -> None:
    """Whoever catches a branch relies on the drawing."""
    assert drawn_tree() == {kind.__name__: kind.__mro__[1].__name__ for kind in ERRORS if kind is not YesteryearError}


def test_every_error_has_a_code_of_its_own_and_a_message_that_says_something() -> None:
    """Machines read the code; the class docstring is the default message."""
    assert len({kind.code for kind in ERRORS}) == len(ERRORS)
    for kind in ERRORS:
        assert re.fullmatch(r"[a-z_]+", kind.code)
        assert str(kind()) == kind.__doc__
        assert str(kind("what to do")) == "what to do"


def test_what_may_be_tried_again_says_so() -> None:
    """Retrying anything else only costs time."""
    assert {kind.__name__ for kind in ERRORS if kind.retryable} == RETRYABLE


@each(
    ("kind", "ordinary"),
    [
        (errors.InputError, ValueError),
        (errors.NotFound, LookupError),
        (errors.BudgetError, ValueError),
        (errors.EngineClosed, RuntimeError),
        (errors.MissingExtra, ImportError),
    ],
)
def test_errors_are_also_what_python_calls_them(kind: type[Exception], ordinary: type[Exception]) -> None:
    """Code that knows nothing of us handles them too."""
    assert issubclass(kind, ordinary)


def test_whatever_a_verb_returns_can_be_imported_from_the_package() -> None:
    """Users annotate what they keep."""
    named = {*yesteryear.__all__, *results.__all__}
    for verb in vars(yesteryear.Memory).values():
        if not inspect.isfunction(verb) or verb.__name__.startswith("_"):
            continue
        returned = typing.get_type_hints(verb)["return"]
        for kind in [
            returned,
            *typing.get_args(returned),
            *(part for arg in typing.get_args(returned) for part in typing.get_args(arg)),
        ]:
            if inspect.isclass(kind) and kind.__module__.startswith("yesteryear"):
                assert kind.__name__ in named, f"{verb.__name__} returns {kind.__name__}"


@each(
    "kind",
    [
        found
        for module in (yesteryear, results)
        for name in module.__all__
        if is_dataclass(found := getattr(module, name))
    ],
)
def test_results_are_frozen_and_plain(kind: Any) -> None:
    """What was handed out cannot be changed, and can be written as JSON."""
    assert kind.__dataclass_params__.frozen
    assert issubclass(kind, Plain) or kind is yesteryear.Scope
