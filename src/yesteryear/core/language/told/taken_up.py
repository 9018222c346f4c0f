"""Whom "he" or "she" takes up at the beginning of what somebody says, where that is certain.

It is where of all whom they named just before only one can be meant: "my flatmate is Priya, she's a teacher". A tie
tells whether it is a "she"; a name does not. Names behind "in" or "from" are taken for places. English, from
``language/en/people.toml``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from yesteryear.core.language.tokens import fold, words
from yesteryear.core.language.told.called import NO_NAMES, parse_called
from yesteryear.core.language.verbs import is_adverb, is_past
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("people")
_MOST_CHARS = 600  # of what was said before, the nearest, in which whoever is taken up is looked for


class TakenUp(NamedTuple):
    """Somebody who was named before."""

    tie: str  # as it was said: "flatmate"; empty where a name alone tells who it is
    name: str  # as it was written; empty where they were named by a tie alone

    @property
    def holder(self) -> str:
        """How facts about them are held: by their name, else by their tie."""
        return self.name or self.tie


def take_up(before: str, said: str) -> tuple[TakenUp, str] | None:
    """Return whom the pronoun means that opens words, and the words with them in its place: "Priya is a teacher".

    ``before`` is what the same person said right before. None where the words open otherwise, or nobody for certain is
    meant.
    """
    opening = _EN["takes_up"].match(said)
    verb = _verb_of(opening["short"] or "", said[opening.end() :]) if opening else None
    if opening is None or verb is None:
        return None
    pronoun = fold(opening["pronoun"])
    named = _named(before[-_MOST_CHARS:])
    fitting = [each for each in named if _gender(each) in ("", pronoun)]
    whom = fitting[0] if len(fitting) == 1 else None
    if whom is None or not named[whom]:
        return None
    return whom, f"{whom.name or f'my {whom.tie}'}{verb}{said[opening.end() :]}"


def _verb_of(short: str, rest: str) -> str | None:
    """Return the verb of a short form, with a space: "'s" of "she's"; None where it may be either."""
    short = short.replace("\u2019", "'")
    if short in ("", "'ll"):
        return " will" if short else ""
    said = iter(words(rest))
    word = next((word for word in said if not is_adverb(word)), "")
    if word in _EN.words("perfect"):
        return " has"
    return None if is_past(word) else " is"


def _named(text: str) -> dict[TakenUp, bool]:
    """Return everybody whom a text names, once each, and whether they may be meant: by a tie, or as who does something.

    What else is written as a name may be a place or a thing.
    """
    told = list(_mentions(text))
    linked = {(fold(whom.tie), fold(whom.name)) for whom, _ in told if whom.tie and whom.name}
    of_ties, of_names = ({pair[part] for pair in linked} for part in (0, 1))
    found: dict[tuple[str, str], TakenUp] = {}
    meant: set[tuple[str, str]] = set()
    for whom, may_be in told:
        tie, name = fold(whom.tie), fold(whom.name)
        if (tie and name) or (tie not in of_ties and name not in of_names):
            found.setdefault((tie, name), whom)
            meant |= {(tie, name)} if may_be else set()
    return {whom: called in meant for called, whom in found.items()}


def _mentions(text: str) -> Iterator[tuple[TakenUp, bool]]:
    for way in ("tie_and_name", "name_and_tie", "tie_alone", "name_alone"):
        for found in _EN[way].finditer(text):
            told = found.groupdict("")
            whom = TakenUp(told.get("tie", ""), told.get("name", ""))
            is_place = way == "name_alone" and _EN["place_before"].search(text, 0, found.start("name"))
            if fold(whom.name) not in NO_NAMES and not is_place:
                yield whom, bool(whom.tie) or found.start("opens") >= 0


def _gender(whom: TakenUp) -> str:
    """Return the pronoun of a tie; empty where it has none of its own."""
    said = fold(whom.tie)
    tie = parse_called(said).tie
    return next((pronoun for pronoun in ("he", "she") if {said, tie} & _EN.words(pronoun)), "")
