"""ChatGPT's data export: a folder, its .zip, or ``conversations.json`` out of it.

A conversation is a tree, because messages can be edited and answers made anew. What the person saw last is the way from
``current_node`` back to the root; other branches are left out and counted, and so is what tools say to one another.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

from yesteryear.cli.importers.records import NOT_UTF8, Draft, Flaw, LeftOut, Record, decode, is_broken
from yesteryear.errors import InputError

ZIP = b"PK\x03\x04"
"""How a .zip begins; one that was cut short too."""
_FILES = "conversations*.json"
"""Large exports come in several: conversations-000.json, ..."""
_SPACE = re.compile(r"[ \t\r\n,]*")
_READ_KINDS = ("text", "multimodal_text")
"""Contents that were said; the others are code for tools, their output, quotes and thoughts."""
_AUDIO = "[audio]"
_ROLES = ("user", "assistant", "system", "tool")


def read_chatgpt(path: Path) -> Iterator[Record]:
    """Yield the messages of an export, conversation by conversation.

    A conversation is called by its id, a message keeps its own: both stay the same in later exports.

    Raises:
        InputError: the path cannot be read or holds no export.
    """
    documents = list(_documents(path))
    for place, (name, text) in enumerate(documents):
        for record in _read_document(name, text):
            if isinstance(record, Draft):
                yield Draft(record.message, record.where, (place + record.position) / len(documents))
            else:
                yield record


def _documents(path: Path) -> Iterator[tuple[str, str]]:
    """Yield names and texts of the conversation files in a folder, a .zip, or of the file itself."""
    try:
        if path.is_dir():
            found = [(file.name, file.read_bytes()) for file in sorted(path.glob(_FILES))]
        elif _starts_with(path, ZIP):
            with zipfile.ZipFile(path) as packed:
                names = sorted(name for name in packed.namelist() if fnmatch(PurePosixPath(name).name, _FILES))
                found = [(name, packed.read(name)) for name in names]
        else:
            found = [(path.name, path.read_bytes())]
    except OSError as exc:
        raise InputError(f"{path} cannot be read: {exc.strerror or exc}") from exc
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, zlib.error) as exc:
        raise InputError(f"{path} cannot be unpacked: {exc}") from exc
    if not found:
        raise InputError(f"there is no conversations.json in {path}; is it ChatGPT's data export?")
    for name, raw in found:
        yield name, decode(raw)


def _starts_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(magic)) == magic


def _read_document(name: str, text: str) -> Iterator[Record]:
    """Yield what a file holds; of a file that breaks off, what stands before."""
    decoder = json.JSONDecoder()
    begin = _skip(text, 0)
    is_list = text[begin : begin + 1] == "["
    end = _skip(text, begin + is_list)
    number = 0
    while end < len(text) and text[end] != "]":
        number += 1
        try:
            conversation, end = decoder.raw_decode(text, end)
        except json.JSONDecodeError as exc:
            yield Flaw(f"{name} line {exc.lineno}", f"not valid JSON: {exc.msg}; nothing after it was read")
            return
        except (ValueError, RecursionError) as exc:
            yield Flaw(f"{name} conversation {number}", f"not valid JSON: {exc}; nothing after it was read")
            return
        yield from _read_conversation(conversation, number, end / len(text))
        end = _skip(text, end)
    if is_list and end >= len(text):
        yield Flaw(name, "the list has no end; the file seems to be cut off")


def _skip(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


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
    role = _role(message)
    kind = _part(message, "content").get("content_type")
    if kind not in _READ_KINDS or message.get("recipient", "all") != "all":
        return LeftOut("of tools, settings and thoughts")
    text = _text(_part(message, "content").get("parts"))
    if not text or _part(message, "metadata").get("is_visually_hidden_from_conversation"):
        return LeftOut("empty or hidden")
    if is_broken(text):
        return Flaw(where, NOT_UTF8)
    if role not in _ROLES:
        return Flaw(where, f"no role {role!r}")
    if at is None:
        return Flaw(where, "it has no time")
    own_id = message.get("id")
    fields = {
        "content": text,
        "role": role,
        "conversation": conversation,
        "at": at,
        "id": own_id if isinstance(own_id, str) and own_id else key,
    }
    return Draft(fields, where, position)


def _was_said(message: object) -> bool:
    return (
        isinstance(message, Mapping)
        and _role(message) in ("user", "assistant")
        and _part(message, "content").get("content_type") in _READ_KINDS
        and _text(_part(message, "content").get("parts")) != ""
    )


def _role(message: Mapping[str, Any]) -> object:
    return _part(message, "author").get("role")


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
