"""Whatever is asked, the door answers as its description says, and never fails itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.doors.rest.description import describe
from tests.doors.rest.house import House, say
from tests.script import BLOCKED, GOAL, LISBON

CHECKS: list[Callable[..., Any]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ENDLESS = "GET /v1/events"
"""Has tests of its own: its answer never ends."""
schemathesis.serializer.alias("application/zip", "application/octet-stream")
SCHEMA = schemathesis.openapi.from_dict(describe())
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations() if found.ok().label != ENDLESS}


@pytest.mark.hypothesis
@pytest.mark.parametrize("label", OPERATIONS)
def test_every_answer_is_as_described(some_house: House, label: str) -> None:
    """Some questions to each operation, of one door, twice as many in a build."""
    ask(some_house, label, examples=4 if os.environ.get("CI") else 2)


@pytest.mark.heavy
@pytest.mark.exhaustive
@pytest.mark.parametrize("label", OPERATIONS)
def test_every_answer_to_many_questions_is_as_described(house: House, label: str) -> None:
    """Five hundred to each operation."""
    ask(house, label, examples=500)


def ids(client: httpx.Client) -> list[str]:
    """Return the ids of what somebody has; where another test took some kind of it away, it is told once more."""
    found = _ids(client)
    if not all(found):
        for number, text in enumerate((LISBON, GOAL, BLOCKED)):
            say(client, text, conversation=f"day {number}", flush=number == 2)
        found = _ids(client)
    return [each for kind in found for each in kind]


def _ids(client: httpx.Client) -> list[list[str]]:
    return [[row["id"] for row in client.get(path).json()["items"]] for path in ("/facts", "/episodes", "/messages")]


def ask(house: House, label: str, *, examples: int) -> None:
    """Ask an operation what fits its description and what does not, about ids that are there and that are not."""
    operation, known_ids = OPERATIONS[label], ids(house.client("ana"))
    cases = st.one_of(operation.as_strategy(mode) for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE))

    @settings(
        max_examples=examples,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        database=None,
        deadline=None,
        derandomize=True,
    )
    @given(case=cases, known=st.none() | st.sampled_from(known_ids))
    def answers_are_as_described(case: schemathesis.Case, known: str | None) -> None:
        if known is not None and "id" in case.path_parameters:
            case.path_parameters["id"] = known
        answer = case.call(base_url=house.url, headers={"X-Yesteryear-User": "ana"}, session=session, timeout=60)
        case.validate_response(answer, checks=CHECKS)

    with requests.Session() as session:
        answers_are_as_described()
