"""The suites of lives, Memora and observations, held to figures worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from yesteryear.errors import InputError
from yesteryear_lab.bench.lives import tells
from yesteryear_lab.bench.retold import ending
from yesteryear_lab.bench.suites import run_suite

BAKER, SISTER, MILK = (
    "I am a baker in Porto.",
    "My sister Ana lives in Braga.",
    "Please remember that I prefer oat milk.",
)


def run(name: str, data: Path, *more: Path, **options: str) -> dict[str, Any]:
    """Run a suite without a model and return its report."""
    options = {"embedder": "hashing"} | options
    return run_suite(name, data=data, more=more, rows=True, options=options, on_progress=lambda _: None)


def write(path: Path, found: object) -> Path:
    """Write data where it is looked for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


def life(name: str = "life-mia", **changed: Any) -> dict[str, Any]:
    """Return a life of three messages."""
    said = {"role": "user", "author": "Mia", "conversation": "c1"}
    found: dict[str, Any] = {
        "id": name,
        "author": "Mia",
        "messages": [
            said | {"id": "m1", "at": "2026-03-02T19:00:00+01:00", "content": BAKER},
            said | {"id": "m2", "at": "2026-03-05T19:00:00+01:00", "content": SISTER},
            said | {"id": "m3", "at": "2026-03-05T23:00:00+01:00", "content": MILK},
        ],
        "things": [
            {
                "id": "moved, which was never said",
                "about": "Mia",
                "statement": "Mia lives in Lisbon.",
                "weight": 3,
                "known": ["lisbon"],
                "stale": [["faro"], ["porto|oporto"]],
                "ask": "Where do I live?",
                "ask_stale": [["porto"]],
            },
            {
                "id": "of another person, who is named",
                "about": "Ana Reis",
                "statement": "Ana lives in Braga.",
                "known": ["braga", "lives"],
                "stale": [["lisbon"]],
                "ask": "Where does my sister live?",
                "ask_known": ["braga"],
                "ask_stale": [["lisbon"]],
            },
            {
                "id": "of another person, who is not",
                "about": "Tom",
                "statement": "Tom is a baker.",
                "weight": 2,
                "known": ["bak"],
                "ask": "Who is a baker?",
            },
            {"id": "x", "about": "Mia", "statement": "", "weight": 1, "known": ["cello"], "ask": "What do I play?"},
        ],
        "never": [{"why": "joke", "stems": ["baker", "porto"]}, {"why": "joke", "stems": ["baker", "astronaut"]}],
        "ended": [{"what": "in Porto", "stems": ["porto"]}, {"what": "a marathon", "stems": ["marathon"]}],
        "commands": [
            {"message": "m3", "means": "remember", "what": "oat milk"},
            {"message": "m4", "means": "remember", "what": "of a message that is not there"},
            {"message": "m3", "means": "none", "what": "an idiom, taken for a command"},
            {"message": "m1", "means": "none", "what": "an idiom"},
            {"message": "m1", "means": "correct", "what": "not measured"},
        ],
    }
    return found | changed


def test_lives_are_measured_by_weight(tmp_path: Path) -> None:
    """Of weights 3, 2, 2 and 1 the second is known; what has changed weighs 3 and 2, and the first is stale."""
    report = run("lives", write(tmp_path / "mia.json", life()))
    metrics = report["metrics"]
    assert metrics.pop("tokens") == pytest.approx(sum(row.get("tokens", 0) for row in report["rows"]) / 4, abs=1e-4)
    assert metrics.pop("facts") == len(report["rows"][0]["facts"])
    assert metrics == {
        "known": 2 / 8,
        "stale": 3 / 5,
        "never": 1 / 2,
        "ended": 1 / 2,
        "asked": 4 / 8,
        "asked_stale": 3 / 5,
        "idioms": 1 / 2,
        "remember": 1 / 2,
    }


