"""Cut what somebody wrote into clauses, the smallest pieces that can state a fact, and remember how they are joined.

Cut finely: what belongs together is joined again by whoever knows what is said. English conjunctions; the rest goes by
punctuation. Everything works on the text as it stands, so that every unit is a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary

_LEXICON = vocabulary("lexicon")


class Joint(StrEnum):
    """What stands between a unit and the one before it."""

    START = "start"
    SENTENCE = "sentence"
    BREAK = "break"
    """A dash, a colon, a semicolon, dots or an emoji inside a sentence."""
    COMMA = "comma"
    BRACKET = "bracket"
    COORDINATE = "coordinate"
    """And, but, so, or."""
    SUBORDINATE = "subordinate"
    """Because, when, if, who and the like."""


@dataclass(frozen=True, slots=True)
class SentenceUnit:
    """A clause, or what stands between two marks."""

    text: str
    start: int
    """Where it begins in the message."""
    end: int
    joint: Joint
    """What precedes it."""


_PERSON = r"(?:i|i['’]\w+|im|ive|id|we|we['’]\w+|you|you['’]\w+|s?he|s?he['’]\w+|it|it['’]\w+|they|they['’]\w+|my|our)"
_SUBJECT = rf"""
    (?:{_PERSON}|its|this|that|that['’]s|thats|there|there['’]s|these|those|his|her|their|your|the|a|an|no|not|never|now
    |nobody|everybody|everyone|someone|somebody|nothing|everything|people|one|who|what|if|when|because|since|then|still
    |also|today|tomorrow|yesterday|last|next|don['’]t|dont|just|only|\d+)
"""
_COORDINATE = r"(?:and|but|so|or|plus|yet|n)"
_CONJUNCTION = rf"""
    (?: (?i:(?P<coordinate>{_COORDINATE})|because|cause|cuz|cos|bcos|coz|though|although|whereas|while|which|who|whose
        |when|whenever|if|unless) \s+ (?=[A-Z]\w|(?i:{_SUBJECT})\b)
    | (?i: (?:since|then|until|till|after|before|where|as|even) \s+ (?={_PERSON}\b) ) )
"""
"""A word that opens a clause; words that are prepositions too only before a person or a thing that acts."""
_EMOJI = r"[\U0001f1e6-\U0001faff\u2600-\u27bf\u2b50\ufe0f\u200d]+"
_CUT = re.compile(
    rf"""
    (?P<break> \s*(?:;|:(?=\s)|\.\.+|…|(?<=\s)[-–—]+(?=\s)|—|\s*{_EMOJI})\s* )
    |(?P<bracket> \s*[()\[\]]\s* )
    |(?P<comma> \s*,(?!\d)\s* )
    |\s+(?P<word> {_CONJUNCTION} )
    """,
    re.VERBOSE,
)
_LEAD = re.compile(_CONJUNCTION, re.VERBOSE)
_BARE = re.compile(rf"(?:{_COORDINATE}|because|though|then)\Z", re.IGNORECASE)
_WORD = re.compile(r"\w")
_BLANKED = re.compile(r"\s*[\"“„«「]\s+[\"“”»」]")
"""A quotation whose words were blanked out; what follows it is another matter."""
_GOES_ON = frozenset({Joint.COMMA, Joint.COORDINATE, Joint.SUBORDINATE})


def split_units(text: str) -> tuple[SentenceUnit, ...]:
    """Return the units of ``text`` in order; each is a part of it and holds a letter or a digit.

    A word of assent or greeting before a comma ("yes, I moved") stays with what follows.
    """
    units: list[SentenceUnit] = []
    for start, end in sentence_spans(text):
        for piece_start, piece_end, joint in _pieces(text, start, end):
            found = _unit(text, piece_start, piece_end, joint if units else Joint.START)
            if found is None:
                continue
            if units and found.joint in _GOES_ON and _says_nothing(units[-1].text):
                opener = units.pop()
                found = _unit(text, opener.start, found.end, opener.joint) or found
            units.append(found)
    return tuple(units)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int, Joint]]:
    """Yield the pieces of a sentence; a conjunction belongs to the piece that it begins."""
    joint, begin = Joint.SENTENCE, start
    for cut in _CUT.finditer(text, start, end):
        if not _WORD.search(text, begin, cut.start()):
            continue
        yield begin, cut.start(), joint
        if cut["word"]:
            joint, begin = Joint.COORDINATE if cut["coordinate"] else Joint.SUBORDINATE, cut.start("word")
        else:
            lead = _LEAD.match(text, cut.end(), end)
            joint = _joint_of(cut) if lead is None else _joint_of_lead(lead)
            begin = cut.end()
    yield begin, end, joint


def _joint_of(cut: re.Match[str]) -> Joint:
    return Joint.BREAK if cut["break"] else Joint.BRACKET if cut["bracket"] else Joint.COMMA


def _joint_of_lead(lead: re.Match[str]) -> Joint:
    return Joint.COORDINATE if lead["coordinate"] else Joint.SUBORDINATE


def _unit(text: str, start: int, end: int, joint: Joint) -> SentenceUnit | None:
    if blank := _BLANKED.match(text, start, end):
        start = blank.end()
    piece = text[start:end]
    body = piece.strip()
    if not _WORD.search(body):
        return None
    begin = start + piece.index(body)
    return SentenceUnit(body, begin, begin + len(body), joint)


def _says_nothing(text: str) -> bool:
    return fold(text) in _LEXICON.words("fillers") or _BARE.match(text) is not None
