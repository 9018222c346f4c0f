"""What somebody asks to have forgotten: the message itself, the last one, a subject, or everything.

English only. Reads texts on which ``asks_to_forget`` is true and says how far back the request reaches; nothing here
erases. Every doubt ends on the side that destroys less: an idiom ("forget it"), a mere question ("do you forget me?"),
a condition ("once we are done") or an exception ("all but my name") reaches no further than the message itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum

from yesteryear.core.language.cues import asks_to_forget
from yesteryear.core.language.lexicon import DATE, FILLERS, fold
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.subjects import Phrase, SubjectKeys, plain_marks, read_phrase, speaks_of, subject_keys
from yesteryear.core.language.tokens import STOP_WORDS, words
from yesteryear.core.language.values import has_value

__all__ = ["ForgetRequest", "Reach", "SubjectKeys", "read_forget_requests", "speaks_of", "subject_keys"]

_READ_CHARS = 2_000
"""Characters read at each end of somebody's own words, as ``asks_to_forget`` does."""
_LITTLE_SAID = 1
"""Most content words before "delete that" with which "that" cannot be what the message says itself."""
_VALUE_CHARS = 24
"""Most characters behind "it's" in which the value of a correction stands."""


class Reach(StrEnum):
    """How far back a request to forget reaches."""

    THIS = "this"
    """The message itself is not to be kept; nothing reaches back."""
    LAST = "last"
    """Also what was said just before."""
    ABOUT = "about"
    """Everything said about a subject."""
    ALL = "all"
    """Everything there is."""


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """One thing that somebody asks to have forgotten."""

    reach: Reach
    subject: str = ""
    """With ``ABOUT`` what it is about, in the person's words without determiners; else empty."""


def read_forget_requests(text: str) -> tuple[ForgetRequest, ...]:
    """Return what somebody asks to have forgotten, each thing once.

    ``ALL`` stands alone, and so does ``THIS``: a request that reaches back takes the message that makes it along.
    Where the subject is only a pronoun, the other words tell: "forget what I said about him" is ``LAST``, "forget
    about it" is ``THIS``. Other days have no reach of their own: "what I said about Laura yesterday" is ``THIS``.

    Returns:
        Nothing for a text on which ``asks_to_forget`` is false, and for a correction ("forget what I said about
        Tuesday, it's Wednesday"): there a new value takes the place of the old one, and both have to be kept.
    """
    if not asks_to_forget(text):
        return ()
    own, _ = own_words(text)
    if len(own) > 2 * _READ_CHARS:
        own = f"{own[:_READ_CHARS]}\n{own[-_READ_CHARS:]}"
    sentences = split_sentences(plain_marks(own))
    found: dict[ForgetRequest, None] = {}
    for place, sentence in enumerate(sentences):
        said = _Said(sentence, " ".join(sentences[:place]), " ".join(sentences[place + 1 :]))
        found.update(dict.fromkeys(_read(said)))
    if _ALL in found:
        return (_ALL,)
    return tuple(asked for asked in found if asked != _THIS) or tuple(found)


_THIS = ForgetRequest(Reach.THIS)
_LAST = ForgetRequest(Reach.LAST)
_ALL = ForgetRequest(Reach.ALL)


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence, and what stands before and after it."""

    text: str
    before: str
    after: str


class _Verb(Enum):
    """What is asked of an object."""

    DROP = "drop"
    KEEP_NO_LONGER = "keep no longer"
    NOT_KEEP = "not keep"
    """Which may speak of this message alone."""


def _pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern for a person's own spelling: capitals tell names, so nothing is folded."""
    return re.compile(text, re.IGNORECASE)


