"""Importing this is working once: who is forked from a process that has, finds words loaded and patterns compiled."""

from __future__ import annotations

from yesteryear_lab.bench.load.talk import EPISODE_MESSAGES, write
from yesteryear_lab.bench.report import open_idle

_MESSAGES = 10 * EPISODE_MESSAGES

with open_idle(":memory:") as engine:
    memory = engine.memory(user="nobody")
    write(memory, range(_MESSAGES))
    memory.flush()
