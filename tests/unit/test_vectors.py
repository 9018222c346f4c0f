"""Unit vectors and how they are stored."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from yesteryear.core.vectors import pack_vector, unit_rows, unpack_vectors
from yesteryear.errors import EmbeddingMismatch

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=32)
ROWS = npst.arrays(np.float32, st.tuples(st.integers(0, 4), st.integers(1, 6)), elements=FLOATS)


@given(ROWS)
def test_rows_have_length_1_and_keep_their_direction(rows: np.ndarray) -> None:
    """Also where squares would leave the range of 32 bits; rows of zeros stay zero."""
    found = unit_rows(rows)
    assert found.shape == rows.shape
    assert found.dtype == np.float32
    lengths = np.linalg.norm(found.astype(np.float64), axis=1)
    assert lengths == pytest.approx(rows.any(axis=1).astype(float), abs=1e-5)
    assert (np.sign(found) * np.sign(rows) >= 0).all()


def test_one_vector_is_a_row_too() -> None:
    """A question is embedded alone."""
    assert unit_rows([3.0, 4.0]) == pytest.approx([0.6, 0.8])


@given(ROWS)
def test_a_stored_vector_comes_back_within_16_bits(rows: np.ndarray) -> None:
    """Half the size for a thousandth of exactness."""
    for vector in unit_rows(rows):
        blob = pack_vector(vector)
        assert len(blob) == 2 * len(vector)
        [back] = unpack_vectors([blob])
        assert back.dtype == np.float32
        assert back == pytest.approx(vector, abs=1e-3)
        assert pack_vector(back) == blob


def test_a_blob_of_another_length_is_refused() -> None:
    """Vectors of two models never meet in silence."""
    with pytest.raises(EmbeddingMismatch, match="3 values where 4 were expected"):
        unpack_vectors([pack_vector(unit_rows(row)) for row in ([1.0] * 4, [1.0] * 3)])
