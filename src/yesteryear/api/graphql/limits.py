"""How much one operation may ask for: measured before anything is read, from the query alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    IntValueNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_list_type,
)
from strawberry.extensions import SchemaExtension

from yesteryear.errors import TooLarge


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """The most that one operation may ask for."""

    chars: int = 50_000
    """Characters of a query."""
    tokens: int = 2_000
    """Tokens of a query; the query that tools send to learn the whole schema has some 300."""
    depth: int = 10
    """Fields inside fields. The deepest useful way is some 6: facts, episode, facts, evidence, message, content."""
    aliases: int = 30
    """Fields that are given another name, fragments written out."""
    cost: int = 50_000
    """Values of an answer, as many as there may be: a page of 1000 facts with 20 fields each costs 21,000."""
    verb_cost: int = 100
    """What a field at the root costs beside its values: it reads rows, and perhaps embeds a question."""
    page: int = 100
    """Rows that a page is taken to have where no limit is given."""
    inner_page: int = 10
    """Values that a list inside a row is taken to have; an episode has 15 messages at most as it is delivered."""
    timeout_s: float = 30.0
    """Longest time for a query, in seconds."""
    change_timeout_s: float = 600.0
    """Longest time for a mutation, in seconds: one that waits for a night takes minutes. What is committed stays."""
    subscriptions: int = 20
    """Operations at a time on one socket."""
    queries_kept: int = 64
    """Queries that are kept as they were read and found valid, so that the same again costs half; each takes up to a
    megabyte."""
    greeting_s: float = 10.0
    """Longest time until a socket says who it is, in seconds."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What an operation, or a part of it, asks for."""

    depth: int = 0
    aliases: int = 0
    cost: int = 0

    def beside(self, other: Measured) -> Measured:
        """Return both together."""
        return Measured(max(self.depth, other.depth), self.aliases + other.aliases, self.cost + other.cost)


class Measurer:
    """Measures the operations of one document. Each fragment is measured once, however often it is used.

    Args:
        schema: What can be asked.
        document: A valid document: its fragments are there, and none holds itself.
        variables: What the caller gave.
        limits: How long pages are taken to be.
    """

    def __init__(
        self, schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, Any], limits: QueryLimits
    ) -> None:
        self._schema = schema
        self._variables = variables
        self._limits = limits
        self._fragments = {
            part.name.value: part for part in document.definitions if isinstance(part, FragmentDefinitionNode)
        }
        self._measured: dict[str, Measured] = {}

    def measure(self, operation: OperationDefinitionNode) -> Measured:
        """Return what an operation asks for."""
        root = self._schema.get_root_type(operation.operation)
        found = self._selection(operation.selection_set, root)
        return replace(found, cost=found.cost + self._limits.verb_cost * len(operation.selection_set.selections))

    def _selection(self, chosen: SelectionSetNode | None, parent: GraphQLNamedType | None) -> Measured:
        found = Measured()
        for part in chosen.selections if chosen is not None else ():
            if isinstance(part, FieldNode):
                found = found.beside(self._field(part, parent))
            elif isinstance(part, FragmentSpreadNode):
                found = found.beside(self._fragment(part.name.value))
            else:
                named = part.type_condition  # type: ignore[attr-defined] # an inline fragment
                inside = self._schema.get_type(named.name.value) if named else parent
                found = found.beside(self._selection(part.selection_set, inside))  # type: ignore[attr-defined]
        return found

    def _fragment(self, name: str) -> Measured:
        if name not in self._measured:
            fragment = self._fragments[name]
            self._measured[name] = self._selection(
                fragment.selection_set, self._schema.get_type(fragment.type_condition.name.value)
            )
        return self._measured[name]

    def _field(self, field: FieldNode, parent: GraphQLNamedType | None) -> Measured:
        if field.name.value.startswith("__"):  # what there is to ask; graphql-core has a limit for it
            return Measured(aliases=int(field.alias is not None), cost=1)
        defined = parent.fields[field.name.value] if isinstance(parent, GraphQLObjectType) else None
        inside = self._selection(field.selection_set, defined and get_named_type(defined.type))
        rows = self._rows(field, is_list=defined is not None and is_list_type(get_nullable_type(defined.type)))
        return Measured(
            depth=1 + inside.depth, aliases=int(field.alias is not None) + inside.aliases, cost=1 + rows * inside.cost
        )

    def _rows(self, field: FieldNode, *, is_list: bool) -> int:
        """Return how many rows a field is taken to have: what holds a page has its limit among its arguments."""
        for argument in field.arguments or ():
            if argument.name.value != "limit":
                continue
            given = argument.value
            if isinstance(given, IntValueNode):
                return max(int(given.value), 1)
            asked = self._variables.get(given.name.value) if isinstance(given, VariableNode) else None
            return max(asked, 1) if isinstance(asked, int) else self._limits.page
        return self._limits.inner_page if is_list else 1


class LimitsExtension(SchemaExtension):
    """Holds operations to limits.

    Args:
        limits: Which.
    """

    def __init__(self, limits: QueryLimits) -> None:
        super().__init__()
        self._limits = limits

    def on_operation(self) -> Iterator[None]:
        """Refuse a query that is too long before it is read."""
        if len(self.execution_context.query or "") > self._limits.chars:
            raise TooLarge(f"a query has at most {self._limits.chars} characters; use variables for long texts")
        self.execution_context.parse_options["max_tokens"] = self._limits.tokens
        yield

    def on_validate(self) -> Iterator[None]:
        """Measure what is valid."""
        yield
        context = self.execution_context
        if context.pre_execution_errors or context.graphql_document is None:
            return
        measurer = Measurer(
            context.schema._schema,  # noqa: SLF001 - strawberry shows it nowhere else
            context.graphql_document,
            context.variables or {},
            self._limits,
        )
        for part in context.graphql_document.definitions:
            if isinstance(part, OperationDefinitionNode):
                self._check(measurer.measure(part))

    async def on_execute(self) -> AsyncIterator[None]:
        """End what takes too long; a subscription is only begun here, and goes on."""
        is_query = self.execution_context.operation_type.value == OperationType.QUERY.value
        async with asyncio.timeout(self._limits.timeout_s if is_query else self._limits.change_timeout_s):
            yield

    def _check(self, found: Measured) -> None:
        for name in ("depth", "aliases", "cost"):
            asked, most = getattr(found, name), getattr(self._limits, name)
            if asked > most:
                raise TooLarge(f"the query's {name} is {min(asked, 10**9)}, and {most} is the most; ask for less")
