"""Take the pictures of the pages that the docs show, into docs/pictures.

``python tools/take_pictures.py`` lets a memory live through the conversation of ``yesteryear demo`` in seconds, serves
its pages on the loopback address and takes pictures of them with the system's Chromium.
"""

from __future__ import annotations

import json
import shutil
import socket
import sys
import tempfile
import threading
import time
from datetime import timedelta
from importlib.resources import files
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from playwright.sync_api import sync_playwright

import yesteryear
from yesteryear.api.access import OpenDoor
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.inspector.router import inspector_router
from yesteryear.core.time import parse_instant

_PERSON = "marta"
_RUNNER = "ana"
_TOLD = (
    "I want to run the Lisbon marathon in October.",
    "I can't train for the marathon because of my knee.",
    "Physio helps with my knee.",
    "Swimming helps with my knee.",
    "I can't do yoga because of my knee.",
    "I need the visa before I can book the flight.",
    "I can't finish my thesis because of night shifts.",
    "Night shifts make it hard to sleep.",
    "My headaches come from bad sleep.",
    "I moved to Porto because of Priya's job.",
)
_KM = (5, 0, 6, 0, 4, 8, 0, 5.5, 0, 6, 7, 0, 0, 9, 6, 0, 7, 0, 8, 10)
"""What Ana ran each day; nothing where it is 0."""
_FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def live(place: Path) -> yesteryear.ReplayClock:
    """Let Marta live through her eight weeks, with a night after each day; return the clock at their end."""
    text = (files("yesteryear.cli") / "demo" / "conversation.jsonl").read_text(encoding="utf-8")
    messages = [json.loads(line) for line in text.splitlines()]
    clock = yesteryear.ReplayClock(parse_instant(messages[0]["at"]))
    with yesteryear.open(place, clock=clock, worker="none") as engine:
        memory = engine.memory(user=_PERSON)
        for number, message in enumerate(messages):
            at = parse_instant(message["at"])
            if number and at.date() != clock.now().date():
                memory.flush()
                memory.consolidate()
            clock.advance(max(timedelta(0), at - clock.now()))
            memory.observe([message])
        memory.flush()
        memory.consolidate()
    clock.advance(timedelta(days=1))
    return clock


def run(place: Path, clock: yesteryear.ReplayClock) -> None:
    """Let Ana tell of three weeks: what bears on what, and how far she ran."""
    with yesteryear.open(place, clock=clock, worker="none") as engine:
        memory = engine.memory(user=_RUNNER)
        for day, km in enumerate(_KM):
            texts = [*_TOLD[day : day + 1], *([f"I ran {km} km today."] if km else [])]
            for text in texts:
                at = clock.now() - timedelta(days=len(_KM) - day)
                memory.observe(text, conversation=f"day {day}", author="Ana", at=at)
        memory.flush()


def main() -> None:
    """Take them."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("there is no Chromium; install the package chromium")
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listening:
        place = Path(folder) / "marta.db"
        clock = live(place)
        run(place, clock)
        app = FastAPI()
        app.include_router(
            inspector_router(AuthContext(yesteryear.open_async(place, clock=clock, worker="none"), OpenDoor()))
        )
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        with yesteryear.open(place, clock=clock, worker="none") as engine:
            (fact, *_) = engine.memory(user=_PERSON).facts(status="superseded")
        _take(chromium, f"http://127.0.0.1:{listening.getsockname()[1]}/mind", fact.id)
        server.should_exit = True
        thread.join()


def _take(chromium: str, address: str, fact: str) -> None:
    _FOLDER.mkdir(exist_ok=True)
    pictures = {
        "overview": (_PERSON, "light", 1100, 820),
        "episodes": (f"{_PERSON}/episodes", "dark", 1100, 820),
        "fact": (f"{_PERSON}/facts/{fact}", "light", 1100, 980),
        "context": (f"{_PERSON}/context?message=plan+my+morning+before+work", "dark", 1100, 820),
        "phone": (f"{_PERSON}/facts", "light", 390, 820),
        "graph": (f"{_RUNNER}/graph", "light", 1100, 720),
        "numbers": (f"{_RUNNER}/numbers/run?unit=km", "dark", 1100, 700),
    }
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=_FLAGS)
        for name, (path, scheme, width, height) in pictures.items():
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme="dark" if scheme == "dark" else "light"
            )
            page.goto(f"{address}/{path}")
            page.screenshot(path=_FOLDER / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
