"""Talk is counted by sittings: in how many conversations it was held makes no difference."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from tests.script import (
    BLOCKED,
    CLIMBS,
    FARO,
    GOAL,
    GOAL_DONE,
    HATES,
    LISBON,
    LOVES,
    NUTS,
    PORTO,
    belief,
    open_play,
    say,
)
from tests.workshop import NOON

YEAR = [
    PORTO,
    LOVES,
    NUTS,
    GOAL,
    PORTO,
    CLIMBS,
    BLOCKED,
    LISBON,
    NUTS,
    LOVES,
    GOAL_DONE,
    HATES,
    CLIMBS,
    FARO,
    HATES,
    NUTS,
]
"""Told three weeks apart."""


def test_one_conversation_of_a_year_is_believed_as_many_are(tmp_path: Path) -> None:
    """The same statements, as sure, told as often, and what took whose place."""
    found = []
    for name, conversations in (("one", 1), ("many", len(YEAR))):
        with open_play(tmp_path / f"{name}.db") as shop:
            memory = shop.memory()
            for number, text in enumerate(YEAR):
                at = NOON + number * timedelta(weeks=3)
                say(memory, text, conversation=f"c{number % conversations}", at=at)
            memory.consolidate(at=NOON + timedelta(days=365))
            asked = sorted(
                (row.earlier.statement, row.later.statement, row.state) for row in memory.conflicts(resolved=True)
            )
            found.append(
                (belief(memory), {fact.statement: fact.sessions for fact in memory.facts(status="all")}, asked)
            )
    assert found[0] == found[1]
    assert max(found[0][1].values()) > 2
    assert found[0][2]
