"""Help says what happens and shows how; usage errors say what is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import yesteryear
from tests.cli.stage import Run
from tests.cli.test_json import COMMANDS, all_commands
from tests.each import each
from yesteryear.cli import app


@pytest.mark.parametrize("name", sorted(all_commands()))
def test_every_command_says_what_it_does_and_gives_an_example(run: Run, name: str) -> None:
    """The example begins with the command itself."""
    done = run(*name.split(), "--help")
    assert done.code == 0
    example = done.stdout[done.stdout.index("Example:") :].splitlines()[1]
    assert example.strip().startswith("yesteryear ")
    assert f"yesteryear {name}" in done.stdout[done.stdout.index("Example:") :]
    assert "--json" in done.stdout


def test_the_overview_names_every_command(run: Run) -> None:
    """With a line that is short enough to be read at a glance."""
    shown = run("--help").stdout
    for name in all_commands():
        assert f" {name.split()[0]} " in shown


@each("name", app.COMMANDS)
def test_the_overview_says_what_a_command_says_of_itself(name: str) -> None:
    """Its sentences stand beside the names, since no command is loaded for it."""
    told = get_command(app.build_app()).commands[name].help  # type: ignore[attr-defined] # it is a group
    assert told.split("\n\n")[0] == app.COMMANDS[name][1]


def test_no_command_at_all_shows_the_overview(run: Run) -> None:
    """As wrong usage."""
    assert run().code == 2


@pytest.mark.parametrize(
    "args",
    [
        ["episodess"],
        ["context", "--nonsense"],
        ["import"],
        ["import", "not-there.jsonl"],
        ["import", ".", "--format", "csv"],
        ["messages", "--limit", "0"],
        ["gate", "--limit", "many"],
        ["bench", "latency", "--option", "kills"],
        ["recall", "hello", "--speaker", "dog"],
        ["context", "hello", "--layout", "yaml"],
    ],
)
def test_wrong_usage_ends_with_2(run: Run, args: list[str]) -> None:
    """And is told on stderr."""
    done = run(*args)
    assert done.code == 2
    assert done.stdout == ""
    assert done.stderr != ""


def test_a_slip_of_the_keyboard_is_answered_with_what_was_meant(run: Run) -> None:
    """Commands that are near are named."""
    assert "episodes" in run("episodess").stderr


def test_the_version_is_shown(run: Run) -> None:
    """On a line of its own."""
    done = run("--version")
    assert done.code == 0
    assert done.stdout.startswith("yesteryear ")


def test_help_loads_nothing_heavy() -> None:
    """Neither the engine nor numpy nor the model's runtime: help is asked for often."""
    heavy = "yesteryear.memory.engine yesteryear.memory.memory yesteryear_lab.bench.suites numpy onnxruntime"
    code = (
        "import sys; from typer.testing import CliRunner; from yesteryear.cli.app import build_app;"
        "assert CliRunner().invoke(build_app(), ['--help']).exit_code == 0;"
        f"print([name for name in '{heavy}'.split() if name in sys.modules])"
    )
    source = str(Path(yesteryear.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": source}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "option", "begun", "words"), [("metrics", "by", "w", ["week"]), ("graph", "question", "bl", ["blocking"])]
)
def test_words_that_may_be_said_are_completed(name: str, option: str, begun: str, words: list[str]) -> None:
    """Of options and of arguments, as the verb has them."""
    command = get_command(app.build_app()).commands[name]  # type: ignore[attr-defined] # it is a group
    [asked] = [each for each in command.params if each.name == option]
    assert [item.value for item in asked.shell_complete(command.make_context(name, []), begun)] == words


def test_completion_is_offered(run: Run) -> None:
    """For the shells that typer knows."""
    assert "--install-completion" in run("--help").stdout
    assert "context" in COMMANDS
