"""What a language model finds to hold over several episodes: facts as any other, found once, and taken back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import yesteryear
from tests.beliefs import day
from tests.concepts import ConceptEmbedder
from tests.llm.stage import PATTERN, a_digest, a_pattern, a_verdict
from tests.script import belief
from tests.workshop import Workshop, open_workshop
from yesteryear.consolidate.night.cycle import consolidate
from yesteryear.core.fact import Authority
from yesteryear.core.time import EPOCH
from yesteryear.core.usage import CallPurpose, ModelCall
from yesteryear.errors import NotFound, Stale
from yesteryear.providers.clock import ReplayClock
from yesteryear.providers.llm.analyst import ModelAnalyst
from yesteryear.providers.llm.caller import Caller, CallPolicy
from yesteryear.providers.llm.private_loop import PrivateLoop
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.testing.builders import NOON

MORNINGS = (
    "I love to write my thesis before breakfast, two pages simply flow.",
    "Before breakfast my thesis almost writes itself, another three pages are done.",
    "My thesis again before breakfast, that is when I get anywhere with it.",
)
FOURTH = "I love how my thesis grows before breakfast, a whole chapter is there."
SHOWS = "before breakfast"


@dataclass
class Reader:
    """A language model that finds one pattern, wherever its words are shown; digests state nothing."""

    distils: Any = None
    """What it says instead; None for the pattern."""
    asked: list[str] = field(default_factory=list)
    """What it was shown to distil."""

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        """Answer."""
        question = str(messages[-1].parts[0].content)  # type: ignore[union-attr]
        if " · episode " in question:
            self.asked.append(question)
            answer = self.distils if self.distils is not None else a_pattern(*shown(question))
        elif question.startswith("People: "):
            said = " ".join(line[2:] for line in question.splitlines() if line.startswith("| "))
            numbers = re.findall(r"\d+", question.splitlines()[1])
            kept = [{"exchange": int(number), "keep": True, "reason": "personal"} for number in numbers]
            answer = a_digest(topic=said, summary=said, key_points=[], exchanges=kept)
        else:
            answer = {"pairs": [a_verdict(n, "KEEP_ALL") for n in range(1, question.count("\npair ") + 1)]}
        return ModelResponse(parts=[TextPart(answer if isinstance(answer, str) else json.dumps(answer))])


def shown(question: str) -> Iterator[tuple[int, str]]:
    """Yield the numbers of the messages that show the pattern, and the words that do."""
    for block in re.split(r"\n(?=message \d+ · episode )", question):
        found = re.search(rf"(?i)^\| .*({SHOWS})", block, re.MULTILINE)
        if found:
            yield int(block.split()[1]), found[1]


@contextmanager
def reading(place: Path | str, reader: Reader, **given: Any) -> Iterator[Workshop]:
    """Open a store whose analyst is that model."""
    loop = PrivateLoop()
    caller = Caller("scripted", ReplayClock(NOON), loop, CallPolicy())
    analyst = ModelAnalyst(FunctionModel(reader), caller, LocalAnalyst())
    arguments: dict[str, Any] = {"embedder": ConceptEmbedder({"work": ["thesis"], "food": ["soup"]})} | given
    with open_workshop(place, analyst=analyst, **arguments) as shop:
        yield shop
    loop.close()


def tell(memory: yesteryear.Memory, texts: Sequence[str] = MORNINGS, *, first: int = 0) -> None:
    """Say each on a day and in a conversation of its own."""
    for number, text in enumerate(texts, start=first):
        memory.observe(text, conversation=f"day {number}", author="Ana", at=day(number))
    memory.flush()


def rows(shop: Workshop) -> object:
    """Return every row that is about belief."""
    with shop.ports.store.read(shop.memory().scope) as tx:
        return tx.facts.all(), tx.evidence.all(), tx.rulings.all(), tx.versions.since(EPOCH), tx.cycles.latest(limit=9)


def statements(memory: yesteryear.Memory) -> list[str]:
    """Return what is believed."""
    return [fact.statement for fact in memory.facts()]


def test_what_three_sessions_show_becomes_one_fact_with_evidence_of_each(place: Path | str) -> None:
    """The model is asked once, quotes each session, and the night tells what it found."""
    reader = Reader()
    with reading(place, reader) as shop:
        memory = shop.memory()
        tell(memory)
        report = memory.consolidate()
        (fact,) = memory.facts()
        assert (fact.statement, fact.status, fact.sessions, fact.kind) == (PATTERN, "stable", 3, "work_pattern")
        assert [(change.statement, change.what) for change in report.changes] == [(PATTERN, "distilled")]
        assert (report.distilled, report.undistilled, len(report.read)) == (1, 0, 3)
        with shop.ports.store.read(memory.scope) as tx:
            evidence = tx.evidence.of([fact.id])
            assert tx.facts.get([fact.id])[0].authority is Authority.INFERRED
            assert tx.facts.due(day(99), limit=9) == []
        said = dict(zip((row.session for row in evidence), (row.quote for row in evidence), strict=True))
        assert {session: quote.lower() for session, quote in said.items()} == dict.fromkeys(
            ["day 0", "day 1", "day 2"], SHOWS
        )
        assert len(reader.asked) == 1
        assert [row.calls for row in memory.usage() if row.purpose is CallPurpose.DISTIL] == [1]
        assert PATTERN in memory.context("How should I write my thesis?").text


def test_the_second_night_makes_no_call_until_something_was_added(place: Path | str) -> None:
    """Twice is once; then the group is read again, and the fact has more to rest on."""
    reader = Reader()
    with reading(place, reader) as shop:
        memory = shop.memory()
        tell(memory)
        memory.consolidate()
        before = rows(shop)
        assert memory.consolidate().is_empty
        assert (rows(shop), len(reader.asked)) == (before, 1)
        tell(memory, [FOURTH], first=4)
        report = memory.consolidate()
        (fact,) = memory.facts()
        assert (fact.sessions, fact.told, len(reader.asked)) == (4, 4, 2)
        assert [change.what for change in report.changes] == ["confidence"]


def test_the_order_in_which_things_became_known_does_not_matter() -> None:
    """In one night, or with an episode that is older than all others coming in behind it: the same is believed."""
    told, said = [], [*MORNINGS, FOURTH]
    for nights in ([[0, 1, 2, 3]], [[3, 1, 0, 2]], [[2, 3, 1], [0]], [[0, 1], [3, 2]]):
        with reading(":memory:", Reader()) as shop:
            memory = shop.memory()
            for days in nights:
                for number in days:
                    tell(memory, [said[number]], first=number)
                memory.consolidate()
            told.append((belief(memory, at=day(9)), [fact.first_observed for fact in memory.facts()]))
    assert told[0][0]
    assert all(one == told[0] for one in told)


def test_a_trial_tells_what_the_night_would_find(place: Path | str) -> None:
    """It asks the model and writes nothing but the bill."""
    reader = Reader()
    with reading(place, reader) as shop:
        memory = shop.memory()
        tell(memory)
        planned = memory.consolidate(dry_run=True)
        assert (memory.facts(), memory.nights()) == ([], [])
        done = memory.consolidate()
        assert [(c.statement, c.what, c.confidence) for c in planned.changes] == [
            (c.statement, c.what, c.confidence) for c in done.changes
        ]


def test_undo_takes_the_fact_back_for_good(place: Path | str) -> None:
    """Nothing of it is believed, and the next night does not ask again."""
    reader = Reader()
    with reading(place, reader) as shop:
        memory = shop.memory()
        tell(memory)
        before = belief(memory, at=day(9))
        memory.consolidate()
        memory.undo()
        assert (memory.facts(status="all"), belief(memory, at=day(9))) == ([], before)
        memory.consolidate()
        assert (memory.facts(status="all"), len(reader.asked)) == ([], 1)
        with pytest.raises(NotFound, match="no night to undo"):
            memory.undo()


def test_what_the_person_confirmed_outlives_undo(place: Path | str) -> None:
    """It is their word now; what the night had found is not counted any more."""
    with reading(place, Reader()) as shop:
        memory = shop.memory()
        tell(memory)
        memory.consolidate()
        memory.confirm(memory.facts()[0].id)
        memory.undo()
        (fact,) = memory.facts()
        assert (fact.statement, fact.status, fact.sessions, fact.told) == (PATTERN, "stable", 0, 1)


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON",
        "",
        {"patterns": "none"},
        a_pattern((1, "words that nobody wrote"), (2, SHOWS)),
        a_pattern((1, SHOWS)),
        a_pattern((1, SHOWS), (99, SHOWS)),
        a_pattern((1, SHOWS), (3, SHOWS), statement="The user is a genius."),
        {"patterns": a_pattern((1, SHOWS), (3, SHOWS))["patterns"] * 5},
    ],
    ids=["garbage", "empty", "form", "quote", "one episode", "message", "name", "circles"],
)
def test_an_answer_that_is_no_good_changes_nothing(answer: Any) -> None:
    """Nothing is written that nobody showed, and whoever asks is told."""
    reader = Reader(distils=answer)
    with reading(":memory:", reader) as shop:
        memory = shop.memory()
        tell(memory)
        before = belief(memory, at=day(9))
        report = memory.consolidate()
        assert (memory.facts(status="all"), belief(memory, at=day(9))) == ([], before)
        assert report.distilled + report.undistilled == 1
        assert len(reader.asked) > 1, "it was told what was wrong"


def test_a_group_that_could_not_be_read_is_read_the_next_night(place: Path | str) -> None:
    """A provider that is down costs a night, not what the night would have found."""
    reader = Reader(distils="<html>gateway</html>")
    with reading(place, reader) as shop:
        memory = shop.memory()
        tell(memory)
        report = memory.consolidate()
        assert (report.distilled, report.undistilled, report.read) == (0, 1, ())
        assert memory.nights()[0].undistilled == 1
        reader.distils = None
        assert memory.consolidate().distilled == 1
        assert statements(memory) == [PATTERN]


def test_the_local_analyst_finds_nothing_and_leaves_it_to_a_model_that_comes_later(tmp_path: Path) -> None:
    """Without a model a night is as it was."""
    place = tmp_path / "memory.db"
    with open_workshop(place, embedder=ConceptEmbedder({"work": ["thesis"]})) as shop:
        tell(shop.memory())
        report = shop.memory().consolidate()
        assert (report.distilled, report.undistilled, report.read) == (0, 0, ())
        assert PATTERN not in statements(shop.memory())
    with reading(place, Reader(), embedder=ConceptEmbedder({"work": ["thesis"]})) as shop:
        assert shop.memory().consolidate().distilled == 1
        assert PATTERN in statements(shop.memory())


def test_a_spent_budget_leaves_the_group_for_another_night() -> None:
    """Money that is gone stops the model, and the night says so."""
    reader = Reader()
    with reading(":memory:", reader) as shop:
        memory = shop.memory()
        tell(memory)
        spent = ModelCall(CallPurpose.DIGEST, "scripted", shop.clock.now(), micro_usd=20_000)
        shop.ports.store.write(memory.scope, lambda tx: tx.usages.add(["u-1"], [spent]))
        memory.configure(daily_budget=0.01)
        assert memory.consolidate().undistilled == 1
        assert reader.asked == []


def test_one_session_and_other_subjects_are_no_group() -> None:
    """What is said twice in one conversation, or about different things, is shown to nobody."""
    reader = Reader()
    with reading(":memory:", reader) as shop:
        memory = shop.memory()
        for number, text in enumerate(MORNINGS):
            memory.observe(text, conversation="one", author="Ana", at=day(number))
        tell(memory, ["The soup I cooked was too salty for my taste, I hate salt."], first=9)
        report = memory.consolidate()
        assert (reader.asked, report.distilled, memory.facts()) == ([], 0, [])


def test_projects_are_not_read_together() -> None:
    """Not even by a model: a project that draws no facts is not read at all."""
    reader = Reader()
    with reading(":memory:", reader) as shop:
        for number, project in enumerate(["thesis", "novel", "thesis", "novel"]):
            memory = shop.memory(project=project)
            memory.observe(
                f"{MORNINGS[number % 3]} ({project})", conversation=f"c{number}", author="Ana", at=day(number)
            )
            memory.flush()
        shop.memory(project="novel").configure(fact_extraction_enabled=False)
        shop.memory().consolidate()
        (asked,) = reader.asked
        assert "(thesis)" in asked
        assert "(novel)" not in asked


def test_what_was_said_in_a_forgotten_episode_takes_the_fact_along(place: Path | str) -> None:
    """A statement drawn from several messages may hold what one of them said."""
    with reading(place, Reader()) as shop:
        memory = shop.memory()
        tell(memory)
        memory.consolidate()
        episode = memory.episodes(conversation="day 1")[0]
        proposed = memory.forget(episode.id, dry_run=True)
        assert [(fact.statement, fact.because) for fact in proposed.facts] == [(PATTERN, "rested_on_it")]
        memory.forget(episode.id)
        memory.flush()
        assert memory.facts(status="all") == []


def test_a_pinned_episode_is_read_and_faded_ones_leave_the_fact(place: Path | str) -> None:
    """Facts outlive the words they were drawn from."""
    with reading(place, Reader()) as shop:
        memory = shop.memory()
        tell(memory)
        memory.pin(memory.episodes(conversation="day 0")[0].id)
        memory.consolidate()
        memory.fade(at=day(700))
        details = {episode.conversation: episode.detail for episode in memory.episodes(limit=9)}
        assert (details["day 0"], details["day 1"]) == ("vivid", "gist")
        assert statements(memory) == [PATTERN]


def test_an_erased_person_leaves_nothing_that_was_found(tmp_path: Path) -> None:
    """Neither the statement nor that a model was paid for it."""
    place = tmp_path / "memory.db"
    with reading(place, Reader()) as shop:
        memory = shop.memory()
        tell(memory)
        memory.consolidate()
        memory.erase()
        assert (memory.usage(), memory.facts(status="all"), memory.nights()) == ([], [], [])
    assert b"before breakfast" not in place.read_bytes()


def test_what_a_context_had_shown_is_no_evidence() -> None:
    """Who repeats what they were just told shows nothing."""
    reader = Reader()
    with reading(":memory:", reader) as shop:
        memory = shop.memory()
        tell(memory, MORNINGS[:1])
        shop.clock.set(day(1))
        memory.context("What about my thesis?", conversation="day 1")
        shop.clock.set(day(1) + timedelta(hours=1))
        memory.observe(MORNINGS[0], conversation="day 1", author="Ana", at=shop.clock.now())
        memory.flush()
        report = memory.consolidate()
        assert (report.distilled, memory.facts(status="all")) == (1, [])


def test_a_night_that_was_killed_behind_the_model_goes_on_without_asking_again(place: Path | str) -> None:
    """What was paid for is kept."""
    reader, looks = Reader(), iter([True])
    with reading(place, reader) as shop:
        memory = shop.memory()
        tell(memory)
        with pytest.raises(Stale):
            consolidate(
                shop.ports,
                memory.scope,
                shop.policies.consolidate,
                at=shop.clock.now(),
                now=shop.clock.now(),
                should_continue=lambda: next(looks, False),
            )
        assert memory.nights()[0].state == "running"
        report = memory.consolidate()
        assert (report.id, len(reader.asked)) == (memory.nights()[0].id, 1)
        assert statements(memory) == [PATTERN]
