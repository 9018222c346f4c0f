"""What somebody plainly says of themself and their people: "I'm allergic to shellfish", "Got the job!", "my dad died".

A sentence is read clause by clause, each from its beginning: a subject of the first person (or none, where people leave
it out), a verb, and something of a class of words that concern a life. Questions, what is only imagined, and what is no
statement about a person ("I'm back", "my code has a bug") say nothing here. English; in time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from yesteryear.core.language.lexicon import FANTASY, fold, phrases
from yesteryear.core.language.life_clauses import OF_ONESELF, OF_PEOPLE, WITHOUT_SUBJECT, any_of
from yesteryear.core.language.life_events import IS_LABELLED, IS_SOMEBODY, PEOPLE_BY_NAME, TELLS, TELLS_BRIEFLY
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences

MOST_CLAUSE_CHARS = 200
"""Characters read of a clause from its beginning."""
MOST_SENTENCES = 100
"""Sentences read of a message, from its beginning."""
MOST_ANSWER_WORDS = 12
"""Most words of an answer that says nothing without its question."""


_LATER = (OF_ONESELF, TELLS)
"""How a clause tells of its speaker."""
_FIRST = (*_LATER, WITHOUT_SUBJECT, TELLS_BRIEFLY)
"""As above, at the beginning of a sentence, where people leave themselves out."""


_LEAST_LEAD_WORDS = 3
"""Fewest words before a colon behind which somebody goes on; fewer name a speaker: "GUEST: I was born in Lille"."""


class Concern(StrEnum):
    """Whom a statement is about."""

    SELF = "self"
    PEOPLE = "people"


_NAMED = re.compile(
    r"\W*(?:(?:[Hh]i|[Hh]ello|[Hh]ey|[Oo]h|[Bb]tw|[Aa]nd)\W+)?(?:I'm|I am|[Ii]m|i'm"
    r"|i am)\s+(?:[A-Z][a-zà-ÿ]+)(?:[ -][A-Z][a-zà-ÿ]+){0,2}(?:\W*$|, | from | by the way| btw| and )"
)
_NOT_NAMES = frozenset(
    "ok okay sorry fine good great back here done ready sure so not just still going happy sad tired hungry".split()
)

_IMAGINED = phrases(
    r"""
    imagine pretend(?:ing)? suppose supposing hypothetical\w* what_if as_if let'?s_(?:say|play) role-?_?play\w* act_as
    wish
    in_(?:my|this|the|a|another)_(?:dream|story|novel|game|book|film|movie|scene|sims|scenario|script|rp|song|play|past_life|next_life)
    my_(?:\w+_)?(?:character|avatar|sim|persona|oc|npc|protagonist|villain) you(?:'re|_are)_now in_character would_be
    just_kidding (?:i'm_|im_)?(?:just_)?(?:kidding|joking) jk j/k /s not_really if_(?:i|we)_(?:were|was|had|could)
    as_a_joke (?:the|a|my)_(?:joke|punchline|riddle|lyrics|quote|poem|character|screenplay) once_upon
    like_(?:i|we)(?:'m|_am|_was|_were) your_(?:line|move|turn) two_truths which_one's_made_up yeah_right oh_sure 🙄 💀
    (?:says|said)_you is_that_all for_(?:a|the|my)_(?:story|novel|screenplay|game|character|sketch|play) secretly_an?
    reincarnat\w+
    """
)
"""What makes a sentence say nothing of its speaker's life."""
_WORKED_ON = re.compile(
    r"\W*(?:(?:can|could|would|will) you |please |pls |plz |help me |hey |hi |ok |now )*(?:(?:translate"
    r"|proof-?read|summari[sz]e|paraphrase|rephrase|reword|rewrite|spell-?check|fix|correct|edit|tl;?dr|transcribe"
    r"|analy[sz]e|classify|conjugate|repeat|complete|continue|say|read|check)\b(?:\W*$|\W*:|(?! for me (?:later"
    r"|tomorrow))"
    r"(?: [\w'-]+){0,4}? (?:this|that|it|these|below|following|(?:my|the|a) (?:[\w-]+ )?(?:text|sentence|paragraph"
    r"|passage|e-?mail|essay|letter|message|note|line|phrase|bio|poem))\b(?!.*\b(?:later|tomorrow|tonight|when|if"
    r"|soon)\b)"
    r"|.*:\W*$| (?:in)?to \w+\W*$)"
    r"|what (?:does|do|did|is|'s) (?:this|that|it|the|these|he|she|they)\b(?! say about me| about me)"
    r"|what's (?:this|that|the meaning)\b|is this (?:sentence|correct|grammatical)\b|which of these\b"
    r"|how (?:do|would|can) (?:you|i|we) (?:say|translate|write|spell) (?:this|that|it|the following)\b)"
)
"""A task that is done on a text: what follows is the text, and nobody's word about themself."""
_ASKS = re.compile(
    r"\W*(?:who|what|when|where|why|how|which|whose|is|are|was|were(?! (?:moving|having|expecting|getting"
    r"|both)\b)|am|do|does|did|can|could|would|will|should|has|any|isn't|aren't|if"
    r"|unless|whether|suppose|assuming|say)\b(?!'s (?:a|my)\b)"
)
_CLAUSE = re.compile(
    r"[,;:()–—]\s+|\s-+\s|\.{2,}\s*|[\u2600-\u27bf\U0001f300-\U0001faff][\ufe0f\s]*(?=\w)"
    r"|\sto (?:say|tell you|let you know|announce)(?: that)?\s|\s(?=(?:and|but|so|because|cause|cos|since"
    r"|although|though|plus|while|who|that)\s)"
)
_JOINS = re.compile(r"\W*(?:and|but|so|because|cause|cos|since|although|though|plus|while|as)\s+")

_ASKED = re.compile(
    rf"\b(?:you|your|you're|ur|yours|u|any|they|he|she|it|his|her"
    rf"|their)\b.*(?:\b{any_of('attribute', 'person', 'pet', 'illness', 'belonging')}s?\b"
    rf"|\b{any_of('condition', 'standing', 'creed')}\b|\bold\b|\bfrom\b|\blive\b|\bwork\b|\bfor a living\b"
    rf"|\bdo you do\b|\bcall you\b|\bborn\b"
    rf"|\bstudy\b|\bspeak\b|\beat\b|\bplay\b|\bcalled\b|\bnamed\b|\bweigh\b|\btall\b|\bdrink\b|\bsmoke\b"
    rf"|\bbelieve\b|\bdiagnos|\bdue\b)"
    rf"|\b(?:your name|names?|any (?:allergies|pets|kids|siblings|medication|dietary)|how old)\b"
)
_OFFERS = re.compile(
    r"\W*(?:(?:so|and|ok(?:ay)?|well|great|sure)\W+)*(?:would you|shall|should|do you want|want|can|could|may"
    r"|might|ready|is there any|will)\b"
)
"""How an offer begins, whose answer says nothing of the person."""
_TELLS_NOTHING = re.compile(
    r"\W*(?:no idea|idk|dunno|i don'?t know|not sure|skip|pass|rather not|prefer not|i'd rather|why|none of"
    r"|nothing|later|never mind"
    r"|nevermind|maybe|ok(?:ay)?|thanks|thank you|sure|hm+|lol|haha\w*|you tell me|guess|it depends|depends"
    r"|who cares|whatever|secret|nunya"
    r"|yes please|please|stop|cool|wow|what|huh|wait|hold on|not telling|that's private|mind your)\b"
)
_WORD = re.compile(r"\w+")


def says_of_oneself(text: str, *, question: str = "") -> Concern | None:
    """Return of whom a message plainly says something that lasts: its speaker, or somebody of theirs; None for nobody.

    Args:
        text: What somebody said. What they quote in it is left aside.
        question: What they were asked just before, so that a name alone is an answer; empty where nothing was.
    """
    own, _ = own_words(text)
    sentences = split_sentences(own)[:MOST_SENTENCES]
    if not sentences or any(_WORKED_ON.match(fold(sentence)[:MOST_CLAUSE_CHARS]) for sentence in sentences[:2]):
        return None
    if question and _answers(own, question):
        return Concern.SELF
    if len(sentences) > 1 and all(IS_LABELLED.match(fold(each)) for each in sentences):
        return Concern.SELF
    found = {concern for sentence in sentences for concern in _concerns(sentence)}
    return Concern.PEOPLE if Concern.PEOPLE in found else Concern.SELF if found else None


def _concerns(sentence: str) -> Iterator[Concern]:
    """Yield whom each clause of a sentence is about; of a question only what is stated before it is asked."""
    folded = fold(sentence)
    if _IMAGINED.search(folded):
        return
    clauses = list(_clauses(folded))
    if folded.rstrip().endswith("?"):
        clauses = clauses[:-1]
    elif _NAMED.match(sentence) and not _NOT_NAMES.intersection(_WORD.findall(folded)):
        yield Concern.SELF
    if not folded.rstrip().endswith("?") and not _ASKS.match(folded) and PEOPLE_BY_NAME.search(sentence):
        yield Concern.PEOPLE
    for position, clause in enumerate(clauses):
        if _ASKS.match(clause):
            continue
        if OF_PEOPLE.match(clause):
            yield Concern.PEOPLE
        elif any(form.match(clause) for form in (_FIRST if position == 0 else _LATER)) or (
            IS_SOMEBODY.match(clause) and not FANTASY.search(folded)
        ):
            yield Concern.SELF


def _clauses(folded: str) -> Iterator[str]:
    """Yield the whole sentence and what begins at each joint in it, cut to what is read."""
    yield folded[:MOST_CLAUSE_CHARS]
    done = 0
    for joint in _CLAUSE.finditer(folded):
        before, done, start = folded[done : joint.start()], joint.end(), joint.end()
        if joint[0].startswith(":") and len(_WORD.findall(before)) < _LEAST_LEAD_WORDS:
            continue
        joined = _JOINS.match(folded, start)
        yield folded[joined.end() if joined else start :][:MOST_CLAUSE_CHARS]


def _answers(own: str, question: str) -> bool:
    """Tell whether a few words answer a question about the person: "Joel", "nope, just a cat"."""
    asked = split_sentences(fold(question))
    last = asked[-1][-MOST_CLAUSE_CHARS:] if asked else ""
    if not last.endswith("?") or not _ASKED.search(last) or _OFFERS.match(last):
        return False
    folded = fold(own)
    is_short = 0 < len(_WORD.findall(folded)) <= MOST_ANSWER_WORDS
    return is_short and "?" not in folded and not _TELLS_NOTHING.match(folded) and not _IMAGINED.search(folded)
