"""What carries its own proof: an issuer's first digits, a country's length, a checksum, the words of a seed phrase.

Source: cards ISO/IEC 7812; account numbers ISO 13616 and the SWIFT IBAN registry; US social security numbers SSA;
seed phrases, the words from which a wallet can be made again, BIP-39.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources

from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.secrets.spans import Piece, SecretSpan

_EN, _ISSUED = vocabulary("secrets"), vocabulary("issued")
_FEWEST_WORDS = 12
_MAY_BE = re.compile(r"[a-z](?<![a-z].)[a-z]{2,7}+(?:[\s,;.:)\d\-]{1,8}+[a-z]{3,8}+(?![a-z])){11,}+")
"""Twelve words of the right length: talk has a shorter or a longer one among any twelve."""
_WORD = re.compile(r"[a-z]+")
_TWO_DIGITS = re.compile(r"\d\d")
_GAP = r"(?:[ .\-_/]|\r?\n)"  # what may stand between two groups of digits

_CARD_START = re.compile(rf"[2-6](?<![\w+-].)(?<!\d[.,].)(?=(?:{_GAP}{{0,2}}\d){{12}})")
_CARD_ISSUED = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"  # Mastercard
    r"|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}"  # American Express, Diners, JCB
    r"|(?:5[0678]|6\d)\d{14}|62\d{15,17}"  # Maestro, Discover, UnionPay
)
_CARD_GROUPS = re.compile(rf"\d{{3,19}}(?:{_GAP}\d{{3,19}}){{0,4}}")
"""Digits as they are printed on a card; one or two alone belong to a list of numbers."""
_PRINTED = re.compile(rf"\d{{4}}{_GAP}(?:\d{{4}}{_GAP}\d{{4}}{_GAP}\d{{4}}|\d{{6}}{_GAP}\d{{4,5}})")
"""The usual groups; with other gaps than spaces and dashes it takes them."""
_UNEVEN = re.compile(r"\d{1,19}(?:[ .\-]{1,3}\d{1,19}){1,18}")
"""Digits in any groups; only where a word says that they are a card's, or the groups are not many."""
_MOST_UNEVEN = 6  # most groups of a number that no word announces
_PAIRS = 8  # so many groups of two digits may be a card's
_UNEVEN_DIGITS = (15, 16, 19)
_GROUP = re.compile(r"\d+")
_NO_SIGN = re.compile(r"[^A-Za-z0-9]+")
_PLAIN = re.compile(r"[\d -]+")
_SHORTEST_CARD = 13  # fewest digits of a card number
_GOES_ON = re.compile(r"-?\w|[.,]\d")
_DIGIT_SUM_OF_DOUBLE = str.maketrans("0123456789", "0246813579")

_ACCOUNT_START = re.compile(rf"\d\d(?<=[A-Za-z][A-Za-z]..)(?<![A-Za-z0-9]....)(?={_GAP}?[A-Za-z0-9]{{4}})")
_COUNTRY_CHARS = 2
_IN_HEX = re.compile(r"[a-f]{2}\d+[a-f][a-f\d]*", re.IGNORECASE)
"""A hash or an id: accounts of the countries that such letters name have digits behind them, all but some of AD."""
_ACCOUNT_CHARS = {land: int(count) for count, lands in _ISSUED.table("iban").items() for land in lands.split()}

_SOCIAL = re.compile(r"\d{3}(?<![\w.-]...)(?<!000)(?<!666)(?<!9..)([ -]?)(?!00)\d\d\1(?!0000)\d{4}(?![\w-])")
_SOCIAL_LABEL = re.compile(r"(?<![a-z])(?:ssn|social security|social)\b[^\d\n]{0,40}\Z")
_LABEL_CHARS = 60  # how far before a number its label may stand, in characters


def find_numbers(piece: Piece) -> Iterator[SecretSpan]:
    """Find card numbers, account numbers (IBAN) and US social security numbers."""
    if not _TWO_DIGITS.search(piece.text):
        return
    yield from _find(piece.text, _ACCOUNT_START, _end_of_account, "iban")
    yield from _find(piece.text, _CARD_START, _end_of_card, "credit card")
    for found in _SOCIAL.finditer(piece.text):
        before = piece.low[max(0, found.start() - _LABEL_CHARS) : found.start()]
        if found[1] == "-" or _SOCIAL_LABEL.search(before):
            yield SecretSpan(found.start(), found.end(), "social security number")


