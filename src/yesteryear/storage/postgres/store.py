"""The PostgreSQL adapter of the Store port."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime

from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.rows.codec import Row
from yesteryear.core.scope import Owner, Scope, Waiting
from yesteryear.core.time import from_microseconds, to_microseconds
from yesteryear.core.vectors import VectorIndex
from yesteryear.errors import ConfigError
from yesteryear.ports import Bell, Transaction
from yesteryear.storage.migrate import Migration
from yesteryear.storage.postgres.batching import Turns
from yesteryear.storage.postgres.bell import PostgresBell
from yesteryear.storage.postgres.connect import (
    SCHEMA,
    PostgresPolicy,
    check_url,
    describe_place,
    open_connection,
    register_adapters,
)
from yesteryear.storage.postgres.connection import Link, Pool
from yesteryear.storage.postgres.schema import SHIPPED, find_halfvec, prepare_schema
from yesteryear.storage.postgres.upkeep import Indexer, scrub
from yesteryear.storage.rows import erasure_columns
from yesteryear.storage.sql.store import SQLStore
from yesteryear.storage.sql.transaction import SQLTransaction


class PostgresStore(SQLStore):
    """Rows in a PostgreSQL database with pgvector, in a schema of their own. Thread-safe; every process opens its own.

    What ``postgresql://role:password@host:port/database`` leaves out libpq takes from its environment variables and
    files. A test may bring ``migrations`` of its own.
    """

    _commits: Turns

    def __init__(
        self, url: str, policy: PostgresPolicy | None = None, *, migrations: Sequence[Migration] = SHIPPED
    ) -> None:
        self._policy = policy or PostgresPolicy()
        super().__init__(self._policy.durability)
        if self._policy.connections < 2:
            raise ConfigError(f"connections must be at least 2, not {self._policy.connections}")
        self._url = check_url(url)
        self._place = describe_place(url)
        with ExitStack() as unfinished:
            connection = open_connection(self._url, self._policy)
            unfinished.callback(connection.close)
            prepare_schema(connection, self._place, migrations)
            self._halfvec_oid = find_halfvec(connection)
            register_adapters(connection.adapters, self._halfvec_oid)
            self._pool = Pool(self._connect, self._policy, first=Link(connection, self._place))
            unfinished.pop_all()
        self._bells: list[PostgresBell] = []
        self._commits = Turns(self._pool, self._policy)

    @contextmanager
    def read(self, scope: Scope) -> Iterator[Transaction]:
        self._check_usable()
        with self._pool.lend(lambda link: link.begin_reading(scope.owner)) as link:
            yield SQLTransaction(link, scope)

    def waiting(self, now: datetime) -> Waiting:
        found = self._ask("owners_waiting", {"now": to_microseconds(now)})[0]
        return Waiting(found["owners"], from_microseconds(found["since"])) if found["owners"] else Waiting()

    def pulse(self) -> str:
        """Return which transactions of all processes can be seen now."""
        self._check_usable()
        with self._pool.lend() as link:
            return str(link.look(_PULSE)[0]["pulse"])

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:  # noqa: ARG002 - a server's files cannot be looked into
        self._check_usable()
        return scrub(self._pool, self._policy)

    def note_erasure(self, erasure: Erasure) -> None:
        self._check_usable()
        with self._pool.lend(lambda link: link.begin_noting(erasure.tenant, erasure.person)) as link:
            link.run("erasure_save", erasure_columns(erasure))
            link.commit()

    def index_vectors(
        self, owner: Owner | None = None, *, is_dry: bool = False, drops: bool = False
    ) -> list[VectorIndex]:
        self._check_usable()
        owners = self.owners() if owner is None else [owner]
        return Indexer(self._pool, self._policy.exact_vectors).tend(
            owners, is_all=owner is None, is_dry=is_dry, drops=drops
        )

    def describe(self, *, check: bool = False) -> dict[str, object]:  # noqa: ARG002 - a server looks after its files
        """Return place, versions, schema, durability as the server reads it back, size, role and connections."""
        self._check_usable()
        with self._pool.lend() as link:
            found = link.look(_DESCRIPTION)[0]
        found["durability"] = self._policy.durability
        return {
            "place": self._place,
            **found,
            "newest_schema": SHIPPED[-1].version,
            "connections": self._policy.connections,
            "idle_connections": self._pool.idle,
            "commits": self._commits.commits,
            "calls": self._commits.calls,
        }

    def share(self, bell: Bell) -> Bell:
        self._check_usable()
        shared = PostgresBell(bell, self._pool, lambda: open_connection(self._url, self._policy))
        self._bells.append(shared)
        return shared

    def close(self) -> None:
        if not self._is_ours():
            return
        self._is_closed = True
        for bell in self._bells:
            bell.close()
        self._commits.close()
        self._pool.close()

    def _connect(self) -> Link:
        return Link(open_connection(self._url, self._policy, self._halfvec_oid), self._place)

    def _ask(self, name: str, parameters: Mapping[str, object]) -> Sequence[Row]:
        self._check_usable()
        with self._pool.lend(Link.begin_operating) as link:
            return link.run(name, parameters)[0]


_PULSE = """
SELECT CASE
    WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN clock_timestamp()::text
    ELSE pg_current_snapshot()::text
END AS pulse
"""
"""Under Citus commits happen on other servers, of whose transactions this one tells nothing."""
_DESCRIPTION = f"""
SELECT current_setting('server_version') AS server,
    (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
    (SELECT MAX(version) FROM {SCHEMA}.schema_migration) AS schema,
    current_setting('synchronous_commit') AS synchronous_commit,
    current_setting('fsync') AS fsync,
    pg_is_in_recovery() AS is_replica,
    current_user::text AS role,
    (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS bypasses_row_security,
    (SELECT SUM(pg_total_relation_size(oid))::bigint FROM pg_class
        WHERE relnamespace = '{SCHEMA}'::regnamespace AND relkind IN ('r', 'p')) AS bytes
"""