_DROP = (
    r"(?:forget(?:ting)?|delet(?:e|ing)|eras(?:e|ing)|wip(?:e|ing)|scrub|remov(?:e|ing)|purg(?:e|ing)|clear(?: out)?"
    r"|drop|discard|bin|trash|scrap|lose|get(?:ting)? rid of|strike|ditch|destroy|bury|dump|expunge|redact|let go of"
    r"|throw (?:out|away)|un-?(?:learn|know|remember|save|note|store|record|hear|say))"
)
_KEEP = (
    r"(?:remember|keep|store|save|record|log|note|retain|know|hold|hang|have|track"
    r"|(?:remember|keep|stor|sav|record|logg|not|retain|know|hold|hang|track)ing)"
    r"(?: (?:a note|notes|track|on|onto))?(?: (?:of|to))?"
)
_DROPPED = r"(?:forgotten|deleted|erased|wiped|removed|purged|scrubbed|discarded|gone|binned)"
_KEPT = r"(?:remembered|kept|stored|saved|recorded|logged|noted|retained|held)"
_TOLD = r"(?:said|told|mentioned|wrote|written|shared|sent|confessed|typed|asked|gave|given)"
_KNOW = r"(?:know|remember|have|got|keep|kept|stored?|saved?|noted?|recorded|learn(?:ed|t)|collected|hold)"
_I = r"(?:i|we)(?:'ve|'d| have| had)?"
_YOU = r"(?:you|u)(?:'ve| have)?"
_OF = r"(?:about|abt|regarding|concerning|re|on(?! (?:the )?\d| \w+day\b))"
_MEMORY = (
    r"(?:(?:your|ur|my|the|any|long[- ]term)(?: \w+)? (?:memor(?:y|ies)|notes?|records?|files?|profile|logs?|history"
    r"|database|head|mind|system|books?|storage|brain|list)|memory|record"
    r"|(?:what|all|everything|whatever)[^,.]{0,20} you(?:'ve| have)? \w+)"
)
_WHOLE = r"(?:everything|every (?:single |last )?(?:thing|word|bit)|all|anything|what(?:ever)?)"
_PART = r"(?:the|that|this|those|these|all|my|our)(?: (?!my\b|our\b|the\b)\w+){0,2}?"
_STUFF = r"(?:bits?|parts?|things?|stuff|stor(?:y|ies)|notes?|details?|business)"
_TALK = r"(?:conversation|chat|talk|rant|messages?|comments?|remarks?|entr(?:y|ies)|memor(?:y|ies))"
_YOURS = r"(?:(?:all )?(?:of )?(?:your|the|my)(?: \w+)? (?:data|notes?|info\w*|profile|records?|memor(?:y|ies)))"
_MIND = r"your (?:whole |entire |complete )?memor(?:y|ies)"
_CLOSING = (
    r"(?=(?: (?:please|pls|plz|completely|entirely|totally|altogether|permanently|forever|now|thanks?|thx"
    r"|at (?:all|once)|for good|immediately|right (?:now|away)|asap|any ?more|any longer"
    rf"|(?:from|off|out of|in) {_MEMORY}))*"
    rf"(?:\s*(?:$|[^\w\s])| (?:(?:must|should|has to|have to|needs? to|can|could|to) )?(?:be )?{_DROPPED}\b"
    rf"| and (?:please |also )?{_DROP}\b))"
)
"""What may follow a request for everything; any other word may narrow it or make it an idiom."""
_OBJECT = _pattern(
    rf"\b(?:(?P<everything>(?:(?:{_WHOLE}|{_YOURS})(?:(?: that)? {_YOU}(?: \w+)? {_KNOW})? (?:about|of|on) me"
    rf"|{_WHOLE}(?: that)? i(?:'ve| have) ever {_TOLD}(?: (?:you|u))?|(?:all )?(?:of )?{_MIND}|all memories){_CLOSING})"
    rf"|(?P<known>{_WHOLE}(?: that)? {_YOU}(?: \w+)? {_KNOW}{_CLOSING})"
    r"|(?<=forget )(?P<self>(?:me|who i am|(?:that )?(?:i (?:ever )?exist(?:ed)?|you (?:ever )?(?:knew|met) me))"
    r"(?=(?:,? (?:please|completely|entirely|forever|now))*[.! ]*$))"
    rf"|(?P<said>(?:{_WHOLE}|that|the \w+)(?: \w+){{0,3}}? {_I}(?: \w+)? {_TOLD}(?: (?!i\b)\w+){{0,3}}? {_OF} )"
    rf"|(?P<held>{_WHOLE}(?: \w+){{0,2}}? {_YOU}(?: \w+)? {_KNOW}(?: \w+){{0,2}}? (?:{_OF}|of) |{_MIND} (?:of|about) )"
    rf"|(?P<loose>{_WHOLE}(?: (?:of )?(?:the )?(?:{_STUFF}|data|info\w*))? (?:to do with|related to|{_OF}) "
    rf"|{_PART} {_STUFF}(?: \w+)? (?:{_OF}|with) |{_PART} {_TALK} {_OF} |(?:all|any|every) (?:mentions?|trace) of )"
    r"|(?P<named>(?:the|that|my) (?=(?:[\w']+ ){1,2}(?:thing|stuff|business|story)\b)))"
)
"""What a request may be about: everything, or something whose subject begins where the match ends."""
_EVERYTHING = ("everything", "known", "self")
_MENTIONED = _pattern(
    rf"\b(?:forget|pretend|as if|like|say)(?: that)? {_I}(?: (?:ever|never|just|even|once|didn't|hadn't)){{0,2}}"
    r" (?:mention(?:ed)? |br(?:ing|ought) up |(?:told|tell|said|say|talked|talk|spoke)(?: \w+){0,2}? (?:about|of|abt) "
    r"|(?:told|gave|sent) (?:you|u) (?=(?:my|our) ))"
)
_BARE = _pattern(
    rf"\b(?:(?:{_DROP}|take|get) (?!(?:that|it|this|those|them)(?: back| all)? (?:from|off|out of|in)\b)"
    rf"(?=[^.,;!?]{{1,60}} (?:from|off|out of|in) {_MEMORY}\b)"
    r"|(?P<mine>forget(?:ting)? (?=(?:my|our) ))|un-?(?:learn|know|remember)\w* "
    rf"|(?:want|need|like|love) {_YOU} to (?:please |just |now )?forget(?: about)? (?=(?-i:[A-Z][a-z]))"
    rf"|(?:want|need|like|love) {_YOU} to (?:please |just |now )?forget about (?=(?:my|our) )"
    rf"|{_KEEP} (?=[^.,;!?]{{1,60}} any ?(?:more|longer)\b)"
    r"|(?:stop|quit|no longer) (?:remember|know|keep(?:ing)? track of|hold(?:ing)? on to)(?:ing)? )"
)
"""Verbs of memory with a bare noun behind them: what is dropped, or kept no longer."""
_DATUM = _pattern(
    r"\b(?:names?|age|address(?:es)?|numbers?|birthday|password|pin|salary|income|weight|height|diagnosis|details|e-?mail)$"
)
"""Ends what nobody would call off, so that "forget my …" can only mean memory."""
_CALLED_OFF = _pattern(
    r"(?:last|latest|previous|first|questions?|ideas?|suggestion|request|point|answer|reply|comment|remark|joke|messages?"
    r"|orders?|words|emails?|drafts?)\b"
)
"""What "forget my …" calls off rather than forgets."""
_WORKPIECE = _pattern(
    r" (?:from|in|of|out of|on) (?:the|this|that|my|our) (?:\w+ )?(?:essay|text|e?-?mail|letter|document|draft|post"
    r"|article|report|slide|code|table|folder|cv|resume|speech|presentation|page|paragraph|song|poem|novel)s?\b"
)
"""What people work on; to delete a part of it is no matter of memory."""

