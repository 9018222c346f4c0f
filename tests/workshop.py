"""A memory, its clock and its worker, each in the hands of a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yesteryear
from yesteryear.bootstrap import build_ports
from yesteryear.lifecycle.drain import Drained
from yesteryear.policies import Policies
from yesteryear.ports import Ports
from yesteryear.sync.engine import Engine
from yesteryear.worker import Runner
from yesteryear_lab.bench.load.durability import examine

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
MORNING_RUNS = "I moved my runs to the morning because my evenings belong to the thesis."
SOUND = {"lost": 0, "doubled": 0, "done_twice": 0, "due_left": 0}
"""What ``damage`` returns when there is none."""


@dataclass
class Workshop:
    """Everything that works on one store, in this process, when told to."""

    ports: Ports
    policies: Policies
    engine: Engine
    clock: yesteryear.ReplayClock

    def work(self, **changes: Any) -> Drained:
        """Let a worker do what is due now; with other ports where given."""
        return Runner(replace(self.ports, **changes), self.policies).run(until_idle=True)

    def memory(self, user: str = "ana", *, project: str | None = None) -> yesteryear.Memory:
        """Return somebody's memory."""
        return self.engine.memory(user=user, project=project)


@contextmanager
def open_workshop(place: Path | str, *, start: datetime = NOON, threshold: int = 4, **given: Any) -> Iterator[Workshop]:
    """Open a store without a worker thread; episodes are short, the clock stands still."""
    clock = yesteryear.ReplayClock(start)
    arguments: dict[str, Any] = {"embedder": "hashing", "episode_message_threshold": threshold} | given
    ports, settings = build_ports(place, clock=clock, worker="none", **arguments)
    policies = settings.policies()
    with Engine(ports, policies) as engine:
        yield Workshop(ports, policies, engine, clock)


def tell(
    memory: yesteryear.Memory,
    how_many: int,
    *,
    first: int = 0,
    conversation: str = "kitchen",
    about: str = MORNING_RUNS,
) -> None:
    """Say so many things, each worth keeping."""
    for number in range(first, first + how_many):
        memory.observe(f"{about} ({number})", conversation=conversation, id=f"{conversation}-{number}")


def hold(shop: Workshop, worker: str, *, until: datetime) -> None:
    """Leave a lease of some worker on ana's rows."""
    shop.ports.store.write(
        shop.memory().scope, lambda tx: tx.save_owner(replace(tx.owner(), lease_by=worker, lease_until=until))
    )


def damage(memory: yesteryear.Memory) -> dict[str, int]:
    """Return what is doubled, done twice or left due in somebody's rows."""
    found = examine(memory, [])
    return {name: getattr(found, name) for name in SOUND}
