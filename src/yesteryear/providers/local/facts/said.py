"""A statement where it was said: its sentence, what stands before it, and whose it is."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import chain

from yesteryear.core.attributes import attributes
from yesteryear.core.fact import SOMEBODY
from yesteryear.core.language.clauses import clause_spans
from yesteryear.core.language.discourse import after_turn, says_nothing
from yesteryear.core.language.sentences import Span, meet, split_sentences
from yesteryear.core.language.tokens import fold, words
from yesteryear.core.language.told.called import NO_NAMES, others_ties
from yesteryear.core.language.verbs import is_finite, is_past
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.reading import Before, ReadStatement, Whose
from yesteryear.providers.local.facts.rewriting import well_spelled

_EN = vocabulary("forms")
MOST_ANSWER_WORDS = 14  # words up to which what opens a message is taken for the answer to what was asked


@dataclass(frozen=True, slots=True)
class SaidStatement:
    """A statement in its message, with what is needed to tell it."""

    text: str  # the whole message
    read: ReadStatement
    author: str
    at: datetime
    zone: str | None
    before: Sequence[Before] = ()  # what was said before the message, the latest last
    not_meant: Sequence[Span] = ()  # what in the message is others' words, or was not meant as it stands
    earlier: Sequence[Sequence[str]] = ()
    """Of the speaker's messages before, the latest first, the sentences that were meant, in order."""
    joints: tuple[Span, ...] = ()  # what is told together, as it puts right what was said before it; quoted whole

    @property
    def is_put_right(self) -> bool:
        """Whether something of its sentence is put right."""
        return meet(sentence_span(self), self.joints)

    @property
    def quote(self) -> str:
        """The words it rests on."""
        return self.text[self.read.start : self.read.end]

    def spelled(self, text: str) -> str:
        """Return words of it as a careful writer spells them."""
        name = self.read.name if self.read.whose is Whose.OTHER else ""
        return well_spelled(text, name, self.owner(name))

    def owner(self, name: str) -> str:
        """Return a name without an "s" that is no part of it, as it was written before; empty where there is none."""
        earlier = chain((each.text for each in self.before), *self.earlier) if name.endswith("s") else ()
        return name[:-1] if any(name[:-1] in words(fold(text)) for text in earlier) else ""


def whose(said: SaidStatement) -> str:
    """Return the name or tie of whom or what a statement is about, where that is likely; empty for the speaker.

    What the reader points at counts where it stands in the words; or before them in the message, if a pronoun takes
    it up; or in what was said before, if a pronoun opens them. Source: 4,300 labelled statements of people the reader
    had not seen: .69 of these names are right, and of others two in ten. Else an answer is of whom was asked after.
    """
    return pointed_at(said) or _asked_of(said)


def holder_of(said: SaidStatement) -> str:
    """Return of whom a statement is held: of whom it is about, but whom another has is nobody that is known."""
    return SOMEBODY if others_ties(said.spelled(said.quote)) else whose(said)


def is_of(said: SaidStatement, holder: str) -> bool:
    """Tell whether what a statement says is so of a holder, and not of whom else it may mean by "he" or "she"."""
    quote = said.spelled(said.quote)
    folded = fold(quote)
    is_known = said.read.whose not in (Whose.OTHER, Whose.THING) or bool(holder)
    takes_up = bool(holder) and _EN["nominative"].search(folded) is not None
    may_be_another = takes_up and subject_of(quote) and not only_one_in(quote, folded)
    return is_known and holder != SOMEBODY and not may_be_another


def _safety_of(said: SaidStatement) -> str:
    """Return the tie of whose safety a statement is about that begins with them, though it was read as one's own."""
    known, quote = attributes().get(said.read.attribute), said.spelled(said.quote)
    of = _EN["of_own_tie"].match(quote) if known and known.is_safety and said.read.whose is Whose.SELF else None
    return of["tie"] if of and not _EN["speaker"].search(fold(quote[of.end() :])) else ""


def _asked_of(said: SaidStatement) -> str:
    """Return the tie of whom a question is about that a statement answers, if it does not speak of who answers."""
    asked = _EN["asked_of"].search(answered(said))
    return asked["tie"].lower() if asked and not _EN["speaker"].search(fold(said.quote)) else ""


