"""What the later of two statements does to the earlier, and what that is sure enough for: by rule, else by the reader.

In doubt both statements stay: a wrong merge destroys, a missed one costs a line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from yesteryear.core.attributes import Cardinality, FactKind, Volatility, attributes, has_one_value
from yesteryear.core.fact import AIM, FAVOURITE, SOMEBODY, TASTE
from yesteryear.core.language.tokens import bare_words, fold, stem, stems, words
from yesteryear.core.language.told.called import is_one_of_several, others_ties
from yesteryear.core.language.told.endings import (
    Ending,
    EndingSigns,
    are_other_tasks,
    change_of_tasks,
    ending,
    read_ending_signs,
)
from yesteryear.core.language.told.named_task import TaskState
from yesteryear.core.language.told.relations import find_relations
from yesteryear.core.language.told.tasks import find_told_tasks
from yesteryear.core.language.told.tastes import find_tastes, taste_name
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.reading import OVER, Before, Effect, with_over
from yesteryear.core.relation import Relation
from yesteryear.core.ruling import OVER_BEFORE, Act, ActPolicy, Claim, ClaimPair, Judgement, PairVerdict, act_on, surest

if TYPE_CHECKING:
    from yesteryear.ports import Reader

_VERDICTS = {
    Effect.NONE: PairVerdict.UNRELATED,
    Effect.REPEATS: PairVerdict.DUPLICATE,
    Effect.REFINES: PairVerdict.REFINES,
    Effect.ADDS: PairVerdict.COEXISTS,
    Effect.DOUBTS: PairVerdict.COEXISTS,
    Effect.UPDATES: PairVerdict.UPDATES,
    Effect.MOVES: PairVerdict.UPDATES,
    Effect.ENDS: PairVerdict.ENDS,
    Effect.DROPS: PairVerdict.ENDS,
    Effect.COMPLETES: PairVerdict.COMPLETES,
    Effect.DENIES: PairVerdict.CONTRADICTS,
}
_OF_TASKS = {
    **dict.fromkeys((TaskState.UNLISTED, TaskState.DROPPED, TaskState.MISSED, TaskState.MOVED), PairVerdict.ENDS),
    TaskState.DONE: PairVerdict.COMPLETES,
}
"""What becomes of it at once: what is set for another day is off on its own, and not only when that other one comes."""
_RELATIONS = vocabulary("relations")
_CORRECTED_WITHIN = timedelta(minutes=15)
_HABITS = frozenset({FactKind.PREFERENCE, FactKind.WORK_PATTERN})
"""Kinds of what nobody gets done: who has done the last long run still runs in the evening."""
_NO_TASTES = frozenset({FactKind.EVENT, FactKind.IDENTITY, FactKind.RELATIONSHIP, FactKind.STRENGTH})
"""Kinds of what is so whether somebody likes it or not: an appointment is off by no dislike of the dentist."""
_PETS = vocabulary("endings").words("pets")
_NAMED_BY = 2  # stems of a name from which another one more still names the same
_SUREST = 1e-4  # how near to 0 and to 1 a chance may come
_SAME = (PairVerdict.DUPLICATE, PairVerdict.REFINES)


@dataclass(frozen=True, slots=True)
class JudgePolicy:
    """From which probability a verdict is acted on."""

    fold: float = 0.85
    """That the later says the same, or more, in [0, 1], from which the two are one; high, as a wrong merge destroys."""
    acts: ActPolicy = field(default_factory=ActPolicy)  # that the earlier holds no more
    corrected: float = 0.5  # the same, in [0, 1], where the later begins like a correction and was said within minutes


@dataclass(frozen=True, slots=True)
class ChangePolicy:
    """How likely the later of two statements ends the earlier: a sum in log odds.

    Source: a regression, found once, on 3,243 labelled pairs that ``effects`` was not taught: 3,009 of eight lives, and
    234 of plain changes told to an empty memory; ``python -m yesteryear_lab.reading.effects`` prints one on the lives.
    """

    base: float = -1.08  # of any pair, in log odds; below 0, as most of them leave it standing
    read: float = 0.9  # for each unit of the log odds that the reader gives; at least 0
    shared: float = 1.46
    """Times the part, in [0, 1], of the later's telling words that stand in the earlier; at least 0."""
    told: float = 1.11  # where the later tells in so many words what ends such a state or thing; at least 0
    of_one: float = 0.36  # at least 0; besides, where both are of one attribute and holder
    moved: float = 0.65  # where it is what the earlier was after, or another time or number of it; at least 0


