"""``--explain``: why a memory was found, why it stands in a context, and what it kept out."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.cli.stage import Run, invoke, write_talk

SIGNAL = re.compile(r" +(\w+) +([+-]\d+\.\d\d)(?:  (\++|-+))?$")


@pytest.fixture(scope="module")
def told_at_length(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of ``long_talk``, made once."""
    folder = tmp_path_factory.mktemp("long")
    place = folder / "long.db"
    said = [
        (("user", "assistant")[n % 2], f"Walnuts, note {n}: {'very ' * (n % 7)}good in cake {n}") for n in range(40)
    ]
    file, settings = write_talk(folder / "long.jsonl", said), {"YESTERYEAR_EMBEDDER": "hashing"}
    assert invoke("import", file, "--user", "ana", "--store", place, env=settings).code == 0
    return place


@pytest.fixture
def long_talk(told_at_length: Path, tmp_path: Path) -> Path:
    """A store in which more bears on walnuts than fits into small budgets."""
    shutil.copy(told_at_length, tmp_path / "long.db")
    return Path("long.db")


def signals_of(block: str) -> dict[str, float]:
    """Return the signals that are shown in a block, in their order."""
    return {found[1]: float(found[2]) for line in block.splitlines() if (found := SIGNAL.fullmatch(line))}


def explained(run: Run, store: Path, *args: str) -> dict[str, Any]:
    """Return a context with its explanation, as machines read it."""
    found: dict[str, Any] = run("context", *args, "--explain", "--store", store, "--json").json
    return found


def test_a_hit_is_explained_signal_by_signal(run: Run, store: Path) -> None:
    """Named and signed, the largest first, as many as the score is the sum of; then the messages behind it."""
    args = ("recall", "walnuts or Porto?", "--limit", "3", "--at", "2026-03-05T09:00:00+00:00", "--store", store)
    hits = run(*args, "--json").json["hits"]
    _, *blocks = run(*args, "--explain").stdout.split("\n\n")
    assert len(blocks) == len(hits) == 3
    for number, (block, hit) in enumerate(zip(blocks, hits, strict=True), start=1):
        source = "fact" if hit["grain"] == "fact" else hit["author"]
        assert block.startswith(f"{number}. score {hit['score']:.2f}  {source}, {hit['at'][:10]}\n")
        assert hit["text"] in " ".join(block.split())
        shown = signals_of(block)
        assert shown == {name: pytest.approx(value, abs=0.0051) for name, value in hit["signals"].items()}
        assert sum(hit["signals"].values()) == pytest.approx(hit["score"], abs=1e-4)
        sizes = [abs(hit["signals"][name]) for name in shown]
        assert sizes == sorted(sizes, reverse=True)
        place = f" in {hit['conversation']}" if hit["conversation"] else ""
        assert f"messages       {hit['messages'][0]}{place}" in block


def test_bars_tell_sign_and_size_without_colour(run: Run, store: Path) -> None:
    """The longest bar of all belongs to the largest contribution; what takes away has minuses."""
    shown = run("recall", "what does my sister do in Porto?", "--explain", "--store", store).stdout
    found = [SIGNAL.fullmatch(line) for line in shown.splitlines()]
    bars = [(float(row[2]), row[3] or "") for row in found if row]
    assert {bar[0] for value, bar in bars if bar and value < 0} == {"-"}
    assert {bar[0] for value, bar in bars if bar and value > 0} == {"+"}
    by_size = sorted(bars, key=lambda bar: abs(bar[0]))
    assert len(by_size[-1][1]) == max(len(bar) for _, bar in bars) > 30


