"""Put "I" where somebody who tells of themselves left it out: "ran 11 km", "not a good swimmer" (English)."""

from __future__ import annotations

import re
from typing import NamedTuple

from yesteryear.core.fact import FactKind
from yesteryear.core.language.lexicon import CLOSE_PEOPLE
from yesteryear.core.language.tokens import STOP_WORDS, word_set
from yesteryear.providers.local.facts.english import MODALS, OPENING_VERBS, PARTICIPLES, REQUEST_VERBS, STATES
from yesteryear.providers.local.facts.verbs import is_adverb, is_finite, is_ing, is_past

_OF_PERSONS = frozenset({FactKind.IDENTITY, FactKind.RELATIONSHIP})
_OWNED = re.compile(
    r"(?P<owner>my|our|the) (?P<phrase>(?:[a-z-]+ ){0,3}(?P<noun>[a-z-]+)(?: [A-Z][\w-]*)?)", re.IGNORECASE
)
_NOT_HAD = word_set("late ex old former own whole first last next only same name age of in on at with for")
"""Words that make of "my ..." something else than what one has."""
_WORD = re.compile(r"[\w'-]+")
_AFTER_A_VERB = STOP_WORDS - word_set("is was are were has have")
_AFTER_A_STATE = word_set("to of for since with from in on at about by and but again now because until after")
_LASTING = word_set("for since")
_NOUNS_TOO = word_set("left found felt lost ground saw led spoke rose wound bit fed hid bent used")
"""Past forms that open a noun phrase too ("left hip"); a verb has an article, a preposition or the like after it."""
_OF_ANYBODY = word_set("diagnosed")
"""Past forms that are said of others as readily."""
_SUBJECTS = word_set("i you he she it we they this that these those there who what which")
_SOMEBODY = _SUBJECTS | word_set("the my our a an someone anyone everyone nobody")
"""What stands after a modal verb that is no statement of the speaker: "can you"."""
_HAVE_BEEN = word_set("have had was")


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
    if kind in _OF_PERSONS and (thing := _OWNED.fullmatch(sentence)) and _is_had(thing):
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
        is_state = start.after in STATES or is_ing(start.after)
        return "I am" if is_state or start.after in ("a", "an", "the", "sure") else ""
    if start.first in ("don't", "do"):
        verb = next((word for word in start.rest if word != "not"), "")
        is_told = verb and verb not in REQUEST_VERBS and (start.first == "don't" or start.after == "not")
        return "I" if is_told else ""
    return None


def _when_auxiliary(start: _Start) -> str | None:
    if start.first.endswith("n't") or start.first in MODALS or start.first in _HAVE_BEEN:
        is_asked = start.names_next or start.after in (_SUBJECTS if start.first in _HAVE_BEEN else _SOMEBODY)
        return "I" if start.after and not is_asked else ""
    return "I" if start.first == "am" else None


def _when_state(start: _Start) -> str | None:
    if start.first in STATES:
        if start.after and start.after not in _AFTER_A_STATE:
            return "I" if start.names_next and is_past(start.first) else ""
        return "I have been" if start.after in _LASTING else "I am"
    return {"born": "I was", "been": "I have"}.get(start.first)


def _when_past(start: _Start) -> str | None:
    if not is_past(start.first) or start.first in PARTICIPLES:
        return None
    is_noun = start.first in _NOUNS_TOO and start.after not in _AFTER_A_VERB
    return "I" if start.after and not is_noun and start.first not in _OF_ANYBODY else ""


def _when_plain(start: _Start) -> str | None:
    goes_on = any(map(is_finite, start.rest))
    if start.first in OPENING_VERBS and start.after and not is_finite(start.after):
        return "" if start.first == "like" and goes_on else "I"
    return "I am" if is_ing(start.first) and start.after.isalpha() and not goes_on else None


_RULES = (_when_denied, _when_auxiliary, _when_state, _when_past, _when_plain)
"""Each returns the subject with what belongs to it, "" where there is none to put in, None where it cannot tell."""


def _is_had(thing: re.Match[str]) -> bool:
    """Tell whether a phrase names somebody or something that the speaker has, and says no more."""
    listed = thing["phrase"].lower().split()
    if any(is_finite(word) or is_past(word) or is_ing(word) for word in listed) or not _NOT_HAD.isdisjoint(listed):
        return False
    return thing["owner"].lower() != "the" or CLOSE_PEOPLE.search(f"my {thing['phrase'].lower()}") is not None


def _having(thing: re.Match[str]) -> str:
    noun = thing["noun"].lower()
    is_plural = noun in ("children", "people") or (noun.endswith("s") and not noun.endswith(("ss", "us")))
    article = "" if is_plural else "an " if thing["phrase"][0].lower() in "aeiou" else "a "
    return f"I have {article}{thing['phrase']}"


def _uncapital(text: str) -> str:
    return text if text[:2] in ("I", "I ") else text[:1].lower() + text[1:]
