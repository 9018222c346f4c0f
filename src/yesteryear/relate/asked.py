"""What somebody asks of how things bear on each other: "what's keeping me from the marathon?" English. Pure."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.relate.inference import GraphQuestion

MOST_CHARS = 300  # longest message that may be such a question, in characters


class AskedRelation(NamedTuple):
    """What is asked, in the words of who asks."""

    question: GraphQuestion
    of: str  # empty for all conflicts
    to: str  # of a path, where it leads; else empty


@cache
def _rows() -> tuple[tuple[GraphQuestion, re.Pattern[str]], ...]:
    rows = vocabulary("relations").rows("asked")
    return tuple((GraphQuestion(row["question"]), re.compile(row["pattern"], re.IGNORECASE)) for row in rows)


def asked_relation(text: str) -> AskedRelation | None:
    """Return what a message asks of how things bear on each other; None where it asks no such thing."""
    said = text.strip()
    if len(said) > MOST_CHARS or "?" not in said:
        return None
    for question, pattern in _rows():
        found = pattern.search(said)
        if found:
            named = found.groupdict()
            of, to = ((named.get(name) or "").strip(" ?.,!") for name in ("of", "to"))
            if (of or question is GraphQuestion.CONFLICTS) and (to or question is not GraphQuestion.PATH):
                return AskedRelation(question, of, to)
    return None
