"""Looking things up by their ids, and facts with what speaks for them."""

from __future__ import annotations

from pathlib import Path

from tests.script import GOAL, LOVES, RUNS, open_play, say


def test_rows_are_looked_up_by_their_ids(place: Path | str) -> None:
    """Unknown and foreign ones are left out; a message is found by the caller's id too."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, RUNS, LOVES, id=None)
        say(memory, GOAL, id="own", conversation="desk")
        facts, episodes, messages = memory.facts(), memory.episodes(), memory.messages()
        assert [row.id for row in memory.facts(ids=[facts[1].id, "unknown"])] == [facts[1].id]
        assert [row.id for row in memory.episodes(ids=[episodes[1].id, episodes[0].id, "unknown"])] == [
            *(episodes[1].id, episodes[0].id)
        ]
        assert {row.content for row in memory.messages(ids=["own", messages[0].id, "unknown"])} == {GOAL, RUNS}
        foreign = shop.memory("ben")
        everything = [row.id for row in (*facts, *episodes, *messages)]
        assert (foreign.facts(ids=everything), foreign.episodes(ids=everything)) == ([], [])
        assert foreign.messages(ids=everything) == []


def test_facts_come_with_their_evidence_where_wanted(place: Path | str) -> None:
    """With what was said, where, and in which episode; without it they are lighter."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, RUNS, id="m-1")
        (bare,), (full,) = memory.facts(), memory.facts(evidence=True)
        assert bare.evidence == ()
        assert full.episodes == tuple(episode.id for episode in memory.episodes())
        (row,) = full.evidence
        assert row.quote in RUNS
        assert row.message_id == memory.messages(ids=["m-1"])[0].id
