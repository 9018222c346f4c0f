"""Stores with many people in them, filled in minutes: a few pasts, each of them taken in by many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import yesteryear
from yesteryear.errors import InputError
from yesteryear_lab.bench.night_cost import draft_fact
from yesteryear_lab.bench.past import Past, make_past
from yesteryear_lab.bench.seeded import BriefAnalyst, SeededEmbedder, open_seeded
from yesteryear_lab.postgres_server import PostgresServer

_MESSAGE_SHARE = 0.89
"""Of memories; the rest are the episodes, of about 14 messages, and a fact of each."""
_MEMORIES = ("messages.keep", "messages.skip", "episodes.active", "facts.stable", "facts.tentative")
"""What is counted, as ``stats`` names it."""
_ROLE = "app"
"""Whom the engine connects as: no superuser, so that row-level security is part of what is measured."""
_SERVER = {"shared_buffers": "1GB"}
"""All else as PostgreSQL is shipped, so a commit waits for the disk."""
_SLOWER = ("commit_delay", "commit_siblings")


class Places(NamedTuple):
    """Where the rows of the two sizes go."""

    small: str
    large: str
    slower: str = ""
    """The large one, whose commits wait as on a slower disk; empty where the server is not ours."""


@dataclass(frozen=True, slots=True)
class Template:
    """A past that many people have had."""

    path: Path
    """As it is exported."""
    past: Past
    memories: int
    """Messages, episodes and facts."""


class _StatingAnalyst(BriefAnalyst):
    """Finds a statement in every talk."""

    def digest(self, talk: Any, *, give_way: Callable[[], None]) -> yesteryear.Digest:  # noqa: ANN401 - see Analyst
        """Return a topic, a summary, and what the person states first."""
        said = next(m for exchange in talk.exchanges for m in exchange.messages if m.role == "user")
        return replace(super().digest(talk, give_way=give_way), facts=(draft_fact(said),))


def make_templates(folder: Path, embedder: SeededEmbedder, *, memories: int, number: int) -> list[Template]:
    """Live through some pasts of at least so many memories each, and export them into a folder."""
    return [_make_template(folder / f"past-{seed}.zip", embedder, memories, seed) for seed in range(1, number + 1)]


def _make_template(path: Path, embedder: SeededEmbedder, memories: int, seed: int) -> Template:
    past = make_past(ceil(memories * _MESSAGE_SHARE), seed=seed)
    with yesteryear.open(":memory:", worker="none", embedder=embedder, analyst=_StatingAnalyst()) as engine:
        memory = engine.memory(user="template")
        for _, batch in groupby(past.messages, key=itemgetter("conversation")):
            memory.observe(list(batch))
        memory.flush()
        memory.export(path)
        found = sum(count for name, count in memory.stats().items() if name in _MEMORIES)
    return Template(path, past, found)


def fill_crowd(store: str, embedder: SeededEmbedder, templates: Sequence[Template], users: Sequence[str]) -> None:
    """Let people take in the templates, in turn."""
    with open_seeded(store, embedder, durability="normal") as engine:
        for number, user in enumerate(users):
            engine.memory(user=user).import_(templates[number % len(templates)].path)


@contextmanager
def lend_places(small: str, large: str, *, slower_ms: float) -> Iterator[Places]:
    """Lend two databases: those named, or where none is two of a server of our own, which is gone afterwards.

    Args:
        small, large: Addresses of empty databases; both or none.
        slower_ms: How long a commit on a slower disk takes longer than here, in milliseconds.

    Raises:
        InputError: one address without the other, or a database with people in it.
        MissingExtra: a server of our own needs what is not installed.
    """
    if bool(small) != bool(large):
        raise InputError("name two empty databases, url and small_url, or none")
    if large:
        for store in (small, large):
            _check_empty(store)
        yield Places(small, large)
        return
    with PostgresServer(_SERVER) as server:
        server.execute(f"CREATE ROLE {_ROLE} LOGIN", f"GRANT SET ON PARAMETER {', '.join(_SLOWER)} TO {_ROLE}")
        for name in ("small", "large"):
            server.execute(f"CREATE DATABASE {name} OWNER {_ROLE}")
            server.execute("CREATE EXTENSION vector", database=name)
        large = server.url("large", role=_ROLE)
        delays = zip(_SLOWER, (round(1000 * slower_ms), 0), strict=True)
        options = quote(" ".join(f"-c {name}={value}" for name, value in delays))
        yield Places(server.url("small", role=_ROLE), large, f"{large}&options={options}" if slower_ms else "")


def _check_empty(store: str) -> None:
    with yesteryear.open(store, worker="none", embedder="hashing") as engine:
        if engine.owners():
            raise InputError(f"there are people in {engine.describe()['place']}; name a database that is empty")
