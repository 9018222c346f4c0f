"""Cleaning the files of a database: what is looked for, and what is done so that it is gone."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import sqlcipher3.dbapi2

from tests.rows import ANA, add
from yesteryear.core.rows.queries import MessageQuery
from yesteryear.ports import Transaction
from yesteryear.storage.sqlite.connect import SQLitePolicy
from yesteryear.storage.sqlite.driver import Cipher
from yesteryear.storage.sqlite.leftovers import look_for
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.testing.builders import a_message

SECRET = "the blue notebook lies under the third floorboard"
IMPATIENT = SQLitePolicy(busy_s=0.2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of its own."""
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    """Return a store whose log is copied into the file often."""
    opened = SQLiteStore(path, SQLitePolicy(busy_s=0.2, changes_per_checkpoint=5))
    yield opened
    opened.close()


def pieces_in(folder: Path, held: Sequence[bytes], sought: Sequence[bytes]) -> list[int]:
    """Return how many pieces of some values are found in each of some files, which hold this."""
    files = [folder / f"{number}.bin" for number in range(len(held))]
    for file, content in zip(files, held, strict=True):
        file.write_bytes(content)
    told = look_for(sought, files)
    assert [told[file].size for file in files] == [len(content) for content in held]
    return [len(told[file].pieces) for file in files]


def forget_first(tx: Transaction) -> None:
    """Erase what the first message said."""
    tx.messages.update([a_message("", seq=1)])


def holders(path: Path, word: str = SECRET) -> list[str]:
    """Return the names of the files that hold a text."""
    return [file.name for file in sorted(path.parent.iterdir()) if word.encode() in file.read_bytes()]


def test_a_stretch_of_a_long_text_is_found_wherever_it_begins(tmp_path: Path) -> None:
    """As in a page that was given up and of which only some bytes were overwritten."""
    text = "".join(f"{number:05} is the number of this line; " for number in range(500)).encode()
    stretches = [text[start : start + 400] for start in range(0, len(text) - 400, 997)]
    held = [bytes(77) + stretch + bytes(500) for stretch in stretches]
    assert all(pieces_in(tmp_path, held, [text]))
    assert pieces_in(tmp_path, [text[:5] + bytes(900), text.upper()], [text]) == [0, 0]


def test_what_stands_everywhere_is_not_looked_for(tmp_path: Path) -> None:
    """A text of few letters would always be found, and nothing would follow from it."""
    values = [b"ok", b"     ", b"aaaaaaaaaaaa", b"", b"10:30", bytes(40)]
    assert pieces_in(tmp_path, [b"".join(value * 50 for value in values)], values) == [0]


def test_a_text_at_a_border_between_two_reads_is_found(tmp_path: Path) -> None:
    """Files are read four million bytes at a time."""
    chunk, text = 4 * 1024 * 1024, b"at the border of two reads"
    held = [b"." * (chunk + shift) + text + b"." * 99 for shift in (-25, -6, -1, 0)]
    assert pieces_in(tmp_path, held, [text]) == [2] * 4


def test_files_that_are_gone_are_left_out(tmp_path: Path) -> None:
    """Whoever closes last removes the log."""
    (tmp_path / "here").write_bytes(b"nothing")
    assert list(look_for([b"a piece of text"], [tmp_path / "here", tmp_path / "gone"])) == [tmp_path / "here"]


def test_values_of_every_kind_are_found_where_they_are_and_nowhere_else(tmp_path: Path) -> None:
    """Texts of all scripts, and vectors, beside whatever else the files hold."""
    chance = random.Random(7)
    values = [chance.randbytes(chance.randrange(6, 600)) for _ in range(60)]
    values += ["我喜欢在周末爬山，然后烤面包。".encode(), "👩‍👩‍👧‍👦🏳️‍🌈🎉".encode(), SECRET.encode()]
    values = [value for value in values if len(set(value[:24])) > 3]
    between = [chance.randbytes(chance.randrange(0, 5000)) for _ in values]
    held = [before + value + before for before, value in zip(between, values, strict=True)]
    assert all(pieces_in(tmp_path, held, values))
    assert not any(pieces_in(tmp_path, between, values))


def test_a_folder_with_odd_names_is_looked_through(tmp_path: Path) -> None:
    """Names of files are no patterns, and no text of one encoding."""
    folder = tmp_path / "a [b] 'c' \u00e9"
    folder.mkdir()
    store = SQLiteStore(folder / "m*[1].db")
    (folder / "m*[1].db.before-0001").write_text(SECRET)
    (folder / "mx1.db.before-0001").write_text(SECRET)
    add(store, a_message(SECRET))
    store.write(ANA, forget_first)
    told = store.scrub([SECRET.encode()])
    store.close()
    assert "m*[1].db" in told.files
    assert holders(folder / "any") == ["mx1.db.before-0001"], "another database's"


