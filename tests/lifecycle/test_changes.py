"""Following a memory: what is new or has changed since somebody last looked, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.script import GOAL, LISBON, LOVES, open_play, say, statement
from tests.workshop import open_workshop, tell
from yesteryear.errors import InputError, NotFound


def test_who_follows_is_told_what_is_new_once(place: Path | str) -> None:
    """Nothing before they began, everything after, and nothing twice."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, LISBON, id="m-1")
        start = memory.changes()
        assert not start.facts
        assert not start.episodes
        say(memory, GOAL, id="m-2", conversation="another")
        news = memory.changes(start.rev)
        assert [fact.statement for fact in news.facts] == [statement(GOAL)]
        assert news.facts == tuple(fact for fact in memory.facts() if fact.statement == statement(GOAL))
        assert news.episodes
        assert memory.changes(news.rev) == memory.changes()


def test_who_follows_a_project_is_told_what_it_sees(place: Path | str) -> None:
    """Goals of another project stay out, the person's own facts do not."""
    with open_play(place) as shop:
        start = shop.memory(project="boat").changes()
        say(shop.memory(project="thesis"), GOAL, id="m-1")
        say(shop.memory(project="thesis"), LISBON, id="m-2", conversation="another")
        told = shop.memory(project="boat").changes(start.rev)
        assert [fact.statement for fact in told.facts] == [statement(LISBON)]
        assert not told.episodes
        assert len(shop.memory(project="thesis").changes(start.rev).facts) == 2


def test_what_is_forgotten_and_who_is_erased_is_no_news(place: Path | str) -> None:
    """Counting begins anew after an erasure; who followed before is told what came since."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, LISBON, id="m-1")
        start = memory.changes()
        memory.forget(memory.facts()[0].id)
        assert not memory.changes(start.rev).facts
        for number in range(5):
            say(memory, LOVES, id=f"n-{number}", conversation=f"day {number}")
        far = memory.changes()
        memory.erase()
        say(memory, LISBON, id="m-1")
        assert [fact.statement for fact in memory.changes(far.rev).facts] == [statement(LISBON)]


@pytest.mark.parametrize("since", [-1, True, "7", 2**63])
def test_only_a_number_of_ours_is_gone_on_from(place: Path | str, since: object) -> None:
    """Anything else is refused, whatever the store could make of it."""
    with open_play(place) as shop, pytest.raises(InputError, match="since"):
        shop.memory().changes(since)  # type: ignore[arg-type]


def test_pages_of_facts_tell_each_once_while_others_come(place: Path | str) -> None:
    """At one instant the order stays; what is told between two pages moves nothing that was there."""
    with open_play(place) as shop:
        memory, at = shop.memory(), shop.clock.now()
        for number, text in enumerate((LISBON, GOAL, LOVES)):
            say(memory, text, id=f"m-{number}", conversation=f"day {number}")
        whole = [fact.id for fact in memory.facts(at=at)]
        pages = [memory.facts(at=at, limit=1)]
        memory.correct(whole[-1], "Ana loves the sea")
        while pages[-1]:
            pages.append(memory.facts(status="all", at=at, after=pages[-1][-1].id, limit=1))
        told = [fact.id for page in pages for fact in page]
        assert len(told) == len(set(told))
        assert [name for name in told if name in whole] == whole
        assert [fact.id for fact in memory.facts(ids=whole[:2])] == whole[:2]
        memory.forget(whole[0])
        with pytest.raises(NotFound, match="begin again"):
            memory.facts(after=whole[0])


def test_episodes_are_news_when_they_are_written(place: Path | str) -> None:
    """In the order in which they changed."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        tell(memory, 4)
        start = memory.changes()
        shop.work()
        (episode,) = memory.changes(start.rev).episodes
        assert episode == memory.episodes()[0]
