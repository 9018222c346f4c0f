"""Rows and the values they stand for: one mapping for every store that keeps columns.

Instants are microseconds since 1970, structured parts are JSON with sorted keys, an absent project or agent is an empty
string.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Detail, Digest, Episode, EpisodeStatus, UserState
from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.events import RecallEvent
from yesteryear.core.message import Message, Outcome, Reason, Role, Source, Verdict
from yesteryear.core.queries import IndexedMessage
from yesteryear.core.scope import ConversationKey, Owner, Scope
from yesteryear.core.strength import Trace
from yesteryear.core.time import from_microseconds, to_microseconds


class Row(Protocol):
    """One row of a database, by the names of its columns."""

    def __getitem__(self, column: str, /) -> Any:  # noqa: ANN401 - what a column holds
        """Return the value of a column."""
        ...


Columns: TypeAlias = dict[str, Any]


_ROLES = {role.value: role for role in Role}
_REASONS = {reason.value: reason for reason in Reason}

MESSAGE_CHANGES = ("content", "verdict", "episode_id", "expires_at", "vector_due_at", "attempts", "error")
"""What ``Messages.update`` writes; everything else of a message stays as it was said."""

EPISODE_CHANGES = (
    "message_ids",
    "status",
    "digest",
    "importance",
    "detail",
    "attempts",
    "next_try",
    "error",
    "pinned",
    "recalls",
    "restored_at",
    "fades_at",
)
"""What ``Episodes.update`` writes; everything else of an episode stays as it was made."""


def stored_instant(value: datetime | None) -> int | None:
    """Return microseconds since 1970, or None."""
    return None if value is None else to_microseconds(value)


def read_instant(value: int | None) -> datetime | None:
    """Return the instant that ``stored_instant`` wrote, or None."""
    return None if value is None else from_microseconds(value)


def read_instants(text: str) -> tuple[datetime, ...]:
    """Return the instants of a JSON list of microseconds since 1970."""
    return () if text == "[]" else tuple(map(from_microseconds, json.loads(text)))


def dump_json(value: object) -> str:
    """Return compact JSON with sorted keys."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def scope_columns(scope: Scope) -> Columns:
    """Return the columns that say whose row this is."""
    return {
        "tenant": scope.tenant,
        "user": scope.user,
        "project": scope.project or "",
        "agent": scope.agent or "",
    }


def row_scope(row: Row, owner: Owner) -> Scope:
    """Return the scope a row was written in."""
    return Scope(tenant=owner.tenant, user=owner.user, project=row["project"] or None, agent=row["agent"] or None)


def message_columns(message: Message) -> Columns:
    """Return the columns of a message, without its rev."""
    return {
        **scope_columns(message.scope),
        "conversation": message.conversation,
        "seq": message.seq,
        "id": message.id,
        "role": message.role.value,
        "author": message.author,
        "content": message.content,
        "at": to_microseconds(message.at),
        "recorded_at": to_microseconds(message.recorded_at),
        "zone": message.zone,
        "external_id": message.external_id,
        "verdict": None if message.verdict is None else dump_verdict(message.verdict),
        "outcome": None if message.verdict is None else message.verdict.outcome.value,
        "episode_id": message.episode_id,
        "expires_at": stored_instant(message.expires_at),
        "vector_due_at": stored_instant(message.vector_due_at),
        "attempts": message.attempts,
        "error": message.error,
    }


def read_message(row: Row, scope: Scope) -> Message:
    """Return the message of a row that was written in ``scope``."""
    return Message(
        id=row["id"],
        scope=scope,
        conversation=row["conversation"],
        seq=row["seq"],
        role=Role(row["role"]),
        author=row["author"],
        content=row["content"],
        at=from_microseconds(row["at"]),
        recorded_at=from_microseconds(row["recorded_at"]),
        zone=row["zone"],
        external_id=row["external_id"],
        verdict=None if row["verdict"] is None else read_verdict(row["verdict"]),
        episode_id=row["episode_id"],
        expires_at=read_instant(row["expires_at"]),
        vector_due_at=read_instant(row["vector_due_at"]),
        attempts=row["attempts"],
        error=row["error"],
        rev=row["rev"],
    )


def read_indexed_message(row: Row, key: ConversationKey) -> IndexedMessage:
    """Return what an index keeps of the message of a row in the conversation ``key``."""
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