def test_what_was_deleted_is_in_no_file(store: SQLiteStore, path: Path) -> None:
    """It was in the log, at least; the receipt says what was looked through."""
    add(store, a_message(SECRET), a_message(seq=2))
    store.write(ANA, forget_first)
    assert holders(path)
    told = store.scrub([SECRET.encode()])
    assert holders(path) == []
    assert (told.found_after, told.waits_for, told.files[0]) == (0, "", "memory.db")
    assert told.bytes_scanned > path.stat().st_size
    with store.read(ANA) as tx:
        assert [message.seq for message in tx.messages.page(MessageQuery())] == [1, 2]


def test_with_nothing_to_look_for_all_is_written_anew(store: SQLiteStore, path: Path) -> None:
    """After a kill nobody knows any more what was deleted."""
    add(store, a_message(SECRET), *(a_message(seq=seq) for seq in range(2, 40)))
    store.write(ANA, forget_first)
    assert store.scrub([]).is_rewritten
    assert holders(path) == []


def test_text_that_somebody_else_said_too_stays_and_is_told(store: SQLiteStore, path: Path) -> None:
    """Their row is theirs; the number of pieces that are left says so."""
    add(store, a_message(SECRET), a_message(SECRET, seq=2))
    store.write(ANA, forget_first)
    told = store.scrub([SECRET.encode()])
    assert told.is_rewritten
    assert told.found_after > 0
    with store.read(ANA) as tx:
        assert [message.content for message in tx.messages.page(MessageQuery())] == ["", SECRET]


def test_a_copy_from_before_a_schema_change_goes_if_it_holds_the_text(store: SQLiteStore, path: Path) -> None:
    """With its log; one that holds nothing of it stays, unless nobody knows what to look for."""
    held, innocent = (path.with_name(f"{path.name}.before-{number}") for number in ("0001", "0002-wal"))
    add(store, a_message())
    for copy, text in ((held, SECRET), (innocent, "nothing of the kind")):
        copy.write_text(text)
    store.scrub([SECRET.encode()])
    assert (held.exists(), innocent.exists()) == (False, True)
    store.scrub([])
    assert not innocent.exists()


def test_a_reader_of_the_past_is_waited_for_and_named(path: Path) -> None:
    """Somebody still sees what was deleted: nothing fails, it has to be done again once they are gone."""
    store, other = SQLiteStore(path, IMPATIENT), SQLiteStore(path, IMPATIENT)
    add(store, a_message(SECRET))
    with other.read(ANA) as past:
        store.write(ANA, forget_first)
        assert "read" in store.scrub([SECRET.encode()]).waits_for
        assert past.messages.get(["c1-1"])[0].content == SECRET
        add(store, a_message(seq=2))
    assert store.scrub([SECRET.encode()]).waits_for == ""
    assert holders(path) == []
    other.close()
    store.close()


def test_own_readers_are_not_waited_for(store: SQLiteStore, path: Path) -> None:
    """Connections that are kept open for the next question hold nothing back."""
    add(store, a_message(SECRET))
    with store.read(ANA), store.read(ANA):
        pass
    store.write(ANA, forget_first)
    assert store.scrub([SECRET.encode()]).waits_for == ""
    assert holders(path) == []


def test_an_encrypted_file_is_written_anew(path: Path) -> None:
    """Nothing can be found in it by looking, so what was deleted is overwritten in any case."""
    store = SQLiteStore(path, cipher=Cipher(sqlcipher3.dbapi2, "a passphrase", kdf_rounds=10))
    add(store, a_message(SECRET))
    store.write(ANA, forget_first)
    told = store.scrub([SECRET.encode()])
    assert (told.is_rewritten, told.waits_for, holders(path)) == (True, "", [])
    store.close()


def test_readers_keep_their_locks_while_the_files_are_looked_through(path: Path) -> None:
    """A process that opens and closes a file ends all its locks on it, and another one might cut the log."""
    cut = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1], timeout=0).execute(sys.argv[2]).fetchone()[0])"
    command = [sys.executable, "-c", cut, str(path), "PRAGMA wal_checkpoint(TRUNCATE)"]
    store = SQLiteStore(path, IMPATIENT)
    add(store, a_message(SECRET))
    with store.read(ANA) as past:
        store.scrub([SECRET.encode()])
        add(store, a_message(seq=2))
        assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip() == "1"
        assert [message.seq for message in past.messages.page(MessageQuery())] == [1]
    store.close()


def test_where_nobody_can_look_all_is_written_anew(
    store: SQLiteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without another Python to look with, say: better once too often than once too few."""
    add(store, a_message(SECRET))
    store.write(ANA, forget_first)
    monkeypatch.setattr("sys.executable", str(path.parent / "no python"))
    told = store.scrub([SECRET.encode()])
    assert (told.is_rewritten, told.files, told.bytes_scanned) == (True, (), 0)
    assert holders(path) == []
