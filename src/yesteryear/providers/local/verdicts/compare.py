"""Two statements side by side: what they share, what only one says, where they clash, and how alike their vectors are.

Pure. Features are 0 or 1, shares, or counts cut off and scaled; a linear head reads the finer ones in steps. A cosine
alone cannot tell a contradiction from a paraphrase: directions do, and both statements read at once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from difflib import SequenceMatcher
from itertools import pairwise

import numpy as np

from yesteryear.core.vectors import Matrix, unit_rows
from yesteryear.providers.local.verdicts.amounts import Quantity
from yesteryear.providers.local.verdicts.parsed_claim import (
    CUES,
    ParsedClaim,
    ScaleEnd,
    bare,
)

_TOLERANCE = 0.03
"""Share, in [0, 1], by which two amounts may differ and still be one: people round."""
_SAME_HOUR = 0.1
"""Hours by which two times of day may differ and still be one."""
_HALF_DAY = 12
_DAY = timedelta(days=1)
_MANY = 6
"""Words from which a count says no more."""
_FEW = 2
"""Names, numbers or scales from which a count says no more."""
_LONG = 25
"""Words from which a statement is long."""
_DAYS_SCALE = 7.0
"""Logarithm of the days, about three years, at which the gap is 1."""
WORD = 0.2
"""Value of the feature of a single word: small beside what a fitted head adds to each deviation, so that words, of
which there are many, weigh less than other features. Source: cross-validation."""
STEP = 0.25
"""Value of a step that is reached; small for the same reason. Source: cross-validation."""

_DIRECTION = 0.5
"""Weight of where the later statement lies from the earlier, beside 1 for how far. Source: cross-validation."""
_TOGETHER = 1.5
"""Weight of what reading both at once adds, beside 1 as above. Source: cross-validation."""

_SHARES = (0.0, 0.15, 0.3, 0.5, 0.7)
COSINES = (0.45, 0.55, 0.65, 0.75, 0.85)
_HIGH_COSINES = (0.79, 0.84, 0.88, 0.91, 0.94)
_LENGTHS = tuple(math.log(words + 0.5) for words in (6, 7, 8, 10, 13))
_STEPS: Mapping[str, tuple[float, ...]] = {
    **dict.fromkeys(("jaccard", "a_in_b", "b_in_a", "pairs", "in_order", "prefix", "suffix"), _SHARES),
    **dict.fromkeys(("cosine", "nameless_cosine"), COSINES),
    **dict.fromkeys(("a_in_both", "b_in_both"), _HIGH_COSINES),
    **dict.fromkeys(("length_a", "length_b"), _LENGTHS),
    "longer": (-0.1, 0.0, 0.1, 0.3, 0.6),
    "gap": tuple(math.log1p(days) / _DAYS_SCALE for days in (0, 7, 31, 100, 350)),
}
"""Where the finer features are cut: at about every sixth of the values that labelled pairs have."""


def compare(a: ParsedClaim, b: ParsedClaim, gap: timedelta) -> dict[str, float]:
    """Return named features of two statements, the one said earlier first; a gap of less than 0 counts as 0."""
    found = _overlap(a, b) | _subjects(a, b) | _values(a, b) | _polarity(a, b) | _time(a, b, max(0.0, gap / _DAY))
    return found | _crossed(found)


def word_features(a: ParsedClaim, b: ParsedClaim) -> dict[str, float]:
    """Return a feature for each word that only one statement has, and for each that both have."""
    said_a, said_b = frozenset(a.stems), frozenset(b.stems)
    parts = (("a", said_a - said_b), ("b", said_b - said_a), ("both", said_a & said_b))
    return {f"{part}:{word}": WORD for part, said in parts for word in said}


def step_features(features: Mapping[str, float]) -> dict[str, float]:
    """Return for each finer feature which of its steps it is above, named like ``gap>0.3``."""
    return {
        f"{name}>{cut:.3g}": STEP * (features[name] > cut)
        for name, cuts in _STEPS.items()
        if name in features
        for cut in cuts
    }


def is_word(name: str) -> bool:
    """Tell whether a feature is one of ``word_features``; those a pair does not have are 0."""
    return ":" in name


def _overlap(a: ParsedClaim, b: ParsedClaim) -> dict[str, float]:
    """Return which words are shared, and how one text would have to be edited to become the other."""
    count_a, count_b = Counter(a.content), Counter(b.content)
    shared, only_a, only_b = (sum(part.values()) for part in (count_a & count_b, count_a - count_b, count_b - count_a))
    pairs_a, pairs_b = set(pairwise(a.content)), set(pairwise(b.content))
    edits = SequenceMatcher(None, a.stems, b.stems, autojunk=False).get_opcodes()
    kept = sum(end - begin for kind, begin, end, *_ in edits if kind == "equal")
    changes = [kind for kind, *_ in edits if kind != "equal"]
    length_a, length_b = len(a.stems), len(b.stems)
    longest = max(length_a, length_b, 1)
    order_a, order_b = (
        [word for word in one if word in other] for one, other in ((a.content, count_b), (b.content, count_a))
    )
    return {
        "jaccard": shared / max(1, shared + only_a + only_b),
        "a_in_b": shared / max(1, len(a.content)),
        "b_in_a": shared / max(1, len(b.content)),
        "nothing_only_a": float(only_a == 0),
        "nothing_only_b": float(only_b == 0),
        "only_a": _count(only_a, _MANY),
        "only_b": _count(only_b, _MANY),
        "one_each": float(only_a == only_b == 1),
        "pairs": len(pairs_a & pairs_b) / max(1, min(len(pairs_a), len(pairs_b))),
        "in_order": 2 * kept / max(1, length_a + length_b),
        "prefix": _common_start(a.stems, b.stems) / longest,
        "suffix": _common_start(a.stems[::-1], b.stems[::-1]) / longest,
        "one_change": float(len(changes) == 1),
        "replaced": float(changes == ["replace"]),
        "inserted": float(set(changes) == {"insert"}),
        "deleted": float(set(changes) == {"delete"}),
        "same_words": float(Counter(a.stems) == Counter(b.stems)),
        "reordered": float(len(order_a) > 1 and order_a != order_b and Counter(order_a) == Counter(order_b)),
        "length_a": math.log1p(length_a),
        "length_b": math.log1p(length_b),
        "longer": math.log((length_b + 1) / (length_a + 1)),
        "is_long": float(longest > _LONG),
    }


def _subjects(a: ParsedClaim, b: ParsedClaim) -> dict[str, float]:
    """Return whether both are about one person and one case of a thing."""
    said_a, said_b = (frozenset(map(bare, frame.words)) for frame in (a, b))
    lone_a, lone_b = a.names - said_b, b.names - said_a
    is_same_owner = (a.owner in said_b) if a.owner else (b.owner in said_a)
    shared = (a.names & said_b) | (b.names & said_a)
    order_a, order_b = (list(dict.fromkeys(name for name in map(bare, f.words) if name in shared)) for f in (a, b))
    contrasts_a, contrasts_b = ({side.contrast for side in frame.sides} for frame in (a, b))
    return {
        "same_owner": float(is_same_owner),
        "other_owner": float(bool(a.owner and b.owner) and not is_same_owner and b.owner not in said_a),
        "other_start": float(a.owner != b.owner),
        "relative_differs": float(a.relative != b.relative),
        "relatives_clash": float(bool(a.relative and b.relative) and a.relative != b.relative),
        "same_relative": float(bool(a.relative) and a.relative == b.relative),
        "names_clash": float(bool(lone_a - {a.owner}) and bool(lone_b - {b.owner})),
        "new_name_a": _count(len(lone_a), _FEW),
        "new_name_b": _count(len(lone_b), _FEW),
        "shared_name": _count(len(shared - {a.owner, b.owner}), _FEW),
        "names_swapped": float(order_a != order_b),
        "sides_clash": float(bool((contrasts_a & contrasts_b) - {side.contrast for side in a.sides & b.sides})),
        "side_only_a": float(bool(contrasts_a - contrasts_b)),
        "side_only_b": float(bool(contrasts_b - contrasts_a)),
    }


def _values(a: ParsedClaim, b: ParsedClaim) -> dict[str, float]:
    """Return where numbers, dates and times agree and where they clash."""
    one, other = a.values, b.values
    found: dict[str, float] = {}
    for name in ("years", "months", "days", "weekdays"):
        parts_a, parts_b = getattr(one, name), getattr(other, name)
        found[f"{name}_clash"] = float(bool(parts_a and parts_b) and not parts_a & parts_b)
        found[f"{name}_same"] = float(bool(parts_a & parts_b))
    clash, agree = _quantities(one.quantities, other.quantities)
    kinds_a, kinds_b = ({quantity.kind for quantity in values.quantities} for values in (one, other))
    amounts_a, amounts_b = ({quantity.amount for quantity in values.quantities} for values in (one, other))
    apart = min((_hours_apart(x, y) for x in one.clock for y in other.clock), default=None)
    return found | {
        "number_clash": _count(clash, _FEW),
        "number_same": _count(agree, _FEW),
        "number_only_a": _count(len(kinds_a - kinds_b), _FEW),
        "number_only_b": _count(len(kinds_b - kinds_a), _FEW),
        "any_number_clash": float(bool(amounts_a and amounts_b) and amounts_a.isdisjoint(amounts_b)),
        "clock_clash": float(apart is not None and apart > _SAME_HOUR),
        "clock_same": float(apart is not None and apart <= _SAME_HOUR),
        "value_only_a": float(bool(one) and not other),
        "value_only_b": float(bool(other) and not one),
        "value_both": float(bool(one) and bool(other)),
    }


def _quantities(a: Sequence[Quantity], b: Sequence[Quantity]) -> tuple[int, int]:
    kinds = {quantity.kind for quantity in a} & {quantity.kind for quantity in b}
    agreed = {x.kind for x in a for y in b if x.kind == y.kind and math.isclose(x.amount, y.amount, rel_tol=_TOLERANCE)}
    return len(kinds - agreed), len(agreed)


def _hours_apart(one: float, other: float) -> float:
    """Return the distance of two times of day, in hours, were they said with a clock of twelve."""
    return abs((one - other + _HALF_DAY / 2) % _HALF_DAY - _HALF_DAY / 2)


def _polarity(a: ParsedClaim, b: ParsedClaim) -> dict[str, float]:
    """Return whether one denies what the other says, or says the opposite."""
    denied = (a.negated & frozenset(b.content)) - b.negated | (b.negated & frozenset(a.content)) - a.negated
    opposed, agreed = _scales(a.scale_ends - b.scale_ends, b.scale_ends - a.scale_ends)
    return {
        "parity": float(a.negations % 2 != b.negations % 2),
        "negated_a": float(a.negations > 0),
        "negated_b": float(b.negations > 0),
        "negated_both": float(a.negations > 0 and b.negations > 0),
        "one_denies": float(a.denies != b.denies),
        "denied": float(bool(denied)),
        "opposed": _count(opposed, _FEW),
        "agreed": _count(agreed, _FEW),
        "clash": float(opposed > 0 or bool(denied)),
    }


def _scales(only_a: Iterable[ScaleEnd], only_b: Iterable[ScaleEnd]) -> tuple[int, int]:
    """Return on how many scales words that only one has stand at opposite ends, and on how many at the same."""
    ends_a, ends_b = ({(pole.scale, pole.end) for pole in scale_ends} for scale_ends in (only_a, only_b))
    agreed = {scale for scale, _ in ends_a & ends_b}
    return len(({scale for scale, _ in ends_a} & {scale for scale, _ in ends_b}) - agreed), len(agreed)


def _time(a: ParsedClaim, b: ParsedClaim, days: float) -> dict[str, float]:
    """Return how far apart they were said, and what their words tell of tense, change and kind."""
    found = {"same_time": float(days == 0), "gap": math.log1p(days) / _DAYS_SCALE}
    for cue in CUES:
        found[f"{cue}_a"] = float(a.cues[cue] > 0)
        found[f"{cue}_b"] = float(b.cues[cue] > 0)
    for cue in ("change", "detail", "vague", "past", "plan"):
        found[f"{cue}_more"] = max(-_FEW, min(_FEW, b.cues[cue] - a.cues[cue])) / _FEW
    return found


def _crossed(found: Mapping[str, float]) -> dict[str, float]:
    now, later = found["same_time"], 1 - found["same_time"]
    return {
        "only_negated": found["one_denies"] * max(found["nothing_only_a"], found["nothing_only_b"]),
        "both_past": found["past_a"] * found["past_b"],
        "to_present": found["past_a"] * (1 - found["past_b"]),
        "to_past": (1 - found["past_a"]) * found["past_b"],
        "planned_then_done": found["plan_a"] * (1 - found["plan_b"]),
        "change_later": found["change_b"] * (1 - found["change_a"]) * later,
        "clash_now": found["clash"] * now,
        "clash_later": found["clash"] * later,
        "number_clash_now": found["number_clash"] * now,
        "number_clash_later": found["number_clash"] * later,
        "replaced_now": found["replaced"] * now,
        "replaced_later": found["replaced"] * later,
        "replaced_single": found["replaced"] * max(found["single_a"], found["single_b"]),
        "replaced_multi": found["replaced"] * max(found["multi_a"], found["multi_b"]),
        "replaced_dated": found["replaced"] * max(found["years_same"], found["timeless_a"]),
    }


def _count(number: int, most: int) -> float:
    return min(number, most) / most


def _common_start(one: Sequence[str], other: Sequence[str]) -> int:
    return next(
        (place for place, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other))
    )


def texts_to_embed(a: ParsedClaim, b: ParsedClaim) -> tuple[str, ...]:
    """Return the texts whose vectors are read: both statements, both without their owner's name, and both as one."""
    return a.text, b.text, a.nameless, b.nameless, _joined(a, b)


