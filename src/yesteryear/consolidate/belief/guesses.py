"""Guesses at what facts are to each other: which of them are trusted, and what these are sure enough for."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from yesteryear.core.attributes import FactKind, Volatility, attributes
from yesteryear.core.fact import Evidence, Fact, Stance
from yesteryear.core.language.tokens import stems
from yesteryear.core.ruling import OVER_VERDICTS, Act, ActPolicy, PairVerdict, Ruling, act_on, surest

_SHARED = 0.5
"""Share of the stems of the shorter of two statements that must stand in the other, in (0, 1], for a guess to fold."""
_OTHER_WORDS = 3
"""Stems that one of two statements has alone, from which a single shared one is too few for a guess to fold: what
differs is another thing or deed. Of 199 right guesses on labelled pairs it loses 10, of 3 wrong ones it keeps off 1."""


_PARTINGS = frozenset({"relationship", "partner"})
"""Attributes of news that may end what a partner is called, too. Source: set by hand."""
_END_TIES = frozenset({"pet", "death", "home", "move"})
"""Attributes of news, beside those of ties, that may end a tie. Source: set by hand."""


@dataclass(frozen=True, slots=True)
class GuessPolicy:
    """How likely a later fact ends an earlier one, given with how many others it was compared, and what others hint."""

    usual: float = 5.0
    """Number of earlier facts, above 0, that a later one is compared with where a guess is as likely as it was told."""
    each: float = 1.0
    """Added to the log odds where it was compared with fewer, times the logarithm of how many times fewer, and taken
    away where with more; at least 0. What ends anything mostly ends one thing, so the odds of each of n are about 1/n
    of those of one. Source: chosen with the weights of ``ChangePolicy``, of three pairs of both; docs/evaluation.md."""
    hint: float = 0.15
    """Probability, in [0, 1], from which a guess counts beside a surer one; below it, what a memory of years compares
    would end everything at last. Source: of two lives by a writer of whom nothing was taught .87 of 716 pairs that end
    nothing lie below it, and .79 of 85 that end something above; set by hand."""
    acts: ActPolicy = field(default_factory=ActPolicy)


def trusted(rulings: Iterable[Ruling], facts: Mapping[str, Fact], evidence: Iterable[Evidence]) -> list[Ruling]:
    """Leave out guesses that are not to be trusted; what a rule found, or the person decided, stands.

    A guess at a change or conflict between facts that were told at one sitting only: people seldom take back what they
    said a minute ago, but often say several things on one subject; of 180 pairs of alike facts within annotated dialogs
    verdicts would have made 37 questions, all of them idle. And a guess that two say the same that hardly share a word:
    of six such in talk of two friends four were wrong. And that anything but another such wish ends how somebody wants
    to be spoken to.
    """
    told: dict[str, set[str]] = defaultdict(set)
    for row in evidence:
        told[row.fact_id].add(row.session)
    return [
        row
        for row in rulings
        if not row.judgement.is_guess or _is_plausible(row, facts, told[row.earlier] | told[row.later])
    ]


def _is_plausible(guess: Ruling, facts: Mapping[str, Fact], sessions: Collection[str]) -> bool:
    if guess.act is not Act.FOLD:
        ends_wish = [_is_on_address(facts[name]) for name in (guess.earlier, guess.later)] == [True, False]
        return len(sessions) != 1 and not ends_wish
    one, other = (set(stems(facts[name].statement)) - set(stems(facts[name].subject)) for name in guess.pair)
    shared, (fewer, more) = len(one & other), sorted((len(one - other), len(other - one)))
    is_other_thing = shared < 2 and fewer >= 1 and more >= _OTHER_WORDS
    return shared >= _SHARED * min(len(one), len(other)) and not is_other_thing


def _is_on_address(fact: Fact) -> bool:
    known = attributes().get(fact.attribute)
    return known is not None and known.stands == "address"


def weighed(
    rulings: Sequence[Ruling], facts: Mapping[str, Fact], evidence: Iterable[Evidence], policy: GuessPolicy
) -> Iterator[Ruling]:
    """Yield rulings, guesses at an end with what they are sure enough for beside all others.

    Of n facts compared with a later one each is over with p' = p k / (p k + 1 - p), k = (usual / n) ** each, where the
    judge says p; of facts of the later's own attribute and holder only those of that count, as news of a job is of none
    of ten others; what hardly ever changes with k of at most 1. And a fact holds as long as none of what was said since
    it was told last has ended it: the surest guess at its end stands for all that are no mere noise, with
    1 - (1 - p1') (1 - p2') ..., each sitting once.

    What is told later takes nothing of that away: a guess between two that were first told at one sitting does not
    count, though one of them is told again, nor that two say the same, which a night may find; and what was enough
    beside what had been said until then is so beside a surer guess.

    Args:
        rulings: All that count.
        facts: By id.
        evidence: Of all of them.
    """
    last: dict[str, datetime] = {}
    sittings: dict[str, str] = {}
    for said in sorted(evidence, key=lambda said: (said.said_at, said.id)):
        if said.stance is Stance.SUPPORTS:
            last[said.fact_id] = said.said_at
            sittings.setdefault(said.fact_id, said.session)
    counted = [row for row in rulings if row.act is not Act.FOLD and not _is_of_one_sitting(row, sittings)]
    compared = Counter(row.later for row in counted)
    alike = Counter(row.later for row in counted if _is_of_one_slot(row, facts))
    ends: dict[str, list[_Guess]] = defaultdict(list)
    for row in rulings:
        if _may_end(row, facts):
            scores = possible_verdicts(row, facts)
            chance = sum(scores.get(each, 0.0) for each in OVER_VERDICTS)
            meant = alike if _is_of_one_slot(row, facts) else compared
            fewer = (policy.usual / max(1, meant[row.later])) ** policy.each
            share = chance * (min(fewer, 1.0) if _hardly_ends(row, facts) else fewer)
            over = share / (share + 1 - chance)
            ends[row.earlier].append(_Guess(over, row, facts[row.later]))
        else:
            yield row
    for earlier, guesses in ends.items():
        told, since = facts[earlier].authority, last.get(earlier, facts[earlier].first_observed)
        enough = [each for each in guesses if told <= each.later.authority and since < each.later.first_observed]
        together = _together(enough, sittings, policy)
        for each in guesses:
            over = together.get(each.ruling.pair, each.over)
            act = act_on(over, told, each.later.authority, policy.acts)
            judgement = each.ruling.judgement
            verdict = surest(possible_verdicts(each.ruling, facts), act)
            yield replace(each.ruling, judgement=replace(judgement, verdict=verdict, act=act))


def _is_of_one_sitting(row: Ruling, sittings: Mapping[str, str]) -> bool:
    """Tell whether a guess is on two facts that were first told at one sitting, by the first of each."""
    one, other = (sittings.get(name, name) for name in row.pair)
    return row.judgement.is_guess and one == other


def _hardly_ends(row: Ruling, facts: Mapping[str, Fact]) -> bool:
    """Tell whether a fact hardly ever changes, as a name or a tie by birth, or its news is none of ties.

    A boyfriend's injury ends no love.
    """
    known, of_news = (attributes().get(facts[name].attribute) for name in (row.earlier, row.later))
    if known is None:
        return False
    is_tie = known.kind is FactKind.RELATIONSHIP or known.name == "pet"
    is_of_ties = of_news is not None and (of_news.kind is FactKind.RELATIONSHIP or of_news.name in _END_TIES)
    is_static = known.volatility is Volatility.STATIC and not (of_news and of_news.name in _PARTINGS)
    return is_static or (is_tie and not is_of_ties)


def _is_of_one_slot(row: Ruling, facts: Mapping[str, Fact]) -> bool:
    """Tell whether two facts are of one attribute of one holder."""
    one, other = facts[row.earlier], facts[row.later]
    return bool(one.attribute) and one.attribute == other.attribute and one.holder.casefold() == other.holder.casefold()


class _Guess(NamedTuple):
    """A guess that a fact is over, and how likely that is by it alone."""

    over: float
    ruling: Ruling
    later: Fact


def _may_end(row: Ruling, facts: Mapping[str, Fact]) -> bool:
    """Tell whether a ruling guesses at an end, by what was said later."""
    earlier, later = facts[row.earlier], facts[row.later]
    # A question that no authority brings about is the judge's own: it knows that the order of the two says nothing.
    is_question = row.act is Act.ASK and earlier.authority <= later.authority
    is_guess = row.judgement.is_guess and row.act is not Act.FOLD
    return is_guess and not is_question and earlier.first_observed < later.first_observed


def possible_verdicts(guess: Ruling, facts: Mapping[str, Fact]) -> Mapping[PairVerdict, float]:
    """Return how likely each verdict is, as judged, but that nothing completes what is set for a day yet to come.

    Source: of guesses in five lives nine completed an event before its day, all of them wrongly.
    """
    scores = guess.judgement.scores
    is_to_come = is_yet_to_come(facts[guess.earlier], facts[guess.later])
    return {**scores, PairVerdict.COMPLETES: 0.0} if is_to_come else scores


def is_yet_to_come(event: Fact, later: Fact) -> bool:
    """Tell whether an event was still ahead when something else was said."""
    return event.kind is FactKind.EVENT and event.valid_from is not None and event.valid_from > later.first_observed


def _together(
    guesses: Iterable[_Guess], sittings: Mapping[str, str], policy: GuessPolicy
) -> dict[tuple[str, str], float]:
    """Return how likely at least one of some guesses at one end is right, in [0, 1], by the pair of the surest.

    The surest of each sitting counts, of what was said until a surer one came: the surest until then stands for that.
    """
    together: dict[tuple[str, str], float] = {}
    surest_in: dict[str, float] = {}
    leading: _Guess | None = None
    for guess in sorted(guesses, key=lambda each: (each.later.first_observed, each.later.statement, each.later.id)):
        sitting = sittings.get(guess.later.id, guess.later.id)
        if leading is None or guess.over > leading.over:
            leading = guess
        if guess.over >= policy.hint:
            surest_in[sitting] = max(guess.over, surest_in.get(sitting, 0.0))
        at_least_one = 1 - math.prod(1 - over for over in sorted(surest_in.values()))
        together[leading.ruling.pair] = max(leading.over, at_least_one)
    return together
