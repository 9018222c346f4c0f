"""Following what happens: nothing is missed, whoever was cut off goes on, and nobody is waited for who is gone."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.doors.rest.house import House, say, the_fact
from tests.script import GOAL, HATES, LISBON, LOVES, statement

WAIT_S = 20.0
"""Longest wait for what has to come, in seconds."""


def read(lines: Iterator[str]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Return the events of a stream: kind, id, data; signs of life are passed over."""
    held: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if name in ("id", "event", "data"):
            held[name] = value
        elif not line and "data" in held:
            yield held["event"], int(held["id"]), json.loads(held["data"])
            held = {}


def wait_until_nobody_follows(house: House) -> None:
    """Wait until the server has no open request left."""
    end = time.monotonic() + WAIT_S
    while house.open_streams() and time.monotonic() < end:
        time.sleep(0.02)
    assert not house.open_streams()


def test_what_happens_is_told_as_it_happens(ana: httpx.Client, house: House) -> None:
    """An episode and a fact when something is said; the fact again when it is changed."""
    say(ana, LOVES)
    with ana.stream("GET", "/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = read(stream.iter_lines())
        threading.Timer(0.2, say, [house.client("ana"), LISBON], {"conversation": "desk"}).start()
        seen = {}
        while {"episode", "fact"} - seen.keys():
            kind, _, row = next(events)
            seen[kind] = row
        assert seen["fact"]["statement"] == statement(LISBON)
        assert seen["episode"]["conversation"] == "desk"
        fact = the_fact(house.client("ana"), statement(LISBON))
        house.client("ana").post(f"/memories/{fact['id']}/pin")
        changed = next(row for kind, _, row in events if kind == "fact" and row["pinned"])
        assert changed["id"] == fact["id"]


def test_who_was_cut_off_goes_on_where_they_were(ana: httpx.Client, house: House) -> None:
    """From the last id on all that is new comes, and with 0 all there is."""
    say(ana, LOVES)
    with ana.stream("GET", "/events", headers={"Last-Event-ID": "0"}) as stream:
        last = 0
        for kind, number, _ in read(stream.iter_lines()):
            last = number
            if kind == "fact":
                break
    say(ana, GOAL, conversation="desk")
    say(ana, LISBON, conversation="sofa")
    with ana.stream("GET", "/events", headers={"Last-Event-ID": str(last)}) as stream:
        statements: set[str] = set()
        for kind, _, row in read(stream.iter_lines()):
            if kind == "fact":
                statements.add(row["statement"])
            if {statement(GOAL), statement(LISBON)} <= statements:
                break


def test_a_conflict_is_told(ana: httpx.Client, house: House) -> None:
    """Both sides of it, so that the person can be asked."""
    say(ana, LOVES)
    with ana.stream("GET", "/events") as stream:
        say(house.client("ana"), HATES, conversation="desk")
        told = next(row for kind, _, row in read(stream.iter_lines()) if kind == "conflict")
        assert {told["earlier"]["statement"], told["later"]["statement"]} == {statement(LOVES), statement(HATES)}


@pytest.mark.heavy
def test_a_silent_stream_gives_signs_of_life(ana: httpx.Client) -> None:
    """So that no proxy in between takes it for dead."""
    with ana.stream("GET", "/events") as stream:
        lines = stream.iter_lines()
        assert [line for line, _ in zip(lines, range(6), strict=False)].count(": still here") >= 2


def test_nobody_is_waited_for_who_is_gone(ana: httpx.Client, house: House) -> None:
    """A client that vanishes leaves nothing running."""
    for _ in range(5):
        with ana.stream("GET", "/events") as stream:
            next(stream.iter_lines())
    wait_until_nobody_follows(house)


def test_only_an_id_of_ours_is_gone_on_from(ana: httpx.Client) -> None:
    """Anything else is refused before the stream begins."""
    for wrong in ("x", "-1", "9" * 30):
        assert ana.get("/events", headers={"Last-Event-ID": wrong}).status_code == 422
