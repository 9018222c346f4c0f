"""Which facts stand in a context whatever is asked: what may harm, how to address somebody, who they are, what is near.

What concerns safety is chosen by its words, all else by attribute, so many of each sort at most, from facts as they
stood at the last night: until the next one, or an explicit word, the choice stays the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import zip_longest
from types import MappingProxyType
from typing import NamedTuple

from yesteryear.core.attributes import FactKind, attributes, has_one_value
from yesteryear.core.fact import (
    ASKED_TO_REMEMBER,
    DISPUTED_BY,
    IN_PLACE_OF,
    TELLS_ALONG,
    Fact,
    FactStatus,
    Form,
    LoopState,
    Modality,
    Slot,
    said_words,
    words_of,
)
from yesteryear.core.fading.confidence import ConfidencePolicy, confidence_now
from yesteryear.core.language.corrections import find_next_correction
from yesteryear.core.language.discourse import topic_stems
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.told.called import (
    close_one,
    is_of_pet,
    is_own_name,
    pets_named,
    shows_attribute,
    telling_part,
)
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
    most_words: int = 24  # words of what somebody said on who they are, at least 1; more would leave no room for others
    pregnant_days: float = 280.0  # days, at least 0, after which a pregnancy that nobody told of since is over
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
    was read as what stands for safety. What else was said in passing counts where its words show by themselves what it
    was read as, or once it is well known.
    """
    known = attributes().get(fact.attribute)
    bearing = _bearing(fact)
    stands = known.stands if known is not None else ""
    if (bearing.harms_at_once or stands == SAFETY) and (not bearing.denies or DISPUTED_BY in fact.properties):
        return SAFETY
    is_by_attribute = fact.is_safety and fact.is_well_known and stands in {"", SAFETY}
    if (bearing.is_safety and not bearing.denies) or is_by_attribute:
        return HEALTH
    if fact.pinned:
        return PINNED
    if stands == ADDRESS and is_on_address(fact):
        is_wish = known is not None and known.kind is FactKind.PREFERENCE  # "call me Jo": said once is enough
        if not fact.holder and (is_wish or fact.form is Form.PLAIN or fact.is_well_known):
            return ADDRESS
    if (why := _why_known(fact, stands)) or (fact.is_loop and fact.due_by is not None):
        return why or NEAR
    return ASKED if fact.properties.get(ASKED_TO_REMEMBER) else ""


def _why_known(fact: Fact, stands: str) -> str:
    """Return why a fact tells who somebody is, or who is close to them; empty where it does not."""
    said = said_words(_without_lead(fact).statement, fact.form).words
    has_pet = not fact.holder and pets_named(said, fact.subject)
    if close_one(said, fact.subject)[0] or (has_pet and (fact.form is Form.PLAIN or shows_attribute(said, "pet"))):
        return PEOPLE
    if not fact.attribute and fact.is_well_known and fact.kind in _OF_KIND:
        return _OF_KIND[fact.kind]
    if stands not in {WHO, PEOPLE}:
        return ""
    shows = shows_attribute(said, fact.attribute)
    if fact.holder:
        return PEOPLE if stands == PEOPLE and fact.form is not Form.PLAIN and shows else ""
    return stands if shows or fact.form is Form.PLAIN or fact.is_well_known else ""


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


def _each_once(why: str, facts: Iterable[Fact], before: Sequence[Fact]) -> list[Fact]:
    """Return facts of a sort in the order in which they are served, without those that say what one before them says.

    Of who somebody is and who is close to them the newest of each matter stands, if nothing of other sorts, ``before``
    them, says it too.
    """
    found: list[Fact] = []
    is_profile = why in (WHO, PEOPLE)
    for fact in _newest(facts) if is_profile else sorted(facts, key=_rank):
        told = _without_lead(fact) if is_profile else fact
        told = _without_told(_to_the_point(fact), found) if why in (SAFETY, HEALTH) else told
        others = [*before, *found] if is_profile else found
        if DISPUTED_BY in fact.properties or not any(_says_no_more(told, one, why) for one in others):
            found.append(told)
    return found


