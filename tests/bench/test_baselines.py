"""Plain memories to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.cli.importers.locomo import LocomoTurn
from yesteryear_lab.bench.baselines import BM25, NAMES, PlainMemory, load_embedder

AT = datetime(2024, 5, 3, 9, tzinfo=UTC)
LINES = ("Hello there!", "I sold the boat to my cousin.", "Which boat, the sailing boat?", "The goats escaped again.")


def turns(lines: Sequence[str], *, session: str = "session_1") -> list[LocomoTurn]:
    """Return lines as turns of one speaker."""
    return [LocomoTurn(f"{session}:{place}", session, "Ida", text, AT) for place, text in enumerate(lines)]


def count_words(text: str) -> int:
    """Count a word as a token."""
    return len(text.split())


def test_bm25_prefers_rare_words_and_short_texts() -> None:
    """Words are stemmed, and a text without any of them scores nothing."""
    scores = BM25(["the boat", "the boats and the old harbour wall", "the goat", "the the"]).scores("The boat?")
    assert scores[0] > scores[1] > scores[2]
    assert BM25(["goats"]).scores("boat").tolist() == [0]


def test_each_plain_memory_answers_within_the_budget() -> None:
    """Lines carry date and speaker; the ranking is the whole order of turns."""
    memory = PlainMemory(turns(LINES), load_embedder("hashing"), count_words)
    answers = memory.answers("Who bought the boat?", [12, 100])
    assert tuple(answers) == NAMES
    for answer in answers.values():
        assert answer.shown[12].tokens == count_words(answer.shown[12].text) <= 12
        assert answer.shown[100].named == {turn.id for turn in turns(LINES)}
    first = answers["bm25"].shown[100].text.splitlines()[0]
    assert first in {f"[03 May 2024] Ida: {line}" for line in LINES[1:3]}


def test_what_does_not_fit_makes_room_for_what_does() -> None:
    """A line that is too long is left out, and a shorter one further down still comes in."""
    memory = PlainMemory(turns(["boat " * 50, "no, a boat"]), load_embedder("hashing"), count_words)
    assert memory.answers("boat boat boat", [10])["bm25"].shown[10].named == {"session_1:1"}


@given(st.lists(st.integers(1, 3), min_size=1, max_size=8))
def test_neighbours_stay_in_their_session(sessions: list[int]) -> None:
    """A turn that matches lifts the turns beside it, but none of another session."""
    said = [
        LocomoTurn(f"t{place}", f"session_{number}", "Ida", "boat" if place == 0 else "goat", AT)
        for place, number in enumerate(sorted(sessions))
    ]
    memory = PlainMemory(said, load_embedder("hashing"), count_words)
    found = memory.answers("boat", [1000])["sum"].found or []
    order = [turn for names in found for turn in names]
    assert order[0] == "t0"
    beside = [turn.id for turn in said[1:2] if turn.session == said[0].session]
    assert order[1 : 1 + len(beside)] == beside
