"""Why something is remembered and when it fades; why something was not kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.each import each
from tests.rows import ANA, DIGEST, KEPT, SKIPPED, add, an_episode, at, in_scope
from yesteryear.consolidate.retention.fade import FadePolicy, faded
from yesteryear.core.episode import Detail, Episode, EpisodeStatus
from yesteryear.core.fading.half_life import strength_of
from yesteryear.core.message import Message
from yesteryear.errors import NotFound
from yesteryear.lifecycle.why import EpisodeWhy, Why, explain, explain_episode
from yesteryear.policies import Policies
from yesteryear.ports import Store
from yesteryear.remember.importance import ImportancePolicy, importance
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.testing.builders import a_message

DAY_MINUTES = 24 * 60
FADE, WEIGHTS = FadePolicy(), ImportancePolicy()
SIGNALS = {"emotion": 0.25, "commitment": 1.0, "novelty": 0.0, "of another version": 0.5}


@pytest.fixture
def store() -> Iterator[Store]:
    """Return an empty store."""
    with_rows = InMemoryStore()
    yield with_rows
    with_rows.close()


def ask(store: Store, name: str, *, days: float = 0) -> Why:
    """Ask why, so many days after noon."""
    with store.read(ANA) as tx:
        return explain(tx, name, Policies(), now=at(days * DAY_MINUTES))


def an_active(**changes: Any) -> Episode:
    """Return an episode whose importance is what its signals make."""
    digest = replace(DIGEST, signals=SIGNALS)
    made = an_episode(status=EpisodeStatus.ACTIVE, digest=digest, importance=importance(SIGNALS, WEIGHTS))
    return replace(made, **changes)


def why(episode: Episode, *, days: float = 0, policy: FadePolicy = FADE) -> EpisodeWhy:
    """Explain an episode, so many days after it was told."""
    return explain_episode(episode, policy, WEIGHTS, now=at(days * DAY_MINUTES))


def test_an_importance_is_the_sum_of_its_factors() -> None:
    """Those that were found, the one that adds most first; what no weight is given to does not count."""
    found = why(an_active())
    assert [factor.name for factor in found.factors] == ["commitment", "base", "emotion"]
    assert found.importance == pytest.approx(sum(factor.adds for factor in found.factors))
    assert [factor.signal for factor in found.factors] == [1.0, 1.0, 0.25]


@each("days", [0, 10, 100, 1000])
def test_strength_is_what_fading_goes_by(days: float) -> None:
    """The same number, at any time."""
    recalled = an_active(recalls=(at(5 * DAY_MINUTES),))
    now = at(days * DAY_MINUTES)
    assert why(recalled, days=days).strength == strength_of(recalled.trace, FADE.strength, now=now)


def test_the_days_of_its_steps_are_those_on_which_they_happen() -> None:
    """Until then it is as it was; from then on it is not."""
    episode = an_active()
    found = why(episode)
    assert found.gist_at is not None
    assert found.archived_at is not None
    moment = timedelta(microseconds=1)
    states = [
        faded(episode.trace, FADE, now=now)
        for step in (found.gist_at, found.archived_at)
        for now in (step - moment, step)
    ]
    assert [(state.is_vivid, state.is_active) for state in states] == [
        *((True, True), (False, True), (False, True), (False, False)),
    ]
    assert faded(episode.trace, FADE, now=at(0)).fades_at == found.gist_at


def test_a_useful_recall_shows() -> None:
    """When it was, since when it fades, and how much slower."""
    plain, recalled = why(an_active(), days=60), why(an_active(recalls=(at(30 * DAY_MINUTES),)), days=60)
    assert recalled.recalls == (at(30 * DAY_MINUTES),)
    assert (plain.strengthened_at, recalled.strengthened_at) == (at(0), at(30 * DAY_MINUTES))
    assert recalled.half_life_days > plain.half_life_days
    assert recalled.strength > plain.strength


def test_what_is_held_says_by_what_and_never_fades() -> None:
    """A pin, or a request of the person."""
    asked = an_active(digest=replace(DIGEST, signals={"explicit_request": 1.0}))
    for episode, held_by in ((asked, "request"), (an_active(pinned=True), "pin"), (an_active(), "")):
        found = why(episode, days=1)
        assert found.held_by == held_by
        assert (found.gist_at is None, found.archived_at is None) == (bool(held_by),) * 2
        assert (found.strength == found.importance) == bool(held_by)


def test_what_is_gone_is_not_announced_again() -> None:
    """Words go once, and what left recall has left; with fading off nothing is announced."""
    assert why(an_active(detail=Detail.GIST)).gist_at is None
    assert why(an_active(detail=Detail.GIST)).archived_at is not None
    archived = why(an_active(status=EpisodeStatus.ARCHIVED))
    assert (archived.gist_at is None, archived.archived_at) == (False, None)
    still = why(an_active(), policy=FadePolicy(is_on=False))
    assert (still.gist_at, still.archived_at) == (None, None)


def test_an_episode_that_waits_for_its_digest_can_be_asked_about() -> None:
    """There is little to say yet."""
    found = why(an_episode(digest=None, status=EpisodeStatus.FAILED, importance=0.0))
    assert (found.topic, found.status, found.importance, found.strength) == ("", "failed", 0.0, 0.0)


def test_a_message_tells_its_verdict_and_the_episode_that_holds_it(store: Store) -> None:
    """By our id or the caller's own."""
    said = a_message(verdict=KEPT, episode_id="e1", external_id="mine")
    add(store, said, an_active())
    for name in ("c1-1", "mine"):
        found = ask(store, name)
        assert found.id == name
        assert found.message is not None
        assert found.episode == ask(store, "e1").episode
        assert (found.message.text, found.message.outcome, found.message.reason) == (said.content, "keep", "personal")
        assert (found.message.score, found.message.threshold, found.message.rule) == (0.8125, 0.5, "says_i")
        assert found.message.features == KEPT.features


