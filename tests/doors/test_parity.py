"""Every verb stands at every door, or it is said why not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tools.make_doors import Door, all_doors
from yesteryear.api.verbs import VERBS
from yesteryear.cli.app import build_app

TOOL = Path(__file__).resolve().parents[2] / "tools" / "make_doors.py"


@pytest.mark.parametrize("door", all_doors(), ids=lambda door: door.name)
def test_a_door_has_every_verb_or_says_why_not(door: Door) -> None:
    """As the door itself tells; a verb is not both there and exempt, and no exemption is for one that is no more."""
    assert door.faults(VERBS) == []
    assert all(door.exempt.values())


def test_python_and_rest_leave_nothing_out() -> None:
    """They are the two that all others are measured by."""
    assert {door.name for door in all_doors() if not door.exempt} == {"Python", "REST"}


@pytest.mark.parametrize("told", [verb.command for verb in VERBS.values() if verb.command])
def test_a_command_of_another_name_exists(told: str) -> None:
    """With the option that makes it the verb."""
    command, *options = told.split()
    done = CliRunner().invoke(build_app(), [command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert done.exit_code == 0, done.output
    assert all(option in done.output for option in options)


def test_a_gap_is_noticed() -> None:
    """A verb that is nowhere, one that is there twice over, and one that nobody has."""
    door = Door("Window", {"recall": "look", "peep": "peep"}, {"recall": "no", "erase": "too high", "fly": "no wings"})
    assert door.faults(["recall", "erase", "observe"]) == [
        "Window: observe is missing without a reason",
        "Window: recall is there, and exempt too",
        "Window: there is no verb peep",
        "Window: there is no verb fly",
    ]


def test_the_page_is_current() -> None:
    """``make doors`` writes it."""
    done = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
