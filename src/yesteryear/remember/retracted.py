"""STEP: stop believing what a person takes back of what was written down before: "jk", "strike what I said about Lou".

What they take back within a stretch is told by no fact at all. Only what they said themselves is denied so, and nothing
without which the next meal or advice may harm somebody; the words stay until they are asked to be forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from yesteryear.core.fact import LIVE, Evidence, Fact, Stance
from yesteryear.core.fading.confidence import SITTING
from yesteryear.core.language.dates import find_told
from yesteryear.core.language.retractions import Withdrawn, find_withdrawn, stems_of
from yesteryear.core.language.safety_and_identity import read_bearing
from yesteryear.core.language.sentences import Span, meet
from yesteryear.core.message import Message
from yesteryear.core.reading import MessageReading
from yesteryear.core.retracted import MOST_BEHIND, find_retracted, may_take_back
from yesteryear.core.time import earlier
from yesteryear.ports import Transaction
from yesteryear.remember.answers import answer_by

_ONE_NAME = timedelta(days=1)
"""Within which something was told that is named by a person's name alone: of them much is told."""
_A_THING = timedelta(days=7)
"""Within which something was told that is named as a thing, not as what was told."""
_NIGHT = timedelta(hours=12)
"""Within which something was told where its hour is no day: "what I wrote in the night"."""
_LATELY = timedelta(days=3)
"""Within which something was told that is named by its hour alone."""
_NO_HARM = ("illness", "pregnancy")
"""Attributes of safety that somebody may keep to themself, when they ask for it in words."""
_QUOTED = 400
"""Characters, at most, that are quoted of a message by which something is taken back."""


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
            tx.evidence.add([answer_by(message, fact, episode_id, quote, is_so=False, now=now)])
            tx.facts.update([replace(fact, due_at=fact.due_at or now)])


def _just_told(tx: Transaction, message: Message) -> Iterator[Fact]:
    """Yield the facts that rest on words of the same sitting which a message takes back."""
    first = max(0, message.seq - 1 - MOST_BEHIND)
    line = tx.messages.span(message.key, after=first, limit=message.seq - 1 - first) if message.seq > 1 else []
    near = [row for row in line if message.at - row.at < SITTING]
    said = {row.id: row for row in near}
    spans = find_retracted([message], before=near)
    told = [row for row in tx.evidence.of_messages([name for name in spans if name in said]) if _speaks(row)]
    for fact in tx.facts.get(list({row.fact_id: None for row in told})):
        places = [(row.message_id or "", row.quote) for row in told if row.fact_id == fact.id]
        if any(_stands_in(said[name].content, quote, spans[name]) for name, quote in places):
            yield fact


def _speaks(row: Evidence) -> bool:
    return row.stance is Stance.SUPPORTS and bool(row.quote)


def _stands_in(text: str, quote: str, spans: Sequence[Span]) -> bool:
    """Tell whether words stand in some passages alone, wherever they stand."""
    places = [found.span() for found in re.finditer(re.escape(quote), text)]
    return bool(places) and all(meet(place, spans) for place in places)


def _withdrawn(tx: Transaction, message: Message) -> Iterator[Fact]:
    """Yield the facts of its author's own words that a message asks not to be kept, of the last sitting with such."""
    asked = find_withdrawn(message.content)
    if not asked:
        return
    own = [fact for fact in tx.facts.all(LIVE) if fact.subject == message.author and not _may_harm(fact)]
    told: dict[str, datetime] = {}
    for row in tx.evidence.of([fact.id for fact in own]):
        if row.stance is Stance.SUPPORTS and row.author == message.author and row.said_at < message.at:
            told[row.fact_id] = max(row.said_at, told.get(row.fact_id, row.said_at))
    own = [fact for fact in own if fact.id in told]
    people = frozenset().union(*(stems_of(fact.holder) for fact in own))
    for each in asked:
        is_name = stems_of(each.named) <= people
        since = _since(each, message) if each.is_hour else earlier(message.at, _ONE_NAME if is_name else _A_THING)
        is_bounded = each.is_hour or is_name or each.is_of_late
        near = [fact for fact in own if told[fact.id] >= since or not is_bounded]
        found = [fact for fact in near if each.is_hour or each.names(stems_of(fact.statement))]
        last = max((told[fact.id] for fact in found), default=message.at)
        yield from (fact for fact in found if each.is_hour or last - told[fact.id] < SITTING)


def _since(asked: Withdrawn, message: Message) -> datetime:
    """Return from when on something was told that is named by its hour alone."""
    days = [each.behind for each in find_told(asked.named, now=message.at, zone=message.zone) if each.behind]
    return max(min((day.start for day in days), default=earlier(message.at, _NIGHT)), earlier(message.at, _LATELY))


def _may_harm(fact: Fact) -> bool:
    """Tell whether somebody may come to harm with the next meal or advice where a fact is not known."""
    is_read_so = fact.is_safety and fact.attribute not in _NO_HARM
    return is_read_so or read_bearing(fact.statement, fact.subject, fact.slot).harms_at_once
