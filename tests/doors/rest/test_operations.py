"""What the REST door does: every verb, the same results as in Python, and a plain answer to whatever cannot be done."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.doors.rest.description import describe
from tests.doors.rest.house import House, say, the_fact
from tests.each import each
from tests.script import BLOCKED, GOAL, LISBON, LOVES, NUTS, PORTO, statement
from yesteryear.api.rest.operations import VERB
from yesteryear.api.verbs import VERBS


def test_every_verb_has_an_operation() -> None:
    """And every operation names its verb."""
    named = {operation[VERB] for path in describe()["paths"].values() for operation in path.values()}
    assert named == set(VERBS)


def test_a_memory_is_used_over_http_alone(ana: httpx.Client, house: House) -> None:
    """Say, work, ask, look, correct, pin, settle, sleep, take back: what comes is what Python gives."""
    say(ana, PORTO)
    say(ana, GOAL, conversation="desk")
    context = ana.post("/context", json={"message": "Where do I live?", "budget": 500}).json()
    assert "Porto" in context["text"]
    assert ana.post("/recall", json={"question": "Where does Ana live?"}).json()["hits"]
    assert [row["key"][2] for row in ana.get("/conversations").json()["items"]] == ["desk", "kitchen"]
    assert len(ana.get("/messages", params={"outcome": "keep"}).json()["items"]) == 2
    episode = ana.get("/episodes", params={"conversation": "kitchen"}).json()["items"][0]
    assert ana.post(f"/memories/{episode['id']}/pin").json()["pinned"] is True
    assert ana.post(f"/memories/{episode['id']}/unpin").json()["pinned"] is False
    assert ana.get(f"/memories/{episode['id']}/why").json()["episode"]["conversation"] == "kitchen"
    assert ana.post(f"/episodes/{episode['id']}/extract").status_code == 200
    fact = the_fact(ana, statement(PORTO))
    better = ana.patch(f"/facts/{fact['id']}", json={"statement": "Ana lives in Braga."}).json()
    assert ana.get(f"/facts/{fact['id']}").json()["status"] == "deprecated"
    assert ana.post(f"/facts/{better['id']}/confirm").json()["status"] == "stable"
    assert ana.post(f"/memories/{fact['id']}/restore").json()["status"] != "superseded"
    assert ana.post(f"/facts/{fact['id']}/refute").json()["status"] == "deprecated"
    goal = the_fact(ana, statement(GOAL))
    assert ana.post(f"/facts/{goal['id']}/resolve", json={"at": "2026-03-02T12:00:00+00:00"}).json()["resolved_at"]
    assert ana.get("/diff", params={"since": "2020-01-01T00:00:00Z"}).json()["gained"]
    assert ana.post("/nights", json={"dry_run": True}).json()["is_dry"] is True
    night = ana.post("/nights", json={"at": "2036-03-02T03:00:00+00:00"}).json()
    assert ana.get("/nights").json()["items"][0]["id"] == night["id"]
    assert ana.post(f"/nights/{night['id']}/undo").json()["state"] == "undone"
    assert ana.get("/conflicts", params={"resolved": "true"}).json()["next_cursor"] is None
    assert ana.post("/fade", json={"dry_run": True}).json()["is_dry"] is True
    assert ana.post("/retry").json() == {"rows": 0}
    assert ana.get("/usage").json() == []
    assert ana.patch("/settings", json={"settings": {"max_facts_retrieved": 3}}).json() == {"max_facts_retrieved": 3}
    assert ana.post("/conversations/kitchen/close").status_code == 204
    stats = asyncio.run(house.memory("ana").stats())
    assert ana.get("/stats").json() == stats


def test_lists_are_asked_for_as_in_python(ana: httpx.Client) -> None:
    """By kinds, by ids, with evidence; what is named by ids comes whole, whatever the page would hold."""
    for number, text in enumerate((PORTO, GOAL, BLOCKED)):
        say(ana, text, conversation=f"day {number}")
    some = ana.get("/facts", params={"kinds": ["goal", "blocker"], "evidence": "true"}).json()["items"]
    assert {row["kind"] for row in some} == {"goal", "blocker"}
    assert all(row["evidence"] for row in some)
    assert ana.get("/facts", params={"kinds": "mood"}).status_code == 422
    own = {"attribute": "home", "holder": "Ana"}
    (home,) = ana.get("/facts", params=own).json()["items"]
    assert (home["statement"], home["attribute"], home["form"]) == (statement(PORTO), "home", "plain")
    assert ana.get("/facts", params=own | {"holder": "Priya"}).json()["items"] == []
    unknown = ana.get("/facts", params={"attribute": "hoome"})
    assert (unknown.status_code, "near are: home" in unknown.text) == (422, True)
    for path in ("/facts", "/episodes", "/messages"):
        ids = [row["id"] for row in ana.get(path).json()["items"]][:2]
        page = ana.get(path, params={"ids": [*ids, "nothing"], "limit": 1}).json()
        assert {row["id"] for row in page["items"]} == set(ids)
        assert page["next_cursor"] is None


def test_of_two_ways_to_say_yes_each_takes_its_own(ana: httpx.Client) -> None:
    """A proposal is not confirmed where facts are, nor a fact where proposals are."""
    say(ana, LOVES)
    fact = the_fact(ana, statement(LOVES))
    asked = ana.post("/messages", json={"content": "Forget everything about coriander.", "conversation": "b"}).json()[0]
    for word in ("confirm", "refute"):
        assert ana.post(f"/facts/{asked['id']}/{word}").status_code == 404
        assert ana.post(f"/proposals/{fact['id']}/{word}").status_code == 404
    assert len(ana.get("/proposals").json()["items"]) == 1


def test_forgetting_and_erasing_take_what_they_name(ana: httpx.Client, house: House) -> None:
    """A subject is proposed first; a person is erased only where their name is repeated; others stay."""
    ben = house.client("ben")
    say(ben, NUTS)
    for number, text in enumerate((LOVES, NUTS, LISBON)):
        say(ana, text, conversation=f"day {number}")
    proposed = ana.post("/forget", json={"about": "coriander"}).json()
    assert [message["text"] for message in proposed["messages"]] == [LOVES]
    gone = ana.post("/forget", json={"ids": [message["id"] for message in proposed["messages"]]}).json()
    assert gone["is_dry"] is False
    fact = the_fact(ana, statement(NUTS))
    assert ana.delete(f"/memories/{fact['id']}").status_code == 200
    assert ana.get(f"/facts/{fact['id']}").status_code == 404
    for confirm in ({}, {"X-Yesteryear-Confirm": "ben"}):
        assert ana.delete("/mind", headers=confirm).status_code == 422
    assert ana.get("/stats").json()["messages.keep"] == 2
    receipt = ana.delete("/mind", headers={"X-Yesteryear-Confirm": "ana"}).json()
    assert receipt["removed"]["message"] == 3
    assert ana.get("/messages").json()["items"] == []
    assert len(ben.get("/messages").json()["items"]) == 1


def test_a_body_that_is_not_sent_as_json_is_told_so(ana: httpx.Client) -> None:
    """Whoever forgot the header reads of it, not of what a message should look like."""
    refused = ana.post("/messages", content=b'{"content": "x"}').json()
    assert [wrong["place"] for wrong in refused["errors"]] == ["header.Content-Type"]


def test_a_person_goes_by_a_name_in_any_script(house: House) -> None:
    """What was said under a name in UTF-8 is that person's, and goes when the name is repeated."""
    name = "Zoë Łucja 🐈"
    zoe = httpx.Client(base_url=f"{house.url}/v1", headers={b"X-Yesteryear-User": name.encode()})
    house.clients.append(zoe)
    assert zoe.post("/messages", json={"content": LOVES}).status_code == 201
    assert zoe.get("/messages").json()["items"][0]["scope"]["user"] == name
    assert zoe.delete("/mind", headers={b"X-Yesteryear-Confirm": name.encode()}).json()["removed"]["message"] == 1


