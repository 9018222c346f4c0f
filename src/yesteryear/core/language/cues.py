"""Commands in a person's own words: remember this, forget that.

English only. One table of verbs serves every form: a command to retain and a refusal to discard ask to remember, a
command to discard and a refusal to retain ask to forget. What a verb comes to is read from what stands right of it (is
it about memory at all) and left of it (is somebody told to, and is it refused). Nothing here decides what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from yesteryear.core.language.lexicon import fold, phrases
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences

_READ_CHARS = 2_000
"""Characters read at each end of somebody's own words: that is where a command stands in a long message."""
_REACH = 160
"""Characters read to the left of a verb."""
_SHORT_WORDS = 30
"""Most words of a message in which "delete it" can only mean what was just said."""


def asks_to_remember(text: str) -> bool:
    """Tell whether somebody asks, in their own words, that something be remembered.

    True for "remember that …", "don't forget …", "could you make a note of …", "next time I ask, tell me …". False for
    questions about memory ("do you remember?"), for what people say of themselves ("I'll never forget it"), and within
    quotations.
    """
    return any(
        _REMEMBER_IDIOMS.search(sentence) or _STANDING_ORDER.search(sentence) or _Wish.RETAIN in _wishes(sentence)
        for sentence in _own_sentences(text)
    )


def asks_to_forget(text: str) -> bool:
    """Tell whether somebody asks, in their own words, that something not be kept.

    True for "forget …", "don't save this", "off the record", "delete what I told you". False for corrections ("forget
    Rome, we fly to Oslo"), for what people say of themselves ("I never remember names"), and for work on other things
    ("delete the second row").
    """
    sentences = _own_sentences(text)
    whole = " ".join(sentences)
    if _CORRECTION.search(whole):
        return False
    wishes = {wish for sentence in sentences for wish in _wishes(sentence)}
    return (
        _Wish.DISCARD in wishes
        or (_Wish.DISCARD_THAT in wishes and len(whole.split()) <= _SHORT_WORDS)
        or any(_OFF_THE_RECORD.search(sentence) for sentence in sentences)
    )


def _own_sentences(text: str) -> list[str]:
    own, _ = own_words(text)
    if len(own) > 2 * _READ_CHARS:
        own = f"{own[:_READ_CHARS]}\n{own[-_READ_CHARS:]}"
    return split_sentences(fold(own))


class _Wish(Enum):
    """What a verb of memory comes to once refusal is taken in."""

    RETAIN = "retain"
    DISCARD = "discard"
    DISCARD_THAT = "discard that"
    """Drop what only a pronoun names: a memory, or the file just spoken of?"""


class _Verb(NamedTuple):
    """A row of the table: a family of verbs, and what must follow for them to be about memory."""

    base: str
    inflected: str
    """Participles and gerunds; their object stands before them, so nothing need follow."""
    rest: str = ""


def _either(*alternatives: str) -> str:
    return f"(?:{'|'.join(alternatives)})"


# Objects: where memories are kept, and how somebody points at what is to be kept.

