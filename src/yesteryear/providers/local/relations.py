"""Draft from a talk what its users say to bear on each other, by the words that join it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from yesteryear.core.episode import Talk
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.language.tokens import words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.reading import MEANT
from yesteryear.core.relation import Relation, RelationDraft
from yesteryear.core.whose_words import others_spans
from yesteryear.providers.local.facts.drafting import own_messages

_EN = vocabulary("relations")
_MOST_WORDS = 12
"""Words of the longest end, from its beginning; what is longer tells a story."""
_LEAST_CHARS = 3
_SURE = 0.8
"""How sure it is that what joining words say is so, in [0, 1]. Source: labelled situations, docs/evaluation.md."""
_MOST_CHARS = 4_000
"""Characters of a message, from its beginning, that are looked through."""


def draft_relations(talk: Talk, *, yield_to_foreground: Callable[[], None]) -> tuple[RelationDraft, ...]:
    """Return what users say to bear on each other, in the order in which they say it.

    Only as themselves: not what they quote or bring along, imagine, ask or say in jest.

    Args:
        talk: Exchanges that the gate did not skip, as they were read.
        yield_to_foreground: Called before each message.
    """
    return tuple(_drafts(talk, yield_to_foreground))


def _drafts(talk: Talk, yield_to_foreground: Callable[[], None]) -> Iterator[RelationDraft]:
    for said in own_messages(talk):
        yield_to_foreground()
        text, reading = said.message.content[:_MOST_CHARS], talk.readings.get(said.message.id)
        sentences = reading.sentences if reading is not None else ()
        unmeant = [(row.start, row.end) for row in sentences if row.is_brought or row.stance not in MEANT]
        unmeant += others_spans(text, reading)
        for told in find_told(text):
            if not any(start < told.within.end and told.within.start < end for start, end in unmeant):
                source, target, quote = (text[slice(*span)] for span in (told.source, told.target, told.within))
                yield RelationDraft(told.relation, source, target, quote, said.message.id, _SURE)


class TextSpan(NamedTuple):
    """Characters of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ToldRelation:
    """That one thing bears on another, as a text says it."""

    relation: Relation
    source: TextSpan
    target: TextSpan
    within: TextSpan
    """The sentence, or the two, that say it."""


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    place: str
    relation: str
    source: str


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(re.compile(row["pattern"], re.IGNORECASE), row["place"], row["relation"], row.get("source", ""))
        for row in _EN.rows("told")
    )


def find_told(text: str) -> list[ToldRelation]:
    """Return the relations that a text says, in its order; of two that share their joining words the first rule's.

    What is asked or supposed says none. An end that is only "that" or "it" is what stands right before.
    """
    found: list[ToldRelation] = []
    before: TextSpan | None = None
    for start, end in sentence_spans(text):
        if not _EN["supposed"].search(text, start, end):
            found += _in_sentence(_Place(text, TextSpan(start, end), before))
        before = TextSpan(start, end)
    return found


class _Place(NamedTuple):
    text: str
    sentence: TextSpan
    before: TextSpan | None


def _in_sentence(place: _Place) -> Iterator[ToldRelation]:
    taken: list[tuple[int, int]] = []
    for rule in _rules():
        for joined in rule.pattern.finditer(place.text, *place.sentence):
            if any(joined.start() < end and start < joined.end() for start, end in taken):
                continue
            ends = _ends(rule, joined, place)
            source, target = (_cleaned(end, place) for end in ends or (None, None))
            if source is None or target is None or _meet(source, target):
                continue
            taken.append(joined.span())
            told = _related(rule, place.text, source, target)
            yield ToldRelation(
                *told, TextSpan(min(place.sentence.start, source.start, target.start), place.sentence.end)
            )


def _ends(rule: _Rule, joined: re.Match[str], place: _Place) -> tuple[TextSpan | None, TextSpan | None] | None:
    """Return the source and the target that the words of a rule join, not yet cleaned; None where they join nothing."""
    behind = _behind(place, joined.end())
    if rule.place == "whole":
        return TextSpan(*joined.span("source")), TextSpan(*joined.span("target"))
    if rule.place == "inside":
        is_source = "source" in joined.re.groupindex
        named = TextSpan(*joined.span("source" if is_source else "target"))
        return (named, behind) if is_source else (behind, named)
    if rule.place == "before":
        left, right = _two(place, joined)
    else:
        left, right = _ahead(place, joined.start()), behind
    return (left, right) if rule.source == "left" else (right, left)