_THIS_TALK = _pattern(r"(?:\w+ )?(?:conversation|chat|talk|discussion|session|thread|message|comment|remark)s?$")
"""A subject that is what was just said."""

# How a verb is asked of an object: before it, behind it, or in the next clause.

_BREAK = _pattern(r"[,;:.!?()–—]+(?=\s|$)|\s-+\s|\bbut\b")
_NO_LONGER = _pattern(r"\b(?:any ?more|any longer|no longer|(?:stop|quit) (?:remember|know|keep|hold)ing)\b")
_PARTICLES = r"(?: (?:about|out|away|please|pls|also|too|now|just|that))*"
_ENDS_IN_DROP = _pattern(rf"\b{_DROP}{_PARTICLES}(?: (?:from|out of|off) {_MEMORY})?\s*$")
_ENDS_IN_KEEP = _pattern(rf"\b{_KEEP}{_PARTICLES}\s*$")
_UNMEANT = _pattern(
    r"\b(?:let me|let us|let's|lets|(?:if|so|hope|expect) (?:you|u)|(?:says|said|told|writes|wrote|asks|called):"
    rf"|(?:never|don't|dont|not)(?:[\s,]+(?:ever|please|pls|you|dare|just))*,?)\s+{_DROP}\b"
)
"""What drops nothing, although it sounds like a command."""
_PASSIVE = _pattern(rf"\b(?:(?P<dropped>{_DROPPED})|{_KEPT})\b")
_AND = _pattern(r"\band (?:please |pls |also )?$")
_THAT = _pattern(r"\b(?:it|that|this|them|those|all of)\b")
_ENDS_IN_FORGET = _pattern(r"\bforget(?:ting)? $")
_TAKES_BACK = _pattern(r"\b(?:scrap|drop|ditch) $")
"""With "what I said" these take a statement back, which erases nothing."""
_OWN = _pattern(r"(?:my|our)\b")

