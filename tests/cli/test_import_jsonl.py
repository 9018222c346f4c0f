"""``yesteryear import`` of JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.stage import Run, all_messages


def test_every_field_of_a_message_arrives(run: Run, tmp_path: Path) -> None:
    """Content, role, author, conversation, time, id and zone are the message's own."""
    row = {
        "content": "Tenho uma consulta na terça.",
        "role": "user",
        "author": "Ana",
        "conversation": "c7",
        "at": "2026-03-02T07:41:10",
        "id": "m-1",
        "zone": "Europe/Lisbon",
    }
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(row), encoding="utf-8")
    assert run("import", file, "--user", "ana", "--store", "m.db").code == 0
    [message] = all_messages("m.db")
    found = message.to_dict()
    assert {name: found[name] for name in ("content", "role", "author", "conversation", "zone")} == {
        name: row[name] for name in ("content", "role", "author", "conversation", "zone")
    }
    assert (found["external_id"], found["at"]) == ("m-1", "2026-03-02T07:41:10+00:00")


def test_importing_twice_adds_nothing_twice(run: Run, talk: Path) -> None:
    """The second run finds everything there already, and says so."""
    first = run("import", talk, "--user", "ana", "--store", "m.db", "--json")
    again = run("import", talk, "--user", "ana", "--store", "m.db", "--json")
    assert first.json["messages"] == {"new": 8, "known": 0, "redacted": 0}
    assert again.json["messages"] == {"new": 0, "known": 8, "redacted": 0}
    assert len(all_messages("m.db")) == 8


def test_messages_without_ids_are_known_again_when_the_file_has_grown(run: Run, tmp_path: Path) -> None:
    """Their ids come from line and text, so equal lines stay apart and old ones are not added again."""
    file = tmp_path / "log.jsonl"
    file.write_text('{"content": "good morning"}\n{"content": "good morning"}\n')
    assert run("import", file, "--user", "ana", "--store", "m.db", "--json").json["messages"]["new"] == 2
    with file.open("a") as log:
        log.write('{"content": "good night"}\n')
    again = run("import", file, "--user", "ana", "--store", "m.db", "--json")
    assert again.json["messages"] == {"new": 1, "known": 2, "redacted": 0}
    assert [message.content for message in all_messages("m.db")] == ["good morning", "good morning", "good night"]


def test_no_line_is_refused_for_the_id_we_make_of_it(run: Run, tmp_path: Path) -> None:
    """The hash of this one passes the check of a Belgian account number."""
    file = tmp_path / "log.jsonl"
    file.write_text('{"role": "user", "content": "I planted 61028 tulips in the garden on day 1028"}\n')
    assert run("import", file, "--user", "ana", "--store", "m.db", "--json").json["unusable"] == []
    assert [message.external_id for message in all_messages("m.db")] == ["line-1-be2335875205547f"]


BAD_LINES = {
    b"\xff\xfe not text": "not valid UTF-8 (byte 1 of the line)",
    b'{"content": "caf\xe9"}': "not valid UTF-8 (byte 17 of the line)",
    b'{"content": "cut off': "not valid JSON",
    b'["a", "list"]': "a JSON object",
    b'"just text"': "a JSON object",
    b"[" * 100_000: "not valid JSON",
    b'{"role": "user"}': "content must be text",
    b'{"content": "   "}': "needs content",
    b'{"content": 7}': "content must be text",
    b'{"content": "hello", "role": "wizard"}': "not 'wizard'",
    b'{"content": "hello", "at": "2026-03-02T07:41:10"}': "has no time zone",
    b'{"content": "hello", "at": "yesterday"}': "no ISO 8601",
    b'{"content": "hello", "at": 1772437270}': "a time must be",
    b'{"content": "hello", "zone": "Mars/Olympus"}': "no time zone 'Mars/Olympus'",
    b'{"content": "hello", "mood": "fine"}': "no field 'mood'",
    b'{"content": "hello", "conversation": ""}': "conversation must have",
    b'{"content": "other text", "id": "first"}': "was used before",
}


def test_bad_lines_are_told_with_number_and_reason_and_the_rest_is_imported(run: Run, tmp_path: Path) -> None:
    """Whatever is wrong with a line costs that line only."""
    good = b'{"content": "hello there", "id": "first"}'
    lines = [good, *BAD_LINES, b"", b'{"content": "and good bye"}']
    file = tmp_path / "bad.jsonl"
    file.write_bytes(b"\n".join(lines))
    done = run("import", file, "--user", "ana", "--store", "m.db", "--json")
    assert done.code == 0
    assert [flaw["where"] for flaw in done.json["unusable"]] == [f"line {n}" for n in range(2, 2 + len(BAD_LINES))]
    for flaw, reason in zip(done.json["unusable"], BAD_LINES.values(), strict=True):
        assert reason in flaw["reason"]
    assert [message.content for message in all_messages("m.db")] == ["hello there", "and good bye"]


