"""From a draft to a fact: what a statement becomes when it is told, and whether it only repeats what was shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from yesteryear.core.events import RecallEvent
from yesteryear.core.fact import OPEN_KINDS, PROJECT_KINDS, Evidence, Fact, FactDraft, Stance, Volatility
from yesteryear.core.language.fingerprints import fingerprint
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.unseen import seen
from yesteryear.core.message import Message
from yesteryear.core.scope import Scope


def fact_of(draft: FactDraft, message: Message, fact_id: str, *, now: datetime) -> Fact:
    """Return the fact that a draft states, due to be compared with what is known.

    Args:
        draft: What was stated.
        message: Where it was.
        fact_id: The fact's own id.
        now: When it becomes known.
    """
    return Fact(
        id=fact_id,
        scope=_scope_of(draft, message.scope),
        statement=seen(draft.statement),
        kind=draft.kind,
        subject=draft.subject,
        first_observed=message.at,
        recorded_at=now,
        slot=draft.slot,
        volatility=_volatility(draft),
        modality=draft.modality,
        is_negative=draft.is_negative,
        authority=draft.authority,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        properties=_properties(draft),
        due_at=now,
    )


def evidence_of(draft: FactDraft, message: Message, fact_id: str, *, episode_id: str, now: datetime) -> Evidence:
    """Return what a message says for a fact.

    Args:
        draft: What was stated.
        message: Where it was.
        fact_id: The fact that states it.
        episode_id: The episode that holds the message.
        now: When it becomes known.
    """
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


def _scope_of(draft: FactDraft, told_in: Scope) -> Scope:
    """Return whose a fact is: goals, blockers and decisions are the project's, all else the person's."""
    project = told_in.project if draft.kind in PROJECT_KINDS else None
    return Scope(tenant=told_in.tenant, user=told_in.user, project=project)


def _volatility(draft: FactDraft) -> Volatility:
    """Return how soon a statement may no longer hold: a blocker, goal or decision stands until it is settled."""
    is_passing = draft.kind in OPEN_KINDS and draft.volatility is Volatility.VOLATILE
    return Volatility.NORMAL if is_passing else draft.volatility


def _properties(draft: FactDraft) -> Mapping[str, str]:
    found = {"second_kind": draft.second_kind.value} if draft.second_kind else {}
    return found | ({"settles": "yes"} if draft.is_settled else {})
