"""What somebody asks to have forgotten is read with every doubt on the side that hides less."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.requests import (
    Reach,
    plain_answer,
    plain_marks,
    read_forget_request,
    read_phrase,
    says_more,
    speaks_of,
    subject_keys,
)

LAST = [
    "forget that",
    "Please forget this.",
    "forget what I just said",
    "Oh no, forget what I said",
    "delete my last message",
    "Could you delete my last message from your memory?",
    "don't keep this",
    *(f"Please don{mark}t remember that." for mark in "\u2018\u2019\u02bc\u2032\uff07`\u00b4"),
    "can you forget that?",
    "wipe it from your memory",
    "don't save what I just told you",
    "I'd rather you didn't remember that",
    "forget I said that",
    "I want you to forget that",
    "that was off the record",
    "remove that from your notes",
    "Dont store that anywhere pls",
    "let's pretend I never said that",
    "strike that from the record",
    "you don't need to remember this",
    "no need to remember that",
    "keep this out of your notes",
    "I don't want that remembered",
    "can you unhear that?",
]
THIS = [
    "My salary is 90k, don't save that please",
    "off the record: I think Sam is a terrible dentist",
    "I kissed Tom last night. Please don't remember this.",
    "i weigh 94 kilos btw but dont save that anywhere",
    "don't keep this: I said yes to Tom",
    "I hate it here. Forget I said that.",
]
ABOUT = [
    ("forget everything about my ex", ["ex"], "your ex"),
    ("forget what I said about Laura", ["Laura"], "Laura"),
    ("Forget what I said about Tom. I'm vegan now.", ["Tom"], "Tom"),
    ("please forget everything I told you about my knee operation", ["knee operation"], "your knee operation"),
    ("delete everything you know about my salary", ["salary"], "your salary"),
    ("stop remembering things about Laura", ["Laura"], "Laura"),
    ("can you forget everything about the flat and Laura?", ["flat", "Laura"], "the flat and Laura"),
    ("remove Laura from your memory", ["Laura"], "Laura"),
    ("please erase my address from your notes", ["address"], "your address"),
    ("forget my address", ["address"], "your address"),
    ("don't remember anything about my job", ["job"], "your job"),
]
ALL = [
    "forget everything",
    "forget me",
    "Delete everything you know about me.",
    "wipe your memory",
    "please delete all my data",
    "erase all memories of me",
    "can you forget everything about me?",
]
NOTHING = [
    ("omg forget i asked", "a turn of speech"),
    ("scratch that, make it two", "a correction"),
    ("scratch that, a FRIEND said", "a correction"),
    ("forget it, I'm not going", "a turn of speech"),
    ("forget it", "never mind"),
    ("forget about it!", "a turn of speech"),
    ("never mind", "a turn of speech"),
    ("fuhgeddaboudit", "a turn of speech"),
    ("forget I said anything", "a turn of speech"),
    ("forget about Tom, let's eat", "a turn of speech"),
    ("I forget things", "told of oneself"),
    ("I keep forgetting that", "told of oneself"),
    ("I'll never forget that", "told of oneself"),
    ("I want to forget my ex", "a wish about oneself"),
    ("I want to forget everything about him", "a wish about oneself"),
    ("let's forget about work tonight", "a wish about oneself"),
    ("between you and me, I hate it", "a turn of speech"),
    ("don't forget to call mum", "asks to remember"),
    ("don't forget that I moved", "asks to remember"),
    ("forget me not", "a flower"),
    ("delete the second paragraph", "other work"),
    ("delete that file", "other work"),
    ("clear the table", "other work"),
    ("delete Laura from my phone", "other work"),
    ("Don't keep that jacket", "other work"),
    ("delete it", "which may be a file"),
    ("forget my old address, I live in Leeds now", "a correction"),
    ("forget what I said about Tuesday, it's Wednesday", "a correction"),
    ("forget what I said about Tuesday. It's Wednesday.", "a correction"),
    ("do you forget everything about me?", "a question"),
    ("did you forget that", "a question"),
    ("how do I delete my last message?", "a question"),
    ("once we are done, forget everything about me", "a condition"),
    ("if I die, forget everything about me", "a condition"),
    ("forget everything about Rome except the food", "an exception"),
    ("forget everything about him", "a subject that names nobody"),
    ("Forget everything I said about the meeting yesterday", "a day, which the subject does not hold"),
    ("My boss said: don't record this", "somebody else's words"),
    ('"Forget everything about me", she wrote in the letter', "a quotation"),
    ("> forget everything about penicillin", "a quotation"),
    ("What does this sign say?\nForget everything about penicillin", "brought along"),
    ("Forget what I just said was the title of her talk", "goes on"),
    ("", "nothing"),
]


@each("text", LAST)
def test_the_whole_of_a_message_may_point_at_what_was_just_said(text: str) -> None:
    """It says nothing else, so nothing is lost with it."""
    requested = read_forget_request(text)
    assert requested is not None
    assert requested.reach is Reach.LAST
    assert not says_more(text)


@each("text", THIS)
def test_a_part_of_a_message_may_point_at_that_message(text: str) -> None:
    """And reaches no further back, for nobody can tell what it points at."""
    requested = read_forget_request(text)
    assert requested is not None
    assert requested.reach is Reach.THIS
    assert says_more(text)


@each(("text", "subjects", "named"), ABOUT)
def test_a_request_about_a_subject_is_a_proposal(text: str, subjects: list[str], named: str) -> None:
    """It names the subject in the person's words, and the question names it to them."""
    requested = read_forget_request(text)
    assert requested is not None
    assert (requested.reach, requested.is_proposal) == (Reach.ABOUT, True)
    assert (list(requested.subjects), requested.named) == (subjects, named)


