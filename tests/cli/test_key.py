"""``yesteryear key`` and ``yesteryear audit``."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.stage import Run
from yesteryear.core.access.keys import read_token


@pytest.fixture(autouse=True)
def _here(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YESTERYEAR_STORE", str(store))


def test_a_key_is_shown_once(run: Run) -> None:
    """On stdout, alone, so that it can be piped; nowhere afterwards."""
    made = run("key", "create", "laptop", "--user", "ana")
    token = read_token(made.stdout.strip())
    assert (token.owner.user, token.id in made.stderr, "not shown again" in made.stderr) == ("ana", True, True)
    listed = run("key", "list")
    assert token.id in listed.stdout
    assert token.text.rpartition("_")[2] not in listed.stdout


def test_keys_are_made_listed_and_revoked(run: Run) -> None:
    """With what a program wants to know of them, and without a hash."""
    made = run("key", "create", "app", "--everybody", "--right", "admin", "--days", "0", "--json").json
    run("key", "create", "laptop", "--user", "ana", "--right", "read")
    keys = run("key", "list", "--json").json["keys"]
    assert [(key["name"], key["user"], key["right"], key["state"]) for key in keys] == [
        ("app", None, "admin", "valid"),
        ("laptop", "ana", "read", "valid"),
    ]
    assert (keys[0]["expires_at"], keys[1]["last_used"]) == (None, None)
    assert not any("digest" in key for key in keys)
    assert run("key", "revoke", made["id"], "--json").json["state"] == "revoked"
    assert [key["name"] for key in run("key", "list", "--user", "ana", "--json").json["keys"]] == ["laptop"]


@pytest.mark.parametrize("given", [(), ("--user", "ana", "--everybody")])
def test_for_whom_a_key_is_has_to_be_said(run: Run, given: tuple[str, ...]) -> None:
    """No key for all people is made because a name was left out."""
    done = run("key", "create", "laptop", *given)
    assert done.code == 1
    assert "--everybody" in done.stderr


def test_a_key_that_is_not_there_cannot_be_revoked(run: Run) -> None:
    """The error says where to look."""
    done = run("key", "revoke", "nothing")
    assert (done.code, "key list" in done.stderr) == (1, True)


def test_without_keys_the_list_says_so(run: Run) -> None:
    """And how to make one."""
    assert "key create" in run("key", "list").stdout


def test_a_key_may_be_made_before_anything_else(run: Run, tmp_path: Path) -> None:
    """The store is made with it."""
    place = tmp_path / "new.db"
    assert run("key", "create", "app", "--everybody", "--store", place).code == 0
    assert place.exists()


def test_the_audit_shows_who_did_what(run: Run) -> None:
    """Of a person, or of the tenant itself; and its head, which can be asked for later."""
    run("key", "create", "laptop", "--user", "ana")
    common = run("key", "create", "app", "--everybody", "--json").json
    run("key", "revoke", common["id"])
    shown = run("audit")
    assert "key.revoke" in shown.stdout
    assert "the chain is whole" in shown.stdout
    told = run("audit", "--json").json
    assert [row["verb"] for row in told["rows"]] == ["key.create", "key.revoke"]
    assert [row["verb"] for row in run("audit", "--user", "ana", "--json").json["rows"]] == ["key.create"]
    assert run("audit", "--head", told["verified"]["head"]).code == 0
    assert [row["seq"] for row in run("audit", "--limit", "1", "--json").json["rows"]] == [2]


def test_a_broken_chain_is_told_and_fails(run: Run, store: Path) -> None:
    """With the row at which it is broken; so is a head that is gone."""
    for name in ("one", "two", "three"):
        run("key", "create", name, "--everybody")
    lost = run("audit", "--head", "0" * 64)
    assert (lost.code, "noted" in lost.stdout) == (1, True)
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("DELETE FROM audit WHERE seq = 2")
        connection.commit()
    done = run("audit", "--json")
    assert (done.code, done.json["verified"]["broken_at"], done.json["verified"]["rows"]) == (1, 3, 2)
    assert "broken at row 3" in run("audit").stdout
