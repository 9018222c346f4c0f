"""Fitting the four heads for facts: what each of them learns from in a labelled message."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from yesteryear.core.vectors import Matrix
from yesteryear.providers.local.facts.selecting import JOIN, KIND, MESSAGE, NO, UNIT, YES, FactHeads
from yesteryear.providers.local.facts.utterance import join_inputs, kind_inputs, message_inputs, unit_inputs
from yesteryear_lab.training.fact_rows import LabelledUtterance
from yesteryear_lab.training.fit import FitPolicy, Samples, fit_head, stack

Case: TypeAlias = tuple[Mapping[str, float], Matrix | None, str, float]
"""Features, vectors, label and weight of one thing to be judged."""
_GENTLE = partial(FitPolicy, tolerance=1e-4)


@dataclass(frozen=True, slots=True)
class FactFitting:
    """How strongly each head is held back."""

    unit: FitPolicy = field(default_factory=partial(_GENTLE, inverse_l2=0.01, vector_factor=8.0))
    message: FitPolicy = field(default_factory=partial(_GENTLE, inverse_l2=0.006, vector_factor=16.0))
    join: FitPolicy = field(default_factory=partial(_GENTLE, inverse_l2=0.005, vector_factor=3.0))
    kind: FitPolicy = field(default_factory=partial(_GENTLE, inverse_l2=0.01, vector_factor=10.0))


@dataclass(frozen=True, slots=True, eq=False)
class FactSamples:
    """What each head learns from, and from which message each case is."""

    samples: Mapping[str, Samples]
    """By the head's name; with vectors."""
    owners: Mapping[str, npt.NDArray[np.intp]]
    """Number of the message of each case, in the same order."""


def unit_cases(row: LabelledUtterance) -> list[Case]:
    """Return each unit: does it state a fact?"""
    if not row.has_spans:
        return []
    stating = {place for span in row.stated for place in span.places}
    return [
        (*unit_inputs(row.utterance, place), YES if place in stating else NO, row.weight)
        for place in range(len(row.utterance.units))
    ]


def message_cases(row: LabelledUtterance) -> list[Case]:
    """Return the message: does it state a fact?"""
    if not row.utterance.units:
        return []
    return [(*message_inputs(row.utterance), YES if row.states_a_fact else NO, row.weight)]


def join_cases(row: LabelledUtterance) -> list[Case]:
    """Return the neighbours of which at least one states a fact: do both state the same?"""
    cases: list[Case] = []
    for place in range(1, len(row.utterance.units)):
        touched = [span for span in row.stated if place in span.places or place - 1 in span.places]
        if touched:
            is_one = any(place in span.places and place - 1 in span.places for span in touched)
            cases.append((*join_inputs(row.utterance, place), YES if is_one else NO, row.weight))
    return cases


def kind_cases(row: LabelledUtterance) -> list[Case]:
    """Return the stated facts: of which kind?"""
    return [(*kind_inputs(row.utterance, span.places), span.kind, row.weight) for span in row.stated if span.kind]


CASES: Mapping[str, Callable[[LabelledUtterance], list[Case]]] = {
    UNIT: unit_cases,
    MESSAGE: message_cases,
    JOIN: join_cases,
    KIND: kind_cases,
}


def gather(rows: Sequence[LabelledUtterance]) -> FactSamples:
    """Return all cases of all messages."""
    samples, owners = {}, {}
    for name, cases_of in CASES.items():
        cases = [(number, case) for number, row in enumerate(rows) for case in cases_of(row)]
        vectors = [vectors.reshape(-1) for _, (_, vectors, _, _) in cases if vectors is not None]
        samples[name] = Samples(
            *stack([features for _, (features, _, _, _) in cases]),
            labels=tuple(label for _, (_, _, label, _) in cases),
            vectors=np.stack(vectors) if vectors else None,
            weights=np.array([weight for _, (_, _, _, weight) in cases]),
        )
        owners[name] = np.array([number for number, _ in cases])
    return FactSamples(samples, owners)


def fit_heads(data: FactSamples, rows: Sequence[int], fitting: FactFitting, *, model: str | None) -> FactHeads:
    """Train the four heads on the cases of some messages."""
    picked = set(rows)
    heads = {}
    for name, samples in data.samples.items():
        chosen = samples.at([case for case, owner in enumerate(data.owners[name].tolist()) if owner in picked])
        heads[name] = fit_head(name, chosen, getattr(fitting, name.removeprefix("fact_")), model=model)
    return FactHeads(heads[UNIT], heads[MESSAGE], heads[JOIN], heads[KIND])