# Questions, conditions, exceptions, corrections.

_QUESTION = _pattern(r"\?\W*$")
_TAG = _pattern(r"[, ](?:ok(?:ay)?|(?:will|would|could|can) you|please|pls|yes|right|deal|alright)\W*$")
_INTERROGATIVE = _pattern(
    r"(?:(?:and|so|but|hey|ok|okay|wait)[ ,]+)*(?:how|what(?! (?:i|we|you)\b)|why|when|where|who|which|do|does|did|is"
    r"|are|was|were|has|have|had|should|may|must|am)\b"
)
_CAN_YOU = _pattern(r"\bcan (?:you|u)\b")
_POLITE = _pattern(r"\b(?:(?:could|would) (?:you|u)|please|pls|plz|kindly|mind)\b")
_WISH = _pattern(r"\b(?:want|need|like|love) (?:you|u)\b")
_CONDITION = _pattern(
    r"(?:^|[,;:.]\s*|\b(?:and|but|so) )(?:once|when|whenever|as soon as|after|in case|unless"
    r"|if (?!possible|you (?:can|could|don't mind|would|please)|(?:it|that)(?:'s| is) (?:ok|possible)))\b"
    r"|\b(?:once|as soon as|unless|after (?:this|that|we|you|i)|if (?:i|we|it|he|she|they|any\w+))\b"
    r"|\bwhen(?:ever)? (?:i|we|you|it)(?:'re|'m|'s| are| am| is| leave| close| finish| die| log)\b"
)
_EXCEPTION = _pattern(
    r"\b(?:except|excluding|besides|unless|(?:other|rather) than|(?:apart|aside) from|save for|but not"
    r"|(?:but|just|only) (?:keep|leave|remember)|keep (?:the|my|only))\b"
)
_NEW_VALUE = _pattern(
    rf"\b{_TOLD}\b[^;.!?]*?[,;:.!–—-]+\s*(?:(?:no|sorry|well|and|but|so)[, ]+)*"
    rf"(?:(?:it|that|they|these)(?:'s|'re|'ll be| is| are| will be)(?P<value>[^.,;!?]{{1,{_VALUE_CHARS}}})"
    r"|(?:i|we)(?:'(?:re|m|ve|ll))? (?P<plan>(?:are |am )?going (?:to|with|for)|decided|booked|chose|picked))"
)
_REPLACED = _pattern(r"\s(?:actually|now|instead|rather|really)\b|.*\bwho\b")

# What points back without a subject.

