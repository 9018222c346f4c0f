"""From a draft to a fact: what a statement becomes when it is told, and whether it only repeats what was shown."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from yesteryear.core.attributes import Volatility
from yesteryear.core.fact import (
    AS_TOLD,
    ASKED_TO_REMEMBER,
    CONFIDENTIAL,
    OPEN_KINDS,
    PROJECT_KINDS,
    Evidence,
    Fact,
    FactDraft,
    Stance,
)
from yesteryear.core.hits import RecallEvent
from yesteryear.core.language.invisible_text import seen
from yesteryear.core.language.sentences import fingerprint, split_sentences
from yesteryear.core.message import Message
from yesteryear.core.scope import Scope


def fact_of(draft: FactDraft, message: Message, fact_id: str, *, now: datetime) -> Fact:
    """Return the fact that a draft states in a message, due to be compared with what is known."""
    told_in = message.scope
    stands = draft.kind in OPEN_KINDS and draft.volatility is Volatility.VOLATILE  # it does until it is settled
    second = {"second_kind": draft.second_kind.value} if draft.second_kind else {}
    marks = {"settles": draft.is_settled, CONFIDENTIAL: draft.is_confidential, ASKED_TO_REMEMBER: draft.is_asked_for}
    told = {name: getattr(draft, name) for name in AS_TOLD}
    told["statement"] = seen(draft.statement)
    told["volatility"] = Volatility.NORMAL if stands else draft.volatility
    return Fact(
        **told,
        id=fact_id,
        scope=Scope(told_in.user, told_in.tenant, told_in.project if draft.kind in PROJECT_KINDS else None),
        first_observed=message.at,
        recorded_at=now,
        properties=second | {name: "yes" for name, is_so in marks.items() if is_so},
        due_at=now,
    )


def evidence_of(draft: FactDraft, message: Message, fact_id: str, *, episode_id: str, now: datetime) -> Evidence:
    """Return what a message, held by an episode, says for the fact that a draft states."""
    return Evidence(
        id=f"{message.id}:{fingerprint(draft.quote):016x}",
        fact_id=fact_id,
        stance=Stance.SUPPORTS,
        said_at=message.at,
        recorded_at=now,
        session=message.conversation,
        author=message.author,
        weight=draft.confidence,
        quote=draft.quote,
        message_id=message.id,
        episode_id=episode_id,
        authority=draft.authority,
    )


def was_shown(events: Iterable[RecallEvent], fact: Fact, draft: FactDraft, message: Message) -> bool:
    """Tell whether a context had shown a fact, or the sentences of a message it rests on, before that was said."""
    before = [event for event in events if event.at < message.at]
    if not before:
        return False
    around = (sentence for sentence in split_sentences(message.content) if draft.quote in sentence)
    said = {fingerprint(sentence) for sentence in (draft.statement, *split_sentences(draft.quote), *around)}
    return any(fact.id in event.items or said & set(event.fingerprints) for event in before)
