"""Texts and vectors come back from a server as they went there."""

from __future__ import annotations

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.adapt import AdaptersMap, PyFormat, Transformer
from psycopg.pq import Format

from yesteryear.storage.postgres.connect import PackedVector, register_adapters

HALFVEC, VARCHAR = 99_999, psycopg.adapters.types["varchar"].oid
texts = st.text(st.sampled_from("\0\1\x0201ab\ufdd0") | st.characters(exclude_categories=["Cs"]))


@pytest.fixture(scope="module")
def adapters() -> Transformer:
    """Return what adapts values."""

    class Context:
        adapters = AdaptersMap(psycopg.adapters)
        connection = None

    register_adapters(Context.adapters, HALFVEC)
    return Transformer(Context())


@given(text=texts)
def test_any_text_is_stored_and_read_again(adapters: Transformer, text: str) -> None:
    """Without a NUL in between, which PostgreSQL refuses; what differs is stored differently."""
    stored = bytes(adapters.get_dumper(text, PyFormat.AUTO).dump(text) or b"")
    assert b"\0" not in stored
    assert adapters.get_loader(VARCHAR, Format.BINARY).load(stored) == text
    if not {"\0", "\1"} & set(text):
        assert stored == text.encode()


@given(packed=st.binary(min_size=2, max_size=64).filter(lambda packed: len(packed) % 2 == 0))
def test_any_vector_is_stored_and_read_again(adapters: Transformer, packed: bytes) -> None:
    """Bit for bit, whatever the 16 bits mean."""
    vector = PackedVector(packed)
    stored = adapters.get_dumper(vector, PyFormat.AUTO).dump(vector)
    assert stored is not None
    assert adapters.get_loader(HALFVEC, Format.BINARY).load(stored) == packed
