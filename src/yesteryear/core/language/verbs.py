"""English verb forms, as far as telling of somebody in the third person needs them."""

from __future__ import annotations

from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("rewriting")
_MODALS = _EN.words("modals")
_BASE_VERBS = _EN.words("base_verbs")
_IRREGULAR_PAST = _EN.words("irregular_past")

_SINGULAR = {"been": "has been", "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "go": "goes"}
_PLURAL = {"been": "have been", "am": "are", "is": "are", "was": "were", "has": "have", "does": "do"}
_HISSES = ("s", "sh", "ch", "x", "z")
_FINITE = _MODALS | _EN.words("finite")
_SHORTEST_PAST = 4  # fewest letters of a past form in "ed"
_SHORTEST_ING = 5  # fewest letters of a form in "ing"
_SHORTEST_ADVERB = 5  # fewest letters of an adverb in "ly"


def is_past(word: str) -> bool:
    """Tell whether a folded word is a past form or a participle: "ran", "moved"; not "need"."""
    if word in _IRREGULAR_PAST or word in _EN.words("participles") or _EN["prefix"].sub("", word) in _IRREGULAR_PAST:
        return True
    return word.isalpha() and word.endswith("ed") and len(word) >= _SHORTEST_PAST and word not in _EN.words("no_past")


def is_ing(word: str) -> bool:
    """Tell whether a folded word is the -ing form of a verb: "running"; not "bring" or "morning"."""
    is_form = word.isalpha() and word.endswith("ing") and len(word) >= _SHORTEST_ING
    return is_form and word not in _EN.words("no_participle")


def is_finite(word: str) -> bool:
    """Tell whether a folded word is, or is likely to be, a verb that a subject governs."""
    return word in _FINITE or word in _IRREGULAR_PAST or is_third_person(word) or word.endswith("n't")


def is_third_person(word: str) -> bool:
    """Tell whether a folded word is the third person of a verb that people say of themselves: "runs"."""
    plain = (word[:-1], *((word[:-2], f"{word[:-3]}y") if word.endswith("es") else ()))
    return word.endswith("s") and not _BASE_VERBS.isdisjoint(plain)


def third_person(verb: str) -> str:
    """Return the form that goes with "she" of one that goes with "I": "has" of "have", "was" of "was".

    Modal verbs and past forms stay as they are.
    """
    folded = verb.lower()
    if len(verb) > 1 and verb.isupper():
        return third_person(folded).upper()
    if folded in _SINGULAR:
        return _SINGULAR[folded]
    if folded in _MODALS or is_past(folded) or folded in ("is", "has", "does", "was"):
        return verb
    if folded.endswith("y") and folded[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if folded.endswith(_HISSES) or folded == "echo" else f"{verb}s"


def plural(verb: str) -> str:
    """Return the form that goes with "they" of one that goes with "I": "are" of "am", "were" of "was"."""
    return _PLURAL.get(verb.lower(), verb)


def is_adverb(word: str) -> bool:
    """Tell whether a folded word stands between a subject and its verb: "always", "hardly"."""
    is_form = word.endswith("ly") and len(word) >= _SHORTEST_ADVERB and word not in _EN.words("no_adverbs")
    return is_form or word in _EN.words("adverbs")