def test_lives_are_taken_together(tmp_path: Path) -> None:
    """From a folder or one by one; each has a memory of its own."""
    mia, tom = write(tmp_path / "mia.json", life()), write(tmp_path / "tom.json", life("life-tom", things=[]))
    one, two = run("lives", tmp_path), run("lives", mia, tom)
    assert one["rows"] == two["rows"]
    assert (two["data"], {row["life"] for row in two["rows"]}) == ("mia.json, tom.json", {"life-mia", "life-tom"})
    assert one["metrics"]["known"] == 2 / 8
    assert run("lives", tom)["metrics"]["known"] is None


@each(
    ("text", "groups", "is_told"),
    [
        ("She’s allergic to nuts.", ["allerg", "nut|cashew"], True),
        ("She is allergic.", ["allerg", "nut|cashew"], False),
        ("The peanut", ["nut"], False),
        ("It costs £2,500 a month", ["£2,500|2.5k"], True),
        ("since New  York was home", ["new york"], True),
        ("anything", [], False),
    ],
)
def test_stems_begin_words(text: str, groups: list[str], is_told: bool) -> None:
    """One of each group; several words stand next to each other."""
    assert tells(text, groups) is is_told


def test_what_ended_is_told_by_whole_words() -> None:
    """And not by pieces of others."""
    ended = ending("split|ex")
    assert [
        text for text in ("Her ex", "It WAS fun", "Not here any more", "an exam", "a wash") if ended.search(text)
    ] == [
        "Her ex",
        "It WAS fun",
        "Not here any more",
    ]


def session(number: int, day: str, said: str, shared: bool, **changed: Any) -> dict[str, Any]:
    """Return a session in which one thing is said."""
    turns = [
        {"turn": 1, "speaker": "user_agent", "message": said, "share_memory": shared},
        {"turn": 2, "speaker": "ai_agent", "message": "I see.", "share_memory": False},
    ]
    found = {"session_id": number, "session_type": "no_memory", "operation": None, "operation_details": {}}
    return found | {"date": day, "conversation": turns} | changed


@pytest.fixture
def personas(tmp_path: Path) -> Path:
    """Return a folder with one persona of four sessions, and one whose files are empty."""
    likes = {"session_type": "preference", "operation": "add", "operation_details": {"item": "baker"}}
    moves = {"item": "Rembrandt", "old_item": "a baker in Porto"}
    event = {"category": "calendar_event", "item": {"event_name": "Ana Braga"}}
    sessions = [
        session(1, "2025-06-01", MILK, True, **likes),
        session(2, "2025-06-01", BAKER, True, session_type="preference", operation="update", operation_details=moves),
        session(3, "2025-06-02", SISTER, False, session_type="activity", operation="delete", operation_details=event),
        session(4, "2025-06-03", "ok thanks", True),
        session(5, "2025-06-03", "lol yes", False),
    ]
    for found in sessions:
        write(tmp_path / "baker" / "conversations" / f"session_{found['session_id']:04}.json", found)
    question = {"question": "What do I drink?", "question_date": "2025-06-03"}
    need = {"items": [{"value": "oat milk", "session_id": 1}, {"value": "Braga"}, {"value": "cello"}], "count": 3}
    questions = {
        "remembering": [question | {"memory_evidence": need, "forgetting_evidence": [{"value": "Braga"}]}],
        "reasoning": [question | {"forgetting_evidence": {"gone": [{"value": "Porto"}, {"value": "opera"}]}}],
    }
    write(tmp_path / "baker" / "evaluation_questions_baker.json", {"questions": questions})
    write(tmp_path / "empty" / "conversations" / "session_0001.json", {})
    return tmp_path


def test_memora_is_measured_by_hand(personas: Path) -> None:
    """Three are kept, two of them rightly; one that should be is not."""
    assert run("memora", personas, personas="baker")["metrics"] == {
        "gate.precision": 0.6667,
        "gate.recall": 0.6667,
        "gate.f1": 0.6667,
        "pref.known": 0.5,
        "pref.stale": 1,
        "task.known": 0,
        "task.stale": 1,
        "fama.reasoning.in": 0,
        "fama.reasoning.out": 0.5,
        "fama.remembering.in": 0.6667,
        "fama.remembering.out": 1,
        "fama.score": 0.5833,
    }


