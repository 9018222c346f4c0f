"""What was told in numbers, at the command line: ``metrics`` and ``correlations``."""

from __future__ import annotations

import csv
import io
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.stage import Run
from tests.workshop import NOON, open_workshop

ZONE = "America/New_York"


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that knows three weeks of Ana's runs and nights, a goal, a coffee and what cannot count."""
    place = tmp_path_factory.mktemp("lived") / "life.db"
    with open_workshop(place) as shop:
        memory = shop.memory()
        for number in range(21):
            hours = 5 + number % 4
            text = f"I slept {hours} hours last night. I ran {hours + 2} km today."
            at = NOON + timedelta(days=number)
            memory.observe(text, conversation=f"day {number}", id=f"m-{number}", at=at, zone=ZONE, author="Ana")
        for text in ("My goal is to run 30 km a week.", "I spent 4 euros on coffee.", "I lost 2 kg."):
            memory.observe(text, conversation=text, at=at, zone=ZONE, author="Ana")
        memory.flush()
    return place


def test_series_are_listed_a_line_each(run: Run, lived: Path) -> None:
    """With the latest value, the total or mean, and the trend or why there is none."""
    lines = run("metrics", "--store", lived, "--at", "2026-04-01", env={"COLUMNS": "120"}).stdout.splitlines()
    assert lines[0].split() == ["measure", "what", "last", "total", "or", "mean", "a", "week", "days"]
    assert [line.split()[0] for line in lines[1:]] == ["run", "sleep", "spent", "weight"]
    assert "7 km on 2026-03-22" in lines[1]
    assert "not enough data" in lines[3]
    assert "coffee" in lines[3]


def test_one_measure_is_shown_with_its_points(run: Run, lived: Path) -> None:
    """By week too; dates are those of where the person is."""
    asked = ("metrics", "--store", lived, "--at", "2026-04-01", "--measure")
    shown = run(*asked, "run", "--by", "week").stdout
    assert "2026-03-02 to 2026-03-08" in shown
    assert "30 km a week, said on 2026-03-22" in shown
    days = run(*asked, "run", "--since", "2026-03-04", "--until", "2026-03-06", "--json").json_lines
    assert [point["first_day"] for point in days[0]["points"]] == ["2026-03-04", "2026-03-05"]
    assert "no earlier value is known" in run(*asked, "weight").stdout
    assert run(*asked, "steps").stderr == "nothing was told in numbers\n"
    refused = run(*asked, "luck")
    assert refused.code != 0
    assert "no measure 'luck'" in refused.stderr


def test_points_are_written_for_a_spreadsheet(run: Run, lived: Path) -> None:
    """A row a point, under a head."""
    rows = list(csv.DictReader(io.StringIO(run("metrics", "--store", lived, "--at", "2026-04-01", "--csv").stdout)))
    assert len(rows) == 21 + 21 + 1
    assert (rows[0]["measure"], rows[0]["value"], rows[0]["messages"]) == ("run", "7.0", "m-0")


def test_a_series_is_drawn(run: Run, lived: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where what draws is installed; else the extra is named."""
    asked = ("metrics", "--store", lived, "--at", "2026-04-01", "--measure", "run", "--plot")
    shown = run(*asked).stdout
    assert "┤" in shown
    assert "\x1b" not in shown
    monkeypatch.setitem(sys.modules, "plotext", None)
    refused = run(*asked)
    assert refused.code != 0
    assert "pip install 'yesteryear[numbers]'" in refused.stderr


def test_what_goes_together_is_listed(run: Run, lived: Path) -> None:
    """Or that nothing does."""
    asked = ("correlations", "--store", lived, "--at", "2026-04-01")
    shown = run(*asked).stdout.splitlines()
    assert "run (km)" in shown[1]
    assert "sleep (h)" in shown[1]
    assert "+1.00" in shown[1]
    (pair,) = run(*asked, "--json").json_lines
    assert (pair["one"]["measure"], pair["other"]["measure"], pair["days"]) == ("run", "sleep", 21)
    assert "nothing goes together" in run(*asked, "--since", "2026-03-20").stderr


def test_a_measure_is_named_as_people_write(run: Run, lived: Path) -> None:
    """In capital letters, or in words; the sleep of all nights has a mean and no total."""
    line = run("metrics", "--store", lived, "--at", "2026-04-01", "--measure", "Sleep").stdout.splitlines()[1]
    assert "6.429 h" in line
    assert run("metrics", "--store", lived, "--measure", "Heart Rate").stderr == "nothing was told in numbers\n"


@pytest.mark.parametrize("pair", [("--json", "--csv"), ("--csv", "--plot"), ("--json", "--plot")], ids=" ".join)
def test_two_ways_to_show_the_same_are_refused(run: Run, lived: Path, pair: tuple[str, str]) -> None:
    """Neither is silently left out."""
    refused = run("metrics", "--store", lived, *pair)
    assert refused.code != 0
    assert "pass one of them" in refused.stderr


def test_the_offset_of_an_instant_tells_the_day(run: Run, tmp_path: Path) -> None:
    """Where nobody has said where the person is; late in New York it is tomorrow in London."""
    said = ("observe", "--store", tmp_path / "life.db", "--user", "ana", "--author", "Ana", "--flush")
    for at in ("2026-03-02T22:30:00-05:00", "2026-03-03T22:30:00+05:30", "2026-03-04T22:30:00"):
        run(*said, "I ran 5 km today.", "--at", at)
    run(*said, "I ran 6 km today.", "--at", "2026-03-09T22:30:00-05:00", "--zone", "Europe/London")
    (series,) = run("metrics", "--store", tmp_path / "life.db", "--measure", "run", "--json").json_lines
    assert [point["first_day"] for point in series["points"]] == ["2026-03-02", "2026-03-03", "2026-03-10"]
