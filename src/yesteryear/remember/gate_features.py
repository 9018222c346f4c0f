"""What the gate reads in what somebody says: named features, each in [0, 1].

English, as the word lists are. Nothing here decides what is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import both_ends, split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, fold, stems, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.message import Exchange, Message, Role

_LEXICON = vocabulary("lexicon")

_READ_CHARS = 4_000
"""Characters read of one message, half from each end: bounds the time that features take to some milliseconds."""
_MATCHES_SATURATE = 2  # matches of one word list from which its feature is 1
_ECHO_STEMS = 3  # fewest content words whose overlap with the message before says anything
_FOREIGN_WORDS = 4  # fewest words from which a text can be told to be in another language
_LONG = 80  # words from which a text counts as long
_SHORT = 3  # most words of a text that counts as short

_IN_OWN_WORDS = tuple(
    """
    identity lasting date life_event emotion close_people bond passing fiction fantasy mockery condition role
    undecided we you others future modal negation retain discard later discretion said source assistant correction
    health taste occupation home bare_answer own_memory self my
    """.split()
)
"""Word lists looked for in all that somebody says themselves."""
_IN_STATEMENTS = ("speaker", "commitment", "past")  # word lists looked for where nothing is asked and no task is set
_GAMES = ("fiction", "fantasy", "role")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")  # a capitalised word inside a sentence
_LIST_LINE = re.compile(r"^[ \t]*(?:[-*\u2022]|\d+[.)])[ \t]|\b\d\. ", re.MULTILINE)  # an entry of a list
_FILLERS, _OTHER_LANGUAGES = _LEXICON.words("fillers"), _LEXICON.words("other_languages")
_NUMBER = re.compile(r"\d+")
_SYMBOLS = re.compile(r"[=<>{}\[\]/\\|_#$%^*+~`@]")
_FACES = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]|[:;]-?[)(dp]|\\b(?:lol|haha\\w*|lmao|xd)\\b")
_FIRST_WORDS = re.compile(r"(?:(?:please|pls|now|ok|okay|and|so|then|hey|hi|no|yes|well|oh|also|just),? )*([a-z']+)")


def split_by_author(exchange: Exchange) -> list[Exchange]:
    """Return what each author in the role of a user says in an exchange; the exchange itself when there is none."""
    authors = dict.fromkeys(message.author for message in exchange.asked)
    return [
        replace(exchange, messages=tuple(message for message in exchange.asked if message.author == author))
        for author in authors
    ] or [exchange]


def gate_features(exchange: Exchange, *, previous: Message | None) -> dict[str, float]:
    """Return the named features of what was said in the role of a user, each in [0, 1].

    Several messages count as one text, whoever said them. The message before is read only if it is an assistant's.
    """
    parts = [_own_and_quoted(message, exchange) for message in exchange.asked]
    own, quoted = ("\n\n".join(filter(None, texts)) for texts in zip(*parts, strict=True)) if parts else ("", "")
    folded, folded_quotes = fold(own), fold(quoted)
    said, cited = words(own), words(quoted)
    sentences = split_sentences(folded)
    stated = [text for text in sentences if not _asks(text) and not _LEXICON["task"].match(text)]
    before = both_ends(previous.content, chars=_READ_CHARS) if previous and previous.role is Role.ASSISTANT else ""
    return {
        **{name: _share_of_matches(_LEXICON[name], folded) for name in _IN_OWN_WORDS},
        **{name: _share_of_matches(_LEXICON[name], "\n".join(stated)) for name in _IN_STATEMENTS},
        "names": _share_of_matches(_NAME, own),
        "numbers": _share_of_matches(_NUMBER, own),
        "faces": _share_of_matches(_FACES, folded),
        "symbols": min(1.0, 10 * _share(len(_SYMBOLS.findall(own)), len(own))),
        "memory_frame": _share_of_matches(_LEXICON["memory_frame"], f"{folded}\n{folded_quotes}"),
        "quoted_order": _share_of_matches(_LEXICON["retain"], folded_quotes),
        "quoted_assistant": _share_of_matches(_LEXICON["assistant"], folded_quotes),
        "list_lines": _share_of_matches(_LIST_LINE, own),
        "game_before": float(any(_LEXICON[name].search(fold(before)) for name in _GAMES)),
        "answer": float(before.rstrip().endswith("?") and len(stated) == len(sentences)),
        "echo": _echo(f"{own}\n{quoted}", before),
        **_shape(sentences),
        **_clauses(sentences),
        "filler": _share(sum(word in _FILLERS for word in said), len(said)) if said else 1.0,
        "quoted": _share(len(cited), len(cited) + len(said)),
        "long": min(1.0, len(said) / _LONG),
        "short": float(len(said) <= _SHORT),
    }


def _own_and_quoted(message: Message, exchange: Exchange) -> tuple[str, str]:
    """Return both ends of a message's own words, and of what was quoted or brought along."""
    if message.id in exchange.brought:
        return "", both_ends(message.content, chars=_READ_CHARS)
    own, quoted = own_words(message.content)
    return both_ends(own, chars=_READ_CHARS), both_ends(quoted, chars=_READ_CHARS)


