"""Whether the same was said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.sentences import fingerprint, fingerprints


@each(
    "other",
    ["I MOVED my runs", "  I moved\n my   runs!", "i moved — my runs…", "*I moved* my_runs", "“I moved my runs”?!"],
)
def test_case_spacing_and_punctuation_make_no_difference(other: str) -> None:
    """The words do."""
    assert fingerprint(other) == fingerprint("I moved my runs")


@each("other", ["I moved my run", "I moved my runs 2", "my runs I moved", "I movedmy runs", "I moved your runs", ""])
def test_other_words_are_something_else(other: str) -> None:
    """In another order, too."""
    assert fingerprint(other) != fingerprint("I moved my runs")


@each(("one", "other"), [("वह गया", "वह गये"), ("🎉", "😢"), ("done 👍", "done 👎"), ("c", "c̃")])
def test_marks_and_emoji_say_something(one: str, other: str) -> None:
    """They are no punctuation."""
    assert fingerprint(one) != fingerprint(other)


def test_a_fingerprint_is_the_same_in_every_process() -> None:
    """It is kept with what a context has shown."""
    assert fingerprint("I moved my runs") == 692001792691869177
    assert 0 <= fingerprint("") < 2**64


def test_a_text_has_a_fingerprint_for_each_sentence() -> None:
    """In any order, each once."""
    assert fingerprints(["I run.", "I swim!", "I run?"]) == {fingerprint("I run"), fingerprint("I swim")}
    assert fingerprints([]) == frozenset()


@given(st.text())
def test_any_text_has_a_fingerprint(text: str) -> None:
    """Of 64 bits; signs around it change nothing."""
    assert fingerprint(text) == fingerprint(f" {text}…")
    assert 0 <= fingerprint(text) < 2**64
