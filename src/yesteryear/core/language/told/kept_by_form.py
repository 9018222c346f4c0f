"""What a sentence tells that is kept for its form alone, whatever a reader finds it worth.

What somebody asks to have remembered; how they want to be spoken to from now on; what they tell as known while they ask
("do I tell her I'm allergic to penicillin?"); what they have to do, what is set for a day, and that it is done, off or
moved; what they tell to bear on what in their life ("my knee is why I can't train"); what they like and dislike.
English, by rules, and only in somebody's own words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import islice

from yesteryear.core.attributes import may_be_of
from yesteryear.core.language.discourse import topic_stems
from yesteryear.core.language.quoting import quoted_spans
from yesteryear.core.language.requests import asks_to_remember
from yesteryear.core.language.sentences import Span, meet, outside, sentence_spans
from yesteryear.core.language.tokens import fold, stem, with_plain_apostrophes, words
from yesteryear.core.language.told.about_oneself import says_as_known
from yesteryear.core.language.told.manners import asks_for_manner
from yesteryear.core.language.told.named_task import TaskState
from yesteryear.core.language.told.relations import find_relations
from yesteryear.core.language.told.tasks import find_told_tasks, is_for_now, speaks_of_a_list
from yesteryear.core.language.told.tastes import find_tastes
from yesteryear.core.language.vocabulary import vocabulary

_EN, _LIFE, _REMEMBERING = vocabulary("keeping"), vocabulary("life"), vocabulary("remembering")
_SELF = vocabulary("relations")["own"]

_SENTENCES = 40  # sentences read of a message, from its beginning
_CHARS = 600  # characters of the longest sentence that is read; who says more in one tells it in others
_BRIEF_WORDS = 14
"""Words of the longest sentence that is kept for telling that something is done, and of no list; more tell a story."""
_SURE = 0.7
"""How sure it is, in [0, 1], that a sentence tells a relation for which it is kept. Source: exchanges of which nothing
else tells whether to keep them; rules as sure find something in 39 that are worth it and in 9 that are not, those that
are less so ("the pan is hot, so I'll be brief") in 50 and in 25."""


class KeptBy(StrEnum):
    """The form for which a sentence is kept."""

    TO_REMEMBER = "to_remember"
    TO_DO = "to_do"  # they have it to do, or ask to be reminded of it
    APPOINTMENT = "appointment"  # it is set for a day, or for another
    UNLISTED = "unlisted"  # they take such a thing off a list or out of a calendar
    TASK_OVER = "task_over"  # it is done, to be done no more, or does not take place
    FOR_GOOD = "for_good"  # how they want to be spoken to, or what is never to be done with them
    CALLED = "called"  # what they want to be called, or not to be
    IN_QUESTION = "in_question"
    RELATION = "relation"  # how things in their life bear on each other
    TASTE = "taste"  # what they like or dislike, by its name


def kept_by_form(text: str) -> Iterator[tuple[int, int, KeptBy]]:
    """Yield start and end of each sentence that is kept for its form, and the form; relations, tasks, tastes come last.

    Where a request to remember points back ("keep that, please"), it is the sentence before; at the beginning of a
    message the one behind it. Where two sentences tell a relation, both are one.
    """
    spans, quoted = list(islice(sentence_spans(text), _SENTENCES)), quoted_spans(text)
    taken: list[Span] = []
    for start, end, form in _asked_or_told(text, spans, quoted):
        yield start, end, form
        taken.append((start, end))
    for span in _relating(text, spans):
        if not meet(span, [*quoted, *taken]):
            yield *span, KeptBy.RELATION
            taken.append(span)
    tastes = (taste for taste in find_tastes(text) if taste.is_lasting)
    own = (each for each in tastes if not any(begin <= each.start and each.end <= stop for begin, stop in quoted))
    for start, end, form in (*_tasks(text, spans, quoted), *((each.start, each.end, KeptBy.TASTE) for each in own)):
        if not meet((start, end), taken):
            yield start, end, form


def _relating(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Yield where sentences surely tell how things in their speaker's life bear on each other."""
    for told in find_relations(text[: spans[-1][1]] if spans else ""):
        within = [span for span in spans if meet(span, [told.within])]
        start, end = within[0][0], within[-1][1]
        if told.sure >= _SURE and end - start <= _CHARS and _SELF.search(text, start, end):
            yield start, end


