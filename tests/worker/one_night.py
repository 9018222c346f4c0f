"""One night of one person's memory, in which there is much to do; the process may die at any step of it.

Run as ``python -m tests.worker.one_night`` it reads from each line a file and a death, lets a child process run the
night there until it dies, and answers with how that ended. Running it again brings everything to the same end.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from tests.analysts import ScriptedAnalyst
from tests.belief_rows import a_fact, a_version, evidence_for
from tests.concepts import ConceptEmbedder
from tests.failing import CrashingStore, CrashPoint, Moment, Write
from tests.script import belief_in
from yesteryear.bootstrap import build_ports
from yesteryear.core.attributes import Volatility
from yesteryear.core.fact import Fact
from yesteryear.core.ruling import Act, Judgement, PairVerdict
from yesteryear.core.scope import Scope
from yesteryear.core.vectors import StoredVector, VectorGrain
from yesteryear.providers.clock import ReplayClock
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.sync.engine import Engine
from yesteryear.sync.memory import Memory
from yesteryear.testing.builders import NOON

DISHES = "soup bread rice fish cake tea stew salad pasta curry pie jam cheese sauce honey broth".split()
LIVED = timedelta(days=400)
"""After which the night comes; talk fades and what was a mood is over."""
SAYS_THE_SAME = Judgement(PairVerdict.DUPLICATE, Act.FOLD, scores={PairVerdict.DUPLICATE: 0.97})
TELLS_A_CHANGE = Judgement(PairVerdict.UPDATES, Act.SUPERSEDE, scores={PairVerdict.UPDATES: 0.97})
IS_CONTRARY = Judgement(PairVerdict.CONTRADICTS, Act.ASK, scores={PairVerdict.CONTRADICTS: 0.97})
TALK = ("My brother Paulo works as a nurse in Porto.", "We decided to bake our own bread from now on.")


@dataclass(frozen=True, slots=True)
class Death:
    """When a process dies: at a write, before the nth statement on the writing connection, or after so many seconds."""

    point: CrashPoint | None = None
    nth: int = 0
    after_s: float = 0.0

    def line(self) -> str:
        """Return it as a line of text."""
        point = self.point
        named = ["", "", "0"] if point is None else [point.write.value, point.moment.value, str(point.nth)]
        return "\t".join([*named, str(self.nth), str(self.after_s)])

    @classmethod
    def read(cls, *fields: str) -> Death:
        """Return what ``line`` wrote."""
        write, moment, which, nth, after_s = fields
        point = CrashPoint(Write(write), Moment(moment), int(which)) if write else None
        return cls(point, int(nth), float(after_s))


def statements(dish: str) -> tuple[str, str, str, str, str]:
    """Return what is told about a dish: twice the same, then a change, two things that cannot both be."""
    return (
        f"Ana cooks {dish} on Mondays.",
        f"Ana cooks {dish} every Monday.",
        f"Ana cooks {dish} on Fridays now.",
        f"Ana loves her {dish} salty.",
        f"Ana hates her {dish} salty.",
    )


def an_analyst() -> ScriptedAnalyst:
    """Return an analyst that knows what they are to one another."""
    judged = {}
    for one, same, changed, loved, hated in map(statements, DISHES):
        judged |= {
            (one, same): SAYS_THE_SAME,
            (one, changed): TELLS_A_CHANGE,
            (same, changed): TELLS_A_CHANGE,
            (loved, hated): IS_CONTRARY,
        }
    return ScriptedAnalyst({}, judged)


def live(path: Path) -> None:
    """Leave a file with talk, and with facts that nobody has judged yet."""
    with opened(path, at=NOON) as (engine, _):
        memory = engine.memory(user="ana")
        for number, text in enumerate(TALK):
            memory.observe(text, conversation=f"day {number}", author="Ana", at=NOON)
        memory.flush()
        store = engine._ports.store
        facts = list(_facts())
        vectors = [StoredVector(VectorGrain.FACT, fact.id, 0, _embedder().embed([fact.statement])[0]) for fact in facts]

        def write(tx: Any) -> None:
            tx.facts.insert(facts)
            tx.versions.add([a_version(fact) for fact in facts])
            tx.evidence.add(
                [evidence_for(fact.id, f"m-{fact.id}", said_at=fact.first_observed, session=fact.id) for fact in facts]
            )
            tx.vectors.put(_embedder().profile.model, vectors)

        store.write(Scope(user="ana"), write)


def _facts() -> Iterator[Fact]:
    for number, dish in enumerate(DISHES):
        for turn, statement in enumerate(statements(dish)):
            volatility = Volatility.VOLATILE if turn == 2 and number % 3 == 0 else Volatility.SLOW
            yield a_fact(
                f"f{number}-{turn}",
                statement,
                minutes=300 * (5 * number + turn),
                confidence=0.8,
                sessions=1,
                volatility=volatility,
            )


def _embedder() -> ConceptEmbedder:
    return ConceptEmbedder({dish: [dish] for dish in DISHES})


@contextmanager
def opened(
    path: Path, *, at: datetime = NOON + LIVED, point: CrashPoint | None = None
) -> Iterator[tuple[Engine, CrashingStore]]:
    """Open a file at an instant, that of the night unless given; the process may die at a write."""
    ports, settings = build_ports(
        path, clock=ReplayClock(at), worker="none", analyst=an_analyst(), embedder=_embedder()
    )
    store = CrashingStore(ports.store, point)
    with Engine(replace(ports, store=store), settings.policies()) as engine:
        yield engine, store


def pass_night(path: Path, death: Death | None = None) -> tuple[Counter[Write], int]:
    """Run the night, until the death; return the writes by purpose and how many statements there were."""
    ran = 0
    with opened(path, point=death.point if death else None) as (engine, store):

        def trace(_: str) -> None:
            nonlocal ran
            ran += 1
            if death and ran == death.nth:
                _die()

        cast("SQLiteStore", store._inner)._connection.set_trace_callback(trace)
        engine.memory(user="ana").consolidate()
        cast("SQLiteStore", store._inner)._connection.set_trace_callback(None)
        return store.writes, ran


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def known(memory: Memory) -> Any:
    """Return everything that is believed and asked, in words that do not depend on ids."""
    conflicts = [
        (row.earlier.statement, row.later.statement, row.state.value) for row in memory.conflicts(resolved=True)
    ]
    return belief_in(memory.facts(status="all", limit=1000, at=NOON + LIVED)), sorted(conflicts)


def faded(memory: Memory) -> Any:
    """Return what is left of the talk."""
    return sorted((row.conversation, row.detail.value, row.status.value) for row in memory.episodes())


def pass_night_in_a_child(path: Path, death: Death) -> int:
    """Return how the child process ended that ran the night: the number of the signal, negative, or its status."""
    child = os.fork()
    if child == 0:
        pass_night(path, death)
        os._exit(0)
    if death.after_s:
        time.sleep(death.after_s)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for line in sys.stdin:
        place, *fields = line.rstrip("\n").split("\t")
        print(pass_night_in_a_child(Path(place), Death.read(*fields)), flush=True)
