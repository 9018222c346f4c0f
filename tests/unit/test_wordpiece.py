"""The tokenizer: rules on a small vocabulary, then agreement with the reference on the real one."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.providers.minilm.embedder import WordPiece
from yesteryear.providers.minilm.weights import MAX_TOKENS, VOCABULARY_FILE, find_model

MARKERS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
PIECES = ["un", "##aff", "##able", "##a", "cafe", "run", "##s", "[", "]", "sep", "!", "我", "like", "tea"]
SMALL = WordPiece([*MARKERS, *PIECES])

GOLDEN = [
    ("", ""),
    ("   \t\n ", ""),
    ("Hello, World!", "hello , world !"),
    ("I moved my runs to the morning.", "i moved my runs to the morning ."),
    ("don't can't we'll", "don ' t can ' t we ' ll"),
    ("unaffable embeddings", "una ##ffa ##ble em ##bed ##ding ##s"),
    ("antidisestablishmentarianism", "anti ##dis ##est ##ab ##lish ##ment ##arian ##ism"),
    ("Café naïve résumé Ångström", "cafe naive resume ang ##strom"),
    ("Straße und Größe", "st ##raße und gr ##o ##ße"),
    ("İstanbul'da ığdır", "istanbul ' da ı ##g ##d ##ı ##r"),
    ("ΟΔΥΣΣΕΥΣ", "ο ##δ ##υ ##σ ##σ ##ε ##υ ##σ"),
    ("Привет, мир", "п ##р ##и ##в ##е ##т , м ##и ##р"),
    ("我喜欢苹果", "我 [UNK] [UNK] [UNK] [UNK]"),
    ("東京タワーへ行った", "東 京 タ ##ワ ##ー ##へ 行 っ ##た"),
    ("안녕하세요 세계", "ᄋ ##ᅡ ##ᆫ ##ᄂ ##ᅧ ##ᆼ ##ᄒ ##ᅡ ##ᄉ ##ᅦ ##ᄋ ##ᅭ [UNK]"),
    ("สวัสดีครับ", "[UNK]"),
    ("नमस्ते दुनिया", "न ##म ##स ##त द ##न ##ि ##य ##ा"),
    ("مرحبا بالعالم", "م ##ر ##ح ##ب ##ا ب ##ا ##ل ##ع ##ا ##ل ##م"),
    ("שָׁלוֹם עולם", "ש ##ל ##ו ##ם ע ##ו ##ל ##ם"),
    ("🎉 party 🎂🎂", "[UNK] party [UNK]"),
    ("\U0001f469\u200d\U0001f469\u200d\U0001f467 family", "[UNK] family"),
    ("thumbs👍🏽up", "[UNK]"),
    ("e\u0301te\u0301", "et ##e"),
    ("\u00e9t\u00e9", "et ##e"),
    ("zero\u200bwidth\xadsoft\ufeffbom", "zero ##wi ##dt ##hs ##oft ##bo ##m"),
    ("bell\x07null\x00tab\tvtab\x0bff\x0cnel\x85end", "bell ##nu ##ll ##ta ##b vt ##ab ##ff ##nel ##end"),
    ("non\xa0breaking\u2003em\u3000ideographic", "non breaking em id ##eo ##graphic"),
    ("line\u2028para\u2029end", "line para end"),
    ("$4,200.50 on 12/05/2025 at 3:45pm", "$ 4 , 200 . 50 on 12 / 05 / 202 ##5 at 3 : 45 ##pm"),
    ("https://example.org/a-b?c=d&e=f#g", "https : / / example . org / a - b ? c = d & e = f # g"),
    ("first_name.last+tag@example.com", "first _ name . last + tag @ example . com"),
    ("def f(x): return x**2 != 3", "def f ( x ) : return x * * 2 ! = 3"),
    ("C++ & C# ~ `code` ^ | \\", "c + + & c # ~ ` code ` ^ | \\"),
    ("\u201cquotes\u201d \u2014 dash\u2026", "\u201c quotes \u201d \u2014 dash \u2026"),
    ("\u00bd \u00b2 \u00b3 \u2460 \u2103 \u2122 \ufb01", "\u00bd \u00b2 \u00b3 [UNK] [UNK] \u2122 \ufb01"),
    ("\uff26\uff55\uff4c\uff4c \uff57\uff49\uff44\uff54\uff48", "[UNK] [UNK]"),
    ("\ufffd replaced \ue000 private", "replaced private"),
    ("x" * 100, "xx" + " ##xx" * 49),
    ("x" * 101, "[UNK]"),
    ("\u8c48 \u4e3d \U00020000", "[UNK] [UNK] [UNK]"),
    ("\u01c5 \u0149 \u00df \u017f", "[UNK] [UNK] \u00df [UNK]"),
    ("the " * 300, "the " * 253 + "the"),
]
"""What the reference implementation makes of a text, its markers at both ends left out."""


def pieces(text: str) -> list[str]:
    """Return the pieces that the small tokenizer finds in ``text``, without the markers at the ends."""
    known = [*MARKERS, *PIECES]
    return [known[number] for number in SMALL.encode(text)[1:-1]]


def test_the_longest_piece_is_taken_first() -> None:
    """Inside a word too, where pieces carry their prefix."""
    assert pieces("unaffable runs") == ["un", "##aff", "##able", "run", "##s"]


def test_a_word_without_a_split_is_unknown_as_a_whole() -> None:
    """No piece of it survives."""
    assert pieces("run runner") == ["run", "[UNK]"]


def test_capitals_and_accents_do_not_matter() -> None:
    """Composed or decomposed."""
    assert pieces("CAFÉ") == pieces("cafe\u0301") == ["cafe"]


def test_ideographs_and_punctuation_stand_alone() -> None:
    """Even without a space around them."""
    assert pieces("like我tea!") == ["like", "我", "tea", "!"]


def test_a_marker_in_a_message_is_only_text() -> None:
    """Nobody ends the text of another by writing the marker."""
    assert pieces("tea[SEP]") == ["tea", "[", "sep", "]"]


def test_a_character_unknown_to_this_python_stays_in_its_word() -> None:
    """A new emoji is an unknown word everywhere, not a word that vanishes on old Pythons."""
    unassigned = next(chr(code) for code in range(0xE1000, 0xF0000) if unicodedata.category(chr(code)) == "Cn")
    assert pieces(f"tea {unassigned}") == ["tea", "[UNK]"]


@given(st.text(st.characters(codec=None), max_size=600))
def test_any_text_becomes_a_bounded_list_between_two_markers(text: str) -> None:
    """Lone surrogates and control characters included."""
    numbers = SMALL.encode(text)
    assert numbers[0] == 2
    assert numbers[-1] == 3
    assert len(numbers) <= MAX_TOKENS
    assert not {0, 2, 3} & set(numbers[1:-1])


@given(
    st.text(st.characters(codec=None), max_size=200)
    | st.lists(st.sampled_from([*PIECES, "é", " ", "\u0301"])).map("".join)
)
def test_pieces_are_the_tokens_with_their_places(text: str) -> None:
    """The same numbers as the embedding model reads, in order, each with some characters of the text."""
    found = list(SMALL.pieces(text))
    assert [piece.number for piece in found][: MAX_TOKENS - 2] == SMALL.encode(text)[1:-1]
    assert all(0 <= piece.start < piece.end <= len(text) for piece in found)
    assert all(one.start <= other.start and one.end <= other.end for one, other in pairwise(found))


def test_a_piece_points_to_the_characters_it_stands_for() -> None:
    """Accents, what vanishes and letters that become several included."""
    text = "  Un\u200baffable CAFÉ,\tcafe\u0301 我like ﬁ½"
    found = [text[piece.start : piece.end] for piece in SMALL.pieces(text)]
    assert found == ["Un", "aff", "able", "CAFÉ", ",", "cafe", "我", "like", "ﬁ½"]


def test_a_megabyte_reads_like_its_beginning() -> None:
    """What lies behind the last token cannot matter."""
    assert SMALL.encode("tea " * 250_000) == SMALL.encode("tea " * (MAX_TOKENS - 2))


@pytest.fixture
def shipped() -> tuple[list[str], WordPiece]:
    """Return the vocabulary of the installed model, and what splits by it."""
    folder = find_model()
    if folder is None:
        pytest.skip("the embedding model is not installed: run `yesteryear model install`")
    known = (folder / VOCABULARY_FILE).read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return known, WordPiece(known)


@each(("text", "expected"), GOLDEN)
def test_the_reference_splits_the_same_way(shipped: tuple[list[str], WordPiece], text: str, expected: str) -> None:
    """With the vocabulary of the installed model."""
    known, pieces = shipped
    assert [known[number] for number in pieces.encode(text)] == ["[CLS]", *expected.split(), "[SEP]"]
