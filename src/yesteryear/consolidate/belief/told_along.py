"""Which facts are told along in the quote of another, so that what is over is not told with what still holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from yesteryear.core.fact import Evidence, Fact, Form, Stance, as_quoted, said_words
from yesteryear.core.language.corrections import find_next_correction
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.time import earlier

_POINTS_BACK = vocabulary("endings")["points_back"]
_SAID_WITHIN = timedelta(days=1)
"""How long before a quote something was said at most that stands in it: what it hangs on was said in the same talk."""
_FEWEST_WORDS = 3
"""Words from which a sentence that stands in another's quote is taken for what was said, not for a turn of speech."""
_MARKS_AT_ENDS = " .!?;:,…"  # told in a sentence or not, the words are the same


class _Said(NamedTuple):
    """A fact that rests on some words."""

    at: datetime
    fact_id: str


class ToldAlong:
    """Looks up which sentences of a quote are the words of other facts."""

    def __init__(self, evidence: Iterable[Evidence]) -> None:
        self._by_words: dict[tuple[str, str, str], list[_Said]] = defaultdict(list)
        self._of_fact: dict[str, list[Evidence]] = defaultdict(list)
        for row in evidence:
            if row.stance is Stance.SUPPORTS and row.quote:
                self._of_fact[row.fact_id].append(row)
                self._by_words[row.session, row.author, _bare(row.quote)].append(_Said(row.said_at, row.fact_id))

    def in_quote(self, fact: Fact, members: Sequence[str]) -> str:
        """Return ``TELLS_ALONG`` of a fact, ``members`` being those that say the same; empty where nothing is.

        Whole sentences, in which none of the fact's own words stand, and on which the next does not hang: "My sister is
        with us. She's allergic to nuts." is not told without the sister, and what is put right with what was wrong.
        """
        if fact.form is Form.PLAIN:
            return ""
        first = len(fact.statement) - len(said_words(fact.statement, fact.form).words) - 1
        quotes = {as_quoted(row.quote) for name in members for row in self._of_fact[name]}
        own = [(start, start + len(quote)) for quote in quotes if (start := fact.statement.find(quote, first)) >= 0]
        if not own:
            return ""
        found: dict[str, tuple[int, int]] = {}
        spans = [(first + start, first + end) for start, end in sentence_spans(fact.statement[first:-1])]
        for number, (start, end) in enumerate(spans):
            behind = fact.statement[spans[number + 1][0] :] if number + 1 < len(spans) else ""
            is_own = any(start < until and since < end for since, until in own)
            is_needed = is_own or _POINTS_BACK.match(behind.lower()) is not None
            if not is_needed and find_next_correction(fact.statement[start:end], behind.removesuffix('"')) is None:
                found |= dict.fromkeys(self._said_with(fact, fact.statement[start:end], members), (start, end))
        return " ".join(f"{fact_id}:{start}-{end}" for fact_id, (start, end) in sorted(found.items()))

    def _said_with(self, fact: Fact, sentence: str, members: Sequence[str]) -> Iterator[str]:
        """Yield the other facts that rest on a sentence, said by the same person shortly before."""
        words = _bare(sentence)
        for row in self._of_fact[fact.id] if len(words.split()) >= _FEWEST_WORDS else ():
            since = earlier(row.said_at, _SAID_WITHIN)
            for said in self._by_words.get((row.session, row.author, words), ()):
                if since <= said.at <= row.said_at and said.fact_id not in members:
                    yield said.fact_id


def _bare(words: str) -> str:
    return as_quoted(words).strip(_MARKS_AT_ENDS)
