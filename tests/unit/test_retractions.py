"""What somebody takes back of what they just said, and what is none of that."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.retractions import find_retractions, find_withdrawn


def taken(*said: str, then: str, heard: str = "") -> list[list[str]]:
    """Return what a message takes back, in words, of each message before it and last of itself."""
    found = find_retractions(said, then, heard=heard)
    return [[text[start:end] for start, end in spans] for text, spans in zip((*said, then), found, strict=True)]


@each(
    ("said", "then", "heard", "back"),
    [
        (
            "We eloped this morning. At the registry.",
            "april fools",
            "",
            ["We eloped this morning.", "At the registry."],
        ),
        ("I'm leaving the band.", "ok I'm not leaving, I was cross", "Really?", ["I'm leaving the band."]),
        ("I'm selling the boat.", "No I'm not, who'd have it", "You're selling the boat?", ["I'm selling the boat."]),
        ("I quit smoking. My dog is called Rex.", "I didn't quit at all", "", ["I quit smoking."]),
        ("My son is Ole. We bought a yacht.", "kidding about the yacht", "", ["We bought a yacht."]),
        ("I won the lottery.", "sorry, my brother took my phone and wrote that", "", ["I won the lottery."]),
        ("I speak Greek. I own a bank.", "lol none of that is true", "", ["I speak Greek.", "I own a bank."]),
        ("I have a yacht. I keep bees.", "scratch the yacht bit", "", ["I have a yacht."]),
        ("I sold the boat. Cash.", "nah course not", "You sold the boat?", ["I sold the boat.", "Cash."]),
        ("I wish upon a star I had a horse", "it's a song", "", ["I wish upon a star I had a horse"]),
    ],
)
def test_it_is_found_in_the_message_before(said: str, then: str, heard: str, back: list[str]) -> None:
    """In all the ways that people have, as far as their words tell."""
    assert taken(said, then=then, heard=heard)[0] == back


@each(
    ("text", "back"),
    [
        ("i bought a boat lol jk", ["i bought a boat", " lol jk"]),
        ("I've gone over to gin. No, I have not, it's tea.", ["I've gone over to gin.", "No, I have not"]),
        ("i quit!!! ok no i didnt but i want to", ["i quit!!!", "ok no i didnt"]),
        ("oh i LOVE being on hold, three hours", ["oh i LOVE being on hold"]),
        ("Day 3 of jury duty. Living the dream.", ["Living the dream"]),
        ("I LOVE my dentist. I love being a nurse, so much.", []),
    ],
)
def test_it_is_found_in_the_message_itself(text: str, back: list[str]) -> None:
    """With the words that take it back, which say nothing alone."""
    assert taken(then=text) == [back]


@each(
    ("said", "then", "heard"),
    [
        ("I have a dog.", "No, I don't", "Do you smoke?"),
        ("I have a dog.", "no", "Do you smoke?"),
        ("I have a dog.", "no", "You smoke?"),
        ("I like Anna.", "I don't like her mother", ""),
        ("I smoke.", "I don't smoke any more", ""),
        ("I got the job!", "no joke, I start on monday", "No way!"),
        ("I got the job!", "not kidding", "Are you kidding?"),
        ("I took the shoes.", "I take it back to the shop tomorrow", ""),
        ("We're at the twins' party.", "I'm kidding around with the twins", ""),
        ("I'm off to the gym.", "He was joking", ""),
        ("Are you coming?", "no I'm not", ""),
        ("I'm allergic to nuts.", "I'm not allergic to nuts.", ""),
        ("I live in Leeds.", 'The sign said: "none of that is true"', ""),
        ("I should run more.", "I don't run", ""),
        ("She says I'm late.", "she isn't well", ""),
        ("My dog is ill.", "that's the joke", ""),
        ("I'm allergic to nuts.", "It's no joke.", ""),
        ("I'm allergic to nuts.", "No.", "Are you allergic to nuts and to anything else?"),
        ("I live in Leeds.", "No.", "Did you grow up in Leeds?"),
        ("I work at Tesco.", "No, I don't.", "Do you work at Tesco on Sundays too?"),
        ("I live in Leeds.", "No, I don't.", "Do you live alone? Just curious."),
        ("I have two kids, Tom and Lea.", "No.", "Really? Do your kids like school?"),
        ("I'm a nurse and live in Leeds.", "Someone stole my phone!", ""),
        ("I'm a nurse.", "My mum was on my laptop all day.", ""),
        ("I'm a nurse.", "It's the story of my life.", ""),
        ("I'm a nurse.", "I was reading the label and there were traces of nuts.", ""),
        ("I take warfarin.", "It's the message my doctor sent.", ""),
        ("I'm a nurse.", "I wish", "Do you get the weekends off?"),
        ("We got married in May.", "It was a dream.", ""),
        ("I crashed the car.", "It was the meds.", ""),
        ("My rent went up to 2000. I live in Leeds.", "It's a joke!", ""),
        ("I shouted at Tom.", "I didn't mean it.", ""),
        ("I'm engaged to Tom.", "That was Tom texting.", ""),
        ("I quit drinking in March.", "I don't drink.", ""),
        ("I sold my car.", "I don't have a car.", ""),
        ("My brother hates my sister.", "My sister doesn't hate my brother.", ""),
        ("I love my job but the commute is killing me.", "I don't love the commute.", ""),
    ],
)
def test_what_takes_nothing_back(said: str, then: str, heard: str) -> None:
    """An answer to something else, a change, a part, others' words; nor is safety undone by a mere denial."""
    assert taken(said, then=then, heard=heard) == [[], []]


@each(
    ("text", "named"),
    [
        ("Strike what I said about Lou, I don't want that kept.", ["Lou"]),
        ("nope. and take out that panic attack bit from thursday", ["panic attack"]),
        ("delete dt thing i told u abt zee n d lecturer, its not my gist", ["zee n d lecturer"]),
        ("good morning. ignore what i wrote in the night, i stay", ["in the night"]),
        ("forget what I said re the smoking", ["the smoking"]),
    ],
)
def test_what_is_not_to_be_kept_is_named(text: str, named: list[str]) -> None:
    """By what it was about, or when it was said."""
    assert [each.named for each in find_withdrawn(text)] == named


@each(
    "text",
    [
        "Don't forget what I said about the dog.",
        "Did you forget what I said about the dog?",
        "He told me to forget what I said about the dog.",
        "cancel the dentist on monday",
        "Please remove the bakery part from my CV.",
        "Delete the bakery line in the email, it's too long.",
        "Scrap the hiking thing on Saturday, it's raining.",
        "Now cut the cheese bit into cubes.",
        'She wrote: "strike what I said about Lou"',
        "I dropped it off on Sunday.",
        "",
    ],
)
def test_what_is_to_be_kept(text: str) -> None:
    """Orders to keep, questions, what others were told, and orders of another kind."""
    assert find_withdrawn(text) == []


@given(st.lists(st.text(max_size=60), max_size=3), st.text(max_size=60), st.text(max_size=20))
def test_places_lie_within_their_texts_in_order(said: list[str], then: str, heard: str) -> None:
    """Whatever is said."""
    found = find_retractions(said, then, heard=heard)
    for text, spans in zip((*said, then), found, strict=True):
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(one[0] <= other[0] for one, other in pairwise(spans))


def test_letters_that_folding_makes_longer_leave_all_places() -> None:
    """Else what stands behind would be told torn."""
    said = "ßßßßßßßß I moved there, just kidding. I am allergic to nuts."
    (spans,) = find_retractions([], said)
    assert [said[start:end] for start, end in spans] == ["ßßßßßßßß I moved there", ", just kidding."]
