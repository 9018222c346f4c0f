"""What somebody plainly says of themself and their people: "I'm allergic to shellfish", "Got the job!", "my dad died".

A sentence is read clause by clause, each from its beginning. Questions, what is only imagined, and what is no statement
about a person ("I'm back") say nothing here. English; in time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold, stems, words
from yesteryear.core.language.verbs import is_past
from yesteryear.core.language.vocabulary import vocabulary

_EN, _LEXICON = vocabulary("life"), vocabulary("lexicon")
_SHARED = 2  # content words that a sentence and a statement share from which they speak of one thing
_MOST_WORDS = 25  # words of the longest sentence that is asked about
_ONE_AT_A_TIME = ("home", "occupation")  # another value concerns it, whatever words it has
MOST_CLAUSE_CHARS = 200  # characters read of a clause from its beginning
MOST_SENTENCES = 100  # sentences read of a message, from its beginning
MOST_ANSWER_WORDS = 12  # most words of an answer that says nothing without its question
_LATER = ("of_oneself", "tells")  # how a clause tells of its speaker
_FIRST = (*_LATER, "without_subject", "tells_briefly")  # at the beginning of a sentence

_LEAST_LEAD_WORDS = 3  # before a colon behind which somebody goes on; fewer name a speaker: "GUEST: I was born"


class Concern(StrEnum):
    """Whom a statement is about."""

    SELF = "self"
    PEOPLE = "people"


_FEWEST_OF_NEWS = 4  # words of a sentence that tells news of its speaker without naming them

_NOT_NAMES, _NO_DEEDS, _OWN = _EN.words("not_names"), _EN.words("no_deeds"), _EN.words("own")
_SAME_IN_PAST = vocabulary("rewriting").words("same_in_past")
_WORD = re.compile(r"\w+")


def says_of_oneself(text: str, *, question: str = "") -> Concern | None:
    """Return of whom a message plainly says something that lasts: its speaker, or somebody of theirs; None for nobody.

    What they quote is left aside. ``question`` is what they were asked just before, so that a name alone is an answer.
    """
    own, _ = own_words(text)
    sentences = split_sentences(own)[:MOST_SENTENCES]
    if not sentences or any(_EN["worked_on"].match(fold(sentence)[:MOST_CLAUSE_CHARS]) for sentence in sentences[:2]):
        return None
    is_form = len(sentences) > 1 and all(_EN["is_labelled"].match(fold(each)) for each in sentences)
    if is_form or (question and _answers(own, question)):
        return Concern.SELF
    found = {concern for sentence in sentences for concern in _concerns(sentence)}
    return Concern.PEOPLE if Concern.PEOPLE in found else Concern.SELF if found else None


def _concerns(sentence: str) -> Iterator[Concern]:
    """Yield whom each clause of a sentence is about; of a question only what is stated before it is asked."""
    folded = fold(sentence)
    if _EN["imagined"].search(folded):
        return
    is_asked = folded.rstrip().endswith("?")
    if not is_asked and _EN["named"].match(sentence) and not _NOT_NAMES.intersection(_WORD.findall(folded)):
        yield Concern.SELF
    if not is_asked and not _EN["asks"].match(folded) and _EN["people_by_name"].search(sentence):
        yield Concern.PEOPLE
    clauses = list(_clauses(folded))
    for position, clause in enumerate(clauses[:-1] if is_asked else clauses):
        if _EN["asks"].match(clause):
            continue
        if _EN["of_people"].match(clause):
            yield Concern.PEOPLE
        elif any(_EN[form].match(clause) for form in (_FIRST if position == 0 else _LATER)) or (
            _EN["is_somebody"].match(clause) and not _LEXICON["fantasy"].search(folded)
        ):
            yield Concern.SELF


def tells_news_briefly(sentence: str) -> bool:
    """Tell whether a sentence tells what its speaker did without naming them: "handed my notice in".

    It begins with a past form, and tells of something of theirs or of a time that is behind. Of what has one form for
    the past and for an order only the time tells: "put the cat down last night", not "put my boots by the door".
    """
    folded = fold(sentence)[:MOST_CLAUSE_CHARS]
    lead = _EN["news_lead"].match(folded)
    first, *rest = words(folded[lead.end() :] if lead else folded) or [""]
    if len(rest) + 1 < _FEWEST_OF_NEWS or folded.rstrip().endswith("?"):
        return False
    is_own, is_behind = not _OWN.isdisjoint(rest), _EN["is_behind"].search(folded) is not None
    may_be_behind = is_behind or _EN["may_be_behind"].search(folded) is not None
    if first in _SAME_IN_PAST:
        return (is_behind or (may_be_behind and is_own)) and not _EN["is_request"].search(folded)
    return is_past(first) and first not in _NO_DEEDS and (may_be_behind or is_own)


def says_as_known(question: str, places: Iterable[int]) -> bool:
    """Tell whether a question states something of its speaker's life before it asks, or in a clause at some places."""
    folded = fold(question)
    clauses = (folded[place:][:MOST_CLAUSE_CHARS] for place in places)
    return any(_concerns(question)) or any(
        _EN[form].match(clause) for clause in clauses for form in (*_LATER, "of_people", "is_somebody")
    )


