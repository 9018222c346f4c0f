"""STEP: which question a context offers. Worked out once for each change of facts and each day, then remembered."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from yesteryear.consolidate.belief.questions import QuestionPolicy, choose_question, is_another_sitting, offers_of
from yesteryear.core.fact import BROUGHT_IN, Fact, FactStatus
from yesteryear.core.recent import Recent
from yesteryear.core.ruling import ASKED, ASKED_AT, ASKED_WHAT, Question
from yesteryear.core.scope import Owner, Scope
from yesteryear.core.whose_words import sentence_concerning
from yesteryear.errors import YesteryearError
from yesteryear.ports import Store, Transaction

log = logging.getLogger("yesteryear.consolidate")

_SCOPES = 1000  # scopes whose question is remembered
_MESSAGES = 1000  # last messages of a conversation that are looked through for a pause


class QuestionSelector:
    """Remembers the question of each scope that was looked at of late. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: Recent[Scope, tuple[tuple[int, int, date], Question | None, datetime | None]] = Recent(_SCOPES)
        self._asked: Recent[Owner, datetime] = Recent(_SCOPES)
        """When a question was offered last: what is being written down counts at once."""

    def question(self, tx: Transaction, *, now: datetime, policy: QuestionPolicy) -> Question | None:
        """Return the one question that is worth asking in a scope, or None; in one sitting one is offered."""
        key = tx.facts.newest(), tx.owner().generation, now.date()
        with self._lock:
            known = self._known.get(tx.scope)
        if known is None or known[0] != key:
            known = key, *(_choose(tx, now=now, policy=policy) if key[0] else (None, None))
        with self._lock:
            self._known.put(tx.scope, known)
            noted = self._asked.get(tx.scope.owner)
        _, question, asked_at = known
        last = max((at for at in (asked_at, noted) if at is not None and at <= now), default=None)
        if question is None or last is None or now - last >= policy.longest_sitting:
            return question
        said_at = [
            message.at
            for conversation in tx.conversations.list()
            if conversation.last_at is not None and conversation.last_at > last
            for message in tx.messages.tail(conversation.key, limit=_MESSAGES)
        ]
        return question if is_another_sitting(last, said_at, now=now, policy=policy) else None

    def note(self, store: Store, scope: Scope, question: Question, *, now: datetime) -> None:
        """Write down that a question was offered, without waiting, so that it rests for some days."""
        with self._lock:
            self._asked.put(scope.owner, now)
        try:
            noting = store.submit(scope, lambda tx: _note(tx, question, now=now), urgent=True)
        except YesteryearError as exc:  # the context is made; a note is not worth losing it
            _log_unnoted(exc)
        else:
            noting.add_done_callback(lambda done: _log_unnoted(done.exception()))


def _brought(tx: Transaction, facts: Sequence[Fact]) -> dict[str, str]:
    """Return by a fact's id the sentence, from text brought along, that may concern it; where its words are kept."""
    marked = {fact.properties[BROUGHT_IN]: fact for fact in facts if fact.is_live and BROUGHT_IN in fact.properties}
    if not marked:
        return {}
    told, messages = tx.evidence.of_messages(list(marked)), tx.messages.get(list(marked))
    said = ((marked[row.id].id, sentence_concerning(marked[row.id], row, told)) for row in messages)
    return {fact_id: sentence for fact_id, sentence in said if sentence}


def _log_unnoted(error: BaseException | None) -> None:
    if error is not None:
        log.warning("that a question was offered could not be written down: %s", error)


def _choose(tx: Transaction, *, now: datetime, policy: QuestionPolicy) -> tuple[Question | None, datetime | None]:
    """Return what is worth asking, and when something was asked last."""
    facts = tx.facts.all()
    counting = [fact for fact in facts if fact.is_live or fact.status is FactStatus.MERGED]
    question = choose_question(tx.rulings.all(), counting, now=now, policy=policy, brought=_brought(tx, counting))
    asked = [datetime.fromisoformat(fact.properties[ASKED_AT]) for fact in facts if ASKED_AT in fact.properties]
    return question, max(asked, default=None)


def _note(tx: Transaction, question: Question, *, now: datetime) -> None:
    """Mark the facts of a question; about a text that was brought along each is asked once and never again."""
    facts = tx.facts.get(question.fact_ids)
    marks = {
        ASKED_AT: now.isoformat(),
        ASKED_WHAT: question.id,
        ASKED + question.id: str(1 + offers_of(question, {fact.id: fact for fact in facts})),
    }
    for fact in facts:
        is_of_text = question.id == f"{fact.id}|{fact.properties.get(BROUGHT_IN)}"
        kept = {name: text for name, text in fact.properties.items() if not (is_of_text and name == BROUGHT_IN)}
        tx.facts.update([replace(fact, properties={**kept, **marks})])
    rulings = [row for row in tx.rulings.of(question.fact_ids) if "|".join(row.pair) == question.id]
    tx.rulings.save([replace(row, asked_at=now) for row in rulings])
