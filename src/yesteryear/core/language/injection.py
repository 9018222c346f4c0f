"""Orders to an assistant that stand in text somebody pasted: they are nobody's wish, least of all the person's.

English only. Such an order gives itself away by three things: it is addressed to a machine, it tells it what to keep in
mind, and it speaks of the person from outside. In quoted text two of them are enough; in the person's own words nearly
all must come together, because people set tasks about users and customers, build assistants, and ask for things to be
remembered. Says nothing of how such text is treated.
"""

from __future__ import annotations

import re

from yesteryear.core.language.lexicon import SOURCE, fold
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences

_TO_BINDING = 60
"""Most characters between a machine and what turns a statement about it into an order."""
_TO_ORDER = 100
"""Most characters between that and the verb, and between the verb and what is to be kept."""

_A_MACHINE = (
    r"(?:ais?|llms?|gpts?|chatgpt|(?:large )?language models?|chat ?bots?|bots?|robots?|assistants?|agents?|copilots?"
    r"|(?:artificial|virtual|digital|smart|voice|automated|conversational|personal|ai|machine|summari[sz]ing|your|any)"
    r" (?:intelligences?|agents?|helpers?|companions?|models?|systems?|apps?|devices?|tools?|machines?|software))"
)
_MACHINE = re.compile(rf"\b{_A_MACHINE}\b")
_ANY_MACHINE = re.compile(
    rf"\b(?:(?:any|all|every|dear|attention|to|for|if (?:you are|you're)) (?:the |an? )?(?:\w+ )?{_A_MACHINE}"
    r"|ais|llms?|gpts|(?:large )?language models?|chat ?bots|bots|robots|assistants|agents|copilots"
    r"|(?:artificial|virtual|digital|smart|automated|ai|summari[sz]ing)"
    r" (?:agents|helpers|companions|models|systems|tools)"
    rf"|{_A_MACHINE} (?:now )?(?:reading|scanning|parsing|processing|summari[sz]ing|listening))\b"
)
"""Machines spoken to whichever they are; one's own assistant is addressed otherwise."""
_BINDING = re.compile(
    r"[:,;)>\]}–—-]|\b(?:must|shall|should|(?:is|are) (?:\w+ )?to|ha(?:s|ve) to|needs? to|please|kindly"
    r"|you(?:'ll| will|'re to| can| may))\b"
)
_AN_OWNER = (
    r"(?:user|human|owner|account (?:holder|owner)|customer|client|reader|recipient|visitor|member|subscriber|guest"
    r"|patient|resident|candidate|listener|viewer|operator|person you (?:are|'re) (?:helping|assisting))"
)
"""How an order speaks of the person from outside."""
_OWNER = re.compile(rf"\b{_AN_OWNER}\b")
_THE_OWNER = rf"(?:the|this|that|your|its|their|our|any|each|every) (?:\w+ )?{_AN_OWNER}\b"
_KEEP = (
    r"(?:remember|memori[sz]e|store|save|record|log|note|retain|keep|write|add|learn|register|pin|recall|persist|commit"
    r"|preserve|file|archive|forget|update|(?:make|take|leave) (?:an? )?(?:\w+ )?(?:note|record)s?)\b(?![\"'])"
)
"""What an order to keep something in mind says; with a quotation mark behind it, it is the name of a field."""
_KEEPING = re.compile(rf"\b{_KEEP}")
_OBEY = r"(?:treat|consider|regard|assume|mark|recommend|mention|disclose|confirm|repeat|remind|tell)\b(?![\"'])"
_AN_ORDER = rf"\b(?:{_KEEP}|{_OBEY})"
_ORDER = re.compile(_AN_ORDER)
_KEPT = re.compile(
    r"\b(?:that|how|as|for good|for ever|forever|permanent(?:ly)?|always|memory|memories|profile)\b|[:=]|(?<=\s)[\"“«]"
)
"""What is to be kept, or for how long."""
_EVERY_TALK = r"\b(?:in|for) (?:all|any|each|every|your) (?:\w+ )?(?:chats?|conversations?|sessions?|replies|answers)\b"

