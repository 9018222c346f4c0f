"""What people plainly say of their own life: kept, a fact, and still there a year later."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from tests.workshop import open_workshop
from yesteryear_lab import LABELLED

ROWS = [json.loads(line) for line in (LABELLED / "plain.jsonl").read_text(encoding="utf-8").splitlines()]


def test_plain_sentences_become_facts_and_none_is_erased_within_a_year(tmp_path: Path) -> None:
    """Each said in a conversation of its own, with nothing around it; the worker comes by every month."""
    said = {row["id"]: row["text"] for row in ROWS if row.get("keep", True)}
    beside = {row["id"]: row["text"] for row in ROWS if not row.get("keep", True)}
    with open_workshop(tmp_path / "memory.db", nights=False) as shop:
        memory = shop.memory()
        for name, text in {**said, **beside}.items():
            memory.observe(text, conversation=name, id=name)
        memory.flush()
        kept = {row.name for row in memory.messages(outcome="keep", limit=1000)}
        assert said.keys() - kept == set()
        rested_on = {name for fact in memory.facts(status="all", limit=1000) for name in fact.messages}
        assert len(said.keys() - rested_on) <= len(said) // 20
        for _ in range(12):
            shop.clock.advance(timedelta(days=30.5))
            shop.work()
        skipped = [row for row in memory.messages(outcome="skip", limit=1000) if not row.content]
        assert skipped == [], "what was sorted out was erased"
        assert {name for name in said if not memory.recall(said[name], archived=True).hits} == set()
