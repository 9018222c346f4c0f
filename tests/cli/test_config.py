"""``yesteryear config``: which folders may decide where memory goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.stage import Run
from tests.llm.server import embedded, serving
from yesteryear.config.settings import FILE


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who has decided nothing yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_b04_a_cloned_folder_sends_nothing_anywhere(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever works in it is told, and nothing is taken down; once it is allowed it is as it says."""
    monkeypatch.delenv("YESTERYEAR_EMBEDDER")
    with serving(lambda _, seen: embedded([[1.0, 0.0]] * len(seen.body["input"]))) as server:
        Path(FILE).write_text(
            f'redact_secrets = false\nembedder = "openai:tiny"\nembedder_url = "{server.url}"\nembedder_dimension = 2\n'
        )
        done = run("observe", "I moved to Porto last week.", "--user", "ana")
        assert (done.code, server.seen, [*Path().glob("*.db")]) == (1, [], [])
        assert "yesteryear config allow" in done.stderr
        assert run("config", "deny").code == 0
        monkeypatch.setenv("YESTERYEAR_EMBEDDER", "hashing")
        assert run("observe", "My key is AKIAIOSFODNN7EXAMPLE.", "--user", "ana").code == 0
        assert server.seen == []
    assert "AKIAIOSFODNN7EXAMPLE" not in run("messages", "--user", "ana").stdout
    assert run("config", "allow").code == 0
    assert run("doctor", "--json").json["settings"]["redact_secrets"] == {"value": False, "origin": FILE}


def test_folders_are_allowed_denied_and_listed(run: Run, tmp_path: Path) -> None:
    """What is allowed is shown, passwords not; an edited file is listed as changed."""
    cloned = tmp_path / "cloned"
    cloned.mkdir()
    assert run("config", "list").stdout == "no folder was allowed or denied\n"
    assert run("config", "allow", cloned).code == 1  # there is no file
    assert run("config", "allow", tmp_path / "nowhere").code == 1
    (cloned / FILE).write_text('store = "postgresql://ana:sesame@host/memory"\ncontext_budget = 7\n')
    shown = run("config", "allow", cloned)
    assert "store = postgresql://ana:" in shown.stdout
    assert "sesame" not in shown.stdout
    assert "context_budget" not in shown.stdout
    made = run("config", "allow", cloned, "--json").json
    assert (made["file"], made["is_allowed"], list(made["settings"])) == (str(cloned / FILE), True, ["store"])
    assert run("config", "deny").code == 0
    (cloned / FILE).write_text("")
    listed = run("config", "list", "--json").json["folders"]
    assert {row["file"]: row["state"] for row in listed} == {
        str(cloned / FILE): "changed",
        str(Path(FILE).absolute()): "denied",
    }
    assert "denied" in run("config", "list").stdout


def test_a_denied_folder_is_told_by_the_doctor(run: Run) -> None:
    """Whoever wonders why a setting does not hold looks there; before it was decided, that is wrong."""
    Path(FILE).write_text('store = "theirs.db"\n')
    undecided = run("doctor", "--json")
    assert undecided.code == 1
    run("config", "deny")
    found = [check for check in run("doctor", "--json").json["checks"] if check["name"] == "settings"]
    assert [(check["state"], "store" in check["found"]) for check in found] == [("fine", True)]
