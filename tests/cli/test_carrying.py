"""Taking a memory along: ``export``, ``import`` of an export, and ``copy`` into another file."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.stage import Answer, Run, all_messages

KEY = "Tr0ub4dor&3 élan"
OTHER = "another one"
PLAIN = b"SQLite format 3\0"


def contents(store: Path | str, user: str = "ana") -> list[tuple[str | None, str]]:
    """Return what was said, with the callers' ids."""
    return [(message.external_id, message.content) for message in all_messages(store, user)]


@pytest.fixture
def exported(run: Run, store: Path) -> Path:
    """An export of Ana's memory."""
    assert run("export", "ana.zip", "--store", store).code == 0
    return Path("ana.zip")


def test_an_export_holds_everything(run: Run, store: Path) -> None:
    """It says how much of what, and that it can be read."""
    done = run("export", "ana.zip", "--store", store)
    assert done.stdout.startswith("2 conversations, 8 messages, 2 episodes, ")
    assert f"in ana.zip, {Path('ana.zip').stat().st_size:,} bytes" in done.stdout
    assert "whoever has this file can read it" in done.stderr
    with zipfile.ZipFile("ana.zip") as packed:
        assert "walnuts" in packed.read("memory.md").decode()


def test_an_export_as_json_counts_its_rows(run: Run, store: Path) -> None:
    """And names the file."""
    done = run("export", "ana.zip", "--store", store, "--json").json
    assert (done["path"], done["rows"]["messages"], done["nbytes"]) == ("ana.zip", 8, Path("ana.zip").stat().st_size)


def test_an_export_replaces_nothing_unless_told(run: Run, store: Path) -> None:
    """The file that was there stays as it was."""
    Path("ana.zip").write_text("mine")
    done = run("export", "ana.zip", "--store", store)
    assert (done.code, Path("ana.zip").read_text()) == (1, "mine")
    assert "is there already" in done.stderr
    assert run("export", "ana.zip", "--overwrite", "--store", store).code == 0
    assert zipfile.is_zipfile("ana.zip")


def test_an_export_comes_back_whole(run: Run, store: Path, exported: Path) -> None:
    """For another person, in another store; what they export is the same file."""
    taken = run("import", exported, "--user", "ben", "--store", "other.db")
    assert taken.stdout.startswith("taken in: 8 messages, ")
    assert contents("other.db", "ben") == contents(store)
    run("export", "ben.zip", "--store", "other.db")
    assert Path("ben.zip").read_bytes() == exported.read_bytes()


def test_an_export_is_taken_in_once(run: Run, store: Path, exported: Path) -> None:
    """Again adds nothing, and says what was there."""
    again = run("import", exported, "--user", "ana", "--store", store)
    assert again.stdout.splitlines()[0] == "taken in: nothing"
    assert again.stdout.splitlines()[1].startswith("there already: ")
    told = run("import", exported, "--user", "ana", "--store", store, "--json").json
    assert (told["format"], told["added"], told["known"]["messages"]) == ("export", {}, 8)


def test_an_export_is_taken_in_as_it_was(run: Run, store: Path) -> None:
    """What was open stays open: nothing is worked in on the way."""
    run("observe", "by the way", "--user", "ana", "--store", store)
    run("export", "ana.zip", "--store", store)
    run("import", "ana.zip", "--user", "ana", "--store", "other.db")
    assert run("stats", "--store", "other.db", "--json").json["people"][0]["messages.open"] == 1


