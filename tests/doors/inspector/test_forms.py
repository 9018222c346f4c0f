"""What a person can do with the pages, and what nobody else can make them do."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO

import pytest
from starlette.testclient import TestClient

from tests.doors.inspector.conftest import Mind, open_app, read_page
from tests.script import GOAL, LISBON, LOVES, PORTO, RUNS, fact, statement, told
from yesteryear.api.access import Principal, Right
from yesteryear.errors import NotAdmitted


def test_a_fact_is_put_right(mind: Mind) -> None:
    """The new wording is believed, the old one is its history."""
    found = fact(mind.memory, RUNS)
    page = f"/facts/{found.id}"
    answer = mind.send(page, f"{page}/correct", statement="Ana runs at noon.")
    assert answer.status_code == 200
    assert "Corrected." in answer.text
    assert "Ana runs at noon." in told(mind.memory)
    assert statement(RUNS) not in told(mind.memory)


def test_the_second_of_two_editors_sees_both_wordings(mind: Mind) -> None:
    """Nothing is lost: neither what the first wrote nor what the second meant."""
    page = f"/facts/{fact(mind.memory, RUNS).id}"
    form = read_page(mind.look(page)).forms[f"{mind.home}{page}/correct"]
    first = mind.browser.post(f"{mind.home}{page}/confirm", data=form)
    assert first.status_code == 200
    second = mind.browser.post(f"{mind.home}{page}/correct", data=form | {"statement": "Ana walks."})
    assert second.status_code == 409
    assert "Ana walks." in second.text
    assert statement(RUNS) in told(mind.memory)


@pytest.mark.parametrize(
    ("act", "text", "shown"), [("confirm", PORTO, ""), ("refute", RUNS, ""), ("resolve", GOAL, "")]
)
def test_a_word_by_hand_counts(mind: Mind, act: str, text: str, shown: str) -> None:
    """What the person says goes before what was inferred."""
    found = fact(mind.memory, text)
    answer = mind.send(f"/facts/{found.id}", f"/facts/{found.id}/{act}")
    assert answer.status_code == 200, shown
    after = fact(mind.memory, text)
    assert after != found


def test_pinning_and_unpinning(mind: Mind) -> None:
    """Of a fact and of an episode."""
    name = fact(mind.memory, RUNS).id
    mind.send(f"/facts/{name}", f"/facts/{name}/pin")
    assert fact(mind.memory, RUNS).pinned
    mind.send(f"/facts/{name}", f"/facts/{name}/unpin")
    assert not fact(mind.memory, RUNS).pinned
    (episode, *_) = mind.memory.episodes()
    mind.send(f"/episodes/{episode.id}", f"/episodes/{episode.id}/pin")
    assert mind.memory.episodes()[0].pinned


def test_a_conflict_is_settled_by_the_person(mind: Mind) -> None:
    """The side they name holds."""
    (conflict,) = mind.memory.conflicts()
    form = read_page(mind.look("/conflicts")).forms[f"{mind.home}/conflicts"]
    answer = mind.browser.post(f"{mind.home}/conflicts", data=form | {"holds": conflict.earlier.id})
    assert answer.status_code == 200
    assert mind.memory.conflicts() == []
    assert statement(LOVES) in told(mind.memory)


def test_b02_both_sides_of_a_conflict_may_hold(mind: Mind) -> None:
    """Neither gives way, and it is not asked again."""
    (conflict,) = mind.memory.conflicts()
    form = read_page(mind.look("/conflicts")).forms[f"{mind.home}/conflicts/both"]
    answer = mind.browser.post(f"{mind.home}/conflicts/both", data=form | {"version": "3"})
    assert "Both hold." in answer.text
    assert mind.memory.conflicts() == []
    assert {conflict.earlier.statement, conflict.later.statement} <= set(told(mind.memory))


def test_forgetting_is_asked_first(mind: Mind) -> None:
    """The page says what goes; only then it goes."""
    (episode,) = [each for each in mind.memory.episodes() if each.conversation == "talk 3"]
    page = f"/episodes/{episode.id}/forget"
    assert RUNS in mind.look(page)
    answer = mind.send(page, page)
    assert "Forgotten" in answer.text
    assert RUNS not in [message.content for message in mind.memory.messages()]


def test_a_night_is_planned_run_and_taken_back(mind: Mind) -> None:
    """Each is one set of changes."""
    night = mind.memory.nights()[0]
    mind.look("/nights/plan")
    answer = mind.send(f"/nights/{night.id}", f"/nights/{night.id}/undo")
    assert "undone" in answer.text
    assert mind.memory.nights()[0].state == "undone"


def test_settings_are_saved_and_taken_back(mind: Mind) -> None:
    """An empty field is as for everybody; a wrong one changes nothing."""
    mind.send("/rights", "/rights", max_facts_retrieved="3", fading="false")
    assert mind.memory.configure() == {"max_facts_retrieved": 3, "fading": False}
    wrong = mind.send("/rights", "/rights", max_facts_retrieved="many")
    assert wrong.status_code == 422
    assert mind.memory.configure() == {"max_facts_retrieved": 3, "fading": False}
    mind.send("/rights", "/rights", max_facts_retrieved="", fading="")
    assert mind.memory.configure() == {}


def test_everything_can_be_taken_away(mind: Mind) -> None:
    """As the same zip that ``export`` writes."""
    answer = mind.send("/rights", "/rights/export")
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(BytesIO(answer.content)) as made:
        assert made.testzip() is None


def test_erasing_takes_the_typed_name(mind: Mind) -> None:
    """And gives a receipt that names nobody."""
    refused = mind.send("/rights", "/rights/erase", name="Ana")
    assert refused.status_code == 422
    assert mind.memory.facts()
    answer = mind.send("/rights", "/rights/erase", name="ana")
    assert "receipt" in answer.text
    assert mind.memory.messages() == []


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_site_cannot_send_a_form(mind: Mind, headers: Mapping[str, str]) -> None:
    """Even one that knew the token."""
    form = read_page(mind.look("/rights")).forms[f"{mind.home}/rights"]
    answer = mind.browser.post(f"{mind.home}/rights", data=form | {"fading": "false"}, headers=dict(headers))
    assert answer.status_code == 403
    assert mind.memory.configure() == {}


@pytest.mark.parametrize("token", ["", "guessed"])
def test_a_form_without_the_token_does_nothing(mind: Mind, token: str) -> None:
    """The cookie alone is not enough, nor is a form without the cookie."""
    mind.look("/rights")
    answer = mind.browser.post(f"{mind.home}/rights", data={"fading": "false", "token": token})
    assert answer.status_code == 403
    mind.browser.cookies.clear()
    assert mind.browser.post(f"{mind.home}/rights", data={"fading": "false", "token": token}).status_code == 403
    assert mind.memory.configure() == {}


class OneKey:
    """Admits who has the key, to Ana's memory alone."""

    right = Right.WRITE

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who has it."""
        if headers.get("authorization") != "Bearer sesame":
            raise NotAdmitted
        return Principal("k1", "default", "ana", self.right)


def test_a_key_is_asked_for_and_kept_out_of_reach(mind: Mind) -> None:
    """The cookie is for these pages alone, and no script can read it."""
    mind.shop.memory("ben").observe("I am Ben.")
    with TestClient(open_app(mind.shop, OneKey()), base_url="http://localhost") as browser:
        assert browser.get("/mind/ana").url.path == "/mind/login"
        token = read_page(browser.get("/mind/login").text).forms["/mind/login"]["token"]
        assert browser.post("/mind/login", data={"token": token, "key": "wrong"}).status_code == 401
        answer = browser.post("/mind/login", data={"token": token, "key": "sesame"}, follow_redirects=False)
        cookie = answer.headers["set-cookie"].lower()
        assert all(part in cookie for part in ("httponly", "samesite=strict", "path=/mind"))
        assert browser.get("/mind").url.path == "/mind/ana"
        assert browser.get("/mind/ben").status_code == 403
        assert browser.get("/mind/ana/rights").status_code == 403
        browser.post("/mind/logout", data={"token": token})
        assert browser.get("/mind/ana").url.path == "/mind/login"


def test_a_wrong_word_by_hand_names_nothing_else(mind: Mind) -> None:
    """An id of somebody else's fact answers as one that nobody has."""
    ben = mind.shop.memory("ben")
    ben.observe(LISBON, author="Ben")
    ben.flush()
    (foreign,) = ben.facts()
    form = read_page(mind.look("/rights")).forms[f"{mind.home}/rights"]
    answers = [mind.browser.post(f"{mind.home}/facts/{name}/pin", data=form) for name in (foreign.id, "0" * 36)]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].text.replace(foreign.id, "") == answers[1].text.replace("0" * 36, "")


