"""How a statement is told: plainly where grammar is simple and everything is named, else in the words that were said.

A quote is never false, and whoever reads it understands it; a mangled third person is worse than both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.fact import Form
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.reading import Before, ReadStatement, Whose
from yesteryear.providers.local.facts.rewriting import rewrite
from yesteryear.providers.local.facts.spoken_dates import find_dates

_EN = vocabulary("forms")
MOST_PLAIN_WORDS = 18
"""Words up to which a sentence is simple enough to be turned round."""
MOST_QUOTED_WORDS = 45
"""Words quoted at most, with what went before."""
FEWEST_ALONE = 4
"""Words from which what hangs on something said before may still be understood without it."""
_SPACE = re.compile(r"\s+")


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


def tell(said: SaidStatement) -> tuple[Form, str] | None:
    """Return a statement in its form; None where nobody could tell from it who or what is meant."""
    plain = tell_plainly(said)
    if plain:
        return Form.PLAIN, plain
    if is_alone(said):
        return Form.QUOTE, f'{_by(said)}: "{_quoted(said.quote)}"'
    if question := _question(said):
        return Form.ANSWER, f'Asked "{_quoted(question)}", {_by(said)}: "{_quoted(said.quote)}"'
    words_said = _with_what_went_before(said)
    if words_said == said.quote and _is_of_nobody(said):
        return None
    return Form.QUOTE, f'{_by(said)}: "{_quoted(words_said)}"'


def is_alone(said: SaidStatement) -> bool:
    """Tell whether words are understood without what came before: by the reader, and where nothing in them points back."""
    if said.read.is_alone:
        return True
    quote = said.quote
    names_somebody = _EN["speaker"].search(fold(quote)) or _EN["name"].search(quote)
    return bool(names_somebody) and not _EN["points_back"].search(fold(quote)) and len(words(quote)) >= FEWEST_ALONE


def tell_plainly(said: SaidStatement) -> str:
    """Return a statement in the third person; empty where the words are not simple, or name not everything."""
    quote, read = said.quote, said.read
    folded = fold(quote)
    is_simple = len(quote.split()) <= MOST_PLAIN_WORDS and not _EN["not_simple"].search(folded)
    is_named = read.whose is Whose.SELF or (read.whose is Whose.OTHER and bool(read.name))
    if not (is_alone(said) and is_simple and is_named) or _EN["unnamed"].match(folded):
        return ""
    told = rewrite(quote, author=said.author, at=said.at, zone=said.zone, kind=read.kind)
    opens_well = told.startswith(said.author) and not told.startswith((f"{said.author}:", f"{said.author},"))
    is_about_other = read.whose is Whose.OTHER and told.lower().startswith(read.name.lower())
    is_whole = len(told.split()) > len(said.author.split()) + 1 and ":" not in told.partition(" ")[2][:24]
    return told if (opens_well or is_about_other) and is_whole and len(split_sentences(told)) == 1 else ""


def _is_of_nobody(said: SaidStatement) -> bool:
    """Tell whether nobody could say whom words are about: "she does", with nobody named."""
    is_of_others = said.read.whose in (Whose.OTHER, Whose.THING)
    return (is_of_others and not said.read.name) or len(words(said.quote)) < FEWEST_ALONE


def _by(said: SaidStatement) -> str:
    """Return who said it, of whom where the words do not name them, and when where the words speak of a day."""
    name = said.read.name
    is_unnamed = bool(name) and said.read.whose is Whose.OTHER and name.lower() not in said.quote.lower()
    of = f" of {name}" if is_unnamed else ""
    on = f" on {said.at.date()}" if find_dates(said.quote, at=said.at, zone=said.zone) else ""
    return f"{said.author} said{of}{on}"


def _question(said: SaidStatement) -> str:
    """Return the question that somebody else asked last, if the statement is at the beginning of what answers it."""
    if not said.before or said.before[-1].who == "me":
        return ""
    *_, last = ["", *split_sentences(said.before[-1].text)]
    return last if last.endswith("?") else ""


def _with_what_went_before(said: SaidStatement) -> str:
    """Return a statement with the sentence before it, of the same speaker; alone where there is none or it is long."""
    earlier = split_sentences(said.text[: said.read.start])
    if not earlier and said.before and said.before[-1].who == "me":
        earlier = split_sentences(said.before[-1].text)
    joined = f"{_EN['unended'].sub('.', earlier[-1])} {said.quote}" if earlier else said.quote
    return joined if len(joined.split()) <= MOST_QUOTED_WORDS else said.quote


def _quoted(text: str) -> str:
    """Return words as they stand between quotation marks: one line, with no such marks inside."""
    listed = _SPACE.sub(" ", text.replace('"', "'").replace("“", "'").replace("”", "'")).strip().split(" ")
    return " ".join(listed) if len(listed) <= MOST_QUOTED_WORDS else f"{' '.join(listed[:MOST_QUOTED_WORDS])} …"
