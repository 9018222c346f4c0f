"""The rule for statements that fill the same slot: what is said twice is one, what is said anew took its place.

Applies only to slots with one value at a time, and where it cannot tell it stays silent.
"""

from __future__ import annotations

from yesteryear.core.fact import Cardinality
from yesteryear.core.language.tokens import stem, words
from yesteryear.core.verdicts import Act, ClaimPair, Judgement, PairVerdict
from yesteryear.providers.local.verdicts.frame import Frame


def judge_slots(pair: ClaimPair, a: Frame, b: Frame) -> Judgement | None:
    """Return what follows from the slots alone, or None where they do not decide.

    Both must fill the same single-valued attribute of one subject. The same value is the same statement; of values of
    which one holds all words of the other, that one says more; another value said later takes the place of the earlier,
    unless it has less authority, or both tell of the past or of what never changes; else the person is asked.

    Args:
        pair: The claims, with their slots.
        a: What the earlier says.
        b: What the later says.
    """
    one, other = pair.earlier.slot, pair.later.slot
    if one is None or other is None or is_other_subject(pair) or a.relative != b.relative:
        return None
    is_single = one.cardinality is other.cardinality is Cardinality.SINGLE
    if not is_single or one.attribute.casefold() != other.attribute.casefold():
        return None
    was, now = _key(one.value), _key(other.value)
    if not was or not now or (pair.earlier.is_negative and pair.later.is_negative and was != now):
        return None
    if pair.earlier.is_negative != pair.later.is_negative:
        return _clash(pair, a, b) if was == now else None
    if was == now:
        return Judgement(PairVerdict.DUPLICATE, Act.FOLD, keeps_later=b.detail >= a.detail, rule="same value")
    if was < now or now < was:
        return Judgement(PairVerdict.REFINES, Act.FOLD, keeps_later=was < now, rule="value with more words")
    return _clash(pair, a, b)


def is_other_subject(pair: ClaimPair) -> bool:
    """Tell whether the claims are known to be about different people or things."""
    one, other = pair.earlier.subject.casefold(), pair.later.subject.casefold()
    return bool(one and other) and one != other


def _key(value: str) -> frozenset[str]:
    return frozenset(map(stem, words(value)))


def _clash(pair: ClaimPair, a: Frame, b: Frame) -> Judgement:
    is_fixed = all(frame.cues["past"] or frame.cues["timeless"] for frame in (a, b))
    if pair.earlier.at < pair.later.at and pair.earlier.authority <= pair.later.authority and not is_fixed:
        return Judgement(PairVerdict.UPDATES, Act.SUPERSEDE, rule="other value, said later")
    return Judgement(PairVerdict.CONTRADICTS, Act.ASK, rule="other value, not to be ordered")
