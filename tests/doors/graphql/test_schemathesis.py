"""Every operation is asked what nobody expected: no error of the server, none that tells what is inside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from graphql import introspection_from_schema
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.graphql import nodes, scalar

from tests.doors.graphql.conftest import SAID, Stage, on_stage, tell
from yesteryear import errors
from yesteryear.api.graphql.schema import TIMEOUT, build_schema

KNOWN = {kind.code for kind in vars(errors).values() if isinstance(kind, type) and hasattr(kind, "code")} | {TIMEOUT}
"""Codes of what is not our own fault."""
FIELDS = [
    name
    for root in (build_schema()._schema.query_type, build_schema()._schema.mutation_type)
    if root is not None
    for name in root.fields
]


@pytest.fixture(scope="module")
def busy() -> Iterator[tuple[Stage, dict[str, Any]]]:
    """A memory that knows what Ana says, and its operations by name."""
    scalar("Long", st.integers(-(2**60), 2**60).map(nodes.Int))
    with on_stage() as stage:
        tell(stage, *SAID)
        schema = schemathesis.graphql.from_dict(dict(introspection_from_schema(build_schema()._schema)))
        operations = [found.ok() for found in schema.get_all_operations()]
        yield stage, {operation.definition.field_name: operation for operation in operations}


@pytest.mark.hypothesis
@pytest.mark.parametrize("field", FIELDS)
def test_nothing_that_can_be_asked_breaks_it(busy: tuple[Stage, dict[str, Any]], field: str) -> None:
    """A few questions of each kind, four times as many in a build."""
    _ask(busy, field, examples=8 if os.environ.get("CI") else 2)


@pytest.mark.heavy
@pytest.mark.exhaustive
@pytest.mark.parametrize("field", FIELDS)
def test_nothing_that_can_be_asked_breaks_it_ever(busy: tuple[Stage, dict[str, Any]], field: str) -> None:
    """Five hundred of each."""
    _ask(busy, field, examples=500)


def _ask(busy: tuple[Stage, dict[str, Any]], field: str, *, examples: int) -> None:
    stage, operations = busy
    with requests.Session() as session:

        @settings(
            max_examples=examples,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            database=None,
        )
        @given(case=operations[field].as_strategy())
        def ask(case: Any) -> None:
            response = case.call(base_url=stage.url, session=session, headers=stage.headers, timeout=60)
            assert response.status_code < 500, response.text
            if response.status_code == 200:
                told = response.json()
                assert set(told) <= {"data", "errors"}
                codes = {error["extensions"]["code"] for error in told.get("errors", ())}
                assert codes <= KNOWN, told["errors"]

        ask()
