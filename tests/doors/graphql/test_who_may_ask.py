"""Who is let in, and to whose memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.doors.graphql.conftest import Keys, Stage, on_stage
from yesteryear.api.graphql.limits import QueryLimits

OF_ANA = '{ facts(userId: "ana") { id } }'


@pytest.fixture(scope="module")
def guarded() -> Iterator[Stage]:
    """A door that asks for a key."""
    with on_stage(gatekeeper=Keys()) as stage:
        stage.headers = {}
        yield stage


def test_nobody_without_a_key_is_let_in(guarded: Stage) -> None:
    """The status of HTTP says so too, for what stands before the server."""
    answer = guarded.ask(OF_ANA)
    assert (answer.status, answer.codes) == (401, ["not_admitted"])
    assert guarded.ask("{ __typename }").status == 401


def test_who_knocks_too_often_is_told_for_how_long_to_wait(guarded: Stage) -> None:
    """In seconds, in the header and in the answer."""
    answer = guarded.ask(OF_ANA, authorization="Bearer busy")
    assert (answer.status, answer.headers["retry-after"]) == (429, "7")
    assert answer.errors[0]["extensions"]["retryAfter"] == 7.0


@pytest.mark.parametrize(
    ("key", "query", "codes"),
    [
        ("ana-reads", OF_ANA, []),
        ("ana-reads", "{ facts { id } }", []),
        ("ana-reads", '{ facts(userId: "ben") { id } }', ["not_allowed"]),
        ("ana-reads", '{ getConversationEpisodes(projectId: "1") { id } }', []),
        ("ana-reads", "{ usage { day } }", ["not_allowed"]),
        ("ana-reads", 'mutation { observe(content: "I like tea.") { id } }', ["not_allowed"]),
        ("ana-writes", 'mutation { observe(content: "I like tea.") { id } }', []),
        ("ana-writes", "mutation { erase { person } }", ["not_allowed"]),
        ("operator", OF_ANA, []),
        ("operator", "{ facts { id } }", ["input"]),
        ("operator", '{ facts(userId: "") { id } }', ["input"]),
    ],
)
def test_a_key_opens_what_it_is_for(guarded: Stage, key: str, query: str, codes: list[str]) -> None:
    """A person's key reaches no other person, one that reads does not write."""
    answer = guarded.ask(query, authorization=f"Bearer {key}")
    assert answer.status == 200
    assert (answer.codes if "errors" in answer.text else []) == codes


def test_foreign_and_unknown_ids_get_one_answer(guarded: Stage) -> None:
    """Nobody learns which ids there are."""
    say = 'mutation { observe(content: "My sister is ill.", userId: "ben") { id } }'
    foreign = guarded.ask(say, authorization="Bearer operator").data["observe"]["id"]
    why = "query ($id: ID!) { why(id: $id) { id } }"
    unknown = foreign[:-1] + ("0" if foreign[-1] != "0" else "1")
    answers = [guarded.ask(why, {"id": name}, authorization="Bearer ana-reads") for name in (foreign, unknown)]
    (one, other) = [answer.text.replace(name, "") for answer, name in zip(answers, (foreign, unknown), strict=True)]
    assert one == other
    assert answers[0].codes == ["not_found"]


def test_two_people_in_one_query_do_not_mix() -> None:
    """What is read for one field is not shown in another's."""
    with on_stage() as stage:
        for user in ("ana", "ben"):
            say = "mutation ($text: String!) { observe(content: $text) { id } flush { facts } }"
            stage.ask(say, {"text": f"I am {user} and I love my garden."}, **{"x-yesteryear-user": user})
        query = """
        { a: episodes(userId: "ana") { userId messages { content } }
          b: episodes(userId: "ben") { userId messages { content } } }
        """
        data = stage.ask(query).data
        for alias, user in (("a", "ana"), ("b", "ben")):
            assert [row["userId"] for row in data[alias]] == [user]
            assert f"I am {user}" in data[alias][0]["messages"][0]["content"]


def test_limits_are_those_that_were_given() -> None:
    """An operator may be stricter."""
    with on_stage(limits=QueryLimits(depth=2)) as stage:
        assert stage.ask("{ facts { id } }").data == {"facts": []}
        assert stage.ask("{ episodes { facts { id } } }").codes == ["too_large"]


def test_what_takes_too_long_is_ended() -> None:
    """The caller is told so; a change has its own time."""
    with on_stage(limits=QueryLimits(timeout_s=0.0)) as stage:
        assert stage.ask("{ stats }").codes == ["timeout"]
        assert stage.ask('mutation { observe(content: "I like tea.") { isNew } }').data["observe"]["isNew"]
