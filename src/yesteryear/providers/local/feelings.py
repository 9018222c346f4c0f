"""How the person feels and how they stand to what they are doing, told by cues in words and, with vectors, by heads.

One head tells of a sentence how it sounds; another weighs cues and sounds, with the same weights for all candidates,
because labelled talks are too few for weights of their own. In doubt all stay silent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from yesteryear.core.episode import UserState
from yesteryear.core.heads import LinearHead, find_head, softmax
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.reading import MessageReading
from yesteryear.core.vectors import Matrix
from yesteryear.providers.local.reading import Sentence

_EN = vocabulary("feelings")
Cues: TypeAlias = Mapping[str, Sequence[int]]  # how often each emotion or state is shown in each sentence
EMOTIONS, STATES = _EN.group("emotions"), _EN.group("states")
"""Cues of each emotion and of each state; without any the talk is neutral."""
FACES: Mapping[str, str] = _EN.table("faces")  # emoji that show an emotion
EMOTION, STATE = "emotion", "user_state"  # names of the heads that read a talk
NEUTRAL = "neutral"  # the candidate that stands for nothing shown, of emotions and of states
THE_ONE, ANOTHER = "yes", "no"  # classes of the head that reads a talk
CUE_FEATURES = ("cues", "cue_rate", "late_cues", "first_cues")
"""Words that show a candidate: how many, how many a sentence, how many in the last third and in the first message."""
SOUND_FEATURES = ("sounds_most", "sounds_three", "sounds_mean", "sounds_last")
"""How sentences sound, as logits: the clearest, the three clearest, all, those of the last message."""
SENTENCES = 20  # sentences read of one talk, spread over it. Source: all tell no more, twelve tell less of the state
FEWEST = 5
"""Sentences a talk needs to be judged by the heads. Source: the shortest labelled talk has as many; of a single
sentence they think too much."""
_LEAD = 0.02
"""Probability, in [0, 1], by which the likeliest candidate must lead to be told. Source: on talks held out, what is
told is then right in 1 to 2 of 100 cases more, at about the same accuracy; four times as much costs accuracy."""
_LATE_FROM = 2 / 3  # place, in [0, 1], from which a sentence belongs to the last third of the talk
_LOOK_BACK = 32  # characters before a cue in which a negation takes its sense away
_MOST = 3  # emotions named at most
_SHARE = 0.5  # part of the strongest emotion's weight that another needs to be named beside it
_LATE = 0.5  # how much more a cue in the last message weighs than one in the first: people end where they stand
_DOUBT = 2.0  # added to the usual number of cues, so that a single cue of a rare state decides nothing
_CLEAR = 0.5  # cues for each usual one, with doubt added, from which a state is named
_USUAL: Mapping[UserState, float] = {UserState(state): cues for state, cues in _EN.table("usual").items()}
"""How many cues of each state an average talk holds, whatever its state. Source: counted in 120 dialogs."""


@dataclass(frozen=True, slots=True)
class Feelings:
    """What the users' words show."""

    emotions: tuple[str, ...]  # a few names, strongest first; none when the talk is neutral
    strength: float  # weight of all cues of emotion; a cue in the first message weighs 1
    state: UserState


@dataclass(frozen=True, slots=True, eq=False)
class FeelingHeads:
    """Two heads that work together."""

    of_sentence: LinearHead  # from the vector of a sentence to the candidates
    of_talk: LinearHead  # from the features of one candidate to THE_ONE or ANOTHER

    def probabilities(self, sentences: Sequence[Sentence], vectors: Matrix, cues: Cues) -> dict[str, float]:
        """Return how likely each candidate is the one, in [0, 1]; together they make 1. See ``talk_features``."""
        return compare(self.of_talk, talk_features(sentences, cues, sound_like(self.of_sentence, vectors)))


def read_feelings(
    sentences: Sequence[Sentence], readings: Mapping[str, MessageReading], *, yield_to_foreground: Callable[[], None]
) -> Feelings:
    """Return how the users feel and stand.

    By heads, where some were trained with the reader's vectors; without, and for less than FEWEST sentences, by words.
    """
    emotion_cues = count_cues(sentences, EMOTIONS, FACES, yield_to_foreground=yield_to_foreground)
    state_cues = count_cues(sentences, STATES, yield_to_foreground=yield_to_foreground)
    weights = weigh_cues(sentences, emotion_cues)
    state = state_by_words(weigh_cues(sentences, state_cues))
    found = Feelings(emotions_by_words(weights), sum(weights.values()), state)
    picked = pick_sentences(sentences)
    vectors = [vector for sentence in picked if (vector := _vector_of(sentence, readings)) is not None]
    readers = {reading.reader for reading in readings.values()}
    heads = find_feeling_heads(min(readers)) if len(vectors) == len(picked) >= FEWEST else None
    if heads is None:
        return found
    of_emotion, of_state = heads
    emotions = of_emotion.probabilities(sentences, np.stack(vectors), emotion_cues)
    states = of_state.probabilities(sentences, np.stack(vectors), state_cues)
    return replace(found, emotions=_emotions_by_heads(emotions), state=UserState(likeliest(states)))