_JUST_SAID = _pattern(
    rf"(?:^|\b(?:{_DROP}|{_KEEP}|pretend|as if|like|treat|nothing|none of|word of))"
    rf"(?: ?\b(?:that|of|{_WHOLE}|the|which|thing|last|bit|very|part))* ?\b{_I}(?: \w+)?"
    rf" (?:{_TOLD}|(?<=n't )(?:say|tell))\b(?!(?: \w+)? {_OF} | (?:him|her|them|my|our|to (?!you))\b)"
    r"|\b(?:last|previous|preceding)(?: \w+){0,2} (?:message|thing|remark|comment|bit|sentence|line|part|text)s?\b"
    rf"|\b(?:messages?|bit|part) above\b|\b{_DROP} (?:this|our) (?:\w+ )?(?:conversation|chat|talk)\b"
)
_DROP_THAT = _pattern(
    rf"\b(?:(?!forget){_DROP}|take|(?:please|pls|(?:can|could|would) you|(?:want|need|like) you to) forget(?= that\b))"
    r"(?: (?:all|any|both)(?: of)?)? (?:that|it|those|them)\b"
)
_EARLIER = _pattern(r"\b(?:told (?:you|u)|(?:said|say|wrote) (?:that|it|too)|sent|typed|pasted|shared|mentioned)\b")
_LONG_AGO = _pattern(r"\b(?:hours?|days?|weeks?|months?|years?) ago\b|\bthe other day\b")


def _read(said: _Said) -> list[ForgetRequest]:
    """Return what one sentence asks, and nothing where it corrects."""
    asks = asks_to_forget(said.text)
    if asks and (_only_asks(said.text) or _CONDITION.search(said.text) or _UNMEANT.search(said.text)):
        return [_THIS]
    if asks and _corrects(f"{said.text} {said.after}"):
        return []
    found = [*_objects(said), *_bare(said.text)]
    if found:
        is_doubtful = _EXCEPTION.search(f"{said.text} {said.after}") or _WORKPIECE.search(said.text)
        return [_THIS] if is_doubtful else found
    return [_LAST if _points_back(said) else _THIS] if asks else []


def _only_asks(sentence: str) -> bool:
    """Tell whether a sentence is a question that is no polite command."""
    if not _QUESTION.search(sentence) or _TAG.search(sentence):
        return False
    return bool(_INTERROGATIVE.match(sentence)) or not (_POLITE.search(sentence) or _CAN_YOU.search(sentence))


def _corrects(text: str) -> bool:
    """Tell whether what was said gets another value."""
    found = _NEW_VALUE.search(text)
    if found is None:
        return False
    return found["plan"] is not None or has_value(found["value"]) or _REPLACED.match(found["value"]) is not None


def _objects(said: _Said) -> Iterator[ForgetRequest]:
    """Yield the requests about what is pointed at as said, known or kept."""
    text = said.text
    for found in _OBJECT.finditer(text):
        is_whole = found.lastgroup in _EVERYTHING
        phrase = Phrase((), found.end()) if is_whole else read_phrase(text, found.end())
        verb = _asked(said, found.start(), phrase.end)
        if verb is None:
            continue
        if is_whole:
            yield _ALL if _means_everything(text, found, verb) else _THIS
        elif _is_dated(found[0]) or _is_dated(text[phrase.end : _clause_end(text, phrase.end)]):
            yield _THIS
        else:
            yield from _about(text, found, phrase, verb)
    for found in _MENTIONED.finditer(text):
        phrase = read_phrase(text, found.end())
        if _is_commanded(text, found.start(), found.end(), phrase.end):
            yield from _abouts(phrase) or [_LAST]


def _means_everything(text: str, found: re.Match[str], verb: _Verb) -> bool:
    """Tell a request for everything from what only may be one: "can you …?", "forget all you know"."""
    if verb is _Verb.NOT_KEEP or (found["known"] and _ENDS_IN_FORGET.search(text[: found.start()])):
        return False
    return not _QUESTION.search(text) or (not found["self"] and bool(_POLITE.search(text) or _TAG.search(text)))


def _about(text: str, found: re.Match[str], phrase: Phrase, verb: _Verb) -> list[ForgetRequest]:
    """Return the requests about the subjects of an object, or what is left of them in doubt."""
    before = text[: found.start()]
    if found["said"]:
        return [_THIS] if _TAKES_BACK.search(before) else _abouts(phrase) or [_LAST]
    if found["held"] and _ENDS_IN_FORGET.search(before) and not _OWN.match(text, found.end()):
        # "forget all you know about pasta" opens a recipe
        return _abouts(phrase) if _asks_nicely(before) else [_THIS]
    if verb is _Verb.NOT_KEEP and not found["held"]:
        return [_THIS]
    if found["named"] and all(subject_keys(subject).is_empty for subject in phrase.subjects):
        return []
    return _abouts(phrase) or [_THIS]


