"""What docs/how-to/graphql.md shows works."""

from __future__ import annotations

import re
from pathlib import Path

from graphql import build_schema as read_schema
from graphql import parse, validate

from tests.doors.graphql.conftest import Stage
from yesteryear.api.graphql.limits import QueryLimits

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "how-to" / "graphql.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```graphql(?P<how>[^\n]*)\n(?P<query>.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SCHEMA = Path(__file__).resolve().parents[3] / "docs" / "reference" / "schema.graphql"


def test_the_queries_of_the_page_are_answered(empty_stage: Stage) -> None:
    """In their order, as somebody would try them."""
    answers = [empty_stage.ask(query).data for how, query in BLOCKS if not how]
    assert len(answers) == 2
    assert answers[0]["flush"]["episodes"] == 1
    assert answers[1]["recall"]["hits"]


def test_the_queries_of_the_page_are_valid() -> None:
    """Those that need an id too."""
    schema = read_schema(SCHEMA.read_text(encoding="utf-8"))
    assert [validate(schema, parse(query)) for _, query in BLOCKS] == [[]] * len(BLOCKS)


def test_the_limits_of_the_page_are_those_that_hold() -> None:
    """A number that is wrong there costs somebody an afternoon."""
    limits = QueryLimits()
    told = re.search(r"\*\*Limits\*\*.*?QueryLimits", PAGE, re.DOTALL)
    assert told is not None
    for number in (limits.chars, limits.tokens, limits.depth, limits.aliases, int(limits.timeout_s), limits.cost):
        assert f"{number:,}" in told[0]
