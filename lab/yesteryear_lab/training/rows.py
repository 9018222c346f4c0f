"""Labelled rows: JSON Lines in a folder, read strictly."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from yesteryear.errors import InputError

Row: TypeAlias = Mapping[str, Any]
"""One labelled row; its fields are those of its file."""


def read_rows(folder: Path, name: str, *, needs: tuple[str, ...] = ()) -> list[Row]:
    """Return the rows of one file in order; empty lines are passed over.

    Args:
        folder: Where the labelled files are.
        name: Of the file, such as ``gate-1.jsonl``.
        needs: Fields that every row must have.

    Raises:
        InputError: the file is missing or unreadable, or a row is no JSON object or lacks a field; names file and line.
    """
    path = folder / name
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise InputError(f"cannot read {path}: {exc}; --rows names the folder of labelled rows") from exc
    return [
        _parse(line, f"{path}, line {number}", needs)
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


def file_hash(folder: Path, name: str) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    return hashlib.sha256((folder / name).read_bytes()).hexdigest()


def _parse(line: str, place: str, needs: tuple[str, ...]) -> Row:
    try:
        row = json.loads(line)
    except ValueError as exc:
        raise InputError(f"{place}: no JSON ({exc})") from exc
    if not isinstance(row, dict):
        raise InputError(f"{place}: a row is a JSON object, not {line[:40]!r}")
    if missing := [field for field in needs if field not in row]:
        raise InputError(f"{place}: the row has no {', no '.join(missing)}")
    return row
