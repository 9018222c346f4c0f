"""The SQLite store and its file: locks, full disks, permissions, damage, forks, and a log that stays short."""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from tests.rows import ANA, a_vector, an_episode, at
from yesteryear.core.rows.queries import MessageQuery
from yesteryear.errors import (
    ConfigError,
    EngineClosed,
    InputError,
    StorageCorrupt,
    StorageUnavailable,
    YesteryearError,
)
from yesteryear.ports import Transaction
from yesteryear.storage.sqlite.checkpoint import Checkpointer
from yesteryear.storage.sqlite.connect import SQLitePolicy, open_connection
from yesteryear.storage.sqlite.driver import PAGE_BYTES
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.testing.builders import a_message

pytestmark = pytest.mark.usefixtures("new_files")

IMPATIENT = SQLitePolicy(busy_s=0.05)
"""Waits for a lock no longer than a test should."""

NOBODY = 65534
"""A user without rights."""


def inserting(seq: int, text: str = "good morning") -> Callable[[Transaction], None]:
    """Return work that inserts one message."""
    return lambda tx: tx.messages.insert(a_message(text, seq=seq))


def rows_in(store: SQLiteStore) -> list[int]:
    """Return which messages are in the file."""
    with store.read(ANA) as tx:
        return sorted(row.seq for row in tx.messages.page(MessageQuery(limit=100_000)))


@contextmanager
def opened(path: Path, policy: SQLitePolicy | None = None) -> Iterator[SQLiteStore]:
    """Open a store and close it again."""
    store = SQLiteStore(path, policy)
    try:
        yield store
    finally:
        store.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    """Return a store in a new file."""
    with opened(tmp_path / "memory.db") as store:
        yield store


@pytest.fixture
def full_file(tmp_path: Path) -> Path:
    """Return a file that a store with a few hundred rows has left behind."""
    path = tmp_path / "memory.db"
    with opened(path) as store:
        for start in range(0, 300, 100):

            def work(tx: Transaction, start: int = start) -> None:
                for seq in range(start, start + 100):
                    tx.messages.insert(a_message(f"message {seq} " * 10, seq=seq, external_id=f"m{seq}"))
                tx.episodes.insert(an_episode(f"e{start}", next_try=at(0)))
                tx.vectors.put("m", [a_vector(f"e{start}", *range(1, 385))])

            store.write(ANA, work)
    return path


# --- what every connection is told ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("durability", "synchronous"), [("full", 2), ("normal", 1)])
def test_durability_is_what_sqlite_reads_back(tmp_path: Path, durability: str, synchronous: int) -> None:
    """The setting reaches the connection that acknowledges, and describe() asks that connection."""
    with opened(tmp_path / "memory.db", SQLitePolicy(durability=durability)) as store:
        assert store._connection.execute("PRAGMA synchronous").fetchone()[0] == synchronous
        assert (store.describe()["durability"], store.describe()["synchronous"]) == (durability, synchronous)


def test_an_unknown_durability_is_refused(tmp_path: Path) -> None:
    """The message names the two there are."""
    with pytest.raises(ConfigError, match=r"'full' or 'normal'"):
        SQLiteStore(tmp_path / "memory.db", SQLitePolicy(durability="off"))


def test_every_connection_deletes_for_good_and_keeps_no_temporary_files(store: SQLiteStore) -> None:
    """Deleted text is overwritten, sorting stays in memory, readers cannot write, the log is copied by us alone."""
    with store._reader() as reader:
        for connection, query_only in ((store._connection, 0), (reader, 1)):
            found = [
                connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("secure_delete", "temp_store", "wal_autocheckpoint", "query_only", "journal_mode")
            ]
            assert found == [1, 2, 0, query_only, "wal"]


def test_extensions_cannot_be_loaded(store: SQLiteStore) -> None:
    """No statement can bring foreign code into the process."""
    with pytest.raises(sqlite3.OperationalError, match=r"not authorized|no such function"):
        store._connection.execute("SELECT load_extension('anything')")


def test_more_readers_than_connections_are_kept(store: SQLiteStore) -> None:
    """Each gets a snapshot of its own; what is not kept is closed."""
    store.write(ANA, inserting(1))
    with ExitStack() as open_snapshots:
        snapshots = [open_snapshots.enter_context(store.read(ANA)) for _ in range(10)]
        assert [len(tx.messages.page(MessageQuery())) for tx in snapshots] == [1] * 10
    assert len(store._readers) == SQLitePolicy().readers


