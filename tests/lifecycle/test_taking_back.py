"""What people take back is believed no more, whether it was written down before or not, and only theirs is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.lifecycle.test_odd_tellings import hear, live
from tests.workshop import NOON, Workshop, open_workshop

MINUTE, WEEKS = timedelta(minutes=1), timedelta(days=21)


@pytest.fixture
def shop() -> Iterator[Workshop]:
    """Lend a workshop in memory whose analyst is the keyless one."""
    with open_workshop(":memory:", analyst="local") as one:
        yield one


def test_what_is_taken_back_at_once_is_never_a_fact(shop: Workshop) -> None:
    """Though the gate would skip the word that does it."""
    said = ["I live in Oslo.", "I'm a florist.", "only joking about the florist"]
    talk = [{"role": "user", "content": text, "author": "Ana"} for text in said]
    shop.memory().observe(talk, conversation="all", at=NOON)
    shop.memory().flush()
    assert live(shop.memory()) == {"Ana lives in Oslo"}


def test_what_was_written_down_is_denied_at_the_same_sitting(shop: Workshop) -> None:
    """By the words that take it back."""
    hear(shop, "I'm a florist.", NOON)
    hear(shop, "none of that is true", NOON + 6 * MINUTE)
    assert live(shop.memory()) == set()
    (fact,) = shop.memory().facts(status="all", evidence=True)
    assert [told.quote for told in fact.evidence if told.stance == "contradicts"] == ["none of that is true"]


def test_what_is_not_to_be_kept_goes_weeks_later_and_is_asked_about(shop: Workshop) -> None:
    """What stands beside it stays, and of its words is asked whether they are to go, too."""
    hear(shop, "I work at the bakery. I play the cello.", NOON)
    hear(shop, "Delete what I told you about the bakery, please.", NOON + WEEKS)
    assert live(shop.memory()) == {"Ana plays the cello"}
    assert [each.question.split("?")[0] for each in shop.memory().proposals()] == [
        "Shall I forget everything about the bakery"
    ]


def test_nobody_elses_word_takes_anything_back(shop: Workshop) -> None:
    """Nor does one about somebody's safety."""
    hear(shop, "I'm a florist.", NOON)
    hear(shop, "I'm allergic to nuts.", NOON)
    shop.memory().observe("none of that is true", role="user", author="Ben", conversation="all", at=NOON + MINUTE)
    hear(shop, "Strike what I said about nuts.", NOON + WEEKS)
    assert live(shop.memory()) >= {"Ana is allergic to nuts"}
    assert any("florist" in told for told in live(shop.memory()))


def test_a_thing_is_what_was_told_of_late(shop: Workshop) -> None:
    """Later on the cello thing may be a concert that is called off."""
    hear(shop, "I play the cello.", NOON)
    hear(shop, "Forget the cello thing.", NOON + WEEKS)
    assert live(shop.memory()) == {"Ana plays the cello"}
