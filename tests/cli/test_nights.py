"""Nights at the command line: ``consolidate``, ``undo``, and ``timelapse``, which lives through many of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.belief_rows import a_night as a_report
from tests.cli.stage import Answer, Run, Start, opened
from tests.script import GOAL, LOW, NUTS, open_play, say, statement
from yesteryear.cli.commands.nights import say_night
from yesteryear.cli.commands.timelapse import read_dated, split_by_nights
from yesteryear.cli.importers import Draft, Flaw, LeftOut, Record
from yesteryear.errors import InputError

WEEK = (
    ("2026-03-02T18:00", "I live in Porto now, in a small flat."),
    ("2026-03-02T18:05", "My name is Ana and my husband is called Rui."),
    ("2026-03-03T19:00", "I decided to finish my thesis by October."),
    ("2026-03-06T20:00", "I live in Lisbon now."),
)


@pytest.fixture
def gloomy(tmp_path: Path) -> Path:
    """A store that knows of a mood, which fades within days, and of what does not."""
    place = tmp_path / "life.db"
    with open_play(place, embedder="hashing") as shop:
        say(shop.memory(), LOW, NUTS, GOAL)
    return place


@pytest.fixture
def week(tmp_path: Path) -> Path:
    """A file with a week of Ana's, in which she moves."""
    rows = [
        {"content": text, "author": "Ana", "conversation": at[:10], "at": at, "zone": "Europe/Lisbon"}
        for at, text in WEEK
    ]
    return write_rows(tmp_path / "week.jsonl", rows)


def write_rows(path: Path, rows: Iterable[object]) -> Path:
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def believed(run: Run, store: Path) -> set[str]:
    """Return what is believed at present."""
    return {fact["statement"] for fact in run("facts", "--store", store, "--json").json_lines}


def a_night(run: Run, store: Path) -> tuple[str, ...]:
    """Return the command for a night in which the mood has faded, and nothing else."""
    facts = run("facts", "--store", store, "--json").json_lines
    [mood] = [fact["id"] for fact in facts if fact["statement"] == statement(LOW)]
    faded_at = datetime.fromisoformat(run("why", mood, "--store", store, "--json").json["fact"]["sinks_at"])
    return ("consolidate", "--at", (faded_at + timedelta(days=1)).date().isoformat(), "--yes", "--store", str(store))


def test_a_night_says_what_a_model_read_and_could_not_read() -> None:
    """The one was paid for, the other is due again."""
    assert say_night(a_report(), zone=None).endswith("2 pairs of facts judged")
    assert say_night(a_report(distilled=2, undistilled=1), zone=None).endswith(
        "2 groups read by the model, 1 group that it could not read (the log says why)"
    )


def test_a_night_says_what_it_did_in_sentences(run: Run, gloomy: Path) -> None:
    """With the statements of the facts it changed, and how many there are of each status."""
    night = a_night(run, gloomy)
    done = run(*night)
    assert done.stdout.startswith(f"Night of {night[2]} 00:00: ")
    assert f"Not believed any more: 1 fact\n  {statement(LOW)}" in done.stdout
    assert "Facts by now: 2 tentative, 1 deprecated\n" in done.stdout
    assert believed(run, gloomy) == {statement(NUTS), statement(GOAL)}
    assert "Nothing had to be changed." in run(*night).stdout


def test_a_dry_night_changes_nothing(run: Run, gloomy: Path) -> None:
    """It tells what the night would do, and that it was not done."""
    before = run("facts", "--status", "all", "--store", gloomy, "--json").json_lines
    night = a_night(run, gloomy)
    dry = run(*night, "--dry-run")
    assert statement(LOW) in dry.stdout
    assert "nothing was done" in dry.stderr
    assert run("facts", "--status", "all", "--store", gloomy, "--json").json_lines == before
    assert run(*night, "--dry-run", "--json").json["is_dry"]