def test_a_skipped_message_tells_when_its_text_goes(store: Store) -> None:
    """And nothing of an episode."""
    add(store, a_message(verdict=SKIPPED, expires_at=at(9)))
    found = ask(store, "c1-1")
    assert found.message is not None
    assert (found.message.outcome, found.message.expires_at, found.episode) == ("skip", at(9), None)


def test_a_message_that_waits_for_the_gate_can_be_asked_about(store: Store) -> None:
    """It was neither kept nor skipped."""
    add(store, a_message())
    found = ask(store, "c1-1").message
    assert found is not None
    assert (found.outcome, found.reason, found.score, found.features) == (None, None, None, {})


def test_every_message_of_an_exchange_tells_the_features_of_its_verdict(store: Store) -> None:
    """They stand with the first one; the exchange before has its own."""
    bare, other = replace(KEPT, features={}), replace(SKIPPED, features={"filler": 0.5})
    rows: list[Message] = [
        a_message(seq=1, verdict=other),
        a_message(seq=2, verdict=KEPT),
        a_message(seq=3, verdict=bare),
        a_message(seq=4, verdict=bare),
        a_message(seq=5, verdict=replace(SKIPPED, score=0.3)),
    ]
    add(store, *rows)
    found = [ask(store, f"c1-{seq}").message for seq in range(1, 6)]
    told = [dict(each.features) for each in found if each is not None]
    assert told == [{"filler": 0.5}, *[dict(KEPT.features)] * 3, {}]


@pytest.mark.parametrize("name", ["nobody", "e2", "c9-1", "E1"])
def test_what_this_scope_does_not_hold_is_not_found(store: Store, name: str) -> None:
    """Unknown, of another project or of another person: the answer is the same."""
    elsewhere = in_scope("thesis")
    add(store, a_message(), an_active(), a_message(id="c9-1", scope=elsewhere), an_episode("e2", scope=elsewhere))
    with store.read(in_scope("taxes")) as tx, pytest.raises(NotFound) as ours:
        explain(tx, name, Policies(), now=at(0))
    with store.read(replace(ANA, user="ben")) as tx, pytest.raises(NotFound) as theirs:
        explain(tx, name, Policies(), now=at(0))
    assert str(ours.value) == str(theirs.value)
