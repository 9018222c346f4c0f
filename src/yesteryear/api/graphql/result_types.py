"""Types of GraphQL, made from what the verbs return.

A result is a frozen dataclass whose docstrings say what its fields are. The type has the same fields in camelCase, and
those docstrings as descriptions. Only what document A names differently is written by hand; see ``written``.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from itertools import pairwise
from operator import attrgetter
from types import MappingProxyType, UnionType
from typing import Annotated, Any, NewType, Optional, Union, get_args, get_origin, get_type_hints

import strawberry
from graphql import GraphQLError
from strawberry.schema.config import StrawberryConfig

from yesteryear.api.verbs import plainly
from yesteryear.consolidate.belief.queries import FactView
from yesteryear.core.episode import Episode
from yesteryear.core.fact import Evidence
from yesteryear.core.message import Conversation, Message
from yesteryear.core.results import to_plain
from yesteryear.recall.context import Context

Long = NewType("Long", int)
"""A whole number beyond 32 bits."""
Plain = NewType("Plain", object)
"""Data whose fields have no fixed names."""
BIG_FIELDS = frozenset({"bytes_scanned", "input_tokens", "latency_ms", "output_tokens", "rev", "version"})
"""Whole numbers that may exceed 32 bits, which is all that an Int of GraphQL holds."""


def _parse_long(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise GraphQLError(f"Long is a whole number, not {value!r}")
    return value


CONFIG = StrawberryConfig(
    scalar_map={
        Long: strawberry.scalar(
            name="Long", description="A whole number, up to 2^53 without loss in JSON.", parse_value=_parse_long
        ),
        Plain: strawberry.scalar(name="JSON", description="Data whose fields have no fixed names.", serialize=to_plain),
    }
)
_WRITTEN = "yesteryear.api.graphql.document_types"
WRITTEN: Mapping[type, tuple[str, str]] = MappingProxyType(
    {
        FactView: ("KnowledgeNode", _WRITTEN),
        Evidence: ("FactEvidence", _WRITTEN),
        Episode: ("ConversationEpisode", _WRITTEN),
        Message: ("JournalMessage", _WRITTEN),
        Conversation: ("JournalConversation", _WRITTEN),
        Context: ("MemoryContext", _WRITTEN),
    }
)
"""Results whose types are written by hand: the name of the type, and where it stands."""


def of(
    what: str | Callable[[Any], object],
    description: str | None = None,
    *,
    kind: Any = None,  # noqa: ANN401 - annotations have no better type
) -> Any:  # noqa: ANN401 - stands for a field
    """Return a field that is read from a result, by the name of an attribute or a function, with what it says.

    ``kind`` is what is found there; the field's annotation where not given.
    """
    read = attrgetter(what) if isinstance(what, str) else what

    def resolve(root: Any) -> Any:  # noqa: ANN401 - the field's annotation has the type
        return read(root)

    del resolve.__annotations__["return"]
    shape = None if kind is None else shape_of(kind)
    return strawberry.field(resolver=resolve, description=description, graphql_type=shape)


def resolved(call: Callable[..., Any]) -> Any:  # noqa: ANN401 - stands for a field
    """Make a field of a function whose annotation says what kind of result it returns."""
    returned = get_type_hints(call)["return"]
    make = strawberry.subscription if get_origin(returned) is AsyncGenerator else strawberry.field
    field = make(resolver=call, graphql_type=shape_of(returned), description=sentence(call))
    for argument in field.base_resolver.arguments:
        if argument.default is None:
            argument.default = strawberry.UNSET  # may be left out, which "= null" would say less well
    return field


def shape_of(kind: Any) -> Any:  # noqa: ANN401 - annotations have no better type
    """Return the type of GraphQL for what an annotation stands for."""
    origin, parts = get_origin(kind), [part for part in get_args(kind) if part is not Ellipsis]
    if origin in (Union, UnionType):
        return _shape_of_union(parts)
    if origin is AsyncGenerator:
        return shape_of(parts[0])
    if origin is not None:
        is_list = issubclass(origin, Collection) and not issubclass(origin, Mapping) and len(set(parts)) == 1
        return list[shape_of(parts[0])] if is_list else Plain  # type: ignore[misc]
    if not isinstance(kind, type) or kind in (bool, int, float, str, datetime, date, strawberry.ID):
        return kind if kind is not Any else Plain
    if issubclass(kind, Enum):
        return str
    return _shape_of_result(kind) if is_dataclass(kind) else Plain


def sentence(told: object) -> str:
    """Return the first paragraph of a docstring, as one line."""
    return plainly((inspect.getdoc(told) or "").split("\n\n")[0])


def _shape_of_union(parts: list[Any]) -> Any:  # noqa: ANN401 - annotations have no better type
    shapes = [shape_of(part) for part in parts if part is not type(None)]
    (shape,) = set(shapes)
    return Optional[shape] if len(shapes) < len(parts) else shape  # noqa: UP045 - lazy types know no "|"


@cache
def _shape_of_result(kind: type) -> Any:  # noqa: ANN401 - annotations have no better type
    if kind in WRITTEN:
        name, home = WRITTEN[kind]
        return Annotated[name, strawberry.lazy(home)]
    hints, meanings = get_type_hints(kind), _meanings(kind)
    namespace: dict[str, Any] = {"__annotations__": {}, "__module__": __name__}
    for field in fields(kind):
        shape = shape_of(hints[field.name])
        if field.name == "id" or field.name.endswith("_id"):
            shape = strawberry.ID if hints[field.name] is str else strawberry.ID | None
        elif field.name in BIG_FIELDS:
            shape = Long
        namespace["__annotations__"][field.name] = shape
        namespace[field.name] = strawberry.field(description=meanings.get(field.name))
    return strawberry.type(type(kind.__name__, (), namespace), description=sentence(kind))


def _meanings(kind: type) -> dict[str, str]:
    """Return what the string literals under the fields of a class say."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        first.target.id: plainly(str(second.value.value))
        for first, second in pairwise(body)
        if isinstance(first, ast.AnnAssign)
        and isinstance(first.target, ast.Name)
        and isinstance(second, ast.Expr)
        and isinstance(second.value, ast.Constant)
    }
