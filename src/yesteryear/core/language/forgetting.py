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

from yesteryear.core.language.lazily import compile_lazily
from yesteryear.core.language.lexicon import DATE, fold
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.subjects import plain_marks, read_phrase, subject_keys

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
    if not quoted and _asks(_LAST, own):
        return ForgetRequest(Reach.LAST)
    sentences = split_sentences(own)
    proposals = [found for place, said in enumerate(sentences) for found in _proposed(said, sentences[place + 1 :])]
    if any(found.reach is Reach.ALL for found in proposals):
        return ForgetRequest(Reach.ALL)
    if proposals:
        subjects = tuple(dict.fromkeys(subject for found in proposals for subject in found.subjects))
        return ForgetRequest(Reach.ABOUT, subjects, " and ".join(dict.fromkeys(found.named for found in proposals)))
    return ForgetRequest(Reach.THIS) if any(_asks(_THIS, clause) for clause in _clauses(sentences)) else None


def says_more(text: str) -> bool:
    """Tell whether a message says anything beside its request to forget."""
    own, quoted = own_words(text)
    own = _APOSTROPHES.sub("'", own)
    if quoted or _asks(_LAST, own):
        return bool(quoted)
    return not all(_asks(_THIS, said) or any(_proposed(said, ())) for said in split_sentences(own))


def is_plain_answer(text: str) -> bool:
    """Tell whether a whole message says yes or no, and nothing else."""
    return is_plain_yes(text) or is_plain_no(text)


def is_plain_yes(text: str) -> bool:
    """Tell whether a whole message says yes, and nothing else."""
    return len(text) <= _ANSWER_CHARS and _YES.fullmatch(fold(text).strip()) is not None


def is_plain_no(text: str) -> bool:
    """Tell whether a whole message says no, and nothing else."""
    return len(text) <= _ANSWER_CHARS and _NO.fullmatch(fold(text).strip()) is not None


def _pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern for a person's own spelling: capitals tell names, so nothing is folded."""
    return compile_lazily(text, re.IGNORECASE)


_APOSTROPHES = re.compile("[\u2018\u2019\u02bc`\u00b4]")
_DROPS = (
    *"""
    forget pretend delet eras wip remov scrub purg discard drop clear strike unsend unhear unsav un-sav unlearn un-learn
    unremember un-remember
    """.split(),
    *("get rid of", "take everything", "take all", "take what", "off the record", "keep this o", "keep that o"),
)
"""One of these is in every wish that something be forgotten; most talk has none."""
_REFUSALS = (
    "n't",
    "nt ",
    "n\u2019t",
    "n\u2018t",
    "n\u02bct",
    "n`t",
    "n\u00b4t",
    "not ",
    "never",
    "no need",
    "stop",
    "quit",
    "rather",
)
_MAY_REFUSE = _pattern(
    r"\b(?:not|never|no need|stop|quit|rather|(?:do|did|does|must|should|need|is|was|may)n.?t)\b[^.!?\n]{0,30}?"
    r"\b(?:remember|keep|kept|sav|stor|record|log|not[ei]|writ|retain|hold|memor|put|tak|mak)"
)
"""How a wish begins that something be not kept."""


def _may_ask(text: str) -> bool:
    """Tell whether it is worth while to read a text."""
    low = text.lower()
    if any(mark in low for mark in _DROPS):
        return True
    return any(mark in low for mark in _REFUSALS) and _MAY_REFUSE.search(low) is not None


