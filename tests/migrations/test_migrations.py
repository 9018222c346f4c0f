"""Schema changes: in order, once, all or nothing, after a copy; what is newer or changed is refused."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from tests.belief_rows import a_fact, a_ruling, evidence_for
from tests.rows import ANA, SKIPPED, TALK, a_vector, an_episode, at, unnumbered
from tests.workshop import open_workshop
from yesteryear.core.episode import EpisodeStatus
from yesteryear.core.fact import Form
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Message, Outcome, Reason, Verdict
from yesteryear.core.rows.queries import MessageQuery
from yesteryear.core.scope import Scope
from yesteryear.core.time import FOREVER, to_microseconds
from yesteryear.core.vectors import StoredVector, VectorGrain
from yesteryear.errors import SchemaTooNew, StorageCorrupt, StorageError, StorageUnavailable
from yesteryear.ports import Setting, Transaction
from yesteryear.storage.migrate import Migration, pending, read_migrations
from yesteryear.storage.sqlite.connect import SQLitePolicy
from yesteryear.storage.sqlite.schema import SHIPPED, split_statements
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.testing.builders import a_message

pytestmark = pytest.mark.usefixtures("new_files")

NEXT = Migration(
    SHIPPED[-1].version + 1,
    "moods",
    """
-- A later version of yesteryear; its comment; with a semicolon.
CREATE TABLE mood (tenant TEXT NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL DEFAULT ';');
INSERT INTO mood (tenant, user) SELECT DISTINCT tenant, user FROM message;
ALTER TABLE message ADD COLUMN mood TEXT;
""",
)


def make(path: Path, migrations: list[Migration] = SHIPPED, *, messages: int = 3) -> None:
    """Write some messages into a file of a given schema."""
    store = SQLiteStore(path, migrations=migrations)
    for seq in range(1, messages + 1):
        store.write(ANA, lambda tx, seq=seq: tx.messages.insert(a_message(seq=seq)))  # type: ignore[misc]
    store.close()


def messages_in(path: Path, migrations: list[Migration] = SHIPPED) -> list[int]:
    """Return which messages a file holds."""
    store = SQLiteStore(path, migrations=migrations)
    with store.read(ANA) as tx:
        found = [row.seq for row in tx.messages.page(MessageQuery())]
    store.close()
    return found


def ask(path: Path, sql: str) -> list[tuple[object, ...]]:
    """Return what plain SQLite finds in a file."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def backup_of(path: Path) -> Path:
    """Return where the copy before ``NEXT`` belongs."""
    return path.with_name(f"{path.name}.before-{NEXT.version:04d}")


def test_the_shipped_scripts_are_numbered_without_gaps() -> None:
    """From 1, in the order of their file names."""
    assert [migration.version for migration in SHIPPED] == list(range(1, len(SHIPPED) + 1))
    folder = files("yesteryear.storage.sqlite") / "migrations"
    assert read_migrations(folder) == SHIPPED


def test_only_what_has_not_run_is_pending() -> None:
    """In order; nothing when all has run."""
    known = [Migration(1, "a", "A"), Migration(2, "b", "B"), Migration(3, "c", "C")]
    ran = {migration.version: migration.checksum for migration in known}
    assert pending(known, {}) == known
    assert pending(known, {1: ran[1]}) == known[1:]
    assert pending(known, ran) == []


def test_a_statement_ends_where_sqlite_says_so() -> None:
    """Semicolons in comments, texts and triggers end nothing; what has no end is not dropped."""
    trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  SELECT 1;\n  SELECT 2;\nEND;"
    script = f"-- first; not last\nSELECT ';\n';\n\n{trigger}\nSELECT 3"
    assert split_statements(script) == ["-- first; not last\nSELECT ';\n';", trigger, "SELECT 3"]
    assert split_statements("\n\n") == []


def test_a_new_file_gets_the_newest_schema_without_a_copy(tmp_path: Path) -> None:
    """There is nothing to save yet; the file is marked as ours and remembers what has run."""
    path = tmp_path / "memory.db"
    store = SQLiteStore(path, migrations=[*SHIPPED, NEXT])
    assert store.backup is None
    assert store.describe()["schema"] == NEXT.version
    store.close()
    assert [entry.name for entry in path.parent.iterdir()] == ["memory.db"]
    ran = ask(path, "SELECT version, name, checksum FROM schema_migration ORDER BY version")
    assert ran == [(one.version, one.name, one.checksum) for one in (*SHIPPED, NEXT)]
    assert ask(path, "PRAGMA application_id") == [(0x59455354,)]


