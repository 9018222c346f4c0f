"""Sentences in which the person says what they have decided (English)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from yesteryear.core.fact import FactDraft, FactKind
from yesteryear.core.language import lexicon
from yesteryear.providers.local.patterns import any_of
from yesteryear.providers.local.reading import Sentence

MOST = 8
"""Decisions named at most; the latest, for they may overturn the others."""
SHORT_WORDS = 25
"""Most words of a message that is shown whole when it decides something: "that's settled" says nothing alone."""

_SETTLES = any_of(
    r"""
    decided decision_(?:is|stands|made) settled settles_(?:it|that) agreed it's_final it_is_final
    made_up_(?:my|our)_minds? (?:my_)?mind(?:'s|_is)_made(?:_up)? mind_made_up
    (?:i|we|i've|we've|i_have|we_have)_(?:chose|chosen|picked|opted|resolved|committed|quit|resigned|accepted)
    (?:i|we|i've|we've|i_have|we_have)_(?:cancell?ed|signed|declined|enrolled|booked|registered|dropped)
    (?:i|we|i've|we've|i_have|we_have)_(?:handed_in|given_notice|gave_notice|said_(?:yes|no)|turned_\w+_down)
    (?:i|we|i've|we've|i_have|we_have)_moved_(?:my|our|the)
    (?:i|we)_told_(?:\w+_){1,2}(?:no|yes|i'd|i_would|i'll|we'd|that_i) going_with
    (?:i|we)_(?:do|try|take|sign|stop|start|sell)_it doing_it_now
    from_(?:now|today|tomorrow|next_\w+|\w+day)_on
    (?:from|starting|as_of)_(?:now|today|tomorrow|next_\w+|\w+day) no_more never_again no_longer
    not_(?:doing|going|applying|renewing|signing|selling|buying) papers?_signed contract_signed
    it(?:'s|_is)_(?:over|finished) we're_done the_plan_is plan: deal:
    (?:i_)?stop(?:ping)?_(?:on|from|in|at) count_me_in write_(?:it|that|this)_down (?:that|it)_stays
    (?:the_)?(?:goal|plan|date|rule)_(?:stands|stays)
    """
)
"""Wordings that leave nothing open."""
_INTENDS = any_of(
    r"""
    (?:i'm|im|i_am|we're|we_are)_(?:\w+_)?(?:going_to|gonna|going_with|going_for|sticking|quitting|leaving)
    (?:i'm|im|i_am|we're|we_are)_(?:\w+_)?(?:moving|stopping|dropping|cancelling|switching|staying|keeping)
    (?:i'm|im|i_am|we're|we_are)_(?:\w+_)?(?:selling|starting|done_with)
    (?:i|we)_(?:won't|will|shall|refuse_to) (?:i'll|we'll)
    """
)
"""Wordings of a decision, and of much that is said in passing."""
_OPEN = any_of(
    r"""
    (?:haven't|hasn't|not|nothing(?:'s|_is)?)_(?:\w+_)?(?:decided|settled|agreed) undecided
    can(?:'t|not)_(?:decide|choose) couldn't_decide maybe perhaps might probably thinking_(?:of|about)
    tempted should_i could_i wondering considering i_wish would_have what_if unless i_swear don't_know
    dunno (?:they|he|she|who|you)_decided
    (?:i'll|we'll|i_will|we_will|i'm_going_to)_(?:\w+_)?(?:see|think|try|be|never_forget|remember|miss)
    (?:i'll|we'll|i_will|we_will|i'm_going_to)_(?:\w+_)?(?:tell_you|ask_you|quote|need|have_to|die|say)
    if_i_(?:was|were|had|ever|don't|didn't)
    """
)


def find_decisions(sentences: Sequence[Sentence], facts: Sequence[FactDraft] = ()) -> tuple[str, ...]:
    """Return what the users say they have decided, in order; neither what they weigh nor what they imagine.

    Args:
        sentences: What users say, in order.
        facts: What they state; those of the kind decision are told too.
    """
    quotes: dict[str, list[str]] = {}
    for fact in facts:
        if fact.kind is FactKind.DECISION and not _OPEN.search(lexicon.fold(fact.quote)):
            quotes.setdefault(fact.message_id, []).append(fact.quote)
    found: dict[str, None] = {}
    for message_id, said in groupby(sentences, key=lambda sentence: sentence.message.id):
        found.update(dict.fromkeys(_decisions_in(list(said), quotes.get(message_id, []))))
    return tuple(found)[-MOST:]


def decides(sentence: Sentence) -> bool:
    """Tell whether the sentence states a decision, or what somebody is set to do."""
    return _is_decided(sentence) or (_is_meant(sentence) and _INTENDS.search(sentence.folded) is not None)


def _decisions_in(sentences: Sequence[Sentence], quotes: Sequence[str]) -> Iterator[str]:
    """Yield what one message decides; the whole of it where it is short."""
    settling = [place for place, sentence in enumerate(sentences) if _is_decided(sentence)]
    if not (settling or quotes):
        return
    if sum(len(sentence.text.split()) for sentence in sentences) <= SHORT_WORDS:
        yield " ".join(sentence.text for sentence in sentences if not sentence.is_question) or sentences[0].text
        return
    texts = [_with_what_it_settles(sentences, place) for place in settling]
    yield from texts
    yield from (quote for quote in quotes if not any(_overlap(quote, text) for text in texts))


def _with_what_it_settles(sentences: Sequence[Sentence], place: int) -> str:
    text = sentences[place].text
    return f"{sentences[place - 1].text} {text}" if place and len(text.split()) <= _BARE_WORDS else text


def _overlap(quote: str, text: str) -> bool:
    return quote in text or text in quote or quote[:_SAME_CHARS] in text or text[:_SAME_CHARS] in quote


def _is_decided(sentence: Sentence) -> bool:
    return _is_meant(sentence) and _SETTLES.search(sentence.folded) is not None


def _is_meant(sentence: Sentence) -> bool:
    return not (sentence.is_question or _OPEN.search(sentence.folded) or lexicon.FICTION.search(sentence.folded))


_BARE_WORDS = 7
"""Words up to which a sentence of a longer message is shown with the one before it."""
_SAME_CHARS = 20
"""Characters that a quote and a sentence must share at their beginning to be the same."""
