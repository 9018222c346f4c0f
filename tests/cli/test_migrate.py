"""``yesteryear migrate``: what has been done to the tables, what is to be, and doing it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.stage import Run
from tests.conftest import ROLE, administer
from yesteryear.storage.postgres import schema as postgres
from yesteryear.storage.sqlite import schema as sqlite
from yesteryear_lab.postgres_server import PostgresServer

pytestmark = pytest.mark.usefixtures("new_files")

OURS = [migration.label for migration in postgres.SHIPPED]


@pytest.fixture
def empty(postgres_server: PostgresServer, new_database: str) -> str:
    """Return the address of a database with nothing but pgvector."""
    administer(postgres_server, "CREATE EXTENSION vector", database=new_database)
    return postgres_server.url(new_database, role=ROLE)


def test_a_file_is_made_and_then_up_to_date(run: Run) -> None:
    """A dry run makes none."""
    shipped = [migration.label for migration in sqlite.SHIPPED]
    shown = run("migrate", "new.db", "--dry-run", "--json").json
    assert shown["databases"] == [{"store": "new.db", "applied": [], "pending": shipped, "partitions": 0, "run": []}]
    assert not Path("new.db").exists()
    done = run("migrate", "new.db", "--json").json["databases"][0]
    assert (done["applied"], done["pending"], done["run"]) == (shipped, [], shipped)
    assert run("migrate", "new.db").stdout.endswith("  nothing to do\n")


def test_a_database_is_made_in_parts(run: Run, empty: str) -> None:
    """A dry run leaves it as it is; its number of parts is told from then on."""
    shown = run("migrate", empty, "--dry-run", "--partitions", "4")
    assert f"  to do    {OURS[0]}" in shown.stdout
    assert run("migrate", empty, "--dry-run", "--json").json["databases"][0]["applied"] == []
    done = run("migrate", empty, "--partitions", "4", "--json").json["databases"][0]
    assert (done["applied"], done["run"], done["partitions"]) == (OURS, OURS, 4)
    assert "its big tables in 4 parts" in run("migrate", empty).stdout
    assert run("observe", "I like walnuts", "--user", "ana", "--store", empty).code == 0


def test_tables_that_are_there_keep_their_parts(run: Run, postgres_url: str) -> None:
    """It is told how to come to others."""
    done = run("migrate", postgres_url, "--partitions", "16")
    assert done.code == 1
    assert "the tables are there already, whole; make an empty database" in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["memory.db", "--partitions", "4"], "a file has no partitions"),
        ([":memory:"], "a store in memory has no tables"),
        (["mysql://somewhere"], "mysql:// stores do not exist"),
    ],
)
def test_what_has_no_such_tables_is_told(run: Run, args: list[str], message: str) -> None:
    """And nothing is made."""
    done = run("migrate", *args)
    assert done.code == 1
    assert message in done.stderr
    assert done.stdout == "", "nothing is shown that is not going to be done"
    assert not Path("memory.db").exists()


def test_too_many_parts_are_refused(run: Run, empty: str) -> None:
    """Before anything is made."""
    assert "partitions are 1 to 1024" in run("migrate", empty, "--partitions", "5000").stderr
    assert run("migrate", empty, "--dry-run", "--json").json["databases"][0]["applied"] == []
