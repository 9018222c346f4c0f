"""What bears on what, and what was told in numbers, on their pages."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from tests.doors.inspector.conftest import COFFEE, NASTY, NIGHT, Mind, open_app, read_page, relate
from tests.doors.inspector.test_forms import OneKey
from tests.script import CLIMBS, CLUB, GOAL, LISBON, RUNS, fact, say, statement
from yesteryear.api.access import Right
from yesteryear.api.inspector.visit import segment
from yesteryear.core.relation import Basis, Relation
from yesteryear.results import EdgeView


def _edges(mind: Mind) -> tuple[EdgeView, ...]:
    return mind.memory.graph().edges


def test_the_graph_is_drawn_and_told(mind: Mind) -> None:
    """Every box leads to its fact; the table has each arrow in words, with what says so."""
    page = mind.look("/graph")
    read = read_page(page)
    (told,) = (edge for edge in _edges(mind) if edge.basis is Basis.TOLD)
    for text in (RUNS, GOAL, LISBON):
        assert f"{mind.home}/facts/{fact(mind.memory, text).id}" in read.links
    assert page.count('class="node"') == 3
    assert 'class="edge blocks told"' in page
    assert 'class="edge conflicts_with inferred"' in page
    assert "both take evenings" in page
    assert f"{mind.home}/journal/{told.message}" in read.links
    assert NASTY not in page
    assert (read.tags.count("script"), read.tags.count("img")) == (1, 0)


def test_a_question_is_answered_with_its_proof(mind: Mind) -> None:
    """What stands in the way of a thing, and the words that say so."""
    goal = fact(mind.memory, GOAL).id
    page = mind.look(f"/graph?question=blocking&of={goal}")
    assert 'id="answers"' in page
    assert "both take evenings" in page
    assert statement(GOAL) in page
    assert "Nothing that is known answers this." in mind.look("/graph?question=supporting&of=coriander")


def test_an_edge_is_dismissed_and_brought_back(mind: Mind) -> None:
    """By a button beside it; the page that follows has the way back."""
    (edge,) = (edge for edge in _edges(mind) if edge.basis is Basis.TOLD)
    answer = mind.send("/graph", f"/graph/{segment(edge.id)}/dismiss")
    assert "Noted: it is not so." in answer.text
    assert edge.id not in {each.id for each in _edges(mind)}
    page = f"/graph/{segment(edge.id)}"
    assert unquote(answer.url.path) == f"{mind.home}/graph/{edge.id}"
    back = mind.send(page, f"{page}/restore")
    assert "It counts again." in back.text
    assert edge in _edges(mind)


def test_an_edge_of_what_was_merged_is_dismissed_by_the_id_it_is_shown_by(mind: Mind) -> None:
    """What was told of climbing was folded into what stands for it; the edge goes for good, and comes back."""
    relate(mind.shop, Relation.ENABLES, CLIMBS, GOAL, quote="x", message_id=mind.memory.messages()[0].id)
    relate(mind.shop, Relation.ENABLES, CLUB, GOAL, confidence=0.5)
    (edge,) = (edge for edge in _edges(mind) if edge.relation is Relation.ENABLES)
    assert edge.source.fact == fact(mind.memory, CLUB).id != fact(mind.memory, CLIMBS).id
    gone = mind.memory.dismiss(edge.id)
    assert (gone.id, gone.source, gone.basis) == (edge.id, edge.source, Basis.DISMISSED)
    assert Relation.ENABLES not in {each.relation for each in _edges(mind)}
    assert mind.memory.dismiss(edge.id, restored=True) == edge
    assert edge in _edges(mind)


def test_an_edge_that_nobody_has_is_neither_dismissed_nor_shown(mind: Mind) -> None:
    """A form with a made-up id changes nothing."""
    goal, runs = (fact(mind.memory, text).id for text in (GOAL, RUNS))
    form = read_page(mind.look("/rights")).forms[f"{mind.home}/rights"]
    assert mind.browser.post(f"{mind.home}/graph/enables:{goal}:{runs}/dismiss", data=form).status_code == 404
    assert mind.browser.get(f"{mind.home}/graph/hates:{goal}:{runs}").status_code == 404
    assert mind.browser.get(f"{mind.home}/graph/blocks:{goal}:{goal}:{goal}").status_code == 404


def test_who_may_only_read_dismisses_nothing(mind: Mind) -> None:
    """The page is shown; the form is refused, and so is one without the token."""
    (edge, *_) = _edges(mind)
    path = f"{mind.home}/graph/{edge.id}/dismiss"
    gate = OneKey()
    gate.right = Right.READ
    with TestClient(open_app(mind.shop, gate), base_url="http://localhost") as browser:
        headers = {"authorization": "Bearer sesame"}
        form = read_page(browser.get(f"{mind.home}/graph", headers=headers).text).forms
        token = next(fields["token"] for action, fields in form.items() if action.endswith("/dismiss"))
        assert browser.post(path, data={"token": token}, headers=headers).status_code == 403
    assert mind.browser.post(path, data={"token": "guessed"}).status_code == 403
    assert edge in _edges(mind)


def test_many_edges_are_listed_and_the_first_drawn(mind: Mind, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the page says so."""
    monkeypatch.setattr("yesteryear.api.inspector.pages._MOST_DRAWN", 1)
    page = mind.look("/graph")
    assert "Of 2 the first 1 are drawn" in page
    assert page.count('class="node"') == 2
    assert page.count("Not so<") == 2


