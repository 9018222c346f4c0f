"""Sentences in which the person says what they have decided (English)."""

from __future__ import annotations

from collections.abc import Sequence

from yesteryear.core.language import lexicon
from yesteryear.providers.local.patterns import any_of
from yesteryear.providers.local.reading import Sentence

MOST = 8
"""Decisions named at most; the latest, for they may overturn the others."""

_DECIDES = any_of(
    r"""
    decided decision_(?:is|stands|made) settled settles_(?:it|that) agreed it's_final it_is_final
    made_up_(?:my|our)_minds? (?:my_)?mind(?:'s|_is)_made(?:_up)? mind_made_up
    (?:i|we|i've|we've|i_have|we_have)_(?:chose|chosen|picked|opted|resolved|committed|quit|resigned|accepted)
    (?:i|we|i've|we've|i_have|we_have)_(?:cancell?ed|signed|declined|enrolled|booked|registered|dropped)
    (?:i|we|i've|we've|i_have|we_have)_(?:handed_in|given_notice|gave_notice|said_(?:yes|no)|turned_\w+_down)
    (?:i'm|im|i_am|we're|we_are)_(?:\w+_)?(?:going_to|gonna|going_with|going_for|sticking|quitting|leaving)
    (?:i'm|im|i_am|we're|we_are)_(?:\w+_)?(?:moving|stopping|dropping|cancelling|switching|staying|keeping)
    (?:i'm|im|i_am|we're|we_are)_(?:\w+_)?(?:selling|starting|done_with)
    (?:i|we)_(?:won't|will|shall|refuse_to) (?:i'll|we'll)
    (?:i|we)_told_(?:\w+_){1,2}(?:no|yes|i'd|i_would|i'll|we'd|that_i) going_with
    from_(?:now|today|tomorrow|next_\w+|\w+day)_on
    (?:from|starting|as_of)_(?:now|today|tomorrow|next_\w+|\w+day) no_more never_again no_longer
    not_(?:doing|going|applying|renewing|signing|selling|buying) papers?_signed contract_signed
    it(?:'s|_is)_(?:over|finished) we're_done the_plan_is plan: deal:
    (?:i_)?stop(?:ping)?_(?:on|from|in|at) count_me_in write_(?:it|that|this)_down (?:that|it)_stays
    (?:the_)?(?:goal|plan|date|rule)_(?:stands|stays)
    """
)
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
_BARE_WORDS = 5
"""Words up to which a sentence is shown with the one before it in its message: "that's settled" says nothing alone."""


def find_decisions(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """Return what the users say they have decided, in order; neither what they weigh nor what they imagine."""
    found: dict[str, None] = {}
    before: Sentence | None = None
    for sentence in sentences:
        if decides(sentence):
            if len(sentence.text.split()) > _BARE_WORDS or before is None or before.message is not sentence.message:
                found[sentence.text] = None
            elif not decides(before):
                found[f"{before.text} {sentence.text}"] = None
        before = sentence
    return tuple(found)[-MOST:]


def decides(sentence: Sentence) -> bool:
    """Tell whether the sentence states a decision."""
    return (
        not sentence.is_question
        and _DECIDES.search(sentence.folded) is not None
        and _OPEN.search(sentence.folded) is None
        and lexicon.FICTION.search(sentence.folded) is None
    )
