"""STEP: put right what was just told: a value ("no wait, thursday", "*july") or whose it is ("no, that's my sister's").

And stop believing what a person takes back of what was written down before: "jk", "strike what I said about Lou".

What was told before is denied by the words that put it right. In its place stands the right value, in the words of both
where that cannot be told plainly; or a statement of its holder, where they are named. A value only where it was worked
through before: who reads both messages together tells it as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from yesteryear.core.fact import AS_TOLD, LIVE, Evidence, Fact, FactDraft, Form, Stance, as_quoted, said_words
from yesteryear.core.fading.confidence import SITTING
from yesteryear.core.language.answers import Elsewhere, read_elsewhere
from yesteryear.core.language.corrections import joined, put_right
from yesteryear.core.language.dates import find_told
from yesteryear.core.language.invisible_text import is_same_name
from yesteryear.core.language.retractions import find_withdrawn
from yesteryear.core.language.sentences import Span, meet, sentence_spans
from yesteryear.core.language.tokens import fold
from yesteryear.core.message import Message, Role, Source
from yesteryear.core.reading import MessageReading
from yesteryear.core.retracted import (
    MOST_BEHIND,
    MOST_TAKEN_BACK,
    NextCorrection,
    correction_by,
    find_retracted,
    may_take_back,
    withdrawn_of,
)
from yesteryear.core.time import local
from yesteryear.ports import Transaction
from yesteryear.remember.answers import said_before
from yesteryear.remember.statements import ToldStretch

_QUOTED = 400  # characters, at most, that are quoted of a message by which something is taken back
_BEFORE = 6  # messages before one in which the last that somebody wrote is looked for


def put_values_right(stretch: ToldStretch) -> None:
    """Write down what the messages of a stretch put right of what was told before it, at the same sitting.

    Somebody else puts right only what is about them. Before the facts of the stretch are written, so that the words
    that put something right are no facts of their own.
    """
    tx, own = stretch.tx, {message.id for message in stretch.messages}
    for message in stretch.messages[:MOST_BEHIND]:
        if message.role is not Role.USER or message.source is Source.BROUGHT or not message.content:
            continue
        found = correction_by(message, said_before(tx, message.key, message.seq, most=MOST_BEHIND))
        if found is None or found.said.id in own or message.at - found.said.at >= SITTING:
            continue
        for fact, told in _concerned(tx, found):
            row = stretch.write_answer(message, fact, found.words, is_so=False, weight=told.weight)
            _state_instead(stretch, message, _as_right(found, fact, told), row, told)


def put_holders_right(stretch: ToldStretch) -> None:
    """Write down what the messages of a stretch, whose facts are written, say to be somebody else's.

    Only of the last statement of the message before, of the same sitting, and only by whom it was made of: of
    themself, or by another of them by name. Behind a question of an assistant it takes "not mine" or "not me".
    """
    tx = stretch.tx
    for message in stretch.messages:
        moved = read_elsewhere(message.content) if message.role is Role.USER else None
        if moved is None or message.source is Source.BROUGHT:
            continue
        line = said_before(tx, message.key, message.seq, most=_BEFORE)
        place = next((at for at in reversed(range(len(line))) if line[at].role is Role.USER), None)
        is_asked = place is not None and any("?" in row.content for row in line[place + 1 :])
        if place is None or message.at - line[place].at >= SITTING or (is_asked and not moved.is_denied):
            continue
        if (last := _last_told(tx, line[place], message.author)) is not None:
            fact, told = last
            quote = message.content if told.quote else ""
            row = stretch.write_answer(message, fact, quote, is_so=False, weight=told.weight)
            if anew := _moved(fact, row, moved):
                _state_instead(stretch, message, anew, row, told)


def _state_instead(stretch: ToldStretch, said: Message, draft: FactDraft, row: Evidence, told: Evidence) -> None:
    """Write what is told in the place of what was denied, with the same words as evidence."""
    theirs = stretch.find_or_insert(draft, said).id
    stretch.tx.evidence.add([replace(row, fact_id=theirs, stance=told.stance, authority=told.authority)])


def _concerned(tx: Transaction, found: NextCorrection) -> Iterator[tuple[Fact, Evidence]]:
    """Yield the facts, with their evidence, that rest on words that are put right."""
    told = {row.fact_id: row for row in tx.evidence.of_messages([found.said.id]) if row.stance is Stance.SUPPORTS}
    spans = [old for old, _ in found.correction.changes]
    if not spans:
        *_, last = [(0, 0), *sentence_spans(found.said.content)]
        spans = [last]
    for fact in tx.facts.get(list(told)):
        row = told[fact.id]
        start = found.said.content.find(row.quote) if row.quote else -1
        is_of_author = found.said.author == found.message.author
        is_about_them = fold(found.message.author) in fold(fact.statement)
        is_in_quote = any(start < end and begin < start + len(row.quote) for begin, end in spans)
        if start >= 0 and is_in_quote and (is_of_author or is_about_them):
            yield fact, row


def _as_right(found: NextCorrection, fact: Fact, told: Evidence) -> FactDraft:
    """Return a statement with the right value; in the words of both where that cannot be told plainly."""
    kept = {name: getattr(fact, name) for name in AS_TOLD}
    changes = _plain_changes(found, fact)
    if changes:
        kept |= {"statement": _changed(fact.statement, changes), "holder": _changed(fact.holder, changes)}
        kept["slot"] = fact.slot and replace(fact.slot, value=_changed(fact.slot.value, changes))
    else:
        begins, ends = _times(found, fact, told)
        form, statement = _in_both_words(found, fact, told)
        kept |= {"statement": statement, "form": form, "subject": found.message.author, "slot": None}
        kept |= {"valid_from": begins, "valid_to": ends}
    return FactDraft(**kept, quote=found.words, message_id=found.message.id, confidence=told.weight)


def _plain_changes(found: NextCorrection, fact: Fact) -> dict[str, str]:
    """Return what is to be put for which words of a plain statement; nothing where that is not clear.

    Nothing for a day, which a plain statement tells in other words than it was told in.
    """
    text, at, zone = found.text, found.message.at, found.message.zone
    changes = {text[slice(*old)]: text[slice(*new)] for old, new in found.correction.changes}
    days = [(told.start, told.end) for told in find_told(fact.statement, now=at, zone=zone)]
    for old in changes:
        places = [place.span() for place in _whole(old).finditer(fact.statement)]
        if len(places) != 1 or any(start < places[0][1] and places[0][0] < end for start, end in days):
            return {}
    return changes if fact.form is Form.PLAIN and found.said.author == found.message.author else {}


def _changed(text: str, changes: Mapping[str, str]) -> str:
    for old, new in changes.items():
        text = new.join(_whole(old).split(text))
    return text


def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,]){re.escape(word)}(?![\w]|[.,]\d)", re.IGNORECASE)


def _in_both_words(found: NextCorrection, fact: Fact, told: Evidence) -> tuple[Form, str]:
    """Return a statement in the words that were wrong, with those that put them right behind."""
    author, at, zone = found.message.author, found.message.at, found.message.zone
    words = as_quoted(told.quote) if fact.form is Form.PLAIN else said_words(fact.statement, fact.form).words
    both = as_quoted(joined(words, found.words))
    on = f" on {local(at, zone).date()}" if any(find_told(both, now=at, zone=zone)) else ""
    if author != found.said.author:
        return Form.ANSWER, f'Asked "{words}", {author} said{on}: "{as_quoted(found.words)}"'
    if fact.form is Form.PLAIN:
        return Form.QUOTE, f'{author} said{on}: "{both}"'
    return fact.form, f'{fact.statement[: -len(words) - 1]}{both}"'


def _times(found: NextCorrection, fact: Fact, told: Evidence) -> tuple[datetime | None, datetime | None]:
    """Return from when and until when a statement holds, by the days it should have been told with."""
    if fact.valid_from is None and fact.valid_to is None:
        return None, None
    text = put_right(found.text, [found.correction])
    start = found.said.content.find(told.quote)
    quote = text.text[text.place(start) : text.place(start + len(told.quote))]
    days = [each.ahead or each.behind for each in find_told(quote, now=found.message.at, zone=found.message.zone)]
    known = [day for day in days if day is not None]
    if not found.correction.changes or not known:
        return fact.valid_from, fact.valid_to
    return fact.valid_from and min(day.start for day in known), fact.valid_to and max(day.end for day in known)


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
    told = {name: getattr(fact, name) for name in AS_TOLD} | {"subject": row.author, "slot": None}
    told |= {"statement": whose + fact.statement.removeprefix(begins), "holder": moved.holder}
    return FactDraft(**told, quote=row.quote, message_id=row.message_id or "", confidence=row.weight)


def deny_retracted(stretch: ToldStretch, readings: Mapping[str, MessageReading]) -> None:
    """Write down that people deny what they take back in a stretch, of what was known before it.

    What they take back within the stretch is told by no fact at all. Only what they said themselves is denied so, and
    nothing without which the next meal or advice may harm somebody; the words stay until they are asked to be
    forgotten.
    """
    tx = stretch.tx
    for message in stretch.messages:
        if not may_take_back(message, readings.get(message.id)):
            continue
        for fact in {fact.id: fact for fact in (*_just_told(tx, message), *_withdrawn(tx, message))}.values():
            quote = message.content[:_QUOTED] if stretch.keeps_quotes else ""
            stretch.write_answer(message, fact, quote, is_so=False)


def _just_told(tx: Transaction, message: Message) -> Iterator[Fact]:
    """Yield the facts that rest on words of the same sitting which a message takes back."""
    line = said_before(tx, message.key, message.seq, most=MOST_TAKEN_BACK)
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
