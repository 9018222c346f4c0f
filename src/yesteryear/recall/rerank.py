"""The newer of two statements of a value stands first; the older one stays, and is told to be the earlier.

No similarity can tell an update from a paraphrase, so the rule is narrow: the same speaker, a value of the same
thing in both, a word of change in the newer, and only for questions about values as they are now. Values are numbers,
days and months.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from yesteryear.core.language.questions import asks_for_present_value, has_value, same_slot, tells_change
from yesteryear.core.message import Role
from yesteryear.recall.lexical import Scores
from yesteryear.recall.view import View


@dataclass(frozen=True, slots=True)
class RerankPolicy:
    """When one statement updates another."""

    updates_among: int = 8
    """Best hits that are looked at; 0 turns the rule off."""
    update_cosine: float = 0.3
    """Least cosine of the two statements, in [-1, 1]."""
    update_gap: float = 3.0
    """Largest lead of the older statement, in deviations of the score; at least 0."""
    update_lead: float = 0.01
    """By how much the newer then leads, in deviations of the score, at least 0.001."""


@dataclass(frozen=True, slots=True)
class Updates:
    """What the rule found among the best hits."""

    lifts: dict[int, float] = field(default_factory=dict)
    """What is added to the scores of newer statements, by position."""
    earlier: frozenset[int] = frozenset()
    """Positions of statements that a newer one replaces."""


def find_updates(question: str, view: View, best: Sequence[int], scores: Scores, policy: RerankPolicy) -> Updates:
    """Return which of the best hits update which.

    Args:
        question: As it was asked.
        view: Where the positions point to.
        best: Positions of the best hits, best first.
        scores: Of all units; shape (m,).
        policy: When one statement updates another.
    """
    lifts: dict[int, float] = {}
    earlier: set[int] = set()
    if asks_for_present_value(question):
        stated = [position for position in best[: policy.updates_among] if _states_value(view, position)]
        stated.sort(key=lambda position: int(view.rows["at"][position]))
        for older, newer in combinations(stated, 2):
            if _updates(view, older, newer, question, policy):
                gap = scores[older] + lifts.get(older, 0.0) - scores[newer] - lifts.get(newer, 0.0)
                if gap < policy.update_gap:
                    earlier.add(older)
                    lifts[newer] = lifts.get(newer, 0.0) + max(0.0, float(gap) + policy.update_lead)
    return Updates({position: lift for position, lift in lifts.items() if lift}, frozenset(earlier))


def _states_value(view: View, position: int) -> bool:
    message = view.message(position)
    return message is not None and message.role is Role.USER and has_value(view.unit(position).text)


def _updates(view: View, older: int, newer: int, question: str, policy: RerankPolicy) -> bool:
    rows = view.rows
    is_later = rows["at"][older] < rows["at"][newer] and rows["author"][older] == rows["author"][newer]
    numbers = view.numbers[[older, newer]]
    if not is_later or not view.index.holds_vectors(numbers).all():
        return False
    first, second = view.index.vectors(numbers)
    before, now = view.unit(older).text, view.unit(newer).text
    return (
        float(np.dot(first, second)) >= policy.update_cosine and tells_change(now) and same_slot(before, now, question)
    )
