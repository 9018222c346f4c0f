"""Commands in a person's own words to remember something; what asks to forget stands in ``forgetting``.

English only. One table of verbs serves every form: a command to retain and a refusal to discard ask to remember. What a
verb comes to is read from what stands right of it (is it about memory at all) and left of it (is somebody told to, and
is it refused). Nothing here decides what follows.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from yesteryear.core.language.lexicon import fold, phrases
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences

_READ_CHARS = 2_000
"""Characters read at each end of somebody's own words: that is where a command stands in a long message."""
_REACH = 160
"""Characters read to the left of a verb."""


def asks_to_remember(text: str) -> bool:
    """Tell whether somebody asks, in their own words, that something be remembered.

    True for "remember that …", "don't forget …", "could you make a note of …", "next time I ask, tell me …". False for
    questions about memory ("do you remember?"), for what people say of themselves ("I'll never forget it"), and within
    quotations.
    """
    return any(
        any(form.search(sentence) for form in (_REMEMBER_IDIOMS, _STANDING_ORDER, _LATER_QUESTION))
        or _asks_to_retain(sentence)
        for sentence in _own_sentences(text)
    )


def _own_sentences(text: str) -> list[str]:
    own, _ = own_words(text)
    if len(own) > 2 * _READ_CHARS:
        own = f"{own[:_READ_CHARS]}\n{own[-_READ_CHARS:]}"
    return split_sentences(fold(own))


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
_KNOWN = (
    rf"(?:whatever|what|everything|anything|all)(?: \w+){{0,3}} {_YOU}(?:'ve| have)?(?: \w+)?"
    r" (?:know|remember|keep|kept|have|got|stored?|saved?|noted?|wrote|recorded|learn(?:ed|t))"
)
_PLACE = _either(
    r"(?:your|ur|my|our|the|any|long[- ]term)(?: \w+)? (?:memor(?:y|ies)(?: bank)?|notes?|notebook|records?|files)",
    r"(?:your|ur|my|our|the|any)(?: \w+)? (?:profile|logs?|vault|history|hard drive|brain|head|diary|database)",
    r"(?:your|ur)(?: \w+)? (?:file|list|mind|system|data|storage|end|books)",
    r"memory|file|record|paper",
    _KNOWN,
)
_IN_PLACE = rf"[^.?!]{{0,100}}? (?:in|into|on|onto|to|under|for|as part of) {_PLACE}\b"
_YOUR_PLACE = _either(
    r"(?:your|ur|long[- ]term)(?: \w+)? (?:memor(?:y|ies)(?: bank)?|notes?|notebook|records?|files?|profile|logs?|vault"
    r"|history|hard drive|brain|head|diary|database|list|mind|system|data|storage|end|books|archives?|journal)",
    r"my (?:profile|history|records?|memory)|the (?:memory|records?|books|notes|archives?)|memory|record",
    _KNOWN,
)
"""Where memories are dropped from: of the places above only those that are no file or table people work on."""
_FROM_PLACE = rf"[^.?!]{{0,100}}? (?:from|off|out of|in|on) {_YOUR_PLACE}\b"
_THAT = (
    r"(?: (?:all|any|both|some|most)(?: of)?)? (?:that|this|it|these|those|them|em|all|everything|the lot)(?: one)?"
    r"(?:\s*(?:$|[,;:.!?()–—-])|"
    r" (?:please|pls|plz|now|ok|okay|too|also|until|till?|somewhere|anywhere|safe|handy|away|forever|always|again|right"
    r"|all|completely|in there|about|because|cause|cos|so|that way|if you)\b"
    r"| for (?:me|us|later|good|next|future|the|when|my)\b)"
)
_THING = (
    r"(?: (?:the|this|that|these|those|a|one|another|only))?(?: \w+)? (?:following|lines?|bits?|points?|thoughts?"
    r"|facts?|details?|dates?|names?|titles?|numbers?|things?|info|information|preferences?|ideas?|rules?|moment)\b"
)
_I_SAID = (
    r" (?:what|whatever|everything|anything|something|all|that|the|this|those|every|any)\b[^.?!]{0,60}?"
    r" (?:i|we)(?:'ve|'d| have| had)?(?: \w+)? (?:said|told|mentioned|wrote|shared|sent|confessed|typed|gave|asked)"
)
_BACK = r" (?:it|that|this|them|those)(?: \w+)? (?:out|off|down|away|back)\b"
_SAID = _either(
    _I_SAID,
    r" (?:the|that|this|those|these|my|all|our)(?: \w+){0,3} (?:bit|things?|stuff|stor(?:y|ies)|conversation|chat|rant"
    r"|nickname|remarks?) (?:about|on|where|when|with|regarding|concerning|i|from)\b",
    r" (?:the|that|this|those|these|my|all)(?: \w+){0,3} (?:part|messages?|details?|entry|entries|notes?|comments?"
    r"|sentence) (?:(?:about|on|where|when|with|regarding|concerning|from) )?(?:i|we|my|our|me|us)\b",
    r" (?:everything|anything|all|whatever|what|stuff|things)(?: \w+){0,4} (?:about|regarding|concerning)\b",
    r" (?:everything|anything|all)(?: of it)? (?:i|we|(?:since|after|before|from|on) (?:i|we|my|our|me|us|this))\b",
)
"""What was said: parts of a text that people work on count where it is about themselves."""

