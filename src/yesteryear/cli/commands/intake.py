"""What comes in: observe one message, import a file of them, or take in what an export holds."""

from __future__ import annotations

import io
import struct
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from typer import Argument, Exit, Option

import yesteryear
from yesteryear.cli.importers import Draft, Flaw, LeftOut, Record
from yesteryear.cli.importers.formats import IMPORTERS, detect_format
from yesteryear.cli.invocation import SCOPE, Invocation, command, read_zone
from yesteryear.cli.output import Output, count, counted, interruption, say_rows, shorten
from yesteryear.cli.verb_options import AskedVerb, command_of
from yesteryear.errors import Conflict, InputError
from yesteryear.results import Drained
from yesteryear.transfer.archive import MANIFEST, Archive

BATCH = 64  # messages that are taken down together
_STDIN = "-"
_FLAWS_SHOWN = 10  # unusable lines that are shown without --verbose
_REASON_CHARS = 160  # longest reason that is shown whole
_LEAST_HOURS, _MOST_HOURS = -12, 14  # of zones that are named by what they differ from UTC
ZONE: TypeAlias = Annotated[str | None, Option(help="The person's zone, such as Europe/Lisbon; for times without one.")]
_NO_ZIP = (zipfile.BadZipFile, OSError, ValueError, RuntimeError, struct.error)
"""What opening a file raises that is no zip, or a broken one."""


@command_of(yesteryear.Memory.observe, keeps_dates=True)
def observe(
    call: Invocation,
    verb: AskedVerb[yesteryear.Receipt],
    text: Annotated[str, Argument(help="What was said; - reads it from stdin.")],
    *,
    is_flushed: Annotated[bool, Option("--flush", help="Work it in at once; ends the open episode.")] = False,
) -> None:
    """Take down what was said.

    When the command returns it is on disk, and it can be found by its words at once. A worker makes episodes and
    vectors of it later: `yesteryear worker`, or the next program that opens the store with one. With --flush it is done
    before the command returns.

    Example:
      yesteryear observe "I moved my runs to the morning" --user ana --author Ana
    """
    content = _read_stdin() if text == _STDIN else text
    at, zone = verb.given["at"], verb.given["zone"]
    with call.memory(may_create=True) as memory:
        if zone is None and at is not None and read_zone(memory) is None:
            zone = _zone_at(at)
        receipt = verb(memory, content=content, zone=zone)
        done = flush(memory, call.output) if is_flushed else None
    taken = "taken down" if receipt.is_new else "known already"
    call.output.document(receipt, f"{taken}: message {receipt.seq} of conversation {receipt.conversation!r}")
    if receipt.redactions:
        call.output.say(f"cut out before it was stored: {', '.join(receipt.redactions)}")
    if receipt.hidden:
        back = f"`yesteryear restore {receipt.id}` takes it back"
        call.output.say(f"hidden: {count(len(receipt.hidden), 'message')}; {back}")
    if receipt.proposal is not None:
        call.output.say(f"{receipt.proposal} Or: `yesteryear confirm {receipt.id}`")
    if done is not None:
        call.output.say(f"worked in: {say_drained(done)}")
    elif receipt.is_new:
        call.output.hint(
            "found by its words from now on; a worker makes memories of it when talk rests, --flush at once"
        )


def _zone_at(at: str) -> str | None:
    """Return a zone with the offset of an instant, where that is of whole hours; None for UTC and for no instant."""
    try:
        offset = datetime.fromisoformat(at).utcoffset()
    except ValueError:
        return None
    hours, rest = divmod(offset or timedelta(0), timedelta(hours=1))
    return f"Etc/GMT{-hours:+d}" if hours and not rest and _LEAST_HOURS <= hours <= _MOST_HOURS else None


def _read_stdin() -> str:
    if isinstance(sys.stdin, io.TextIOWrapper):
        # In the POSIX locale Python would let through what it cannot read.
        sys.stdin.reconfigure(errors="strict")
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as exc:
        byte = exc.object[exc.start]
        raise InputError(
            f"what stands on stdin is not {exc.encoding.upper()}: byte {exc.start + 1} is 0x{byte:02x}; "
            "nothing was taken down. Convert it first, for example: iconv -f LATIN1 -t UTF-8"
        ) from exc