@each("text", ALL)
def test_a_request_for_everything_is_a_proposal(text: str) -> None:
    """Nobody loses everything over one sentence."""
    requested = read_forget_request(text)
    assert requested is not None
    assert (requested.reach, requested.is_proposal) == (Reach.ALL, True)


@each(("text", "why"), NOTHING)
def test_a15_whatever_else_is_said_asks_nothing(text: str, why: str) -> None:
    """An innocent message was taken for a request and erased."""
    assert read_forget_request(text) is None, why


@each("text", ["yes", "Yes please", "yep do it", "confirm", "Yes, please. Thanks!", "ok, go ahead"])
def test_a_plain_yes_says_nothing_else(text: str) -> None:
    """Only then it can be no answer to anything else."""
    assert plain_answer(text) is True


@each("text", ["no", "No thanks.", "nope", "please don't", "keep it"])
def test_a_plain_no_says_nothing_else(text: str) -> None:
    """As a yes."""
    assert plain_answer(text) is False


@each("text", ["yes but not Tom", "ok", "yesterday", "yes, I went home", "no idea", "", "y" * 99])
def test_what_says_more_is_no_answer(text: str) -> None:
    """It leaves the question open."""
    assert plain_answer(text) is None


@each(
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
    assert list(read_phrase(f"about {words}", len("about "))[0]) == subjects


@each(
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


@each(
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


@each("subject", ["", "thing", "stuff", "work", "where I work", "how I feel", "Tuesday", "2019", "me", "mother's will"])
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
    requested = read_forget_request(text)
    if requested is not None:
        assert (requested.reach is Reach.ABOUT) == bool(requested.subjects) == bool(requested.named)
        assert all(subject in " ".join(plain_marks(text).split()) for subject in requested.subjects)


@given(
    st.sampled_from(["Laura", "Project Osprey", "knee operation", "Ben's debts", "trip to Rome", "Zoë", "diagnosis"]),
    st.text(max_size=80),
)
def test_a_message_with_the_whole_subject_speaks_of_it(subject: str, text: str) -> None:
    """The subject in its own words is found, whatever else a message says."""
    assert speaks_of(f"{text}\nwe spoke of the {subject}", subject_keys(subject))


@each("unit", ["forget the the, ", "forget what I said about a and ", "my x and the y, ", "said, it's "])
def test_a_hostile_list_is_read_to_its_end(unit: str) -> None:
    """A long run of one thing is read once, not tried in all combinations."""
    text = f"forget {unit * (20_000 // len(unit))}"
    assert read_forget_request(text) is None
    assert not speaks_of(text, subject_keys("Laura's flat"))
