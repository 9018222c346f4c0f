"""A thing to do by its name: the stems of the words that tell which it is, whatever the form of its verb.

With what a few words say of one that another asks after: "did you call the bank?", "yep, this morning". English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from yesteryear.core.language.datewords import MONTHS, WEEKDAYS
from yesteryear.core.language.tokens import STOP_WORDS, stem, words
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("tasks")
_ANSWERS = vocabulary("answered_tasks")
MOST_BARE_CHARS = 60
"""Characters, at least 1, of a sentence that says no more than that something is done. Source: set by hand."""
_MOST_WORDS = 12  # words of the longest answer that is one; more say something themselves

LIKE_ORDERS = _EN.words("like_orders")
AS_THEY_ARE = _EN.words("verbs") | _EN.words("light")  # verbs of what is to be done, unstemmed
_MOST_NAMING = 8  # stems that name a thing, from the first on; a longer name is no title
_FORMS = _EN.table("forms")
_EVENTS = _EN.words("events")
IDLE = STOP_WORDS | _EN.words("idle") | WEEKDAYS.keys() | MONTHS.keys()


class TaskState(StrEnum):
    """How a text says that something stands that somebody has to do, or that is set for a day."""

    OPEN = "open"  # it is to be done
    APPOINTED = "appointed"  # it is set for a day
    MOVED = "moved"  # it is set for another day
    DONE = "done"
    UNLISTED = "unlisted"  # it is taken off a list
    DROPPED = "dropped"  # it is to be done no more
    MISSED = "missed"  # it does not take place, or not with its speaker


_IS_OVER = {TaskState.UNLISTED, TaskState.DROPPED}
_APPOINTMENT_IS_OVER = {*_IS_OVER, TaskState.MOVED, TaskState.MISSED}
_CHANGES = {
    TaskState.OPEN: {*_IS_OVER, TaskState.DONE},
    TaskState.APPOINTED: _APPOINTMENT_IS_OVER,
    TaskState.MOVED: _APPOINTMENT_IS_OVER,
}
"""What may become of what is to be done, or set for a day."""


@dataclass(frozen=True, slots=True)
class ToldTask:
    """Something to do, or that is set for a day, as a sentence tells of it."""

    state: TaskState
    named: frozenset[str]  # stems of the words that name it
    in_talk: bool = False  # whether it is of a kind that an assistant does in a talk itself
    owners: frozenset[str] = frozenset()
    """Stems of those whose it is, where that is somebody else: of "my son's flu jab" the son."""
    in_passing: bool = False
    """Whether it may be no task at all, and counts where one of its name is known: "I called Dave"."""

    is_whole: bool = False
    """Whether it counts only where a thing of just its name is known: "I got batteries", "I went to the bank"."""

    @property
    def things(self) -> frozenset[str]:
        """The stems of its name that are no verbs: what it is about."""
        return self.named - _VERBS

    def is_named_by(self, other: ToldTask) -> bool:
        """Tell whether another one has the same name: all words of the shorter, which is more than a word of many."""
        if other.is_whole:
            return bool(self.named) and self.named - GETTING == other.named - GETTING
        small, large = sorted((self.named, other.named), key=len)
        return bool(small) and small <= large and (len(small) > 1 or len(large) <= 2)


def change_of(earlier: ToldTask, later: ToldTask) -> TaskState | None:
    """Return how a thing stands by what was told later; None where that tells nothing of it."""
    if earlier.state is TaskState.OPEN and later.state is TaskState.MOVED:
        return later.state if later.named == earlier.named and later.named & BEGINNING else None
    is_theirs = later.owners <= earlier.named
    is_told = later.state in _CHANGES.get(earlier.state, ()) and earlier.is_named_by(later) and is_theirs
    return later.state if is_told else None


def named_by_verb(rest: str, state: TaskState, *, light: frozenset[str] | None = None) -> Iterator[ToldTask]:
    """Yield what a verb and what stands behind it name, two things apart; of what is settled a thing alone will do."""
    title = _EN["titled"].match(rest)
    is_known = state is not TaskState.OPEN and _EN["determined"].match(rest) is not None
    for part in _parts(title["title"] if title else _up_to_its_end(rest)):
        said = words(part)
        verb = base_form(said[0]) if said else ""
        is_going = verb == _GO and said[1:2] == ["to"]
        is_light = verb in (_LIGHT if light is None else light) and not is_going
        if not said or not (is_known or is_going or is_light or verb in _VERBS - _LIGHT):
            return
        is_verb = is_going or (not is_light and verb in _VERBS)
        things = naming(said[1:] if is_light or is_verb else said)
        named = [_as_one(said), *things] if is_verb else things
        unlisted = _UNLISTED | (_EATEN if is_known else _DOSES if is_light else frozenset())
        if (things or verb in _ALONE) and not (things and unlisted.issuperset(things)):
            yield ToldTask(state, frozenset(named), in_talk=verb in _IN_TALK, owners=owners_in(part))


def named_as_made(found: re.Match[str], state: TaskState) -> Iterator[ToldTask]:
    """Yield what is told to be made, sent or paid, with the thing before the verb: "the parcel is posted"."""
    verb, what = next(iter(words(found["verb"])), ""), found["what"]
    if verb in _EN.words("just_done") or base_form(verb) not in _VERBS - _LIGHT:
        yield from named_as(what, state) if verb in _EN.words("settled") or found.re is _EN["is_done"] else ()
    elif (_EN.words("of_others") | _EN.words("no_thing")).isdisjoint(words(what)):
        yield from named_by_verb(f"{verb} {what}", state)


def named_as(what: str, state: TaskState) -> Iterator[ToldTask]:
    """Yield what a text names, as a whole and thing by thing."""
    parts = _parts(what)
    for part in dict.fromkeys((what, *parts)):
        said = words(part)
        is_light, is_verb = said and base_form(said[0]) in _LIGHT, said and base_form(said[0]) in _VERBS
        named = naming(said[1:] if is_light else said)
        if is_verb and not is_light and len(named) > 1:
            named = [_as_one(said), *named[1:]]
        if named and not _UNLISTED.issuperset(named):
            yield ToldTask(state, frozenset(named), owners=owners_in(part))


def _up_to_its_end(rest: str) -> str:
    """Return the beginning of a text that names what is to be done: up to where more is said of it, with all of a list.

    Of "pay the bill today, return the shoes and call mum, they worry" what stands before "they", but for the time.
    """
    if things := _EN["things_listed"].match(rest):
        return things[0]
    first, *others = _EN["next_to_do"].split(rest)
    found = [_EN["ends"].split(first, maxsplit=1)[0]]
    form = verb_form(next(iter(words(first)), ""))
    for each in others:
        verb, part = next(iter(words(each)), ""), _EN["ends"].split(each, maxsplit=1)[0]
        is_like = base_form(verb) in BEGINNING and (verb in LIKE_ORDERS or verb_form(verb) == form)
        if not is_like or _EN["asked_of_them"].search(each) or _EN["tells_of_it"].search(part):
            break
        found.append(part)
    return ", ".join(found)


def verb_form(verb: str) -> str:
    """Return whether a verb tells of the past, ends in "ing", or is plain."""
    return "ing" if verb.endswith("ing") and verb not in AS_THEY_ARE else "past" if is_past_verb(verb) else "plain"


def owners_in(what: str) -> frozenset[str]:
    """Return whose a thing is by words that are written out: of "my son is flu jab" the son."""
    return frozenset(base_form(found[1]) for found in _EN["owner"].finditer(what))


def _parts(what: str) -> list[str]:
    """Return the things to do that a text names: "call the vet and book a haircut", "buy eggs and flour"."""
    parts: list[str] = []
    for piece in _EN["and_then"].split(what):
        said, before = words(piece), words(parts[-1]) if parts else []
        if not parts or (said and base_form(said[0]) in BEGINNING):
            parts.append(piece)
        elif said and before and base_form(before[0]) in _VERBS | GET:
            parts.append(f"{before[0]} {piece}")
        elif said and before[:2] == [_GO, "to"]:
            parts.append(f"{_GO} to {piece.removeprefix('to ')}")
        else:
            parts[-1] = f"{parts[-1]} {piece}"
    return parts


def is_brief(item: str) -> bool:
    """Tell whether a text is no longer than a name, and no clause."""
    said = words(item)
    return 0 < len(said) <= _MOST_NAMING and _EN.words("between").isdisjoint(said)


def naming(said: list[str]) -> list[str]:
    """Return the stems of words that tell which thing is meant."""
    telling = (word for word in said if word not in IDLE and not word[0].isdigit() and len(word) > 1)
    return list(map(base_form, islice(telling, _MOST_NAMING)))


def base_form(word: str) -> str:
    """Return the stem of a word, of a verb in another form that of the plain one: "paid" as "pay"."""
    return stem(_FORMS.get(word, word))


def deed_of(what: str) -> str:
    """Return the stem of the verb that some words begin with, as it stands in the name of a thing to do."""
    return _as_one(words(what)[:1] or [""])


def _as_one(said: list[str]) -> str:
    """Return the stem of the verb some words begin with; of those that mean the same on a list, of one of them."""
    verb = base_form(said[0])
    return verb if said[1:2] and said[1] in _EN.words("after_nouns") else _SAME.get(verb, verb)


def is_event(what: str) -> bool:
    """Tell whether some words name what is set for a day: a meeting, a party."""
    return any(word in _EVENTS or word.removesuffix("s") in _EVENTS for word in words(what))


def is_past_verb(verb: str) -> bool:
    """Tell whether a verb tells of the past: "called", "bought"."""
    return (
        (verb.endswith("ed") and verb not in _EN.words("verbs"))
        or (verb in _FORMS and not verb.endswith("ing"))
        or verb in LIKE_ORDERS
    )


_VERBS, _LIGHT, _ALONE, _IN_TALK, _UNLISTED, _EATEN, _DOSES = (
    frozenset(map(base_form, _EN.words(name)))
    for name in ("verbs", "light", "alone", "in_talk", "unlisted", "eaten", "doses")
)
_SAME = {base_form(verb): base_form(other) for verb, other in _EN.table("same").items()}
_GO = "go"
GET = frozenset({"get"})
GETTING = frozenset({"buy", "pick", "order"})
"""Of what somebody was to buy or to pick up it is enough that they got it."""
BEGINNING = _VERBS | frozenset(map(base_form, _EN.words("beginning")))
"""Verbs with which another thing to do begins, in a list."""


def as_told(question: str, answer: str) -> str:
    """Return what an answer tells of a task, as whoever answers would say it in full; empty where it tells nothing.

    Both are folded, with short forms written out; of the question the last of its kind counts.
    """
    if len(words(answer)) > _MOST_WORDS or _ANSWERS["not_plain"].search(answer):
        return ""
    is_yes, is_no = (_ANSWERS[name].match(answer) is not None for name in ("yes", "no"))
    is_done = _ANSWERS["done"].search(answer) is not None
    if found := _last("was_done", question):
        is_its_verb = (bare_deed(answer) or "") == deed_of(found)
        return f"i finished {found}" if is_done or is_yes or is_its_verb else ""
    if found := _last("goes_on", question):
        return f"i finished {found}" if is_done else ""
    if found := _last("is_to_be", question):
        told = "i no longer need to" if is_no and not is_done else "i finished" if is_done else "i still need to"
        return f"{told} {found}" if is_yes or is_no or is_done else ""
    found = _last("is_wanted", question)
    return f"i need to {found}" if found and is_yes else ""


def bare_deed(answer: str) -> str | None:
    """Return the verb, as it names tasks, with which a few words say that what was named just before is done.

    Empty where they have none ("done!", "it is in"); None where they say no such thing, or more.
    """
    is_more = len(answer) > MOST_BARE_CHARS or _ANSWERS["not_plain"].search(answer)
    found = None if is_more else _ANSWERS["bare"].match(answer)
    if found is None or found["any"]:
        return None if found is None else ""
    return deed_of(found["verb"]) if is_past_verb(found["verb"]) else None


def _last(name: str, question: str) -> str:
    *_, what = ["", *(found["what"].strip() for found in _ANSWERS[name].finditer(question))]
    return "" if what.split(" ")[0] in _ANSWERS.words("no_tasks") else what