def test_a_relative_path_means_the_folder_it_was_opened_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that changes its working directory still reads where it writes."""
    monkeypatch.chdir(tmp_path)
    with opened(Path("memory.db")) as store:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        store.write(ANA, inserting(1))
        assert rows_in(store) == [1]
    assert list(Path.cwd().iterdir()) == []


def test_broken_unicode_is_refused_as_input(store: SQLiteStore) -> None:
    """Half a surrogate pair has no form on disk; nothing of the call is written."""
    with pytest.raises(InputError, match="Unicode"):
        store.write(ANA, lambda tx: (inserting(1)(tx), inserting(2, "\ud83d")(tx)))
    assert rows_in(store) == []


# --- locks ---------------------------------------------------------------------------------------------------------


def test_two_stores_on_one_file_see_each_others_rows(tmp_path: Path) -> None:
    """Another store on the file is as good as another process."""
    with opened(tmp_path / "memory.db") as one, opened(tmp_path / "memory.db") as other:
        one.write(ANA, inserting(1))
        other.write(ANA, inserting(2))
        assert rows_in(one) == rows_in(other) == [1, 2]


def test_a_lock_held_too_long_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    """The caller may try again, and does so with success once the other is done."""
    with opened(tmp_path / "memory.db", IMPATIENT) as store, opened(tmp_path / "memory.db") as other:
        with other._commits.paused() as connection:
            connection.execute("BEGIN IMMEDIATE")
            with pytest.raises(StorageUnavailable, match="locked by another process") as told:
                store.write(ANA, inserting(1), urgent=True)
            future = store.submit(ANA, inserting(2))
            assert isinstance(future.exception(timeout=30), StorageUnavailable)
            assert told.value.retryable
            assert rows_in(store) == []
            connection.execute("ROLLBACK")
        store.write(ANA, inserting(3), urgent=True)
        assert rows_in(store) == [3]


def test_a_file_locked_while_it_is_opened_is_said(tmp_path: Path) -> None:
    """Also a new file, which has to be written before it can be used."""
    path = tmp_path / "memory.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageUnavailable, match="locked by another process"):
            SQLiteStore(path, IMPATIENT)
        other.execute("ROLLBACK")
    with opened(path, IMPATIENT) as store:
        assert rows_in(store) == []


# --- disks ---------------------------------------------------------------------------------------------------------


def test_a_full_disk_keeps_what_was_acknowledged(store: SQLiteStore) -> None:
    """Writing fails with a clear error until there is room again; every acknowledged row is there, no other."""
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages + 30}")
    errors = {
        seq: store.submit(ANA, inserting(seq, "much to say " * 300)).exception(timeout=30) for seq in range(1, 60)
    }
    acknowledged = [seq for seq, error in errors.items() if error is None]
    refused = [error for error in errors.values() if error is not None]
    assert acknowledged
    assert {type(error) for error in refused} == {StorageUnavailable}
    assert all("full" in str(error) for error in refused)
    assert rows_in(store) == acknowledged
    store._connection.execute("PRAGMA max_page_count = 1073741823")
    store.write(ANA, inserting(99), urgent=True)
    assert rows_in(store) == [*acknowledged, 99]
    assert store.describe(check=True)["integrity_check"] == "ok"


def test_a_full_disk_fails_the_call_that_needs_the_room(store: SQLiteStore) -> None:
    """Of calls that share a commit the small ones are written, the large one is told."""
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages + 10}")
    with store._commits.paused():
        ends = [store.submit(ANA, inserting(seq, "x" * (200_000 if seq == 2 else 1)), urgent=True) for seq in (1, 2, 3)]
    errors = [end.exception(timeout=30) for end in ends]
    assert [type(error) for error in errors] == [type(None), StorageUnavailable, type(None)]
    assert rows_in(store) == [1, 3]


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """Return a folder that a user without rights can reach, which the test's own is not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def without_rights(*paths: Path) -> Iterator[None]:
    """Take away the right to write to some paths, and root's right to write anywhere."""
    modes = [(path, path.stat().st_mode) for path in paths]
    for path, mode in modes:
        path.chmod(mode & ~0o222)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for path, mode in modes:
            path.chmod(mode)


def test_a_folder_that_may_not_be_written_is_said(public_folder: Path) -> None:
    """No file can be made there, nor a folder."""
    with without_rights(public_folder):
        for path in (public_folder / "memory.db", public_folder / "deeper" / "memory.db"):
            with pytest.raises(StorageUnavailable, match=r"permission|folder"):
                SQLiteStore(path)
    assert list(public_folder.iterdir()) == []