def test_a_file_is_copied_before_its_schema_changes(tmp_path: Path) -> None:
    """The copy opens with the old version and holds all rows; so does the changed file with the new one."""
    path = tmp_path / "memory.db"
    make(path)
    store = SQLiteStore(path, migrations=[*SHIPPED, NEXT])
    assert store.backup == backup_of(path)
    store.close()
    assert messages_in(path, [*SHIPPED, NEXT]) == [1, 2, 3]
    assert ask(path, "SELECT user, name FROM mood") == [("ana", ";")]
    assert messages_in(backup_of(path)) == [1, 2, 3]
    assert not ask(backup_of(path), "SELECT 1 FROM sqlite_master WHERE name = 'mood'")


def test_rows_that_are_only_in_the_log_are_copied_too(tmp_path: Path) -> None:
    """As after a crash, when the log was never copied into the file."""
    path = tmp_path / "memory.db"
    crashed = SQLiteStore(path)
    crashed.write(ANA, lambda tx: tx.messages.insert(a_message()))
    store = SQLiteStore(path, migrations=[*SHIPPED, NEXT])
    assert messages_in(backup_of(path)) == [1]
    store.close()
    crashed.close()


def test_a_restored_copy_is_brought_up_to_date_again(tmp_path: Path) -> None:
    """With the rows written since in a new copy, and shared between processes as before."""
    path = tmp_path / "memory.db"
    make(path)
    messages_in(path, [*SHIPPED, NEXT])
    backup_of(path).replace(path)
    store = SQLiteStore(path)
    assert store._connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    store.write(ANA, lambda tx: tx.messages.insert(a_message(seq=4)))
    store.close()
    assert messages_in(path, [*SHIPPED, NEXT]) == [1, 2, 3, 4]
    assert messages_in(backup_of(path)) == [1, 2, 3, 4]


def test_without_a_copy_nothing_is_changed(tmp_path: Path) -> None:
    """If there is no room or right to write it, the error says so, and the old version still works."""
    path = tmp_path / "memory.db"
    make(path)
    (tmp_path / f"{backup_of(path).name}.partial").mkdir()
    with pytest.raises(StorageUnavailable, match="no copy could be made"):
        SQLiteStore(path, migrations=[*SHIPPED, NEXT])
    assert messages_in(path) == [1, 2, 3]


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    """The message says what to do; not a byte is changed."""
    path = tmp_path / "memory.db"
    make(path, [*SHIPPED, NEXT])
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew, match="upgrade"):
        SQLiteStore(path)
    assert path.read_bytes() == before


def test_a_script_that_differs_from_the_one_that_ran_is_refused(tmp_path: Path) -> None:
    """A file of another build is not guessed at."""
    path = tmp_path / "memory.db"
    make(path)
    other = [replace(SHIPPED[0], sql=SHIPPED[0].sql + "-- changed\n"), *SHIPPED[1:]]
    with pytest.raises(StorageCorrupt, match="another build"):
        SQLiteStore(path, migrations=[*other, NEXT])
    assert not backup_of(path).exists()
    assert messages_in(path) == [1, 2, 3]


@pytest.mark.parametrize(
    "broken",
    ["CREATE TABLE mood (name TEXT);\nCREATE TABLE mood (name TEXT);", "CREATE TABLE mood (name TEXT);\nCREATE TABL"],
)
def test_a_script_that_fails_leaves_the_old_schema(tmp_path: Path, broken: str) -> None:
    """Its first statements are undone with the rest, also in a new file."""
    path = tmp_path / "memory.db"
    make(path)
    for where in (path, tmp_path / "new.db"):
        with pytest.raises(StorageError):
            SQLiteStore(where, migrations=[*SHIPPED, replace(NEXT, sql=broken)])
        assert not ask(where, "SELECT 1 FROM sqlite_master WHERE name = 'mood'")
    assert messages_in(path) == [1, 2, 3]
    assert messages_in(tmp_path / "new.db") == []


KILLED = """
import os, signal, sys
from pathlib import Path
from yesteryear.storage.migrate import Migration
from yesteryear.storage.sqlite import schema
from yesteryear.storage.sqlite.store import SQLiteStore

left, split = int(sys.argv[2]), schema.split_statements

def split_and_die(script):
    global left
    for statement in split(script):
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        yield statement
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

schema.split_statements = split_and_die
extra = [Migration(int(sys.argv[3]), sys.argv[4], sys.argv[5])] if len(sys.argv) > 3 else []
SQLiteStore(Path(sys.argv[1]), migrations=[*schema.SHIPPED, *extra])
"""


def die_in_migration(path: Path, *, after: int, extra: tuple[str, ...] = ()) -> None:
    """Open a file in a process that kills itself after so many statements of the scripts it runs."""
    command = [sys.executable, "-c", KILLED, str(path), str(after), *extra]
    assert subprocess.run(command, check=False, timeout=60).returncode == -signal.SIGKILL


