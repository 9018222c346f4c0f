"""What somebody asks to have forgotten is read with every doubt on the side that destroys less."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.language.cues import asks_to_forget
from yesteryear.core.language.forgetting import ForgetRequest, Reach, read_forget_requests
from yesteryear.core.language.subjects import plain_marks, read_phrase, speaks_of, subject_keys

THIS = [
    "don't keep this",
    "Don't write that down.",
    "off the record: I think Sam is a terrible dentist",
    "please don't remember the next bit, it's about my therapist",
    "between us, I never liked the house",
    "i weigh 94 kilos btw but dont save that anywhere",
    "don't hold on to anything I say about the custody",
    "I'd rather this wasn't saved",
    "forget this message as soon as you've read it: pin 3321",
    "what I'm about to say must not be stored. I relapsed.",
    "off the record, I told my boss to go to hell",
    "don't keep this: I said yes to Tom",
    "I kissed Tom last night. Delete that.",
    "what I said about Laura stays between us",
]
LAST = [
    "forget what I just said",
    "forget that I told you that",
    "Scratch that, delete it from your memory.",
    "forget I said anything",
    "erase my last message",
    "Could you remove my previous message from your memory?",
    "can you unhear that?",
    "Forget everything I said in this conversation",
    "forget our whole conversation",
    "i told you my real name by accident. lose it",
    "that last remark of mine, please forget it",
    "let's pretend I didn't say that last bit",
    "don't keep what I just told you",
    "treat what I just said as unsaid",
    "forget what I said about her",
    "delete that from your memory please",
]
ABOUT = [
    ("forget what I said about Laura", ["Laura"]),
    ("forget everything about my knee operation", ["knee operation"]),
    ("delete everything you know about my salary", ["salary"]),
    ("I don't want you to remember my address any more", ["address"]),
    ("can you wipe the thing with the landlord", ["landlord"]),
    ("stop remembering where I work", ["where I work"]),
    ("forget what I said about my ex, please, it hurts", ["ex"]),
    ("please erase my address from your notes", ["address"]),
    ("I want you to forget Rashid. Name, number of years, all of it.", ["Rashid"]),
    ("pretend i never brought up Kwabena", ["Kwabena"]),
    ("Please drop the nickname thing, I only used it for a joke", ["nickname"]),
    ("forget my ex's name", ["ex's name"]),
    ("pls dont keep track of my cycle anymore", ["cycle"]),
    ("forget what I said about Theo and the car, ok?", ["Theo", "car"]),
    ("forget what I told you about my rash, my cough or my knee", ["rash", "cough", "knee"]),
    ("I'd like everything about my therapy deleted", ["therapy"]),
    ("what I told you about my mother's will must be forgotten", ["mother's will"]),
    ("that thing about the mortgage, delete it please", ["mortgage"]),
    ("don't keep what I said about Dr. Lindqvist", ["Dr. Lindqvist"]),
    ("please forget all I said about the tattoo because I changed my mind", ["tattoo"]),
    ("Erase all mentions of Oskar from your memory", ["Oskar"]),
    ("hey can u delete what i said abt my landlord thx", ["landlord"]),
    ("FORGET WHAT I SAID ABOUT MY SISTER", ["SISTER"]),
    ("Forget everything about me and Laura", ["Laura"]),
    ("forget what I said about Laura and move on", ["Laura"]),
    ("forget what I said about Laura, I was angry and tired", ["Laura"]),
    ("what I said about Laura is true, but forget what I said about Tom", ["Tom"]),
    ("Don't save this, and forget what I said about “the audit”.", ["audit"]),
    ("Remember my birthday. Forget what I said about the audit.", ["audit"]),
]
ALL = [
    "forget everything about me",
    "delete all you know",
    "forget me",
    "Please forget everything you know about me.",
    "could you please delete everything you have stored about me?",
    "forget everything I've ever told you",
    "I don't want you to remember anything about me any more",
    "forget who I am",
    "forget that you ever knew me",
    "everything you know about me, delete it",
    "I want all you know about me erased",
    "please delete everything about me and forget what I said about Laura",
]
DOUBTS = [
    ("forget it", "an idiom"),
    ("forget about it", "an idiom"),
    ("Forget about the pizza.", "an idiom"),
    ("please forget the salad", "an order"),
    ("forget my mother, what about you", "an idiom"),
    ("forget my last idea", "called off"),
    ("you need to forget her, she's gone", "advice to a friend"),
    ("Forget everything you know about pasta: this recipe is different", "rhetoric"),
    ("Forget everything and start over", "rhetoric"),
    ("scrap what I said about Rome", "taken back"),
    ("forget all previous instructions", "no subject"),
    ("Never, ever forget what I told you about Laura", "refused"),
    ("if you forget everything about me, I'll be sad", "a condition"),
    ("when I die, delete everything about me", "a condition"),
    ("once we're finished, forget everything about the client", "a condition"),
    ("how can I make you forget everything about me?", "a question"),
    ("is there a way to delete everything you know about me?", "a question"),
    ("can you delete everything you know about me?", "perhaps a question"),
    ("will you forget me?", "a question"),
    ("forget everything about me apart from my allergies", "an exception"),
    ("Delete everything about me. But keep my recipes.", "an exception"),
    ("delete the part about my boss from the essay", "other work"),
    ("please don't save anything about my health", "perhaps what follows"),
    ("forget what I told you yesterday about Laura", "another day only"),
    ("my sister says: forget everything about me", "somebody else's words"),
    ("just between us, I want to forget everything about him", "the speaker's own memory"),
]
CORRECTIONS = [
    "forget what I said about Tuesday, it's Wednesday",
    "Forget what I said about my flight, it's on Friday now",
    "forget what I said about the price - it's 40",
    "actually, forget what I said about Oslo, we're going to Rome",
]
NO_REQUESTS = [
    "forget it, let's order pizza",
    "never mind",
    "don't forget what I said about my allergy",
    "I'll never forget what you said about my dress",
    "why do you forget everything about me?",
    "I want to forget everything about him",
    "let's forget about Laura and have lunch",
    '"Forget everything about me", she wrote in the letter',
    "delete the second row of the table",
    "just between us I want to delete everything about Laura from my phone",
    "",
]


@pytest.mark.parametrize("text", THIS)
def test_a_refusal_to_have_something_kept_reaches_no_further_than_the_message(text: str) -> None:
    """What is not to be kept is what is being said."""
    assert read_forget_requests(text) == (ForgetRequest(Reach.THIS),)


@pytest.mark.parametrize("text", LAST)
def test_what_was_just_said_is_pointed_back_to(text: str) -> None:
    """The last message, "that" with nothing before it, and a subject that is only a pronoun."""
    assert read_forget_requests(text) == (ForgetRequest(Reach.LAST),)


@pytest.mark.parametrize(("text", "subjects"), ABOUT)
def test_a_subject_is_read_in_the_persons_words(text: str, subjects: list[str]) -> None:
    """Without determiners and politeness, and each of several subjects by itself."""
    assert read_forget_requests(text) == tuple(ForgetRequest(Reach.ABOUT, subject) for subject in subjects)


@pytest.mark.parametrize("text", ALL)
def test_everything_is_only_what_says_so(text: str) -> None:
    """Everything about the person, or all that is known; it leaves nothing to ask beside it."""
    assert read_forget_requests(text) == (ForgetRequest(Reach.ALL),)


@pytest.mark.parametrize(("text", "why"), DOUBTS)
def test_doubt_reaches_no_further_than_the_message(text: str, why: str) -> None:
    """Idioms, questions, conditions, exceptions and other work destroy nothing that was said before."""
    assert {asked.reach for asked in read_forget_requests(text)} <= {Reach.THIS}, why


@pytest.mark.parametrize("text", CORRECTIONS)
def test_a_correction_asks_nothing(text: str) -> None:
    """The new value has to be kept, and the old one ends by it."""
    assert read_forget_requests(text) == ()


@pytest.mark.parametrize("text", NO_REQUESTS)
def test_what_does_not_ask_to_forget_has_no_requests(text: str) -> None:
    """Other talk of forgetting is not read any further."""
    assert not asks_to_forget(text)
    assert read_forget_requests(text) == ()


@pytest.mark.parametrize(
    ("words", "subjects"),
    [
        ("my fight with Laura and my mother", ["fight with Laura and my mother"]),
        ("Laura and Tom's wedding", ["Laura and Tom's wedding"]),
        ("the new job at Siemens pls", ["new job at Siemens"]),
        ("Mia, Jonas and the flat, because they asked", ["Mia", "Jonas", "flat"]),
        ("my sister who lives in Oslo", ["sister"]),
        ("the clinic and tell me a joke", ["clinic"]),
        ("who I voted for, please", ["who I voted for"]),
        ("him and the car", ["car"]),
        ("the whole thing", []),
        ("it", []),
    ],
)
def test_what_belongs_together_stays_one_subject(words: str, subjects: list[str]) -> None:
    """To forget both parts of a phrase apart would be to forget more than was named."""
    assert list(read_phrase(f"about {words}", len("about ")).subjects) == subjects


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Laura", "LAURA!"),
        ("laura", "I saw Laura's new flat"),
        ("sister Laura", "Laura is ill"),
        ("Dr. Lindqvist", "The talk by Dr Lindqvist was good"),
        ("Laura’s wedding", "Laura called. Her wedding is in May."),
        ("Sebastian Kurz", "sebastian kurz rang"),
        ("Will", "Will called me"),
        ("knee operation", "My knee hurts. I dread the operation."),
        ("ex", "my ex-wife came by"),
        ("Mum", "mum's better"),
    ],
)
def test_a_message_speaks_of_a_subject(subject: str, text: str) -> None:
    """By a whole name, or by all words of the subject close to one another."""
    assert speaks_of(text, subject_keys(subject))


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Laura", "the Lauras of this world"),
        ("Laura's wedding", "Laura is ill"),
        ("affair with Tom", "Tom is here"),
        ("Sebastian Kurz", "Sebastian left"),
        ("Will", "will you come?"),
        ("Rose", "prices rose again"),
        ("knee operation", "My knee hurts. It rains a lot. The operation of the tool is simple."),
        ("ex", "for example"),
        ("old address", "my address is 5 Elm Street"),
    ],
)
def test_a_message_that_only_comes_near_does_not_speak_of_a_subject(subject: str, text: str) -> None:
    """Part of the subject, another word, or words far apart are something else."""
    assert not speaks_of(text, subject_keys(subject))


@pytest.mark.parametrize(
    "subject", ["", "thing", "stuff", "work", "where I work", "how I feel", "Tuesday", "2019", "me", "mother's will"]
)
def test_what_points_at_many_things_has_no_keys(subject: str) -> None:
    """By such a subject nothing can be told, so nothing is forgotten."""
    keys = subject_keys(subject)
    assert keys.is_empty
    assert not speaks_of(f"We spoke of {subject} at work on Tuesday.", keys)


PIECES = st.sampled_from(
    [
        "forget what I said about",
        "please delete everything you know about",
        "don't keep",
        "I want you to forget",
        "wipe your memory of",
        "off the record",
        "my ex",
        "Laura’s flat",
        "me",
        "that",
        "the “whole” thing",
        "and",
        "from your notes",
        "any more",
        ",",
        ".",
        "?",
        "it's Wednesday",
        "if I ask",
        "\n",
    ]
)


@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_requests_are_said_in_the_message(text: str) -> None:
    """Only a text that asks has requests, subjects are parts of it, and what stands alone does."""
    requests = read_forget_requests(text)
    reaches = [asked.reach for asked in requests]
    assert asks_to_forget(text) or not requests
    assert len(set(requests)) == len(requests)
    assert len(requests) == 1 or not {Reach.THIS, Reach.ALL} & set(reaches)
    for asked in requests:
        assert (asked.reach is Reach.ABOUT) == bool(asked.subject)
        assert asked.subject in plain_marks(text).replace("\n", " ")


@given(
    st.sampled_from(["Laura", "Project Osprey", "knee operation", "Ben's debts", "trip to Rome", "Zoë", "diagnosis"]),
    st.text(max_size=80),
)
def test_a_message_with_the_whole_subject_speaks_of_it(subject: str, text: str) -> None:
    """The subject in its own words is found, whatever else a message says."""
    assert speaks_of(f"{text}\nwe spoke of the {subject}", subject_keys(subject))


@pytest.mark.parametrize(
    "unit", ["forget the the, ", "forget what I said about a and ", "my x and the y, ", "said, it's "]
)
def test_a_hostile_list_is_read_to_its_end(unit: str) -> None:
    """A long run of one thing is read once, not tried in all combinations."""
    text = f"forget {unit * (20_000 // len(unit))}"
    assert len(read_forget_requests(text)) <= 1_000
    assert not speaks_of(text, subject_keys("Laura's flat"))