def test_a_file_that_may_not_be_written_can_be_read(public_folder: Path) -> None:
    """Writing to it says so, and changes nothing."""
    path = public_folder / "memory.db"
    with opened(path) as store:
        store.write(ANA, inserting(1))
    path.chmod(0o644)  # its owner lets others read it
    public_folder.chmod(0o777)  # readers share the log, which is made beside the file
    with without_rights(path), opened(path) as store:
        with pytest.raises(StorageUnavailable, match="cannot be written"):
            store.write(ANA, inserting(2))
        assert rows_in(store) == [1]
    with opened(path) as store:
        assert rows_in(store) == [1]


def test_a_file_and_folder_that_may_not_be_written_are_said(public_folder: Path) -> None:
    """Without its log beside it the file cannot even be read."""
    path = public_folder / "memory.db"
    with opened(path) as store:
        store.write(ANA, inserting(1))
    with without_rights(path, public_folder), pytest.raises(StorageUnavailable):
        SQLiteStore(path)


def test_a_path_below_a_file_is_said(tmp_path: Path) -> None:
    """So is a folder in place of the file."""
    (tmp_path / "file").write_text("no folder")
    for path in (tmp_path / "file" / "memory.db", tmp_path):
        with pytest.raises(StorageUnavailable):
            SQLiteStore(path)


