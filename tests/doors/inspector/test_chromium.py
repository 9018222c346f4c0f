"""The pages in a real browser: nothing is refused, nothing comes from elsewhere, and everybody can use them."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from tests.doors.inspector.conftest import live, open_app
from tests.script import PORTO, RUNS, fact, open_play, told
from tests.workshop import Workshop

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PAGES = [
    "",
    "/episodes",
    "/facts",
    "/conflicts",
    "/graph",
    "/graph?question=conflicts",
    "/numbers",
    "/numbers/sleep?unit=h",
    "/journal?since=all",
    "/context?message=thesis",
    "/nights",
    "/rights",
]

pytestmark = [
    pytest.mark.heavy,  # the same pages and their policy are asked for without a browser in test_pages and test_forms
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine; install the package chromium"),
]


@dataclass
class Site:
    """A server with Ana's mind, and a browser."""

    shop: Workshop
    browser: Browser
    address: str

    def open(self, *, scheme: str = "light", width: int = 1200, has_scripts: bool = True) -> Page:
        """Return a new window that takes note of what goes wrong in it."""
        return self.browser.new_context(
            viewport={"width": width, "height": 844},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=has_scripts,
        ).new_page()

    def names(self) -> list[str]:
        """Return every page, one of each kind."""
        memory = self.shop.memory()
        found = fact(memory, PORTO).id
        (episode, *_), (night, *_), (message, *_) = memory.episodes(), memory.nights(), memory.messages()
        more = [f"/facts/{found}", f"/facts/{found}/forget", f"/episodes/{episode.id}", f"/nights/{night.id}"]
        (edge, *_) = memory.graph().edges
        return [*PAGES, *more, f"/journal/{message.id}", f"/graph/{edge.id}"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A real server on a socket, and a real browser."""
    place = tmp_path_factory.mktemp("site") / "mind.db"
    with socket.create_server(("127.0.0.1", 0)) as listening, open_play(place) as shop, sync_playwright() as driver:
        live(shop)
        server = uvicorn.Server(uvicorn.Config(open_app(shop), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield Site(shop, browser, f"http://127.0.0.1:{listening.getsockname()[1]}/mind/ana")
        browser.close()
        server.should_exit = True
        thread.join()


def test_every_page_renders_under_its_policy(site: Site) -> None:
    """No word on the console, no request to anywhere else, and no page wider than a phone."""
    said: list[str] = []
    asked: list[str] = []
    for width in (1200, 360):
        page = site.open(width=width)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        for name in site.names():
            page.goto(site.address + name)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    host = site.address.removesuffix("/mind/ana")
    assert said == []
    assert [url for url in asked if not url.startswith(host)] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(site: Site, scheme: str) -> None:
    """What axe calls serious or critical is on no page, in the light and in the dark."""
    page = site.open(scheme=scheme)
    for name in site.names():
        page.goto(site.address + name)
        found = [
            f"{name}: {each['id']}: {each['nodes'][0]['html'][:200]} {each['nodes'][0]['any'][:1]}"
            for each in Axe().run(page)["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert found == []


def test_a_fact_is_put_right_by_keyboard_alone(site: Site) -> None:
    """From the list of facts to the corrected one, without a mouse."""
    page = site.open()
    page.goto(site.address + "/facts")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    wanted = fact(site.shop.memory(), RUNS)
    for _ in range(80):
        if page.evaluate("document.activeElement.textContent").strip() == wanted.statement:
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/facts/{wanted.id}")
    for _ in range(40):
        if page.evaluate("document.activeElement.id") == "statement":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("Ana runs at noon.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("status").wait_for()
    assert "Ana runs at noon." in told(site.shop.memory())


def test_the_graph_is_walked_by_keyboard(site: Site) -> None:
    """From the form into the drawing, and from a box to its fact."""
    page = site.open(has_scripts=False)
    page.goto(site.address + "/graph")
    page.get_by_role("button", name="Ask").focus()
    page.keyboard.press("Tab")
    (node, *_) = site.shop.memory().graph().edges
    assert page.locator("a.node:focus").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_url("**/facts/*")
    assert page.url.rpartition("/")[2] in {node.source.fact, node.target.fact}


def test_the_list_is_narrowed_while_one_types(site: Site) -> None:
    """With the script; how many are left is told."""
    page = site.open()
    page.goto(site.address + "/facts")
    page.get_by_label("Words").fill("lisbon")
    assert page.locator("#facts > li:visible").count() == 1
    assert page.locator("[data-count]").inner_text() == "1 fact"


def test_it_works_without_scripts(site: Site) -> None:
    """A filter has its button."""
    page = site.open(has_scripts=False)
    page.goto(site.address + "/facts")
    page.get_by_label("Words").fill("lisbon")
    page.get_by_role("button", name="Show").click()
    assert page.locator("#facts > li").count() == 1


def test_pictures_are_not_blank(site: Site, tmp_path: Path) -> None:
    """A page that renders to nothing would pass all of the above."""
    page = site.open()
    page.goto(site.address)
    blank = site.open()
    assert len(page.screenshot()) > 3 * len(blank.screenshot())
    assert page.locator(".numbers b").first.inner_text() != "0"
