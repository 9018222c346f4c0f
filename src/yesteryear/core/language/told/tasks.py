"""What a text tells to be done by its speaker, or to be set for a day, and that such a thing is done, off or moved.

"I need to update the pitch deck today", "I have a book club meeting on June 20th", "I'm no longer tracking 'Update the
pitch deck'". A thing is known by the stems of the words that name it, whatever the form of its verb. English, by the
rules of ``language/en/tasks.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import islice

from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, fold, stem, words
from yesteryear.core.language.told.answered_tasks import as_told
from yesteryear.core.language.verbs import is_finite
from yesteryear.core.language.vocabulary import vocabulary

_EN, _ENDINGS = vocabulary("tasks"), vocabulary("endings")

_LIKE_ORDERS = _EN.words("like_orders")
_CHARS = 300  # characters of the longest sentence that is read; who says more in one tells a story
_MOST_NAMING = 8  # stems that name a thing, from the first on; a longer name is no title
_FORMS, _IN_FULL = _EN.table("forms"), _ENDINGS.table("in_full")
_EVENTS = _EN.words("events")
_AS_THEY_ARE = _EN.words("verbs") | _EN.words("light")  # verbs of what is to be done, unstemmed
_IDLE = STOP_WORDS | _EN.words("idle") | _EN.words("weekday") | _EN.words("month")


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
            return bool(self.named) and self.named - _GETTING == other.named - _GETTING
        small, large = sorted((self.named, other.named), key=len)
        return bool(small) and small <= large and (len(small) > 1 or len(large) <= 2)


def change_of(earlier: ToldTask, later: ToldTask) -> TaskState | None:
    """Return how a thing stands by what was told later; None where that tells nothing of it."""
    if earlier.state is TaskState.OPEN and later.state is TaskState.MOVED:
        return later.state if later.named == earlier.named and later.named & _BEGINNING else None
    is_theirs = later.owners <= earlier.named
    is_told = later.state in _CHANGES.get(earlier.state, ()) and earlier.is_named_by(later) and is_theirs
    return later.state if is_told else None


@lru_cache(maxsize=20_000)
def find_told_tasks(text: str, *, by_name: bool = False) -> tuple[ToldTask, ...]:
    """Return what a text tells to be done, set for a day, or settled; each state of a sentence once.

    ``by_name`` a sentence may tell of its speaker by their name, "Robin needs to call the bank", as facts do. Behind a
    question it may answer: "did you call the bank? yep".
    """
    found: dict[ToldTask, None] = {}
    before = ""
    for sentence in split_sentences(text):
        if len(sentence) <= _CHARS:
            said = written_out(sentence)
            found |= dict.fromkeys(_in_sentence(_EN["by_name"].sub("i", said) if by_name else said))
            found |= dict.fromkeys(_in_sentence(as_told(before, said)) if before.endswith("?") else ())
            before = said
    return tuple(found)


def tell_apart(statement: str) -> list[str]:
    """Return a plain statement of several things to do as one of each: who has to buy stamps and ring Bo has two.

    As it is where it is no such statement, or a verb of it stands in another form ("needs to ring Bo and buys milk").
    """
    found = _EN["has_to"].match(statement)
    if found is None or not _EN.words("leaning").isdisjoint(words(found["rest"])):
        return [statement]
    parts = [""]
    for piece in _EN["listed_apart"].split(found["rest"]):
        is_task = piece and written_out(piece).split(" ")[0] in _AS_THEY_ARE
        parts = [*parts, piece] if is_task else [*parts[:-1], f"{parts[-1]} and {piece}".removeprefix(" and ")]
    told = [f"{found['lead']}{part}" for part in parts if part]
    is_apart = all(any(task.state is TaskState.OPEN for task in find_told_tasks(each, by_name=True)) for each in told)
    return told if len(told) > 1 and is_apart else [statement]


def listed_tasks(sentence: str) -> list[str]:
    """Return the things to do that a sentence lists, each with its verb: "On my list: paint the fence, ring Bo".

    Numbered or behind words that lead to a list; nothing where most of them have no plain verb.
    """
    _, *numbered = _EN["numbered"].split(sentence)
    led = _EN["listed_under"].match(fold(sentence))
    listed = _EN["between_items"].split(sentence[led.start("what") :]) if led else numbered
    items = [each.strip(" .,;!") for each in listed]
    known = sum(_base(next(iter(words(each)), "")) in _BEGINNING for each in items)
    return [_as_deed(each) for each in items] if len(items) > 1 and 2 * known >= len(items) else []


def _as_deed(item: str) -> str:
    """Return an item of a list with a verb: "mandatory training" is to be seen to."""
    first, *rest = words(item) or [""]
    has_verb = (_base(first) in _BEGINNING and _form(first) == "plain") or _EN["determined"].match(" ".join(rest))
    return item if has_verb else f"see to {item}"


def answered_task(question: str, answer: str) -> TaskState | None:
    """Return how something to do stands where a message says so only by what the last sentence before it asks."""
    *_, last = ["", *split_sentences(question)]
    told = find_told_tasks(f"{last} {answer}") if last.endswith("?") and len(answer) <= _CHARS else ()
    return told[0].state if told and not find_told_tasks(answer) else None


def written_out(text: str) -> str:
    """Return text folded, with its short forms in full: "she's", "im", "dont"."""
    return " ".join(_ENDINGS["short"].sub(lambda found: _IN_FULL[found[0]], fold(text)).split())


def is_for_now(sentence: str, message: str) -> bool:
    """Tell whether what a sentence says to be done is done while one talks, and stands on no list.

    Somebody asks for help with what an assistant does in a talk ("I need to write an essay, can you outline it?"),
    speaks of a program, and of no time, or lists what an answer is to be like.
    """
    told, folded = find_told_tasks(sentence), fold(sentence)
    if _EN["item"].match(folded) and not _is_a_list(message):
        return True
    if _EN["in_code"].search(folded) and not _EN["in_time"].search(folded):
        return True
    return all(each.in_talk for each in told) and _EN["asks_help"].search(fold(message)) is not None


def _is_a_list(message: str) -> bool:
    """Tell whether a message is a list of what is to be done and nothing else, but for a heading that says so."""
    lines = [line.strip() for line in fold(message).splitlines() if line.strip()]
    is_headed = bool(lines) and _EN["heading"].match(lines[0]) is not None
    return len(lines) > 1 and all(map(_EN["item"].match, lines[is_headed:]))


def speaks_of_a_list(sentence: str) -> bool:
    """Tell whether a sentence speaks of a list of what is to be done, or a calendar."""
    return _EN["listed"].search(fold(sentence)) is not None


def _in_sentence(said: str) -> Iterator[ToldTask]:
    settled = list(_settled(said))
    yield from settled
    yield from _put_on_a_list(said)
    if said.rstrip("\"'”’ ").endswith("?") or _EN["unmeant"].search(said):
        return
    moved = list(_set_for_a_day(said, TaskState.MOVED, "is_moved", "moved", "recalendared"))
    yield from moved
    if settled or moved:
        return
    done, to_do = list(_done(said)), list(_to_do(said))
    yield from done
    will_do = [*_open(said, "will_do", light=_WILL_LIGHTLY)]
    set_for: list[ToldTask] = []
    if all(each.in_passing for each in done):
        found = _set_for_a_day(said, TaskState.APPOINTED, "have_set", "is_set", "going", "day_first")
        named = [each.named for each in (*to_do, *will_do)]
        set_for = [each for each in found if not any(each.named <= other or other <= each.named for other in named)]
    yield from to_do
    is_moved = _EN["another_day"].search(said) is not None
    for each in (*will_do, *set_for):
        yield replace(each, state=TaskState.MOVED) if is_moved else each


def _to_do(said: str) -> Iterator[ToldTask]:
    """Yield what a sentence tells to be done by its speaker, or not to be done yet."""
    yield from _open(said, "to_do")
    yield from _open(said, "left_undone", light=_WILL_LIGHTLY)
    for found in _EN["to_be_done"].finditer(said):
        yield from () if _owners_in(found["what"]) else _named(found["what"], TaskState.OPEN)
    for found in _EN["due"].finditer(said):
        what = found["what"]
        if _EN.words("expected").isdisjoint(words(what)) and not (_is_event(what) or _owners_in(what)):
            yield from _named(what, TaskState.OPEN)
    if _EN["yet"].search(said):
        for found in _EN["not_yet"].finditer(said):
            yield from _done_by_verb(said[found.end() :], TaskState.OPEN)
        for found in _EN["not_made"].finditer(said):
            yield from _made(found, TaskState.OPEN)


def _put_on_a_list(said: str) -> Iterator[ToldTask]:
    """Yield what is to be put on a list, stands on one that is named so, or is an item of one."""
    for found in (*_EN["on_list"].finditer(said), *_EN["headed"].finditer(said)):
        title = _EN["titled"].match(said, found.start("what"))
        what = title["title"] if title else found["what"]
        verb = "buy " if _EN["to_buy"].search(found["kind"] or "") else ""
        for item in [what] if title else _items(what):
            yield from _item(item, verb)
    for item in listed_tasks(said):
        yield from _done_by_verb(item, TaskState.OPEN)
    yield from _open(said, "reminds")
    if entry := _EN["item"].match(said):
        state = TaskState.DONE if (entry["ticked"] or "").strip() else TaskState.OPEN
        verb = next(iter(words(entry["what"])), "")
        if _base(verb) in _BEGINNING and _form(verb) == "plain" and _is_brief(entry["what"]):
            yield from _done_by_verb(entry["what"], state)


def _items(what: str) -> Iterator[str]:
    """Yield the items of a list, as far as they are that: "milk, eggs and a call to the vet"."""
    for item in _EN["between_items"].split(what):
        if not _is_brief(item):
            return
        yield item


def _item(item: str, verb: str) -> Iterator[ToldTask]:
    """Yield an item of a list, with the verb for things on it, if any, unless it has its own."""
    first = _base(next(iter(words(item)), ""))
    if first in (_GET | _GETTING if verb else _BEGINNING):
        yield from _done_by_verb(item, TaskState.OPEN)
    else:
        yield from _done_by_verb(verb + item, TaskState.OPEN) if verb else _named(item, TaskState.OPEN)


def _is_brief(item: str) -> bool:
    said = words(item)
    return 0 < len(said) <= _MOST_NAMING and _EN.words("between").isdisjoint(said)


def _open(said: str, name: str, *, light: frozenset[str] | None = None) -> Iterator[ToldTask]:
    for found in _EN[name].finditer(said):
        if not _EN["says_other"].search(said[: found.start()]):
            rest = said[found.end() :]
            back = _EN["points_back"].match(rest)
            topic = _topic(said[: found.start()]) if back else ""
            yield from _done_by_verb(f"{back['verb']} {topic}" if back and topic else rest, TaskState.OPEN, light=light)


def _topic(before: str) -> str:
    """Return the thing of which the clause before tells: of "the passport runs out" the passport."""
    clause = next((each for each in reversed(_EN["between_items"].split(before)) if each.strip()), "")
    said = words(clause)
    verb = next((place for place, word in enumerate(said) if is_finite(word)), len(said))
    is_own = not _naming(said[:verb])
    thing = said[verb + 1 :] if is_own else said[:verb]
    end = next((place for place, word in enumerate(thing) if place and word in _EN.words("leads_on")), len(thing))
    return " ".join(word for word in thing[:end] if word not in _IDLE)


def _settled(folded: str) -> Iterator[ToldTask]:
    """Yield what a sentence tells to be off: taken from a list, to be done no more, or not taking place."""
    for name in ("untracked", "off_list", "no_priority"):
        for found in _EN[name].finditer(folded):
            title = _EN["titled"].search(folded, max(0, found.start("what") - 1))
            if name != "untracked" or _EN["listed"].search(found[0]):
                what = title["title"] if title else _EN["ends"].split(found["what"], maxsplit=1)[0]
                yield from _named(what, TaskState.UNLISTED)
    for found in _EN["no_need"].finditer(folded) if _EN["no_more"].search(folded) else ():
        yield from _done_by_verb(folded[found.end() :], TaskState.DROPPED)
    missed = () if _EN["long_ago"].search(folded) else _EN["missed"].finditer(folded)
    for found in (*missed, *_EN["is_called_off"].finditer(folded)):
        what = _EN["ends"].split(found["what"], maxsplit=1)[0]
        if _is_event(what) and not _EN["not_missed"].search(folded[: found.start()]):
            yield from _named(what, TaskState.MISSED)


def _done(folded: str) -> Iterator[ToldTask]:
    got_done = list(_EN["got_done"].finditer(folded))
    for found in got_done:
        yield from _named(f"{found['made'] or ''} {found['which'] or found['what']}", TaskState.DONE)
    is_vain = _EN["in_vain"].search(folded) is not None
    for found in (*_EN["is_done"].finditer(folded), *(() if is_vain else _EN["is_made"].finditer(folded))):
        is_all = found["verb"] in _EN.words("settled") and _EN["all_told"].match(folded, found.end())
        is_plain = found.re is _EN["is_done"] or is_all
        in_passing = not is_plain or _EN["for_a_day"].match(folded, found.end()) is not None
        yield from (replace(each, in_passing=in_passing) for each in _made(found, TaskState.DONE))
    for found in () if is_vain else _EN["is_noted"].finditer(folded):
        yield from (replace(each, in_passing=True) for each in _made(found, TaskState.DONE))
    finished = list(_EN["finished"].finditer(folded))
    for found in finished:
        title = _EN["titled"].match(folded, found.end())
        rest = folded[found.end() :]
        yield from _named(title["title"], TaskState.DONE) if title else _done_by_verb(rest, TaskState.DONE)
    if not (finished or got_done or _EN["left_undone"].search(folded)):
        for found in _EN["did"].finditer(folded):
            yield from _did(folded, found, is_vain=is_vain)


def _did(folded: str, found: re.Match[str], *, is_vain: bool) -> Iterator[ToldTask]:
    """Yield what a sentence tells that somebody did, whose verb stands behind what was found."""
    rest = folded[found.end() :]
    first = next(iter(words(rest)), "")
    if went := _EN["went_or_got"].match(rest):
        is_having = first == "got" and found[0].endswith("have ")
        is_story = _EN["long_ago"].search(folded) or _EN["when_then"].search(rest)
        yield from () if is_vain or is_having or is_story else _went_or_got(went)
        return
    is_order = not found[0] and first in _LIKE_ORDERS
    is_own = first not in _EN.words("may_be_idle") and _EN["its_own"].search(rest)
    in_passing = not (is_own or _EN["at_once"].search(folded))
    if _is_past(first) and not is_order and not (is_vain and in_passing):
        told = _done_by_verb(rest, TaskState.DONE, light=_DID_LIGHTLY)
        yield from (replace(each, in_passing=in_passing) for each in told)


def _went_or_got(found: re.Match[str]) -> Iterator[ToldTask]:
    """Yield where somebody went, or what they got, as what may have been to do."""
    if found["what"] and _EN["from_them"].search(found[0]):
        return
    what = _EN["ends"].split(found["place"] or _EN["got_at"].split(found["what"], maxsplit=1)[0], maxsplit=1)[0]
    for part in _EN["and_then"].split(what):
        if named := _naming(words(part)):
            verb = "go" if found["place"] else "buy"
            owners = _owners_in(part)
            yield ToldTask(TaskState.DONE, frozenset((verb, *named)), owners=owners, in_passing=True, is_whole=True)


def _set_for_a_day(folded: str, state: TaskState, *names: str) -> Iterator[ToldTask]:
    for name in names:
        for found in _EN[name].finditer(folded):
            groups = found.groupdict()
            what = groups["what"] or groups.get("when") or ""
            is_to_be = state is TaskState.MOVED and _EN["not_missed"].search(folded[: found.start()])
            is_yearly = name == "is_set" and not _EN.words("yearly").isdisjoint(words(what))
            is_often = _EN["often"].search(found[0]) or _EN["each"].match(folded, found.end())
            if is_to_be or is_yearly or is_often:
                continue
            if _is_event(what) or _EN["is_dated"].search(found[0]):
                yield from _named(what, state)


def _done_by_verb(rest: str, state: TaskState, *, light: frozenset[str] | None = None) -> Iterator[ToldTask]:
    """Yield what a verb and what stands behind it name, two things apart; of what is settled a thing alone will do."""
    title = _EN["titled"].match(rest)
    is_known = state is not TaskState.OPEN and _EN["determined"].match(rest) is not None
    for part in _parts(title["title"] if title else _up_to_its_end(rest)):
        said = words(part)
        verb = _base(said[0]) if said else ""
        is_going = verb == _GO and said[1:2] == ["to"]
        is_light = verb in (_LIGHT if light is None else light) and not is_going
        if not said or not (is_known or is_going or is_light or verb in _VERBS - _LIGHT):
            return
        is_verb = is_going or (not is_light and verb in _VERBS)
        things = _naming(said[1:] if is_light or is_verb else said)
        named = [_as_one(said), *things] if is_verb else things
        unlisted = _UNLISTED | (_EATEN if is_known else _DOSES if is_light else frozenset())
        if (things or verb in _ALONE) and not (things and unlisted.issuperset(things)):
            yield ToldTask(state, frozenset(named), in_talk=verb in _IN_TALK, owners=_owners_in(part))


def _made(found: re.Match[str], state: TaskState) -> Iterator[ToldTask]:
    """Yield what is told to be made, sent or paid, with the thing before the verb: "the parcel is posted"."""
    verb, what = next(iter(words(found["verb"])), ""), found["what"]
    if verb in _EN.words("just_done") or _base(verb) not in _VERBS - _LIGHT:
        yield from _named(what, state) if verb in _EN.words("settled") or found.re is _EN["is_done"] else ()
    elif (_EN.words("of_others") | _EN.words("no_thing")).isdisjoint(words(what)):
        yield from _done_by_verb(f"{verb} {what}", state)


def _named(what: str, state: TaskState) -> Iterator[ToldTask]:
    parts = _parts(what)
    for part in dict.fromkeys((what, *parts)):
        said = words(part)
        is_light, is_verb = said and _base(said[0]) in _LIGHT, said and _base(said[0]) in _VERBS
        named = _naming(said[1:] if is_light else said)
        if is_verb and not is_light and len(named) > 1:
            named = [_as_one(said), *named[1:]]
        if named and not _UNLISTED.issuperset(named):
            yield ToldTask(state, frozenset(named), owners=_owners_in(part))


def _up_to_its_end(rest: str) -> str:
    """Return the beginning of a text that names what is to be done: up to where more is said of it, with all of a list.

    Of "pay the bill today, return the shoes and call mum, they worry" what stands before "they", but for the time.
    """
    if things := _EN["things_listed"].match(rest):
        return things[0]
    first, *others = _EN["next_to_do"].split(rest)
    found = [_EN["ends"].split(first, maxsplit=1)[0]]
    form = _form(next(iter(words(first)), ""))
    for each in others:
        verb, part = next(iter(words(each)), ""), _EN["ends"].split(each, maxsplit=1)[0]
        is_like = _base(verb) in _BEGINNING and (verb in _LIKE_ORDERS or _form(verb) == form)
        if not is_like or _EN["asked_of_them"].search(each) or _EN["tells_of_it"].search(part):
            break
        found.append(part)
    return ", ".join(found)


def _form(verb: str) -> str:
    """Return whether a verb tells of the past, ends in "ing", or is plain."""
    return "ing" if verb.endswith("ing") and verb not in _AS_THEY_ARE else "past" if _is_past(verb) else "plain"


def _owners_in(what: str) -> frozenset[str]:
    """Return whose a thing is by words that are written out: of "my son is flu jab" the son."""
    return frozenset(_base(found[1]) for found in _EN["owner"].finditer(what))


def _parts(what: str) -> list[str]:
    """Return the things to do that a text names: "call the vet and book a haircut", "buy eggs and flour"."""
    parts: list[str] = []
    for piece in _EN["and_then"].split(what):
        said, before = words(piece), words(parts[-1]) if parts else []
        if not parts or (said and _base(said[0]) in _BEGINNING):
            parts.append(piece)
        elif said and before and _base(before[0]) in _VERBS | _GET:
            parts.append(f"{before[0]} {piece}")
        elif said and before[:2] == [_GO, "to"]:
            parts.append(f"{_GO} to {piece.removeprefix('to ')}")
        else:
            parts[-1] = f"{parts[-1]} {piece}"
    return parts


def _naming(said: list[str]) -> list[str]:
    """Return the stems of words that tell which thing is meant."""
    telling = (word for word in said if word not in _IDLE and not word[0].isdigit() and len(word) > 1)
    return list(map(_base, islice(telling, _MOST_NAMING)))


def _base(word: str) -> str:
    return stem(_FORMS.get(word, word))


def _as_one(said: list[str]) -> str:
    """Return the stem of the verb some words begin with; of those that mean the same on a list, of one of them."""
    verb = _base(said[0])
    return verb if said[1:2] and said[1] in _EN.words("after_nouns") else _SAME.get(verb, verb)


def _is_event(what: str) -> bool:
    """Tell whether some words name what is set for a day: a meeting, a party."""
    return any(word in _EVENTS or word.removesuffix("s") in _EVENTS for word in words(what))


def _is_past(verb: str) -> bool:
    """Tell whether a verb tells of the past: "called", "bought"."""
    return (
        (verb.endswith("ed") and verb not in _EN.words("verbs"))
        or (verb in _FORMS and not verb.endswith("ing"))
        or verb in _LIKE_ORDERS
    )


_VERBS, _LIGHT, _ALONE, _IN_TALK, _UNLISTED, _EATEN, _DOSES = (
    frozenset(map(_base, _EN.words(name)))
    for name in ("verbs", "light", "alone", "in_talk", "unlisted", "eaten", "doses")
)
_SAME = {_base(verb): _base(other) for verb, other in _EN.table("same").items()}
_GO = "go"
_GET = frozenset({"get"})
_GETTING = frozenset({"buy", "pick", "order"})
"""Of what somebody was to buy or to pick up it is enough that they got it."""
_BEGINNING = _VERBS | frozenset(map(_base, _EN.words("beginning")))
"""Verbs with which another thing to do begins, in a list."""
_WILL_LIGHTLY = frozenset(map(_base, _EN.words("will_lightly")))
"""Of those, the ones that tell of what one will do: who will start or have something has no task."""
_DID_LIGHTLY = frozenset({"do", "make"})
"""Of those whose object alone tells what was done, those that tell so of what was: who found something did no task."""
