"""Letting go for good: shown first, asked, done, and then no word of it in any file."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.stage import Answer, Run, all_messages, opened
from yesteryear.cli.commands.rights import say_scrubbed
from yesteryear.core.erasure import Scrubbed

ASKED = "[y/N]"


def texts(store: Path) -> dict[str | None, str]:
    """Return what is left of each message, by the caller's id."""
    return {message.external_id: message.content for message in all_messages(store)}


def bytes_of(store: Path) -> bytes:
    """Return what the store's files hold."""
    return b"".join(file.read_bytes() for file in store.parent.glob(f"{store.name}*"))


@contextmanager
def reading(store: Path) -> Iterator[None]:
    """Look at a store from outside, and do not stop."""
    connection = sqlite3.connect(store, isolation_level=None)
    connection.execute("BEGIN")
    connection.execute("SELECT COUNT(*) FROM message").fetchone()
    try:
        yield
    finally:
        connection.close()


def test_what_would_be_forgotten_is_shown_first(run: Run, store: Path) -> None:
    """Time, author, first words and id of each message; the episodes that go with it or change; nothing is done."""
    dry = run("forget", "m-1", "m-7", "m-8", "--dry-run", "--store", store)
    assert dry.stdout.startswith("day-2\n   1  2026-03-02 12:01  Ana: My sister Lena lives in Porto")
    assert "   2  2026-03-03 12:07  Ana: Please remember that I am allergic to walnuts.  (m-7)" in dry.stdout
    assert re.search(r"^Forgotten as a whole: 1 episode\n +\S+  .*walnuts", dry.stdout, re.MULTILINE | re.IGNORECASE)
    assert re.search(r"^Digested anew without them: 1 episode\n +\S+  .*Lena", dry.stdout, re.MULTILINE)
    assert "nothing was done" in dry.stderr
    assert all(texts(store).values())


def test_days_are_those_of_the_person(run: Run) -> None:
    """The clock beside what would go is theirs."""
    said = ("--at", "2026-03-02T23:30:00+13:00", "--zone", "Pacific/Auckland", "--id", "m-1")
    run("observe", "I moved to Dunedin", "--user", "ana", *said, "--store", "m.db")
    assert "2026-03-02 23:30  user: I moved" in run("forget", "m-1", "--dry-run", "--store", "m.db").stdout


def test_a_long_list_is_cut_and_says_so(run: Run, tmp_path: Path) -> None:
    """All of it stands in the JSON."""
    with opened("m.db") as memory:
        memory.observe([{"content": f"note {number}", "conversation": "c"} for number in range(60)])
    dry = run("forget", "--conversation", "c", "--dry-run", "--store", "m.db")
    assert "and 20 more: --dry-run --json lists them all" in dry.stdout
    assert "60 messages" in dry.stderr
    assert len(run("forget", "--conversation", "c", "--dry-run", "--store", "m.db", "--json").json["messages"]) == 60


def test_a_yes_forgets_what_was_shown(answer_here: Answer, store: Path) -> None:
    """And says what was done to the files, in which no word of it is left."""
    done = answer_here("forget", "m-7", "m-8", "--store", store, typed=[(ASKED, "y\n")])
    assert done.code == 0
    assert "Forget 2 messages; 1 episode as a whole; 1 fact, for good? [y/N]" in done.stderr
    assert "Forgotten: 2 messages; 1 episode as a whole; 1 fact." in done.stdout
    assert "memory.db" in done.stdout
    assert "none of the removed text is in them" in done.stdout
    left = texts(store)
    assert [name for name, text in left.items() if not text] == ["m-7", "m-8"]
    assert b"walnuts" not in bytes_of(store)


@pytest.mark.sampled
@pytest.mark.parametrize("said", ["n\n", "\n", "perhaps\n", "\x04"])
def test_anything_but_yes_forgets_nothing(answer_here: Answer, store: Path, said: str) -> None:
    """So does the end of the input; the exit code is not 0."""
    done = answer_here("forget", "m-7", "--store", store, typed=[(ASKED, said)])
    assert done.code == 1
    assert done.stderr.endswith("nothing was done\n")
    assert all(texts(store).values())


@pytest.mark.heavy
def test_ctrl_c_at_the_question_forgets_nothing(answer: Answer, store: Path) -> None:
    """And is told as ctrl-C."""
    done = answer("forget", "m-7", "--store", store, typed=[(ASKED, "\x03")], preexec_fn=own_terminal)
    assert done.code == 130
    assert "interrupted; nothing was done" in done.stderr
    assert all(texts(store).values())


