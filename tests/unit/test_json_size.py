"""How much room JSON takes, told from its text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.rows import codec
from yesteryear.core.rows.codec import has_room_for
from yesteryear.errors import BadExport
from yesteryear.transfer.kinds import parse_line

values = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


def _count(value: Any) -> int:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return isinstance(value, list | dict) + max(0, len(inner) - 1) + sum(map(_count, inner))


@given(value=values, most=st.integers(0, 20), is_ascii=st.booleans())
def test_values_are_counted_and_words_are_not(value: Any, most: int, is_ascii: bool) -> None:
    """Whatever stands within a text, quotes and brackets among it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codec, "MOST_VALUES", most)
        text = json.dumps(value, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
        assert has_room_for(text) is (_count(value) <= most)


def test_b14_a_line_of_an_export_has_no_more_values_than_there_are() -> None:
    """Thirty megabytes of brackets would be gigabytes of lists; as long a message is no more than it is."""
    with pytest.raises(BadExport, match="more than 1,000,000 values"):
        parse_line(b'{"a": [' + b"[]," * 1_000_000 + b"[]]}")
    assert parse_line(json.dumps({"a": "[],{" * 1_000_000}).encode())["a"].startswith("[],{")
