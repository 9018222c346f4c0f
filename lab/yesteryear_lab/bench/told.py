"""Suites: a message or two. Is what they tell known, for how long, and is it ended by what tells otherwise?

``told``: one message, in the little that stands before it. JSON Lines of ``{id, author, messages, must, why}``, where
wanted with ``at`` (when it was said), ``holds`` and ``never``. ``messages`` are of ``{role, text}``, with ``author``
where another one speaks and ``after`` where hours have passed; the last one tells. ``must`` lists what is to be known,
each as groups of stems; it is empty where nothing is to be kept. ``holds`` says of later days whether it is still so;
``never`` lists what is to be told by no fact, as what was corrected, unless ``must`` stands beside it.

``changes``: a person tells something, and weeks later, in passing, that it is otherwise. JSON Lines of ``{id, author,
first, then, ends, old, why}``; ``old`` are stems by which a statement still tells what first was, ``ends`` is false
where both hold.

``retracted``: a talk in which somebody takes something back, or says what they do not mean. JSON Lines of ``{id,
author, messages, back, by, why}``, messages as above; ``back`` lists ``[message, piece]`` of what is to be told by no
fact, empty where all is to be believed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from yesteryear_lab.bench.lives import tells
from yesteryear_lab.bench.report import Metrics, believed, lend_memory, suite_of_rows
from yesteryear_lab.bench.retold import ending
from yesteryear_lab.figures import mean, rounded, share
from yesteryear_lab.training.rows import Row

_SAID = datetime(2026, 2, 2, 18, tzinfo=UTC)
_REST, _NOON = timedelta(hours=20), timedelta(hours=12)
_FIRST_SAID, _LATER = datetime(2026, 2, 2, 8, tzinfo=UTC), timedelta(days=24)
_OVER = ending("ex|instead|changed|over")
_ENDS, _WORD = re.compile(r"(?<=[.!?])\s+|\n"), re.compile(r"\b\w{3,4}")
_MOST_OF, _FEWEST_WORDS = 0.7, 3
"""Share of the words of a piece, by their first letters, that a fact has which tells it; and words, of three letters
or more, of what is looked for."""


def _tell(row: Row, embedder: str) -> Metrics:
    """Tell it all, and look what is believed on the next day and on each day that is asked about."""
    at = datetime.fromisoformat(row["at"]) if "at" in row else _SAID
    with lend_memory(row["author"], at, embedder) as (memory, clock):
        for said in row["messages"]:
            author = said.get("author", row["author"] if said["role"] == "user" else "Assistant")
            if "after" in said:
                memory.flush()
                clock.advance(timedelta(hours=said["after"]))
            memory.observe(said["text"], role=said["role"], author=author, conversation="chat")
            clock.advance(timedelta(minutes=1))
        memory.flush()
        days = {day: datetime.fromisoformat(day).replace(tzinfo=UTC) + _NOON for day in row.get("holds", ())}
        clock.set(min([clock.now() + _REST, *days.values()]))
        memory.flush()
        facts = believed(memory, status="all")
        known = [any(tells(fact, thing) for fact in facts) for thing in row["must"]]
        beside = [fact for fact in believed(memory) if not any(tells(fact, thing) for thing in row["must"])]
        still = []
        for day, then in sorted(days.items(), key=lambda each: each[1]):
            clock.set(then)
            memory.flush()
            told = believed(memory)
            is_told = all(any(tells(fact, thing) for fact in told) for thing in row["must"])
            still.append((day, row["holds"][day], is_told))
    return {
        "id": row["id"],
        "why": row["why"],
        "text": row["messages"][-1]["text"],
        "facts": facts,
        "known": known,
        "still": still if all(known) else [],
        "wrong": [any(tells(fact, thing) for fact in beside) for thing in row.get("never", ())],
    }


def _figures(rows: Sequence[Metrics]) -> Metrics:
    def of(name: str, kept: Sequence[Metrics]) -> Metrics:
        days = [(holds, is_told) for row in kept for _, holds, is_told in row["still"]]
        figures = {
            "known": share(is_known for row in kept for is_known in row["known"]),
            "nothing": share(not row["facts"] for row in kept if not row["known"]),
            "stands": share(is_told for holds, is_told in days if holds),
            "over": share(not is_told for holds, is_told in days if not holds),
            "wrong": share(is_told for row in kept for is_told in row["wrong"]),
        }
        return {f"{each}{name}": value for each, value in figures.items() if value is not None}

    found = of("", rows)
    for why in sorted({row["why"] for row in rows}):
        found |= of(f".{why}", [row for row in rows if row["why"] == why])
    return found


TOLD = suite_of_rows(
    "one message: whether what it tells is known, and no longer than it holds",
    _tell,
    _figures,
    form="{id, author, messages, must, why}, and at, holds and never where wanted",
    needs=("id", "author", "messages", "must", "why"),
)


def _tell_change(row: Row, embedder: str) -> Metrics:
    """Tell both messages, and look what is told of the first after each."""
    found: Metrics = {name: row[name] for name in ("id", "ends", "why", "first", "then")}
    with lend_memory(row["author"], _FIRST_SAID, embedder) as (memory, clock):
        for name, said in (("believed", row["first"]), ("told", row["then"])):
            memory.observe(said, author=row["author"], conversation="chat")
            memory.flush()
            clock.advance(_LATER)
            memory.flush()
            found[name] = [each for each in believed(memory) if tells(each, row["old"]) and not _OVER.search(each)]
    return found


def _change_figures(rows: Sequence[Metrics]) -> Metrics:
    changed, lasting = [row for row in rows if row["ends"]], [row for row in rows if not row["ends"]]
    known = [row for row in changed if row["believed"]]
    figures = {
        "believed": mean(bool(row["believed"]) for row in rows),
        "ended": mean(bool(row["believed"]) and not row["told"] for row in changed),
        "ended.of_believed": mean(not row["told"] for row in known),
        "stands": mean(bool(row["told"]) for row in lasting if row["believed"]),
    }
    for why in sorted({row["why"] for row in known}):
        figures[f"ended.{why}"] = mean(not row["told"] for row in known if row["why"] == why)
    return rounded(figures)


CHANGES = suite_of_rows(
    "plain changes of a life: whether what was told first is believed no more, and what still holds is",
    _tell_change,
    _change_figures,
    form="{id, author, first, then, ends, old, why}",
)


def _tell_retracted(row: Row, embedder: str) -> Metrics:
    """Tell it all, and look on the next day what facts tell of what is taken back, and of what else its author said."""
    with lend_memory(row["author"], _SAID, embedder) as (memory, clock):
        for said in row["messages"]:
            author = said.get("author", row["author"] if said["role"] == "user" else "Assistant")
            memory.observe(said["text"], role=said["role"], author=author, conversation="chat")
            clock.advance(timedelta(minutes=1))
        memory.flush()
        clock.advance(_REST)
        memory.flush()
        facts = [set(_words(fact)) for fact in believed(memory)]
    own = [said["text"] for said in row["messages"] if said["role"] == "user" and "author" not in said]
    for place, piece in row["back"]:
        own = [text.replace(piece, "\n") if text == row["messages"][place]["text"] else text for text in own]
    beside = (each for text in own for each in _ENDS.split(text) if len(_words(each)) >= _FEWEST_WORDS)

    def is_told(text: str) -> bool:
        return any(len(fact.intersection(_words(text))) >= _MOST_OF * len(set(_words(text))) for fact in facts)

    back = [is_told(piece) for _, piece in row["back"]]
    return {"id": row["id"], "why": row["why"], "back": back, "beside": [is_told(each) for each in beside]}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _retracted_figures(rows: Sequence[Metrics]) -> Metrics:
    figures = {"wrong": share(told for row in rows for told in row["back"])}
    for name, is_back in (("beside", True), ("stands", False)):
        figures[name] = share(told for row in rows for told in row["beside"] if bool(row["back"]) == is_back)
    for why in sorted({row["why"] for row in rows if row["back"]}):
        figures[f"wrong.{why}"] = share(told for row in rows if row["why"] == why for told in row["back"])
    return {name: value for name, value in figures.items() if value is not None}


RETRACTED = suite_of_rows(
    "what is taken back or was not meant: whether facts tell it, and what is said beside it",
    _tell_retracted,
    _retracted_figures,
    form="{id, author, messages, back, by, why}",
)
