"""How much there is of a memory, in numbers of rows by kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from yesteryear.cli.output import count

if TYPE_CHECKING:
    from yesteryear.sync.memory import Memory


def count_rows(memory: Memory) -> dict[str, int]:
    """Return how many rows of each kind a memory sees."""
    stats = memory.stats()

    def total(kind: str) -> int:
        return sum(number for name, number in stats.items() if name.startswith(f"{kind}."))

    return {
        "conversations": int(stats["conversations"]),
        "messages": total("messages"),
        "episodes": total("episodes"),
        "vectors": sum(stats["vectors.by_model"].values()),
    }


def say_rows(rows: Mapping[str, int]) -> str:
    """Say numbers of rows: ``8 messages, 2 episodes``."""
    said = [count(number, kind.replace("_", " ").removesuffix("s")) for kind, number in rows.items() if number]
    return ", ".join(said) or "nothing"
