"""The pages show what is remembered, and nothing that is shown does anything."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.doors.inspector.conftest import NASTY, Mind, read_page
from tests.script import HATES, LISBON, LOVES, PORTO, fact, statement
from yesteryear.api.words import SAID

pytestmark = pytest.mark.sampled

PAGES = [
    "",
    "/episodes",
    "/facts",
    "/facts?status=all",
    "/conflicts",
    "/graph",
    "/graph?question=conflicts",
    "/graph?question=path&of=running&to=thesis",
    "/numbers",
    "/numbers/sleep?unit=h",
    "/journal?since=all",
    "/context",
    "/nights",
    "/rights",
]


def test_every_change_of_a_night_has_its_title() -> None:
    """On its page as at a prompt, so that none is left out."""
    changes = "superseded merged distilled stable restored resolved needs_review deprecated confidence"
    assert list(SAID["changes"]) == changes.split()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_shown_under_a_strict_policy(mind: Mind, page: str) -> None:
    """Nothing is loaded from elsewhere, nothing within a text can run, nothing is kept by the browser."""
    answer = mind.browser.get(mind.home + page)
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"
    assert 'style="' not in answer.text
    assert " onclick" not in answer.text
    assert read_page(answer.text).tags.count("script") == 1


def test_every_link_leads_somewhere(mind: Mind) -> None:
    """From the first page on, all that can be reached is there; no page changes anything by being looked at."""
    before = mind.memory.stats()["rev"]
    waiting, seen = [mind.home], set()
    while waiting:
        path = waiting.pop()
        if path in seen or not path.startswith("/mind"):
            continue
        seen.add(path)
        answer = mind.browser.get(path)
        assert answer.status_code == 200, f"{path}: {answer.status_code}"
        waiting.extend(link for link in read_page(answer.text).links if "#" not in link)
    assert len(seen) > 40
    assert mind.memory.stats()["rev"] == before


def test_what_was_said_is_text_wherever_it_is_shown(mind: Mind) -> None:
    """Tags and instructions in a memory are shown as they were written."""
    page = mind.look("/journal?since=all")
    assert "&lt;script&gt;alert" in page
    for path in (
        "/journal?since=all",
        f"/context?message={NASTY}",
        f"/facts?text={NASTY}",
        "/graph",
        f"/graph?of={NASTY}",
    ):
        tags = read_page(mind.look(path)).tags
        assert (tags.count("script"), tags.count("img")) == (1, 0), path


def test_a_fact_is_shown_with_its_grounds(mind: Mind) -> None:
    """Words, day, what took its place, and until when it held."""
    old = fact(mind.memory, PORTO)
    page = mind.look(f"/facts/{old.id}")
    assert PORTO in page
    assert "2 March 2026" in page
    assert f"/facts/{old.superseded_by}" in page
    assert statement(LISBON) in page
    assert "superseded" in page


def test_facts_are_found_by_their_words(mind: Mind) -> None:
    """Without a script, by the server."""
    page = mind.look("/facts?text=CORIANDER")
    assert statement(LOVES) in page
    assert statement(LISBON) not in page


def test_facts_are_found_by_what_they_tell_of_whom(mind: Mind) -> None:
    """It stands beside the kind, in the list and on the fact's own page."""
    page = mind.look("/facts?attribute=home&holder=ana")
    assert statement(LISBON) in page
    assert statement(LOVES) not in page
    chip = '<span class="chip">home</span>'
    assert chip in page
    assert chip in mind.look(f"/facts/{fact(mind.memory, LISBON).id}")
    assert statement(LISBON) not in mind.look("/facts?holder=Priya")


def test_a_preview_does_not_count_as_shown(mind: Mind) -> None:
    """Looking at a context must not make an echo of what the person says next."""
    mind.look("/context?message=where+do+I+live")
    assert "tokens" in mind.look("/context?message=thesis&budget=60")
    with mind.shop.ports.store.read(mind.memory.scope) as tx:
        assert tx.recalls.page() == []


def test_both_sides_of_a_conflict_are_shown(mind: Mind) -> None:
    """The person alone knows which one holds."""
    page = mind.look("/conflicts")
    assert statement(LOVES) in page
    assert statement(HATES) in page


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/facts/none", 404),
        ("/episodes/none", 404),
        ("/journal/none", 404),
        ("/nights/none", 404),
        ("/facts?status=maybe", 422),
        ("/graph?question=why", 422),
        ("/graph?question=blocking", 422),
        ("/graph?of=thesis&to=runs", 422),
        ("/graph/none", 404),
        ("/graph/blocks:none:none", 404),
        ("/numbers/luck", 422),
        ("/numbers/sleep?unit=min", 404),
        ("/numbers/sleep?unit=h&by=year", 422),
        ("/context?budget=-1", 422),
        ("/context?budget=lots", 422),
        ("/journal?since=yesterday", 422),
        ("/episodes?after=%00", 422),
    ],
)
def test_odd_addresses_get_a_page_that_says_so(mind: Mind, path: str, status: int) -> None:
    """Clear words, under the same policy."""
    answer = mind.browser.get(mind.home + path)
    assert answer.status_code == status, answer.text
    assert "content-security-policy" in answer.headers


def test_a_name_with_odd_signs_has_pages_too(mind: Mind) -> None:
    """Names are people's own: with slashes, tags and spaces."""
    name = "ana / b<i>x%2F"
    mind.shop.memory(name).observe("I moved my runs to the morning.")
    people = mind.browser.get("/mind").text
    (link,) = [each for each in read_page(people).links if "ana%25" in each]
    answer = mind.browser.get(quote(link))  # once more, since this browser takes quotes away twice
    assert answer.status_code == 200
    assert "ana / b&lt;i&gt;x%2F" in answer.text


def test_a12_many_people_are_shown_in_pages_and_found_by_name(mind: Mind) -> None:
    """One page of ten thousand names is no list."""
    for number in range(250):
        mind.shop.memory(f"person {number:03}").observe("I moved my runs to the morning.")
    first = mind.browser.get("/mind").text
    assert "person 198" in first
    assert "person 200" not in first
    (further,) = [each for each in read_page(first).links if "after=" in each]
    assert "person 200" in mind.browser.get(further).text
    found = mind.browser.get("/mind?text=N+24").text
    assert "person 249" in found
    assert "person 120" not in found
