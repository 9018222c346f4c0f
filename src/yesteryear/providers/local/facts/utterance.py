"""What somebody wrote, as the heads for facts read it: clauses, cues, places and vectors.

Four heads read it: does this unit state a fact, does the message state any, are two neighbours one statement, and of
which kind is it. Their inputs are made here, for training and for use alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from yesteryear.core.language.questions import asks
from yesteryear.core.language.quoting import quoted_spans
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.vectors import Matrix
from yesteryear.providers.local.facts.units import Joint, SentenceUnit, split_units

_EN, _LEXICON = vocabulary("fact_cues"), vocabulary("lexicon")
CUES = tuple(" ".join(_EN.lines("cues")).split())
"""Names of cues that a clause states a fact, and of which kind. They prove nothing by themselves, heads weigh them."""
ANSWER_WORDS = 9
"""Most words of a message that is read together with the question it answers: alone, "nine years" says nothing."""
_MESSAGE_SHARE = 0.7
"""Factor on the vector of the message beside that of a unit. Source: measured, reference recipe."""
_LONG = 20
"""Words, and units, from which more of them make no difference."""
_MARKS = '"“”„«»「」'
_ABOUT_YOU = ("you", "your", "yours", "u", "ur")


@dataclass(frozen=True, slots=True, eq=False)
class Utterance:
    """A message cut into units, with what is read of them."""

    text: str
    units: tuple[SentenceUnit, ...]
    cues: tuple[Mapping[str, float], ...]
    """Of each unit."""
    shown: Mapping[str, float]
    """Cues of any unit."""
    question: str
    """What was asked just before; empty where nothing was."""
    quoted: tuple[tuple[int, int], ...] = ()
    """Start and end of passages that are somebody else's words; in ``text`` they are blanked out."""
    vectors: Matrix | None = None
    """Shape (1 + units, dimension): of the message, then of each unit; None without an embedder."""

    @property
    def texts(self) -> list[str]:
        """What is to be embedded: the message, then each unit."""
        whole = f"{self.question} {self.text}" if self.is_short_answer else self.text
        return [whole, *(unit.text for unit in self.units)]

    @property
    def is_short_answer(self) -> bool:
        """Whether it means little without the question."""
        return bool(self.question) and len(self.text.split()) <= ANSWER_WORDS


def read_utterance(text: str, *, before: str = "", chars: int | None = None) -> Utterance:
    """Return a message as the heads read it, without vectors; places are those of the message.

    Args:
        text: What the person wrote. What they quoted or pasted is blanked out.
        before: What somebody else wrote just before.
        chars: How many of its first characters are read, with what the rest tells of them; all where not given.
    """
    most = len(text) if chars is None else chars
    quoted = tuple((start, min(end, most)) for start, end in quoted_spans(text) if start < most)
    text = text[:most]
    for start, end in quoted:
        text = f"{text[:start]}{_blank(text[start:end])}{text[end:]}"
    units = split_units(text)
    cues = tuple(read_cues(unit.text) for unit in units)
    return Utterance(text, units, cues, any_cues(cues), last_question(before), quoted)


def last_question(text: str) -> str:
    """Return the question that a text ends with, or nothing."""
    *_, last = ["", *split_sentences(text)]
    return last if last.endswith("?") else ""


def unit_features(utterance: Utterance, place: int) -> dict[str, float]:
    """Return the named features of one unit, each in [0, 1]."""
    units, cues = utterance.units, utterance.cues
    unit = units[place]
    after = units[place + 1].joint if place + 1 < len(units) else Joint.START
    return {
        **_named("own", cues[place]),
        **_named("near", any_cues(cues[max(0, place - 1) : place] + cues[place + 1 : place + 2])),
        **_named("all", utterance.shown),
        **{f"before_{joint}": float(unit.joint is joint) for joint in Joint},
        **{f"after_{joint}": float(after is joint) for joint in Joint},
        "words": _length(len(unit.text.split())),
        "one_word": float(" " not in unit.text),
        "place": place / len(units),
        **_around(utterance),
    }


