"""How the end of a fact is told beside what rested on it, and what is not told any more with what still holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from yesteryear.core.fact import ENDED_BY, TELLS_ALONG, Fact, FactStatus, Form, words_of
from yesteryear.core.language.discourse import has_value
from yesteryear.core.time import say_month

_GIVEN_WAY = frozenset({"faded", "limit"})  # why a fact is out of use that was never said to be over
_LEFT_OUT = "…"  # what stands for words that are left out
_LEFT_OUT_TWICE = re.compile(rf"{_LEFT_OUT}(?:\s*{_LEFT_OUT})+")


def words_that_hold(fact: Fact, find: Callable[[str], Fact | None], *, now: datetime) -> str:
    """Return a statement without the words of other facts that it tells along and that are over at ``now``.

    "…" stands for them. Words that another fact tells too, which holds, stay. What is no quote, or is over itself, is
    told as it is. ``find`` returns a fact by its id; None where it is not seen, so that its words stay.
    """
    along = told_along(fact)
    if not along or not fact.is_current(now):
        return fact.statement
    ended = {each.span for each in along if each.ends and (by := find(each.fact_id)) and by.first_observed <= now}
    is_over = {each.fact_id: _is_over(find(each.fact_id), find, now) for each in along if not each.ends}
    holding = {each.span for each in along if not each.ends and not is_over[each.fact_id]} - ended
    over = ended | {each.span for each in along if not each.ends and is_over[each.fact_id]}
    parts, after = [], 0
    for start, end in sorted(over):
        if not any(start < until and since < end for since, until in holding):
            parts += [fact.statement[after:start], _LEFT_OUT]
            after = max(after, end)
    return _LEFT_OUT_TWICE.sub(_LEFT_OUT, "".join([*parts, fact.statement[after:]]))


def with_words_that_hold(fact: Fact, find: Callable[[str], Fact | None], *, now: datetime) -> Fact:
    """Return a fact with the words of it that hold at ``now``, for good: whoever cuts it further loses no others."""
    told = words_that_hold(fact, find, now=now)
    if told == fact.statement:
        return fact
    others = {name: text for name, text in fact.properties.items() if name != TELLS_ALONG}  # places move
    return replace(fact, statement=told, properties=others)


class AlongEntry(NamedTuple):
    """A sentence that a quote tells along."""

    fact_id: str  # of the fact whose words it is, or of that which ended it
    span: tuple[int, int]  # where it stands in the statement
    ends: bool  # whether it is over since that fact was told


def told_along(fact: Fact) -> list[AlongEntry]:
    """Return what a fact tells along of others, or that is over."""
    found: list[AlongEntry] = []
    for entry in fact.properties.get(TELLS_ALONG, "").split():
        name, _, span = entry.rpartition(":")
        start, _, end = span.partition("-")
        found.append(AlongEntry(name.removeprefix(ENDED_BY), (int(start), int(end)), name.startswith(ENDED_BY)))
    return found


def _is_over(fact: Fact | None, find: Callable[[str], Fact | None], now: datetime) -> bool:
    if fact is not None and fact.status is FactStatus.MERGED and fact.canonical_id is not None:
        fact = find(fact.canonical_id)
    if fact is None:
        return False
    if fact.valid_to is not None and fact.valid_to <= fact.first_observed:
        return False  # it was told as what was, and is so still
    has_given_way = fact.status is FactStatus.DEPRECATED and fact.properties.get("why") in _GIVEN_WAY
    return not has_given_way and (fact.resolved_at is not None or not fact.is_current(now))


def say_end(fact: Fact, successor: Fact | None) -> str:
    """Return what is told of the end of a fact: what took its place, and since when; else that it holds no more."""
    at = fact.valid_to if successor else fact.retracted_at
    since = say_month(at, zone=None) if at else ""
    told = _without_name(successor or fact)
    if successor is None:
        return f"no longer so: {told}"
    if successor.form is not Form.PLAIN or not since or has_value(told):
        return told
    return f"{told} {'since' if told.split()[0].endswith('s') else 'in'} {since}"  # lives there since, moved there in


def _without_name(fact: Fact) -> str:
    words = words_of(fact.statement, fact.form)
    return words.removeprefix(fact.subject).removeprefix("'s").strip().rstrip(".!").removesuffix(" now") or words
