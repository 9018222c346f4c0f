"""How somebody wants to be answered, and what only looks like it."""

from __future__ import annotations

import pytest

from tests.each import each
from yesteryear.core.language.told.kept_by_form import KeptBy, kept_by_form
from yesteryear.core.language.told.manners import asks_for_manner


def kept(text: str) -> list[KeptBy]:
    """Return the forms of the orders that are kept of a message."""
    return [form for _, _, form in kept_by_form(text) if form in (KeptBy.FOR_GOOD, KeptBy.CALLED)]


@pytest.mark.parametrize(
    "text",
    [
        "Please don't use emojis.",
        "no emojis please",
        "Stop using emojis.",
        "Could you please not use exclamation marks?",
        "Keep your answers short.",
        "Keep it short please.",
        "Short answers please.",
        "Please be brief.",
        "Hi! Please be brief.",
        "Your answers are too long",
        "Please answer in German.",
        "Speak to me in Spanish please.",
        "English only please",
        "Please use metric units.",
        "Always use 24h time",
        "Be more direct with me.",
        "Don't be so formal",
        "Please don't mention my weight.",
        "Don't remind me about the gym.",
        "Stop suggesting meditation",
        "Can you keep your replies short from now on?",
        "I hate it when you use bullet points.",
        "I'd prefer you didn't use emojis",
        "I'm dyslexic, so don't use italics.",
        "One question at a time please",
        "can u stop with the bullet points, I like plain paragraphs",
        "I'm moving to Berlin in May. Please answer me in German.",
    ],
)
def test_the_manner_of_answering_is_for_good(text: str) -> None:
    """By its nature, without a word for it."""
    assert kept(text) == [KeptBy.FOR_GOOD]


@pytest.mark.parametrize(
    "text",
    [
        "I go by they/them.",
        "they/them please",
        "I don't like it when you call me buddy",
        "Everyone calls me Rob.",
        "I go by Jo these days",
        "I'd rather be called Robin",
    ],
)
def test_what_they_are_called_is_told_apart(text: str) -> None:
    """It is an attribute of its own."""
    assert kept(text) == [KeptBy.CALLED]


@pytest.mark.parametrize(
    "text",
    [
        "Make this email short",
        "Answer in German: what is a quark?",
        "keep it short, it's a tweet",
        "Translate this to Spanish",
        "Keep the mail short.",
        "What is a quark? Please be brief.",
        "Write me a poem. No emojis please.",
        "Draft a toast for my brother. Don't mention his ex.",
        "Use metric units for this one",
        "Keep it short, I'm in a hurry.",
        "I've got a meeting in five. Keep it short.",
        "Actually no, make it a duck. Be brief.",
        "be straight with me, should I give them an extension?",
    ],
)
def test_what_is_for_a_piece_of_work_or_the_moment_is_left(text: str) -> None:
    """In the sentence or beside it."""
    assert kept(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Can you speak Spanish?",
        "My daughter never uses emojis",
        "My parents are from Chile and speak Spanish.",
        "I never swear and don't use slang",
        "Don't mention it.",
        "Don't remind me of that",
        "Please don't mention my weight to my mum",
        "Don't remind me about the dentist, I've already booked",
        "Don't talk about my mum like that",
        "My boss told me to be brief.",
        "I need to be more direct with my boss",
        "I use emojis a lot",
        "I go by bus to work",
        "I go by Tesco on my way home",
        "People call me crazy",
        "No more essays, finals are over!",
        "I was born on a boat, so don't tell me about sea legs.",
        "Be honest, do I look tired?",
        'She wrote: "Please do not use emojis."',
    ],
)
def test_what_is_no_order_to_whoever_answers_is_left(text: str) -> None:
    """What others do, what is told of oneself, idioms and quotes."""
    assert kept(text) == []


@each(
    "text",
    [
        *("I told my sister: stop using slang", "He says, stop lecturing", "Stop asking me questions, she said"),
        *("Dear Tom, don't bring up work", "stop agreeing with him", "My boss told us: keep your answers short"),
    ],
)
def test_orders_that_others_give_or_are_given_are_nobodys_wish(text: str) -> None:
    """Whoever tells of them asks for nothing."""
    assert not asks_for_manner(text)


def test_a_long_message_is_read_in_linear_time() -> None:
    """What stands beside an order is read in part, however long it is."""
    assert asks_for_manner("Please don't use emojis.", "and " * 20_000)
