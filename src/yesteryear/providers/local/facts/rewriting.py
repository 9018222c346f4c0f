"""Say in the third person what somebody wrote about themselves, by rules for English in a fixed order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime

from yesteryear.core.attributes import FactKind
from yesteryear.core.language.discourse import speaks_of_past
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.facts.spoken_dates import say_dates
from yesteryear.providers.local.facts.subjects import in_third_person, with_subject
from yesteryear.providers.local.facts.verbs import is_past

_EN = vocabulary("rewriting")
_SHORT_FORMS, _CONTRACTIONS = _EN.table("short_forms"), _EN.table("contractions")
_LEXICON = vocabulary("lexicon")

_EMOJI = re.compile(
    "[\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d\U0001f1e6-\U0001faff]+|(?<!\\w)(?:[:;]-?[()DPp]|<3|[xX]D)(?!\\w)"
)
_MARKS = str.maketrans({**dict.fromkeys("\u2018\u2019\u02bc`\u00b4", "'"), **dict.fromkeys("\u201c\u201d\u201e", '"')})
_QUOTED = re.compile(r'("[^"]*")')
_SPACE = re.compile(r"\s+")


def _either(listed: Iterable[str]) -> str:
    return "|".join(re.escape(entry) for entry in sorted(listed, key=len, reverse=True))


_SHORT_FORM = re.compile(rf"(?<![\w/'])(?:{_either(_SHORT_FORMS)})(?![\w/'])")
_WITH = re.compile(r"(?<=[a-z] )w (?=[a-z])")
_SPEAKER = re.compile(r"(?<![\w'.])i(?=[\s,]|'(?:m|d|ll|ve)\b|$)")
_THEN = "i|we|my|our|he|she|it|they|the|this|that|there|no|not"
_OPENER = re.compile(
    rf"\A(?:(?:{_either(_EN.listed('openers'))})(?:\s*[,:!.\u2013\u2014-]+\s+|\s+(?=(?:{_either(_EN.listed('openers'))}|{_THEN})\b))"
    r"|(?:yes|yeah|yep|yup)\s+|(?:no|nope)\s+(?=(?:i|we|he|she|it|they|my|our|the|not)\b)"
    rf"|(?:{_either(_EN.listed('openers_before_comma'))})\s*(?:,|:|\s[-\u2013\u2014])\s+"
    rf"|(?:{_either(_EN.listed('conjunctions'))})\s+(?=(?:i|i'\w+|we|my|our|the|he|she|it|they|no|not)\b))+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    rf"(?:\s*[,\u2013\u2014-]+\s*|\s+(?=lol|haha|hehe|lmao|btw|tbh|please))(?:{_either(_EN.listed('tails'))})[\s.!]*$",
    re.IGNORECASE,
)
_END = re.compile(r"[\s.!\u2026,;:\u2013\u2014-]+$")
_NEGATED = re.compile(r"\b(\w+?)n't\b", re.IGNORECASE)
_CONTRACTED = re.compile(rf"\b(?:{_either(_CONTRACTIONS)})(?!\w)", re.IGNORECASE)
_REQUEST = re.compile(
    r"(?P<please>please )?(?P<not>(?:don't|do not|never|not to) )?(?:ever )?"
    rf"(?P<verb>{_either(_EN.words('request_verbs'))})\b(?! (?:is|was|are)\b)",
    re.IGNORECASE,
)


def rewrite(quote: str, *, author: str, at: datetime, zone: str | None, kind: FactKind) -> str:
    """Return in the third person what somebody wrote about themselves, or what they told of others as it stands.

    In this order: short forms of chat are written out and emoji dropped; sentence by sentence what opens or closes it
    idly goes, dates become absolute, contractions are expanded, a missing "I" is put in, and the speaker is named, with
    the verbs to match.

    Returns:
        One line without a full stop at its end; empty where nothing was said.

    Raises:
        InputError: there is no such zone.
    """
    names = frozenset(words(author))
    told: list[str] = []
    for sentence in _sentences(_plain(quote)):
        dated = _outside_quotes(_as_wish(sentence, kind), lambda part: say_dates(part, at=at, zone=zone, names=names))
        own = with_subject(_outside_quotes(dated, _expanded), kind)
        said = in_third_person(own, author, is_past=speaks_of_past(sentence))
        told.append(said[:1].upper() + said[1:] if told or not said.startswith(author) else said)
    return re.sub(r"(?<=[?!])\.", "", ". ".join(told))


def _as_wish(sentence: str, kind: FactKind) -> str:
    order = _REQUEST.match(sentence)
    is_order = order and (order["please"] or order["not"] or kind is FactKind.PREFERENCE)
    if order is None or not is_order:
        return sentence
    return f"I want the assistant {'not ' if order['not'] else ''}to {order['verb'].lower()}{sentence[order.end() :]}"


def _plain(text: str) -> str:
    text = _EMOJI.sub(" ", text.translate(_MARKS))
    text = _SHORT_FORM.sub(lambda found: _SHORT_FORMS[found[0]], text)
    text = _EN["myself"].sub("I", _SPEAKER.sub("I", _WITH.sub("with ", text)))
    return _SPACE.sub(" ", text.replace("\u0000", "")).strip()


def _sentences(text: str) -> list[str]:
    """Return the sentences of ``text`` that say something, without idle words around them."""
    trimmed = [_END.sub("", _TAIL.sub("", _END.sub("", _OPENER.sub("", said)))) for said in split_sentences(text)]
    return [said for said in trimmed if not _LEXICON.words("fillers").issuperset(words(said))] or list(
        filter(words, trimmed)
    )


def _outside_quotes(text: str, change: Callable[[str], str]) -> str:
    return "".join(part if number % 2 else change(part) for number, part in enumerate(_QUOTED.split(text)))


def _expanded(text: str) -> str:
    text = _CONTRACTED.sub(lambda found: _CONTRACTIONS[found[0].lower()], text)
    text = _EN["had_or_would"].sub(_had_or_would, text)
    return _NEGATED.sub(r"\1 not", text)


def _had_or_would(found: re.Match[str]) -> str:
    verb = (found["verb"] or "").lower()
    return f"{found[1]} {'had' if verb in ('better', 'been') or (is_past(verb) and verb != 'quit') else 'would'}"
