"""Whole stores, by whoever runs them: work on one, copy it, bring tables, indexes, vectors and readings up to date."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from getpass import getpass
from glob import escape
from operator import attrgetter
from pathlib import Path
from types import FrameType
from typing import Annotated

from typer import Argument, Option

from yesteryear.bootstrap import open_store
from yesteryear.bootstrap.stores import Schema, build_schemas, citus_script, is_file
from yesteryear.cli.commands.intake import note_failures, say_drained
from yesteryear.cli.invocation import DEFAULT_TENANT, NOTHING, PERSON, STORE, Invocation, command
from yesteryear.cli.output import Interrupted, Output, count, counted, say_rows, table
from yesteryear.config.settings import hide_password
from yesteryear.core.scope import Owner, Scope
from yesteryear.errors import InputError, NotFound, ProviderUnavailable, Stale, StorageUnavailable
from yesteryear.lifecycle.drain import Drain
from yesteryear.lifecycle.reread import start_rereading
from yesteryear.policies import Policies
from yesteryear.ports import Paid, Ports, Store
from yesteryear.results import Drained
from yesteryear.transfer.copy import Copied, copy_store
from yesteryear.worker import Runner

_LOOK_S = 0.1  # how often the main thread looks whether a signal came or the work is over, in seconds
_PLAIN_START = b"SQLite format 3\0"  # how a file begins that is not encrypted
_BESIDE = ("-wal", "-shm", "-journal")  # endings of the files that SQLite keeps beside a store
_MOST_SHOWN = 10  # how many people's hashes are listed
_CHUNK_BYTES = 1 << 20  # bytes that are overwritten at once
_DRY_RUN = Annotated[bool, Option("--dry-run", help="Only show what would be done.")]


@command(*STORE)
def worker(
    call: Invocation,
    is_once: Annotated[bool, Option("--once", help="Stop when nothing is due any more.")] = False,
) -> None:
    """Work through what is due, until ctrl-C or SIGTERM.

    Makes episodes and vectors of what was said, for everybody in the store. Several workers and programs may share a
    store; one of them at a time works for a person. A row under way is finished before the worker stops; a second
    ctrl-C does not wait, and nothing is lost then either. With --json a piece of work a line.

    Example:
      yesteryear worker --store memory.db --once
    """
    gone: list[BrokenPipeError] = []

    def tell(owner: Owner, done: Drained) -> None:
        """Print a line if anything was done; on the worker's thread."""
        if any(done.to_dict().values()):
            try:
                call.output.document({"tenant": owner.tenant, "user": owner.user, **done.to_dict()})
                call.output.say(f"{owner.user}: {say_drained(done)}")
            except BrokenPipeError as exc:
                # The worker must not take this for a failure of the work: it ends, as if it had been told to.
                gone.append(exc)
                runner.stop()

    with call.open_ports() as (ports, policies, settings):
        runner = Runner(ports, policies, on_progress=tell)
        call.output.note(f"working on {settings.text('store')}; ctrl-C stops", style="dim")
        ended_by = _run_until_stopped(runner, until_idle=is_once)
    if gone:
        raise gone[0]
    done = say_drained(runner.done)
    if ended_by is signal.SIGINT:
        raise Interrupted(f"stopped; worked in: {done}; start the worker again to go on")
    call.output.note(f"worked in: {done}")
    note_failures(runner.done, call.output)


def _run_until_stopped(runner: Runner, *, until_idle: bool) -> signal.Signals | None:
    """Run a worker until nothing is due or a signal comes, which is returned; a second SIGINT does not wait."""
    received: list[signal.Signals] = []

    def note(number: int, _: FrameType | None) -> None:  # between any two instructions: no lock may be asked for
        received.append(signal.Signals(number))
        signal.signal(signal.SIGINT, signal.default_int_handler)

    work = partial(runner.run, until_idle=until_idle)
    thread = threading.Thread(target=work, name="yesteryear-worker", daemon=True)
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        thread.start()
        while thread.is_alive():
            thread.join(_LOOK_S)
            if received:
                runner.stop()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return received[0] if received else None


