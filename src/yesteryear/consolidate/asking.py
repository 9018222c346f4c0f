"""STEP: which question a context offers. Worked out once for each change of facts and each day, then remembered."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from dataclasses import replace
from datetime import date, datetime

from yesteryear.consolidate.questions import ASKED_AT, QuestionPolicy, choose_question
from yesteryear.core.fact import LIVE, FactStatus
from yesteryear.core.question import Question
from yesteryear.core.ruling import ConflictState
from yesteryear.core.scope import Scope
from yesteryear.errors import YesteryearError
from yesteryear.ports import Store, Transaction

log = logging.getLogger("yesteryear.consolidate")

_SCOPES = 1000
"""Scopes whose question is remembered."""


class Asker:
    """Remembers the question of each scope that was looked at of late. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Scope, tuple[tuple[int, int, date], Question | None]] = OrderedDict()

    def question(self, tx: Transaction, *, now: datetime, policy: QuestionPolicy) -> Question | None:
        """Return the one question that is worth asking in a scope, or None.

        Args:
            tx: Of the scope.
            now: The present instant.
            policy: What is worth asking.
        """
        key = tx.facts.newest(), tx.owner().generation, now.date()
        with self._lock:
            known = self._known.get(tx.scope)
        if known is not None and known[0] == key:
            return known[1]
        question = None
        if key[0]:
            rulings = [ruling for ruling in tx.rulings.all() if ruling.conflict is ConflictState.OPEN]
            question = choose_question(rulings, tx.facts.all(LIVE | {FactStatus.MERGED}), now=now, policy=policy)
        with self._lock:
            self._known[tx.scope] = key, question
            self._known.move_to_end(tx.scope)
            if len(self._known) > _SCOPES:
                self._known.popitem(last=False)
        return question

    def note(self, store: Store, scope: Scope, question: Question, *, now: datetime) -> None:
        """Write down that a question was offered, without waiting, so that it rests for some days."""
        try:
            noting = store.submit(scope, lambda tx: _note(tx, question, now=now), urgent=True)
        except YesteryearError as exc:  # the context is made; a note is not worth losing it
            _log_unnoted(exc)
        else:
            noting.add_done_callback(lambda done: _log_unnoted(done.exception()))


def _log_unnoted(error: BaseException | None) -> None:
    if error is not None:
        log.warning("that a question was offered could not be written down: %s", error)


def _note(tx: Transaction, question: Question, *, now: datetime) -> None:
    facts = tx.facts.get(question.fact_ids)
    tx.facts.update([replace(fact, properties={**fact.properties, ASKED_AT: now.isoformat()}) for fact in facts])
    rulings = [row for row in tx.rulings.of(question.fact_ids) if "|".join(row.pair) == question.id]
    tx.rulings.save([replace(row, asked_at=now) for row in rulings])