def _vector_of(sentence: Sentence, readings: Mapping[str, MessageReading]) -> Matrix | None:
    """Return the vector of a sentence as it was read in its place: that of the part of its message where it begins."""
    reading = readings.get(sentence.message.id)
    start = max(0, sentence.message.content.find(sentence.text.removesuffix("…")))
    parts = [part for part in reading.sentences if part.start <= start < part.end] if reading else []
    return parts[0].vector if parts else None


def count_cues(
    sentences: Sequence[Sentence],
    patterns: Mapping[str, re.Pattern[str]],
    faces: Mapping[str, str] | None = None,
    *,
    yield_to_foreground: Callable[[], None],
) -> Cues:
    """Return how often each name is shown in each sentence: what is denied does not count, any faces count once."""

    def is_denied(cue: re.Match[str]) -> bool:
        return _EN["negated"].search(cue.string, max(0, cue.start() - _LOOK_BACK), cue.start()) is not None

    found = {}
    for name, pattern in patterns.items():
        yield_to_foreground()
        shown = (faces or {}).get(name, "")
        found[name] = [
            sum(not is_denied(cue) for cue in pattern.finditer(sentence.folded))
            + any(face in sentence.text for face in shown)
            for sentence in sentences
        ]
    return found


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
    return state if lead[state] >= _CLEAR else UserState.NEUTRAL


def _emotions_by_heads(probabilities: Mapping[str, float]) -> tuple[str, ...]:
    first = tell(probabilities)
    least = max(_SHARE * probabilities[first], probabilities[NEUTRAL])
    return _strongest(probabilities, at_least=least) if first != NEUTRAL else ()


def _strongest(weights: Mapping[str, float], *, at_least: float) -> tuple[str, ...]:
    named = [name for name, weight in weights.items() if weight >= at_least]
    return tuple(sorted(named, key=lambda name: -weights[name])[:_MOST])


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
    """Return for each candidate a logit for each sentence, from vectors of shape (sentences, dimension)."""
    logits = [head.bias + head.vector_logits(vector) for vector in vectors]
    return {name: [float(row[column]) for row in logits] for column, name in enumerate(head.classes)}


def talk_features(
    sentences: Sequence[Sentence], cues: Cues, sounds: Mapping[str, Sequence[float]]
) -> dict[str, dict[str, float]]:
    """Return the named features of each candidate: CUE_FEATURES, SOUND_FEATURES and which candidate it is.

    Cues are counted in all sentences, of which there is one at least; sounds are logits of those that are picked.
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
    """Return how likely each candidate is the one, in [0, 1], by a head that tells THE_ONE from ANOTHER."""
    the_one, another = head.classes.index(THE_ONE), head.classes.index(ANOTHER)
    logits = np.array([head.logits(row) for row in features.values()])
    return dict(zip(features, softmax(logits[:, the_one] - logits[:, another]).tolist(), strict=True))


def likeliest(probabilities: Mapping[str, float]) -> str:
    """Return the likeliest candidate; of two states that are nearly as likely, either is as often right."""
    return max(probabilities, key=lambda name: probabilities[name])


def tell(probabilities: Mapping[str, float]) -> str:
    """Return the likeliest candidate, or NEUTRAL where it does not lead by enough."""
    first, second = sorted(probabilities, key=lambda name: -probabilities[name])[:2]
    return first if probabilities[first] - probabilities[second] >= _LEAD else NEUTRAL


def _cue_features(sentences: Sequence[Sentence], counts: Sequence[int]) -> dict[str, float]:
    said = list(zip(sentences, counts, strict=True))
    late = sum(count for sentence, count in said if sentence.place >= _LATE_FROM)
    first = sum(count for sentence, count in said if sentence.message is sentences[0].message)
    values = (math.log1p(sum(counts)), sum(counts) / len(sentences), math.log1p(late), math.log1p(first))
    return dict(zip(CUE_FEATURES, values, strict=True))


def _sound_features(logits: Sequence[float], last: Sequence[bool]) -> dict[str, float]:
    clearest = sorted(logits, reverse=True)
    closing = [logit for logit, is_last in zip(logits, last, strict=True) if is_last]
    means = (sum(part) / len(part) for part in (clearest[:3], logits, closing))
    return dict(zip(SOUND_FEATURES, (clearest[0], *means), strict=True))
