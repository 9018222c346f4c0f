"""How the end of a fact is told beside what rested on it: "moved to Leeds in May 2026"."""

from __future__ import annotations

from yesteryear.core.fact import Fact, Form, words_of
from yesteryear.core.language.discourse import has_value
from yesteryear.core.time import say_month


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
