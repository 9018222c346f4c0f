"""What holds for a judgement on any two statements."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.reading import Effect
from yesteryear.core.ruling import OVER_VERDICTS, Act, Claim, ClaimPair, PairVerdict
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.providers.local.verdicts import JudgePolicy, decide, weigh

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
OWNERS = st.sampled_from(["Ana", "User", "Ben", "Ana's sister", "the team", "Ana and Ben"])
VERBS = st.sampled_from(["likes", "has", "drives", "moved to", "was born in", "no longer eats", "plans to visit"])
THINGS = st.sampled_from(["Lisbon", "two dogs", "a red car", "meat", "61 kg", "3 May 2024", "11 pm", "", "some place"])
PLAIN = st.builds(lambda who, does, what: f"{who} {does} {what}", OWNERS, VERBS, THINGS)
TEXTS = st.one_of(PLAIN, st.text(max_size=120))
ATTRIBUTES = st.sampled_from(["", "home", "hobby"])
SCORES = st.lists(st.floats(0, 1), min_size=len(Effect), max_size=len(Effect)).map(
    lambda parts: dict(zip(Effect, (part / max(sum(parts), 1e-9) for part in parts), strict=True))
)


@st.composite
def pairs(draw: st.DrawFn) -> ClaimPair:
    """Return two statements in the order they were said."""
    first, second = sorted([draw(st.integers(0, 1000)), draw(st.integers(0, 1000))])
    one, other = (Claim(draw(TEXTS), EPOCH + timedelta(days=at), attribute=draw(ATTRIBUTES)) for at in (first, second))
    return ClaimPair(one, other)


@given(pairs(), SCORES)
def test_no_more_is_done_than_the_reader_is_sure_of(pair: ClaimPair, effects: dict[Effect, float]) -> None:
    """And the shares of verdicts are those of effects."""
    policy = JudgePolicy()
    found = decide(pair, effects)
    assert math.isclose(sum(found.scores.values()), sum(effects.values()), abs_tol=1e-6)
    if found.act is Act.FOLD:
        assert found.scores[PairVerdict.DUPLICATE] + found.scores[PairVerdict.REFINES] >= policy.fold
    if found.act is Act.DOUBT:
        assert policy.acts.doubt <= found.over < policy.acts.over
    if found.act is Act.SUPERSEDE:
        assert found.over >= policy.acts.over
        assert found.verdict in OVER_VERDICTS
        assert pair.earlier.at < pair.later.at


@given(pairs(), SCORES)
def test_what_is_weighed_makes_as_much_as_before(pair: ClaimPair, effects: dict[Effect, float]) -> None:
    """And no share is less than none."""
    found = weigh(pair, effects)
    assert math.isclose(sum(found.values()), 1 if sum(effects.values()) else 0, abs_tol=1e-6)
    assert min(found.values()) >= 0


@given(TEXTS, st.integers(0, 1000))
def test_what_is_said_twice_is_one(text: str, days: int) -> None:
    """Whatever was written, no reader is needed for it."""
    pair = ClaimPair(Claim(text, EPOCH), Claim(text, EPOCH + timedelta(days=days)))
    [found] = LocalAnalyst().judge([pair], yield_to_foreground=lambda: None)
    assert (found.verdict, found.act) == (PairVerdict.DUPLICATE, Act.FOLD)