def test_what_weeks_come_to_is_compared(tmp_path: Path) -> None:
    """By kind of food, and of steps; a purpose is known by how it begins."""

    def bought(number: int, day: str, said: str, kind: str, amount: float) -> dict[str, Any]:
        details = {"category": "food_expenses", "item": {"expense_type": kind, "amount": amount}}
        return session(number, day, said, True, session_type="activity", operation="add", operation_details=details)

    walked = {"category": "step_tracker", "item": {"step_count": 8381}}
    for found in (
        bought(1, "2025-06-01", "I just spent $12.50 on groceries.", "grocery", 12.5),
        bought(2, "2025-06-02", "I spent $7 on groceries.", "grocery", 8),
        session(3, "2025-06-09", "I walked 8,381 steps.", True, operation="add", operation_details=walked),
    ):
        write(tmp_path / "cook" / "conversations" / f"session_{found['session_id']:04}.json", found)
    write(tmp_path / "cook" / "evaluation_questions_cook.json", {"questions": {}})
    found = run("memora", tmp_path)
    assert [(row["what"], row["week"], row["total"], row["found"]) for row in found["rows"] if "week" in row] == [
        ("grocery", 0, 20.5, 19.5),
        ("", 1, 8381, 8381),
    ]
    assert (found["metrics"]["numbers.weeks"], found["metrics"]["numbers.right"]) == (2, 0.5)


SAMPLE: dict[str, Any] = {
    "sample_id": "conv-1",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Mia", "dia_id": "D1:1", "text": BAKER},
            {"speaker": "Tom", "dia_id": "D1:2", "text": "ok thanks"},
        ],
        "session_2_date_time": "1:56 pm on 9 May, 2023",
        "session_2": [
            {"speaker": "Tom", "dia_id": "D2:1", "text": SISTER},
            {"speaker": "Mia", "dia_id": "D2:2", "text": "I play the cello."},
        ],
    },
    "observation": {
        "session_1_observation": {
            "Mia": [["Mia is a baker who lives in Porto.", "D1:1"]],
            "Tom": [["Tom is polite.", ["D1:2"]]],
        },
        "session_2_observation": {"Tom": [["Tom misses his family dearly.", "D2:1, D1:2"]]},
    },
}


def test_observations_are_measured_by_evidence(tmp_path: Path) -> None:
    """Two of three are found, one of these is told; of three facts one rests on what nobody noted."""
    data = write(tmp_path / "locomo.json", [SAMPLE, {"sample_id": "conv-2", "conversation": {}}])
    assert run("observations", data, samples="conv-1")["metrics"] == {
        "obs.recall": 0.6667,
        "obs.precision": 0.6667,
        "obs.told": 0.5,
        "facts": 3,
        "superseded": 0,
        "merged": 0,
    }


def test_data_that_cannot_be_used_is_told(tmp_path: Path, personas: Path) -> None:
    """With its place, and before anything is measured."""
    whole, empty = write(tmp_path / "a" / "whole.json", life()), tmp_path / "b"
    empty.mkdir()
    lacking = write(tmp_path / "c" / "lacking.json", life(things=[{"id": "t1"}]))
    silent = write(tmp_path / "d" / "silent.json", life(messages=[]))
    locomo = write(tmp_path / "e" / "locomo.json", [SAMPLE | {"observation": {"session_1": {"Mia": "?"}}}])
    for name, data, options, complaint in [
        ("lives", tmp_path / "missing.json", {}, "missing.json cannot be read"),
        ("lives", empty, {}, "holds no lives"),
        ("lives", lacking, {}, r"lacking.json: .*`about` - at `\$.things\[0\]`"),
        ("lives", silent, {}, "nothing was said"),
        ("memora", whole, {}, "has no personas"),
        ("memora", personas, {"personas": "baker,nobody"}, "no personas 'nobody'"),
        ("memora", personas, {"personas": "empty"}, "session_0001.json: .*`session_id`"),
        ("observations", whole, {}, "whole.json: Expected `array`"),
        ("observations", locomo, {}, r"\[0\].observation"),
        ("observations", write(tmp_path / "none.json", []), {}, "has no samples"),
    ]:
        with pytest.raises(InputError, match=complaint):
            run(name, data, **options)
    with pytest.raises(InputError, match="takes one --data"):
        run("memora", personas, personas)
