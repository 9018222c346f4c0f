"""How somebody wants to be answered, for good by its nature: short, in German, without emojis, not about their weight.

"Please don't use emojis" needs no word like "ever" to count from now on. For a piece of work it does not ("keep the
mail short"), nor beside a question or an order for one ("What is a quark? Please be brief"), nor for the moment.
English, by rules, from ``language/en/manners.toml``.
"""

from __future__ import annotations

import re
from itertools import islice

from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold, words
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("manners")
_FILLERS = _EN.words("fillers")
_CHARS, _SENTENCES = 300, 20  # characters of the longest sentence that is read, and sentences beside it
_BEHIND = 2  # words of another sentence, up to which it says nothing of a piece of work: "Hi!", "Morning Tom."


def asks_for_manner(sentence: str, beside: str = "") -> bool:
    """Tell whether a sentence says how its speaker wants to be answered from now on, or what to leave out of talk.

    ``beside`` is what else the message says. A habit that is complained of counts beside anything, a manner and a
    subject beside no piece of work; an order that does not say what it is of ("keep it short") beside nothing else.
    """
    folded = fold(sentence)
    is_other = any(_EN[each].search(folded[:_CHARS]) for each in ("this_piece", "ability", "reported"))
    if is_other or len(sentence) > _CHARS:
        return False
    if _asks(folded, "habit"):
        return True
    if _asks(folded, "manner") or _asks(folded, "topic"):
        return not _is_on_work(beside)
    return _asks(folded, "bare", alone=True) and not _is_on_work(beside, most=_BEHIND)


def is_on_manner(said: str, *, by_other: bool = False) -> bool:
    """Tell whether words that were read as on how to answer somebody are: an order or a wish, and on speaking.

    ``by_other``: whether they are told in the third person: "Ana wants no bullet points".
    """
    if asks_for_manner(said):
        return True
    folded = fold(said)
    is_wished = _EN["wishes"] if by_other else _EN["orders"]
    return _EN["speaking"].search(folded) is not None and is_wished.search(folded) is not None


def _asks(folded: str, form: str, *, alone: bool = False) -> bool:
    """Tell whether an order of a form stands in a sentence that asks for no work; ``alone``: with fillers at most."""
    asks = folded.rstrip().endswith("?")
    return any(
        not _is_of_other(folded, found)
        and not (asks and not _EN["asks_politely"].search(folded, 0, found.end()))
        and not _EN["work"].search(rest := f"{folded[: found.start()]} … {folded[found.end() :]}")
        and not (alone and _says_more(rest))
        for found in _EN[form].finditer(folded)
    )


def _is_of_other(folded: str, order: re.Match[str]) -> bool:
    """Tell whether it only goes on with what somebody does: "I never swear and don't use slang"."""
    goes_on = _EN["shares_subject"].match(order[0]) is not None
    return goes_on and _EN["has_subject"].search(folded, 0, order.start()) is not None


def _says_more(rest: str) -> bool:
    return not _FILLERS.issuperset(words(_EN["lasting_reason"].sub(" ", rest)))


def _is_on_work(beside: str, *, most: int | None = None) -> bool:
    """Tell whether another sentence asks, or orders a piece of work, or says more than so many words at ``most``."""
    for sentence in (fold(each[:_CHARS]) for each in islice(split_sentences(beside), _SENTENCES)):
        if any(_asks(sentence, form) for form in ("habit", "manner", "topic", "bare")):
            continue
        is_longer = most is not None and len(words(sentence)) > most
        if is_longer or "?" in sentence or _EN["work"].search(sentence):
            return True
    return False
