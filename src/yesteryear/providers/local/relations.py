"""Draft from a talk what its users say to bear on each other, by the words that join it."""

from __future__ import annotations

from collections.abc import Callable

from yesteryear.core.episode import Talk
from yesteryear.core.language.told_relations import find_relations
from yesteryear.core.reading import MEANT
from yesteryear.core.relation import RelationDraft
from yesteryear.core.whose_words import others_spans
from yesteryear.providers.local.facts.drafting import own_messages

_MOST_CHARS = 4_000  # characters of a message, from its beginning, that are looked through


def draft_relations(talk: Talk, *, yield_to_foreground: Callable[[], None]) -> tuple[RelationDraft, ...]:
    """Return what users say to bear on each other, in the order in which they say it.

    Only as themselves: not what they quote or bring along, imagine, ask or say in jest.
    """
    found: list[RelationDraft] = []
    for said in own_messages(talk):
        yield_to_foreground()
        text, reading = said.message.content[:_MOST_CHARS], talk.readings.get(said.message.id)
        sentences = reading.sentences if reading is not None else ()
        unmeant = [(row.start, row.end) for row in sentences if row.is_brought or row.stance not in MEANT]
        unmeant += others_spans(text, reading)
        for told in find_relations(text):
            if not any(start < told.within.end and told.within.start < end for start, end in unmeant):
                source, target, quote = (text[slice(*span)] for span in (told.source, told.target, told.within))
                found.append(RelationDraft(told.relation, source, target, quote, said.message.id, told.sure))
    return tuple(found)
