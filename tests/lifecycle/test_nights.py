"""A night can be planned, run twice, killed and undone, and belief is none the worse for it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yesteryear
from tests.analysts import ScriptedAnalyst
from tests.belief_rows import a_fact, a_version, evidence_for
from tests.failing import FailingAnalyst
from tests.lifecycle.test_facts import day, live
from tests.script import (
    BLOCKED,
    CLIMBS,
    CLUB,
    GOAL,
    HATES,
    LISBON,
    LOVES,
    LOW,
    NUTS,
    PORTO,
    RUNS,
    RUNS_EARLY,
    an_analyst,
    belief,
    fact,
    open_play,
    say,
    statement,
    told,
)
from tests.workshop import NOON, Workshop
from yesteryear.core.relation import Edge, Relation
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import Scope
from yesteryear.core.time import EPOCH
from yesteryear.core.vectors import StoredVector, VectorGrain, unit_rows
from yesteryear.errors import InputError, NotFound
from yesteryear.ports import Transaction
from yesteryear.results import CycleReport, Digest, Judgement

LATER = timedelta(days=150)
"""After which a mood has passed."""


def rows(shop: Workshop) -> object:
    """Return every row of ana's, as it is stored."""
    with shop.ports.store.read(Scope(user="ana")) as tx:
        return (
            *(tx.owner(), tx.facts.all(), tx.versions.since(EPOCH)),
            *(tx.evidence.all(), tx.rulings.all(), tx.edges.all()),
            *(tx.cycles.latest(limit=99), tx.messages.page(MessageQuery(limit=999))),
            *(tx.episodes.page(EpisodeQuery(limit=999)), len(tx.vectors.load(shop.ports.embedder.profile.model))),
        )


def seen(memory: yesteryear.Memory, at: datetime) -> object:
    """Return everything that a person can see of what is believed."""
    conflicts = [(row.earlier.statement, row.later.statement, row.state) for row in memory.conflicts(resolved=True)]
    return belief(memory, at=at), sorted(conflicts)


def eventful(shop: Workshop) -> yesteryear.Memory:
    """Live until there is something for a night to do of every kind, and return whose life it was."""
    live(shop, CLIMBS, CLUB, PORTO, LOVES, HATES, LOW, GOAL, BLOCKED)
    return shop.memory()


def test_a_night_finds_what_one_day_could_not_see(place: Path | str) -> None:
    """That talk of several days is about one thing; and it lets go what no longer holds."""
    with open_play(place) as shop:
        memory = eventful(shop)
        report = memory.consolidate(at=day(7) + LATER)
        assert (report.state, report.is_dry) == ("done", False)
        assert report.judged > 0
        assert report.clusters > 0
        done = {change.statement: change.what for change in report.changes}
        assert done[statement(CLIMBS)] == "merged"
        assert done[statement(CLUB)] == "stable"
        assert done[statement(LOW)] == "deprecated"
        assert report.facts["merged"] == 1
        assert statement(LOW) not in told(memory)
        assert memory.nights()[0].id == report.id
        assert all(change.statement == "" for change in memory.nights()[0].changes), "words stand in the facts only"


def test_a_trial_tells_what_would_be_done_and_writes_nothing(place: Path | str) -> None:
    """Not a row is other than before, and the night then does what was told."""
    with open_play(place) as shop:
        memory = eventful(shop)
        at = day(7) + LATER
        before, files = rows(shop), content(place)
        planned = memory.consolidate(at=at, dry_run=True)
        assert rows(shop) == before
        assert content(place) == files
        assert memory.nights() == []
        done = memory.consolidate(at=at)
        assert planned.is_dry
        assert outcome(planned) == outcome(done)
        assert outcome(memory.consolidate(at=at, dry_run=True))[0] == []


def content(place: Path | str) -> dict[str, bytes]:
    """Return what stands in the files of a store but for the index that readers share."""
    if isinstance(place, str):
        return {}
    return {file.name: file.read_bytes() for file in place.parent.iterdir() if not file.name.endswith("-shm")}


def outcome(report: CycleReport) -> tuple[Any, ...]:
    """Return what a night did, but for its id."""
    changes = sorted((change.statement, change.what, change.why, change.confidence) for change in report.changes)
    return changes, report.judged, report.conflicts_opened, report.conflicts_settled, report.faded, report.facts


def test_twice_is_once(place: Path | str) -> None:
    """The second night changes no row, so that there is nothing of it to undo."""
    with open_play(place) as shop:
        memory = eventful(shop)
        at = day(7) + LATER
        first = memory.consolidate(at=at)
        before = rows(shop)
        again = memory.consolidate(at=at)
        assert again.is_empty
        assert rows(shop) == before
        assert [report.id for report in memory.nights()] == [first.id]
        assert memory.undo().id == first.id


