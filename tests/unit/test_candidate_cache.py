"""The few vectors held of an owner who has too many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.vectors import Matrix, unit_rows
from yesteryear.recall.candidate_cache import CandidateCache, CandidateCachePolicy


def vectors(*numbers: int) -> dict[int, Matrix]:
    """Return a vector for each of some units."""
    return {number: unit_rows([[number, 1.0]])[0] for number in numbers}


@pytest.fixture
def candidate_cache() -> CandidateCache:
    """Return a sample of two units, and one that was fetched."""
    made = CandidateCache()
    made.set_sample(vectors(1, 4))
    made.fetch(vectors(2), is_whole=False)
    return made


def test_only_what_is_held_has_a_cosine(candidate_cache: CandidateCache) -> None:
    """The others' are not known, which is not the same as low."""
    cosines = candidate_cache.cosines(np.array([0.0, 1.0], dtype=np.float32), 6)
    assert np.isfinite(cosines).tolist() == [False, True, True, False, True, False]
    assert cosines[1] == pytest.approx(2**-0.5)


def test_a_question_of_another_dimension_meets_nothing(candidate_cache: CandidateCache) -> None:
    """As where a model was changed meanwhile, and before anything is held."""
    assert np.isnan(candidate_cache.cosines(np.ones(3, dtype=np.float32), 6)).all()
    assert np.isnan(CandidateCache().cosines(np.ones(3, dtype=np.float32), 6)).all()


def test_what_was_fetched_for_one_question_goes_with_the_next(candidate_cache: CandidateCache) -> None:
    """The sample stays; what is fetched later for the same question comes on top."""
    numbers = np.arange(6)
    candidate_cache.add(vectors(3))
    assert candidate_cache.is_held(numbers).tolist() == [False, True, True, True, True, False]
    candidate_cache.fetch(vectors(5), is_whole=False)
    assert candidate_cache.is_held(numbers).tolist() == [False, True, False, False, True, True]
    assert candidate_cache.is_sample(numbers).tolist() == [False, True, False, False, True, False]


def test_a_dropped_vector_is_nowhere(candidate_cache: CandidateCache) -> None:
    """A vector tells much of its text."""
    size = candidate_cache.nbytes
    candidate_cache.drop([1, 2, 3])
    assert candidate_cache.is_held(np.arange(6)).nonzero()[0].tolist() == [4]
    assert candidate_cache.nbytes == size / 3


@given(seen=st.integers(0, 10**7), among=st.integers(1, 10**7))
def test_the_less_is_seen_the_more_are_fetched(seen: int, among: int) -> None:
    """What the scope does not see takes places among the nearest; there is an end to it."""
    policy = CandidateCachePolicy()
    count = policy.count(seen=min(seen, among), among=among)
    assert policy.nearest <= count <= policy.nearest_at_most
    assert count >= policy.count(seen=among, among=among) == policy.nearest