def _says_no_more(fact: Fact, before: Fact, why: str) -> bool:
    """Tell whether a fact says nothing that one before it does not.

    In the same words; on safety also of the very same things, on who somebody is of no others.
    """
    said, told = (said_words(each.statement, each.form).words for each in (fact, before))
    if said in told or why in (PINNED, ASKED, ADDRESS, NEAR) or fact.is_negative != before.is_negative:
        return said in told
    new, old = (topic_stems(text.replace(fact.subject, "")) for text in (said, told))
    is_less = new == old if why in (SAFETY, HEALTH) else new <= old
    holders = {each.holder for each in (fact, before)}
    is_of_same = len(holders) == 1 or all(fold(holder) in fold(text) for holder in holders for text in (said, told))
    return bool(new) and is_less and is_of_same


def _newest(facts: Iterable[Fact]) -> list[Fact]:
    """Return the newest fact of each matter, and of each of those who are close, in the order of the attributes."""
    of: dict[tuple[str, str], Fact] = {}
    order = list(attributes())

    def at(fact: Fact) -> tuple[object, ...]:
        attribute, _ = _matter(fact)
        is_wanted = fact.pinned or bool(fact.properties.get(ASKED_TO_REMEMBER))
        return not is_wanted, order.index(attribute) if attribute in order else len(order), *_rank(fact)

    def told(fact: Fact) -> tuple[object, ...]:
        at = fact.last_confirmed or fact.first_observed
        return at.date(), fact.form is Form.PLAIN, at, fact.id

    for fact in sorted(facts, key=told):
        of[_matter(fact)] = fact
    return sorted(of.values(), key=at)


def _matter(fact: Fact) -> tuple[str, str]:
    """Return of what only the newest fact stands: an attribute with one value, one who is close."""
    attribute, name = close_one(said_words(_without_lead(fact).statement, fact.form).words, fact.subject)
    if name:
        return attribute, name
    if fact.attribute and has_one_value(fact.attribute):
        return fact.attribute, ""
    return fact.attribute, fact.id


def _without_lead(fact: Fact) -> Fact:
    """Return a fact without what was said before its own words, where those are understood without."""
    said = said_words(fact.statement, fact.form).words
    return fact if fact.form is Form.PLAIN else _with_words(fact, telling_part(said, fact.attribute, fact.subject))


def _without_told(fact: Fact, before: Iterable[Fact]) -> Fact:
    """Return a fact on safety without the first of its sentences, as far as one before it tells them already.

    And as far as what is left says of itself that it is on safety: not "Due in May" without whose.
    """
    sentences = split_sentences(said_words(fact.statement, fact.form).words)
    told = " ".join(each.statement for each in before if DISPUTED_BY not in each.properties)
    start = 0
    while start < len(sentences) - 1 and sentences[start] in told and not _puts_right(*sentences[start : start + 2]):
        start += 1
    says_so = bool(start) and read_bearing(sentences[start], fact.subject).is_safety
    return _with_words(fact, " ".join(sentences[start:])) if says_so and DISPUTED_BY not in fact.properties else fact


def _with_words(fact: Fact, words: str) -> Fact:
    """Return what somebody said in fewer words; a plain fact as it is."""
    said = said_words(fact.statement, fact.form).words
    if fact.form is Form.PLAIN or words == said:
        return fact
    others = {name: text for name, text in fact.properties.items() if name != TELLS_ALONG}  # places move
    head, _, tail = fact.statement.rpartition(said)
    return replace(fact, statement=f"{head}{words}{tail}", properties=others)


def _to_the_point(fact: Fact) -> Fact:
    """Return a fact on safety without those sentences of somebody's words that say nothing of it.

    What puts one right that does belongs to it: "I'm allergic to nuts. Sorry, I meant shellfish".
    """
    words = said_words(fact.statement, fact.form).words
    telling: list[str] = []
    is_told = False  # whether the sentence before is kept
    for sentence in split_sentences(words):
        bears = read_bearing(sentence, fact.subject).is_safety or bears_by_attribute(sentence, fact.attribute)
        is_told = bears or (is_told and _puts_right(telling[-1], sentence))
        telling += [sentence] * is_told
    return _with_words(fact, " ".join(telling)) if telling else fact


