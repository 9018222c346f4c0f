"""The forgetting suite replays stories, lets memories let go, and counts what they still have to say."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from tests.each import each
from yesteryear.core.vectors import Purpose
from yesteryear.errors import InputError
from yesteryear_lab.bench.generated_lives import Life, Thing, Value, make_life, read_lives, write_lives
from yesteryear_lab.bench.load.seeded import CachedEmbedder
from yesteryear_lab.bench.stories import read_stories, story_of_life
from yesteryear_lab.bench.suites import run_suite

KEPT_SHARES = (100, 50)
TALK = [
    ("2024-03-01T09:00", "My sister Ilka moved to Trieste because of her job at the harbour."),
    ("2024-03-01T09:01", "lol ok"),
    ("2024-03-02T09:00", "I decided to keep my appointment with Doctor Amsel on Fridays."),
    ("2024-03-02T09:01", "what is the capital of Peru?"),
    ("2024-03-20T09:00", "My sister Ilka has moved again, she lives in Bergen with her family now."),
    ("2024-03-20T09:01", "thanks, bye"),
]


def life(name: str = "ida") -> Life:
    """Return three weeks in which one thing changes."""
    messages = tuple(
        {"id": f"{number}", "role": "user", "author": "Ida", "content": text, "conversation": at[:10], "at": at}
        for number, (at, text) in enumerate(TALK)
    )
    home = Thing("home", "change", True, "Where does Ilka live?", (Value("Trieste", ("0",)), Value("Bergen", ("4",))))
    friday = Thing("friday", "event", True, "Whom do I see on Fridays?", (Value("Amsel", ("2",)),))
    peru = Thing("peru", "trivia", False, "Which capital did I ask for?", (Value("Peru", ("3",)),))
    return Life(name, messages, (home, friday, peru))


def run(data: Path | None, **options: str) -> dict[str, Any]:
    """Run the suite without a model and return its report."""
    given = {"embedder": "hashing", "days": "3,30", "caps": "100,50", **options}
    found: dict[str, Any] = run_suite("forgetting", data=data, rows=True, options=given, on_progress=lambda _: None)
    return found


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with two lives, in a folder of its own."""
    path = tmp_path_factory.mktemp("lives") / "lives.jsonl"
    write_lives(path, [life(), life("again")])
    return path


@pytest.fixture(scope="module")
def report(lives: Path) -> dict[str, Any]:
    """Return what the suite says of the two lives."""
    return run(lives, folder=str(lives.parent))


def test_every_figure_can_be_recomputed_from_the_rows(lives: Path, report: dict[str, Any]) -> None:
    """A row has its gold and what each memory had to say; shares are means over rows that matter."""
    metrics, baselines, rows = report["metrics"], report["baselines"], report["rows"]
    assert (report["suite"], report["n"], metrics["messages"]) == ("forgetting", 12, 12)
    assert (metrics["asked.important@3"], metrics["asked.important@30"], metrics["asked.trivia@30"]) == (4, 4, 2)
    assert set(baselines) == {"keep_all", "shipped", "gist_only", "oldest", "random"}
    for days in (3, 30):
        important = [row for row in rows if row["important"] and row["days"] == days]
        for cap in KEPT_SHARES:
            share = fmean(row["answered"][f"ours@{cap}"] == 1 for row in important)
            assert metrics[f"answerable@{cap}@{days}"] == round(share, 4)
        share = fmean(row["answered"]["oldest@50"] == 1 for row in important)
        assert baselines["oldest"][f"answerable@50@{days}"] == round(share, 4)
    assert json.loads(json.dumps(report)) == report
    assert list(lives.parent.iterdir()) == [lives]


def test_whoever_keeps_everything_can_answer_everything(report: dict[str, Any]) -> None:
    """A cap of 100 per cent lets nothing go; the right answer changes when it was corrected."""
    metrics = report["metrics"]
    assert metrics["answerable@100@3"] == metrics["answerable@100@30"] == 1
    assert metrics["verbatim@100@30"] == report["baselines"]["keep_all"]["verbatim@30"] == 1
    assert metrics["stale@100@30"] == 0
    gold = {row["days"]: row["gold"] for row in report["rows"] if row["id"] == "ida-home"}
    assert gold == {3: "Trieste", 30: "Bergen"}


def test_a_cap_holds(report: dict[str, Any]) -> None:
    """Ours keeps at most so many words, and those who were told a part keep all of it."""
    assert report["metrics"]["verbatim@50@30"] <= 0.5
    assert report["baselines"]["gist_only"]["verbatim@30"] < 0.2
    assert report["baselines"]["oldest"]["verbatim@50@30"] == 0.5
    assert report["baselines"]["random"]["verbatim@50@30"] == 0.5
    assert report["baselines"]["oldest"]["bytes@50@30"] > 0


