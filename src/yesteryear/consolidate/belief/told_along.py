"""What is told along in the quote of a fact beside its own words, so that what is over is not told with what holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from yesteryear.core.fact import ENDED_BY, Evidence, Fact, Form, Stance, as_quoted, said_words
from yesteryear.core.language.corrections import find_next_correction
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.time import earlier

_POINTS_BACK = vocabulary("endings")["points_back"]
_SAID_WITHIN = timedelta(days=1)
"""How long before a quote something was said at most that stands in it: what it hangs on was said in the same talk."""
_FEWEST_WORDS = 3  # words from which a sentence in another's quote is what was said, no mere turn of speech
_MARKS_AT_ENDS = " .!?;:,…"  # told in a sentence or not, the words are the same


class SentenceSaid(NamedTuple):
    """A sentence as somebody said it, by which it is known again in the quotes of several facts."""

    session: str
    author: str
    words: str


class QuotePart(NamedTuple):
    """A sentence of a quote."""

    start: int  # in the statement
    end: int
    text: str
    is_own: bool  # whether words that the fact itself rests on stand in it


class ToldAlong:
    """Looks up which sentences of a quote are its fact's own, and which are the words of others or over."""

    def __init__(self, evidence: Iterable[Evidence]) -> None:
        self._by_words: dict[SentenceSaid, list[Evidence]] = defaultdict(list)
        self._of_fact: dict[str, list[Evidence]] = defaultdict(list)
        for row in evidence:
            if row.stance is Stance.SUPPORTS and row.quote:
                self._of_fact[row.fact_id].append(row)
                self._by_words[SentenceSaid(row.session, row.author, _bare(row.quote))].append(row)

    def in_quote(
        self,
        fact: Fact,
        members: Sequence[str],
        over: Mapping[SentenceSaid, Collection[str]],
        does_end: Callable[[str], bool],
    ) -> str:
        """Return ``TELLS_ALONG`` of a fact, ``members`` being those that say the same; empty where nothing is.

        Whole sentences, in which none of the fact's own words stand, and on which the next does not hang: "My sister is
        with us. She's allergic to nuts." is not told without the sister, and what is put right with what was wrong.
        ``over`` are sentences that are over, with the facts that ended them; ``does_end`` tells whether a fact may.
        """
        found: set[str] = set()
        parts = self.parts(fact, members)
        for part, hanging in _with_what_hangs_on_it(parts):
            if part.is_own:
                continue
            if not hanging:
                found.update(f"{name}:{part.start}-{part.end}" for name in self._said_with(fact, part.text, members))
            enders = {each for said in self.said(fact, part.text) for each in over.get(said, ()) if does_end(each)}
            if not any(other.is_own for other in hanging):
                found.update(
                    f"{ENDED_BY}{name}:{each.start}-{each.end}" for name in enders for each in (part, *hanging)
                )
        return " ".join(sorted(found))

    def parts(self, fact: Fact, members: Iterable[str]) -> list[QuotePart]:
        """Return the sentences of a quote; none of what is plain, or where the fact's own words are not found."""
        if fact.form is Form.PLAIN:
            return []
        first = len(fact.statement) - len(said_words(fact.statement, fact.form).words) - 1
        quotes = {as_quoted(row.quote) for name in members for row in self._of_fact[name]}
        own = [(start, start + len(quote)) for quote in quotes if (start := fact.statement.find(quote, first)) >= 0]
        spans = sentence_spans(fact.statement[first:-1]) if own else ()
        return [
            QuotePart(start, end, fact.statement[start:end], any(start < until and since < end for since, until in own))
            for start, end in ((first + start, first + end) for start, end in spans)
        ]

    def said(self, fact: Fact, sentence: str, *, before: datetime | None = None) -> Iterator[SentenceSaid]:
        """Yield a sentence of a fact's quote as it was said, ``before`` an instant."""
        for row in self._of_fact[fact.id]:
            if before is None or row.said_at < before:
                yield SentenceSaid(row.session, row.author, _bare(sentence))

    def resting_on(self, said: SentenceSaid) -> Iterator[str]:
        """Yield the facts that rest on a sentence, the whole of it."""
        return (each.fact_id for each in self._by_words.get(said, ()))

    def _said_with(self, fact: Fact, sentence: str, members: Sequence[str]) -> Iterator[str]:
        """Yield the other facts that rest on a sentence, said by the same person shortly before."""
        words = _bare(sentence)
        for row in self._of_fact[fact.id] if len(words.split()) >= _FEWEST_WORDS else ():
            since = earlier(row.said_at, _SAID_WITHIN)
            for said in self._by_words.get(SentenceSaid(row.session, row.author, words), ()):
                if since <= said.said_at <= row.said_at and said.fact_id not in members:
                    yield said.fact_id


def _with_what_hangs_on_it(parts: Sequence[QuotePart]) -> Iterator[tuple[QuotePart, list[QuotePart]]]:
    """Yield each sentence with those behind it that are not understood without it, one after the other."""
    hanging: list[QuotePart] = []
    behind = ""
    for part in reversed(parts):
        is_needed = points_back(behind) or find_next_correction(part.text, behind) is not None
        hanging = hanging if is_needed else []
        yield part, hanging
        hanging, behind = [part, *hanging], f"{part.text} {behind}"


def points_back(text: str) -> bool:
    """Tell whether words begin with what is not understood without those before them."""
    return _POINTS_BACK.match(fold(text)) is not None


def _bare(words: str) -> str:
    return as_quoted(words).strip(_MARKS_AT_ENDS)
