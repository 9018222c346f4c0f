"""What somebody is told to like or dislike, beside what was read of the same words, and how it stands as a fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from yesteryear.core.attributes import Cardinality, FactKind, Volatility, attributes
from yesteryear.core.fact import FAVOURITE, TASTE, Modality, Slot
from yesteryear.core.language.about_oneself import says_of_oneself
from yesteryear.core.language.safety_and_identity import read_bearing
from yesteryear.core.language.tastes import Taste, find_tastes
from yesteryear.core.language.tokens import words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.reading import MessageReading, ReadSentence, ReadStatement, SpeakerStance, Whose

MOST_BESIDE = 8
"""Words beside a taste, from which a statement that tells it says something else besides. Source: chosen."""
_OWN_WORDS = vocabulary("tastes").words("own_words")
_NOT_SO = frozenset({SpeakerStance.IMAGINED, SpeakerStance.JOKING, SpeakerStance.QUOTED})


def told_tastes(
    text: str,
    own: Sequence[ReadStatement],
    reading: MessageReading,
    *,
    quoted: Sequence[tuple[int, int]],
    apart: Sequence[tuple[int, int]],
    from_worth: float,
    worth: float,
) -> Iterator[tuple[Taste, ReadStatement]]:
    """Yield what somebody tells they like or dislike, and what of it was read, or stands for that.

    Of the thing of a moment ("the soup") only what was read with ``from_worth`` at least, in [0, 1]; nothing that was
    not meant, was brought along, stands wholly in what is ``quoted``, or meets what is kept ``apart``. ``own`` are the
    statements of the message, ``worth`` is the least of what is yielded; spans are start and end in the text.
    """
    unmeant = [(each.start, each.end) for each in reading.sentences if each.is_brought or each.stance in _NOT_SO]
    for taste in find_tastes(text):
        is_set_apart = any(start < taste.end and taste.start < end for start, end in (*apart, *unmeant))
        if is_set_apart or any(start <= taste.start and taste.end <= end for start, end in quoted):
            continue
        about = [read for read in own if read.start < taste.end and taste.start < read.end]
        best = max(about, key=lambda read: read.worth, default=None)
        if taste.is_lasting or (best and best.worth >= from_worth):
            least = max(best.worth if best else 0, worth)
            place = ReadStatement(
                taste.start, taste.end, least, SpeakerStance.HOLDS, FactKind.PREFERENCE, Whose.SELF, is_alone=True
            )
            known = attributes().get(best.attribute) if best and best.whose is Whose.SELF else None
            is_of_tastes = known is not None and known.kind is FactKind.PREFERENCE
            yield taste, replace(place, attribute=best.attribute) if best and is_of_tastes else place


def is_of_taste(text: str, reading: MessageReading, read: ReadStatement, tastes: Sequence[tuple[int, int]]) -> bool:
    """Tell whether what was read tells no more than a taste of the same sentence, or what speaks for it.

    Not where it bears on somebody's safety, or tells something else of the speaker: "I love cake, but I'm diabetic".
    """
    within = [each for each in reading.sentences if each.start < read.end and read.start < each.end]
    near = [span for span in tastes if any(_meet(span, each) for each in within)]
    if not near or read_bearing(text[read.start : read.end]).is_safety:
        return False
    places = range(read.start, read.end)
    beside = "".join(text[at] for at in places if not any(start <= at < end for start, end in near)).strip(" ,;.")
    if says_of_oneself(beside):
        return False
    if read.kind is FactKind.PREFERENCE and any(_meet(span, read) for span in near):
        return True
    said = words(beside)
    return len(said) < MOST_BESIDE and _OWN_WORDS.isdisjoint(said)


def standing_of(taste: Taste) -> dict[str, Any]:
    """Return how a taste stands: one at a time of one thing, and one favourite of a kind."""
    attribute, value = (FAVOURITE + taste.favourite, taste.thing) if taste.favourite else (TASTE + taste.name, "liked")
    return {
        "slot": Slot(attribute, value, Cardinality.SINGLE),
        "is_negative": not taste.is_liked,
        "modality": Modality.ASSERTED,
        "volatility": Volatility.SLOW,
        "valid_to": None,
    }


def _meet(span: tuple[int, int], read: ReadStatement | ReadSentence) -> bool:
    return span[0] < read.end and read.start < span[1]