@pytest.mark.parametrize("after", [2, *(pytest.param(number, marks=pytest.mark.heavy) for number in (0, 1, 3))])
def test_a_process_killed_in_a_migration_leaves_the_old_schema(tmp_path: Path, after: int) -> None:
    """Whichever statement it had reached: the old version goes on, and the new one begins again."""
    path = tmp_path / "memory.db"
    make(path)
    die_in_migration(path, after=after, extra=(str(NEXT.version), NEXT.name, NEXT.sql))
    assert messages_in(path) == messages_in(backup_of(path)) == [1, 2, 3]
    assert not ask(path, "SELECT 1 FROM sqlite_master WHERE name = 'mood'")
    assert messages_in(path, [*SHIPPED, NEXT]) == [1, 2, 3]
    assert ask(path, "SELECT COUNT(*) FROM mood") == [(1,)]


@pytest.mark.parametrize("after", [0, 5])
def test_a_process_killed_while_it_makes_a_file_leaves_an_empty_one(tmp_path: Path, after: int) -> None:
    """The next one makes it as if nothing had been."""
    path = tmp_path / "memory.db"
    die_in_migration(path, after=after)
    make(path)
    assert messages_in(path) == [1, 2, 3]


def test_several_who_open_an_old_file_at_once_change_it_once(tmp_path: Path) -> None:
    """One of them makes the copy and runs the script; the others wait for it."""
    path = tmp_path / "memory.db"
    make(path)
    with ThreadPoolExecutor(6) as pool:
        policy = SQLitePolicy(busy_s=30)
        stores = list(pool.map(lambda _: SQLiteStore(path, policy, migrations=[*SHIPPED, NEXT]), range(6)))
    assert sum(store.backup is not None for store in stores) == 1
    for store in stores:
        store.close()
    assert ask(path, "SELECT COUNT(*) FROM mood") == [(1,)]
    assert messages_in(backup_of(path)) == [1, 2, 3]


def write_old(path: Path, version: int, *works: Callable[[Transaction], object]) -> None:
    """Leave a file as an earlier version wrote it: rows are made by today's code and copied into the tables of then."""
    newest = path.with_name("newest.db")
    store = SQLiteStore(newest)
    for work in works:
        store.write(ANA, work)
    store.close()
    SQLiteStore(path, migrations=SHIPPED[:version]).close()
    with closing(sqlite3.connect(path)) as old:
        old.execute("ATTACH ? AS newest", (str(newest),))
        tables = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name <> 'schema_migration'"
        for (table,) in old.execute(tables).fetchall():
            columns = ", ".join(row[1] for row in old.execute(f"PRAGMA main.table_info({table})"))
            old.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newest.{table}")
        old.commit()


def inserting(message: Message) -> Callable[[Transaction], None]:
    """Return work that inserts a message."""
    return lambda tx: tx.messages.insert(message)


def test_vectors_with_names_in_them_are_made_anew(tmp_path: Path) -> None:
    """Those of passages go and are due again, where the gate has seen the message; those of episodes stay."""
    path = tmp_path / "memory.db"
    judged = replace(a_message(seq=1), verdict=SKIPPED)
    messages = (judged, a_message(seq=2), replace(judged, id="gone", seq=3, content=""))
    rows = [a_vector(judged.id, 1, 0), StoredVector(VectorGrain.EPISODE, "e-1", 0, a_vector("e-1", 0, 1).vector)]
    write_old(path, 1, *map(inserting, messages), lambda tx: tx.vectors.put("fake", rows))
    store = SQLiteStore(path)
    with store.read(ANA) as tx:
        assert [stored.ref for stored in tx.vectors.load("fake")] == ["e-1"]
        assert [message.seq for message in tx.messages.due(FOREVER, limit=9)] == [1]
    store.close()


def test_what_was_remembered_before_there_was_fading_is_looked_at_and_dated(tmp_path: Path) -> None:
    """What is found or archived is due for a look; nothing of it is pinned, recalled or lost by the change itself."""
    path = tmp_path / "memory.db"
    waiting = an_episode("e1")
    active = an_episode("e2", status=EpisodeStatus.ACTIVE, recorded_at=at(60), rev=7)
    archived = an_episode("e3", status=EpisodeStatus.ARCHIVED)
    shown = RecallEvent("r1", TALK, at(0), ("e2",), (12, 34))
    write_old(
        path,
        2,
        *(lambda tx, row=row: tx.episodes.insert(row) for row in (waiting, active, archived)),
        lambda tx: tx.recalls.append(shown),
    )
    before = ask(path, "SELECT rev FROM owner")
    store = SQLiteStore(path)
    assert store.due(at(60), limit=9) == [ANA.owner]
    with store.read(ANA) as tx:
        found = [replace(row, rev=0) for row in tx.episodes.get(["e1", "e2", "e3"])]
        assert [trace.id for trace in tx.episodes.traces(due=at(60))] == ["e3", "e2"]
        assert tx.recalls.open(TALK, limit=9) == [shown]
    store.close()
    assert found == [
        waiting,
        replace(active, fades_at=at(60), rev=0),
        replace(archived, fades_at=archived.recorded_at),
    ]
    assert ask(path, "SELECT rev FROM owner") > before, "indexes that were built before would not be brought up to date"