_JUDGING, _CHANGE = JudgePolicy(), ChangePolicy()


def judge_pair(pair: ClaimPair, reader: Reader | None) -> Judgement:
    """Return what a pair's later statement does to the earlier: by rule, else as the reader tells it, if at all."""
    subjects = {claim.subject.casefold() for claim in pair} - {""}
    if len(subjects) > 1:  # known to be about different people or things
        return Judgement(PairVerdict.UNRELATED, rule="another subject")
    for rule in (
        _of_nobody_named,
        _of_anothers,
        _of_one_list,
        _by_tasks,
        _by_death,
        _same_words,
        _by_tastes,
        _by_slots,
        _out_of_the_way,
    ):
        if ruled := rule(pair):
            return ruled
    before = [Before("them", pair.later.asked)] if pair.later.asked else []
    if reader and (effects := reader.effects(pair.earlier.text, pair.later.said, before=before)):
        told = effects if _corrects(pair) else weigh(pair, effects)
        return decide(pair, told, judge=reader.version)
    return Judgement(PairVerdict.UNRELATED)


def weigh(pair: ClaimPair, effects: Mapping[Effect, float]) -> dict[Effect, float]:
    """Return what a reader tells of a pair, those effects that end the earlier as likely as its words let them be."""
    if pair.earlier.kind in _HABITS and (done := effects.get(Effect.COMPLETES)):
        effects = {**effects, Effect.COMPLETES: 0.0, Effect.NONE: effects.get(Effect.NONE, 0.0) + done}
    chance = min(max(sum(share for effect, share in effects.items() if effect in OVER), _SUREST), 1 - _SUREST)
    weights = _CHANGE.read, _CHANGE.shared, _CHANGE.told, _CHANGE.moved
    signs = math.log(chance / (1 - chance)), *signs_of_change(pair)
    odds = _CHANGE.base + sum(weight * sign for weight, sign in zip(weights, signs, strict=True))
    odds += _CHANGE.of_one * (any(signs[-2:]) and _is_of_one_matter(pair))
    return with_over(effects, 1 / (1 + math.exp(-odds)))


def signs_of_change(pair: ClaimPair) -> tuple[float, ...]:
    """Return what tells a change beside what is read, as ``ChangePolicy`` weighs it from ``shared`` on."""
    known, said = (frozenset(stems(claim.said)) for claim in pair)
    was, now = read_ending_signs(pair.earlier.text), read_ending_signs(pair.later.said)
    told = ending(was, now)
    is_moved = told not in (None, Ending.OVER) and not (told is Ending.DONE and pair.earlier.kind in _HABITS)
    is_moved |= now.is_moved and not was.is_moved and _is_of_one_value(pair)
    shared = len(known & said) / max(1, len(said))
    return shared, told is Ending.OVER, is_moved


def decide(pair: ClaimPair, effects: Mapping[Effect, float], *, judge: str = "local") -> Judgement:
    """Return the verdict on a pair by the probabilities of what was done to it, and what it is sure enough for."""
    scores = dict.fromkeys(PairVerdict, 0.0)
    for effect, share in effects.items():
        scores[_VERDICTS[effect]] += share
    told = Judgement(max(scores, key=lambda each: scores[each]), scores=scores, judge=judge)
    if sum(scores[each] for each in _SAME) >= _JUDGING.fold:
        one, other = ((claim.holder.casefold(), claim.is_negative, _names(claim)) for claim in pair)
        if one != other:
            return replace(told, rule="other names or numbers")
        return replace(told, act=Act.FOLD, keeps_later=_says_more(pair, scores))
    if pair.earlier.at >= pair.later.at:
        return told
    over = 1.0 if (is_correction := _corrects(pair) and told.over >= _JUDGING.corrected) else told.over
    act = act_on(over, pair.earlier.authority, pair.later.authority, _JUDGING.acts)
    verdict = surest(scores, act)
    if is_correction:
        return Judgement(verdict, act, rule="corrected at once", judge=judge)
    return replace(told, verdict=verdict, act=act)


