"""Secrets that show by their form: keys that somebody issued, parameters and cookies, codes told in a set phrase.

The forms are data: ``issued`` holds those of keys and tokens, ``codes`` the phrases by which people tell codes of locks
and of messages, numbers of papers, and answers that stand for a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from yesteryear.core.language.vocabulary import Vocabulary, vocabulary
from yesteryear.core.secrets.plausible import is_placeholder
from yesteryear.core.secrets.spans import Piece, SecretSpan

_EN, _CODES, _ISSUED = vocabulary("secrets"), vocabulary("codes"), vocabulary("issued")


class _Form(NamedTuple):
    marks: tuple[str, ...]  # of these one is in every text that has the form
    pattern: str
    kind: str
    is_cased: bool


@cache
def _rows(name: str) -> tuple[_Form, ...]:
    words: Vocabulary = _ISSUED if name in ("placed", "signed", "unannounced") else _CODES
    usual = "api key" if words is _ISSUED else "pin"
    return tuple(
        _Form(tuple(row["marks"].split()), row["pattern"], row.get("kind", usual), "case" in row)
        for row in words.rows(name)
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _matches(name: str, piece: Piece) -> Iterator[tuple[re.Match[str], str]]:
    """Yield what has one of the forms of a table, and its kind."""
    for form in _rows(name):
        text = piece.text if form.is_cased else piece.low
        if not form.marks or any(mark in text for mark in form.marks):
            yield from ((found, form.kind) for found in _compiled(form.pattern).finditer(text))


def _span(found: re.Match[str], kind: str) -> SecretSpan:
    """Return where the value of a match stands, or all of it where it names none."""
    return SecretSpan(*found.span(found.lastgroup or 0), kind)


_LONG = re.compile(r"[\w%+/=.~$-]{16}")  # every prefixed or signed key has a run of this length
_LONG_RUN = re.compile(r"[\w.:~-]{24,}+", re.ASCII)  # where tokens may stand that no letters of their own announce
_PREFIXES = {prefix: count for count, listed in _ISSUED.table("prefixes").items() for prefix in listed.split()}
_DOTTED = frozenset({"SG.", "ya29.", "ops_eyJ", "t1.", "xoxe.", "dp.st."})  # more parts may follow, after a dot
_WALLET_NUMBER = re.compile(r"(?<![A-Za-z0-9])(?:0x)?[0-9a-f]{64}(?![A-Za-z0-9])")
_OF_WALLET = re.compile(r"private|metamask|wallet|mnemonic|ledger|keystore|trezor|accounts?\b")
_OF_PAYMENT = re.compile(r"\btx|transaction|hash|block|sha|checksum|commit|digest")
_AROUND_CHARS = 60  # how far from a wallet's private key the word may stand that says so
_JOINTS = re.compile("[_-]")
_TOKEN = re.compile(r"(?<![\w/+.-])[A-Za-z][\w-]{23,}+", re.ASCII)
_TELLING = _ISSUED.words("telling")  # parts of a prefix that say that a secret follows
_PUBLISHED = "pk"  # begins keys that are made to be seen by everybody
_BODY_CHARS = 16  # fewest characters of the random part of a token whose prefix says what it is
_ANONYMOUS_BODY_CHARS = 32  # the same where the prefix says nothing; both cases and digits mix in it
_FEWEST_BODY_DIGITS = 3


def find_issued(piece: Piece) -> Iterator[SecretSpan]:
    """Find what shows by letters or a place of its own: a prefix, an address, an option of a command."""
    for found, kind in _matches("placed", piece):
        if not found[found.lastgroup or 0].isdigit():  # a number alone is that of a user or a port
            yield _span(found, kind)
    if not _LONG.search(piece.text):
        return
    for prefix in _PREFIXES:
        if prefix in piece.text:
            yield from (SecretSpan(*found.span(), "api key") for found in _prefixed_by(prefix).finditer(piece.text))
    yield from (_span(*match) for match in _matches("signed", Piece(piece.text, piece.text)))


@cache
def _prefixed_by(prefix: str) -> re.Pattern[str]:
    name = re.escape(prefix)
    edge = rf"(?<![A-Za-z0-9]{name})(?<!{_PUBLISHED}[_-]{name})"
    parts = r"(?:[\w.-]*+(?<![.\-]))?" if prefix in _DOTTED else ""
    return re.compile(rf"{name}{edge}(?=[\w-]{{0,200}}?\d)[\w-]{{{_PREFIXES[prefix]},}}+{parts}", re.ASCII)


def find_unannounced(piece: Piece) -> Iterator[SecretSpan]:
    """Find tokens that no letters of an issuer announce."""
    for number in _WALLET_NUMBER.finditer(piece.low):
        around = piece.low[max(0, number.start() - _AROUND_CHARS) : number.end() + _AROUND_CHARS]
        if _OF_WALLET.search(around) and not _OF_PAYMENT.search(around):
            yield SecretSpan(*number.span(), "private key")
    for run in _LONG_RUN.finditer(piece.text):
        found = [_span(*match) for match in _matches("unannounced", Piece(run[0], run[0]))]
        found += (SecretSpan(*token.span(), "api key") for token in _TOKEN.finditer(run[0]) if _is_random(token[0]))
        yield from (SecretSpan(run.start() + one.start, run.start() + one.end, one.kind) for one in found)


def _is_random(token: str) -> bool:
    """Tell whether a token's prefix says that it is secret, or its long random part leaves no doubt."""
    parts = _JOINTS.split(token)
    body = max(parts, key=len)
    digits = sum(map(body.count, "0123456789"))
    if len(parts) < 2 or len(body) < _BODY_CHARS or not _FEWEST_BODY_DIGITS <= digits < len(body):
        return False
    before = parts[: parts.index(body)]
    if not before or before[0] == _PUBLISHED:
        return False
    is_telling = not _TELLING.isdisjoint(part.lower() for part in before)
    is_long = len(body) >= _ANONYMOUS_BODY_CHARS and not body.islower() and not body.isupper()
    return is_telling or (is_long and not before[0].lower().startswith("sha"))


