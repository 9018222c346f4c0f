"""Secrets that somebody names: ``password: ...``, "the wifi password is ...", "my pin? 4821".

A word that names a secret is looked for, then what is said of it, then whether that can be the secret itself or only
says something about it: "the password is hunter2" and "the password is too long" differ in nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.secrets.plausible import (
    is_key,
    is_made_up,
    is_placeholder,
    is_strong,
    number_length,
    password_length,
    plain_length,
    strip_closing,
)
from yesteryear.core.secrets.spans import Piece, SecretSpan, like

_EN = vocabulary("secrets")
_REACH = 110  # how far behind its name a secret may stand, in characters
_REACH_BEFORE = 66  # how far before it
_FEWEST_DIGITS = 4  # of a code that comes before its name
_LONG_KEY_CHARS = 20
_MOST_SIGNS = 5  # most signs behind one name that are looked at
_MOST_CODES = 20  # most codes of one list
_STOP = re.compile(r"[\n\r;]|!(?=\s|\Z)|(?<!\.)\.\s(?!\.)")  # the end of what is said of a name
_ASSIGNED = re.compile(r"(?:\s?\([^()\n]{1,60}+\))?[\"'`*)\]]{0,3}\s{0,3}(?:is\s?)?(?::=|=>|==?|:)\s{0,3}")
_QUOTED = re.compile(r"([\"'`])(?P<value>(?:(?!\1)[^\n]){3,120}+)\1")
_BARE = re.compile(r"\s{1,2}[\"'`]?(?P<value>[^\s\"'`]{5,}+)")
_NEAR = re.compile(r"[\s,#]{1,3}")
_LAST_WORD = re.compile(r"[\"'`]?(?P<value>[^\s\"'`,;:()]{4,64})[\"'`,]?\s*\Z")
_MAY_BE_KEY = re.compile(r"(?=\S{0,20}?\d)\S{8}|\S{20}")  # most talk of keys has no such run behind it
_QUOTES = frozenset("\"'`")
_TOKEN = re.compile(r"[^\s\"'`]{1,256}+")
_JOINED = re.compile(r"[;&](?=\w{1,40}=)")
_ASCII_RUN = re.compile(r"[!-~]{4,}+")
_IS_ACCOUNT = re.compile(r"(?=[^\s]{0,40}[@.\d_])[\w.@+-]{3,}")  # the name of an account, and no word of a sentence
_PHRASE = re.compile(r"[a-zA-Z'-]+(?: [a-zA-Z'-]+){3,12}(?=[.,;!\n]|\Z)")  # four words or more


class Label(NamedTuple):
    """The name of a secret in a text, half-open."""

    start: int
    end: int
    is_sure: bool = True  # whether the word names nothing else
    is_english: bool = True


def find_told(piece: Piece) -> Iterator[SecretSpan]:
    """Find values of names such as password, pin, door code, api key."""
    for labels, value_of in ((_password_labels, _password), (_number_labels, _number), (_key_labels, _key)):
        named = labels(piece.low)
        ends = [label.start for label in named[1:]] + [len(piece.low)]
        for label, end in zip(named, ends, strict=False):  # the name that stands nearest names a value
            limit = min(end, label.end + _REACH)
            if piece.text[label.end : label.end + 1] == "@":  # the placeholder in an address
                continue
            found = value_of(piece, label, limit)
            if found is None and value_of is not _key:
                found = _before(piece, label, "password" if value_of is _password else "pin")
            if found is None and value_of is _password and not _EN["about"].match(piece.low, label.end):
                found = _near(piece, label, limit)
            if found is not None:
                yield found
    yield from _logins(piece)


def _logins(piece: Piece) -> Iterator[SecretSpan]:
    """Find ``admin / Hedgehog2011``, "log in as ana with Sunflower!22" and "my login: ana, Sunflower!22"."""
    if " / " in piece.text or "log in" in piece.low or "logged in" in piece.low:
        for pair in _EN["name_and_password"].finditer(piece.text):
            if is_strong(value := strip_closing(pair["value"])):
                yield _span(pair.start("value"), value)
    for login in _EN["login"].finditer(piece.low) if _holds(piece.low, _LOGIN_MARKS) else ():
        if named := _EN["pair"].match(piece.text, login.end()):
            value = strip_closing(named["value"])
            is_pair = " / " in named[0] and _IS_ACCOUNT.fullmatch(named["name"]) and not is_placeholder(value)
            if is_pair or is_made_up(value):
                yield _span(named.start("value"), value)


def _span(start: int, value: str, kind: str = "password") -> SecretSpan:
    return SecretSpan(start, start + len(value), kind)


def _sized(start: int, length: int, kind: str) -> SecretSpan | None:
    return SecretSpan(start, start + length, kind) if length else None


def _near(piece: Piece, label: Label, limit: int) -> SecretSpan | None:
    """Find a word in the sentence of a password's name that people make up to be safe."""
    behind = _STOP.search(piece.low, label.end, limit)
    start = max(0, label.start - _REACH_BEFORE)
    for before in _STOP.finditer(piece.low, start, label.start):
        start = before.end()
    for word in _TOKEN.finditer(piece.text, start, behind.start() if behind else limit):
        token = strip_closing(word[0].lstrip("("))
        if is_strong(token) and not is_placeholder(token):
            return _span(word.start() + word[0].index(token), token)
    return None


