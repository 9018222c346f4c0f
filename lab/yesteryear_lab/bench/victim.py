"""The process that the durability suites kill: it writes until then, and works where it is told to.

Run as ``python -m yesteryear_lab.bench.victim STORE DURABILITY SEED [WORKER [PAUSE]]``, with one message to send again
on each line of its standard input. WORKER is ``thread`` or ``none``, PAUSE the longest between two messages, in
seconds. Every acknowledgement is one line on standard output, written after ``observe`` has returned.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time

import yesteryear
from yesteryear.errors import YesteryearError
from yesteryear_lab.bench.talk import CONVERSATIONS, EPISODE_MESSAGES, USERS, Sent

_WRITERS = 3
_AGAIN_S = 0.1
"""Pause before a message that the store could not take is sent again, in seconds."""
_SHARE_REPEATED = 0.15
_SHARE_OF_LISTS = 0.15
_LIST_MESSAGES = 3


class Writer(threading.Thread):
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
        """Send until the process ends."""
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
        memory = self._engine.memory(user=batch[0].user)
        messages = [{"content": sent.content, "conversation": sent.conversation, "id": sent.id} for sent in batch]
        while not _observe(memory, messages):
            time.sleep(_AGAIN_S)
        self._known += batch
        for sent in batch:
            os.write(sys.stdout.fileno(), ("\t".join(sent) + "\n").encode())


def _observe(memory: yesteryear.Memory, messages: list[dict[str, str]]) -> bool:
    """Send messages; tell whether they were acknowledged, and not refused for a reason that passes."""
    try:
        memory.observe(messages)
    except YesteryearError as exc:
        if not exc.retryable:
            raise
        return False
    return True


def main(store: str, durability: str, seed: str, worker: str = "thread", longest_pause_s: str = "0.02") -> None:
    """Write until killed."""
    resend = [Sent(*text.rstrip("\n").split("\t")) for text in sys.stdin]
    engine = yesteryear.open(
        store,
        worker=worker,
        embedder="hashing",
        durability=durability,
        episode_message_threshold=EPISODE_MESSAGES,
    )
    writers = [
        Writer(engine, f"{seed}.{number}", resend[number::_WRITERS], longest_pause_s=float(longest_pause_s))
        for number in range(_WRITERS)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
