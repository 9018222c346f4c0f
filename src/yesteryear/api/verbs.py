"""Every verb of a memory as the doors know it: the one declaration from which requests and guards are made.

What a verb takes, what it gives and what is said of it stand in its signature and docstring, in ``talk_verbs``,
``belief_verbs``, ``number_verbs``, ``graph_verbs`` and ``rights_verbs`` of ``memory``; they are read here, and so is
what the string literals under the fields of its result say. What only doors need to know stands here: the right that
it takes, and whether the audit tells of it. A verb without a right here is at no door.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from functools import cache, cached_property
from itertools import pairwise
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from yesteryear.consolidate.belief.queries import FactView
from yesteryear.core.access.arguments import NamesOne, OneOf, Within
from yesteryear.core.access.keys import Right
from yesteryear.core.language.dates import Period
from yesteryear.core.results import Plain
from yesteryear.core.scope import Scope
from yesteryear.errors import NotFound
from yesteryear.forget.propose import Proposal
from yesteryear.memory.calls import ScopedVerbs
from yesteryear.memory.memory import AsyncMemory

REQUIRED: Final = inspect.Parameter.empty  # default of a parameter that has none
_ARGUMENT = re.compile(r"^ {4}(?P<names>\w+(?:, \w+)*): (?P<about>.*(?:\n {8,}.*)*)", re.MULTILINE)
"""An entry below ``Args`` in a docstring, which may be about several parameters."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """Something that a verb takes and that a caller at a door can say."""

    name: str
    kind: type
    """``str``, ``int``, ``bool``, ``datetime``, or ``NamesOne`` for an id; each door says it in its own types."""
    default: Any  # ``REQUIRED`` where it has to be passed
    about: str  # what it means, in Markdown
    is_list: bool = False
    is_nullable: bool = False
    choices: tuple[str, ...] = ()  # all that may be said; empty for anything
    bounds: Within | None = None


@dataclass(frozen=True)
class Verb:
    """A verb, and what doors have to know of it."""

    name: str
    right: Right  # the right that it takes, whichever door it is called at
    is_noted: bool = True  # whether the audit has a row of each call under this name; of what only looks it never has

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """What it takes, in order. What no caller at a door can say, such as a path or a function, is left out."""
        hints, about = self._hints, _read_arguments(inspect.getdoc(self._function) or "")
        found = (
            _read_parameter(each, hints[each.name], about.get(each.name, ""))
            for each in inspect.signature(self._function).parameters.values()
            if each.name in hints and each.kind is not each.VAR_KEYWORD
        )
        return MappingProxyType({each.name: each for each in found if each is not None})

    @property
    def gives(self) -> Any:  # noqa: ANN401 - annotations have no better type
        """The type of its result."""
        return self._hints["return"]

    @property
    def sentence(self) -> str:
        """What it does, in one sentence."""
        return sentence_of(self._function)

    @property
    def about(self) -> str:
        """What it does, with all that is to be known of it, in Markdown."""
        told = re.split(r"\n\n(?:Args|Returns|Raises):\n", inspect.getdoc(self._function) or "")[0]
        return "\n\n".join(map(plainly, told.split("\n\n")))

    def call(self, memory: ScopedVerbs, given: Mapping[str, Any]) -> Any:  # noqa: ANN401 - awaited, or what it gives
        """Call it with arguments by name; what is not given has its default."""
        named = dict(given)
        spread = (named.pop(self._spread) or ()) if self._spread in named else ()
        return getattr(memory, self.name)(*spread, **named)

    @cached_property
    def _spread(self) -> str | None:
        """The parameter that takes as many positional arguments as there are."""
        each = inspect.signature(self._function).parameters.values()
        return next((found.name for found in each if found.kind is found.VAR_POSITIONAL), None)

    @property
    def _function(self) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(AsyncMemory, self.name)
        return function

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self._function, include_extras=True)


def _read_parameter(declared: inspect.Parameter, hint: object, about: str) -> Parameter | None:
    """Return what a parameter is; None for what a door cannot pass on, or says in its own way."""
    default, is_list = declared.default, False
    if declared.kind is declared.VAR_POSITIONAL:
        is_list, default, hint = True, None, Union[hint, None]  # noqa: UP007 - made at run time
    parts = set(get_args(hint)) if get_origin(hint) in (Union, UnionType) else {hint}
    is_nullable, parts = type(None) in parts, parts - {type(None)}
    if datetime in parts:
        return Parameter(declared.name, datetime, default, about, is_nullable=is_nullable)
    (inner, *others) = parts
    if others:
        return None
    if get_origin(inner) is Collection:
        is_list, (inner,) = True, get_args(inner)
    base, *marks = get_args(inner) if get_origin(inner) is Annotated else (inner,)
    if base not in (str, int, bool):
        return None
    kind = NamesOne if any(isinstance(mark, NamesOne) for mark in marks) else base
    choices = next((mark.words for mark in marks if isinstance(mark, OneOf)), ())
    bounds = next((mark for mark in marks if isinstance(mark, Within)), None)
    return Parameter(declared.name, kind, default, about, is_list, is_nullable, choices, bounds)


def _read_arguments(docstring: str) -> dict[str, str]:
    section = docstring.partition("\nArgs:\n")[2].partition("\n\n")[0]
    return {
        name: plainly(found["about"]) for found in _ARGUMENT.finditer(section) for name in found["names"].split(", ")
    }


def keyword(name: str, kind: Any, default: object = REQUIRED) -> inspect.Parameter:  # noqa: ANN401 - an annotation
    """Return a parameter of a signature that is made at run time."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def sentence_of(told: object) -> str:
    """Return the first paragraph of a docstring, as one line."""
    return plainly((inspect.getdoc(told) or "").split("\n\n")[0])


