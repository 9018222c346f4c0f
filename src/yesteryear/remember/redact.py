"""Secrets are cut out before anything is stored: what was never written cannot leak, and no memory needs it.

Runs on the path that acknowledges, so an ordinary message costs a few substring searches. Secrets are known by their
form: a prefix, a checksum, or a label such as ``password:``. A password in running text without any of these is not
recognised. Every pattern reads each character a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets."""

    text: str
    kinds: tuple[str, ...] = ()
    """What was cut out, each kind once: private key, token, api key, password, credit card, iban."""


def redact(text: str) -> Redacted:
    """Replace every secret in ``text`` by ``[redacted: <kind>]``.

    Only the value goes: ``password: [redacted: password]`` keeps its label. Redacting twice changes nothing.

    Source: key formats as their issuers document them; cards ISO/IEC 7812; account numbers ISO 13616.
    """
    lowered = text.lower()
    present = {mark for mark in _MARKS if mark in lowered}
    if not present and not _DIGIT.search(text):
        return Redacted(text)
    kinds: list[str] = []
    for kind, marks, clean in _DETECTORS:
        if not marks or not present.isdisjoint(marks):
            cleaned = clean(kind, text)
            if cleaned != text:
                kinds.append(kind)
                text = cleaned
    return Redacted(text, tuple(dict.fromkeys(kinds)))


def _label(kind: str) -> str:
    return f"[redacted: {kind}]"


# Secrets that show by their own form. Possessive quantifiers and fixed starting points keep the search linear.

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:(?!-----)[^\[])*+-----END [A-Z0-9 ]{0,40}-----"  # no "[", or a label could become a body
    r"|(?:\s*+[A-Za-z0-9+/=]{16,}+)++)"  # a block that was cut off
)
_JSON_WEB_TOKEN = re.compile(r"(?<![\w-])eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+)?")
_AUTHORISATION = re.compile(r"(?i)(?<!\w)(?P<kept>(?:bearer|basic)\s{1,3})(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{16,}+=*+")
_ISSUED_KEY = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"  # AWS
    r"|gh[opsru]_[A-Za-z0-9]{30,}+|github_pat_\w{22,}+|glpat-[\w-]{20,}+"  # GitHub, GitLab
    r"|xox[a-z]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+"  # Slack
    r"|[srp]k_(?:live|test)_[A-Za-z0-9]{10,}+|whsec_[A-Za-z0-9]{16,}+"  # Stripe
    r"|sk-(?=[\w-]{0,200}\d)[\w-]{20,}+"  # OpenAI, Anthropic
    r"|AIza[\w-]{35,}+|ya29\.[\w-]{20,}+|GOCSPX-[\w-]{20,}+"  # Google
    r"|hf_[A-Za-z0-9]{30,}+|npm_[A-Za-z0-9]{30,}+|pypi-[\w-]{40,}+"  # registries
    r")"
)
_URL_PASSWORD = re.compile(
    r"(?<![A-Za-z0-9+.-])(?P<kept>[A-Za-z][A-Za-z0-9+.-]{1,30}+://[^\s:/@\[\]]{0,128}:)(?!\[)[^\s/@]{1,256}(?=@)"
)


def _cut(pattern: re.Pattern[str], kind: str, text: str) -> str:
    """Replace every match of ``pattern``, save its part named ``kept``."""
    kept = r"\g<kept>" if "kept" in pattern.groupindex else ""
    return pattern.sub(kept + _label(kind), text)


# Values that somebody labelled: ``name = value``, ``name: value``, ``name is value``.

