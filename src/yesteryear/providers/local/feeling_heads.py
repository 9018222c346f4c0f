"""What trained heads make of a talk: which emotion it shows, or which state.

One head reads the vector of a sentence and tells how much it sounds like each candidate. Another reads a few numbers of
one candidate at a time (how often words show it, how much the sentences sound like it) and tells whether it is the one;
its weights are the same for all candidates, because labelled talks are too few for weights of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from yesteryear.core.heads import find_head
from yesteryear.core.linear import LinearHead, softmax
from yesteryear.core.vectors import Matrix
from yesteryear.providers.local.feeling_words import Cues
from yesteryear.providers.local.reading import Sentence

EMOTION = "emotion"
STATE = "user_state"
NEUTRAL = "neutral"
"""The candidate that stands for nothing shown, of emotions and of states."""
THE_ONE, ANOTHER = "yes", "no"
"""Classes of the head that reads a talk."""
SENTENCES = 20
"""Sentences embedded of one talk, spread over it. Source: all of them tell no more, twelve tell less of the state."""
FEWEST = 5
"""Sentences a talk needs to be judged by the heads. Source: the shortest labelled talk has as many; of a single
sentence they think too much."""
LEAD = 0.02
"""Probability, in [0, 1], by which the likeliest candidate must lead to be told. Source: on talks held out, what is
told is then right in 1 to 2 of 100 cases more, at about the same accuracy; four times as much costs accuracy."""
_LATE_FROM = 2 / 3
"""Place, in [0, 1], from which a sentence belongs to the last third of the talk."""

CUE_FEATURES = ("cues", "cue_rate", "late_cues", "first_cues")
"""Words that show a candidate: how many, how many a sentence, how many in the last third and in the first message."""
SOUND_FEATURES = ("sounds_most", "sounds_three", "sounds_mean", "sounds_last")
"""How sentences sound, as logits: the clearest, the three clearest, all, those of the last message."""


@dataclass(frozen=True, slots=True, eq=False)
class FeelingHeads:
    """Two heads that work together."""

    of_sentence: LinearHead
    """From the vector of a sentence to the candidates."""
    of_talk: LinearHead
    """From the features of one candidate to THE_ONE or ANOTHER."""

    def probabilities(self, sentences: Sequence[Sentence], vectors: Matrix, cues: Cues) -> dict[str, float]:
        """Return how likely each candidate is the one, in [0, 1]; together they make 1.

        Args:
            sentences: What users say, in order; at least one.
            vectors: Shape (n, dimension), of ``pick_sentences(sentences)``.
            cues: Counts in all sentences.
        """
        return compare(self.of_talk, talk_features(sentences, cues, sound_like(self.of_sentence, vectors)))


def find_feeling_heads(model: str) -> tuple[FeelingHeads, FeelingHeads] | None:
    """Return the shipped heads for EMOTION and for STATE, or None where none read the vectors of ``model``."""
    found = [
        FeelingHeads(of_sentence, of_talk)
        for name in (EMOTION, STATE)
        if (of_sentence := find_head(sentence_head(name), model=model)) and (of_talk := find_head(name))
    ]
    return (found[0], found[1]) if len(found) == 2 else None


def sentence_head(name: str) -> str:
    """Return what the head that reads sentences is called."""
    return f"{name}_of_sentence"


def pick_sentences(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return at most SENTENCES of them, evenly spread, the first and the last among them."""
    if len(sentences) <= SENTENCES:
        return list(sentences)
    step = (len(sentences) - 1) / (SENTENCES - 1)
    return [sentences[round(number * step)] for number in range(SENTENCES)]


def sound_like(head: LinearHead, vectors: Matrix) -> dict[str, list[float]]:
    """Return for each candidate a logit for each sentence.

    Args:
        head: Reads one vector and no named features.
        vectors: Shape (n, dimension).
    """
    logits = [head.bias + head.vector_logits(vector) for vector in vectors]
    return {name: [float(row[column]) for row in logits] for column, name in enumerate(head.classes)}


def talk_features(
    sentences: Sequence[Sentence], cues: Cues, sounds: Mapping[str, Sequence[float]]
) -> dict[str, dict[str, float]]:
    """Return the named features of each candidate: CUE_FEATURES, SOUND_FEATURES and which candidate it is.

    Args:
        sentences: What users say, in order; at least one.
        cues: Counts in all sentences; a candidate without words has none.
        sounds: A logit for each of ``pick_sentences(sentences)``.
    """
    last = [sentence.message is sentences[-1].message for sentence in pick_sentences(sentences)]
    unseen = [0] * len(sentences)
    return {
        candidate: {
            **_cue_features(sentences, cues.get(candidate, unseen)),
            **_sound_features(logits, last),
            **{f"is_{name}": float(name == candidate) for name in sounds},
        }
        for candidate, logits in sounds.items()
    }


def compare(head: LinearHead, features: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return how likely each candidate is the one, in [0, 1]; together they make 1.

    Args:
        head: Tells THE_ONE from ANOTHER.
        features: Of each candidate.
    """
    the_one, another = head.classes.index(THE_ONE), head.classes.index(ANOTHER)
    logits = np.array([head.logits(row) for row in features.values()])
    return dict(zip(features, softmax(logits[:, the_one] - logits[:, another]).tolist(), strict=True))


def likeliest(probabilities: Mapping[str, float]) -> str:
    """Return the likeliest candidate; of two states that are nearly as likely, either is as often right."""
    return max(probabilities, key=lambda name: probabilities[name])


def tell(probabilities: Mapping[str, float]) -> str:
    """Return the likeliest candidate, or NEUTRAL where it does not lead by LEAD."""
    first, second = sorted(probabilities, key=lambda name: -probabilities[name])[:2]
    return first if probabilities[first] - probabilities[second] >= LEAD else NEUTRAL


def _cue_features(sentences: Sequence[Sentence], counts: Sequence[int]) -> dict[str, float]:
    late = sum(count for sentence, count in zip(sentences, counts, strict=True) if sentence.place >= _LATE_FROM)
    first = sum(
        count for sentence, count in zip(sentences, counts, strict=True) if sentence.message is sentences[0].message
    )
    values = (math.log1p(sum(counts)), sum(counts) / len(sentences), math.log1p(late), math.log1p(first))
    return dict(zip(CUE_FEATURES, values, strict=True))


def _sound_features(logits: Sequence[float], last: Sequence[bool]) -> dict[str, float]:
    clearest = sorted(logits, reverse=True)
    closing = [logit for logit, is_last in zip(logits, last, strict=True) if is_last]
    values = (clearest[0], _mean(clearest[:3]), _mean(logits), _mean(closing))
    return dict(zip(SOUND_FEATURES, values, strict=True))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
