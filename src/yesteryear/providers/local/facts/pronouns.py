"""Put a name in the place of "I", and bring the verbs along (English).

The first mention in a sentence becomes the name, further ones "they". "We" counts as the speaker: who else is meant
cannot be told from the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from yesteryear.core.language.tokens import STOP_WORDS
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.facts.verbs import is_adverb, is_past, plural, third_person

_EN = vocabulary("rewriting")
_MODALS = _EN.words("modals")
_BASE_VERBS = _EN.words("base_verbs")
_SAME_IN_PAST = _EN.words("same_in_past")
_AUXILIARIES = _MODALS | _EN.words("be_have_do")

_PIECE = re.compile(r'"[^"]*"|\w+(?:[\'-]\w+)*|\s+|.', re.DOTALL)
_POSSESSIVES = _EN.words("possessives")
_OWN = _EN.words("own")
_SELVES = _EN.words("selves")
_ALREADY_PLURAL = "\u0000"
"""Stands behind an "I" whose verb agrees with several people."""
_NUMBERED = _EN.words("numbered")
_INVERTING = _EN.words("inverting")
_NO_VERBS = STOP_WORDS - _AUXILIARIES - _BASE_VERBS
_A_MINE = _EN.words("a_mine")
_TWO_WORDS = frozenset({("no", "longer"), ("kind", "of"), ("sort", "of")})
"""Adverbs of two words."""
_VERB_WITHIN = 4
"""Words after the subject among which its verb is looked for; the others are adverbs."""


def in_third_person(sentence: str, name: str, *, is_past: bool = False) -> str:
    """Return a sentence of a speaker as somebody else would tell it of ``name``; contractions are to be expanded first.

    Args:
        sentence: One sentence; what stands between double quotation marks is left alone.
        name: The speaker's.
        is_past: Whether a verb that has one form for both ("put") is told of the past.
    """
    teller = _Teller(_PIECE.findall(_EN["together"].sub(_led_by_speaker, sentence)), name, is_past)
    for place in range(len(teller.pieces)):
        teller.turn(place)
    return "".join(teller.pieces)


def _led_by_speaker(found: re.Match[str]) -> str:
    """Return "I and my sister" for "my sister and I"."""
    other = found["first"] or found["second"]
    return f"I{_ALREADY_PLURAL} and {other[0].lower()}{other[1:]}"


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
        """Turn what stands at a place."""
        piece = self.pieces[place]
        word = piece.lower()
        if piece == "I" or word == "we":
            self.turn_subject(place)
        elif word in _POSSESSIVES:
            self.pieces[place] = self.mention(f"{self.name}'s", "their")
        elif word == "me" or (word == "us" and piece != "US"):
            self.pieces[place] = self.mention(self.name, "them")
        elif word in _OWN and self.word(place, -1) not in _A_MINE:
            self.pieces[place] = self.mention(f"{self.name}'s", "theirs")
        elif word in _SELVES:
            self.pieces[place] = self.mention(self.name, "themselves")
        elif self.is_singular:
            self.turn_joined(place, word)

    def turn_subject(self, place: int) -> None:
        """Turn "I" and the verb it governs."""
        if self.word(place, -1) in _NUMBERED:
            return
        is_first, is_we = not self.is_named, self.pieces[place].lower() == "we"
        self.pieces[place] = self.mention(self.name, "they")
        self.is_singular = False
        if self.pieces[place + 1 : place + 2] == [_ALREADY_PLURAL]:
            self.pieces[place + 1] = ""
            return
        verb = self.inverted(place)
        if verb is None:
            verb = self.verb_after(place)
        if verb is None:
            return
        said = self.pieces[verb]
        if not is_first:
            self.pieces[verb] = plural(said)
        elif not (said.lower() in _SAME_IN_PAST and self.is_past) and (is_we or said.lower() != "were"):
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
        """Return how the speaker is named here."""
        said, self.is_named = (further if self.is_named else first), True
        return said

    def inverted(self, place: int) -> int | None:
        """Return where the verb stands that comes before its subject: "nor do I"."""
        before = self.place_of(place, -1)
        if before is None or self.pieces[before].lower() not in _AUXILIARIES:
            return None
        return before if self.word(before, -1) in _INVERTING or self.place_of(before, -1) is None else None

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
