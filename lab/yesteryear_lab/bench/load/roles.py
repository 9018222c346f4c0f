"""What processes of our own do for the suites, by role.

One writes a line once it is ready, and ends when its standard input does, or when it is killed.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import yesteryear
from yesteryear.errors import YesteryearError
from yesteryear_lab.bench.load.past import WARM_UP_QUESTIONS
from yesteryear_lab.bench.load.seeded import SeededEmbedder, open_seeded
from yesteryear_lab.bench.load.talk import CONVERSATIONS, EPISODE_MESSAGES, USERS, Sent, write
from yesteryear_lab.bench.report import open_idle

_WRITERS = 3  # threads of a victim
_AGAIN_S = 0.1  # pause before a message that the store could not take is sent again, in seconds
_SHARE_REPEATED, _SHARE_OF_LISTS, _LIST_MESSAGES = 0.15, 0.15, 3
_WARM_UP = 10
_PAGES_HELD = Path("/proc/self/statm")  # second in it is how many pages of memory this process holds; on Linux only


def _say(what: str) -> None:
    os.write(sys.stdout.fileno(), f"{what}\n".encode())


def _work(store: str, embedder: str, messages: str | None = None) -> None:
    """Work; so many messages make an episode."""
    threshold = None if messages is None else int(messages)
    with yesteryear.open(store, worker="thread", embedder=embedder, episode_message_threshold=threshold):
        _say("ready")
        sys.stdin.read()


def _work_when_told(store: str, embedder: str) -> None:
    """Get ready, and work from the first line on."""
    with open_idle(store, embedder=embedder) as engine:
        engine.owners()
    _say("ready")
    sys.stdin.readline()
    with yesteryear.open(store, worker="thread", embedder=embedder):
        sys.stdin.read()


def _observe(path: str, user: str, conversation: str, at: str) -> None:
    """Observe each line as said at an instant, and answer once it is on disk."""
    with open_idle(path) as engine:
        memory = engine.memory(user=user)
        _say("ready")
        for line in sys.stdin:
            memory.observe(line.rstrip("\n"), conversation=conversation, at=at)
            _say("done")


def _write(store: str, user: str, messages: str) -> None:
    """Observe so many messages when told to, and say how much processor time that took, in seconds."""
    with open_idle(store) as engine:
        memory = engine.memory(user=user)
        write(memory, range(-_WARM_UP, 0))
        _say("ready")
        sys.stdin.readline()
        begun = time.process_time()
        write(memory, range(int(messages)))
        _say(str(time.process_time() - begun))


def _sleep(path: str, embedder: str, user: str, at: str) -> None:
    """Run nights that do all their work and write nothing, one after the other; be ready after the first."""
    ends = threading.Event()

    def listen() -> None:
        sys.stdin.read()
        ends.set()

    with open_idle(path, embedder=embedder) as engine:
        memory = engine.memory(user=user)
        memory.consolidate(at=at, dry_run=True)
        _say("ready")
        threading.Thread(target=listen, daemon=True).start()
        while not ends.is_set():
            memory.consolidate(at=at, dry_run=True)


def _meet(path: str, embedder: str, known: str, *others: str) -> None:
    """Get warm with one person, meet others for the first time, and say in JSON what each of them has cost."""
    with open_seeded(Path(path), SeededEmbedder(embedder)) as engine:
        _ask(engine, known)
        index_before, held_before = engine.describe()["index_bytes"], _bytes_held()
        cpu_before, begun = time.process_time(), time.perf_counter()
        for user in others:
            engine.memory(user=user).context(_question(0))
        cpu, took = time.process_time() - cpu_before, time.perf_counter() - begun
        _ask(engine, *others)
        index, held = engine.describe()["index_bytes"] - index_before, _bytes_held()
    found = {
        "cold_cpu_s": cpu / len(others),
        "cold_s": took / len(others),
        "index_bytes": index // len(others),
        "resident_bytes": None if held is None or held_before is None else (held - held_before) // len(others),
    }
    _say(json.dumps(found))


def _ask(engine: yesteryear.Engine, *users: str) -> None:
    """Ask what makes a process warm, of some people in turn."""
    for number in range(WARM_UP_QUESTIONS):
        engine.memory(user=users[number % len(users)]).context(_question(number))


def _question(number: int) -> str:
    return f"What did I say about the garden and the letter on {number + 1} May?"


def _bytes_held() -> int | None:
    if not _PAGES_HELD.exists():
        return None
    return int(_PAGES_HELD.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _be_killed(store: str, durability: str, seed: str, worker: str = "thread", longest_pause_s: str = "0.02") -> None:
    """Send messages until killed, first those of standard input again; say each that was acknowledged."""
    resend = [Sent(*text.rstrip("\n").split("\t")) for text in sys.stdin]
    engine = yesteryear.open(
        store, worker=worker, embedder="hashing", durability=durability, episode_message_threshold=EPISODE_MESSAGES
    )
    writers = [
        _Writer(engine, f"{seed}.{number}", resend[number::_WRITERS], longest_pause_s=float(longest_pause_s))
        for number in range(_WRITERS)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()


class _Writer(threading.Thread):
    """Sends messages, a few at a time, and some of them again."""

    def __init__(self, engine: yesteryear.Engine, name: str, resend: list[Sent], *, longest_pause_s: float) -> None:
        super().__init__(daemon=True)
        self._engine = engine
        self._prefix = name
        self._known = list(resend)
        self._resend = resend
        self._longest_pause_s = longest_pause_s
        self._random = random.Random(name)
        self._count = 0

    def run(self) -> None:
        for sent in self._resend:
            self._send([sent])
        while True:
            chance = self._random.random()
            if chance < _SHARE_REPEATED and self._known:
                self._send([self._random.choice(self._known)])
            else:
                self._send(self._fresh(_LIST_MESSAGES if chance > 1 - _SHARE_OF_LISTS else 1))
            time.sleep(self._random.uniform(0, self._longest_pause_s))

    def _fresh(self, how_many: int) -> list[Sent]:
        user, conversation = self._random.choice(USERS), self._random.choice(CONVERSATIONS)
        self._count += how_many
        return [Sent(user, conversation, f"{self._prefix}-{self._count - n}") for n in range(how_many)]

    def _send(self, batch: list[Sent]) -> None:
        """Send until it is acknowledged: what was refused for a reason that passes is sent again."""
        memory = self._engine.memory(user=batch[0].user)
        while True:
            try:
                memory.observe(
                    [{"content": sent.content, "conversation": sent.conversation, "id": sent.id} for sent in batch]
                )
                break
            except YesteryearError as exc:
                if not exc.retryable:
                    raise
                time.sleep(_AGAIN_S)
        self._known += batch
        for sent in batch:
            _say("\t".join(sent))


ROLES: dict[str, Callable[..., None]] = {
    "worker": _work,
    "hand": _work_when_told,
    "observer": _observe,
    "writer": _write,
    "sleeper": _sleep,
    "newcomer": _meet,
    "victim": _be_killed,
}