def test_an_export_comes_back_over_http(ana: httpx.Client, house: House) -> None:
    """Into another person's memory, where exporting it again gives the same bytes."""
    for number, text in enumerate((PORTO, BLOCKED)):
        say(ana, text, conversation=f"day {number}")
    exported = ana.get("/export")
    assert exported.headers["content-type"] == "application/zip"
    eve = house.client("eve")
    taken = eve.post("/import", content=exported.content, headers={"Content-Type": "application/zip"})
    assert taken.status_code == 200, taken.text
    assert taken.json()["added"]["messages"] == 2
    assert eve.get("/export").content == exported.content
    again = eve.post("/import", content=exported.content)
    assert not any(again.json()["added"].values())
    assert eve.post("/import", content=exported.content[:100]).json()["code"] == "bad_export"
    assert eve.post("/import", content=bytes(1_000_001)).status_code == 413


JSON = {"Content-Type": "application/json"}
ELSEWHERE = ["/facts/{}", "/memories/{}/why"]


@pytest.mark.parametrize("path", ELSEWHERE)
def test_what_is_somebody_elses_is_as_what_there_is_not(ana: httpx.Client, house: House, path: str) -> None:
    """The same status and the same words, but for the id."""
    say(ana, LISBON)
    fact, ben = the_fact(ana, statement(LISBON)), house.client("ben")
    foreign, unknown = ben.get(path.format(fact["id"])), ben.get(path.format("nothing"))
    assert (foreign.status_code, unknown.status_code) == (404, 404)
    assert foreign.text.replace(str(fact["id"]), "nothing") == unknown.text
    for verb in ("facts/{}/confirm", "facts/{}/refute", "facts/{}/resolve", "memories/{}/pin", "memories/{}/restore"):
        assert ben.post(f"/{verb.format(fact['id'])}").status_code == 404
    assert ben.patch(f"/facts/{fact['id']}", json={"statement": "Ana lives in Rome."}).status_code == 404
    assert ben.delete(f"/memories/{fact['id']}").status_code == 404


