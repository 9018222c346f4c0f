"""Suites: a message or two. Is what they tell known, for how long, and is it ended by what tells otherwise?

``told``: one message, in the little that stands before it. JSON Lines of ``{id, author, messages, must, why}``, where
wanted with ``at`` (when it was said), ``holds`` and ``never``. ``messages`` are of ``{role, text}``, with ``author``
where another one speaks and ``after`` where hours have passed; the last one tells. ``must`` lists what is to be known,
each as groups of stems; it is empty where nothing is to be kept. ``holds`` says of later days whether it is still so;
``never`` lists what is to be told by no fact, as what was corrected, unless ``must`` stands beside it.

``changes``: a person tells something, and weeks later, in passing, that it is otherwise. JSON Lines of ``{id, author,
first, then, ends, old, why}``; ``old`` are stems by which a statement still tells what first was, ``ends`` is false
where both hold, and ``keeps``, where it is there, lists what of the first holds on. ``others`` of the rows' first
messages, of those that follow a row, are told before it, so that much else is known.

``tasks``: days in which somebody tells what is to be done, and what became of it. JSON Lines of ``{id, author,
messages, open, closed, why}``, messages as above; ``open`` lists what is still to be done at the end, ``closed`` what
was to be done and is not any more, each as groups of stems.

``retracted``: a talk in which somebody takes something back, or says what they do not mean. JSON Lines of ``{id,
author, messages, back, by, why}``, messages as above; ``back`` lists ``[message, piece]`` of what is to be told by no
fact, empty where all is to be believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import yesteryear
from yesteryear_lab.bench.lives import tells
from yesteryear_lab.bench.report import (
    MOST_FACTS,
    EmbedderOptions,
    Metrics,
    at_least,
    believed,
    lend_memory,
    rows_by,
    suite_of_rows,
)
from yesteryear_lab.bench.retold import FEWEST_WORDS, SENTENCE_END, ending, is_told, words_of
from yesteryear_lab.figures import known, share
from yesteryear_lab.training.rows import Row

_SAID = datetime(2026, 2, 2, 18, tzinfo=UTC)
_SOON, _REST, _NOON = timedelta(hours=3), timedelta(hours=20), timedelta(hours=12)
_FIRST_SAID, _DAY, _LATER = datetime(2026, 2, 2, 8, tzinfo=UTC), timedelta(days=1), timedelta(days=24)
_STATES = ("open", "closed")  # of what somebody has to do, or had
_OVER = ending("ex|instead|changed|over")


def _tell_all(memory: yesteryear.Memory, clock: yesteryear.ReplayClock, row: Row) -> None:
    for said in row["messages"]:
        author = said.get("author", row["author"] if said["role"] == "user" else "Assistant")
        if "after" in said:
            memory.flush()
            clock.advance(timedelta(hours=said["after"]))
        memory.observe(said["text"], role=said["role"], author=author, conversation="chat")
        clock.advance(timedelta(minutes=1))
    memory.flush()


def _tell(row: Row, embedder: str) -> Metrics:
    """Tell it all, and look what is believed on the next day and on each day that is asked about."""
    at = datetime.fromisoformat(row["at"]) if "at" in row else _SAID
    with lend_memory(row["author"], at, embedder) as (memory, clock):
        _tell_all(memory, clock, row)
        days = {day: datetime.fromisoformat(day).replace(tzinfo=UTC) + _NOON for day in row.get("holds", ())}
        clock.set(min([clock.now() + _REST, *days.values()]))
        memory.flush()
        facts = believed(memory, status="all")
        told = [any(tells(fact, thing) for fact in facts) for thing in row["must"]]
        beside = [fact for fact in believed(memory) if not any(tells(fact, thing) for thing in row["must"])]
        still = []
        for day, then in sorted(days.items(), key=lambda each: each[1]):
            clock.set(then)
            memory.flush()
            now = believed(memory)
            still.append((day, row["holds"][day], all(any(tells(f, thing) for f in now) for thing in row["must"])))
    return {
        "id": row["id"],
        "why": row["why"],
        "text": row["messages"][-1]["text"],
        "facts": facts,
        "known": told,
        "still": still if all(told) else [],
        "wrong": [any(tells(fact, thing) for fact in beside) for thing in row.get("never", ())],
    }


def _figures(rows: Sequence[Metrics]) -> Metrics:
    found: Metrics = {}
    for why, kept in [("", rows), *rows_by(rows, "why").items()]:
        days = [(holds, is_so) for row in kept for _, holds, is_so in row["still"]]
        figures = {
            "known": share(is_known for row in kept for is_known in row["known"]),
            "nothing": share(not row["facts"] for row in kept if not row["known"]),
            "stands": share(is_so for holds, is_so in days if holds),
            "over": share(not is_so for holds, is_so in days if not holds),
            "wrong": share(is_so for row in kept for is_so in row["wrong"]),
        }
        found |= {f"{name}.{why}" if kept is not rows else name: value for name, value in figures.items()}
    return known(found)


TOLD = suite_of_rows(
    "one message: whether what it tells is known, and no longer than it holds",
    _tell,
    _figures,
    form="{id, author, messages, must, why}, and at, holds and never where wanted",
    needs=("id", "author", "messages", "must", "why"),
)


@dataclass(frozen=True, slots=True)
class ChangeOptions(EmbedderOptions):
    """What can be asked of the suite ``changes``."""

    others: int = at_least(0, 0)  # what else is told before each change: first messages of so many other rows


def _tell_change(row: Row, embedder: str) -> Metrics:
    """Tell what else is known, then both messages, and look what is told of the first and of the others after each."""
    found: Metrics = {name: row[name] for name in ("id", "ends", "why", "first", "then")}
    with lend_memory(row["author"], _FIRST_SAID, embedder) as (memory, clock):

        def tell(said: str, rest: timedelta) -> list[str]:
            memory.observe(said, author=row["author"], conversation="chat")
            memory.flush()
            clock.advance(rest)
            memory.flush()
            return believed(memory)

        beside = [tell(other, _DAY) for other in row["others"]]
        first = tell(row["first"], _LATER)
        at_once = tell(row["then"], _DAY)
        clock.advance(_LATER - _DAY)
        memory.flush()
        last = believed(memory)
    for name, facts in (("believed", first), ("told", last)):
        found[name] = [each for each in facts if tells(each, row["old"]) and not _OVER.search(each)]
    kept = [thing for thing in row.get("keeps", ()) if any(tells(each, [thing]) for each in first)]
    found["keeps"] = [any(tells(each, [thing]) for each in last) for thing in kept]
    known_before = {each for each in beside[-1] if each in first} if beside else set()
    found["others"] = [each in at_once for each in sorted(known_before)]
    return found


def _change_figures(rows: Sequence[Metrics]) -> Metrics:
    changed = [row for row in rows if row["ends"]]
    believed_first = [row for row in changed if row["believed"]]
    figures = {
        "believed": share(bool(row["believed"]) for row in rows),
        "ended": share(bool(row["believed"]) and not row["told"] for row in changed),
        "ended.of_believed": share(not row["told"] for row in believed_first),
        "stands": share(bool(row["told"]) for row in rows if row["believed"] and not row["ends"]),
        "keeps": share(is_told for row in rows for is_told in row["keeps"]),
        "others": share(is_told for row in rows for is_told in row["others"]),
    }
    for why, of in rows_by(believed_first, "why").items():
        figures[f"ended.{why}"] = share(not row["told"] for row in of)
    return known(figures)


def _among_others(rows: Sequence[Row], options: ChangeOptions) -> list[Row]:
    """Return rows that each hold, as ``others``, what is told before: the first messages of those that follow it."""
    firsts = [row["first"] for row in rows] * 2
    return [{**row, "others": firsts[at + 1 : at + 1 + options.others]} for at, row in enumerate(rows)]


CHANGES = suite_of_rows(
    "plain changes of a life: whether what was told first is believed no more, and what still holds is",
    _tell_change,
    _change_figures,
    form="{id, author, first, then, ends, old, why}, and keeps where wanted",
    options=ChangeOptions,
    arrange=_among_others,
)


def _tell_retracted(row: Row, embedder: str) -> Metrics:
    """Tell it all, and look on the next day what facts tell of what is taken back, and of what else its author said."""
    with lend_memory(row["author"], _SAID, embedder) as (memory, clock):
        _tell_all(memory, clock, row)
        clock.advance(_REST)
        memory.flush()
        facts = [set(words_of(fact)) for fact in believed(memory)]
    own = [said["text"] for said in row["messages"] if said["role"] == "user" and "author" not in said]
    for place, piece in row["back"]:
        own = [text.replace(piece, "\n") if text == row["messages"][place]["text"] else text for text in own]
    beside = [each for text in own for each in SENTENCE_END.split(text) if len(words_of(each)) >= FEWEST_WORDS]
    back = [is_told(piece, facts) for _, piece in row["back"]]
    return {"id": row["id"], "why": row["why"], "back": back, "beside": [is_told(each, facts) for each in beside]}


def _retracted_figures(rows: Sequence[Metrics]) -> Metrics:
    taken_back = [row for row in rows if row["back"]]
    figures = {
        "wrong": share(told for row in rows for told in row["back"]),
        "beside": share(told for row in taken_back for told in row["beside"]),
        "stands": share(told for row in rows if not row["back"] for told in row["beside"]),
    }
    for why, of in rows_by(taken_back, "why").items():
        figures[f"wrong.{why}"] = share(told for row in of for told in row["back"])
    return known(figures)


RETRACTED = suite_of_rows(
    "what is taken back or was not meant: whether facts tell it, and what is said beside it",
    _tell_retracted,
    _retracted_figures,
    form="{id, author, messages, back, by, why}",
)


def _tell_tasks(row: Row, embedder: str) -> Metrics:
    """Tell it all, and look a few hours later what is open."""
    with lend_memory(row["author"], _SAID, embedder) as (memory, clock):
        _tell_all(memory, clock, row)
        clock.advance(_SOON)
        memory.flush()
        listed = [fact.statement for fact in memory.open_loops(limit=MOST_FACTS)]
    is_open, is_kept = ([any(tells(each, thing) for each in listed) for thing in row[name]] for name in _STATES)
    beside = [each for each in listed if not any(tells(each, thing) for name in _STATES for thing in row[name])]
    told = {"id": row["id"], "why": row["why"], "listed": listed}
    return told | {"open": is_open, "closed": is_kept, "beside": beside}


def _task_figures(rows: Sequence[Metrics]) -> Metrics:
    figures: Metrics = {}
    for why, kept in [("", rows), *rows_by(rows, "why").items()]:
        counts = {
            "open": share(is_listed for row in kept for is_listed in row["open"]),
            "closed": share(not is_listed for row in kept for is_listed in row["closed"]),
            "beside": share(len(row["beside"]) for row in kept),
        }
        figures |= {f"{name}.{why}" if why else name: value for name, value in counts.items()}
    return known(figures)


TASKS = suite_of_rows(
    "what is to be done: whether it is listed until it is done or dropped, and how much else is, for each row",
    _tell_tasks,
    _task_figures,
    form="{id, author, messages, open, closed, why}",
    needs=("id", "author", "messages", "open", "closed", "why"),
)
