"""Passages of long messages."""

from __future__ import annotations

from yesteryear.core.language.sentences import mark_cuts, split_passages
from yesteryear.core.language.tokens import words


def test_a_short_message_is_one_passage() -> None:
    """What is typed in one go stays in one piece."""
    assert split_passages("I ran. It rained.\nThen home.") == ["I ran. It rained.\nThen home."]


def test_white_space_has_no_passage() -> None:
    """Nothing said, nothing to embed."""
    assert split_passages(" \n\t ") == []


def test_passages_end_where_sentences_end() -> None:
    """A long message is cut between sentences into pieces near the size asked for."""
    text = " ".join(f"On day {day} I ran a little further than before." for day in range(40))
    passages = split_passages(text, words=60)
    assert all(passage.endswith("before.") for passage in passages)
    assert [len(words(passage)) for passage in passages] == [60] * 6 + [40]


def test_an_endless_sentence_is_cut_between_words() -> None:
    """A sentence longer than a passage is cut at spaces, never within a word."""
    passages = split_passages("word " * 200, words=60)
    assert {len(words(passage)) for passage in passages} <= {60, 75, 20}
    assert set(" ".join(passages).split()) == {"word"}


def test_an_unbroken_run_is_cut_anywhere() -> None:
    """A blob of a million characters becomes pieces of bounded length."""
    passages = split_passages("x" * 1_000_000)
    assert max(map(len, passages)) <= 600
    assert "".join(passages) == "x" * 1_000_000


def test_scripts_without_spaces_are_cut_by_characters() -> None:
    """Chinese without a full stop is cut too."""
    assert max(map(len, split_passages("我喜欢跑步很多年了" * 50, words=60))) <= 75


def test_a_heading_goes_with_what_it_announces() -> None:
    """A line that ends in a colon does not close a passage."""
    first = "A sentence of just six words. " * 9
    items = "\n".join("- flour and some very good butter" for _ in range(5))
    before, after = split_passages(f"{first}\nTo buy:\n{items}", words=58)
    assert before.endswith("six words.")
    assert after == f"To buy:\n{items}"


def test_no_short_tail_is_left_alone() -> None:
    """The last words join the passage before them."""
    assert len(split_passages("A sentence of just six words. " * 10 + "The end.", words=60)) == 1


def test_a08_a_cut_within_a_sentence_is_seen() -> None:
    """The words "back on." would be told as all that somebody said."""
    text = "She said that " + "it rains and " * 40 + "the heating is back on. I was glad. " + "We sat and talked. " * 20
    passages = split_passages(text)

    shown = [mark_cuts(passage, text, part=part) for part, passage in enumerate(passages)]

    assert shown[0] == f"{passages[0]} …"
    assert shown[1].startswith("… ")
    assert shown[-1] == passages[-1]
    assert mark_cuts("Short.", " Short. ", part=0) == "Short."