_ASSIGNED = (
    r"[\"'`*]{0,3}\s{0,3}(?P<sign>(?:is\s?)?(?::=|=>|==?|:)|(?<=\s)is(?=\s))\s{0,3}"
    r"(?P<quote>[\"'`])?(?P<value>(?(quote)[^\"'`\n]{3,}+|(?:[^\s\"'`;&]|[;&](?!\w{1,40}=)){4,}+))"
)
_PASSWORD = re.compile(rf"(?i)(?:(?P<sure>pass(?:word|wd|phrase|code)|pwd)|(?<![a-z])(?:pass|pw)){_ASSIGNED}")
_LABELLED_KEY = re.compile(
    r"(?i)(?:(?:api|secret|access|private|account|signing|shared)[ _-]?(?:access[ _-]?)?key"
    rf"|(?:token|secret)(?![a-z])){_ASSIGNED}"
)
_PLACEHOLDER = re.compile(
    r"(?i)[\W_]*|[x*•.]+|\$?\{.*|\$[a-z_]\w*|<.*|%\w+%|[\w.]+\(.*|process\.env.*|os\.(?:environ|getenv).*"
    r"|none|null|true|false|undefined|string|required|optional|invalid|incorrect|wrong|expired|reset|changed|changeme"
)
_SENTENCE_STARTS = frozenset(
    "what which when where does that this they there then have been your some must should could would will please "
    "with from because never also only just still maybe sure okay same need needs how's it's that's i've don't".split()
)
"""Words that open a sentence after a colon rather than being a password."""
_CLOSING = ",.!?:)]}*"
"""Punctuation at the end of an unquoted value that belongs to the sentence."""
_SHORTEST_PASSWORD = 4
"""Fewest characters of a labelled password."""
_LONG_KEY_CHARS = 20
"""Shortest value, in characters, that counts as a key without a digit in it."""
_SHORT_KEY_CHARS = 8
"""Shortest value, in characters, that counts as a key when letters and digits mix."""


def _cut_labelled(
    pattern: re.Pattern[str], is_secret: Callable[[re.Match[str], str], bool], kind: str, text: str
) -> str:
    """Replace the values that ``pattern`` finds and that ``is_secret`` confirms."""

    def hide(match: re.Match[str]) -> str:
        value = match["value"] if match["quote"] else match["value"].rstrip(_CLOSING)
        if "[redacted" in value or _PLACEHOLDER.fullmatch(value) or not is_secret(match, value):
            return match[0]
        start = match.start("value") - match.start()
        return match[0][:start] + _label(kind) + match[0][start + len(value) :]

    return pattern.sub(hide, text)


def _is_password(match: re.Match[str], value: str) -> bool:
    if len(value) < _SHORTEST_PASSWORD:
        return False
    is_made_up = any(char.isdigit() or char in "!@#$%^&*_+=~" for char in value)
    if not match["sure"]:  # "first pass: 2024", "pw: hunter2"
        return is_made_up and any(char.isalpha() for char in value)
    if match["quote"] or is_made_up:
        return True
    return match["sign"].lower() != "is" and value.lower() not in _SENTENCE_STARTS  # "the password is safe with me"


def _is_key(_match: re.Match[str], value: str) -> bool:
    if not value.isascii() or " " in value or value.startswith(("http", "/")):
        return False
    mixes = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return len(value) >= (_SHORT_KEY_CHARS if mixes else _LONG_KEY_CHARS)


# Numbers that carry their own proof: an issuer's first digits and a checksum.

_CARD_START = re.compile(r"(?<![\w+-])(?<!\d[.,])(?=[2-6]\d\d)\d(?:[ -]?\d){12}")
_CARD_ISSUED = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"  # Mastercard
    r"|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}"  # American Express, Diners, JCB
    r"|(?:5[0678]|6\d)\d{11,17}"  # Maestro, Discover, UnionPay
)
_CARD_GROUPS = re.compile(r"\d{3,19}(?:[ -]\d{3,19}){0,4}")
"""Digits as they are printed on a card; one or two alone belong to a list of numbers."""
_GROUP = re.compile(r"\d+")
_SHORTEST_CARD = 13
"""Fewest digits of a card number."""
_GOES_ON = re.compile(r"-?\w")
_DIGIT_SUM_OF_DOUBLE = str.maketrans("0123456789", "0246813579")