@pytest.mark.parametrize("harm", ["cut", "changed"])
def test_a_damaged_export_is_refused(run: Run, exported: Path, harm: str) -> None:
    """With what is wrong; nobody gets half a memory."""
    whole = exported.read_bytes()
    damaged = whole[: len(whole) // 2] if harm == "cut" else changed(whole)
    Path("damaged.zip").write_bytes(damaged)
    done = run("import", "damaged.zip", "--format", "export", "--user", "ana", "--store", "other.db", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "bad_export")
    assert not Path("other.db").exists() or contents("other.db") == []


def changed(export: bytes) -> bytes:
    """Return an export in which somebody has changed a word."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(export)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"walnuts", b"peanuts"))
    return made.getvalue()


def test_what_is_no_export_leaves_no_store_behind(run: Run, tmp_path: Path) -> None:
    """It is told before anything is made."""
    Path("note.zip").write_text("no zip at all")
    done = run("import", "note.zip", "--format", "export", "--user", "ana", "--store", "other.db")
    assert done.code == 1
    assert not Path("other.db").exists()


def test_a_store_is_copied_row_by_row(run: Run, store: Path) -> None:
    """Everybody in it; again there is nothing to do."""
    run("observe", "I like walnuts", "--user", "ben", "--store", store)
    done = run("copy", store, "copy.db")
    assert done.stdout.splitlines()[0] == "2 people are whole in copy.db: not encrypted, compared row by row"
    assert contents("copy.db") == contents(store)
    assert contents("copy.db", "ben") == [(None, "I like walnuts")]
    again = run("copy", store, "copy.db", "--json").json
    assert (again["owners"], again["rows"], again["is_encrypted"], again["erased"]) == (2, {}, False, [])


@pytest.mark.heavy
def test_a_store_is_copied_to_a_server_and_back(
    run: Run, store: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same hash on both sides; a key for files does not matter to the server, and a password is not shown."""
    monkeypatch.setenv("YESTERYEAR_KEY", KEY)
    run("copy", store, "safe.db", "--to-key-env", "YESTERYEAR_KEY")
    url = postgres_url.replace("app@", "app:secret@")
    there = run("copy", "safe.db", url)
    assert there.stdout.startswith("1 person is whole in postgresql://app:(hidden)@")
    assert "secret" not in there.stdout + there.stderr
    back = run("copy", url, "back.db", "--json").json
    [person] = back["people"]
    assert f"  {person['hash']}  ana" in there.stdout.splitlines()
    monkeypatch.delenv("YESTERYEAR_KEY")
    assert contents("back.db") == contents(store)


def test_one_person_can_be_copied_alone(run: Run, store: Path) -> None:
    """Whoever is named, and nobody else; who is not there is told."""
    run("observe", "I like walnuts", "--user", "ben", "--store", store)
    assert [person["user"] for person in run("copy", store, "ben.db", "--user", "ben", "--json").json["people"]] == [
        "ben"
    ]
    nobody = run("copy", store, "eve.db", "--user", "eve")
    assert nobody.code == 1
    assert "there is no such person in memory.db" in nobody.stderr


def test_a_copy_is_encrypted_with_the_key_of_a_variable(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It opens with that key only, and holds no word in the clear."""
    monkeypatch.setenv("NEW_KEY", KEY)
    assert "encrypted, compared" in run("copy", store, "safe.db", "--to-key-env", "NEW_KEY").stdout
    assert b"walnuts" not in Path("safe.db").read_bytes()
    assert run("stats", "--store", "safe.db").code == 1
    monkeypatch.setenv("YESTERYEAR_KEY", KEY)
    assert contents("safe.db")[0][1].startswith("My sister")


def test_an_encrypted_store_can_be_copied_back(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or into one with another key; its own stands in YESTERYEAR_KEY."""
    before = contents(store)
    monkeypatch.setenv("YESTERYEAR_KEY", KEY)
    run("copy", store, "safe.db", "--to-key-env", "YESTERYEAR_KEY")
    monkeypatch.setenv("NEW_KEY", OTHER)
    assert run("copy", "safe.db", "safer.db", "--to-key-env", "NEW_KEY").code == 0
    assert run("copy", "safe.db", "plain.db").code == 0
    monkeypatch.delenv("YESTERYEAR_KEY")
    assert contents("plain.db") == before
    assert (
        run(
            "copy",
            "safer.db",
            "none.db",
            env={"YESTERYEAR_KEY": KEY},
        ).code
        == 1
    )
    assert not Path("none.db").exists()


@pytest.mark.heavy
def test_a_key_can_be_asked_for(answer: Answer, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice, and it is not shown."""
    done = answer(
        "copy", store, "safe.db", "--encrypt", typed=[("Key of the copy: ", f"{OTHER}\n"), ("again: ", f"{OTHER}\n")]
    )
    assert done.code == 0, done.stderr
    assert OTHER not in done.stdout + done.stderr
    monkeypatch.setenv("YESTERYEAR_KEY", OTHER)
    assert len(contents("safe.db")) == 8


@pytest.mark.heavy
def test_two_different_keys_are_no_key(answer: Answer, store: Path) -> None:
    """Nothing is copied."""
    done = answer("copy", store, "safe.db", "--encrypt", typed=[("copy: ", "one\n"), ("again: ", "two\n")])
    assert done.code == 1
    assert "two different ones; nothing was copied" in done.stderr
    assert not Path("safe.db").exists()


@pytest.mark.heavy
def test_the_old_file_goes_when_the_copy_is_whole(answer: Answer, store: Path) -> None:
    """After a yes, with its backups; a name that only looks alike stays."""
    before = contents(store)
    Path(f"{store}.before-3").write_bytes(b"an old backup")
    Path("memory.db2").write_bytes(b"another file")
    done = answer("copy", store, "copy.db", "--erase-source", typed=[("Delete memory.db, for good? [y/N]", "y\n")])
    assert done.code == 0
    assert "Overwritten and deleted: memory.db, memory.db.before-3" in done.stdout
    assert sorted(path.name for path in Path().glob("memory.db*")) == ["memory.db2"]
    assert contents("copy.db") == before


@pytest.mark.heavy
def test_a_no_keeps_the_old_file(answer: Answer, store: Path) -> None:
    """And the copy."""
    done = answer("copy", store, "copy.db", "--erase-source", typed=[("[y/N]", "n\n")])
    assert done.code == 1
    assert done.stderr.endswith("memory.db stays; the copy is whole\n")
    assert contents("copy.db") == contents(store)


def test_an_old_file_that_is_in_use_stays(run: Run, store: Path) -> None:
    """Whoever has it open would go on writing into what is deleted."""
    with closing(sqlite3.connect(store)) as other:
        other.execute("SELECT COUNT(*) FROM message").fetchone()
        done = run("copy", store, "copy.db", "--erase-source", "--yes")
    assert done.code == 1
    assert "another process still uses memory.db, so it stays" in done.stderr
    assert contents("copy.db") == contents(store)


@pytest.mark.heavy
def test_an_old_file_that_was_written_to_meanwhile_stays(answer: Answer, run: Run, store: Path) -> None:
    """What was said while the question was open is not in the copy."""

    def observe_then_agree() -> str:
        run("observe", "wait, one more thing", "--user", "ana", "--id", "late", "--store", store)
        return "y\n"

    done = answer("copy", store, "copy.db", "--erase-source", typed=[("[y/N]", observe_then_agree)])
    assert done.code == 1
    assert "somebody wrote to memory.db meanwhile, so it stays" in done.stderr
    assert contents(store)[-1] == ("late", "wait, one more thing")


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["nowhere.db", "copy.db"], 1),
        (["memory.db", "memory.db"], 1),
        (["memory.db", "copy.db", "--to-key-env", "NOT_SET"], 1),
        (["memory.db", "copy.db", "--encrypt"], 2),
        (["memory.db", "copy.db", "--erase-source"], 2),
        (["memory.db", "copy.db", "--user", "ana", "--erase-source"], 1),
        (["postgresql://nowhere/none", "copy.db", "--erase-source"], 1),
        (["memory.db", "postgresql://nowhere/none", "--encrypt"], 1),
    ],
)
def test_what_cannot_be_copied_is_told_before_anything_is_made(
    run: Run, store: Path, args: list[str], code: int
) -> None:
    """No copy, and the store as it was."""
    done = run("copy", *args)
    assert done.code == code
    assert done.stderr.startswith("error: ")
    assert not Path("copy.db").exists()
    assert store.read_bytes().startswith(PLAIN)
    assert not Path("nowhere.db").exists()