@command("user", "tenant")
def copy(
    call: Invocation,
    source: Annotated[str, Argument(help="A store: a file, or the address of a PostgreSQL.")],
    target: Annotated[str, Argument(help="The store to copy it into; a file is made where missing.")],
    *,
    key_variable: Annotated[
        str | None, Option("--to-key-env", help="Encrypt the copy with the key in this variable.", metavar="NAME")
    ] = None,
    is_encrypted: Annotated[bool, Option("--encrypt", help="Encrypt the copy, and ask for its key.")] = False,
    erases_source: Annotated[
        bool, Option("--erase-source", help="Delete the old file, with all beside it, once the copy is whole.")
    ] = False,
    is_agreed: Annotated[bool, Option("--yes", help="Delete it without asking.")] = False,
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
    _check_copy(call, source, target, encrypts=is_encrypted or key_variable is not None, erases=erases_source)
    if erases_source and not is_agreed:
        call.output.check_askable(otherwise="pass --yes to delete the old file without being asked")
    key = _read_key(key_variable, call.output, is_asked=is_encrypted)
    with closing(open_store(source, key=_key_of(source))) as old, closing(open_store(target, key=key)) as new:
        before = _revisions(old) if erases_source else {}
        copied = _copy(old, new, hide_password(source), call)
        _show_copied(copied, target, call.output, is_encrypted=bool(key))
        if erases_source and not is_agreed:
            call.output.ask(f"Delete {source}, for good?", otherwise=f"{source} stays; the copy is whole")
        if erases_source and _revisions(old) != before:
            raise Stale(f"somebody wrote to {source} meanwhile, so it stays; stop them, then the same command again")
    erased = _erase(Path(source)) if erases_source else []
    found = {"target": hide_password(target), "is_encrypted": bool(key), "erased": erased}
    said = [f"Overwritten and deleted: {', '.join(erased)}"] if erases_source else []
    call.output.document(copied.to_dict() | found, *said)


def _check_copy(call: Invocation, source: str, target: str, *, encrypts: bool, erases: bool) -> None:
    if is_file(source) and not Path(source).is_file():
        raise NotFound(f"there is no store {source!r}")
    if source == target or (is_file(source) and Path(target).exists() and Path(target).samefile(source)):
        raise InputError("a store cannot be copied into itself; name another one")
    if erases and not (is_file(source) and call.user is None and call.tenant is None):
        raise InputError("--erase-source deletes a whole file; a person is erased with `yesteryear erase`")
    if encrypts and not is_file(target):
        raise InputError("a key encrypts files; let a server's disk be encrypted")


def _read_key(variable: str | None, output: Output, *, is_asked: bool) -> str:
    """Return the key of the copy: out of a variable, or asked for; empty where it is not to be encrypted."""
    key = "" if variable is None else os.environ.get(variable, "")
    if variable is not None and not key:
        raise InputError(f"the environment variable {variable} holds no key; set it, or pass --encrypt to be asked")
    if key or not is_asked:
        return key
    output.check_askable(otherwise="pass --to-key-env NAME, where NAME is a variable that holds the key")
    try:
        key = getpass("Key of the copy: ", stream=sys.stderr)
        is_same = key and getpass("The same again: ", stream=sys.stderr) == key
    except (KeyboardInterrupt, EOFError) as exc:
        raise Interrupted("interrupted; nothing was copied") from exc
    if not is_same:
        raise InputError("there was no key, or two different ones; nothing was copied")
    return key


def _key_of(source: str) -> str | None:
    """Return the key of the store that is copied: none of a plain file or a server, else that of the settings."""
    if not is_file(source):
        return ""
    try:
        with Path(source).open("rb") as file:
            return "" if file.read(len(_PLAIN_START)) == _PLAIN_START else None
    except OSError as exc:
        raise StorageUnavailable(f"{source} cannot be read: {exc.strerror or exc}") from exc


def _revisions(store: Store) -> dict[Owner, int]:
    found = {}
    for owner in store.owners():
        with store.read(owner.scope) as tx:
            found[owner] = tx.owner().rev
    return found


def _copy(old: Store, new: Store, source: str, call: Invocation) -> Copied:
    only = [owner for owner in old.owners() if call.means(owner)]
    if not only and (call.user, call.tenant) != (None, None):
        raise NotFound(f"there is no such person in {source}; `yesteryear stats` lists who is there")
    untouched = "interrupted; the old store is as it was, the same command goes on"
    with call.output.progress(f"copying {source}", interrupted=untouched) as advance:
        return copy_store(old, new, only=only, on_progress=counted(advance, "person", "people"))


def _erase(source: Path) -> list[str]:
    """Overwrite and delete a store's file with all beside it, once nobody uses it; return their names."""
    if any(source.with_name(source.name + ending).exists() for ending in _BESIDE):
        whole = "so it stays; the copy is whole. End that process, then the same command again"
        raise StorageUnavailable(f"another process still uses {source}, {whole}")
    files = [source, *sorted(source.parent.glob(f"{escape(source.name)}.before-*"))]
    try:
        for file in files:
            with file.open("r+b") as opened:
                left = file.stat().st_size
                while left > 0:
                    left -= opened.write(bytes(min(left, _CHUNK_BYTES)))
                opened.flush()
                os.fsync(opened.fileno())
            file.unlink()
    except OSError as exc:
        raise StorageUnavailable(f"{exc.filename or source} cannot be deleted: {exc.strerror or exc}") from exc
    return [str(file) for file in files]


def _show_copied(copied: Copied, target: str, output: Output, *, is_encrypted: bool) -> None:
    how = ("encrypted, " if is_encrypted else "not encrypted, ") if is_file(target) else ""
    whole = f"{count(copied.owners, 'person is', 'people are')} whole in {hide_password(target)}"
    output.say(f"{whole}: {how}compared row by row")
    output.say(f"written now: {say_rows(copied.rows)}")
    if copied.people:
        output.say("SHA-256 of all rows as an export has them, the same on both sides:")
    for person in copied.people[:_MOST_SHOWN]:
        tenant = f" ({person.tenant})" if person.tenant != DEFAULT_TENANT else ""
        output.say(f"  {person.hash}  {person.user}{tenant}")
    output.say_more(copied.owners, most=_MOST_SHOWN, where=": --json lists them all")


@command(*NOTHING)
def migrate(
    call: Invocation,
    store: Annotated[str | None, Argument(help="A file or PostgreSQL's address; the setting where not given.")] = None,
    *,
    is_dry: _DRY_RUN = False,
    partitions: Annotated[int, Option(help="Parts of the big tables of a new PostgreSQL, by person.", min=0)] = 0,
    is_for_citus: Annotated[
        bool, Option("--citus", help="Print the script that distributes the tables by person, and stop.")
    ] = False,
) -> None:
    """Bring the tables of a store up to date.

    Shows what has been done to them and what is to be, and does it, one process at a time. Every command does so when
    it opens a store; this one is for a role that may make tables, where the one that works on them may not.

    Before a file that holds data is changed, a copy is made beside it.

    With --citus no store is opened: it prints what is to be run once on a cluster, after the tables were made.

    Example:
      yesteryear migrate postgresql://admin@db.example.org/memory --dry-run
      yesteryear migrate --citus | psql postgresql://admin@db.example.org/memory
    """
    if is_for_citus:
        call.output.document({"script": citus_script()}, citus_script().rstrip())
        return
    schemas = build_schemas(call.settings({"store": store}), partitions=partitions)
    found = [_migrate(schema, call.output, is_dry=is_dry) for schema in schemas]
    call.output.document({"is_dry_run": is_dry, "databases": found})


def _migrate(schema: Schema, output: Output, *, is_dry: bool) -> dict[str, object]:
    before = after = schema.look()
    output.say(f"{schema.place}" + (f", its big tables in {before.partitions} parts" if before.partitions else ""))
    for label in before.applied:
        output.say(f"  done     {label}", style="dim")
    for label in before.pending:
        output.say(f"  to do    {label}")
    if not is_dry:
        schema.migrate()
        after = schema.look()
        done = count(len(before.pending), "migration has", "migrations have")
        output.say(f"  {done} been run" if before.pending else "  nothing to do")
    return {"store": schema.place, **after.to_dict(), "run": [] if is_dry else before.pending}


@command(*STORE)
def index(
    call: Invocation,
    *,
    owner: Annotated[str | None, Option(help="Only this person's; else everybody's.", metavar="NAME")] = None,
    tenant: Annotated[str, Option(help="The customer of --owner.", metavar="NAME")] = DEFAULT_TENANT,
    is_dry: _DRY_RUN = False,
    drop: Annotated[bool, Option("--drop", help="Drop the indexes instead.")] = False,
) -> None:
    """Give people with very many vectors an index of their own, on PostgreSQL.

    With more than `exact_vectors` (20,000) vectors a person's are not compared one by one any more: the nearest come
    from an index of theirs alone. Indexes of people who have fewer by now, or are gone, are dropped. It may be run at
    any time, by whoever owns the tables; people are served meanwhile.

    An index names its person in the database's catalogue. Erasing them drops it.

    Example:
      yesteryear index --store postgresql://… --dry-run
    """
    kept = "interrupted; what was made is kept, the same command goes on from there"
    with call.open() as engine, call.output.progress("looking for people with many vectors", interrupted=kept):
        found = engine.index_vectors(user=owner, tenant=tenant, dry_run=is_dry, drop=drop)
    exact_vectors = call.settings()["exact_vectors"]
    call.output.document({"indexes": found, "is_dry": is_dry, "exact_vectors": exact_vectors})
    if not found:
        call.output.say(f"no indexes, and none needed: nobody here has more than {exact_vectors:,} vectors")
        return
    rows = []
    for row in found:
        person, size = "nobody any more" if row.user is None else row.user, f"{row.nbytes / 1e6:.1f}"
        rows.append((row.name, row.fate.value, person, row.model or "", f"{row.vectors:,}", size if row.nbytes else ""))
    call.output.show(table(("index", "", "person", "model", "vectors", "MB"), rows, rest="person"))
    if is_dry:
        call.output.hint("nothing was changed")


@command(*PERSON)
def reembed(
    call: Invocation,
    embedder: Annotated[str | None, Option(help="auto, minilm, hashing or a provider:model; else the setting.")] = None,
) -> None:
    """Make all vectors anew with the embedder in use.

    Of the person named, or of everybody. Until a person's are complete, the old ones serve; then they are dropped. It
    may be interrupted at any time: the same command goes on, and so does any worker with the same embedder.

    Example:
      yesteryear model install && yesteryear reembed --store memory.db
    """
    with call.open_ports(embedder=embedder) as (ports, policies, _):
        model, vectors = ports.embedder.profile.model, 0
        scopes = [owner.scope for owner in ports.store.owners() if call.means(owner)]
        outdated = [scope for scope in scopes if _is_outdated(ports, scope, model)]
        people = count(len(outdated), "person", "people")
        if outdated and ports.is_fallback_embedder:
            missing = "which only stands in for a model that is not installed; run: yesteryear model install"
            raise ProviderUnavailable(f"vectors of {people} are not of {model!r}, {missing}")
        for scope in outdated:
            with ports.store.read(scope) as tx:
                counts = tx.counts()
            total = sum(counts.get(name, 0) for name in ("messages.keep", "messages.skip", "episodes.active"))
            vectors += _renew(ports, policies, scope, call.output, noun="vector", total=total)
        left = [scope.user for scope in outdated if _is_outdated(ports, scope, model)]
    call.output.document({"model": model, "people": len(outdated), "vectors": vectors, "unfinished": left})
    if not scopes:
        call.output.say("nobody is in this store yet, so there is nothing to re-embed")
    elif not outdated:
        call.output.say(f"nothing to do: all vectors of {count(len(scopes), 'person', 'people')} are of {model}")
    else:
        call.output.say(f"{count(vectors, 'vector')} of {model} made for {people}")
    _tell_unfinished(left, call.output)


def _is_outdated(ports: Ports, scope: Scope, model: str) -> bool:
    """Tell whether a person has vectors that the embedder in use has not made, or a change to it is not complete."""
    with ports.store.read(scope) as tx:
        owner = tx.owner()
    return owner.model not in (None, model) or owner.next_model == model


@command(*PERSON)
def reread(
    call: Invocation,
    is_dry: Annotated[bool, Option("--dry-run", help="Only tell how many episodes there are.")] = False,
    is_agreed: Annotated[bool, Option("--yes", help="Have a language model read them without asking.")] = False,
) -> None:
    """Read old talk again by what reads now: a newer reader, or the language model that is the analyst.

    Of the person named, or of everybody. Facts that nothing but the old reading told go; what a person did by hand
    stays, and nothing that was forgotten comes back. It may be interrupted at any time: the same command goes on, and
    so does any worker that reads by the same. What was skipped stays so; words that have faded cannot be read.

    Example:
      yesteryear model install && yesteryear reread --store memory.db
    """
    with call.open_ports() as (ports, policies, settings):
        now, scopes = ports.clock.now(), [owner.scope for owner in ports.store.owners() if call.means(owner)]
        found = {scope: start_rereading(ports, scope, now=now, is_dry=True).episodes for scope in scopes}
        total, reader = sum(found.values()), ports.reads_by
        episodes, people = count(total, "episode"), count(sum(map(bool, found.values())), "person", "people")
        if total and not is_dry and isinstance(ports.analyst, Paid) and not is_agreed:
            call.output.check_askable(otherwise=f"pass --yes to have {episodes} read, a call of the model each")
            call.output.ask(f"Have {episodes} of {people} read by {settings.text('analyst')}, a call each?")
        done, left = 0, []
        for scope in () if is_dry else scopes:
            start_rereading(ports, scope, now=now)
            if number := found[scope]:
                done += _renew(ports, policies, scope, call.output, noun="episode", total=number)
            if start_rereading(ports, scope, now=now, is_dry=True).episodes:
                left.append(scope.user)
    call.output.document({"reader": reader, "episodes": total, "read": done, "unfinished": left, "is_dry": is_dry})
    if not total:
        call.output.say(f"nothing to do: all episodes whose words are left were read by {reader}")
    elif is_dry:
        call.output.say(f"{episodes} of {people} would be read again by {reader}; nothing was changed")
    else:
        call.output.say(f"{count(done, 'episode')} of {people} read again by {reader}")
    _tell_unfinished(left, call.output)


def _renew(ports: Ports, policies: Policies, scope: Scope, output: Output, *, noun: str, total: int) -> int:
    """Do what is due for a person until nothing is, with all that follows; return how many rows were renewed of it."""
    if noun == "vector":
        doing, became, number = f"re-embedding {scope.user}", "made", attrgetter("vectors")
    else:
        doing, became, number = f"reading {scope.user} again", "read", attrgetter("rereadings")
    kept = f"interrupted while {doing}; what was {became} is kept, the same command goes on from there"
    done = Drained()
    with output.progress(doing, interrupted=kept) as advance:

        def tell(now: Drained) -> None:
            renewed = number(done) + number(now)
            advance(renewed / max(total, 1), count(renewed, noun))

        while True:
            drain = Drain(ports, policies, scope, worker=ports.workers.name(), on_progress=tell)
            if not drain.run():
                output.note(f"another worker is busy with {scope.user} and goes on with it")
            if drain.done == Drained():
                return int(number(done))
            done += drain.done


def _tell_unfinished(left: Sequence[str], output: Output) -> None:
    if left:
        output.hint(f"not complete yet: {', '.join(left)}; run the command again, see also `yesteryear doctor`")