def test_what_was_read_from_the_question_comes_first(run: Run, store: Path) -> None:
    """Names taken out, people, days as dates, whose words are preferred."""
    asked = ("recall", "What did Ana say about walnuts yesterday?", "--at", "2026-03-04T09:00:00+00:00")
    first = run(*asked, "--explain", "--store", store).stdout.split("\n\n", 1)[0]
    fields = dict(re.findall(r"^   (\S+(?: \S+)*)  +(.+)$", first, re.MULTILINE))
    assert fields["searched for"] == "What did say about walnuts yesterday?"
    assert fields["people"] == "Ana"
    assert fields["days"] == "yesterday = 2026-03-03"
    assert fields["preferred"] == "the user's words"
    assert "without the names of those who speak here" in first
    reading = run(*asked, "--store", store, "--json").json["reading"]
    assert reading["text"] == fields["searched for"]
    assert reading["people"] == ["Ana"]
    [period] = reading["periods"]
    assert (period["said"], period["start"][:10], period["end"][:10]) == ("yesterday", "2026-03-03", "2026-03-04")


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("what was said last week?", "last week = 2026-03-02 to 2026-03-08"),
        ("what was said since March 2026?", "since March 2026 = since 2026-03-01"),
        ("what was said before 2026?", "before 2026 = before 2026-01-01"),
        ("what was said this morning?", "this morning = 2026-03-12 05:00 to 2026-03-12 12:00"),
        ("what was said?", "none named"),
    ],
)
def test_days_are_said_as_dates(run: Run, store: Path, question: str, days: str) -> None:
    """The last day of a stretch is the last that belongs to it; an open end is said to be open."""
    shown = run("recall", question, "--at", "2026-03-12T09:00:00+00:00", "--explain", "--store", store).stdout
    assert f"   days           {days}\n" in shown


def test_days_are_those_of_the_persons_zone(run: Run) -> None:
    """Midnight in Auckland is noon of the day before in UTC."""
    run("observe", "hello", "--user", "ana", "--zone", "Pacific/Auckland", "--store", "m.db")
    shown = run("recall", "hello today?", "--at", "2026-03-11T20:00:00+00:00", "--explain", "--store", "m.db").stdout
    assert "days           today = 2026-03-12\n" in shown


@pytest.mark.parametrize(
    ("speaker", "first", "preferred"),
    [
        ("user", "Ana", "the user's words"),
        ("assistant", "Assistant", "the assistant's words"),
        ("anybody", None, "nobody's words"),
    ],
)
def test_either_sides_words_can_come_first(
    run: Run, store: Path, speaker: str, first: str | None, preferred: str
) -> None:
    """Or nobody's; then no signal speaks for a side."""
    args = ("recall", "walnuts", "--limit", "2", "--speaker", speaker, "--store", store)
    assert f"   preferred      {preferred}\n" in run(*args, "--explain").stdout
    found = run(*args, "--json").json
    assert found["reading"]["speaker"] == (None if first is None else speaker)
    assert (found["hits"][0]["author"] == first) == (first is not None and "speaker" in found["hits"][0]["signals"])


def test_a_question_for_the_other_side_prefers_nobody(run: Run, store: Path) -> None:
    """Neither does a memory in which nobody talks with an assistant."""
    asked = run("recall", "what did you suggest about the huts?", "--store", store, "--json").json
    assert asked["reading"]["speaker"] is None
    run("observe", "hello there", "--user", "ben", "--store", "alone.db")
    assert run("recall", "hello", "--store", "alone.db", "--json").json["reading"]["speaker"] is None


def test_a_recall_as_json_holds_it_all_without_being_asked(run: Run, store: Path) -> None:
    """Scripts need no further option."""
    args = ("recall", "walnuts", "--at", "2026-03-05T09:00:00+00:00", "--store", store, "--json")
    assert run(*args).json == run(*args, "--explain").json


def test_nothing_found_is_explained_too(run: Run, store: Path) -> None:
    """How the question was read may be why."""
    done = run("recall", "walnuts", "--since", "2030-01-01T00:00:00+00:00", "--explain", "--store", store)
    assert "searched for   walnuts" in done.stdout
    assert "nothing that is remembered bears on this" in done.stderr


