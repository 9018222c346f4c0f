"""What a text tells to be done by its speaker, or to be set for a day, and that such a thing is done, off or moved.

"I need to update the pitch deck today", "I have a book club meeting on June 20th", "I'm no longer tracking 'Update the
pitch deck'". A thing is known by the stems of the words that name it, whatever the form of its verb. English, by the
rules of ``language/en/tasks.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold, words
from yesteryear.core.language.told.about_oneself import tells_news_briefly
from yesteryear.core.language.told.named_task import (
    AS_THEY_ARE,
    BEGINNING,
    GET,
    GETTING,
    IDLE,
    LIKE_ORDERS,
    MOST_BARE_CHARS,
    TaskState,
    ToldTask,
    as_told,
    bare_deed,
    base_form,
    change_of,
    is_brief,
    is_event,
    is_past_verb,
    named_as,
    named_as_made,
    named_by_verb,
    naming,
    owners_in,
    verb_form,
)
from yesteryear.core.language.verbs import is_finite
from yesteryear.core.language.vocabulary import vocabulary

_EN, _ENDINGS = vocabulary("tasks"), vocabulary("endings")

_CHARS = 300  # characters of the longest sentence that is read; who says more in one tells a story
_IN_FULL = _ENDINGS.table("in_full")


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
            found |= dict.fromkeys(_done_barely(found, said))
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
        is_task = piece and written_out(piece).split(" ")[0] in AS_THEY_ARE
        parts = [*parts, piece] if is_task else [*parts[:-1], f"{parts[-1]} and {piece}".removeprefix(" and ")]
    told = [f"{found['lead']}{part}" for part in parts if part]
    is_apart = all(any(task.state is TaskState.OPEN for task in find_told_tasks(each, by_name=True)) for each in told)
    return told if len(told) > 1 and is_apart else [statement]


def listed_tasks(sentence: str) -> list[str]:
    """Return the things to do that a sentence lists, each with its verb: "On my list: paint the fence, ring Bo".

    Numbered or behind words that lead to a list; nothing where one of them has no plain verb.
    """
    _, *numbered = _EN["numbered"].split(sentence[:_CHARS])
    led = _EN["listed_under"].match(fold(sentence[:_CHARS]))
    listed = _EN["between_items"].split(sentence[led.start("what") : _CHARS]) if led else numbered
    items = [each.strip(" .,;!") for each in listed]
    return items if len(items) > 1 and all(map(_is_deed, items)) else []


def _is_deed(item: str) -> bool:
    """Tell whether a text begins with a plain verb, one of a list or one with its object: "creosote the fence"."""
    first, *rest = words(item) or [""]
    is_known = base_form(first) in BEGINNING and verb_form(first) == "plain"
    return is_known or (first.isalpha() and _EN["determined"].match(" ".join(rest)) is not None)


def answered_task(question: str, answer: str) -> TaskState | None:
    """Return how something to do stands where a message says so only by what the last sentence before it asks."""
    *_, last = ["", *split_sentences(question)]
    told = find_told_tasks(f"{last} {answer}") if last.endswith("?") and len(answer) <= _CHARS else ()
    return told[0].state if told and not find_told_tasks(answer) else None


def done_barely(told: Iterable[str], answer: str) -> str:
    """Return which of some sentences tells the thing to do that a mere "done!" or "submitted!" behind them settles.

    Empty where it is not certain which: where it may be of several, says by itself what became of a task, or something
    else was said since.
    """
    found: dict[ToldTask, str] = {}
    is_last = False
    for sentence in told if len(answer) <= MOST_BARE_CHARS else ():
        named = find_told_tasks(sentence)
        found, is_last = found | dict.fromkeys(named, sentence), bool(named)
    if not is_last:
        return ""
    task = None if find_told_tasks(answer) else next(_done_barely(found, written_out(answer)), None)
    return next((found[each] for each in found if task and each.named == task.named), "")


def _done_barely(told: Iterable[ToldTask], said: str) -> Iterator[ToldTask]:
    """Yield as done the one of several things to do that a sentence without its name says is done."""
    deed = bare_deed(said)
    if deed is None:
        return
    told = list(told)
    still = [each for each in told if each.state is TaskState.OPEN and not any(change_of(each, by) for by in told)]
    meant = {each.named: each for each in still if not deed or deed in each.named}
    if len(meant) == 1:
        yield from (replace(each, state=TaskState.DONE) for each in meant.values())


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
        yield from () if owners_in(found["what"]) else named_as(found["what"], TaskState.OPEN)
    for found in _EN["due"].finditer(said):
        what = found["what"]
        if _EN.words("expected").isdisjoint(words(what)) and not (is_event(what) or owners_in(what)):
            yield from named_as(what, TaskState.OPEN)
    if _EN["yet"].search(said):
        for found in _EN["not_yet"].finditer(said):
            yield from named_by_verb(said[found.end() :], TaskState.OPEN)
        for found in _EN["not_made"].finditer(said):
            yield from named_as_made(found, TaskState.OPEN)


def _put_on_a_list(said: str) -> Iterator[ToldTask]:
    """Yield what is to be put on a list, stands on one that is named so, or is an item of one."""
    for found in (*_EN["on_list"].finditer(said), *_EN["headed"].finditer(said)):
        title = _EN["titled"].match(said, found.start("what"))
        what = title["title"] if title else found["what"]
        verb = "buy " if _EN["to_buy"].search(found["kind"] or "") else ""
        for item in [what] if title else _items(what):
            yield from _item(item, verb)
    for item in listed_tasks(said):
        yield from named_by_verb(item, TaskState.OPEN)
    yield from _open(said, "reminds")
    if entry := _EN["item"].match(said):
        state = TaskState.DONE if (entry["ticked"] or "").strip() else TaskState.OPEN
        verb = next(iter(words(entry["what"])), "")
        if base_form(verb) in BEGINNING and verb_form(verb) == "plain" and is_brief(entry["what"]):
            yield from named_by_verb(entry["what"], state)


def _items(what: str) -> Iterator[str]:
    """Yield the items of a list, as far as they are that: "milk, eggs and a call to the vet"."""
    for item in _EN["between_items"].split(what):
        if not is_brief(item):
            return
        yield item


def _item(item: str, verb: str) -> Iterator[ToldTask]:
    """Yield an item of a list, with the verb for things on it, if any, unless it has its own."""
    first = base_form(next(iter(words(item)), ""))
    if first in (GET | GETTING if verb else BEGINNING):
        yield from named_by_verb(item, TaskState.OPEN)
    else:
        yield from named_by_verb(verb + item, TaskState.OPEN) if verb else named_as(item, TaskState.OPEN)


def _open(said: str, name: str, *, light: frozenset[str] | None = None) -> Iterator[ToldTask]:
    for found in _EN[name].finditer(said):
        if not _EN["says_other"].search(said[: found.start()]):
            rest = said[found.end() :]
            back = _EN["points_back"].match(rest)
            topic = _topic(said[: found.start()]) if back else ""
            yield from named_by_verb(f"{back['verb']} {topic}" if back and topic else rest, TaskState.OPEN, light=light)


def _topic(before: str) -> str:
    """Return the thing of which the clause before tells: of "the passport runs out" the passport."""
    clause = next((each for each in reversed(_EN["between_items"].split(before)) if each.strip()), "")
    said = words(clause)
    verb = next((place for place, word in enumerate(said) if is_finite(word)), len(said))
    is_own = not naming(said[:verb])
    thing = said[verb + 1 :] if is_own else said[:verb]
    end = next((place for place, word in enumerate(thing) if place and word in _EN.words("leads_on")), len(thing))
    return " ".join(word for word in thing[:end] if word not in IDLE)


def _settled(folded: str) -> Iterator[ToldTask]:
    """Yield what a sentence tells to be off: taken from a list, to be done no more, or not taking place."""
    for name in ("untracked", "off_list", "no_priority"):
        for found in _EN[name].finditer(folded):
            title = _EN["titled"].search(folded, max(0, found.start("what") - 1))
            if name != "untracked" or _EN["listed"].search(found[0]):
                what = title["title"] if title else _EN["ends"].split(found["what"], maxsplit=1)[0]
                yield from named_as(what, TaskState.UNLISTED)
    for found in _EN["no_need"].finditer(folded) if _EN["no_more"].search(folded) else ():
        yield from named_by_verb(folded[found.end() :], TaskState.DROPPED)
    missed = () if _EN["long_ago"].search(folded) else _EN["missed"].finditer(folded)
    for found in (*missed, *_EN["is_called_off"].finditer(folded)):
        what = _EN["ends"].split(found["what"], maxsplit=1)[0]
        if is_event(what) and not _EN["not_missed"].search(folded[: found.start()]):
            yield from named_as(what, TaskState.MISSED)


def _done(folded: str) -> Iterator[ToldTask]:
    got_done = list(_EN["got_done"].finditer(folded))
    for found in got_done:
        yield from named_as(f"{found['made'] or ''} {found['which'] or found['what']}", TaskState.DONE)
    is_vain = _EN["in_vain"].search(folded) is not None
    for found in (*_EN["is_done"].finditer(folded), *(() if is_vain else _EN["is_made"].finditer(folded))):
        is_all = found["verb"] in _EN.words("settled") and _EN["all_told"].match(folded, found.end())
        is_plain = found.re is _EN["is_done"] or is_all
        in_passing = not is_plain or _EN["for_a_day"].match(folded, found.end()) is not None
        yield from (replace(each, in_passing=in_passing) for each in named_as_made(found, TaskState.DONE))
    for found in () if is_vain else _EN["is_noted"].finditer(folded):
        yield from (replace(each, in_passing=True) for each in named_as_made(found, TaskState.DONE))
    finished = list(_EN["finished"].finditer(folded))
    for found in finished:
        title = _EN["titled"].match(folded, found.end())
        rest = folded[found.end() :]
        yield from named_as(title["title"], TaskState.DONE) if title else named_by_verb(rest, TaskState.DONE)
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
    is_order = not found[0] and first in LIKE_ORDERS and not tells_news_briefly(folded)
    is_own = first not in _EN.words("may_be_idle") and _EN["its_own"].search(rest)
    in_passing = not (is_own or _EN["at_once"].search(folded))
    if is_past_verb(first) and not is_order and not (is_vain and in_passing):
        told = named_by_verb(rest, TaskState.DONE, light=_DID_LIGHTLY)
        yield from (replace(each, in_passing=in_passing) for each in told)


def _went_or_got(found: re.Match[str]) -> Iterator[ToldTask]:
    """Yield where somebody went, or what they got, as what may have been to do."""
    if found["what"] and _EN["from_them"].search(found[0]):
        return
    what = _EN["ends"].split(found["place"] or _EN["got_at"].split(found["what"], maxsplit=1)[0], maxsplit=1)[0]
    for part in _EN["and_then"].split(what):
        if named := naming(words(part)):
            verb = "go" if found["place"] else "buy"
            owners = owners_in(part)
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
            if is_event(what) or _EN["is_dated"].search(found[0]):
                yield from named_as(what, state)


_WILL_LIGHTLY = frozenset(map(base_form, _EN.words("will_lightly")))
"""Of those, the ones that tell of what one will do: who will start or have something has no task."""
_DID_LIGHTLY = frozenset({"do", "make"})
"""Of those whose object alone tells what was done, those that tell so of what was: who found something did no task."""
