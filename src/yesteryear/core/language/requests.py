"""What somebody asks in talk to have remembered or forgotten, what a request is about, and a plain yes or no to it.

English, by rules, and only in somebody's own words; nothing here decides what follows. What is being said, or was just
said, can be asked to be forgotten by a whole message, sentence or clause; all about a subject is no more than a
proposal, and a message speaks of a subject only if it holds all that tells it. Turns of speech ("forget it") match not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from yesteryear.core.language.discourse import has_value, topic_stems
from yesteryear.core.language.names import NameBook
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.retractions import find_withdrawn
from yesteryear.core.language.sentences import Span, both_ends, split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, bare_words, fold, stem, stems, with_plain_apostrophes
from yesteryear.core.language.vocabulary import vocabulary

_REMEMBERING, _EN, _SUBJECTS = vocabulary("remembering"), vocabulary("forgetting"), vocabulary("subjects")
_LEXICON = vocabulary("lexicon")

_READ_CHARS = 4_000  # characters read at both ends of somebody's own words: there a request stands in a long message

# To remember. What a verb comes to is read from what stands right of it (is it about memory at all) and left of it (is
# somebody told to, and is it refused).

_REACH = 160  # characters read to the left of a verb


def asks_to_remember(text: str) -> bool:
    """Tell whether somebody asks, in their own words, that something be remembered.

    True for "remember that …", "don't forget …", "could you make a note of …", "next time I ask, tell me …". False for
    questions about memory ("do you remember?"), for what people say of themselves ("I'll never forget it"), and within
    quotations.
    """
    return any(
        any(_REMEMBERING[form].search(sentence) for form in ("remember_idioms", "standing_order", "later_question"))
        or _asks_to_retain(sentence)
        for sentence in split_sentences(fold(both_ends(own_words(text)[0], chars=_READ_CHARS)))
    )


def _asks_to_retain(sentence: str) -> bool:
    """Tell whether somebody commands or wishes in a sentence that something be kept, or not be dropped."""
    refused = _REMEMBERING["refused"].search
    for found in _REMEMBERING["verbs"].finditer(sentence):
        left = _REMEMBERING["clause_break"].split(sentence[max(0, found.start() - _REACH) : found.start()])[-1]
        is_passive = found["retained"] is not None or found["discarded"] is not None
        governors = _REMEMBERING.group("passive_wishes" if is_passive else "commands").values()
        ends = [match[0] for each in governors if (match := each.search(left))]
        if ends and not _only_speaks_of_memory(sentence, found, governor := max(ends, key=len)):
            is_refused = bool(refused(governor) or (not is_passive and refused(found[0])))
            if bool(found["retain"] or found["retained"]) is not is_refused:
                return True
    return False


def _only_speaks_of_memory(sentence: str, found: re.Match[str], governor: str) -> bool:
    """Tell "remember the two of us?" and "don't remember if I said" from commands."""
    if found[0].startswith("hold that thought"):
        return True  # wait a moment
    if found[0] != "remember" or sentence.startswith(":", found.end()):
        return False
    if sentence.startswith((" that", " this"), found.end()) and (governor.strip() or not sentence.endswith("?")):
        return False
    if sentence.endswith("?") and not _REMEMBERING["polite"].search(sentence, found.end()):
        return True
    is_refused = _REMEMBERING["refused"].search(governor) is not None
    return is_refused and _REMEMBERING["whether"].match(sentence, found.end()) is not None


# To forget.

_LONGEST = 20_000  # characters of the longest message in which anything is asked; what is longer was brought along
_READ_LATELY = 32  # texts whose reading is remembered: a message is asked when it comes and when it is answered
_ANSWER_CHARS = 60  # characters of the longest answer that counts as a plain yes or no
_DROPS, _REFUSALS = _EN.listed("drops"), _EN.listed("refusals")  # one is in all that asks to forget, or not to keep
_QUESTION = re.compile(r"\?\W*$")
_PLEASE = re.compile(r"\b(?:please|pls)\b")
_OWN = re.compile(r"(?:my|our)\b", re.IGNORECASE)
_YOURS = _EN.table("yours")


class Reach(StrEnum):
    """How far a request to forget reaches."""

    THIS = "this"  # the message itself
    LAST = "last"  # what its author said just before, and the message itself, which says nothing else
    ABOUT = "about"  # everything about some subjects; a proposal
    ALL = "all"  # everything there is; a proposal


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What somebody asks to have forgotten."""

    reach: Reach
    subjects: tuple[str, ...] = ()  # with `ABOUT` what it is about, in the person's words without determiners
    named: str = ""  # with `ABOUT` the same as it is named to the person: "your ex"

    @property
    def is_proposal(self) -> bool:
        """Whether it is only asked back whether that is meant."""
        return self.reach in (Reach.ABOUT, Reach.ALL)


