"""Which formats there are, which one a file is in, and the simplest: JSON Lines, a message a line."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from yesteryear.cli.importers import NOT_UTF8, Draft, Flaw, Record
from yesteryear.cli.importers.chatgpt import ZIP, read_chatgpt
from yesteryear.cli.importers.locomo import read_locomo
from yesteryear.errors import InputError

_HEAD_BYTES = 1 << 20  # how much of a file is looked at to tell its format
_MAPPING = re.compile(rb'"mapping"\s*:\s*\{')
_SESSION = re.compile(rb'"session_\d+(?:_date_time)?"\s*:')
_ID_DIGITS = 16


def read_jsonl(path: Path) -> Iterator[Record]:
    """Yield the messages of a file, line by line; nothing but the present line is held in memory.

    A message without an id gets one made of its line number and its text, so that the same file imported again, or
    grown at its end, adds nothing twice.
    """
    size = max(path.stat().st_size, 1)
    read = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            read += len(line)
            if line.strip():
                yield _read_line(line, number, read / size)


def _read_line(line: bytes, number: int, position: float) -> Record:
    where = f"line {number}"
    try:
        found = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as exc:
        return Flaw(where, f"{NOT_UTF8} (byte {exc.start + 1} of the line)")
    except json.JSONDecodeError as exc:
        return Flaw(where, f"not valid JSON: {exc.msg} (column {exc.colno})")
    except (ValueError, RecursionError) as exc:
        return Flaw(where, f"not valid JSON: {exc}")
    if not isinstance(found, dict):
        return Flaw(where, f'a JSON object such as {{"content": "..."}} is expected, not {type(found).__name__}')
    message = {name: value for name, value in found.items() if value is not None}
    message.setdefault("id", f"line-{number}-{hashlib.sha256(line.strip()).hexdigest()[:_ID_DIGITS]}")
    return Draft(message, where, position)


IMPORTERS: dict[str, Callable[[Path], Iterator[Record]]] = {
    "jsonl": read_jsonl,
    "locomo": read_locomo,
    "chatgpt": read_chatgpt,
}
"""What reads a file, by the name of its format."""


def detect_format(path: Path) -> str:
    """Return the name of the format that a file or folder is in."""
    if path.is_dir():
        return "chatgpt"
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as exc:
        raise InputError(f"{path} cannot be read: {exc.strerror}") from exc
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(ZIP):
        return "chatgpt"
    if not begin.startswith(b"["):
        # One whole conversation of an export may stand alone; a line of JSON Lines has no mapping.
        return "chatgpt" if begin.startswith(b"{") and _MAPPING.search(begin) else "jsonl"
    if _MAPPING.search(begin):
        return "chatgpt"
    if _SESSION.search(begin):
        return "locomo"
    raise InputError(
        f"{path} is a JSON list that is neither LoCoMo nor ChatGPT's; write one message a line, "
        'such as {"role": "user", "content": "...", "at": "2026-03-02T07:41:10+00:00"}, or name it with --format'
    )
