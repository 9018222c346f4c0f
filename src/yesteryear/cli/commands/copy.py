"""``yesteryear copy``."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from getpass import getpass
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import NOTHING, Interrupted, Invocation, command
from yesteryear.cli.output import Output, count
from yesteryear.errors import InputError, NotFound, Stale, StorageUnavailable

if TYPE_CHECKING:
    from yesteryear.core.scope import Owner
    from yesteryear.ports import Store
    from yesteryear.takeout.copy import Copied

_PLAIN_START = b"SQLite format 3\0"
"""How a file begins that is not encrypted."""
_BESIDE = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps beside a store."""
_CHUNK_BYTES = 1 << 20
"""Bytes that are overwritten at once."""


@command(*NOTHING)
def copy(
    call: Invocation,
    source: Annotated[Path, typer.Argument(help="The store's file.")],
    target: Annotated[Path, typer.Argument(help="The file to copy it into; made where missing.")],
    *,
    key_variable: Annotated[
        str | None, typer.Option("--to-key-env", help="Encrypt the copy with the key in this variable.", metavar="NAME")
    ] = None,
    is_encrypted: Annotated[bool, typer.Option("--encrypt", help="Encrypt the copy, and ask for its key.")] = False,
    erases_source: Annotated[
        bool, typer.Option("--erase-source", help="Delete the old file, with all beside it, once the copy is whole.")
    ] = False,
    is_agreed: Annotated[bool, typer.Option("--yes", help="Delete it without asking.")] = False,
) -> None:
    """Copy a store into another file, such as an encrypted one.

    Everybody in it with all their rows, compared in the end. The same command goes on where it broke off. An encrypted
    store is opened with the key in YESTERYEAR_KEY; that of the copy stands in another variable or is asked for, never
    in the command, where others could read it. Without a key for it the copy is not encrypted.

    With --erase-source the old file is overwritten and deleted, and its backups too, when nobody uses it any more and
    nothing was written to it meanwhile. What a disk has kept elsewhere, such as a snapshot, is out of reach.

    Example:
      yesteryear copy plain.db memory.db --encrypt --erase-source
      yesteryear copy plain.db memory.db --to-key-env YESTERYEAR_KEY
    """
    from yesteryear.bootstrap import open_store
    from yesteryear.cli.consent import ask, check_askable

    _check_paths(source, target)
    if erases_source and not is_agreed:
        check_askable(call.output, otherwise="pass --yes to delete the old file without being asked")
    key = _read_key(key_variable, call.output, is_asked=is_encrypted)
    with closing(_open_source(source)) as old, closing(open_store(target, key=key)) as new:
        before = _revisions(old)
        copied = _copy(old, new, source, call.output)
        _show(copied, target, call.output, is_encrypted=bool(key))
        if erases_source and not is_agreed:
            ask(f"Delete {source}, for good?", call.output, otherwise=f"{source} stays; the copy is whole")
        if erases_source and _revisions(old) != before:
            raise Stale(f"somebody wrote to {source} meanwhile, so it stays; stop them, then the same command again")
    erased = _erase(source) if erases_source else []
    if call.output.is_json:
        found = {"target": str(target), "is_encrypted": bool(key), "erased": erased}
        call.output.document(copied.to_dict() | found)
    elif erases_source:
        call.output.say(f"Overwritten and deleted: {', '.join(erased)}")


def _check_paths(source: Path, target: Path) -> None:
    if not source.is_file():
        raise NotFound(f"there is no store {str(source)!r}")
    if target.exists() and target.samefile(source):
        raise InputError("a store cannot be copied into itself; name another file")


def _read_key(variable: str | None, output: Output, *, is_asked: bool) -> str:
    """Return the key of the copy: out of a variable, or asked for; empty where it is not to be encrypted."""
    from yesteryear.cli.consent import check_askable

    if variable is not None:
        key = os.environ.get(variable, "")
        if not key:
            raise InputError(f"the environment variable {variable} holds no key; set it, or pass --encrypt to be asked")
        return key
    if not is_asked:
        return ""
    check_askable(output, otherwise="pass --to-key-env NAME, where NAME is a variable that holds the key")
    key = _ask_key("Key of the copy: ")
    if not key or _ask_key("The same again: ") != key:
        raise InputError("there was no key, or two different ones; nothing was copied")
    return key


def _ask_key(prompt: str) -> str:
    try:
        return getpass(prompt, stream=sys.stderr)
    except (KeyboardInterrupt, EOFError) as exc:
        raise Interrupted("interrupted; nothing was copied") from exc


def _open_source(source: Path) -> Store:
    """Open the store that is copied: with the key of the settings, which a plain file does not need."""
    from yesteryear.bootstrap import open_store

    try:
        with source.open("rb") as file:
            is_plain = file.read(len(_PLAIN_START)) == _PLAIN_START
    except OSError as exc:
        raise StorageUnavailable(f"{source} cannot be read: {exc.strerror or exc}") from exc
    return open_store(source, key="" if is_plain else None)


def _revisions(store: Store) -> dict[Owner, int]:
    """Return the counter of everybody's changes."""
    from yesteryear.core.scope import Scope

    found = {}
    for owner in store.owners():
        with store.read(Scope(tenant=owner.tenant, user=owner.user)) as tx:
            found[owner] = tx.owner().rev
    return found


def _copy(old: Store, new: Store, source: Path, output: Output) -> Copied:
    from yesteryear.takeout.copy import copy_store

    try:
        with output.progress(f"copying {source.name}") as advance:
            return copy_store(
                old,
                new,
                on_progress=lambda done, total: advance(done / max(total, 1), count(done, "person", "people")),
            )
    except KeyboardInterrupt as exc:
        raise Interrupted("interrupted; the old file is as it was, the same command goes on") from exc


def _erase(source: Path) -> list[str]:
    """Overwrite and delete a store's file with all beside it, once nobody uses it; return their names."""
    if any(source.with_name(source.name + ending).exists() for ending in _BESIDE):
        raise StorageUnavailable(
            f"another process still uses {source}, so it stays; the copy is whole. "
            "End that process, then the same command again"
        )
    files = [source, *sorted(source.parent.glob(f"{escape(source.name)}.before-*"))]
    try:
        for file in files:
            _overwrite(file)
            file.unlink()
    except OSError as exc:
        raise StorageUnavailable(f"{exc.filename or source} cannot be deleted: {exc.strerror or exc}") from exc
    return [str(file) for file in files]


def _overwrite(file: Path) -> None:
    with file.open("r+b") as opened:
        left = file.stat().st_size
        while left > 0:
            left -= opened.write(bytes(min(left, _CHUNK_BYTES)))
        opened.flush()
        os.fsync(opened.fileno())


def _show(copied: Copied, target: Path, output: Output, *, is_encrypted: bool) -> None:
    from yesteryear.cli.holdings import say_rows

    how = "encrypted, " if is_encrypted else "not encrypted, "
    output.say(f"{count(copied.owners, 'person is', 'people are')} whole in {target}: {how}compared row by row")
    output.say(f"written now: {say_rows(copied.rows)}")
