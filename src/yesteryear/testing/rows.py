"""Rows as a store holds them, built in a line, and how to put them there and compare them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Digest, Episode, UserState
from yesteryear.core.message import Message, Outcome, Reason, Verdict
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.vectors import Matrix, StoredVector, VectorGrain, unit_rows
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import NOON

ANA = Scope(user="ana")
TALK = ConversationKey(None, None, "c1")

KEPT = Verdict(Outcome.KEEP, Reason.PERSONAL, 0.8125, 0.5, rule="says_i", features={"self": 1.0, "filler": 0.25})
SKIPPED = Verdict(Outcome.SKIP, Reason.TRIVIAL, 0.125, 0.5)

DIGEST = Digest(
    topic="Morning runs",
    summary="Ana moved her runs to the morning.",
    key_points=("Runs in the morning", "Evenings are too hot"),
    decisions=("Run before work",),
    emotions=("relief",),
    user_state=UserState.PROGRESSING,
    signals={"emotion": 0.25, "decision": 1.0},
    analyst="local",
)


def at(minutes: float) -> datetime:
    """Return the instant so many minutes after noon."""
    return NOON + timedelta(minutes=minutes)


def an_episode(name: str = "e1", *, minutes: float = 0, **changes: object) -> Episode:
    """Return an episode that ended ``minutes`` after noon."""
    episode = Episode(
        id=name,
        scope=ANA,
        conversation="c1",
        first_seq=1,
        last_seq=2,
        message_ids=("c1-1", "c1-2"),
        started_at=at(minutes - 5),
        ended_at=at(minutes),
        recorded_at=at(minutes),
        digest=DIGEST,
        importance=0.625,
        closed_by="pause",
    )
    return replace(episode, **changes)  # type: ignore[arg-type]


def a_vector(ref: str, *values: float, part: int = 0, grain: VectorGrain = VectorGrain.EXCERPT) -> StoredVector:
    """Return the vector of a passage, scaled to length 1."""
    return StoredVector(grain, ref, part, unit_rows([values])[0])


def in_scope(project: str | None = None, agent: str | None = None) -> Scope:
    """Return a scope of Ana's."""
    return Scope(user="ana", project=project, agent=agent)


def add(store: Store, *rows: Message | Episode | Conversation, scope: Scope = ANA) -> None:
    """Insert rows in one transaction."""

    def work(tx: Transaction) -> None:
        for row in rows:
            if isinstance(row, Message):
                tx.messages.insert(row)
            elif isinstance(row, Episode):
                tx.episodes.insert(row)
            else:
                tx.conversations.save(row)

    store.write(scope, work)


def unnumbered(row: Message | Episode) -> Message | Episode:
    """Return a row without the number the store gave it."""
    return replace(row, rev=0)


def same(found: list[StoredVector], expected: list[StoredVector]) -> bool:
    """Tell whether two lists hold the same keys and, as far as 16 bits go, the same vectors."""
    keys = [(row.grain, row.ref, row.part) for row in found]
    return keys == [(row.grain, row.ref, row.part) for row in expected] and all(
        np.array_equal(mine.vector, rounded(theirs.vector)) for mine, theirs in zip(found, expected, strict=True)
    )


def rounded(vector: Matrix) -> Matrix:
    """Return a vector as 16 bits hold it."""
    return vector.astype(np.float16).astype(np.float32)
