"""What holds for the facts drafted from any talk."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.episode import Talk
from yesteryear.core.fact import FactDraft
from yesteryear.core.message import Message, Outcome, Reason, Role, Verdict
from yesteryear.providers.local.facts.drafting import draft_facts
from yesteryear.providers.local.facts.selecting import SelectPolicy, grow_runs
from yesteryear.providers.local.facts.utterance import split_units
from yesteryear.remember.segment import group_exchanges
from yesteryear.testing.builders import a_message

PIECES = st.sampled_from(
    [
        *("I'm a nurse", "my sister Nadia lives in Lyon", "and I never eat fish", "since May", "because it hurts"),
        *('"you will never see me again"', "> pasted line", "if I were king", "just kidding", "we decided to stay"),
        *(
            "ok",
            "why?",
            "🎉🎉",
            "…",
            " - ",
            "(really)",
            "14,860",
            "İstanbul’da",
            "名前はアナです。",
            "\u200d",
            "\n",
            "\x00",
            ",",
        ),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=8).map(" ".join), st.text(max_size=80))
PROBABILITIES = st.floats(0, 1)


def talk_of(texts: list[str], roles: list[Role]) -> tuple[Talk, dict[str, Message]]:
    """Return a talk, and its messages by id."""
    said = [a_message(text, seq=seq, role=role) for seq, (text, role) in enumerate(zip(texts, roles, strict=True), 1)]
    exchanges = tuple(group_exchanges(said))
    verdict = Verdict(Outcome.KEEP, Reason.PERSONAL, score=0.9, threshold=0.5)
    return Talk(exchanges, (verdict,) * len(exchanges)), {message.id: message for message in said}


def draft(talk: Talk, seed: float) -> tuple[FactDraft, ...]:
    """Return the facts drafted by words alone, with so much certainty."""
    return draft_facts(talk, None, yield_to_foreground=lambda: None, policy=SelectPolicy(seed=seed))


@given(TEXTS)
def test_units_are_apart_and_part_of_their_text(text: str) -> None:
    """In order, without the space around them, each with something to read."""
    units = split_units(text)
    assert all(text[unit.start : unit.end] == unit.text == unit.text.strip() for unit in units)
    assert all(one.end <= other.start for one, other in pairwise(units))
    assert all(any(char.isalnum() or char == "_" for char in unit.text) for unit in units)


@given(st.lists(st.tuples(TEXTS, st.sampled_from(list(Role))), min_size=1, max_size=4), PROBABILITIES)
def test_every_draft_rests_on_what_a_user_said(said: list[tuple[str, Role]], seed: float) -> None:
    """Its quote is a part of the message, its author the subject, its confidence between the seed and 1."""
    talk, messages = talk_of([text for text, _ in said], [role for _, role in said])
    for found in draft(talk, seed):
        message = messages[found.message_id]
        assert message.role is Role.USER
        assert found.quote
        assert found.quote in message.content
        assert found.subject == message.author
        assert seed <= found.confidence <= 1
        assert found.statement.strip()


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_drafting_twice_gives_the_same(texts: list[str]) -> None:
    """Nothing depends on chance or on what was read before."""
    talk, _ = talk_of(texts, [Role.USER] * len(texts))
    assert draft(talk, 0.3) == draft(talk, 0.3)


@given(st.lists(TEXTS, min_size=1, max_size=3), PROBABILITIES, PROBABILITIES)
def test_who_asks_for_more_certainty_gets_no_more_facts(texts: list[str], one: float, other: float) -> None:
    """What is drafted at the higher seed is drafted at the lower, perhaps as part of the same statement."""
    talk, _ = talk_of(texts, [Role.USER] * len(texts))
    sure, eager = draft(talk, max(one, other)), draft(talk, min(one, other))
    assert len(sure) <= len(eager)


@given(st.lists(st.tuples(PROBABILITIES, PROBABILITIES), max_size=12), PROBABILITIES, PROBABILITIES, st.integers(1, 5))
def test_runs_are_apart_and_hold_a_seed(
    units: list[tuple[float, float]], seed: float, beside: float, most_units: int
) -> None:
    """Each has one unit at least as sure as a seed, no more units than allowed, and shares none with another."""
    sure, same = [one for one, _ in units], [one for _, one in units]
    runs = grow_runs(sure, same, SelectPolicy(seed=seed, beside=beside, most_units=most_units))
    places = [place for run in runs for place in run.places]
    assert len(places) == len(set(places))
    for run in runs:
        assert len(run.places) <= most_units
        assert run.probability == max(sure[place] for place in run.places) >= seed
    assert {place for place, one in enumerate(sure) if one >= seed} <= set(places)
