"""Say in the third person what somebody wrote about themselves, by rules for English in a fixed order.

Verbs are brought along. The first mention in a sentence becomes the name, further ones "they", unless somebody else
stands between whom that would mean. "We" counts as the speaker: who else is meant cannot be told from the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import islice

from yesteryear.core.attributes import FactKind
from yesteryear.core.language.discourse import speaks_of_past
from yesteryear.core.language.tokens import STOP_WORDS, words
from yesteryear.core.language.told.about_oneself import tells_news_briefly
from yesteryear.core.language.told.called import NO_NAMES, parse_called
from yesteryear.core.language.verbs import is_adverb, is_finite, is_ing, is_past, plural, third_person
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.facts.spoken_dates import say_dates

_EN, _LEXICON = vocabulary("rewriting"), vocabulary("lexicon")
_SHORT_FORMS, _CONTRACTIONS = _EN.table("short_forms"), _EN.table("contractions")

_MARKS = str.maketrans({**dict.fromkeys("\u2018\u2019\u02bc`\u00b4", "'"), **dict.fromkeys("\u201c\u201d\u201e", '"')})
_QUOTED = re.compile(r'("[^"]*")')
_SPACE = re.compile(r"\s+")


def _either(listed: Iterable[str]) -> str:
    return "|".join(re.escape(entry) for entry in sorted(listed, key=len, reverse=True))


_SHORT_FORM = re.compile(rf"(?<![\w/'])(?:{_either(_SHORT_FORMS)})(?![\w/'])")
_CONTRACTED = re.compile(rf"\b(?:{_either(_CONTRACTIONS)})(?!\w)", re.IGNORECASE)
_MODALS = _EN.words("modals")
_STATES = _EN.words("states")
_OF_PERSONS = frozenset({FactKind.IDENTITY, FactKind.RELATIONSHIP})
_WORD = re.compile(r"[\w'-]+")
_AFTER_A_VERB = STOP_WORDS - _EN.words("being")
_SUBJECTS = _EN.words("subjects")
_SOMEBODY = _SUBJECTS | _EN.words("somebody")  # after a modal verb that is no statement of the speaker: "can you"
_HAVE_BEEN = _EN.words("have_been")
_OPENING_PARTS = {"am": "I", "born": "I was", "been": "I have"}
_BASE_VERBS = _EN.words("base_verbs")
_AUXILIARIES = _MODALS | _EN.words("be_have_do")
_PIECE = re.compile(r'"[^"]*"|\w+(?:[\'-]\w+)*|\s+|.', re.DOTALL)
_ALREADY_PLURAL = "\u0000"  # stands behind an "I" whose verb agrees with several people
_NO_VERBS = STOP_WORDS - _AUXILIARIES - _BASE_VERBS
_TWO_WORDS = frozenset({("no", "longer"), ("kind", "of"), ("sort", "of")})  # adverbs of two words
_CLOSE_PEOPLE = _LEXICON["close_people"]
_VERB_WITHIN = 4  # words after the subject among which its verb is looked for; the others are adverbs


def rewrite(quote: str, *, author: str, at: datetime, zone: str | None, kind: FactKind) -> str:
    """Return in the third person what somebody wrote about themselves, or what they told of others as it stands.

    The quote is a sentence or a part of one. In this order: short forms of chat are written out and emoji dropped, what
    opens or closes it idly goes, dates become absolute, contractions are expanded, a missing "I" is put in, and the
    speaker is named, with the verbs to match. It is one line without a full stop; empty where nothing was said.
    """
    opened = _EN["idle_end"].sub("", _EN["opener"].sub("", _plain(quote).lstrip(". ")))
    sentence = _EN["idle_end"].sub("", _EN["tail"].sub("", opened))
    if not words(sentence):
        return ""
    names = frozenset(words(author))
    dated = _outside_quotes(_as_wish(sentence, kind), lambda part: say_dates(part, at=at, zone=zone, names=names))
    own = _with_subject(_outside_quotes(dated, _expanded), kind)
    said = _in_third_person(own, author, is_past=speaks_of_past(sentence) or tells_news_briefly(sentence))
    return said if said.startswith(author) else said[:1].upper() + said[1:]


def _as_wish(sentence: str, kind: FactKind) -> str:
    order = _EN["request"].match(sentence)
    is_order = order and (order["please"] or order["not"] or kind is FactKind.PREFERENCE)
    if order is not None and tells_news_briefly(sentence):
        return f"I {_uncapital(sentence)}"
    if order is None or not is_order:
        return sentence
    return f"I want the assistant {'not ' if order['not'] else ''}to {order['verb'].lower()}{sentence[order.end() :]}"


@lru_cache(maxsize=64)
def well_spelled(text: str, name: str = "", owner: str = "") -> str:
    """Return words as a careful writer spells them: "mums a nurse" is "my mum's a nurse".

    ``name`` is whom they are about, as it is written there ("priya lives here", "priyas birthday"), ``owner`` the name
    without the "s" that is no part of it.
    """
    text = _SHORT_FORM.sub(lambda found: _SHORT_FORMS[found[0]], text.translate(_MARKS))
    text = _EN["only_ones"].sub(lambda found: found[0] if _is_done(found) else f"{found['who']}'s", text)
    text = _EN["one_of_them"].sub(r"\g<who>'s", text)
    text = _EN["small_name"].sub(_as_name, text)
    if name.isalpha() and name.islower() and name not in NO_NAMES and _may_be_name(name):
        spelled = f"{owner.capitalize()}'s" if owner else name.capitalize()
        text = re.sub(rf"(?<![\w'-]){name}(?![\w-])", spelled, text)
    text = _EN["named_first"].sub(r"\g<who>", text)
    return _EN["called_by_tie"].sub(
        lambda found: f"{found['lead']}my {found['who'].lower()}" if _goes_on(found) else found[0], text
    )


def _is_done(found: re.Match[str]) -> bool:
    """Tell whether a verb of several people follows: "my mums live in Hove"."""
    verb = found["next"].lower()
    return (is_past(verb) and verb not in _EN.words("of_one")) or verb in _BASE_VERBS


def _goes_on(found: re.Match[str]) -> bool:
    """Tell whether a verb of one person follows: "dad lives here", no "gran turismo"."""
    verb = (found["next"] or "'s").lower()
    return verb == "'s" or is_finite(verb) or is_past(verb) or is_adverb(verb) or verb in _AUXILIARIES


def _may_be_name(word: str) -> bool:
    is_tie = parse_called(word).tie or _CLOSE_PEOPLE.fullmatch(word) is not None
    return not is_tie and word not in _EN.words("no_small_names")


def _as_name(found: re.Match[str]) -> str:
    name = found["name"]
    is_told = found[0] == name and name not in STOP_WORDS  # "drew is my flatmate"
    is_other = name in NO_NAMES or is_adverb(name) or is_finite(name) or is_ing(name)
    is_none = (is_other and not is_told) or not _may_be_name(name)
    return found[0] if is_none else f"{found[0].removesuffix(name)}{name.capitalize()}"


def _plain(text: str) -> str:
    text = _EN["emoji"].sub(" ", well_spelled(text))
    text = _EN["filler"].sub(" ", _EN["short_and"].sub("and ", _EN["short_with"].sub("with ", text)))
    text = _EN["myself"].sub("I", _EN["speaker"].sub("I", text))
    return _SPACE.sub(" ", text.replace("\u0000", "")).strip()


def _outside_quotes(text: str, change: Callable[[str], str]) -> str:
    return "".join(part if number % 2 else change(part) for number, part in enumerate(_QUOTED.split(text)))


def _expanded(text: str) -> str:
    text = _CONTRACTED.sub(lambda found: _CONTRACTIONS[found[0].lower()], text)
    text = _EN["had_or_would"].sub(_had_or_would, text)
    return _EN["not_joined"].sub(r"\1 not", text)


def _had_or_would(found: re.Match[str]) -> str:
    verb = (found["verb"] or "").lower()
    return f"{found[1]} {'had' if verb in ('better', 'been') or (is_past(verb) and verb != 'quit') else 'would'}"


def _with_subject(sentence: str, kind: FactKind) -> str:
    """Return a sentence with the "I" that it was said without; as it is where its first words do not ask for one.

    What may be an order to the assistant ("don't suggest ...") gets none; "my teenage son" says that one has a son.
    """
    thing = _EN["owned_thing"].fullmatch(sentence) if kind in _OF_PERSONS else None
    if thing and (had := _having(thing)):
        return had
    found = list(_WORD.finditer(sentence))
    listed = [word[0].lower() for word in found]
    if not listed or listed[0] in _SUBJECTS or sentence[: found[0].start()].strip():
        return sentence
    lead = 0
    while lead < len(listed) - 1 and (
        listed[lead : lead + 2] == ["no", "longer"] or (is_adverb(listed[lead]) and listed[lead] != "not")
    ):
        lead += 1
    following = found[lead + 1][0] if lead + 1 < len(found) else ""
    is_named = following[:1].isupper() and following != "I"
    subject = _missing_subject(listed[lead], following.lower(), listed[lead + 1 :], is_named=is_named)
    place, end = found[lead].span()
    is_listed = is_ing(listed[lead]) and sentence.startswith((",", ";"), end)  # "gardening, crime novels"
    if not subject or is_listed or sentence.startswith(":", end):
        return sentence
    return f"{subject} {_uncapital(sentence[:place])}{_uncapital(sentence[place:])}"


def _missing_subject(first: str, after: str, rest: Sequence[str], *, is_named: bool) -> str:
    """Return the subject, if any, that a sentence lacks before its first word that is no adverb, and the rest."""
    if first == "not":
        is_state = after in _STATES or is_ing(after) or after in ("a", "an", "the", "sure")
        return "I am" if is_state else ""
    if first in ("don't", "do"):
        verb = next((word for word in rest if word != "not"), "")
        is_told = verb and verb not in _EN.words("request_verbs") and (first == "don't" or after == "not")
        return "I" if is_told else ""
    if first.endswith("n't") or first in _MODALS or first in _HAVE_BEEN:
        is_asked = is_named or after in (_SUBJECTS if first in _HAVE_BEEN else _SOMEBODY)
        return "I" if after and not is_asked else ""
    if first in _STATES and after and after not in _EN.words("after_a_state"):
        return "I" if is_named and is_past(first) else ""
    if first in _STATES:
        once = first == "used" and after == "to" and _did_once(rest[1:])
        return "I" if once else "I have been" if after in _EN.words("lasting") else "I am"
    if is_past(first) and first not in _EN.words("participles"):
        is_noun = first in _EN.words("nouns_too") and after not in _AFTER_A_VERB
        is_owed = first == "got" and after == "to"  # as "gotta": who got to see something says "I"
        is_name = after in _EN.words("being")  # "drew is my flatmate"
        is_own = after and not (is_noun or is_name) and first not in _EN.words("of_anybody")
        return "I have" if is_owed else "I" if is_own else ""
    goes_on = any(map(is_finite, rest))
    if first in _EN.words("opening_verbs") and after and not is_finite(after):
        return "" if first == "like" and goes_on else "I"
    is_doing = is_ing(first) and after.isalpha() and after not in ("and", "or") and not goes_on
    return "I am" if is_doing else _OPENING_PARTS.get(first, "")


def _did_once(rest: Sequence[str]) -> bool:
    """Tell whether the words behind "used to" begin with what somebody did, not with what they are used to."""
    verb = next((word for word in rest if not is_adverb(word)), "")
    is_verb = verb in _BASE_VERBS or verb in ("be", "have", "do")
    is_thing = is_ing(verb) or verb in STOP_WORDS or verb in _EN.words("used_to") or verb.endswith("s")
    return bool(verb) and (is_verb or not is_thing)


def _having(thing: re.Match[str]) -> str:
    """Return that the speaker has whom or what a phrase names; empty where they may not, or where it says more."""
    phrase, noun = thing["phrase"].lower(), thing["noun"].lower()
    listed = phrase.split()
    says_more = any(is_finite(word) or is_past(word) or is_ing(word) or word in _BASE_VERBS for word in listed)
    is_own = thing["owner"].lower() != "the" or _LEXICON["close_people"].search(f"my {phrase}")
    if says_more or not is_own or not _EN.words("not_had").isdisjoint(listed):
        return ""
    is_plural = noun in ("children", "people") or (noun.endswith("s") and not noun.endswith(("ss", "us")))
    article = "" if is_plural else "an " if thing["phrase"][0].lower() in "aeiou" else "a "
    return f"I have {article}{thing['phrase']}"


def _uncapital(text: str) -> str:
    return text if text[:2] in ("I", "I ") else text[:1].lower() + text[1:]


def _in_third_person(sentence: str, name: str, *, is_past: bool = False) -> str:
    """Return a sentence of a speaker, contractions expanded, as told of ``name``; ``is_past``: whether "put" is."""

    def led_by_speaker(found: re.Match[str]) -> str:
        if _EN["acts"].search(found.string, 0, found.start()):
            return found[0]  # "I love my wife and I like to cook"
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
    is_owner: bool = False  # whether only what is theirs was named: "Ana's wife"
    is_other_between: bool = False  # whether somebody else was named since, whom "they" would mean

    def turn(self, place: int) -> None:
        piece = self.pieces[place]
        word = piece.lower()
        if piece == "I" or word == "we":
            self.turn_subject(place)
        elif word in _EN.words("possessives"):
            is_apart = self.is_other_meant(place) and self.word(place, -1) not in ("and", "or")
            self.pieces[place] = self.mention(f"{self.name}'s", "their", again=is_apart, is_owner=True)
        elif word == "me" or (word == "us" and piece != "US"):
            self.pieces[place] = self.mention(self.name, "them")
        elif word in _EN.words("own") and self.word(place, -1) not in _EN.words("a_mine"):
            again = self.is_other_meant(place)
            self.pieces[place] = self.mention(f"{self.name}'s", "theirs", again=again, is_owner=True)
        elif word in _EN.words("selves"):
            self.pieces[place] = self.mention(self.name, "themselves")
        elif self.is_singular:
            self.turn_joined(place, word)
        self.notice(place, word)

    def notice(self, place: int, word: str) -> None:
        """Note that somebody else is named: whoever is the speaker's, or does something of which is told."""
        who = word.removesuffix("'s")
        is_somebody = who in _EN.words("others") or _CLOSE_PEOPLE.fullmatch(who) is not None
        if self.is_named and is_somebody and (self.is_owner or is_finite(self.word(place, 1))):
            self.is_other_between = True

    def is_other_meant(self, place: int) -> bool:
        """Tell whether "they" would mean somebody else here; not where their words go on: "my doctor says I should"."""
        return self.is_other_between and self.word(place, -1) not in _EN.words("leads_on")

    def turn_subject(self, place: int) -> None:
        """Turn "I" and the verb it governs."""
        if self.word(place, -1) in _EN.words("numbered"):
            return
        is_we, again = self.pieces[place].lower() == "we", self.is_other_meant(place)
        is_name = again or not self.is_named
        self.pieces[place] = self.mention(self.name, "they", again=again)
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
        if not is_name:
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

    def mention(self, first: str, further: str, *, again: bool = False, is_owner: bool = False) -> str:
        """Return how the speaker is called here; ``again``: by name, whatever was said before."""
        said = first if again or not self.is_named else further
        self.is_owner = is_owner and (self.is_owner or not self.is_named)
        self.is_other_between &= is_owner
        self.is_named = True
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
        places = range(place + 1, len(self.pieces)) if distance > 0 else range(place - 1, -1, -1)
        near = list(islice((at for at in places if self.pieces[at].strip()), abs(distance)))
        is_there = len(near) == abs(distance) and all(self.pieces[at][0].isalnum() for at in near)
        return near[-1] if is_there else None
