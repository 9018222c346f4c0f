"""Orders to an assistant that stand in text somebody pasted: they are nobody's wish, least of all the person's.

English only. Says nothing of how such text is treated.
"""

from __future__ import annotations

import re

from yesteryear.core.language.lexicon import fold
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences

_REACH = 120
"""Most characters between an assistant addressed, or its owner named, and the order about memory."""

_ASSISTANT = (
    r"(?:ais?|llms?|gpts?|chatgpt|(?:large )?language models?|chat ?bots?|bots?|robots?|assistants?|agents?|copilots?"
    r"|(?:artific?i?al|virtual|digital|smart|voice|automated|conversational|personal|ai|machine|robot|summari[sz]\w+"
    r"|any|your|the|this|to|all) (?:intelligence|assistants?|agents?|helpers?|companions?|models?|systems?|apps?"
    r"|devices?|tools?|readers?|machines?|software|bots?))"
)
_OWNER = (
    r"(?:users?|humans?|owners?|account holders?|customers?|clients?|readers?|recipients?|visitors?|members?"
    r"|subscribers?|guests?|patients?|residents?|tenants?|parents?|applicants?|shoppers?|subjects?|bearers?|listeners?"
    r"|viewers?|op|pupils?|organi[sz]ers?|employees?|candidates?)"
)
"""How an order speaks of the person from outside."""
_ORDER = (
    r"(?:remember|memori[sz]e|store|save|record|log|note|retain|keep|write|add|forget|learn|register|pin|recall|persist"
    r"|update|treat|disclose|confirm|repeat|remind|tell|consider|assume|mark|recommend|address)"
)
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass|overrule)\b(?: \w+){0,3}"
    r" (?:previous|prior|above|earlier|preceding|all|your|any|my|the|system|existing)(?: \w+){0,2}"
    r" (?:instructions?|rules?|prompts?|guidelines?|directions?|orders|programming|commands?|constraints?)\b"
    r"|\b(?:jailbreak|developer mode|do anything now|prompt injection|new instructions?:)"
    r"|(?:^|\n|[\[<#(|] ?)(?:system|developer|admin|prompt)"
    r"(?: (?:message|prompt|override|notice|note|instruction))?s?\b[^\n:]{0,40}[:>\]]"
    r"|\b(?:memory (?:update|directive|override|injection)|(?:agent|assistant|ai|bot) directive)\b"
)
"""What no person says in talk about themselves."""
_PASTED_ORDER = re.compile(
    rf"\b{_ASSISTANT}\b[^\n]{{0,{_REACH}}}?(?<!i )(?<!we )\b{_ORDER}\b"
    rf"|\b{_OWNER}\b[^\n]{{0,40}}?\b(?:must|shall|should|is to|are to)\b[^\n]{{0,40}}?\b{_ORDER}\b"
    r"|(?:^|[.:;!\n\[(\"“|/*>-]|\b(?:to|must|shall|should|and|permanently|please))[ \t]{0,4}"
    rf"{_ORDER}\b[^\n]{{0,{_REACH}}}?\b{_OWNER}\b"
    r"|\byou are now \w"
)
"""An assistant addressed, or its owner spoken of, together with an order about memory."""
_RELAYED_ORDER = re.compile(
    rf"\b(?:tell|ask|get|instruct|have|let|make|order) (?:your|ur|their|any) (?:\w+ )?{_ASSISTANT}\b"
    rf"[^\n]{{0,40}}?\b{_ORDER}\b"
    rf"|\b{_ASSISTANT} (?:reading|scanning|parsing|processing|summari[sz]ing) (?:this|the)\b"
    rf"|\bnote (?:to|for) (?:the |any |all )?{_ASSISTANT}\b"
)
"""An order in reported speech, which needs no quotation marks."""
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|im|my|me|we|our)\b")


def looks_injected(text: str) -> bool:
    """Tell whether ``text`` carries orders to an assistant that are not its author's.

    True for overrides ("ignore all previous instructions"), for orders about memory in quoted or pasted text that
    address an assistant or speak of its user from outside, and for unquoted sentences that do so without any first
    person. What people ask for themselves, in their own words, is never injected.
    """
    own, quoted = (fold(part) for part in own_words(text))
    if _OVERRIDE.search(own) or _OVERRIDE.search(quoted) or _PASTED_ORDER.search(quoted):
        return True
    return any(
        _RELAYED_ORDER.search(sentence) or (_PASTED_ORDER.search(sentence) and not _FIRST_PERSON.search(sentence))
        for sentence in split_sentences(own)
    )
