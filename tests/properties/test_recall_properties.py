"""What holds for every recall: whose memories, which of them, in which order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.concepts import ConceptEmbedder
from tests.properties.examples import examples
from tests.properties.lives import CONCEPTS, NOW, QUESTIONS, TEXTS, Talk, opened, talks, tell
from tests.rows import an_episode
from yesteryear import Engine, Episode, FactView, Hit, Memory, Message, ReplayClock, Scope
from yesteryear.bootstrap import build_ports
from yesteryear.core.episode import gist_lines
from yesteryear.core.fading.confidence import ConfidencePolicy
from yesteryear.core.language.sentences import split_passages
from yesteryear.core.message import HIDING_REASONS
from yesteryear.core.vectors import Purpose, StoredVector, VectorGrain
from yesteryear.ports import Ports, Transaction
from yesteryear.testing.builders import a_message
from yesteryear.worker import Runner

pytestmark = pytest.mark.sampled

PROJECTS = (None, "thesis", "taxes")


def key(hit: Hit) -> tuple[str, int]:
    """Return what tells a hit from all others of one store."""
    return hit.id, hit.part


# --- which memories


@dataclass(frozen=True, slots=True)
class Only:
    """Filters of one recall, and a slow way to apply them to the rows."""

    kinds: tuple[str, ...] | None
    since: datetime | None
    until: datetime | None
    author: str | None
    conversation: str | None

    def asked(self) -> dict[str, Any]:
        """Return them as arguments of ``recall``."""
        return {name: getattr(self, name) for name in ("kinds", "since", "until", "author", "conversation")}

    def allowed(
        self, messages: Sequence[Message], episodes: Sequence[Episode], authors: Collection[str]
    ) -> list[tuple[str, int]]:
        """Return the id and part of all that should be found among the rows of a scope, in order."""
        shown = {row.id: row for row in messages if row.content and not self.hides(row)}
        found = [
            (row.id, part)
            for row in shown.values()
            if (self.kinds is None or "excerpt" in self.kinds) and self.fits(row.conversation, row.at, row.author)
            for part in range(len(split_passages(row.content)))
        ]
        for row in episodes:
            lines = gist_lines(row.digest) if self.kinds is None and row.digest and row.detail != "vivid" else []
            for part, line in enumerate(lines, start=1):
                speaker = line.speaker or "user"
                if self.fits(row.conversation, row.ended_at, speaker if speaker in authors else None):
                    found.append((row.id, part))
            is_told = "episode" in self.kinds if self.kinds is not None else not shown.keys() & set(row.message_ids)
            if is_told and not lines and self.fits(row.conversation, row.ended_at, None):
                found.append((row.id, 0))
        return sorted(found)

    def allowed_facts(self, facts: Sequence[FactView]) -> set[str]:
        """Return the ids of all facts that may be found among those of a scope."""
        if self.kinds is not None and "fact" not in self.kinds:
            return set()
        least = ConfidencePolicy().deprecate_below
        return {
            row.id
            for row in facts
            if self.fits("", row.last_confirmed or row.first_observed, row.subject) and row.confidence >= least
        }

    def hides(self, row: Message) -> bool:
        """Tell whether the gate keeps a message from being found."""
        return row.verdict is not None and row.verdict.reason in HIDING_REASONS

    def fits(self, conversation: str, at: datetime, author: str | None) -> bool:
        """Tell whether something that was said passes."""
        return (
            (self.since is None or at >= self.since)
            and (self.until is None or at < self.until)
            and self.author in (None, author)
            and self.conversation in (None, conversation)
        )


INSTANTS = st.one_of(
    st.none(), st.integers(-30, 30).map(lambda nines: NOW - timedelta(days=1) + timedelta(minutes=9 * nines))
)
FILTERS = st.builds(
    Only,
    kinds=st.sampled_from([None, ("episode",), ("excerpt",), ("episode", "excerpt"), ("fact",), ()]),
    since=INSTANTS,
    until=INSTANTS,
    author=st.sampled_from([None, None, "Ana", "assistant", "nobody"]),
    conversation=st.sampled_from([None, None, "c0", "c1", "nowhere"]),
)


@examples(15)
@given(told=talks(projects=PROJECTS), only=FILTERS, project=st.sampled_from(PROJECTS), keeps_verbatim=st.booleans())
def test_filters_let_through_exactly_what_they_name(
    told: list[Talk], only: Only, project: str | None, keeps_verbatim: bool
) -> None:
    """All that a slow look at the rows allows, and nothing else; beginnings belong to an interval, ends do not."""
    with opened() as engine:
        engine.memory(user="ana").configure(keep_verbatim=keeps_verbatim)
        tell(engine, told)
        memory = engine.memory(user="ana", project=project)
        found = memory.recall("bread", limit=1000, **only.asked())
        authors = {message.author for message in engine.memory(user="ana").messages(limit=1000)}
        expected = only.allowed(memory.messages(limit=1000), memory.episodes(limit=1000), authors)
        allowed = only.allowed_facts(memory.facts(limit=1000))
    facts = {hit.id: hit for hit in found if hit.grain is VectorGrain.FACT}
    assert sorted(key(hit) for hit in found if hit.id not in facts) == expected
    assert facts.keys() <= allowed
    if only.kinds == ("fact",):
        assert facts.keys() == allowed


# --- in which order


@examples(10)
@given(told=talks(), question=QUESTIONS, limit=st.integers(1, 30), speaker=st.sampled_from([None, "user", "assistant"]))
def test_fewer_hits_are_the_first_of_more(told: list[Talk], question: str, limit: int, speaker: str | None) -> None:
    """In order of score, of time where scores are equal; each is the sum of its signals, none comes twice."""
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        some = memory.recall(question, limit=limit, speaker=speaker)
        all_of_them = memory.recall(question, limit=1000, speaker=speaker)
    assert some.hits == all_of_them.hits[:limit]
    assert [(-hit.score, hit.at) for hit in all_of_them] == sorted((-hit.score, hit.at) for hit in all_of_them)
    assert len({key(hit) for hit in all_of_them}) == len(all_of_them)
    for hit in all_of_them:
        assert np.isfinite(hit.score)
        assert hit.score == pytest.approx(sum(hit.signals.values()), abs=1e-8)


@examples(6)
@given(
    told=talks(),
    question=QUESTIONS,
    preset=st.sampled_from(["standard", "classic"]),
    order=st.randoms(use_true_random=False),
)
def test_hits_do_not_depend_on_the_order_in_which_talk_arrived(
    told: list[Talk], question: str, preset: str, order: Any
) -> None:
    """Also where two conversations say the same at the same instant, and each was taken up as it came."""
    twice = told + [Talk(f"echo-{talk.name}", talk.messages) for talk in told]
    found = []
    for _ in range(2):
        with opened(recall_preset=preset) as engine:
            memory = engine.memory(user="ana")
            tell(engine, [FIRST])  # from here on the index only grows
            for talk in twice:
                tell(engine, [talk], is_flushed=False)
                memory.recall(question)
            memory.flush()
            hits = memory.recall(question, limit=1000, kinds="excerpt")
            found.append([(hit.conversation, hit.messages, hit.part, hit.score, hit.is_earlier) for hit in hits])
        order.shuffle(twice)
    assert found[0] == found[1]


ASK = """
import sys
from tests.properties.lives import NOW, Talk, opened, tell
with opened(embedder="hashing") as engine:
    names = sys.argv[2:]
    told = [
        Talk(name, tuple({"content": f"{who} has {number} names like {name} since May {number}", "author": who,
                          "at": NOW, "id": f"{name}-{number}"}
                         for number, who in enumerate(["Ana", "Ben", "May", "Ana Costa", "Will"] * 2)))
        for name in names
    ]
    tell(engine, told)
    for hit in engine.memory(user="ana").recall(sys.argv[1], limit=1000, kinds="excerpt"):
        print(hit.messages, hit.score, sorted(hit.signals.items()), hit.is_earlier)
