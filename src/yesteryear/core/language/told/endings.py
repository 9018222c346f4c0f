"""What ends what in a life, by grammar and by a table of what people know: who had the baby is pregnant no more.

A model of a few million weights does not know that. The rows are general; what they do not name is left to the reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from yesteryear.core.language.tokens import STOP_WORDS, stem, words
from yesteryear.core.language.told.named_task import TaskState, ToldTask, change_of
from yesteryear.core.language.told.tasks import find_told_tasks, written_out
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("endings")

_CHARS = 600  # characters read of what was said, which is a sentence or a few
_REACH = 6  # most words between what tells that something is over and the thing that is
_SHARED, _UNMISTAKABLE = _EN.words("shared"), _EN.words("unmistakable")
_COMMON = frozenset(map(stem, STOP_WORDS | _EN.words("common")))
_LIGHT = _EN.words("light")
_NO_THINGS = _EN.words("no_things")
_NO_UNITS = STOP_WORDS | _EN.words("no_units")
_UNITS = _EN.table("units")
_NUMERALS = _EN.table("numerals")
_OPEN = frozenset({TaskState.OPEN, TaskState.APPOINTED, TaskState.MOVED})
"""What is to be done or set for a day, as long as nothing else is told of it."""


class Ending(StrEnum):
    """What a later statement does to an earlier one."""

    OVER = "over"  # it is so no more
    DONE = "done"  # what somebody was after is done
    MOVED = "moved"  # it is set for another time, or comes to another number


_OF_TASKS = {TaskState.DONE: Ending.DONE, TaskState.MOVED: Ending.MOVED}  # every other change is an end


@dataclass(frozen=True, slots=True)
class EndingSigns:
    """What a statement tells that may end, or that ends something."""

    states: frozenset[str]  # rows of what is so
    ends: frozenset[str]  # rows of what is so no more
    dropped: frozenset[str]  # stems of things that are there no more
    deceased: frozenset[str]  # stems that tell who has died
    after: frozenset[str]  # stems of what somebody is after
    done: frozenset[str]  # stems of things that are done, got or here
    lacks: frozenset[str]  # stems of what is not so, not done or not had
    again: frozenset[str]  # stems of what is so now, or again
    about: frozenset[str]  # stems that say what it is about
    times: frozenset[tuple[str, str]]  # weekdays, months and numbers, each with which it is, numbers with their unit
    is_moved: bool  # whether it says that something is otherwise from now on
    tasks: tuple[ToldTask, ...]  # what it tells to be done or set for a day, or no more

    @property
    def may_be_ended_by(self) -> set[tuple[str, str]]:
        """What of it something later may end, each with what it is."""
        return _marks(
            state=self.states, about=self.about, after=self.after, lacks=self.lacks, task=_named(self.tasks, _OPEN)
        )

    @property
    def may_end(self) -> set[tuple[str, str]]:
        """What it may end, of that."""
        about = self.dropped | self.about if self.is_moved else self.dropped
        task = _named(self.tasks, frozenset(TaskState) - {TaskState.OPEN, TaskState.APPOINTED})
        return _marks(state=self.ends, about=about, after=self.done, lacks=self.again, task=task)


@lru_cache(maxsize=20_000)
def read_ending_signs(said: str) -> EndingSigns:
    """Return what some words tell that may end, or that ends something. Words that are not meant end nothing."""
    text = written_out(said[:_CHARS])
    clauses = [clause for clause in _EN["boundary"].split(text) if clause.strip()]
    cases = [_EN["supposed"].match(clause.strip()) for clause in ["", *clauses]]  # a clause may put the next as one
    meant = [each for case, each in zip(cases, clauses, strict=False) if not (case or _EN["unmeant"].search(each))]
    for_good = [clause for clause in meant if not _EN["once"].search(clause)]
    now = (clause for clause in meant if _EN["again"].search(clause) and not _EN["denies"].search(clause))
    dropped = *_behind("dropped", for_good, of=_kind), *_before("is_off", for_good, of=_kind), *_no_more(clauses)
    return EndingSigns(
        states=frozenset(_rows("states", [text], "denied")),
        ends=frozenset(_rows("ends", meant, "negated")),
        dropped=frozenset(dropped),
        deceased=frozenset((*_before("has_died", meant, of=_who), *_behind("bereft_of", meant, of=_who))),
        after=frozenset(_behind("after", clauses)),
        done=frozenset((*_behind("done", meant, of=_kind), *_before("is_done", meant))),
        lacks=frozenset(_behind("lacks", clauses, is_denial=True)),
        again=frozenset(each for clause in now for each in _telling(clause)),
        about=frozenset(_telling(text)),
        times=frozenset(_times(text)),
        is_moved=any(_EN["moved"].search(clause) and not _EN["unended"].search(clause) for clause in for_good),
        tasks=find_told_tasks(said[:_CHARS], by_name=True),
    )


def ending(earlier: EndingSigns, later: EndingSigns) -> Ending | None:
    """Return what a later statement of one holder does to an earlier one, by its words; None where they do not tell."""
    if becomes := change_of_tasks(earlier, later):
        return _OF_TASKS.get(becomes, Ending.OVER) if becomes is not TaskState.OPEN else None
    if any(_ended_states(earlier, later)):
        return Ending.OVER
    # What an earlier statement itself tells is dropped or done is only told again.
    if earlier.about & (later.dropped - earlier.dropped) or earlier.lacks & later.again:
        return Ending.OVER
    if earlier.after & (later.done - earlier.done):
        return Ending.DONE
    was, now = ({kind for kind, _ in each.times} for each in (earlier, later))
    differ = (was & now) - {kind for kind, _ in earlier.times & later.times}  # kinds of which they share no value
    return Ending.MOVED if later.is_moved and differ and earlier.about & later.about else None


def change_of_tasks(earlier: EndingSigns, later: EndingSigns) -> TaskState | None:
    """Return how all stands that an earlier statement tells to be done or set for a day, where a later one names it.

    None where it tells nothing so; that it is still to be done where some of it is left, or it is somebody else's.
    """
    due = [task for task in earlier.tasks if task.state in _OPEN]
    found = [next(filter(None, (change_of(task, each) for each in later.tasks)), None) for task in due]
    if not any(found):
        is_others = any(task.is_named_by(each) and each.owners - task.named for task in due for each in later.tasks)
        return TaskState.OPEN if is_others else None
    return found[0] if all(found) else TaskState.OPEN


def are_other_tasks(earlier: EndingSigns, later: EndingSigns) -> bool:
    """Tell whether a later statement takes things off a list that have nothing of what an earlier tells to be done."""
    due = [task for task in earlier.tasks if task.state in _OPEN]
    off = frozenset().union(*(task.things for task in later.tasks if task.state is TaskState.UNLISTED))
    return bool(due and off) and all(task.things and task.things.isdisjoint(off) for task in due)


def ends_unmistakably(earlier: EndingSigns, later: EndingSigns) -> bool:
    """Tell whether a later statement ends what an earlier one tells without a doubt.

    It tells what ends nothing but the state of health that one is in, or names what it tells to be done or set.
    """
    becomes = change_of_tasks(earlier, later)
    return not _UNMISTAKABLE.isdisjoint(_ended_states(earlier, later)) or becomes not in (None, TaskState.OPEN)


def _ended_states(earlier: EndingSigns, later: EndingSigns) -> Iterator[str]:
    shares = bool(earlier.about & later.about)
    return (name for name in earlier.states & later.ends if shares or name not in _SHARED)


def _named(tasks: Iterable[ToldTask], states: frozenset[TaskState]) -> frozenset[str]:
    return frozenset().union(*(task.named for task in tasks if task.state in states))


def _marks(**found: frozenset[str]) -> set[tuple[str, str]]:
    return {(what, each) for what, those in found.items() for each in those}


def _rows(group: str, clauses: Sequence[str], but: str) -> Iterator[str]:
    """Yield the names of rows of which something is said in some clauses, ``but`` not behind such words."""
    if not any(map(_EN.any_of(group).search, clauses)):
        return
    for name, pattern in _EN.group(group).items():
        found = ((clause, each.start()) for clause in clauses for each in pattern.finditer(clause))
        if any(not _EN[but].search(clause[:start]) for clause, start in found):
            yield name


def _behind(
    name: str, clauses: list[str], *, is_denial: bool = False, of: Callable[[str], Iterable[str]] | None = None
) -> Iterator[str]:
    """Yield the stems of the object that stands behind some words, in the same clause."""
    for clause in clauses:
        for found in _EN[name].finditer(clause):
            if is_denial or not _EN["negated"].search(clause[: found.start()]):
                thing = " ".join(
                    _EN["object_ends"].split(clause[found.end() :].strip(), maxsplit=1)[0].split()[:_REACH]
                )
                yield from _who(thing) if of is _who else (of or _telling)(_owned(thing))


def _before(name: str, clauses: list[str], *, of: Callable[[str], Iterable[str]] | None = None) -> Iterator[str]:
    for clause in clauses:
        for found in _EN[name].finditer(clause):
            thing = " ".join(_EN["subject_begins"].split(clause[: found.start()])[-1].split()[-_REACH:])
            yield from _who(thing) if of is _who else (of or _telling)(_owned(thing))


def _kind(thing: str) -> list[str]:
    """Return the stem of what a thing is, of "the car keys" the keys, with all before it where it says little alone."""
    told = [each for each in thing.split() if each not in _NO_THINGS]
    if told and told[-1] in _LIGHT:
        return list(_telling(thing))
    return list(_telling(" ".join(told)))[-1:]


def _who(thing: str) -> list[str]:
    """Return the stems that tell who is meant; nobody where it is somebody else's: "my wife's uncle", written out."""
    return [] if " is " in thing else [stem(each) for each in words(thing) if each not in STOP_WORDS]