def _puts_right(said: str, then: str) -> bool:
    return puts_right(then) or find_next_correction(said, then) is not None


def choose_standing(
    facts: Iterable[Fact],
    policy: StandingPolicy,
    sure: ConfidencePolicy,
    *,
    now: datetime,
    night: datetime,
    beside: Iterable[Fact] = (),
) -> list[StandingFact]:
    """Return what stands whatever is asked, in the order in which it is served.

    ``facts`` are as they stood at the last night, or were changed by hand since. ``sure`` tells what is sure enough:
    for safety and manners what may be found at all, for others what is told unasked. What is done, or over by ``now``,
    stands no more; fading and nearness are seen from ``night``, so that they do not change by day. What is known
    ``beside`` them tells who is a pet.
    """
    sorts: dict[str, list[Fact]] = defaultdict(list)
    current = [fact for fact in facts if fact.is_current(now) and fact.resolved_at is None]
    pets = frozenset(name for fact in [*current, *beside] for name in pets_named(fact.statement, fact.subject))
    for fact in current:
        why = _why_now(fact, policy, pets, now=now, night=night)
        confidence = confidence_now(fact, sure, now=night)
        needs_less = why in (SAFETY, HEALTH, ADDRESS)
        is_sure = confidence >= sure.deprecate_below if needs_less else confidence > sure.passive_above
        if why and (fact.pinned or is_sure) and not _is_mere_word(fact):
            sorts[why].append(fact)
    chosen: list[StandingFact] = []
    for why, most in policy.most:
        before = [standing.fact for standing in chosen]
        chosen += [StandingFact(fact, why) for fact in _each_once(why, sorts[why], before)[:most]]
    return _by_turns(chosen)


def _by_turns(chosen: Sequence[StandingFact]) -> list[StandingFact]:
    """Return what stands with who somebody is and who is close to them by turns: neither takes all of the room."""
    who, people = ([each for each in chosen if each.why == why] for why in (WHO, PEOPLE))
    turns = iter([each for pair in zip_longest(who, people) for each in pair if each is not None])
    return [next(turns) if each.why in (WHO, PEOPLE) else each for each in chosen]


def _why_now(fact: Fact, policy: StandingPolicy, pets: frozenset[str], *, now: datetime, night: datetime) -> str:
    """Return why a fact that holds stands now; what ails a pet harms nobody who does not know."""
    why = why_standing(fact)
    if why == NEAR and not _is_near(fact, policy, now=now, night=night):
        return ""
    if why == HEALTH and (_is_of_pet(fact, pets) or _is_born(fact, policy, night)):
        return PINNED if fact.pinned else ""
    if why in (WHO, PEOPLE) and fact.status is FactStatus.NEEDS_REVIEW:
        return ""
    if why in (WHO, PEOPLE) and fact.form is not Form.PLAIN:
        is_long = len(said_words(_without_lead(fact).statement, fact.form).words.split()) > policy.most_words
        return "" if is_long else why
    return why


def _is_of_pet(fact: Fact, pets: frozenset[str]) -> bool:
    return is_of_pet(said_words(_to_the_point(fact).statement, fact.form).words, fact.holder, pets)


def _is_born(fact: Fact, policy: StandingPolicy, night: datetime) -> bool:
    """Tell whether a pregnancy must be over: it was told longer ago than one takes."""
    told = fact.last_confirmed or fact.first_observed
    is_long_ago = night - told > timedelta(days=policy.pregnant_days)
    return is_long_ago and _bearing(fact).matters == {"pregnancy"}


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
    changed, beside = [change.after for change in day.values()], [standing.fact for standing in before.values()]
    after = choose_standing(changed, policy, sure, now=now, night=now, beside=beside)
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
