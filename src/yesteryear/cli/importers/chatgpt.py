"""ChatGPT's data export: a folder, its .zip, or ``conversations.json`` out of it.

A conversation is a tree, because messages can be edited and answers made anew. What the person saw last is the way from
``current_node`` back to the root; other branches are left out and counted, and so is what tools say to one another.
Custom instructions stand hidden in each conversation; they become messages of one of their own, each text once.
"""

from __future__ import annotations

import codecs
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from yesteryear.cli.importers import NOT_UTF8, Draft, Flaw, LeftOut, Record, is_broken
from yesteryear.core.rows.codec import MOST_VALUES, has_room_for
from yesteryear.errors import InputError

INSTRUCTIONS = "custom-instructions"  # name of the conversation that they become
_DIGEST_BYTES = 12
ZIP = b"PK\x03\x04"  # how a .zip begins; one that was cut short too
_FILES = "conversations*.json"  # large exports come in several: conversations-000.json, ...
_SPACE = re.compile(r"[ \t\r\n,]*")
_READ_KINDS = ("text", "multimodal_text")
"""Contents that were said; the others are code for tools, their output, quotes and thoughts."""
_INSTRUCTIONS = "user_editable_context"  # the content that holds the custom instructions
_INSTRUCTED = (
    ("about_user_message", "user_profile", "About me: "),
    ("about_model_message", "user_instructions", "How I would like you to answer: "),
)
"""What they hold: its name as the person wrote it, its name as the model was told it, and how it is said to us."""
_FENCED = re.compile(r"```(.*)```", re.DOTALL)
_PIECE_BYTES = 1024 * 1024  # how much of a document is read at a time, at least
_CONVERSATION_CHARS = 64 * 1024 * 1024
"""Longest conversation that is waited for, in characters: some ten thousand long messages."""
_MOST_ENTRIES = 100_000  # files that a .zip may hold: pictures and recordings are among them
_UNPACKED_BYTES = 128 * 1024 * 1024  # bytes that the conversations of any .zip may unpack to
_EXPANSION = 100  # times its own size that those of a larger .zip may unpack to; talk packs to a fifth
_DECODER = json.JSONDecoder()
_AUDIO = "[audio]"
_ROLES = ("user", "assistant", "system", "tool")


def read_chatgpt(path: Path) -> Iterator[Record]:
    """Yield the messages of an export, conversation by conversation.

    A conversation is called by its id, a message keeps its own: both stay the same in later exports.
    """
    try:
        with _documents(path) as documents:
            if not documents:
                raise InputError(f"there is no conversations.json in {path}; is it ChatGPT's data export?")
            for place, document in enumerate(documents):
                for record in _read_document(document):
                    if isinstance(record, Draft):
                        record = replace(record, position=(place + record.position) / len(documents))  # noqa: PLW2901
                    yield record
    except OSError as exc:
        raise InputError(f"{path} cannot be read: {exc.strerror or exc}") from exc
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, zlib.error) as exc:
        raise InputError(f"{path} cannot be unpacked: {exc}") from exc


class _Document(NamedTuple):
    name: str
    nbytes: int
    open: Callable[[], IO[bytes]]


@contextmanager
def _documents(path: Path) -> Iterator[list[_Document]]:
    if path.is_dir():
        yield [_file(file) for file in sorted(path.glob(_FILES))]
    elif _is_zip(path):
        with zipfile.ZipFile(path) as packed:
            entries = packed.infolist()
            wanted = [entry for entry in entries if PurePosixPath(entry.filename).match(_FILES)]
            wanted.sort(key=attrgetter("filename"))
            _check_size(path, len(entries), sum(entry.file_size for entry in wanted))
            yield [_Document(entry.filename, entry.file_size, partial(packed.open, entry)) for entry in wanted]
    else:
        yield [_file(path)]


def _file(path: Path) -> _Document:
    return _Document(path.name, path.stat().st_size, lambda: path.open("rb"))


