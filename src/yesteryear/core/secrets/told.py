"""Secrets that somebody names: ``password: ...``, "the wifi password is ...", "my pin? 4821".

A word that names a secret is looked for, then what is said of it, then whether that can be the secret itself or only
says something about it: "the password is hunter2" and "the password is too long" differ in nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.secrets.found import Piece, SecretSpan, fold
from yesteryear.core.secrets.values import (
    Words,
    is_key,
    is_made_up,
    is_placeholder,
    is_strong,
    number_length,
    password_length,
    plain_length,
    strip_closing,
)

_EN = vocabulary("secrets")
_NAMES_ABROAD = sorted((fold(name).text.lower() for name in _EN.listed("names_abroad")), key=len, reverse=True)
"""What a password is called in other languages, longer names first."""
_ABROAD = re.compile(
    rf"(?:{'|'.join(re.escape(name).replace(chr(92) + ' ', chr(92) + 's') for name in _NAMES_ABROAD)})[a-z]{{0,4}}"
)
_ABROAD_MARKS = tuple({name[:5] for name in _NAMES_ABROAD if name.isascii() and not name.startswith("pass")})
_NUMBER_MARKS = _EN.listed("number_marks")
_WIRELESS_MARKS = _EN.listed("wireless_marks")
_WIRELESS, _PASSWORD_MARKS = _EN.listed("wireless"), _EN.listed("password_marks")
_OF_SHORT_ONES = _EN.words("of_short_ones")
_CODES = _EN.words("codes")
_OF_ANYTHING = _EN.words("of_anything")
_BEFORE = re.compile(r"([a-z\d-]+)(?:'s)?\s\Z")
_OPENED = _CODES | _EN.words("opened")
_BEFORE_CHARS = 24
_KEY_BEFORE_CHARS = 20
_LOGIN_MARKS = _EN.listed("login_marks")
_REACH = 110
"""How far behind its name a secret may stand, in characters."""
_MOST_SIGNS = 5
"""Most signs behind one name that are looked at."""
_LOOSE = _EN.listed("loose")
_SAID_OF = "\u306f \u662f \u4e3a \ub294 \uc740"
"""The same where words are written together: Japanese, Chinese, Korean."""


def _words_of(listed: Iterable[str]) -> str:
    """Return a pattern for whole words, each of which begins with a letter of its own: that finds them fast."""
    words = (entry.replace(" ", r"\s") for entry in listed)
    return "|".join(rf"{word}(?<![\w']{word})(?![\w'])" for word in words)


_SIGN = re.compile(
    rf":=|:|==|=>|=|'s(?<=[a-z]'s)(?:\s+[=:]|(?=\s))|{_words_of(_EN.listed('says'))}|{_SAID_OF.replace(' ', '|')}"
    rf"|\u2026|\.\.\.?|\?(?=\s)|,(?=\s)|-(?<=\s-)\s|{_words_of(_LOOSE)}"
)
"""What ties a value to its name: a sign that gives it, a verb that says it, or something looser."""
_GIVING = frozenset(":=")
_TYING_LOOSELY = frozenset({*"\u2026.?,-", *_LOOSE})
_STOP = re.compile(r"[\n\r;]|!(?=\s|\Z)|(?<!\.)\.\s(?!\.)")
"""The end of what is said of a name."""
_ASSIGNED = re.compile(r"(?:\s?\([^()\n]{1,60}+\))?[\"'`*)\]]{0,3}\s{0,3}(?:is\s?)?(?::=|=>|==?|:)\s{0,3}")
_QUOTED = re.compile(r"([\"'`])(?P<value>(?:(?!\1)[^\n]){3,120}+)\1")
_BARE = re.compile(r"\s{1,2}[\"'`]?(?P<value>[^\s\"'`]{5,}+)")
_NEAR = re.compile(r"[\s,#]{1,3}")
_LAST_WORD = re.compile(r"[\"'`]?(?P<value>[^\s\"'`,;:()]{4,64})[\"'`,]?\s*\Z")
_MOST_CODES = 20
"""Most codes of one list."""
_REACH_BEFORE = 66
_FEWEST_DIGITS = 4
"""Fewest digits of a code that comes before its name."""
_LONG_KEY_CHARS = 20
_MAY_BE_KEY = re.compile(r"(?=\S{0,20}?\d)\S{8}|\S{20}")
"""A key is long, and shorter ones have a digit; most talk of keys has neither behind it."""
_QUOTES = frozenset("\"'`")
_TOKEN = re.compile(r"[^\s\"'`]{1,256}+")
_JOINED = re.compile(r"[;&](?=\w{1,40}=)")
_ASCII_RUN = re.compile(r"[!-~]{4,}+")
_IS_ACCOUNT = re.compile(r"(?=[^\s]{0,40}[@.\d_])[\w.@+-]{3,}")
"""The name of an account, and no word of a sentence."""
_PHRASE = re.compile(r"[a-zA-Z'-]+(?: [a-zA-Z'-]+){3,12}(?=[.,;!\n]|\Z)")
"""Four words or more."""


def find_told(piece: Piece) -> Iterator[SecretSpan]:
    """Find values of names such as password, pin, door code, api key."""
    words = Words(*piece)
    for labels, value_of in ((password_labels, _password), (number_labels, _number), (key_labels, _key)):
        named = labels(piece.low)
        ends = [label.start for label in named[1:]] + [len(piece.low)]
        for label, end in zip(named, ends, strict=False):  # the name that stands nearest names a value
            if piece.text[label.end : label.end + 1] == "@":  # the placeholder in an address
                continue
            found = value_of(words, label, min(end, label.end + _REACH))
            if found is None and value_of is not _key:
                found = _before(words, label, "password" if value_of is _password else "pin")
                if found is None and value_of is _password and not _EN["about"].match(words.low, label.end):
                    found = _near(words, label, min(end, label.end + _REACH))
            if found is not None:
                yield found
    yield from _pairs(words)
    for login in _EN["login"].finditer(piece.low) if any(mark in piece.low for mark in _LOGIN_MARKS) else ():
        pair = _EN["pair"].match(words.text, login.end())
        if pair is not None:
            value = strip_closing(pair["value"])
            is_pair = " / " in pair[0] and _IS_ACCOUNT.fullmatch(pair["name"]) and not is_placeholder(value)
            if is_pair or is_made_up(value, low=value.lower()):
                yield SecretSpan(pair.start("value"), pair.start("value") + len(value), "password")


def _pairs(words: Words) -> Iterator[SecretSpan]:
    """Find ``admin / Hedgehog2011`` and "log in as ana with Sunflower!22"."""
    for pair in (
        _EN["name_and_password"].finditer(words.text)
        if " / " in words.text or "log in" in words.low or "logged in" in words.low
        else ()
    ):
        value = strip_closing(pair["value"])
        if is_strong(value):
            yield SecretSpan(pair.start("value"), pair.start("value") + len(value), "password")


def _near(words: Words, label: Label, limit: int) -> SecretSpan | None:
    """Find a word in the sentence of a password's name that people make up to be safe."""
    behind = _STOP.search(words.low, label.end, limit)
    start = max(0, label.start - _REACH_BEFORE)
    for before in _STOP.finditer(words.low, start, label.start):
        start = before.end()
    for word in _TOKEN.finditer(words.text, start, behind.start() if behind else limit):
        token = strip_closing(word[0].lstrip("("))
        if is_strong(token) and not is_placeholder(token):
            at = word.start() + word[0].index(token)
            return SecretSpan(at, at + len(token), "password")
    return None