def _says_more(pair: ClaimPair, scores: Mapping[PairVerdict, float]) -> bool:
    """Tell whether the later of two that say the same says more: where its words hold the other's, else as read."""
    was, now = (frozenset(stems(claim.said)) for claim in pair)
    return was < now or (not now < was and scores[PairVerdict.REFINES] >= scores[PairVerdict.DUPLICATE])


def _corrects(pair: ClaimPair) -> bool:
    """Tell whether the later begins like a correction, and was said within minutes of the earlier."""
    is_near = timedelta(0) < pair.later.at - pair.earlier.at <= _CORRECTED_WITHIN and not pair.later.asked
    return is_near and vocabulary("meaning")["corrects"].search(fold(pair.later.said.strip())) is not None


def _of_nobody_named(pair: ClaimPair) -> Judgement | None:
    """Return that two things told of somebody whom nobody named leave each other alone: who knows whether it is one."""
    if not all(claim.holder.casefold() == SOMEBODY for claim in pair):
        return None
    return Judgement(PairVerdict.UNRELATED, rule="nobody named of whom they are")


def _of_anothers(pair: ClaimPair) -> Judgement | None:
    """Return that news of somebody whom another has ("his mum died") leaves alone what is told of the speaker's own."""
    earlier, later = pair
    is_own = earlier.holder.casefold() in others_ties(later.said) and not _has_one_holder(pair)
    return Judgement(PairVerdict.UNRELATED, rule="of somebody whom another has") if is_own else None


def _of_one_list(pair: ClaimPair) -> Judgement | None:
    """Return that two things told in one list leave each other alone: they have their own words, and one time."""
    earlier, later = pair
    is_listed = not (earlier.words or later.words) and earlier.at == later.at and earlier.text != later.text
    is_one = bool(earlier.attribute) and earlier.attribute == later.attribute and _has_one_holder(pair)
    return Judgement(PairVerdict.COEXISTS, rule="things of one list") if is_listed and is_one else None


def _same_words(pair: ClaimPair) -> Judgement | None:
    one, other = (_stems(claim.text) for claim in pair)
    is_same = one == other and pair.earlier.is_negative == pair.later.is_negative and _has_one_holder(pair)
    return Judgement(PairVerdict.DUPLICATE, Act.FOLD, rule="same words") if is_same else None


def _by_slots(pair: ClaimPair) -> Judgement | None:
    """Return what follows from the slots alone, or None where they do not decide: a value said anew takes the place.

    Both must fill the same single-valued attribute of one subject; a value with all words of the other says more, and
    what is so more than how it came about: who lives in Leeds may have moved there long ago. Two things somebody is
    after in numbers, so much a week, leave each other alone.
    """
    earlier, later = pair
    one, other = earlier.slot, later.slot
    if one is None or other is None:
        return None
    if one.attribute.startswith(AIM) and other.attribute.startswith(AIM) and one.attribute != other.attribute:
        return Judgement(PairVerdict.COEXISTS, rule="another aim")
    is_single = one.cardinality is other.cardinality is Cardinality.SINGLE
    is_one = one.attribute.casefold() == other.attribute.casefold() and _has_one_holder(pair)
    was, now = frozenset(_stems(one.value)), frozenset(_stems(other.value))
    is_told = was and now and not (earlier.is_negative and later.is_negative and was != now)
    if not (is_single and is_one and is_told):
        return None
    if earlier.is_negative != later.is_negative:
        return _clash(pair) if was == now else None
    if was == now:
        was_event, is_event = (claim.kind is FactKind.EVENT for claim in pair)
        says_more = was_event if was_event != is_event else len(words(later.text)) >= len(words(earlier.text))
        return Judgement(PairVerdict.DUPLICATE, Act.FOLD, keeps_later=says_more, rule="same value")
    if was < now or now < was:
        return Judgement(PairVerdict.REFINES, Act.FOLD, keeps_later=was < now, rule="value with more words")
    return _clash(pair)