def _password(piece: Piece, label: Label, limit: int) -> SecretSpan | None:
    if given := _ASSIGNED.match(piece.text, label.end):
        is_phrase = piece.low[label.start : label.end] == "passphrase"
        if is_phrase and (phrase := _PHRASE.match(piece.text, given.end())):
            return _span(phrase.start(), phrase[0])
        return _assigned_password(piece, given.end(), is_sure=label.is_sure)
    for pattern in (_BARE,) if label.is_english else (_BARE, _EN["abroad_of"]):
        if behind := pattern.match(piece.text, label.end):
            value = strip_closing(behind["value"])
            if is_made_up(value, adjacent=True):
                return _span(behind.start("value"), value)
    if not label.is_english and (length := number_length(piece, label.end + 1, adjacent=True)):
        return _sized(label.end + 1, length, "pin")
    if _EN["about"].match(piece.low, label.end):
        return None
    for number, (sign, at) in enumerate(_signs(piece, label.end, limit)):
        is_plain = (sign == "given" and not number) or (sign == "said" and label.is_english)
        if found := _said_password(piece, sign, at, label, is_plain=is_plain):
            return found
    return None


def _assigned_password(piece: Piece, at: int, *, is_sure: bool) -> SecretSpan | None:
    if quoted := _QUOTED.match(piece.text, at):
        return None if is_placeholder(quoted["value"]) else _span(quoted.start("value"), quoted["value"])
    token = _token(piece, at)
    if token is None or token.startswith("(") or is_placeholder(token):
        return None
    if is_sure:
        return _sized(at, plain_length(piece, at, token, given=True), "password")
    is_secret = is_made_up(token) and any(map(str.isalpha, token))
    return _span(at, token) if is_secret else None


def _said_password(piece: Piece, sign: str, at: int, label: Label, *, is_plain: bool) -> SecretSpan | None:
    """Return where the password stands that a sign ties to its name; ``is_plain``: it may be of ordinary words."""
    if quoted := _QUOTED.match(piece.text, at):
        is_secret = sign != "loose" and not is_placeholder(quoted["value"])
        return _span(quoted.start("value"), quoted["value"]) if is_secret else None
    token = _token(piece, at)
    if token is not None and not label.is_english and (run := _ASCII_RUN.match(token)):
        token = strip_closing(run[0])
    if not token or is_placeholder(token):
        return None
    length = password_length(piece, at, token)
    if not length and is_plain:
        length = plain_length(piece, at, token, given=sign == "given")
    return _sized(at, length, "password")