def _password(words: Words, label: Label, limit: int) -> SecretSpan | None:
    given = _ASSIGNED.match(words.text, label.end)
    if given is not None:
        phrase = _PHRASE.match(words.text, given.end()) if words.low[label.start : label.end] == "passphrase" else None
        if phrase is not None:
            return SecretSpan(*phrase.span(), "password")
        return _assigned_password(words, given.end(), is_sure=label.is_sure)
    for pattern in (_BARE,) if label.is_english else (_BARE, _EN["abroad_of"]):
        behind = pattern.match(words.text, label.end)
        value = strip_closing(behind["value"]) if behind else ""
        if behind is not None and is_made_up(value, low=value.lower(), adjacent=True):
            return SecretSpan(behind.start("value"), behind.start("value") + len(value), "password")
    if not label.is_english and (length := number_length(words, label.end + 1, adjacent=True)):
        return SecretSpan(label.end + 1, label.end + 1 + length, "pin")
    if _EN["about"].match(words.low, label.end):
        return None
    for number, (sign, at) in enumerate(_signs(words, label.end, limit)):
        is_plain = (sign == "given" and not number) or (sign == "said" and label.is_english)
        found = _said_password(words, sign, at, label, is_plain=is_plain)
        if found is not None:
            return found
    return None


def _assigned_password(words: Words, at: int, *, is_sure: bool) -> SecretSpan | None:
    quoted = _QUOTED.match(words.text, at)
    if quoted is not None:
        return None if is_placeholder(quoted["value"]) else SecretSpan(*quoted.span("value"), "password")
    token = _token(words, at)
    if token is None or token.startswith("(") or is_placeholder(token):
        return None
    if is_sure:
        length = plain_length(words, at, token, given=True)
    else:
        is_secret = is_made_up(token, low=token.lower()) and any(map(str.isalpha, token))
        length = len(token) if is_secret else 0
    return SecretSpan(at, at + length, "password") if length else None


