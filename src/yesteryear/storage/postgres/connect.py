"""Opening a connection the way this project needs it, and saying in our words what PostgreSQL says in its own."""

from __future__ import annotations

import re
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import psycopg
from psycopg import errors
from psycopg.adapt import AdaptersMap, Buffer, Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Format
from psycopg.rows import DictRow, dict_row
from psycopg.types.string import StrDumperUnknown, TextBinaryLoader

from yesteryear.errors import (
    ConfigError,
    Conflict,
    InputError,
    SetUpNeeded,
    StorageCorrupt,
    StorageError,
    StorageUnavailable,
)
from yesteryear.storage.sql.statements import statements_in

SCHEMA = "yesteryear"  # holds all our tables, so that they can lie in a database beside those of an application


def as_psycopg(statements: Mapping[str, str]) -> dict[str, str]:
    """Return statements with their parameters as psycopg writes them."""
    return {name: re.sub(r"(?<!:):(\w+)", r"%(\1)s", statement) for name, statement in statements.items()}


SERVER = as_psycopg(statements_in(files("yesteryear.storage.postgres") / "server.sql"))
"""What the server is asked of itself, by name."""

_NUL, _ESCAPE = "\0", "\1"
"""What PostgreSQL cannot store in a text, and what announces it. Neither is in a name, nor as it is in JSON, so only
columns of free text, which are VARCHAR, have to be read with care."""
_STARTING_S = 0.05  # pause between two attempts to reach a server that is just starting, in seconds

_MESSAGES: dict[str, tuple[type[StorageError | ConfigError], str]] = {
    "3D000": (ConfigError, "there is no such database; create it, or correct the address"),
    "28P01": (ConfigError, "the password is wrong; correct it in the address, PGPASSWORD or .pgpass"),
    "28000": (ConfigError, "the role may not log in; correct the role, or the server's pg_hba.conf"),
    "42501": (SetUpNeeded, "the role lacks a right; have an administrator grant it, or connect as the tables' owner"),
    "42P01": (SetUpNeeded, "a table is missing; open the database with a role that may create it"),
    "25006": (StorageUnavailable, "it is read-only, a replica perhaps; connect to the primary server"),
    "53100": (StorageUnavailable, "the server's disk is full; make room and try again"),
    "53200": (StorageUnavailable, "the server is out of memory; try again, or ask for less at once"),
    "53300": (StorageUnavailable, "the server has no connection left; lower `connections`, or raise max_connections"),
    "55P03": (StorageUnavailable, "another process has held these rows for too long; try again"),
    "57014": (StorageUnavailable, "the server ended the statement, for its time limit perhaps; try again"),
    "57P03": (StorageUnavailable, "the server is starting or stopping; try again"),
    "25P03": (StorageUnavailable, "the transaction stood still for too long and was ended; try again"),
    "40001": (StorageUnavailable, "somebody else was faster; try again"),
    "40P01": (StorageUnavailable, "two transactions waited for each other; try again"),
    "XX001": (StorageCorrupt, "a page is damaged; restore the database from a backup"),
    "XX002": (StorageCorrupt, "an index is damaged; rebuild it with REINDEX"),
}
"""What a state of SQL means for whoever asked, and what to do."""

_COLLISIONS = ("40001", "40P01")  # what happens to transactions that meet; they can be run again


@dataclass(frozen=True, slots=True)
class PostgresPolicy:
    """How a database is written and shared."""

    durability: str = "full"
    """``full``: an acknowledged row survives a crash of the server. ``normal``: it may lose the last half second."""
    connections: int = 10
    """Most connections of one process, at least 2. Six processes leave room for others among a server's usual 100."""
    wait_s: float = 10.0  # how long to wait for a connection when all are in use, in seconds
    connect_s: float = 10.0  # how long to wait for the server when a connection is opened, in seconds
    lock_s: float = 10.0  # how long to wait for another process's transaction on the same owner, in seconds
    stall_s: float = 60.0  # after how many seconds the server ends a transaction whose process does nothing
    exact_vectors: int = 20_000
    """Number of vectors of one owner and model, at least 0, up to which all are compared with a question. With more,
    and an index of the owner's own, the nearest are taken from that."""
    calls_per_commit: int = 256  # how many calls of one owner may share one commit
    tries: int = 3
    """How often a transaction is run at most that met another one, or lost its connection before its commit."""
    try_again_s: float = 0.01
    """Pause before a transaction is run again, in seconds, at least 0: whoever it met gets past meanwhile."""


Connection = psycopg.Connection[DictRow]


class PackedVector(bytes):
    """A vector as ``core.vectors`` packs it, on its way into a column of type halfvec."""

    __slots__ = ()


