"""Which sentence of a quote a later statement ends: its own, or one told along, which the fact mostly outlives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from yesteryear.consolidate.belief.guesses import is_yet_to_come, possible_verdicts
from yesteryear.consolidate.belief.told_along import QuotePart, SentenceSaid, ToldAlong, points_back
from yesteryear.core.fact import Fact, said_words
from yesteryear.core.language.discourse import topic_stems
from yesteryear.core.language.tokens import stems
from yesteryear.core.language.told.endings import ending, read_ending_signs
from yesteryear.core.language.told.safety_and_identity import read_bearing
from yesteryear.core.ruling import Act, PairVerdict, Ruling, surest

_FEWEST_TOPICS = 2  # words on what a sentence is about, from which it is understood without what was told along


@dataclass(frozen=True, slots=True)
class MeantPolicy:
    """Which sentence has most in common with a later statement."""

    most_shared: int = 3  # stems that count, at least 1; as many as a short sentence has
    told: int = 3
    """Stems, at least 0, for which it counts that the later tells in so many words what ends such a state or thing.
    Source: with both, five lives for development and four held out tell .05 and .01 fewer outdated values; the reader's
    own verdict on each sentence beside them about .02 fewer, for two fifths more of its time."""


class Meant(NamedTuple):
    """Rulings, each on what it is about."""

    rulings: list[Ruling]  # those given, at most a doubt where another's sentence is meant; and those for facts on it
    over: Mapping[SentenceSaid, frozenset[str]]
    """Sentences that are over with the facts that ended them; likely so where no fact rests on them that is doubted."""


def find_meant(
    rulings: Sequence[Ruling],
    known: Iterable[Ruling],
    facts: Mapping[str, Fact],
    told_along: ToldAlong,
    policy: MeantPolicy,
) -> Meant:
    """Return rulings that act on what they are about, and the sentences that are over.

    Where a guess at an end has most in common with a sentence told along, that one is over, wherever it is told, and a
    fact that rests on it; the fact in whose quote it stands is doubted, but holds, if its own words are understood
    without. ``rulings`` are those that count, weighed; of all that are ``known``, what was judged of two facts by a
    person or a rule, was undone or is not trusted, stands against what is found of a third; what a night set aside does
    not, as it hangs on the order of telling whether those two were ever judged.
    """
    found: list[Ruling] = []
    enders: dict[SentenceSaid, list[Ruling]] = defaultdict(list)
    for row in rulings:
        earlier, later = facts[row.earlier], facts[row.later]
        is_guess = row.judgement.is_guess and row.act in (Act.SUPERSEDE, Act.DOUBT)
        parts = told_along.parts(earlier, [earlier.id]) if is_guess else []
        meant = _meant(parts, earlier, later, policy)
        for said in told_along.said(earlier, meant.text, before=later.first_observed) if meant else ():
            enders[said].append(row)
        is_other = meant is not None and not meant.is_own and _is_clear(parts)
        found.append(replace(row, judgement=replace(row.judgement, act=Act.DOUBT)) if is_other else row)
    by_pair = {row.pair: row for row in found}
    standing = (row for row in known if row.is_void or row.counts)
    settled = {row.pair for row in standing if row.pair not in by_pair or not row.judgement.is_guess}
    for row in sorted(_ends_of_others(enders, facts, told_along), key=_in_order):
        before = by_pair.get(row.pair)
        if row.pair not in settled and (before is None or before.act in (Act.NOTHING, Act.DOUBT)):
            by_pair[row.pair] = row if before is None else _acting(before, facts)
    over = {
        said: frozenset(row.later for row in rows if row.act is Act.SUPERSEDE or not any(told_along.resting_on(said)))
        for said, rows in enders.items()
    }
    return Meant(list(by_pair.values()), over)


def _meant(parts: Sequence[QuotePart], earlier: Fact, later: Fact, policy: MeantPolicy) -> QuotePart | None:
    """Return the sentence that is meant: the fact's own unless another has more in common with the later statement.

    None where it cannot be told, or safety or identity hang on a sentence that is told along.
    """
    if len({part.is_own for part in parts}) < 2:  # its own alone, or none
        return None
    said = said_words(later.statement, later.form).words
    best = max(parts, key=lambda part: (_in_common(part.text, said, policy), part.is_own))
    if best.is_own:
        return best if sum(part.is_own for part in parts) == 1 else None
    return None if read_bearing(best.text, earlier.subject).is_guarded else best


@lru_cache(maxsize=20_000)
def _in_common(sentence: str, later: str, policy: MeantPolicy) -> int:
    shared = len(set(stems(sentence)) & set(stems(later)))
    is_told = ending(read_ending_signs(sentence), read_ending_signs(later)) is not None
    return min(shared, policy.most_shared) + policy.told * is_told


def _is_clear(parts: Iterable[QuotePart]) -> bool:
    """Tell whether the own words of a fact say what they are about."""
    own = " ".join(part.text for part in parts if part.is_own)
    return not points_back(own) and len(topic_stems(own)) >= _FEWEST_TOPICS


def _ends_of_others(
    enders: Mapping[SentenceSaid, Iterable[Ruling]], facts: Mapping[str, Fact], told_along: ToldAlong
) -> Iterator[Ruling]:
    """Yield what a sentence that is over does to other facts that rest on it."""
    for said, rows in enders.items():
        for name in told_along.resting_on(said):
            for row in rows:
                one, other, later = facts.get(name), facts[row.earlier], facts[row.later]
                if row.act is not Act.SUPERSEDE or one is None or name in row.pair:
                    continue
                is_of_one = one.subject == other.subject and one.scope == other.scope
                is_done_before = row.judgement.verdict is PairVerdict.COMPLETES and is_yet_to_come(one, later)
                if is_of_one and one.first_observed < later.first_observed and not is_done_before:
                    yield replace(row, earlier=name, conflict=None)


def _in_order(row: Ruling) -> tuple[tuple[str, str], float, datetime, str]:
    """Return what orders rulings on one pair, the surest first, whatever the order in which they became known."""
    return row.pair, -row.judgement.over, row.ruled_at, row.judgement.verdict


def _acting(row: Ruling, facts: Mapping[str, Fact]) -> Ruling:
    verdict = surest(possible_verdicts(row, facts), Act.SUPERSEDE)
    return replace(row, judgement=replace(row.judgement, verdict=verdict, act=Act.SUPERSEDE))
