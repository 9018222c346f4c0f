"""What somebody wrote, as the heads for facts read it, in training and in use: clauses, joints, cues and vectors.

Cut finely, for what belongs together is joined again by whoever knows what is said. English conjunctions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TypeAlias

import numpy as np

from yesteryear.core.language.discourse import asks
from yesteryear.core.language.quoting import quoted_spans
from yesteryear.core.language.sentences import sentence_spans, split_sentences
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.vectors import Matrix

_EN, _LEXICON, _CLAUSES = vocabulary("fact_cues"), vocabulary("lexicon"), vocabulary("clauses")
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
_WORD = re.compile(r"\w")
_BLANKED = re.compile(r"\s*[\"“„«「]\s+[\"“”»」]")
"""A quotation whose words were blanked out; what follows it is another matter."""


class Joint(StrEnum):
    """What stands between a unit and the one before it."""

    START = "start"
    SENTENCE = "sentence"
    BREAK = "break"
    """A dash, a colon, a semicolon, dots or an emoji inside a sentence."""
    COMMA = "comma"
    BRACKET = "bracket"
    COORDINATE = "coordinate"
    """And, but, so, or."""
    SUBORDINATE = "subordinate"
    """Because, when, if, who and the like."""


@dataclass(frozen=True, slots=True)
class SentenceUnit:
    """A clause, or what stands between two marks."""

    text: str
    start: int
    end: int
    joint: Joint


Inputs: TypeAlias = tuple[dict[str, float], Matrix | None]
"""Named features, each in [0, 1] but for a cosine, and vectors exactly where the utterance has some."""


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

    What they quoted or pasted is blanked out; of a long message the first ``chars`` are read, all where not given.
    ``before`` is what somebody else wrote just before.
    """
    most = len(text) if chars is None else chars
    quoted = tuple((start, min(end, most)) for start, end in quoted_spans(text) if start < most)
    text = text[:most]
    for start, end in quoted:
        is_marked = end - start > 1 and text[start] in _MARKS
        begin, last = (start + 1, end - 1) if is_marked else (start, end)
        text = f"{text[:begin]}{' ' * (last - begin)}{text[last:]}"
    units = split_units(text)
    cues = tuple(read_cues(unit.text) for unit in units)
    return Utterance(text, units, cues, any_cues(cues), last_question(before), quoted)


def last_question(text: str) -> str:
    """Return the question that a text ends with, or nothing."""
    *_, last = ["", *split_sentences(text)]
    return last if last.endswith("?") else ""


def unit_inputs(utterance: Utterance, place: int) -> Inputs:
    """Return what a head reads of one unit; vectors of shape (2, dimension): the unit's, and the message's below it."""
    units, cues = utterance.units, utterance.cues
    unit = units[place]
    after = units[place + 1].joint if place + 1 < len(units) else Joint.START
    features = {
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
    vectors = utterance.vectors
    return features, None if vectors is None else _beside_message(vectors[place + 1], vectors)


def message_inputs(utterance: Utterance) -> Inputs:
    """Return what a head reads of a message; vectors of shape (1, dimension)."""
    cues = utterance.cues
    share = {name: sum(unit[name] for unit in cues) / max(1, len(cues)) for name in utterance.shown}
    features = {**_named("any", utterance.shown), **_named("share", share), **_around(utterance)}
    return features, None if utterance.vectors is None else utterance.vectors[:1]


def join_inputs(utterance: Utterance, place: int) -> Inputs:
    """Return what a head reads of the joint before the unit at ``place``, which is not the first.

    Vectors have shape (1, dimension): where two neighbours agree, scaled to about unit length.
    """
    left, right = utterance.units[place - 1], utterance.units[place]
    features = {
        **_named("left", utterance.cues[place - 1]),
        **_named("right", utterance.cues[place]),
        **{f"joint_{joint}": float(right.joint is joint) for joint in Joint},
        "left_words": _length(len(left.text.split())),
        "right_words": _length(len(right.text.split())),
        "units": _length(len(utterance.units)),
    }
    if utterance.vectors is None:
        return features, None
    one, other = utterance.vectors[place : place + 2]
    product = one * other
    agreed = np.asarray(product * np.float32(math.sqrt(len(product))), dtype=np.float32)[None, :]
    return features | {"cosine": float(one @ other)}, agreed


def kind_inputs(utterance: Utterance, places: Sequence[int]) -> Inputs:
    """Return what a head reads of some units together; vectors of shape (2, dimension): their mean, the message."""
    features = {**_named("own", any_cues(utterance.cues[place] for place in places)), **_around(utterance)}
    if utterance.vectors is None:
        return features, None
    mean = utterance.vectors[[place + 1 for place in places]].mean(axis=0)
    return features, _beside_message(mean / max(float(np.linalg.norm(mean)), 1e-9), utterance.vectors)


def _beside_message(vector: Matrix, vectors: Matrix) -> Matrix:
    return np.stack([vector, np.float32(_MESSAGE_SHARE) * vectors[0]])


def _around(utterance: Utterance) -> dict[str, float]:
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


def split_units(text: str) -> tuple[SentenceUnit, ...]:
    """Return the units of ``text`` in order; each is a part of it and holds a letter or a digit.

    A word of assent or greeting before a comma ("yes, I moved") stays with what follows.
    """
    units: list[SentenceUnit] = []
    for start, end in sentence_spans(text):
        for piece_start, piece_end, joint in _pieces(text, start, end):
            found = _unit(text, piece_start, piece_end, joint if units else Joint.START)
            if found is None:
                continue
            goes_on = found.joint in (Joint.COMMA, Joint.COORDINATE, Joint.SUBORDINATE)
            if units and goes_on and _says_nothing(units[-1].text):
                opener = units.pop()
                found = _unit(text, opener.start, found.end, opener.joint) or found
            units.append(found)
    return tuple(units)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int, Joint]]:
    """Yield the pieces of a sentence; a conjunction belongs to the piece that it begins."""
    joint, begin = Joint.SENTENCE, start
    for cut in _CLAUSES["cut"].finditer(text, start, end):
        if not _WORD.search(text, begin, cut.start()):
            continue
        yield begin, cut.start(), joint
        if cut["word"]:
            joint, begin = _joint_of_lead(cut), cut.start("word")
        else:
            lead = _CLAUSES["lead"].match(text, cut.end(), end)
            mark = Joint.BREAK if cut["break"] else Joint.BRACKET if cut["bracket"] else Joint.COMMA
            joint = mark if lead is None else _joint_of_lead(lead)
            begin = cut.end()
    yield begin, end, joint


def _joint_of_lead(lead: re.Match[str]) -> Joint:
    return Joint.COORDINATE if lead["coordinate"] else Joint.SUBORDINATE


def _unit(text: str, start: int, end: int, joint: Joint) -> SentenceUnit | None:
    if blank := _BLANKED.match(text, start, end):
        start = blank.end()
    piece = text[start:end]
    body = piece.strip()
    if not _WORD.search(body):
        return None
    begin = start + piece.index(body)
    return SentenceUnit(body, begin, begin + len(body), joint)


def _says_nothing(text: str) -> bool:
    return fold(text) in _LEXICON.words("fillers") or _CLAUSES["bare"].match(text) is not None
