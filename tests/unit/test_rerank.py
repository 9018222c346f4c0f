"""Of two statements of one value the newer stands first; the older one stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.each import each
from tests.unit.indexed import view
from yesteryear.core.message import Message, Role
from yesteryear.core.vectors import StoredVector
from yesteryear.recall.rerank import RerankPolicy, Updates, find_updates
from yesteryear.recall.view import View
from yesteryear.testing.builders import a_message
from yesteryear.testing.rows import a_vector

POLICY = RerankPolicy()
QUESTION = "How much is the budget?"
OLD = a_message("The budget is 900 euros.")
NEW = a_message("The budget went up to 1200 euros.", seq=2, minutes=90)


def seen(*messages: Message, vectors: list[StoredVector] | None = None) -> View:
    """Return a view of messages whose vectors are all alike unless said otherwise."""
    return view(*messages, vectors=[a_vector(row.id, 1, 0) for row in messages] if vectors is None else vectors)


def updates(among: View, scores: Sequence[float], question: str = QUESTION, policy: RerankPolicy = POLICY) -> Updates:
    """Return the updates among all units of a view."""
    best = sorted(range(len(scores)), key=lambda position: -scores[position])
    return find_updates(question, among, best, np.array(scores, dtype=np.float64), policy)


def test_the_newer_statement_is_lifted_just_above_the_older_one() -> None:
    """The older one is marked; nothing is taken away."""
    found = updates(seen(OLD, NEW), [2.0, 1.0])
    assert found.earlier == {0}
    assert found.lifts == pytest.approx({1: 1 + POLICY.update_lead})


def test_a_newer_statement_that_leads_anyway_needs_no_lift() -> None:
    """The older one is marked all the same."""
    assert updates(seen(OLD, NEW), [1.0, 2.0]) == Updates({}, frozenset({0}))


def test_a_chain_of_updates_ends_with_the_newest_first() -> None:
    """However they stood before."""
    newest = a_message("From now on the budget is 1500 euros.", seq=3, minutes=180)
    scores = [3.0, 2.0, 1.0]
    found = updates(seen(OLD, NEW, newest), scores)
    lifted = [score + found.lifts.get(position, 0.0) for position, score in enumerate(scores)]
    assert found.earlier == {0, 1}
    assert lifted[2] > lifted[1] > lifted[0] == 3.0


@each(
    "question",
    [
        "How much was the first budget?",
        "What was the budget originally?",
        "How much was the budget before?",
        "What did I say about the budget?",
        "",
    ],
)
def test_questions_for_what_was_first_or_for_no_value_leave_all_as_it_is(question: str) -> None:
    """Both statements stand where their scores put them."""
    assert updates(seen(OLD, NEW), [2.0, 1.0], question) == Updates()


UNRELATED = {
    "no word of change": (OLD, replace(NEW, content="The budget is 1200 euros.")),
    "no value before": (replace(OLD, content="The budget is small."), NEW),
    "no value now": (OLD, replace(NEW, content="The budget went up.")),
    "another author": (OLD, replace(NEW, author="Ben")),
    "an assistant's": (replace(OLD, role=Role.ASSISTANT), replace(NEW, role=Role.ASSISTANT)),
    "the same instant": (OLD, replace(NEW, at=OLD.at)),
    "said in another order": (NEW, replace(OLD, seq=3, id="c1-3", at=NEW.at.replace(hour=23))),
}


@pytest.mark.parametrize("messages", UNRELATED.values(), ids=UNRELATED)
def test_in_doubt_nothing_is_an_update(messages: tuple[Message, Message]) -> None:
    """The rule is narrow, for no similarity can tell an update from a paraphrase."""
    assert updates(seen(*messages), [2.0, 1.0]) == Updates()


@each(
    ("vectors", "is_update"),
    [
        ([a_vector("c1-1", 1, 0), a_vector("c1-2", 0.31, 0.95)], True),
        ([a_vector("c1-1", 1, 0), a_vector("c1-2", 0.29, 0.957)], False),
        ([a_vector("c1-1", 1, 0)], False),
        ([], False),
    ],
)
def test_both_must_speak_of_the_same(vectors: list[StoredVector], is_update: bool) -> None:
    """By their vectors; without them nobody can tell."""
    assert bool(updates(seen(OLD, NEW, vectors=vectors), [2.0, 1.0]).earlier) is is_update


@each(("lead", "is_update"), [(2.99, True), (3.0, False), (-9.0, True)])
def test_an_older_statement_that_fits_far_better_stays_first(lead: float, is_update: bool) -> None:
    """It is then about something else."""
    assert bool(updates(seen(OLD, NEW), [lead, 0.0]).earlier) is is_update


def test_only_the_best_are_looked_at() -> None:
    """With none to look at the rule is off."""
    among = seen(OLD, a_message("I run.", seq=3), NEW)
    assert updates(among, [3.0, 2.0, 1.0]).earlier
    assert not updates(among, [3.0, 2.0, 1.0], policy=RerankPolicy(updates_among=2)).earlier
    assert not updates(seen(OLD, NEW), [2.0, 1.0], policy=RerankPolicy(updates_among=0)).earlier


def test_updates_do_not_depend_on_the_order_in_which_they_were_recorded() -> None:
    """Also where two older statements were made at the same instant, in two conversations."""
    twin = replace(OLD, id="c2-1", conversation="c2", content="My budget is 800 euros.")
    scores = {OLD.content: 3.5, twin.content: 2.5, NEW.content: 0.0}

    def lifted(*messages: Message) -> dict[str, float]:
        among = seen(*messages)
        order = [among.unit(position).text for position in range(len(among))]
        found = updates(among, [scores[text] for text in order])
        return {text: found.lifts.get(position, 0.0) for position, text in enumerate(order)}

    assert lifted(OLD, twin, NEW) == lifted(twin, OLD, NEW)