def test_who_has_only_the_newest_words_knows_only_the_newest_things(report: dict[str, Any]) -> None:
    """Bergen was said in the newer half, Fridays in the older one."""
    answered = {row["id"]: row["answered"]["oldest@50"] for row in report["rows"] if row["days"] == 30}
    assert (answered["ida-home"], answered["again-friday"]) == (1, 0)


def test_an_old_answer_alone_is_stale(tmp_path: Path) -> None:
    """Whoever never heard of the change still says what was right before."""
    told = life()
    silent = tuple({**message, "content": "ok"} if message["id"] == "4" else message for message in told.messages)
    write_lives(tmp_path / "lives.jsonl", [Life("ida", silent, told.things)])
    found = run(tmp_path / "lives.jsonl", baselines="false", caps="100", days="30")
    assert found["metrics"]["stale@100@30"] == 1
    assert found["metrics"]["answerable.change@100@30"] == 0
    assert set(found["baselines"]) == {"keep_all", "shipped", "gist_only"}


def test_a_locomo_conversation_is_asked_at_its_end(tmp_path: Path) -> None:
    """By the share of the answer's words; what has no answer is not asked."""
    turns = [{"speaker": "Ida", "dia_id": f"D1:{number}", "text": text} for number, (_, text) in enumerate(TALK)]
    questions = [
        {"question": "Where did Ilka move first?", "answer": "Trieste harbour", "category": 4, "evidence": ["D1:0"]},
        {"question": "Who has a boat?", "adversarial_answer": "Ilka", "category": 5},
    ]
    talk = {"session_1_date_time": "9:05 am on 3 May, 2024", "session_1": turns}
    data = tmp_path / "locomo.json"
    data.write_text(json.dumps([{"sample_id": "ida", "conversation": talk, "qa": questions}]))
    report = run(data, caps="100")
    assert (report["n"], report["metrics"]["aic@100"], report["metrics"]["aic.4@100"]) == (1, 1, 1)
    assert report["baselines"]["keep_all"]["aic"] == 1
    assert report["rows"][0]["id"] == "ida-0"
    assert "answerable@100" not in report["metrics"]


def test_generated_lives_can_be_written_and_measured(tmp_path: Path) -> None:
    """They are the same in a file as without one."""
    path = tmp_path / "lives.jsonl"
    report = run(None, split="held-out", lives="1", write=str(path))
    assert report["n"] == 1
    assert read_lives(path) == [make_life("held-out", 1)]
    assert read_stories(path, [30]) == [story_of_life(make_life("held-out", 1), [30])]
    measured = run(path, days="20", caps="50", baselines="false")
    assert (
        measured["metrics"]
        == run(None, split="held-out", lives="1", days="20", caps="50", baselines="false")["metrics"]
    )


def test_only_what_was_said_is_asked() -> None:
    """A look before anything was said of a thing leaves it out, and nothing that came later counts."""
    [early, late] = story_of_life(life(), [2, 30]).looks
    assert (early.said, [ask.id for ask in early.asks]) == (4, ["home", "friday", "peru"])
    assert (early.asks[0].gold, early.asks[0].wrong) == ("Trieste", ())
    assert (late.said, late.asks[0].gold, late.asks[0].wrong) == (6, "Bergen", ("Trieste",))


@each(
    ("options", "reason"),
    [
        ({"caps": "0"}, "caps is from 1 to 100"),
        ({"caps": "10,101"}, "caps is from 1 to 100"),
        ({"days": "soon"}, "days are numbers"),
        ({"budget": "0"}, "budget is at least 1"),
        ({"split": "test"}, "no split 'test'"),
        ({"colour": "red"}, "no option 'colour'"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, str], reason: str) -> None:
    """With what would."""
    with pytest.raises(InputError, match=reason):
        run(None, **options)


def test_data_of_another_kind_is_refused(tmp_path: Path) -> None:
    """Neither lives nor LoCoMo; and data together with a file to write to."""
    (tmp_path / "rows.jsonl").write_text('{"id": "g1", "keep": true}')
    (tmp_path / "list.json").write_text("[]")
    for name, reason in (
        ("rows.jsonl", "no LoCoMo file"),
        ("list.json", "neither"),
        ("missing.jsonl", "cannot be read"),
    ):
        with pytest.raises(InputError, match=reason):
            run(tmp_path / name)
    with pytest.raises(InputError, match="left out"):
        run(tmp_path / "rows.jsonl", write=str(tmp_path / "lives.jsonl"))


def test_a_text_is_embedded_once() -> None:
    """Texts and questions apart, in the order asked for, as the model does it."""
    cached = CachedEmbedder("hashing")
    both = cached.embed(["one", "two", "one"], purpose=Purpose.DOCUMENT)
    assert np.array_equal(both[0], both[2])
    assert np.array_equal(both, cached.embed(["one", "two", "one"], purpose=Purpose.DOCUMENT))
    assert cached.embed([], purpose=Purpose.QUERY).shape == (0, cached.profile.dimension)
