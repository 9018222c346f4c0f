"""What holds for a judgement on any two statements."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.ruling import Act, Claim, ClaimPair, PairVerdict
from yesteryear.providers.local.verdicts.compare import step_features
from yesteryear.providers.local.verdicts.judging import JudgePolicy, decide, judge_pairs, put_in_order, read_pair

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
OWNERS = st.sampled_from(["Ana", "User", "Ben", "Ana's sister", "the team", "Ana and Ben"])
VERBS = st.sampled_from(["likes", "has", "drives", "moved to", "was born in", "no longer eats", "plans to visit"])
THINGS = st.sampled_from(["Lisbon", "two dogs", "a red car", "meat", "61 kg", "3 May 2024", "11 pm", "", "some place"])
TAILS = st.sampled_from(["", " now", " since March", " because of her knee", " 🥳", ", not a cat", " every Tuesday"])
PLAIN = st.builds(lambda who, does, what, tail: f"{who} {does} {what}{tail}", OWNERS, VERBS, THINGS, TAILS)
TEXTS = st.one_of(PLAIN, st.text(max_size=120))
INSTANTS = st.integers(0, 1000).map(lambda days: EPOCH + timedelta(days=days))
SCORES = st.lists(st.floats(0, 1), min_size=6, max_size=6).map(
    lambda parts: dict(zip(PairVerdict, (part / max(sum(parts), 1e-9) for part in parts), strict=True))
)


@st.composite
def pairs(draw: st.DrawFn) -> ClaimPair:
    """Return two statements in the order they were said."""
    first, second = sorted([draw(INSTANTS), draw(INSTANTS)])
    return ClaimPair(Claim(draw(TEXTS), first), Claim(draw(TEXTS), second))


def judged(pair: ClaimPair) -> tuple[PairVerdict, Act, bool]:
    """Return what is judged without vectors."""
    [found] = judge_pairs([pair], yield_to_foreground=lambda: None)
    return found.verdict, found.act, found.keeps_later


@given(pairs())
def test_odd_text_is_judged_and_scores_make_one(pair: ClaimPair) -> None:
    """Whatever was written, every verdict has a probability."""
    [found] = judge_pairs([pair], yield_to_foreground=lambda: None)
    assert set(found.scores) == set(PairVerdict)
    assert math.isclose(sum(found.scores.values()), 1, abs_tol=1e-6)
    assert found.scores[found.verdict] == max(found.scores.values())


@given(pairs())
def test_features_are_small_numbers(pair: ClaimPair) -> None:
    """None could drown the others."""
    features = read_pair(put_in_order(pair), {}).features
    assert all(math.isfinite(value) and abs(value) <= 10 for value in features.values())


@given(TEXTS, TEXTS)
def test_of_two_statements_of_one_instant_either_may_come_first(one: str, other: str) -> None:
    """The verdict stays, DUPLICATE with all others, and the same statement is kept."""
    a, b = Claim(one, EPOCH), Claim(other, EPOCH)
    verdict, act, keeps_later = judged(ClaimPair(a, b))
    mirrored = judged(ClaimPair(b, a))
    assert (verdict, act) == mirrored[:2]
    assert keeps_later is not mirrored[2] or one == other


@given(PLAIN)
def test_what_is_said_twice_clashes_with_nothing(text: str) -> None:
    """No guard keeps a statement from being merged with itself."""
    pair = ClaimPair(Claim(text, EPOCH), Claim(text, EPOCH + timedelta(days=9)))
    sure = {verdict: float(verdict is PairVerdict.DUPLICATE) for verdict in PairVerdict}
    assert decide(pair, read_pair(pair, {}).features, sure, JudgePolicy()) == (Act.FOLD, "")


@given(pairs(), SCORES)
def test_nothing_is_done_below_the_operating_points(pair: ClaimPair, scores: dict[PairVerdict, float]) -> None:
    """And never more than the scores are sure enough for."""
    policy = JudgePolicy()
    act, _ = decide(pair, read_pair(pair, {}).features, scores, policy)
    same = scores[PairVerdict.DUPLICATE] + scores[PairVerdict.REFINES]
    if act is Act.FOLD:
        assert same >= policy.fold
    if act is Act.SUPERSEDE:
        assert scores[PairVerdict.UPDATES] >= policy.supersede
        assert pair.earlier.at < pair.later.at
    if act is Act.ASK:
        assert scores[PairVerdict.UPDATES] + scores[PairVerdict.CONTRADICTS] >= min(policy.ask, policy.supersede)


@given(OWNERS, st.sampled_from(["likes meat", "is allergic to nuts", "has a dog", "drives to work"]), INSTANTS)
def test_a_negated_statement_is_never_merged_with_the_plain_one(who: str, plain: str, at: datetime) -> None:
    """However certain the head is."""
    pair = ClaimPair(Claim(f"{who} {plain}", EPOCH), Claim(f"It is not true that {who} {plain}", at))
    sure = {verdict: float(verdict is PairVerdict.DUPLICATE) for verdict in PairVerdict}
    assert decide(pair, read_pair(pair, {}).features, sure, JudgePolicy())[0] is Act.NOTHING


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_reaches_no_fewer_steps(one: float, other: float) -> None:
    """Steps only ever add."""
    low, high = sorted([one, other])
    below, above = step_features({"jaccard": low}), step_features({"jaccard": high})
    assert all(above[name] >= value for name, value in below.items())
