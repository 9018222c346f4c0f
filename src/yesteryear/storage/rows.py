"""What a store keeps of each kind of thing in columns; how, ``core.rows.codec`` tells from its dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from yesteryear.core.episode import Digest, Episode
from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.fading.half_life import Trace
from yesteryear.core.hits import RecallEvent
from yesteryear.core.language.sentences import fingerprint
from yesteryear.core.message import Conversation, Message, Reason, Role, Verdict
from yesteryear.core.results import Plain
from yesteryear.core.rows.codec import Row, RowCodec, decode, dump_json, encode
from yesteryear.core.rows.queries import IndexedMessage, Verbatim
from yesteryear.core.scope import ConversationKey, OwnerState
from yesteryear.core.time import from_microseconds, to_microseconds

_ROLES = {role.value: role for role in Role}
_REASONS = {reason.value: reason for reason in Reason}
_OF_VERDICTS = tuple(get_type_hints(Verdict))
_OF_DIGESTS = tuple(get_type_hints(Digest).keys() - {"verdicts", "facts", "relations"})
"""What is kept of a digest: verdicts stand with their messages, and facts and edges are rows of their own."""


def dump_verdict(verdict: Verdict) -> str:
    """Return a verdict as JSON, without the features that are 0."""
    plain = {name: getattr(verdict, name) for name in _OF_VERDICTS}
    plain["score"], plain["brought"] = round(verdict.score, 6), round(verdict.brought, 6)
    plain["features"] = _rounded({name: value for name, value in verdict.features.items() if value})
    return dump_json({name: value for name, value in plain.items() if value or name not in ("source", "brought")})


def dump_digest(digest: Digest) -> str:
    """Return a digest as JSON."""
    plain = {name: getattr(digest, name) for name in _OF_DIGESTS}
    return dump_json(plain | {"signals": _rounded(digest.signals)})


def _rounded(numbers: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in numbers.items()}


MESSAGES = RowCodec(
    Message,
    parts={Verdict: dump_verdict},
    extra=lambda message: {"outcome": None if message.verdict is None else message.verdict.outcome.value},
)
EPISODES = RowCodec(Episode, parts={Digest: dump_digest})
CONVERSATIONS = RowCodec(Conversation)
RECALLS = RowCodec(RecallEvent)
OWNERS = RowCodec(OwnerState)
TRACES = RowCodec(Trace)
VERBATIM = RowCodec(Verbatim)


def read_indexed_message(row: Row, key: ConversationKey) -> IndexedMessage:
    """Return what an index keeps of the message of a row in the conversation ``key``; by hand, for thousands are."""
    return IndexedMessage(
        row["id"],
        key,
        row["seq"],
        _ROLES[row["role"]],
        row["author"],
        row["content"],
        from_microseconds(row["at"]),
        row["zone"],
        row["external_id"] or row["id"],
        None if row["reason"] is None else _REASONS[row["reason"]],
        float(row["brought"] or 0),
    )


@dataclass(frozen=True, slots=True)
class _Receipt(Plain):
    """What a receipt tells beside the columns by which it is found."""

    removed: Mapping[str, int]
    scrubbed: Scrubbed
    hash: str
    signature: str


def erasure_columns(erasure: Erasure) -> dict[str, Any]:
    """Return the columns of a receipt."""
    return {
        "tenant": erasure.tenant,
        "person": erasure.person,
        "generation": erasure.generation,
        "erased_at": to_microseconds(erasure.erased_at),
        "is_pending": int(erasure.is_pending),
        "receipt": encode(_Receipt.of(erasure)),
    }


def read_erasure(row: Row) -> Erasure:
    """Return the receipt of a row."""
    return Erasure.of(
        decode(row["receipt"], _Receipt),
        **{name: row[name] for name in ("tenant", "person", "generation")},
        erased_at=from_microseconds(row["erased_at"]),
        is_pending=bool(row["is_pending"]),
    )


def words_key(statement: str) -> str:
    """Return what two statements share that have the same words in any case and punctuation."""
    return f"{fingerprint(statement):016x}"