def test_nights_are_listed_and_the_last_can_be_undone(run: Run, gloomy: Path) -> None:
    """Facts stand as before; there is nothing more to undo then."""
    command = a_night(run, gloomy)
    night = run(*command, "--json").json
    shown = run("consolidate", "--list", "--store", gloomy).stdout
    assert shown.startswith(f"Night of {command[2]} 00:00: ")
    assert f"  {night['id']}\n" in shown
    undone = run("undo", night["id"], "--store", gloomy)
    assert undone.stdout.startswith("Undone")
    assert statement(LOW) in undone.stdout
    assert statement(LOW) in believed(run, gloomy)
    assert ", undone" in run("consolidate", "--list", "--store", gloomy).stdout
    for args in ((), ("no-such-night",)):
        again = run("undo", *args, "--store", gloomy, "--json")
        assert (again.code, again.json["error"]["code"]) == (1, "not_found")


def test_a_night_that_lies_ahead_asks_first(run: Run, answer_here: Answer, gloomy: Path) -> None:
    """Words would go for good; where nobody can be asked nothing is done."""
    ahead = ("consolidate", "--at", "2090-01-31", "--store", gloomy)
    refused = run(*ahead)
    assert refused.code == 2
    assert "--yes" in refused.stderr
    no = answer_here(*ahead, typed=[("[y/N]", "n\n")])
    assert (no.code, "nothing was done" in no.stderr) == (1, True)
    assert len(believed(run, gloomy)) == 3
    assert run(*ahead, "--yes").code == 0
    assert believed(run, gloomy) == {statement(NUTS)}


def test_progress_of_a_night_is_kept_from_pipes(run: Run, start: Start, gloomy: Path) -> None:
    """Nothing but the result is written."""
    process = start(*a_night(run, gloomy), "--json")
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (0, "")
    assert json.loads(stdout)["state"] == "done"


def test_a_timelapse_tells_each_night_what_became_believed(run: Run, week: Path) -> None:
    """At three in the morning of the person's zone, after days on which something was told; nothing is left behind."""
    done = run("timelapse", week)
    assert done.code == 0
    nights = re.findall(r"^(2026-\d\d-\d\d \d\d:\d\d)  (\d) messages?, \d+ facts? believed$", done.stdout, re.MULTILINE)
    assert nights == [("2026-03-03 03:00", "2"), ("2026-03-04 03:00", "1"), ("2026-03-07 03:00", "1")]
    assert re.search(r"^  new +Ana lives in Porto", done.stdout, re.MULTILINE)
    assert re.search(r"^  superseded +Ana lives in Porto.* → Ana lives in Lisbon", done.stdout, re.MULTILINE)
    assert re.search(r"^In the end 3 facts are believed, 0 of them stable; ", done.stdout, re.MULTILINE)
    assert [path.name for path in Path().iterdir()] == [week.name]


def test_a_timelapse_as_json_is_one_object(run: Run, week: Path) -> None:
    """Each night with the facts it changed, and what is believed in the end."""
    report = run("timelapse", week, "--json").json
    assert [night["at"] for night in report["nights"]] == [f"2026-03-0{day}T03:00:00+00:00" for day in (3, 4, 7)]
    first, _, last = report["nights"]
    assert any("Porto" in fact["statement"] for fact in first["new"])
    assert [fact["statement"] for fact in last["superseded"] if "Porto" in fact["statement"]]
    final = {fact["statement"] for fact in report["facts"]}
    assert any("Lisbon" in text for text in final)
    assert not any("Porto" in text for text in final)
    assert (report["messages"], report["unusable"]) == (4, [])


def test_a_timelapse_can_be_kept_in_a_store(run: Run, week: Path) -> None:
    """With the dates of then; a second one under the same name is refused."""
    run("timelapse", week, "--user", "ana", "--store", "kept.db")
    with opened("kept.db") as memory:
        assert [message.recorded_at.date().isoformat() for message in memory.messages()][-1] == "2026-03-06"
        assert memory.facts(known_at=datetime(2026, 3, 5, tzinfo=UTC))
    again = run("timelapse", week, "--user", "ana", "--store", "kept.db", "--json")
    assert (again.code, again.json["error"]["code"]) == (1, "input")
    assert run("timelapse", week, "--user", "ben", "--store", "kept.db").code == 0


