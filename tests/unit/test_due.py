"""Work that waits on a row, whatever the row is."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.belief_rows import a_fact
from tests.rows import TALK, an_episode
from yesteryear.core.message import Conversation
from yesteryear.core.rows.due_work import DueRow, after_failure, due_at, due_from, waits_after_failure
from yesteryear.testing.builders import NOON, a_message

SOON = NOON + timedelta(seconds=2)


@pytest.mark.parametrize(
    "row", [Conversation(TALK), an_episode(), a_message(), a_fact()], ids=lambda row: type(row).__name__
)
def test_every_row_waits_in_the_same_way(row: DueRow) -> None:
    """It fails, waits, fails for good, and is made due again; nothing else of it changes."""
    fresh = due_from(row, NOON)
    assert (due_at(fresh), fresh.attempts, fresh.error, waits_after_failure(fresh, NOON)) == (NOON, 0, None, False)
    failed = after_failure(fresh, ValueError("it failed"), SOON)
    assert (due_at(failed), failed.attempts, failed.error) == (SOON, 1, "it failed")
    assert (waits_after_failure(failed, NOON), waits_after_failure(failed, SOON)) == (True, False)
    given_up = after_failure(failed, ValueError("again"), None)
    assert (due_at(given_up), given_up.attempts, waits_after_failure(given_up, NOON)) == (None, 2, False)
    assert due_from(given_up, None) == due_from(row, None)
