"""What somebody asks to have forgotten, and a plain yes or no to the question whether they mean it.

English only, and only in somebody's own words. Two things can be asked: that what is being said, or was just said, not
be kept, which has to be the whole of a message or a sentence or clause of its own; and that all about a subject be
forgotten, which is no more than a proposal. What is a turn of speech ("forget it", "never mind", "scratch that, make it
two"), a wish about oneself ("I want to forget my ex") or work on other things matches neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.subjects import plain_marks, read_phrase, subject_keys
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("forgetting")
_LEXICON = vocabulary("lexicon")

_READ_CHARS = 2_000
"""Characters read at each end of somebody's own words: that is where a request stands in a long message."""
_LONGEST = 20_000
"""Characters of the longest message in which anything is asked; what is longer was brought along."""
_READ_LATELY = 32
"""Texts whose reading is remembered: a message is asked for its request when it comes and when it is answered."""
_ANSWER_CHARS = 60
"""Characters of the longest answer that counts as a plain yes or no."""


class Reach(StrEnum):
    """How far a request to forget reaches."""

    THIS = "this"
    """The message itself."""
    LAST = "last"
    """What its author said just before, and the message itself, which says nothing else."""
    ABOUT = "about"
    """Everything about some subjects; a proposal."""
    ALL = "all"
    """Everything there is; a proposal."""


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What somebody asks to have forgotten."""

    reach: Reach
    subjects: tuple[str, ...] = ()
    """With ``ABOUT`` what it is about, in the person's words without determiners; else empty."""
    named: str = ""
    """With ``ABOUT`` the same as it is named to the person: "your ex"."""

    @property
    def is_proposal(self) -> bool:
        """Whether it is only asked back whether that is meant."""
        return self.reach in (Reach.ABOUT, Reach.ALL)


@lru_cache(maxsize=_READ_LATELY)
def read_forget_request(text: str) -> ForgetRequest | None:
    """Return what somebody asks to have forgotten, or None where nothing is asked."""
    if len(text) > _LONGEST or not _may_ask(text):
        return None
    own, quoted = own_words(text)
    if len(own) > 2 * _READ_CHARS:
        own = f"{own[:_READ_CHARS]}\n{own[-_READ_CHARS:]}"
    own = _APOSTROPHES.sub("'", own)
    if not quoted and _asks(_EN["last"], own):
        return ForgetRequest(Reach.LAST)
    sentences = split_sentences(own)
    proposals = [found for place, said in enumerate(sentences) for found in _proposed(said, sentences[place + 1 :])]
    if any(found.reach is Reach.ALL for found in proposals):
        return ForgetRequest(Reach.ALL)
    if proposals:
        subjects = tuple(dict.fromkeys(subject for found in proposals for subject in found.subjects))
        return ForgetRequest(Reach.ABOUT, subjects, " and ".join(dict.fromkeys(found.named for found in proposals)))
    return ForgetRequest(Reach.THIS) if any(_asks(_EN["this"], clause) for clause in _clauses(sentences)) else None


def says_more(text: str) -> bool:
    """Tell whether a message says anything beside its request to forget."""
    own, quoted = own_words(text)
    own = _APOSTROPHES.sub("'", own)
    if quoted or _asks(_EN["last"], own):
        return bool(quoted)
    return not all(_asks(_EN["this"], said) or any(_proposed(said, ())) for said in split_sentences(own))


def is_plain_answer(text: str) -> bool:
    """Tell whether a whole message says yes or no, and nothing else."""
    return is_plain_yes(text) or is_plain_no(text)


def is_plain_yes(text: str) -> bool:
    """Tell whether a whole message says yes, and nothing else."""
    return len(text) <= _ANSWER_CHARS and _EN["yes"].fullmatch(fold(text).strip()) is not None


def is_plain_no(text: str) -> bool:
    """Tell whether a whole message says no, and nothing else."""
    return len(text) <= _ANSWER_CHARS and _EN["no"].fullmatch(fold(text).strip()) is not None


_APOSTROPHES = re.compile("[\u2018\u2019\u02bc`\u00b4]")
_DROPS, _REFUSALS = _EN.listed("drops"), _EN.listed("refusals")
"""One of these is in all that asks for something to be forgotten, or not to be kept; most talk has none."""


def _may_ask(text: str) -> bool:
    """Tell whether it is worth while to read a text."""
    low = text.lower()
    if any(mark in low for mark in _DROPS):
        return True
    return any(mark in low for mark in _REFUSALS) and _EN["may_refuse"].search(low) is not None


_QUESTION = re.compile(r"\?\W*$")

_YOURS = _EN.table("yours")


def _asks(form: re.Pattern[str], text: str) -> bool:
    """Tell whether a whole text has a form, and is no mere question."""
    found = form.fullmatch(" ".join(text.split()))
    if found is None:
        return False
    return (
        not _QUESTION.search(text) or found["asked"] is not None or re.search(r"\b(?:please|pls)\b", text) is not None
    )


def _clauses(sentences: list[str]) -> Iterator[str]:
    """Yield what may speak of a message as a whole: its sentences, and what begins or ends it before a pause."""
    yield from sentences
    if not sentences:
        return
    opening = _EN["clause_ends"].search(sentences[0])
    if opening:
        yield sentences[0][: opening.start()]
    for pause in _EN["clause_ends"].finditer(sentences[-1]):
        if not _EN["reports"].search(sentences[-1], 0, pause.start() + 1):
            yield sentences[-1][pause.end() :]


def _proposed(said: str, after: list[str] | tuple[str, ...]) -> Iterator[ForgetRequest]:
    """Yield what a sentence asks to have forgotten of all that is known."""
    text = " ".join(plain_marks(said).split())
    if _EN["exception"].search(text) or _EN["condition"].search(text) or (after and _EN["new_value"].match(after[0])):
        return
    if _asks(_EN["all"], text):
        yield ForgetRequest(Reach.ALL)
        return
    found = _EN["subject"].match(text)
    plain = None if found else _EN["plain_object"].match(text)
    begin = found or plain
    if begin is None:
        return
    phrase = read_phrase(text, begin.end())
    rest = text[phrase.end :]
    is_from_memory = _EN["from_memory"].fullmatch(rest) is not None
    if not (is_from_memory or _EN["ends"].fullmatch(rest)) or _LEXICON["date"].search(fold(text)):
        return
    if plain and not is_from_memory and not all(map(_EN["datum"].search, phrase.subjects)):
        return
    if plain and not re.match(r"(?:my|our)\b", text[plain.end() :], re.IGNORECASE) and not is_from_memory:
        return
    if _QUESTION.search(text) and begin["asked"] is None:
        return
    subjects = tuple(subject for subject in phrase.subjects if not subject_keys(subject).is_empty)
    if subjects:
        yield ForgetRequest(Reach.ABOUT, subjects, _to_the_person(text[begin.end() : phrase.end]))


def _to_the_person(words: str) -> str:
    """Return what somebody named as it is named to them: "my ex" as "your ex"."""
    return " ".join(_YOURS.get(word.lower(), word) for word in words.split()).rstrip(" .,!?")
