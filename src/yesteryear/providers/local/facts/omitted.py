"""Put "I" where somebody who tells of themselves left it out: "ran 11 km", "not a good swimmer" (English)."""

from __future__ import annotations

import re
from typing import NamedTuple

from yesteryear.core.fact import FactKind
from yesteryear.core.language.tokens import STOP_WORDS
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.facts.verbs import is_adverb, is_finite, is_ing, is_past

_EN = vocabulary("rewriting")
_MODALS = _EN.words("modals")
_OPENING_VERBS = _EN.words("opening_verbs")
_PARTICIPLES = _EN.words("participles")
_REQUEST_VERBS = _EN.words("request_verbs")
_STATES = _EN.words("states")
_LEXICON = vocabulary("lexicon")

_OF_PERSONS = frozenset({FactKind.IDENTITY, FactKind.RELATIONSHIP})
_NOT_HAD = _EN.words("not_had")
_WORD = re.compile(r"[\w'-]+")
_AFTER_A_VERB = STOP_WORDS - _EN.words("being")
_AFTER_A_STATE = _EN.words("after_a_state")
_LASTING = _EN.words("lasting")
_NOUNS_TOO = _EN.words("nouns_too")
_OF_ANYBODY = _EN.words("of_anybody")
_SUBJECTS = _EN.words("subjects")
_SOMEBODY = _SUBJECTS | _EN.words("somebody")
"""What stands after a modal verb that is no statement of the speaker: "can you"."""
_HAVE_BEEN = _EN.words("have_been")


class _Start(NamedTuple):
    """The first words of a sentence, adverbs left out."""

    first: str
    after: str
    rest: list[str]
    """All after the first."""
    names_next: bool
    """Whether the second word is written as a name is."""


def with_subject(sentence: str, kind: FactKind) -> str:
    """Return a sentence with the "I" that it was said without; as it is where its first words do not ask for one.

    A word that may be an order to the assistant ("don't suggest ...") gets no subject.

    Args:
        sentence: One sentence, with contractions of "I" expanded.
        kind: What kind of fact it is: "my teenage son" alone says of a person that they have one.
    """
    if kind in _OF_PERSONS and (thing := _EN["owned_thing"].fullmatch(sentence)) and _is_had(thing):
        return _having(thing)
    found = list(_WORD.finditer(sentence))
    listed = [word[0].lower() for word in found]
    if not listed or listed[0] in _SUBJECTS or sentence[: found[0].start()].strip():
        return sentence
    lead = 0
    while lead < len(listed) - 1 and _leads(listed, lead):
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


def _leads(listed: list[str], place: int) -> bool:
    """Tell whether a word stands before the verb and leaves open who does it."""
    word = listed[place]
    return (word == "no" and listed[place + 1] == "longer") or (is_adverb(word) and word != "not")


def _when_denied(start: _Start) -> str | None:
    if start.first == "not":
        is_state = start.after in _STATES or is_ing(start.after)
        return "I am" if is_state or start.after in ("a", "an", "the", "sure") else ""
    if start.first in ("don't", "do"):
        verb = next((word for word in start.rest if word != "not"), "")
        is_told = verb and verb not in _REQUEST_VERBS and (start.first == "don't" or start.after == "not")
        return "I" if is_told else ""
    return None


def _when_auxiliary(start: _Start) -> str | None:
    if start.first.endswith("n't") or start.first in _MODALS or start.first in _HAVE_BEEN:
        is_asked = start.names_next or start.after in (_SUBJECTS if start.first in _HAVE_BEEN else _SOMEBODY)
        return "I" if start.after and not is_asked else ""
    return "I" if start.first == "am" else None


def _when_state(start: _Start) -> str | None:
    if start.first in _STATES:
        if start.after and start.after not in _AFTER_A_STATE:
            return "I" if start.names_next and is_past(start.first) else ""
        return "I have been" if start.after in _LASTING else "I am"
    return {"born": "I was", "been": "I have"}.get(start.first)


def _when_past(start: _Start) -> str | None:
    if not is_past(start.first) or start.first in _PARTICIPLES:
        return None
    is_noun = start.first in _NOUNS_TOO and start.after not in _AFTER_A_VERB
    return "I" if start.after and not is_noun and start.first not in _OF_ANYBODY else ""


def _when_plain(start: _Start) -> str | None:
    goes_on = any(map(is_finite, start.rest))
    if start.first in _OPENING_VERBS and start.after and not is_finite(start.after):
        return "" if start.first == "like" and goes_on else "I"
    return "I am" if is_ing(start.first) and start.after.isalpha() and not goes_on else None


_RULES = (_when_denied, _when_auxiliary, _when_state, _when_past, _when_plain)
"""Each returns the subject with what belongs to it, "" where there is none to put in, None where it cannot tell."""


def _is_had(thing: re.Match[str]) -> bool:
    """Tell whether a phrase names somebody or something that the speaker has, and says no more."""
    listed = thing["phrase"].lower().split()
    if any(is_finite(word) or is_past(word) or is_ing(word) for word in listed) or not _NOT_HAD.isdisjoint(listed):
        return False
    return (
        thing["owner"].lower() != "the" or _LEXICON["close_people"].search(f"my {thing['phrase'].lower()}") is not None
    )


def _having(thing: re.Match[str]) -> str:
    noun = thing["noun"].lower()
    is_plural = noun in ("children", "people") or (noun.endswith("s") and not noun.endswith(("ss", "us")))
    article = "" if is_plural else "an " if thing["phrase"][0].lower() in "aeiou" else "a "
    return f"I have {article}{thing['phrase']}"


def _uncapital(text: str) -> str:
    return text if text[:2] in ("I", "I ") else text[:1].lower() + text[1:]