_YOU = r"(?:you|u|ya)"
_PLACE = _either(
    r"(?:your|ur|my|our|the|any|long[- ]term)(?: \w+)? (?:memor(?:y|ies)(?: bank)?|notes?|notebook|records?|files)",
    r"(?:your|ur|my|our|the|any)(?: \w+)? (?:profile|logs?|vault|history|hard drive|brain|head|diary|database)",
    r"(?:your|ur)(?: \w+)? (?:file|list|mind|system|data|storage|end|books)",
    r"memory|file|record|paper",
    rf"(?:whatever|what|everything|anything|all)(?: \w+){{0,3}} {_YOU}(?:'ve| have)?(?: \w+)?"
    r" (?:know|remember|keep|kept|have|got|stored?|saved?|noted?|wrote|recorded|learn(?:ed|t))",
)
_IN_PLACE = rf"[^.?!]{{0,100}}? (?:in|into|on|onto|to|under|for|as part of) {_PLACE}\b"
_FROM_PLACE = rf"(?:[^.?!]{{0,100}}? (?:from|off|out of|in|on))? {_PLACE}\b"
_THAT = (
    r"(?: (?:all|any|both|some|most)(?: of)?)? (?:that|this|it|these|those|them|em|all|everything|the lot)(?: one)?"
    r"(?:\s*(?:$|[,;:.!?()–—-])|"
    r" (?:please|pls|plz|now|ok|okay|too|also|until|till?|somewhere|anywhere|safe|handy|away|forever|always|again|right"
    r"|all|completely|in there|from|about|because|cause|cos|so|that way|if you)\b"
    r"| for (?:me|us|later|good|next|future|the|when|my)\b)"
)
_THING = (
    r"(?: (?:the|this|that|these|those|a|one|another|only))?(?: \w+)? (?:following|lines?|bits?|points?|thoughts?"
    r"|facts?|details?|dates?|names?|titles?|numbers?|things?|info|information|preferences?|ideas?|rules?|moment)\b"
)
_SAID = _either(
    r" (?:what|whatever|everything|anything|something|all|that|the|this|those|every|any)\b[^.?!]{0,60}?"
    r" (?:i|we)(?:'ve|'d| have| had)?(?: \w+)? (?:said|told|mentioned|wrote|shared|sent|confessed|typed|gave|asked)",
    r" (?:the|that|this|those|these|my|all)(?: \w+){0,3} (?:part|bit|things?|stuff|stor(?:y|ies)|messages?|conversation"
    r"|chat|rant|details?|entry|entries|notes?|nickname|remarks?|comments?|sentence)"
    r" (?:about|on|where|when|with|regarding|concerning|i|from)\b",
    r" (?:everything|anything|all|whatever|what|stuff|things)(?: \w+){0,4} (?:about|on|regarding|concerning)\b",
)

_RETAIN = (
    _Verb(
        r"(?:remember|rmbr|rember|remeber|memori[sz]e|recall that|remind yourself)",
        r"(?:remember|memori[sz])(?:ed|ing)",
        r"(?! (?:me|when)\b)",
    ),
    _Verb(
        r"(?:make|take|keep|leave)",
        r"(?:made|making|taken|taking)(?: \w+){0,3} notes?",
        r"(?: \w+){0,3} (?:note|record|track|log)s?\b",
    ),
    _Verb(r"(?:note|jot)", r"(?:noted|noting|jotted|jotting)"),
    _Verb(r"(?:bear|keep|hold)", r"(?:borne|bearing)", r"[^.?!]{0,60}? in mind\b"),
    _Verb(r"(?:hold|hang|keep)", r"hanging", r"(?: (?:on to|onto|hold of)\b| (?:a|this) thought)"),
    _Verb(
        r"(?:write|put|get|take|set|mark|pop|slip|stick)",
        r"(?:written|writing)",
        r"(?:(?: (?:it|this|that|these|those|them|all|what|the)\b[^.?!,]{0,40})? (?:down|away|aside)\b"
        rf"|{_IN_PLACE})",
    ),
    _Verb(
        r"(?:save|store|log|record|retain|file|pin|bank|stash|register|archive|preserve|add|enter|commit|track|bookmark"
        r"|earmark|etch|engrave|carve|treasure|guard|squirrel|inscribe|document)",
        r"(?:sav|stor|logg|record|retain|fil|archiv|preserv|track)(?:ed|ing)",
        r"(?: (?:my|our|under|(?:this |that |it )?as|that|down|away|for|nothing|none of|is|are|\d+)\b|\s*(?:[:,.]|$)"
        rf"|{_THAT}|{_THING}|{_SAID}|{_IN_PLACE})",
    ),
    _Verb(
        r"(?:keep|lock|tuck|carry|hold)",
        r"(?:kept|keeping)",
        rf"(?: (?:for later|nothing|none of)\b|\s*$|{_THAT}|{_THING}|{_SAID}|{_IN_PLACE})",
    ),
    _Verb(r"remind me", r"reminding me", r"(?! (?:what|who|where|how|which|why|again)\b)"),
    _Verb(r"(?:know|learn)", r"(?:known|knew)", r"(?: (?:that|this|for good|permanently)\b|[,:])"),
)
"""What keeps something in mind; weak verbs only with an object that can be remembered."""

