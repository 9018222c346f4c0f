"""Words and stems."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.each import each
from yesteryear.core.language.tokens import STOP_WORDS, stem, stems, words


@each(
    ("text", "expected"),
    [
        ("I don't know, Ana’s late!", ["i", "don't", "know", "ana's", "late"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("3.5 km in 1,000 days, at 5:15am", ["3.5", "km", "in", "1,000", "days", "at", "5", "15", "am"]),
        ("snake_case and e-mail", ["snake", "case", "and", "e", "mail"]),
        ("café Žižkov привет", ["café", "žižkov", "привет"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("我喜欢跑步", ["我喜", "喜欢", "欢跑", "跑步"]),
        ("猫 and 東京", ["猫", "and", "東京"]),
        ("🎉 ... — \n", []),
        ("", []),
    ],
)
def test_words_are_found_in_any_script(text: str, expected: list[str]) -> None:
    """Words come casefolded, apostrophes folded, scripts without spaces as pairs, symbols left out."""
    assert words(text) == expected


def test_stems_leave_out_stop_words_and_keep_repeats() -> None:
    """What is counted is content, as often as it was said."""
    assert stems("I was running and you ran to Ana's running club") == ["run", "ran", "ana", "run", "club"]


def test_words_of_other_alphabets_are_not_stemmed() -> None:
    """English rules do not touch letters English does not have."""
    assert stems("naïves Häuser") == ["naïves", "häuser"]


def test_stop_words_are_spelled_as_words_spells_them() -> None:
    """A stop word that ``words`` would cut differently could never match."""
    assert all(words(word) == [word] for word in STOP_WORDS)


def test_an_endless_word_is_left_alone() -> None:
    """A pasted key or blob is one word and fills no cache."""
    blob = "ab" * 500_000
    assert stems(blob) == [blob]


def test_stems_are_the_same_from_many_threads() -> None:
    """Threads that stem at once do not disturb one another."""
    unseen = [
        f"{prefix}running{suffix}" for prefix in "abcdefgh" for suffix in ("s", "ly", "ness", "ed") for _ in range(9)
    ]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(stem, unseen))
    assert together == [stem(word) for word in unseen]
