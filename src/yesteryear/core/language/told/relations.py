"""What a text says to bear on what, by the words that join two things: "I can't train because of my knee".

Only what its speaker says of their own life: what is asked, supposed, told of others or taken back says nothing.
English, by the rules of ``language/en/relations.toml``, in time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from yesteryear.core.language.sentences import Span, between, meet, sentence_spans
from yesteryear.core.language.tokens import words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.relation import Relation

_EN = vocabulary("relations")
_MOST_WORDS = 12  # words of the longest end, from its beginning; what is longer tells a story
_LEAST_CHARS = 3
_MOST_OF_SENTENCE = 600  # characters of a sentence that are looked through; what rambles on joins nothing clearly
_SURE = 0.8
"""How sure it is that what joining words say is so, in [0, 1]. Source: labelled situations, docs/evaluation.md."""
_WHY = frozenset({"why", "so", "since", "means"})
"""What stands for a relation in a rule where the words of the two ends tell which it is."""
_MOST_BACK = 12  # relations said before, the last ones, among which one that was found is looked for
_BREAKS = frozenset(",;.!")
_ENDS = ("source", "target")


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
    within: TextSpan  # the sentence, or the two, that say it
    rule: str  # the name of the rule that found it
    sure: float  # how sure it is that this is so, in [0, 1]


class _Rule(NamedTuple):
    name: str
    pattern: re.Pattern[str]
    place: str
    relation: str
    source: str = ""
    sure: float = _SURE


@cache
def _rules() -> tuple[_Rule, ...]:
    rows: list[dict[str, Any]] = list(_EN.rows("told"))
    return tuple(_Rule(**row | {"pattern": re.compile(row["pattern"], re.IGNORECASE)}) for row in rows)


class _Place(NamedTuple):
    """Where joining words are looked for."""

    text: str
    sentence: TextSpan
    before: TextSpan | None  # the sentence before
    joint: int  # where the words that join two ends begin
    reach: int  # where the sentence after ends; the end of its own where that one does not count


def find_relations(text: str) -> list[ToldRelation]:
    """Return the relations that a text says, in its order; between the same two ends only the first rule's.

    What is asked, supposed, told of others or taken back says none. An end that is only "that" or "it" is what stands
    right before.
    """
    spans = [TextSpan(start, min(end, start + _MOST_OF_SENTENCE)) for start, end in sentence_spans(text)]
    counts = _counting(text, spans)
    found: list[ToldRelation] = []
    for number, span in enumerate(spans):
        if counts[number] and len(words(text[span.start : span.end])) > 1:
            before = spans[number - 1] if number else None
            reaches = number + 1 < len(spans) and counts[number + 1]
            place = _Place(text, span, before, span.end, spans[number + 1].end if reaches else span.end)
            for told in _in_sentence(place):
                if not any(_is_again(told, other) for other in found[-_MOST_BACK:]):
                    found.append(told)
    return found


def _counting(text: str, spans: Sequence[TextSpan]) -> list[bool]:
    """Tell of each sentence whether the speaker says in it what is so in their life."""
    counts: list[bool] = []
    back = max((found.end() for found in _EN["taken_back"].finditer(text)), default=0)
    in_story = False
    for start, end in spans:
        own = _EN["own"].search(text, start, end)
        is_story = bool(_EN["story"].search(text, start, end))
        in_story = is_story or (in_story and not own)
        of_others = not own and _EN["others"].match(text, start, end)
        counts.append(not (in_story or of_others or start < back or _EN["supposed"].search(text, start, end)))
    return counts


def _is_again(one: ToldRelation, other: ToldRelation) -> bool:
    """Tell whether two relations are between the same two things, in whichever direction."""
    ways = ((other.source, other.target), (other.target, other.source))
    return any(meet(one.source, [source]) and meet(one.target, [target]) for source, target in ways)


def _in_sentence(place: _Place) -> Iterator[ToldRelation]:
    taken: list[Span] = []
    begins = _begins(place)
    for rule in _rules():
        for joined in _joinings(rule, place, begins):
            is_taken = rule.place != "two" and meet(joined.span(), taken)
            if is_taken or _is_none(rule, place, joined.start()):
                continue
            ends = _ends(rule, joined, place)
            told = [found for each in ends for found in _told(rule, place._replace(joint=joined.start()), *each)]
            taken += [joined.span()] if told and rule.place != "two" else []
            yield from told


def _is_none(rule: _Rule, place: _Place, joint: int) -> bool:
    """Tell whether what stands before joining words says that nothing is joined: that it is not so, or only a day.

    A "not" before "because" belongs to the effect.
    """
    is_deniable = rule.place == "between" and rule.relation not in _WHY
    before = "from_when" if rule.relation == "since" else "denied" if is_deniable else ""
    return bool(before) and _EN[before].search(place.text, place.sentence.start, joint) is not None


def _begins(place: _Place) -> list[Span]:
    """Return where each clause of the sentence begins, and where its words do behind what only opens it."""
    text, (start, end) = place.text, place.sentence
    begins = (start, *(cut.end() for cut in _EN["boundary"].finditer(text, start, end)))
    opened = ((begin, _EN["lead"].match(text, begin, end)) for begin in begins)
    return [(begin, opens.end() if opens else begin) for begin, opens in opened]


def _joinings(rule: _Rule, place: _Place, begins: Sequence[Span]) -> Iterator[re.Match[str]]:
    """Yield where words of a rule stand: anywhere in the sentence; what joins two clauses from where one begins."""
    if rule.place != "two":
        yield from rule.pattern.finditer(place.text, *place.sentence)
        return
    done = place.sentence.start
    for begin, opened in begins:
        joined = rule.pattern.match(place.text, opened, place.reach)
        if joined and begin >= done:
            yield joined
            done = joined.end()


def _told(rule: _Rule, place: _Place, source: TextSpan | None, target: TextSpan | None) -> Iterator[ToldRelation]:
    """Yield what two ends say once they are cleaned; an end that only points is resolved away from the other."""
    one = _cleaned(source, place)
    other = _cleaned(target, place, one)
    if one and other and meet(one, [other]):
        one = _cleaned(source, place, other)
    if one is None or other is None or meet(one, [other]):
        return
    relation, one, other = _related(rule, place.text, one, other)
    start = min(place.sentence.start, one.start, other.start)
    within = TextSpan(start, max(place.sentence.end, one.end, other.end))
    yield ToldRelation(relation, one, other, within, rule.name, rule.sure)


_Ends = tuple[TextSpan | None, TextSpan | None]


def _ends(rule: _Rule, joined: re.Match[str], place: _Place) -> list[_Ends]:
    """Return the sources and targets that the words of a rule join, not yet cleaned."""
    groups = joined.re.groupindex
    if rule.place in ("whole", "two"):
        source, target = (TextSpan(*joined.span(name)) for name in _ENDS)
        cuts = _EN["listing"].finditer(place.text, *source) if rule.source == "each" else ()
        return [(TextSpan(*each), target) for each in between((found.span() for found in cuts), *source)]
    behind = _behind(place, joined.end())
    if rule.place == "inside":
        named = {name: TextSpan(*joined.span(name)) for name in groups}
        return [(named.get("source", behind), named.get("target", behind))]
    left, right = _two(place, joined) if rule.place == "before" else (_ahead(place, joined.start()), behind)
    return [(left, right) if rule.source == "left" else (right, left)]


def _ahead(place: _Place, end: int) -> TextSpan | None:
    """Return the clause that ends at a character; where none stands there, that at the end of the sentence before.

    A part of it that has no verb does not do, where one before it has.
    """
    start = place.sentence.start
    if not words(place.text[start:end]) and place.before is not None:
        start, end = place.before
    ends = [found.end() for found in _EN["boundary"].finditer(place.text, start, end)]
    fallback: TextSpan | None = None
    for begin in (*reversed(ends), start):
        said = place.text[begin:end].strip()
        count = len(words(said))
        if _EN["pronoun"].match(said) or (count > 1 and _EN["verb"].search(said)):
            return TextSpan(begin, end)
        if count > _MOST_WORDS:
            break
        fallback = fallback or (TextSpan(begin, end) if count > 1 else None)
    return fallback or (TextSpan(start, end) if words(place.text[start:end]) else None)


def _behind(place: _Place, start: int) -> TextSpan | None:
    """Return the clause that begins at a character."""
    opened = _EN["gap"].match(place.text, start, place.sentence.end)
    begin = opened.end() if opened else start
    if place.text[begin : begin + 1] in _BREAKS:
        return None
    closed = _EN["boundary"].search(place.text, begin + 1, place.sentence.end)
    end = closed.start() if closed else place.sentence.end
    return TextSpan(begin, end) if words(place.text[begin:end]) else None


def _two(place: _Place, joined: re.Match[str]) -> _Ends:
    """Return the two clauses behind words that open a sentence: up to a comma or whoever does it, and from there."""
    text, start, end = place.text, place.sentence.start, joined.start()
    opens = not words(text[start:end]) or _EN["boundary"].search(text, max(start, end - 6), end)
    split = _EN["splits"].search(text, joined.end() + 3, place.sentence.end) if opens else None
    return (TextSpan(joined.end(), split.start()), _behind(place, split.end())) if split else (None, None)


def _cleaned(span: TextSpan | None, place: _Place, apart: TextSpan | None = None) -> TextSpan | None:
    """Return an end without what says nothing; one that only points is what it stands for, none of it in ``apart``."""
    if span is None:
        return None
    bare = _trimmed(span, place.text)
    points = _EN["pronoun"].match(place.text[slice(*bare)]) or bare.start == bare.end
    return _meant_before(span, place, apart) if points else _as_thing(span, place.text)


def _trimmed(span: TextSpan, text: str) -> TextSpan:
    """Return an end without the words around it that say nothing, and cut where it tells a story."""
    start, end = span
    opens = _EN["opens"].match(text[start:end])
    start += opens.end() if opens else 0
    closes = _EN["closes"].search(text[start:end])
    end = start + closes.start() if closes else end
    found = [word.end() for word in re.finditer(r"\S+", text[start:end])]
    return TextSpan(start, start + found[min(len(found), _MOST_WORDS) - 1] if found else start)


def _as_thing(span: TextSpan | None, text: str) -> TextSpan | None:
    """Return an end trimmed, if it names anything."""
    bare = _trimmed(span, text) if span else None
    said = text[slice(*bare)] if bare else ""
    is_thing = len(said) >= _LEAST_CHARS and not _EN["nothing"].match(said) and not _EN["pronoun"].match(said)
    return bare if is_thing else None


def _meant_before(span: TextSpan, place: _Place, apart: TextSpan | None) -> TextSpan | None:
    """Return what "that" stands for: the clause before it in its sentence, or the one at the end of that before."""
    begin = span.start if span.start < place.joint else max(place.joint, place.sentence.start)
    if words(place.text[place.sentence.start : begin]):
        found = _as_thing(_ahead(place._replace(before=None), begin), place.text)
        if found and not (apart and meet(found, [apart])):
            return found
    if place.before is None:
        return None
    return _as_thing(_ahead(place._replace(sentence=place.before, before=None), place.before.end), place.text)


def _related(rule: _Rule, text: str, source: TextSpan, target: TextSpan) -> tuple[Relation, TextSpan, TextSpan]:
    """Return how two ends hang together, the source first, without the words that say so."""
    if rule.relation in _WHY:
        return _come_of(rule.relation, text, source, target)
    relation = Relation(rule.relation)
    if relation not in (Relation.BLOCKS, Relation.ENABLES):
        source = _done(text, source, relation)
    return relation, source, _done(text, target, relation)


def _come_of(why: str, text: str, effect: TextSpan, cause: TextSpan) -> tuple[Relation, TextSpan, TextSpan]:
    """Return what a cause does to what came of it: it blocks what is not possible, and enables what now is."""
    said = text[slice(*effect)]
    off = _EN["called_off"].match(said)
    if off:
        start, end = off.span(off.lastgroup or 0)
        return Relation.BLOCKS, cause, TextSpan(effect.start + start, effect.start + end)
    hindered = _EN["hindered"].search(said)
    if hindered and hindered.end() < len(said) and not _EN["happened"].search(said):
        return Relation.BLOCKS, cause, TextSpan(effect.start + hindered.end(), effect.end)
    enabled = _EN["enabled"].search(said)
    if enabled and enabled.end() < len(said):
        return Relation.ENABLES, cause, TextSpan(effect.start + enabled.end(), effect.end)
    is_trouble = any(_EN["trouble"].search(text, *end) for end in (effect, cause))
    is_gain = why == "so" and not is_trouble and _EN["gain"].search(text, *cause)
    if is_gain or (why == "since" and _EN["better"].search(said)):
        return Relation.ENABLES, cause, effect
    return Relation.CAUSED_BY, effect, cause


def _done(text: str, span: TextSpan, relation: Relation) -> TextSpan:
    """Return an end without what says that it cannot or can be done, or is lacking where another depends on it."""
    if relation is Relation.CAUSED_BY:
        return span
    for name in ("hindered", "enabled", *(("absent",) if relation is Relation.DEPENDS_ON else ())):
        found = _EN[name].match(text[slice(*span)])
        if found and found.end() < span.end - span.start:
            return TextSpan(span.start + found.end(), span.end)
    return span
