"""What holds for a digest of any talk."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from yesteryear.core.episode import MAX_TOPIC_CHARS, Digest, Talk
from yesteryear.core.message import Outcome, Reason, Role, Verdict
from yesteryear.core.vectors import unit_rows
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.providers.local.feelings import EMOTIONS, STATES, count_cues, find_feeling_heads
from yesteryear.providers.local.reading import read_talk
from yesteryear.providers.minilm.embedder import PROFILE
from yesteryear.providers.minilm.weights import READER
from yesteryear.remember.importance import ImportancePolicy, importance
from yesteryear.remember.segment import group_exchanges
from yesteryear.testing.builders import a_message

PHRASES = st.sampled_from(
    [
        *(
            "I moved to Oslo in May",
            "we decided to stay",
            "I'm so proud 🥳",
            "what now?",
            "write me a poem",
            "ok",
            "maybe",
        ),
        *(
            "```\ncode\n```",
            '"they wrote this to me, not I"',
            "my mum cried",
            "{'a': 1}",
            "https://a.b/c?d=e",
            "on hold",
        ),
        *(". ", "! ", "\n"),
    ]
)
CONTENTS = st.one_of(st.text(min_size=1, max_size=200), st.lists(PHRASES, min_size=1, max_size=12).map(" ".join))
ROLES = st.sampled_from([Role.USER, Role.USER, Role.ASSISTANT, Role.TOOL])
VERDICTS = st.builds(
    Verdict,
    outcome=st.sampled_from([Outcome.KEEP, Outcome.UNSURE]),
    reason=st.sampled_from(Reason),
    score=st.floats(0, 1),
    threshold=st.just(0.5),
)


@st.composite
def talks(draw: st.DrawFn) -> Talk:
    """Return a talk of up to twelve messages."""
    lines = draw(st.lists(st.tuples(ROLES, CONTENTS), min_size=1, max_size=12))
    exchanges = tuple(
        group_exchanges([a_message(text, seq=seq, role=role) for seq, (role, text) in enumerate(lines, 1)])
    )
    return Talk(exchanges, tuple(draw(VERDICTS) for _ in exchanges))


def digest(talk: Talk) -> Digest:
    """Return what the analyst makes of it."""
    return LocalAnalyst().digest(talk, yield_to_foreground=lambda: None)


@settings(deadline=None)
@given(talks())
def test_a_digest_keeps_its_limits(talk: Talk) -> None:
    """Whatever was said and whatever its vectors: bounded, ranged, and every open question answered."""
    found = digest(talk)
    assert len(found.topic) <= MAX_TOPIC_CHARS
    assert len(found.key_points) <= 5
    assert len(set(found.emotions)) == len(found.emotions) <= 3
    assert set(found.emotions) <= set(EMOTIONS)
    assert all(0 <= signal <= 1 for signal in found.signals.values())
    assert 0 <= importance(found.signals, ImportancePolicy()) <= 1
    unsure = {position for position, verdict in enumerate(talk.verdicts) if verdict.outcome is Outcome.UNSURE}
    assert set(found.verdicts) == unsure
    assert all(verdict.outcome is not Outcome.UNSURE for verdict in found.verdicts.values())


@settings(deadline=None)
@given(talks())
def test_a_digest_is_deterministic(talk: Talk) -> None:
    """The same talk gives the same digest."""
    assert digest(talk) == digest(talk)


@settings(deadline=None)
@given(talks(), st.data())
def test_probabilities_of_feelings_make_one(talk: Talk, data: st.DataObject) -> None:
    """Whatever sentences and vectors: every candidate in [0, 1], together 1."""
    heads = find_feeling_heads(READER)
    assert heads
    sentences = read_talk(talk, yield_to_foreground=lambda: None).sentences[:12]
    assume(sentences)
    seed = data.draw(st.integers(0, 2**32))
    vectors = unit_rows(np.random.default_rng(seed).normal(size=(len(sentences), PROFILE.dimension)))
    for head, patterns in zip(heads, (EMOTIONS, STATES), strict=True):
        cues = count_cues(sentences, patterns, yield_to_foreground=lambda: None)
        found = head.probabilities(sentences, vectors, cues)
        assert all(0 <= probability <= 1 for probability in found.values())
        assert abs(sum(found.values()) - 1) < 1e-9


@settings(deadline=None)
@given(talks())
def test_only_what_was_said_is_told(talk: Talk) -> None:
    """Key points are words of the talk; at most a full stop or a mark of omission is added."""
    said = "\n".join(message.content for exchange in talk.exchanges for message in exchange.messages)
    for point in digest(talk).key_points:
        assert point in said or point.removesuffix(".") in said or point.removesuffix("…") in said