def test_undo_restores_what_was_believed(place: Path | str) -> None:
    """Exactly; what the night had judged is not judged again, and what time did is done again."""
    with open_play(place) as shop:
        memory = eventful(shop)
        at = day(7) + LATER
        before = seen(memory, day(8))
        done = memory.consolidate(at=at)
        after = seen(memory, day(8))
        assert after != before
        undone = memory.undo()
        assert (undone.id, undone.state) == (done.id, "undone")
        assert seen(memory, day(8)) == before
        why = memory.why(fact(memory, CLIMBS).id).fact
        assert why is not None
        assert why.versions[-1].cause == "undone"
        asked = shop.ports.analyst
        assert isinstance(asked, ScriptedAnalyst)
        asked.judged.clear()
        memory.consolidate(at=at)
        assert asked.judged == []
        assert {fact(memory, CLIMBS).status, fact(memory, CLUB).status} == {"tentative"}
        assert fact(memory, LOW).status == "deprecated"


def test_undo_keeps_what_the_person_said_since(place: Path | str) -> None:
    """Only what the night did is taken back."""
    with open_play(place) as shop:
        memory = eventful(shop)
        memory.consolidate(at=day(7) + LATER)
        shop.clock.set(day(9))
        memory.confirm(fact(memory, LOVES).id)
        say(memory, NUTS, conversation="later")
        memory.undo(memory.nights()[0].id)
        assert fact(memory, LOVES).status == "stable"
        assert statement(HATES) not in told(memory)
        assert {statement(LOW), statement(CLIMBS), statement(CLUB), statement(NUTS)} <= set(told(memory))


def test_nights_are_undone_from_the_last_to_the_first(place: Path | str) -> None:
    """Another one is refused, and where there is none left that is said."""
    with open_play(place) as shop:
        memory = shop.memory()
        with pytest.raises(NotFound, match="no night to undo"):
            memory.undo()
        beliefs, nights = [], []
        for number, texts in enumerate(((CLIMBS, CLUB), (LOW,))):
            live(shop, *texts, first=200 * number)
            beliefs.append(seen(memory, day(9)))
            shop.clock.set(day(200 * number + 180))
            nights.append(memory.consolidate())
        assert not any(night.is_empty for night in nights)
        with pytest.raises(InputError, match=f"only the last night.*{nights[1].id}"):
            memory.undo(nights[0].id)
        with pytest.raises(NotFound, match="no night 'x'"):
            memory.undo("x")
        memory.undo()
        assert seen(memory, day(9)) == beliefs[1]
        with pytest.raises(InputError, match="only the last night"):
            memory.undo(nights[1].id)
        assert memory.undo(nights[0].id).state == "undone"
        assert fact(memory, CLIMBS).status == "tentative"
        with pytest.raises(NotFound, match="no night to undo"):
            memory.undo()


def test_a_flush_is_no_night(place: Path | str) -> None:
    """However late it is: what is due is compared, nothing fades."""
    with open_play(place) as shop:
        memory = eventful(shop)
        shop.clock.set(day(400))
        assert memory.flush().nights == 0
        assert memory.nights() == []
        assert statement(LOW) in told(memory)


@pytest.mark.parametrize(
    ("zone", "night"),
    [
        ("Europe/Lisbon", datetime(2026, 3, 3, 3, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 3, 3, 8, tzinfo=UTC)),
        ("Asia/Tokyo", datetime(2026, 3, 2, 18, tzinfo=UTC)),
    ],
)
def test_the_worker_runs_the_night_in_the_persons_own_zone(place: Path | str, zone: str, night: datetime) -> None:
    """At three in the morning there, once; and not before."""
    with open_play(place) as shop:
        memory = shop.memory()
        for hour in range(60, 0, -5):  # somebody who is never silent for long
            shop.clock.set(night - timedelta(hours=hour))
            say(memory, NUTS, conversation=f"hour {hour}", zone=zone)
            shop.work()
        shop.clock.set(night - timedelta(seconds=1))
        say(memory, LOW, conversation="last", zone=zone)
        assert shop.work().nights == 0
        shop.clock.set(night)
        assert shop.work().nights == 1
        assert shop.work().nights == 0
        shop.clock.advance(timedelta(days=3))
        assert shop.work().nights == 0, "nothing was told since"


