"""Commands in a person's own words to remember something; what asks to forget stands in ``forgetting``.

English only. One table of verbs serves every form: a command to retain and a refusal to discard ask to remember. What a
verb comes to is read from what stands right of it (is it about memory at all) and left of it (is somebody told to, and
is it refused). Nothing here decides what follows.
"""

from __future__ import annotations

import re

from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("remembering")

_READ_CHARS = 2_000
"""Characters read at each end of somebody's own words: that is where a command stands in a long message."""
_REACH = 160
"""Characters read to the left of a verb."""


def asks_to_remember(text: str) -> bool:
    """Tell whether somebody asks, in their own words, that something be remembered.

    True for "remember that …", "don't forget …", "could you make a note of …", "next time I ask, tell me …". False for
    questions about memory ("do you remember?"), for what people say of themselves ("I'll never forget it"), and within
    quotations.
    """
    return any(
        any(_EN[form].search(sentence) for form in ("remember_idioms", "standing_order", "later_question"))
        or _asks_to_retain(sentence)
        for sentence in _own_sentences(text)
    )


def _own_sentences(text: str) -> list[str]:
    own, _ = own_words(text)
    if len(own) > 2 * _READ_CHARS:
        own = f"{own[:_READ_CHARS]}\n{own[-_READ_CHARS:]}"
    return split_sentences(fold(own))


def _asks_to_retain(sentence: str) -> bool:
    """Tell whether somebody commands or wishes in a sentence that something be kept, or not be dropped."""
    for found in _EN["verbs"].finditer(sentence):
        left = _EN["clause_break"].split(sentence[max(0, found.start() - _REACH) : found.start()])[-1]
        is_passive = found["retained"] is not None or found["discarded"] is not None
        governor = _governor(left, "passive_wishes" if is_passive else "commands")
        if governor is None or _only_speaks_of_memory(sentence, found, governor):
            continue
        is_refused = bool(_EN["refused"].search(governor)) or (not is_passive and bool(_EN["refused"].search(found[0])))
        retains = found["retain"] is not None or found["retained"] is not None
        if retains is not is_refused:
            return True
    return False


def _governor(left: str, governors: str) -> str | None:
    """Return the longest end of ``left`` that turns the verb after it into a command, or None."""
    matches = [match[0] for governor in _EN.group(governors).values() if (match := governor.search(left))]
    return max(matches, key=len, default=None)


def _only_speaks_of_memory(sentence: str, found: re.Match[str], governor: str) -> bool:
    """Tell "remember the two of us?" and "don't remember if I said" from commands."""
    if found[0].startswith("hold that thought"):
        return True  # wait a moment
    if found[0] != "remember" or sentence.startswith(":", found.end()):
        return False
    if sentence.startswith((" that", " this"), found.end()) and (governor.strip() or not sentence.endswith("?")):
        return False
    is_question = sentence.endswith("?") and not _EN["polite"].search(sentence, found.end())
    return is_question or bool(_EN["refused"].search(governor) and _EN["whether"].match(sentence, found.end()))