@command(*SCOPE)
def import_(
    call: Invocation,
    file: Annotated[Path, Argument(help="A file, or the folder or .zip of an export.", exists=True)],
    *,
    file_format: Annotated[
        Literal["auto", "jsonl", "locomo", "chatgpt", "export"], Option("--format", help="What the file is in.")
    ] = "auto",
    zone: ZONE = None,
    author: Annotated[str | None, Option(help="What the person is called where their messages name nobody.")] = None,
    is_flushed: Annotated[
        bool, Option("--flush/--no-flush", help="Work everything in at the end, or leave it to a worker.")
    ] = True,
    is_strict: Annotated[bool, Option("--strict", help="Exit with 1 if anything could not be used.")] = False,
    is_verbose: Annotated[bool, Option("--verbose", help="Show all that could not be used.")] = False,
) -> None:
    """Import conversations and make episodes and vectors of them, or take an export in.

    Known are JSON Lines (a message a line: content, and role, author, conversation, at, id, zone where you have them),
    LoCoMo (a person each sample, named by it; a turn a minute, in UTC) and ChatGPT's data export (what the person saw
    last; branches that were edited away are left out).

    What `yesteryear export` has written is checked and taken in as it is, whole or not at all; a worker makes what it
    does not hold. Whose it becomes is said by --user, whoever it was.

    What cannot be used is shown with its place, the rest is imported. Importing again goes on where it broke off and
    adds nothing twice.

    Example:
      yesteryear import chats.jsonl --user ana
      yesteryear import chatgpt-export.zip --user ana --zone Europe/Lisbon
      yesteryear import ana.zip --user ana
    """
    if file_format == "export" or (file_format == "auto" and _is_export(file)):
        _take_export(call, file)
        return
    name = detect_format(file) if file_format == "auto" else file_format
    with call.open(may_create=True) as engine:
        intake = Intake(lambda user: call.memory_in(engine, user, may_create=True), zone, author)
        _take(intake, IMPORTERS[name](file), file.name, call.output)
        safe = f"all {count(intake.messages, 'message')} are safe"
        rest = "the same command again, or `yesteryear worker --once`, does the rest"
        with interruption(f"interrupted while working in: {safe}; {rest}"):
            worked_in = (flush(memory, call.output) for memory in intake.memories.values())
            done = sum(worked_in, start=Drained()) if is_flushed else None
    call.output.document({"file": file, "format": name, **intake.report(), "worked_in": done})
    if not call.output.is_json:
        _show(intake, done, call.output, flaws=len(intake.flaws) if is_verbose else _FLAWS_SHOWN)
    if intake.flaws and (is_strict or not intake.messages):
        raise Exit(1)


def _take(intake: Intake, records: Iterable[Record], name: str, output: Output) -> None:
    """Take everything in, and where that is cut short, say what is in at least and how to go on."""
    try:
        with output.progress(f"importing {name}", interrupted="interrupted") as advance:
            intake.on_progress = lambda position: advance(position, count(intake.messages, "message"))
            intake.take(records)
    except BaseException:  # also ctrl-C
        output.note(
            f"at least {count(intake.messages, 'message')} of {name} are in ({intake.new:,} of them new); "
            "the same command again goes on from there and adds nothing twice"
        )
        raise


def _show(intake: Intake, done: Drained | None, output: Output, *, flaws: int) -> None:
    known = f", {intake.known:,} were there already" if intake.known else ""
    people = f" of {', '.join(intake.memories)}" if intake.memories else ""
    output.say(f"{count(intake.new, 'new message')}{people}{known}")
    if intake.redacted:
        output.say(f"secrets were cut out of {count(intake.redacted, 'message')} before they were stored")
    for reason, number in intake.left_out.items():
        output.say(f"{count(number, 'message')} left out: {reason}")
    if intake.flaws:
        output.say(f"{count(len(intake.flaws), 'message')} could not be used:", style="yellow")
    for flaw in intake.flaws[:flaws]:
        output.say(f"  {flaw.where}: {shorten(flaw.reason, chars=_REASON_CHARS)}")
    output.say_more(len(intake.flaws), most=flaws, where=": --verbose shows them all")
    if done is None:
        output.note("`yesteryear worker --once` makes episodes of them; until then they are found by their words")
    else:
        output.say(f"worked in: {say_drained(done)}")
        note_failures(done, output)


def _is_export(file: Path) -> bool:
    if not file.is_file():  # of a pipe nothing may be read twice
        return False
    try:
        with zipfile.ZipFile(file) as packed:
            return MANIFEST in packed.namelist()
    except _NO_ZIP:
        return False


