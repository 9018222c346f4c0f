"""What a request is about: the subjects that its words name, and which messages speak of them.

English, by rules: a noun phrase goes on until a word that cannot be part of one. What hangs together stays one subject,
and a message speaks of it only if it holds all that tells it: to match less would be to match more than was named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from yesteryear.core.language.names import NameBook
from yesteryear.core.language.questions import has_value
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, fold, stem, stems, words
from yesteryear.core.language.topics import topic_stems
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("subjects")
_LEXICON = vocabulary("lexicon")


class Phrase(NamedTuple):
    """What is named behind a place of a text."""

    subjects: tuple[str, ...]
    """In the person's words without determiners; pronouns are left out."""
    end: int
    """Where the phrase ends."""


@dataclass(frozen=True, slots=True)
class SubjectKeys:
    """What a message must hold to speak of a subject."""

    names: frozenset[str]
    """Folded names, their words divided by spaces; all words of at least one of them are needed, if there are any."""
    stems: frozenset[str]
    """Content stems; all of them are needed."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell the subject by, so that no message speaks of it."""
        return not self.names and all(map(_is_vague, self.stems))


def plain_marks(text: str) -> str:
    """Return ``text`` with straight apostrophes and without quotation marks."""
    return text.translate(_PLAIN)


def read_phrase(text: str, start: int) -> Phrase:
    """Return what is named in ``text`` from ``start`` on.

    Things that stand side by side are several subjects ("my ex and the flat"); those that belong to one another are one
    ("a fight with Ben and Ida", "Ben and Ida's flat"), and so is a clause ("where I work").
    """
    if clause := _EN["clause"].match(text, start):
        return Phrase((clause["clause"],), clause.end())
    listed = _EN["list"].match(text, start)
    items: list[str] = []
    joint, end = "", start
    while listed and end < listed.end():
        begin = end + len(joint)
        following = _EN["joint"].search(text, begin, listed.end())
        item = text[begin : following.start() if following else listed.end()]
        if items and _EN["order"].match(item):
            break
        if items and "," not in joint and _belong_together(items[-1], item):
            items[-1] += joint + item
        else:
            items.append(item)
        joint, end = following[0] if following else "", begin + len(item)
    subjects = (_EN["left_over"].sub("", _without_determiners(item)) for item in items)
    return Phrase(tuple(subject for subject in subjects if subject and subject.lower() not in _NOBODY), end)


def subject_keys(subject: str) -> SubjectKeys:
    """Return by what to tell that a message speaks of a subject.

    Capitalised words are names. Words before a name that only say who somebody is ("my sister Laura", "Dr. Meyer") are
    left out; all other content words are needed as well: "Laura's wedding" is not all that was said of Laura. A subject
    whose noun is mostly another word ("my mother's will") has no keys.
    """
    subject = plain_marks(subject)
    if subject.split()[-1:] and subject.split()[-1] in _HARDLY_NOUNS:
        return SubjectKeys(frozenset(), frozenset())
    names: list[str] = []
    others: list[str] = []
    done = 0
    for start, end in _capitalised(subject):
        name = " ".join(word for word in _words(subject[start:end]) if not _tells_who(word))
        if NameBook.of([name]).mentioned(f"{name.title()}'s") and not has_value(name):
            names.append(name)
            if end < len(subject) or not _tells_who(subject[done:start]):
                others.append(subject[done:start])
            done = end
    others.append(subject[done:])
    return SubjectKeys(frozenset(names), frozenset(stems(" ".join(_words(" ".join(others))))))


def speaks_of(text: str, keys: SubjectKeys) -> bool:
    """Tell whether a message speaks of a subject.

    It does if one sentence of it, or two neighbouring ones together, hold all words of one of the names, if there are
    any, and all stems. Words that are also names ("Will", "Rose") count where they are written as names.
    """
    if keys.is_empty or not _holds(text, keys):
        return False
    sentences = split_sentences(text)
    return any(_holds(f"{one}\n{other}", keys) for one, other in pairwise([*sentences, ""]))


_PLAIN = str.maketrans({**dict.fromkeys("\u2018\u2019\u02bc`\u00b4", "'"), **dict.fromkeys('"\u201c\u201d')})

_NOBODY = _EN.words("nobody")
_WORD = re.compile(r"[^\W\d_][\w']*")
_NAME_JOINT = re.compile(r"\.? |-")
_OWNER = re.compile(r"'s\b|(?<=s)'(?!\w)", re.IGNORECASE)
_TITLES = _EN.words("titles")
_HARDLY_NOUNS = _EN.words("hardly_nouns")
_VAGUE_STEMS = frozenset(map(stem, _EN.words("vague")))
"""Besides the stems of all talk, those of words that point at many things."""


def _without_determiners(phrase: str) -> str:
    """Return a phrase without the articles and possessive pronouns before it."""
    found = _EN["determiner"].match(phrase)
    return phrase[found.end() :] if found else phrase


def _belong_together(one: str, other: str) -> bool:
    if _EN["relation"].search(one):
        return True
    return ("'s" in one or "'s" in other) and not _EN["determiner"].match(other)


def _holds(text: str, keys: SubjectKeys) -> bool:
    said = frozenset(_words(text))
    names = [name for name in keys.names if said.issuperset(name.split())]
    if not keys.stems.issubset(map(stem, said)):
        return False
    return bool(NameBook.of(names).mentioned(text)) if keys.names else True


def _words(text: str) -> list[str]:
    """Return the words of a text without possessive endings."""
    return words(_OWNER.sub("", plain_marks(text)))


def _capitalised(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each run of words that begin with a capital letter."""
    run: list[re.Match[str]] = []
    for found in _WORD.finditer(text):
        is_capital = found[0][0].isupper() and found[0].lower() not in STOP_WORDS - _HARDLY_NOUNS
        if run and not (is_capital and _NAME_JOINT.fullmatch(text, run[-1].end(), found.start())):
            yield run[0].start(), run[-1].end()
            run = []
        if is_capital:
            run.append(found)
    if run:
        yield run[0].start(), run[-1].end()


def _tells_who(text: str) -> bool:
    """Tell whether words before a name only say who its bearer is: "Dr.", "sister", "old boss"."""
    is_person = _LEXICON["close_people"].search(fold(f"my {text}")) is not None
    return text.strip(". ").lower() in _TITLES or (is_person and not _EN["relation"].search(text) and "'s" not in text)


def _is_vague(found: str) -> bool:
    """Tell whether a stem alone says nothing of what somebody means."""
    return found in _VAGUE_STEMS or has_value(found) or (len(found) > 2 and not topic_stems(found))
