"""Where sentences end."""

from __future__ import annotations

from tests.each import each
from yesteryear.core.language.sentences import split_sentences


@each(
    ("text", "expected"),
    [
        ("I ran. it rained! Did you?", ["I ran.", "it rained!", "Did you?"]),
        ("Dr. Smith came at 5 p.m. today.", ["Dr. Smith came at 5 p.m. today."]),
        ("We met at 5 p.m. Bring cake.", ["We met at 5 p.m.", "Bring cake."]),
        ("It costs 3.50, e.g. in Rome. Ok.", ["It costs 3.50, e.g. in Rome.", "Ok."]),
        ("J. K. Rowling and I. Then home.", ["J. K. Rowling and I.", "Then home."]),
        ("well... maybe. Well... Maybe.", ["well... maybe.", "Well...", "Maybe."]),
        ('"Really?" she asked. "Yes!" he said.', ['"Really?" she asked.', '"Yes!" he said.']),
        ("No. I won't. No. 5 is alive.", ["No.", "I won't.", "No. 5 is alive."]),
        ("first line\nsecond line\r\n\r\nthird", ["first line", "second line", "third"]),
        ("1. buy milk\n2. call mum. Soon\n- eggs", ["1. buy milk", "2. call mum.", "Soon", "- eggs"]),
        ("我跑步。你呢？好", ["我跑步。", "你呢？", "好"]),
        ("11!! i never knew", ["11!!", "i never knew"]),
        ("see https://a.b/c.d?e=f. Done", ["see https://a.b/c.d?e=f.", "Done"]),
        ("   \n\t", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    """Abbreviations, numbers, quotations, lists, ellipses and wide full stops are told apart."""
    assert split_sentences(text) == expected


def test_a_code_fence_is_one_piece() -> None:
    """Code is not cut at its dots and lines; an unclosed fence reaches to the end."""
    fence = "```py\nprint(1). A\n\nx = 2.\n```"
    assert split_sentences(f"Look.\n{fence}\nNice. Bye") == ["Look.", fence, "Nice.", "Bye"]
    assert split_sentences("```\na. b") == ["```\na. b"]
