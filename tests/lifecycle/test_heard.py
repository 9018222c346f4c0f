"""A question that was skipped is told with its answer, and the answer goes with the question."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import yesteryear

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where does your brother live?", "Lisbon"),
        ("Do you still need to call the bank?", "no"),
    ],
)
def test_forgetting_a_skipped_question_takes_along_what_was_told_with_it(
    question: str, answer: str, tmp_path: Path
) -> None:
    """Though the fact rests on the answer, which stays."""
    clock = yesteryear.ReplayClock(NINE)
    with yesteryear.open(tmp_path / "m.db", worker="none", clock=clock, embedder="hashing") as engine:
        memory = engine.memory(user="ana")
        memory.observe("hello there", author="Ana", id="greets")
        memory.observe(question, role="assistant", id="asks")
        memory.observe(answer, author="Ana", id="answers")
        memory.flush()
        said = {message.external_id: message for message in memory.messages(conversation="default")}
        assert str(said["asks"].verdict.outcome) == "skip"
        assert any(question in fact.statement for fact in memory.facts())

        memory.forget(said["asks"].id)
        memory.flush()

        assert not any(question in fact.statement for fact in memory.facts(status="all"))
        assert answer in {message.content for message in memory.messages(conversation="default")}


def test_nothing_is_heard_where_no_words_are_kept(tmp_path: Path) -> None:
    """Nobody could forget the question by its words."""
    clock = yesteryear.ReplayClock(NINE)
    path = tmp_path / "m.db"
    with yesteryear.open(path, worker="none", clock=clock, embedder="hashing", keep_verbatim=False) as engine:
        memory = engine.memory(user="ana")
        memory.observe("hello there", author="Ana")
        memory.observe("Where does your brother live?", role="assistant")
        memory.observe("Lisbon", author="Ana")
        memory.flush()
        assert not any("brother" in fact.statement for fact in memory.facts(status="all"))
