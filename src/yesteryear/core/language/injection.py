"""Orders to an assistant that stand in text somebody pasted: they are nobody's wish, least of all the person's.

English. Such an order is addressed to a machine, tells it what to keep in mind, and speaks of the person from outside.
In quoted text two of these are enough; in the person's own words nearly all must come together.
"""

from __future__ import annotations

import re

from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("injection")
_LEXICON = vocabulary("lexicon")

_TO_BINDING = 60  # most characters between a machine and what turns a statement about it into an order
_TO_ORDER = 100  # most characters between that and the verb, and between the verb and what is to be kept


def shows_orders(line: str) -> bool:
    """Tell whether a line that goes before a model reads like orders to it; it is then shown as a quotation."""
    return _EN["may_order"].search(fold(line)) is not None and looks_injected(line)


def looks_injected(text: str) -> bool:
    """Tell whether ``text`` carries orders to an assistant that are not its author's.

    True for overrides ("ignore all previous instructions"), for orders about memory in quoted or pasted text that
    address a machine or speak of its user from outside, and for unquoted sentences that do both without any first
    person. What people ask for themselves, in their own words, is never injected.
    """
    own, quoted = (fold(part) for part in own_words(text))
    lines = quoted.split("\n")
    if any(_EN[sign].search(line) for sign in ("override", "relayed_order", "quoted_fact") for line in lines):
        return True
    if _EN["override"].search(own) or any(map(_orders_machines, lines)):
        return True
    if not _EN["clue"].search(own):
        return False
    is_brought_in = _LEXICON["source"].search(own) is not None
    return any(
        _EN["relayed_order"].search(sentence)
        or (_is_order(sentence, is_brought_in=is_brought_in) and not _EN["first_person"].search(sentence))
        for sentence in split_sentences(own)
    )


def _is_order(sentence: str, *, is_brought_in: bool) -> bool:
    """Tell whether a sentence without quotation marks is addressed to a machine; less is asked of pasted text."""
    if is_brought_in:
        return bool(_EN["pasted_fact"].search(sentence)) or _orders_machines(sentence)
    is_of_user = _EN["fact_of_user"].search(sentence) is not None
    return is_of_user or (_EN["owner"].search(sentence) is not None and _tells_to_keep(sentence))


def _orders_machines(text: str) -> bool:
    """Tell whether any machine is told to do something, or one machine to keep something in mind."""
    return _tells_to_keep(text) or any(
        _EN["order"].search(text, begin, begin + _TO_ORDER) for begin in _bindings(text, _EN["any_machine"])
    )


def _tells_to_keep(text: str) -> bool:
    begins = _bindings(text, _EN["machine"])
    ends = [found.end() for begin in begins if (found := _EN["keeping"].search(text, begin, begin + _TO_ORDER))]
    return any(_EN["kept"].search(text, end, end + _TO_ORDER) for end in ends)


def _bindings(text: str, machines: re.Pattern[str]) -> list[int]:
    """Return where, after each machine that is spoken to, an order may begin."""
    ends = (machine.end() for machine in machines.finditer(text))
    return sorted({found.end() for end in ends if (found := _EN["binding"].search(text, end, end + _TO_BINDING))})