def _abouts(phrase: Phrase) -> list[ForgetRequest]:
    return [_LAST if _THIS_TALK.match(subject) else ForgetRequest(Reach.ABOUT, subject) for subject in phrase.subjects]


def _asked(said: _Said, start: int, end: int) -> _Verb | None:
    """Return what is asked of the object between two places of a sentence, if anything is."""
    text = said.text
    begin, close = _clause_start(text, start), _clause_end(text, end)
    lead, rest = text[begin:start], text[end:close]
    if drop := _ENDS_IN_DROP.search(lead):
        return _Verb.DROP if _is_commanded(text, begin + drop.start(), start, end) else None
    if keep := _ENDS_IN_KEEP.search(lead):
        verb = _Verb.KEEP_NO_LONGER if _NO_LONGER.search(text, begin, close) else _Verb.NOT_KEEP
        return verb if _is_commanded(text, begin + keep.start(), start, end) else None
    if passive := _PASSIVE.search(rest):
        verb = _Verb.DROP if passive["dropped"] else _Verb.NOT_KEEP
        return verb if asks_to_forget(f"{lead}that{rest}") and not asks_to_forget(lead) else None
    following = re.split(r"[.!?;:]\s", text[close:].lstrip(" ,;:–—-") or said.after)[0]
    is_named_before = not (lead + rest).strip() and _THAT.search(following) is not None and asks_to_forget(following)
    return _Verb.DROP if is_named_before else None


def _is_commanded(text: str, start: int, end: int, close: int) -> bool:
    """Tell whether it is the verb between two places that asks: "between us, I want to forget her" only tells."""
    begin = _clause_start(text, start)
    if _AND.search(text, begin, start) and asks_to_forget(text[begin:start]):
        begin = start
    return any(
        asks_to_forget(text[begin:stop]) and not asks_to_forget(text[begin:start] + text[end:stop])
        for stop in (close, _clause_end(text, close))
    )


def _clause_start(text: str, place: int) -> int:
    return max((found.end() for found in _BREAK.finditer(text, 0, place)), default=0)


def _clause_end(text: str, place: int) -> int:
    found = _BREAK.search(text, place)
    return found.start() if found else len(text)


def _bare(text: str) -> Iterator[ForgetRequest]:
    """Yield the requests that name their subject right behind the verb."""
    for found in _BARE.finditer(text):
        phrase = read_phrase(text, found.end())
        if _OBJECT.match(text, found.end()) or (found["mine"] and not _is_meant(text[: found.end()], phrase)):
            continue
        if _is_commanded(text, found.start(), found.end(), phrase.end):
            yield from _abouts(phrase)


def _is_meant(before: str, phrase: Phrase) -> bool:
    """Tell "forget my address" and "please forget my trip" from "forget my trip, how was yours?"."""
    is_nice = _asks_nicely(before)
    return all(_DATUM.search(subject) or (is_nice and not _CALLED_OFF.match(subject)) for subject in phrase.subjects)


def _asks_nicely(text: str) -> bool:
    return any(form.search(text) for form in (_POLITE, _CAN_YOU, _WISH))


def _points_back(said: _Said) -> bool:
    """Tell whether a sentence without a subject speaks of what was just said."""
    if _is_dated(said.text):
        return False
    if _JUST_SAID.search(said.text):
        return True
    found = _DROP_THAT.search(said.text)
    if found is None:
        return False
    before = f"{said.before} {said.text[: _clause_start(said.text, found.start())]}"
    content = [word for word in words(before) if word not in STOP_WORDS and word not in FILLERS]
    return len(content) <= _LITTLE_SAID or (_EARLIER.search(before) is not None and not _is_dated(before))


def _is_dated(text: str) -> bool:
    """Tell whether a text speaks of another time than just now."""
    return DATE.search(fold(text)) is not None or _LONG_AGO.search(text) is not None