def _asked_or_told(text: str, spans: Sequence[Span], quoted: Sequence[Span]) -> Iterator[tuple[int, int, KeptBy]]:
    is_asked = asks_to_remember(text)
    for place, (start, end) in enumerate(spans):
        sentence = text[start:end]
        if end - start > _CHARS:
            continue
        if is_asked and (lead := _EN["lead"].match(sentence)) and asks_to_remember(lead[0]):
            yield start, end, KeptBy.TO_REMEMBER
        elif meet((start, end), quoted):
            continue
        elif _EN["goes_by"].search(with_plain_apostrophes(sentence)):
            yield start, end, KeptBy.CALLED
        elif orders_for_good(sentence, f"{text[:start]} {text[end:]}"):
            yield start, end, KeptBy.CALLED if _EN["calls_them"].search(fold(sentence)) else KeptBy.FOR_GOOD
        elif is_asked and asks_to_remember(sentence):
            yield from _asked(text, spans, place)
        elif tells_in_question(sentence):
            yield start, end, KeptBy.IN_QUESTION


def _asked(text: str, spans: Sequence[Span], place: int) -> Iterator[tuple[int, int, KeptBy]]:
    """Yield what is asked to be remembered in the sentence at a place: that it tells itself, or the one next to it."""
    start, end = spans[place]
    folded = fold(text[start:end])
    if _tells_what(folded):
        yield start, end, KeptBy.TO_DO if _EN["reminds"].search(folded) else KeptBy.TO_REMEMBER
    elif len(spans) > 1 and _EN["points_back"].search(folded):
        yield *spans[place - 1 if place else 1], KeptBy.TO_REMEMBER


def _tasks(text: str, spans: Sequence[Span], quoted: Sequence[Span]) -> Iterator[tuple[int, int, KeptBy]]:
    """Yield each sentence that tells what is to be done, set for a day, or no more; what is off may stand in quotes."""
    for start, end in spans:
        within = [each for each in quoted if meet(each, [(start, end)])]
        said = " 'quoted' ".join(outside(text, within, start=start, end=end))
        form = _as_task(said, text)
        may_quote = form in (KeptBy.TO_DO, KeptBy.UNLISTED, KeptBy.TASK_OVER) or speaks_of_a_list(said)
        if form and (not within or may_quote):
            yield start, end, form


def _as_task(sentence: str, message: str) -> KeptBy | None:
    """Return the form of a sentence that tells what is to be done, or set for a day, or no more; None of another."""
    states = {told.state for told in find_told_tasks(sentence) if not told.in_passing}
    if TaskState.UNLISTED in states:
        return KeptBy.UNLISTED
    if states & {TaskState.DONE, TaskState.DROPPED, TaskState.MISSED}:
        return KeptBy.TASK_OVER if len(words(sentence)) <= _BRIEF_WORDS or speaks_of_a_list(sentence) else None
    if states & {TaskState.APPOINTED, TaskState.MOVED}:
        return KeptBy.APPOINTMENT
    return KeptBy.TO_DO if states and not is_for_now(sentence, message) else None


def orders_for_good(sentence: str, beside: str = "") -> bool:
    """Tell whether somebody says how they want to be spoken to from now on, or what is never to be done with them.

    "Don't ask me deep stuff before 10", "no emojis ever", "max three things on a list from here on", "keep your answers
    short". False for what is asked for this once: "no bullet points in this one". ``beside`` is what else is said.
    """
    folded = fold(sentence)
    if _EN["this_once"].search(folded):
        return False
    is_order = (_EN["for_good"].search(folded) and _EN["order"].search(folded)) or _EN["refusal"].search(folded)
    may_be = may_be_of("reply_style", folded)  # not so "no time for chess anymore"
    return (bool(is_order) and may_be and not folded.rstrip().endswith("?")) or asks_for_manner(sentence, beside)


def tells_in_question(sentence: str) -> bool:
    """Tell whether a question tells something of its speaker or their people as known."""
    folded = fold(sentence)
    if not folded.rstrip().endswith("?") or _LIFE["imagined"].search(folded) or _LIFE["worked_on"].match(folded):
        return False
    if any(_EN[form].search(folded) for form in ("known_because", "known_perfect", "known_person")):
        return True
    return says_as_known(sentence, (joint.end() for joint in _EN["known_clause"].finditer(folded)))


def _tells_what(folded: str) -> bool:
    """Tell whether a sentence that asks to remember also says what: "remember I'm vegan", not "keep that, please"."""
    asks = folded.rstrip().endswith("?") and not _REMEMBERING["polite"].search(folded)
    is_of_other = asks or any(_EN[form].search(folded) for form in ("points_back", "asks_back", "on_a_text"))
    return not is_of_other and not topic_stems(folded) <= frozenset(map(stem, _EN.words("asking")))