def test_after_hours_of_silence_the_worker_need_not_wait_for_the_night(place: Path | str) -> None:
    """But once a day is enough; and with nights switched off there are none."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, NUTS)
        shop.work()
        shop.clock.advance(timedelta(hours=6) - timedelta(seconds=1))
        assert shop.work().nights == 0
        shop.clock.advance(timedelta(seconds=1))
        assert shop.work().nights == 1
        memory.configure(nights=False)
        say(memory, LOVES, conversation="desk")
        shop.clock.advance(timedelta(days=9))
        assert shop.work().nights == 0


def test_a_night_that_fails_is_tried_again(place: Path | str) -> None:
    """In an hour, and not again and again until then."""
    analyst = FailingAnalyst(an_analyst(), word="climbs")
    analyst.is_well = True
    with open_play(place, analyst=analyst) as shop:
        memory = eventful(shop)
        analyst.is_well = False
        shop.clock.set(day(8))
        done = shop.work()
        assert (done.nights, done.failures) == (0, 1)
        analyst.is_well = True
        assert shop.work().nights == 0
        shop.clock.advance(timedelta(hours=1))
        assert shop.work().nights == 1
        assert fact(memory, CLIMBS).status == "merged"


class Interrupted:
    """An analyst who is told what to do once in the midst of judging."""

    def __init__(self) -> None:
        self._inner = an_analyst()
        self.meanwhile: list[Callable[[], object]] = []

    def digest(self, talk: Any, *, yield_to_foreground: Callable[[], None]) -> Digest:
        """Digest as it was told."""
        return self._inner.digest(talk, yield_to_foreground=yield_to_foreground)

    def judge(self, pairs: Any, *, yield_to_foreground: Callable[[], None]) -> list[Judgement]:
        """Let it happen, then judge as it was told."""
        while self.meanwhile:
            self.meanwhile.pop()()
        return self._inner.judge(pairs, yield_to_foreground=yield_to_foreground)


def test_what_the_person_does_while_the_night_goes_on_stays(place: Path | str) -> None:
    """A correction, a confirmation of what the night would let go, a new statement, something forgotten."""
    analyst = Interrupted()
    with open_play(place, analyst=analyst) as shop:
        memory = eventful(shop)
        live(shop, NUTS, first=8)
        episode = memory.episodes(conversation="day 8")[0].id
        shop.clock.set(day(8) + LATER)

        def act() -> None:
            memory.correct(fact(memory, PORTO).id, "Ana lives in Braga.")
            memory.confirm(fact(memory, LOW).id)
            say(memory, LISBON, conversation="meanwhile", at=day(-5))
            memory.forget(episode)

        analyst.meanwhile.append(act)
        report = memory.consolidate()
        assert report.state == "done"
        assert {"Ana lives in Braga.", statement(LOW)} <= set(told(memory))
        assert statement(NUTS) not in [view.statement for view in memory.facts(status="all")]
        assert fact(memory, PORTO).status == "deprecated"
        assert fact(memory, CLIMBS).status == "merged"
        before = belief(memory, at=day(9))
        assert memory.consolidate().is_empty
        assert belief(memory, at=day(9)) == before


def test_whoever_is_erased_while_the_night_goes_on_is_gone(place: Path | str) -> None:
    """The night finds nobody, and leaves nothing of them."""
    analyst = Interrupted()
    with open_play(place, analyst=analyst) as shop:
        memory = eventful(shop)
        analyst.meanwhile.append(memory.erase)
        memory.consolidate(at=day(7) + LATER)
        assert (memory.facts(status="all"), memory.nights(), memory.stats()["rev"]) == ([], [], 0)


def test_two_nights_at_once_are_one(place: Path | str) -> None:
    """Whoever comes second finds it done."""
    analyst = Interrupted()
    with open_play(place, analyst=analyst) as shop:
        memory = eventful(shop)
        at = day(7) + LATER
        inner: list[CycleReport] = []
        analyst.meanwhile.append(lambda: inner.append(memory.consolidate(at=at)))
        assert memory.consolidate(at=at).is_empty
        assert [report.id for report in memory.nights()] == [inner[0].id]
        assert {report.state for report in memory.nights()} == {"done"}
        assert memory.undo().id == inner[0].id
        assert fact(memory, CLIMBS).status == "tentative"


def test_a_clock_that_goes_back_brings_nothing_back(place: Path | str) -> None:
    """What has faded stays so, what was told then is compared, and the next night comes all the same."""
    with open_play(place) as shop:
        memory = eventful(shop)
        shop.clock.set(day(160))
        memory.consolidate()
        before = belief(memory, at=day(160))
        shop.clock.set(day(3))
        assert memory.consolidate().is_empty
        assert belief(memory, at=day(160)) == before
        say(memory, RUNS, conversation="back then")
        say(memory, RUNS_EARLY, conversation="and then")
        assert fact(memory, RUNS).status == "merged"
        shop.work()
        shop.clock.set(day(4))
        shop.work()
        assert shop.ports.store.due(shop.clock.now(), limit=9) == []
        assert fact(memory, LOW).status == "deprecated"


def test_facts_that_rest_on_one_another_in_a_circle_do_no_harm(place: Path | str) -> None:
    """A circle in which nothing ended raises no doubt; where one of it ended all need review, and the night ends."""
    with open_play(place) as shop:
        live(shop, PORTO, GOAL, BLOCKED)
        memory = shop.memory()
        names = [fact(memory, text).id for text in (PORTO, GOAL, BLOCKED)]
        circle = [
            Edge(Scope(user="ana"), one, other, Relation.DEPENDS_ON, NOON)
            for one, other in zip(names, names[1:] + names[:1], strict=True)
        ]
        shop.ports.store.write(Scope(user="ana"), lambda tx: tx.edges.put(circle))
        assert not memory.consolidate(at=day(3)).changes
        shop.clock.set(day(3))
        memory.refute(names[0])
        assert [fact(memory, text).status for text in (GOAL, BLOCKED)] == ["needs_review", "needs_review"]
        assert memory.consolidate(at=day(3)).is_empty


def test_what_was_merged_is_merged_again_with_what_says_more(place: Path | str) -> None:
    """Nothing stands behind what stands behind another; restored, it stands by itself."""
    with open_play(place) as shop:
        analyst = shop.ports.analyst
        assert isinstance(analyst, ScriptedAnalyst)
        live(shop, RUNS, RUNS_EARLY, RUNS, CLIMBS, CLUB, RUNS_EARLY)
        memory = shop.memory()
        memory.consolidate(at=day(6))
        live(shop, RUNS, CLIMBS, first=7)
        memory.consolidate(at=day(9))
        merged = {view.statement: view.canonical_id for view in memory.facts(status="merged")}
        assert set(merged) == {statement(RUNS), statement(CLIMBS)}
        standing = {view.id: view for view in memory.facts()}
        assert set(merged.values()) <= set(standing)
        assert fact(memory, RUNS_EARLY).told == 5
        memory.restore(fact(memory, RUNS).id)
        memory.consolidate(at=day(10))
        assert fact(memory, RUNS).canonical_id is None
        assert fact(memory, CLIMBS).canonical_id == fact(memory, CLUB).id


def test_facts_beyond_the_limit_give_way_and_come_back_when_there_is_room(place: Path | str) -> None:
    """The least sure first, never what is pinned or well evidenced."""
    with open_play(place) as shop:
        memory = shop.memory()
        live(shop, LOVES, NUTS, PORTO, NUTS, NUTS)
        memory.pin(fact(memory, LOVES).id)
        memory.configure(max_active_facts=2)
        memory.consolidate(at=day(5))
        assert set(told(memory)) == {statement(LOVES), statement(NUTS)}
        assert fact(memory, PORTO).status == "deprecated"
        memory.configure(max_active_facts=500)
        memory.consolidate(at=day(6))
        assert statement(PORTO) in told(memory)


@pytest.mark.heavy
@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=[pytest.mark.heavy, pytest.mark.exhaustive])])
def test_many_facts_at_once_are_more_work_and_no_trouble(place: Path | str, count: int) -> None:
    """Each is compared with a few others, what is held stays, and the limit holds after one night."""
    with open_play(place) as shop:
        live(shop, NUTS, NUTS, NUTS)
        bring(shop, count)
        memory = shop.memory()
        report = memory.consolidate(at=day(2))
        assert 0 < report.judged <= 8 * (count + 1)
        assert len(memory.facts(limit=1000)) == 500
        assert memory.facts()[0].statement == statement(NUTS)
        assert memory.consolidate(at=day(2)).is_empty
        memory.undo()
        assert memory.facts(status="deprecated") == []


def bring(shop: Workshop, count: int) -> None:
    """Put so many facts into ana's memory, in groups that are alike."""
    model, dimension = shop.ports.embedder.profile.model, shop.ports.embedder.profile.dimension
    chance = np.random.default_rng(1)
    subjects = chance.standard_normal((count // 10, dimension))
    facts = [a_fact(f"f{n}", f"Ana likes dish {n}.", minutes=n, confidence=0.8, sessions=1) for n in range(count)]
    rows = unit_rows([subjects[n % len(subjects)] + 0.5 * chance.standard_normal(dimension) for n in range(count)])

    def write(tx: Transaction) -> None:
        tx.facts.insert(facts)
        tx.versions.add([a_version(fact) for fact in facts])
        tx.evidence.add([evidence_for(fact.id, said_at=fact.first_observed, session=fact.id) for fact in facts])
        tx.vectors.put(
            model, [StoredVector(VectorGrain.FACT, fact.id, 0, row) for fact, row in zip(facts, rows, strict=True)]
        )

    shop.ports.store.write(Scope(user="ana"), write)
