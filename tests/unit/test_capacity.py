"""Which memories give way when there are too many."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.consolidate.retention.fade import FadePolicy, surplus, truncate
from yesteryear.core.fading.half_life import Trace, strength_of
from yesteryear.core.rows.queries import Verbatim

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
NOW = NEW_YEAR + timedelta(days=100)


def day(number: float) -> datetime:
    """Return the instant so many days into the year."""
    return NEW_YEAR + timedelta(days=number)


@st.composite
def lives(draw: st.DrawFn) -> tuple[list[Trace], list[Verbatim]]:
    """Return episodes of a hundred days, and the messages of theirs and of no episode that have their words."""
    told = draw(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5), st.booleans(), st.booleans()), max_size=9))
    traces = [
        Trace(
            f"e{number}", importance, day(age), (), None, is_held, is_vivid=bool(draw(st.booleans())), is_active=found
        )
        for number, (importance, age, is_held, found) in enumerate(told)
    ]
    holders = [None, *(trace.id for trace in traces if trace.is_vivid)]
    held_by = draw(st.lists(st.tuples(st.sampled_from(holders), st.floats(0, 1), st.booleans()), max_size=20))
    words = [
        said(f"m{number:02}", holder, age=number, score=score, is_users=is_users)
        for number, (holder, score, is_users) in enumerate(held_by)
    ]
    return traces, words


CAPS = st.integers(0, 12)


def trace(name: str, *, importance: float = 0.5, age: float = 0, **more: bool) -> Trace:
    """Return an episode of some day."""
    return Trace(name, importance, day(age), (), None, **more)


def said(
    name: str,
    holder: str | None = None,
    *,
    age: float = 0,
    score: float = 0.5,
    is_users: bool = True,
    text: str = "the evenings are too hot",
) -> Verbatim:
    """Return a message that has its words."""
    return Verbatim(name, holder, day(age), is_users, score, text)


def test_the_weakest_give_way_and_among_equals_the_oldest() -> None:
    """Strength is what counts, which an old memory of importance may have more of than a fresh one without."""
    traces = [
        trace("new", age=2),
        trace("old", age=1),
        trace("faint", importance=0.1, age=3),
        trace("archived", importance=0.0, is_active=False),
        trace("asked for", importance=0.0, is_held=True),
    ]
    found = [surplus(traces, FadePolicy(max_active=most), now=NOW) for most in (4, 3, 2, 1, 9)]
    assert found == [[], ["faint"], ["faint", "old"], ["faint", "old", "new"], []]


def test_without_a_limit_nothing_gives_way() -> None:
    """0 stands for no limit, not for no memory."""
    traces = [trace(f"e{number}") for number in range(20)]
    assert surplus(traces, FadePolicy(max_active=0), now=NOW) == []
    assert truncate([said("m1"), said("m2")], traces, {}, FadePolicy(max_verbatim=0), now=NOW) == []


@given(lives(), CAPS, st.randoms(use_true_random=False))
def test_no_more_are_found_than_allowed(life: tuple[list[Trace], list[Verbatim]], most: int, chance: Random) -> None:
    """Unless more are held; no more go than have to, and no stronger one goes before a weaker one."""
    traces, _ = life
    policy = FadePolicy(max_active=most)
    going = surplus(traces, policy, now=NOW)
    active = [one for one in traces if one.is_active]
    left = [one for one in active if one.id not in going]
    gone = [one for one in active if one.id in going]
    held = sum(one.is_held for one in active)
    if most:
        assert len(left) == min(len(active), max(most, held))
    assert not any(one.is_held for one in gone)
    free = [strength_of(one, policy.strength, now=NOW) for one in left if not one.is_held]
    assert all(strength_of(one, policy.strength, now=NOW) <= min(free, default=1) for one in gone)
    chance.shuffle(traces)
    assert surplus(traces, policy, now=NOW) == going


def test_the_words_with_which_least_is_lost_go_first() -> None:
    """What the gate skipped, what others said, what the digest tells anyway, what speaks least for being kept."""
    traces = [trace("e1"), trace("asked for", is_held=True)]
    told = {"e1": frozenset({"flour", "mill"})}
    words = [
        said("held", "asked for", score=0.0, text="ok"),
        said("strong", "e1", score=0.9, text="my sister cannot eat nuts"),
        said("told", "e1", score=0.9, text="flour mill"),
        said("half told", "e1", score=0.9, text="flour thesis"),
        said("skipped", score=0.2, text="what is 17 times 3"),
        said("reply", "e1", score=0.9, is_users=False, text="good idea about the thesis"),
    ]
    expected = ["skipped", "told", "reply", "half told", "strong"]
    found = [truncate(words, traces, told, FadePolicy(max_verbatim=6 - most), now=NOW) for most in range(6)]
    assert found == [expected[:most] for most in range(6)]
    assert truncate(words, traces, told, FadePolicy(max_verbatim=1), now=NOW) == expected, "what is held stays"


def test_words_that_were_usefully_recalled_stay_longer() -> None:
    """The oftener the person came back to an episode, the more of a doubtful message is worth keeping."""
    recalled = trace("recalled")._replace(recalls=(day(30), day(80)))
    words = [said("m1", "recalled", score=0.4), said("m2", "plain", score=0.5)]
    policy = FadePolicy(max_verbatim=1)
    assert truncate(words, [recalled, trace("plain")], {}, policy, now=NOW) == ["m2"]
    assert truncate(words, [trace("recalled"), trace("plain")], {}, policy, now=NOW) == ["m1"]


@given(lives(), st.integers(1, 12))
def test_no_more_words_are_kept_than_allowed(life: tuple[list[Trace], list[Verbatim]], most: int) -> None:
    """Unless more are held; no more go than have to, each once, and nothing that is held."""
    traces, words = life
    going = truncate(words, traces, {}, FadePolicy(max_verbatim=most), now=NOW)
    held = {one.id for one in traces if one.is_held}
    free = [word.id for word in words if word.episode_id not in held]
    assert len(going) == len(set(going)) == max(0, min(len(words) - most, len(free)))
    assert set(going) <= set(free)


@given(lives(), st.integers(1, 11))
def test_a_smaller_limit_takes_the_same_words_and_more(life: tuple[list[Trace], list[Verbatim]], most: int) -> None:
    """What goes first does not depend on how much goes."""
    traces, words = life
    more, fewer = (truncate(words, traces, {}, FadePolicy(max_verbatim=limit), now=NOW) for limit in (most, most + 1))
    assert more[: len(fewer)] == fewer


@given(lives())
def test_among_equals_the_oldest_words_go_first(life: tuple[list[Trace], list[Verbatim]]) -> None:
    """As among episodes."""
    _, words = life
    alike = [word._replace(episode_id=None, score=0.5, is_users=True) for word in words]
    assert truncate(alike, [], {}, FadePolicy(max_verbatim=1), now=NOW) == [word.id for word in alike[:-1]]
