"""STEP: writing all that a scope sees into one file, from one moment, while others go on working.

The file is written beside its place and moved there when it is whole. If the person is erased meanwhile, nothing of
it is left. Beside the rows stands a page in Markdown, for the person it is about: dates are those of their own zone,
and what was said stands in quotes, so that nothing in it is taken for a heading.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO

from yesteryear.core.episode import Detail, Episode, EpisodeStatus, UserState
from yesteryear.core.fact import Fact, FactStatus
from yesteryear.core.language.invisible_text import seen
from yesteryear.core.message import Conversation, Message, Outcome, Reason, last_zone
from yesteryear.core.results import Plain
from yesteryear.core.scope import Scope
from yesteryear.core.time import FIRST, local, say_day
from yesteryear.errors import InputError, Stale, StorageUnavailable, YesteryearError, told_of_handles
from yesteryear.ports import Store
from yesteryear.transfer import kinds
from yesteryear.transfer.archive import READABLE, write_archive
from yesteryear.transfer.kinds import DumpedSettings
from yesteryear.transfer.reader import StoreReader

TITLE = "# What is remembered"

_STATUS = {
    EpisodeStatus.PENDING: "about to be found by its meaning",
    EpisodeStatus.ACTIVE: "found when it matters",
    EpisodeStatus.FAILED: "could not be worked through",
    EpisodeStatus.ARCHIVED: "archived: found only when it is asked for",
    EpisodeStatus.FORGOTTEN: "forgotten",
}
_FACT_STATUS = {
    FactStatus.NEEDS_REVIEW: "perhaps no longer so",
    FactStatus.DEPRECATED: "not believed any more",
    FactStatus.MERGED: "said in other words above",
    FactStatus.SUPERSEDED: "replaced",
}
_DETAIL = {
    Detail.VIVID: "with its words",
    Detail.DIM: "faded in part: some of its words are gone",
    Detail.GIST: "faded: only its summary is left",
}
_OUTCOME = {Outcome.KEEP: "kept", Outcome.SKIP: "skipped", Outcome.UNSURE: "undecided"}
_LINE_END = re.compile(r"\r\n|\r|\n")
_ACTIVE = re.compile(r"[<>&]|!?\[(?=[^\]\n]*\][(\[:])")
"""What a reader of Markdown would act on: tags, entities, links and pictures."""
_SHOWN = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "![": "\\!\\["}


def tell_settings(levels: Iterable[DumpedSettings]) -> Iterator[str]:
    """Return the lines about what the person has set."""
    for level in levels:
        yield from ("", f"## Settings of project {_line(level.project)}" if level.project else "## Settings", "")
        yield from (f"- {_line(name)}: {_line(str(value))}" for name, value in sorted(level.values.items()))


def tell_facts(facts: Iterable[Fact], *, zone: str | None) -> Iterator[str]:
    """Return the lines about what is believed: what holds now, then what held before or is doubted.

    ``zone`` is the person's: a month that begins at midnight there begins on another day in UTC.
    """
    known = [fact for fact in facts if fact.status is not FactStatus.FORGOTTEN]
    current = [fact for fact in known if _is_current(fact)]
    previous = [fact for fact in known if not _is_current(fact)]
    for title, found in (("What is believed", current), ("What was believed before", previous)):
        if found:
            yield from ("", f"## {title}", "")
        yield from (f"- {_tell_fact(fact, zone)}" for fact in found)


def _is_current(fact: Fact) -> bool:
    return fact.is_live and fact.valid_to is None and fact.resolved_at is None


def _tell_fact(fact: Fact, zone: str | None) -> str:
    asides = [fact.kind.value.replace("_", " ")]
    asides += [f"project {_line(fact.scope.project)}"] if fact.scope.project else []
    days = {"first told": fact.first_observed, "since": fact.valid_from, "until": fact.valid_to}
    days["settled"] = fact.resolved_at
    asides += [f"{word} {_say_day(day, zone)}" for word, day in days.items() if day]
    asides += [_FACT_STATUS[fact.status]] if fact.status in _FACT_STATUS else []
    asides += ["pinned"] if fact.pinned else []
    return f"{_line(fact.statement)} ({', '.join(asides)}; confidence {fact.confidence:.2f})"


def tell_conversation(
    conversation: Conversation, episodes: Iterable[Episode], messages: Iterable[Message]
) -> Iterator[str]:
    """Return the lines about one conversation."""
    yield from ("", f"## {_title(conversation)}")
    coming = iter(episodes)
    ahead = next(coming, None)
    present: Episode | None = None
    is_between = False
    for message in messages:
        while ahead is not None and ahead.first_seq <= message.seq:
            present, ahead, is_between = ahead, next(coming, None), False
            yield from _tell_episode(present)
        if not is_between and (present is None or message.seq > present.last_seq):
            is_between = True
            yield from ("", "### In no episode")
        yield from _tell_message(message)
    while ahead is not None:
        yield from _tell_episode(ahead)
        ahead = next(coming, None)


def _title(conversation: Conversation) -> str:
    project, agent, name = conversation.key
    asides = [f"project {_line(project)}"] if project else []
    asides += [f"agent {_line(agent)}"] if agent else []
    return f"Conversation {_line(name)}" + (f" ({', '.join(asides)})" if asides else "")


def _tell_episode(episode: Episode) -> Iterator[str]:
    digest = episode.digest
    yield from ("", f"### {(digest and _line(digest.topic)) or 'Episode'}", "")
    yield f"{_say_time(episode.started_at, episode.zone)} to {_say_time(episode.ended_at, episode.zone)}"
    if episode.status is EpisodeStatus.FORGOTTEN:
        yield from ("", "Forgotten.")
        return
    yield from ("", f"- {_STATUS[episode.status]}", f"- {_DETAIL[episode.detail]}")
    yield f"- importance {episode.importance:.2f}"
    if episode.is_held:
        yield f"- {'pinned' if episode.pinned else 'you asked that it be remembered'}: it never fades"
    elif episode.fades_at is not None:
        yield f"- fades further on {_say_day(episode.fades_at, episode.zone)}"
    if digest is None:
        return
    if digest.user_state is not UserState.NEUTRAL:
        yield f"- you were {digest.user_state.value}"
    if digest.emotions:
        yield f"- feelings: {_line(', '.join(digest.emotions))}"
    if digest.summary:
        yield from ("", f"Summary: {_line(digest.summary)}")
    for heading, points in (("Key points", digest.key_points), ("Decisions", digest.decisions)):
        if points:
            yield from ("", f"{heading}:", "", *(f"- {_line(point)}" for point in points))


def _tell_message(message: Message) -> Iterator[str]:
    said = f"**{_line(message.author)}**, {_say_time(message.at, message.zone)}"
    yield from ("", f"{said}, {_fate(message)}", "")
    if not message.content:
        yield "(the words are not kept any more)"
    for line in _LINE_END.split(message.content) if message.content else ():
        yield f"> {_plain(line)}".rstrip()


def _fate(message: Message) -> str:
    if message.verdict is None:
        return "not looked at yet"
    if message.verdict.reason is Reason.FORGET_REQUEST and not message.content:
        return "forgotten"
    outcome = _OUTCOME[message.verdict.outcome]
    return f"{outcome} ({message.verdict.reason.value.replace('_', ' ')})"


def _say_time(instant: datetime, zone: str | None) -> str:
    return f"{_say_day(instant, zone)}, {local(instant, zone):%H:%M}{'' if zone else ' UTC'}"


def _say_day(instant: datetime, zone: str | None) -> str:
    return say_day(instant, now=FIRST, zone=zone)  # seen from the beginning, nothing is ago


def _line(text: str) -> str:
    return " ".join(_plain(text).split())


def _plain(text: str) -> str:
    """Return text that is shown as it is: no tag of HTML in it, no link or picture, nothing that cannot be seen."""
    return _ACTIVE.sub(lambda found: _SHOWN.get(found[0], f"\\{found[0]}"), seen(text))


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class Exported(Plain):
    """What was written."""

    path: str
    """Where the file is."""
    nbytes: int
    """Its size."""
    rows: Mapping[str, int] = field(default_factory=dict)
    """Numbers of rows by kind: messages, episodes, vectors, ..."""


def export_memory(store: Store, scope: Scope, path: Path, *, overwrite: bool = False) -> Exported:
    """Write all that a scope sees into one zip: JSON Lines, a page to read, and a manifest with hashes.

    The same memory gives the same bytes: nothing in the file tells when, where or from whose memory it was written.
    If it goes wrong, nothing is left behind.
    """
    with store.read(scope) as tx:
        generation = tx.owner().generation

        def look() -> None:
            with store.read(scope) as now:
                if now.owner().generation != generation:
                    raise Stale("this memory was erased while it was exported; nothing was written")

        dump = StoreReader(tx, look=look)
        with _file_for(path, overwrite=overwrite) as file:
            contents = {kind.file: kind.lines(dump) for kind in kinds.KINDS} | {
                READABLE: (f"{line}\n".encode() for line in _page(dump))
            }
            written = write_archive(file, contents, dump.models)
            nbytes = file.seek(0, os.SEEK_END)
            look()
    return Exported(str(path), nbytes, {kind.name: written[kind.file].rows for kind in kinds.KINDS})


def _page(dump: StoreReader) -> Iterator[str]:
    yield TITLE
    yield from tell_facts(dump.rows(kinds.FACTS), zone=last_zone(dump.rows(kinds.CONVERSATIONS)))
    for conversation in dump.rows(kinds.CONVERSATIONS):
        key = conversation.key
        yield from tell_conversation(conversation, dump.episodes_of(key), dump.messages_of(key))
    yield from tell_settings(dump.rows(kinds.SETTINGS))


@contextmanager
def _file_for(path: Path, *, overwrite: bool) -> Iterator[IO[bytes]]:
    """Lend a file for its owner alone, on disk at ``path`` afterwards; whatever goes wrong, nothing of it is left."""
    partial = path.parent / f"{path.name}.partial"
    _check_free(path, overwrite=overwrite)
    try:
        partial.unlink(missing_ok=True)  # of an export that was killed
        opened = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as exc:
        raise _told(exc, path) from exc
    except ValueError as exc:  # a name with a zero byte
        raise InputError(f"{str(path)!r} can be the name of no file") from exc
    ours = os.fstat(opened)
    try:
        with os.fdopen(opened, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not _is_at(partial, ours):
                raise InputError(f"another export to {path} has begun meanwhile; let it end, or choose another name")
        partial.replace(path)
    except OSError as exc:
        raise _told(exc, path) from exc
    finally:
        if _is_at(partial, ours):
            partial.unlink()


def _check_free(path: Path, *, overwrite: bool) -> None:
    try:
        is_taken = path.is_dir() or (path.exists() and not overwrite)
    except OSError as exc:
        raise _told(exc, path) from exc
    if is_taken:
        raise InputError(f"{path} is there already; choose another name, or overwrite it")


def _is_at(path: Path, file: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), file)
    except FileNotFoundError:
        return False


def _told(exc: OSError, path: Path) -> YesteryearError:
    if exc.errno in _NO_ROOM:
        return StorageUnavailable(f"there is no room for {path.name} in {path.parent}; free some space and try again")
    return told_of_handles(exc) or InputError(
        f"{path} cannot be written: {exc.strerror or exc}; choose a folder that is there and yours"
    )