# Blocks are as long as they like, so they are looked for in the whole text.

_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_LINES = re.compile(r"Private-Lines: \d{1,3}(?P<value>(?:\s{1,2}[A-Za-z0-9+/=]{16,}+)++)")
_BODY = re.compile(
    r"[^\[\-]*+(?:-(?!----)[^\[\-]*+)*+-----END [A-Z0-9 ]{0,40}-----"  # no "[", or a label could become a body
    r"|(?:(?:\s|\\r|\\n)*+[A-Za-z0-9+/=]{16,}+)++"  # a block that was cut off
)
_REST = re.compile(r"[\w.~+/=-]*+", re.ASCII)


def find_blocks(text: str) -> Iterator[SecretSpan]:
    """Find blocks that hold a private key."""
    for start in _BLOCK.finditer(text) if "-----BEGIN" in text else ():
        if body := _BODY.match(text, start.end()):
            yield SecretSpan(start.start(), body.end(), "private key")
    if "Private-Lines" in text:
        yield from (_span(found, "private key") for found in _LINES.finditer(text))


def continue_token(text: str, at: int) -> int:
    """Return where a token ends that goes on at a place."""
    rest = _REST.match(text, at)
    return at if rest is None else rest.end()


# Parameters of addresses, and cookies.

_PAIR = re.compile(r"=(?<=[\w\])]=)(?P<value>(?:[^\s&;#\"'<>)\]\[]|(?<==)[\"'])(?:[^\s&;#\"'<>)\]\[,]){3,}+)", re.ASCII)
_NAME = re.compile(r"(?:(?P<mark>[?&#])|[\s;,\"':{(]|\A)(?P<name>[\w.%$-]{1,64}\]?)\Z", re.ASCII)
_NAME_CHARS = 66
_COOKIE_CHARS = 256  # how far before a pair a line may say that it is of a cookie
_HAS_DIGIT = re.compile(r"\d")
_RUN = re.compile(r"[a-z0-9]+")
_PARTS = re.compile(r"[^a-z0-9]+")
_SECRETIVE, _SECRETIVE_ENDS = _EN.words("secretive"), _EN.listed("secretive_ends")
_OTHER, _CODE_NAMES = _EN.words("other"), _EN.words("code_names")
_PLAIN_NAMES = ("utm_", "_ga", "_gid", *_EN.listed("plain_names"))
_PASSWORDS = ("password", "passwd", "pwd", "pass", "passcode", "passphrase")
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHORTEST, _SHORTEST_CODE, _SHORTEST_RANDOM = 8, 12, 28  # of a value whose name tells, may tell, does not tell
_FEWEST_RANDOM_DIGITS = 5
_LONG_VALUE = 16  # so long a value of a telling name needs no digit