"""Without one of these nothing is asked; all that is looked for in a message that asks nothing."""
_LEAD = (
    r"(?:(?:please|pls|plz|kindly|hey|hi|oh|no|ok|okay|sorry|actually|wait|ugh"
    r"|oops|just|and|but|so|well|now)[,.!:]*\s+)*"
)
_WANT = (
    r"(?P<asked>(?:can|could|would|will) (?:you|u)\s+(?:(?:please|pls|plz|kindly|just)\s+)*"
    r"|i(?:'d| would)?(?: really| just)? (?:want|like|need|prefer) (?:you|u) to\s+(?:please\s+|just\s+)*"
    r"|(?:you|u) (?:should|must|can|may|need to|have to)\s+|go ahead and\s+)?"
)
_PLACE = (
    r"(?:\s+(?:from|out of|off|in)\s+(?:(?:your|ur|the|my)\s+)?(?:(?:whole|entire|long[- ]term)\s+)?(?:memory"
    r"|memories|notes?|records?|files?|logs?|history|database|head|mind|system|storage|brain|profile))"
)
_TAIL = (
    r"(?:[,\s]+(?:please|pls|plz|thanks?|thank you|thx|ok|okay|now|right now|at once|immediately|sorry"
    r"|for me|completely|entirely|for good|forever|right away|asap|altogether|permanently|any ?more"
    r"|(?:will|would|can|could) you"
    r"|anywhere|at all|either))*[\s.!?]*"
)
_DROP = r"(?:forget|delete|erase|unsend|unhear|un-?save|un-?learn|un-?remember)"
_DROP_FROM = r"(?:forget|delete|erase|wipe|remove|scrub|purge|discard|drop|clear|strike|take|get rid of)"
_TOLD = r"(?:said|told (?:you|u)|wrote|typed|mentioned|shared|sent(?: (?:you|u))?)"
_JUST_SAID = (
    rf"(?:(?:what|the(?: last)? thing)(?: that)? i(?:'ve| have)?(?: just)? {_TOLD}"
    rf"|(?:everything|all|anything|whatever)(?: that)? i(?:'ve| have)? just {_TOLD}"
    r"|(?:(?:my|the|that|this)(?: very)? (?:last|previous|preceding|latest)|my|that|this)"
    r" (?:message|remark|comment|sentence|line|text|statement)"
    r"|(?:my|the|that)(?: very)? last (?:thing|bit|one|part)(?: i said)?)(?: just now| right now| a moment ago| above)?"
)
_SAID_THAT = rf"(?:that )?i(?:'ve| have)?(?: just| ever)? {_TOLD} (?:that|this|it)"
_POINTED = r"(?:that|this|(?:any|all|none) of (?:that|this))"
_NOT_TO = (
    r"(?:don't|dont|do not|never|not to|no need to|(?:you|u) (?:shouldn't|mustn't|should not|must not"
    r"|needn't|(?:don't|do not) (?:need|have) to)"
    r"|i (?:don't|dont|do not) want (?:you|u) to|i(?:'d| would) (?:rather|prefer(?: it if)?) (?:you|u)"
    r" (?:didn't|did not))"
)
_KEEP = (
    r"(?:remember|keep|save|store|record|log|note|write|put|retain|memori[sz]e|hold on to|make a note of|take note of)"
)
_DOWN = r"(?: down| in mind| on file| on record| for later)?"
_REFUSES = (
    rf"{_NOT_TO} {_KEEP}(?: down)? (?:{_POINTED}|{_JUST_SAID}|what i(?:'m| am)(?: about to)?"
    rf" (?:say(?:ing)?|tell(?:ing)? (?:you|u))){_DOWN}{_PLACE}?"
    rf"|(?:{_POINTED}|it) (?:must|should|may|is|was)(?:n't| not)(?: to)? be"
    r" (?:kept|saved|stored|recorded|remembered|logged)"
    r"|i (?:don't|dont|do not) want (?:this|that)(?: to be)? (?:kept|saved|stored|recorded|remembered|logged)"
    r"|keep (?:this|that)(?: out of (?:your|the) (?:memory|notes|records|files)| off the record)"
    r"|(?:this|that)(?:'s| is| was| stays)?(?: strictly| all)? off the record"
)
_LAST = _pattern(
    rf"{_LEAD}(?:(?:let's |lets )?pretend(?: that)? i (?:never|didn't|did not)"
    rf" (?:said|say|told (?:you|u)|tell (?:you|u)) {_POINTED}"
    rf"|{_WANT}(?:{_DROP} (?:{_POINTED}|{_JUST_SAID}|{_SAID_THAT}){_PLACE}?"
    rf"|{_DROP_FROM} (?:it|{_POINTED}|{_JUST_SAID}){_PLACE})|{_REFUSES}){_TAIL}"
)
"""A whole message that points at what was just said."""
_THIS = _pattern(
    rf"{_LEAD}(?:{_REFUSES}|(?:strictly )?off the record|{_WANT}{_DROP} (?:{_SAID_THAT}|this"
    rf" (?:message|remark|comment)){_PLACE}?){_TAIL}"
)
"""A sentence or clause that points at the message in which it stands."""
_QUESTION = re.compile(r"\?\W*$")
_CLAUSE_ENDS = _pattern(r"[,;:–—]\s+|\s-+\s+|\s(?:but|and|so)\s")
_REPORTS = _pattern(
    r"\b(?:says?|said|told|tells?|writes?|wrote|ask(?:s|ed)?|goes|went|like|shout(?:s|ed)|warn(?:s|ed)|repl(?:ies|ied)"
    r"|mean(?:s|t)?|called|text(?:s|ed))(?: \w+){0,2}\W*$"
)
"""What tells that the words behind it are somebody else's."""