"""


@pytest.mark.heavy
@pytest.mark.parametrize("question", ["How many names does Ana have now?", "What did May and Will say in May 2025?"])
def test_hits_do_not_depend_on_the_process(question: str) -> None:
    """Neither on its hashes nor on the order in which it was told."""
    told = ["oslo", "rome", "lima", "kiev", "bonn", "cork", "faro"]

    def found(seed: str, names: list[str]) -> str:
        done = subprocess.run(
            [sys.executable, "-c", ASK, question, *names],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    first = found("1", told)
    assert first.count("\n") == 10 * len(told)
    assert found("2", told[::-1]) == first


FIRST = Talk("first", ({"content": "Hello, I am Ana", "at": NOW, "id": "first"},))
# --- whose memories


@examples(8)
@given(
    told=talks(projects=(None, "thesis")),
    strange=talks(users=("ana", "ben"), projects=("taxes",)),
    question=QUESTIONS,
    only=FILTERS,
)
def test_what_a_scope_does_not_see_changes_nothing(
    told: list[Talk], strange: list[Talk], question: str, only: Only
) -> None:
    """Not a score, not a hit, not a line: memories of another owner, or of a project that is hidden.

    What a person says about themself they say for all their projects, so none is drawn from the hidden one here.
    """
    with opened() as engine:
        engine.memory(user="ana", project="taxes").configure(fact_extraction_enabled=False)
        tell(engine, told)
        thesis = engine.memory(user="ana", project="thesis")

        def found() -> list[dict[str, Any]]:
            recalled = [thesis.recall(question, limit=1000), thesis.recall(question, limit=1000, **only.asked())]
            return [result.to_dict() for result in (*recalled, thesis.context(question, budget=600, dry_run=True))]

        before = found()
        tell(engine, [replace(talk, name=f"strange {talk.name}") for talk in strange])
        tell(engine, [replace(talk, name=strange_talk.name) for talk, strange_talk in zip(strange, told, strict=False)])
        assert found() == before


SCOPES = [(project, agent) for project in (None, "thesis", "taxes") for agent in (None, "tutor", "coach")]
WORDS = ["bread", "knee", "river", "May", "42", "now", "flour", "why?"]


@dataclass(frozen=True, slots=True)
class Row:
    """One message of somebody."""

    user: int
    place: tuple[str | None, str | None]
    """Project and agent."""
    words: tuple[str, ...]
    is_embedded: bool
    is_episode: bool

    @property
    def mark(self) -> str:
        """Whose it is, as a word that nobody else says."""
        return f"mark{self.user}{self.place[0]}{self.place[1]}".lower()


ROWS = st.lists(
    st.builds(
        Row,
        user=st.integers(0, 4),
        place=st.sampled_from(SCOPES),
        words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(tuple),
        is_embedded=st.booleans(),
        is_episode=st.booleans(),
    ),
    min_size=1,
    max_size=14,
)


def fill(ports: Ports, rows: Sequence[Row]) -> None:
    """Write rows whose ids, conversations and authors are the same with all owners."""
    model = ports.embedder.profile.model

    def put(tx: Transaction, number: int, row: Row, scope: Scope) -> None:
        text = " ".join((row.mark, *row.words))
        message = a_message(text, seq=number, id=f"m{number}", at=NOW, scope=scope, author=("Ana", "Ben")[number % 2])
        episode = an_episode(f"e{number}", scope=scope, message_ids=("m-gone",), ended_at=NOW, importance=0.9)
        digest = replace(episode.digest, topic=row.mark, summary=text) if episode.digest else None
        vector = ports.embedder.embed([text], purpose=Purpose.DOCUMENT)[0]
        if row.is_episode:
            tx.episodes.insert(replace(episode, digest=digest))
        else:
            tx.messages.insert(message)
        if row.is_embedded:
            grain, ref = (VectorGrain.EPISODE, episode.id) if row.is_episode else (VectorGrain.EXCERPT, message.id)
            tx.vectors.put(model, [StoredVector(grain, ref, 0, vector)])
        tx.save_owner(replace(tx.owner(), model=model))

    for number, row in enumerate(rows, start=1):
        scope = Scope(user=f"user{row.user}", project=row.place[0], agent=row.place[1])
        ports.store.write(scope, lambda tx, number=number, row=row, scope=scope: put(tx, number, row, scope))


def ask_everybody(rows: Sequence[Row], questions: Sequence[str]) -> int:
    """Ask in all scopes of all owners; return how many questions that were. Whoever meets a stranger fails."""
    ports, found = build_ports(
        ":memory:", clock=ReplayClock(NOW), embedder=ConceptEmbedder(CONCEPTS), worker="none", index_memory_mb=1
    )
    asked = 0
    fill(ports, rows)
    with Engine(ports, found.policies()) as engine:
        for user in sorted({row.user for row in rows}):
            for project, agent in SCOPES:
                memory = engine.memory(user=f"user{user}", project=project, agent=agent)
                mine = {row.mark for row in rows if row.user == user and memory.scope.sees(*row.place)}
                for question in questions:
                    hits = memory.recall(question, limit=1000)
                    assert {word for hit in hits for word in marks_in(hit.text)} <= mine
                    assert all(memory.scope.sees(hit.project, hit.agent) for hit in hits)
                    asked += 1
                context = memory.context(questions[0], conversation="c1", budget=400)
                assert marks_in("\n".join((context.text, *context.recent))) <= mine
    return asked


def marks_in(text: str) -> set[str]:
    """Return whose words a text holds."""
    return set(re.findall(r"mark\d\w*", text.lower()))


ASKED = st.lists(
    st.lists(st.sampled_from([*WORDS, "mark0nonenone", "Ben"]), max_size=4).map(" ".join), min_size=4, max_size=4
)


@examples(6)
@given(rows=ROWS, questions=ASKED)
def test_no_foreign_owner_or_project_ever(rows: list[Row], questions: list[str]) -> None:
    """In recall and in contexts, although ids, names and words are the same everywhere."""
    ask_everybody(rows, questions)


@pytest.mark.exhaustive
@pytest.mark.heavy
def test_no_foreign_owner_or_project_in_a_hundred_thousand_cases() -> None:
    """The same, over and over."""
    asked = 0

    @settings(max_examples=1_100, database=None)
    @given(rows=ROWS, questions=ASKED)
    def ask(rows: list[Row], questions: list[str]) -> None:
        nonlocal asked
        asked += ask_everybody(rows, questions)

    ask()
    assert asked >= 100_000


# --- in step with the rows


STEPS = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(["c1", "c2"]), TEXTS),
    st.tuples(st.just("work"), st.sampled_from([0, 1, 45]), st.none()),
    st.tuples(st.just("keep_verbatim"), st.booleans(), st.none()),
    st.tuples(st.just("flush"), st.none(), st.none()),
)


@examples(12)
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
            # Only looked at: a question that was shown is not shown again.
            shown = [memory.context(question, budget=600, dry_run=True).to_dict() for memory in (old, new)]
            assert shown[0] == shown[1]


OBSERVE = """
import sys, yesteryear
with yesteryear.open(sys.argv[1], worker="none", embedder="hashing", reader="words") as engine:
    memory = engine.memory(user="ana")
    for line in sys.stdin:
        text, _, is_flushed = line.rstrip().partition("\\t")
        memory.observe(text, conversation="c1", id=text)
        if is_flushed:
            memory.flush()
        print("written", flush=True)
"""


def test_what_another_process_writes_is_seen(tmp_path: Path) -> None:
    """New words at once, new vectors as soon as they are made, without opening anything anew."""
    place = tmp_path / "memory.db"
    command = [sys.executable, "-c", OBSERVE, str(place)]

    def elsewhere(other: subprocess.Popen[str], *said: str) -> None:
        assert other.stdin is not None
        assert other.stdout is not None
        print(*said, sep="\t", file=other.stdin, flush=True)
        assert other.stdout.readline() == "written\n"

    def found(memory: Memory, question: str) -> set[str]:
        return {name for hit in memory.recall(question, kinds="excerpt") for name in hit.messages}

    with (
        opened(place, embedder="hashing") as engine,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other,
    ):
        memory = engine.memory(user="ana")
        assert found(memory, "whale") == set()
        elsewhere(other, "I saw a whale")
        assert found(memory, "whale") == {"I saw a whale"}
        elsewhere(other, "The mill burnt down", "flush")
        assert memory.recall("mill")[0].signals["vector"] > 0
        assert found(memory, "mill") == {"I saw a whale", "The mill burnt down"}
