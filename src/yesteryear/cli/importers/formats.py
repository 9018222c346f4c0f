"""Which formats there are, and which one a file is in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from yesteryear.cli.importers.chatgpt import ZIP, read_chatgpt
from yesteryear.cli.importers.jsonl import read_jsonl
from yesteryear.cli.importers.locomo import read_locomo
from yesteryear.cli.importers.records import Record
from yesteryear.errors import InputError

IMPORTERS: dict[str, Callable[[Path], Iterator[Record]]] = {
    "jsonl": read_jsonl,
    "locomo": read_locomo,
    "chatgpt": read_chatgpt,
}
"""What reads a file, by the name of its format."""

_HEAD_BYTES = 1 << 20
"""How much of a file is looked at to tell its format."""
_MAPPING = re.compile(rb'"mapping"\s*:\s*\{')
_SESSION = re.compile(rb'"session_\d+(?:_date_time)?"\s*:')


def detect_format(path: Path) -> str:
    """Return the name of the format that a file or folder is in.

    Raises:
        InputError: it cannot be read, or is in none of the formats.
    """
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
