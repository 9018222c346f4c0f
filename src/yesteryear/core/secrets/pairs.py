"""Secrets in pairs ``name=value``: of the query of an address, and of a cookie."""

from __future__ import annotations

import re
from collections.abc import Iterator

from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.secrets.found import Piece, SecretSpan
from yesteryear.core.secrets.values import is_placeholder

_EN = vocabulary("secrets")

_PAIR = re.compile(r"=(?<=[\w\])]=)(?P<value>(?:[^\s&;#\"'<>)\]\[]|(?<==)[\"'])(?:[^\s&;#\"'<>)\]\[,]){3,}+)", re.ASCII)
_NAME = re.compile(r"(?:(?P<mark>[?&#])|[\s;,\"':{(]|\A)(?P<name>[\w.%$-]{1,64}\]?)\Z", re.ASCII)
_NAME_CHARS = 66
_COOKIE_CHARS = 256
"""How far before a pair a line may say that it is of a cookie."""
_HAS_DIGIT = re.compile(r"\d")
_RUN = re.compile(r"[a-z0-9]+")
_PARTS = re.compile(r"[^a-z0-9]+")
_SECRETIVE = _EN.words("secretive")
_SECRETIVE_ENDS = _EN.listed("secretive_ends")
_OTHER = _EN.words("other")
_CODES = _EN.words("code_names")
_PLAIN_NAMES = ("utm_", "_ga", "_gid", *_EN.listed("plain_names"))
_PASSWORDS = ("password", "passwd", "pwd", "pass", "passcode", "passphrase")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHORTEST, _SHORTEST_CODE, _SHORTEST_RANDOM = 8, 12, 28
"""Fewest characters of a value whose name tells, may tell, or does not tell that it is secret."""
_FEWEST_DIGITS = 5
"""Fewest digits of a value that looks random."""
_LONG = 16
"""So long a value of a telling name needs no digit."""


def find_pairs(piece: Piece) -> Iterator[SecretSpan]:
    """Find values of parameters of addresses and of cookies whose name or look says that they are secret."""
    text, low = piece
    if "=" not in text:
        return
    for pair in _PAIR.finditer(low):
        before = _NAME.search(low, max(0, pair.start() - _NAME_CHARS), pair.start())
        if before is None:
            continue
        name = before["name"]
        is_placed = bool(before["mark"]) or _is_of_cookie(low, before.start())
        if is_placed or ("sess" in name and _HAS_DIGIT.search(pair["value"])):
            start, end = pair.span("value")
            start += low[start] in "\"'"
            value = low[start:end].rstrip(".,:!?")
            if _is_secret(name, value):
                yield SecretSpan(start, start + len(value), "token")


def _is_of_cookie(low: str, at: int) -> bool:
    said = low.rfind("cookie", max(0, at - _COOKIE_CHARS), at + 1)
    return said >= 0 and "\n" not in low[said:at]


def _is_secret(name: str, value: str) -> bool:
    digits = sum(map(value.count, "0123456789"))
    letters = any(map(str.isalpha, value))
    if is_placeholder(value) or name in _OTHER or name.startswith(_PLAIN_NAMES):
        return False
    parts = _PARTS.split(name)
    if not _SECRETIVE.isdisjoint(parts) or name.endswith(_SECRETIVE_ENDS):
        if name.endswith(_PASSWORDS):
            return bool(digits)
        return len(value) >= _SHORTEST and (bool(digits and letters) or (len(value) >= _LONG and value.isalnum()))
    if digits < 2 or not letters or _UUID.fullmatch(value):
        return False
    if "code" in name or not _CODES.isdisjoint(parts):
        return len(value) >= _SHORTEST_CODE
    run = max(_RUN.findall(value), key=len, default="")
    return len(value) >= _SHORTEST_RANDOM and len(run) >= _LONG and sum(map(run.count, "0123456789")) >= _FEWEST_DIGITS
