"""A short life of one person's memory, lived step by step by a worker; the process may die at any write of it.

Run as ``python one_life.py`` it reads from each line a file and a crash point, lets a child process live there until it
dies, and answers with how that ended. Living a life again brings everything to the same end.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yesteryear
from yesteryear.bootstrap import build_ports
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose
from yesteryear.providers.hashing import HashingEmbedder
from yesteryear.sync import Engine
from yesteryear.testing.failing import CrashingStore, CrashPoint, Moment, Write
from yesteryear.worker.runner import Runner

START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
TALK = (
    ("user", "I moved my runs to the morning because my evenings belong to the thesis now."),
    ("assistant", "Good idea, mornings are quieter."),
    ("user", "Please remember that my sister Lena cannot eat nuts."),
    ("assistant", "I will remember it."),
    ("user", "ok"),
    ("assistant", "Anything else?"),
    ("user", "We decided to postpone the move to Lisbon until October."),
    ("assistant", "October then."),
    ("user", "what's 17 times 3?"),
    ("assistant", "51."),
    ("user", "thanks"),
)


class OtherEmbedder:
    """Another embedding model: the same vectors under another name, in another order."""

    def __init__(self, model: str = "other-v1") -> None:
        self._inner = HashingEmbedder()
        self.profile: EmbedderProfile = replace(self._inner.profile, model=model)

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Return the mirrored vectors."""
        return self._inner.embed(texts, purpose=purpose)[:, ::-1].copy()

    def close(self) -> None:
        """Nothing to release."""


def live(path: Path, point: CrashPoint | None = None) -> Counter[Write]:
    """Say everything, work, let time pass, change the model, let skipped text expire; return the writes by purpose."""
    clock = yesteryear.ReplayClock(START)
    ports, settings = build_ports(path, clock=clock, embedder="hashing", worker="none", episode_message_threshold=4)
    store = CrashingStore(ports.store, point)
    policies = settings.policies()
    ports = replace(ports, store=store)
    with Engine(ports, policies) as engine:
        memory = engine.memory(user="ana")
        for conversation in ("kitchen", "office"):
            for number, (role, content) in enumerate(TALK):
                at = START - timedelta(hours=1) + timedelta(minutes=number)
                memory.observe(content, role=role, conversation=conversation, at=at, id=f"{conversation}-{number}")
        _take_longer_episodes(engine)
        Runner(ports, policies).run(until_idle=True)
        clock.advance(timedelta(hours=1))
        Runner(ports, policies).run(until_idle=True)
        changed = replace(ports, embedder=OtherEmbedder())
        Runner(changed, policies).run(until_idle=True)
        clock.advance(timedelta(days=40))
        Runner(changed, policies).run(until_idle=True)
    return store.writes


def _take_longer_episodes(engine: Engine) -> None:
    """Talk in a project until an episode is due there, then want longer ones: the worker has to look again later."""
    project = engine.memory(user="ana", project="thesis")
    for number, (role, content) in enumerate(TALK[:4]):
        project.observe(content, role=role, conversation="chapter two", at=START, id=f"chapter-{number}")
    project.configure(episode_message_threshold=50)


def memories(path: Path) -> dict[str, Any]:
    """Return everything that is left in words that do not depend on ids and clocks."""
    with yesteryear.open(path, worker="none", embedder="hashing") as engine:
        memory = engine.memory(user="ana")
        messages, episodes, stats = memory.messages(limit=1000), memory.episodes(limit=1000), memory.stats()
        names = {message.id: message.name for message in messages}
        spans = {episode.id: (episode.conversation, episode.first_seq, episode.last_seq) for episode in episodes}
        return {
            "quick_check": engine.describe(check=True)["quick_check"],
            "leases": [owner for owner, _ in engine._ports.store.leases()],
            "messages": sorted(
                (
                    message.conversation,
                    message.seq,
                    message.name,
                    message.content,
                    message.verdict and (message.verdict.outcome, message.verdict.reason),
                    message.episode_id and spans[message.episode_id],
                    message.vector_due_at,
                    message.error,
                )
                for message in messages
            ),
            "episodes": sorted(
                (
                    *spans[episode.id],
                    episode.status,
                    tuple(names[message_id] for message_id in episode.message_ids),
                    episode.digest and episode.digest.summary,
                    episode.closed_by,
                    episode.next_try,
                )
                for episode in episodes
            ),
            "stats": {name: value for name, value in stats.items() if name != "rev"},
        }


def live_in_a_child(path: Path, point: CrashPoint) -> int:
    """Return how the child process ended that lived this life: the number of the signal, negative, or its status."""
    child = os.fork()
    if child == 0:
        live(path, point)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for line in sys.stdin:
        place, write, moment, nth = line.rstrip("\n").split("\t")
        print(live_in_a_child(Path(place), CrashPoint(Write(write), Moment(moment), int(nth))), flush=True)
