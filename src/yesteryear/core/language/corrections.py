"""What somebody puts right of what was just said, and what takes its place: the 3rd, "actually, the 4th".

A value changes for one of its kind that stands nearest before: a day for a day, a number for one of the same unit, a
name for a name. Where it is not clear which words are meant, only that something is put right, none are named, and
both belong into one quote. English, by rules; in doubt nothing is put right. Time is linear in the text, for each
correction.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from yesteryear.core.language.quoting import quoted_spans
from yesteryear.core.language.sentences import Span, meet, sentence_spans
from yesteryear.core.language.tokens import STOP_WORDS, stem, with_plain_apostrophes
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("corrections")
_NAME = re.compile(r"(?<![\w'@#])[A-Z][\w-]*[a-z](?: [A-Z][\w-]*[a-z])*")
_WORD = re.compile(r"\d+(?:[.,]\d+)*\w*|[\w'-]+")
_WORD_BEHIND = re.compile(rf"\s*({_WORD.pattern})")
_MOST_CHARS = 2_000  # characters of a message, from its beginning, in which corrections are looked for
_MOST = 20  # corrections of a message that are looked at
_SENTENCES = 3  # sentences at the end of a message, at most, of which the next one puts something right
_MOST_WORDS = 6  # words of what is put right without a value of a known kind; more of them tell something new
_PHRASE_WORDS = 4  # words of a phrase that is put in the place of one that begins alike
_ALIKE = 0.6  # how alike, in [0, 1], a word behind a star and the one that it puts right are, at least
_LAST_DAY = 31
_THE = "the "  # before a day of a month that is told without the month
_ARTICLE = re.compile(r"\ban? $")
_ARTICLE_CHARS = 4  # characters, at most, of an article with what stands on both sides
_TELLS = _EN.words("tells")
_SAYS_NOTHING = STOP_WORDS - _EN.words("within_things") | _EN.words("no_things")


class _Kind(StrEnum):  # but for names, by the groups of the pattern of values
    DATE = "date"
    NUMERIC = "numeric"
    DAY = "only_day"
    WEEKDAY = "weekday"
    MONTH = "only_month"
    TIME = "time"
    YEAR = "only_year"
    NUMBER = "number"
    NAME = "name"


_PARTS = {"day": _Kind.DAY, "day_2": _Kind.DAY, "month": _Kind.MONTH, "month_2": _Kind.MONTH, "year": _Kind.YEAR}
"""The groups of a date, by what they are alone."""


class _Value(NamedTuple):
    """A value in a text."""

    kind: _Kind
    start: int
    end: int
    until: int  # the end of its unit, where it has one; else its own
    unit: str = ""
    parts: dict[_Kind, Span] = {}  # noqa: RUF012 - never changed; of a date, where its day, month and year stand

    @property
    def span(self) -> Span:
        return self.start, self.end

    @property
    def pieces(self) -> tuple[Span, ...]:
        """It and, of a date, its day, month and year."""
        return self.span, *self.parts.values()


@dataclass(frozen=True, slots=True)
class Correction:
    """Words that put right what was said before them."""

    start: int  # where they begin, with what parts them from the words before
    end: int
    changes: tuple[tuple[Span, Span], ...] = ()
    """Of each value that was wrong, and of what takes its place, start and end; empty where it is not clear."""

    @property
    def begins(self) -> int:
        """Where what is put right begins; where the correction does, if that is not clear."""
        return min((old[0] for old, _ in self.changes), default=self.start)


@dataclass(frozen=True, slots=True)
class PutRight:
    """A text with its corrections carried out."""

    text: str
    _edits: tuple[tuple[int, int, int], ...] = field(default=(), repr=False)
    """Start and end of what was changed, and how long it is now; in order."""

    def place(self, at: int) -> int:
        """Return where a place of the text as it was said lies now."""
        moved = 0
        for start, end, length in self._edits:
            if at <= start:
                break
            if at < end:
                return start + moved + length
            moved += length - (end - start)
        return at + moved


@lru_cache(maxsize=64)  # whoever draws facts from a message asks, and whoever sums it up
def find_corrections(text: str) -> tuple[Correction, ...]:
    """Return what a message puts right of itself, in order: "we leave wednesday, no, thursday"."""
    said = _Said.of(text)
    return tuple(islice(said.corrections(), _MOST)) if said else ()


@lru_cache(maxsize=4096)  # belief asks it of the sentences of each quote, whenever it is derived
def find_next_correction(said: str, then: str, *, by_other: bool = False, asked: bool = False) -> Correction | None:
    """Return what a message puts right of the one before it; places are those of the two ``joined``.

    ``by_other``: whether somebody else says so, who may do it without a word for it: "22 may!!". ``asked``: whether a
    question stood between, so that a mere "no" answers it.
    """
    whole = _Said.of(joined(said, then))
    return whole.next_correction(len(whole.text) - len(then), by_other=by_other, asked=asked) if whole else None


def joined(said: str, then: str) -> str:
    """Return two messages as one text: the second ends it, the first begins it."""
    said = said.rstrip()
    return f"{said}{'' if said.endswith(('.', '!', '?', '…')) else '.'}\n{then}"


def put_right(text: str, corrections: Iterable[Correction]) -> PutRight:
    """Return a text with what was wrong changed, and without the words that put it right, where both are clear."""
    edits: list[tuple[int, int, str]] = []
    for each in corrections:
        if each.changes:
            edits += [(*old, text[slice(*new)]) for old, new in each.changes]
            edits.append((each.start, each.end, ""))
    edits.sort()
    if any(one[1] > other[0] for one, other in pairwise(edits)):
        return PutRight(text)  # one puts right another
    done, pieces = 0, []
    for start, end, instead in edits:
        pieces += [text[done:start], instead]
        done = end
    return PutRight("".join([*pieces, text[done:]]), tuple((start, end, len(new)) for start, end, new in edits))


@dataclass(frozen=True, slots=True)
class _Said:
    """A text that is read for corrections."""

    text: str
    low: str  # as long as the text
    values: Sequence[_Value]
    sentences: Sequence[Span]

    @classmethod
    def of(cls, text: str) -> _Said | None:
        """Read a text; None where there is nothing to be read."""
        begin = text[:_MOST_CHARS]
        low = with_plain_apostrophes(begin).lower()
        if len(low) != len(begin) or _EN["torn"].search(low):
            return None  # letters that grow in lower case, or words so far apart that reading on takes long
        spans = list(sentence_spans(begin))
        values = sorted([*_values(low), *_names(begin, low, spans)], key=lambda value: value.start)
        return cls(begin, low, values, spans)

    def corrections(self) -> Iterator[Correction]:
        """Yield what the text puts right of itself."""
        done = 0
        quoted = quoted_spans(self.text)
        for mark in self._marks():
            is_told = mark.start < done or meet((mark.start, mark.start + 1), quoted)
            if not is_told and (found := self._read(mark)):
                yield found
                done = found.end

    def next_correction(self, begin: int, *, by_other: bool, asked: bool) -> Correction | None:
        """Return what the words from ``begin`` on put right of those before."""
        if quoted_spans(self.text[begin:]) or self.low[:begin].rstrip(" .\n").endswith("?"):
            return None
        if starred := _EN["starred"].fullmatch(self.low, begin):
            return self._starred(starred)
        if by_other and self._says_again(begin):
            return None
        is_open = by_other and _EN["open"].search(self.low, 0, begin) is not None
        lately = [start for start, _ in self.sentences if start < begin][-_SENTENCES:]
        scope = (lately[0] if lately else 0, begin)
        called = _EN["calls"].match(self.low, begin)
        opens = _EN["opens"].match(self.low, called.end() if called else begin)
        at = opens.end() if opens else begin
        if told := self._contrasted(_Mark(begin, at, False, scope, opens_sentence=True)):
            return told
        if opens is None:
            return self._alone(begin, begin, scope, is_bare=by_other and not is_open)
        if not opens["strong"] and (asked or is_open):
            return None
        return self._read(_Mark(begin, opens.end(), bool(opens["strong"]), scope, opens_sentence=True))

    def _says_again(self, begin: int) -> bool:
        """Tell whether the first value from a place on was said before it: who says it again agrees."""
        said = {self.low[slice(*part)] for value in self.values if value.start < begin for part in value.pieces}
        anew = next((value for value in self.values if value.start >= begin), None)
        return anew is not None and self.low[slice(*anew.span)] in said

    def _marks(self) -> list[_Mark]:
        """Return where something may be put right, in order."""
        found: list[_Mark] = []
        for number, (start, end) in enumerate(self.sentences):
            opens = _EN["opens"].match(self.low, start, end) if number else None
            behind = opens.end() if opens else start
            if number:
                scope, is_strong = (self.sentences[number - 1][0], start), bool(opens and opens["strong"])
                found.append(_Mark(start, behind, is_strong, scope, opens_sentence=True, is_alone=opens is None))
            found += (
                _Mark(mark.start(), mark.end(), bool(mark["strong"]), (start, mark.start()))
                for mark in _EN["within"].finditer(self.low, behind, end)
            )
            for value in (each for each in self.values if start <= each.start < end):
                if bare := _EN["bare"].match(self.low, value.end, end):
                    found.append(_Mark(value.end, bare.end(), bool(bare["strong"]), (start, value.end), is_bare=True))
                if _EN["trails"].match(self.low, value.end, end) and value.start > start:
                    place = len(self.low[: value.start].rstrip(" ,;.…-–—"))
                    found.append(_Mark(place, value.start, False, (start, place), is_alone=True))
        return sorted(found, key=lambda mark: (mark.start, mark.is_alone))

    def _read(self, mark: _Mark) -> Correction | None:
        """Return what is put right at a mark; None where nothing is."""
        if told := self._contrasted(mark):
            return told
        if mark.is_alone:
            return self._alone(mark.start, mark.behind, mark.scope)
        if value := self._value_at(mark.behind, mark.scope):
            return self._with_values(mark, value)
        return self._unknown(mark) if mark.is_strong else None

    def _contrasted(self, mark: _Mark) -> Correction | None:
        """Return what is put right by what is not so and what is: "not nuts, sesame"; or, to begin, "dogs, not cats".

        What is not so must have been said, and what is must be new.
        """
        starts = {value.start for value in self.values}
        for form in ("not_but", "but_not") if mark.opens_sentence else ("not_but",):
            found = _EN[form].match(self.low, mark.behind)
            if found is None or (form == "but_not" and found.start("old") in starts):
                continue
            (begin, end), listed = found.span("new"), found["new"].split()
            old, again = (self._last_said(found[name], mark.scope) for name in ("old", "new"))
            is_thing = (_SAYS_NOTHING | _TELLS).isdisjoint(listed) and not listed[0].endswith("ly")
            if old is None or again or not is_thing or _SAYS_NOTHING.issuperset(found["old"].split()):
                continue
            if len(listed) > 1 and self.low.endswith(f" {listed[0]} ", 0, old[0]):
                begin += len(listed[0]) + 1  # "two dogs", of "two cats"
            return self._cut(mark, found.end(), [(old, (begin, end))])
        return None

    def _with_articles(self, old: Span, new: Span, begin: int) -> tuple[Span, Span]:
        """Return what changes with the "a" or "an" before both: "an Audi" becomes "a Ford"."""
        before = [_ARTICLE.search(self.low, max(0, start - _ARTICLE_CHARS), start) for start, _ in (old, new)]
        of_old, of_new = before
        if not of_old or not of_new or of_new.start() < begin:
            return old, new
        return (of_old.start(), old[1]), (of_new.start(), new[1])

    def _last_said(self, told: str, scope: Span) -> Span | None:
        """Return where words stand last in a scope."""
        *_, last = [None, *re.compile(rf"(?<![\w'-]){re.escape(told)}(?![\w'-])").finditer(self.low, *scope)]
        return last.span() if last else None

    def _with_values(self, mark: _Mark, value: _Value) -> Correction | None:
        """Return what a value puts right that follows a mark, with those that go on from it: "Friday at 10"."""
        end = value.until
        if not mark.is_strong and value.kind is not _Kind.NAME and _EN["says_more"].match(self.low, end):
            return None
        other = self._named_other(end, mark.scope)
        old = other[0] if other else self._nearest(value, mark.scope)
        is_next_to = old is not None and old[1] == len(self.low[: mark.start].rstrip()) and not mark.opens_sentence
        is_closed = _EN["closes"].match(self.low, self._run_of(value)[-1].until) is not None
        if old is None:
            is_alike = any(each.kind is value.kind for each in self._within(mark.scope))
            return Correction(mark.start, end) if mark.is_strong and is_closed and is_alike else None
        if mark.opens_sentence and self.low[slice(*self._sentence(old[0]))].endswith("?"):
            return None  # who asked it answers
        if value.kind is _Kind.NAME and mark.opens_sentence and _EN["says_more"].match(self.low, end):
            return None  # "no wait, Tom is here"
        if value.kind is _Kind.NAME and not (is_next_to or other or mark.is_strong):
            return Correction(mark.start, end) if mark.opens_sentence and self._sentence(end)[1] <= end + 1 else None
        if (mark.is_bare and not is_next_to) or not (mark.is_strong or is_next_to or is_closed):
            return None
        changes = {old: value.span}
        for further in () if other else self._run_of(value)[1:]:
            before = self._nearest(further, mark.scope)
            if before is None or before in changes:
                if mark.opens_sentence:
                    return Correction(mark.start, further.until)
                break
            changes[before], end = further.span, further.until
        changed = [(was, now) for was, now in changes.items() if self.low[slice(*was)] != self.low[slice(*now)]]
        return self._cut(mark, other[1] if other else end, changed, is_next_to=is_next_to) if changed else None

    def _alone(self, start: int, at: int, scope: Span, *, is_bare: bool = False) -> Correction | None:
        """Return what a value puts right that stands alone, with "not 421" or "actually" behind it, or ``is_bare``."""
        value = self._value_at(at, scope)
        if value is None:
            return None
        other, trails = self._named_other(value.until, scope), _EN["trails"].match(self.low, value.until)
        end = other[1] if other else trails.end() if trails else value.until
        is_said = other or trails or (is_bare and value.kind is not _Kind.NAME and not self.low[end:].strip(" \n!.…"))
        old = other[0] if other else self._nearest(value, scope)
        if not is_said or old is None or self.low[slice(*old)] == self.low[slice(*value.span)]:
            return None
        if _EN["closes"].match(self.low, end) is None:
            return None
        is_whole = any(begin == start for begin, _ in self.sentences)
        return self._cut(_Mark(start, at, False, scope, opens_sentence=is_whole), end, [(old, value.span)])

    def _unknown(self, mark: _Mark) -> Correction | None:
        """Return what is put right by words of no kind that is known."""
        stop = _EN["closes"].search(self.low, mark.behind)
        end = stop.start() if stop else len(self.low)
        listed = self.low[mark.behind : end].split()
        if not listed or len(listed) > _MOST_WORDS or self.low[end : end + 1] == "?":
            return None
        is_short = len(listed) <= _PHRASE_WORDS
        if is_short and (other := self._named_other(end, mark.scope)):
            said = self.low[: other[0][0]].rstrip()
            again = max((n for n in range(len(listed)) if said.endswith(" ".join(listed[:n]))), default=0)
            begin = end - len(self.low[mark.behind : end].split(maxsplit=again)[-1])  # "I'm allergic to" may come again
            is_thing = _SAYS_NOTHING.isdisjoint(listed[again:])
            return self._cut(mark, other[1], [(other[0], (begin, end))] if is_thing else [])
        if is_short and (old := self._begun_alike(mark, listed[0])):
            return self._cut(mark, end, [(old, (mark.behind, end))], is_next_to=True)
        return Correction(mark.start, end)

    def _begun_alike(self, mark: _Mark, first: str) -> Span | None:
        """Return the phrase right before a mark that begins with the same small word: "the vet, I mean the dentist"."""
        if first not in _EN.words("begins_phrases"):
            return None
        start, end = mark.scope
        end = len(self.low[:end].rstrip(" \n.,;:!…-–—("))
        listed = list(_WORD.finditer(self.low, start, end))[-_PHRASE_WORDS:]
        found = next((word for word in reversed(listed[:-1]) if word[0] == first), None)
        return (found.start(), end) if found and not re.search(r"[,;:.!?]", self.low[found.start() : end]) else None

    def _cut(
        self, mark: _Mark, end: int, changes: Sequence[tuple[Span, Span]], *, is_next_to: bool = False
    ) -> Correction:
        """Return a correction that ends with what need not be told any more once it is carried out."""
        if trails := _EN["trails"].match(self.low, end):
            end = trails.end()
        changes = [self._with_articles(old, new, mark.start) for old, new in changes]
        if mark.opens_sentence:
            rest = self.low[end:]
            return Correction(mark.start, end + len(rest) - len(rest.lstrip(" ,;:.!…)–—-")), tuple(changes))
        if "(" in self.low[mark.start : mark.behind] and self.low.startswith(")", end):
            end += 1
        if is_next_to and self.low.startswith(",", end):
            following = _WORD.search(self.low, end)
            end += following is not None and following[0] in _EN.words("goes_on")
        return Correction(mark.start, end, tuple(changes))

    def _starred(self, found: re.Match[str]) -> Correction | None:
        """Return what a word with a star puts right: one of its kind, else the one most like it."""
        name = "word" if found["word"] else "word_2"
        scope = (0, found.start())
        value = self._value_at(found.start(name), scope, is_led=False)
        if value and (old := self._nearest(value, scope)):
            return Correction(*found.span(), ((old, value.span),))
        near = list(_WORD.finditer(self.low, *scope))[-_MOST * _MOST_WORDS :]
        likeness = ((SequenceMatcher(None, word[0], found[name]).ratio(), word.span()) for word in near)
        ratio, nearest = max(likeness, default=(0.0, (0, 0)))
        is_like = _ALIKE <= ratio < 1 and len(found[name].split()) == 1
        return Correction(*found.span(), ((nearest, found.span(name)),)) if is_like else None

    def _value_at(self, at: int, scope: Span, *, is_led: bool = True) -> _Value | None:
        """Return the value that begins at a place, or behind a word that stands before one in the scope: "type 2".

        ``is_led``: whether words that lead to one may stand before it: "it's on the".
        """
        if is_led and (led := _EN["lead_to"].match(self.low, at)):
            at = led.end()
        at += len(self.low[at:]) - len(self.low[at:].lstrip(" *"))
        found = next((value for value in self.values if value.start == at), None)
        word = _WORD.match(self.low, at) if found is None else None
        if word is None:
            return found
        behind = next((value for value in self.values if value.start == word.end() + 1), None)
        old = self._nearest(behind, scope) if behind else None
        is_said = old and re.search(rf"(?<!\w){re.escape(word[0])} $", self.low[scope[0] : old[0]])
        return behind if is_said else None

    def _run_of(self, value: _Value) -> list[_Value]:
        """Return a value with those that go on from it: "Friday at 10"."""
        run = [value]
        for further in self.values:
            if further.start >= run[-1].until:
                if not _EN["joint"].fullmatch(self.low, run[-1].until, further.start):
                    break
                run.append(further)
        return run

    def _nearest(self, value: _Value, scope: Span) -> Span | None:
        """Return the words of a scope that a value takes the place of: the nearest of its kind; None if unclear."""
        near = ((each, _place_for(value, each, self.low)) for each in self._within(scope))
        found = [(each, span) for each, span in near if span]
        if not found:
            return None
        last, span = found[-1]
        is_one_of_many = value.kind is _Kind.NAME and len({self.text[slice(*each.span)] for each, _ in found}) > 1
        return None if is_one_of_many and self.low[last.end : scope[1]].strip(" .!,;:…-–—(\n") else span

    def _within(self, scope: Span) -> list[_Value]:
        return [value for value in self.values if scope[0] <= value.start and value.end <= scope[1]]

    def _named_other(self, at: int, scope: Span) -> tuple[Span, int] | None:
        """Return the words of a scope that are said not to be so, and the end of what says it."""
        denied = _EN["not_other"].match(self.low, at)
        word = _WORD.match(self.low, denied.end()) if denied else None
        if word is None:
            return None
        found = [each for each in _WORD.finditer(self.low, *scope) if each[0] == word[0]]
        return (found[-1].span(), word.end()) if found else None

    def _sentence(self, at: int) -> Span:
        """Return the sentence of a place, or the one before it."""
        place = bisect_right(self.sentences, (at, len(self.low))) - 1
        return self.sentences[max(0, place)]


class _Mark(NamedTuple):
    """Where something may be put right."""

    start: int  # with what parts it from the words before
    behind: int  # where the words begin that may be right
    is_strong: bool  # whether it tells by itself that something was wrong
    scope: Span  # where what was wrong may stand
    opens_sentence: bool = False
    is_bare: bool = False  # whether no mark stands before it
    is_alone: bool = False  # whether there is no word that puts right before the value


def _values(low: str) -> Iterator[_Value]:
    """Yield the days, times and numbers of a text."""
    for found in _EN["value"].finditer(low):
        unit = found["unit"] or ""
        end = len(low[: found.end() - len(unit)].rstrip())
        unit = "" if unit in _EN.words("no_units") else unit
        parts = {part: found.span(name) for name, part in _PARTS.items() if found[name]}
        yield _Value(_Kind(str(found.lastgroup)), found.start(), end, found.end() if unit else end, stem(unit), parts)


def _names(text: str, low: str, sentences: Iterable[Span]) -> Iterator[_Value]:
    """Yield the names of a text, as capitals tell them."""
    begins = {start for start, _ in sentences}
    for found in _NAME.finditer(text):
        first = low[slice(*found.span())].split(maxsplit=1)[0]
        following = _WORD_BEHIND.match(low, found.end())
        reads_as_one = (following and following[1] in _EN.words("verbs_of_names")) or any(
            _EN[mark].match(low, found.end()) for mark in ("within", "bare")
        )
        if first not in _EN.words("not_names") and (reads_as_one or found.start() not in begins):
            yield _Value(_Kind.NAME, *found.span(), found.end())


def _place_for(new: _Value, old: _Value, low: str) -> Span | None:
    """Return which words of an older value a new one takes the place of; None where they are of other kinds."""
    if new.kind is old.kind is _Kind.NUMBER:
        return old.span if new.unit in ("", old.unit) or not old.unit else None
    if old.kind is _Kind.DATE and new.kind is _Kind.DATE and new.parts.keys() < old.parts.keys():
        (start, _), (_, end) = sorted([old.parts[_Kind.DAY], old.parts[_Kind.MONTH]])
        return start, end
    if new.kind is old.kind:
        return old.span
    if new.kind is _Kind.NUMBER and not new.unit:
        count = low[new.start : new.end]
        may_be_day = count.isdecimal() and int(count) <= _LAST_DAY
        if old.kind in (_Kind.DATE, _Kind.DAY):
            return old.parts.get(_Kind.DAY, old.span) if may_be_day else None
        return old.span if old.kind in (_Kind.TIME, _Kind.YEAR) else None
    if old.kind is _Kind.DATE:
        return old.parts.get(new.kind) or (old.span if new.kind is _Kind.NUMERIC else None)
    if (new.kind, old.kind) not in _INSTEAD or old.unit:
        return None
    return old.start - len(_THE) * low.endswith(_THE, 0, old.start) * (new.kind is _Kind.DATE), old.end


_INSTEAD = frozenset({(_Kind.DATE, _Kind.DAY), (_Kind.TIME, _Kind.NUMBER), (_Kind.DATE, _Kind.NUMERIC)})
"""A kind of value, and another of which it may take the place."""
