"""The connections of one process, lent to one thread at a time: transactions, and named statements within them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.resources import files
from typing import Any

import psycopg
from psycopg import ClientCursor, errors, sql
from psycopg.pq import TransactionStatus

from yesteryear.core.rows.codec import Row
from yesteryear.core.scope import Owner, hash_person
from yesteryear.errors import InputError, StorageError, StorageUnavailable, YesteryearError
from yesteryear.storage.postgres import vector_index
from yesteryear.storage.postgres.connect import (
    SERVER,
    Connection,
    PackedVector,
    PostgresPolicy,
    as_psycopg,
    is_collision,
    translate,
)
from yesteryear.storage.sql.statements import Dialect, read_statements

_DIALECT = Dialect(
    among=r"\1 = ANY(:\2)",
    holds=r"\1::jsonb ?| :\2",
    # The JSON may hold \u0000 in a text that nobody asks for, and PostgreSQL would refuse to look past it.
    part=r"(replace(\1, '\\u0000', '\\u0020')::json #>> string_to_array('\2', '.'))",
    by="",
)
STATEMENTS = as_psycopg(read_statements(_DIALECT, own=files("yesteryear.storage.postgres") / "statements.sql"))
"""SQL by name, with parameters as psycopg writes them."""

_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED"
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_NAME_OWNER = "; ".join(
    f'SET LOCAL yesteryear."{name}" = %({name})s' for name in ("tenant", "user", "person", "operator")
)
"""Says for the length of a transaction whose rows it may see; see the policies in the migrations.

