"""Turn a question round, so that a bare answer to it says something on its own (English)."""

from __future__ import annotations

import re

from yesteryear.core.language.questions import has_value
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.facts.verbs import is_finite, is_past

_EN = vocabulary("rewriting")
_LEXICON = vocabulary("lexicon")

_ANSWER_WORDS = 9
"""Most words of an answer that says little without its question."""
_YOURS = {"your": "my", "yours": "mine", "yourself": "myself", "you": "me", "you're": "I'm", "you've": "I've"}
_AUXILIARIES = {"are": "am", "were": "was", "do": ""}
_JOINS_ON = _EN.words("joins_on")
_PLACED = {"live": " in ", "work": " in ", "study": " in ", "go": " to ", "move": " to ", "come": " from "}
"""What links a place to the verb of a question that asks for it."""


def turn_round(answer: str, question: str) -> str:
    """Return a bare answer as a statement in the first person; the answer as it is where it says enough by itself.

    "Will you keep the mornings?", "yes, still 6 to 9" gives "I will keep the mornings: still 6 to 9".

    Args:
        answer: What the person wrote.
        question: What the assistant said before; its last question counts. May be empty.
    """
    asked = [sentence for sentence in split_sentences(question) if sentence.endswith("?")][-1:]
    if not asked or _EN["too_open"].search(asked[0]) or not _is_bare(answer):
        return answer
    polarity = "yes" if (found := _EN["yes"].match(answer)) else "no" if (found := _EN["no"].match(answer)) else ""
    told = answer[found.end() :] if found and not answer.lower().startswith(("still", "always")) else answer
    if named := _EN["asked_what_is"].fullmatch(asked[0]):
        return answer if polarity else f"{_as_mine(named['thing'])} is {told}"
    put = _EN["asked"].fullmatch(asked[0])
    if put is None or not (put["rest"] or "").strip():
        return answer
    statement = _statement(put, told, polarity)
    return answer if statement is None else statement


def _is_bare(answer: str) -> bool:
    """Tell whether an answer is short, has no verb and does not speak of the person."""
    listed = words(answer)
    if not listed or len(listed) > _ANSWER_WORDS or _LEXICON["speaker"].search(fold(answer)) or "?" in answer:
        return False
    return not any(is_finite(word) or is_past(word) for word in listed)


def _statement(put: re.Match[str], told: str, polarity: str) -> str | None:
    rest, aux, what = _as_mine(put["rest"].strip()), put["aux"].lower(), (put["what"] or "").lower()
    aux = _AUXILIARIES.get(aux, aux)
    if what == "what" and aux == "":
        if _EN["for_a_living"].fullmatch(rest):
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
    return has_value(told) or _EN["time"].search(told) is not None


def _as_mine(text: str) -> str:
    return _EN["your"].sub(lambda found: _YOURS[found[0].lower()], text)
