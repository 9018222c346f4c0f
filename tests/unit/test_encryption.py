"""An encrypted store: no word in any file, no way in without its key, no sight of it, and otherwise as any other."""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Barrier

import pytest
import sqlcipher3.dbapi2
from typer.testing import CliRunner

import yesteryear
from tests.rows import ANA
from yesteryear.bootstrap import open_store
from yesteryear.cli.app import build_app
from yesteryear.core.rows.queries import MessageQuery
from yesteryear.errors import (
    ConfigError,
    InputError,
    MissingExtra,
    StorageCorrupt,
    StorageError,
    StorageUnavailable,
    YesteryearError,
)
from yesteryear.ports import Store, Transaction
from yesteryear.storage.migrate import Migration
from yesteryear.storage.sqlite.connect import SQLitePolicy
from yesteryear.storage.sqlite.driver import PAGE_BYTES, Cipher
from yesteryear.storage.sqlite.schema import SHIPPED
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.testing.builders import a_message

KEY = "Tr0ub4dor&3 élan"
CIPHER = Cipher(sqlcipher3.dbapi2, KEY, kdf_rounds=10)
"""Few rounds: what is tested here does not depend on how long a guess takes."""
OTHER = Cipher(sqlcipher3.dbapi2, "another one", kdf_rounds=10)
WORD = "Zwetschgendatschi"
"""Said in messages, and to be found in no file."""

CHILD = """
import sys
from pathlib import Path
import sqlcipher3.dbapi2
from yesteryear.errors import YesteryearError
from yesteryear.storage.sqlite.driver import Cipher
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.testing.builders import a_message
from tests.rows import ANA

def opened(key):
    return SQLiteStore(Path(sys.argv[1]), cipher=Cipher(sqlcipher3.dbapi2, key, kdf_rounds=10))

def write(store, name, seq):
    store.write(ANA, lambda tx: tx.messages.insert(a_message(seq=seq, conversation=name)), urgent=True)
"""
"""What every child process begins with."""


def inserting(seq: int, text: str = "good morning") -> Callable[[Transaction], None]:
    """Return work that inserts one message."""
    return lambda tx: tx.messages.insert(a_message(text, seq=seq))


def rows_in(store: Store) -> list[int]:
    """Return which messages are in the store."""
    with store.read(ANA) as tx:
        return sorted(row.seq for row in tx.messages.page(MessageQuery(limit=100_000)))


@contextmanager
def opened(path: Path, cipher: Cipher | None = CIPHER, policy: SQLitePolicy | None = None) -> Iterator[SQLiteStore]:
    """Open a store and close it again."""
    with closing(SQLiteStore(path, policy, cipher=cipher)) as store:
        yield store