_DISCARD = (
    _Verb(r"forget", r"(?:forgotten|forgetting|forgot)", r"(?![^.?!]{0,40} for (?:a|one|now|the|just)\b)"),
    _Verb(
        r"un-?(?:save|note|learn|remember|log|record|store|know)",
        r"un-?(?:saved|noted|learned|logged|recorded|stored)",
    ),
    _Verb(
        r"(?:delete|erase|wipe|scrub|remove|purge|clear|drop|discard|bin|trash|scrap|lose|redact|expunge|retract|ditch"
        r"|destroy|strike|cut|shred|burn|bury|unsend|unsay|banish|obliterate|dump|take|get rid of|throw (?:out|away)"
        r"|cross out|let go of)",
        r"(?:delet|eras|wip|scrubb|remov|purg|clear|dropp|discard|shredd|scrapp)(?:ed|ing)",
        rf"(?:{_SAID}|{_FROM_PLACE}| after reading"
        rf"|(?P<that>{_THAT}| (?:it|that|this|them|those)(?: \w+)? (?:out|off|down|away|back)\b))",
    ),
    _Verb(r"let", r"letting", r"(?P<go> (?:it|that|this|them) go\b)"),
)
"""What drops something from mind."""


def _bases(verbs: tuple[_Verb, ...]) -> str:
    return _either(*(rf"{verb.base}\b{verb.rest}" for verb in verbs))


def _inflected(verbs: tuple[_Verb, ...]) -> str:
    return _either(*(verb.inflected for verb in verbs))


_VERBS = re.compile(
    rf"\b(?:(?P<retain>{_bases(_RETAIN)})|(?P<discard>{_bases(_DISCARD)})"
    rf"|(?P<retained>{_inflected(_RETAIN)})\b|(?P<discarded>{_inflected(_DISCARD)})\b)"
)

# Governors: the words left of a verb, within its clause, that make it a command or a wish.

_CLAUSE_BREAK = re.compile(r"[,;:.()–—!?]|\s-+\s|\b(?:because|cause|cos)\b")
_NOT = r"(?:don't|dont|didn't|not|never|needn't|stop|quit|avoid|refrain from|mustn't|shouldn't)"
_SOFTENER = _either(
    _NOT,
    r"please|pls|plz|kindly|just|also|ok|okay|hey|hi|yo|hello|oh|well|now|right|actually|always|first|quick|quickly",
    r"btw|maybe|then|wait|no+|yes|yeah|sorry|omg|again|once more|this time|next time|thanks|better|at least|ever",
    r"really|still|already|simply|even|and|but|so|or|lol|haha|ah|um|let (?:me|us|it|this|that|anyone)|go ahead and",
    r"try to|be sure to|make sure to|have to|need to|you dare|dare|bother to|do",
)
_SOFTENERS = rf"(?:{_SOFTENER}\s+)*"
"""Each word can be read in one way only, or the search would try all combinations."""
_OUGHT = rf"(?:should|must|need to|have to|ought to|better|can|do not|{_NOT})"
_WISHED = r"(?:want|need|prefer|like|love|rather)\b"
_NOTHING = r"(?:nothing|none|no|not (?:a|one))"
_MUST = r"(?:should|must|needs? to|(?:is|are|has|have|ought) to)"
_ASKED = r"(?:want|need|like|love|prefer|ask|beg|trust|expect|wish|rather|hope|if|sure|ensure|way|chance|button|so)"
_UNASKED = r"(?<!do )(?<!did )(?<!have )"


def _endings(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(f"(?:{pattern})$") for pattern in patterns)