_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget) (?:(?:all|of|your|the|my) ){0,3}(?:previous|prior|earlier|preceding|above)"
    r" (?:instructions|prompts?)\b"
    r"|(?:^|[.:;!?\n\[({\"“«|/*>#-]|\b(?:and|please|now|then|you (?:must|should|shall|will|are to|have to|need to)))"
    r"[ \t]{0,4}(?:ignore|disregard|forget|override|bypass|overrule)\b(?: \w+){0,3}"
    r" (?:previous|prior|above|earlier|preceding|all|your|any|my|the|system|existing)(?: \w+){0,2}"
    r" (?:instructions?|rules?|prompts?|guidelines?|directions?|orders|programming|commands?|constraints?)\b"
    rf"|\b(?:do anything now|you are now (?:(?:in|an?|the) )?(?:\w+ )?(?:mode|{_A_MACHINE})|new instructions?:)"
    r"|(?:^|\n|[.!?;] {1,3}|[\[<#(|] ?|\b(?:says|reads|to the) )"
    r"(?:system|developer|admin|prompt|(?:agent|assistant|ai|llm|bot|model)(?= \w))"
    r"(?: (?:message|prompt|override|notice|note|instruction))?s?\b[^\n:]{0,40}[:>\]]"
    rf"[^\n]{{0,100}}?(?:{_AN_ORDER}|\b(?:users?|you|assistants?|ignore|disregard|override|bypass|obey|reveal|always|never"
    r"|from now on)\b)"
    r"|\b(?:memory (?:update|directive|override|injection)|(?:agent|assistant|ai|bot|llm) directive)\b"
    r"|\bend of (?:document|text|page|message|e-?mail|input|data)\b[^\n]{0,40}\buser (?:\w+ )?(?:says|asks|wants)\b"
)
"""What no person says in talk about themselves."""
_RELAYED_ORDER = re.compile(
    rf"\b(?:tell|ask|get|instruct|have|let|make|order) (?:your|ur|their|any) (?:\w+ )?{_A_MACHINE}\b"
    rf"[^\n]{{0,40}}?{_AN_ORDER}"
    rf"|\b{_A_MACHINE} (?:reading|scanning|parsing|processing|summari[sz]ing) (?:this|the)\b"
    rf"|\bif an? {_A_MACHINE} (?:is|reads|sees|processes|handles|summari[sz]es)\b[^\n]{{0,80}}?{_AN_ORDER}"
    rf"|\b(?:note|hint|memo|message|reminder|instructions?)[ _](?:to|for)[ _](?:the |any |all )?{_A_MACHINE}\b"
    r"|\b(?:whoever|whatever|anything) (?:\w+ ){0,4}(?:helps?|reads?|assists?|answers?)\b[^\n]{0,60}?"
    rf"\b(?:must|shall|should|is to)\b[^\n]{{0,30}}?{_AN_ORDER}"
)
"""An order in reported speech, which needs no quotation marks."""
_QUOTED_FACT = re.compile(
    rf"\b{_KEEP}[^\n]{{0,80}}?\b{_THE_OWNER}|{_EVERY_TALK}[^\n]{{0,80}}?\b{_THE_OWNER}"
    rf"|\b(?:remember|memori[sz]e|retain|persist|memory)\b(?![\"'])[^\n]{{0,40}}?[:=]\s*[\"“]?(?:the )?{_AN_OWNER}\b"
    rf"|\b{_AN_OWNER}\b[^\n]{{0,80}}?[,;:.] ?(?:and )?(?:store|save|remember|record|keep|note) (?:it|this|that)\b"
)
"""What is to be kept about a person spoken of from outside."""
_PASTED_FACT = re.compile(
    rf"\b{_KEEP}[^\n]{{0,60}}?(?:\bthat\b|[:=\"“«])[^\n]{{0,40}}?\b{_THE_OWNER}|\b{_KEEP} {_THE_OWNER} (?:\w+ )?as\b"
    rf"|{_EVERY_TALK}[^\n]{{0,80}}?\b{_THE_OWNER}"
    rf"|\b(?:update|change|edit) (?:the )?{_AN_OWNER}(?:'s)? (?:profile|memory)\b"
)
"""The same without quotation marks, where the message speaks of a text that was brought in."""
_FACT_OF_USER = re.compile(
    rf"\b{_KEEP}[^\n]{{0,40}}?(?:\b(?:that|as)\b|[:=])[^\n]{{0,40}}?\b(?:the|this|your) (?:user|account holder|human)\b"
)
"""The same where nothing tells of such a text: only assistants call anybody their user."""
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|im|my|me|we|our)\b")
_CLUE = re.compile(rf"{_MACHINE.pattern}|{_OWNER.pattern}|\b(?:whoever|whatever|anything)\b")
"""Without any of these, text that is not quoted holds no order."""


