"""Who it is that a sentence tells of: an "I" where it was left out, then a name in the place of "I" (English).

Verbs are brought along. The first mention in a sentence becomes the name, further ones "they". "We" counts as the
speaker: who else is meant cannot be told from the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from yesteryear.core.attributes import FactKind
from yesteryear.core.language.tokens import STOP_WORDS
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.facts.verbs import is_adverb, is_finite, is_ing, is_past, plural, third_person

_EN, _LEXICON = vocabulary("rewriting"), vocabulary("lexicon")
_MODALS = _EN.words("modals")
_STATES = _EN.words("states")
_OF_PERSONS = frozenset({FactKind.IDENTITY, FactKind.RELATIONSHIP})
_WORD = re.compile(r"[\w'-]+")
_AFTER_A_VERB = STOP_WORDS - _EN.words("being")
_SUBJECTS = _EN.words("subjects")
_SOMEBODY = _SUBJECTS | _EN.words("somebody")
"""What stands after a modal verb that is no statement of the speaker: "can you"."""
_HAVE_BEEN = _EN.words("have_been")

_BASE_VERBS = _EN.words("base_verbs")
_AUXILIARIES = _MODALS | _EN.words("be_have_do")

_PIECE = re.compile(r'"[^"]*"|\w+(?:[\'-]\w+)*|\s+|.', re.DOTALL)
_ALREADY_PLURAL = "\u0000"
"""Stands behind an "I" whose verb agrees with several people."""
_NO_VERBS = STOP_WORDS - _AUXILIARIES - _BASE_VERBS
_TWO_WORDS = frozenset({("no", "longer"), ("kind", "of"), ("sort", "of")})
"""Adverbs of two words."""
_VERB_WITHIN = 4
"""Words after the subject among which its verb is looked for; the others are adverbs."""


class _Start(NamedTuple):
    """The first words of a sentence, adverbs left out."""

    first: str
    after: str
    rest: list[str]
    names_next: bool
    """Whether the second word is written as a name is."""


def with_subject(sentence: str, kind: FactKind) -> str:
    """Return a sentence with the "I" that it was said without; as it is where its first words do not ask for one.

    Contractions of "I" are to be expanded first. A word that may be an order to the assistant ("don't suggest ...")
    gets no subject; "my teenage son" alone says of a person that they have one, by the kind of the fact.
    """
    if kind in _OF_PERSONS and (thing := _EN["owned_thing"].fullmatch(sentence)) and _is_had(thing):
        return _having(thing)
    found = list(_WORD.finditer(sentence))
    listed = [word[0].lower() for word in found]
    if not listed or listed[0] in _SUBJECTS or sentence[: found[0].start()].strip():
        return sentence
    lead = 0
    while lead < len(listed) - 1 and (
        listed[lead : lead + 2] == ["no", "longer"] or (is_adverb(listed[lead]) and listed[lead] != "not")
    ):
        lead += 1
    if sentence.startswith(":", found[lead].end()):
        return sentence
    following = found[lead + 1][0] if lead + 1 < len(found) else ""
    start = _Start(
        first=listed[lead],
        after=following.lower(),
        rest=listed[lead + 1 :],
        names_next=following[:1].isupper() and following != "I",
    )
    subject = next((said for rule in _RULES if (said := rule(start)) is not None), "")
    if not subject:
        return sentence
    place = found[lead].start()
    return f"{subject} {_uncapital(sentence[:place])}{_uncapital(sentence[place:])}"


def _when_denied(start: _Start) -> str | None:
    if start.first == "not":
        is_state = start.after in _STATES or is_ing(start.after)
        return "I am" if is_state or start.after in ("a", "an", "the", "sure") else ""
    if start.first in ("don't", "do"):
        verb = next((word for word in start.rest if word != "not"), "")
        is_told = verb and verb not in _EN.words("request_verbs") and (start.first == "don't" or start.after == "not")
        return "I" if is_told else ""
    return None


def _when_auxiliary(start: _Start) -> str | None:
    if start.first.endswith("n't") or start.first in _MODALS or start.first in _HAVE_BEEN:
        is_asked = start.names_next or start.after in (_SUBJECTS if start.first in _HAVE_BEEN else _SOMEBODY)
        return "I" if start.after and not is_asked else ""
    return "I" if start.first == "am" else None


def _when_state(start: _Start) -> str | None:
    if start.first in _STATES:
        if start.after and start.after not in _EN.words("after_a_state"):
            return "I" if start.names_next and is_past(start.first) else ""
        return "I have been" if start.after in _EN.words("lasting") else "I am"
    return {"born": "I was", "been": "I have"}.get(start.first)


def _when_past(start: _Start) -> str | None:
    if not is_past(start.first) or start.first in _EN.words("participles"):
        return None
    is_noun = start.first in _EN.words("nouns_too") and start.after not in _AFTER_A_VERB
    return "I" if start.after and not is_noun and start.first not in _EN.words("of_anybody") else ""


def _when_plain(start: _Start) -> str | None:
    goes_on = any(map(is_finite, start.rest))
    if start.first in _EN.words("opening_verbs") and start.after and not is_finite(start.after):
        return "" if start.first == "like" and goes_on else "I"
    return "I am" if is_ing(start.first) and start.after.isalpha() and not goes_on else None


_RULES = (_when_denied, _when_auxiliary, _when_state, _when_past, _when_plain)
"""Each returns the subject with what belongs to it, "" where there is none to put in, None where it cannot tell."""


def _is_had(thing: re.Match[str]) -> bool:
    """Tell whether a phrase names somebody or something that the speaker has, and says no more."""
    listed = thing["phrase"].lower().split()
    if any(is_finite(word) or is_past(word) or is_ing(word) for word in listed):
        return False
    is_close = _LEXICON["close_people"].search(f"my {thing['phrase'].lower()}") is not None
    return _EN.words("not_had").isdisjoint(listed) and (thing["owner"].lower() != "the" or is_close)


def _having(thing: re.Match[str]) -> str:
    noun = thing["noun"].lower()
    is_plural = noun in ("children", "people") or (noun.endswith("s") and not noun.endswith(("ss", "us")))
    article = "" if is_plural else "an " if thing["phrase"][0].lower() in "aeiou" else "a "
    return f"I have {article}{thing['phrase']}"


def _uncapital(text: str) -> str:
    return text if text[:2] in ("I", "I ") else text[:1].lower() + text[1:]


def in_third_person(sentence: str, name: str, *, is_past: bool = False) -> str:
    """Return a sentence of a speaker as somebody else would tell it of ``name``; contractions are to be expanded first.

    What stands between double quotation marks is left alone. ``is_past``: whether a verb that has one form for both
    ("put") is told of the past.
    """

    def led_by_speaker(found: re.Match[str]) -> str:
        other = found["first"] or found["second"]  # "my sister and I"
        return f"I{_ALREADY_PLURAL} and {other[0].lower()}{other[1:]}"

    teller = _Teller(_PIECE.findall(_EN["together"].sub(led_by_speaker, sentence)), name, is_past)
    for place in range(len(teller.pieces)):
        teller.turn(place)
    return "".join(teller.pieces)


@dataclass(slots=True)
class _Teller:
    """A sentence that is being turned round, piece by piece from the left."""

    pieces: list[str]
    name: str
    is_past: bool
    is_named: bool = False
    is_singular: bool = False
    """Whether the name governs the last verb, so that one joined to it takes the third person too."""

    def turn(self, place: int) -> None:
        piece = self.pieces[place]
        word = piece.lower()
        if piece == "I" or word == "we":
            self.turn_subject(place)
        elif word in _EN.words("possessives"):
            self.pieces[place] = self.mention(f"{self.name}'s", "their")
        elif word == "me" or (word == "us" and piece != "US"):
            self.pieces[place] = self.mention(self.name, "them")
        elif word in _EN.words("own") and self.word(place, -1) not in _EN.words("a_mine"):
            self.pieces[place] = self.mention(f"{self.name}'s", "theirs")
        elif word in _EN.words("selves"):
            self.pieces[place] = self.mention(self.name, "themselves")
        elif self.is_singular:
            self.turn_joined(place, word)

    def turn_subject(self, place: int) -> None:
        """Turn "I" and the verb it governs."""
        if self.word(place, -1) in _EN.words("numbered"):
            return
        is_first, is_we = not self.is_named, self.pieces[place].lower() == "we"
        self.pieces[place] = self.mention(self.name, "they")
        self.is_singular = False
        if self.pieces[place + 1 : place + 2] == [_ALREADY_PLURAL]:
            self.pieces[place + 1] = ""
            return
        before = self.place_of(place, -1)  # of a verb before its subject: "nor do I"
        opens = self.word(place, -2) in _EN.words("inverting") or self.place_of(place, -2) is None
        is_inverted = before is not None and self.pieces[before].lower() in _AUXILIARIES and opens
        verb = before if is_inverted else self.verb_after(place)
        if verb is None:
            return
        said = self.pieces[verb]
        if not is_first:
            self.pieces[verb] = plural(said)
        elif not (said.lower() in _EN.words("same_in_past") and self.is_past) and (is_we or said.lower() != "were"):
            self.pieces[verb] = third_person(said)
            self.is_singular = not (is_past(said.lower()) or said.lower() in _MODALS)

    def turn_joined(self, place: int, word: str) -> None:
        """Turn a verb that "and" joins to one that the name governs."""
        before = self.word(place, -1)
        if word in _MODALS or (before == "to" and word in _BASE_VERBS):
            self.is_singular = False
        elif before in ("and", "but", "or") and (word in _BASE_VERBS or word in ("am", "have", "do")):
            self.pieces[place] = third_person(self.pieces[place])
        elif before in ("not", "never") and word in _BASE_VERBS and self.word(place, -2) in ("do", "does"):
            self.is_singular = self.word(place, -3) in ("and", "but")

    def mention(self, first: str, further: str) -> str:
        said, self.is_named = (further if self.is_named else first), True
        return said

    def verb_after(self, place: int) -> int | None:
        """Return where the verb stands that the subject at a place governs; None where there is none to be seen."""
        for distance in range(1, _VERB_WITHIN + 1):
            at = self.place_of(place, distance)
            if at is None:
                return None
            word = self.pieces[at].lower()
            if (word, self.word(at, 1)) in _TWO_WORDS or (self.word(at, -1), word) in _TWO_WORDS:
                continue
            if not is_adverb(word):
                return None if word in _NO_VERBS or not word[0].isalpha() else at
        return None

    def word(self, place: int, distance: int) -> str:
        """Return the word so many words away, folded; empty where a mark stands between or there is none."""
        at = self.place_of(place, distance)
        return "" if at is None else self.pieces[at].lower()

    def place_of(self, place: int, distance: int) -> int | None:
        """Return the place of the word so many words away; None where a mark stands between or there is none."""
        step = 1 if distance > 0 else -1
        at = place
        for _ in range(abs(distance)):
            at += step
            while 0 <= at < len(self.pieces) and (self.pieces[at].isspace() or not self.pieces[at]):
                at += step
            if not 0 <= at < len(self.pieces) or not self.pieces[at][0].isalnum():
                return None
        return at