def _check_size(path: Path, entries: int, unpacked: int) -> None:
    """Refuse what a .zip of its size does not hold, before anything is unpacked."""
    most = max(_UNPACKED_BYTES, _EXPANSION * path.stat().st_size)
    if entries > _MOST_ENTRIES or unpacked > most:
        raise InputError(
            f"{path} holds {entries:,} files and unpacks to {unpacked:,} bytes of talk; an export of its size has "
            f"at most {_MOST_ENTRIES:,} and {most:,}. Unpack it yourself if you trust it, and import the folder"
        )


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(ZIP)) == ZIP


class _Text:
    """The text of a document, of which little more than the conversation that is read is held."""

    def __init__(self, document: _Document, file: IO[bytes]) -> None:
        self._file = file
        self._nbytes = max(document.nbytes, 1)
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        self.lines = 0  # how many there are before what is held
        self._read = 0
        self._at = 0
        self._held = ""
        self._is_whole = False
        self._read_on()

    @property
    def position(self) -> float:
        """How far has been read, about, in [0, 1]."""
        return min(1.0, (self._read - len(self._held) + self._at) / self._nbytes)

    def next_sign(self) -> str:
        """Return the sign that stands next, behind spaces and commas; empty at the end."""
        while True:
            match = _SPACE.match(self._held, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._held) or self._is_whole:
                return self._held[self._at : self._at + 1]
            self._read_on()

    def skip(self) -> None:
        """Leave out the sign that stands next."""
        self._at += 1

    def value(self) -> object:
        """Take the next value out; read on until all of it is there, or it is larger than a conversation is."""
        while True:
            try:
                value, self._at = _DECODER.raw_decode(self._held, self._at)
            except json.JSONDecodeError:
                if self._is_whole:
                    raise
                self._read_on()
            else:
                return value

    def _read_on(self) -> None:
        self.lines += self._held.count("\n", 0, self._at)
        self._held, self._at = self._held[self._at :], 0
        if len(self._held) > _CONVERSATION_CHARS:
            raise ValueError(f"it is broken, or longer than {_CONVERSATION_CHARS:,} characters")
        if not has_room_for(self._held.encode("utf-8", "surrogateescape")):
            raise ValueError(f"it holds more than {MOST_VALUES:,} values")
        data = self._file.read(max(_PIECE_BYTES, len(self._held)))
        self._read += len(data)
        self._is_whole = not data
        self._held += self._decoder.decode(data, final=self._is_whole)


def _read_document(document: _Document) -> Iterator[Record]:
    """Yield what a file holds; of a file that breaks off, what stands before."""
    with document.open() as file:
        text, number = _Text(document, file), 0
        is_list = text.next_sign() == "["
        if is_list:
            text.skip()
        while text.next_sign() not in ("", "]"):
            number += 1
            try:
                conversation = text.value()
            except (ValueError, RecursionError) as exc:
                where, said = f"conversation {number}", str(exc)
                if isinstance(exc, json.JSONDecodeError):
                    where, said = f"line {text.lines + exc.lineno}", exc.msg
                yield Flaw(f"{document.name} {where}", f"not valid JSON: {said}; nothing after it was read")
                return
            yield from _read_conversation(conversation, number, text.position)
        if is_list and not text.next_sign():
            yield Flaw(document.name, "the list has no end; the file seems to be cut off")


def _read_conversation(conversation: object, number: int, position: float) -> Iterator[Record]:
    where = f"conversation {number}"
    if not isinstance(conversation, Mapping) or not isinstance(conversation.get("mapping"), Mapping):
        yield Flaw(where, "no conversation with a mapping of messages")
        return
    name = conversation.get("conversation_id") or conversation.get("id")
    title = conversation.get("title")
    if isinstance(title, str) and title and not is_broken(title):
        where = f"{where} {title!r}"
    if not isinstance(name, str):
        yield Flaw(where, "it has no id")
        return
    nodes = conversation["mapping"]
    path = _way_to(_last_node(conversation), nodes)
    at = _instant(conversation.get("create_time"))
    for key in path:
        message = nodes[key].get("message")
        if not isinstance(message, Mapping):
            continue
        at = _instant(message.get("create_time")) or at
        if _part(message, "content").get("content_type") == _INSTRUCTIONS and at is not None:
            yield from _read_instructions(message, at=at, where=where, position=position)
            continue
        yield _read_message(message, key, name, at=at, where=where, position=position)
    seen = set(path)
    for key, node in nodes.items():
        if key not in seen and isinstance(node, Mapping) and _was_said(node.get("message")):
            yield LeftOut("on branches that were edited away")


