"""How much one operation may ask for: measured before anything is read, from the query alone.

What makes checking a query slow is counted before it is checked: each field is compared with all others of its name in
the same place, and each fragment with all others.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any

import graphql
from graphql import OperationDefinitionNode, SelectionSetNode
from strawberry.extensions import SchemaExtension

from yesteryear.errors import TooLarge

_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"""|"(?:[^"\\\n]|\\.)*+"?|[_A-Za-z]\w*+|-?\d[\w.+-]*+|\.{3}|#[^\n]*+|[^\s,]', re.DOTALL
)
"""What a query is made of, words within texts as one; comments count too."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """The most that one operation may ask for."""

    chars: int = 50_000  # characters of a query
    tokens: int = 1_200  # tokens of a query; the query that tools send to learn the whole schema has some 300
    fields: int = 300
    """Fields that are written down; the query that tools send has 75. Checking as many takes some 30 ms."""
    repeats: int = 10
    """Fields that stand there already under the same name. Checking 400 takes a second, as their pairs do."""
    fragments: int = 20
    """Places where a named fragment is taken in; the query that tools send has 9. Checking 60 takes .4 s."""
    depth: int = 10
    """Fields inside fields. The deepest useful way is some 6: facts, episode, facts, evidence, message, content."""
    aliases: int = 30  # fields that are given another name, fragments written out
    cost: int = 50_000
    """Values of an answer, as many as there may be: a page of 1000 facts with 20 fields each costs 21,000."""
    verb_cost: int = 100
    """What a field at the root costs beside its values: it reads rows, and perhaps embeds a question."""
    page: int = 100  # rows that a page is taken to have where no limit is given
    inner_page: int = 10
    """Values that a list inside a row is taken to have; an episode has 15 messages at most as it is delivered."""
    timeout_s: float = 30.0  # longest time for a query, in seconds
    change_timeout_s: float = 600.0
    """Longest time for a mutation, in seconds: one that waits for a night takes minutes. What is committed stays."""
    subscriptions: int = 20  # operations at a time on one socket
    queries_kept: int = 64
    """Queries that are kept as they were read and found valid, so that the same again costs half; each takes up to a
    megabyte."""
    greeting_s: float = 10.0  # longest time until a socket says who it is, in seconds


@dataclass(frozen=True, slots=True)
class QueryCost:
    """What an operation, or a part of it, asks for."""

    depth: int = 0
    aliases: int = 0
    cost: int = 0

    def __add__(self, other: QueryCost) -> QueryCost:
        return QueryCost(max(self.depth, other.depth), self.aliases + other.aliases, self.cost + other.cost)


def _count_written(document: graphql.DocumentNode) -> dict[str, int]:
    """Count what a document that nobody has checked has written down, without looking into fragments where taken in."""
    found = {"fields": 0, "repeats": 0, "fragments": 0}
    places: list[tuple[SelectionSetNode, set[str]]] = [
        (part.selection_set, set())
        for part in document.definitions
        if isinstance(part, OperationDefinitionNode | graphql.FragmentDefinitionNode)
    ]
    while places:
        chosen, names = places.pop()
        for part in chosen.selections:
            if isinstance(part, graphql.FieldNode):
                name = (part.alias or part.name).value
                found["fields"] += 1
                found["repeats"] += name in names
                names.add(name)
                if part.selection_set is not None:
                    places.append((part.selection_set, set()))
            elif isinstance(part, graphql.InlineFragmentNode):
                places.append((part.selection_set, names))  # what it holds stands in the same place
            else:
                found["fragments"] += 1
    return found


@dataclass(frozen=True)
class CostMeasurer:
    """Measures the operations of one valid document. Each fragment is measured once, however often it is used."""

    _schema: graphql.GraphQLSchema
    _document: graphql.DocumentNode
    _variables: Mapping[str, Any]
    _limits: QueryLimits
    _measured: dict[str, QueryCost] = field(default_factory=dict)  # fragments by their names

    def measure(self, operation: OperationDefinitionNode) -> QueryCost:
        """Return what an operation asks for."""
        root = self._schema.get_root_type(operation.operation)
        found = self._selection(operation.selection_set, root)
        return replace(found, cost=found.cost + self._limits.verb_cost * len(operation.selection_set.selections))

    def _selection(self, chosen: SelectionSetNode | None, parent: graphql.GraphQLNamedType | None) -> QueryCost:
        found = QueryCost()
        for part in chosen.selections if chosen is not None else ():
            if isinstance(part, graphql.FieldNode):
                found += self._field(part, parent)
            elif isinstance(part, graphql.FragmentSpreadNode):
                found += self._fragment(part.name.value)
            elif isinstance(part, graphql.InlineFragmentNode):
                named = part.type_condition
                inside = self._schema.get_type(named.name.value) if named else parent
                found += self._selection(part.selection_set, inside)
        return found

    def _fragment(self, name: str) -> QueryCost:
        if name not in self._measured:
            for each in self._document.definitions:
                if isinstance(each, graphql.FragmentDefinitionNode) and each.name.value == name:
                    kind = self._schema.get_type(each.type_condition.name.value)
                    self._measured[name] = self._selection(each.selection_set, kind)
        return self._measured[name]

    def _field(self, asked: graphql.FieldNode, parent: graphql.GraphQLNamedType | None) -> QueryCost:
        aliases = int(asked.alias is not None)
        if asked.name.value.startswith("__"):  # what there is to ask; graphql-core has a limit for it
            return QueryCost(aliases=aliases, cost=1)
        defined = parent.fields[asked.name.value] if isinstance(parent, graphql.GraphQLObjectType) else None
        inside = self._selection(asked.selection_set, defined and graphql.get_named_type(defined.type))
        is_list = defined is not None and graphql.is_list_type(graphql.get_nullable_type(defined.type))
        rows = self._rows(asked, is_list=is_list)
        return QueryCost(1 + inside.depth, aliases + inside.aliases, 1 + rows * inside.cost)

    def _rows(self, asked: graphql.FieldNode, *, is_list: bool) -> int:
        """Return how many rows a field is taken to have: what holds a page has its limit among its arguments."""
        for argument in asked.arguments or ():
            if argument.name.value != "limit":
                continue
            given = argument.value
            if isinstance(given, graphql.IntValueNode):
                return max(int(given.value), 1)
            most = self._variables.get(given.name.value) if isinstance(given, graphql.VariableNode) else None
            return max(most, 1) if isinstance(most, int) else self._limits.page
        return self._limits.inner_page if is_list else 1


class LimitsExtension(SchemaExtension):
    """Holds operations to limits."""

    def __init__(self, limits: QueryLimits) -> None:
        super().__init__()
        self._limits = limits

    def on_operation(self) -> Iterator[None]:
        """Refuse a query that is too long before it is read: reading is what costs most of one that is refused."""
        query = self.execution_context.query or ""
        if len(query) > self._limits.chars:
            raise TooLarge(f"a query has at most {self._limits.chars} characters; use variables for long texts")
        if next(islice(_TOKEN.finditer(query), self._limits.tokens, None), None) is not None:
            raise TooLarge(f"a query has at most {self._limits.tokens} tokens; ask for less at once")
        self.execution_context.parse_options["max_tokens"] = self._limits.tokens
        yield

    def on_validate(self) -> Iterator[None]:
        """Count what is written down, and measure what is valid."""
        context = self.execution_context
        if context.graphql_document is not None:
            self._check(_count_written(context.graphql_document))
        yield
        if context.pre_execution_errors or context.graphql_document is None:
            return
        schema = context.schema._schema  # noqa: SLF001 - strawberry shows it nowhere else
        measurer = CostMeasurer(schema, context.graphql_document, context.variables or {}, self._limits)
        for part in context.graphql_document.definitions:
            if isinstance(part, OperationDefinitionNode):
                self._check(asdict(measurer.measure(part)))

    async def on_execute(self) -> AsyncIterator[None]:
        """End what takes too long; a subscription is only begun here, and goes on."""
        is_query = self.execution_context.operation_type.value == graphql.OperationType.QUERY.value
        async with asyncio.timeout(self._limits.timeout_s if is_query else self._limits.change_timeout_s):
            yield

    def _check(self, found: Mapping[str, int]) -> None:
        for name, asked in found.items():
            most = getattr(self._limits, name)
            if asked > most:
                raise TooLarge(f"the query's {name} is {min(asked, 10**9)}, and {most} is the most; ask for less")
