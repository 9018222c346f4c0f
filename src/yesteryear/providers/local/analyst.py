"""The keyless analyst: what a talk was about, by rules, word lists and small trained heads, with no key and no network.

It reads at most MESSAGE_CHARS of a message and SENTENCES of a talk, so that even a pasted book takes bounded time. What
it cannot tell it leaves out: better no emotion than a guessed one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yesteryear.core.episode import Digest, Talk
from yesteryear.core.message import Outcome
from yesteryear.providers.local.decisions import find_decisions
from yesteryear.providers.local.feelings import read_feelings
from yesteryear.providers.local.reading import read_talk
from yesteryear.providers.local.signals import find_signals
from yesteryear.providers.local.summary import SummaryPolicy, summarise
from yesteryear.providers.local.topic import name_topic

if TYPE_CHECKING:
    from yesteryear.ports import Embedder


@dataclass(frozen=True, slots=True)
class LocalAnalyst:
    """Digests talk by rules and small heads. Deterministic, without state; safe to call from several threads."""

    summary: SummaryPolicy = field(default_factory=SummaryPolicy)
    """How much is told."""
    embedder: Embedder | None = None
    """Makes the vectors that heads for feelings read; without it, or when it fails, word lists tell what they can."""

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
        give_way()
        return Digest(
            topic=name_topic(reading.sentences),
            summary=summary,
            key_points=key_points,
            decisions=find_decisions(own),
            emotions=feelings.emotions,
            user_state=feelings.state,
            signals=find_signals(reading, talk.verdicts, emotion=feelings.strength),
            verdicts={
                position: verdict.settled()
                for position, verdict in enumerate(talk.verdicts)
                if verdict.outcome is Outcome.UNSURE
            },
            analyst="local",
        )