def _by_tastes(pair: ClaimPair) -> Judgement | None:
    """Return what follows from what two facts tell of likes; None where they do not decide.

    What somebody likes is over where they tell otherwise of that thing; other things have nothing to do with it.
    """
    if not _has_one_holder(pair):
        return None
    earlier, later = pair
    was, now = _taste_of(earlier), _taste_of(later)
    if was and now:
        is_same = earlier.slot and later.slot and earlier.slot.attribute == later.slot.attribute
        if was == now and earlier.is_negative == later.is_negative:
            return Judgement(PairVerdict.DUPLICATE, Act.FOLD, rule="the same taste")
        if _is_one_thing(was, now):
            return _clash(pair) if earlier.is_negative != later.is_negative else None
        return None if is_same else Judgement(PairVerdict.COEXISTS, rule="another thing that is liked or not")
    is_named = not set(was.split()).isdisjoint(map(stem, bare_words(later.said)))
    if was and not (is_named and later.kind is FactKind.PREFERENCE):
        return Judgement(PairVerdict.UNRELATED, rule="tells nothing of what is liked or not")
    if now and earlier.kind in _NO_TASTES:
        return Judgement(PairVerdict.UNRELATED, rule="a taste ends nothing of this kind")
    if now and earlier.kind is FactKind.PREFERENCE and earlier.at < later.at:
        told = (taste.name for taste in find_tastes(earlier.said) if taste.is_liked is later.is_negative)
        return _clash(pair) if any(_is_one_thing(name, now) for name in told) else None
    return None


def _taste_of(claim: Claim) -> str:
    """Return the name of the thing that a claim tells of as liked, disliked or a favourite; empty of other claims."""
    attribute = claim.slot.attribute if claim.slot else ""
    if claim.slot and attribute.startswith(FAVOURITE):
        return taste_name(claim.slot.value)
    return attribute.removeprefix(TASTE) if attribute.startswith(TASTE) else ""


def _is_one_thing(one: str, other: str) -> bool:
    """Tell whether two names of things are one, but for a word before the longer: "(complex) moral dilemmas"."""
    few, more = sorted((one.split(), other.split()), key=len)
    return one == other or (len(few) >= _NAMED_BY and few == more[1:])


def _clash(pair: ClaimPair) -> Judgement:
    known = attributes().get(pair.later.attribute)
    is_fixed = known is not None and known.volatility is Volatility.STATIC
    if pair.earlier.at < pair.later.at and pair.earlier.authority <= pair.later.authority and not is_fixed:
        return Judgement(PairVerdict.UPDATES, Act.SUPERSEDE, rule="other value, said later")
    return Judgement(PairVerdict.CONTRADICTS, Act.ASK, rule="other value, not to be ordered")


def _out_of_the_way(pair: ClaimPair) -> Judgement | None:
    """Return that the earlier is done with, where the later says that what it tells to stand in the way is gone."""
    earlier, later = pair
    found, said = _RELATIONS["gone"].search(later.said), earlier.said
    is_later = earlier.at < later.at and _has_one_holder(pair)
    if found is None or not is_later or _RELATIONS["not_gone"].search(later.said[: found.end()]):
        return None
    thing = set(stems(found["what"] or found["which"]))
    obstacles = (said[slice(*told.source)] for told in find_relations(said) if told.relation is Relation.BLOCKS)
    is_gone = thing and any(thing <= set(stems(obstacle)) for obstacle in obstacles)
    return Judgement(PairVerdict.COMPLETES, Act.SUPERSEDE, rule="what stood in the way is gone") if is_gone else None


