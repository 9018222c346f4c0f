"""Ids: UUIDv7 that rise."""

from __future__ import annotations

import threading
import uuid

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.ids import UuidSource, format_uuid7

MILLISECONDS = st.integers(0, (1 << 48) - 1)


@given(MILLISECONDS, st.integers(0, 0xFFF), st.integers(0, (1 << 62) - 1))
def test_an_id_is_a_uuid_of_version_7_that_carries_its_parts(milliseconds: int, counter: int, random: int) -> None:
    """RFC 9562: 48 bits of time, version, 12 bits, variant, 62 bits."""
    made = uuid.UUID(format_uuid7(milliseconds, counter, random))
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert made.int >> 80 == milliseconds
    assert made.int >> 64 & 0xFFF == counter
    assert made.int & ((1 << 62) - 1) == random


@given(st.lists(st.integers(-(10**15), 10**15), min_size=2, max_size=30))
def test_ids_rise_whatever_the_clock_does(times: list[int]) -> None:
    """It may stand still, go back, and begin before 1970."""
    source = UuidSource()
    made = [source.new(milliseconds) for milliseconds in times]
    assert made == sorted(set(made))


def test_more_ids_than_the_counter_holds_still_rise() -> None:
    """A batch of thousands within one millisecond borrows from the next."""
    source = UuidSource()
    made = [source.new(1_780_000_000_000) for _ in range(10_000)]
    assert made == sorted(set(made))


def test_threads_never_get_the_same_id() -> None:
    """One source serves all threads of a process."""
    source = UuidSource()
    made: list[list[str]] = [[] for _ in range(4)]
    threads = [threading.Thread(target=lambda ids=ids: ids.extend(source.new(1) for _ in range(2_000))) for ids in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(ids == sorted(ids) for ids in made)
    assert len({made_id for ids in made for made_id in ids}) == 8_000
