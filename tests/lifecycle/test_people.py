"""People of one's own hold facts: one value at a time whatever they are called, and who is meant can be put right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from itertools import permutations
from pathlib import Path

import pytest

import yesteryear
from tests.analysts import ScriptedAnalyst, a_draft
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.core.attributes import Cardinality
from yesteryear.core.fact import Slot
from yesteryear.core.ruling import ClaimPair, Judgement
from yesteryear.errors import InputError, NotFound
from yesteryear.providers.local.verdicts import judge_pair

pytestmark = pytest.mark.sampled

LEEDS, YORK, TIED = "My partner lives in Leeds", "Priya lives in York", "My partner Priya and I are going to move"
BOSS, SISTER = "My boss Anna lives in Ulm", "My sister Anna lives in Bonn"


def home(holder: str, place: str, statement: str) -> list[yesteryear.results.FactDraft]:
    """Return where somebody of Ana's lives."""
    slot = Slot(f"home of {holder}", place, Cardinality.SINGLE)
    return [a_draft(statement, slot=slot, attribute="home", holder=holder)]


STATES = {
    LEEDS: home("partner", "Leeds", "Ana's partner lives in Leeds"),
    YORK: home("Priya", "York", "Priya lives in York"),
    TIED: [a_draft("Ana and their partner Priya are going to move", attribute="move")],
    BOSS: home("Anna", "Ulm", "Ana's boss Anna lives in Ulm"),
    SISTER: home("Anna", "Bonn", "Ana's sister Anna lives in Bonn"),
}


class SlotAnalyst(ScriptedAnalyst):
    """Knows what is stated, and judges pairs by their words and slots."""

    def judge(self, pairs: Sequence[ClaimPair], *, yield_to_foreground: Callable[[], None]) -> list[Judgement]:
        """Return what rules tell."""
        yield_to_foreground()
        return [judge_pair(pair, None) for pair in pairs]


@pytest.fixture
def shop(place: Path | str) -> Iterator[Workshop]:
    """Lend a workshop whose analyst knows what Ana says of her people."""
    with open_workshop(place, start=NOON + timedelta(days=9), analyst=SlotAnalyst(STATES)) as one:
        yield one


def say(shop: Workshop, *texts: str) -> yesteryear.Memory:
    """Say each text on a day of its own, whichever it is of all, and work through it."""
    memory = shop.memory()
    for text in texts:
        at = NOON + timedelta(days=list(STATES).index(text))
        memory.observe(text, author="Ana", conversation=text, at=at)
        memory.flush()
    return memory


def homes(memory: yesteryear.Memory, holder: str | None = None) -> list[str]:
    """Return where whoever is called so is known to live now."""
    return sorted(fact.slot.value for fact in memory.facts(attribute="home", holder=holder) if fact.slot)


def listed(memory: yesteryear.Memory) -> dict[str, int]:
    """Return who is known, with how many facts."""
    return {one.name: one.facts for one in memory.people()}


def test_a_slot_has_one_value_whatever_its_holder_is_called(shop: Workshop) -> None:
    """Once it was told who the partner is, she has one home; asking by either name finds it."""
    memory = say(shop, LEEDS, YORK)
    assert (homes(memory, "my partner"), homes(memory, "Priya")) == (["Leeds"], ["York"])
    say(shop, TIED)
    assert homes(memory, "partner") == homes(memory, "Priya") == ["York"]
    assert [fact.statement for fact in memory.facts(holder="Priya", status="superseded")] == [
        "Ana's partner lives in Leeds"
    ]
    assert listed(memory) == {"Priya": 1}


@pytest.mark.parametrize("order", list(permutations((LEEDS, YORK, TIED))))
def test_the_order_of_talk_does_not_matter(tmp_path: Path, order: tuple[str, ...]) -> None:
    """Whichever becomes known first."""
    with open_workshop(tmp_path / "memory.db", start=NOON + timedelta(days=9), analyst=SlotAnalyst(STATES)) as shop:
        memory = say(shop, *order)
        assert (homes(memory, "Priya"), listed(memory)) == (["York"], {"Priya": 1})


def test_two_of_one_name_have_a_home_each(shop: Workshop) -> None:
    """The sister's home does not end the boss's."""
    memory = say(shop, BOSS, SISTER)
    assert homes(memory) == ["Bonn", "Ulm"]
    assert (homes(memory, "boss Anna"), homes(memory, "my sister")) == (["Ulm"], ["Bonn"])
    assert listed(memory) == {"boss Anna": 1, "sister Anna": 1}


