"""Tell of which kind a fact is: a head weighs it, and a few wordings leave no choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from yesteryear.core.fact import FactKind
from yesteryear.core.language.lexicon import fold, phrases
from yesteryear.core.linear import LinearHead
from yesteryear.providers.local.facts.utterance import Utterance, kind_features, kind_vectors

CLOSE = 0.1
"""Difference of probability, in [0, 1], below which the second kind is told too."""

_DECIDES = phrases(
    r"""
    decided settled from_(?:now|today|tomorrow|next_\w+)_on write_(?:it|that|this)_down gave_notice given_notice
    handed_in_my_notice made_up_my_mind my_mind_is_made_up it's_final
    """
)
_OPEN = phrases(
    r"(?:haven't|hasn't|not|nothing(?:'s|_is)?)_(?:\w+_)?(?:decided|settled) (?:he|she|they|who|you)_decided undecided"
)


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
    if first is not FactKind.DECISION and _DECIDES.search(text) and not _OPEN.search(text):
        return FactKind.DECISION, first
    return first, second if is_close else None