def _take_export(call: Invocation, file: Path) -> None:
    with Archive(file):
        pass  # what is no export must not leave an empty store behind
    moving = call.output.progress(f"importing {file.name}", interrupted="interrupted; nothing of it was taken in")
    with call.memory(may_create=True) as memory, moving as advance:
        taken = memory.import_(file, on_progress=counted(advance, "row"))
    said = [f"taken in: {say_rows(taken.added)}"]
    if any(taken.known.values()):
        said.append(f"there already: {say_rows(taken.known)}")
    call.output.document({"file": file, "format": "export", **taken.to_dict()}, *said)
    call.output.notes(taken.notes)


@dataclass(slots=True)
class Intake:
    """What became of the messages of a file so far: taken in batches, each durable before the next, none twice."""

    memory_of: Callable[[str | None], yesteryear.Memory]
    """Finds the memory for the person a file names, or for nobody in particular."""
    zone: str | None = None  # IANA zone of messages that name none
    author: str | None = None  # what the person is called, where a message of theirs names nobody
    on_progress: Callable[[float], None] = lambda _: None  # told how far into the file we are, in [0, 1]
    new: int = 0
    known: int = 0  # messages that had been taken in before
    redacted: int = 0  # new messages out of which secrets were cut
    flaws: list[Flaw] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    memories: dict[str, yesteryear.Memory] = field(default_factory=dict)  # whose memory was written to, by name

    @property
    def messages(self) -> int:
        """How many messages are in the store by now."""
        return self.new + self.known

    def report(self) -> dict[str, Any]:
        """Return what there is to tell of it, as data."""
        return {
            "people": list(self.memories),
            "messages": {"new": self.new, "known": self.known, "redacted": self.redacted},
            "left_out": self.left_out,
            "unusable": self.flaws,
        }

    def take(self, records: Iterable[Record]) -> None:
        """Take in everything, in order; where the store fails, what was counted before is safe."""
        batch: list[Draft] = []
        for record in records:
            if isinstance(record, Flaw):
                self.flaws.append(record)
            elif isinstance(record, LeftOut):
                self.left_out[record.reason] += 1
            else:
                if batch and (len(batch) == BATCH or record.user != batch[0].user):
                    self._observe(batch)
                    batch = []
                batch.append(record)
        if batch:
            self._observe(batch)

    def _observe(self, batch: list[Draft]) -> None:
        memory, middle = self.memory_of(batch[0].user), len(batch) // 2
        self.memories[memory.scope.user] = memory
        try:
            receipts = memory.observe([self._named(draft.message) for draft in batch], zone=self.zone)
        except (InputError, Conflict) as exc:
            if middle:
                self._observe(batch[:middle])
                self._observe(batch[middle:])
            else:
                self.flaws.append(Flaw(batch[0].where, str(exc)))
            return
        fresh = [receipt for receipt in receipts if receipt.is_new]
        self.new += len(fresh)
        self.known += len(receipts) - len(fresh)
        self.redacted += sum(bool(receipt.redactions) for receipt in fresh)
        self.on_progress(batch[-1].position)

    def _named(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        is_theirs = message.get("role", "user") == "user" and message.get("author") is None
        return {**message, "author": self.author} if self.author is not None and is_theirs else message


def flush(memory: yesteryear.Memory, output: Output) -> Drained:
    """Work in everything that is due in a scope, and show how far it is."""
    before = memory.stats()
    messages = int(before["messages.open"]) + int(before["vectors.due"])

    def tell(done: Drained) -> None:
        advance(done.vectors / max(messages + done.episodes, 1), count(done.episodes, "episode"))

    with output.progress(f"working in {count(messages, 'message')}") as advance:
        return memory.flush(on_progress=tell)


def say_drained(done: Drained) -> str:
    """Say what was worked in: ``3 episodes, 41 vectors, 7 facts``, and what faded, was erased or failed."""
    further = (
        (done.facts, "fact", ""),
        (done.nights, "night", ""),
        (done.rereadings, "episode", " read again"),
        (done.expired, "skipped text", " erased"),
        (done.faded, "episode", " faded"),
        (done.forgotten, "message", " forgotten as asked"),
        (done.failures, "attempt", " failed"),
    )
    told = [f"{count(number, noun)}{became}" for number, noun, became in further if number]
    return ", ".join([count(done.episodes, "episode"), count(done.vectors, "vector"), *told])


def note_failures(done: Drained, output: Output) -> None:
    """Say what becomes of work that failed."""
    if done.failures:
        output.note("what failed is tried again later; `yesteryear doctor` shows it")