def _number(piece: Piece, label: Label, limit: int) -> SecretSpan | None:
    given = _ASSIGNED.match(piece.text, label.end)
    if given is None and (near := _NEAR.match(piece.low, label.end)):
        fewest = 3 if piece.low[label.start : label.end].startswith("cv") else 4
        if length := number_length(piece, near.end(), adjacent=True, fewest=fewest):
            return _sized(near.end(), length, "pin")
        token = _token(piece, near.end())
        if token is not None and is_strong(token):
            return _span(near.end(), token)
    for _, at in [("given", given.end())] if given else _signs(piece, label.end, limit):
        if length := number_length(piece, at):
            return SecretSpan(at, _end_of_list(piece, at + length), "pin")
    return None


def _end_of_list(piece: Piece, at: int) -> int:
    for _ in range(_MOST_CODES):
        gap = _EN["between_codes"].match(piece.low, at)
        length = number_length(piece, gap.end()) if gap else 0
        if gap is None or not length:
            break
        at = gap.end() + length
    return at


def _key(piece: Piece, label: Label, limit: int) -> SecretSpan | None:
    if not _MAY_BE_KEY.search(piece.text, label.end, limit + _LONG_KEY_CHARS):
        return None
    if given := _ASSIGNED.match(piece.text, label.end):
        places = [("given", given.end())]
    else:
        near = _NEAR.match(piece.low, label.end)
        places = [*([("loose", near.end())] if near else []), *_signs(piece, label.end, limit)]
    for sign, at in places:
        start = at + (piece.text[at : at + 1] in _QUOTES)
        token = _token(piece, start)
        if token and not is_placeholder(token) and is_key(token, surely=sign == "loose" or not label.is_sure):
            return _span(start, token, "api key")
    return None


def _before(piece: Piece, label: Label, kind: str) -> SecretSpan | None:
    """Find a value that comes first: "blue-tiger-9 is the wifi password"."""
    tie = _EN["tie_before"].search(piece.low, max(0, label.start - _REACH_BEFORE), label.start)
    value = None if tie is None else _LAST_WORD.search(piece.text, max(0, tie.start() - _REACH_BEFORE), tie.start())
    if value is None:
        return None
    token = value["value"]
    is_number = kind == "pin" and sum(map(str.isdigit, token)) >= _FEWEST_DIGITS
    is_secret = not is_placeholder(token) and (is_number or is_made_up(token))
    return _span(value.start("value"), token, kind) if is_secret else None


def _token(piece: Piece, at: int) -> str | None:
    found = _TOKEN.match(piece.text, at)
    return (strip_closing(_JOINED.split(found[0])[0]) or None) if found else None


# What ties a value to its name: a sign that gives it, a verb that says it, or something looser.

_GIVING = frozenset(":=")
_LOOSE = _EN.listed("loose")
_TYING_LOOSELY = frozenset({*"\u2026.?,-", *_LOOSE})
_SAID_OF = "\u306f|\u662f|\u4e3a|\ub294|\uc740"  # a verb where words are written together: Japanese, Chinese, Korean


def _words_of(listed: Iterable[str]) -> str:
    """Return a pattern for whole words, each of which begins with a letter of its own: that finds them fast."""
    words = (entry.replace(" ", r"\s") for entry in listed)
    return "|".join(rf"{word}(?<![\w']{word})(?![\w'])" for word in words)


_SIGN = re.compile(
    rf":=|:|==|=>|=|'s(?<=[a-z]'s)(?:\s+[=:]|(?=\s))|{_words_of(_EN.listed('says'))}|{_SAID_OF}"
    rf"|\u2026|\.\.\.?|\?(?=\s)|,(?=\s)|-(?<=\s-)\s|{_words_of(_LOOSE)}"
)


def _signs(piece: Piece, at: int, limit: int) -> Iterator[tuple[str, int]]:
    """Yield the kinds of signs behind a name and where what they tie to it begins."""
    stop = _STOP.search(piece.low, at, limit)
    limit = stop.start() if stop else limit
    for number, sign in enumerate(_SIGN.finditer(piece.low, at, limit)):
        if number == _MOST_SIGNS or "[redacted" in piece.low[at : sign.end()]:
            return
        filler = _EN["filler"].match(piece.low, sign.end())
        is_loose = sign[0] in _TYING_LOOSELY or sign[0][0] in _TYING_LOOSELY
        kind = "given" if sign[0][0] in _GIVING else "loose" if is_loose else "said"
        yield kind, filler.end() if filler else sign.end()