@lru_cache(maxsize=_READ_LATELY)
def read_forget_request(text: str) -> ForgetRequest | None:
    """Return what somebody asks to have forgotten, or None where nothing is asked."""
    folded = fold(text) if len(text) <= _LONGEST else ""
    may_refuse = any(mark in folded for mark in _REFUSALS) and _EN["may_refuse"].search(folded)
    if not (may_refuse or any(mark in folded for mark in _DROPS)):
        return None
    own, quoted = own_words(text)
    own = with_plain_apostrophes(both_ends(own, chars=_READ_CHARS))
    if not quoted and _asks(_EN["last"], own):
        return ForgetRequest(Reach.LAST)
    sentences = split_sentences(own)
    proposals = [found for place, said in enumerate(sentences) for found in _proposed(said, sentences[place + 1 :])]
    if any(found.reach is Reach.ALL for found in proposals):
        return ForgetRequest(Reach.ALL)
    if proposals:
        subjects = tuple(dict.fromkeys(subject for found in proposals for subject in found.subjects))
        return ForgetRequest(Reach.ABOUT, subjects, " and ".join(dict.fromkeys(found.named for found in proposals)))
    if any(_asks(_EN["this"], clause) for clause in _clauses(sentences)):
        return ForgetRequest(Reach.THIS)
    is_of_part = any(form.search(own) for form in (_LEXICON["date"], _EN["exception"], _EN["condition"]))
    named = [each.named for each in find_withdrawn(own) if each.is_to_go and not is_of_part]
    subjects = tuple(subject for name in named for subject in read_phrase(name, 0)[0])
    told = tuple(subject for subject in subjects if not subject_keys(subject).is_empty)
    return ForgetRequest(Reach.ABOUT, told, " and ".join(told)) if told else None


def says_more(text: str) -> bool:
    """Tell whether a message says anything beside its request to forget."""
    own, quoted = own_words(text)
    own = with_plain_apostrophes(own)
    if quoted or _asks(_EN["last"], own):
        return bool(quoted)
    return not all(_asks(_EN["this"], said) or any(_proposed(said, ())) for said in split_sentences(own))


def plain_answer(text: str) -> bool | None:
    """Tell whether a whole message says yes, or no, and nothing else; None where it does neither."""
    said = fold(text).strip() if len(text) <= _ANSWER_CHARS else ""
    return True if _EN["yes"].fullmatch(said) else False if _EN["no"].fullmatch(said) else None


def _asks(form: re.Pattern[str], text: str) -> bool:
    """Tell whether a whole text has a form, and is no mere question."""
    found = form.fullmatch(" ".join(text.split()))
    return found is not None and bool(not _QUESTION.search(text) or found["asked"] or _PLEASE.search(text))


def _clauses(sentences: list[str]) -> Iterator[str]:
    """Yield what may speak of a message as a whole: its sentences, and what begins or ends it before a pause."""
    yield from sentences
    for first in sentences[:1]:
        if opening := _EN["clause_ends"].search(first):
            yield first[: opening.start()]
    for last in sentences[-1:]:
        for pause in _EN["clause_ends"].finditer(last):
            if not _EN["reports"].search(last, 0, pause.start() + 1):
                yield last[pause.end() :]


def _proposed(said: str, after: Sequence[str]) -> Iterator[ForgetRequest]:
    """Yield what a sentence asks to have forgotten of all that is known."""
    text = " ".join(plain_marks(said).split())
    if _EN["exception"].search(text) or _EN["condition"].search(text) or (after and _EN["new_value"].match(after[0])):
        return
    if _asks(_EN["all"], text):
        yield ForgetRequest(Reach.ALL)
        return
    found = _EN["subject"].match(text)
    begin = found or _EN["plain_object"].match(text)
    if begin is None or _LEXICON["date"].search(fold(text)) or (_QUESTION.search(text) and begin["asked"] is None):
        return
    named, end = read_phrase(text, begin.end())
    is_own_datum = _OWN.match(text, begin.end()) and all(map(_EN["datum"].search, named))
    is_whole = (found or is_own_datum) and _EN["ends"].fullmatch(text, end)
    subjects = tuple(subject for subject in named if not subject_keys(subject).is_empty)
    if subjects and (is_whole or _EN["from_memory"].fullmatch(text, end)):
        yours = (_YOURS.get(word.lower(), word) for word in text[begin.end() : end].split())
        yield ForgetRequest(Reach.ABOUT, subjects, " ".join(yours).rstrip(" .,!?"))


# What a request is about.