def _said_password(words: Words, sign: str, at: int, label: Label, *, is_plain: bool) -> SecretSpan | None:
    """Return where the password stands that a sign ties to its name, if one does.

    Args:
        words: The text.
        sign: What kind of sign.
        at: Where what it ties begins.
        label: The name.
        is_plain: Whether it may be made of ordinary words.
    """
    quoted = _QUOTED.match(words.text, at)
    if quoted is not None:
        is_secret = sign != "loose" and not is_placeholder(quoted["value"])
        return SecretSpan(*quoted.span("value"), "password") if is_secret else None
    token = _token(words, at)
    if token is not None and not label.is_english and (run := _ASCII_RUN.match(token)):
        token = strip_closing(run[0])
    if not token or is_placeholder(token):
        return None
    length = password_length(words, at, token)
    if not length and is_plain:
        length = plain_length(words, at, token, given=sign == "given")
    return SecretSpan(at, at + length, "password") if length else None


def _number(words: Words, label: Label, limit: int) -> SecretSpan | None:
    given = _ASSIGNED.match(words.text, label.end)
    near = None if given else _NEAR.match(words.low, label.end)
    if near is not None and (
        length := number_length(
            words, near.end(), adjacent=True, fewest=3 if words.low[label.start : label.end].startswith("cv") else 4
        )
    ):
        return SecretSpan(near.end(), near.end() + length, "pin")
    token = None if near is None else _token(words, near.end())
    if near is not None and token is not None and is_strong(token):
        return SecretSpan(near.end(), near.end() + len(token), "password")
    for _, at in [("given", given.end())] if given else _signs(words, label.end, limit):
        length = number_length(words, at)
        if length:
            return SecretSpan(at, _end_of_list(words, at + length), "pin")
    return None


def _end_of_list(words: Words, at: int) -> int:
    """Return where a list of codes ends whose first one ends at a place."""
    for _ in range(_MOST_CODES):
        gap = _EN["between_codes"].match(words.low, at)
        length = number_length(words, gap.end()) if gap else 0
        if gap is None or not length:
            break
        at = gap.end() + length
    return at


def _key(words: Words, label: Label, limit: int) -> SecretSpan | None:
    if not _MAY_BE_KEY.search(words.text, label.end, limit + _LONG_KEY_CHARS):
        return None
    places: Iterable[tuple[str, int]]
    if given := _ASSIGNED.match(words.text, label.end):
        places = [("given", given.end())]
    else:
        near = _NEAR.match(words.low, label.end)
        places = chain([("loose", near.end())] if near else [], _signs(words, label.end, limit))
    for sign, at in places:
        start = at + (words.text[at : at + 1] in _QUOTES)
        token = _token(words, start)
        if token and not is_placeholder(token) and is_key(token, surely=sign == "loose" or not label.is_sure):
            return SecretSpan(start, start + len(token), "api key")
    return None


def _before(words: Words, label: Label, kind: str) -> SecretSpan | None:
    """Find a value that comes first: "blue-tiger-9 is the wifi password"."""
    tie = _EN["tie_before"].search(words.low, max(0, label.start - _REACH_BEFORE), label.start)
    value = None if tie is None else _LAST_WORD.search(words.text, max(0, tie.start() - _REACH_BEFORE), tie.start())
    if value is None:
        return None
    token = value["value"]
    is_number = kind == "pin" and sum(map(str.isdigit, token)) >= _FEWEST_DIGITS
    if is_placeholder(token) or not (is_number or is_made_up(token, low=token.lower())):
        return None
    return SecretSpan(*value.span("value"), kind)


