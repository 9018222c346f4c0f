"""Whether a word can be a secret, or only says something about one."""

from __future__ import annotations

import re
from typing import NamedTuple


class Words(NamedTuple):
    """A text and the same in lower case."""

    text: str
    low: str


_CLOSING = ",.!?:)]}*;"
"""Punctuation at the end of an unquoted value that belongs to the sentence."""
_SHORTEST = 4
"""Fewest characters of a password."""
_SYMBOLS = frozenset("!@#$%^&*+=~")
_JOINING = "_-"
_SHORTEST_STRONG, _SHORTEST_MIXED = 8, 6
"""Fewest characters of a password that shows as one by itself, and of one with a capital inside."""
_SHORTEST_WITHOUT_DIGIT = 6
"""Fewest characters of a word with a symbol in it and no digit; "R&D" is none."""

_PLACEHOLDER = re.compile(
    r"(?i)[\W_]*|[x*•.]+|\$?\{.*|\$[a-z_]\w*|\$\(.*|<.*|%\w+%|[\w.]+\(.*|process\.env.*|os\.(?:environ|getenv).*"
    r"|none|null|true|false|undefined|string|str|required|optional|invalid|incorrect|wrong|expired|reset|changed"
    r"|changeme"
    r"|(?:var|local|data|module|env|self|this|settings|config|secrets)\.[a-z_].*|return|await|lambda|raise|import"
    r"|your[_-].*|example|\[redacted.*"
)
_NO_PASSWORD = re.compile(
    r"\d{1,2}(?::\d\d){1,2}(?:am|pm)?|\d+(?:st|nd|rd|th|s|x|k|am|pm|h|m|ms|gb|mb|kb|px|cm|mm|kg|km)"
    r"|\d+-?(?:bits?|chars?|characters?|digits?|letters?|words?|factor|step|minute|hour|day|week|month|year|char"
    r"|times?)[\w-]*"
    r"|\d+[-/]\d+|\d{4}-\d\d?-\d\d?(?:t.*)?|\d\d?[./]\d\d?[./]\d{2,4}|v?\d+(?:\.\d+)+[\w.-]*|v\d+"
    r"|(?:sha|md|aes|rsa|utf|base|win|office|o|oauth|python|py|web|http|log4j|s|ec|mp|ipv|ps|ed|pbkdf|keepass"
    r"|argon|totp|u2f"
    r"|windows|word|zip|pdf|postgres|neo4j|k8s|i18n|c3p|r2d|covid|http/)-?\d+[a-z]{0,3}(?:-\w+)?|1password\w*|k8s"
    r"|bcrypt|2fa|mfa"
    r"|https?:.*|www\..*|\S+@\S+\.[a-z]{2,}|[\w/-]+\.(?:txt|md|py|js|json|pdf|docx?|xlsx?|csv|html?|com|org|net|io)"
    r"|and/or|[a-z]+/[a-z]+|[\w.]+\(.*|[\w.]+\[.*|.*\]\(.*|\$\d[\d.,k]*|\d+%|\d[\d.,]*[€$£%]|#\d+|@\w+|#\w+"
)
_UNIT = re.compile(
    r"\s+(?:to\s\d+\s|or\s\d+\s|or\smore\s|-\s?\d+\s)?(?:character|char|letter|digit|symbol|word|number|day|week"
    r"|month|year"
    r"|hour|minute|min\b|second|time|attempt|tr(?:y|ies)|people|user|person|percent|%|euro|eur|dollar|inch|cm|m\b"
    r"|km|feet"
    r"|account|device|place|thing|different|other|more|old|new|of\b|different|reason|step|line|site|entries|pound"
    r"|metre|meter)"
)
_CLAUSE = re.compile(
    r"[,.!?;:)\n\r(]|\s(?:and|but|so|if|in\scase|for|btw|lol|ok|okay|please|pls|thanks|thx|haha|because|just|then"
    r"|until|till)\b|\s-+\s|$"
)
_GOES_ON = re.compile(
    r"\s+(?!and\b|but\b|then\b|for\b|btw|if\b|so\b|please|or\b|as\b|thanks|in\b|is\b|works|lol|to\b|on\b|don)[a-z]"
)
_NUMBER_WORD = "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|double|triple)"
_NUMBER = re.compile(
    rf"(?P<spelled>{_NUMBER_WORD}(?:[\s,-]{{1,2}}{_NUMBER_WORD}){{2,11}}(?![a-z]))"
    r"|(?P<digits>[#*]?(?:[a-z]\d|\d)(?:[ .\-/#*]?\d){2,13}[#*]?(?![\d%€$£:])(?![.,]\d))"
)
_SPELLED = re.compile(r"[a-z]+")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?(?!\d)|\d\d?[./]\d\d?[./](?:19|20)\d\d(?!\d)")
_MIXED = re.compile(r"(?=\S{0,20}?\d)(?=\S{0,20}?[a-z])[a-z\d]{3,12}(?:-[a-z\d]{2,12}){0,7}(?![\w%])")
_KEYED = re.compile(
    r"[#*]{0,2}(?:\d{3,6}[#*]?[a-z]{1,2}|[a-z]{1,2}[#*]?\d{3,6}|\d{1,4}[#*a-z]\d{1,4}[a-z]?)[#*]{0,2}(?![\w%#*])"
)
"""A code of keys as doors have them: digits, and among them letters or signs."""
_SPAN_CHARS = 60
"""Longest password of several words, in characters."""
_MOST_WORDS = 8
_FEWEST_KEYED = 3
"""Fewest digits of a code with letters or signs in it."""
_FEWEST_PHRASE_WORDS = 4
"""So many words without any that bind a sentence together are a phrase by themselves."""
_LONG_KEY_CHARS = 20
"""Shortest value, in characters, that counts as a key without a digit in it."""
_SHORT_KEY_CHARS = 8
"""Shortest value, in characters, that counts as a key when letters and digits mix."""
_SURE_KEY_CHARS = 16
"""The same where the word before may mean any key."""

