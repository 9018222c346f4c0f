"""What the reader is given of a message: bounded windows, each behind what was said before it."""

from __future__ import annotations

import string
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.reading import Before
from yesteryear.providers.minilm.discourse import MOST_BEFORE
from yesteryear.providers.minilm.embedder import TokenPiece, WordPiece
from yesteryear.providers.minilm.placing import BEFORE_PIECES, WINDOW_PIECES, Window, whole_word, windows
from yesteryear.providers.minilm.weights import MAX_TOKENS

KNOWN = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "me", "them", "assistant", "tea", "like"),
    *string.ascii_lowercase,
    *(f"##{letter}" for letter in string.ascii_lowercase),
    *string.punctuation,
]
WORDS = WordPiece(KNOWN)
ODD = st.sampled_from(
    ["I like tea. ", "ok\n", "\ud800", "🎉🎉 ", "我喜欢茶。", "чай!", "\u200d", "e\u0301", "İ", "x" * 90, "?", "\x00"]
)
TEXTS = st.text(st.characters(codec=None), max_size=300) | st.lists(ODD, max_size=120).map("".join)
BEFORE = st.lists(st.builds(Before, st.sampled_from(["me", "them", "assistant"]), TEXTS), max_size=3)


def placed(text: str, *before: Before, most: int = BEFORE_PIECES) -> list[Window]:
    """Return the windows over a message."""
    return list(windows(text, list(sentence_spans(text)), before, WORDS, most_before=most))


def said(window: Window) -> list[str]:
    """Return the pieces of a window's tokens."""
    return [KNOWN[number] for number in window.tokens]


@given(TEXTS, BEFORE, st.sampled_from([BEFORE_PIECES, MOST_BEFORE]))
def test_windows_are_bounded_and_point_to_the_right_characters(text: str, before: list[Before], most: int) -> None:
    """Whatever is written, lone surrogates included: marks, what was before and the words stand where they should."""
    ends = [0]
    for window in placed(text, *before, most=most):
        assert 1 <= len(window.pieces) <= WINDOW_PIECES
        assert len(window.lead) <= most
        assert len(window.tokens) == len(window.own) == window.first + len(window.pieces) + 1 <= MAX_TOKENS
        assert window.first == len(window.lead) + 2
        assert said(window)[0] == "[CLS]"
        assert said(window)[window.first - 1] == said(window)[-1] == "[SEP]"
        assert window.own.tolist() == [0] * window.first + [1] * (len(window.pieces) + 1)
        for lead, number in zip(window.lead, window.tokens[1 : window.first - 1], strict=True):
            assert lead.number == number
            assert 0 <= lead.start <= lead.end <= len([*(each.text for each in before), text][lead.text])
        for piece, number in zip(window.pieces, window.tokens[window.first :], strict=False):
            assert piece.number == number
            assert ends[-1] <= piece.start + 1
            assert piece.start < piece.end <= len(text)
            ends.append(piece.end)
    assert ends == sorted(ends)


@given(TEXTS)
def test_every_piece_is_read_once_unless_its_sentence_is_too_long(text: str) -> None:
    """In its sentence, as if that stood alone."""
    found = [(piece.start, piece.end) for window in placed(text) for piece in window.pieces]
    assert found == [
        (start + piece.start, start + piece.end)
        for start, end in sentence_spans(text)
        for piece in islice(WORDS.pieces(text[start:end]), WINDOW_PIECES)
    ]


@each("text", ["", " \n", "\u200d\u200b", "\x00"])
def test_a_text_without_words_needs_no_window(text: str) -> None:
    """Nor does what was said before it."""
    assert placed(text, Before("them", "tea")) == []


def test_a_word_is_told_as_it_stands_before() -> None:
    """Each of its pieces by the whole of it; who speaks is no word."""
    (window,) = placed("tea", Before("them", "Priya's tea"))
    assert said(window) == [
        *("[CLS]", "them", ":", "p", "##r", "##i", "##y", "##a", "'", "s", "tea"),
        "[SEP]",
        "tea",
        "[SEP]",
    ]
    assert [window.word_before(token) for token in range(1, 8)] == ["", "", *["Priya"] * 5]


def test_of_what_was_said_before_the_end_is_read() -> None:
    """The latest message first of all, with who said it as long as there is room."""
    (window,) = placed("tea", Before("assistant", "like " * 40), Before("them", "tea " * 200))
    assert said(window)[1 : 3 + BEFORE_PIECES - 2] == ["them", ":", *["tea"] * (BEFORE_PIECES - 2)]


def test_no_sentence_is_cut_that_fits_and_what_came_before_it_is_read_again() -> None:
    """As the speaker's own."""
    sentence = "like " * 99 + "tea."
    one, other = placed(f"{sentence} {sentence}")
    assert len(one.pieces) == len(other.pieces) == 101
    assert said(other)[1:-1].count("tea") == 2
    assert other.word_before(len(other.lead)) == "tea."


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("tea. " * 20_000, 320),
        ("x" * 100_000, 1),
        ("tea " * 25_000, 1),
        ("我" * 100_000, 1),
        ("🎉" * 100_000, 1),
        ("👍\n" * 5_000, 100),
    ],
)
def test_a_hundred_thousand_characters_are_cut_in_linear_time(text: str, most: int) -> None:
    """Each piece is looked at once: so many windows and no more."""
    assert 1 <= len(placed(text)) <= most


@each(
    ("text", "piece", "word"),
    [
        ("ask Priya's mum", (4, 6), "Priya"),
        ("x", (0, 1), "x"),
        ("é1", (1, 2), "é1"),
        ("我" * 10_000, (5_000, 5_001), "我" * 81),
    ],
)
def test_a_piece_is_in_a_word(text: str, piece: tuple[int, int], word: str) -> None:
    """Of one without end only the part around it is told."""
    assert whole_word(text, TokenPiece(0, *piece)) == word