WRONG: list[tuple[str, str, dict[str, Any], int]] = [
    ("POST", "/messages", {"content": b'{"content": "x"', "headers": JSON}, 400),
    ("POST", "/messages", {"content": b"[" * 100_000, "headers": JSON}, 400),
    (
        "POST",
        "/messages",
        {"content": b'{"content": ' + b"9" * 5000 + b"}", "headers": JSON},
        400,
    ),
    ("POST", "/messages", {"content": b'{"content": "x"}', "headers": {"Content-Type": "text/plain"}}, 422),
    ("POST", "/messages", {"json": {"content": 7}}, 422),
    ("POST", "/messages", {"json": {"content": "x", "mood": "good"}}, 422),
    ("POST", "/messages", {"json": {"content": "x", "role": "king"}}, 422),
    ("POST", "/messages", {"content": b'{"content": ""}', "headers": JSON}, 422),
    ("POST", "/context", {"json": {"budget": "1000"}}, 422),
    ("POST", "/context", {"json": {"budget": 1e3}}, 422),
    ("POST", "/recall", {"json": {"question": "x", "archived": 1}}, 422),
    ("POST", "/recall", {"json": {"question": "x", "since": "yesterday"}}, 422),
    ("GET", "/facts", {"params": {"limit": "0"}}, 422),
    ("GET", "/facts", {"params": {"limit": "1_0"}}, 422),
    ("GET", "/facts", {"params": {"open_only": "yes"}}, 422),
    ("GET", "/facts", {"params": {"colour": "red"}}, 422),
    ("GET", "/facts", {"params": {"cursor": "nonsense!"}}, 422),
    ("GET", "/messages", {"params": {"cursor": "WyJhIiwiYiJd"}}, 422),
    ("GET", "/facts/%00", {}, 422),
    ("POST", "/facts/x/confirm", {"headers": {"If-Match": "17"}}, 422),
    ("PATCH", "/settings", {"json": {"settings": {"colour": "red"}}}, 422),
    ("PATCH", "/settings", {"json": {"settings": {"nights": 1}}}, 422),
    ("POST", "/forget", {"json": {}}, 422),
    ("GET", "/nothing", {}, 404),
    ("PUT", "/facts", {}, 405),
]


@each(("method", "path", "sent", "status"), WRONG)
def test_what_cannot_be_used_is_refused_with_words(
    some_house: House, method: str, path: str, sent: dict[str, Any], status: int
) -> None:
    """As problem+json, with a code, and with the places where something is wrong."""
    answer = some_house.client("ana").request(method, path, **sent)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert problem["code"]
    assert problem["detail"]


def test_a_problem_names_the_place(some_house: House) -> None:
    """Each place that is wrong, once."""
    answer = some_house.client("ana").post("/messages", json=[{"content": "x"}, {"content": 7, "mood": "good"}])
    assert [each["place"] for each in answer.json()["errors"]] == ["body.messages.1.content", "body.messages.1.mood"]


