"""What a few words say of something to do that another asks after: "did you call the bank?", "yep, this morning".

English, by the rules of ``language/en/answered_tasks.toml``.
"""

from __future__ import annotations

from yesteryear.core.language.tokens import words
from yesteryear.core.language.told.named_task import deed_of, is_past_verb
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("answered_tasks")
MOST_BARE_CHARS = 60
"""Characters, at least 1, of a sentence that says no more than that something is done. Source: set by hand."""
_MOST_WORDS = 12  # words of the longest answer that is one; more say something themselves


def as_told(question: str, answer: str) -> str:
    """Return what an answer tells of a task, as whoever answers would say it in full; empty where it tells nothing.

    Both are folded, with short forms written out; of the question the last of its kind counts.
    """
    if len(words(answer)) > _MOST_WORDS or _EN["not_plain"].search(answer):
        return ""
    is_yes, is_no = (_EN[name].match(answer) is not None for name in ("yes", "no"))
    is_done = _EN["done"].search(answer) is not None
    if found := _last("was_done", question):
        is_its_verb = (bare_deed(answer) or "") == deed_of(found)
        return f"i finished {found}" if is_done or is_yes or is_its_verb else ""
    if found := _last("goes_on", question):
        return f"i finished {found}" if is_done else ""
    if found := _last("is_to_be", question):
        told = "i no longer need to" if is_no and not is_done else "i finished" if is_done else "i still need to"
        return f"{told} {found}" if is_yes or is_no or is_done else ""
    found = _last("is_wanted", question)
    return f"i need to {found}" if found and is_yes else ""


def bare_deed(answer: str) -> str | None:
    """Return the verb, as it names tasks, with which a few words say that what was named just before is done.

    Empty where they have none ("done!", "it is in"); None where they say no such thing, or more.
    """
    is_more = len(answer) > MOST_BARE_CHARS or _EN["not_plain"].search(answer)
    found = None if is_more else _EN["bare"].match(answer)
    if found is None or found["any"]:
        return None if found is None else ""
    return deed_of(found["verb"]) if is_past_verb(found["verb"]) else None


def _last(name: str, question: str) -> str:
    *_, what = ["", *(found["what"].strip() for found in _EN[name].finditer(question))]
    return "" if what.split(" ")[0] in _EN.words("no_tasks") else what
