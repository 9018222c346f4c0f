"""Say in the third person, on its own, what somebody wrote about themselves; a bare answer takes in its question first.

Rules for English in a fixed order; what they cannot turn round is put behind the person's name with a colon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime

from yesteryear.core.attributes import FactKind
from yesteryear.core.language.discourse import has_value, speaks_of_past
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, fold, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.facts.spoken_dates import say_dates
from yesteryear.providers.local.facts.subjects import in_third_person, with_subject
from yesteryear.providers.local.facts.verbs import is_finite, is_past

_EN = vocabulary("rewriting")
_ANSWER_WORDS = 9
"""Most words of an answer that says little without its question."""
_YOURS = {"your": "my", "yours": "mine", "yourself": "myself", "you": "me", "you're": "I'm", "you've": "I've"}
_AUXILIARIES = {"are": "am", "were": "was", "do": ""}
_PLACED = {"live": " in ", "work": " in ", "study": " in ", "go": " to ", "move": " to ", "come": " from "}
"""What links a place to the verb of a question that asks for it."""
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
_FRAMES = {
    FactKind.DECISION: " decided:",
    FactKind.GOAL: "'s goal:",
    FactKind.WORK_PATTERN: "'s routine:",
    FactKind.SUCCESS_PATTERN: ", what works:",
    FactKind.BLOCKER: " is held back:",
}
"""What is put between the author and words that do not name them."""


def rewrite(quote: str, *, author: str, at: datetime, zone: str | None, kind: FactKind, question: str = "") -> str:
    """Return a statement in the third person for what somebody wrote about themselves.

    In this order: short forms of chat are written out and emoji dropped; a bare answer takes in its question; sentence
    by sentence what opens or closes it idly goes, dates become absolute, contractions are expanded, a missing "I" is
    put in, and the speaker is named, with the verbs to match; where nothing names them, a frame for the kind does.
    What is already in the third person and names the author comes back with its dates said in full.

    Returns:
        One line without a full stop at its end; the author's name alone where nothing was said.

    Raises:
        InputError: there is no such zone.
    """
    text = turn_round(_plain(quote), _plain(question))
    names = frozenset(words(author))
    told = []
    for sentence in _sentences(text):
        dated = _outside_quotes(_as_wish(sentence, kind), lambda part: say_dates(part, at=at, zone=zone, names=names))
        own = with_subject(_outside_quotes(dated, _expanded), kind)
        told.append(in_third_person(own, author, is_past=speaks_of_past(sentence)))
    return _framed(told, author, kind)


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


def _framed(told: list[str], author: str, kind: FactKind) -> str:
    if not told:
        return author
    further = [said[:1].upper() + said[1:] for said in told[1:]]
    line = re.sub(r"(?<=[?!])\.", "", ". ".join([told[0], *further]))
    if re.search(rf"(?<!\w){re.escape(author)}(?!\w)", line):
        return line if line.startswith(author) else line[:1].upper() + line[1:]
    return f"{author}{_frame(line, kind)}"


def _frame(line: str, kind: FactKind) -> str:
    """Return what follows the author's name where the words themselves do not speak of them."""
    body = _uncapital(line)
    has_verb = any(map(is_finite, words(line)))
    if kind is FactKind.PREFERENCE and (refused := _EN["no_more"].match(line)) and not has_verb:
        return f" does not want {line[refused.end() :]}"
    if kind is FactKind.PREFERENCE and not has_verb:
        return f" prefers {body}"
    if kind is FactKind.BELIEF and has_verb:
        return f" believes that {body}"
    return f"{_FRAMES.get(kind, ':')} {body}"


def _uncapital(line: str) -> str:
    """Return a line that goes on inside a sentence: with a small letter, unless it begins with a name."""
    first = line.split(maxsplit=1)[0] if line.strip() else ""
    is_name = first.isupper() and len(first) > 1
    return line[:1].lower() + line[1:] if first.lower() in STOP_WORDS and first != "I" and not is_name else line


def turn_round(answer: str, question: str) -> str:
    """Return a bare answer as a statement in the first person; the answer as it is where it says enough by itself.

    The last question counts, if there is any: "Will you keep the mornings?", "yes, still 6 to 9" gives "I will keep the
    mornings: still 6 to 9".
    """
    asked = [sentence for sentence in split_sentences(question) if sentence.endswith("?")][-1:]
    if not asked or _EN["too_open"].search(asked[0]) or not _is_bare(answer):
        return answer
    polarity = "yes" if (found := _EN["yes"].match(answer)) else "no" if (found := _EN["no"].match(answer)) else ""
    told = answer[found.end() :] if found and not answer.lower().startswith(("still", "always")) else answer
    if named := _EN["asked_what_is"].fullmatch(asked[0]):
        return answer if polarity else f"{_as_mine(named['thing'])} is {told}"
    put = _EN["asked"].fullmatch(asked[0])
    if put is None or not (put["rest"] or "").strip():
        return answer
    statement = _statement(put, told, polarity)
    return answer if statement is None else statement


def _is_bare(answer: str) -> bool:
    """Tell whether an answer is short, has no verb and does not speak of the person."""
    listed = words(answer)
    if not listed or len(listed) > _ANSWER_WORDS or _LEXICON["speaker"].search(fold(answer)) or "?" in answer:
        return False
    return not any(is_finite(word) or is_past(word) for word in listed)


def _statement(put: re.Match[str], told: str, polarity: str) -> str | None:
    rest, aux, what = _as_mine(put["rest"].strip()), put["aux"].lower(), (put["what"] or "").lower()
    aux = _AUXILIARIES.get(aux, aux)
    if what == "what" and aux == "":
        if _EN["for_a_living"].fullmatch(rest):
            return None if polarity else f"my job is {told}"
        return None if polarity or " " in rest else f"I {rest} {told}"
    if what:
        if polarity:
            return None
        says_when = has_value(told) or _EN["time"].search(told) is not None
        if what != "where" and not what.startswith(("what", "which")) and not says_when:
            return None
        joins = told.split(maxsplit=1)[0].lower() in _EN.words("joins_on") if told.split() else False
        link = " " if joins else _PLACED.get(rest.split()[0], ": ") if what == "where" else ": "
        return f"I {aux} {rest}{link}{told}".replace("  ", " ")
    if not polarity:
        return None
    denial = {"": "do not", "am": "am not"}.get(aux, f"{aux} not") if polarity == "no" else aux
    return f"I {denial} {rest}{': ' if told.strip() else ''}{told}".replace("  ", " ")


def _as_mine(text: str) -> str:
    return _EN["your"].sub(lambda found: _YOURS[found[0].lower()], text)
