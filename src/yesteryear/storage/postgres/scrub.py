"""Making the tables hold nothing of what was deleted, as far as a client of a server can.

A deleted row stays in its page until nobody can see it any more and VACUUM frees its room, which the next rows
overwrite. The server's files cannot be looked through from here, nor its write-ahead log, replicas and backups: the
receipt says so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from yesteryear.core.erasure import Scrubbed
from yesteryear.core.scope import Owner
from yesteryear.errors import SetUpNeeded
from yesteryear.storage.postgres.connect import PostgresPolicy
from yesteryear.storage.postgres.indexer import drop_of_nobody
from yesteryear.storage.postgres.link import Link
from yesteryear.storage.postgres.pool import Pool
from yesteryear.storage.sql.transaction import OWNED_TABLES

_LOOK_S = 0.05
"""Pause between two looks whether the last reader has ended, in seconds."""
_READER = "somebody still reads what was there before; close the other process, or wait until it ends its reading"
_LIMITS = (
    "deleted rows were freed with VACUUM, and their room is overwritten as the server needs it; the server's files, "
    "write-ahead log, replicas and backups cannot be looked through from here"
)
_NAMED = (
    "an index of their vectors, which names them in the catalogue, belongs to another role; have that role run "
    "`yesteryear index`, which drops it"
)
_REFUSED = "VACUUM was refused for some tables, which autovacuum frees in time; to do it at once run it as their owner"


@dataclass(frozen=True, slots=True)
class PostgresScrubber:
    """Frees the room of deleted rows."""

    pool: Pool
    policy: PostgresPolicy

    def scrub(self) -> Scrubbed:
        """Free the room; see ``ports.Store``."""
        with self.pool.lend(Link.begin_operating) as link:
            owners = [Owner(row["tenant"], row["user"]) for row in link.run("owners", {})[0]]
        limits = [_LIMITS]
        with self.pool.lend() as link:
            is_free = self._await_readers(link)
            try:
                drop_of_nobody(link, owners)
            except SetUpNeeded:
                limits.append(_NAMED)
            if link.vacuum([*OWNED_TABLES, "erasure"]):
                limits.append(_REFUSED)
        return Scrubbed(waits_for="" if is_free else _READER, limits="; ".join(limits))

    def _await_readers(self, link: Link) -> bool:
        """Wait until nobody reads what was there at the beginning; tell whether they ended in time."""
        deadline = time.monotonic() + self.policy.lock_s
        newest = link.look("SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid")[0]["xid"]
        while link.look(_READERS, (newest,))[0]["readers"]:
            if time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_S)
        return True


_READERS = """
SELECT COUNT(*) AS readers FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND datname = current_database() AND backend_xmin IS NOT NULL
    AND age(backend_xmin) > age(%s::text::xid)
"""
"""Sessions that still see rows deleted before a transaction began."""