def test_a12_something_to_remember_is_told_on_the_pages(mind: Mind) -> None:
    """A person could correct what is believed, and add nothing to it."""
    answer = mind.send("/facts", "/facts", statement="My sister Ines lives in Braga.")
    assert "Taken down" in answer.text
    mind.memory.flush()
    (said,) = mind.memory.messages(conversation="pages")
    assert said.content == "Remember: My sister Ines lives in Braga."
    assert said.is_kept


def test_b01_a_proposal_to_forget_waits_for_a_button(mind: Mind) -> None:
    """What somebody asked in talk is shown with what would go; yes hides it, and the gate log brings it back."""
    text = statement(RUNS)
    asked = mind.memory.observe("Forget everything about coriander.", conversation="asked")
    assert "Shall I forget everything about coriander?" in mind.look("")
    kept = mind.send("/proposals", f"/proposals/{asked.id}/refute")
    assert "Withdrawn." in kept.text
    again = mind.memory.observe("Forget everything about coriander.", conversation="asked")
    done = mind.send("/proposals", f"/proposals/{again.id}/confirm")
    assert "It can be brought back" in done.text
    assert mind.memory.messages(ids=[again.id])[0].content == ""
    back = mind.send(f"/journal/{again.id}", f"/journal/{again.id}/restore")
    assert "Brought back." in back.text
    assert text in told(mind.memory)
