"""How a statement is told: plainly where grammar is simple and everything is named, else in the words that were said.

A quote is never false, and whoever reads it understands it; a mangled third person is worse than both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.fact import Form, as_quoted
from yesteryear.core.language.about_oneself import says_of_oneself
from yesteryear.core.language.dates import find_told
from yesteryear.core.language.datewords import MONTHS, WEEKDAYS
from yesteryear.core.language.sentences import sentence_spans, split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, fold, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.reading import Before, ReadStatement, Whose
from yesteryear.core.time import local
from yesteryear.providers.local.facts.rewriting import rewrite
from yesteryear.providers.local.facts.spoken_dates import needs_its_day

_EN = vocabulary("forms")
_NO_NAMES = STOP_WORDS | MONTHS.keys() | WEEKDAYS.keys() | _EN.words("no_names")
MOST_PLAIN_WORDS = 18
"""Words up to which a sentence is simple enough to be turned round."""
MOST_SENTENCE_WORDS = 32
"""Words of a sentence up to which it is quoted whole."""
_OPENING_WORDS = 5
"""Words in which what points back points out of the sentence: further on it may mean something within."""
MOST_QUOTED_WORDS = 45
"""Words quoted at most, with what went before."""
MOST_ANSWER_WORDS = 14
"""Words up to which what opens a message is taken for the answer to what was asked."""
FEWEST_ALONE = 4
"""Words from which what hangs on something said before may still be understood without it."""


@dataclass(frozen=True, slots=True)
class SaidStatement:
    """A statement in its message, with what is needed to tell it."""

    text: str
    """The whole message."""
    read: ReadStatement
    author: str
    at: datetime
    zone: str | None
    before: Sequence[Before] = ()
    """What was said before the message, the latest last."""

    @property
    def quote(self) -> str:
        """The words it rests on."""
        return self.text[self.read.start : self.read.end]


def tell(said: SaidStatement, *, as_said: bool = False) -> tuple[Form, str] | None:
    """Return a statement in its form; None where nobody could tell from it who or what is meant.

    ``as_said`` it is told in its words, whatever they point at.
    """
    plain = "" if as_said else tell_plainly(said)
    if plain:
        return Form.PLAIN, plain
    sentence = _sentence_of(said)
    if is_alone(said):
        return Form.QUOTE, f'{_by(said)}: "{_quoted(sentence)}"'
    if question := _answered(said):
        return Form.ANSWER, f'Asked "{_quoted(question)}", {_by(said)}: "{_quoted(sentence)}"'
    before = _sentence_before(said)
    joined = f"{before} {sentence}"
    if before and len(joined.split()) <= MOST_QUOTED_WORDS:
        return Form.QUOTE, f'{_by(said)}: "{_quoted(joined)}"'
    is_hanging = not as_said and (_is_of_nobody(said) or (_points_out(said) and says_of_oneself(said.quote) is None))
    return None if is_hanging else (Form.QUOTE, f'{_by(said)}: "{_quoted(sentence)}"')


def is_alone(said: SaidStatement) -> bool:
    """Tell whether words are understood without what came before: nothing in them points back."""
    folded = fold(said.quote)
    if _points_out(said):
        return False
    if said.read.is_alone:
        return True
    names_somebody = _EN["speaker"].search(folded) or _EN["name"].search(said.quote)
    return bool(names_somebody) and not _EN["points_back"].search(folded) and len(words(folded)) >= FEWEST_ALONE


def _points_out(said: SaidStatement) -> bool:
    """Tell whether words begin with what only those understand who heard what came before.

    Not where they name before it whom they are about ("Zoe changed her mind"), nor in a clause behind one of the
    speaker's own ("I've given up Italian, it's Greek now"), nor where somebody does something with the speaker, whoever
    that may be ("they let me go home").
    """
    folded = " ".join(fold(said.quote).split())
    found = _EN["points_back"].search(folded)
    before = folded[: found.start()] if found else ""
    if found is None or len(before.split()) >= _OPENING_WORDS:
        return False
    if "," in before and _EN["speaker"].search(before):
        return False
    if not _EN["personal"].fullmatch(found[0]):
        return True
    is_told_of_oneself = said.read.whose is Whose.SELF and found[0] == "they" and not before
    if is_told_of_oneself and _EN["speaker"].search(folded):
        return False
    named = {fold(name) for name in (whose(said), *_names_in(said, said.quote))}
    return named.isdisjoint(words(before))


def tell_plainly(said: SaidStatement) -> str:
    """Return a statement in the third person; empty where the words are not simple, or name not everything."""
    quote, read = said.quote, said.read
    folded = fold(quote)
    is_simple = len(quote.split()) <= MOST_PLAIN_WORDS and not _EN["not_simple"].search(folded)
    name = whose(said)
    is_named = read.whose is Whose.SELF or bool(name)
    if not (is_alone(said) and is_simple and is_named) or _EN["unnamed"].match(folded):
        return ""
    told = rewrite(quote, author=said.author, at=said.at, zone=said.zone, kind=read.kind)
    opens_well = told.startswith(said.author) and not told.startswith((f"{said.author}:", f"{said.author},"))
    is_about_other = bool(name) and told.lower().startswith(name.lower())
    is_whole = len(told.split()) > len(said.author.split()) + 1 and len(split_sentences(told)) == 1
    is_clear = is_whole and not needs_its_day(told, at=said.at, zone=said.zone)
    return told if (opens_well or is_about_other) and is_clear else ""


def whose(said: SaidStatement) -> str:
    """Return the name or tie of whom or what a statement is about, where it is certain; empty for the speaker.

    What the reader points at counts where somebody is called that; else whoever was the only one spoken of.
    """
    read = said.read
    if read.whose not in (Whose.OTHER, Whose.THING):
        return ""
    called = {name.lower(): name for name in _mentioned(said)}
    pointed = read.name.lower()
    if pointed in called or len(called) != 1:
        return called.get(pointed, read.name if pointed not in _NO_NAMES and pointed.isalpha() else "")
    return next(iter(called.values()))


def _mentioned(said: SaidStatement) -> Iterator[str]:
    """Yield how others are called in a statement and in the little that was said before it."""
    for text in (*(each.text for each in said.before), said.text[: said.read.end]):
        yield from _names_in(said, text)


def _names_in(said: SaidStatement, text: str) -> Iterator[str]:
    for found in _EN["mention"].finditer(text):
        name = found["tie"] or found["name"] or found["opens"]
        if fold(name) not in _NO_NAMES and name != said.author:
            yield name


def _is_of_nobody(said: SaidStatement) -> bool:
    """Tell whether nobody could say whom words are about: "she does", with nobody named."""
    is_of_others = said.read.whose in (Whose.OTHER, Whose.THING)
    return is_of_others and not whose(said) and not _EN["speaker"].search(fold(said.quote))


def _by(said: SaidStatement) -> str:
    """Return who said it, of whom where the words do not name them, and when where the words speak of a day."""
    name = whose(said)
    is_unnamed = bool(name) and name.lower() not in said.quote.lower()
    of = f" of {name}" if is_unnamed else ""
    on = f" on {local(said.at, said.zone).date()}" if any(find_told(said.quote, now=said.at, zone=said.zone)) else ""
    return f"{said.author} said{of}{on}"


def _answered(said: SaidStatement) -> str:
    """Return the question that somebody else asked last, where a statement opens the message and may answer it."""
    opens = len(split_sentences(said.text[: said.read.end])) <= 1
    if not opens or not said.before or said.before[-1].who == "me" or len(words(said.quote)) > MOST_ANSWER_WORDS:
        return ""
    *_, last = ["", *split_sentences(said.before[-1].text)]
    return last if last.endswith("?") else ""


def _sentence_of(said: SaidStatement) -> str:
    """Return the whole sentence of a statement, for half of one is seldom understood; of a long one its part."""
    start, end = _sentence_span(said)
    sentence = said.text[start:end]
    return sentence if len(sentence.split()) <= MOST_SENTENCE_WORDS else said.quote


def _sentence_before(said: SaidStatement) -> str:
    """Return the sentence that the same speaker said before that of a statement; empty where there is none."""
    earlier = split_sentences(said.text[: _sentence_span(said)[0]])
    if not earlier and said.before and said.before[-1].who == "me":
        earlier = split_sentences(said.before[-1].text)
    return _EN["unended"].sub(".", earlier[-1]) if earlier else ""


def _sentence_span(said: SaidStatement) -> tuple[int, int]:
    spans = [span for span in sentence_spans(said.text) if span[0] <= said.read.start < span[1]]
    return spans[-1] if spans else (said.read.start, said.read.end)


def _quoted(text: str) -> str:
    """Return words as they stand between quotation marks, not too many of them."""
    listed = as_quoted(text).split(" ")
    return " ".join(listed) if len(listed) <= MOST_QUOTED_WORDS else f"{' '.join(listed[:MOST_QUOTED_WORDS])} …"