def test_a_context_is_explained_memory_by_memory(run: Run, long_talk: Path) -> None:
    """Lane, tokens, score, signals and messages of each; then what was left out and why; then the budget."""
    args = ("context", "walnuts?", "--budget", "150", "--store", long_talk)
    found = run(*args, "--json").json
    shown = run(*args, "--explain").stdout
    for number, item in enumerate(found["items"], start=1):
        block = next(block for block in shown.split("\n\n") if block.startswith(f"{number}. "))
        score = f", score {item['score']:.2f}" if item["signals"] else ""
        assert block.startswith(f"{number}. {item['lane']}  {item['tokens']} tokens{score}\n")
        assert set(signals_of(block)) == set(item["signals"])
        assert all(name in block for name in item["messages"])
    left_out = shown.split("What was left out\n")[1].split("\n\n")[0].splitlines()[1:]
    assert len(left_out) == len(found["dropped"])
    for row, dropped in zip(left_out, found["dropped"], strict=True):
        lane, _, tokens = row.split()[:3]
        assert (lane, tokens) == (dropped["lane"], "-" if dropped["tokens"] is None else str(dropped["tokens"]))
        assert dropped["reason"] in row
    assert shown.endswith(f": {found['tokens']} of 150 tokens\n")


def test_what_a_memory_kept_out_would_have_had_room(run: Run, long_talk: Path) -> None:
    """It is named in the terminal and, by number, in JSON; the lanes and the frame add up to the whole."""
    args = ("walnuts?", "--budget", "150")
    found = explained(run, long_talk, *args)
    assert found["displaced"]
    left = found["budget"] - found["tokens"]
    shown = run("context", *args, "--explain", "--store", long_talk).stdout
    for number, place in found["displaced"].items():
        item, dropped = found["items"][int(number)], found["dropped"][place]
        assert dropped["reason"] == "no room"
        assert dropped["tokens"] <= item["tokens"] + left
        assert dropped["text"][:40] in shown.split("What was left out")[0]
    assert sum(found["spent"].values()) == found["tokens"]
    assert list(found["spent"])[-1] == "frame"


def test_a_context_without_explanation_has_the_same_fields_but_for_these(run: Run, long_talk: Path) -> None:
    """The document of a plain context stays what ``to_dict`` returns."""
    args = ("context", "walnuts?", "--at", "2026-03-05T09:00:00+00:00", "--store", long_talk, "--json")
    plain, more = run(*args).json, run(*args, "--explain").json
    assert {name: value for name, value in more.items() if name in plain} == plain
    assert set(more) - set(plain) == {"displaced", "spent"}


def test_the_sessions_last_messages_are_counted_apart(run: Run, store: Path) -> None:
    """They have a budget of their own."""
    shown = run("context", "and the huts?", "--conversation", "day-2", "--explain", "--store", store).stdout
    assert re.search(
        r"^4 messages of this session stand beside it: \d+ tokens of a budget of their own$", shown, re.MULTILINE
    )


def test_a_context_can_be_written_in_three_ways(run: Run, store: Path) -> None:
    """Each is what it says, and holds the same memory."""
    texts = {
        layout: run("context", "walnuts?", "--layout", layout, "--store", store).stdout
        for layout in ("text", "xml", "json")
    }
    assert texts["text"].startswith("=== MEMORY CONTEXT ===")
    assert ET.fromstring(texts["xml"]).tag == "memory_context"  # noqa: S314 - written by ourselves
    assert list(json.loads(texts["json"])) == ["memory_context"]
    assert all("allergic to walnuts" in text for text in texts.values())


def test_what_was_left_out_is_shown_as_it_would_have_been(run: Run, long_talk: Path) -> None:
    """In the layout that was asked for, each whole in itself."""
    found = explained(run, long_talk, "walnuts?", "--budget", "150", "--layout", "json")
    texts = [json.loads(dropped["text"]) for dropped in found["dropped"] if dropped["lane"] == "relevant"]
    assert {row["by"] for row in texts} <= {"Ana", "Assistant"}
    assert texts
