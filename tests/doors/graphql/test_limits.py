"""What a query is measured to ask for."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import OperationDefinitionNode, parse
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.api.graphql.limits import CostMeasurer, QueryCost, QueryLimits
from yesteryear.api.graphql.schema import build_schema

SCHEMA = build_schema()._schema
LIMITS = QueryLimits(verb_cost=0, page=100, inner_page=10)
leaves = st.lists(st.sampled_from(["id", "label", "other: label", "status"]), min_size=1, max_size=4)


def _measure(query: str, **variables: Any) -> QueryCost:
    document = parse(query)
    (operation,) = [part for part in document.definitions if isinstance(part, OperationDefinitionNode)]
    return CostMeasurer(SCHEMA, document, variables, LIMITS).measure(operation)


@pytest.mark.parametrize(
    ("query", "cost", "depth"),
    [
        ("{ stats }", 1, 1),
        ("{ facts(limit: 3) { id label } }", 1 + 3 * 2, 2),
        ("query ($n: Int!) { facts(limit: $n) { id } }", 1 + 7, 2),
        ("query ($m: Int! = 5) { facts(limit: $m) { id } }", 1 + 100, 2),
        ("{ conversations { id } }", 1 + 10, 2),
        ("{ episodes(limit: 2) { messages { id seq } } }", 1 + 2 * (1 + 10 * 2), 3),
        ("{ why(id: 1) { fact { evidence { quote } } } }", 1 + 1 + 1 + 10, 4),
        ("{ __schema { types { name } } }", 1, 0),
        ("{ facts(limit: 1) { ... on KnowledgeNode { id } ... { label } } }", 1 + 2, 2),
    ],
)
def test_a_query_costs_what_its_answer_may_hold(query: str, cost: int, depth: int) -> None:
    """Rows times fields, all the way down; where a page's size is left open it counts as a large one."""
    assert _measure(query, n=7) == QueryCost(depth=depth, aliases=0, cost=cost)


@given(parts=st.lists(leaves, min_size=1, max_size=4))
def test_a_fragment_counts_as_if_it_were_written_out(parts: list[list[str]]) -> None:
    """Hiding fields in fragments makes nothing cheaper."""
    plain = "{ facts(limit: 2) { " + " ".join(" ".join(part) for part in parts) + " } }"
    named = "{ facts(limit: 2) { " + " ".join(f"...f{number}" for number in range(len(parts))) + " } } "
    named += " ".join(f"fragment f{n} on KnowledgeNode {{ {' '.join(part)} }}" for n, part in enumerate(parts))
    assert _measure(named) == _measure(plain)


def test_fragments_that_double_are_measured_in_no_time() -> None:
    """A hundred that use the next one twice would never end if they were written out."""
    chain = "".join(f"fragment f{n} on KnowledgeNode {{ ...f{n + 1} ...f{n + 1} }} " for n in range(100))
    found = _measure("{ facts(limit: 1) { ...f0 } } " + chain + "fragment f100 on KnowledgeNode { a: id }")
    assert (found.aliases, found.cost, found.depth) == (2**100, 2**100 + 1, 2)
