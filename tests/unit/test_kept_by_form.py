"""What is kept for the form of its sentence, and what only looks like it."""

from __future__ import annotations

import pytest

from tests.each import each
from yesteryear.core.language.told.kept_by_form import KeptBy, kept_by_form

TO_REMEMBER, TO_DO, APPOINTMENT, UNLISTED, TASK_OVER, FOR_GOOD, CALLED, IN_QUESTION, RELATION, TASTE = KeptBy


def kept(text: str) -> list[tuple[str, KeptBy]]:
    """Return each sentence that is kept, and its form."""
    return [(text[start:end], form) for start, end, form in kept_by_form(text)]


@each(
    ("text", "form"),
    [
        ("Remember that the boiler man is called Osei", TO_REMEMBER),
        ("Note to self: the spare key hangs behind the meter", TO_REMEMBER),
        ("remind me to ring the vet on friday", TO_DO),
        ("don't ask me anything heavy before 9", FOR_GOOD),
        ("From now on answer me in Welsh", FOR_GOOD),
        ("never call me before noon", FOR_GOOD),
        ("from now on call me Jo", CALLED),
        ("only two options per question, ever", FOR_GOOD),
        ("I'd rather you left my mother out of it", FOR_GOOD),
        ("whenever I send you a price assume pounds", FOR_GOOD),
        ("no jokes about my hair please", FOR_GOOD),
        ("do I tell the dentist I'm allergic to latex?", IN_QUESTION),
        ("Which crossings are calm, as my father gets seasick?", IN_QUESTION),
        ("what can I bake for my niece who's coeliac?", IN_QUESTION),
        ("is it ok to run when I've only got one kidney?", IN_QUESTION),
    ],
)
def test_the_form_of_a_sentence_is_told(text: str, form: KeptBy) -> None:
    """Asked to be remembered, for good, or told while asking."""
    assert kept(text) == [(text, form)]


@pytest.mark.parametrize(
    "text",
    [
        "remember that song? lol",
        "Remind me, what is the capital of Peru?",
        "please remember this",
        "write a card and don't forget the line about the cat",
        "make this one shorter",
        "no bullet points in the mail, ever",
        "give me the table again",
        "You never asked.",
        "how do I know if I'm pregnant?",
        "am I allergic to cats?",
        "Proofread this: 'Always call me Skipper from now on.'",
        "if i ever win i'm buying a farm and never sending an invoice",
        "",
    ],
)
def test_what_only_looks_like_it_is_left(text: str) -> None:
    """Orders for this once, idioms, questions and the words of others."""
    assert kept(text) == []


@each(
    ("text", "sentence"),
    [
        ("The wifi code is on the fridge. Keep that, please.", "The wifi code is on the fridge."),
        ("Please remember this. The wifi code is on the fridge.", "The wifi code is on the fridge."),
    ],
)
def test_a_request_that_points_is_for_the_sentence_beside_it(text: str, sentence: str) -> None:
    """Before it, or behind it where it opens the message."""
    assert kept(text) == [(sentence, TO_REMEMBER)]


@each(
    ("text", "sentence"),
    [
        ("hm. My knee is why I can't train.", "My knee is why I can't train."),
        ("We bought a cargo bike. Now we can sell the second car.", None),
        ("I need to finish my thesis before I can apply for the job.", None),
        ("Yoga really helps with my back, I swear", None),
    ],
)
def test_what_bears_on_what_in_their_life_is_kept(text: str, sentence: str | None) -> None:
    """In the sentence, or the two, that tell it."""
    assert kept(text) == [(sentence or text, RELATION)]


@pytest.mark.parametrize(
    "text",
    [
        "The build depends on the cache.",
        "the pan is hot so I'll be brief",
        "My neighbour can't sell his house because of the damp.",
        "In our campaign my paladin can't enter the temple until he finds the key.",
        'She wrote "My knee is why I can\'t train, before you ask me."',
        "Would I be allowed to drive if I stopped taking the pills?",
        "If I won the lottery my debts would be what keeps me from nothing.",
    ],
)
def test_what_bears_on_nothing_of_theirs_is_left(text: str) -> None:
    """Others' affairs, games, quotations, cases that are put, and what is of the moment."""
    assert kept(text) == []


def test_a_relation_within_a_request_is_kept_once() -> None:
    """For the request, which says more of why."""
    assert kept("Please remember that my knee is why I can't train.") == [
        ("Please remember that my knee is why I can't train.", TO_REMEMBER)
    ]


@each(
    ("text", "sentence", "form"),
    [
        ("Ha, true. I need to water the tomatoes tonight.", "I need to water the tomatoes tonight.", TO_DO),
        ("Nice. I have a vet appointment on Friday at 4.", "I have a vet appointment on Friday at 4.", APPOINTMENT),
        ("My vet appointment got moved to Monday.", None, APPOINTMENT),
        ("Please take 'Water all of the tomatoes' off my list.", None, UNLISTED),
        ("I finally watered the tomatoes.", None, TASK_OVER),
        ("I can't make it to the vet appointment.", None, TASK_OVER),
    ],
)
def test_what_is_to_be_done_and_is_no_more_is_kept(text: str, sentence: str | None, form: KeptBy) -> None:
    """Each sentence of it; the name of what is off may stand in quotation marks."""
    assert kept(text) == [(sentence or text, form)]


@pytest.mark.parametrize(
    "text",
    [
        'Sam wrote: "I need to call the bank before Friday."',
        'The note says "I just finished the tax report" and nothing else',
        "I need to write an essay about bees, can you outline it?",
        "I've cleaned the carrier with a wire brush, and the noise is still there when I brake gently from thirty.",
        "I have to say, I need a break.",
    ],
)
def test_what_is_no_task_of_theirs_is_left(text: str) -> None:
    """Others' words, what is done while one talks, and what they tell of their work in passing."""
    assert kept(text) == []
