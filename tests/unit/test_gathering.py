"""Which episodes are read together: each once, with what is near it, and never across projects."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import an_episode
from yesteryear.consolidate.night.cluster import DistilPolicy, gather
from yesteryear.core.episode import Detail, Episode
from yesteryear.core.scope import Scope
from yesteryear.testing.builders import NOON

POLICY = DistilPolicy(most_episodes=3)


def an_hour(number: int, session: str, *, project: str | None = None, detail: Detail = Detail.VIVID) -> Episode:
    """Return an episode that began some hours after noon."""
    at, scope = NOON + timedelta(hours=number), Scope(user="ana", project=project)
    named = an_episode(f"e{number}", scope=scope)
    return replace(named, conversation=session, detail=detail, started_at=at, ended_at=at)


def names(gathered: list[tuple[Episode, ...]]) -> list[list[str]]:
    """Return ids."""
    return [[episode.id for episode in part] for part in gathered]


def test_a_group_of_two_sessions_is_read_once() -> None:
    """In the order of time; then all of it was read."""
    group = [an_hour(2, "b"), an_hour(1, "a")]
    assert names(gather([group], set(), POLICY)) == [["e1", "e2"]]
    assert gather([group], {"e1", "e2"}, POLICY) == []


def test_one_session_is_no_group() -> None:
    """Two mentions in one conversation are one."""
    assert gather([[an_hour(1, "a"), an_hour(2, "a")]], set(), POLICY) == []


def test_what_was_added_is_read_with_the_latest_of_the_others() -> None:
    """What the new one shows may have shown before; there is not room for all."""
    group = [an_hour(number, f"c{number}") for number in range(5)]
    read = {"e0", "e1", "e2", "e4"}
    assert names(gather([group], read, POLICY)) == [["e2", "e3", "e4"]]


def test_a_large_group_is_read_in_parts() -> None:
    """None of it is left out."""
    group = [an_hour(number, f"c{number}") for number in range(4)]
    assert names(gather([group], set(), POLICY)) == [["e0", "e1", "e2"], ["e1", "e2", "e3"]]


def test_episodes_without_words_are_left_out() -> None:
    """There is nothing left to quote."""
    gist = an_hour(1, "a", detail=Detail.GIST)
    assert gather([[gist, an_hour(2, "b")]], set(), POLICY) == []


EPISODES = st.lists(
    st.builds(
        an_hour,
        st.integers(0, 30),
        st.sampled_from("abc"),
        project=st.sampled_from([None, "thesis"]),
        detail=st.sampled_from([Detail.VIVID, Detail.GIST]),
    ),
    max_size=12,
    unique_by=lambda episode: episode.id,
)


@given(group=EPISODES, read=st.sets(st.integers(0, 30).map("e{}".format)))
def test_whatever_the_order_projects_stay_apart_and_nothing_is_read_twice(group: list[Episode], read: set[str]) -> None:
    """Each part has room, two sessions, one project and something new; reading all of them leaves nothing to read."""
    gathered = gather([group], read, POLICY)
    assert gather([list(reversed(group))], read, POLICY) == gathered
    for part in gathered:
        assert len(part) <= POLICY.most_episodes
        assert len({episode.conversation for episode in part}) > 1
        assert len({episode.scope.project for episode in part}) == 1
        assert not {episode.id for episode in part} <= read


@pytest.mark.heavy
@given(group=EPISODES)
def test_night_by_night_all_is_read(group: list[Episode]) -> None:
    """Whatever of a project was said in two conversations, and then there is nothing to do."""
    read: set[str] = set()
    for _ in group:
        read |= {episode.id for part in gather([group], read, POLICY) for episode in part}
    vivid = [episode for episode in group if episode.detail is Detail.VIVID]
    sessions = {episode.key for episode in vivid}
    assert gather([group], read, POLICY) == []
    assert read == {e.id for e in vivid if any(k.project == e.key.project and k != e.key for k in sessions)}