# --- damage --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"Dear diary, this is no database. " * 200, b"\x00" * 8192, os.urandom(4096)])
def test_a_file_that_is_no_database_is_said_and_left_alone(tmp_path: Path, content: bytes) -> None:
    """The error names the file, and not one byte of it is changed."""
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    with pytest.raises(StorageCorrupt, match=r"memory\.db"):
        SQLiteStore(path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    """Its tables stay what they are, and none of ours joins them."""
    path = tmp_path / "memory.db"
    with closing(sqlite3.connect(path)) as theirs:
        theirs.executescript("CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('La Paloma');")
    before = path.read_bytes()
    with pytest.raises(StorageCorrupt, match="another program"):
        SQLiteStore(path)
    assert path.read_bytes() == before


@pytest.mark.heavy
def test_every_damaged_page_is_noticed_and_never_shown(full_file: Path) -> None:
    """Whichever page is overwritten: what can still be read is right, and the rest is StorageCorrupt."""
    whole = full_file.read_bytes()
    with opened(full_file) as store, store.read(ANA) as tx:
        expected = {row.id: row for row in tx.messages.page(MessageQuery(limit=999))}
    noticed = 0
    for start in range(0, len(whole), PAGE_BYTES):
        full_file.write_bytes(whole[:start] + b"\xa5" * PAGE_BYTES + whole[start + PAGE_BYTES :])
        try:
            with opened(full_file) as store, store.read(ANA) as tx:
                found = tx.messages.page(MessageQuery(limit=999))
                found += [row for name in expected for row in tx.messages.get([name])]
                assert tx.episodes.due(at(0), limit=9) or tx.vectors.load("m") or tx.counts()
                assert all(row == expected[row.id] for row in found)
        except StorageCorrupt:
            noticed += 1
    assert noticed > len(whole) // PAGE_BYTES // 3  # many pages are roots of tables in which there is nothing


def test_a_file_cut_short_is_noticed(full_file: Path) -> None:
    """As after a disk that ran full while it was copied."""
    full_file.write_bytes(full_file.read_bytes()[: PAGE_BYTES * 9])
    with pytest.raises(StorageCorrupt), opened(full_file) as store:
        rows_in(store)


def test_writing_to_a_damaged_file_fails_and_says_so(full_file: Path) -> None:
    """The error is ours, at the call that meets the damage; again at the next one, and to whoever asks."""
    with closing(sqlite3.connect(full_file)) as connection:
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'message'").fetchone()[0]
    whole = full_file.read_bytes()
    full_file.write_bytes(whole[: PAGE_BYTES * (root - 1)] + b"\xa5" * PAGE_BYTES + whole[PAGE_BYTES * root :])
    with opened(full_file) as store:
        for seq in (900, 901):
            with pytest.raises(StorageCorrupt, match="backup"):
                store.write(ANA, inserting(seq))
        assert "integrity_check" not in store.describe()
        assert store.describe(check=True)["integrity_check"] != "ok"


# --- the log -------------------------------------------------------------------------------------------------------


def test_the_log_is_used_again_under_steady_writing(tmp_path: Path) -> None:
    """It is copied to its end and begun anew, though the writer never pauses; each beginning has a salt of its own."""
    with opened(tmp_path / "memory.db", SQLitePolicy(durability="normal", changes_per_checkpoint=60)) as store:
        log = store.path.with_name("memory.db-wal")
        salts: set[bytes] = set()
        written = 0
        while len(salts) < 4:
            written += 1
            store.write(ANA, inserting(written), urgent=True)
            with log.open("rb") as header:
                salts.add(header.read(24)[16:])
            assert written < 20_000
        assert rows_in(store) == list(range(1, written + 1))


def test_an_open_snapshot_holds_up_no_writer(tmp_path: Path) -> None:
    """The log grows until the reader is done; nobody waits for it, and nothing it sees changes."""
    with opened(tmp_path / "memory.db", SQLitePolicy(durability="normal", changes_per_checkpoint=5)) as store:
        store.write(ANA, inserting(1))
        with store.read(ANA) as tx:
            for seq in range(2, 100):
                store.write(ANA, inserting(seq), urgent=True)
            assert [row.seq for row in tx.messages.page(MessageQuery())] == [1]
        assert len(rows_in(store)) == 99


def test_a_checkpoint_that_fails_is_noted_and_tried_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The rows are safe in the log, so no caller hears of it."""
    paths = iter([tmp_path / "missing" / "memory.db", tmp_path / "memory.db"])
    with opened(tmp_path / "memory.db") as store, caplog.at_level(logging.WARNING, logger="yesteryear.storage"):
        store.write(ANA, inserting(1))
        checkpointer = Checkpointer(
            lambda: open_connection(next(paths), SQLitePolicy()), store._commits.paused, changes=10
        )
        for changes in (9, 10, 11, 20):
            checkpointer.after_commit(changes)
        checkpointer.close()
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert next(paths, None) is None
        with closing(sqlite3.connect(f"file:{store.path}?immutable=1", uri=True)) as file_alone:
            assert file_alone.execute("SELECT COUNT(*) FROM message").fetchone()[0] == 1


def test_closing_leaves_one_file(tmp_path: Path) -> None:
    """The last one to close copies the log into the file and takes it away."""
    one, other = SQLiteStore(tmp_path / "memory.db"), SQLiteStore(tmp_path / "memory.db")
    one.write(ANA, inserting(1))
    one.close()
    other.write(ANA, inserting(2))
    other.close()
    assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]


# --- forks ---------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_child_is_told_to_open_its_own(store: SQLiteStore) -> None:
    """Every use in the child is EngineClosed, closing there does nothing, and the parent goes on."""
    store.write(ANA, inserting(1))
    store.submit(ANA, inserting(2)).result(timeout=30)
    child = os.fork()
    if child == 0:
        refused = 0
        for use in (
            lambda: store.write(ANA, inserting(8)),
            lambda: store.submit(ANA, inserting(9)),
            lambda: store.read(ANA).__enter__(),
            lambda: store.due(at(0), limit=1),
            store.owners,
            store.describe,
        ):
            try:
                use()
            except EngineClosed as exc:
                refused += "fork" in str(exc)
            except YesteryearError:
                pass
        store.close()
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 6
    store.write(ANA, inserting(3), urgent=True)
    store.submit(ANA, inserting(4)).result(timeout=30)
    assert rows_in(store) == [1, 2, 3, 4]
    assert store.describe(check=True)["integrity_check"] == "ok"


def test_the_log_is_laid_out_and_nothing_of_it_is_in_the_file(tmp_path: Path) -> None:
    """Opening makes the log as long as it will grow; that leaves no table, no page and no doubt behind."""
    path = tmp_path / "memory.db"
    store = SQLiteStore(path, SQLitePolicy(log_bytes=1_000_000))
    assert store.describe(check=True)["integrity_check"] == "ok"
    assert path.with_name("memory.db-wal").stat().st_size >= 1_000_000
    store.close()
    assert path.stat().st_size < 200_000
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'laid_out'").fetchone()[0] == 0


def test_a_log_that_cannot_be_laid_out_grows_as_it_goes(tmp_path: Path) -> None:
    """While somebody else writes, opening does not wait for the log."""
    path = tmp_path / "memory.db"
    SQLiteStore(path, SQLitePolicy(log_bytes=0)).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store = SQLiteStore(path, SQLitePolicy(log_bytes=1_000_000))
        other.execute("ROLLBACK")
    assert store.owners() == []
    store.close()
