"""JSON Lines: one message a line, with the fields that ``observe`` takes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from yesteryear.cli.importers.records import NOT_UTF8, Draft, Flaw, Record

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
