"""What importance is made of, as the words of a talk show it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.message import Reason, Verdict
from yesteryear.providers.local.decisions import decides
from yesteryear.providers.local.reading import Sentence, SentenceReading

_LEXICON = vocabulary("lexicon")

_EMOTION_SATURATES = 3.0
"""Cues of emotion at which the factor is 0.63; five give 0.81."""
_DECISIONS_SATURATE = 2.0
"""Decisions at which the factor is 0.63."""
_ECHO_STEMS = 3
"""Content words from which a sentence can be told to repeat what was said to the person."""


def find_signals(reading: SentenceReading, verdicts: Sequence[Verdict], *, emotion: float) -> dict[str, float]:
    """Return the seven factors of importance, each in [0, 1].

    Args:
        reading: What was read.
        verdicts: The gate's word on each exchange.
        emotion: Weight of all cues of emotion.
    """
    told = reading.statements
    decided = sum(decides(sentence) for sentence in told)
    whole = reading.own + reading.quoted
    return {
        "emotion": _saturated(emotion, _EMOTION_SATURATES),
        "self_relevance": _share(told, _LEXICON["identity"], _LEXICON["lasting"], _LEXICON["past"]),
        "commitment": _saturated(decided, _DECISIONS_SATURATE),
        "relationship": _share(told, _LEXICON["close_people"], _LEXICON["bond"], _LEXICON["life_event"]),
        "novelty": _novelty(reading.sentences),
        "explicit_request": _explicit_request(reading.sentences, verdicts),
        "reliability": reading.own / whole if whole else 0.0,
    }


def _explicit_request(sentences: Sequence[Sentence], verdicts: Sequence[Verdict]) -> float:
    """Return 1 where somebody clearly asks for it to be remembered, 0.5 where they may have asked another person."""
    if not any(verdict.reason is Reason.EXPLICIT_REQUEST and verdict.rule is not None for verdict in verdicts):
        return 0.0
    authors = {sentence.message.author for sentence in sentences if sentence.is_users}
    return 0.5 if len(authors) > 1 else 1.0


def _saturated(amount: float, scale: float) -> float:
    return 1 - math.exp(-amount / scale)


def _share(sentences: Sequence[Sentence], *patterns: re.Pattern[str]) -> float:
    """Return the share of sentences in which a pattern matches."""
    matched = sum(any(pattern.search(sentence.folded) for pattern in patterns) for sentence in sentences)
    return matched / len(sentences) if sentences else 0.0


def _novelty(sentences: Sequence[Sentence]) -> float:
    """Return the share of the users' content words that the other side had not said before them."""
    heard: set[str] = set()
    new = total = 0
    for sentence in sentences:
        if not sentence.is_users:
            heard.update(sentence.stems)
            continue
        total += len(sentence.stems)
        new += sum(stem not in heard for stem in sentence.stems)
    return new / total if total else 0.0
