"""BM25 over postings, and the window of neighbours it looks through."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.recall.lexical import BM25Policy, Neighbours, Postings

ALONE = BM25Policy(k1=1.0, b=0.0, window=())
TEXTS = [["tea", "green"], ["tea", "tea", "black"], ["run"], [], ["run", "tea", "a", "b", "c", "d"]]


def postings(texts: Sequence[Sequence[str]] = TEXTS) -> Postings:
    """Return postings of some texts."""
    made = Postings()
    for text in texts:
        made.add(text)
    return made


def score(
    made: Postings,
    stems: list[str],
    policy: BM25Policy,
    *,
    among: Sequence[int] | None = None,
    before: Sequence[int] | None = None,
) -> np.ndarray:
    """Return the scores of some texts, all where not said; ``before`` names the position before each, or -1."""
    numbers = np.array(range(len(made)) if among is None else among, dtype=np.int64)
    places = np.full(len(made), -1, dtype=np.int64)
    places[numbers] = np.arange(len(numbers))
    links = np.full(len(numbers), -1) if before is None else np.array(before, dtype=np.int64)
    neighbours = Neighbours.of(links.astype(np.int64), distance=max(1, len(policy.window)))
    lengths = neighbours.spread(made.lengths(numbers).astype(np.float64), policy.window)
    return made.score(stems, places, lengths, neighbours, policy)


def plain_score(
    texts: Sequence[Sequence[str]], stems: list[str], policy: BM25Policy, before: Sequence[int]
) -> list[float]:
    """Return what the formula says, text by text and word by word."""

    def reached(text: int) -> list[tuple[float, int]]:
        found = [(1.0, text)]
        back = ahead = text
        for weight in policy.window:
            back = before[back] if back >= 0 else -1
            ahead = before.index(ahead) if ahead >= 0 and ahead in before else -1
            found += [(weight, place) for place in (back, ahead) if place >= 0]
        return found

    windows = [reached(text) for text in range(len(texts))]
    lengths = [sum(weight * len(texts[place]) for weight, place in window) for window in windows]
    mean = max(1.0, sum(lengths) / max(1, len(lengths)))
    scores = [0.0] * len(texts)
    for stem in set(stems):
        found = [sum(weight * list(texts[place]).count(stem) for weight, place in window) for window in windows]
        df = sum(tf > 0 for tf in found)
        idf = log(1 + (len(texts) - df + 0.5) / (df + 0.5))
        for text, tf in enumerate(found):
            norm = policy.k1 * (1 - policy.b + policy.b * lengths[text] / mean)
            scores[text] += idf * tf * (policy.k1 + 1) / (tf + norm) if tf else 0.0
    return scores


STEMS = st.lists(st.sampled_from("abcdefg"), max_size=8)
POLICIES = st.builds(
    BM25Policy,
    k1=st.floats(0.1, 3),
    b=st.floats(0, 1),
    window=st.lists(st.floats(0.05, 1), max_size=4).map(tuple),
)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[list[str]], list[int]]:
    """Return texts, and the position before each: a few chains, in any order."""
    texts = draw(st.lists(STEMS, min_size=1, max_size=12))
    order = draw(st.permutations(range(len(texts))))
    before = [-1] * len(texts)
    for one, other in pairwise(order):
        before[other] = one if draw(st.booleans()) else -1
    return texts, before


@given(corpora(), STEMS, POLICIES)
def test_the_formula_is_the_one_that_is_stated(
    corpus: tuple[list[list[str]], list[int]], question: list[str], policy: BM25Policy
) -> None:
    """As computed word by word, whatever the window, the order of the texts and the chains they form."""
    texts, before = corpus
    found = score(postings(texts), question, policy, before=before)
    assert found == pytest.approx(plain_score(texts, question, policy, before), abs=1e-9)


@given(st.lists(STEMS, min_size=1, max_size=12), STEMS, st.randoms(use_true_random=False))
def test_equal_texts_score_the_same_wherever_they_stand(
    texts: list[list[str]], question: list[str], order: Random
) -> None:
    """To the last bit, so that the order in which they came decides nothing."""
    places = list(range(len(texts)))
    order.shuffle(places)
    straight = score(postings(texts), question, ALONE)
    assert np.array_equal(straight[places], score(postings([texts[place] for place in places]), question, ALONE))


@given(corpora(), STEMS, STEMS, POLICIES)
def test_scores_are_never_negative_and_grow_with_the_question(
    corpus: tuple[list[list[str]], list[int]], question: list[str], more: list[str], policy: BM25Policy
) -> None:
    """However common a word is; a text that holds one of them has a score."""
    texts, before = corpus
    made = postings(texts)
    scores = score(made, question, policy, before=before)
    assert (scores >= 0).all()
    assert all(scores[place] > 0 for place, text in enumerate(texts) if set(text) & set(question))
    assert (score(made, question + more, policy, before=before) >= scores - 1e-12).all()


def test_the_numbers_are_those_of_the_formula() -> None:
    """Two texts of five hold the word; one of them once, in one word where the mean is 2.4."""
    policy = BM25Policy(k1=0.9, b=0.4, window=())
    idf = log(1 + (5 - 2 + 0.5) / (2 + 0.5))
    short = idf * 1.9 / (1 + 0.9 * (0.6 + 0.4 * 1 / 2.4))
    long = idf * 1.9 / (1 + 0.9 * (0.6 + 0.4 * 6 / 2.4))
    assert score(postings(), ["run"], policy) == pytest.approx([0, 0, short, 0, long])


def test_a_word_reaches_its_neighbours_and_no_further() -> None:
    """Less with each step, on both sides alike, up to the end of the window."""
    made = postings([["x"], ["x"], ["x"], ["tea"], ["x"], ["x"], ["x"], ["x"]])
    reach = score(made, ["tea"], BM25Policy(b=0.0), before=[-1, 0, 1, 2, 3, 4, 5, 6])
    assert reach[3] > reach[2] > reach[1] > reach[0] > 0
    assert reach[:3].tolist() == reach[6:3:-1].tolist()
    assert reach[7] == 0


def test_a_word_never_reaches_across_a_pause() -> None:
    """Where no unit stands before, nothing passes in either direction."""
    made = postings([["tea"], ["x"], ["y"], ["z"]])
    assert (score(made, ["tea"], BM25Policy(), before=[-1, 0, -1, 2]) > 0).tolist() == [True, True, False, False]
    assert (score(made, ["y"], BM25Policy(), before=[-1, 0, -1, 2]) > 0).tolist() == [False, False, True, True]


def test_neighbours_are_found_step_by_step_on_both_sides() -> None:
    """Two chains, 0-2-3 and 4-1; at each distance a position or -1."""
    found = Neighbours.of(np.array([-1, 4, 0, 2, -1]), distance=2)
    assert [step.tolist() for step in found.before] == [[-1, 4, 0, 2, -1], [-1, -1, -1, 0, -1]]
    assert [step.tolist() for step in found.after] == [[2, -1, 3, -1, 1], [3, -1, -1, -1, -1]]
    values = np.array([1.0, 10.0, 100.0, 1000.0, 10000.0])
    assert found.spread(values, (0.5, 0.25)).tolist() == [1 + 50 + 250, 10 + 5000, 100 + 500.5, 1050.25, 10005]


def test_more_of_a_word_counts_more_and_ever_less() -> None:
    """The gain of each repetition shrinks."""
    gains = np.diff(score(postings([["tea"] * times for times in range(1, 5)]), ["tea"], ALONE))
    assert (gains > 0).all()
    assert (np.diff(gains) < 0).all()


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    """All else equal."""
    made = postings([["tea", "rare"], ["tea"], ["tea"], ["tea"]])
    assert score(made, ["rare"], ALONE)[0] > score(made, ["tea"], ALONE)[0] > 0


def test_saying_a_word_twice_in_the_question_changes_nothing() -> None:
    """Nor does a word that no text holds."""
    made = postings()
    once = score(made, ["tea", "run"], ALONE)
    assert np.array_equal(score(made, ["tea", "tea", "run", "unheard", "tea"], ALONE), once)


def test_texts_that_are_left_out_have_no_part_in_the_scores() -> None:
    """As if they had never been there, in whatever order the others are asked for; they pass nothing on."""
    made, alone = postings(), postings([TEXTS[1], TEXTS[4]])
    expected = score(alone, ["tea", "run"], BM25Policy(), before=[-1, 0])
    assert np.array_equal(score(made, ["tea", "run"], BM25Policy(), among=[1, 4], before=[-1, 0]), expected)
    assert np.array_equal(score(made, ["tea", "run"], BM25Policy(), among=[4, 1], before=[1, -1]), expected[::-1])


@each("texts", [[], [[]], [[], []]])
def test_nothing_to_search_gives_no_score(texts: list[list[str]]) -> None:
    """Without texts, and with texts that hold no word."""
    made = postings(texts)
    assert not score(made, ["tea"], ALONE).any()
    assert score(made, ["tea"], BM25Policy(), among=[]).shape == (0,)


def test_postings_know_their_lengths_and_about_their_size() -> None:
    """Repeats count for the length of a text."""
    made = postings()
    assert made.lengths(np.array([4, 1, 3])).tolist() == [6, 3, 0]
    assert len(made) == 5
    before = made.nbytes
    made.add(["new", "words"])
    assert made.nbytes > before > postings([]).nbytes
