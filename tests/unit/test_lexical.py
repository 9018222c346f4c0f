"""BM25 over postings."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from yesteryear.recall.lexical import BM25Policy, Postings

PLAIN = BM25Policy(k1=1.0, b=0.0)
TEXTS = [["tea", "green"], ["tea", "tea", "black"], ["run"], [], ["run", "tea", "a", "b", "c", "d"]]


def postings(texts: list[list[str]] = TEXTS) -> Postings:
    """Return postings of some texts."""
    made = Postings()
    for text in texts:
        made.add(text)
    return made


def every(made: Postings) -> np.ndarray:
    """Return the numbers of all texts."""
    return np.arange(len(made))


def test_the_formula_is_the_one_that_is_stated() -> None:
    """Two texts of five hold the word; one of them once, in two words where the mean is 2.4."""
    policy = BM25Policy(k1=0.9, b=0.4)
    made = postings()
    scores = made.score(["run"], every(made), policy)
    idf = log(1 + (5 - 2 + 0.5) / (2 + 0.5))
    short = idf * 1.9 / (1 + 0.9 * (0.6 + 0.4 * 1 / 2.4))
    long = idf * 1.9 / (1 + 0.9 * (0.6 + 0.4 * 6 / 2.4))
    assert scores == pytest.approx([0, 0, short, 0, long])


def test_more_of_a_word_counts_more_and_ever_less() -> None:
    """The gain of each repetition shrinks."""
    made = postings([["tea"] * times for times in range(1, 5)])
    gains = np.diff(made.score(["tea"], every(made), PLAIN))
    assert (gains > 0).all()
    assert (np.diff(gains) < 0).all()


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    """All else equal."""
    made = postings([["tea", "rare"], ["tea"], ["tea"], ["tea"]])
    assert made.score(["rare"], every(made), PLAIN)[0] > made.score(["tea"], every(made), PLAIN)[0] > 0


def test_saying_a_word_twice_in_the_question_changes_nothing() -> None:
    """Nor does a word that no text holds."""
    made = postings()
    once = made.score(["tea", "run"], every(made), PLAIN)
    assert np.array_equal(made.score(["tea", "tea", "run", "unheard", "tea"], every(made), PLAIN), once)


def test_texts_that_are_left_out_have_no_part_in_the_scores() -> None:
    """As if they had never been there, in whatever order the others are asked for."""
    policy = BM25Policy()
    made, alone = postings(), postings([TEXTS[1], TEXTS[4]])
    expected = alone.score(["tea", "run"], every(alone), policy)
    assert np.array_equal(made.score(["tea", "run"], np.array([1, 4]), policy), expected)
    assert np.array_equal(made.score(["tea", "run"], np.array([4, 1]), policy), expected[::-1])


@pytest.mark.parametrize("texts", [[], [[]], [[], []]])
def test_nothing_to_search_gives_no_score(texts: list[list[str]]) -> None:
    """Without texts, and with texts that hold no word."""
    made = postings(texts)
    assert not made.score(["tea"], every(made), PLAIN).any()
    assert made.score(["tea"], np.array([], dtype=np.int64), PLAIN).shape == (0,)