def message_features(utterance: Utterance) -> dict[str, float]:
    """Return the named features of a message, each in [0, 1]."""
    cues = utterance.cues
    share = {name: sum(unit[name] for unit in cues) / max(1, len(cues)) for name in utterance.shown}
    return {**_named("any", utterance.shown), **_named("share", share), **_around(utterance)}


def join_features(utterance: Utterance, place: int) -> dict[str, float]:
    """Return the named features of the joint before the unit at ``place``, which is not the first."""
    left, right = utterance.units[place - 1], utterance.units[place]
    features = {
        **_named("left", utterance.cues[place - 1]),
        **_named("right", utterance.cues[place]),
        **{f"joint_{joint}": float(right.joint is joint) for joint in Joint},
        "left_words": _length(len(left.text.split())),
        "right_words": _length(len(right.text.split())),
        "units": _length(len(utterance.units)),
    }
    if utterance.vectors is not None:
        features["cosine"] = float(utterance.vectors[place] @ utterance.vectors[place + 1])
    return features


def kind_features(utterance: Utterance, places: Sequence[int]) -> dict[str, float]:
    """Return the named features of some units together, each in [0, 1]."""
    return {**_named("own", any_cues(utterance.cues[place] for place in places)), **_around(utterance)}


def unit_vectors(vectors: Matrix, place: int) -> Matrix:
    """Return shape (2, dimension): of the unit, and of the message at a lower weight."""
    return np.stack([vectors[place + 1], np.float32(_MESSAGE_SHARE) * vectors[0]])


def join_vectors(vectors: Matrix, place: int) -> Matrix:
    """Return shape (1, dimension): where two neighbours agree; scaled to about unit length."""
    product = vectors[place] * vectors[place + 1]
    return np.asarray(product * np.float32(math.sqrt(len(product))), dtype=np.float32)[None, :]


def kind_vectors(vectors: Matrix, places: Sequence[int]) -> Matrix:
    """Return shape (2, dimension): the mean of the units at unit length, and the message at a lower weight."""
    mean = vectors[[place + 1 for place in places]].mean(axis=0)
    return np.stack([mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32(_MESSAGE_SHARE) * vectors[0]])


def _blank(passage: str) -> str:
    """Return as many spaces, between the quotation marks if there are any."""
    is_marked = len(passage) > 1 and passage[0] in _MARKS
    return f"{passage[0]}{' ' * (len(passage) - 2)}{passage[-1]}" if is_marked else " " * len(passage)


def _around(utterance: Utterance) -> dict[str, float]:
    """Return what holds for the whole message."""
    asked = utterance.question.casefold().split()
    return {
        "message_words": _length(len(utterance.text.split())),
        "message_units": _length(len(utterance.units)),
        "only_unit": float(len(utterance.units) == 1),
        "answers": float(bool(utterance.question)),
        "asked_about_you": float(any(word in _ABOUT_YOU for word in asked)),
        "short_answer": float(utterance.is_short_answer),
        "ends_asking": float(bool(utterance.units) and asks(utterance.units[-1].text)),
    }


def _named(prefix: str, cues: Mapping[str, float]) -> dict[str, float]:
    return {f"{prefix}_{name}": value for name, value in cues.items()}


def _length(count: int) -> float:
    return math.log1p(min(count, _LONG)) / math.log1p(_LONG)


@cache
def _cues() -> Mapping[str, re.Pattern[str]]:
    own = set(_EN.names())
    return {name: _EN[name] if name in own else _LEXICON[name] for name in CUES}


def read_cues(text: str) -> dict[str, float]:
    """Return for each cue whether ``text`` shows it: 1 or 0."""
    folded = fold(text)
    return {name: float(cue.search(folded) is not None) for name, cue in _cues().items()}


def any_cues(found: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return for each cue whether any of the texts shows it; none does where there are no texts."""
    texts = list(found)
    return {name: max((cues[name] for cues in texts), default=0.0) for name in CUES}