def stored_verdict(verdict: Verdict | None) -> Verdict | None:
    """Return a verdict as it comes back from a store."""
    return None if verdict is None else read_verdict(dump_verdict(verdict))


def dump_verdict(verdict: Verdict) -> str:
    """Return a verdict as JSON."""
    return dump_json(verdict_data(verdict))


def verdict_data(verdict: Verdict) -> dict[str, object]:
    """Return a verdict as plain data."""
    return {
        "outcome": verdict.outcome.value,
        "reason": verdict.reason.value,
        "score": round(verdict.score, 6),
        "threshold": verdict.threshold,
        "rule": verdict.rule,
        "features": {name: round(value, 6) for name, value in verdict.features.items() if value},
        **({} if verdict.source is None else {"source": verdict.source.value}),
        **({"brought": round(verdict.brought, 6)} if verdict.brought else {}),
    }


def read_verdict(text: str) -> Verdict:
    """Return the verdict that ``dump_verdict`` wrote."""
    data = json.loads(text)
    return Verdict(
        outcome=Outcome(data["outcome"]),
        reason=Reason(data["reason"]),
        score=data["score"],
        threshold=data["threshold"],
        rule=data["rule"],
        features=data["features"],
        source=Source(data["source"]) if "source" in data else None,
        brought=data.get("brought", 0.0),
    )


def conversation_columns(conversation: Conversation) -> Columns:
    """Return the columns of a conversation, without owner and rev."""
    project, agent, name = conversation.key
    return {
        "project": project or "",
        "agent": agent or "",
        "name": name,
        "zone": conversation.zone,
        "last_seq": conversation.last_seq,
        "settled_seq": conversation.settled_seq,
        "closed_seq": conversation.closed_seq,
        "last_at": stored_instant(conversation.last_at),
        "last_recorded_at": stored_instant(conversation.last_recorded_at),
        "due_at": stored_instant(conversation.due_at),
        "attempts": conversation.attempts,
        "error": conversation.error,
    }


def read_conversation(row: Row) -> Conversation:
    """Return the conversation of a row."""
    return Conversation(
        key=ConversationKey(row["project"] or None, row["agent"] or None, row["name"]),
        zone=row["zone"],
        last_seq=row["last_seq"],
        settled_seq=row["settled_seq"],
        closed_seq=row["closed_seq"],
        last_at=read_instant(row["last_at"]),
        last_recorded_at=read_instant(row["last_recorded_at"]),
        due_at=read_instant(row["due_at"]),
        attempts=row["attempts"],
        error=row["error"],
    )


def episode_columns(episode: Episode) -> Columns:
    """Return the columns of an episode, without its rev."""
    return {
        **scope_columns(episode.scope),
        "id": episode.id,
        "conversation": episode.conversation,
        "first_seq": episode.first_seq,
        "last_seq": episode.last_seq,
        "message_ids": dump_json(list(episode.message_ids)),
        "started_at": to_microseconds(episode.started_at),
        "ended_at": to_microseconds(episode.ended_at),
        "recorded_at": to_microseconds(episode.recorded_at),
        "zone": episode.zone,
        "status": episode.status.value,
        "digest": None if episode.digest is None else dump_digest(episode.digest),
        "importance": episode.importance,
        "detail": episode.detail.value,
        "closed_by": episode.closed_by,
        "attempts": episode.attempts,
        "next_try": stored_instant(episode.next_try),
        "error": episode.error,
        "pinned": int(episode.pinned),
        "recalls": dump_json([to_microseconds(at) for at in episode.recalls]),
        "restored_at": stored_instant(episode.restored_at),
        "fades_at": stored_instant(episode.fades_at),
    }


def read_episode(row: Row, scope: Scope) -> Episode:
    """Return the episode of a row that was written in ``scope``."""
    return Episode(
        id=row["id"],
        scope=scope,
        conversation=row["conversation"],
        first_seq=row["first_seq"],
        last_seq=row["last_seq"],
        message_ids=tuple(json.loads(row["message_ids"])),
        started_at=from_microseconds(row["started_at"]),
        ended_at=from_microseconds(row["ended_at"]),
        recorded_at=from_microseconds(row["recorded_at"]),
        status=EpisodeStatus(row["status"]),
        zone=row["zone"],
        digest=None if row["digest"] is None else read_digest(row["digest"]),
        importance=row["importance"],
        detail=Detail(row["detail"]),
        closed_by=row["closed_by"],
        attempts=row["attempts"],
        next_try=read_instant(row["next_try"]),
        error=row["error"],
        pinned=bool(row["pinned"]),
        recalls=read_instants(row["recalls"]),
        restored_at=read_instant(row["restored_at"]),
        fades_at=read_instant(row["fades_at"]),
        rev=row["rev"],
    )


