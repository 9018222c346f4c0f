"""Codes that open something, confirm who somebody is, or are the number of a person's papers, told in ordinary words.

Each form says by words around the value what it is for: a lock that is near, a message that brought it, a paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from yesteryear.core.language.lazily import compile_lazily
from yesteryear.core.secrets.found import Found, Piece

_DIGITS = r"[#*]?(?:\d{2,8}(?:[ .\-]\d{2,4}){0,3}|\d(?:[ -]\d){3,7})[#*]?"
_SHORT = (
    r"(?:[a-z]{1,2}-)?(?:\d{3,8}(?:[ \-]\d{2,4}){0,2}|\d{2}(?:[ \-]\d{2}){1,3})"
    r"|(?=[a-z-]{0,8}\d)(?=[\d-]{0,8}[a-z])[a-z\d]{3,8}(?:-[a-z\d]{3,6})?"
)
"""What a message brings: digits in one or two groups, or letters and digits."""
_ENDS = (
    r"(?![\w%\u20ac$]|[.,:/-]\d)(?=\s*(?:\Z|[^\w\s%\u20ac$])|\s+(?:and|but|then|do|don't|never|please|valid"
    r"|expires?|to|for|on|in|if|with|or|from|at"
    r"|into|as|it|the|is|works|you|oder|und|et|y|e|en|dann|before|when|until|while|within|so|because|ok|okay"
    r"|thanks|first|before|again|now|twice|star|hash|pound|enter|hekje|stern\w*|etoile|just|came|comes|arrived|was|that|this|right|i|we|he|she|they|quick\w*)\b)"
)
"""What stands behind a code; a word would make it a number of something."""
_LOCKS = (
    r"(?:building|entrance|stairwell|hallway|elevator|gebaude|immeuble|edificio|palazzo|padlock|lock(?:er|box|s)?|alarm|keypads?|beep(?:s|ing|ed)?|doors?|gates?|safe|garage|vault|panel|buzzer"
    r"|shed|intercom|barrier|strongbox"
    r"|disarm\w*|cellar|basement|lobby|turnstile|deadbolt|house|suitcase|tresor|tur|haustur|tor|schloss"
    r"|alarmanlage|garagentor|kluis|deur"
    r"|porte|portail|coffre|alarme|puerta|alarma|caja\sfuerte|porta|cancello|allarme|cassaforte|portao|cofre"
    r"|drzwi|brama)"
)
_TYPED = (
    r"(?:type|enter|dial|press|punch|key\sin|tap|put|input|hit|tippe?|gib|druck|tape[zr]?|compose[zr]?|marca"
    r"|teclea|pulsa|digita|premi|toets|tik)"
    r"(?:\s(?:it|in|ein|en|el|le|il|de|the|this|code|number|pin|combo|numbers|digits|codigo|codice"
    r"|den)){0,3}[\s:,\"'`]{1,3}"
)
_CODE = r"(?:codes?|pin|otp|password|pass\s?code|tan|token)"
_CONFIRMS = (
    r"(?:verif\w{0,9}|security|confirm\w{0,6}|sign-?\s?in|log-?\s?in|auth\w{0,12}|one[\s-]time|2fa|two[\s-]factor"
    r"|mfa|otp|sms|text|whatsapp|telegram"
    r"|google|paypal|apple|microsoft|amazon|instagram|facebook|signal|discord|steam|uber|bank\w{0,3}|account"
    r"|access|recovery|reset|temporary|6[\s-]digit"
    r"|six[\s-]digit|4[\s-]digit|unlock|activation|secret|single[\s-]use)"
)
_GIVES = (
    r"(?:'s|\s(?:is|was|reads|says|ist|lautet|est|es|e|jest|ar|er|e':|of)|\s?[:=\u2014]|\s-|\?|,)"
    r"(?:\s(?:now|still|today|just)|\s?:)?[\s\"'`]{1,4}"
)
_ASIDE = r"(?:\s(?:for|from|to|of|de|fur|von|per|para|voor)\s[\w' -]{1,30}?|\s?\([^()\n]{1,40}\))?"


class _Form(NamedTuple):
    marks: tuple[str, ...]
    """Of these one is in every text that has the form."""
    pattern: re.Pattern[str]
    kind: str


def _form(marks: str, pattern: str, kind: str = "pin") -> _Form:
    return _Form(tuple(marks.split()), compile_lazily(rf"(?:{pattern})", re.ASCII), kind)


_WORD = r"(?<![\w-])"
_PUBLIC = (
    r"(?!order|track|book|product|promo|discount|coupon|referral|student|course|zip|area|country|postal|post\s|customer|error|status"
    r"|invoice|color|colour|item|event|dress|source|exit|qr|bar)"
)
"""What a code is of that everybody may know."""
_OPEN_TO_ALL = r"(?:post|rabat|promo|qr|barkod|bar|zip|order|bestell|kund|fel|fehler|error|land|kupon|indirim|hata)"
_CONFIRMING = (
    _form(
        "kod codigo codice geheimzahl",
        rf"(?<![\w-])(?!{_OPEN_TO_ALL})[a-z]{{0,14}}(?:kod|codigo|codice|geheimzahl)(?:en|et|u|um|a|i|e)?"
        rf"(?:\s(?!{_OPEN_TO_ALL})[a-z']{{1,12}}){{0,4}}?\s?[:=]?\s(?P<value>\d{{4,8}})(?![\w%\u20ac$]|[.,:/-]\d)",
    ),
    _form("g-", r"(?<![\w-])g-(?P<value>\d{6})(?![\w-])"),
    _form(
        "code otp passcode codice codigo kod",
        rf"{_WORD}(?:your|ihr|dein|votre|ton|tu|su|il\stuo|uw"
        rf"|je)\s(?:{_PUBLIC}[\w'-]{{1,20}}\s){{0,3}}?(?:{_CODE}|codigo|codice|kod){_ASIDE}{_GIVES}(?P<value>{_SHORT}){_ENDS}",
    ),
    _form(
        "code otp pin number password",
        rf"{_WORD}{_CONFIRMS}[\s-](?:{_PUBLIC}\w{{1,14}}\s)?(?:{_CODE}){_ASIDE}(?:{_GIVES}|\s)(?P<value>{_SHORT}){_ENDS}",
    ),
    _form(
        "otp tan 2fa mfa totp",
        rf"{_WORD}(?:otp|tan|2fa|mfa|totp|m?tan)(?:\scode)?{_ASIDE}(?:{_GIVES}|\s)(?P<value>{_SHORT}){_ENDS}",
    ),
    _form(
        "code kod codigo codice",
        r"(?:bestatigungs|sicherheits|verifizierungs|freischalt|anmelde|einmal|verificatie|bevestigings"
        r"|beveiligings|verifierings|engangs)-?(?:code|kod)"
        rf"{_ASIDE}(?:{_GIVES}|\s)(?P<value>{_SHORT}){_ENDS}",
    ),
    _form(
        "code codigo codice kod",
        r"(?:code|codigo|codice|kod)\s(?:de\s|di\s|d')?(?:verifi\w{2,8}|confirm\w{3,8}|conferma|securite"
        r"|seguridad|seguranca|sicurezza|validation|weryfikac\w{1,4}|acesso)"
        rf"{_ASIDE}(?:{_GIVES}|\s)(?P<value>{_SHORT}){_ENDS}",
    ),
    _form(
        "code otp pin",
        rf"(?<![\w.,/#-])(?P<value>(?:[a-z]{{1,2}}-)?\d{{3,8}}(?:[ \-]\d{{2,4}}){{0,2}})[\"'`]?\s(?:is|as|ist|est"
        rf"|es)\s(?:your|the|my|ihr|dein|votre|tu|su)\s"
        rf"(?:[\w'-]{{1,20}}\s){{0,3}}?(?:otp|pass\s?code|pin|tan|{_CONFIRMS}\s(?:\w{{1,14}}\s)?code|code)(?![\w-])",
    ),
    _form(
        "verif sign log confirm",
        rf"{_WORD}(?:use|enter|type)\s(?:the\s)?(?:code\s)?[\"'`]?(?P<value>\d{{3,8}}(?:[ \-]\d{{2,4}})?)[\"'`]?\sto"
        r"\s(?:verify|confirm|sign\sin|log\s?in|reset)",
    ),
    _form(
        "phone ipad tablet laptop computer screen",
        rf"{_WORD}(?:i?phone|ipad|tablet|laptop|computer|screen)(?:'s)?\s(?:screen\s)?(?:lock|(?:un)?locks?|opens?)(?![a-z])"
        rf"(?:\s(?:with|by|using)\s|{_GIVES})(?:the\s)?(?P<value>{_DIGITS}){_ENDS}",
    ),
    _form(
        "gate keypad lock safe",
        rf"{_WORD}(?:gate|keypad|padlock|lock\s?box|safe)\s(?P<value>\d{{4,6}}){_ENDS}",
    ),
)
_OPENING = (
    _form(
        "",
        rf"{_WORD}(?:keypad|padlock|lock\s?box|alarm|safe|locker|intercom|(?:garage|front|back|side)\s(?:door|gate)|tresor|coffre|kluis)"
        r"(?:\s(?:in|at|by|of|on)\s(?:the|my|our)\s\w{1,20})?(?:'s|\s(?:wants|takes|needs|is|opens(?:\s(?:with|by|at|on))?)|\s?:)"
        rf"\s(?P<value>{_DIGITS}){_ENDS}",
    ),
    _form("", rf"{_WORD}{_TYPED}(?P<value>{_DIGITS}){_ENDS}"),
    _form(
        "open unlock disarm turn get let work deactiv silence switch stop",
        rf"(?<![\w.,/#$\u20ac-])(?P<value>{_DIGITS})\s(?:will\s|should\s)?(?:opens?|unlocks?|disarms?|turns?\soff"
        rf"|gets?\syou|lets?\syou|works?\son|deactivates?"
        r"|silences?|switches\soff|stops?\sthe\s(?:alarm|beep\w*|siren|noise))\b",
    ),
    _form(
        "with by using on",
        rf"(?:open|unlock|disarm|stop)(?:s|ed)?\s(?:up\s)?(?:with|by|using|on)\s(?:the\s)?(?:{_CODE}\s)?[\"'`]?(?P<value>{_DIGITS}){_ENDS}",
    ),
    _form(
        "lock lockbox keypad padlock",
        rf"{_WORD}(?:(?:bike|cycle|door|shed|gym)\slock|padlock|lock\s?box|keypad)(?:'s|\s(?:is|was))\s(?P<value>{_DIGITS}){_ENDS}",
    ),
    _form(
        "digit tippe tecle pulsa",
        rf"(?:digitando|digita|tippe|eintippen|teclea|tecleando|pulsando|en\stapant)\s(?:il\s|el\s|le\s)?(?P<value>{_DIGITS}){_ENDS}",
    ),
    _form(
        "left",
        r"(?P<value>(?:right|left)\s(?:to\s)?\d{1,2}(?:[,\s]{1,3}(?:then\s|and\s)?(?:right|left)\s(?:to\s)?\d{1,2}){2,5})",
    ),
    _form(
        "code combination combo",
        rf"{_WORD}(?:codes?|combination|combo){_ASIDE}(?:{_GIVES}|\s)(?P<value>{_DIGITS}|\d{{3,6}}[a-z]"
        rf"|[a-z]\d{{3,6}}){_ENDS}",
    ),
)
"""Forms that need a lock near them."""
_PAPERS = (
    _form(
        "digit number",
        r"(?:three|four|3|4)[\s-](?:digits?|numbers?)(?:\scode)?\s(?:on|at|from)\s(?:the\s)?(?:back|front)[^\n\d]{0,40}?[\s:]"
        rf"(?P<value>\d{{3,4}}){_ENDS}",
        "credit card",
    ),
    _form(
        "passport ausweis reisepass pasaporte passeport passaporto paspoort",
        r"(?:passport|reisepass|personalausweis|ausweis|pasaporte|passeport|passaporto|paspoort)(?:-?\s?(?:number"
        r"|no\.?|nr\.?|nummer|numero)|\s?#)"
        rf"{_ASIDE}(?:{_GIVES}|\s)(?P<value>(?=[a-z]{{0,3}}\d)[a-z\d]{{7,10}})(?!\w)",
        "identity number",
    ),
    _form(
        "ni nino licen insurance tax id steuer dni codice cpf bsn pesel aadhaar nhs medicare personnummer ssn sin "
        "social nie national",
        rf"{_WORD}(?:driv(?:er'?s?|ing)\slicen[cs]e(?:\s(?:number|no\.?|id))|(?:national\sid(?:entity)?|id\scard"
        rf"|identity\scard|national\sinsurance|ni|tax(?:payer)?\s?(?:id)?"
        r"|social\sinsurance|social\ssecurity|nhs|medicare|aadhaar|pesel)(?:\s(?:number|no\.?|nr))?|ssn"
        r"|steuer-?\s?(?:id|identifikationsnummer)|sozialversicherungsnummer|dni|nie"
        r"|codice\sfiscale|cpf|bsn|pesel|personnummer|itin|sin)"
        rf"{_ASIDE}(?:{_GIVES}|\s)(?P<value>(?=[a-z]{{0,6}}[ ]?\d)(?:[a-z]{{2}} ?(?:\d\d ?){{3}}[a-z]"
        rf"|[a-z]{{6}}\d\d[a-z]\d\d[a-z]\d{{3}}[a-z]|[a-z\d]{{8,16}}|\d{{2,4}}(?:[ ./-]\d{{2,4}}){{2,4}}))"
        r"(?![\w-])",
        "identity number",
    ),
    _form(
        "security",
        r"(?:security|bank|secret)\s(?:question\w?|answer)[^\n\d]{0,40}?(?:maiden\sname|answer|pet|school|street"
        r"|city)(?:'s|\s(?:is|was)|\s?[:=])\s[\"'`]?"
        r"(?P<value>(?!not\b|un|a\s|the\s|on\s|in\s|wrong|something|too)[\w'-]{3,30})",
        "password",
    ),
    _form(
        "security secret",
        r"(?:security|secret)\squestion[^\n]{0,60}?\b(?:i\s)?(?:answer(?:ed)?|said|put)(?:\s(?:is|was|with))?\s?:?\s[\"'`]?"
        r"(?P<value>(?!(?:it|that|the|a|is|was|wrong|in|to|i|my|them|him|her|so|no)\b)[\w'-]{3,30}(?:\s[\w'-]{3,30})?)(?=[,.;!\n\"'`]|\Z)",
        "password",
    ),
    _form(
        "maiden",
        r"(?:mother's|my)\smaiden\sname(?:\s?[:=]|[^\n.]{0,40}?\s(?:say|answer|tell\sthem|it's))\s?[\"'`]?(?P<value>[\w'-]{3,30})",
        "password",
    ),
    _form(
        "account",
        rf"{_WORD}(?:bank|checking|savings|current|giro)\saccount(?:\s(?:number|no\.?))?{_ASIDE}(?:{_GIVES}"
        rf"|\s)(?P<value>\d{{6,17}}|\d{{3,4}}(?:[ -]\d{{3,4}}){{1,3}}){_ENDS}",
        "pin",
    ),
    _form(
        "key clave cle lizenz code serial",
        r"(?:(?:licen[cs]e|product|activation|cd|steam|registration|recovery)\s?(?:key|code|keys|codes)"
        r"|lizenzschlussel|produktschlussel|cle\sde\s(?:licence|produit)"
        rf"|clave\sde\s(?:producto|licencia)){_ASIDE}(?:{_GIVES}"
        rf"|\s)(?P<value>(?=[a-z-]{{0,30}}\d)[a-z\d]{{4,8}}(?:-[a-z\d]{{4,8}}){{1,7}})(?![\w-])",
        "api key",
    ),
)
_LOCK = re.compile(rf"{_WORD}{_LOCKS}(?![a-z])")
_NO_LOCK = re.compile(
    r"(?:search|text|check|input|dialog|message|form|field|query|zip|postal|promo|discount|coupon|area|country"
    r"|error|fault|trouble|diagnos|colou?r|status|tracking|order|product|dress)"
)
_AROUND_CHARS = 80
"""How far from a code the lock may be named that it opens, in characters."""
_FEWEST_DIGITS, _MOST_DIGITS = 4, 10
_YEAR = re.compile(r"(?:19|20)\d\d")


def find_opening(piece: Piece) -> Iterator[Found]:
    """Find codes of locks and of messages, numbers of papers, and answers that stand for a password."""
    low = piece.low
    if not any(digit in low for digit in "0123456789") and "maiden" not in low and "security" not in low:
        return
    for forms, needs_lock in ((_CONFIRMING, False), (_OPENING, True), (_PAPERS, False)):
        if needs_lock and not _LOCK.search(low):
            continue
        for marks, pattern, kind in forms:
            if marks and not any(mark in low for mark in marks):
                continue
            for one in pattern.finditer(low):
                start, end = one.span("value")
                if kind != "pin" or _is_code(low, one, needs_lock=needs_lock):
                    yield Found(start, end, kind)


def _is_code(low: str, one: re.Match[str], *, needs_lock: bool) -> bool:
    value = one["value"].strip()
    digits = sum(map(str.isdigit, value))
    if not needs_lock:
        return digits >= _FEWEST_DIGITS or (digits >= 2 and len(value) > _FEWEST_DIGITS)
    start, end = one.span("value")
    around = low[max(0, start - _AROUND_CHARS) : end + _AROUND_CHARS]
    is_marked = value[0] in "#*" or value[-1] in "#*"
    return (
        (_FEWEST_DIGITS <= digits <= _MOST_DIGITS or (is_marked and digits > 2))
        and (is_marked or not (_YEAR.fullmatch(value) and "code" not in around and "type" not in around))
        and _LOCK.search(around) is not None
        and not _NO_LOCK.search(low, max(0, one.start() - 20), end + 20)
    )