_MAY_ORDER = re.compile(
    r"\b(?:ignore|disregard|override|bypass|overrule|directive|instructions?|prompts?|do anything now|you are now)\b"
    r"|\b(?:system|developer|admin|assistants?|agents?|ais?|llms?|bots?|models?|memory)\b[^\n]{0,40}[:>\]]"
    r"|\b(?:all|any|every|attention|dear|to|for) (?:\w+ )?(?:ais?|llms?|assistants?|agents?|bots?|models?)\b"
)
"""Without any of these a line holds no order: looked for first, since it is fast."""


def shows_orders(line: str) -> bool:
    """Tell whether a line that goes before a model reads like orders to it; it is then shown as a quotation."""
    return _MAY_ORDER.search(fold(line)) is not None and looks_injected(line)


def looks_injected(text: str) -> bool:
    """Tell whether ``text`` carries orders to an assistant that are not its author's.

    True for overrides ("ignore all previous instructions"), for orders about memory in quoted or pasted text that
    address a machine or speak of its user from outside, and for unquoted sentences that do both without any first
    person. What people ask for themselves, in their own words, is never injected.
    """
    own, quoted = (fold(part) for part in own_words(text))
    if _OVERRIDE.search(own) or _OVERRIDE.search(quoted) or any(map(_is_order_in_quotes, quoted.split("\n"))):
        return True
    if not _CLUE.search(own):
        return False
    is_brought_in = SOURCE.search(own) is not None
    return any(
        _RELAYED_ORDER.search(sentence)
        or (_is_order(sentence, is_brought_in=is_brought_in) and not _FIRST_PERSON.search(sentence))
        for sentence in split_sentences(own)
    )


def _is_order_in_quotes(line: str) -> bool:
    return bool(_RELAYED_ORDER.search(line) or _QUOTED_FACT.search(line)) or _orders_machines(line)


def _is_order(sentence: str, *, is_brought_in: bool) -> bool:
    """Tell whether a sentence without quotation marks is addressed to a machine; less is asked of pasted text."""
    if is_brought_in:
        return bool(_PASTED_FACT.search(sentence)) or _orders_machines(sentence)
    return bool(_FACT_OF_USER.search(sentence)) or (bool(_OWNER.search(sentence)) and _tells_to_keep(sentence))


def _orders_machines(text: str) -> bool:
    """Tell whether any machine is told to do something, or one machine to keep something in mind."""
    return _tells_to_keep(text) or any(
        _ORDER.search(text, begin, begin + _TO_ORDER) for begin in _bindings(text, _ANY_MACHINE)
    )


def _tells_to_keep(text: str) -> bool:
    for begin in _bindings(text, _MACHINE):
        keeping = _KEEPING.search(text, begin, begin + _TO_ORDER)
        if keeping and _KEPT.search(text, keeping.end(), keeping.end() + _TO_ORDER):
            return True
    return False


def _bindings(text: str, machines: re.Pattern[str]) -> list[int]:
    """Return where, after each machine that is spoken to, an order may begin."""
    found = (_BINDING.search(text, machine.end(), machine.end() + _TO_BINDING) for machine in machines.finditer(text))
    return sorted({binding.end() for binding in found if binding})