def test_a_timelapse_leaves_the_store_of_the_settings_alone(
    run: Run, week: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only --store names one."""
    monkeypatch.setenv("YESTERYEAR_STORE", "mine.db")
    assert run("timelapse", week).code == 0
    assert not Path("mine.db").exists()


def test_what_has_no_date_is_told_and_left_out(run: Run, tmp_path: Path) -> None:
    """A file without any date cannot be replayed."""
    dated = {"content": "I live in Porto.", "at": "2026-03-02T18:00:00+00:00"}
    rows = [dated, {"content": "I bake."}, {"content": "I run.", "at": "2026-03-02T19:00:00"}]
    report = run("timelapse", write_rows(tmp_path / "some.jsonl", rows), "--json").json
    assert [flaw["where"] for flaw in report["unusable"]] == ["line 2", "line 3"]
    done = run("timelapse", write_rows(tmp_path / "none.jsonl", rows[1:]), "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "input")


def a_draft(at: str, *, user: str | None = None) -> Draft:
    """Return a message on its way in."""
    return Draft({"content": "hello", "at": at, "id": at}, where=at, position=0.0, user=user)


def nights_of(*said: str, every_days: int = 1) -> list[tuple[str, int]]:
    """Return when the nights are after what was said, and how many messages each comes after."""
    _, dated, _ = read_dated(map(a_draft, said), user=None, zone="UTC")
    stretches = split_by_nights(dated, every_days=every_days)
    return [(f"{stretch.night_at:%m-%d %H}", len(stretch.said)) for stretch in stretches]


def test_there_is_a_night_after_each_day_with_something_new() -> None:
    """What is said after midnight and before three still belongs to the day."""
    said = ("2026-03-02T18:00", "2026-03-03T02:59", "2026-03-03T03:00", "2026-03-09T12:00")
    assert nights_of(*said) == [("03-03 03", 2), ("03-04 03", 1), ("03-10 03", 1)]


def test_nights_can_lie_further_apart() -> None:
    """By at least so many days, counted from the night before the first word; what is said last gets one too."""
    said = [f"2026-03-{day:02d}T12:00" for day in range(2, 18)]
    assert nights_of(*said, every_days=7) == [("03-09 03", 7), ("03-16 03", 7), ("03-23 03", 2)]


def test_messages_are_replayed_in_order_of_their_dates() -> None:
    """Whatever the order in the file; what is no message is left out, what cannot be used is told."""
    records: list[Record] = [
        a_draft("2026-03-03T12:00"),
        LeftOut("edited away"),
        Flaw("line 3", "broken"),
        a_draft("2026-03-02T12:00"),
    ]
    user, said, flaws = read_dated(records, user=None, zone="UTC")
    assert (user, [one.at.day for one in said], [flaw.where for flaw in flaws]) == (None, [2, 3], ["line 3"])


def test_of_several_people_one_has_to_be_named() -> None:
    """Only their messages are replayed."""
    records = [a_draft("2026-03-02T12:00", user="ana"), a_draft("2026-03-03T12:00", user="ben")]
    with pytest.raises(InputError, match="ana, ben"):
        read_dated(records, user=None, zone="UTC")
    user, said, _ = read_dated(records, user="ben", zone="UTC")
    assert (user, [one.draft.user for one in said]) == ("ben", ["ben"])


def test_nights_keep_to_the_persons_clock_when_it_is_changed() -> None:
    """Three in the morning, in summer as in winter."""
    said = [f"2026-03-{day:02d}T12:00" for day in (27, 28, 29, 30)]
    _, dated, _ = read_dated(map(a_draft, said), user=None, zone="Europe/Lisbon")
    nights = [stretch.night_at for stretch in split_by_nights(dated)]
    assert [night.hour for night in nights] == [3, 2, 2, 2]
    assert nights[1] - nights[0] == timedelta(hours=23)
