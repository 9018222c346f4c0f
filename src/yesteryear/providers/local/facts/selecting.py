"""Choose which clauses of a message state a fact, which of them belong together, and of which kind the fact is.

A run grows from a likely seed to likely neighbours; what is imagined, or said in jest, belongs to none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from yesteryear.core.attributes import FactKind
from yesteryear.core.heads import LinearHead, find_head
from yesteryear.core.language.about_oneself import says_of_oneself
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.facts.utterance import (
    Joint,
    Utterance,
    join_inputs,
    kind_inputs,
    message_inputs,
    unit_inputs,
)

_EN = vocabulary("meaning")

UNIT, MESSAGE, JOIN, KIND = "fact_unit", "fact_message", "fact_join", "fact_kind"
"""Names of the heads."""
YES, NO = "yes", "no"
"""Classes of the first three."""
_CLOSE = 0.1
"""Difference of probability, in [0, 1], below which the second kind is told too."""


@dataclass(frozen=True, slots=True)
class SelectPolicy:
    """How sure one must be of a statement, and how far it reaches."""

    seed: float = 0.64
    """Probability, in [0, 1], that the surest unit of a run needs."""
    plain: float = 0.7
    """Least probability, in [0, 1], of a unit that plainly says something of its speaker's life; at least ``seed``."""
    beside: float = 0.33
    """Probability, in [0, 1], that a unit needs to join a run."""
    same: float = 0.2
    """Probability, in [0, 1], that two neighbours are one statement, from which they are joined."""
    apart: float = 0.5
    """Probability, in [0, 1], that the surest unit of a sentence needs to be told apart from the rest of its run."""
    message_share: float = 0.35
    """Weight, in [0, 1], of the message's probability in the geometric mean with the unit's."""
    most_units: int = 6
    """Units that one statement spans at most."""


@dataclass(frozen=True, slots=True, eq=False)
class FactHeads:
    """The heads that find facts; all read the vectors of one model, or none does."""

    unit: LinearHead
    message: LinearHead
    join: LinearHead
    kind: LinearHead


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring units that state one fact."""

    first: int
    last: int
    """Place of its last unit; a part of it too."""
    sure: tuple[float, ...]
    """Of each of its units: how likely it states a fact, or a part of one, in [0, 1]."""

    @property
    def probability(self) -> float:
        """That it states a fact, in [0, 1]: that of its surest unit."""
        return max(self.sure)

    @property
    def places(self) -> range:
        """Its units."""
        return range(self.first, self.last + 1)

    def part(self, first: int, last: int) -> Run:
        """Return some of its units."""
        return Run(first, last, self.sure[first - self.first : last - self.first + 1])


def find_fact_heads(model: str | None) -> FactHeads | None:
    """Return the shipped heads for the vectors of ``model``, or those that read none; None where one is missing."""
    unit, message, join, kind = (find_head(name, model=model) for name in (UNIT, MESSAGE, JOIN, KIND))
    return FactHeads(unit, message, join, kind) if unit and message and join and kind else None


def select_runs(utterance: Utterance, heads: FactHeads, policy: SelectPolicy) -> tuple[Run, ...]:
    """Return the runs of units that state a fact, in order; no unit is in two of them.

    The utterance has vectors exactly when the heads have a model.
    """
    if not utterance.units:
        return ()
    whole = message_probability(utterance, heads)
    is_plain = says_of_oneself(utterance.text) is not None

    def probability(place: int) -> float:
        if is_imagined(utterance, place) or is_reported(utterance, place):
            return 0.0
        least = policy.plain if is_plain and says_of_oneself(utterance.units[place].text) else 0.0
        own = heads.unit.probabilities(*unit_inputs(utterance, place))[YES]
        return max(least, float(own ** (1 - policy.message_share) * whole**policy.message_share))

    sure = [probability(place) for place in range(len(utterance.units))]
    same = [0.0, *(_sameness(utterance, place, heads) for place in range(1, len(utterance.units)))]
    return grow_runs(sure, same, policy)


def grow_runs(sure: Sequence[float], same: Sequence[float], policy: SelectPolicy) -> tuple[Run, ...]:
    """Return runs around seeds, the surest seed first served, in order of place.

    Of each unit it is told how likely it states a fact, and how likely it is one statement with the one before it.
    """
    taken: set[int] = set()
    runs: list[Run] = []

    def joins(place: int, neighbour: int) -> bool:
        return (
            0 <= place < len(sure)
            and place not in taken
            and sure[place] >= policy.beside
            and same[max(place, neighbour)] >= policy.same
        )

    for seed in sorted(range(len(sure)), key=lambda place: (-sure[place], place)):
        if sure[seed] < policy.seed or seed in taken:
            continue
        first = last = seed
        while last - first + 1 < policy.most_units and joins(first - 1, first):
            first -= 1
        while last - first + 1 < policy.most_units and joins(last + 1, last):
            last += 1
        taken.update(range(first, last + 1))
        runs.append(Run(first, last, tuple(sure[first : last + 1])))
    return tuple(sorted(runs, key=lambda run: run.first))


def message_probability(utterance: Utterance, heads: FactHeads) -> float:
    """Return how likely a message states any fact, in [0, 1]."""
    return heads.message.probabilities(*message_inputs(utterance))[YES]


def tell_kind(utterance: Utterance, places: Sequence[int], head: LinearHead) -> tuple[FactKind, FactKind | None]:
    """Return the kind of what some units of a message state, and the second where it is nearly as likely."""
    text = fold(" ".join(utterance.units[place].text for place in places))
    return choose_kind(head.probabilities(*kind_inputs(utterance, places)), text)


def choose_kind(probabilities: Mapping[str, float], text: str) -> tuple[FactKind, FactKind | None]:
    """Return the likeliest kind, or a decision where the folded ``text`` leaves no doubt; and the close second."""
    first, second = (FactKind(name) for name in sorted(probabilities, key=lambda name: -probabilities[name])[:2])
    is_close = probabilities[first] - probabilities[second] < _CLOSE
    if first is not FactKind.DECISION and _EN["decides"].search(text) and not _EN["still_open"].search(text):
        return FactKind.DECISION, first
    return first, second if is_close else None


def is_imagined(utterance: Utterance, place: int) -> bool:
    """Tell whether a unit is not meant: a case that is put, what could have been, or a joke that is owned up to."""
    units = utterance.units
    last = place + (place + 1 < len(units) and units[place + 1].joint is Joint.SUBORDINATE)
    first = place - (place > 0 and units[place].joint is Joint.SUBORDINATE)
    clause = utterance.text[units[first].start : units[last].end]
    return _EN["imagined"].search(fold(clause)) is not None or any(
        _EN["taken_back"].search(fold(unit.text)) for unit in units[place : place + 2]
    )


def is_reported(utterance: Utterance, place: int) -> bool:
    """Tell whether a unit does no more than bring in somebody else's words."""
    unit = utterance.units[place]
    is_quoting = any(start < unit.end and unit.start < end for start, end in utterance.quoted)
    return is_quoting and _EN["says"].search(fold(unit.text)) is not None


def _sameness(utterance: Utterance, place: int, heads: FactHeads) -> float:
    """Return the probability that a unit and the one before it are one statement; 0 where a quotation parts them."""
    left, right = utterance.units[place - 1], utterance.units[place]
    if any(left.end <= start and end <= right.start for start, end in utterance.quoted):
        return 0.0
    return heads.join.probabilities(*join_inputs(utterance, place))[YES]
