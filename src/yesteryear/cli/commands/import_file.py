"""``yesteryear import``."""

from __future__ import annotations

import struct
import zipfile
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from yesteryear.cli.invocation import SCOPE, Interrupted, Invocation, command
from yesteryear.cli.output import Output, count, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

    from yesteryear.cli.importers.records import Record
    from yesteryear.cli.intake import Intake
    from yesteryear.drain import Drained
    from yesteryear.sync.memory import Memory
    from yesteryear.takeout.import_export import Imported

_FLAWS_SHOWN = 10
"""Unusable lines that are shown without --verbose."""
_NO_ZIP = (zipfile.BadZipFile, OSError, ValueError, RuntimeError, struct.error)
"""What opening a file raises that is no zip, or a broken one."""
_REASON_CHARS = 160
"""Longest reason that is shown whole."""


class Format(StrEnum):
    """What a file can be in."""

    AUTO = "auto"
    JSONL = "jsonl"
    LOCOMO = "locomo"
    CHATGPT = "chatgpt"
    EXPORT = "export"


class ImportedSpeaker(NamedTuple):
    """What a file does not say of the person."""

    author: str | None
    """What they are called."""
    zone: str | None
    """Their IANA time zone."""


@command(*SCOPE)
def import_file(
    call: Invocation,
    file: Annotated[Path, typer.Argument(help="A file, or the folder or .zip of an export.", exists=True)],
    *,
    file_format: Annotated[Format, typer.Option("--format", help="What the file is in.")] = Format.AUTO,
    zone: Annotated[
        str | None, typer.Option(help="The person's time zone, such as Europe/Lisbon; also for times without one.")
    ] = None,
    author: Annotated[
        str | None, typer.Option(help="What the person is called, for messages of theirs that name nobody.")
    ] = None,
    is_flushed: Annotated[
        bool, typer.Option("--flush/--no-flush", help="Work everything in at the end, or leave it to a worker.")
    ] = True,
    is_strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if anything could not be used.")] = False,
    is_verbose: Annotated[bool, typer.Option("--verbose", help="Show all that could not be used.")] = False,
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
    if file_format is Format.EXPORT or (file_format is Format.AUTO and _is_export(file)):
        _take_export(call, file)
    else:
        speaker = ImportedSpeaker(author, zone)
        _import(call, file, file_format, speaker, is_flushed=is_flushed, is_strict=is_strict, is_verbose=is_verbose)


def _is_export(file: Path) -> bool:
    """Tell whether a file is a zip with the manifest of our exports."""
    from yesteryear.takeout.archive import MANIFEST

    if not file.is_file():  # of a pipe nothing may be read twice
        return False
    try:
        with zipfile.ZipFile(file) as packed:
            return MANIFEST in packed.namelist()
    except _NO_ZIP:
        return False


def _take_export(call: Invocation, file: Path) -> None:
    """Take an export in, whole or not at all."""
    from yesteryear.cli.holdings import say_rows
    from yesteryear.takeout.archive import Archive

    with Archive(file):
        pass  # what is no export must not leave an empty store behind
    with call.open(may_create=True) as engine:
        taken = _restore(call.memory(engine, may_create=True), file, call.output)
    if call.output.is_json:
        call.output.document({"file": str(file), "format": Format.EXPORT.value, **taken.to_dict()})
        return
    call.output.say(f"taken in: {say_rows(taken.added)}")
    if any(taken.known.values()):
        call.output.say(f"there already: {say_rows(taken.known)}")
    for note in taken.notes:
        call.output.note(f"note: {note}", style="yellow")


def _restore(memory: Memory, file: Path, output: Output) -> Imported:
    try:
        with output.progress(f"importing {file.name}") as advance:
            return memory.import_(
                file, on_progress=lambda done, total: advance(done / max(total, 1), count(done, "row"))
            )
    except KeyboardInterrupt as exc:
        raise Interrupted("interrupted; nothing of it was taken in") from exc


def _import(
    call: Invocation,
    file: Path,
    file_format: Format,
    speaker: ImportedSpeaker,
    *,
    is_flushed: bool,
    is_strict: bool,
    is_verbose: bool,
) -> None:
    """Import conversations."""
    from yesteryear.cli.importers.formats import IMPORTERS, detect_format
    from yesteryear.cli.intake import Intake

    name = detect_format(file) if file_format is Format.AUTO else file_format.value
    with call.open(may_create=True) as engine:
        intake = Intake(lambda user: call.memory(engine, user, may_create=True), speaker.zone, speaker.author)
        _take(intake, IMPORTERS[name](file), file.name, call.output)
        done = _flush(intake, call.output) if is_flushed else None
    if call.output.is_json:
        call.output.document({"file": str(file), "format": name, **_report(intake, done)})
    else:
        _show(intake, done, call.output, is_verbose=is_verbose)
    if intake.flaws and (is_strict or not intake.messages):
        raise typer.Exit(1)


def _take(intake: Intake, records: Iterable[Record], name: str, output: Output) -> None:
    """Take everything in, and where that is cut short, say what is in and how to go on."""
    is_whole = False
    try:
        with output.progress(f"importing {name}") as advance:
            intake.on_progress = lambda position: advance(position, count(intake.messages, "message"))
            intake.take(records)
        is_whole = True
    except KeyboardInterrupt as exc:
        raise Interrupted("interrupted") from exc
    finally:
        if not is_whole:
            output.note(
                f"{count(intake.messages, 'message')} of {name} are in ({intake.new:,} of them new); "
                "the same command again goes on from there and adds nothing twice"
            )


def _flush(intake: Intake, output: Output) -> Drained:
    """Work everything in, person by person, and return the sum."""
    try:
        from yesteryear.cli.working import flush
        from yesteryear.drain import Drained

        total = Drained()
        for memory in intake.memories.values():
            total += flush(memory, output)
    except KeyboardInterrupt as exc:
        raise Interrupted(
            f"interrupted while working in: all {count(intake.messages, 'message')} are safe; "
            "the same command again, or `yesteryear worker --once`, does the rest"
        ) from exc
    return total


def _report(intake: Intake, done: Drained | None) -> dict[str, Any]:
    return {
        "people": list(intake.memories),
        "messages": {"new": intake.new, "known": intake.known, "redacted": intake.redacted},
        "left_out": dict(intake.left_out),
        "unusable": [asdict(flaw) for flaw in intake.flaws],
        "worked_in": done and asdict(done),
    }


def _show(intake: Intake, done: Drained | None, output: Output, *, is_verbose: bool) -> None:
    from yesteryear.cli.working import say_drained

    known = f", {intake.known:,} were there already" if intake.known else ""
    people = f" of {', '.join(intake.memories)}" if intake.memories else ""
    output.say(f"{count(intake.new, 'new message')}{people}{known}")
    if intake.redacted:
        output.say(f"secrets were cut out of {count(intake.redacted, 'message')} before they were stored")
    for reason, number in intake.left_out.items():
        output.say(f"{count(number, 'message')} left out: {reason}")
    if intake.flaws:
        output.say(f"{count(len(intake.flaws), 'message')} could not be used:", style="yellow")
        for flaw in intake.flaws if is_verbose else intake.flaws[:_FLAWS_SHOWN]:
            output.say(f"  {flaw.where}: {shorten(flaw.reason, chars=_REASON_CHARS)}")
        if len(intake.flaws) > _FLAWS_SHOWN and not is_verbose:
            output.say(f"  and {len(intake.flaws) - _FLAWS_SHOWN:,} more: --verbose shows them all")
    if done is None:
        output.note("`yesteryear worker --once` makes episodes of them; until then they are found by their words")
    else:
        output.say(f"worked in: {say_drained(done)}")
        if done.failures:
            output.note("what failed is tried again later; `yesteryear doctor` shows it")