_RETAIN = (
    _Verb(
        r"(?:remember|rmbr|rember|remeber|memori[sz]e|recall that|remind yourself)",
        r"(?:remember|memori[sz])(?:ed|ing)",
        r"(?! (?:me|when)\b)",
    ),
    _Verb(
        r"(?:make|take|keep|leave|have)",
        r"(?:made|making|taken|taking)(?: \w+){0,3} notes?",
        r"(?: \w+){0,3} (?:notes?|records?|track|logs?|trace|memory|cop(?:y|ies)|footprint)\b",
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
        r"(?:save|store|log|record|retain|preserve)",
        r"(?:sav|stor|logg|record|retain|preserv)(?:ed|ing)",
        r"(?: (?:my|our|under|(?:this |that |it )?as (?:my|our|the)|that|down|away|for|nothing|none of|is|are|\d+)\b"
        rf"|\s*(?:[:,.]|$)|{_THAT}|{_THING}|{_SAID}|{_IN_PLACE})",
    ),
    _Verb(
        r"(?:file|pin|bank|stash|register|archive|add|enter|commit|track|bookmark|earmark|etch|engrave|carve|document"
        r"|park|shelve|stow|flag)",
        r"(?:fil|archiv|track)(?:ed|ing)",
        r"(?: (?:under|(?:this |that |it )?as (?:my|our|the)|away|for (?:later|me|next|good))\b|\s*(?:[:,.]|$)"
        rf"|{_THAT}|{_THING}|{_SAID}|{_IN_PLACE})",
    ),
    _Verb(
        r"(?:keep|lock|tuck|carry|hold)",
        r"(?:kept|keeping)(?! (?:waiting|awake|busy|company|posted|informed))",
        rf"(?: (?:for later|nothing|none of)\b|\s*$|{_THAT}|{_THING}|{_SAID}|{_IN_PLACE})",
    ),
    _Verb(r"remind me", r"reminding me", r"(?! (?:what|who|where|how|which|why|again)\b)"),
    _Verb(r"(?:know|learn)", r"(?:known|knew)", r"(?: (?:that|this|for good|permanently)\b|[,:])"),
)
"""What keeps something in mind; weak verbs only with an object that can be remembered."""