def test_skipped_text_of_before_is_dated_anew_by_the_settings_of_now(tmp_path: Path) -> None:
    """Nothing of it goes on a day that an old default set; a retention that somebody chose holds from then on."""
    path = tmp_path / "memory.db"
    forgets = Verdict(Outcome.SKIP, Reason.FORGET_REQUEST, 0.0, 0.5, rule="asks_to_forget")
    guessed = replace(forgets, rule=None)
    rows = [
        a_message(seq=seq, verdict=verdict, expires_at=at(60), scope=Scope(user="ana", project=project))
        for seq, (verdict, project) in enumerate(
            [(SKIPPED, None), (SKIPPED, "thesis"), (guessed, None), (forgets, None)], start=1
        )
    ]
    chosen: dict[str, Setting] = {"journal_retention_days": 7}
    write_old(path, 6, *map(inserting, rows), lambda tx: tx.overrides.save("thesis", chosen))
    with open_workshop(path, start=at(60 * 24 * 400)) as shop:
        memory = shop.memory()
        assert memory.fade().expired == (), "what is not dated yet was erased"
        assert ask(path, "SELECT seq, expires_at FROM message WHERE expires_at > 0") == [(4, to_microseconds(at(60)))]
        shop.work()
        with shop.ports.store.read(ANA) as tx:
            found = {row.seq: row for row in tx.messages.page(MessageQuery())}
    assert [(bool(found[seq].content), found[seq].expires_at) for seq in (1, 2, 3)] == [
        (True, None),
        (False, None),
        (True, None),
    ]


def test_a_retention_that_an_operator_set_holds_for_skipped_text_of_before(tmp_path: Path) -> None:
    """The default of then is not taken for a word of theirs, and their word is not lost with it."""
    path = tmp_path / "memory.db"
    write_old(path, 6, inserting(a_message(verdict=SKIPPED, expires_at=at(60))))
    with open_workshop(path, start=at(60 * 24 * 10), journal_retention_days=20) as shop:
        shop.work()
        assert shop.memory().messages()[0].expires_at == at(60 * 24 * 20)
        assert shop.memory().messages()[0].content


def test_facts_from_before_there_were_attributes_tell_none(tmp_path: Path) -> None:
    """Nothing of them is lost, and they are found as what tells nothing of nobody else, until they are told anew."""
    path = tmp_path / "memory.db"
    old = a_fact("f1", attribute="diet", holder="mum", form=Form.QUOTE, reader="reader-1")
    write_old(path, 8, lambda tx: tx.facts.insert([old]))
    with closing(sqlite3.connect(path)) as file:
        later = ", ".join(f"'$.{name}'" for name in ("attribute", "holder", "form", "reader"))
        file.execute(f"UPDATE fact SET body = json_remove(body, {later})")
        file.commit()
    store = SQLiteStore(path)
    with store.read(ANA) as tx:
        assert unnumbered(tx.facts.all(attribute="")) == [a_fact("f1")]
    store.write(ANA, lambda tx: tx.facts.update([old]))
    with store.read(ANA) as tx:
        assert unnumbered(tx.facts.all(attribute="diet")) == [old]
    store.close()


def test_a_memory_from_before_there_were_facts_has_none(tmp_path: Path) -> None:
    """What was said is as it was, and no night is due; from then on facts are kept beside it."""
    path = tmp_path / "memory.db"
    write_old(path, 3, inserting(a_message()), lambda tx: tx.episodes.insert(an_episode()))
    before = ask(path, "SELECT rev FROM owner")
    store = SQLiteStore(path)
    assert store.due(FOREVER, limit=9) == []
    with store.read(ANA) as tx:
        assert [message.seq for message in tx.messages.page(MessageQuery())] == [1]
        assert (tx.facts.all(), tx.evidence.all(), tx.owner().night_at) == ([], [], None)
    store.write(ANA, lambda tx: tx.facts.insert([a_fact("f1"), a_fact("f2")]))
    store.write(ANA, lambda tx: tx.evidence.add([evidence_for("f1")]))
    store.write(ANA, lambda tx: tx.rulings.save([a_ruling("f1", "f2")]))
    store.close()
    store = SQLiteStore(path)
    with store.read(ANA) as tx:
        assert [fact.id for fact in tx.facts.all()] == ["f1", "f2"]
        assert (tx.evidence.all(), tx.rulings.all()) == ([evidence_for("f1")], [a_ruling("f1", "f2")])
    store.close()
    assert ask(path, "SELECT rev FROM owner") > before