def _signs(words: Words, at: int, limit: int) -> Iterator[tuple[str, int]]:
    """Return the kinds of signs behind a name and where what they tie to it begins."""
    stop = _STOP.search(words.low, at, limit)
    limit = stop.start() if stop else limit
    for number, sign in enumerate(_SIGN.finditer(words.low, at, limit)):
        if number == _MOST_SIGNS or "[redacted" in words.low[at : sign.end()]:
            return
        filler = _EN["filler"].match(words.low, sign.end())
        yield _kind_of(sign[0]), filler.end() if filler else sign.end()


def _kind_of(sign: str) -> str:
    if sign[0] in _GIVING:
        return "given"
    return "loose" if sign in _TYING_LOOSELY or sign[0] in _TYING_LOOSELY else "said"


def _token(words: Words, at: int) -> str | None:
    """Return the word that begins at a place, without what belongs to the sentence."""
    found = _TOKEN.match(words.text, at)
    if found is None:
        return None
    token = _JOINED.split(found[0])[0]
    return strip_closing(token) or None


# The words by which people call secrets, in text that was folded and is in lower case.


class Label(NamedTuple):
    """The name of a secret in a text, half-open."""

    start: int
    end: int
    is_sure: bool = True
    """Whether the word names nothing else."""
    is_english: bool = True


def password_labels(low: str) -> list[Label]:
    """Return where passwords are named, in order."""
    found: list[Label] = []
    if _holds(low, _WIRELESS_MARKS):
        found = [Label(one.start(), one.end()) for one in _EN["wireless_key"].finditer(low)]
        if not found and _holds(low, _WIRELESS):
            found = [
                Label(one.start(), one.end(), is_sure=False, is_english=False)
                for one in _EN["key_abroad"].finditer(low)
            ]
    if _holds(low, _PASSWORD_MARKS):
        for one in _EN["password_label"].finditer(low):
            is_sure = one[0] not in _OF_SHORT_ONES
            if is_sure or not _is_word(low[one.start() - 1 : one.start()]):
                found.append(Label(one.start(), one.end(), is_sure))
    if "pass" in low or not low.isascii() or _holds(low, _ABROAD_MARKS):
        found += [
            Label(one.start(), one.end(), is_english=False)
            for one in _ABROAD.finditer(low)
            if not (one[0].isascii() and _is_word(low[one.start() - 1 : one.start()]))
        ]
    return sorted(found) if len(found) > 1 else found


def _holds(low: str, marks: tuple[str, ...]) -> bool:
    for mark in marks:  # noqa: SIM110 - a generator takes longer than what it looks for
        if mark in low:
            return True
    return False


def number_labels(low: str) -> list[Label]:
    """Return where codes of digits are named."""
    if not _holds(low, _NUMBER_MARKS):
        return []
    return [Label(one.start(), one.end()) for one in _EN["number_label"].finditer(low) if _names_number(low, one)]


def _names_number(low: str, one: re.Match[str]) -> bool:
    before = low[one.start() - 1 : one.start()]
    if _is_word(before) or before == "-":
        return False
    if one[0] not in _OF_ANYTHING:
        return True
    owner = _BEFORE.search(low, max(0, one.start() - _BEFORE_CHARS), one.start())
    behind = _EN["behind"].match(low, one.end())
    return (owner is not None and owner[1] in _CODES) or (
        behind is not None and not _OPENED.isdisjoint(behind.groups())
    )


def key_labels(low: str) -> list[Label]:
    """Return where keys are named."""
    if not ("key" in low or "token" in low or "secret" in low):
        return []
    found = []
    for one in _EN["key_label"].finditer(low):
        is_sure = not one[0].startswith("key") or bool(
            _EN["key_of"].search(low, max(0, one.start() - _KEY_BEFORE_CHARS), one.start())
        )
        if is_sure or not low[one.start() - 1 : one.start()].isalpha():
            found.append(Label(one.start(), one.end(), is_sure))
    return found


def _is_word(char: str) -> bool:
    return char.isalnum()
