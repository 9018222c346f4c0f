"""A short life of one person's memory, lived step by step by a worker; the process may die at any write of it.

Run as ``python -m tests.worker.one_life`` it reads from each line a file and a crash point, lets a child process live
there until it dies, and answers with how that ended. Living a life again brings everything to the same end.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import yesteryear
from tests.failing import CrashingStore, CrashPoint, Moment, Write
from yesteryear.bootstrap import build_ports
from yesteryear.core.erasure import Scrubbed
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose
from yesteryear.ports import Store
from yesteryear.providers.hashing import HashingEmbedder
from yesteryear.sync.engine import Engine
from yesteryear.worker import Runner

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


class Uncleaned:
    """A store whose files nobody cleans: that takes as long as the rest of this life, and has tests of its own."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:
        """Leave the files alone."""
        return Scrubbed()


def live(path: Path, point: CrashPoint | None = None) -> Counter[Write]:
    """Say everything, work, forget, change the model, let time pass until some faded; return the writes by purpose."""
    clock = yesteryear.ReplayClock(START)
    given = {"episode_message_threshold": 4, "journal_retention_days": 30.0}
    ports, settings = build_ports(path, clock=clock, embedder="hashing", worker="none", **given)
    store = CrashingStore(cast("Store", Uncleaned(ports.store)), point)
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
        _come_back_to_it(memory, clock)
        Runner(ports, policies).run(until_idle=True)
        memory.forget("kitchen-0", "office-10")
        memory.observe("Please forget what I said about Lisbon.", conversation="request", id="request-0", at=START)
        memory.observe("Yes, please.", conversation="request", id="request-1", at=START)
        Runner(ports, policies).run(until_idle=True)
        clock.advance(timedelta(hours=1))
        Runner(ports, policies).run(until_idle=True)
        changed = replace(ports, embedder=OtherEmbedder())
        Runner(changed, policies).run(until_idle=True)
        for days in (40, 100):
            clock.advance(timedelta(days=days))
            Runner(changed, policies).run(until_idle=True)
    return store.writes


def _come_back_to_it(memory: yesteryear.Memory, clock: yesteryear.ReplayClock) -> None:
    """Be shown a memory and go on about it."""
    question = "What do I have to know when I cook for Lena?"
    memory.observe(question, conversation="supper", id="supper-0")
    memory.context(question, conversation="supper")
    for number, content in enumerate(("No nuts for my sister, then.", "ok", "thanks"), start=1):
        clock.advance(timedelta(minutes=1))
        memory.observe(content, conversation="supper", id=f"supper-{number}")


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
            "integrity_check": engine.describe(check=True)["integrity_check"],
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
                    episode.detail,
                    episode.fades_at,
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