_BINDING = frozenset(
    """
    a an the this that these those my your his her its our their mine yours hers ours theirs i you he she it we
    they me him us them who whom whose which what when where why how is am are was were be been being do does
    did done has have had having will would can could should shall may might must not no nor never none nothing
    something anything everything somebody someone anybody nobody and or but if so because since as than then
    too very really quite pretty rather fairly way such just only also still already yet again always often
    sometimes usually maybe perhaps probably currently now here there in on at by for from of to with without
    within into onto under over above below behind between through during before after about against around near
    off out up down per via like unlike until till while whether though although any some all both each every
    either neither other another same own more most less least much many few several enough even ever sure okay
    ok yes nope it's that's i'm i've i'd don't doesn't isn't wasn't can't won't let's please thanks need needs
    get gets got use uses used using ask asks see look check try pick choose enter type go going gonna keep make
    makes leave
    """.split()
)
"""Words that bind a sentence together: where they stand, somebody speaks about a password."""
_SAYING = frozenset(
    """
    foolish childish selfish english spanish gibberish
        wrong right correct incorrect long short weak strong safe secure insecure unsafe different new old older
    invalid valid missing blank empty gone fine good bad great better best worse worst important required
    optional ready private public unique random simple complex complicated easy hard difficult secret
    case-sensitive case unknown known hidden visible stupid dumb lame silly funny hilarious crap garbage trash
    rubbish nonsense junk horrible awful terrible broken stuck null overdue outdated due stale fresh up-to-date
    temporary permanent default standard generic personal special top big huge tiny small little lengthy tricky
    crazy weird strange odd obvious guessable common rare perfect ideal sacred history toast stolen leaked lost
    forgotten written hacked known sent set kept given taken shown hashed salted plain plaintext encrypted
    common-sense necessary mandatory forbidden allowed case insensitive alphanumeric numeric readable unreadable
    hardcoded somewhere anywhere elsewhere nowhere online offline wanted super totally absolutely completely
    practically basically mostly nearly almost literally password passwords pin pins patience love key
    everything
    """.split()
)
"""Words that say something about a password."""
_SAYING_ENDS = (
    *("ed", "ing", "ly", "able", "ible", "ful", "less", "ous", "ive"),
    *("ical", "ional", "ential", "ient", "uent", "ant", "ated"),
)


def strip_closing(token: str) -> str:
    """Return a word without the punctuation that belongs to its sentence."""
    stripped = token.rstrip(_CLOSING)
    return stripped.removesuffix("\u3067\u3059")


def is_placeholder(value: str) -> bool:
    """Tell whether something stands in the place of a secret, or it was cut out already."""
    return "[redacted" in value or _PLACEHOLDER.fullmatch(value) is not None


def is_made_up(token: str, *, low: str, adjacent: bool = False) -> bool:
    """Tell whether no ordinary word looks so: letters and digits mixed, or symbols within.

    Args:
        token: The word.
        low: The same in lower case, perhaps with punctuation behind it.
        adjacent: Whether it stands behind the name of a secret without anything between.
    """
    low = low[: len(token)]
    core = token.strip("*_()[]{}<>.,!?:;")
    if len(core) < _SHORTEST or is_placeholder(core) or _NO_PASSWORD.fullmatch(low.strip("*_()[]{}<>.,!?:;")):
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
        and is_made_up(token, low=token.lower())
        and any(map(str.isdigit, token))
        and any(map(str.isalpha, token))
        and "://" not in token
    )