# The words by which people call secrets, in text that was folded and is in lower case.

_WIRELESS_MARKS, _WIRELESS, _PASSWORD_MARKS, _NUMBER_MARKS, _LOGIN_MARKS = (
    _EN.listed(name) for name in ("wireless_marks", "wireless", "password_marks", "number_marks", "login_marks")
)
# Letter by letter: `fold` has a table of all letters, and who never meets a secret need not wait for that.
_NAMES_ABROAD = sorted(("".join(map(like, name)).lower() for name in _EN.listed("names_abroad")), key=len, reverse=True)
_ABROAD = re.compile(rf"(?:{'|'.join(map(re.escape, _NAMES_ABROAD))})[a-z]{{0,4}}".replace("\\ ", "\\s"))
_ABROAD_MARKS = tuple({name[:5] for name in _NAMES_ABROAD if name.isascii() and not name.startswith("pass")})
_OF_SHORT_ONES, _CODES, _OF_ANYTHING = _EN.words("of_short_ones"), _EN.words("codes"), _EN.words("of_anything")
_OPENED = _CODES | _EN.words("opened")
_BEFORE = re.compile(r"([a-z\d-]+)(?:'s)?\s\Z")
_BEFORE_CHARS, _KEY_BEFORE_CHARS = 24, 20  # read before the name of a code, and of a key


def _holds(low: str, marks: tuple[str, ...]) -> bool:
    for mark in marks:  # noqa: SIM110 - a generator takes longer than what it looks for
        if mark in low:
            return True
    return False


def _password_labels(low: str) -> list[Label]:
    found: list[Label] = []
    if _holds(low, _WIRELESS_MARKS):
        found = [Label(*one.span()) for one in _EN["wireless_key"].finditer(low)]
        if not found and _holds(low, _WIRELESS):
            found = [Label(*one.span(), is_sure=False, is_english=False) for one in _EN["key_abroad"].finditer(low)]
    for one in _EN["password_label"].finditer(low) if _holds(low, _PASSWORD_MARKS) else ():
        is_sure = one[0] not in _OF_SHORT_ONES
        if is_sure or not low[one.start() - 1 : one.start()].isalnum():
            found.append(Label(*one.span(), is_sure))
    if "pass" in low or not low.isascii() or _holds(low, _ABROAD_MARKS):
        found += [
            Label(*one.span(), is_english=False)
            for one in _ABROAD.finditer(low)
            if not (one[0].isascii() and low[one.start() - 1 : one.start()].isalnum())
        ]
    return sorted(found)


def _number_labels(low: str) -> list[Label]:
    if not _holds(low, _NUMBER_MARKS):
        return []
    return [Label(*one.span()) for one in _EN["number_label"].finditer(low) if _names_number(low, one)]


def _names_number(low: str, one: re.Match[str]) -> bool:
    before = low[one.start() - 1 : one.start()]
    if before.isalnum() or before == "-":
        return False
    if one[0] not in _OF_ANYTHING:
        return True
    owner = _BEFORE.search(low, max(0, one.start() - _BEFORE_CHARS), one.start())
    if owner is not None and owner[1] in _CODES:
        return True
    behind = _EN["behind"].match(low, one.end())
    return behind is not None and not _OPENED.isdisjoint(behind.groups())


def _key_labels(low: str) -> list[Label]:
    found = []
    for one in _EN["key_label"].finditer(low) if _holds(low, ("key", "token", "secret")) else ():
        before = max(0, one.start() - _KEY_BEFORE_CHARS), one.start()
        is_sure = not one[0].startswith("key") or _EN["key_of"].search(low, *before) is not None
        if is_sure or not low[one.start() - 1 : one.start()].isalpha():
            found.append(Label(*one.span(), is_sure))
    return found