def plainly(text: str) -> str:
    """Return words about Python as words about data, on one line."""
    return re.sub(r"\bNone\b", "null", " ".join(text.replace("``", "`").split()))


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
    """Let the fields of all results, and of what they hold, say what they mean, as pydantic asks a dataclass for it.

    Pydantic would read the source anew for each mention of a class, which took a quarter of the time in which a server
    starts.
    """
    for kind in (*_below(Plain), Period, Scope):
        for each in fields(kind) if is_dataclass(kind) else ():
            if each.name in meanings(kind) and "description" not in each.metadata:
                each.metadata = MappingProxyType({**each.metadata, "description": meanings(kind)[each.name]})


def _below(kind: type) -> Iterator[type]:
    known: list[type] = kind.__subclasses__()
    for one in known:
        yield one
        yield from _below(one)


@cache
def _classes(module: str) -> Mapping[str, ast.ClassDef]:
    """Return the classes at the top of a module, whose source is read once for all of them."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


_RIGHTS: Mapping[Right, str] = {
    Right.READ: "context recall why messages conversations episodes facts people open_loops metrics "
    "correlations graph changes conflicts proposals diff nights stats",
    Right.WRITE: "observe close_episode keep extract flush retry confirm refute both_hold same not_same "
    "correct resolve dismiss pin unpin restore forget consolidate undo fade",
    Right.ADMIN: "usage configure reread export import_ erase",
}
_UNNOTED = frozenset({"observe", "flush"})
"""The journal tells what was taken down and when; a second commit for each message would halve how many can be."""
VERBS: Mapping[str, Verb] = MappingProxyType(
    {
        name: Verb(name, right, is_noted=name not in _UNNOTED)
        for right, names in _RIGHTS.items()
        for name in names.split()
    }
)
"""All of them by name, in the order in which they are listed."""

SAYS: Mapping[tuple[str, type | None], str] = MappingProxyType(
    {
        ("confirm", FactView): "Note that the person said yes to a fact.",
        ("refute", FactView): "Note that the person said no to a fact: it is not believed any more.",
        ("confirm", Proposal): (
            "Carry out a proposal to forget: what it is about is hidden, and erased when its days are over."
        ),
        ("refute", Proposal): "Withdraw a proposal to forget; nothing goes.",
    }
)
"""What a verb does to one kind of things that go by an id, for doors that have a way of its own to each of them."""


async def check_is(memory: AsyncMemory, kind: type, name: str) -> None:
    """Make sure that an id is a proposal's, or a fact's: ``confirm`` and ``refute`` take both."""
    if kind is Proposal:
        if all(proposal.id != name for proposal in await memory.proposals()):
            raise NotFound(f"there is no open proposal {name!r} in this scope; `proposals` lists those that there are")
    elif not await memory.facts(ids=[name], status="all"):
        raise NotFound(f"there is no fact {name!r} in this scope; `facts` lists those that there are")
