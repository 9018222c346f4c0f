"""What holds for every recall, and for the arithmetic behind it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tests.properties.lives import CONCEPTS, NOW, QUESTIONS, TEXTS, Talk, opened, talks, tell
from yesteryear import Engine, Hit, Memory, ReplayClock
from yesteryear.bootstrap import build_ports
from yesteryear.recall.fusion import FusionPolicy, add_neighbours, standardise
from yesteryear.recall.lexical import BM25Policy, Postings
from yesteryear.testing.embedder import ConceptEmbedder
from yesteryear.worker.runner import Runner

STEMS = st.lists(st.sampled_from("abcdefg"), max_size=12)
CORPORA = st.lists(STEMS, min_size=1, max_size=12)
BM25 = st.builds(BM25Policy, k1=st.floats(0.1, 3), b=st.floats(0, 1))
SCORES = npst.arrays(np.float64, st.integers(1, 20), elements=st.floats(-100, 100).map(lambda score: round(score, 3)))


def key(hit: Hit) -> tuple[str, int]:
    """Return what tells a hit from all others of one store."""
    return hit.id, hit.part


@dataclass(frozen=True, slots=True)
class Only:
    """Filters of one recall."""

    kinds: tuple[str, ...] | None
    since: datetime | None
    until: datetime | None
    author: str | None
    conversation: str | None

    def asked(self) -> dict[str, Any]:
        """Return them as arguments of ``recall``."""
        return {name: getattr(self, name) for name in ("kinds", "since", "until", "author", "conversation")}

    def allows(self, hit: Hit) -> bool:
        """Tell whether a hit should pass, by what it says of itself."""
        return (
            (self.kinds is None or hit.grain in self.kinds)
            and (self.since is None or hit.at >= self.since)
            and (self.until is None or hit.at < self.until)
            and (self.author is None or hit.author == self.author)
            and (self.conversation is None or hit.conversation == self.conversation)
        )


INSTANTS = st.one_of(
    st.none(), st.integers(-30, 30).map(lambda nines: NOW - timedelta(days=1) + timedelta(minutes=9 * nines))
)
FILTERS = st.builds(
    Only,
    kinds=st.sampled_from([None, ("episode",), ("excerpt",), ("episode", "excerpt"), ()]),
    since=INSTANTS,
    until=INSTANTS,
    author=st.sampled_from([None, None, "Ana", "assistant", "nobody"]),
    conversation=st.sampled_from([None, None, "c0", "c1", "nowhere"]),
)


@settings(max_examples=25)
@given(told=talks(), only=FILTERS)
def test_filters_let_through_exactly_what_they_name(told: list[Talk], only: Only) -> None:
    """Everything that fits and nothing else; beginnings belong to an interval, ends do not."""
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        everything = memory.recall("bread", limit=1000)
        found = memory.recall("bread", limit=1000, **only.asked())
    assert sorted(map(key, found)) == sorted(key(hit) for hit in everything if only.allows(hit))


@settings(max_examples=25)
@given(told=talks(), question=QUESTIONS, limit=st.integers(1, 30))
def test_fewer_hits_are_the_first_of_more(told: list[Talk], question: str, limit: int) -> None:
    """In order of score, of time where scores are equal; each is the sum of its signals, none comes twice."""
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        some, all_of_them = memory.recall(question, limit=limit), memory.recall(question, limit=1000)
    assert some.hits == all_of_them.hits[:limit]
    assert [(-hit.score, hit.at) for hit in all_of_them] == sorted((-hit.score, hit.at) for hit in all_of_them)
    assert len({key(hit) for hit in all_of_them}) == len(all_of_them)
    for hit in all_of_them:
        assert np.isfinite(hit.score)
        assert hit.score == pytest.approx(
            sum(hit.signals[name] for name in ("words", "vector", "neighbours")), abs=1e-8
        )


@settings(max_examples=12)
@given(told=talks(), question=QUESTIONS, order=st.randoms(use_true_random=False))
def test_hits_do_not_depend_on_the_order_in_which_talk_arrived(told: list[Talk], question: str, order: Any) -> None:
    """Also where two conversations say the same at the same instant, and each was taken up as it came."""
    twice = told + [Talk(f"echo-{talk.name}", talk.messages) for talk in told]
    found = []
    for _ in range(2):
        with opened() as engine:
            memory = engine.memory(user="ana")
            tell(engine, [FIRST])  # from here on the index only grows
            for talk in twice:
                tell(engine, [talk], is_flushed=False)
                memory.recall(question)
            memory.flush()
            hits = memory.recall(question, limit=1000, kinds="excerpt")
            found.append([(hit.conversation, hit.messages, hit.part, hit.score) for hit in hits])
        order.shuffle(twice)
    assert found[0] == found[1]


FIRST = Talk("first", ({"content": "Hello, I am Ana", "at": NOW, "id": "first"},))
STEPS = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(["c1", "c2"]), TEXTS),
    st.tuples(st.just("work"), st.sampled_from([0, 1, 45]), st.none()),
    st.tuples(st.just("keep_verbatim"), st.booleans(), st.none()),
    st.tuples(st.just("flush"), st.none(), st.none()),
)


@settings(max_examples=30)
@given(steps=st.lists(STEPS, max_size=14), question=QUESTIONS)
def test_an_index_kept_in_step_equals_one_built_anew(steps: list[tuple[str, Any, Any]], question: str) -> None:
    """After every step of a life: talk, work, days that pass, text that expires, transcripts that are dropped."""
    clock = ReplayClock(NOW)
    ports, found = build_ports(":memory:", clock=clock, embedder=ConceptEmbedder(CONCEPTS), worker="none")
    policies = found.policies()
    with Engine(ports, policies) as engine:
        old = engine.memory(user="ana")
        for step, value, text in steps:
            if step == "say":
                old.observe(text, conversation=value)
                clock.advance(timedelta(minutes=2))
            elif step == "work":
                clock.advance(timedelta(days=value))
                Runner(ports, policies).run(until_idle=True)
            elif step == "keep_verbatim":
                old.configure(keep_verbatim=value)
            else:
                old.flush()
            new = Engine(ports, policies).memory(user="ana")
            assert old.recall(question, limit=1000).to_dict() == new.recall(question, limit=1000).to_dict()
            assert old.context(question, budget=600).to_dict() == new.context(question, budget=600).to_dict()


OBSERVE = """
import sys, yesteryear
with yesteryear.open(sys.argv[1], worker="none", embedder="hashing") as engine:
    memory = engine.memory(user="ana")
    memory.observe(sys.argv[2], conversation="c1", id=sys.argv[2])
    if len(sys.argv) > 3:
        memory.flush()