def pair_vectors(a: ParsedClaim, b: ParsedClaim, vectors: Mapping[str, Matrix]) -> Matrix:
    """Return what a head reads: distance and direction of the statements, and what is new when they are read as one.

    Shape (3 x dimension,); ``vectors`` holds one of unit length for every text that ``texts_to_embed`` names.
    """
    one, other = vectors[a.nameless], vectors[b.nameless]
    new = vectors[_joined(a, b)] - unit_rows(one + other)
    return np.concatenate([np.abs(one - other), _DIRECTION * (other - one), _TOGETHER * new])


def likeness(a: ParsedClaim, b: ParsedClaim, vectors: Mapping[str, Matrix]) -> dict[str, float]:
    """Return cosines, each in [-1, 1]: as said, without the owner's name, and of each with both read as one.

    Arguments are those of ``pair_vectors``.
    """
    together = vectors[_joined(a, b)]
    return {
        "cosine": float(vectors[a.text] @ vectors[b.text]),
        "nameless_cosine": float(vectors[a.nameless] @ vectors[b.nameless]),
        "a_in_both": float(vectors[a.nameless] @ together),
        "b_in_both": float(vectors[b.nameless] @ together),
    }


def _joined(a: ParsedClaim, b: ParsedClaim) -> str:
    return f"{a.nameless.rstrip(' .')}. {b.nameless}"