def test_ten_bad_lines_are_shown_and_all_with_verbose(run: Run, tmp_path: Path) -> None:
    """More would push the summary off the screen."""
    file = tmp_path / "bad.jsonl"
    file.write_bytes(b"\n".join([*BAD_LINES, b'{"content": "good"}']))
    some = run("import", file, "--user", "ana", "--store", "m.db")
    every = run("import", file, "--user", "ana", "--store", "m.db", "--verbose")
    assert "16 messages could not be used" in some.stdout
    assert some.stdout.count("  line ") == 10
    assert "and 6 more: --verbose" in some.stdout
    assert every.stdout.count("  line ") == 16


@pytest.mark.parametrize(("content", "code"), [('{"content": "fine"}\nbad\n', 1), ('{"content": "fine"}\n', 0)])
def test_strict_makes_a_bad_line_an_error(run: Run, tmp_path: Path, content: str, code: int) -> None:
    """The rest is imported all the same."""
    file = tmp_path / "some.jsonl"
    file.write_text(content)
    assert run("import", file, "--user", "ana", "--store", "m.db", "--strict").code == code
    assert len(all_messages("m.db")) == 1


def test_a_file_of_which_nothing_can_be_used_is_an_error(run: Run, tmp_path: Path) -> None:
    """It was probably another format."""
    file = tmp_path / "notes.txt"
    file.write_text("Dear diary,\ntoday was fine.\n")
    done = run("import", file, "--user", "ana", "--store", "m.db")
    assert done.code == 1
    assert "2 messages could not be used" in done.stdout


def test_an_empty_file_is_no_error(run: Run, tmp_path: Path) -> None:
    """There is nothing in it, and that is what it says."""
    file = tmp_path / "empty.jsonl"
    file.touch()
    done = run("import", file, "--user", "ana", "--store", "m.db")
    assert (done.code, done.stdout.splitlines()[0]) == (0, "0 new messages")


def test_a_byte_order_mark_and_windows_line_ends_are_read_over(run: Run, tmp_path: Path) -> None:
    """Files from Windows are plain files."""
    file = tmp_path / "windows.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"content": "one"}\r\n{"content": "two"}\r\n')
    assert run("import", file, "--user", "ana", "--store", "m.db", "--json").json["unusable"] == []
    assert [message.content for message in all_messages("m.db")] == ["one", "two"]


def test_times_without_a_zone_are_read_in_the_one_given(run: Run, tmp_path: Path) -> None:
    """With --zone they are no longer naive."""
    file = tmp_path / "naive.jsonl"
    file.write_text('{"content": "good morning", "at": "2026-07-02T07:41:10"}')
    done = run("import", file, "--user", "ana", "--store", "m.db", "--zone", "Europe/Lisbon", "--json")
    assert done.json["unusable"] == []
    [message] = all_messages("m.db")
    assert (message.at.isoformat(), message.zone) == ("2026-07-02T06:41:10+00:00", "Europe/Lisbon")


def test_a_message_of_a_megabyte_is_a_message(run: Run, tmp_path: Path) -> None:
    """Length alone is no flaw."""
    file = tmp_path / "long.jsonl"
    file.write_text(json.dumps({"content": "so it goes on and on " * 50_000}))
    assert run("import", file, "--user", "ana", "--store", "m.db", "--no-flush", "--json").json["messages"]["new"] == 1


def test_secrets_are_cut_out_and_counted(run: Run, tmp_path: Path) -> None:
    """The summary says that something is not there any more."""
    file = tmp_path / "secret.jsonl"
    file.write_text('{"content": "my password is: hunter2-Horse!"}')
    done = run("import", file, "--user", "ana", "--store", "m.db")
    assert "secrets were cut out of 1 message" in done.stdout
    assert "hunter2" not in all_messages("m.db")[0].content


def test_no_flush_leaves_the_work_to_a_worker(run: Run, talk: Path) -> None:
    """What is due stays due until a worker comes."""
    done = run("import", talk, "--user", "ana", "--store", "m.db", "--no-flush")
    assert "yesteryear worker --once" in done.stderr
    [person] = run("stats", "--user", "ana", "--store", "m.db", "--json").json["people"]
    assert person["messages.open"] == 8


def test_after_an_import_nothing_is_due(run: Run, talk: Path) -> None:
    """The flush at the end has done it all."""
    done = run("import", talk, "--user", "ana", "--store", "m.db", "--json")
    assert done.json["worked_in"]["failures"] == 0
    [person] = run("stats", "--user", "ana", "--store", "m.db", "--json").json["people"]
    assert (person["messages.open"], person["vectors.due"]) == (0, 0)


def test_a02_the_person_has_the_name_that_the_command_gives(run: Run, tmp_path: Path) -> None:
    """Facts would speak of "user", whoever that is."""
    file = tmp_path / "said.jsonl"
    file.write_text(
        '{"content": "I live in Porto.", "id": "1"}\n{"content": "Nice.", "role": "assistant", "id": "2"}\n'
        '{"content": "I live in Leeds.", "author": "Bo", "id": "3"}\n'
    )
    run("import", file, "--user", "ana", "--author", "Ana", "--store", "m.db", "--json")
    assert [message.author for message in all_messages("m.db")] == ["Ana", "assistant", "Bo"]
