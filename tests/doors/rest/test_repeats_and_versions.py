"""Sent twice, edited by two, read page by page while others write: nothing is doubled, lost or overwritten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.doors.rest.house import House, say, the_fact
from tests.script import GOAL, LISBON, LOVES, NUTS, PORTO, RUNS, statement

KEY = {"Idempotency-Key": "monday-1"}


def test_a_request_with_a_key_may_be_sent_again(ana: httpx.Client) -> None:
    """It gives the same receipts, and the journal has each message once."""
    said = [{"content": "I moved my runs to the morning."}, {"content": "Sounds like a plan.", "role": "assistant"}]
    first, second = (ana.post("/messages", json=said, headers=KEY).json() for _ in range(2))
    assert [receipt["is_new"] for receipt in (*first, *second)] == [True, True, False, False]
    assert [receipt["id"] for receipt in first] == [receipt["id"] for receipt in second]
    assert len(ana.get("/messages").json()["items"]) == 2


@pytest.mark.parametrize(
    "other",
    [
        [{"content": "I moved my runs to the evening."}, {"content": "two"}],
        [{"content": "one"}],
        {"content": "one"},
        [{"content": "one"}, {"content": "two"}, {"content": "three"}],
        [{"content": "one", "conversation": "elsewhere"}, {"content": "two", "conversation": "elsewhere"}],
    ],
)
def test_a_key_of_before_for_other_messages_is_a_conflict(ana: httpx.Client, other: object) -> None:
    """Other words, fewer, more, elsewhere: nothing of it is taken down."""
    assert ana.post("/messages", json=[{"content": "one"}, {"content": "two"}], headers=KEY).status_code == 201
    answer = ana.post("/messages", json=other, headers=KEY)
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert len(ana.get("/messages").json()["items"]) == 2


def test_a_key_and_ids_do_not_go_together(ana: httpx.Client) -> None:
    """One of the two says what is the same."""
    assert ana.post("/messages", json={"content": "one", "id": "m-1"}, headers=KEY).status_code == 422


def test_of_two_editors_one_is_told(ana: httpx.Client) -> None:
    """Both looked at the same fact and send at the same moment: one wins, the other looks again."""
    say(ana, LISBON)
    fact = the_fact(ana, statement(LISBON))
    looked = ana.get(f"/facts/{fact['id']}")
    tag = {"If-Match": looked.headers["etag"]}

    def edit(town: str) -> httpx.Response:
        return ana.patch(f"/facts/{fact['id']}", json={"statement": f"Ana lives in {town}."}, headers=tag)

    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(edit, ["Braga", "Faro"]))
    assert sorted(answer.status_code for answer in answers) == [200, 412]
    (late,) = [answer for answer in answers if answer.status_code == 412]
    assert "look at it again" in late.json()["detail"]
    assert len(ana.get("/facts").json()["items"]) == 1


def test_every_change_by_hand_asks_for_the_version_where_it_is_told(ana: httpx.Client) -> None:
    """The ETag that came with the last answer does, older ones and weak ones do not."""
    say(ana, GOAL)
    fact = the_fact(ana, statement(GOAL))
    old = tag = ana.get(f"/facts/{fact['id']}").headers["etag"]
    for path in ("facts/{}/confirm", "memories/{}/pin", "memories/{}/unpin", "facts/{}/resolve", "memories/{}/restore"):
        address = f"/{path.format(fact['id'])}"
        for stale in (old, f"W/{tag}", '"nothing"', '"99999999999999999999"') if tag != old else ('"0"',):
            assert ana.post(address, headers={"If-Match": stale}).status_code == 412
        answer = ana.post(address, headers={"If-Match": tag})
        assert answer.status_code == 200, answer.text
        tag = answer.headers["etag"]
    assert ana.post(f"/facts/{fact['id']}/refute", headers={"If-Match": "*"}).status_code == 200


def test_what_is_at_hand_is_not_sent_again(ana: httpx.Client) -> None:
    """304 for the version that is known, the fact for any other."""
    say(ana, LISBON)
    address = f"/facts/{the_fact(ana, statement(LISBON))['id']}"
    tag = ana.get(address).headers["etag"]
    for known, status in ((tag, 304), (f'"7", W/{tag}', 304), ("*", 304), ('"7"', 200)):
        answer = ana.get(address, headers={"If-None-Match": known})
        assert answer.status_code == status
        assert answer.headers["etag"] == tag
        assert bool(answer.content) is (status == 200)


def test_a_walk_over_pages_meets_each_once_while_others_write(ana: httpx.Client, house: House) -> None:
    """What was there when it began comes once, whatever is added between two pages."""
    for number, text in enumerate((PORTO, GOAL, LOVES, NUTS)):
        say(ana, text, conversation=f"day {number}")
    for path in ("/messages", "/episodes", "/facts", "/conversations"):
        before = ana.get(path).json()
        assert before["next_cursor"] is None
        ids, cursor = [], None
        for number in range(20):
            page = ana.get(path, params={"limit": 1} | ({"cursor": cursor} if cursor else {})).json()
            ids += [item.get("id") or tuple(item["key"]) for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
            if number == 1:
                say(ana, RUNS, conversation=f"new {path}")
        assert len(ids) == len(set(ids))
        assert {item.get("id") or tuple(item["key"]) for item in before["items"]} <= set(ids)


def test_a_walk_over_nights_and_conflicts_ends(ana: httpx.Client) -> None:
    """Newest first, each once."""
    for number, text in enumerate((PORTO, GOAL, LOVES, NUTS)):
        say(ana, text, conversation=f"day {number}")
    dates = [f"20{year}-03-01T03:00:00Z" for year in (27, 28, 30, 40, 60)]
    run = [ana.post("/nights", json={"at": at}).json() for at in dates]
    nights = [night["id"] for night in run if night["changes"] or night["faded"] or night["judged"]]
    assert len(nights) > 1
    seen, cursor = [], None
    while True:
        page = ana.get("/nights", params={"limit": 1} | ({"cursor": cursor} if cursor else {})).json()
        seen += [night["id"] for night in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == list(reversed(nights))
    assert ana.get("/conflicts").json() == {"items": [], "next_cursor": None}