def pointed_at(said: SaidStatement) -> str:
    """Return the name or tie of whom or what a statement is about by its own words; empty where they tell nobody's."""
    if of := _safety_of(said):
        return of
    read, quote = said.read, said.spelled(said.quote)
    folded = fold(quote)
    pointed = read.name if read.whose in (Whose.OTHER, Whose.THING) else ""
    told = subject_of(quote) or only_one_in(_sentence_taken_up(said), folded)
    if read.whose is Whose.OTHER and told not in ("", said.author):
        return told
    if read.whose is Whose.OTHER and not pointed:
        opening = _EN["opens_with_tie"].match(quote)
        return opening["tie"] if opening else ""
    if pointed and f"{fold(pointed[:-1])}'s" in folded.split():
        pointed = pointed[:-1]
    if not pointed.isalpha() or pointed.lower() in {*NO_NAMES, said.author.lower()}:
        return ""
    name = re.compile(rf"(?<![\w-]){pointed}(?![\w-])", re.IGNORECASE if pointed.islower() else re.NOFLAG)
    places = [_EN["of_longer_tie"].sub("", quote)]
    if _EN["third_person"].search(folded):
        places.append(said.text[: read.start])
    if _EN["third_person"].match(folded) and not any(map(_EN["mention"].search, places[1:])):
        places += (before.text for before in reversed(said.before))
    found = next(filter(None, map(name.search, places)), None)
    is_of_before = found is not None and fold(found[0]) == fold(subject_of(_sentence_taken_up(said)))
    return found[0] if found and not is_of_before else ""  # who else is brought in there may be meant


def _sentence_taken_up(said: SaidStatement) -> str:
    """Return the sentence right before a statement that opens with "he" or "she", spelled well; empty for others."""
    before = spans_before(said) if _EN["takes_up"].match(fold(said.spelled(said.quote))) else ()
    return said.spelled(said.text[slice(*before[-1])]) if before else ""


def only_one_in(sentence: str, folded: str) -> str:
    """Return the name or tie of whom a sentence tells that begins with them and names nobody else.

    Empty too where "he" or "she" of some folded words cannot be them: one's dad is no "she".
    """
    subject, called = _EN["subject"].match(sentence), _EN["is_called"].match(sentence)
    begin = called.end() if called else subject.end() if subject else 0
    is_of_more = _EN["somebody_else"].search(sentence, begin) is not None
    tie = fold(subject["tie"] or "") if subject else ""
    is_other = any(_EN[of].search(tie) and _EN[no].search(folded) for of, no in (("of_he", "she"), ("of_she", "he")))
    return "" if is_of_more or is_other else subject_of(sentence)


def subject_of(sentence: str) -> str:
    """Return the name, else the tie, of whom a sentence tells that begins with them; empty of others."""
    found = _EN["subject"].match(sentence)
    verb = fold(found["verb"] or "") if found else ""
    if found is None or not (found["is"] or is_finite(verb) or is_past(verb)):
        return ""
    name = found["called"] or found["name"] or found["tie"]
    return "" if fold(name) in NO_NAMES else name


def answered(said: SaidStatement) -> str:
    """Return the question that somebody else asked last, where a statement opens the message and may answer it."""
    opens = all(says_nothing(said.text[start:end]) for start, end in spans_before(said))
    if not opens or not said.before or said.before[-1].who == "me" or len(words(said.quote)) > MOST_ANSWER_WORDS:
        return ""
    *_, last = ["", *split_sentences(said.before[-1].text)]
    return last if last.endswith("?") else ""


def spans_before(said: SaidStatement) -> Sequence[Span]:
    """Return start and end of each sentence of its message before its own."""
    spans = _spans(said.text, said.joints)
    return spans[: bisect_left(spans, sentence_span(said))]


def sentence_span(said: SaidStatement) -> Span:
    """Return start and end of the sentence in which a statement begins."""
    spans = _spans(said.text, said.joints)
    place = bisect_right(spans, (said.read.start, len(said.text))) - 1
    return spans[place] if place >= 0 and said.read.start < spans[place][1] else (said.read.start, said.read.end)


@lru_cache(maxsize=8)
def _spans(text: str, joints: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return start and end of each sentence, joints in one, what only turns to it left out; kept, as often asked."""
    spans: list[Span] = []
    for start, end in clause_spans(text):
        if spans and meet((start, spans[-1][1]), joints):
            spans[-1] = spans[-1][0], end
        else:
            spans.append((after_turn(text, start, end), end))
    return tuple(spans)
