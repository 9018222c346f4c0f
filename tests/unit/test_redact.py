"""Secrets are cut out, and nothing that merely looks like one."""

from __future__ import annotations

from tests.each import each
from yesteryear.core.secrets.redact import redact, redact_name

LETTERS = "aB3dE6gH9jK2mN5pQ8sT"
"""Twenty characters that look random."""
PRIVATE_KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{LETTERS * 3}\n{LETTERS}\n-----END RSA PRIVATE KEY-----"


@each(
    ("secret", "kind"),
    [
        (PRIVATE_KEY, "private key"),
        (f"-----BEGIN PRIVATE KEY-----\n{LETTERS * 3}\n{LETTERS * 3}", "private key"),
        (f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{LETTERS}", "token"),
        ("AKIA" + "ABCDEFGH12345678", "api key"),
        ("ghp_" + LETTERS * 2, "api key"),
        ("github_pat_" + LETTERS * 2, "api key"),
        ("xoxb-" + "1234567890-" + LETTERS, "api key"),
        ("sk_live_" + LETTERS, "api key"),
        ("sk-proj-" + LETTERS * 2, "api key"),
        ("AIza" + LETTERS + LETTERS[:15], "api key"),
        ("4111 1111 1111 1111", "credit card"),
        ("5500-0000-0000-0004", "credit card"),
        ("378282246310005", "credit card"),
        ("3782 822463 10005", "credit card"),
        ("6304 0000 0000 0000", "credit card"),
        ("DE89 3704 0044 0532 0130 00", "iban"),
        ("GB82WEST12345698765432", "iban"),
        ("nl91 abna 0417 1643 00", "iban"),
        ("be68539007547034", "iban"),
    ],
)  # fmt: skip
def test_a_secret_known_by_its_form_is_cut_out_whole(secret: str, kind: str) -> None:
    """Only the secret goes; the words around it stay, and nothing of it is left."""
    cleaned = redact(f"here it is: {secret}, thanks")
    assert cleaned.text == f"here it is: [redacted: {kind}], thanks"
    assert cleaned.kinds == (kind,)


@each(
    ("text", "expected"),
    [
        ("password: swordfish", "password: [redacted: password]"),
        ("pwd=abc1234;user=ana", "pwd=[redacted: password];user=ana"),
        ("my wifi password is hunter2, ok?", "my wifi password is [redacted: password], ok?"),
        ("the passphrase is 'correct horse battery'", "the passphrase is '[redacted: password]'"),
        ("my password is: Tr0ub4dor&3!", "my password is: [redacted: password]!"),
        ("DB_PASSWORD=hunter2 ./run", "DB_PASSWORD=[redacted: password] ./run"),
        ('{"password": "hun ter2"}', '{"password": "[redacted: password]"}'),
        ("postgres://bob:s3cr3t@db.example.com/x", "postgres://bob:[redacted: password]@db.example.com/x"),
        (f"api_key = {LETTERS}", "api_key = [redacted: api key]"),
        (f"AWS_SECRET_ACCESS_KEY={LETTERS * 2}", "AWS_SECRET_ACCESS_KEY=[redacted: api key]"),
        (f"Authorization: Bearer {LETTERS}", "Authorization: Bearer [redacted: token]"),
    ],
)
def test_of_a_labelled_secret_only_the_value_goes(text: str, expected: str) -> None:
    """The label stays, so that the talk still says what it was about."""
    assert redact(text).text == expected


@each(
    "text",
    [
        "the password is safe with me",
        "password reset: the link expired",
        "password: how do I change it?",
        "passwords: pick long ones",
        "hall pass: required after ten",
        "first pass: 2024 figures",
        "the secret: patience and butter",
        "our secret is out",
        "token: 5",
        "key: C major",
        "api key = $API_KEY",
        "password=os.environ['DB']",
        "password: <your password>",
        "the bearer of good news arrived",
        "call +49 151 23456789 or 0151 2345 6789",
        "ISBN 978-3-16-148410-0, also 9783161484100",
        "on 2026-03-02 at 12:30:00, in 1700000000000 ms or 1700000000000000 us",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "be9907eb-f55a-4c1b-88e5-1f474ae505be",
        "line-4952-be160425e40202a3",
        "2021 2022 2023 2024 2025",
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
        "4111 1111 1111 1112",
        "DE89 3704 0044 0532 0130 01",
        "https://example.com:8080/a@b",
        "sk-learn-is-a-library-for-learning",
        "-----BEGIN PRIVATE KEY----- is how the file starts, why?",
        "",
        "\ud800 lone surrogate",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """Prose about secrets, placeholders, and numbers without their proof are left as they are."""
    assert redact(text).text == text
    assert redact(text).kinds == ()


def test_several_secrets_are_all_cut_out() -> None:
    """Each kind is named once, however often it occurs."""
    cleaned = redact("4111 1111 1111 1111 12/27 and 5500 0000 0000 0004, password: hunter2, password: swordfish")
    assert cleaned.text == (
        "[redacted: credit card] 12/27 and [redacted: credit card], "
        "password: [redacted: password], password: [redacted: password]"
    )
    assert cleaned.kinds == ("password", "credit card")


@each(
    "unit",
    ["4", "4 ", "4444 ", "eyJ", "eyJaaaaaaaa.", "-----BEGIN PRIVATE KEY-----", "-", "password:", 'password="', "sk-",
     "a://b:", "DE89 ", "bearer a1", "key token secret ", "ghp_", "a+"],
)  # fmt: skip
def test_a_hostile_megabyte_is_read_to_its_end(unit: str) -> None:
    """Repetition that tempts a search into backtracking changes nothing but what it names."""
    text = unit * (1_000_000 // len(unit))
    cleaned = redact(text)
    assert bool(cleaned.kinds) is (cleaned.text != text)


@each("name", ["be160425e40202a3", "BE9907EB-F55A-4C1B-88E5-1F474AE505BE", "AC9907EB-F55A-4C1B-88E5-1F474AE505BE"])
def test_an_id_made_by_a_program_is_no_secret(name: str) -> None:
    """One hash of sixty thousand passes the check of an account number, and who is refused cannot write at all."""
    assert redact_name(name) == name
