"""Suite: relate. What bears on what in a person's life: are the edges found, no others, and the questions answered?

JSON Lines of ``{id, talk, messages, edges, question}``: ``messages`` are ``{by, at, text}``, ``edges`` are
``{relation, source, target}``, where wanted with ``or`` (other relations that are right too) and ``told`` (false where
nobody says so); an end is ``[number of the message, words of it]``. ``question`` is null or ``{ask, of, to, words,
answers}``; ``answers`` are ends too. Each row is a memory of its own, looked at a day after its last message.

An edge is right where its relation is and both ends share half of the words of the shorter with those that are wanted;
each that is wanted is found once. What finds nothing wanted is wrong. A question is answered rightly where each thing
that must be named is, each with a proof, and at most two others are; where nothing is wanted, where nothing is named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import yesteryear
from yesteryear.results import EdgeView, GraphView
from yesteryear_lab.bench.report import Metrics, lend_memory, suite_of_rows
from yesteryear_lab.figures import ratio, rounded, share
from yesteryear_lab.training.rows import Row

_MUTUAL = ("conflicts_with", "related_to")
_SHARED = 0.5
"""Share of the words of the shorter of two ends that make them one."""
_OTHERS = 2
"""Most things that may be named beside those that must be."""
_EMPTY = frozenset(
    "i a an the my our his her their its of to in on at for with and or so is are was were be been it that this me we "
    "he she they you have has had do does did will would can could not no as by from s t m re ve ll d".split()
)


def _tell(row: Row, embedder: str) -> Metrics:
    messages = [(said["by"], datetime.fromisoformat(said["at"]), said["text"]) for said in row["messages"]]
    with lend_memory("somebody", messages[0][1], embedder) as (memory, clock):
        for by, at, text in messages:
            clock.set(max(clock.now(), at))
            memory.observe(text, role="assistant" if by == "assistant" else "user", author=by, conversation="chat")
        clock.advance(timedelta(days=1))
        memory.flush()
        known, question = memory.graph(limit=1000), row.get("question")
        answered = _ask(memory, question) if question else None
    left, wrong, found = list(row["edges"]), [], []
    for edge in known.edges:
        hit = next((wanted for wanted in left if _is(edge, wanted)), None)
        if hit is None:
            wrong.append((str(edge.relation), edge.source.words, edge.target.words, str(edge.basis)))
        else:
            left.remove(hit)
            found.append(hit)
    return {
        "id": row["id"],
        "talk": row["talk"],
        "found": [_sort(edge) for edge in found],
        "missed": [_sort(edge) for edge in left],
        "lacking": left,
        "wrong": wrong,
        "ask": question["ask"] if question else None,
        "named": [] if answered is None else [answer.what.words for answer in answered.answers],
        "is_right": None if answered is None else _is_answered(answered, question["answers"] if question else ()),
        "text": " / ".join(text for _, _, text in messages),
    }


def _ask(memory: yesteryear.Memory, question: Mapping[str, Any]) -> GraphView:
    return memory.graph(question["ask"], of=question["of"] or None, to=question["to"] or None)


def _sort(edge: Mapping[str, Any]) -> tuple[str, bool, bool]:
    """Return the relation of an edge, whether somebody says it, and whether its ends stand in one message."""
    return edge["relation"], edge.get("told", True), edge["source"][0] == edge["target"][0]


def _is(edge: EdgeView, wanted: Mapping[str, Any]) -> bool:
    if edge.relation not in {wanted["relation"], *wanted.get("or", ())}:
        return False
    ways = [(edge.source.words, edge.target.words)]
    ways += [ways[0][::-1]] if edge.relation in _MUTUAL else []
    return any(_same(one, wanted["source"][1]) and _same(other, wanted["target"][1]) for one, other in ways)


def _same(one: str, other: str) -> bool:
    mine, yours = _words(one), _words(other)
    return bool(mine and yours) and len(mine & yours) >= _SHARED * min(len(mine), len(yours))


def _words(text: str) -> set[str]:
    found = set(re.findall(r"\w+", text.lower()))
    return {word[:6] for word in found - _EMPTY} or found


def _is_answered(graph: GraphView, wanted: Sequence[Sequence[Any]]) -> bool:
    named = [answer.what.words for answer in graph.answers if answer.proof]
    if not wanted:
        return not named
    others = [words for words in named if not any(_same(words, aim[1]) for aim in wanted)]
    return all(any(_same(words, aim[1]) for words in named) for aim in wanted) and len(others) <= _OTHERS


def _figures(found: Sequence[Metrics]) -> Metrics:
    figures = _of_edges(found)
    figures["questions"] = sum(row["is_right"] is not None for row in found)
    figures["answered"] = share(row["is_right"] for row in found if row["is_right"] is not None)
    figures["silent"] = share(not row["wrong"] for row in found if not row["found"] and not row["missed"])
    for ask in sorted({row["ask"] for row in found if row["ask"]}):
        figures[f"answered.{ask}"] = share(row["is_right"] for row in found if row["ask"] == ask)
    for talk in sorted({row["talk"] for row in found}):
        of = [row for row in found if row["talk"] == talk]
        figures |= {f"{name}.{talk}": value for name, value in _of_edges(of).items()}
        figures[f"answered.{talk}"] = share(row["is_right"] for row in of if row["is_right"] is not None)
    wanted = [
        (sort, is_found)
        for row in found
        for name, is_found in (("found", True), ("missed", False))
        for sort in row[name]
    ]
    for relation in sorted({sort[0] for sort, _ in wanted}):
        figures[f"recall.{relation}"] = share(is_found for sort, is_found in wanted if sort[0] == relation)
    figures["recall.untold"] = share(is_found for sort, is_found in wanted if not sort[1])
    figures["recall.told_in_one"] = share(is_found for sort, is_found in wanted if sort[1] and sort[2])
    return rounded({name: value for name, value in figures.items() if value is not None})


def _of_edges(rows: Sequence[Metrics]) -> Metrics:
    right, wrong, missed = (sum(len(row[name]) for row in rows) for name in ("found", "wrong", "missed"))
    return {"edges": right + missed, "precision": ratio(right, right + wrong), "recall": ratio(right, right + missed)}


SUITE = suite_of_rows(
    "what bears on what in a life: which edges are found, and what questions they answer",
    _tell,
    _figures,
    form="{id, talk, messages, edges, question}",
    needs=("id", "talk", "messages", "edges"),
)