_KNOW = r"(?:know|remember|have|got|keep|kept|stored?|saved?|noted?|learn(?:ed|t)|hold)(?: down)?"
_KNOWN = rf"(?:you|u)(?:'ve| have)? {_KNOW}"
_ALL = _pattern(
    rf"{_LEAD}{_WANT}(?:{_DROP_FROM} (?:me|everything|(?:everything|all|whatever|what)(?: that)? {_KNOWN}"
    rf"|(?:everything|all|whatever|what)(?:(?: that)? {_KNOWN})? (?:about|of|on) me"
    rf"|(?:everything|all)(?: that)? i(?:'ve| have)?(?: ever)? {_TOLD}"
    r"|(?:all(?: of)?(?: my| your| the)?|my|your) (?:data|memor(?:y|ies)|info(?:rmation)?|records)"
    r"(?: (?:about|of|on) me)?"
    r"|all (?:your |the )?(?:notes|facts) (?:about|of|on) me)"
    rf"{_PLACE}?){_TAIL}"
)
_THINGS = (
    r"(?:everything|all|anything|whatever|what|(?:all |any |every )?(?:the |that |those |my |your )?(?:things?|stuff"
    r"|messages?|notes?|facts?|details|info(?:rmation)?|memor(?:y|ies)|mentions?|parts?|bits?|conversations?|chats?))"
)
_SUBJECT = _pattern(
    rf"{_LEAD}(?:{_WANT}{_DROP_FROM}|{_NOT_TO} {_KEEP}|(?:stop|quit) (?:remember|keep|sav|stor|record|not)ing)"
    rf"(?: {_THINGS}(?:(?: that)? (?:{_KNOWN}|i(?:'ve| have)?(?: ever| just)? {_TOLD}))?"
    r" (?:about|abt|regarding|concerning|to do with|related to|(?<=memory )of|(?<=memories )of|(?<=mention )of"
    r"|(?<=mentions )of) )"
)
_PLAIN_OBJECT = _pattern(rf"{_LEAD}{_WANT}{_DROP_FROM} (?=\S)")
_DATUM = _pattern(
    r"\b(?:names?|age|address(?:es)?|numbers?|birthday|password|pin|salary|income|weight|height|diagnosis|e-?mail)$"
)
"""Ends what nobody would call off, so that "forget my …" can only mean memory."""
_EXCEPTION = _pattern(
    r"\b(?:except|excluding|besides|unless|other than|rather than|apart from|aside from|save for|but not|but keep)\b"
)
_CONDITION = _pattern(
    r"\b(?:once|whenever|as soon as|unless|after (?:this|that|we|you|i)|if (?:i|we|it|he|she|they))\b"
)
_NEW_VALUE = _pattern(r"(?:actually,? )?(?:it|that|they|these)(?:'s|'re|'ll be| is| are| will be)\b")
_YOURS = {"my": "your", "our": "your", "me": "you", "mine": "yours", "i": "you", "i'm": "you're", "am": "are"}

_YES_WORD = (
    r"(?:yes|yep|yeah|yup|yea|confirm(?:ed)?|do it|do that|go ahead|please do|absolutely|definitely|of course|correct)"
)
_YES = re.compile(
    rf"(?:(?:ok|okay|sure)[,.! ]+)?{_YES_WORD}(?:[,.! ]+(?:{_YES_WORD}|please|pls|thanks|thank you))*[.! ]*"
)
_NO_WORD = (
    r"(?:no|nope|nah|don't|do not|please don't|cancel|never mind|nevermind|keep it"
    r"|keep (?:them|that|everything|all of it))"
)
_NO = re.compile(rf"{_NO_WORD}(?:[,.! ]+(?:{_NO_WORD}|please|pls|thanks|thank you))*[.! ]*")


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
    opening = _CLAUSE_ENDS.search(sentences[0])
    if opening:
        yield sentences[0][: opening.start()]
    for pause in _CLAUSE_ENDS.finditer(sentences[-1]):
        if not _REPORTS.search(sentences[-1], 0, pause.start() + 1):
            yield sentences[-1][pause.end() :]


def _proposed(said: str, after: list[str] | tuple[str, ...]) -> Iterator[ForgetRequest]:
    """Yield what a sentence asks to have forgotten of all that is known."""
    text = " ".join(plain_marks(said).split())
    if _EXCEPTION.search(text) or _CONDITION.search(text) or (after and _NEW_VALUE.match(after[0])):
        return
    if _asks(_ALL, text):
        yield ForgetRequest(Reach.ALL)
        return
    found = _SUBJECT.match(text)
    plain = None if found else _PLAIN_OBJECT.match(text)
    begin = found or plain
    if begin is None:
        return
    phrase = read_phrase(text, begin.end())
    rest = text[phrase.end :]
    is_from_memory = _FROM_MEMORY.fullmatch(rest) is not None
    if not (is_from_memory or _ENDS.fullmatch(rest)) or DATE.search(fold(text)):
        return
    if plain and not is_from_memory and not all(map(_DATUM.search, phrase.subjects)):
        return
    if plain and not re.match(r"(?:my|our)\b", text[plain.end() :], re.IGNORECASE) and not is_from_memory:
        return
    if _QUESTION.search(text) and begin["asked"] is None:
        return
    subjects = tuple(subject for subject in phrase.subjects if not subject_keys(subject).is_empty)
    if subjects:
        yield ForgetRequest(Reach.ABOUT, subjects, _to_the_person(text[begin.end() : phrase.end]))


_FROM_MEMORY = _pattern(rf"{_PLACE}{_TAIL}")
_ENDS = _pattern(rf"{_PLACE}?(?:{_TAIL}|,? (?:because|since|cause|cos|as|it)\b.*)")


def _to_the_person(words: str) -> str:
    """Return what somebody named as it is named to them: "my ex" as "your ex"."""
    return " ".join(_YOURS.get(word.lower(), word) for word in words.split()).rstrip(" .,!?")
