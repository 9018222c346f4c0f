"""What was asked in talk to be forgotten, over REST: listed, answered, taken back."""

from __future__ import annotations

import httpx

from tests.script import LOVES, NUTS


def test_a_proposal_is_shown_confirmed_and_taken_back(ana: httpx.Client) -> None:
    """The receipt has the question, the list what would go; a yes hides it and restore brings it back."""
    for text in (LOVES, NUTS):
        assert ana.post("/messages", json={"content": text, "id": text}).status_code == 201
    asked = ana.post("/messages", json={"content": "Forget everything about coriander.", "conversation": "b"}).json()[0]
    assert "coriander" in asked["proposal"]
    (found,) = ana.get("/proposals").json()["items"]
    assert (found["id"], found["messages"], found["examples"]) == (asked["id"], 1, [LOVES])
    done = ana.post(f"/proposals/{found['id']}/confirm").json()
    assert (done["state"], done["messages"]) == ("confirmed", 1)
    assert ana.get("/proposals").json()["items"] == []
    assert [row["content"] for row in ana.get("/messages").json()["items"]] == ["", NUTS, ""]
    assert ana.get(f"/memories/{found['id']}/why").json()["hidden"]["author"] == "user"
    taken = ana.post(f"/memories/{found['id']}/restore").json()
    assert len(taken["messages"]) == 2
    assert ana.get("/messages").json()["items"][0]["content"] == LOVES


def test_a_proposal_is_withdrawn(ana: httpx.Client) -> None:
    """Nothing goes, and there is nothing left to answer."""
    ana.post("/messages", json={"content": LOVES})
    asked = ana.post("/messages", json={"content": "Forget everything about coriander."}).json()[0]
    assert ana.post(f"/proposals/{asked['id']}/refute").json()["state"] == "refuted"
    assert ana.get("/messages").json()["items"][0]["content"] == LOVES
    assert ana.post(f"/proposals/{asked['id']}/confirm").status_code == 404
