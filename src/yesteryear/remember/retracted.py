"""STEP: stop believing what a person takes back of what was written down before: "jk", "strike what I said about Lou".

What they take back within a stretch is told by no fact at all. Only what they said themselves is denied so, and nothing
without which the next meal or advice may harm somebody; the words stay until they are asked to be forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from yesteryear.core.fact import LIVE, Fact, Stance
from yesteryear.core.fading.confidence import SITTING
from yesteryear.core.language.retractions import find_withdrawn
from yesteryear.core.language.sentences import Span, meet
from yesteryear.core.message import Message
from yesteryear.core.reading import MessageReading
from yesteryear.core.retracted import MOST_BEHIND, find_retracted, may_take_back, withdrawn_of
from yesteryear.ports import Transaction
from yesteryear.remember.answers import said_before, write_answer

_QUOTED = 400  # characters, at most, that are quoted of a message by which something is taken back


def deny_retracted(
    tx: Transaction,
    messages: Sequence[Message],
    readings: Mapping[str, MessageReading],
    *,
    episode_id: str | None,
    now: datetime,
    keeps_quotes: bool,
) -> None:
    """Write down that people deny what they take back in a stretch, of what was known before it."""
    for message in messages:
        if not may_take_back(message, readings.get(message.id)):
            continue
        for fact in {fact.id: fact for fact in (*_just_told(tx, message), *_withdrawn(tx, message))}.values():
            quote = message.content[:_QUOTED] if keeps_quotes else ""
            write_answer(tx, message, fact, episode_id, quote, is_so=False, now=now)


def _just_told(tx: Transaction, message: Message) -> Iterator[Fact]:
    """Yield the facts that rest on words of the same sitting which a message takes back."""
    line = said_before(tx, message.key, message.seq, most=MOST_BEHIND)
    near = [row for row in line if message.at - row.at < SITTING]
    said = {row.id: row for row in near}
    spans = find_retracted([message], before=near)
    rows = tx.evidence.of_messages([name for name in spans if name in said])
    told = [row for row in rows if row.stance is Stance.SUPPORTS and row.quote]
    for fact in tx.facts.get(list({row.fact_id: None for row in told})):
        places = [(row.message_id or "", row.quote) for row in told if row.fact_id == fact.id]
        if any(_stands_in(said[name].content, quote, spans[name]) for name, quote in places):
            yield fact


def _stands_in(text: str, quote: str, spans: Sequence[Span]) -> bool:
    """Tell whether words stand in some passages alone, wherever they stand."""
    places = [found.span() for found in re.finditer(re.escape(quote), text)]
    return bool(places) and all(meet(place, spans) for place in places)


def _withdrawn(tx: Transaction, message: Message) -> Iterator[Fact]:
    """Yield the facts of its author's own words that a message asks not to be kept, of the last sitting with such."""
    asked = find_withdrawn(message.content)
    if not asked:
        return
    own = [fact for fact in tx.facts.all(LIVE) if fact.subject == message.author]
    told: dict[str, datetime] = {}
    for row in tx.evidence.of([fact.id for fact in own]):
        if row.stance is Stance.SUPPORTS and row.author == message.author and row.said_at < message.at:
            told[row.fact_id] = max(row.said_at, told.get(row.fact_id, row.said_at))
    yield from withdrawn_of(asked, message, [(fact, told[fact.id]) for fact in own if fact.id in told])
