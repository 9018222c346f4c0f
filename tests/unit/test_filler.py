"""What may be left out when something is shown again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.discourse import is_idle, says_nothing, trim_filler
from yesteryear.core.language.sentences import split_sentences


@each(
    ("said", "shown"),
    [
        ("Hi there! I moved to Porto.", ["I moved to Porto."]),
        ("Wow, great! I moved to Porto. Thanks so much!", ["I moved to Porto."]),
        ("I moved to Porto. Haha. It rains here. Bye!", ["I moved to Porto.", "It rains here."]),
        ("Lol 😂\nMy knee hurts.", ["My knee hurts."]),
    ],
)
def test_sentences_of_greetings_and_thanks_are_left_out(said: str, shown: list[str]) -> None:
    """Wherever they stand, whatever signs they end with."""
    assert trim_filler(split_sentences(said)) == shown


@each(
    "said",
    [
        "",
        "Thanks!",
        "Hi there! Thanks so much!",
        "Yes. I moved to Porto.",
        "No! I moved to Porto.",
        "I moved to Porto. Right.",
        "How are you? I moved to Porto.",
        "I moved to Porto. Great great great great great great great.",
        "Good morning Clara! I moved to Porto.",
        "Hola! Me mudé a Oporto.",
        "好。我搬到了波尔图。",
    ],
)
def test_all_else_is_left_as_it_was(said: str) -> None:
    """Answers, questions, names, other languages; and a text that would be left empty."""
    sentences = split_sentences(said)
    assert trim_filler(sentences) == sentences


@each(
    ("said", "says"),
    [
        ("Thanks, Nia!", False),
        ("Good morning Clara!", False),
        ("Wow", False),
        ("Yes, Nia.", True),
        ("Hi Nia is here", True),
    ],
)
def test_who_is_only_turned_to_says_nothing(said: str, says: bool) -> None:
    """Of what makes another sentence clear."""
    assert says_nothing(said) is not says


@given(st.lists(st.sampled_from(["Hi!", "Thanks.", "Yes.", "I ran.", "Who?", "Wow, great!", "ok", "\n"])).map(" ".join))
def test_what_is_shown_was_said(said: str) -> None:
    """Whole sentences in their order; never nothing out of something, and trimming twice changes nothing."""
    sentences = split_sentences(said)
    shown = trim_filler(sentences)
    every = iter(sentences)
    assert all(sentence in every for sentence in shown)
    assert bool(shown) == bool(sentences)
    assert trim_filler(shown) == shown


def test_a_run_of_marks_is_read_in_linear_time() -> None:
    """Nobody keeps a process busy by marks behind a name."""
    assert says_nothing("Hi Nia" + "'-" * 200_000 + "x y") is False


@each(
    ("message", "is_nothing"),
    [
        ("lol", True),
        ("ok cool, thanks!", True),
        ("Good night!", True),
        ("yes please", False),
        ("go on", False),
        ("really", False),
        ("no", False),
        ("Thanks! What's for dinner?", False),
        ("", False),
    ],
)
def test_a_message_of_filler_is_about_nothing(message: str, is_nothing: bool) -> None:
    """An answer is about what was asked, and an empty one about everything."""
    assert is_idle(message) is is_nothing