@contextmanager
def running(script: str, path: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a script in a process of its own, which is killed if it is still there at the end."""
    command = [sys.executable, "-c", CHILD + script, str(path), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


def contents(folder: Path) -> dict[str, bytes]:
    """Return what the files of a folder hold."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def words_in(folder: Path) -> list[str]:
    """Return which files hold the word, in one of the ways SQLite writes text."""
    spelled = [WORD.encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be")]
    return [name for name, content in contents(folder).items() if any(word in content for word in spelled)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return an encrypted file in which three messages stand."""
    with opened(tmp_path / "memory.db") as store:
        for seq in (1, 2, 3):
            store.write(ANA, inserting(seq, f"{WORD} {seq}"))
    return tmp_path / "memory.db"


# --- what lies on the disk -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [KEY, ""])
def test_what_was_said_is_in_no_file(tmp_path: Path, key: str) -> None:
    """Neither in the database nor in its log, while it is open and after; without a key it would be found each time."""
    path = tmp_path / "memory.db"
    with yesteryear.open(path, key=key, worker="none", embedder="hashing") as engine:
        memory = engine.memory(user=WORD)
        for number in range(6):
            memory.observe(f"Please remember that I love {WORD}, helping {number}", conversation=WORD, author=WORD)
        memory.flush()
        assert WORD in memory.context("What do I love to eat?").text
        assert engine.describe()["encrypted"] is bool(key)
        assert bool(words_in(tmp_path)) is not bool(key)
    assert bool(words_in(tmp_path)) is not bool(key)
    assert path.read_bytes().startswith(b"SQLite format 3") is not bool(key)


def test_the_key_is_the_one_sqlcipher_makes_of_the_passphrase(tmp_path: Path) -> None:
    """So the file belongs to whoever knows the passphrase, with any tool that speaks SQLCipher."""
    with closing(open_store(tmp_path / "memory.db", key=KEY)) as store:
        store.write(ANA, inserting(1, WORD))
    with closing(sqlcipher3.dbapi2.connect(tmp_path / "memory.db")) as tool:
        tool.execute(f"PRAGMA key = '{KEY}'")
        tool.execute(f"PRAGMA cipher_page_size = {PAGE_BYTES}")
        assert tool.execute("SELECT content FROM message").fetchall() == [(WORD,)]
        assert tool.execute("PRAGMA cipher_integrity_check").fetchall() == []


@pytest.mark.parametrize(
    "key", ["'; DROP TABLE message; --", '"', "x'00'", "naïve 密码 🔑", "a\0b", "\udcff\ud800", "k" * 9999]
)
def test_any_text_is_a_key(tmp_path: Path, key: str) -> None:
    """The file opens with the same text, and not with the text and one letter more."""
    one, longer = (Cipher(sqlcipher3.dbapi2, text, kdf_rounds=10) for text in (key, key + "a"))
    with opened(tmp_path / "memory.db", one) as store:
        store.write(ANA, inserting(1))
    with opened(tmp_path / "memory.db", one) as store:
        assert rows_in(store) == [1]
    with pytest.raises(ConfigError, match="key"):
        SQLiteStore(tmp_path / "memory.db", cipher=longer)


def test_the_copy_before_a_change_of_the_schema_is_encrypted_too(path: Path) -> None:
    """With the same key; both files open, and neither holds a word."""
    later = [*SHIPPED, Migration(SHIPPED[-1].version + 1, "moods", "ALTER TABLE message ADD COLUMN mood TEXT;")]
    with closing(SQLiteStore(path, cipher=CIPHER, migrations=later)) as store:
        assert store.describe(check=True)["integrity_check"] == "ok"
        assert (store.describe()["schema"], rows_in(store)) == (later[-1].version, [1, 2, 3])
        backup = store.backup
    assert backup is not None
    assert words_in(path.parent) == []
    with opened(backup) as store:
        assert (store.describe()["schema"], rows_in(store)) == (SHIPPED[-1].version, [1, 2, 3])
    with pytest.raises(ConfigError, match="key"):
        SQLiteStore(backup, cipher=OTHER)


# --- keys that do not fit ------------------------------------------------------------------------------------------


def test_a_wrong_key_opens_nothing_and_changes_nothing(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The error says what to do, and the cipher adds nothing on stderr; the right key still opens the file."""
    before = contents(path.parent)
    with pytest.raises(ConfigError, match=r"key does not open memory\.db.*YESTERYEAR_KEY"):
        SQLiteStore(path, cipher=OTHER)
    assert contents(path.parent) == before
    assert capfd.readouterr() == ("", "")
    with opened(path) as store:
        assert rows_in(store) == [1, 2, 3]


def test_a_missing_key_is_asked_for(path: Path) -> None:
    """From outside an encrypted file looks like a damaged one, so both are said."""
    before = contents(path.parent)
    with pytest.raises(StorageCorrupt, match=r"memory\.db.*encrypted: set YESTERYEAR_KEY or pass key="):
        SQLiteStore(path)
    assert contents(path.parent) == before


def test_a_key_for_a_plain_file_says_how_to_encrypt_it(tmp_path: Path) -> None:
    """Nobody should think that a file is encrypted since they gave a key; the file stays as it is."""
    with opened(tmp_path / "memory.db", None) as store:
        store.write(ANA, inserting(1))
    before = contents(tmp_path)
    with pytest.raises(ConfigError, match=r"memory\.db is not encrypted.*yesteryear copy"):
        SQLiteStore(tmp_path / "memory.db", cipher=CIPHER)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("content", [b"Dear diary", b"Dear diary, this is no database. " * 200, os.urandom(4096)])
def test_a_key_for_what_is_no_database_is_refused_and_the_file_left_alone(tmp_path: Path, content: bytes) -> None:
    """It may be an encrypted file of somebody else's, so the key is named."""
    (tmp_path / "memory.db").write_bytes(content)
    with pytest.raises(ConfigError, match=r"memory\.db.*another one, or its first page is damaged"):
        SQLiteStore(tmp_path / "memory.db", cipher=CIPHER)
    assert contents(tmp_path) == {"memory.db": content}


def test_another_programs_encrypted_database_is_left_alone(tmp_path: Path) -> None:
    """The same passphrase does not make it ours."""
    driver = CIPHER.driver(tmp_path / "memory.db")
    with closing(driver.connect(tmp_path / "memory.db")) as theirs:
        theirs.execute("CREATE TABLE song (title TEXT)")
    before = contents(tmp_path)
    with pytest.raises(StorageCorrupt, match="another program"):
        SQLiteStore(tmp_path / "memory.db", cipher=CIPHER)
    assert contents(tmp_path) == before


def test_a_wrong_key_after_a_crash_loses_nothing(path: Path) -> None:
    """What only the log holds, since its process was killed, is still there for whoever has the key."""
    script = """
store = opened(sys.argv[2])
write(store, "crashed", 1)
print("written", flush=True)
sys.stdin.readline()
"""
    with running(script, path, KEY) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "written\n"
    assert path.with_name("memory.db-wal").stat().st_size > 0
    for cipher in (OTHER, None):
        with pytest.raises(YesteryearError, match="key"):
            SQLiteStore(path, cipher=cipher)
    with opened(path) as store:
        assert rows_in(store) == [1, 1, 2, 3]
        assert store.describe(check=True)["integrity_check"] == "ok"


def test_a_missing_extra_makes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install; without a key nothing is missing."""
    monkeypatch.setitem(sys.modules, "sqlcipher3", None)
    monkeypatch.delitem(sys.modules, "sqlcipher3.dbapi2")
    with pytest.raises(MissingExtra, match=r"pip install 'yesteryear\[encrypted\]'"):
        open_store(tmp_path / "deeper" / "memory.db", key=KEY)
    assert list(tmp_path.iterdir()) == []
    open_store(tmp_path / "memory.db").close()


def test_a_module_that_cannot_encrypt_is_refused(tmp_path: Path) -> None:
    """It would take the key, ignore it, and write everything in the clear."""
    with pytest.raises(MissingExtra, match="cannot encrypt"):
        SQLiteStore(tmp_path / "memory.db", cipher=Cipher(sqlite3, KEY))
    assert (tmp_path / "memory.db").read_bytes() == b""


# --- who sees the key ----------------------------------------------------------------------------------------------


def test_the_key_is_in_no_error_log_or_description(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever goes well or wrong, at any level; neither as text nor as what was made of it."""
    seen: list[str] = []
    place = tmp_path / "memory.db"
    monkeypatch.chdir(tmp_path)
    with caplog.at_level(logging.DEBUG), closing(SQLiteStore(place, cipher=CIPHER)) as store:
        secrets = [KEY, KEY.encode().hex(), *re.findall("[0-9a-f]{32,}", store._driver.raw_key)]
        seen += [repr(CIPHER), repr(store._driver), repr(store), repr(vars(store)), str(store.describe(check=True))]
    attempts: list[Callable[[], object]] = [
        lambda: open_store(place, key=KEY),
        lambda: open_store(tmp_path / "no" / "\0", key=KEY),
        lambda: open_store(tmp_path, key=KEY),
        lambda: open_store("postgresql://here/db", key=KEY),
        lambda: yesteryear.open(place, key=KEY, context_budget=-1),
        lambda: yesteryear.open(place, key=KEY.encode()),  # type: ignore[arg-type]
    ]
    (tmp_path / "plain.db").write_bytes(b"SQLite format 3\0")
    attempts.append(lambda: open_store(tmp_path / "plain.db", key=KEY))
    for attempt in attempts:
        with caplog.at_level(logging.DEBUG), pytest.raises(YesteryearError) as caught:
            attempt()
        seen.append("".join(traceback.format_exception(caught.value)))
    seen += [record.getMessage() for record in caplog.records]
    assert len(secrets) >= 3
    assert [secret for secret in secrets for text in seen if secret in text] == []


def test_the_doctor_tells_that_there_is_a_key_but_not_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its origin, like every setting; on a good day and with a wrong key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("YESTERYEAR_KEY", KEY)
    yesteryear.open(worker="none", embedder="hashing").close()
    for key in (KEY, KEY[:-1]):
        for form in ([], ["--json"]):
            done = CliRunner().invoke(build_app(), ["doctor", *form], env={"YESTERYEAR_KEY": key, "COLUMNS": "300"})
            assert done.exit_code == (key != KEY), done.output
            assert "YESTERYEAR_KEY" in done.output
            assert "(hidden)" in done.output
            assert key not in done.output + done.stderr


# --- otherwise as any other ----------------------------------------------------------------------------------------


def test_threads_that_begin_a_file_at_once_agree_on_its_key(tmp_path: Path) -> None:
    """Each gives it a salt; whoever is second takes the first one's, and all see all rows."""
    start = Barrier(4)

    def begin(seq: int) -> SQLiteStore:
        start.wait(timeout=30)
        store = SQLiteStore(tmp_path / "memory.db", cipher=Cipher(sqlcipher3.dbapi2, KEY))
        store.write(ANA, inserting(seq), urgent=True)
        return store

    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(begin, range(1, 5)))
    assert [rows_in(store) for store in stores] == [[1, 2, 3, 4]] * 4
    for store in stores:
        store.close()


def test_many_threads_share_an_encrypted_store(tmp_path: Path) -> None:
    """Writers and readers at once, over a log that is copied again and again."""
    with opened(tmp_path / "memory.db", policy=SQLitePolicy(changes_per_checkpoint=10)) as store:

        def work(name: int) -> None:
            for seq in range(name, 200, 4):
                store.write(ANA, inserting(seq), urgent=True)
                assert seq in rows_in(store)

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(work, range(4))) == [None] * 4
        assert rows_in(store) == list(range(200))
        assert store.describe(check=True)["integrity_check"] == "ok"


def test_one_process_writes_while_another_reads(path: Path) -> None:
    """What the other one acknowledged is seen at once; a third one with another key is refused and disturbs nobody."""
    script = """
store = opened(sys.argv[2])
print("open", flush=True)
for seq in iter(lambda: int(sys.stdin.readline() or 0), 0):
    write(store, "theirs", seq)
    print(seq, flush=True)
store.close()
"""
    refused = """
try:
    opened(sys.argv[2])
except YesteryearError as exc:
    print(exc.code, flush=True)
"""
    with running(script, path, KEY) as writer, opened(path) as store:
        assert writer.stdin is not None
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        for seq in range(11, 60):
            print(seq, file=writer.stdin, flush=True)
            assert writer.stdout.readline() == f"{seq}\n"
            assert rows_in(store) == [1, 2, 3, *range(11, seq + 1)]
            if seq == 30:
                with running(refused, path, "another key") as third:
                    assert third.communicate(timeout=60)[0] == "config\n"
        store.write(ANA, inserting(99))
        assert writer.communicate("0\n", timeout=60)[0] == ""
        assert writer.returncode == 0
    with opened(path) as store:
        assert rows_in(store) == [1, 2, 3, *range(11, 60), 99]


def test_errors_of_the_cipher_are_told_like_those_of_sqlite(path: Path) -> None:
    """Full disks, locks, writing where only reading is allowed, and text that is no Unicode."""
    with opened(path, policy=SQLitePolicy(busy_s=0.05)) as store, opened(path) as other:
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages + 9}")
        with pytest.raises(StorageUnavailable, match=r"disk .* is full"):
            store.write(ANA, inserting(4, "much to say " * 9000))
        store._connection.execute("PRAGMA max_page_count = 1073741823")
        with other._commits.paused() as connection:
            connection.execute("BEGIN IMMEDIATE")
            with pytest.raises(StorageUnavailable, match="locked by another process"):
                store.write(ANA, inserting(5))
            with opened(path, policy=SQLitePolicy(log_bytes=20_000_000)) as third:  # whose log cannot be laid out now
                assert rows_in(third) == [1, 2, 3]
            connection.execute("ROLLBACK")
        with store.read(ANA) as tx, pytest.raises(StorageError, match="snapshot"):
            inserting(6)(tx)
        with pytest.raises(InputError, match="Unicode"):
            store.write(ANA, inserting(7, "\ud83d"))
        store.write(ANA, inserting(8))
        assert rows_in(store) == rows_in(other) == [1, 2, 3, 8]


@pytest.mark.heavy
def test_a_damaged_page_is_noticed_whichever_it_is(path: Path) -> None:
    """Each page is sealed: even one wrong bit in it is damage, never another text."""
    whole = path.read_bytes()
    noticed = set()
    for start in range(0, len(whole), PAGE_BYTES):
        middle = start + PAGE_BYTES // 2
        path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
        try:
            with opened(path) as store:
                is_whole = store.describe(check=True)["integrity_check"] == "ok"
        except (StorageCorrupt, ConfigError):
            is_whole = False
        if not is_whole:
            noticed.add(start)
    assert len(noticed) == len(whole) // PAGE_BYTES
    path.write_bytes(whole)
    with opened(path) as store:
        assert rows_in(store) == [1, 2, 3]