Not with set_config(), which Citus would not pass on to the nodes that hold the rows.
"""
_FORESEEN = ("owner_get", "overrides_get", "fact_newest")
"""What nearly every snapshot is asked for. It is read with its beginning, since a round trip costs more than a row, and
since a snapshot begins with the first query, which SET is not."""


class Link:
    """Runs named statements on one connection; see ``storage.sql.owner_rows.StatementRunner``."""

    def __init__(self, connection: Connection, place: str) -> None:
        self._connection = connection
        self._place = place
        self._is_snapshot = False
        self._is_owner_added = False
        self._rev: int | None = None
        self._foreseen: Mapping[str, Sequence[Row]] = {}
        self._waiting: list[tuple[str, Mapping[str, Any]]] = []
        self._cursor = connection.cursor(binary=True)  # one for all: making another costs a fifth of a statement
        self._calls = ClientCursor(connection)
        self._failure: psycopg.Error | UnicodeEncodeError | None = None
        self.changes = 0  # how many rows the present transaction has changed

    @property
    def is_lost(self) -> bool:
        """Whether the connection is of no use any more."""
        return self._connection.closed

    @property
    def is_idle(self) -> bool:
        """Whether no transaction is open, and one can be."""
        return self._connection.info.transaction_status == TransactionStatus.IDLE

    @property
    def is_failed(self) -> bool:
        """Whether a statement of the present transaction has failed, so that it can only be rolled back."""
        return self._failure is not None

    @property
    def is_worth_another_try(self) -> bool:
        """Whether the present transaction has failed by meeting another one, or with its connection."""
        return self.is_lost or is_collision(self._failure)

    @property
    def error(self) -> YesteryearError:
        """What has gone wrong in the present transaction, in our words."""
        return translate(self._failure or psycopg.OperationalError("the connection is closed"), self._place)

    def begin_writing(self, owner: Owner) -> None:
        """Begin a transaction on an owner's rows once all others have ended; unknown owners are added, to be locked."""
        named = {"tenant": owner.tenant, "user": owner.user, "person": hash_person(owner)}
        self._is_owner_added = False
        known, overrides = self._begin(_WRITE, owner, hash_person(owner), then=("owner_lock", "overrides_get"))
        self._foreseen = {"overrides_get": overrides} if known else {}
        while not known:
            self._is_owner_added = self.run("owner_add", named)[1] > 0
            known = self.run("owner_lock", named)[0]
        self._rev = known[0]["rev"]
        self.changes = 0

    def begin_reading(self, owner: Owner) -> None:
        """Begin a snapshot of an owner's rows."""
        found = self._begin(_READ, owner, hash_person(owner), then=_FORESEEN)
        self._foreseen = dict(zip(_FORESEEN, found, strict=True))
        self._is_snapshot = True

    def begin_noting(self, tenant: str, person: str) -> None:
        """Begin a transaction on the receipt of a person whose name is not known any more."""
        self._begin(_WRITE, Owner(tenant, ""), person)

    def begin_operating(self) -> None:
        """Begin a snapshot for one of the few questions that cross owners."""
        self._begin(_READ, Owner("", ""), "", operator="on")
        self._is_snapshot = True

    def settle(self, owner: Owner) -> None:
        """Run what still waits, and note with the owner when there is work to do; nothing but the commit is left."""
        self.run_later("owner_note_due", {"tenant": owner.tenant, "user": owner.user, "rev": self._rev})
        with self._translated(), self._connection.pipeline():
            self._send_waiting()

    def commit(self) -> None:
        """Commit; where the connection is lost meanwhile, whether it was written cannot be known."""
        try:
            self._calls.execute(b"COMMIT")
        except psycopg.OperationalError as exc:
            raise StorageUnavailable(
                f"{self._place} was lost while it committed: whether it was written is not known; look before trying "
                f"again ({exc})"
            ) from exc
        except psycopg.Error as exc:
            raise translate(exc, self._place) from exc

    def roll_back(self) -> None:
        """End the transaction as if it had never begun; a connection on which that fails is closed."""
        self._waiting.clear()
        try:
            if not self.is_idle:
                self._connection.execute("ROLLBACK")
        except psycopg.Error:
            self._connection.close()

    def close(self) -> None:
        self._connection.close()

    def run(self, name: str, parameters: Mapping[str, Any]) -> tuple[Sequence[Row], int]:
        if name in self._foreseen and not parameters.get("in_project"):
            return self._foreseen[name], len(self._foreseen[name])
        if name == "owner_next_rev" and self._rev is not None:
            self._rev += 1  # written when the transaction is settled, for nobody else sees the owner's row until then
            self.changes += 1
            return [{"rev": self._rev}], 1
        cursor = self._cursor
        with self._sending():
            cursor.execute(STATEMENTS[name], parameters)
        self._count(cursor)
        found = cursor.fetchall() if cursor.description else ()
        if name == "owner_get" and self._rev is not None:
            found = [{**row, "rev": self._rev} for row in found]
        if name == "erase_owner":
            self._rev = None
            if self._is_owner_added:
                return (), 0  # there was nobody: the row was put there to be locked
        return found, cursor.rowcount

    def run_each(self, name: str, parameters: Sequence[Mapping[str, Any]]) -> int:
        with self._sending():
            self._cursor.executemany(STATEMENTS[name], parameters)
        self._count(self._cursor)
        return self._cursor.rowcount

    def run_later(self, name: str, parameters: Mapping[str, Any]) -> None:
        if self._is_snapshot:
            self.run(name, parameters)  # which is refused
        self._waiting.append((name, parameters))
        self.changes += 1

    def has_index(self, parameters: Mapping[str, Any]) -> bool:
        """Tell whether there is an index of an owner's vectors of one model; from here on it may be searched."""
        settings = {
            "name": vector_index.index_name(Owner(parameters["tenant"], parameters["user"]), parameters["model"]),
            "searched_among": str(vector_index.POLICY.searched_among),
            "scanned": str(vector_index.POLICY.scanned),
        }
        return bool(self.look(SERVER["near_prepare"], settings))

    def nearest(self, parameters: Mapping[str, Any], packed: bytes) -> Sequence[Row] | None:
        if not self.has_index(parameters):
            return None
        question = vector_index.find_nearest(len(packed) // 2)
        with self._translated():  # nothing waits: it has been looked for the index
            asked = {**parameters, "vector": PackedVector(packed)}
            # Never prepared: a plan for any owner could not use the index of one.
            return self._connection.execute(question, asked, binary=True, prepare=False).fetchall()

    def bind_list(self, values: Sequence[str]) -> object:
        return list(values)

    def bind_vector(self, packed: bytes) -> object:
        return PackedVector(packed)

    def look(self, query: str, parameters: Sequence[object] | Mapping[str, object] = ()) -> list[dict[str, Any]]:
        """Return what a question about the server itself finds."""
        with self._sending():
            cursor = self._connection.execute(query, parameters)
        return cursor.fetchall()

    def change_schema(self, command: sql.Composed, *, waits: bool = True) -> None:
        """Run a command that stands outside transactions; it waits for those of others, or only as for a lock."""
        limit = self.look("SELECT current_setting('lock_timeout') AS value")[0]["value"]
        if waits:
            self._execute("SET lock_timeout = 0")
        try:
            with self._translated():
                self._calls.execute(command)
        finally:
            if waits and not self.is_lost:
                self._execute(f"SET lock_timeout = '{limit}'")

    def vacuum(self, tables: Sequence[str]) -> list[str]:
        """Free the room of deleted rows; return what the server warned of, such as tables it left out."""
        warnings: list[str] = []

        def hear(diagnostic: psycopg.errors.Diagnostic) -> None:
            if diagnostic.severity_nonlocalized == "WARNING":
                warnings.append(diagnostic.message_primary or "")

        self._connection.add_notice_handler(hear)
        try:
            self._execute(f"VACUUM {', '.join(tables)}")
        finally:
            self._connection.remove_notice_handler(hear)
        return warnings

    def _begin(
        self, begin: str, owner: Owner, person: str, *, operator: str = "off", then: Sequence[str] = ()
    ) -> list[Sequence[Row]]:
        """Begin a transaction that names whose rows it may see, and ask each of ``then``, all in one round trip."""
        self._is_snapshot = False
        self._foreseen = {}
        self._rev = None
        self._failure = None
        named = {"tenant": owner.tenant, "user": owner.user, "person": person, "operator": operator, "in_project": ""}
        message = "; ".join([begin, _NAME_OWNER, *(STATEMENTS[name] for name in then)])
        found: list[Sequence[Row]] = []
        with self._translated():
            self._calls.execute(message.encode(), named)
            while self._calls.nextset():
                found.append(self._calls.fetchall() if self._calls.description else ())
        return found[len(found) - len(then) :]

    def _execute(self, statement: str) -> None:
        with self._translated():
            self._calls.execute(statement)

    def _count(self, cursor: psycopg.Cursor[Any]) -> None:
        if not (cursor.statusmessage or "").startswith("SELECT"):
            self.changes += cursor.rowcount
            self._foreseen = {}

    @contextmanager
    def _sending(self) -> Iterator[None]:
        """Send what waits before the statement of the block, without a round trip of its own."""
        with self._translated():
            if self._waiting:
                with self._connection.pipeline():
                    self._send_waiting()
                    yield
            else:
                yield

    def _send_waiting(self) -> None:
        for name, parameters in self._waiting:
            self._connection.execute(STATEMENTS[name], parameters)
        self._waiting.clear()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as exc:
            self._failure = exc
            if isinstance(exc.__context__, KeyboardInterrupt):
                # Interrupted while answers were under way, a pipeline cannot be left and hides the interrupt.
                self._connection.close()
                raise exc.__context__ from None
            if self._is_snapshot and isinstance(exc, errors.ReadOnlySqlTransaction):
                raise StorageError("a snapshot cannot be written to; use Store.write") from exc
            raise translate(exc, self._place) from exc
        except UnicodeEncodeError as exc:
            self._failure = exc
            raise InputError(f"text with broken Unicode cannot be stored: {exc}") from exc


class Pool:
    """Lends connections, ``first`` and those that ``connect`` opens, with a transaction begun on them."""

    def __init__(self, connect: Callable[[], Link], policy: PostgresPolicy, *, first: Link) -> None:
        self._connect = connect
        self._policy = policy
        self._free = threading.Semaphore(policy.connections)
        self._idle = [first]
        self._is_closed = False

    @property
    def idle(self) -> int:
        """How many connections are open and not lent."""
        return len(self._idle)

    @contextmanager
    def lend(self, begin: Callable[[Link], None] | None = None, *, wait_s: float | None = None) -> Iterator[Link]:
        """Lend a connection; what is not committed when it comes back is rolled back.

        A connection that turns out to be lost by ``begin``, since the server was started anew, say, is replaced.
        """
        wait_s = self._policy.wait_s if wait_s is None else wait_s
        if not self._free.acquire(timeout=wait_s):
            raise StorageUnavailable(
                f"all {self._policy.connections} connections of this process were in use for {wait_s:g} seconds; do "
                "less at once, or raise the setting connections"
            )
        try:
            link = self._begun(begin)
            try:
                yield link
            finally:
                self._take_back(link)
        finally:
            self._free.release()

    def close(self) -> None:
        """Close all connections, those that are lent when they come back."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()

    def _begun(self, begin: Callable[[Link], None] | None) -> Link:
        while True:
            link, is_new = self._take()
            with ExitStack() as unfinished:
                unfinished.callback(link.close)  # also where it is interrupted, for nobody knows how far it came
                try:
                    if begin is not None:
                        begin(link)
                except StorageError:
                    if link.is_lost and not is_new:
                        continue
                    if not link.is_lost:
                        unfinished.pop_all()
                        self._take_back(link)
                    raise
                unfinished.pop_all()
                return link

    def _take(self) -> tuple[Link, bool]:
        try:
            return self._idle.pop(), False
        except IndexError:
            return self._connect(), True

    def _take_back(self, link: Link) -> None:
        link.roll_back()
        if self._is_closed or not link.is_idle:
            link.close()
        else:
            self._idle.append(link)
