"""Rows as lines of an export and back: one JSON object a line, with sorted keys and every field named.

A line names no tenant and no user, and leaves out what only a store knows: its counters and leases. So the same memory
gives the same lines wherever it lives.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Detail, Digest, Episode, EpisodeStatus, UserState
from yesteryear.core.events import RecallEvent
from yesteryear.core.message import Message, Outcome, Reason, Role, Source, Verdict
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.usage import CallOutcome, CallPurpose, Charge, ModelCall
from yesteryear.core.vectors import Grain, StoredVector, pack_vector
from yesteryear.takeout.belief_lines import BELIEFS
from yesteryear.takeout.fields import Fields
from yesteryear.takeout.kind import Kind, Plain, instant_plain, read_scope, scope_plain
from yesteryear.takeout.life import MOST_SETTINGS, ModelVector, Settings

_MAX_FINGERPRINT = 2**64 - 1


def _message_plain(message: Message) -> Plain:
    return {
        "id": message.id,
        **scope_plain(message.scope),
        "conversation": message.conversation,
        "seq": message.seq,
        "role": message.role.value,
        "author": message.author,
        "content": message.content,
        "at": message.at.isoformat(),
        "recorded_at": message.recorded_at.isoformat(),
        "zone": message.zone,
        "external_id": message.external_id,
        "verdict": None if message.verdict is None else _verdict_plain(message.verdict),
        "episode_id": message.episode_id,
        "expires_at": instant_plain(message.expires_at),
        "vector_due_at": instant_plain(message.vector_due_at),
        "attempts": message.attempts,
        "error": message.error,
    }


def _read_message(fields: Fields, target: Scope) -> Message:
    return Message(
        id=fields.name("id"),
        scope=read_scope(fields, target),
        conversation=fields.name("conversation"),
        seq=fields.whole("seq", low=1),
        role=fields.choice("role", Role),
        author=fields.name("author"),
        content=fields.text("content"),
        at=fields.instant("at"),
        recorded_at=fields.instant("recorded_at"),
        zone=fields.optional("zone", fields.zone),
        external_id=fields.optional("external_id", fields.name),
        verdict=_read_verdict(fields.optional("verdict", fields.inner)),
        episode_id=fields.optional("episode_id", fields.name),
        expires_at=fields.optional("expires_at", fields.instant),
        vector_due_at=fields.optional("vector_due_at", fields.instant),
        attempts=fields.whole("attempts"),
        error=fields.optional("error", fields.text),
    )


def _verdict_plain(verdict: Verdict) -> Plain:
    return {
        "outcome": verdict.outcome.value,
        "reason": verdict.reason.value,
        "score": float(verdict.score),
        "threshold": float(verdict.threshold),
        "rule": verdict.rule,
        "features": {name: float(value) for name, value in verdict.features.items()},
        **({} if verdict.source is None else {"source": verdict.source.value, "brought": float(verdict.brought)}),
    }


def _read_verdict(fields: Fields | None) -> Verdict | None:
    if fields is None:
        return None
    verdict = Verdict(
        outcome=fields.choice("outcome", Outcome),
        reason=fields.choice("reason", Reason),
        score=fields.share("score"),
        threshold=fields.share("threshold"),
        rule=fields.optional("rule", fields.text),
        features=fields.numbers("features"),
    )
    if "source" in fields:  # which exports of before sources were told do not have
        verdict = replace(verdict, source=fields.choice("source", Source), brought=fields.share("brought"))
    fields.finish()
    return verdict


def _episode_plain(episode: Episode) -> Plain:
    return {
        "id": episode.id,
        **scope_plain(episode.scope),
        "conversation": episode.conversation,
        "first_seq": episode.first_seq,
        "last_seq": episode.last_seq,
        "message_ids": episode.message_ids,
        "started_at": episode.started_at.isoformat(),
        "ended_at": episode.ended_at.isoformat(),
        "recorded_at": episode.recorded_at.isoformat(),
        "zone": episode.zone,
        "status": episode.status.value,
        "digest": None if episode.digest is None else _digest_plain(episode.digest),
        "importance": float(episode.importance),
        "detail": episode.detail.value,
        "closed_by": episode.closed_by,
        "attempts": episode.attempts,
        "next_try": instant_plain(episode.next_try),
        "error": episode.error,
        "pinned": episode.pinned,
        "recalls": [at.isoformat() for at in episode.recalls],
        "restored_at": instant_plain(episode.restored_at),
        "fades_at": instant_plain(episode.fades_at),
    }


def _read_episode(fields: Fields, target: Scope) -> Episode:
    return Episode(
        id=fields.name("id"),
        scope=read_scope(fields, target),
        conversation=fields.name("conversation"),
        first_seq=fields.whole("first_seq", low=1),
        last_seq=fields.whole("last_seq", low=1),
        message_ids=fields.names("message_ids"),
        started_at=fields.instant("started_at"),
        ended_at=fields.instant("ended_at"),
        recorded_at=fields.instant("recorded_at"),
        zone=fields.optional("zone", fields.zone),
        status=fields.choice("status", EpisodeStatus),
        digest=_read_digest(fields.optional("digest", fields.inner)),
        importance=fields.share("importance"),
        detail=fields.choice("detail", Detail),
        closed_by=fields.text("closed_by"),
        attempts=fields.whole("attempts"),
        next_try=fields.optional("next_try", fields.instant),
        error=fields.optional("error", fields.text),
        pinned=fields.flag("pinned"),
        recalls=fields.instants("recalls"),
        restored_at=fields.optional("restored_at", fields.instant),
        fades_at=fields.optional("fades_at", fields.instant),
    )


def _digest_plain(digest: Digest) -> Plain:
    return {
        "topic": digest.topic,
        "summary": digest.summary,
        "key_points": digest.key_points,
        "decisions": digest.decisions,
        "emotions": digest.emotions,
        "user_state": digest.user_state.value,
        "signals": {name: float(value) for name, value in digest.signals.items()},
        "analyst": digest.analyst,
    }


def _read_digest(fields: Fields | None) -> Digest | None:
    if fields is None:
        return None
    digest = Digest(
        topic=fields.text("topic"),
        summary=fields.text("summary"),
        key_points=fields.texts("key_points"),
        decisions=fields.texts("decisions"),
        emotions=fields.texts("emotions"),
        user_state=fields.choice("user_state", UserState),
        signals=fields.numbers("signals"),
        analyst=fields.text("analyst"),
    )
    fields.finish()
    return digest


def _conversation_plain(conversation: Conversation) -> Plain:
    project, agent, name = conversation.key
    return {
        "project": project,
        "agent": agent,
        "name": name,
        "zone": conversation.zone,
        "last_seq": conversation.last_seq,
        "settled_seq": conversation.settled_seq,
        "closed_seq": conversation.closed_seq,
        "last_at": instant_plain(conversation.last_at),
        "last_recorded_at": instant_plain(conversation.last_recorded_at),
        "due_at": instant_plain(conversation.due_at),
        "attempts": conversation.attempts,
        "error": conversation.error,
    }


def _read_conversation(fields: Fields, target: Scope) -> Conversation:
    scope = read_scope(fields, target)
    return Conversation(
        key=ConversationKey(scope.project, scope.agent, fields.name("name")),
        zone=fields.optional("zone", fields.zone),
        last_seq=fields.whole("last_seq"),
        settled_seq=fields.whole("settled_seq"),
        closed_seq=fields.whole("closed_seq"),
        last_at=fields.optional("last_at", fields.instant),
        last_recorded_at=fields.optional("last_recorded_at", fields.instant),
        due_at=fields.optional("due_at", fields.instant),
        attempts=fields.whole("attempts"),
        error=fields.optional("error", fields.text),
    )


def _recall_plain(event: RecallEvent) -> Plain:
    project, agent, name = event.key
    return {
        "id": event.id,
        "project": project,
        "agent": agent,
        "conversation": name,
        "at": event.at.isoformat(),
        "items": event.items,
        "fingerprints": event.fingerprints,
        "asked": event.asked,
        "settled": event.settled,
    }


def _read_recall(fields: Fields, target: Scope) -> RecallEvent:
    scope = read_scope(fields, target)
    return RecallEvent(
        id=fields.name("id"),
        key=ConversationKey(scope.project, scope.agent, fields.text("conversation")),
        at=fields.instant("at"),
        items=fields.names("items"),
        fingerprints=fields.wholes("fingerprints", high=_MAX_FINGERPRINT),
        asked=fields.wholes("asked", high=_MAX_FINGERPRINT),
        settled=fields.flag("settled"),
    )


def _vector_plain(vector: ModelVector) -> Plain:
    return {
        "model": vector.model,
        "grain": vector.stored.grain.value,
        "ref": vector.stored.ref,
        "part": vector.stored.part,
        "vector": b64encode(pack_vector(vector.stored.vector)).decode("ascii"),
    }


def _read_vector(fields: Fields, target: Scope) -> ModelVector:  # noqa: ARG001 - it belongs to what it refers to
    model = fields.name("model")
    stored = StoredVector(
        grain=fields.choice("grain", Grain),
        ref=fields.name("ref"),
        part=fields.whole("part"),
        vector=fields.vector("vector"),
    )
    return ModelVector(model, stored)


def _charge_plain(charge: Charge) -> Plain:
    call = charge.call
    return {
        "id": charge.id,
        "purpose": call.purpose.value,
        "model": call.model,
        "at": call.at.isoformat(),
        "outcome": call.outcome.value,
        "requests": call.requests,
        "input_tokens": call.input_tokens,
        "output_tokens": call.output_tokens,
        "micro_usd": call.micro_usd,
        "latency_ms": call.latency_ms,
    }


def _read_charge(fields: Fields, target: Scope) -> Charge:  # noqa: ARG001 - it is the person's
    call = ModelCall(
        purpose=fields.choice("purpose", CallPurpose),
        model=fields.name("model"),
        at=fields.instant("at"),
        outcome=fields.choice("outcome", CallOutcome),
        requests=fields.whole("requests"),
        input_tokens=fields.whole("input_tokens"),
        output_tokens=fields.whole("output_tokens"),
        micro_usd=fields.optional("micro_usd", fields.whole),
        latency_ms=fields.whole("latency_ms"),
    )
    return Charge(fields.name("id"), call)


def _settings_plain(settings: Settings) -> Plain:
    return {"project": settings.project, "values": dict(settings.values)}


def _read_settings(fields: Fields, target: Scope) -> Settings:  # noqa: ARG001 - a level names itself
    return Settings(fields.optional("project", fields.name), fields.scalars("values", most=MOST_SETTINGS))


CONVERSATIONS: Kind[Conversation] = Kind(
    "conversations", lambda life: life.conversations(), _conversation_plain, _read_conversation
)
MESSAGES: Kind[Message] = Kind("messages", lambda life: life.messages(), _message_plain, _read_message)
EPISODES: Kind[Episode] = Kind("episodes", lambda life: life.episodes(), _episode_plain, _read_episode)
VECTORS: Kind[ModelVector] = Kind("vectors", lambda life: life.vectors(), _vector_plain, _read_vector)
RECALLS: Kind[RecallEvent] = Kind("recalls", lambda life: life.recalls(), _recall_plain, _read_recall)
SETTINGS: Kind[Settings] = Kind("settings", lambda life: life.settings(), _settings_plain, _read_settings)
USAGES: Kind[Charge] = Kind("usages", lambda life: life.usages(), _charge_plain, _read_charge)

KINDS = (SETTINGS, CONVERSATIONS, MESSAGES, EPISODES, *BELIEFS, VECTORS, RECALLS, USAGES)
"""All that is exported, in the order of the files."""
