"""``yesteryear import`` of LoCoMo, and how its samples are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.stage import Run, all_messages
from yesteryear.errors import InputError
from yesteryear_lab.bench.locomo import read_samples


def a_sample(name: str = "conv-1", **conversation: Any) -> dict[str, Any]:
    """Return a sample of two sessions, as the data set has them."""
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Noor",
            "speaker_b": "Jens",
            "session_2_date_time": "9:05 am on 12 June, 2023",
            "session_2": [{"speaker": "Noor", "dia_id": "D2:1", "text": "I passed!"}],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Noor", "dia_id": "D1:1", "text": "I start driving lessons tomorrow."},
                {
                    "speaker": "Jens",
                    "dia_id": "D1:2",
                    "text": "Look at my first car!",
                    "img_url": ["x"],
                    "blip_caption": "a photo of a red car",
                },
                {"speaker": "Noor", "dia_id": "D1:3", "text": "", "blip_caption": "a photo of a cone"},
            ],
            **conversation,
        },
        "qa": [
            {
                "question": "What did Noor pass?",
                "answer": "her driving test",
                "evidence": ["D1:1; D2:01"],
                "category": 1,
            },
            {"question": "When?", "answer": 2023, "evidence": ["D:2:1", "D9:9"], "category": 2},
            {"question": "Why Jens?", "adversarial_answer": "because", "evidence": [], "category": 5},
            "no question",
        ],
    }


def write(path: Path, *samples: object) -> Path:
    """Write samples as a file."""
    path.write_text(json.dumps(samples), encoding="utf-8")
    return path


def test_each_sample_is_a_person_and_each_session_a_conversation(run: Run, tmp_path: Path) -> None:
    """Both speakers have the role of a user; a turn is said a minute after the one before, in UTC."""
    file = write(tmp_path / "locomo.json", a_sample(), a_sample("conv-2"))
    done = run("import", file, "--store", "m.db", "--json")
    assert (done.json["format"], done.json["people"]) == ("locomo", ["conv-1", "conv-2"])
    assert done.json["messages"]["new"] == 8
    found = [(m.conversation, m.external_id, m.role, m.author, m.content) for m in all_messages("m.db", "conv-1")]
    assert found == [
        ("conv-1/session_1", "D1:1", "user", "Noor", "I start driving lessons tomorrow."),
        ("conv-1/session_1", "D1:2", "user", "Jens", "Look at my first car! [shares image: a photo of a red car]"),
        ("conv-1/session_1", "D1:3", "user", "Noor", "[shares image: a photo of a cone]"),
        ("conv-1/session_2", "D2:1", "user", "Noor", "I passed!"),
    ]
    assert [m.at.isoformat() for m in all_messages("m.db", "conv-1")][:2] == [
        "2023-05-08T13:56:00+00:00",
        "2023-05-08T13:57:00+00:00",
    ]


def test_all_samples_may_be_given_to_one_person(run: Run, tmp_path: Path) -> None:
    """Their sessions stay apart, although they have the same names and ids."""
    file = write(tmp_path / "locomo.json", a_sample(), a_sample("conv-2"))
    done = run("import", file, "--user", "noor", "--store", "m.db", "--json")
    assert (done.json["people"], done.json["unusable"]) == (["noor"], [])
    assert len(all_messages("m.db", "noor")) == 8


def test_odd_parts_are_told_with_their_place_and_the_rest_is_imported(run: Run, tmp_path: Path) -> None:
    """A session without a time, turns without words or speaker, things that are no samples."""
    odd = a_sample(
        session_3=[{"speaker": "Noor", "dia_id": "D3:1", "text": "when was this?"}],
        session_4_date_time="25:00 pm on 8 May, 2023",
        session_4=[],
        session_5_date_time="1:00 pm on 9 May, 2023",
        session_5=[
            {"speaker": "Noor", "dia_id": "D5:1", "text": ""},
            {"dia_id": "D5:2", "text": "who is this?"},
            {"speaker": "Noor", "text": 5},
            "text",
            {"speaker": "Jens", "text": "a turn without an id"},
        ],
        session_6_date_time="1:00 pm on 10 May, 2023",
        session_6="none",
    )
    file = write(tmp_path / "locomo.json", odd, "text", {"sample_id": "empty"})
    done = run("import", file, "--store", "m.db", "--json", "--verbose")
    assert done.code == 0
    assert [(flaw["where"], flaw["reason"]) for flaw in done.json["unusable"]] == [
        ("conv-1 session_3", "None is no time such as '1:56 pm on 8 May, 2023'"),
        ("conv-1 session_4", "'25:00 pm on 8 May, 2023' is no time such as '1:56 pm on 8 May, 2023'"),
        ("conv-1 session_5 turn 1", "no text"),
        ("conv-1 session_5 turn 2", "no speaker"),
        ("conv-1 session_5 turn 3", "the text is of type int"),
        ("conv-1 session_5 turn 4", "a turn with speaker and text is expected"),
        ("conv-1 session_6", "a list of turns is expected"),
        ("sample 2", "no sample with a conversation"),
        ("sample 3", "no sample with a conversation"),
    ]
    assert len(all_messages("m.db", "conv-1")) == 5
    again = run("import", file, "--store", "m.db", "--json")
    assert again.json["messages"] == {"new": 0, "known": 5, "redacted": 0}


def test_invalid_utf8_costs_its_turn_only(run: Run, tmp_path: Path) -> None:
    """The turn is told by its place."""
    file = tmp_path / "locomo.json"
    file.write_bytes(json.dumps([a_sample()]).encode().replace(b"I passed!", b"I pass\xe9d!"))
    done = run("import", file, "--store", "m.db", "--json")
    assert done.json["unusable"] == [{"where": "conv-1 session_2 D2:1", "reason": "not valid UTF-8"}]
    assert done.json["messages"]["new"] == 3


def test_questions_keep_the_evidence_that_names_a_turn(tmp_path: Path) -> None:
    """Several ids in one string, leading zeros and a second colon are read; what names no turn is dropped."""
    [sample] = read_samples(write(tmp_path / "locomo.json", a_sample()))
    assert [(q.answer, q.evidence, q.category) for q in sample.questions] == [
        ("her driving test", ("D1:1", "D2:1"), 1),
        ("2023", ("D2:1",), 2),
        ("", (), 5),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b'{"a": 1}', "a list of samples"), (b"[{]", "not valid JSON"), (b"[" * 100_000, "not valid JSON")],
)
def test_what_is_no_locomo_file_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    """The message says what is expected."""
    file = tmp_path / "locomo.json"
    file.write_bytes(content)
    with pytest.raises(InputError, match=reason):
        read_samples(file)


def test_a_json_list_of_neither_kind_is_refused_with_advice(run: Run, tmp_path: Path) -> None:
    """A list of plain messages has to be written a message a line."""
    file = write(tmp_path / "list.json", {"role": "user", "content": "hello"})
    done = run("import", file, "--user", "ana", "--store", "m.db")
    assert done.code == 1
    assert "write one message a line" in done.stderr
    assert not Path("m.db").exists()


def test_a_chat_about_locomo_is_still_a_chat(run: Run, tmp_path: Path) -> None:
    """The format is told by keys, not by what people write."""
    mapping = {"a": {"message": None, "parent": None, "children": []}}
    file = write(
        tmp_path / "conversations.json", {"title": 'what is "session_1": in LoCoMo?', "id": "c", "mapping": mapping}
    )
    assert run("import", file, "--user", "ana", "--store", "m.db", "--json").json["format"] == "chatgpt"
