"""Reading a request for where its parts stand, and nothing of it changed."""

from __future__ import annotations

import json
from itertools import product, takewhile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.api.proxy.chat import SYSTEM_ROLES, ReplyReader, read_body, read_talk, without_block
from yesteryear.recall.render import FOOT, HEAD

BLOCK = f'{HEAD}\n- she said "I run", ü \\ \u2028\n{FOOT}'
TAIL = f"{HEAD}\n- what bears on it\n{FOOT}"

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
parts = st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": st.text()}), max_size=3)
roles = st.sampled_from(["system", "developer", "user", "assistant", "tool"])
messages = st.lists(
    st.fixed_dictionaries({"role": roles}, optional={"content": st.text() | parts | st.none(), "name": plain}),
    min_size=1,
    max_size=5,
)


@given(
    messages, st.dictionaries(st.text(max_size=8), plain, max_size=3), st.sampled_from([None, 1, "\t"]), st.booleans()
)
def test_a_block_is_all_that_is_more(
    said: list[Any], fields: dict[str, Any], indent: int | str | None, is_ascii: bool
) -> None:
    """What another reader finds is the request, our prefix in the system text, our tail in what was said last."""
    request = {**fields, "messages": said}
    raw = json.dumps(request, indent=indent, ensure_ascii=is_ascii).encode(errors="surrogatepass")
    body = read_body(raw)
    if body is None:
        with pytest.raises(UnicodeDecodeError):
            raw.decode()
        return
    assert body.as_sent == raw
    assert list(body.messages) == said
    found = json.loads(body.with_context(BLOCK, TAIL))
    assert {**found, "messages": None} == {**request, "messages": None}
    shown = json.dumps(found["messages"])
    assert [shown.count(json.dumps(block)[1:-1]) for block in (BLOCK, TAIL)] == [1, 1]
    assert leading_texts(without_tail(found["messages"])) == sorted([*leading_texts(said), BLOCK])
    assert [turn for turn in without_tail(found["messages"]) if turn["role"] not in SYSTEM_ROLES] == [
        turn for turn in said if turn["role"] not in SYSTEM_ROLES
    ]


def without_tail(said: list[Any]) -> list[Any]:
    """Return messages without our tail, wherever it stands."""

    def cut(content: Any) -> Any:
        if isinstance(content, str):
            return content.removesuffix(TAIL).removesuffix("\n\n") if content.endswith(TAIL) else content
        if isinstance(content, list):
            return [part for part in content if part.get("text") != TAIL]
        return content

    return [turn | {"content": cut(turn["content"])} if "content" in turn else turn for turn in said]


def leading_texts(said: list[Any]) -> list[str]:
    """Return the texts before the talk begins, in no order; our block apart from the text that it follows."""
    leading = takewhile(lambda message: message["role"] in SYSTEM_ROLES, said)
    contents = [message.get("content") or [] for message in leading]
    parts = [[{"text": content}] if isinstance(content, str) else content for content in contents]
    texts = [part["text"].partition(BLOCK) for content in parts for part in content]
    return sorted(text for before, block, _ in texts for text in (before.removesuffix("\n\n"), block) if text)


MARKS: list[dict[str, Any]] = [
    {"cache_control": {"type": "ephemeral", "ttl": "1h"}},
    {"prompt_cache_breakpoint": {"mode": "explicit"}},
]


@each(("mark", "others", "bears"), [*product(MARKS, [2], [1]), *product(MARKS, [3], [0]), ({}, 2, 0)])
def test_a_prefix_bears_the_mark_of_the_part_before_it(mark: dict[str, Any], others: int, bears: int) -> None:
    """As long as a provider takes one more; what the client marked stays as it is, and the tail has none."""
    marked = {"type": "text", "text": 'Mark it "cache_control"', **mark}
    asked = [{"type": "text", "text": str(number), **(mark or MARKS[0])} for number in range(others)]
    body = read_body(json.dumps({"messages": [a_turn("system", marked), a_turn("user", *asked)]}).encode())
    assert body is not None
    expected = {"type": "text", "text": BLOCK, **(mark if bears else {})}
    assert json.loads(body.with_context(BLOCK, TAIL))["messages"] == [
        a_turn("system", marked, expected),
        a_turn("user", *asked, {"type": "text", "text": TAIL}),
    ]


def a_turn(role: str, *content: dict[str, Any]) -> dict[str, Any]:
    """Return a message of parts."""
    return {"role": role, "content": [*content]}


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_left(raw: bytes) -> None:
    """Nothing makes the reader fail."""
    assert read_body(raw) is None or json.loads(raw)


@given(st.text(), st.text(), st.text(max_size=20))
def test_our_block_is_cut_out_wherever_it_stands(before: str, after: str, inside: str) -> None:
    """Whole, or with its end missing."""
    assert HEAD not in without_block(f"{before}{HEAD}{inside}{FOOT}{after}")
    assert without_block(f"a {HEAD} {inside}").strip() == "a"


def test_only_what_the_person_said_since_the_last_reply_is_new() -> None:
    """System text counts for nothing, so that changing it makes no turn new."""
    said = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "three", "name": "Ana"},
        {"role": "tool", "content": "four"},
    ]
    talk = read_talk(said)
    assert [(turn.index, turn.text, turn.author) for turn in talk.new] == [(2, "three", "Ana")]
    assert read_talk([{"role": "system", "content": "x"}, *said]) == talk
    assert (talk.question, talk.length) == ("three", 4)
    assert talk.conversation == read_talk(said[:1]).conversation != read_talk(said[2:]).conversation


@given(st.lists(st.text(), min_size=1), st.data())
def test_a_streamed_reply_says_the_same_however_it_is_cut_into_chunks(words: list[str], data: st.DataObject) -> None:
    """Chunks end anywhere, also inside a letter."""
    pieces = [{"choices": [{"index": 0, "delta": {"content": word}}]} for word in words]
    raw = "".join(f"data: {json.dumps(piece, ensure_ascii=False)}\r\n\r\n" for piece in pieces).encode(errors="replace")
    raw = b": a comment\n\n" + raw + b"data: not json\n\n" + b'data: {"choices": []}\n\ndata: [DONE]\n\n'
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=5)))
    reader = ReplyReader("text/event-stream; charset=utf-8")
    for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True):
        reader.feed(raw[start:end])
    assert reader.is_whole
    assert reader.text == "".join(word.encode(errors="replace").decode() for word in words)


def test_a_reply_that_comes_at_once_is_read_at_its_end() -> None:
    """Half of it says nothing."""
    raw = json.dumps({"choices": [{"index": 0, "message": {"content": "Hello"}, "finish_reason": "stop"}]}).encode()
    reader = ReplyReader("application/json")
    assert (reader.feed(raw), reader.end(), reader.is_whole) == ("", "Hello", True)
    half = ReplyReader("application/json")
    assert (half.feed(raw[:-3]), half.end(), half.is_whole) == ("", "", False)


def test_a02_the_person_has_the_name_that_the_client_gives() -> None:
    """Facts would speak of "user", whoever that is; a name on a message goes before the header's."""
    talk = read_talk(
        [{"role": "user", "content": "Hi."}, {"role": "user", "name": "Bo", "content": "Hey."}], author="Pat"
    )
    assert [turn.author for turn in talk.new] == ["Pat", "Bo"]