@pytest.mark.parametrize("path", ["/graph", "/numbers"])
def test_who_told_nothing_has_a_page_that_says_so(mind: Mind, path: str) -> None:
    """With an example of what would be read."""
    mind.shop.memory("ben").observe("I am Ben.")
    answer = mind.browser.get(f"/mind/ben{path}")
    assert answer.status_code == 200
    assert "such as “I" in answer.text
    assert "<svg" not in answer.text


def test_numbers_are_listed_with_what_they_come_to(mind: Mind) -> None:
    """A line for each series, which leads to its page."""
    page = mind.look("/numbers")
    links = [link for link in read_page(page).links if "/numbers/" in link]
    assert len(links) == len(mind.memory.metrics())
    assert "not enough data" in page
    assert "<i>" not in page


def test_a_series_is_drawn_with_the_words_behind_it(mind: Mind) -> None:
    """Each value leads to its line, and this to the message."""
    page = mind.look("/numbers/sleep?unit=h")
    read = read_page(page)
    assert page.count('class="dot"') == 2
    assert {"#p0", "#p1"} <= set(read.links)
    assert 'id="p1"' in page
    said = [message.id for message in mind.memory.messages(limit=50) if message.content.startswith(NIGHT[:7])]
    assert {f"{mind.home}/journal/{name}" for name in said} <= set(read.links)
    assert page.count('class="dot"') >= mind.look("/numbers/sleep?unit=h&by=month").count('class="dot"') == 1


def test_a_goal_a_trend_and_what_was_left_out_are_shown(mind: Mind) -> None:
    """The goal as a line where it can be compared, the trend with its interval, and why something does not count."""
    for day in range(16):
        say(mind.memory, f"I ran {5 + day % 3 + day / 4} km today.", conversation=f"run {day}", is_flushed=False)
        mind.shop.clock.advance(timedelta(days=1))
    say(mind.memory, "My goal is to run 30 km a week.", COFFEE.replace("euros", "dollars"), conversation="goals")
    say(mind.memory, "I spent 30 on coffee.", conversation="left")
    days, weeks = mind.look("/numbers/run?unit=km"), mind.look("/numbers/run?unit=km&by=week")
    assert 'class="band"' in days
    assert 'class="goal"' not in days
    assert 'class="band"' not in weeks
    assert 'class="goal"' in weeks
    assert "30 km a week" in days
    left = mind.memory.metrics(measure="spent", what="coffee")
    assert [len(series.left_out) for series in left] == [0, 0, 1]
    page = mind.look("/numbers/spent?what=coffee")
    assert "no currency was said, and several are used" in page
    assert "<svg" not in page