_COMMANDS = _endings(
    rf"(?:^|\b(?:so|but|then|please|pls|plz|and (?:don't|dont|do not))\b)\s*{_SOFTENERS}",
    rf"\b(?:can|could|would|will|may|might|must|should) {_YOU}(?: mind)?\s+{_SOFTENERS}",
    rf"(?:\b{_NOT} )?\b{_ASKED}(?: it)?(?: if| that)? {_YOU}(?:'d| would| could| can| to| 2)*\s+{_SOFTENERS}",
    rf"{_UNASKED}\b{_YOU}(?:'re to| are to)\s+{_SOFTENERS}",
    rf"{_UNASKED}\b{_YOU}(?:'d|'ll| will)? {_OUGHT}\s+{_SOFTENERS}",
    rf"\b(?:possible|able|way|sure)(?: for {_YOU})? to\s+{_SOFTENERS}",
    rf"\b(?:can|could|would|will|please|pls)\b[^?]*\band\s+{_SOFTENERS}",
)
_PASSIVE_WISHES = _endings(
    rf"\b(?:i|we)(?:'d|'ll| would| do)?(?: {_NOT}| really| just| also| only)* {_WISHED}(?! to (?:be|get)\b).{{1,80}}",
    rf"\b(?:{_NOTHING}\b.{{1,80}})?{_MUST}(?:n't| not)? (?:be|get)\s+(?:\w+\s+)?",
    r"\bif (?:it|this|that) (?:were|was|could be)\s+(?:\w+\s+)?",
    r"\b(?:can|could|would|let) .{1,60} be\s+(?:\w+\s+)?",
    rf"\b(?:(?:help|like it|grateful|glad|obliged|appreciate it) if|rather|prefer)(?: that)? {_YOU}\s+{_SOFTENERS}",
    rf"(?:^|\b(?:please|pls|so|and|but)\b)\s*{_SOFTENERS}{_NOT}\s+",
    rf"\bmind\s+{_SOFTENERS}",
)
_REFUSED = re.compile(rf"\b(?:{_NOT}|nothing|none|no (?:need|notes?|part|word|record|mention|trace))\b|n't\b")
_POLITE = re.compile(rf"\b(?:(?:can|could|would|will) {_YOU}|for me|for (?:next|later)|please|pls|ok)\b")
_WHETHER = re.compile(r" (?:if|whether|who|what|when|where|why|how|which|exactly|names|much)\b")
"""What follows "don't remember" where an "I" was left out."""

# Commands that need no verb of the table. Entries are divided by white space, ``_`` stands for a space.

_WHERE = _PLACE.replace(" ", "_")