def read_trace(row: Row) -> Trace:
    """Return an episode as forgetting sees it."""
    return Trace(
        id=row["id"],
        importance=row["importance"],
        told_at=from_microseconds(row["told_at"]),
        recalls=read_instants(row["recalls"]),
        restored_at=read_instant(row["restored_at"]),
        is_held=bool(row["is_held"]),
        is_vivid=row["detail"] != Detail.GIST.value,
        is_active=row["status"] == EpisodeStatus.ACTIVE.value,
        fades_at=read_instant(row["fades_at"]),
    )


def stored_digest(digest: Digest | None) -> Digest | None:
    """Return a digest as it comes back from a store."""
    return None if digest is None else read_digest(dump_digest(digest))


def dump_digest(digest: Digest) -> str:
    """Return a digest as JSON, without the verdicts, which stand with their messages."""
    return dump_json(
        {
            "topic": digest.topic,
            "summary": digest.summary,
            "key_points": digest.key_points,
            "decisions": digest.decisions,
            "emotions": digest.emotions,
            "user_state": digest.user_state.value,
            "signals": {name: round(value, 6) for name, value in digest.signals.items()},
            "analyst": digest.analyst,
        }
    )


def read_digest(text: str) -> Digest:
    """Return the digest that ``dump_digest`` wrote."""
    data = json.loads(text)
    return Digest(
        topic=data["topic"],
        summary=data["summary"],
        key_points=tuple(data["key_points"]),
        decisions=tuple(data["decisions"]),
        emotions=tuple(data["emotions"]),
        user_state=UserState(data["user_state"]),
        signals=data["signals"],
        analyst=data["analyst"],
    )


def recall_columns(event: RecallEvent) -> Columns:
    """Return the columns of a recall event, without owner."""
    return {
        "project": event.key.project or "",
        "agent": event.key.agent or "",
        "id": event.id,
        "conversation": event.key.name,
        "at": to_microseconds(event.at),
        "items": dump_json(list(event.items)),
        "fingerprints": dump_json(list(event.fingerprints)),
        "asked": dump_json(list(event.asked)),
        "settled": int(event.settled),
    }


def read_recall(row: Row) -> RecallEvent:
    """Return the recall event of a row."""
    return RecallEvent(
        id=row["id"],
        key=ConversationKey(row["project"] or None, row["agent"] or None, row["conversation"]),
        at=from_microseconds(row["at"]),
        items=tuple(json.loads(row["items"])),
        fingerprints=tuple(json.loads(row["fingerprints"])),
        asked=tuple(json.loads(row["asked"])),
        settled=bool(row["settled"]),
    )


def erasure_columns(erasure: Erasure) -> Columns:
    """Return the columns of a receipt."""
    return {
        "tenant": erasure.tenant,
        "person": erasure.person,
        "generation": erasure.generation,
        "erased_at": to_microseconds(erasure.erased_at),
        "is_pending": int(erasure.is_pending),
        "receipt": dump_json(
            {
                "removed": dict(erasure.removed),
                "scrubbed": erasure.scrubbed.to_dict(),
                "hash": erasure.hash,
                "signature": erasure.signature,
            }
        ),
    }


def read_erasure(row: Row) -> Erasure:
    """Return the receipt of a row."""
    data = json.loads(row["receipt"])
    scrubbed = data["scrubbed"]
    return Erasure(
        tenant=row["tenant"],
        person=row["person"],
        generation=row["generation"],
        erased_at=from_microseconds(row["erased_at"]),
        removed=data["removed"],
        scrubbed=Scrubbed(**{**scrubbed, "files": tuple(scrubbed["files"])}),
        is_pending=bool(row["is_pending"]),
        hash=data["hash"],
        signature=data["signature"],
    )
