"""STEP: write down what a person stated, as facts with evidence that are yet to be compared with what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from yesteryear.core.fact import (
    ANSWER,
    AS_TOLD,
    ASKED_TO_REMEMBER,
    BROUGHT_IN,
    CONFIDENTIAL,
    LIVE,
    RESOLVED_BY,
    SETTLED_AS,
    Authority,
    Evidence,
    Fact,
    FactDraft,
    Form,
    Stance,
    evidence_of,
    fact_of,
    stands_alone,
    was_shown,
)
from yesteryear.core.hits import RecallEvent
from yesteryear.core.language.answers import read_elsewhere
from yesteryear.core.message import Message, Role
from yesteryear.core.ruling import ASKED, ASKED_AT, ASKED_WHAT
from yesteryear.core.time import to_microseconds
from yesteryear.core.whose_words import sentence_concerning
from yesteryear.ports import IdSource, Transaction

_EVENTS = 50  # contexts of a conversation that are looked through for what they had shown

_BY_HAND = (RESOLVED_BY, SETTLED_AS, ASKED_AT, ASKED_WHAT, ASKED, BROUGHT_IN)
"""What properties begin with that come from no telling and are not derived from any."""
_ONCE_ASKED = (CONFIDENTIAL, ASKED_TO_REMEMBER)  # properties that any telling may give a fact and none takes away
_SURE = 0.9  # confidence, in [0, 1], of what somebody says of a statement that was put to them
_ANSWERED = timedelta(days=1)
"""How long after a question about a fact was offered what is said of it is taken for an answer."""


@dataclass(frozen=True, slots=True)
class FactPolicy:
    """What is kept of the statements that an analyst finds (document A's ``memory_config``)."""

    is_on: bool = True  # whether facts are drawn from talk (`fact_extraction_enabled`)
    unclear_most: float = 0.5
    """Most confidence in [0, 1] of a statement that cannot stand alone: it is found by searching and offered to nobody
    unasked (document B's band of active search)."""
    keep_from: float = 0.4
    """Least confidence in [0, 1] of a draft that becomes a fact; what is less sure is no more than talk. Measured on
    annotated dialogs: of the drafts below it more than a quarter are wrong."""


@dataclass(frozen=True, slots=True)
class ToldStretch:
    """A stretch of one conversation that was judged, while what it tells is written in one transaction."""

    tx: Transaction
    messages: Sequence[Message]
    ids: IdSource
    now: datetime
    episode_id: str | None  # of the episode that holds what is kept of it
    keeps_quotes: bool

    def find_or_insert(self, draft: FactDraft, message: Message) -> Fact:
        """Return the fact that a draft states, which is due to be compared, new or known; as it was told first.

        The same telling is as it was read last.
        """
        told = fact_of(draft, message, self.ids.new(to_microseconds(self.now) // 1000), now=self.now)
        known = self.tx.facts.saying(told.statement, project=told.scope.project)
        if known is None:
            self.tx.facts.insert([told])
            return told
        asked = {name: text for row in (known, told) for name, text in row.properties.items() if name in _ONCE_ASKED}
        again = replace(known, due_at=known.due_at or self.now, properties={**known.properties, **asked})
        is_read_anew = told.first_observed == known.first_observed and told.reader != known.reader
        if told.first_observed < known.first_observed or is_read_anew:
            by_hand = {name: text for name, text in known.properties.items() if name.startswith(_BY_HAND)}
            as_told = {name: getattr(told, name) for name in ("first_observed", *AS_TOLD)}
            again = replace(again, **as_told, properties={**by_hand, **told.properties, **asked})
        self.tx.facts.update([again])
        return again

    def write_answer(self, said: Message, fact: Fact, quote: str, *, is_so: bool, weight: float = _SURE) -> Evidence:
        """Write what a message says of a fact as it is asked about, or put right; the fact is due to be settled."""
        row = Evidence(
            id=f"{said.id}:{ANSWER}",
            fact_id=fact.id,
            stance=Stance.SUPPORTS if is_so else Stance.CONTRADICTS,
            said_at=said.at,
            recorded_at=self.now,
            session=said.conversation,
            author=said.author,
            weight=weight,
            quote=quote,
            message_id=said.id,
            episode_id=self.episode_id,
            authority=Authority.SAID if is_so else Authority.CONFIRMED,
        )
        self.tx.evidence.add([row])
        self.tx.facts.update([replace(fact, due_at=fact.due_at or self.now)])
        return row


def write_statements(stretch: ToldStretch, drafts: Sequence[FactDraft], policy: FactPolicy) -> list[Evidence]:
    """Write drafts as facts and evidence, in the transaction of their episode; return the evidence.

    The same words about the same person are one fact: another telling is more evidence for it. What a context had
    shown before is an echo and counts for nothing. What only answers a question about facts, or corrects them, is
    none. Doing it again changes nothing.
    """
    if not policy.is_on:
        return []
    tx = stretch.tx
    told: list[Evidence] = []
    told_in = {message.id: message for message in stretch.messages}
    answers = [row for row in tx.evidence.of_messages(list(told_in)) if row.is_answer]
    shown: dict[str, Sequence[RecallEvent]] = {}
    for draft in drafts:
        message = told_in.get(draft.message_id)
        if message is None or draft.confidence < policy.keep_from:
            continue
        if draft.form is not Form.PLAIN and (_only_answers(draft, answers) or read_elsewhere(message.content)):
            continue
        if message.conversation not in shown:
            shown[message.conversation] = tx.recalls.latest(message.key, limit=_EVENTS)
        fact = stretch.find_or_insert(draft, message)
        is_echo = not _is_answer(fact, message) and was_shown(shown[message.conversation], fact, draft, message)
        is_clear = stands_alone(draft.statement, draft.subject, draft.form, holder=draft.holder)
        row = replace(
            evidence_of(draft, message, fact.id, episode_id=stretch.episode_id, now=stretch.now),
            stance=Stance.ECHO if is_echo else Stance.SUPPORTS,
            quote=draft.quote if stretch.keeps_quotes else "",
            weight=draft.confidence if is_clear else min(draft.confidence, policy.unclear_most),
        )
        tx.evidence.add([row])
        told.append(row)
    return told


def raise_doubts(tx: Transaction, messages: Sequence[Message]) -> None:
    """Mark what is known and may be concerned by text that was brought along, so that it is asked about.

    Nothing is believed for such text. Of each message at most one fact is marked, the surest. What was brought into a
    project raises no question elsewhere, where its words must not be seen.
    """
    bringing = [
        row for row in messages if row.role is Role.USER and row.content and row.verdict and row.verdict.brought
    ]
    known = tx.facts.all(LIVE) if bringing else []
    told = tx.evidence.of_messages([message.id for message in bringing]) if bringing else []
    for message in bringing:
        concerned = [
            fact
            for fact in known
            if message.scope.project in (None, fact.scope.project) and sentence_concerning(fact, message, told)
        ]
        if concerned:
            surest = max(concerned, key=lambda fact: (fact.confidence, fact.id))
            tx.facts.update([replace(surest, properties={**surest.properties, BROUGHT_IN: message.id})])


def _only_answers(draft: FactDraft, answers: Sequence[Evidence]) -> bool:
    """Tell whether a draft is no more than an answer; of a message that puts something right the words that do are."""
    own = [row for row in answers if row.message_id == draft.message_id]
    is_correction = {row.stance for row in own} == {Stance.SUPPORTS, Stance.CONTRADICTS}
    return any(not is_correction or draft.quote in row.quote or row.quote in draft.quote for row in own)


def _is_answer(fact: Fact, message: Message) -> bool:
    """Tell whether a message says what it had been asked about, so that it is no mere repetition of what was shown."""
    asked_at = fact.properties.get(ASKED_AT)
    return asked_at is not None and timedelta(0) < message.at - datetime.fromisoformat(asked_at) <= _ANSWERED