_DISCARD = (
    _Verb(r"forget(?!-)", r"(?:forgotten|forgetting|forgot)", r"(?![^.?!]{0,40} for (?:a|one|now|the|just)\b)"),
    _Verb(
        r"un-?(?:save|note|learn|remember|log|record|store|know|hear|see|say|send)",
        r"un-?(?:saved|noted|learned|logged|recorded|stored|heard|seen|said|sent)",
    ),
    _Verb(
        r"(?:delete|erase|wipe|scrub|remove|purge|clear|drop|discard|bin|trash|scrap|lose|redact|expunge|retract|ditch"
        r"|destroy|strike|scratch|cut|shred|burn|bury|banish|obliterate|dump|get rid of|throw (?:out|away)"
        r"|cross out|let go of)",
        r"(?:delet|eras|wip|scrubb|remov|purg|clear|dropp|discard|shredd|scrapp)(?:ed|ing)",
        rf"(?:{_SAID}|{_FROM_PLACE}| {_KNOWN}| after reading|(?:{_THAT}|{_BACK}"
        r"| (?:that|my|our)(?: very)? last(?: \w+)? (?:bit|thing|message|remark|comment|sentence|one)s?\b))",
    ),
    _Verb(r"take", r"taken (?:back|out)", rf"(?:{_FROM_PLACE}|{_BACK})"),
    _Verb(
        r"(?:drop|lose|bin|scrap|ditch)", r"binned", r" (?:the|that|this|my)(?: \w+){1,2} (?:thing|stuff|business)\b"
    ),
    _Verb(r"(?:disregard|ignore)", r"disregarded", _I_SAID),
    _Verb(r"let", r"letting", r" (?:it|that|this|them) go\b"),
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
_MUST = r"(?:should|must|may|can|needs? to|(?:is|are|has|have|ought) to)"
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
    rf"\b(?:possible|able|way|sure|(?:good|kind)(?: enough)?(?: as)?)(?: for {_YOU})? to\s+{_SOFTENERS}",
    rf"\b(?:have|make|get) {_YOU}\s+{_SOFTENERS}",
    rf"\b(?:can|could|would|will|please|pls|do me (?:a|the) favou?r)\b[^?]*\band\s+{_SOFTENERS}",
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
_REFUSED = re.compile(
    rf"\b(?:{_NOT}|nothing|none"
    r"|no (?:need|notes?|part|word|records?|mention|trace|memory|cop(?:y|ies)|footprint))\b|n't\b"
)
_POLITE = re.compile(rf"\b(?:(?:can|could|would|will) {_YOU}|for me|for (?:next|later)|please|pls|ok)\b")
_WHETHER = re.compile(r" (?:if|whether|who|what|when|where|why|how|which|exactly|names|much)\b")
"""What follows "don't remember" where an "I" was left out."""

# Commands that need no verb of the table. Entries are divided by white space, ``_`` stands for a space.

_WHERE = _PLACE.replace(" ", "_")

_REMEMBER_IDIOMS = phrases(
    rf"""
    for_(?:the|your|my|our|ur|future)_(?:records?|files?|notes|vault|logs?|archives?|books|diary|memory)(?!.*\?)
    for_posterity for_(?:your|ur)_(?:reference|information)
    for_(?:future|later|next)_(?:reference|use|conversations|chats|time)(?!.*\?) one_for_the_(?:books?|records?|vault)
    for_when_(?:we|i) for_(?:our|the)_next_(?:session|chat|talk) be_my_memory mental_note log_entry future_(?:me|{_YOU})
    (?:note|memo|message|reminder)_(?:to|for)_(?:self|me|you|future|later) in_case_i_forget
    (?:make|be)_sure_(?:this|that|it)(?:_one)?_(?:sticks|stays) make_(?:this|that|it)(?:_one)?_stick
    (?:set|carve|write)_(?:it_|this_|that_)?in_stone hav(?:e|ing)_(?:this|that|it)_on_record
    (?:have|want|get|need|like|keep)_(?:this|that|it)(?:_\w+)?_(?:on|in|into|down_on)_{_WHERE}
    let_(?:it|this)_be_(?:known|recorded|noted|minuted|written|logged) let_the_record_show
    slip(?:ping)?_(?:through_the_cracks|your_mind)
    (?:this|that|it)(?:_one)?(?:_is|'s)_worth_(?:keep|remember|not|sav)ing
    (?:to|must|should)_(?:stay|remain|be)_with_{_YOU}
    so_(?:that_)?(?:this|it|that)_(?:doesn't|won't)_(?:get_lost|slip)
    (?:one_of_us|{_YOU})_(?:knows|remembers|won't_forget) (?:{_YOU}(?:'re|_are)|ur)_not_allowed_to_forget
    (?:put|stick)_an?_(?:flag|pin|marker|bookmark|note)_(?:on|in|by)_(?:this|that|it)
    lock_(?:it|this|that)_in (?:if|when)_(?:it|this|that)_(?:ever_)?comes_up_again
    (?:if|that|will)_{_YOU}_still_(?:know|knew|have|had|remember|remembered) carry_(?:this|that|it)_(?:forward|over)
    when_i_say_[^.?!]{{1,60}}_i_mean
    {_YOU}(?:'re|r|_are)_my_(?:notebook|memory|(?:backup|second|external)_(?:brain|memory))
    (?:don't|dont|do_not|never)_let_me_[^.?!]{{1,80}}_(?:again|without|until|till|before)
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
_LATER_QUESTION = re.compile(
    r"\bi(?:'ll| will|'m going to|'m gonna|'d like to be able to| want to be able to)(?: be)? ask(?:ing)?"
    rf" (?:{_YOU}|again)\b(?:[^.?!]{{0,60}}?"
    r" (?:again|later|for (?:it|this|that)|next (?:time|week|month|year)|come \w+|in \w+ (?:week|month|year)s?)\b)?"
    rf"|\bwhen\b[^.?!]{{0,80}} {_YOU}(?:'re| are) to (?:tell|remind|ask|warn|correct)\b"
)
"""The announcement of a question that can only be answered from memory."""


def _asks_to_retain(sentence: str) -> bool:
    """Tell whether somebody commands or wishes in a sentence that something be kept, or not be dropped."""
    for found in _VERBS.finditer(sentence):
        left = _CLAUSE_BREAK.split(sentence[max(0, found.start() - _REACH) : found.start()])[-1]
        is_passive = found["retained"] is not None or found["discarded"] is not None
        governor = _governor(left, _PASSIVE_WISHES if is_passive else _COMMANDS)
        if governor is None or _only_speaks_of_memory(sentence, found, governor):
            continue
        is_refused = bool(_REFUSED.search(governor)) or (not is_passive and bool(_REFUSED.search(found[0])))
        retains = found["retain"] is not None or found["retained"] is not None
        if retains is not is_refused:
            return True
    return False


def _governor(left: str, governors: tuple[re.Pattern[str], ...]) -> str | None:
    """Return the longest end of ``left`` that turns the verb after it into a command, or None."""
    matches = [match[0] for governor in governors if (match := governor.search(left))]
    return max(matches, key=len, default=None)


def _only_speaks_of_memory(sentence: str, found: re.Match[str], governor: str) -> bool:
    """Tell "remember the two of us?" and "don't remember if I said" from commands."""
    if found[0].startswith("hold that thought"):
        return True  # wait a moment
    if found[0] != "remember" or sentence.startswith(":", found.end()):
        return False
    if sentence.startswith((" that", " this"), found.end()) and (governor.strip() or not sentence.endswith("?")):
        return False
    is_question = sentence.endswith("?") and not _POLITE.search(sentence, found.end())
    return is_question or bool(_REFUSED.search(governor) and _WHETHER.match(sentence, found.end()))
