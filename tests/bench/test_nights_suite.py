"""The nights suite tells a talk in several ways, compares what is believed, and measures what nights cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from yesteryear.errors import InputError
from yesteryear_lab.bench.generated_lives import Life, write_lives
from yesteryear_lab.bench.suites import run_suite

TALK = [
    ("2024-03-01T09:00", "My sister Ilka lives in Trieste because of her job at the harbour."),
    ("2024-03-02T09:00", "I am a nurse and I live in Bergen with my two cats."),
    ("2024-03-02T09:01", "I love hiking in the hills above the town."),
    ("2024-03-20T09:00", "I have moved, I live in Oslo now and I like it there."),
    ("2024-03-21T09:00", "My sister Ilka lives in Trieste because of her job at the harbour."),
    ("2024-03-22T09:00", "I decided to keep my appointment with Doctor Amsel on Fridays."),
]
MUST_CHANGE_NOTHING = ("twice_changed", "undo_changed", "order_changed", "nightly_changed")


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a short life."""
    path = tmp_path_factory.mktemp("talk") / "lives.jsonl"
    messages = [
        {"id": f"{n}", "role": "user", "author": "Ida", "content": text, "conversation": at, "at": at}
        for n, (at, text) in enumerate(TALK)
    ]
    write_lives(path, [Life("ida", tuple(messages)), Life("again", tuple(messages))])
    return path


def run(data: Path | None, **options: str) -> dict[str, Any]:
    """Run the suite without a model."""
    given = {"embedder": "hashing", "episodes": "0", **options}
    found: dict[str, Any] = run_suite("nights", data=data, rows=True, options=given, on_progress=lambda _: None)
    return found


def test_a_talk_gives_the_same_belief_however_it_is_told(talk: Path) -> None:
    """All figures are sums over the talks, and there is something to compare."""
    report = run(talk, stories="2", folder=str(talk.parent))
    assert [row["id"] for row in report["rows"]] == ["ida", "again"]
    assert report["metrics"]["messages"] == 2 * len(TALK)
    assert report["n"] == report["metrics"]["facts"] > 4
    assert {name: report["metrics"][name] for name in MUST_CHANGE_NOTHING} == dict.fromkeys(MUST_CHANGE_NOTHING, 0)
    assert json.loads(json.dumps(report)) == report
    assert list(talk.parent.iterdir()) == [talk]


@pytest.mark.heavy
def test_what_nights_cost_is_measured_on_a_memory_of_the_size_asked_for(tmp_path: Path) -> None:
    """With facts that were believed, pairs that were judged, and all figures there."""
    report = run(
        None,
        messages="10",
        episodes="24",
        facts="12",
        owners="2",
        questions="20",
        runs="1",
        folder=str(tmp_path),
    )
    metrics = report["metrics"]
    assert metrics["full_episodes"] >= 20
    assert metrics["full_facts"] >= 8
    times = ("night_cpu_s", "day_embedded_cpu_s", "day_told_cpu_s", "owner_night_cpu_s", "context_thread_idle_p50_ms")
    assert all(metrics[name] > 0 for name in times)
    beside = {f"{verb}_beside_{place}_ratio" for verb in ("context", "observe") for place in ("worker", "thread")}
    assert {"night_ratio", "owners_ratio", *beside} <= set(metrics)
    assert list(tmp_path.iterdir()) == []


@each("options", [{"messages": "9"}, {"owners": "1"}, {"questions": "3"}, {"stories": "0"}])
def test_what_cannot_be_measured_is_refused(options: dict[str, str]) -> None:
    """Before anything is told."""
    with pytest.raises(InputError, match="at least"):
        run(None, **options)
