"""STEP: write down what a person stated, as facts with evidence that are yet to be compared with what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from yesteryear.core.events import RecallEvent
from yesteryear.core.fact import OPEN_KINDS, PROJECT_KINDS, Evidence, Fact, FactDraft, Stance, Volatility, stands_alone
from yesteryear.core.language.fingerprints import fingerprint
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.message import Message
from yesteryear.core.scope import Scope
from yesteryear.core.time import to_microseconds
from yesteryear.ports import IdSource, Transaction

_EVENTS = 50
"""Contexts of a conversation that are looked through for what they had shown."""

_AS_TOLD = (
    *("statement", "kind", "subject", "first_observed", "slot", "volatility", "modality", "is_negative", "authority"),
    *("valid_from", "valid_to"),
)
"""What a fact takes over from the telling that was the first, whichever we learnt of first."""
_BY_HAND = frozenset({"resolved_by", "asked_at"})
"""Properties that come from no telling and are not derived from any."""


@dataclass(frozen=True, slots=True)
class FactPolicy:
    """What is kept of the statements that an analyst finds (document A's ``memory_config``)."""

    is_on: bool = True
    """Whether facts are drawn from talk (``fact_extraction_enabled``)."""
    unclear_most: float = 0.5
    """Most confidence in [0, 1] of a statement that cannot stand alone: it is found by searching and offered to nobody
    unasked (document B's band of active search)."""
    keep_from: float = 0.4
    """Least confidence in [0, 1] of a draft that becomes a fact; what is less sure is no more than talk. Measured on
    annotated dialogs: of the drafts below it more than a quarter are wrong."""


def write_statements(
    tx: Transaction,
    drafts: Sequence[FactDraft],
    messages: Sequence[Message],
    ids: IdSource,
    policy: FactPolicy,
    *,
    episode_id: str,
    now: datetime,
    keeps_quotes: bool,
) -> None:
    """Write drafts as facts and evidence, in the transaction of their episode.

    The same words about the same person are one fact: another telling is more evidence for it. What a context had
    shown before is an echo and counts for nothing. Doing it again changes nothing.

    Args:
        tx: The writing transaction.
        drafts: What the analyst found.
        messages: Those it was given.
        ids: Makes the facts' ids.
        policy: What is kept.
        episode_id: The episode that holds the messages.
        now: When it becomes known.
        keeps_quotes: Whether the words may be kept.
    """
    if not policy.is_on:
        return
    told_in = {message.id: message for message in messages}
    shown: dict[str, _Shown] = {}
    for draft in drafts:
        message = told_in.get(draft.message_id)
        if message is None or draft.confidence < policy.keep_from:
            continue
        if message.conversation not in shown:
            shown[message.conversation] = _Shown.of(tx.recalls.latest(message.key, limit=_EVENTS))
        fact = _find_or_insert(tx, draft, message, ids, now=now)
        is_echo = shown[message.conversation].holds(fact, draft, message.at)
        tx.evidence.add(
            [
                Evidence(
                    id=f"{message.id}:{fingerprint(draft.quote):016x}",
                    fact_id=fact.id,
                    stance=Stance.ECHO if is_echo else Stance.SUPPORTS,
                    said_at=message.at,
                    recorded_at=now,
                    session=message.conversation,
                    author=message.author,
                    weight=_weight(draft, policy),
                    quote=draft.quote if keeps_quotes else "",
                    message_id=message.id,
                    episode_id=episode_id,
                    authority=draft.authority,
                )
            ]
        )


def _find_or_insert(tx: Transaction, draft: FactDraft, message: Message, ids: IdSource, *, now: datetime) -> Fact:
    """Return the fact that a draft states, which is due to be compared, new or known; as it was told first."""
    told = Fact(
        id=ids.new(to_microseconds(now) // 1000),
        scope=_scope_of(draft, message.scope),
        statement=draft.statement,
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
    known = tx.facts.saying(told.statement, project=told.scope.project)
    if known is None:
        tx.facts.insert([told])
        return told
    again = replace(known, due_at=known.due_at or now)
    if told.first_observed < known.first_observed:
        by_hand = {name: text for name, text in known.properties.items() if name in _BY_HAND}
        as_told = {name: getattr(told, name) for name in _AS_TOLD}
        again = replace(again, **as_told, properties={**by_hand, **told.properties})
    tx.facts.update([again])
    return again


def _scope_of(draft: FactDraft, told_in: Scope) -> Scope:
    """Return whose a fact is: goals, blockers and decisions are the project's, all else the person's."""
    project = told_in.project if draft.kind in PROJECT_KINDS else None
    return Scope(tenant=told_in.tenant, user=told_in.user, project=project)


def _volatility(draft: FactDraft) -> Volatility:
    """Return how soon a statement may no longer hold: a blocker, goal or decision stands until it is settled."""
    is_passing = draft.kind in OPEN_KINDS and draft.volatility is Volatility.VOLATILE
    return Volatility.NORMAL if is_passing else draft.volatility


def _weight(draft: FactDraft, policy: FactPolicy) -> float:
    """Return how much a telling counts for."""
    return (
        draft.confidence if stands_alone(draft.statement, draft.subject) else min(draft.confidence, policy.unclear_most)
    )


def _properties(draft: FactDraft) -> Mapping[str, str]:
    found = {"second_kind": draft.second_kind.value} if draft.second_kind else {}
    return found | ({"settles": "yes"} if draft.is_settled else {})


@dataclass(frozen=True, slots=True)
class _Shown:
    """What contexts have put before a model in one conversation."""

    events: Sequence[RecallEvent]

    @classmethod
    def of(cls, events: Sequence[RecallEvent]) -> _Shown:
        return cls(events)

    def holds(self, fact: Fact, draft: FactDraft, said_at: datetime) -> bool:
        """Tell whether a context had shown this fact, or these sentences, before they were said."""
        said = {fingerprint(sentence) for sentence in (draft.statement, *split_sentences(draft.quote))}
        return any(
            event.at < said_at and (fact.id in event.items or said & set(event.fingerprints)) for event in self.events
        )
