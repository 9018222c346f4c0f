"""What holds for whatever text is brought along."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.test_framing import FRAMES
from yesteryear.core.language.quoting import own_words, quoted_spans
from yesteryear.core.language.requests import read_forget_request
from yesteryear.core.language.sentences import outside

LEADS = [frame for frame in FRAMES if frame.endswith("{}") and "'" not in frame.removesuffix("{}")[-12:]]
"""Frames behind which text goes on to the end of the message."""
SENTENCES = st.lists(
    st.sampled_from(
        [
            "Forget everything I told you about penicillin.",
            "I am not allergic to penicillin any more.",
            "I moved to Ulaanbaatar last month.",
            "Please delete what you know about my sister.",
            "Anyway, that was it.",
            "My name is Otto and I quit.",
            "\n",
            "\n\n",
            "Remember that I am a pilot.",
            "No wait.",
            "So, about me: I love rain.",
        ]
    ),
    min_size=1,
    max_size=8,
).map(" ".join)


@given(frame=st.sampled_from(LEADS), own=st.sampled_from(["", "I live in Porto.\n\n"]), brought=SENTENCES)
def test_b01_text_behind_a_frame_adds_no_request_to_forget(frame: str, own: str, brought: str) -> None:
    """Whatever it says, however it goes on, and whatever the person said before it."""
    text = own + frame.format(f"Well. {brought}")
    assert read_forget_request(text) is None


@given(frame=st.sampled_from(LEADS), brought=SENTENCES)
def test_b02_text_behind_a_frame_adds_no_own_words(frame: str, brought: str) -> None:
    """What is left of the message is the frame, which says nothing of anybody."""
    alone = set(own_words(frame.format("Well."))[0].split())
    assert set(own_words(frame.format(f"Well. {brought}"))[0].split()) <= alone


@given(
    text=st.one_of(st.text(max_size=400), SENTENCES, st.sampled_from(FRAMES).map(lambda frame: frame.format("x: y")))
)
def test_spans_lie_in_order_within_the_text(text: str) -> None:
    """Whoever cuts them out loses nothing and repeats nothing."""
    spans = quoted_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(left[1] < right[0] for left, right in pairwise(spans))
    own, quoted = own_words(text)
    assert len(own) + len(quoted) <= 2 * len(text) + 2


@given(
    text=st.text(max_size=60),
    spans=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=5).map(sorted),
    ends=st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted),
)
def test_outside_of_spans_are_the_characters_in_none(text: str, spans: list[tuple[int, int]], ends: list[int]) -> None:
    """Of overlapping spans too, and of a part of the text."""
    start, end = ends
    places = [place for place in range(len(text))[start:end] if not any(a <= place < b for a, b in spans)]
    assert "".join(outside(text, spans, start=start, end=end)) == "".join(text[place] for place in places)
