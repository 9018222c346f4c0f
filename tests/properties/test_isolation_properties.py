"""Two people, two customers, two projects and two agents never meet in a context, whatever is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.properties.lives import NOW, ODD, PROSE, opened
from yesteryear import Engine, Scope

SCOPES = [
    Scope(tenant=tenant, user=user, project=project, agent=agent)
    for tenant, user, project, agent in product(
        ("default", "acme"), ("ana", "ben"), (None, "thesis", "house"), (None, "tutor", "coach")
    )
]
MARKS = {scope: f"mark{chr(97 + number // 26)}{chr(97 + number % 26)}" for number, scope in enumerate(SCOPES)}
"""A word that only those say who speak in the scope."""
QUESTIONS = ["", "How is my knee?", "bread and flour", "What did Ana say?", "What have you told me?", "thesis", *PROSE]
BUDGETS = [0, 40, 100, 300, 1000, 3000, 100_000]
LAYOUTS = ["text", "xml", "json"]


def hidden_from(asked: Scope) -> set[str]:
    """Return the words that are not to be seen from a scope."""
    return {
        mark
        for scope, mark in MARKS.items()
        if scope.owner != asked.owner or not asked.sees(scope.project, scope.agent)
    }


@contextmanager
def a_world(random: Random) -> Iterator[Engine]:
    """Open a memory in which many speak of the same things, at the same times, in conversations of the same names.

    Without facts: what somebody likes is theirs in every project, whoever they told it to. Words tell what is kept.
    """
    with opened(keep_verbatim=random.random() < 0.8, fact_extraction_enabled=False, reader="words") as engine:
        for scope in random.sample(SCOPES, 12):
            memory = engine.memory(scope)
            for conversation in random.sample(["c0", "c1", "c2"], random.randint(1, 2)):
                begins = NOW - timedelta(days=random.choice([0, 1, 400]))
                lines = [a_line(random, MARKS[scope], number) for number in range(random.randint(1, 5))]
                memory.observe(
                    [line | {"at": begins + timedelta(minutes=9 * number)} for number, line in enumerate(lines)],
                    conversation=conversation,
                )
            if random.random() < 0.7:
                memory.flush()
        yield engine


def a_line(random: Random, mark: str, number: int) -> dict[str, Any]:
    """Return something that is said with a mark in it, by somebody whose name or words others share."""
    author = random.choice(["Ana", "Ben", "assistant", f"Ana {mark}"])
    role = "assistant" if author == "assistant" else "user"
    text = f"{random.choice(PROSE + ODD)} {mark} {random.choice(PROSE)}"
    return {"content": text, "author": author, "role": role, "id": f"{mark}-{number}"}


def check_cases(seed: int, *, worlds: int, cases: int) -> None:
    """Fail where a context says anything of what is hidden from who asked; in text, names, ids, notes or reasons."""
    random = Random(seed)
    shown = 0
    for _ in range(worlds):
        with a_world(random) as engine:
            for _ in range(cases):
                asked = random.choice(SCOPES)
                context = engine.memory(asked).context(
                    random.choice(QUESTIONS),
                    conversation=random.choice(["c0", "c1", None]),
                    budget=random.choice(BUDGETS),
                    layout=random.choice(LAYOUTS),
                    speaker=random.choice(["user", "assistant", None]),
                    at=NOW + timedelta(days=random.choice([0, 30])),
                )
                everything = json.dumps(context.to_dict())
                seen = {mark for mark in MARKS.values() if mark in everything}
                assert not seen & hidden_from(asked)
                shown += bool(seen)
    assert shown > worlds * cases // 4


def test_no_foreign_owner_or_scope_is_ever_seen() -> None:
    """Not in the text, nor in what is said about it."""
    check_cases(7, worlds=4, cases=20)


@pytest.mark.exhaustive
@pytest.mark.heavy
def test_no_foreign_owner_or_scope_is_seen_in_a_hundred_thousand_contexts() -> None:
    """Of two hundred worlds."""
    check_cases(8, worlds=200, cases=500)