def password_length(words: Words, at: int, token: str) -> int:
    """Return how many characters from a place are a password that shows by itself; 0 where none."""
    end = at + len(token)
    low = words.low[at:end]
    if token.isdigit():
        return len(token) if len(token) >= _SHORTEST and not _UNIT.match(words.low, end) else 0
    if is_made_up(token, low=low):
        return 0 if token[0].isdigit() and token[-1].isdigit() and _UNIT.match(words.low, end) else len(token)
    return 0


def plain_length(words: Words, at: int, token: str, *, given: bool) -> int:
    """Return how many characters from a place are a password of ordinary words; 0 where they say something about it.

    Args:
        words: The text.
        at: Where the first word begins.
        token: The first word.
        given: Whether a colon or the like stands before, which gives rather than tells.
    """
    low = words.low[at : at + len(token)]
    if len(token) < _SHORTEST and not given:
        return 0
    limit = min(len(words.low), at + _SPAN_CHARS)
    clause = _CLAUSE.search(words.low, at, limit)
    end = clause.start() if clause else limit
    spoken = words.low[at:end].split()
    is_phrase = (
        2 <= len(spoken) <= _MOST_WORDS
        and all(word.replace("-", "").replace("'", "").isalpha() for word in spoken)
        and _BINDING.isdisjoint(spoken)
        and "[redacted" not in words.low[at:end]
    )
    if is_phrase and (len(spoken) >= _FEWEST_PHRASE_WORDS or not _says(spoken[0])):
        return len(words.text[at:end].rstrip())
    if not low.replace("'", "").replace("-", "").isalpha():
        return len(token) if given and len(token) >= _SHORTEST else 0
    if low in _BINDING or len(token) < _SHORTEST:
        return 0
    if given:
        rest = words.low[at + len(token) : limit].partition("\n")[0].split()
        is_prose = len(rest) >= 3 and not _BINDING.isdisjoint(rest[:3]) and words.low[at + len(token)] == " "
        return 0 if is_prose else len(token)
    return len(token) if len(spoken) == 1 and len(token) >= 5 and not _says(low) else 0


def _says(word: str) -> bool:
    return word in _BINDING or word in _SAYING or word.endswith(_SAYING_ENDS)


def number_length(words: Words, at: int, *, adjacent: bool = False, fewest: int = _SHORTEST) -> int:
    """Return how many characters from a place are a code of digits, or of some letters with them; 0 where none.

    Args:
        words: The text.
        at: Where it may begin.
        adjacent: Whether nothing but a space stands between it and its name.
        fewest: Fewest digits that are taken for one where it is adjacent.
    """
    at += words.text[at : at + 1] in {'"', "'", "`"}
    found = _NUMBER.match(words.low, at)
    keyed = _KEYED.match(words.low, at)
    if keyed is not None and (found is None or keyed.end() > found.end()) and not _NO_PASSWORD.fullmatch(keyed[0]):
        return 0 if sum(map(str.isdigit, keyed[0])) < _FEWEST_KEYED else len(keyed[0])
    if found is None or words.low[found.end() : found.end() + 1].isalpha():
        mixed = None if adjacent else _MIXED.match(words.low, at)
        if mixed is None or _NO_PASSWORD.fullmatch(mixed[0]):
            return 0
        return len(mixed[0]) if len(mixed[0]) >= _SHORTEST else 0
    end = found.end()
    if _UNIT.match(words.low, end) or _DATE.match(words.low, at):
        return 0
    count = sum(map(str.isdigit, found[0])) or len(_SPELLED.findall(found[0]))
    if adjacent and (_GOES_ON.match(words.low, end) or count < fewest):
        return 0
    while words.text[end - 1] in " .-/":
        end -= 1
    return end - at if (end < len(words.low) and not words.low[end].isalpha()) or end == len(words.low) else 0


def is_key(value: str, *, surely: bool) -> bool:
    """Tell whether a value looks like a key.

    Args:
        value: What was called a key, token or secret.
        surely: Whether it has to leave no doubt, since the word may mean another kind of key.
    """
    if (
        not value.isascii()
        or value.startswith(("http", "/", "./", "0x0", "SHA256:", "MD5:"))
        or _NO_PASSWORD.fullmatch(value.lower())
    ):
        return False
    digits = sum(map(str.isdigit, value))
    mixes = bool(digits) and any(map(str.isalpha, value))
    if surely:
        return mixes and digits >= 2 and len(value) >= _SURE_KEY_CHARS
    return len(value) >= (_SHORT_KEY_CHARS if mixes else _LONG_KEY_CHARS)
