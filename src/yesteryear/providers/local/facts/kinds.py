"""Tell of which kind a fact is: a head weighs it, and a few wordings leave no choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from yesteryear.core.fact import FactKind
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.linear import LinearHead
from yesteryear.providers.local.facts.utterance import Utterance, kind_features, kind_vectors

_EN = vocabulary("meaning")

CLOSE = 0.1
"""Difference of probability, in [0, 1], below which the second kind is told too."""


def tell_kind(utterance: Utterance, places: Sequence[int], head: LinearHead) -> tuple[FactKind, FactKind | None]:
    """Return the kind of what some units of a message state, and the second where it is nearly as likely.

    Args:
        utterance: With vectors exactly when the head has a model.
        places: Of the units.
        head: From their features to kinds.
    """
    vectors = None if utterance.vectors is None else kind_vectors(utterance.vectors, places)
    probabilities = head.probabilities(kind_features(utterance, places), vectors)
    text = fold(" ".join(utterance.units[place].text for place in places))
    return choose_kind(probabilities, text)


def choose_kind(probabilities: Mapping[str, float], text: str) -> tuple[FactKind, FactKind | None]:
    """Return the likeliest kind, or a decision where the folded ``text`` leaves no doubt; and the close second."""
    first, second = (FactKind(name) for name in sorted(probabilities, key=lambda name: -probabilities[name])[:2])
    is_close = probabilities[first] - probabilities[second] < CLOSE
    if first is not FactKind.DECISION and _EN["decides"].search(text) and not _EN["still_open"].search(text):
        return FactKind.DECISION, first
    return first, second if is_close else None