_REMEMBER_IDIOMS = phrases(
    rf"""
    for_(?:the|your|my|our|ur|future)_(?:records?|files?|notes|vault|logs?|archives?|books|diary|memory) for_posterity
    for_(?:future|later|next)_(?:reference|use|conversations|chats|time)(?!.*\?) one_for_the_(?:books?|records?|vault)
    for_when_(?:we|i) for_(?:our|the)_next_(?:session|chat|talk) be_my_memory mental_note log_entry future_(?:me|{_YOU})
    (?:note|memo|sos|message|reminder)_(?:to|for)_(?:self|me|you|future|later) set_(?:it_|this_|that_)?in_stone
    (?:make|be)_sure_(?:this|that|it)(?:_one)?_(?:sticks|stays) make_(?:this|that|it)(?:_one)?_stick in_case_i_forget
    (?:have|want|get|need|like|keep)_(?:this|that|it)(?:_\w+)?_(?:on|in|into|down_on)_{_WHERE}
    let_(?:it|this)_be_(?:known|recorded|noted) let_the_record_show slip(?:ping)?_(?:through_the_cracks|your_mind)
    (?:this|that|it)(?:_one)?(?:_is|'s)_worth_(?:keep|remember|not|sav)ing
    (?:to|must|should)_(?:stay|remain|be)_with_{_YOU}
    so_(?:that_)?(?:this|it|that)_(?:doesn't|won't)_(?:get_lost|slip) so_{_YOU}_know on_(?:paper|record)_that
    (?:one_of_us|{_YOU})_(?:knows|remembers|won't_forget)
    """
)
_STANDING_ORDER = re.compile(
    r"\b(?:next time|whenever|(?:every|each|any) ?time|if (?:i|we) ever|when(?: \w+){1,8} (?:next|again|back)"
    r"|when i come|from (?:now|here) on|going forward|in (?:the )?future|as of (?:now|today))\b"
    rf"(?:[^?!]{{0,160}}?(?:[,;:]|\b(?:please|then|{_YOU}(?:'re| are| should| must)?(?: to)?)))?\s+{_SOFTENERS}"
    r"(?:tell me|ask (?:me|him|her|them)|remind|call (?:me|him|her|them)|bring (?:it|this|that)? ?up|mention|warn me"
    r"|know|assume|correct me|use|check|start|stop|skip|give me|show me|answer|speak|write|reply|address|treat)\b"
)
"""What is to be done not now but on every later occasion, which only memory can do."""
_OFF_THE_RECORD = phrases(
    rf"""
    off_the_record for_your_ears_only (?:this|that|it)_(?:stays|dies|ends)_(?:here|in_this) delete,?_delete
    {_YOU}_(?:never|didn't)_(?:hear|heard|see|saw|read)_(?:this|that|any)
    no_(?:record|trace|notes?|logs?)_(?:of|on|about)_(?:this|that|it|any|what)
    none_of_(?:this|that|it)_(?:happened|leaves|goes)
    (?:not|isn't|aren't)(?:_\w+){{0,2}}_(?:for|in|into|on|to)_{_WHERE}
    (?:stay|keep|leave)s?(?:_[^.?!,]{{1,60}}?)?_(?:out_of|off|away_from)_{_WHERE}
    (?:this|that|it|conversation|chat|talk)_never_happened
    (?:as_if|like|pretend)(?:_that)?_(?:i|we|it)(?:'d|_had)?_(?:never|didn't|hadn't)(?:_\w+)?_(?:sa(?:id|y)|told|tell)
    (?:not|isn't|never)_(?:meant_)?(?:for|to_be)_(?:storing|keeping|saving|remembering|the_record)
    (?:ha(?:s|ve)_to|needs_to|must|should|want_(?:it|this|that)_to)_(?:disappear|vanish|be_gone|leave_{_WHERE})
    (?:don't|dont|do_not|wouldn't|never)_want_[^.?!]{{1,80}}_(?:to_exist|brought_up|coming_up|(?:in|on)_{_WHERE})
    """
)
_CORRECTION = re.compile(
    r"\bforget\b[^.?!]{0,80}?[,;:.–—!-]+\s*(?:and |so |but |actually |instead |ok |now )*"
    r"(?:(?:i|we|she|he|they|it|there)(?:'(?:re|m|ll|s|ve|d))?"
    r" (?!was|were|should|did|don't|do not|isn't|not|only|never|just|mean)\w"
    r"|let's\b|lets\b|go (?:with|for)\b|make (?:it|that)\b|use\b|try\b|the new\b)"
)
"""Forget one thing, for another holds: news, not a command."""


def _wishes(sentence: str) -> Iterator[_Wish]:
    """Yield what each verb of memory in a sentence comes to, for those that somebody commands or wishes."""
    for found in _VERBS.finditer(sentence):
        left = _CLAUSE_BREAK.split(sentence[max(0, found.start() - _REACH) : found.start()])[-1]
        is_passive = found["retained"] is not None or found["discarded"] is not None
        governor = _governor(left, _PASSIVE_WISHES if is_passive else _COMMANDS)
        if governor is None or _only_speaks_of_memory(sentence, found, governor):
            continue
        is_refused = bool(_REFUSED.search(governor)) or (not is_passive and bool(_REFUSED.search(found[0])))
        retains = found["retain"] is not None or found["retained"] is not None
        if retains is not is_refused:
            yield _Wish.RETAIN
        else:
            yield _Wish.DISCARD_THAT if found["that"] or found["go"] else _Wish.DISCARD


def _governor(left: str, governors: tuple[re.Pattern[str], ...]) -> str | None:
    """Return the longest end of ``left`` that turns the verb after it into a command, or None."""
    matches = [match[0] for governor in governors if (match := governor.search(left))]
    return max(matches, key=len, default=None)


def _only_speaks_of_memory(sentence: str, found: re.Match[str], governor: str) -> bool:
    """Tell "remember the two of us?" and "don't remember if I said" from commands."""
    if found[0] != "remember" or sentence.startswith((" that", " this", ":"), found.end()):
        return False
    is_question = sentence.endswith("?") and not _POLITE.search(sentence, found.end())
    return is_question or bool(_REFUSED.search(governor) and _WHETHER.match(sentence, found.end()))