def find_pairs(piece: Piece) -> Iterator[SecretSpan]:
    """Find values of parameters of addresses and of cookies whose name or look says that they are secret."""
    low = piece.low
    for pair in _PAIR.finditer(low) if "=" in low else ():
        before = _NAME.search(low, max(0, pair.start() - _NAME_CHARS), pair.start())
        if before is None:
            continue
        name = before["name"]
        said = low.rfind("cookie", max(0, before.start() - _COOKIE_CHARS), before.start() + 1)
        is_placed = bool(before["mark"]) or (said >= 0 and "\n" not in low[said : before.start()])
        if is_placed or ("sess" in name and _HAS_DIGIT.search(pair["value"])):
            start, end = pair.span("value")
            start += low[start] in "\"'"
            value = low[start:end].rstrip(".,:!?")
            if _is_secret(name, value):
                yield SecretSpan(start, start + len(value), "token")


def _is_secret(name: str, value: str) -> bool:
    digits = sum(map(value.count, "0123456789"))
    letters = any(map(str.isalpha, value))
    if is_placeholder(value) or name in _OTHER or name.startswith(_PLAIN_NAMES):
        return False
    parts = _PARTS.split(name)
    if not _SECRETIVE.isdisjoint(parts) or name.endswith(_SECRETIVE_ENDS):
        if name.endswith(_PASSWORDS):
            return bool(digits)
        return len(value) >= _SHORTEST and (bool(digits and letters) or (len(value) >= _LONG_VALUE and value.isalnum()))
    if digits < 2 or not letters or UUID.fullmatch(value):
        return False
    if "code" in name or not _CODE_NAMES.isdisjoint(parts):
        return len(value) >= _SHORTEST_CODE
    run = max(_RUN.findall(value), key=len, default="")
    is_mixed = len(run) >= _LONG_VALUE and sum(map(run.count, "0123456789")) >= _FEWEST_RANDOM_DIGITS
    return len(value) >= _SHORTEST_RANDOM and is_mixed


# Codes that open something, confirm who somebody is, or are the number of a person's papers.

_LOCK_CHARS = 80  # how far from a code the lock may be named that it opens
_FEWEST_DIGITS, _MOST_DIGITS = 4, 10
_YEAR = re.compile(r"(?:19|20)\d\d")


def find_codes(piece: Piece) -> Iterator[SecretSpan]:
    """Find codes of locks and of messages, numbers of papers, and answers that stand for a password."""
    low = piece.low
    if not any(digit in low for digit in "0123456789") and "maiden" not in low and "security" not in low:
        return
    for name in ("confirming", "opening", "papers"):
        needs_lock = name == "opening"
        if needs_lock and not _CODES["lock"].search(low):
            continue
        for found, kind in _matches(name, piece):
            if kind != "pin" or (_opens(low, found) if needs_lock else _is_code(found["value"].strip())):
                yield SecretSpan(*found.span("value"), kind)


def _is_code(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    return digits >= _FEWEST_DIGITS or (digits >= 2 and len(value) > _FEWEST_DIGITS)


def _opens(low: str, found: re.Match[str]) -> bool:
    """Tell whether what looks like the code of a lock stands near one."""
    value = found["value"].strip()
    digits = sum(map(str.isdigit, value))
    start, end = found.span("value")
    around = low[max(0, start - _LOCK_CHARS) : end + _LOCK_CHARS]
    is_marked = value[0] in "#*" or value[-1] in "#*"
    return (
        (_FEWEST_DIGITS <= digits <= _MOST_DIGITS or (is_marked and digits > 2))
        and (is_marked or not (_YEAR.fullmatch(value) and "code" not in around and "type" not in around))
        and _CODES["lock"].search(around) is not None
        and not _CODES["no_lock"].search(low, max(0, found.start() - 20), end + 20)
    )
