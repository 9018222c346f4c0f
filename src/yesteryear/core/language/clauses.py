"""What a sentence tells one by one: "I study in Cairo, I live in the dorm and my sister works" tells three things.

So do the things of a list: "Ana takes ramipril, aspirin and vitamin D". A sentence is parted where a main clause with a
subject of its own follows another: "I", "we", "my brother", "dad", a name. What the clause before governs stays with it
("I stay in when it rains and I'm tired"), and so does what says nothing by itself ("and my son does too"), a question,
and what stands in brackets or quotation marks. English; in time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from yesteryear.core.language.sentences import Span, sentence_spans
from yesteryear.core.language.tokens import STOP_WORDS, fold
from yesteryear.core.language.verbs import is_finite, is_ing, is_past
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("clauses")
_FIRST = _EN.words("elliptic") | _EN.words("of_others")  # with which the first clause may begin besides
_NO_NAMES = _EN.words("no_names") | STOP_WORDS
_MOST_CHARS = 600  # of a sentence that are parted; what is longer is seldom told clause by clause
_LEAST_WORDS = 3  # words of a clause that stands alone, "I" among them. Source: these numbers are set by hand
_WORD = re.compile(r"[\w'’-]+")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))
_CONTRACTED = ("'s", "’s")
_LEAST_ITEMS, _MOST_ITEMS = 3, 8  # things of a list that are told one by one; at times two
_MOST_ITEM_WORDS = 6  # words of a thing in a list
_LEAD_CHARS = 60  # characters behind a joint in which the subject of the next clause begins


def clause_spans(text: str) -> Iterator[Span]:
    """Yield start and end of each thing that a text tells: of its sentences, parted into main clauses."""
    for start, end in sentence_spans(text):
        begin = start
        for stop, goes_on in _joints(text, start, end):
            yield begin, stop
            begin = goes_on
        yield begin, end


def _joints(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield where the clauses of a sentence part: the end of one, and the beginning of the next."""
    said = text[start:end]
    if len(said) > _MOST_CHARS or said.endswith("?") or not _opens(said, is_first=True):
        return
    begin = 0
    for joint in _EN["joint"].finditer(said):
        before, behind = said[begin : joint.start()], said[joint.end() :]
        if not _opens(behind) or _is_within(said[: joint.start()]) or not _tells(before):
            continue
        if _EN["governs_on"].search(fold(before)) or _leans(behind):
            continue
        yield start + joint.start(), start + joint.end()
        begin = joint.end()


def _opens(said: str, *, is_first: bool = False) -> bool:
    """Tell whether words begin with a subject and its verb; at the beginning of a sentence "I" may be left out."""
    said = said[: _LEAD_CHARS * 2]
    lead = _EN["lead"].match(said)
    said = said[lead.end() :] if lead else said
    if _EN["speaker"].match(said) or (not is_first and _EN["to_come"].match(said)):
        return True
    if own := _EN["own"].match(said):
        return _has_verb(own["rest"])
    if kin := _EN["kin"].match(said):
        return bool(kin["is"]) or _has_verb(kin["rest"])
    named = _EN["name"].match(said)
    if named and _NO_NAMES.isdisjoint(_WORD.findall(fold(named["name"]))):
        return bool(named["is"]) or (_has_verb(named["rest"]) and not _EN["relative"].match(named["rest"]))
    first = _WORD.match(said)
    word = fold(first[0]) if first else ""
    return is_first and (word in _FIRST or is_ing(word))


def _has_verb(words: str) -> bool:
    """Tell whether a verb stands among words behind a subject, or is contracted with one of them: "my mum's 84"."""
    listed = _WORD.findall(fold(words))
    return any(is_finite(word) or is_past(word) or word.endswith(_CONTRACTED) for word in listed)


def _tells(clause: str) -> bool:
    """Tell whether words before a joint are a clause that stands alone."""
    return len(_WORD.findall(clause)) >= _LEAST_WORDS and _opens(clause, is_first=True)


def _is_within(before: str) -> bool:
    """Tell whether a joint stands in brackets or quotation marks, by what stands before it."""
    return before.count('"') % 2 == 1 or any(before.count(one) > before.count(other) for one, other in _PAIRS)


def _leans(behind: str) -> bool:
    """Tell whether the next clause says nothing by itself: "my son does too", "I guess"."""
    clause = re.split(r"[,;.!]", behind, maxsplit=1)[0]
    words = _WORD.findall(clause)
    if len(words) < _LEAST_WORDS - 1 or not _EN.words("points_back").isdisjoint(map(fold, words)):
        return True
    subject = _EN["speaker"].match(clause)
    rest = clause[subject.end() :] if subject else " ".join(words[1:] if not _EN["own"].match(clause) else words[2:])
    return _EN["leaning"].fullmatch(fold(rest)) is not None


def told_one_by_one(statement: str, *, may_be_two: bool = False) -> list[str]:
    """Return what a statement in the third person tells of each thing of a list: "Ana takes A", "Ana takes B".

    Two things are a list where each has its own article, or ``may_be_two``.

    The statement itself where it tells of no list, or where what stands first only says how many the others are: "has
    two kids, Mia and Leo".
    """
    found = _EN["listing"].fullmatch(statement) if len(statement) <= _MOST_CHARS else None
    if found is None or _EN["no_list"].search(fold(found["list"])):
        return [statement]
    items = [each.strip() for each in _EN["between_items"].split(found["list"])]
    counted = [_EN["counted"].match(fold(each)) is not None for each in items]
    is_list = _LEAST_ITEMS - (may_be_two or all(counted)) <= len(items) <= _MOST_ITEMS and (
        all(counted) or not counted[0]
    )
    if not is_list or not all(map(_is_thing, items)):
        return [statement]
    return [f"{found['head']} {item}" for item in items]


def _is_thing(item: str) -> bool:
    listed = _WORD.findall(fold(item))
    says_more = any(is_finite(word) or is_ing(word) for word in listed) or not any(map(str.isalpha, "".join(listed)))
    return 0 < len(listed) <= _MOST_ITEM_WORDS and not says_more and not is_past(listed[0])


def tells_of_list(text: str) -> bool:
    """Tell whether a text may tell of several things: it has a comma, an "and" or an "or"."""
    return _EN["between_items"].search(text[:_MOST_CHARS]) is not None