def test_whose_memory_has_to_be_said(some_house: House) -> None:
    """Nobody's memory is a guess."""
    answer = httpx.get(f"{some_house.url}/v1/facts")
    assert answer.status_code == 422
    assert "X-Yesteryear-User" in answer.json()["detail"]


def test_odd_text_goes_through_as_it_is(ana: httpx.Client) -> None:
    """Whatever can be said is taken down, asked for, found and stated; on both stores alike."""
    for number, text in enumerate(["a\x00b", "\U0001f600 \u202e", "\x1b[31m", "<script>alert(1)</script>", "\ud800x"]):
        sent = json.dumps({"content": text, "conversation": f"c{number}"})
        said = ana.post("/messages", content=sent, headers=JSON)
        assert said.status_code == 201, said.text
        (kept,) = ana.get("/messages", params={"conversation": f"c{number}"}).json()["items"]
        assert kept["content"] == text.replace("\ud800", "\ufffd")
        for path, body in (
            ("/recall", {"question": text}),
            ("/context", {"message": text}),
            ("/forget", {"about": text}),
        ):
            answer = ana.post(path, content=json.dumps(body), headers=JSON)
            assert answer.status_code == 200, answer.text
    say(ana, LISBON)
    fact = the_fact(ana, statement(LISBON))
    for text in ("\x00", "Ana\x00lives", "\ud800"):
        answer = ana.patch(f"/facts/{fact['id']}", content=json.dumps({"statement": text}), headers=JSON)
        assert answer.status_code in (200, 422), answer.text


FAR = ("0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z")
"""The ends of the calendar, and a moment before the beginning of time."""
HUGE = ("1e400", "NaN", "-Infinity", "1" + "0" * 400, "9223372036854775808", "-9223372036854775809")
"""Numbers that no row can hold."""


def test_far_dates_are_taken_or_refused(ana: httpx.Client) -> None:
    """Wherever a date can be given, on both stores, one by one."""
    say(ana, LISBON)
    say(ana, GOAL, conversation="desk")
    goal = the_fact(ana, statement(GOAL))
    for at in FAR:
        answers = [
            *(ana.get(path, params={name: at}) for path, names in DATED.items() for name in names),
            *(ana.post(path, json={**body, name: at}) for path, body, names in DATED_BODIES for name in names),
            ana.get(f"/memories/{goal['id']}/why", params={"at": at}),
            ana.patch(f"/facts/{goal['id']}", json={"statement": f"Ana sails from {at}.", "since": at}),
            ana.post(f"/facts/{goal['id']}/resolve", json={"at": at}),
        ]
        assert {answer.status_code for answer in answers} <= {200, 201, 422}
    assert ana.post("/flush").status_code == 200
    assert ana.post("/context", json={"message": "Where do I live?"}).status_code == 200


DATED = {
    "/messages": ("since", "until"),
    "/episodes": ("since", "until"),
    "/facts": ("as_of", "known_at", "at"),
    "/usage": ("since", "until"),
    "/diff": ("since",),
}
DATED_BODIES: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("/messages", {"content": "We sail on."}, ("at",)),
    ("/context", {"message": "Where do I live?"}, ("at",)),
    ("/recall", {"question": "What did I say last week?"}, ("at", "since", "until")),
    ("/forget", {"dry_run": True}, ("since", "until")),
    ("/fade", {"dry_run": True}, ("at",)),
    ("/nights", {"dry_run": True}, ("at",)),
]


@pytest.mark.parametrize("number", HUGE)
def test_huge_numbers_are_refused(some_house: House, number: str) -> None:
    """In bodies, addresses and headers."""
    ana = some_house.client("ana")
    answers = [
        ana.post("/context", content=f'{{"budget": {number}}}', headers=JSON),
        ana.post("/recall", content=f'{{"question": "x", "limit": {number}}}', headers=JSON),
        ana.patch("/settings", content=f'{{"settings": {{"journal_retention_days": {number}}}}}', headers=JSON),
        ana.get("/facts", params={"limit": number}),
        ana.get("/events", headers={"Last-Event-ID": number}),
    ]
    assert {answer.status_code for answer in answers} == {422}
    assert ana.post("/facts/x/confirm", headers={"If-Match": f'"{number}"'}).status_code in (404, 412)
