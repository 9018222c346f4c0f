"""Which facts rest on which."""

from __future__ import annotations

from dataclasses import replace

from tests.beliefs import NEW_YEAR, a_fact, living_in
from tests.each import each
from yesteryear.consolidate.belief.cascade import find_dependencies
from yesteryear.core.attributes import attributes
from yesteryear.core.fact import Fact, Modality


def telling(attribute: str, **changes: object) -> Fact:
    """Return a fact with an attribute, which is its id too."""
    return replace(a_fact(attribute), attribute=attribute, **changes)


def edges(*facts: Fact) -> list[tuple[str, str]]:
    """Return which of some facts rest on which."""
    return [(edge.source, edge.target) for edge in find_dependencies(facts[:1], facts, now=NEW_YEAR)]


def test_a_commute_rests_on_the_home() -> None:
    """Whichever was told first."""
    home, commute = telling("home"), telling("commute")
    assert edges(home, commute) == edges(commute, home) == [("commute", "home")]


@each("changes", [{"holder": "mum"}, {"subject": "Ben"}, {"modality": Modality.PAST}])
def test_what_is_of_others_or_over_carries_nothing(changes: dict[str, object]) -> None:
    """Mum's home has no bearing on one's own commute."""
    assert edges(telling("home", **changes), telling("commute")) == []


@each(("attribute", "rests"), [("sport", True), ("studies", True), ("place_liked", False), ("food", False)])
def test_what_is_done_somewhere_rests_on_the_home_it_names(attribute: str, rests: bool) -> None:
    """A gym in Porto does, a love of Porto does not, nor does a gym of nowhere."""
    home = replace(living_in("Porto"), attribute="home")
    gym = telling(attribute, statement="Ana goes to the gym in Porto")
    assert edges(home, gym) == ([(attribute, "Porto")] if rests else [])
    assert edges(home, replace(gym, statement="Ana goes to the gym")) == []
    assert edges(home, replace(gym, holder="Ben")) == []


def test_nothing_rests_on_what_there_is_not() -> None:
    """The table names attributes, and none that rests on itself."""
    for name, known in attributes().items():
        assert set(known.rests_on) <= attributes().keys() - {name}
