"""The process that the durability suite kills: it writes and works until then.

Run as ``python -m yesteryear.bench.victim FILE DURABILITY SEED``, with one message to send again on each line of its
standard input. Every acknowledgement is one line on standard output, written after ``observe`` has returned.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time

import yesteryear
from yesteryear.bench.talk import CONVERSATIONS, USERS, Sent

EPISODE_MESSAGES = 4
"""Messages that make an episode here: few, so that there is always one in the making."""

_WRITERS = 3
_LONGEST_PAUSE_S = 0.02
_SHARE_REPEATED = 0.15
_SHARE_OF_LISTS = 0.15
_LIST_MESSAGES = 3


class Writer(threading.Thread):
    """Sends messages, a few at a time, and some of them again."""

    def __init__(self, engine: yesteryear.Engine, name: str, resend: list[Sent]) -> None:
        super().__init__(daemon=True)
        self._engine = engine
        self._prefix = name
        self._known = list(resend)
        self._resend = resend
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
            time.sleep(self._random.uniform(0, _LONGEST_PAUSE_S))

    def _fresh(self, how_many: int) -> list[Sent]:
        user, conversation = self._random.choice(USERS), self._random.choice(CONVERSATIONS)
        self._count += how_many
        return [Sent(user, conversation, f"{self._prefix}-{self._count - n}") for n in range(how_many)]

    def _send(self, batch: list[Sent]) -> None:
        memory = self._engine.memory(user=batch[0].user)
        messages = [{"content": sent.content, "conversation": sent.conversation, "id": sent.id} for sent in batch]
        memory.observe(messages)
        self._known += batch
        for sent in batch:
            os.write(sys.stdout.fileno(), ("\t".join(sent) + "\n").encode())


def main(path: str, durability: str, seed: str) -> None:
    """Write and work until killed."""
    resend = [Sent(*text.rstrip("\n").split("\t")) for text in sys.stdin]
    engine = yesteryear.open(
        path,
        worker="thread",
        embedder="hashing",
        durability=durability,
        episode_message_threshold=EPISODE_MESSAGES,
    )
    writers = [Writer(engine, f"{seed}.{number}", resend[number::_WRITERS]) for number in range(_WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
