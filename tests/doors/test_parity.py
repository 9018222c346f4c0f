"""Every verb stands at every door, or it is said why not."""

from __future__ import annotations

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tests.each import each
from tools.make_doors import COMMAND_NAMES, MISSING, TARGET, Door, all_doors, render
from yesteryear.api.verbs import VERBS, Verb
from yesteryear.cli.app import build_app
from yesteryear.cli.verb_options import NOT_ASKED, OTHERWISE


@pytest.mark.parametrize("door", all_doors(), ids=lambda door: door.name)
def test_a_door_has_every_verb_or_says_why_not(door: Door) -> None:
    """As the door itself tells; a verb is not both there and exempt, and no exemption is for one that is no more."""
    assert door.faults(VERBS) == []
    assert all(door.exempt.values())


def test_python_and_rest_leave_nothing_out() -> None:
    """They are the two that all others are measured by."""
    assert {door.name for door in all_doors() if not door.exempt} == {"Python", "REST"}


@pytest.mark.parametrize("told", COMMAND_NAMES.values())
def test_a_command_of_another_name_exists(told: str) -> None:
    """With the option that makes it the verb."""
    command, *options = told.split()
    done = CliRunner().invoke(build_app(), [command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert done.exit_code == 0, done.output
    assert all(option in done.output for option in options)


COMMANDS = get_command(build_app()).commands  # type: ignore[attr-defined] # it is a group
SAID_FIRST = frozenset({"both_hold id"})
"""What a command takes in words of its own: the two facts of a conflict, for its id."""


@each("verb", [verb for verb in VERBS.values() if verb.name not in MISSING["Command line"]])
def test_a_command_asks_for_all_that_its_verb_takes(verb: Verb) -> None:
    """An option that was forgotten is one that nobody at a prompt can use; one that is there needs no excuse."""
    command = COMMANDS[COMMAND_NAMES.get(verb.name, verb.name).split()[0]]
    options = {name for asked in command.params for name in asked.opts}
    for name in verb.parameters:
        is_asked = bool({f"--{OTHERWISE.get(name, name).replace('_', '-')}", name} & options)
        is_excused = bool({name, f"{verb.name} {name}"} & (NOT_ASKED.keys() | SAID_FIRST))
        assert is_asked is not is_excused, name


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
    assert TARGET.read_text(encoding="utf-8") == render(all_doors()), "run: make doors"
