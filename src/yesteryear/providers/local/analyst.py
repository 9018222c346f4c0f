"""The keyless analyst: what a talk was about, by rules, word lists and small trained heads, with no key and no network.

It reads at most MESSAGE_CHARS of a message and SENTENCES of a talk, so that even a pasted book takes bounded time. What
it cannot tell it leaves out: better no emotion than a guessed one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yesteryear.core.episode import Digest, Talk
from yesteryear.core.message import Outcome
from yesteryear.core.verdicts import ClaimPair, Judgement
from yesteryear.providers.local.decisions import find_decisions
from yesteryear.providers.local.facts.drafting import draft_facts
from yesteryear.providers.local.feelings import read_feelings
from yesteryear.providers.local.reading import read_talk
from yesteryear.providers.local.signals import find_signals
from yesteryear.providers.local.summary import SummaryPolicy, summarise
from yesteryear.providers.local.topic import name_topic
from yesteryear.providers.local.verdicts.judging import Judge
from yesteryear.providers.local.verdicts.vectors import TextVectors

if TYPE_CHECKING:
    from yesteryear.ports import Embedder


@dataclass(frozen=True, slots=True)
class LocalAnalyst:
    """Digests talk by rules and small heads. Deterministic, without state; safe to call from several threads."""

    summary: SummaryPolicy = field(default_factory=SummaryPolicy)
    """How much is told."""
    embedder: Embedder | None = None
    """Makes the vectors that heads for feelings read; without it, or when it fails, word lists tell what they can."""
    vectors: TextVectors = field(default_factory=TextVectors)
    """Of statements that were judged, and of their words."""

    def digest(self, talk: Talk, *, give_way: Callable[[], None]) -> Digest:
        """Return topic, extractive summary, points, decisions, emotions, state and answers to unsure verdicts.

        Exchanges that the gate was unsure of are settled by its score; those that fall short are left out of the rest.

        Args:
            talk: The exchanges to read.
            give_way: Called between pieces of work of a few milliseconds.
        """
        reading = read_talk(talk, give_way=give_way)
        own = [sentence for sentence in reading.sentences if sentence.is_users]
        summary, key_points = summarise(reading.sentences, self.summary, give_way=give_way)
        feelings = read_feelings(own, self.embedder, give_way=give_way)
        facts = draft_facts(talk, self.embedder, give_way=give_way)
        give_way()
        return Digest(
            topic=name_topic(reading.sentences),
            summary=summary,
            key_points=key_points,
            decisions=find_decisions(own, facts),
            emotions=feelings.emotions,
            user_state=feelings.state,
            signals=find_signals(reading, talk.verdicts, emotion=feelings.strength),
            verdicts={
                position: verdict.settled()
                for position, verdict in enumerate(talk.verdicts)
                if verdict.outcome is Outcome.UNSURE
            },
            facts=facts,
            analyst="local",
        )

    def judge(self, pairs: Sequence[ClaimPair], *, give_way: Callable[[], None]) -> list[Judgement]:
        """Return what the later statement of each pair does to the earlier, and what that is sure enough for.

        Args:
            pairs: The statement said earlier first; of two said at the same instant either.
            give_way: Called between pieces of work of a few milliseconds.
        """
        return Judge(self.embedder, vectors=self.vectors).judge(pairs, give_way=give_way)
