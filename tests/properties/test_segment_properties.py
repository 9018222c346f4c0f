"""What holds for cutting any talk, however it arrives."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.message import Message, Role
from yesteryear.remember.segment import ClosedBy, Segment, SegmentPolicy, cut_segments, group_exchanges
from yesteryear.testing.builders import a_message

POLICY = SegmentPolicy()
LINES = st.tuples(
    st.sampled_from([Role.USER, Role.USER, Role.ASSISTANT, Role.ASSISTANT, Role.TOOL, Role.SYSTEM]),
    st.sampled_from(["Ana", "Ana", "Ben"]),
    st.sampled_from(
        [
            "the marathon training along the river hurts my knee",
            "the accountant lost the bakery invoices",
            "please remember that I am vegan",
            "By the way, what about taxes?",
            "Good morning! The boat leaves harbour",
            "ok",
            "why?",
        ]
    ),
    st.sampled_from([0, 0, 0, 1, 5, 31, -40]),
)
POLICIES = st.builds(
    SegmentPolicy,
    message_threshold=st.integers(1, 20),
    overrun_messages=st.integers(0, 3),
    topic_after_messages=st.integers(1, 7),
    topic_ahead=st.integers(1, 6),
)


@st.composite
def talks(draw: st.DrawFn) -> list[Message]:
    """Return a talk of up to fifty messages."""
    said: list[Message] = []
    minutes = 0.0
    for seq, (role, author, content, gap) in enumerate(draw(st.lists(LINES, max_size=50)), 1):
        minutes += gap
        name = author if role is Role.USER else None
        said.append(a_message(content, seq=seq, role=role, author=name, minutes=minutes))
    return said


def closed(segments: list[Segment]) -> list[tuple[tuple[Message, ...], ClosedBy]]:
    """Return segments as plain pairs."""
    return [(segment.messages, segment.closed_by) for segment in segments]


@given(talks(), POLICIES)
def test_cutting_at_once_and_message_by_message_is_the_same(talk: list[Message], policy: SegmentPolicy) -> None:
    """When a worker looks does not change what it finds."""
    step_by_step: list[Segment] = []
    settled = 0
    for arrived in range(1, len(talk) + 1):
        ended = cut_segments(talk[settled:arrived], policy)
        step_by_step += ended
        settled += sum(len(segment.messages) for segment in ended)
    assert closed(step_by_step) == closed(cut_segments(talk, policy))


@given(talks(), st.integers(0, 50), st.booleans(), POLICIES)
def test_segments_are_the_beginning_of_the_talk_in_order(
    talk: list[Message], through: int, close_all: bool, policy: SegmentPolicy
) -> None:
    """No message is lost, doubled or moved, and flushing leaves none open."""
    segments = cut_segments(talk, policy, close_through=through, close_all=close_all)
    ended = [message for segment in segments for message in segment.messages]
    assert ended == talk[: len(ended)]
    assert all(segment.messages for segment in segments)
    if close_all:
        assert ended == talk
    if 1 <= through <= len(talk):
        assert len(ended) >= through


@given(talks(), POLICIES)
def test_no_segment_is_longer_than_the_policy_allows(talk: list[Message], policy: SegmentPolicy) -> None:
    """The threshold and the overrun bound every episode."""
    longest = policy.message_threshold + policy.overrun_messages
    assert all(len(segment.messages) <= longest for segment in cut_segments(talk, policy, close_all=True))


@given(talks())
def test_no_segment_holds_a_pause(talk: list[Message]) -> None:
    """Half an hour of silence always parts."""
    for segment in cut_segments(talk, POLICY, close_all=True):
        times = [message.at for message in segment.messages]
        assert all(later - earlier < timedelta(minutes=30) for earlier, later in pairwise(times))


@given(talks())
def test_every_message_is_in_exactly_one_exchange(talk: list[Message]) -> None:
    """Grouping keeps all messages, in order."""
    exchanges = group_exchanges(talk)
    assert [message for exchange in exchanges for message in exchange.messages] == talk
