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

from yesteryear.cli.invocation import DEFAULT_TENANT, Interrupted, Invocation, command
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
_MOST_SHOWN = 10
"""How many people's hashes are listed."""
_CHUNK_BYTES = 1 << 20
"""Bytes that are overwritten at once."""


@command("user", "tenant")
def copy(
    call: Invocation,
    source: Annotated[str, typer.Argument(help="A store: a file, or the address of a PostgreSQL.")],
    target: Annotated[str, typer.Argument(help="The store to copy it into; a file is made where missing.")],
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
    """Copy a store into another one: an encrypted file, a PostgreSQL, or back into a file.

    Everybody in it, or the person named, with all their rows; in the end the hash of each person's rows is the same on
    both sides, and told. The same command goes on where it broke off. No worker may run on the target meanwhile.

    An encrypted file is opened with the key in YESTERYEAR_KEY; that of the copy stands in another variable or is asked
    for, never in the command, where others could read it. Without a key for it the copy is not encrypted.

    With --erase-source the old file is overwritten and deleted, and its backups too, when nobody uses it any more and
    nothing was written to it meanwhile. What a disk has kept elsewhere, such as a snapshot, is out of reach.

    Example:
      yesteryear copy plain.db memory.db --encrypt --erase-source
      yesteryear copy plain.db memory.db --to-key-env YESTERYEAR_KEY
      yesteryear copy memory.db postgresql://app@db.example.org/memory
    """
    from yesteryear.bootstrap import open_store
    from yesteryear.bootstrap.stores import is_file
    from yesteryear.cli.consent import ask, check_askable

    _check_places(source, target)
    is_whole = call.user is None and call.tenant is None
    if erases_source and not (is_file(source) and is_whole):
        raise InputError("--erase-source deletes a whole file; a person is erased with `yesteryear erase`")
    if erases_source and not is_agreed:
        check_askable(call.output, otherwise="pass --yes to delete the old file without being asked")
    if not is_file(target) and (is_encrypted or key_variable is not None):
        raise InputError("a key encrypts files; let a server's disk be encrypted")
    key = _read_key(key_variable, call.output, is_asked=is_encrypted)
    with closing(_open_source(source)) as old, closing(open_store(target, key=key)) as new:
        before = _revisions(old) if erases_source else {}
        copied = _copy(old, new, source, call)
        _show(copied, target, call.output, is_encrypted=bool(key))
        if erases_source and not is_agreed:
            ask(f"Delete {source}, for good?", call.output, otherwise=f"{source} stays; the copy is whole")
        if erases_source and _revisions(old) != before:
            raise Stale(f"somebody wrote to {source} meanwhile, so it stays; stop them, then the same command again")
    erased = _erase(Path(source)) if erases_source else []
    if call.output.is_json:
        found = {"target": _shown(target), "is_encrypted": bool(key), "erased": erased}
        call.output.document(copied.to_dict() | found)
    elif erases_source:
        call.output.say(f"Overwritten and deleted: {', '.join(erased)}")


def _check_places(source: str, target: str) -> None:
    from yesteryear.bootstrap.stores import is_file

    if is_file(source) and not Path(source).is_file():
        raise NotFound(f"there is no store {source!r}")
    is_same = is_file(source) and Path(target).exists() and Path(target).samefile(source)
    if source == target or is_same:
        raise InputError("a store cannot be copied into itself; name another one")


def _shown(place: str) -> str:
    from yesteryear.config import hide_password

    return hide_password(place)


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


def _open_source(source: str) -> Store:
    """Open the store that is copied: a file that is not plain with the key of the settings."""
    from yesteryear.bootstrap import open_store
    from yesteryear.bootstrap.stores import is_file

    if not is_file(source):
        return open_store(source, key="")
    try:
        with Path(source).open("rb") as file:
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


def _copy(old: Store, new: Store, source: str, call: Invocation) -> Copied:
    from yesteryear.takeout.copy import copy_store

    only = [owner for owner in old.owners() if call.tenant in (None, owner.tenant) and call.user in (None, owner.user)]
    if not only and (call.user, call.tenant) != (None, None):
        raise NotFound(f"there is no such person in {_shown(source)}; `yesteryear stats` lists who is there")
    try:
        with call.output.progress(f"copying {_shown(source)}") as advance:
            return copy_store(
                old,
                new,
                only=only,
                on_progress=lambda done, total: advance(done / max(total, 1), count(done, "person", "people")),
            )
    except KeyboardInterrupt as exc:
        raise Interrupted("interrupted; the old store is as it was, the same command goes on") from exc


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


def _show(copied: Copied, target: str, output: Output, *, is_encrypted: bool) -> None:
    from yesteryear.bootstrap.stores import is_file
    from yesteryear.cli.holdings import say_rows

    place = _shown(target)
    how = ("encrypted, " if is_encrypted else "not encrypted, ") if is_file(target) else ""
    output.say(f"{count(copied.owners, 'person is', 'people are')} whole in {place}: {how}compared row by row")
    output.say(f"written now: {say_rows(copied.rows)}")
    if output.is_json or not copied.people:
        return
    output.say("SHA-256 of all rows as an export has them, the same on both sides:")
    for person in copied.people[:_MOST_SHOWN]:
        output.say(
            f"  {person.hash}  {person.user}" + (f" ({person.tenant})" if person.tenant != DEFAULT_TENANT else "")
        )
    if len(copied.people) > _MOST_SHOWN:
        output.say(f"  and of {copied.owners - _MOST_SHOWN:,} more, which --json lists")
