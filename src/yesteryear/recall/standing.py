"""Which facts stand in a context whatever is asked: what may harm, how to address somebody, who they are, what is near.

What concerns safety is chosen by its words, all else by attribute, so many of each sort at most, from facts as they
stood at the last night: until the next one, or an explicit word, the choice stays the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from yesteryear.core.attributes import FactKind, attributes
from yesteryear.core.fact import (
    ASKED_TO_REMEMBER,
    DISPUTED_BY,
    IN_PLACE_OF,
    TELLS_ALONG,
    Fact,
    Form,
    LoopState,
    Modality,
    Slot,
    said_words,
    words_of,
)
from yesteryear.core.fading.confidence import ConfidencePolicy, confidence_now
from yesteryear.core.language.corrections import find_next_correction
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.told.called import find_links, is_own_name
from yesteryear.core.language.told.manners import is_on_manner
from yesteryear.core.language.told.safety_and_identity import Bearing, bears_by_attribute, puts_right, read_bearing
from yesteryear.core.time import earlier, later

SAFETY, HEALTH, ADDRESS, PINNED, ASKED = "safety", "health", "address", "pinned", "asked"
PEOPLE, WHO, NEAR = "people", "who", "near"
"""Why a fact stands whatever is asked: a mistake about it harms at once; it may harm; how to speak with them; somebody
pinned it; the person asked that it be remembered; who is close to them; who they are; it is due soon."""
LANES_OF: Mapping[str, str] = MappingProxyType({SAFETY: "safety", HEALTH: "safety", NEAR: "soon"})
"""Where such facts stand; all others in the profile."""
_FEWEST_WORDS = 3  # words of what somebody said, below which it tells nobody anything without what was said before
_OF_KIND: Mapping[FactKind, str] = MappingProxyType({FactKind.IDENTITY: WHO, FactKind.RELATIONSHIP: PEOPLE})
"""Why facts that have no attribute stand, once they are well known."""


@dataclass(frozen=True, slots=True)
class StandingPolicy:
    """What stands in a context whatever is asked."""

    share: float = 0.15  # part of the budget, in [0, 1], that it may take; what concerns safety comes first
    least: int = 60  # tokens, at least 0, that it may take of a small budget, though no more than half of it
    most: tuple[tuple[str, int], ...] = (
        *((SAFETY, 8), (ADDRESS, 8), (WHO, 6), (PEOPLE, 6), (NEAR, 4), (PINNED, 12), (ASKED, 4), (HEALTH, 4)),
    )
    """Most facts of each sort, in the order in which they are served."""
    near_days: float = 7.0  # days from the last night, at least 0, in which what is due is near; and one day after

    def room(self, budget: int) -> int:
        """Return how many tokens of a budget it may take."""
        return max(int(self.share * budget), min(self.least, budget // 2))


class StandingFact(NamedTuple):
    """A fact that stands whatever is asked."""

    fact: Fact
    why: str

    @property
    def lane(self) -> str:
        """Where it stands."""
        return LANES_OF.get(self.why, "profile")


class DayChange(NamedTuple):
    """A fact that came or changed by day, since the last night, and not by hand."""

    before: Fact | None  # as it stood at night, or was left by hand since; None where it was not known yet
    after: Fact  # as it is


def why_standing(fact: Fact) -> str:
    """Return why a fact may stand whatever is asked, if it holds; empty where it may not.

    Somebody's own, but for what concerns anybody's safety: that counts where its words say it, it is well known, or it
    was read as what stands for safety. What else was said in passing counts only once it is well known.
    """
    known = attributes().get(fact.attribute)
    bearing = _bearing(fact)
    stands = known.stands if known is not None else ""
    if (bearing.harms_at_once or stands == SAFETY) and (not bearing.denies or DISPUTED_BY in fact.properties):
        return SAFETY
    if (bearing.is_safety and not bearing.denies) or (fact.is_safety and fact.is_well_known):
        return HEALTH
    if fact.pinned:
        return PINNED
    if stands == ADDRESS and not is_on_address(fact):
        return PEOPLE if fact.attribute == "name" and find_links(fact.statement, fact.subject) else ""
    if known is not None and stands not in {"", SAFETY} and not fact.holder:
        is_wish = known.kind is FactKind.PREFERENCE  # "call me Jo", "no bullet points": said once is enough
        if is_wish or fact.form is Form.PLAIN or fact.is_well_known:
            return stands
    if not fact.attribute and fact.is_well_known and fact.kind in _OF_KIND:
        return _OF_KIND[fact.kind]
    if fact.is_loop and fact.due_by is not None:
        return NEAR
    return ASKED if fact.properties.get(ASKED_TO_REMEMBER) else ""


def _bearing(fact: Fact) -> Bearing:
    """Return what a fact says of safety, by its words, or by its attribute where its words go with that."""
    said = words_of(fact.statement, fact.form)
    is_by_attribute = fact.modality is Modality.ASSERTED and bears_by_attribute(said, fact.attribute)
    return read_bearing(said, fact.subject, Slot(fact.attribute, "") if is_by_attribute else fact.slot)


def is_on_address(fact: Fact) -> bool:
    """Tell whether a fact that was read as how to speak with somebody is: a name of theirs, or a wish on the manner."""
    said = words_of(fact.statement, fact.form)
    if fact.attribute == "name":
        return is_own_name(said, fact.subject)
    return fact.attribute != "reply_style" or is_on_manner(said, by_other=fact.form is Form.PLAIN)


def _each_once(why: str, facts: Iterable[Fact]) -> list[Fact]:
    """Return facts of a sort in the order in which they are served, without those whose words stand in one before."""
    found: list[Fact] = []
    for fact in sorted(facts, key=_rank):
        told = _to_the_point(fact) if why in (SAFETY, HEALTH) else fact
        words = said_words(told.statement, told.form).words
        if DISPUTED_BY in fact.properties or not any(words in before.statement for before in found):
            found.append(told)
    return found


def _to_the_point(fact: Fact) -> Fact:
    """Return a fact on safety without those sentences of somebody's words that say nothing of it.

    What puts one right that does belongs to it: "I'm allergic to nuts. Sorry, I meant shellfish".
    """
    words = said_words(fact.statement, fact.form).words
    telling: list[str] = []
    is_told = False  # whether the sentence before is kept
    for sentence in split_sentences(words):
        is_told = read_bearing(sentence, fact.subject).is_safety or (is_told and _puts_right(telling[-1], sentence))
        telling += [sentence] * is_told
    if fact.form is Form.PLAIN or not telling:
        return fact
    others = {name: text for name, text in fact.properties.items() if name != TELLS_ALONG}  # places move
    return replace(fact, statement=fact.statement.replace(words, " ".join(telling)), properties=others)


def _puts_right(said: str, then: str) -> bool:
    return puts_right(then) or find_next_correction(said, then) is not None


def choose_standing(
    facts: Iterable[Fact], policy: StandingPolicy, sure: ConfidencePolicy, *, now: datetime, night: datetime
) -> list[StandingFact]:
    """Return what stands whatever is asked, in the order in which it is served.

    ``facts`` are as they stood at the last night, or were changed by hand since. ``sure`` tells what is sure enough:
    for safety and manners what may be found at all, for others what is told unasked. What is done, or over by ``now``,
    stands no more; fading and nearness are seen from ``night``, so that they do not change by day.
    """
    sorts: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        why = why_standing(fact)
        is_on = fact.is_current(now) and fact.resolved_at is None
        is_far = why == NEAR and not _is_near(fact, policy, now=now, night=night)
        if not why or not is_on or is_far or _is_mere_word(fact):
            continue
        confidence = confidence_now(fact, sure, now=night)
        needs_less = why in (SAFETY, HEALTH, ADDRESS)
        is_sure = confidence >= sure.deprecate_below if needs_less else confidence > sure.passive_above
        if fact.pinned or is_sure:
            sorts[why].append(fact)
    return [StandingFact(fact, why) for why, most in policy.most for fact in _each_once(why, sorts[why])[:most]]


def _is_mere_word(fact: Fact) -> bool:
    """Tell whether what somebody said is too short to tell anything; not so "I'm vegan"."""
    said = words_of(fact.statement, fact.form)
    return fact.form is Form.QUOTE and len(said.split()) < _FEWEST_WORDS and not _bearing(fact).is_safety


def _is_near(fact: Fact, policy: StandingPolicy, *, now: datetime, night: datetime) -> bool:
    due, day = fact.due_by, timedelta(days=1)
    is_open = fact.loop_at(now) is LoopState.OPEN
    return due is not None and is_open and earlier(night, day) <= due <= later(night, policy.near_days * day)


def _rank(fact: Fact) -> tuple[object, ...]:
    """Pinned ones and those asked to be remembered, own ones, well known, told most often, the surest, the first."""
    is_wanted = fact.pinned or bool(fact.properties.get(ASKED_TO_REMEMBER))
    behind = not is_wanted, bool(fact.holder), not fact.is_well_known
    return *behind, -fact.sessions, -fact.confidence, fact.first_observed, fact.statement


def changed_by_day(
    stood: Iterable[StandingFact],
    day: Mapping[str, DayChange],
    policy: StandingPolicy,
    sure: ConfidencePolicy,
    *,
    now: datetime,
) -> list[StandingFact]:
    """Return what the day has brought or changed of what stands: as it is, also where it holds no more."""
    before = {standing.fact.id: standing for standing in stood}
    after = choose_standing((change.after for change in day.values()), policy, sure, now=now, night=now)
    new = [standing for standing in after if _is_news(standing.fact, before.get(standing.fact.id))]
    kept = {standing.fact.id for standing in after}
    over = [
        standing._replace(fact=day[name].after)
        for name, standing in before.items()
        if name in day and name not in kept and not day[name].after.is_current(now)
    ]
    return [*over, *new]


def _is_news(fact: Fact, before: StandingFact | None) -> bool:
    marks = (DISPUTED_BY, IN_PLACE_OF)
    return before is None or any(fact.properties.get(mark) != before.fact.properties.get(mark) for mark in marks)