def _last_node(conversation: Mapping[str, Any]) -> str | None:
    """Return the node the conversation was left at; the last one without children where the export does not say."""
    nodes, current = conversation["mapping"], conversation.get("current_node")
    if isinstance(current, str) and current in nodes:
        return current
    leaves = [key for key, node in nodes.items() if isinstance(node, Mapping) and not node.get("children")]
    return leaves[-1] if leaves else None


def _way_to(key: str | None, nodes: Mapping[str, Any]) -> list[str]:
    """Return the nodes from the root to ``key``; a broken or circular tree ends where it breaks."""
    way: dict[str, None] = {}
    while isinstance(key, str) and key not in way and isinstance(nodes.get(key), Mapping):
        way[key] = None
        key = nodes[key].get("parent")
    return list(way)[::-1]


def _read_message(
    message: Mapping[str, Any], key: str, conversation: str, *, at: datetime | None, where: str, position: float
) -> Record:
    where = f"{where}, message {key}"
    role, content = _part(message, "author").get("role"), _part(message, "content")
    if content.get("content_type") not in _READ_KINDS or message.get("recipient", "all") != "all":
        return LeftOut("of tools, settings and thoughts")
    text = _text(content.get("parts"))
    if not text or _part(message, "metadata").get("is_visually_hidden_from_conversation"):
        return LeftOut("empty or hidden")
    if is_broken(text):
        return Flaw(where, NOT_UTF8)
    if role not in _ROLES:
        return Flaw(where, f"no role {role!r}")
    if at is None:
        return Flaw(where, "it has no time")
    own_id = message.get("id") if isinstance(message.get("id"), str) else None
    fields = {"content": text, "role": role, "conversation": conversation, "at": at, "id": own_id or key}
    return Draft(fields, where, position)


def _read_instructions(message: Mapping[str, Any], *, at: datetime, where: str, position: float) -> Iterator[Record]:
    """Yield the custom instructions; their text is their id, since each conversation repeats them."""
    said, told = _part(_part(message, "metadata"), "user_context_message_data"), _part(message, "content")
    for name, name_told, opening in _INSTRUCTED:
        fenced = _FENCED.search(str(told.get(name_told) or ""))
        text = str(said.get(name) or (fenced[1] if fenced else "")).strip()
        if not text or is_broken(text):
            continue
        digest = blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()
        fields = {"content": opening + text, "role": "user", "conversation": INSTRUCTIONS, "at": at}
        yield Draft({**fields, "id": f"{name}-{digest}"}, where, position)


def _was_said(message: object) -> bool:
    if not isinstance(message, Mapping) or _part(message, "author").get("role") not in ("user", "assistant"):
        return False
    content = _part(message, "content")
    return content.get("content_type") in _READ_KINDS and _text(content.get("parts")) != ""


def _part(message: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = message.get(name)
    return found if isinstance(found, Mapping) else {}


def _text(parts: object) -> str:
    """Return what the parts say, a paragraph each; what is no text becomes ``[image]``, ``[audio]`` or ``[file]``."""
    said = [_part_text(part).strip() for part in parts] if isinstance(parts, list) else []
    has_words = any(text not in ("", _AUDIO) for text in said)  # then the recording beside them adds nothing
    return "\n\n".join(text for text in said if text and not (has_words and text == _AUDIO))


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return ""
    if isinstance(part.get("text"), str):
        return str(part["text"])
    kind = str(part.get("content_type", ""))
    return next((f"[{name}]" for name in ("image", "audio", "video") if name in kind), "[file]")


def _instant(seconds: object) -> datetime | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
