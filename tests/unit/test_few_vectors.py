"""The few vectors held of an owner who has too many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.vectors import Matrix, unit_rows
from yesteryear.recall.few import CandidatePolicy, FewVectors


def vectors(*numbers: int) -> dict[int, Matrix]:
    """Return a vector for each of some units."""
    return {number: unit_rows([[number, 1.0]])[0] for number in numbers}


@pytest.fixture
def few() -> FewVectors:
    """Return a sample of two units, and one that was fetched."""
    made = FewVectors()
    made.set_sample(vectors(1, 4))
    made.fetch(vectors(2), is_whole=False)
    return made


def test_only_what_is_held_has_a_cosine(few: FewVectors) -> None:
    """The others' are not known, which is not the same as low."""
    cosines = few.cosines(np.array([0.0, 1.0], dtype=np.float32), 6)
    assert np.isfinite(cosines).tolist() == [False, True, True, False, True, False]
    assert cosines[1] == pytest.approx(2**-0.5)


def test_a_question_of_another_dimension_meets_nothing(few: FewVectors) -> None:
    """As where a model was changed meanwhile, and before anything is held."""
    assert np.isnan(few.cosines(np.ones(3, dtype=np.float32), 6)).all()
    assert np.isnan(FewVectors().cosines(np.ones(3, dtype=np.float32), 6)).all()


def test_what_was_fetched_for_one_question_goes_with_the_next(few: FewVectors) -> None:
    """The sample stays; what is fetched later for the same question comes on top."""
    numbers = np.arange(6)
    few.add(vectors(3))
    assert few.is_held(numbers).tolist() == [False, True, True, True, True, False]
    few.fetch(vectors(5), is_whole=False)
    assert few.is_held(numbers).tolist() == [False, True, False, False, True, True]
    assert few.is_sample(numbers).tolist() == [False, True, False, False, True, False]


def test_a_dropped_vector_is_nowhere(few: FewVectors) -> None:
    """A vector tells much of its text."""
    size = few.nbytes
    few.drop([1, 2, 3])
    assert few.is_held(np.arange(6)).nonzero()[0].tolist() == [4]
    assert few.nbytes == size / 3


def test_vectors_come_in_the_order_asked(few: FewVectors) -> None:
    """A row each."""
    assert few.of(np.array([2, 1])).tolist() == [row.tolist() for row in (vectors(2)[2], vectors(1)[1])]


@given(seen=st.integers(0, 10**7), among=st.integers(1, 10**7))
def test_the_less_is_seen_the_more_are_fetched(seen: int, among: int) -> None:
    """What the scope does not see takes places among the nearest; there is an end to it."""
    policy = CandidatePolicy()
    count = policy.count(seen=min(seen, among), among=among)
    assert policy.nearest <= count <= policy.nearest_at_most
    assert count >= policy.count(seen=among, among=among) == policy.nearest
