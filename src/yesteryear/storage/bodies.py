"""Rows about facts, calls of models, keys and deeds as JSON and back, checked against their types on the way in."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from yesteryear.core.language.fingerprints import fingerprint
from yesteryear.errors import StorageCorrupt

if TYPE_CHECKING:
    from yesteryear.core.audit import AuditEntry
    from yesteryear.core.cycle import CycleReport
    from yesteryear.core.edge import Edge
    from yesteryear.core.fact import Evidence, Fact, FactVersion
    from yesteryear.core.forgetting import Forgetting
    from yesteryear.core.keys import ApiKey
    from yesteryear.core.ruling import Ruling
    from yesteryear.core.usage import ModelCall

R = TypeVar(
    "R",
    "Fact",
    "Evidence",
    "FactVersion",
    "Ruling",
    "Edge",
    "CycleReport",
    "ModelCall",
    "ApiKey",
    "AuditEntry",
    "Forgetting",
)


def dump_body(row: R) -> str:
    """Return a row as JSON."""
    return msgspec.json.encode(row).decode()


def read_body(text: str, kind: type[R]) -> R:
    """Return the row that ``dump_body`` wrote.

    Raises:
        StorageCorrupt: it is none of this kind.
    """
    try:
        row: R = _decoder(cast("Hashable", kind)).decode(text)
    except msgspec.MsgspecError as exc:
        raise StorageCorrupt(f"a stored {kind.__name__} cannot be read: {exc}") from exc
    return row


@cache
def _decoder(kind: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def stored(row: R) -> R:
    """Return a row as it comes back from a store."""
    return read_body(dump_body(row), type(row))


def words_key(statement: str) -> str:
    """Return what two statements share that have the same words in any case and punctuation."""
    return f"{fingerprint(statement):016x}"
