"""A bell for the workers of all processes on one database. Rows are the queue; a lost ring costs time, never work.

Rings are notified after the commit: PostgreSQL commits transactions that notify one after another, of all owners.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from uuid import uuid4

import psycopg

from yesteryear.errors import ConfigError, StorageError
from yesteryear.ports import Bell
from yesteryear.storage.postgres.connect import Connection
from yesteryear.storage.postgres.connection import Pool

log = logging.getLogger("yesteryear.storage")

CHANNEL = "yesteryear"  # what is notified and listened to
_RING_EVERY_S = 0.1  # rings of one process that come closer than this are one, in seconds
_LOOK_S = 0.5  # how often the listener looks whether it is to end, in seconds
_AGAIN_S = 5.0  # pause before the listener connects again when its connection is lost, in seconds


class PostgresBell:
    """Rings here, by its ``local`` bell, and in all others; listens on a connection of its own once somebody waits."""

    def __init__(self, local: Bell, pool: Pool, connect: Callable[[], Connection]) -> None:
        self._local = local
        self._pool = pool
        self._connect = connect
        self._name = uuid4().hex
        self._rung_at = float("-inf")
        self._is_closed = threading.Event()
        self._admission = threading.Lock()
        self._thread: threading.Thread | None = None

    def ring(self) -> None:
        self._local.ring()
        now = time.monotonic()
        if now - self._rung_at < _RING_EVERY_S or self._is_closed.is_set():
            return
        self._rung_at = now
        self._notify()

    def wait(self, timeout_s: float) -> bool:
        with self._admission:
            if self._thread is None and not self._is_closed.is_set():
                self._thread = threading.Thread(target=self._listen, name="yesteryear-listener", daemon=True)
                self._thread.start()
        return self._local.wait(timeout_s)

    def close(self) -> None:
        """Stop listening. Closing twice is harmless."""
        self._is_closed.set()
        with self._admission:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            self._notify()  # so that it looks at once
            thread.join()

    def _notify(self) -> None:
        try:
            with self._pool.lend(wait_s=0) as link:  # nobody is to wait for a hint
                link.look("SELECT pg_notify(%s, %s)", (CHANNEL, self._name))
        except (StorageError, ConfigError) as exc:
            log.info("workers in other processes were not woken; they look by themselves (%s)", exc)

    def _listen(self) -> None:
        while not self._is_closed.is_set():
            try:
                with self._connect() as connection:
                    self._pass_on(connection)
            except (StorageError, ConfigError, psycopg.Error) as exc:
                log.info("rings of other processes are not heard for now (%s)", exc)
                self._is_closed.wait(_AGAIN_S)

    def _pass_on(self, connection: Connection) -> None:
        connection.execute(f"LISTEN {CHANNEL}")
        while not self._is_closed.is_set():
            for notice in connection.notifies(timeout=_LOOK_S, stop_after=1):
                if notice.payload != self._name:
                    self._local.ring()
