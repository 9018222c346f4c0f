"""How the person feels and how they stand to what they are doing.

Trained heads tell it of talks as long as those they were trained on, where the vectors they read are at hand;
elsewhere the words that show it decide. Both stay silent when in doubt: better no emotion than a guessed one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from yesteryear.core.episode import UserState
from yesteryear.core.vectors import Matrix, Purpose
from yesteryear.errors import ProviderError
from yesteryear.providers.local.feeling_heads import (
    FEWEST,
    NEUTRAL,
    find_feeling_heads,
    likeliest,
    pick_sentences,
    tell,
)
from yesteryear.providers.local.feeling_words import EMOTIONS, FACES, STATES, Cues, count_cues
from yesteryear.providers.local.reading import Sentence

if TYPE_CHECKING:
    from yesteryear.ports import Embedder

MOST = 3
"""Emotions named at most."""
_SHARE = 0.5
"""Part of the strongest emotion's weight that another needs to be named beside it."""
_LATE = 0.5
"""How much more a cue in the last message weighs than one in the first: people end where they stand."""
_DOUBT = 2.0
"""Added to the usual number of cues, so that a single cue of a rare state decides nothing."""
_LEAD = 0.5
"""Cues for each usual one, with doubt added, from which a state is named."""
_USUAL: Mapping[UserState, float] = MappingProxyType(
    {
        UserState.BLOCKED: 0.2,
        UserState.STUCK: 0.4,
        UserState.PROGRESSING: 0.4,
        UserState.CELEBRATING: 0.5,
        UserState.PLANNING: 1.3,
    }
)
"""How many cues of each state an average talk holds, whatever its state. Source: counted in 120 dialogs."""

log = logging.getLogger("yesteryear.providers")


@dataclass(frozen=True, slots=True)
class Feelings:
    """What the users' words show."""

    emotions: tuple[str, ...]
    """At most MOST names, strongest first; none when the talk is neutral."""
    strength: float
    """Weight of all cues of emotion; a cue in the first message weighs 1."""
    state: UserState


def read_feelings(
    sentences: Sequence[Sentence], embedder: Embedder | None, *, give_way: Callable[[], None]
) -> Feelings:
    """Return how the users feel and stand.

    Args:
        sentences: What users say, in order.
        embedder: Makes vectors of some sentences where heads were trained with its model. When it fails, when there is
            none, and for less than FEWEST sentences, the word lists decide.
        give_way: Called before each list of words and each sentence that is embedded.
    """
    emotion_cues = count_cues(sentences, EMOTIONS, FACES, give_way=give_way)
    state_cues = count_cues(sentences, STATES, give_way=give_way)
    weights = weigh_cues(sentences, emotion_cues)
    found = Feelings(
        emotions=emotions_by_words(weights),
        strength=sum(weights.values()),
        state=state_by_words(weigh_cues(sentences, state_cues)),
    )
    heads = find_feeling_heads(embedder.profile.model) if embedder and len(sentences) >= FEWEST else None
    vectors = _embed(pick_sentences(sentences), embedder, give_way=give_way) if embedder and heads else None
    if heads is None or vectors is None:
        return found
    emotion, state = heads
    return replace(
        found,
        emotions=_emotions_by_heads(emotion.probabilities(sentences, vectors, emotion_cues)),
        state=UserState(likeliest(state.probabilities(sentences, vectors, state_cues))),
    )


def weigh_cues(sentences: Sequence[Sentence], cues: Cues) -> dict[str, float]:
    """Return the weight of each name's cues: later ones weigh more."""
    return {
        name: sum(count * (1 + _LATE * sentence.place) for sentence, count in zip(sentences, counts, strict=True))
        for name, counts in cues.items()
    }


def emotions_by_words(weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the emotions with the heaviest cues, strongest first; ties go by the order of EMOTIONS."""
    strongest = max(weights.values())
    return _strongest(weights, at_least=_SHARE * strongest) if strongest else ()


def state_by_words(weights: Mapping[str, float]) -> UserState:
    """Return the state whose cues most exceed what is usual; NEUTRAL where none does by much."""
    lead = {state: weights[state] / (usual + _DOUBT) for state, usual in _USUAL.items()}
    state = max(lead, key=lambda state: lead[state])
    return state if lead[state] >= _LEAD else UserState.NEUTRAL


def _emotions_by_heads(probabilities: Mapping[str, float]) -> tuple[str, ...]:
    first = tell(probabilities)
    if first == NEUTRAL:
        return ()
    return _strongest(probabilities, at_least=max(_SHARE * probabilities[first], probabilities[NEUTRAL]))


def _strongest(weights: Mapping[str, float], *, at_least: float) -> tuple[str, ...]:
    named = [name for name, weight in weights.items() if weight >= at_least]
    return tuple(sorted(named, key=lambda name: -weights[name])[:MOST])


def _embed(sentences: Sequence[Sentence], embedder: Embedder, *, give_way: Callable[[], None]) -> Matrix | None:
    """Return a vector for each sentence, made one by one so that others may go first; None when that fails."""
    rows = []
    try:
        for sentence in sentences:
            give_way()
            rows.append(embedder.embed([sentence.text], purpose=Purpose.DOCUMENT)[0])
    except ProviderError as exc:
        log.warning("feelings are told by words alone, for the embedder failed (%s)", exc.code)
        return None
    return np.stack(rows)