def _by_tasks(pair: ClaimPair) -> Judgement | None:
    """Return what becomes of something to do, or set for a day, that the later names as done, off or moved."""
    earlier, later = pair
    is_own = _has_one_holder(pair) or all(find_told_tasks(each.said) for each in pair)
    if earlier.at >= later.at or not is_own or earlier.authority > later.authority:
        return None
    was, now = map(_task_signs, pair)
    told = change_of_tasks(was, now)
    if told is TaskState.OPEN:
        return Judgement(PairVerdict.COEXISTS, rule="some of the task is left, or it is somebody else's")
    if told:
        return Judgement(_OF_TASKS[told], Act.SUPERSEDE, rule="the task by its name")
    told = change_of_tasks(now, was)
    if told in _OF_TASKS:
        return Judgement(_OF_TASKS[told], rule=OVER_BEFORE)
    return Judgement(PairVerdict.UNRELATED, rule="another task") if are_other_tasks(was, now) else None


def _by_death(pair: ClaimPair) -> Judgement | None:
    """Return that what was so of somebody is over, where the later tells that they died; who they were stays so."""
    earlier, later = pair
    known = attributes().get(earlier.attribute)
    is_called = earlier.attribute == "name" and not _PETS.isdisjoint(words(earlier.text))
    is_pet = is_called or "pet" in (earlier.attribute, earlier.slot.attribute if earlier.slot else "")
    lasts = not is_pet and (known is None or known.volatility is Volatility.STATIC)
    if later.attribute != "death" or lasts or earlier.at >= later.at or earlier.authority > later.authority:
        return None
    deceased, is_theirs = read_ending_signs(later.said).deceased, bool(later.holder) and _has_one_holder(pair)
    is_named = is_pet and not read_ending_signs(earlier.text).about.isdisjoint(deceased)
    if is_named and is_one_of_several(_stems(later.said), earlier.text):
        return Judgement(PairVerdict.COEXISTS, rule="one of several has died")
    has_died = bool(deceased) and (is_named or (is_theirs and not is_pet))
    return Judgement(PairVerdict.ENDS, Act.SUPERSEDE, rule="whom it is about has died") if has_died else None


def _task_signs(claim: Claim) -> EndingSigns:
    """Return what a claim tells of tasks: of several things that a sentence tells to be done it may be about one."""
    told = read_ending_signs(claim.text)
    return told if told.tasks else read_ending_signs(f"{claim.asked} {claim.said}".strip())


def _has_one_holder(pair: ClaimPair) -> bool:
    return pair.earlier.holder.casefold() == pair.later.holder.casefold()


def _is_of_one_matter(pair: ClaimPair) -> bool:
    """Tell whether both are of one attribute of one holder, or one rests on the other: home and who shares it.

    Or of one person of the speaker's, whatever it is: so much is told of few.
    """
    names = [each.attribute for each in pair]
    known = [attributes().get(name) for name in names]
    rests = any(other in one.rests_on for one, other in zip(known, reversed(names), strict=True) if one)
    is_one = (all(known) and names[0] == names[1]) or rests or bool(pair.later.holder)
    return is_one and _has_one_holder(pair)


def _is_of_one_value(pair: ClaimPair) -> bool:
    """Tell whether both tell of what somebody has one value of at a time, as of a job: "I'm at a bank now"."""
    earlier, later = pair
    is_one = bool(later.attribute) and earlier.attribute == later.attribute and _has_one_holder(pair)
    return is_one and has_one_value(later.attribute)


def _stems(text: str) -> list[str]:
    return list(map(stem, words(text)))


def _names(claim: Claim) -> set[str]:
    """Return the numbers of a statement, and its names: words with a capital that do not begin it."""
    names = words(" ".join(part for part in claim.text.split()[1:] if part[:1].isupper()))
    return {*names} - {"i"} | {word for word in words(claim.text) if any(map(str.isdigit, word))}