def _find(
    text: str, start: re.Pattern[str], end_of: Callable[[str, int], int | None], kind: str
) -> Iterator[SecretSpan]:
    """Find the numbers that begin where ``start`` matches and end where ``end_of`` says."""
    at = 0
    while found := start.search(text, at):
        first = found.start() - (_COUNTRY_CHARS if start is _ACCOUNT_START else 0)
        end = end_of(text, first)
        if end is not None:
            yield SecretSpan(first, end, kind)
        at = end or found.start() + 1


def _end_of_card(text: str, start: int) -> int | None:
    """Return where a card number ends: in groups as they are printed, or in others if a word or their look says so."""
    for digits, end in _growing(_CARD_GROUPS, text, start):
        is_printed = _PLAIN.fullmatch(text, start, end) or _PRINTED.fullmatch(text, start, end)
        if is_printed and _is_card(digits, text, end):
            return end
    before = text[max(0, start - _LABEL_CHARS) : start].lower()
    is_named = _EN["card_label"].search(before) is not None and not _EN["other_card"].search(before)
    uneven = _UNEVEN.match(text, start)
    groups = _GROUP.findall(uneven[0]) if uneven else []
    in_pairs = len(groups) >= _PAIRS and all(len(group) == 2 for group in groups[:_PAIRS])
    for number, (digits, end) in enumerate(_growing(_UNEVEN, text, start)):
        if not is_named and (len(groups[number]) == 1 or (number >= _MOST_UNEVEN and not in_pairs)):
            return None
        if (is_named or len(digits) in _UNEVEN_DIGITS) and _is_card(digits, text, end):
            return end
    return None


def _growing(form: re.Pattern[str], text: str, start: int) -> Iterator[tuple[str, int]]:
    """Yield the digits of a number up to the end of each of its groups, and where that is."""
    found, digits = form.match(text, start), ""
    for group in _GROUP.finditer(text, start, found.end()) if found else ():
        digits += group[0]
        yield digits, group.end()


def _is_card(digits: str, text: str, end: int) -> bool:
    is_issued = len(digits) >= _SHORTEST_CARD and _CARD_ISSUED.fullmatch(digits) is not None
    return is_issued and _passes_luhn(digits) and not _GOES_ON.match(text, end)


def _end_of_account(text: str, start: int) -> int | None:
    count = _ACCOUNT_CHARS.get(text[start : start + _COUNTRY_CHARS].upper())
    found = _grouped(count).match(text, start) if count else None
    if found is None:
        return None
    compact = _NO_SIGN.sub("", found[0])
    if _IN_HEX.fullmatch(compact):
        return None
    number = int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4]))
    return found.end() if number % 97 == 1 else None


@cache
def _grouped(count: int) -> re.Pattern[str]:
    """Return a pattern for ``count`` letters and digits, single gaps between them, and none after them."""
    return re.compile(rf"[A-Za-z0-9](?:{_GAP}?[A-Za-z0-9]){{{count - 1}}}(?![A-Za-z0-9])")


def _passes_luhn(digits: str) -> bool:
    return not (sum(map(int, digits[::-2])) + sum(map(int, digits[-2::-2].translate(_DIGIT_SUM_OF_DOUBLE)))) % 10


@cache
def _words() -> frozenset[str]:
    return frozenset((resources.files(__package__) / "seed_words.txt").read_text(encoding="utf-8").split())


def find_seeds(piece: Piece) -> Iterator[SecretSpan]:
    """Find runs of at least twelve words of the list, whatever numbers and commas stand between them."""
    for candidate in _MAY_BE.finditer(piece.low):
        run: list[re.Match[str]] = []
        for word in _WORD.finditer(piece.low, *candidate.span()):
            if word[0] in _words():
                run.append(word)
                continue
            yield from _phrase(run)
            run = []
        yield from _phrase(run)


def _phrase(run: list[re.Match[str]]) -> Iterator[SecretSpan]:
    if len(run) >= _FEWEST_WORDS and len({word[0] for word in run}) > _FEWEST_WORDS // 2:
        yield SecretSpan(run[0].start(), run[-1].end(), "seed phrase")
