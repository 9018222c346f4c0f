"""Turn a question round, so that a bare answer to it says something on its own (English)."""

from __future__ import annotations

import re

from yesteryear.core.language.lexicon import SPEAKER, fold
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import word_set, words
from yesteryear.core.language.values import has_value
from yesteryear.providers.local.facts.verbs import is_finite, is_past

_ANSWER_WORDS = 9
"""Most words of an answer that says little without its question."""
_ASKED = re.compile(
    r"(?:[\w' ]+, )?(?:(?:and|so|but|ok|okay|oh) )*"
    r"(?P<what>how (?:long|often|many|much|old|far|early|late)\b[^,?]*?|what time|when|where|what|which(?: \w+)?)? ?"
    r"\b(?P<aux>do|did|are|were|have|had|will|would|can|could|should) you\b(?: (?P<rest>[^?]+))?\?",
    re.IGNORECASE,
)
_ASKED_WHAT_IS = re.compile(
    r"(?:[\w' ]+, )?(?:what|when|where|who)(?:'s| is| are) (?P<thing>your [^?]+)\?", re.IGNORECASE
)
_YES = re.compile(r"(?:yes|yeah|yep|yup|sure|of course|definitely|absolutely|still|always)\b[\s,.!:-]*", re.IGNORECASE)
_NO = re.compile(r"(?:no|nope|nah|not (?:any ?more|really|yet))\b[\s,.!:-]*", re.IGNORECASE)
_TOO_OPEN = re.compile(
    r"\b(?:anything|something|feel|feeling|doing|else|think|like me|want me|if i|mean|say)\b", re.IGNORECASE
)
_YOURS = {"your": "my", "yours": "mine", "yourself": "myself", "you": "me", "you're": "I'm", "you've": "I've"}
_YOUR = re.compile(r"\b(?:your|yours|yourself|you're|you've|you)\b", re.IGNORECASE)
_AUXILIARIES = {"are": "am", "were": "was", "do": ""}
_JOINS_ON = word_set("in on at by for since from to with until till about around after before every each near as")
_PLACED = {"live": " in ", "work": " in ", "study": " in ", "go": " to ", "move": " to ", "come": " from "}
"""What links a place to the verb of a question that asks for it."""
_TIME = re.compile(
    r"\b(?:day|night|morning|afternoon|evening|week|weekend|month|year|hour|minute|noon|dawn|breakfast|lunch|dinner|work"
    r"|spring|summer|autumn|fall|winter|years|months|weeks|days|hours|minutes|ages|always|never|daily|weekly)s?\b",
    re.IGNORECASE,
)
_FOR_A_LIVING = re.compile(r"do(?: for (?:a living|work))?$", re.IGNORECASE)


def turn_round(answer: str, question: str) -> str:
    """Return a bare answer as a statement in the first person; the answer as it is where it says enough by itself.

    "Will you keep the mornings?", "yes, still 6 to 9" gives "I will keep the mornings: still 6 to 9".

    Args:
        answer: What the person wrote.
        question: What the assistant said before; its last question counts. May be empty.
    """
    asked = [sentence for sentence in split_sentences(question) if sentence.endswith("?")][-1:]
    if not asked or _TOO_OPEN.search(asked[0]) or not _is_bare(answer):
        return answer
    polarity = "yes" if (found := _YES.match(answer)) else "no" if (found := _NO.match(answer)) else ""
    told = answer[found.end() :] if found and not answer.lower().startswith(("still", "always")) else answer
    if named := _ASKED_WHAT_IS.fullmatch(asked[0]):
        return answer if polarity else f"{_as_mine(named['thing'])} is {told}"
    put = _ASKED.fullmatch(asked[0])
    if put is None or not (put["rest"] or "").strip():
        return answer
    statement = _statement(put, told, polarity)
    return answer if statement is None else statement


def _is_bare(answer: str) -> bool:
    """Tell whether an answer is short, has no verb and does not speak of the person."""
    listed = words(answer)
    if not listed or len(listed) > _ANSWER_WORDS or SPEAKER.search(fold(answer)) or "?" in answer:
        return False
    return not any(is_finite(word) or is_past(word) for word in listed)


def _statement(put: re.Match[str], told: str, polarity: str) -> str | None:
    rest, aux, what = _as_mine(put["rest"].strip()), put["aux"].lower(), (put["what"] or "").lower()
    aux = _AUXILIARIES.get(aux, aux)
    if what == "what" and aux == "":
        if _FOR_A_LIVING.fullmatch(rest):
            return None if polarity else f"my job is {told}"
        return None if polarity or " " in rest else f"I {rest} {told}"
    if what:
        if polarity:
            return None
        if what != "where" and not what.startswith(("what", "which")) and not _says_when(told):
            return None
        joins = told.split(maxsplit=1)[0].lower() in _JOINS_ON if told.split() else False
        link = " " if joins else _PLACED.get(rest.split()[0], ": ") if what == "where" else ": "
        return f"I {aux} {rest}{link}{told}".replace("  ", " ")
    if not polarity:
        return None
    denial = {"": "do not", "am": "am not"}.get(aux, f"{aux} not") if polarity == "no" else aux
    return f"I {denial} {rest}{': ' if told.strip() else ''}{told}".replace("  ", " ")


def _says_when(told: str) -> bool:
    """Tell whether an answer names a time or a number."""
    return has_value(told) or _TIME.search(told) is not None


def _as_mine(text: str) -> str:
    return _YOUR.sub(lambda found: _YOURS[found[0].lower()], text)
