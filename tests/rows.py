"""Rows as a store holds them, built in a line, and how to put them there and compare them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TypeAlias, TypeVar

import numpy as np

from yesteryear.core.access.audit import AuditDraft
from yesteryear.core.access.keys import ApiKey, Right
from yesteryear.core.episode import Digest, Episode, UserState
from yesteryear.core.erasure import Forgetting, Withheld
from yesteryear.core.fact import Fact
from yesteryear.core.hits import RecallEvent
from yesteryear.core.measurement import Manner, Measurement, Nature
from yesteryear.core.message import Conversation, Message, Outcome, Reason, Role, Verdict
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.usage import CallPurpose, ModelCall
from yesteryear.core.vectors import Matrix, StoredVector, VectorGrain, unit_rows
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import NOON, a_message

T = TypeVar("T")
Insertable: TypeAlias = Message | Episode | Conversation | RecallEvent | Fact | Forgetting

Numbered = TypeVar("Numbered", Message, Episode, Fact)

ANA = Scope(user="ana")
STRANGERS = (Scope("ben"), Scope("ana", tenant="acme"), Scope("Ana"))
"""Who must never meet Ana's rows: another person, another tenant's, and one whose name is written otherwise."""
TALK = ConversationKey(None, None, "c1")

KEPT = Verdict(Outcome.KEEP, Reason.PERSONAL, 0.8125, 0.5, rule="says_i", features={"self": 1.0, "filler": 0.25})
SKIPPED = Verdict(Outcome.SKIP, Reason.TRIVIAL, 0.125, 0.5)
ASKED = Verdict(Outcome.SKIP, Reason.FORGET_REQUEST, 0.0, 0.5, "forget_request")

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


STEPS = Measurement("steps", 8381.0, "step", 9, 20, date(2026, 3, 2), date(2026, 3, 2))
"""What "I walked 8,381 steps today." tells."""
SLEEP = Measurement(
    "sleep",
    5.5,
    "hour",
    8,
    20,
    date(2026, 2, 23),
    date(2026, 3, 1),
    6.0,
    Nature.USUAL,
    "day",
    "„nights“ \x00\n",
    Manner.REPEATS,
)
"""A number with something in every field."""


def at(minutes: float) -> datetime:
    """Return the instant so many minutes after noon."""
    return NOON + timedelta(minutes=minutes)


def a_full_message() -> Message:
    """Return a message with something in every field."""
    return a_message(
        role=Role.TOOL,
        author="Ana María",
        at=datetime.fromisoformat("1969-07-20T20:17:40.123457+00:00"),
        zone="Europe/Lisbon",
        external_id="m-17",
        verdict=KEPT,
        episode_id="e1",
        expires_at=at(1),
        numbers=(STEPS, SLEEP),
        vector_due_at=at(2),
        attempts=3,
        error="it failed",
        scope=in_scope("thesis", "tutor"),
    )


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


def a_call(minutes: float = 0, **changes: object) -> ModelCall:
    """Return a call of a model, some minutes after noon."""
    told = {"input_tokens": 3000, "output_tokens": 300, "micro_usd": 630, "latency_ms": 1200}
    return replace(ModelCall(CallPurpose.DIGEST, "openai:tiny", at(minutes), **told), **changes)  # type: ignore[arg-type]


def a_key(name: str = "k1", **changes: object) -> ApiKey:
    """Return a key that may write and ends an hour after noon."""
    key = ApiKey(name, "laptop", "ab" * 32, Right.WRITE, at(0), expires_at=at(60))
    return replace(key, **changes)  # type: ignore[arg-type]


def an_audit_draft(verb: str = "observe") -> AuditDraft:
    """Return a deed at noon."""
    return AuditDraft(at(0), "key k1", verb, count=2, ids=("m1", "m2"))


def set_aside(name: str = "c1-1", **changes: object) -> Forgetting:
    """Return a message that was hidden."""
    row = Forgetting(ANA, Withheld.MESSAGE, name, "c1-9", "ana", at(1), at(9), message=a_message(id=name))
    return replace(row, **changes)  # type: ignore[arg-type]


def fill_beside(tx: Transaction) -> None:
    """Write two calls, a key and two deeds, which are the owner's whatever the scope."""
    tx.usages.add(["u1", "u2"], [a_call(1), a_call(2)])
    tx.keys.save(a_key())
    for verb in ("observe", "forget"):
        tx.audit.append(an_audit_draft(verb))


def shown(name: str, minutes: float = 0, *, key: ConversationKey = TALK, items: tuple[str, ...] = ()) -> RecallEvent:
    """Return what a context showed."""
    return RecallEvent(name, key, at(minutes), items, (7,), (2**64 - 1,))


def in_scope(project: str | None = None, agent: str | None = None) -> Scope:
    """Return a scope of Ana's."""
    return Scope(user="ana", project=project, agent=agent)


def add(store: Store, *rows: Insertable, scope: Scope = ANA) -> None:
    """Insert rows in one transaction."""

    def work(tx: Transaction) -> None:
        for row in rows:
            if isinstance(row, Message):
                tx.messages.insert(row)
            elif isinstance(row, Episode):
                tx.episodes.insert(row)
            elif isinstance(row, Conversation):
                tx.conversations.save(row)
            elif isinstance(row, RecallEvent):
                tx.recalls.append(row)
            elif isinstance(row, Fact):
                tx.facts.insert([row])
            else:
                tx.forgettings.save([row])

    store.write(scope, work)


def ask(store: Store, question: Callable[[Transaction], T], scope: Scope = ANA) -> T:
    """Return what a question finds in a snapshot."""
    with store.read(scope) as tx:
        return question(tx)


def unnumbered(rows: Iterable[Numbered]) -> list[Numbered]:
    """Return rows without the number the store gave them."""
    return [replace(row, rev=0) for row in rows]


def same(found: list[StoredVector], expected: list[StoredVector]) -> bool:
    """Tell whether two lists hold the same keys and, as far as 16 bits go, the same vectors."""
    keys = [(row.grain, row.ref, row.part) for row in found]
    return keys == [(row.grain, row.ref, row.part) for row in expected] and all(
        np.array_equal(mine.vector, rounded(theirs.vector)) for mine, theirs in zip(found, expected, strict=True)
    )


def rounded(vector: Matrix) -> Matrix:
    """Return a vector as 16 bits hold it."""
    return vector.astype(np.float16).astype(np.float32)