def is_other_language(text: str) -> bool:
    """Tell whether what somebody says themselves has more words of other languages than of English grammar."""
    own = words(own_words(text)[0])
    english = sum(word in _FILLERS or word in STOP_WORDS for word in own)
    foreign = sum(word in _OTHER_LANGUAGES or not word.isascii() for word in own)
    return len(own) >= _FOREIGN_WORDS and foreign > english


def _shape(sentences: Sequence[str]) -> dict[str, float]:
    """Return what the kinds of sentences tell: who is asked, and about whom."""
    questions = [text for text in sentences if _asks(text)]
    tasks = [text for text in sentences if _LEXICON["task"].match(text)]
    personal = [text for text in (*tasks, *questions) if _LEXICON["speaker"].search(text)]
    whole = len(sentences)
    return {
        "question": _share(len(questions), whole),
        "only_questions": float(0 < whole == len(questions)),
        "last_asks": float(whole > 0 and _asks(sentences[-1])),
        "impersonal_question": _share(sum(not _LEXICON["speaker"].search(text) for text in questions), whole),
        "memory_question": float(any(_LEXICON["memory_question"].search(text) for text in questions)),
        "task": _share(len(tasks), whole),
        "only_tasks": float(0 < whole == len(tasks)),
        "personal_task": _share(len(personal), whole),
    }


_CLAUSE = re.compile(r"[,;:.!?()\u2013\u2014]|\s-+\s|\b(?:and|but|so|because|cause|cos|since)\b")


_TOGETHER = {
    "you_retain": ("you", "retain"),
    "you_discard": ("you", "discard"),
    "retain_later": ("retain", "later"),
    "no_retain": ("negation", "retain"),
    "no_discard": ("negation", "discard"),
    "discard_said": ("discard", "said"),
    "you_frame": ("you", "memory_frame"),
    "if_would": ("condition", "modal"),
    "me_person": ("speaker", "close_people"),
    "me_decides": ("speaker", "commitment"),
    "me_work": ("speaker", "occupation"),
    **{
        f"me_{name}": ("speaker", name)
        for name in "retain identity passing taste health home lasting undecided fiction".split()
    },
}
"""Features of two word lists that meet in one clause."""


def _clauses(sentences: Sequence[str]) -> dict[str, float]:
    """Return what stands together in one clause, and what opens a sentence."""
    clauses = [clause for text in sentences for clause in _CLAUSE.split(text) if clause.strip()]

    def together(*names: str) -> float:
        patterns = [_LEXICON[name] for name in names]
        return float(any(all(pattern.search(clause) for pattern in patterns) for clause in clauses))

    def opens(name: str) -> float:
        firsts = ((text, _FIRST_WORDS.match(text)) for text in sentences)
        return float(any(first and _LEXICON[name].match(text, first.start(1)) for text, first in firsts))

    return {
        **{f"opens_{name}": opens(name) for name in ("retain", "discard")},
        **{feature: together(*pair) for feature, pair in _TOGETHER.items()},
    }


def _asks(sentence: str) -> bool:
    return sentence.endswith("?") or _LEXICON["question"].match(sentence) is not None


def _share_of_matches(pattern: re.Pattern[str], text: str) -> float:
    return sum(1 for _ in islice(pattern.finditer(text), _MATCHES_SATURATE)) / _MATCHES_SATURATE


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _echo(text: str, before: str) -> float:
    """Return the share of content words that stand in the message before; 0 for a text with hardly any."""
    said = stems(text)
    if len(said) < _ECHO_STEMS:
        return 0.0
    known = set(stems(before))
    return _share(sum(stem in known for stem in said), len(said))
