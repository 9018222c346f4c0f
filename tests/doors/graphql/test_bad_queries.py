"""Queries that are wrong, too large, too deep, or meant to do harm."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from graphql import get_introspection_query

from tests.doors.graphql.conftest import Stage, on_stage
from tools.make_schema import TARGET, render

JSON = {"content-type": "application/json"}
DOUBLING = (
    "{ facts { ...f0 } } "
    + "".join(f"fragment f{n} on KnowledgeNode {{ ...f{n + 1} ...f{n + 1} }} " for n in range(100))
    + "fragment f100 on KnowledgeNode { a: id }"
)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"1", b"null", b'"{ stats }"', b"\xff\xfe", b"[" * 100_000, b'{"query": 1}', b'{"query": null}'),
        *(b"{}", b'[{"query": "{ stats }"}]', b'{"query": "{ stats }", "variables": []}'),
        *(b'{"query": "{ stats }", "operationName": {}}', b'{"query": "{ stats }", "extensions": 3}'),
        *(b'{"query": ""}', b'{"query": "{ stats }", "operationName": "other"}'),
    ],
)
def test_what_is_no_request_is_refused(stage: Stage, body: bytes) -> None:
    """Several queries at once are none either; nothing of it is an error of the server."""
    assert stage.send(body, **JSON).status == 400


@pytest.mark.parametrize(
    "query",
    [
        *("{", "{ nothing }", "{ facts }", "{ stats { x } }", "query ($x: Nope) { stats }", "\0", "{ ...f }"),
        *('{ facts(limit: "x") { id } }', "{ facts(limit: 99999999999) { id } }", "{ getKnowledgeNodes { id } }"),
        *('{ diff(since: "yesterday") { gained { id } } }', "fragment f on Query { ...f } { ...f }"),
    ],
)
def test_queries_that_are_wrong_are_told_so(stage: Stage, query: str) -> None:
    """Nothing is run, and the caller reads what is wrong."""
    assert set(stage.ask(query).codes) == {"input"}


@pytest.mark.parametrize(
    ("variables", "codes"),
    [({"n": "many"}, {"input"}), ({"n": -1}, {"input"}), ({"n": 10**9}, {"too_large"}), ({}, None)],
)
def test_variables_are_checked_as_arguments_are(
    stage: Stage, variables: dict[str, object], codes: set[str] | None
) -> None:
    """A page cannot be made larger by naming its size elsewhere."""
    answer = stage.ask("query ($n: Int! = 3) { facts(limit: $n) { id } }", variables)
    assert (set(answer.codes) if codes else answer.status) == (codes or 200)


@pytest.mark.parametrize(
    ("kind", "value", "codes"),
    [
        *[("Long", value, ["input"]) for value in ("3", 1.5, True, [], {}, "x", -1)],
        *[("DateTime", value, ["input"]) for value in ("yesterday", 3, [], "2026-13-01T00:00:00Z", "", "2026-01-01")],
    ],
)
def test_values_of_our_own_kinds_are_checked(stage: Stage, kind: str, value: object, codes: list[str]) -> None:
    """Given as a variable or written into the query."""
    field = "changes(since: $v) { rev }" if kind == "Long" else "diff(since: $v) { lost { id } }"
    assert stage.ask(f"query ($v: {kind}!) {{ {field} }}", {"v": value}).codes == codes
    written = json.dumps(value)
    assert stage.ask("{ " + field.replace("$v", written) + " }").codes == codes


@pytest.mark.parametrize(
    "query",
    [
        "{ episodes " + "{ facts { sourceEpisode " * 6 + "{ id }" + " } }" * 6 + " }",
        "{ " + " ".join(f"a{number}: stats" for number in range(40)) + " }",
        "{ episodes(limit: 1000) { messages { content author at role seq } facts { evidence { quote } } } }",
        "{ facts { " + "id " * 2_500 + "} }",
        "{ stats } # " + "x" * 60_000,
        "{ a: " * 400 + "stats" + "}" * 400,
        DOUBLING,
    ],
)
def test_queries_that_ask_for_too_much_are_refused(stage: Stage, query: str) -> None:
    """By depth, aliases, cost, tokens and size, fragments written out; before anything is read."""
    assert set(stage.ask(query).codes) <= {"too_large", "input"}


PAIRS = {
    "four hundred": "{ " + "facts { id } " * 400 + "}",
    "a hundred": "{ " + "facts(limit: 1) { id } " * 100 + "}",
    "within fragments": "{ " + "... { facts(limit: 1) { id } } " * 90 + "}",
    "fragments": "{ "
    + " ".join(f"...f{n}" for n in range(60))
    + " } "
    + " ".join(f"fragment f{n} on Query {{ facts {{ id }} }}" for n in range(60)),
    "aliases of one name": "{ facts { " + "a: id " * 250 + "} }",
    "many fields": "{ facts { " + " ".join(f"x{n}" for n in range(400)) + " } }",
    "in what is not there": "{ nothing { " + "x " * 400 + "} }",
}
"""Queries whose checking takes long: every field is compared with all others of its name."""


@pytest.mark.parametrize("query", PAIRS.values(), ids=PAIRS)
def test_b08_what_is_slow_to_check_is_refused_unchecked(stage: Stage, query: str) -> None:
    """Four hundred fields took more than a second, in which nobody else was served.

    Only what was counted before can be the reason: what is checked is refused for its cost, or for what is not there.
    """
    (error,) = stage.ask(query).errors
    assert re.search("tokens|fields|repeats|fragments", error["message"])


def test_the_schema_may_be_asked_for(stage: Stage) -> None:
    """As tools do; not so often over that it grows."""
    assert stage.ask(get_introspection_query()).data["__schema"]["queryType"]["name"] == "Query"
    nested = "{ __schema { types " + "{ fields { type " * 5 + "{ name }" + " } }" * 5 + " } }"
    assert stage.ask(nested).codes == ["input"]


def test_a_get_only_looks(stage: Stage) -> None:
    """A link or a picture on another site changes nothing."""
    looked = stage.send(None, path=f"?query={quote('{ facts(limit: 1) { id } }')}")
    assert (looked.status, len(looked.data["facts"])) == (200, 1)
    change = quote('mutation { observe(content: "I like tea.") { id } }')
    assert stage.send(None, path=f"?query={change}").status == 400
    assert stage.send(None, path=f"?query={change}", accept="text/event-stream").status in (200, 400)
    assert stage.ask("{ messages { content } }").text.count("I like tea") == 0
    assert stage.send(None).status == stage.send(None, accept="text/html").status == 400


@pytest.mark.parametrize(
    "media",
    [
        *("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""),
        *("application/jsonp", "text/plain; application/json", "text/plain,application/json"),
    ],
)
def test_only_json_is_taken(stage: Stage, media: str) -> None:
    """A form of another site cannot send it, so none can use who is logged in here."""
    body = json.dumps({"query": "mutation { flush { facts } }"}).encode()
    assert stage.send(body, **{"content-type": media}).status == 415


def test_words_of_the_inside_stay_inside(tmp_path: Path) -> None:
    """A store that breaks is told as such, without its place; what nobody thought of as internal."""
    with on_stage(tmp_path / "secret.db") as stage:
        assert stage.ask('mutation { observe(content: "I like tea.") { id } }').data
        ports = stage.engine._ports
        stage.engine._ports = "a secret"  # type: ignore[assignment] # what nobody thought of
        try:
            answer = stage.ask("{ facts { id } }")
        finally:
            stage.engine._ports = ports
        assert answer.codes == ["internal"]
        assert "secret" not in answer.text
        assert "str" not in answer.errors[0]["message"]


def test_the_committed_schema_is_current() -> None:
    """What clients read is what is served."""
    assert TARGET.read_text(encoding="utf-8") == render(), "run: make schema"
