"""STEP: take what the person says next, once a question was offered, for its answer, and write down what it settles.

As talk: what was answered is evidence of that message, and goes with it. Of two sides the one that they name was told
again; both of them stand by the person's word; neither, or "not any more", is a denial that counts at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.fact import LIVE, Fact, words_of
from yesteryear.core.fading.confidence import SITTING
from yesteryear.core.hits import RecallEvent
from yesteryear.core.language.answers import puts_question, read_answer, says_no_and_more
from yesteryear.core.language.invisible_text import is_same_name
from yesteryear.core.language.names import NameBook
from yesteryear.core.language.sentences import fingerprints, split_sentences
from yesteryear.core.language.told.safety_and_identity import read_bearing
from yesteryear.core.message import Message, Role, Source
from yesteryear.core.ruling import ASKED_AT, ASKED_WHAT, ConflictState, Ruling
from yesteryear.core.scope import ConversationKey
from yesteryear.core.time import earlier
from yesteryear.ports import Transaction
from yesteryear.remember.statements import ToldStretch

_BEFORE = 20  # messages before a stretch that are looked at for what was said since a question was offered
_EVENTS = 50  # contexts that are looked through for the one that offered it


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question that was offered last."""

    at: datetime
    sides: tuple[Fact, ...]  # one, or the two of which only one may hold, in the order in which they were put
    ruling: Ruling | None  # of the two

    @property
    def texts(self) -> list[str]:
        """What was asked about, without the person's name."""
        told = ((fact.subject, words_of(fact.statement, fact.form)) for fact in self.sides)
        return [NameBook.of([subject]).strip(words) or words for subject, words in told]

    @property
    def is_guarded(self) -> bool:
        """Whether it is about the person's safety, or who they are."""
        return any(
            side.is_safety or read_bearing(side.statement, side.subject, side.slot).is_guarded for side in self.sides
        )


def take_answers(stretch: ToldStretch) -> None:
    """Write what a stretch of one conversation answers to the last question: as evidence, and a ruling for both.

    The answer is the person's next message, of the same sitting; where a reply stands between that does not ask it,
    there is none, nor where somebody else has spoken. A no, which may answer something else, ends nothing where it goes
    on, nor on safety or identity, unless a reply is seen to ask.
    """
    tx, messages = stretch.tx, stretch.messages
    said_by_user = [row.at for row in messages if row.role is Role.USER and row.content]
    shown = _shown_lately(tx, messages[0].key, max(said_by_user)) if said_by_user else []
    asked = _last_asked(tx) if shown else None  # which reads all facts, and most talk is told to no context
    if asked is None or not (found := _next_said(tx, messages, asked, [row for row in shown if row.at == asked.at])):
        return
    said, replies = found
    is_put = any(puts_question(reply, asked.texts) for reply in replies)
    holds = read_answer(said.content, asked.texts)
    is_clear = is_put or len(asked.sides) > 1 or not (asked.is_guarded or says_no_and_more(said.content))
    if holds is None or (replies and not is_put) or not (is_clear or all(holds)):
        return
    quote = split_sentences(said.content)[0] if stretch.keeps_quotes else ""
    for side, is_so in zip(asked.sides, holds, strict=True):
        if is_so or not any(holds):  # of two the one that is not named gives way to the one that is
            stretch.write_answer(said, side, quote, is_so=is_so)
    if asked.ruling is not None and all(holds):
        tx.rulings.save([asked.ruling.both_hold(stretch.now)])


def _shown_lately(tx: Transaction, key: ConversationKey, last: datetime) -> list[RecallEvent]:
    """Return the contexts of a conversation, and those of none, that may have offered what was answered until then."""
    places = (key, ConversationKey(key.project, key.agent, ""))
    events = (event for place in places for event in tx.recalls.latest(place, limit=_EVENTS))
    return [event for event in events if event.at > earlier(last, SITTING)]


def _last_asked(tx: Transaction) -> _Asked | None:
    marked = [fact for fact in tx.facts.all(LIVE) if ASKED_WHAT in fact.properties]
    last = max((fact.properties[ASKED_AT] for fact in marked), default="")
    sides = {fact.id: fact for fact in marked if fact.properties[ASKED_AT] == last}
    asked = {fact.properties[ASKED_WHAT] for fact in sides.values()}
    if len(sides) == 1 and asked == sides.keys():
        return _Asked(datetime.fromisoformat(last), tuple(sides.values()), None)
    for row in tx.rulings.all() if len(sides) > 1 else ():
        if asked == {"|".join(row.pair)} and row.conflict is ConflictState.OPEN:
            told = tx.facts.get([row.earlier, row.later])
            standing = [sides[name] for fact in told if (name := fact.canonical_id or fact.id) in sides]
            return _Asked(datetime.fromisoformat(last), tuple(standing), row) if len(standing) > 1 else None
    return None


def _next_said(
    tx: Transaction, messages: Sequence[Message], asked: _Asked, shown: Sequence[RecallEvent]
) -> tuple[Message, list[str]] | None:
    """Return what the person said first after a question was offered, if a stretch holds it, and the replies between.

    None where the question was offered elsewhere, or at another sitting.
    """
    key, first = messages[0].key, messages[0].seq
    if not shown:
        return None
    line = [*said_before(tx, key, first, most=_BEFORE), *messages]
    since = [row for row in line if asked.at <= row.at < asked.at + SITTING and row.content]
    if since[:1] == line[:1] and line[0].seq > 1:
        return None  # it was offered long before, and answered or passed over
    for place, row in enumerate(since):
        is_theirs = row.role is Role.USER and is_same_name(row.author, asked.sides[0].subject)
        if row.role is Role.USER and not is_theirs:
            return None  # it may be them whom the person answers
        if is_theirs and not any(set(event.asked) == fingerprints(split_sentences(row.content)) for event in shown):
            replies = [each.content for each in since[:place] if each.role is Role.ASSISTANT]
            is_answer = row.source is not Source.BROUGHT and row in messages
            return (row, replies) if is_answer else None
    return None


def said_before(tx: Transaction, key: ConversationKey, seq: int, *, most: int) -> list[Message]:
    """Return the few messages of a conversation that stand right before one."""
    return tx.messages.span(key, after=max(0, seq - 1 - most), limit=min(seq - 1, most)) if seq > 1 else []