def own_terminal() -> None:
    """Make the terminal on stdin the one whose ctrl-C reaches this process."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_where_nobody_can_be_asked_nothing_is_forgotten(run: Run, store: Path, options: list[str]) -> None:
    """That is wrong usage, and the option is named; with JSON machines read it too."""
    done = run("forget", "m-7", "--store", store, *options)
    assert done.code == 2
    assert "pass --yes, or --dry-run to see what would go" in done.stderr
    assert all(texts(store).values())
    if options:
        assert done.json["error"]["code"] == "usage"


def test_with_yes_nobody_is_asked(run: Run, store: Path) -> None:
    """The result is data for whoever wants it, without what was said."""
    done = run("forget", "m-7", "m-8", "--yes", "--store", store, "--json").json
    assert [message["name"] for message in done["messages"]] == ["m-7", "m-8"]
    assert {message["text"] for message in done["messages"]} == {""}
    assert (done["is_dry"], done["scrubbed"]["found_after"]) == (False, 0)


@pytest.mark.parametrize(
    ("span", "gone"),
    [
        (["--conversation", "day-3"], ["m-5", "m-6", "m-7", "m-8"]),
        (["--until", "2026-03-03"], ["m-1", "m-2", "m-3", "m-4"]),
        (["--since", "2026-03-03T12:07:00+00:00"], ["m-7", "m-8"]),
        (["--conversation", "day-2", "--since", "2026-03-02", "--until", "2026-03-02T12:03:00+00:00"], ["m-1", "m-2"]),
    ],
)
def test_a_conversation_or_a_time_can_be_forgotten(run: Run, store: Path, span: list[str], gone: list[str]) -> None:
    """A date begins at midnight UTC."""
    assert run("forget", *span, "--yes", "--store", store).code == 0
    assert [name for name, text in texts(store).items() if not text] == gone


@pytest.mark.heavy
def test_a_subject_is_looked_up_and_agreed_to(answer_here: Answer, run: Run, store: Path) -> None:
    """What was found is listed; no is no, and yes forgets just that."""
    about = ("forget", "--about", "allergic to walnuts", "--store", store)
    listed = run(*about, "--dry-run")
    found = [row["name"] for row in run(*about, "--dry-run", "--json").json["messages"]]
    assert "m-7" in found
    assert all(f"({name})" in listed.stdout for name in found)
    answer_here(*about, typed=[(ASKED, "n\n")])
    assert all(texts(store).values())
    answer_here(*about, typed=[(ASKED, "yes\n")])
    assert sorted(name or "" for name, text in texts(store).items() if not text) == sorted(found)


def test_nothing_to_forget_is_a_note(run: Run, store: Path) -> None:
    """Not an error, and nobody is asked."""
    done = run("forget", "--until", "2020-01-01", "--store", store)
    assert (done.code, done.stdout, done.stderr) == (0, "", "there is nothing to forget\n")


@pytest.mark.parametrize("args", [[], ["m-1", "--about", "walnuts"], ["m-1", "--conversation", "day-2"]])
def test_one_thing_at_a_time_is_forgotten(run: Run, store: Path, args: list[str]) -> None:
    """It must be clear what is meant."""
    done = run("forget", *args, "--yes", "--store", store, "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "input")
    assert all(texts(store).values())


@pytest.mark.heavy
def test_forgetting_says_when_a_reader_stands_in_the_way(run: Run, store: Path) -> None:
    """The rows are gone; the files are not clean as long as somebody reads the old ones."""
    with reading(store):
        done = run("forget", "m-7", "m-8", "--yes", "--store", store)
    assert done.code == 0
    assert "Not gone from the files yet: somebody still reads" in done.stdout


@pytest.mark.parametrize(
    ("scrubbed", "said"),
    [
        (Scrubbed(), []),
        (
            Scrubbed(("m.db", "m.db-wal"), 4096),
            ["m.db, m.db-wal looked through, 4,096 bytes", "none of the removed text is in them"],
        ),
        (
            Scrubbed(("m.db",), 4096, found_before=3, is_rewritten=True),
            [
                "the database was written anew, for 3 pieces of it lay there",
                "m.db looked through, 4,096 bytes",
                "none of the removed text is in them",
            ],
        ),
        (
            Scrubbed(("m.db",), 4096, found_before=3, found_after=1, is_rewritten=True),
            [
                "the database was written anew, for 3 pieces of it lay there",
                "m.db looked through, 4,096 bytes",
                "still in them: 1 piece of it, which what was not removed says too",
            ],
        ),
        (
            Scrubbed(("m.db",), 4096, found_after=2, waits_for="a reader"),
            ["m.db looked through, 4,096 bytes", "still in them: 2 pieces of the removed text"],
        ),
        (Scrubbed(is_rewritten=True), ["the database was written anew"]),
    ],
)
def test_what_was_done_to_the_files_is_said(scrubbed: Scrubbed, said: list[str]) -> None:
    """What was looked at, what lay there, and what is left; nothing where there are no files."""
    assert list(say_scrubbed(scrubbed)) == said


def test_erasing_shows_what_there_is_and_asks_for_the_name(answer: Answer, store: Path) -> None:
    """Then nothing is left of them, in any file, and the receipt says so."""
    done = answer("erase", "--user", "ana", "--store", store, typed=[("for good: ", "ana\n")])
    assert done.code == 0
    assert re.match(r"Of ana there are: 2 conversations, 8 messages, 2 episodes, \d facts?, ", done.stdout)
    assert "Erased: all that was kept of ana." in done.stdout
    assert re.search(r"^   removed +.*8 messages", done.stdout, re.MULTILINE)
    assert re.search(r"^   erased at +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$", done.stdout, re.MULTILINE)
    assert "pending" not in done.stdout
    left = bytes_of(store)
    assert not [word for word in (b"walnuts", b"Lena", b"Porto", b"ana\x00") if word in left]


@pytest.mark.sampled
@pytest.mark.parametrize("said", ["y\n", "Ana\n", "\n"])
def test_erasing_needs_the_very_name(answer_here: Answer, store: Path, said: str) -> None:
    """A yes is typed too easily."""
    done = answer_here("erase", "--user", "ana", "--store", store, typed=[("for good: ", said)])
    assert (done.code, all(texts(store).values())) == (1, True)


@pytest.mark.parametrize(
    ("args", "code"),
    [(["erase", "--user", "ana"], 2), (["erase", "--yes"], 1), (["erase", "--user", "eve", "--yes"], 1)],
)
def test_nobody_is_erased_by_accident(run: Run, store: Path, args: list[str], code: int) -> None:
    """Without a terminal, without a name, or with a name that nobody has."""
    assert run(*args, "--store", store).code == code
    assert all(texts(store).values())


def test_erasing_twice_gives_the_first_receipt(run: Run, store: Path) -> None:
    """And says that nothing was left."""
    first = run("erase", "--user", "ana", "--yes", "--store", store, "--json").json
    again = run("erase", "--user", "ana", "--store", store)
    assert again.stdout.startswith("Nothing was left of ana; the receipt of the last time:\n")
    assert run("erase", "--user", "ana", "--store", store, "--json").json == first
    assert first["hash"] in again.stdout


def test_a_receipt_can_be_kept(run: Run, store: Path) -> None:
    """The file holds what JSON shows, and names nobody; a file that is there is not touched, and nobody erased."""
    args = ("erase", "--user", "ana", "--yes", "--receipt", "receipt.json", "--store", store)
    Path("receipt.json").write_text("mine")
    assert run(*args).code == 1
    assert (Path("receipt.json").read_text(), all(texts(store).values())) == ("mine", True)
    Path("receipt.json").unlink()
    done = run(*args, "--json")
    assert json.loads(Path("receipt.json").read_text()) == done.json
    assert done.json["removed"]["message"] == 8
    assert "ana" not in re.findall(r"\w+", Path("receipt.json").read_text())


@pytest.mark.heavy
def test_an_erasure_that_waits_for_a_reader_says_so(run: Run, store: Path) -> None:
    """In the receipt and to the doctor, until somebody finishes it."""
    with reading(store):
        waiting = run("erase", "--user", "ana", "--yes", "--store", store)
        assert waiting.code == 0
        assert re.search(r"^   pending +somebody still reads", waiting.stdout, re.MULTILINE)
        checks = {check["name"]: check for check in run("doctor", "--store", store, "--json").json["checks"]}
        assert (checks["erasures"]["state"], checks["erasures"]["found"]) == (
            "weak",
            "1 erasure waits for the files to be cleaned",
        )
    assert "pending" not in run("erase", "--user", "ana", "--store", store).stdout
    assert "fine   erasures: none waits" in run("doctor", "--store", store).stdout
    assert b"walnuts" not in bytes_of(store)


def test_others_stay_when_somebody_is_erased(run: Run, store: Path) -> None:
    """With every word."""
    run("observe", "I like walnuts", "--user", "ben", "--flush", "--store", store)
    run("erase", "--user", "ana", "--yes", "--store", store)
    assert [message.content for message in all_messages(store, "ben")] == ["I like walnuts"]


def test_erasing_on_a_postgres_says_what_could_not_be_done(run: Run, postgres_url: str) -> None:
    """Its files, logs and backups are out of reach, and the receipt does not pretend otherwise."""
    run("observe", "My sister Lena lives in Porto.", "--user", "ana", "--store", postgres_url)
    done = run("erase", "--user", "ana", "--yes", "--store", postgres_url)
    assert done.code == 0
    assert "backups cannot be looked through" in " ".join(done.stdout.split())
