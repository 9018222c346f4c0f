"""The keyless analyst: what a talk was about, by rules, word lists and small trained heads, without a network."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yesteryear.core.episode import Digest, Talk, explicit_request
from yesteryear.core.message import Outcome, Verdict
from yesteryear.core.retracted import without_retracted
from yesteryear.core.ruling import ClaimPair, Judgement
from yesteryear.providers.local.facts.drafting import draft_facts, draft_relations
from yesteryear.providers.local.feelings import read_feelings
from yesteryear.providers.local.reading import Sentence, SentenceReading, read_talk
from yesteryear.providers.local.summary import decides, find_decisions, name_topic, summarise
from yesteryear.providers.local.verdicts import judge_pair

if TYPE_CHECKING:
    from yesteryear.ports import Reader

_EMOTION_SATURATES = 3.0  # cues of emotion at which the factor is 0.63; five give 0.81
_DECISIONS_SATURATE = 2.0  # decisions at which the factor is 0.63


@dataclass(frozen=True, slots=True)
class LocalAnalyst:
    """Digests talk by rules and small heads. Deterministic, without state; safe to call from several threads."""

    pair_reader: Reader | None = None
    """Tells what words do to what is known; without it only the same words and slots do."""

    def digest(self, talk: Talk, *, yield_to_foreground: Callable[[], None]) -> Digest:
        """Return topic, extractive summary, points, decisions, emotions, state and answers to unsure verdicts.

        Exchanges that the gate was unsure of are settled by its score; those that fall short are left out of the
        rest, and so is what people take back.
        """
        talk = without_retracted(talk)
        reading = read_talk(talk, yield_to_foreground=yield_to_foreground)
        own = [sentence for sentence in reading.sentences if sentence.is_users]
        summary, key_points = summarise(reading.sentences, yield_to_foreground=yield_to_foreground)
        feelings = read_feelings(own, talk.readings, yield_to_foreground=yield_to_foreground)
        facts = draft_facts(talk, yield_to_foreground=yield_to_foreground)
        yield_to_foreground()
        return Digest(
            topic=name_topic(reading.sentences),
            summary=summary,
            key_points=key_points,
            decisions=find_decisions(own, facts),
            emotions=feelings.emotions,
            user_state=feelings.state,
            signals=_signals(reading, talk.verdicts, emotion=feelings.strength),
            verdicts={
                position: verdict.settled()
                for position, verdict in enumerate(talk.verdicts)
                if verdict.outcome is Outcome.UNSURE
            },
            facts=facts,
            relations=draft_relations(talk, yield_to_foreground=yield_to_foreground) if facts else (),
            analyst="local",
        )

    def judge(self, pairs: Sequence[ClaimPair], *, yield_to_foreground: Callable[[], None]) -> list[Judgement]:
        """Return what the later statement of each pair does to the earlier, and what that is sure enough for."""
        found = []
        for pair in pairs:
            yield_to_foreground()
            found.append(judge_pair(pair, self.pair_reader))
        return found


def _signals(reading: SentenceReading, verdicts: Sequence[Verdict], *, emotion: float) -> dict[str, float]:
    """Return the seven factors of importance, each in [0, 1]; ``emotion`` is the weight of all its cues."""
    told = [sentence for sentence in reading.sentences if sentence.is_users and sentence.is_statement]
    authors = {sentence.message.author for sentence in reading.sentences if sentence.is_users}
    whole = reading.own + reading.quoted
    return {
        "emotion": _saturated(emotion, _EMOTION_SATURATES),
        "self_relevance": _share(told, "identity", "lasting", "past"),
        "commitment": _saturated(sum(map(decides, told)), _DECISIONS_SATURATE),
        "relationship": _share(told, "close_people", "bond", "life_event"),
        "novelty": _novelty(reading.sentences),
        "explicit_request": explicit_request(verdicts, authors),
        "reliability": reading.own / whole if whole else 0.0,
    }


def _saturated(amount: float, scale: float) -> float:
    return 1 - math.exp(-amount / scale)


def _share(sentences: Sequence[Sentence], *patterns: str) -> float:
    return sum(sentence.says(*patterns) for sentence in sentences) / len(sentences) if sentences else 0.0


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
