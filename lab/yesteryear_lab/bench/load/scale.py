"""Suite: many people in one PostgreSQL, against few people there and against the same people in a file.

Everybody has had one of a few generated pasts, with seeded vectors; the questions go through the real model.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from yesteryear.errors import InputError
from yesteryear_lab.bench.load.crowd import (
    LARGE,
    LARGE_FILE,
    SMALL,
    SMALL_FILE,
    CrowdContexts,
    Places,
    Store,
    fill_crowd,
    lend_places,
    make_templates,
    measure_exactness,
    user_name,
)
from yesteryear_lab.bench.load.seeded import SeededEmbedder, warn_of
from yesteryear_lab.bench.load.throughput import measure_workers, measure_writers
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    Suite,
    at_least,
    measure_fsync_ms,
    open_idle,
    scratch_folder,
)

_SERVER_SETTINGS = ("server", "pgvector", "fsync", "synchronous_commit", "connections", "bypasses_row_security")
_FEWEST_MEMORIES = 40
"""Of a person, so that there are some episodes."""


@dataclass(frozen=True, slots=True)
class ScaleOptions:
    """What can be asked of this suite."""

    url: str = ""
    """Address of an empty database for the large store, which stays filled; a server of our own where empty."""
    small_url: str = ""
    """The same for the small store."""
    users: int = at_least(2, 200)
    """People in the large store."""
    memories: int = 200_000
    """Messages, episodes and facts in the large store, in all; everybody has as many."""
    small: int = at_least(1, 10_000)
    """Memories in the small store, of people with as many as in the large one."""
    templates: int = at_least(1, 4)
    """How many different pasts there are."""
    questions: int = at_least(20, 200)
    """Contexts of one run in each store."""
    runs: int = at_least(1, 3)
    """How often each is run; the median counts."""
    exact_people: int = at_least(1, 10)
    """People whose hits are compared with a plain search, 10 questions each."""
    writers: int = at_least(2, 16)
    """How many write at once."""
    messages: int = at_least(1, 40)
    """Messages of each of them in one run."""
    slower_ms: float = at_least(0, 2.0)
    """How much longer a commit takes on a slower disk, in milliseconds, for a second measurement; 0 for none. Only
    with a server of our own."""
    backlog: int = at_least(30, 960)
    """Messages that worker processes drain in one run."""
    embedder: str = "auto"
    folder: str = ""
    """Where files lie; the system's place for temporary files where empty."""

    @property
    def small_users(self) -> int:
        """How many people are in the small store."""
        return max(1, round(self.users * self.small / self.memories))


def _run(_: None, options: ScaleOptions, say: Progress) -> Report:
    """Let workers and writers work in the large store, fill both, and ask."""
    if options.memories < _FEWEST_MEMORIES * options.users:
        raise InputError(f"everybody has at least {_FEWEST_MEMORIES} memories; ask for more of them, or fewer users")
    if options.small > options.memories:
        raise InputError("small is at most as many as memories")
    embedder = SeededEmbedder(options.embedder)
    with (
        scratch_folder(options.folder) as folder,
        lend_places(options.small_url, options.url, slower_ms=options.slower_ms) as places,
    ):
        metrics, rows = _measure_throughput(places, options, say)
        asked, more_rows, memories = _measure_contexts(places, options, embedder, folder, say)
        with open_idle(places.large, embedder=embedder) as engine:
            described = engine.describe()
        settings = {
            **{name: described[name] for name in _SERVER_SETTINGS},
            "embedder": embedder.profile.model,
            "fsync_ms": round(measure_fsync_ms(folder), 3),
            "memories_small": memories * options.small_users,
            "memories_large": memories * options.users,
            "bytes_large": described["bytes"],
            "notes": [
                "memories: messages, episodes and facts; their vectors are drawn, those of questions the model's",
                *warn_of(embedder.profile.model),
            ],
        }
    settings |= {"url": bool(options.url), "small_url": bool(options.small_url)}  # an address may hold a password
    return Report(options.questions, metrics | asked, {}, settings, rows + more_rows)


SUITE = Suite(
    "many people in PostgreSQL: against few, against a file; writers and workers together", _run, ScaleOptions
)


def _measure_throughput(places: Places, options: ScaleOptions, say: Progress) -> tuple[Metrics, list[Metrics]]:
    """Measure workers first: nobody else may have work that is due."""
    drained, rows = measure_workers(places.large, backlog=options.backlog, runs=options.runs, say=say)
    stores = {"disk": places.large} | ({"slower_disk": places.slower} if places.slower else {})
    written, more_rows = measure_writers(
        stores, writers=options.writers, messages=options.messages, runs=options.runs, say=say
    )
    return drained | written, rows + more_rows


def _measure_contexts(
    places: Places, options: ScaleOptions, embedder: SeededEmbedder, folder: Path, say: Progress
) -> tuple[Metrics, list[Metrics], int]:
    """Return metrics, rows, and how many memories each person has."""
    of_each = options.memories // options.users
    templates = make_templates(folder, embedder, memories=of_each, number=options.templates)
    everybody = [user_name(person) for person in range(options.users)]
    the_first = everybody[: options.small_users]
    stores = {
        SMALL: Store(places.small, the_first),
        SMALL_FILE: Store(str(folder / "small.db"), the_first),
        LARGE: Store(places.large, everybody),
        LARGE_FILE: Store(str(folder / "large.db"), everybody),
    }
    for place, store in stores.items():
        say(f"{len(store.users)} people with {templates[0].memories} memories each: {place}")
        fill_crowd(store.address, embedder, templates, store.users)
    say("exactness")
    step = max(1, options.users // options.exact_people)
    exact, rows = measure_exactness(
        (places.large, stores[LARGE_FILE].address),
        templates,
        embedder,
        folder,
        people=range(0, options.users, step)[: options.exact_people],
        questions=10,
    )
    contexts = CrowdContexts(stores, templates, embedder, questions=options.questions, runs=options.runs, say=say)
    contexts.measure()
    memories = round(sum(template.memories for template in templates) / len(templates))
    return exact | contexts.metrics, rows + contexts.rows, memories
