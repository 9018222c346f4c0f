"""Whether a word can be a secret, or only says something about one."""

from __future__ import annotations

import re

from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.secrets.spans import Piece

_EN = vocabulary("secrets")


_CLOSING = ",.!?:)]}*;"  # punctuation at the end of an unquoted value that belongs to the sentence
_SHORTEST = 4  # fewest characters of a password
_SYMBOLS = frozenset("!@#$%^&*+=~")
_JOINING = "_-"
_SHORTEST_STRONG, _SHORTEST_MIXED = 8, 6  # of a password that shows as one by itself, and has a capital inside
_SHORTEST_WITHOUT_DIGIT = 6  # fewest characters of a word with a symbol in it and no digit; "R&D" is none

_SPELLED = re.compile(r"[a-z]+")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?(?!\d)|\d\d?[./]\d\d?[./](?:19|20)\d\d(?!\d)")
_MIXED = re.compile(r"(?=\S{0,20}?\d)(?=\S{0,20}?[a-z])[a-z\d]{3,12}(?:-[a-z\d]{2,12}){0,7}(?![\w%])")
_SPAN_CHARS = 60  # longest password of several words, in characters
_MOST_WORDS = 8
_FEWEST_KEYED = 3  # fewest digits of a code with letters or signs in it
_FEWEST_PHRASE_WORDS = 4  # so many words without any that bind a sentence together are a phrase by themselves
_LONG_KEY_CHARS = 20  # shortest value, in characters, that counts as a key without a digit in it
_SHORT_KEY_CHARS = 8  # shortest value, in characters, that counts as a key when letters and digits mix
_SURE_KEY_CHARS = 16  # the same where the word before may mean any key

_NO_KEYS = ("http", "/", "./", "0x0", "SHA256:", "MD5:")  # how values begin that are an address, a path or a hash
_BINDING, _SAYING, _SAYING_ENDS = _EN.words("binding"), _EN.words("saying"), _EN.listed("saying_ends")


def strip_closing(token: str) -> str:
    """Return a word without the punctuation that belongs to its sentence."""
    return token.rstrip(_CLOSING).removesuffix("\u3067\u3059")


def is_placeholder(value: str) -> bool:
    """Tell whether something stands in the place of a secret, or it was cut out already."""
    return "[redacted" in value or _EN["placeholder"].fullmatch(value) is not None


def is_made_up(token: str, *, adjacent: bool = False) -> bool:
    """Tell whether no ordinary word looks so: letters and digits mixed, or symbols within.

    ``adjacent`` says that it stands behind the name of a secret without anything between.
    """
    core = token.strip("*_()[]{}<>.,!?:;")
    if len(core) < _SHORTEST or is_placeholder(core) or _EN["no_password"].fullmatch(core.lower()):
        return False
    has_digit = any(map(str.isdigit, core))
    has_letter = any(map(str.isalpha, core))
    if has_digit:
        return has_letter or (not adjacent and not _SYMBOLS.isdisjoint(core))
    return has_letter and len(core) >= _SHORTEST_WITHOUT_DIGIT and not _SYMBOLS.isdisjoint(core[1:-1])


def is_strong(token: str) -> bool:
    """Tell whether a word is what people make up to be safe: digits, and cases or signs mixed with them."""
    mixes = token.lower() != token != token.upper()
    is_signed = any(sign in token[1:-1] for sign in _JOINING) or not _SYMBOLS.isdisjoint(token)
    return (
        len(token) >= (_SHORTEST_MIXED if mixes and not token[0].isupper() else _SHORTEST_STRONG)
        and (mixes or is_signed)
        and is_made_up(token)
        and any(map(str.isdigit, token))
        and any(map(str.isalpha, token))
        and "://" not in token
    )


def password_length(piece: Piece, at: int, token: str) -> int:
    """Return how many characters from a place are a password that shows by itself; 0 where none."""
    end = at + len(token)
    if token.isdigit():
        return len(token) if len(token) >= _SHORTEST and not _EN["unit"].match(piece.low, end) else 0
    if is_made_up(token):
        return 0 if token[0].isdigit() and token[-1].isdigit() and _EN["unit"].match(piece.low, end) else len(token)
    return 0