class _PackedVectorDumper(psycopg.adapt.Dumper):
    """Writes a packed vector as pgvector reads it: dimension, nothing, values high byte first; it names no type."""

    format = Format.BINARY

    def dump(self, obj: PackedVector) -> Buffer | None:
        """Return the bytes of a parameter."""
        return struct.pack(">HH", len(obj) // 2, 0) + np.frombuffer(obj, dtype="<u2").byteswap().tobytes()


class _HalfvecLoader(Loader):
    """Reads a column of type halfvec as ``core.vectors`` packs it."""

    format = Format.BINARY

    def load(self, data: Buffer) -> bytes:
        """Return the bytes of a value."""
        return np.frombuffer(data, dtype=">u2", offset=4).byteswap().tobytes()


class _TextDumper(StrDumperUnknown):
    """Writes a text, with what PostgreSQL cannot store said in another way."""

    def dump(self, obj: str) -> Buffer | None:
        """Return the bytes of a parameter."""
        if _NUL in obj or _ESCAPE in obj:
            obj = obj.replace(_ESCAPE, _ESCAPE + "1").replace(_NUL, _ESCAPE + "0")
        return super().dump(obj)


class _TextLoader(TextBinaryLoader):
    """Reads what ``_TextDumper`` wrote."""

    def load(self, data: Buffer) -> bytes | str:
        """Return the text of a value."""
        text = str(data, "utf-8")
        if _ESCAPE in text:
            text = text.replace(_ESCAPE + "0", _NUL).replace(_ESCAPE + "1", _ESCAPE)
        return text


def register_adapters(adapters: AdaptersMap, halfvec_oid: int) -> None:
    """Say how values go to the database and come back; the type halfvec has another number in each."""
    adapters.register_dumper(str, _TextDumper)
    adapters.register_dumper(PackedVector, _PackedVectorDumper)
    adapters.register_loader("varchar", _TextLoader)
    adapters.register_loader(halfvec_oid, _HalfvecLoader)


def check_url(url: str) -> str:
    """Return an address as libpq reads it; the error does not repeat what is none, for it may hold a password."""
    try:
        return make_conninfo(url, **({} if "application_name" in conninfo_to_dict(url) else _NAME))
    except psycopg.ProgrammingError as exc:
        raise ConfigError(
            "the address of the database cannot be read; it looks like postgresql://role:password@host:5432/database"
        ) from exc


_NAME = {"fallback_application_name": SCHEMA}


def describe_place(url: str) -> str:
    """Return which database an address means, without a password."""
    known = conninfo_to_dict(url)
    role = f"{known['user']}@" if known.get("user") else ""
    host = str(known.get("host") or known.get("hostaddr") or "localhost")
    port = f":{known['port']}" if known.get("port") else ""
    return f"postgresql://{role}{host}{port}/{known.get('dbname', '')}"


def open_connection(url: str, policy: PostgresPolicy, halfvec_oid: int | None = None) -> Connection:
    """Return a connection in autocommit mode with our settings; psycopg's own adapters where none are asked for."""
    deadline = time.monotonic() + policy.connect_s
    place = describe_place(url)
    while True:
        try:
            connection = psycopg.connect(
                url,
                autocommit=True,
                row_factory=dict_row,
                connect_timeout=max(2, int(policy.connect_s)),  # libpq takes 1 for 2
            )
        except psycopg.Error as exc:
            if "starting up" in str(exc) and time.monotonic() < deadline:
                time.sleep(_STARTING_S)
                continue
            raise translate(exc, place) from exc
        try:
            _settle(connection, policy)
        except psycopg.Error as exc:
            connection.close()
            raise translate(exc, place) from exc
        if halfvec_oid is not None:
            register_adapters(connection.adapters, halfvec_oid)
        return connection


def _settle(connection: Connection, policy: PostgresPolicy) -> None:
    lock, stall = (f"{seconds * 1000:.0f}ms" for seconds in (policy.lock_s, policy.stall_s))
    settings = {"schema": SCHEMA, "lock": lock, "stall": stall, "durability": policy.durability}
    connection.execute(SERVER["settle"], settings)


def is_collision(exc: BaseException | None) -> bool:
    """Tell whether a transaction failed by meeting another one, so that it can be run again."""
    return isinstance(exc, psycopg.Error) and exc.sqlstate in _COLLISIONS


def translate(exc: Exception, place: str) -> StorageError | ConfigError | InputError:
    """Return our error for one of psycopg's; ``place`` names the database, without a password."""
    if not isinstance(exc, psycopg.Error):
        return StorageError(f"{place}: {exc}")
    told = " ".join(str(exc).split())
    state = exc.sqlstate or next((state for words, state in _REFUSALS.items() if re.search(words, told)), "")
    if state in _MESSAGES:
        kind, message = _MESSAGES[state]
        return kind(f"{place}: {message} ({told})")
    if isinstance(exc, errors.UniqueViolation):
        return Conflict(f"a row with the same key exists already ({told})")
    if isinstance(exc, psycopg.OperationalError):
        return StorageUnavailable(f"{place} cannot be reached or has ended the connection; try again ({told})")
    return StorageError(f"PostgreSQL refused a statement at {place}: {told}")


_REFUSALS = {
    'database ".*" does not exist': "3D000",
    'role ".*" does not exist': "28000",
    "password authentication failed": "28P01",
    "no password supplied": "28P01",
    "no pg_hba.conf entry": "28000",
    "too many clients": "53300",
    "remaining connection slots": "53300",
    "starting up": "57P03",
    "shutting down": "57P03",
}
"""Refusals to connect, which come as text alone, by what they say in English."""
