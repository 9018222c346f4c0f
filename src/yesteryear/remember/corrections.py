"""STEP: move what was just said of somebody to whom it belongs: "no, that's my sister's", "that was Tom, not me".

It is denied of them by the words of the correction, and where its holder is named a statement of theirs stands in its
place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from yesteryear.core.fact import AS_TOLD, Evidence, Fact, FactDraft, Form, Stance
from yesteryear.core.fading.confidence import SITTING
from yesteryear.core.language.answers import Elsewhere, read_elsewhere
from yesteryear.core.language.invisible_text import is_same_name
from yesteryear.core.message import Message, Role, Source
from yesteryear.ports import IdSource, Transaction
from yesteryear.remember.answers import answer_by
from yesteryear.remember.statements import find_or_insert

_BEFORE = 6  # messages before one in which the last that somebody wrote is looked for


def take_corrections(
    tx: Transaction, messages: Sequence[Message], ids: IdSource, *, episode_id: str | None, now: datetime
) -> None:
    """Write down what the messages of a stretch, whose facts are written, say to be somebody else's.

    Only of the last statement of the message before, of the same sitting, and only by whom it was made of: of
    themself, or by another of them by name. Behind a question of an assistant it takes "not mine" or "not me".
    """
    for message in messages:
        moved = read_elsewhere(message.content) if message.role is Role.USER else None
        if moved is None or message.source is Source.BROUGHT:
            continue
        line = tx.messages.span(
            message.key, after=max(0, message.seq - 1 - _BEFORE), limit=min(message.seq - 1, _BEFORE)
        )
        place = next((at for at in reversed(range(len(line))) if line[at].role is Role.USER), None)
        is_asked = place is not None and any("?" in row.content for row in line[place + 1 :])
        if place is None or message.at - line[place].at >= SITTING or (is_asked and not moved.is_denied):
            continue
        if (last := _last_told(tx, line[place], message.author)) is not None:
            fact, told = last
            quote = message.content if told.quote else ""
            row = answer_by(message, fact, episode_id, quote, is_so=False, now=now, weight=told.weight)
            tx.evidence.add([row])
            tx.facts.update([replace(fact, due_at=fact.due_at or now)])
            if anew := _moved(fact, row, moved):
                theirs = find_or_insert(tx, anew, message, ids, now=now).id
                tx.evidence.add([replace(row, fact_id=theirs, stance=told.stance, authority=told.authority)])


def _last_told(tx: Transaction, said: Message, author: str) -> tuple[Fact, Evidence] | None:
    """Return the last statement of a message, if it is about somebody, with the evidence."""
    told = [row for row in tx.evidence.of_messages([said.id]) if row.stance is Stance.SUPPORTS and row.quote]
    row = max(told, key=lambda row: said.content.find(row.quote) + len(row.quote), default=None)
    facts = tx.facts.get([row.fact_id]) if row is not None else ()
    return next(((fact, row) for fact in facts if row and is_same_name(fact.holder or fact.subject, author)), None)


def _moved(fact: Fact, row: Evidence, moved: Elsewhere) -> FactDraft | None:
    """Return a statement as one about its holder; None where nobody is named, or only the words that were said are."""
    begins = fact.holder or fact.subject
    if not moved.holder or fact.form is not Form.PLAIN or not fact.statement.startswith(begins):
        return None
    whose = f"{row.author}'s {moved.tie}" if moved.tie else moved.holder
    told = {name: getattr(fact, name) for name in AS_TOLD}
    told |= {"statement": whose + fact.statement.removeprefix(begins), "subject": row.author, "slot": None}
    return FactDraft(
        **told | {"holder": moved.holder}, quote=row.quote, message_id=row.message_id or "", confidence=row.weight
    )
