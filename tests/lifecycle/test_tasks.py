"""What somebody plainly tells to have to do, or to be set for a day: kept until they tell that it is off."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

import yesteryear
from tests.workshop import NOON, open_workshop

DAY = timedelta(days=1)


def say(memory: yesteryear.Memory, *texts: str) -> None:
    """Say each text in a conversation of its own, one a day, and work through it."""
    for number, text in enumerate(texts):
        memory.observe(text, conversation=f"day {number}", author="Robin", at=NOON + number * DAY)
        memory.flush()


def known(memory: yesteryear.Memory, word: str) -> list[str]:
    """Return what is to be done or set for a day and names something."""
    return [fact.statement for fact in memory.facts() if fact.loop == "open" and word in fact.statement]


@pytest.mark.parametrize(
    "over",
    [
        "I scheduled my health checkup.",
        "I'm no longer tracking 'Schedule health checkup' on my to-do list.",
        "Please remove 'Schedule my annual health checkup' from my tasks. I've already done that.",
        "I've decided not to schedule the health checkup.",
    ],
)
def test_what_is_to_be_done_stands_until_it_is_over_and_when_told_again(tmp_path: Path, over: str) -> None:
    """Done, dropped or off a list, by its name, without a question; told again it stands, until the same word again."""
    again = "Well, I need to schedule my health checkup soon."
    with open_workshop(tmp_path / "memory.db", nights=False) as shop:
        memory = shop.memory()
        say(memory, "Speaking of which, I need to schedule my annual health checkup.")
        assert known(memory, "checkup")
        say(memory, "Nice weather.", over)
        assert not known(memory, "checkup")
        assert not memory.conflicts()
        say(memory, "Nice weather.", "Nice weather.", "Nice weather.", again)
        assert known(memory, "checkup")
        say(memory, *["Nice weather."] * 5, over)
        assert not known(memory, "checkup")


def test_an_appointment_is_moved_and_called_off(tmp_path: Path) -> None:
    """The new day takes the place of the old one."""
    with open_workshop(tmp_path / "memory.db", nights=False) as shop:
        memory = shop.memory()
        say(memory, "I have a book club meeting on December 20th.", "The book club meeting got moved to December 28th.")
        assert known(memory, "20th") == []
        assert len(known(memory, "28th")) == 1
        say(memory, "Nice weather.", "Nice weather.", "I can't make it to the book club meeting.")
        assert not known(memory, "28th")
        assert not memory.conflicts()
