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

from yesteryear.results import EdgeView, GraphView
from yesteryear_lab.bench.report import Metrics, lend_memory, pair_off, rows_by, suite_of_rows
from yesteryear_lab.figures import known, ratio, rounded, share
from yesteryear_lab.training.rows import Row

_MUTUAL = ("conflicts_with", "related_to")
_SHARED = 0.5  # share of the words of the shorter of two ends that make them one
_OTHERS = 2  # most things that may be named beside those that must be
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
        graph, question = memory.graph(limit=1000), row.get("question") or {}
        answered = (
            memory.graph(question["ask"], of=question["of"] or None, to=question["to"] or None) if question else None
        )
    found, wrong, left = pair_off(graph.edges, row["edges"], _is)
    return {
        "id": row["id"],
        "talk": row["talk"],
        "found": [_sort(edge) for _, edge in found],
        "missed": [_sort(edge) for edge in left],
        "lacking": left,
        "wrong": [(str(each.relation), each.source.words, each.target.words, str(each.basis)) for each in wrong],
        "ask": question.get("ask"),
        "named": [] if answered is None else [answer.what.words for answer in answered.answers],
        "is_right": None if answered is None else _is_answered(answered, question["answers"]),
        "text": " / ".join(text for _, _, text in messages),
    }


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
    asked = [row for row in found if row["is_right"] is not None]
    figures = _of_edges(found) | {"questions": len(asked), "answered": share(row["is_right"] for row in asked)}
    figures["silent"] = share(not row["wrong"] for row in found if not row["found"] and not row["missed"])
    for ask, of in rows_by(asked, "ask").items():
        figures[f"answered.{ask}"] = share(row["is_right"] for row in of)
    for talk, of in rows_by(found, "talk").items():
        figures |= {f"{name}.{talk}": value for name, value in _of_edges(of).items()}
        figures[f"answered.{talk}"] = share(row["is_right"] for row in of if row["is_right"] is not None)
    wanted = [(sort, True) for row in found for sort in row["found"]]
    wanted += [(sort, False) for row in found for sort in row["missed"]]
    for relation in sorted({sort[0] for sort, _ in wanted}):
        figures[f"recall.{relation}"] = share(is_found for sort, is_found in wanted if sort[0] == relation)
    figures["recall.untold"] = share(is_found for sort, is_found in wanted if not sort[1])
    figures["recall.told_in_one"] = share(is_found for sort, is_found in wanted if sort[1] and sort[2])
    return known(rounded(figures))


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