def plain_length(piece: Piece, at: int, token: str, *, given: bool) -> int:
    """Return how many characters from a place are a password of ordinary words; 0 where they say something about it.

    ``given`` says that a colon or the like stands before, which gives rather than tells.
    """
    low = piece.low[at : at + len(token)]
    if len(token) < _SHORTEST and not given:
        return 0
    limit = min(len(piece.low), at + _SPAN_CHARS)
    clause = _EN["clause_ends"].search(piece.low, at, limit)
    end = clause.start() if clause else limit
    spoken = piece.low[at:end].split()
    is_phrase = (
        2 <= len(spoken) <= _MOST_WORDS
        and all(word.replace("-", "").replace("'", "").isalpha() for word in spoken)
        and _BINDING.isdisjoint(spoken)
        and "[redacted" not in piece.low[at:end]
    )
    if is_phrase and (len(spoken) >= _FEWEST_PHRASE_WORDS or not _says(spoken[0])):
        return len(piece.text[at:end].rstrip())
    if not low.replace("'", "").replace("-", "").isalpha():
        return len(token) if given and len(token) >= _SHORTEST else 0
    if low in _BINDING or len(token) < _SHORTEST:
        return 0
    if given:
        rest = piece.low[at + len(token) : limit].partition("\n")[0].split()
        is_prose = len(rest) >= 3 and not _BINDING.isdisjoint(rest[:3]) and piece.low[at + len(token)] == " "
        return 0 if is_prose else len(token)
    return len(token) if len(spoken) == 1 and len(token) >= 5 and not _says(low) else 0


def _says(word: str) -> bool:
    return word in _BINDING or word in _SAYING or word.endswith(_SAYING_ENDS)


def number_length(piece: Piece, at: int, *, adjacent: bool = False, fewest: int = _SHORTEST) -> int:
    """Return how many characters from a place are a code of digits, or of some letters with them; 0 where none.

    Behind its name with nothing but a space between (``adjacent``) it takes ``fewest`` digits.
    """
    at += piece.text[at : at + 1] in {'"', "'", "`"}
    found = _EN["number"].match(piece.low, at)
    keyed = _EN["keyed"].match(piece.low, at)
    is_longer = keyed is not None and (found is None or keyed.end() > found.end())
    if keyed is not None and is_longer and not _EN["no_password"].fullmatch(keyed[0]):
        return 0 if sum(map(str.isdigit, keyed[0])) < _FEWEST_KEYED else len(keyed[0])
    if found is None or piece.low[found.end() : found.end() + 1].isalpha():
        mixed = None if adjacent else _MIXED.match(piece.low, at)
        if mixed is None or _EN["no_password"].fullmatch(mixed[0]):
            return 0
        return len(mixed[0]) if len(mixed[0]) >= _SHORTEST else 0
    end = found.end()
    if _EN["unit"].match(piece.low, end) or _DATE.match(piece.low, at):
        return 0
    count = sum(map(str.isdigit, found[0])) or len(_SPELLED.findall(found[0]))
    if adjacent and (_EN["goes_on"].match(piece.low, end) or count < fewest):
        return 0
    while piece.text[end - 1] in " .-/":
        end -= 1
    return end - at if (end < len(piece.low) and not piece.low[end].isalpha()) or end == len(piece.low) else 0


def is_key(value: str, *, surely: bool) -> bool:
    """Tell whether a value looks like a key; ``surely`` where the word before it may mean another kind of key."""
    if not value.isascii() or value.startswith(_NO_KEYS) or _EN["no_password"].fullmatch(value.lower()):
        return False
    digits = sum(map(str.isdigit, value))
    mixes = bool(digits) and any(map(str.isalpha, value))
    if surely:
        return mixes and digits >= 2 and len(value) >= _SURE_KEY_CHARS
    return len(value) >= (_SHORT_KEY_CHARS if mixes else _LONG_KEY_CHARS)