def test_a_person_says_who_is_one_and_takes_it_back(shop: Workshop) -> None:
    """Belief follows at once where rulings fall, and when the worker came by where pairs are compared."""
    memory = say(shop, LEEDS, YORK)
    [priya] = memory.same("my partner", "Priya")
    assert (priya.name, priya.called, priya.facts) == ("Priya", ("Priya", "partner"), 2)
    memory.flush()
    assert homes(memory, "Priya") == ["York"]
    assert [one.name for one in memory.not_same("Priya", "girlfriend")] == ["Priya", "partner"]
    assert homes(memory) == ["Leeds", "York"]
    memory.same("Priya", "my partner")
    memory.flush()
    assert homes(memory) == ["York"]
    memory.consolidate()
    assert homes(memory) == ["York"]


def test_a_link_that_was_told_is_parted_and_a_night_does_not_join_it(shop: Workshop) -> None:
    """Once that is forgotten a night finds again what was told."""
    memory = say(shop, LEEDS, YORK, TIED)
    memory.not_same("partner", "Priya")
    assert homes(memory) == ["Leeds", "York"]
    memory.flush()
    memory.consolidate()
    assert homes(memory) == ["Leeds", "York"]
    [link] = [fact for fact in memory.facts() if fact.statement == "Priya and Ana's partner are not the same."]
    assert memory.why(link.id).fact is not None
    memory.forget(link.id)
    memory.consolidate()
    assert homes(memory) == ["York"]


def test_a_link_that_is_forgotten_joins_nothing(shop: Workshop) -> None:
    """Nothing is left of what followed from it."""
    memory = say(shop, LEEDS, YORK, TIED)
    [told] = [fact.id for fact in memory.facts() if fact.attribute == "move"]
    memory.forget(told)
    memory.flush()
    assert homes(memory) == ["Leeds", "York"]
    assert listed(memory) == {"Priya": 1, "partner": 1}


def test_saying_it_twice_and_of_oneself_is_harmless(shop: Workshop) -> None:
    """One fact tells it; a name is itself."""
    memory = say(shop, LEEDS, YORK, TIED, BOSS)
    before = len(memory.facts(status="all"))
    memory.same("Priya", "priya")
    for one, other in (("partner", "Priya"), ("Priya", "my partner"), ("Priya", "Anna"), ("Anna", "my partner")):
        memory.same(one, other)
        memory.flush()
    assert len(memory.facts(status="all")) == before + 3
    assert len(memory.people()) == 1


def test_who_is_unknown_or_not_clear_is_refused(shop: Workshop) -> None:
    """With what to do about it."""
    memory = say(shop, YORK, BOSS, SISTER)
    with pytest.raises(NotFound, match=r"nobody here is called 'Zoe'; people\(\) lists who is known"):
        memory.same("Zoe", "Priya")
    with pytest.raises(InputError, match="'Anna' may be boss Anna or sister Anna; say which"):
        memory.same("Priya", "Anna")
    with pytest.raises(InputError, match="are one name"):
        memory.not_same("mum", "my mother")
    with pytest.raises(InputError, match="one must have"):
        memory.same("", "Priya")
    assert [one.name for one in memory.not_same("Anna", "boss Anna")] == ["boss Anna", "sister Anna"]


def test_an_export_takes_it_along(shop: Workshop, tmp_path: Path) -> None:
    """What was said by hand, and what it was compared with."""
    memory = say(shop, LEEDS, YORK)
    memory.same("my partner", "Priya")
    memory.flush()
    memory.export(tmp_path / "taken.zip")
    with open_workshop(tmp_path / "other.db", start=NOON + timedelta(days=9), analyst=SlotAnalyst(STATES)) as other:
        taken = other.memory()
        taken.import_(tmp_path / "taken.zip")
        assert (
            (homes(taken, "Priya"), listed(taken))
            == (homes(memory, "Priya"), listed(memory))
            == (["York"], {"Priya": 1})
        )


def test_who_is_forgotten_goes_and_others_stay(shop: Workshop) -> None:
    """What was told of the partner too; a namesake is somebody else."""
    memory = say(shop, LEEDS, YORK, TIED, BOSS, SISTER)
    ids = memory.forget(about="Priya").ids
    assert {fact.id for fact in memory.facts(holder="Priya", status="all")} <= set(ids)
    memory.forget(*ids)
    memory.flush()
    assert listed(memory) == {"boss Anna": 1, "sister Anna": 1}
    own = {fact.id for fact in memory.facts(holder="sister Anna")}
    chosen = set(memory.forget(about="my sister Anna").ids)
    assert own <= chosen
    assert chosen.isdisjoint(fact.id for fact in memory.facts(holder="boss Anna"))
    memory.forget(*own)
    memory.flush()
    assert homes(memory) == ["Ulm"]
    memory.erase()
    assert memory.people() == []