def _clauses(folded: str) -> Iterator[str]:
    """Yield the whole sentence and what begins at each joint in it, cut to what is read."""
    yield folded[:MOST_CLAUSE_CHARS]
    done = 0
    for joint in _EN["clause"].finditer(folded):
        before, done = folded[done : joint.start()], joint.end()
        if not joint[0].startswith(":") or len(_WORD.findall(before)) >= _LEAST_LEAD_WORDS:
            joined = _EN["joins"].match(folded, done)
            yield folded[joined.end() if joined else done :][:MOST_CLAUSE_CHARS]


def _answers(own: str, question: str) -> bool:
    """Tell whether a few words answer a question about the person: "Joel", "nope, just a cat"."""
    *_, last = ["", *split_sentences(fold(question))]
    last = last[-MOST_CLAUSE_CHARS:]
    asks = last.endswith("?") and _EN["asked_about"].search(last) and not _EN["offers"].match(last)
    folded = fold(own)
    is_short = 0 < len(_WORD.findall(folded)) <= MOST_ANSWER_WORDS and "?" not in folded
    return bool(asks) and is_short and not (_EN["tells_nothing"].match(folded) or _EN["imagined"].search(folded))


def concerning(content: str, statement: str, *, subject: str, is_whole: bool, own: Iterable[str] = ()) -> str:
    """Return the first sentence of what a message brought along (``is_whole``: all of it) that may concern a statement.

    Where only a reader could tell what was brought along, no mark shows it, and any of it may be meant but what the
    person's ``own`` statements rest on. The sentence speaks in the first person or names the ``subject``, and shares
    words with the statement; about home and work it need share none. Empty where there is none.
    """
    brought, said = content if is_whole else own_words(content)[1] or content, tuple(own)
    known = set(stems(statement)) - set(stems(subject))
    topics = [_LEXICON[topic] for topic in _ONE_AT_A_TIME if _LEXICON[topic].search(fold(statement))]
    for sentence in split_sentences(brought):
        folded = fold(sentence)
        is_of_subject = _LEXICON["speaker"].search(folded) or fold(subject) in folded
        is_told = not sentence.rstrip().endswith("?") and len(sentence.split()) <= _MOST_WORDS
        is_theirs = any(quote in sentence or sentence in quote for quote in said)
        shared = len(known.intersection(stems(sentence)))
        is_near = any(topic.search(folded) for topic in topics) or shared >= min(_SHARED, max(1, len(known)))
        if is_of_subject and is_told and is_near and not is_theirs:
            return sentence.strip(" \"'“”«»>*-.")
    return ""
