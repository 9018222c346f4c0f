"""What holds for redaction of any text."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from yesteryear.core.secrets.redact import redact

SECRETISH = st.lists(
    st.sampled_from(
        [
            *(
                "password",
                "pwd",
                "pass",
                "api key",
                "secret",
                "token",
                "is",
                ":",
                "=",
                " ",
                "\n",
                '"',
                "'",
                ";",
                "&",
                "-",
                ".",
            ),
            *("hunter2", "swordfish", "4111 1111 1111 1111", "4111111111111111", "1234", "DE89370400440532013000", "@"),
            *(
                "eyJhbGciOiJI",
                "-----BEGIN PRIVATE KEY-----",
                "-----END PRIVATE KEY-----",
                "a://b:",
                "Bearer",
                "sk-",
                "[",
                "]",
            ),
            *("AKIAABCDEFGH12345678", "aB3dE6gH9jK2mN5pQ8sT", "[redacted: password]", "redacted", "é", "\ud800", "٣"),
        ]
    ),
    max_size=16,
).map("".join)
"""Labels, values and marks of secrets in any order."""


@given(st.text() | SECRETISH)
@example("-----BEGIN PRIVATE KEY----------BEGIN PRIVATE KEY----------END ----------END -----")
@example("PASSWORD::AKIA0000000000000000")
@example("DE89370400440532013000-DE89370400440532013000")
def test_redacting_twice_changes_nothing(text: str) -> None:
    """A redacted text holds nothing more to redact."""
    once = redact(text)
    assert redact(once.text).text == once.text


@given(st.text() | SECRETISH)
def test_kinds_are_named_exactly_when_the_text_changes(text: str) -> None:
    """Nothing is cut out silently, and nothing is reported that stayed."""
    cleaned = redact(text)
    assert bool(cleaned.kinds) is (cleaned.text != text)
    assert all(f"[redacted: {kind}]" in cleaned.text for kind in cleaned.kinds)
    assert len(set(cleaned.kinds)) == len(cleaned.kinds)


@given(st.text(st.characters(categories=("Ll", "Zs")), max_size=60))
def test_plain_words_are_never_touched(text: str) -> None:
    """Lower-case words without digits or punctuation hold no secret by form."""
    assert redact(text).text == text


@given(st.text(alphabet="abc ,.", max_size=30), st.text(alphabet="abc ,.", max_size=30))
def test_a_card_number_goes_and_its_surroundings_stay(before: str, after: str) -> None:
    """Only the secret is replaced, wherever it stands."""
    cleaned = redact(f"{before} 4111-1111-1111-1111 {after}")
    assert cleaned.text == f"{before} [redacted: credit card] {after}"


@given(st.integers(0, 9), st.integers(0, 15))
def test_a_card_number_with_one_wrong_digit_stays(digit: int, place: int) -> None:
    """Luhn's check finds every single wrong digit, so the number is no card."""
    digits = list("4111111111111111")
    is_same = digits[place] == str(digit)
    digits[place] = str(digit)
    assert bool(redact("".join(digits)).kinds) is is_same