_ACCOUNT_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9]{4})")
_ACCOUNT_CHARS = {
    entry[:2]: int(entry[2:])
    for entry in (
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
        "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 "
        "LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 "
        "QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
    ).split()
}
"""Characters of an IBAN by country. Source: SWIFT IBAN registry."""


def _cut_numbers(start: re.Pattern[str], end_of: Callable[[str, int], int | None], kind: str, text: str) -> str:
    """Replace the numbers that begin where ``start`` matches and end where ``end_of`` says."""
    pieces, done, at = [], 0, 0
    while found := start.search(text, at):
        end = end_of(text, found.start())
        if end is None:
            at = found.start() + 1
        else:
            pieces += [text[done : found.start()], _label(kind)]
            done = at = end
    return "".join(pieces) + text[done:]


def _end_of_card(text: str, start: int) -> int | None:
    printed = _CARD_GROUPS.match(text, start)
    groups = _GROUP.finditer(text, start, printed.end()) if printed else ()
    for end in [group.end() for group in groups if group.end() - start >= _SHORTEST_CARD]:
        digits = text[start:end].replace(" ", "").replace("-", "")
        if _CARD_ISSUED.fullmatch(digits) and _passes_luhn(digits) and not _GOES_ON.match(text, end):
            return end
    return None


def _end_of_account(text: str, start: int) -> int | None:
    count = _ACCOUNT_CHARS.get(text[start : start + 2].upper())
    found = _grouped(count).match(text, start) if count else None
    if found is None:
        return None
    compact = found[0].replace(" ", "").replace("-", "")
    number = int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4]))
    return found.end() if number % 97 == 1 else None


@lru_cache(maxsize=32)
def _grouped(count: int) -> re.Pattern[str]:
    """Return a pattern for ``count`` letters and digits, single spaces or dashes between them, and none after them."""
    return re.compile(rf"[A-Za-z0-9](?:[ -]?[A-Za-z0-9]){{{count - 1}}}(?![A-Za-z0-9])")


def _passes_luhn(digits: str) -> bool:
    doubled = digits[-2::-2].translate(_DIGIT_SUM_OF_DOUBLE)
    return sum(map(int, digits[::-2] + doubled)) % 10 == 0


class _Detector(NamedTuple):
    """One kind of secret, what gives it away at a glance, and how to cut it out."""

    kind: str
    marks: tuple[str, ...]
    """In lower case; a text that holds none of them is not searched. Empty where the search is as cheap."""
    clean: Callable[[str, str], str]
    """From kind and text to the text without it."""


_DETECTORS = (
    _Detector("private key", ("-----begin",), partial(_cut, _PRIVATE_KEY)),
    _Detector("token", ("eyj",), partial(_cut, _JSON_WEB_TOKEN)),
    _Detector("token", ("bearer", "basic"), partial(_cut, _AUTHORISATION)),
    _Detector(
        "api key",
        (
            *(
                "akia",
                "asia",
                "ghp_",
                "gho_",
                "ghs_",
                "ghr_",
                "ghu_",
                "github_pat_",
                "glpat-",
                "xox",
                "xapp-",
                "whsec_",
            ),
            *("k_live_", "k_test_", "sk-", "aiza", "ya29.", "gocspx-", "hf_", "npm_", "pypi-"),
        ),
        partial(_cut, _ISSUED_KEY),
    ),
    _Detector("password", ("://",), partial(_cut, _URL_PASSWORD)),
    _Detector("password", ("pass", "pw"), partial(_cut_labelled, _PASSWORD, _is_password)),
    _Detector("api key", ("key", "token", "secret"), partial(_cut_labelled, _LABELLED_KEY, _is_key)),
    _Detector("iban", (), partial(_cut_numbers, _ACCOUNT_START, _end_of_account)),
    _Detector("credit card", (), partial(_cut_numbers, _CARD_START, _end_of_card)),
)
_MARKS = tuple(mark for detector in _DETECTORS for mark in detector.marks)
_DIGIT = re.compile(r"\d")
"""Detectors without marks look for numbers."""
