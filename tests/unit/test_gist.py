"""What is left of an episode once its words are gone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.episode import Digest, GistLine, gist_lines
from yesteryear.core.language.sentences import fingerprint
from yesteryear.core.language.tokens import stems


def lines(summary: str, *key_points: str, decisions: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Return text and speaker of each line that is left."""
    digest = Digest(topic="", summary=summary, key_points=key_points, decisions=decisions)
    return [(line.text, line.speaker) for line in gist_lines(digest)]


def test_each_sentence_is_a_line_of_whoever_said_it() -> None:
    """A name before a colon holds until the next one, and not beyond its text."""
    assert lines(
        "Ana: I moved my runs. The evenings are too hot. Ben Silva: I bake bread.",
        "Runs in the morning.",
        decisions=("Ana: We go in October.",),
    ) == [
        ("I moved my runs.", "Ana"),
        ("The evenings are too hot.", "Ana"),
        ("I bake bread.", "Ben Silva"),
        ("Runs in the morning.", ""),
        ("We go in October.", "Ana"),
    ]


def test_what_is_told_twice_is_one_line() -> None:
    """A key point often repeats a sentence of the summary; it stays where it stood first, with its speaker."""
    assert lines("Ana: I bake bread.", "I bake bread.", decisions=("i bake  bread",)) == [("I bake bread.", "Ana")]


def test_a_time_or_an_address_is_no_speaker() -> None:
    """Only up to four words that begin with a letter, and a space behind the colon."""
    assert lines("At 10:30 we met.") == [("At 10:30 we met.", "")]
    assert lines("See https://example.org/a for it.") == [("See https://example.org/a for it.", "")]
    assert lines("One two three four five: six.") == [("One two three four five: six.", "")]


def test_nothing_is_left_of_nothing() -> None:
    """An empty digest has no lines."""
    assert gist_lines(Digest(topic="Bread", summary="")) == []


TEXTS = st.one_of(
    st.text(max_size=60), st.lists(st.sampled_from(["Ana: I ran.", "Bread.", "Dr. Silva: ok"])).map(" ".join)
)


@given(TEXTS, st.lists(TEXTS, max_size=4).map(tuple), st.lists(TEXTS, max_size=2).map(tuple))
def test_no_word_is_lost_and_none_is_made_up(summary: str, points: tuple[str, ...], decided: tuple[str, ...]) -> None:
    """Whatever an analyst wrote: each sentence once, and all that can be searched for is in one of them."""
    digest = Digest(topic="", summary=summary, key_points=points, decisions=decided)
    found: list[GistLine] = gist_lines(digest)
    told = {stem for text in (summary, *points, *decided) for stem in stems(text)}
    assert {stem for line in found for stem in stems(f"{line.speaker} {line.text}")} == told
    marks = [fingerprint(line.text) for line in found]
    assert len(marks) == len(set(marks))
    assert gist_lines(digest) == found