"""


def test_what_another_process_writes_is_seen(tmp_path: Path) -> None:
    """New words at once, new vectors as soon as they are made, without opening anything anew."""
    place = tmp_path / "memory.db"

    def elsewhere(*args: str) -> None:
        subprocess.run([sys.executable, "-c", OBSERVE, str(place), *args], check=True)

    def found(memory: Memory, question: str) -> set[str]:
        return {name for hit in memory.recall(question, kinds="excerpt") for name in hit.messages}

    with opened(place, embedder="hashing") as engine:
        memory = engine.memory(user="ana")
        assert found(memory, "whale") == set()
        elsewhere("I saw a whale")
        assert found(memory, "whale") == {"I saw a whale"}
        elsewhere("The mill burnt down", "flush")
        assert memory.recall("mill")[0].signals["vector"] > 0
        assert found(memory, "mill") == {"I saw a whale", "The mill burnt down"}


@given(CORPORA, STEMS, BM25, st.randoms(use_true_random=False))
def test_word_scores_do_not_depend_on_the_order_of_the_texts(
    corpus: list[list[str]], question: list[str], policy: BM25Policy, order: Any
) -> None:
    """To the last bit: the same text scores the same wherever it stands."""
    places = list(range(len(corpus)))
    order.shuffle(places)
    straight, mixed = Postings(), Postings()
    for number, place in enumerate(places):
        straight.add(corpus[number])
        mixed.add(corpus[place])
    every = np.arange(len(corpus))
    assert np.array_equal(straight.score(question, every, policy)[places], mixed.score(question, every, policy))


@given(CORPORA, STEMS, STEMS, BM25)
def test_word_scores_are_zero_without_a_common_word_and_grow_with_the_question(
    corpus: list[list[str]], question: list[str], more: list[str], policy: BM25Policy
) -> None:
    """Never negative, however common a word is."""
    postings = Postings()
    for text in corpus:
        postings.add(text)
    every = np.arange(len(corpus))
    scores = postings.score(question, every, policy)
    assert [score > 0 for score in scores] == [bool(set(text) & set(question)) for text in corpus]
    assert (postings.score(question + more, every, policy) >= scores - 1e-12).all()


@given(SCORES, st.floats(0.5, 20), st.floats(-50, 50))
def test_standardising_knows_no_unit_and_no_zero(scores: np.ndarray, factor: float, shift: float) -> None:
    """So that a cosine and a sum of word weights can be added."""
    expected = standardise(scores)
    if np.ptp(scores) > 0.01:
        assert standardise(scores * factor + shift) == pytest.approx(expected, abs=1e-6)
        assert expected.mean() == pytest.approx(0, abs=1e-6)
        assert expected.std() == pytest.approx(1, abs=1e-6)
    assert standardise(np.append(scores, np.nan)) == pytest.approx(np.append(expected, 0), abs=1e-9)


@given(SCORES, st.floats(0, 1), st.data())
def test_neighbours_only_ever_lend_a_share(scores: np.ndarray, share: float, data: st.DataObject) -> None:
    """Nobody gains more than the share of the best neighbour, or loses more than that of the worst."""
    before = np.array([data.draw(st.integers(-1, number - 1)) for number in range(len(scores))], dtype=np.int64)
    gained = add_neighbours(scores, before, FusionPolicy(neighbours=share)) - scores
    for number, gain in enumerate(gained):
        around = [scores[other] for other in range(len(scores)) if before[other] == number]
        around += [scores[before[number]]] if before[number] >= 0 else []
        lowest, highest = (min(around), max(around)) if around else (0.0, 0.0)
        assert share * lowest - 1e-6 <= gain <= share * highest + 1e-6
