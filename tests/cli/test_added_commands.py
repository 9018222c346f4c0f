"""Commands that other packages bring: found by their entry points, and told of where they are missing or broken."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from tests.cli.stage import Run
from yesteryear.cli import app

BROKEN = "tests.cli.nowhere:command"


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, EntryPoint]]:
    """Return what packages are said to bring; nothing at first."""
    found: dict[str, EntryPoint] = {}
    monkeypatch.setattr(app, "entry_points", lambda group: list(found.values()) if group == app.ENTRY_POINTS else [])
    app._added.cache_clear()
    app._command.cache_clear()
    yield found
    app._added.cache_clear()
    app._command.cache_clear()


@pytest.mark.parametrize("name", app.OF_PACKAGES)
def test_a_missing_package_is_named(run: Run, added: dict[str, EntryPoint], name: str) -> None:
    """With the way to have it, whatever else is asked of the command."""
    assert added == {}
    done = run(name, "gate", "--whatever", "3", "--json")
    assert done.code == 1
    assert "yesteryear-lab brings the command" in done.json["error"]["message"]
    assert "pip install --editable lab" in done.json["error"]["message"]
    assert f" {name} " not in run("--help").stdout


def test_a_broken_one_is_named_and_the_others_go_on(run: Run, added: dict[str, EntryPoint]) -> None:
    """Help lists it, and says there what is wrong."""
    added["bench"] = EntryPoint("bench", BROKEN, app.ENTRY_POINTS)
    done = run("bench")
    assert done.code == 1
    assert "brings the command 'bench', and it cannot be used: No module named" in done.stderr
    assert "cannot be used" in run("--help").stdout
    assert run("--version").code == 0


def test_none_takes_the_place_of_ours(run: Run, added: dict[str, EntryPoint]) -> None:
    """Whoever installs a package does not hand over their memory to it by a name."""
    added["observe"] = EntryPoint("observe", BROKEN, app.ENTRY_POINTS)
    assert "cannot be used" not in run("observe", "--help").stdout