_QUOTATION_MARKS = str.maketrans(dict.fromkeys('"\u201c\u201d'))
_NOBODY, _TITLES, _HARDLY_NOUNS = (_SUBJECTS.words(name) for name in ("nobody", "titles", "hardly_nouns"))
_VAGUE_STEMS = frozenset(map(stem, _SUBJECTS.words("vague")))  # beside those of all talk: they point at many things
_WORD = re.compile(r"[^\W\d_][\w']*")
_NAME_JOINT = re.compile(r"\.? |-")


@dataclass(frozen=True, slots=True)
class SubjectKeys:
    """What a message must hold to speak of a subject."""

    names: frozenset[str]  # folded, words divided by spaces; all of one of them are needed
    stems: frozenset[str]  # content stems; all of them are needed

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell the subject by, so that no message speaks of it."""
        telling = (each for each in self.stems if each not in _VAGUE_STEMS and not has_value(each))
        return not self.names and all(len(each) > 2 and not topic_stems(each) for each in telling)


def plain_marks(text: str) -> str:
    """Return ``text`` with straight apostrophes and without quotation marks."""
    return with_plain_apostrophes(text).translate(_QUOTATION_MARKS)


def read_phrase(text: str, start: int) -> tuple[tuple[str, ...], int]:
    """Return what is named in ``text`` from ``start`` on, without determiners and pronouns, and where that ends.

    Things that stand side by side are several subjects ("my ex and the flat"); those that belong to one another are one
    ("a fight with Ben and Ida", "Ben and Ida's flat"), and so is a clause ("where I work").
    """
    if clause := _SUBJECTS["clause"].match(text, start):
        return (clause["clause"],), clause.end()
    listed = _SUBJECTS["list"].match(text, start)
    items: list[str] = []
    joint, end = "", start
    while listed and end < listed.end():
        begin = end + len(joint)
        following = _SUBJECTS["joint"].search(text, begin, listed.end())
        item = text[begin : following.start() if following else listed.end()]
        if items and _SUBJECTS["order"].match(item):
            break
        if items and "," not in joint and _belong_together(items[-1], item):
            items[-1] += joint + item
        else:
            items.append(item)
        joint, end = following[0] if following else "", begin + len(item)
    bare = (item[found.end() :] if (found := _SUBJECTS["determiner"].match(item)) else item for item in items)
    subjects = (_SUBJECTS["left_over"].sub("", item) for item in bare)
    return tuple(subject for subject in subjects if subject and subject.lower() not in _NOBODY), end


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
        name = " ".join(word for word in bare_words(subject[start:end]) if not _tells_who(word))
        if NameBook.of([name]).mentioned(f"{name.title()}'s") and not has_value(name):
            names.append(name)
            if end < len(subject) or not _tells_who(subject[done:start]):
                others.append(subject[done:start])
            done = end
    others.append(subject[done:])
    return SubjectKeys(frozenset(names), frozenset(stems(" ".join(bare_words(" ".join(others))))))


def speaks_of(text: str, keys: SubjectKeys) -> bool:
    """Tell whether a message speaks of a subject.

    It does if one sentence of it, or two neighbouring ones together, hold all words of one of the names, if there are
    any, and all stems. Words that are also names ("Will", "Rose") count where they are written as names.
    """
    if keys.is_empty or not _holds(text, keys):
        return False
    return any(_holds(f"{one}\n{other}", keys) for one, other in pairwise([*split_sentences(text), ""]))


def _belong_together(one: str, other: str) -> bool:
    is_owned = ("'s" in one or "'s" in other) and not _SUBJECTS["determiner"].match(other)
    return is_owned or _SUBJECTS["relation"].search(one) is not None


def _holds(text: str, keys: SubjectKeys) -> bool:
    said = frozenset(bare_words(text))
    if not keys.stems.issubset(map(stem, said)):
        return False
    names = [name for name in keys.names if said.issuperset(name.split())]
    return bool(NameBook.of(names).mentioned(text)) if keys.names else True


def _capitalised(text: str) -> Iterator[Span]:
    """Yield start and end of each run of words that begin with a capital letter."""
    run: Span | None = None
    for found in _WORD.finditer(text):
        if found[0][0].isupper() and found[0].lower() not in STOP_WORDS - _HARDLY_NOUNS:
            is_joined = run and _NAME_JOINT.fullmatch(text, run[1], found.start())
            yield from [run] if run and not is_joined else ()
            run = (run[0] if run and is_joined else found.start(), found.end())
    yield from [run] if run else ()


def _tells_who(text: str) -> bool:
    """Tell whether words before a name only say who its bearer is: "Dr.", "sister", "old boss"."""
    is_person = _LEXICON["close_people"].search(fold(f"my {text}")) is not None
    is_related = "'s" in text or _SUBJECTS["relation"].search(text) is not None
    return text.strip(". ").lower() in _TITLES or (is_person and not is_related)
