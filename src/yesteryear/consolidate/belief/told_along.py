"""Which facts are told along in the quote of another, so that what is over is not told with what still holds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from yesteryear.core.ended import told_along
from yesteryear.core.fact import Evidence, Fact, Form, Stance, as_quoted, said_words
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.time import earlier

_SAID_WITHIN = timedelta(days=1)
"""How long before a quote something was said at most that stands in it: what it hangs on was said in the same talk."""
_FEWEST_WORDS = 3
"""Words from which a sentence that stands in another's quote is taken for what was said, not for a turn of speech."""


class _Said(NamedTuple):
    """Words that a fact rests on."""

    at: datetime
    fact_id: str
    words: str


class ToldAlong:
    """Looks up which words of other facts stand in the quote of one."""

    def __init__(self, evidence: Iterable[Evidence], *, forgotten: Collection[str] = ()) -> None:
        self._forgotten = forgotten
        self._of_talk: dict[tuple[str, str], list[_Said]] = defaultdict(list)
        self._of_fact: dict[str, list[Evidence]] = defaultdict(list)
        for row in evidence:
            if row.stance is Stance.SUPPORTS and row.quote:
                self._of_talk[row.session, row.author].append(_Said(row.said_at, row.fact_id, as_quoted(row.quote)))
                self._of_fact[row.fact_id].append(row)
        for said in self._of_talk.values():
            said.sort()

    def in_quote(self, fact: Fact, members: Sequence[str]) -> str:
        """Return ``TELLS_ALONG`` of a fact, ``members`` being those that say the same; empty where nothing is.

        Whole sentences, in which none of the fact's own words stand: half of one would be told in bad grammar. What was
        forgotten stays where it stood, for nothing else tells that those words are to be told no more.
        """
        if fact.form is Form.PLAIN:
            return ""
        first = len(fact.statement) - len(said_words(fact.statement, fact.form).words) - 1
        quotes = {as_quoted(row.quote) for name in members for row in self._of_fact[name]}
        own = [span for quote in quotes if (span := _place(fact.statement, quote, first)) is not None]
        found = {other: span for other, *span in told_along(fact) if other in self._forgotten}
        for said in self._said_with(fact):
            is_other = said.fact_id not in members and len(said.words.split()) >= _FEWEST_WORDS
            span = _place(fact.statement, said.words, first) if is_other else None
            if span is not None:
                around = [each for each in _sentences(fact.statement, first) if _meets(each, [span])]
                if not any(_meets(each, own) for each in around):
                    found[said.fact_id] = [around[0][0], around[-1][1]]
        return " ".join(f"{fact_id}:{start}-{end}" for fact_id, (start, end) in sorted(found.items()))

    def _said_with(self, fact: Fact) -> Iterator[_Said]:
        for row in self._of_fact[fact.id]:
            talk = self._of_talk[row.session, row.author]
            start = bisect_left(talk, earlier(row.said_at, _SAID_WITHIN), key=lambda said: said.at)
            yield from talk[start : bisect_right(talk, row.said_at, key=lambda said: said.at)]


def _place(statement: str, words: str, first: int) -> tuple[int, int] | None:
    """Return where words stand in a statement, from ``first`` on; None where they do not."""
    start = statement.find(words, first)
    return None if start < 0 else (start, start + len(words))


def _sentences(statement: str, first: int) -> list[tuple[int, int]]:
    return [(first + start, first + end) for start, end in sentence_spans(statement[first:-1])]


def _meets(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)