def _ahead(place: _Place, end: int) -> TextSpan | None:
    """Return the clause that ends at a character; where none stands there, that at the end of the sentence before."""
    start = place.sentence.start
    if not words(place.text[start:end]) and place.before is not None:
        start, end = place.before
    ends = [found.end() for found in _EN["boundary"].finditer(place.text, start, end)]
    for begin in (*reversed(ends), start):
        if len(words(place.text[begin:end])) > 1 or _EN["pronoun"].match(place.text[begin:end].strip()):
            return TextSpan(begin, end)
    return TextSpan(start, end) if words(place.text[start:end]) else None


def _behind(place: _Place, start: int) -> TextSpan | None:
    """Return the clause that begins at a character."""
    opened = re.compile(r"[\s,:;]*").match(place.text, start, place.sentence.end)
    begin = opened.end() if opened else start
    closed = _EN["boundary"].search(place.text, begin + 1, place.sentence.end)
    end = closed.start() if closed else place.sentence.end
    return TextSpan(begin, end) if words(place.text[begin:end]) else None


def _two(place: _Place, joined: re.Match[str]) -> tuple[TextSpan | None, TextSpan | None]:
    """Return the two clauses behind words that open a sentence: up to a comma or whoever does it, and from there."""
    if words(place.text[place.sentence.start : joined.start()]) and not _EN["boundary"].search(
        place.text, max(place.sentence.start, joined.start() - 6), joined.start()
    ):
        return None, None
    split = _EN["splits"].search(place.text, joined.end() + 1, place.sentence.end)
    if split is None:
        return None, None
    return TextSpan(joined.end(), split.start()), _behind(place, split.end())


def _cleaned(span: TextSpan | None, place: _Place) -> TextSpan | None:
    """Return an end without what opens and closes it and says nothing; None where nothing is left."""
    if span is None:
        return None
    text, (start, end) = place.text, span
    said = text[start:end]
    opens = _EN["opens"].match(said)
    start += opens.end() if opens else 0
    closes = _EN["closes"].search(text[start:end])
    end = start + closes.start() if closes else end
    if _EN["pronoun"].match(text[start:end].strip()) or not text[start:end].strip():
        return _meant_before(span, place)
    found = [word.end() for word in re.finditer(r"\S+", text[start:end])]
    end = start + found[min(len(found), _MOST_WORDS) - 1] if found else end
    return TextSpan(start, end) if end - start >= _LEAST_CHARS else None


def _meant_before(span: TextSpan, place: _Place) -> TextSpan | None:
    """Return what "that" stands for: the clause before it in its sentence, or the one at the end of that before."""
    if words(place.text[place.sentence.start : span.start]):
        return _cleaned(_ahead(place._replace(before=None), span.start), place._replace(before=None))
    if place.before is None:
        return None
    return _cleaned(_ahead(place, place.sentence.start), place._replace(sentence=place.before, before=None))


def _related(rule: _Rule, text: str, source: TextSpan, target: TextSpan) -> tuple[Relation, TextSpan, TextSpan]:
    if rule.relation != "why":
        return Relation(rule.relation), _done(text, source), _done(text, target)
    off = _EN["called_off"].match(text[slice(*source)])
    if off:
        start, end = off.span("first" if off["first"] else "second")
        return Relation.BLOCKS, target, TextSpan(source.start + start, source.start + end)
    hindered = _EN["hindered"].search(text, *source)
    if hindered and hindered.end() < source.end:
        return Relation.BLOCKS, target, TextSpan(hindered.end(), source.end)
    enabled = _EN["enabled"].search(text[slice(*source)])
    if enabled and enabled.end() < source.end - source.start:
        return Relation.ENABLES, target, TextSpan(source.start + enabled.end(), source.end)
    return Relation.CAUSED_BY, source, target


def _done(text: str, span: TextSpan) -> TextSpan:
    """Return an end without what says that it cannot or can be done."""
    for name in ("hindered", "enabled"):
        found = _EN[name].match(text[slice(*span)])
        if found and found.end() < span.end - span.start:
            return TextSpan(span.start + found.end(), span.end)
    return span


def _meet(one: TextSpan, other: TextSpan) -> bool:
    return one.start < other.end and other.start < one.end