def _owned(thing: str) -> str:
    """Return what belongs to somebody or something: of "grandpa's keys", written out, the keys."""
    return thing.rpartition(" is ")[2]


def _no_more(clauses: list[str]) -> Iterator[str]:
    """Yield the stems of what is denied of now, "I don't work weekends any more", and of what was planned."""
    for clause in clauses:
        denied = _EN["denies"].search(clause) if _EN["no_more"].search(clause) else None
        for off in (*_EN["called_off"].finditer(clause), *([denied] if denied else [])):
            yield from list(_telling(clause[off.end() :])) or _telling(clause[: off.start()])
    if any(map(_EN["mistaken"].search, clauses)):
        yield from (each for clause in clauses for each in _telling(clause))


def _telling(text: str) -> Iterator[str]:
    return (each for each in map(stem, words(text)) if each not in _COMMON and len(each) > 2 and not each.isdigit())


def _times(text: str) -> Iterator[tuple[str, str]]:
    for name in ("weekdays", "months"):
        yield from ((name, found[0][:3]) for found in _EN[name].finditer(text))
    for found in _EN["number"].finditer(text):
        unit = "" if found[2] in _NO_UNITS else stem(found[2])
        yield f"number {_UNITS.get(unit, unit)}", found[1]
    for found in _EN["numeral"].finditer(text):
        yield f"number {stem(found[2])}", _NUMERALS[found[1]]
