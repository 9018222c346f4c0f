"""The suites say what they measured, in one shape, and refuse what they cannot use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from yesteryear.errors import InputError
from yesteryear_lab.bench.load.paired import Pair, compare
from yesteryear_lab.bench.load.talk import Sent, line
from yesteryear_lab.bench.suites import SUITES, run_suite
from yesteryear_lab.figures import percentile

REPORT = ["suite", "data", "n", "metrics", "baselines", "settings"]
QUICK_LATENCY: dict[str, Any] = {"pairs": "20", "runs": "1", "callers": "4", "imports": "1"}
LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Mia",
            "speaker_b": "Tom",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Mia", "dia_id": "D1:1", "text": "I adopted a greyhound called Pixel last week!"},
                {"speaker": "Tom", "dia_id": "D1:2", "text": "Lovely! I decided to learn the cello this year."},
            ],
        },
        "qa": [
            {"question": "Which pet did Mia adopt?", "answer": "a greyhound", "evidence": ["D1:1"], "category": 4},
            {"question": "What does Tom learn?", "answer": "the cello", "evidence": ["D1:2"], "category": 4},
            {"question": "Which pet did Tom adopt?", "adversarial_answer": "a cat", "evidence": [], "category": 5},
        ],
    }
]


def run(name: str, *, data: Path | None = None, rows: bool = False, **options: Any) -> dict[str, Any]:
    """Run a suite and return its report."""
    return run_suite(name, data=data, rows=rows, options=options, on_progress=lambda _: None)


@pytest.mark.heavy
def test_latency_tells_all_its_figures(tmp_path: Path) -> None:
    """Every variant has its ratios and its baseline, the worker was busy, and JSON can hold all of it."""
    report = run("latency", rows=True, folder=str(tmp_path), **QUICK_LATENCY)
    assert list(report) == [*REPORT, "rows"]
    metrics = report["metrics"]
    for name in ("idle", "thread", "process"):
        assert metrics[f"{name}_p50_ratio"] > 0
        assert report["baselines"]["bare_insert"][f"{name}_p95_ms"] > 0
    assert metrics["thread_backlog_left"] > 0
    assert metrics["process_backlog_left"] > 0
    assert metrics["tasks_messages_per_commit"] >= 1
    assert metrics["import_ratio"] > 0
    assert len(report["rows"]) == 3 * 20
    assert json.loads(json.dumps(report)) == report
    assert list(tmp_path.iterdir()) == []


def test_ingest_reads_locomo_and_watches_the_evidence(tmp_path: Path) -> None:
    """Everything is imported and worked through, every question is asked, and the answers are where they should be."""
    data = tmp_path / "small.json"
    data.write_text(json.dumps(LOCOMO))
    report = run("ingest", data=data, rows=True, embedder="hashing", folder=str(tmp_path))
    metrics = report["metrics"]
    assert (report["data"], report["n"]) == ("small.json", 3)
    assert (metrics["messages"], metrics["due_left"], metrics["over_budget"]) == (2, 0, 0)
    assert metrics["covered<=1000"] == metrics["covered<=1000.4"] == 1
    assert [row["<=1000"]["named"] for row in report["rows"]][:2] == [["D1:1"], ["D1:2"]]
    assert 0 < metrics["tokens_max<=1000"] <= 1000
    assert metrics["bytes_on_disk"] > 0


def test_ingest_reads_json_lines(tmp_path: Path) -> None:
    """Without questions of their own, messages serve as such."""
    data = tmp_path / "chat.jsonl"
    rows = [{"content": line(number), "role": "user", "conversation": "chat"} for number in range(30)]
    data.write_text("\n".join(map(json.dumps, rows)))
    report = run("ingest", data=data, embedder="hashing", budget="200")
    assert list(report) == REPORT
    metrics = report["metrics"]
    assert (metrics["messages"], metrics["questions"], metrics["due_left"]) == (30, 3, 0)
    assert (metrics["over_budget"], metrics["tokens_max<=200"] <= 200) == (0, True)


@each(
    ("name", "options", "complaint"),
    [
        ("speed", {}, "latency, context, scale, doors, durability, ingest, locomo, gate"),
        ("latency", {"pears": "20"}, "no option 'pears'"),
        ("latency", {"pairs": "many"}, "does not fit"),
        ("latency", {"pairs": "3"}, "at least 20"),
        ("durability", {"kills": "0"}, "at least 1"),
        ("ingest", {}, "needs --data"),
    ],
)
def test_what_cannot_be_run_is_refused(name: str, options: dict[str, Any], complaint: str) -> None:
    """The message says what would fit."""
    with pytest.raises(InputError, match=complaint):
        run(name, **options)


@pytest.mark.parametrize("name", ["latency", "durability"])
def test_suites_with_messages_of_their_own_take_no_data(name: str, tmp_path: Path) -> None:
    """Rather than to ignore what was asked for."""
    with pytest.raises(InputError, match="leave --data out"):
        run(name, data=tmp_path)


def test_data_that_is_not_there_is_told(tmp_path: Path) -> None:
    """With its name."""
    for name in ("missing.json", "missing.jsonl"):
        with pytest.raises(InputError, match="missing"):
            run("ingest", data=tmp_path / name)


def test_every_suite_says_what_it_is_for() -> None:
    """In one line."""
    assert all(about and "\n" not in about for about in SUITES.values())


def test_every_suite_is_in_the_docs() -> None:
    """With its name and what it measures."""
    page = (Path(__file__).parents[2] / "docs/reference/command-line.md").read_text(encoding="utf-8")
    assert [name for name in SUITES if f"| `{name}` |" not in page] == []


def test_a_ratio_is_the_median_over_the_runs() -> None:
    """One run that was disturbed does not decide."""
    runs = [[Pair(ours=slow * 0.001, bare=0.001)] * 20 for slow in (2, 3, 90)]
    found = compare(runs, "idle").metrics
    assert (found["idle_p50_ratio"], found["idle_p95_ratio"], found["idle_worst_ms"]) == (3, 3, 90)
    assert found["idle_p50_extra_us"] == 2000


def test_percentiles_are_values_that_occurred() -> None:
    """Nothing is made up between two of them."""
    values = [float(number) for number in range(100)]
    assert (percentile(values, 0.5), percentile(values, 0.95), percentile([7.0], 0.95)) == (50, 95, 7)


def test_a_sent_message_is_known_by_its_id() -> None:
    """Who has the id has the text, and no two ids have the same."""
    sent = [Sent("ana", "kitchen", f"m-{number}") for number in range(500)]
    assert len({each.content for each in sent}) == len(sent)
    assert Sent("ana", "kitchen", "m-7").content == sent[7].content
