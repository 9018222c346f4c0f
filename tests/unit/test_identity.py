"""Telling workers that are there from workers that are gone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.each import each
from yesteryear.worker import ProcessWorkers


def test_this_process_is_there_under_each_of_its_names() -> None:
    """Two engines of one process know each other."""
    assert not ProcessWorkers().is_gone(ProcessWorkers().name())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not tell when a process began")
def test_an_earlier_process_of_the_same_number_is_gone() -> None:
    """A container that was restarted begins to count anew."""
    host, pid, started, rest = ProcessWorkers().name().split("/")
    assert ProcessWorkers().is_gone("/".join((host, pid, f"1{started}", rest)))


def test_a_process_that_has_ended_is_gone() -> None:
    """Its number belongs to nobody."""
    host = ProcessWorkers().name().partition("/")[0]
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert ProcessWorkers().is_gone(f"{host}/{process.pid}/1/abc")


@each("name", ["", "elsewhere/1/1/abc", "no slashes", "elsewhere"])
def test_who_cannot_be_known_counts_as_there(name: str) -> None:
    """Other hosts keep their leases until these run out."""
    assert not ProcessWorkers().is_gone(name)
